/* SPDX-License-Identifier: ISC */
#include "server/config.h"

#include <errno.h>
#include <ini.h>

#include "common/base/log.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

enum option_type { OPT_LISTEN, OPT_LISTEN_TLS, OPT_PATH, OPT_TEXT, OPT_INT, OPT_BOOL, OPT_WORD };

struct option {
    const char *section, *key;
    const char *flag; /* on the command line without "--"; NULL: file alone */
    enum option_type type;
    size_t at;               /* of the field in struct config */
    int64_t min, max;        /* OPT_INT */
    const char *const *word; /* OPT_WORD: ends in NULL; the value is the index */
    const char *preset;      /* default, as one would write it; NULL: worked out */
    const char *help;
};

static const char *const store_words[] = {"sqlite", "memory", NULL};
static const char *const register_words[] = {"open", "invite", "closed", NULL};
static const char *const level_words[] = {"error", "warn", "info", "debug", NULL};

#define AT(field) offsetof(struct config, field)
#define MILLION   1000000
static const struct option options[] = {
    {"server", "listen", "listen", OPT_LISTEN, AT(listen), 0, 0, NULL, "127.0.0.1:1962",
     "HOST:PORT to listen on; port 0 takes a free one; more than one: repeat, or separate by "
     "blanks"},
    {"server", "data", "data", OPT_PATH, AT(data), 0, 0, NULL, NULL,
     "directory of everything that is kept: database, master key"},
    {"server", "motd", NULL, OPT_TEXT, AT(motd), 0, 0, NULL, "",
     "a line that every player is shown"},
    {"server", "store", "store", OPT_WORD, AT(store), 0, 0, store_words, "sqlite",
     "sqlite, or memory: nothing outlives the process (tests and benchmarks)"},
    {"accounts", "register", NULL, OPT_WORD, AT(registration), 0, 0, register_words, "open",
     "who may register an account: open (anybody), invite (who has an invite code) or closed"},
    {"accounts", "vacation_days", NULL, OPT_INT, AT(vacation_days), 0, 366, NULL, "30",
     "days a member may stop correspondence clocks for, in a calendar year"},
    {"archive", "after_s", "archive-after", OPT_INT, AT(archive_s), 0, 10 * 365 * 86400, NULL,
     "3600", "seconds from a match's end until it leaves memory and database for the archive"},
    {"backup", "directory", NULL, OPT_PATH, AT(backup_dir), 0, 0, NULL, NULL,
     "where SIGUSR1 puts a backup (a copy of the database, made while people play)"},
    {"backup", "keep", NULL, OPT_INT, AT(backup_keep), 0, MILLION, NULL, "14",
     "how many backups stay there, the newest; 0: all of them"},
    {"log", "level", "log-level", OPT_WORD, AT(log_level), 0, 0, level_words, "info",
     "error, warn, info or debug"},
    {"log", "json", "log-json", OPT_BOOL, AT(log_json), 0, 0, NULL, "no",
     "a JSON object a line instead of text"},
#define X(field, key, preset, least, most, help)                                                   \
    {"limits", key, NULL, OPT_INT, AT(limits.field), least, most, NULL, #preset, help},
    LIMITS_TABLE(X)
#undef X
        {"limits", "loopback", NULL, OPT_BOOL, AT(limit_loopback), 0, 0, NULL, "no",
         "hold connections from this machine to the limits against hostility too"},
    {"tls", "listen", "listen-tls", OPT_LISTEN_TLS, AT(listen), 0, 0, NULL, NULL,
     "HOST:PORT to listen on for TLS (skirmishs://); like listen"},
    {"tls", "cert", "tls-cert", OPT_PATH, AT(cert), 0, 0, NULL, NULL,
     "PEM file with the certificate, those that sign it behind it; read again at SIGHUP"},
    {"tls", "key", "tls-key", OPT_PATH, AT(key), 0, 0, NULL, NULL,
     "PEM file with its key; read again at SIGHUP"},
    {"tls", "selfsign", "selfsign", OPT_BOOL, AT(selfsign), 0, 0, NULL, "no",
     "without cert and key: make a self-signed certificate in the data directory, once"},
    {"tls", "by_proxy", NULL, OPT_BOOL, AT(trust_plain), 0, 0, NULL, "no",
     "a proxy in front ends TLS: take passwords on plain connections from other machines too"},
};

static void *field_of(struct config *c, const struct option *o)
{
    return (char *)c + o->at;
}

/* ---- one value ---- */

/* HOST:PORT or [HOST]:PORT. */
static bool parse_addr(const char *text, struct config_addr *a)
{
    const char *colon = strrchr(text, ':');
    const char *from = text;
    size_t len;
    int64_t port;

    if (colon == NULL || !str_to_int(colon + 1, 0, UINT16_MAX, &port))
        return false;
    len = (size_t)(colon - text);
    if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
        from++;
        len -= 2;
    } else if (memchr(text, ':', len) != NULL) {
        return false; /* an IPv6 address without its brackets */
    }
    a->port = (uint16_t)port;
    return len > 0 && str_ncopy(a->host, sizeof(a->host), from, len);
}

static bool add_listeners(struct config *c, bool tls, const char *value, char why[CONFIG_WHY_LEN])
{
    char list[CONFIG_PATH_LEN];
    char *rest = list;
    const char *word;
    bool some = false;

    (void)str_copy(list, sizeof(list), value);
    while ((word = str_word(&rest)) != NULL) {
        some = true;
        if (c->n_listen == CONFIG_LISTEN_MAX) {
            (void)snprintf(why, CONFIG_WHY_LEN, "at most %d listeners", CONFIG_LISTEN_MAX);
            return false;
        }
        if (!parse_addr(word, &c->listen[c->n_listen])) {
            (void)snprintf(why, CONFIG_WHY_LEN,
                           "\"%.100s\" is no HOST:PORT (127.0.0.1:1962, [::1]:1962)", word);
            return false;
        }
        c->listen[c->n_listen++].tls = tls;
    }
    if (!some)
        (void)snprintf(why, CONFIG_WHY_LEN, "HOST:PORT is missing");
    return some;
}

static bool set_text(char *dst, size_t size, const char *value, char why[CONFIG_WHY_LEN])
{
    const size_t len = strlen(value);
    uint32_t cp;

    for (size_t i = 0, n; i < len; i += n) {
        n = utf8_decode(value + i, len - i, &cp);
        if (n == 0 || !utf8_is_plain(cp)) {
            (void)snprintf(why, CONFIG_WHY_LEN, "a character that isn't plain text (byte %zu)",
                           i + 1);
            return false;
        }
    }
    if (str_copy(dst, size, value))
        return true;
    (void)snprintf(why, CONFIG_WHY_LEN, "longer than %zu bytes", size - 1);
    return false;
}

static bool set_word(const struct option *o, int64_t *dst, const char *value,
                     char why[CONFIG_WHY_LEN])
{
    for (int64_t i = 0; o->word[i] != NULL; i++) {
        if (str_eq(value, o->word[i])) {
            *dst = i;
            return true;
        }
    }
    (void)snprintf(why, CONFIG_WHY_LEN, "\"%.100s\" isn't one of %s", value, o->help);
    return false;
}

static bool set_bool(bool *dst, const char *value, char why[CONFIG_WHY_LEN])
{
    *dst = str_eq(value, "yes");
    if (*dst || str_eq(value, "no"))
        return true;
    (void)snprintf(why, CONFIG_WHY_LEN, "\"%.100s\" is neither yes nor no", value);
    return false;
}

/* False: why[] says what is wrong with the value. */
static bool set(struct config *c, const struct option *o, const char *value,
                char why[CONFIG_WHY_LEN])
{
    int64_t number;

    switch (o->type) {
    case OPT_LISTEN:
    case OPT_LISTEN_TLS:
        return add_listeners(c, o->type == OPT_LISTEN_TLS, value, why);
    case OPT_PATH:
        if (value[0] != '\0')
            return set_text(field_of(c, o), CONFIG_PATH_LEN, value, why);
        (void)snprintf(why, CONFIG_WHY_LEN, "a path is missing");
        return false;
    case OPT_TEXT:
        return set_text(field_of(c, o), CONFIG_TEXT_LEN, value, why);
    case OPT_INT:
        if (str_to_int(value, o->min, o->max, &number)) {
            memcpy(field_of(c, o), &number, sizeof(number));
            return true;
        }
        (void)snprintf(why, CONFIG_WHY_LEN, "\"%.100s\" is no number from %lld to %lld", value,
                       (long long)o->min, (long long)o->max);
        return false;
    case OPT_BOOL:
        return set_bool(field_of(c, o), value, why);
    case OPT_WORD:
        return set_word(o, field_of(c, o), value, why);
    }
    check_failed("a type of option", __FILE__, __LINE__);
}

/* ---- defaults ---- */

/* XDG Base Directory: $XDG_STATE_HOME, else ~/.local/state; both must be absolute. */
static void default_data(struct config *c)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    int n = 0;

    if (state != NULL && state[0] == '/')
        n = snprintf(c->data, sizeof(c->data), "%s/skirmishd", state);
    else if (home != NULL && home[0] == '/')
        n = snprintf(c->data, sizeof(c->data), "%s/.local/state/skirmishd", home);
    if (n <= 0 || (size_t)n >= sizeof(c->data))
        c->data[0] = '\0';
}

static void set_defaults(struct config *c)
{
    char why[CONFIG_WHY_LEN];

    *c = (struct config){0};
    default_data(c);
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const struct option *o = &options[i];

        if (o->preset != NULL && o->type != OPT_LISTEN)
            CHECK(set(c, o, o->preset, why));
    }
}

/* Listeners are added to, so their default waits until nobody has named one. */
static void default_listen(struct config *c)
{
    char why[CONFIG_WHY_LEN];

    c->listen_preset = c->n_listen == 0;
    for (size_t i = 0; c->n_listen == 0 && i < ARRAY_LEN(options); i++) {
        if (options[i].type == OPT_LISTEN)
            CHECK(set(c, &options[i], options[i].preset, why));
    }
}

/* ---- the file ---- */

struct reading {
    struct config *config;
    const char *path;
    FILE *file;
    int line; /* of the one read last */
    bool seen[ARRAY_LEN(options)];
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
    return dst;
}

enum { KNOWN_LEN = 1000 };

/* The keys of a section, or the sections: what would have been right. */
static void list_known(const char *section, char words[KNOWN_LEN])
{
    const char *last = "";
    size_t len = 0;

    words[0] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const char *word = section != NULL ? options[i].key : options[i].section;

        if ((section != NULL && !str_eq(section, options[i].section)) || str_eq(word, last))
            continue;
        len += (size_t)snprintf(words + len, KNOWN_LEN - len, "%s%s", len > 0 ? ", " : "", word);
        last = word;
        CHECK(len < KNOWN_LEN);
    }
}

static int on_pair(void *arg, const char *section, const char *key, const char *value)
{
    struct reading *r = arg;
    char words[KNOWN_LEN];
    char why[CONFIG_WHY_LEN];
    bool known = false;

    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const struct option *o = &options[i];

        if (!str_eq(section, o->section))
            continue;
        known = true;
        if (!str_eq(key, o->key))
            continue;
        if (r->seen[i])
            wrong(r, "%s: given twice", key);
        else if (!set(r->config, o, value, why))
            wrong(r, "%s: %.300s", key, why);
        r->seen[i] = true;
        return 1;
    }
    list_known(known ? section : NULL, words);
    if (known)
        wrong(r, "%.60s: no such option in [%s], which has: %s", key, section, words);
    else
        wrong(r, "%.60s: no such section as [%.60s]; there are: %s", key, section, words);
    return 1;
}

static enum err read_file(struct config *c, const char *path, char why[CONFIG_WHY_LEN])
{
    struct reading r = {.config = c, .path = path, .why = why};
    int bad;

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

/* ---- the command line ---- */

/* The value of flag `name` at argv[*i]: behind '=' or the next word. NULL: argv[*i] isn't that
 * flag, or (with *missing) has no value. */
static const char *flag_value(const char *name, int argc, char **argv, int *i, bool *missing)
{
    const size_t len = strlen(name);
    const char *arg = argv[*i];

    CHECK(arg != NULL && str_starts(arg, "--"));
    arg += 2;
    *missing = false;
    if (!str_starts(arg, name) || (arg[len] != '\0' && arg[len] != '='))
        return NULL;
    if (arg[len] == '=')
        return arg + len + 1;
    *missing = *i + 1 >= argc;
    return *missing ? NULL : argv[++*i];
}

/* A flag that stands alone. */
static bool take_switch(struct config_args *a, const char *arg)
{
    if (str_eq(arg, "--help") || str_eq(arg, "-h"))
        a->help = true;
    else if (str_eq(arg, "--version") || str_eq(arg, "-V"))
        a->version = true;
    else if (str_eq(arg, "--check-config"))
        a->check = true;
    else
        return false;
    return true;
}

static enum err missing_value(const char *name, char why[CONFIG_WHY_LEN])
{
    (void)snprintf(why, CONFIG_WHY_LEN, "--%s: a value is missing", name);
    return ERR_USAGE;
}

/* One option of the table. ERR_NOT_FOUND: none of them. */
static enum err take_option(struct config *c, int argc, char **argv, int *i,
                            char why[CONFIG_WHY_LEN])
{
    for (size_t k = 0; k < ARRAY_LEN(options); k++) {
        const struct option *o = &options[k];
        char wrong_value[CONFIG_WHY_LEN];
        const char *value = NULL;
        bool missing = false;

        if (o->flag == NULL)
            continue;
        if (o->type == OPT_BOOL)
            value = str_eq(argv[*i] + 2, o->flag) ? "yes" : NULL;
        else
            value = flag_value(o->flag, argc, argv, i, &missing);
        if (missing)
            return missing_value(o->flag, why);
        if (value == NULL)
            continue;
        if (set(c, o, value, wrong_value))
            return ERR_OK;
        (void)snprintf(why, CONFIG_WHY_LEN, "--%s: %.300s", o->flag, wrong_value);
        return ERR_USAGE;
    }
    return ERR_NOT_FOUND;
}

static const struct {
    const char *flag, *help;
    enum config_job job;
} jobs[] = {
    {"check-backup", "restore FILE to scratch, play every match again, compare hashes, and end",
     JOB_CHECK_BACKUP},
    {"dry-run-upgrade",
     "the same of a stopped server's database: would this program go on with it?", JOB_DRY_RUN},
    {"restore", "the same, then make it the data directory's database; no server may run there",
     JOB_RESTORE},
};

/* ERR_NOT_FOUND: argv[*at] is none. */
static enum err take_job(struct config_args *a, int argc, char **argv, int *at,
                         char why[CONFIG_WHY_LEN])
{
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        bool missing;
        const char *file = flag_value(jobs[i].flag, argc, argv, at, &missing);

        if (missing)
            return missing_value(jobs[i].flag, why);
        if (file == NULL)
            continue;
        if (a->job != JOB_SERVE) {
            (void)snprintf(why, CONFIG_WHY_LEN, "--%s: one job at a time", jobs[i].flag);
            return ERR_USAGE;
        }
        a->job = jobs[i].job;
        a->job_file = file;
        return ERR_OK;
    }
    return ERR_NOT_FOUND;
}

/* --config. ERR_NOT_FOUND: argv[*at] isn't that. */
static enum err take_file(struct config_args *a, int argc, char **argv, int *at,
                          char why[CONFIG_WHY_LEN])
{
    bool missing;
    const char *file = flag_value("config", argc, argv, at, &missing);

    if (missing)
        return missing_value("config", why);
    if (file == NULL)
        return ERR_NOT_FOUND;
    a->file = file;
    return ERR_OK;
}

static enum err take_args(struct config *c, struct config_args *a, int argc, char **argv,
                          char why[CONFIG_WHY_LEN])
{
    *a = (struct config_args){0};
    for (int i = 1; i < argc; i++) {
        enum err e = ERR_NOT_FOUND;

        if (take_switch(a, argv[i]))
            continue;
        if (str_starts(argv[i], "--")) {
            e = take_file(a, argc, argv, &i, why);
            if (e == ERR_NOT_FOUND)
                e = take_job(a, argc, argv, &i, why);
            if (e == ERR_NOT_FOUND)
                e = take_option(c, argc, argv, &i, why);
        }
        if (e == ERR_NOT_FOUND) {
            (void)snprintf(why, CONFIG_WHY_LEN, "%.100s: no such option; --help lists them",
                           argv[i]);
            e = ERR_USAGE;
        }
        if (e != ERR_OK)
            return e;
    }
    return ERR_OK;
}

enum err config_load(struct config *c, struct config_args *args, int argc, char **argv,
                     char why[CONFIG_WHY_LEN])
{
    struct config given;
    enum err e;

    set_defaults(&given);
    e = take_args(&given, args, argc, argv, why); /* for the file's name, and what it overrides */
    if (e != ERR_OK)
        return e;
    set_defaults(c);
    if (args->file != NULL) {
        e = read_file(c, args->file, why);
        if (e != ERR_OK)
            return e;
    }
    if (given.n_listen > 0)
        c->n_listen = 0; /* the command line's listeners replace the file's */
    e = take_args(c, args, argc, argv, why);
    default_listen(c);
    return e;
}

void config_help(struct buf *out)
{
    struct config c;

    set_defaults(&c);
    buf_puts(out, "usage: skirmishd [OPTION]...\n"
                  "The server of Skirmish: people and bots play grid skirmish games on it.\n\n"
                  "  --config FILE\n      read options from FILE first (INI)\n"
                  "  --check-config\n      read them, say what is wrong, and end\n"
                  "  --help, --version\n");
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
        buf_printf(out, "  --%s FILE\n      %s\n", jobs[i].flag, jobs[i].help);
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        const struct option *o = &options[i];
        const char *preset = o->preset != NULL ? o->preset : o->at == AT(data) ? c.data : "";

        if (o->flag != NULL)
            buf_printf(out, "  --%s%s\n      ", o->flag, o->type == OPT_BOOL ? "" : " VALUE");
        else
            buf_puts(out, "  (in the file alone)\n      ");
        buf_printf(out, "%s\n      [%s] %s = %s\n", o->help, o->section, o->key, preset);
    }
}
