/* SPDX-License-Identifier: ISC */
#include "common/base/log.h"

#include <errno.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/msec.h"
#include "common/base/utf8.h"

/* The one setting of a whole process; other threads log while it changes. */
static struct {
    _Atomic(enum log_level) max;
    _Atomic(enum log_form) form;
} settings = {LOG_LEVEL_INFO, LOG_FORM_TEXT};

static const char *const names[] = {
    [LOG_LEVEL_ERROR] = "error",
    [LOG_LEVEL_WARN] = "warn",
    [LOG_LEVEL_INFO] = "info",
    [LOG_LEVEL_DEBUG] = "debug",
};

void log_setup(enum log_level max, enum log_form form)
{
    settings.max = max;
    settings.form = form;
}

bool log_wants(enum log_level level)
{
    return level <= settings.max;
}

/* `text` with everything but plain characters as \xNN; the backslash is doubled inside JSON. */
static void put_escaped(struct buf *b, const char *text, size_t n)
{
    const char *mark = settings.form == LOG_FORM_JSON ? "\\\\x" : "\\x";

    while (n > 0) {
        uint32_t cp = 0;
        size_t len = utf8_decode(text, n, &cp);

        if (len > 0 && utf8_is_plain(cp) && cp != '"' && cp != '\\') {
            buf_put(b, text, len);
        } else {
            len = MAX(len, (size_t)1);
            for (size_t i = 0; i < len; i++)
                buf_printf(b, "%s%02x", mark, (unsigned)(unsigned char)text[i]);
        }
        text += len;
        n -= len;
    }
}

static void put_time(struct buf *b, struct wall now)
{
    const time_t seconds = (time_t)(now.ms / 1000);
    struct tm tm;

    CHECK(gmtime_r(&seconds, &tm) != NULL);
    buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1,
               tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(now.ms % 1000));
}

static void put_line(struct buf *line, enum log_level level, const char *event,
                     const struct buf *said)
{
    const bool json = settings.form == LOG_FORM_JSON;

    buf_puts(line, json ? "{\"time\":\"" : "");
    put_time(line, wall_now());
    buf_printf(line, json ? "\",\"level\":\"%s\",\"event\":\"" : " %-5s ", names[level]);
    put_escaped(line, event, strlen(event));
    if (json)
        buf_puts(line, "\",\"message\":\"");
    else if (said->len > 0)
        buf_putc(line, ' ');
    put_escaped(line, buf_str(said), said->len);
    buf_puts(line, json ? "\"}\n" : "\n");
}

void log_event(enum log_level level, const char *event, const char *fmt, ...)
{
    struct buf said = BUF_EMPTY;
    struct buf line = BUF_EMPTY;
    const int saved = errno; /* a log line must not change what it reports on */
    ssize_t n;
    va_list ap;

    CHECK((unsigned)level < ARRAY_LEN(names));
    va_start(ap, fmt);
    buf_vprintf(&said, fmt, ap);
    va_end(ap);
    put_line(&line, level, event, &said);
    do
        n = write(STDERR_FILENO, line.data, line.len);
    while (n < 0 && errno == EINTR);
    buf_fini(&said);
    buf_fini(&line);
    errno = saved;
}
