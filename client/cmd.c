/* SPDX-License-Identifier: ISC
 * cmd.c -- what the subcommands share.
 */
#include "client/cmd.h"

#include <errno.h>
#include <langinfo.h>
#include <stdarg.h>

#include "common/base/str.h"

int cmd_usage(const struct command *self)
{
    const char *form = self->usage;
    const char *lead = "usage:";

    while (form != NULL) {
        const char *end = strchr(form, '\n');
        const int n = end == NULL ? (int)strlen(form) : (int)(end - form);

        if (form[0] == ' ') /* the form before goes on */
            (void)fprintf(stderr, "       %.*s\n", n, form);
        else
            (void)fprintf(stderr, "%s skirmish %s %.*s\n", lead, self->name, n, form);
        lead = "      ";
        form = end == NULL ? NULL : end + 1;
    }
    return EX_USAGE;
}

int cmd_fail(int code, const char *fmt, ...)
{
    va_list ap;

    (void)fputs("skirmish: ", stderr);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
    return code;
}

int cmd_write(const struct buf *out)
{
    if (out->len > 0 && fwrite(out->data, 1, out->len, stdout) != out->len)
        return cmd_fail(EX_IOERR, "standard output: %s", strerror(errno));
    return EX_OK;
}

int cmd_read_file(const char *path, size_t max, struct buf *out)
{
    const enum err e = buf_read_file(out, path, max);

    if (e == ERR_ROOM)
        return cmd_fail(EX_DATAERR, "%s: is larger than %zu bytes", path, max);
    return e == ERR_OK ? EX_OK : cmd_fail(EX_NOINPUT, "%s: %s", path, strerror(errno));
}

static const struct scenario_file *find_shipped(const char *id)
{
    for (size_t i = 0; i < scenario_files_len; i++) {
        if (str_eq(scenario_files[i].id, id))
            return &scenario_files[i];
    }
    return NULL;
}

bool cmd_is_shipped(const char *id)
{
    return find_shipped(id) != NULL;
}

int cmd_load_scenario(const char *id_or_path, struct scenario **out)
{
    const struct scenario_file *shipped = find_shipped(id_or_path);
    char why[SCENARIO_WHY_LEN];
    struct buf text = BUF_EMPTY;
    int code = EX_OK;

    *out = NULL;
    if (shipped == NULL) {
        code = cmd_read_file(id_or_path, SCENARIO_FILE_MAX, &text);
        if (code == EX_NOINPUT)
            (void)cmd_fail(code, "nor is it the id of a scenario; see: skirmish scenario list");
    } else {
        buf_put(&text, shipped->text, shipped->len);
    }
    if (code == EX_OK && scenario_parse(buf_str(&text), text.len, out, why) != ERR_OK)
        code = cmd_fail(EX_DATAERR, "%s: %s", id_or_path, why);
    buf_fini(&text);
    return code;
}

bool cmd_is_utf8(void)
{
    return str_eq(nl_langinfo(CODESET), "UTF-8");
}
