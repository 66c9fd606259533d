/* SPDX-License-Identifier: ISC
 * config_file.c -- the configuration's files (INI).
 */
#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/config_impl.h"

struct reading {
    struct config *config;
    struct origins *from;
    const char *path; /* one of from->name */
    FILE *file;
    int line; /* of the one read last */
    bool seen[OPTIONS_MAX];
    int bad_line; /* of the first error; 0: none */
    char *why;    /* CONFIG_WHY_LEN */
};

static void PRINTF_LIKE(2, 3) wrong(struct reading *r, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (r->bad_line != 0)
        return; /* the first one is told */
    r->bad_line = r->line;
    n = snprintf(r->why, CONFIG_WHY_LEN, "%s:%d: ", r->path, r->line);
    va_start(ap, fmt);
    if (n > 0 && n < CONFIG_WHY_LEN)
        (void)vsnprintf(r->why + n, CONFIG_WHY_LEN - (size_t)n, fmt, ap);
    va_end(ap);
}

enum { KNOWN_LEN = 1000 };

/* The keys of a section, or the sections: what would have been right. */
static void list_known(const char *section, char words[KNOWN_LEN])
{
    const char *last = "";
    size_t len = 0;

    words[0] = '\0';
    for (size_t i = 0; i < config_n_options; i++) {
        const char *word = section != NULL ? config_option[i].key : config_option[i].section;

        if ((section != NULL && !str_eq(section, config_option[i].section)) || str_eq(word, last))
            continue;
        len += (size_t)snprintf(words + len, KNOWN_LEN - len, "%s%s", len > 0 ? ", " : "", word);
        last = word;
        CHECK(len < KNOWN_LEN);
    }
}

/* inih tells of keys alone: a section that nobody knows and that has none would go unseen. */
static void check_section(struct reading *r, const char *line)
{
    char words[KNOWN_LEN];
    const char *from = line + strspn(line, " \t");
    const char *to = strchr(from, ']');

    if (*from != '[' || to == NULL)
        return;
    from++;
    for (size_t i = 0; i < config_n_options; i++) {
        const char *name = config_option[i].section;

        if (strlen(name) == (size_t)(to - from) && memcmp(name, from, strlen(name)) == 0)
            return;
    }
    list_known(NULL, words);
    wrong(r, "no such section as [%.*s]; there are: %s", (int)MIN(to - from, (ptrdiff_t)60), from,
          words);
}

/* fgets for inih; counts lines, and finds those that its buffer would cut in two. */
static char *read_line(char *dst, int size, void *arg)
{
    struct reading *r = arg;
    size_t len = 0;
    int ch;

    r->line++;
    while ((ch = getc(r->file)) != EOF && ch != '\n') {
        if (ch == '\0')
            wrong(r, "a NUL byte");
        if (len + 2 < (size_t)size)
            dst[len++] = (char)ch;
        else
            wrong(r, "longer than %d bytes", size - 2);
    }
    if (ch == EOF && len == 0)
        return NULL;
    dst[len++] = '\n';
    dst[len] = '\0';
    check_section(r, dst);
    return dst;
}

/* The value of option i. */
static void take_value(struct reading *r, size_t i, const char *value)
{
    const struct option *o = &config_option[i];
    char why[CONFIG_WHY_LEN];

    if (r->seen[i]) {
        wrong(r, "%s: given twice", o->key);
        return;
    }
    r->seen[i] = true;
    if (o->type == OPT_LISTEN || o->type == OPT_LISTEN_TLS) /* an earlier file's are replaced */
        config_drop_listeners(r->config, o->type == OPT_LISTEN_TLS);
    r->from->of[i] = (struct origin){r->path, r->line};
    if (!option_set(r->config, o, value, why))
        wrong(r, "%s: %.300s", o->key, why);
}

static int on_pair(void *arg, const char *section, const char *key, const char *value)
{
    struct reading *r = arg;
    char words[KNOWN_LEN];
    bool known = false;

    for (size_t i = 0; i < config_n_options; i++) {
        const struct option *o = &config_option[i];

        if (!str_eq(section, o->section))
            continue;
        known = true;
        if (!str_eq(key, o->key))
            continue;
        take_value(r, i, value);
        return 1;
    }
    list_known(known ? section : NULL, words);
    if (known)
        wrong(r, "%.60s: no such option in [%s], which has: %s", key, section, words);
    else
        wrong(r, "%.60s: no such section as [%.60s]; there are: %s", key, section, words);
    return 1;
}

static enum err read_file(struct config *c, const char *path, struct origins *from,
                          char why[CONFIG_WHY_LEN])
{
    struct reading r = {.config = c, .from = from, .why = why};
    int bad;

    from->name = mem_resize(from->name, from->n + 1, sizeof(*from->name));
    r.path = from->name[from->n++] = mem_strdup(path);

    r.file = fopen(path, "re");
    if (r.file == NULL) {
        (void)snprintf(why, CONFIG_WHY_LEN, "can't read %s: %s", path, strerror(errno));
        return ERR_IO;
    }
    bad = ini_parse_stream(read_line, &r, on_pair, &r);
    if (ferror(r.file) != 0) {
        (void)snprintf(why, CONFIG_WHY_LEN, "can't read %s", path);
        r.bad_line = -1;
    }
    (void)fclose(r.file);
    if (bad > 0 && (r.bad_line == 0 || bad < r.bad_line)) {
        r.line = bad;
        r.bad_line = 0;
        wrong(&r, "neither [section] nor key = value");
    }
    if (r.bad_line < 0)
        return ERR_IO;
    return r.bad_line == 0 ? ERR_OK : ERR_DATA;
}

/* ---- conf.d ---- */

static int is_conf(const struct dirent *e)
{
    const size_t len = strlen(e->d_name);

    return e->d_name[0] != '.' && len > 5 && str_eq(e->d_name + len - 5, ".conf");
}

/* By bytes, whatever the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum err read_dir(struct config *c, const char *dir, struct origins *from,
                         char why[CONFIG_WHY_LEN])
{
    struct dirent **entry = NULL;
    enum err e = ERR_OK;
    const int n = scandir(dir, &entry, is_conf, by_name);

    if (n < 0) {
        if (errno == ENOENT)
            return ERR_OK;
        (void)snprintf(why, CONFIG_WHY_LEN, "can't read %s: %s", dir, strerror(errno));
        return ERR_IO;
    }
    for (int i = 0; i < n; i++) {
        char path[CONFIG_PATH_LEN + NAME_MAX + 2];

        (void)snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
        if (e == ERR_OK)
            e = read_file(c, path, from, why);
        free(entry[i]); /* scandir's own malloc */
    }
    free(entry);
    return e;
}

enum err config_read_files(struct config *c, const char *path, struct origins *from,
                           char why[CONFIG_WHY_LEN])
{
    const char *slash = strrchr(path, '/');
    char dir[CONFIG_PATH_LEN];
    int n;
    enum err e = read_file(c, path, from, why);

    if (e != ERR_OK)
        return e;
    n = snprintf(dir, sizeof(dir), "%.*sconf.d", slash != NULL ? (int)(slash - path + 1) : 0, path);
    if (n < 0 || (size_t)n >= sizeof(dir)) {
        (void)snprintf(why, CONFIG_WHY_LEN, "the configuration's path is too long");
        return ERR_IO;
    }
    return read_dir(c, dir, from, why);
}

void origins_fini(struct origins *from)
{
    for (size_t i = 0; i < from->n; i++)
        mem_free(from->name[i]);
    mem_free(from->name);
    *from = (struct origins){.n = 0};
}
