/* SPDX-License-Identifier: ISC
 * ask.c -- the line to the server and back.
 */
#include <errno.h>
#include <stdarg.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/str.h"
#include "server/ctl/ctl.h"
#include "server/shell/ctlsock.h"

int ctl_fail(int code, const char *fmt, ...)
{
    struct buf words = BUF_EMPTY;
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(&words, fmt, ap);
    va_end(ap);
    (void)fprintf(stderr, "skirmishctl: %s\n", buf_str(&words));
    buf_fini(&words);
    return code;
}

void ctl_close(struct ctl *c)
{
    if (c->fd >= 0)
        (void)close(c->fd);
    c->fd = -1;
    buf_reset(&c->in);
}

static int dial(struct ctl *c)
{
    char why[CTLSOCK_WHY_LEN];

    if (c->fd >= 0)
        return EX_OK;
    switch (ctlsock_connect(c->path, &c->fd, why)) {
    case ERR_OK:
        return EX_OK;
    case ERR_NOT_FOUND:
        return ctl_fail(EX_UNAVAILABLE, "%s (name it with --socket or --data)", why);
    case ERR_DENIED:
        return ctl_fail(EX_NOPERM, "%s: only root and the server's own user may do that", why);
    default:
        return ctl_fail(EX_IOERR, "%s", why);
    }
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        const ssize_t k = write(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

/* False: the server has gone. What it said before counts, even where it took nothing. */
static bool exchange(struct ctl *c, const char *line, struct buf *answer)
{
    struct buf out = BUF_EMPTY;
    const char *nl = NULL;

    buf_printf(&out, "%s\n", line);
    (void)write_all(c->fd, out.data, out.len);
    buf_fini(&out);
    buf_reset(answer);
    while (c->in.len == 0 || (nl = memchr(c->in.data, '\n', c->in.len)) == NULL) {
        const ssize_t n = read(c->fd, buf_room(&c->in, 65536), 65536);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        c->in.len += (size_t)n;
    }
    buf_put(answer, c->in.data, (size_t)(nl - c->in.data));
    buf_consume(&c->in, (size_t)(nl - c->in.data) + 1);
    return true;
}

int ctl_ask(struct ctl *c, const char *line, struct buf *answer)
{
    const int code = dial(c);

    if (code != EX_OK || exchange(c, line, answer))
        return code;
    return ctl_fail(EX_UNAVAILABLE, "the server has gone without an answer");
}

bool ctl_ask_quietly(struct ctl *c, const char *line, struct buf *answer)
{
    char why[CTLSOCK_WHY_LEN];

    if (c->fd < 0 && ctlsock_connect(c->path, &c->fd, why) != ERR_OK)
        return false;
    return exchange(c, line, answer);
}

/* A refusal's reason as an exit code. */
static int code_of(const char *reason)
{
    switch (err_from_reason(reason)) {
    case ERR_BUSY:
    case ERR_RATE:
    case ERR_STORAGE:
        return EX_TEMPFAIL;
    case ERR_PARAMS:
    case ERR_PARSE:
    case ERR_METHOD:
        return EX_USAGE;
    case ERR_AUTH:
        return EX_NOPERM;
    case ERR_INTERNAL:
        return EX_SOFTWARE;
    default:
        return CTL_REFUSED;
    }
}

static int say_refusal(const struct ctl *c, const struct json *error)
{
    const char *reason = "internal";
    const char *words = "";
    int code;

    if (!json_get_string(error, "reason", &reason) || !json_get_string(error, "message", &words))
        return ctl_fail(EX_PROTOCOL, "an answer that isn't one");
    code = code_of(reason);
    return c->json ? code : ctl_fail(code, "%s", words);
}

int ctl_say(const struct ctl *c, const struct ctl_cmd *cmd, const char *answer)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    int64_t bad = 0;
    int code = EX_OK;

    if (json_parse(answer, strlen(answer), &json_file_limits, &j, why) != ERR_OK)
        return ctl_fail(EX_PROTOCOL, "an answer that isn't one: %s", why);
    if (c->json && (!c->silent || json_get(j, "error") != NULL))
        (void)puts(answer);
    if (json_get(j, "result") == NULL)
        code = say_refusal(c, json_get(j, "error"));
    else if (!c->json && !c->silent)
        cmd->say(json_get(j, "result"));
    if (code == EX_OK && json_get_int(json_get(j, "result"), "bad", &bad) && bad > 0)
        code = EX_DATAERR;
    json_free(j);
    return code;
}

int ctl_do(struct ctl *c, const struct ctl_cmd *cmd, int argc, char **argv)
{
    struct buf line = BUF_EMPTY;
    struct buf answer = BUF_EMPTY;
    char why[CTL_WHY_LEN];
    int code;

    if (!ctl_request(cmd, argc, argv, &line, why)) {
        buf_fini(&line);
        return ctl_fail(EX_USAGE, "%s\nusage: skirmishctl %s %s", why, cmd->words, cmd->usage);
    }
    code = ctl_ask(c, buf_str(&line), &answer);
    if (code == EX_OK)
        code = ctl_say(c, cmd, buf_str(&answer));
    buf_fini(&line);
    buf_fini(&answer);
    return code;
}
