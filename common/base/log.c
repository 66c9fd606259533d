/* SPDX-License-Identifier: ISC */
#include "common/base/log.h"

#include <errno.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/msec.h"
#include "common/base/str.h"
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

/* ---- fields: the format is cut at its blanks, never the text that has been put in ---- */

/* What is left of a call's format and arguments. */
struct fields {
    const char *fmt;
    va_list ap;
};
struct field {
    const char *key;
    size_t key_len;
    struct buf value;
    bool is_number; /* one integer, nothing else */
};

/* One conversion behind its '%'. True: an integer. */
static bool put_integer(struct fields *f, struct buf *out)
{
    if (str_starts(f->fmt, "llu")) {
        f->fmt += 3;
        buf_printf(out, "%llu", va_arg(f->ap, unsigned long long));
    } else if (str_starts(f->fmt, "lld")) {
        f->fmt += 3;
        buf_printf(out, "%lld", va_arg(f->ap, long long));
    } else if (str_starts(f->fmt, "zu")) {
        f->fmt += 2;
        buf_printf(out, "%zu", va_arg(f->ap, size_t));
    } else if (*f->fmt == 'u') {
        f->fmt++;
        buf_printf(out, "%u", va_arg(f->ap, unsigned));
    } else if (*f->fmt == 'd') {
        f->fmt++;
        buf_printf(out, "%d", va_arg(f->ap, int));
    } else {
        return false;
    }
    return true;
}

static void put_value(struct fields *f, struct field *out)
{
    size_t parts = 0;

    out->is_number = true;
    for (; *f->fmt != '\0' && *f->fmt != ' '; parts++) {
        if (*f->fmt != '%') {
            buf_putc(&out->value, *f->fmt++);
            out->is_number = false;
            continue;
        }
        f->fmt++;
        if (put_integer(f, &out->value))
            continue;
        out->is_number = false;
        CHECK(*f->fmt == 's'); /* no call of ours has another: integration.logs looks */
        f->fmt++;
        buf_puts(&out->value, va_arg(f->ap, const char *));
    }
    out->is_number = out->is_number && parts == 1;
}

/* The next field; value is emptied first. False: there is none. */
static bool next_field(struct fields *f, struct field *out)
{
    size_t len;

    f->fmt += strspn(f->fmt, " ");
    if (*f->fmt == '\0')
        return false;
    len = strspn(f->fmt, "abcdefghijklmnopqrstuvwxyz_");
    out->key = "message";
    out->key_len = strlen(out->key);
    if (len > 0 && f->fmt[len] == '=') {
        out->key = f->fmt;
        out->key_len = len;
        f->fmt += len + 1;
    }
    buf_reset(&out->value);
    put_value(f, out);
    return true;
}

static void put_field(struct buf *line, const struct field *f)
{
    const char *value = buf_str(&f->value);
    const bool bare = f->is_number || (settings.form == LOG_FORM_TEXT && value[0] != '\0' &&
                                       strpbrk(value, " =") == NULL);

    if (settings.form == LOG_FORM_JSON) {
        buf_puts(line, ",\"");
        buf_put(line, f->key, f->key_len);
        buf_puts(line, "\":");
    } else {
        buf_putc(line, ' ');
        buf_put(line, f->key, f->key_len);
        buf_putc(line, '=');
    }
    buf_puts(line, bare ? "" : "\"");
    put_escaped(line, value, f->value.len);
    buf_puts(line, bare ? "" : "\"");
}

static void put_line(struct buf *line, enum log_level level, const char *event, struct fields *f)
{
    const bool json = settings.form == LOG_FORM_JSON;
    struct field field = {.value = BUF_EMPTY};

    buf_puts(line, json ? "{\"time\":\"" : "");
    put_time(line, wall_now());
    buf_printf(line, json ? "\",\"level\":\"%s\",\"event\":\"" : " %-5s ", names[level]);
    put_escaped(line, event, strlen(event));
    buf_puts(line, json ? "\"" : "");
    while (next_field(f, &field)) {
        if (field.value.len > 0 || !str_starts(field.key, "message"))
            put_field(line, &field);
    }
    buf_puts(line, json ? "}\n" : "\n");
    buf_fini(&field.value);
}

void log_event(enum log_level level, const char *event, const char *fmt, ...)
{
    struct fields f = {.fmt = fmt};
    struct buf line = BUF_EMPTY;
    const int saved = errno; /* a log line must not change what it reports on */
    ssize_t n;

    CHECK((unsigned)level < ARRAY_LEN(names));
    va_start(f.ap, fmt);
    put_line(&line, level, event, &f);
    va_end(f.ap);
    do
        n = write(STDERR_FILENO, line.data, line.len);
    while (n < 0 && errno == EINTR);
    buf_fini(&line);
    errno = saved;
}
