/* SPDX-License-Identifier: ISC
 * settings.c -- reading and keeping settings.
 */
#include "client/tui/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"

#define FILE_MAX 65536

void settings_init(struct settings *s)
{
    memset(s, 0, sizeof(*s));
    s->title = true;
    s->mouse = true;
    s->pace_ms = 350;
    (void)str_copy(s->colours, sizeof(s->colours), "auto");
    (void)theme_named("default", &s->theme);
    keymap_init(&s->keys);
}

/* ---- one setting ---- */

static bool read_flag(const char *text, bool *out)
{
    if (!str_eq(text, "on") && !str_eq(text, "off"))
        return false;
    *out = str_eq(text, "on");
    return true;
}

static bool set_colours(struct settings *s, const char *value)
{
    static const char *const known[] = {"auto", "none", "8", "16", "256"};

    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (str_eq(known[i], value))
            return str_copy(s->colours, sizeof(s->colours), value);
    }
    return false;
}

static bool set_one(struct settings *s, const char *name, const char *value,
                    char why[KEYMAP_WHY_LEN])
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"bell", &s->bell}, {"title", &s->title}, {"mouse", &s->mouse}, {"ascii", &s->ascii}};

    (void)snprintf(why, KEYMAP_WHY_LEN, "%.40s can't be %.40s", name, value);
    for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
        if (str_eq(name, flags[i].name))
            return read_flag(value, flags[i].flag);
    }
    if (str_eq(name, "server"))
        return str_copy(s->server, sizeof(s->server), value);
    if (str_eq(name, "name"))
        return str_copy(s->name, sizeof(s->name), value);
    if (str_eq(name, "pace"))
        return str_to_int(value, 0, 10000, &s->pace_ms);
    if (str_eq(name, "colours"))
        return set_colours(s, value);
    if (str_eq(name, "theme"))
        return theme_named(value, &s->theme);
    if (str_starts(name, "theme."))
        return theme_set(&s->theme, name + strlen("theme."), value);
    if (str_starts(name, "key."))
        return keymap_set(&s->keys, name + strlen("key."), value, why);
    (void)snprintf(why, KEYMAP_WHY_LEN, "there is no setting %.40s", name);
    return false;
}

/* Without blanks around it; changes `text`. */
static char *trim(char *text)
{
    size_t n;

    while (*text == ' ' || *text == '\t')
        text++;
    n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
        n--;
    text[n] = '\0';
    return text;
}

static bool take_line(struct settings *s, char *line, char why[KEYMAP_WHY_LEN])
{
    char *text = trim(line), *equals;

    if (text[0] == '\0' || text[0] == '#')
        return true;
    equals = strchr(text, '=');
    if (equals == NULL) {
        (void)snprintf(why, KEYMAP_WHY_LEN, "a setting is: name = value");
        return false;
    }
    *equals = '\0';
    return set_one(s, trim(text), trim(equals + 1), why);
}

enum err settings_parse(struct settings *s, const char *text, char why[SETTINGS_WHY_LEN])
{
    char *copy = mem_strdup(text), *line = copy, no[KEYMAP_WHY_LEN];
    enum err e = ERR_OK;

    for (unsigned n = 1; line != NULL && e == ERR_OK; n++) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        if (!take_line(s, line, no)) {
            (void)snprintf(why, SETTINGS_WHY_LEN, "line %u: %s", n, no);
            e = ERR_DATA;
        }
        line = end == NULL ? NULL : end + 1;
    }
    mem_free(copy);
    return e;
}

/* ---- the file ---- */

static void config_dir(struct buf *out)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

    if (xdg != NULL && xdg[0] == '/')
        buf_printf(out, "%s/skirmish", xdg);
    else
        buf_printf(out, "%s/.config/skirmish", home != NULL ? home : "");
}

enum err settings_load(struct settings *s, char why[SETTINGS_WHY_LEN])
{
    struct buf path = BUF_EMPTY, text = BUF_EMPTY;
    char no[SETTINGS_WHY_LEN];
    enum err e;

    config_dir(&path);
    buf_puts(&path, "/config");
    e = buf_read_file(&text, buf_str(&path), FILE_MAX);
    if (e == ERR_IO && errno == ENOENT) {
        e = ERR_OK;
    } else if (e != ERR_OK) {
        (void)snprintf(why, SETTINGS_WHY_LEN, "%.120s: %s", buf_str(&path), strerror(errno));
    } else {
        s->there = true;
        e = settings_parse(s, buf_str(&text), no);
        if (e != ERR_OK)
            (void)snprintf(why, SETTINGS_WHY_LEN, "%.80s, %.110s", buf_str(&path), no);
    }
    buf_fini(&text);
    buf_fini(&path);
    return e;
}

static bool is_kept(const char *line, size_t len)
{
    char name[16];
    size_t n = 0;

    while (n < len && n + 1 < sizeof(name) && line[n] != ' ' && line[n] != '=') {
        name[n] = line[n];
        n++;
    }
    name[n] = '\0';
    return !str_eq(name, "server") && !str_eq(name, "name");
}

/* The file's other lines. */
static void keep_lines(const char *text, struct buf *out)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, "\n");

        if (is_kept(text, n)) {
            buf_put(out, text, n);
            buf_putc(out, '\n');
        }
        text += n + (text[n] == '\n' ? 1 : 0);
    }
}

/* The directory and its parents. */
static void make_dirs(const struct buf *dir)
{
    char *path = mem_strdup(buf_str(dir));

    for (char *p = path + 1; *p != '\0'; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(path, 0700);
        *p = '/';
    }
    (void)mkdir(path, 0700);
    mem_free(path);
}

static enum err write_whole(const char *path, const struct buf *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t n;

    if (fd < 0)
        return ERR_IO;
    n = write(fd, text->data, text->len);
    if (n >= 0 && (size_t)n == text->len && fsync(fd) == 0)
        return close(fd) == 0 ? ERR_OK : ERR_IO;
    (void)close(fd);
    return ERR_IO;
}

enum err settings_keep(const struct settings *s)
{
    struct buf dir = BUF_EMPTY, path = BUF_EMPTY, fresh = BUF_EMPTY, old = BUF_EMPTY,
               text = BUF_EMPTY;
    enum err e;

    config_dir(&dir);
    make_dirs(&dir);
    buf_printf(&path, "%s/config", buf_str(&dir));
    buf_printf(&fresh, "%s/config.new", buf_str(&dir));
    buf_printf(&text, "server = %s\nname = %s\n", s->server, s->name);
    if (buf_read_file(&old, buf_str(&path), FILE_MAX) == ERR_OK)
        keep_lines(buf_str(&old), &text);
    e = write_whole(buf_str(&fresh), &text);
    if (e == ERR_OK && rename(buf_str(&fresh), buf_str(&path)) != 0)
        e = ERR_IO;
    buf_fini(&dir);
    buf_fini(&path);
    buf_fini(&fresh);
    buf_fini(&old);
    buf_fini(&text);
    return e;
}
