/* SPDX-License-Identifier: ISC */
#include "server/config.h"

#include "common/base/str.h"
#include "server/config_impl.h"

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
    else if (str_eq(arg, "--sample-config"))
        a->sample = true;
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
    for (size_t k = 0; k < config_n_options; k++) {
        const struct option *o = &config_option[k];
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
        if (option_set(c, o, value, wrong_value))
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

struct words {
    int n;
    char **word;
};

static enum err take_args(struct config *c, struct config_args *a, const struct words *w,
                          char why[CONFIG_WHY_LEN])
{
    const int argc = w->n;
    char **const argv = w->word;

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

/* ---- all together ---- */

static size_t option_at(const char *section, const char *key)
{
    size_t i = 0;

    while (!str_eq(config_option[i].section, section) || !str_eq(config_option[i].key, key))
        CHECK(++i < config_n_options);
    return i;
}

/* Put file and line of [section] key before `words`, where a file gave it. */
static enum err mismatch(const struct origins *from, const char *key, const char *words,
                         char why[CONFIG_WHY_LEN])
{
    const struct origin *at = &from->of[option_at("tls", key)];

    if (at->file != NULL)
        (void)snprintf(why, CONFIG_WHY_LEN, "%s:%d: %s", at->file, at->line, words);
    else
        (void)snprintf(why, CONFIG_WHY_LEN, "%s", words);
    return ERR_DATA;
}

/* What is right by itself and wrong together. */
static enum err check_together(const struct config *c, const struct origins *from,
                               char why[CONFIG_WHY_LEN])
{
    bool wants_tls = false;

    for (size_t i = 0; i < c->n_listen; i++)
        wants_tls = wants_tls || c->listen[i].tls;
    if (c->cert[0] != '\0' && c->key[0] == '\0')
        return mismatch(from, "cert", "a certificate needs its key: [tls] key", why);
    if (c->key[0] != '\0' && c->cert[0] == '\0')
        return mismatch(from, "key", "a key needs its certificate: [tls] cert", why);
    if (wants_tls && c->cert[0] == '\0' && !c->selfsign)
        return mismatch(from, "listen",
                        "a TLS listener needs a certificate: [tls] cert and key, or selfsign = yes",
                        why);
    return ERR_OK;
}

static enum err load(struct config *c, struct config_args *args, struct origins *from,
                     const struct words *w, char why[CONFIG_WHY_LEN])
{
    struct config given;
    enum err e;

    config_set_defaults(&given);
    e = take_args(&given, args, w, why); /* for the file's name, and what it overrides */
    if (e != ERR_OK)
        return e;
    config_set_defaults(c);
    if (args->file != NULL) {
        e = config_read_files(c, args->file, from, why);
        if (e != ERR_OK)
            return e;
    }
    if (given.n_listen > 0)
        c->n_listen = 0; /* the command line's listeners replace the file's */
    e = take_args(c, args, w, why);
    config_default_listen(c);
    return e == ERR_OK ? check_together(c, from, why) : e;
}

enum err config_load(struct config *c, struct config_args *args, int argc, char **argv,
                     char why[CONFIG_WHY_LEN])
{
    struct origins from = {.n = 0};
    const struct words w = {argc, argv};
    const enum err e = load(c, args, &from, &w, why);

    origins_fini(&from);
    return e;
}

void config_help(struct buf *out)
{
    struct config c;

    config_set_defaults(&c);
    buf_puts(out, "usage: skirmishd [OPTION]...\n"
                  "The server of Skirmish: people and bots play grid skirmish games on it.\n\n"
                  "  --config FILE\n      read options from FILE first (INI)\n"
                  "      and from DIR/conf.d/*.conf, DIR being where FILE is\n"
                  "  --check-config\n      read them, say what is wrong, and end\n"
                  "  --sample-config\n      print a FILE of every option, its default, and why "
                  "one would change it\n"
                  "  --help, --version\n");
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
        buf_printf(out, "  --%s FILE\n      %s\n", jobs[i].flag, jobs[i].help);
    for (size_t i = 0; i < config_n_options; i++) {
        const struct option *o = &config_option[i];
        const char *preset = o->preset != NULL ? o->preset : str_eq(o->key, "data") ? c.data : "";

        if (o->flag != NULL)
            buf_printf(out, "  --%s%s\n      ", o->flag, o->type == OPT_BOOL ? "" : " VALUE");
        else
            buf_puts(out, "  (in the file alone)\n      ");
        buf_printf(out, "%s\n      [%s] %s = %s\n", o->help, o->section, o->key, preset);
    }
}

/* `text` as comment lines of at most COLUMNS, at blanks. */
static void put_comment(struct buf *out, const char *head, const char *text)
{
    enum { COLUMNS = 98 };
    size_t column = strlen(head);

    buf_puts(out, head);
    for (const char *at = text; *at != '\0';) {
        const size_t len = strcspn(at, " ");

        if (column == 0 || column + 1 + len > COLUMNS) {
            buf_puts(out, column == 0 ? "#" : "\n#");
            column = 1;
        }
        buf_putc(out, ' ');
        buf_put(out, at, len);
        column += 1 + len;
        at += len + (at[len] == ' ');
    }
    buf_putc(out, '\n');
}

static void put_choice(struct buf *out, const struct option *o)
{
    if (o->type == OPT_INT)
        buf_printf(out, "# From %lld to %lld. ", (long long)o->min, (long long)o->max);
    else if (o->type == OPT_BOOL)
        buf_puts(out, "# yes or no. ");
    else
        buf_puts(out, "# ");
    buf_puts(out, o->when == NOW ? "Can change at SIGHUP.\n" : "A change needs a restart.\n");
}

void config_sample(struct buf *out)
{
    const char *section = "";

    buf_puts(out,
             "# SPDX-License-Identifier: ISC\n"
             "# The configuration of skirmishd: every option, what it is, its default, and why "
             "one would change\n"
             "# it. A line that begins with # does nothing: take that away and change the "
             "value. What follows\n"
             "# a blank and a semicolon is a comment too. Files conf.d/*.conf beside this one "
             "are read behind\n"
             "# it, in order of name, and override it; the command line overrides all.\n"
             "#   skirmishd --config FILE --check-config     says what is wrong, and where\n"
             "#   systemctl reload skirmishd                 reads it again while people "
             "play\n");
    for (size_t i = 0; i < config_n_options; i++) {
        const struct option *o = &config_option[i];

        if (!str_eq(section, o->section))
            buf_printf(out, "\n[%s]\n", o->section);
        section = o->section;
        buf_putc(out, '\n');
        put_comment(out, "", o->help);
        put_comment(out, "# Why change it:", o->why);
        put_choice(out, o);
        buf_printf(out, "#%s =%s%s\n", o->key, o->preset != NULL && o->preset[0] != '\0' ? " " : "",
                   o->preset != NULL ? o->preset : "");
    }
}

bool config_next_change(const struct config *was, const struct config *is, size_t *at,
                        struct config_change *out)
{
    for (; *at < config_n_options; ++*at) {
        const struct option *o = &config_option[*at];

        option_text(was, o, out->was);
        option_text(is, o, out->is);
        if (str_eq(out->was, out->is))
            continue;
        out->section = o->section;
        out->key = o->key;
        out->live = o->when == NOW;
        ++*at;
        return true;
    }
    return false;
}

void config_take_live(struct config *c, const struct config *fresh)
{
    for (size_t i = 0; i < config_n_options; i++)
        if (config_option[i].when == NOW)
            option_copy(c, fresh, &config_option[i]);
}
