/* SPDX-License-Identifier: ISC
 * config_impl.h -- what the files of config share; nobody else includes it.
 */
#ifndef SK_SERVER_CONFIG_IMPL_H
#define SK_SERVER_CONFIG_IMPL_H

#include "server/config.h"

enum option_type {
    OPT_LISTEN,
    OPT_LISTEN_TLS,
    OPT_LOCAL,
    OPT_PATH,
    OPT_TEXT,
    OPT_INT,
    OPT_BOOL,
    OPT_WORD
};
/* Whether a change takes effect at SIGHUP. */
enum option_when { NOW, RESTART };

struct option {
    const char *section, *key;
    const char *flag; /* on the command line without "--"; NULL: file alone */
    enum option_type type;
    enum option_when when;
    size_t at;               /* of the field in struct config */
    int64_t min, max;        /* OPT_INT */
    const char *const *word; /* OPT_WORD: ends in NULL; the value is the index */
    const char *preset;      /* default, as one would write it; NULL: worked out, or none */
    const char *help;        /* what it is */
    const char *why;         /* why one would change it */
};

#define OPTIONS_MAX 128
extern const struct option config_option[];
extern const size_t config_n_options;

/* Where an option's value was read last; file NULL: it has its default. */
struct origin {
    const char *file; /* borrowed from origins */
    int line;
};
struct origins {
    struct origin of[OPTIONS_MAX];
    char **name; /* owned: files read, in order */
    size_t n;
};

/* ---- values (config_value.c) ---- */

/* Put `value` into *c; listeners are added to. False: why[] says what is wrong with it. */
bool option_set(struct config *c, const struct option *o, const char *value,
                char why[CONFIG_WHY_LEN]);
/* The value as one would write it; "" where there is none. */
void option_text(const struct config *c, const struct option *o, char text[CONFIG_VALUE_LEN]);
void option_copy(struct config *dst, const struct config *src, const struct option *o);
/* Forget the listeners of TLS, or the plain ones. */
void config_drop_listeners(struct config *c, bool tls);
/* Every default but that of `listen`: it waits until nobody has named one. */
void config_set_defaults(struct config *c);
void config_default_listen(struct config *c);

/* ---- files (config_file.c) ---- */

/* `path`, then those called *.conf in DIR/conf.d in order of name, DIR being where `path` is. As config_load. */
NODISCARD enum err config_read_files(struct config *c, const char *path, struct origins *from,
                                     char why[CONFIG_WHY_LEN]);
void origins_fini(struct origins *from);

#endif
