/* SPDX-License-Identifier: ISC
 * config_value.c -- one option's value: from text, to text, its default.
 */
#include <arpa/inet.h>
#include <sys/un.h>

#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/config_impl.h"

static void *field_of(struct config *c, const struct option *o)
{
    return (char *)c + o->at;
}

/* ---- one value ---- */

bool config_parse_addr(const char *text, struct config_addr *a)
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

/* A numeric address of this machine alone. */
static bool is_loopback(const char *host)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool set_local(char *dst, const char *value, char why[CONFIG_WHY_LEN])
{
    struct config_addr a;

    if (value[0] == '/' && strlen(value) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
        (void)snprintf(why, CONFIG_WHY_LEN, "longer than a socket's path may be");
        return false;
    }
    if (value[0] == '/')
        return set_text(dst, CONFIG_PATH_LEN, value, why);
    if (config_parse_addr(value, &a) && is_loopback(a.host))
        return str_copy(dst, CONFIG_PATH_LEN, value);
    (void)snprintf(why, CONFIG_WHY_LEN,
                   "\"%.100s\" is none of 127.0.0.1:PORT, [::1]:PORT and an absolute path: figures "
                   "stay on this machine",
                   value);
    return false;
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
        if (!config_parse_addr(word, &c->listen[c->n_listen])) {
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

bool option_set(struct config *c, const struct option *o, const char *value,
                char why[CONFIG_WHY_LEN])
{
    int64_t number;

    switch (o->type) {
    case OPT_LISTEN:
    case OPT_LISTEN_TLS:
        return add_listeners(c, o->type == OPT_LISTEN_TLS, value, why);
    case OPT_LOCAL:
        return set_local(field_of(c, o), value, why);
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

/* ---- and back ---- */

static void listeners_text(const struct config *c, bool tls, char text[CONFIG_VALUE_LEN])
{
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < c->n_listen; i++) {
        const struct config_addr *a = &c->listen[i];
        const bool v6 = strchr(a->host, ':') != NULL;

        if (a->tls == tls)
            len += (size_t)snprintf(text + len, CONFIG_VALUE_LEN - len, "%s%s%s%s:%u",
                                    len > 0 ? " " : "", v6 ? "[" : "", a->host, v6 ? "]" : "",
                                    a->port);
    }
    CHECK(len < CONFIG_VALUE_LEN);
}
_Static_assert(CONFIG_LISTEN_MAX *(CONFIG_HOST_LEN + 10) < CONFIG_VALUE_LEN, "listeners as text");

void option_text(const struct config *c, const struct option *o, char text[CONFIG_VALUE_LEN])
{
    const char *field = (const char *)c + o->at;
    int64_t number = 0;

    switch (o->type) {
    case OPT_LISTEN:
    case OPT_LISTEN_TLS:
        listeners_text(c, o->type == OPT_LISTEN_TLS, text);
        break;
    case OPT_LOCAL:
    case OPT_PATH:
    case OPT_TEXT:
        (void)str_copy(text, CONFIG_VALUE_LEN, field);
        break;
    case OPT_INT:
        memcpy(&number, field, sizeof(number));
        (void)snprintf(text, CONFIG_VALUE_LEN, "%lld", (long long)number);
        break;
    case OPT_BOOL:
        (void)str_copy(text, CONFIG_VALUE_LEN, *(const bool *)(const void *)field ? "yes" : "no");
        break;
    case OPT_WORD:
        memcpy(&number, field, sizeof(number));
        (void)str_copy(text, CONFIG_VALUE_LEN, o->word[number]);
        break;
    }
}

void config_drop_listeners(struct config *c, bool tls)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_listen; i++)
        if (c->listen[i].tls != tls)
            c->listen[n++] = c->listen[i];
    c->n_listen = n;
}

void option_copy(struct config *dst, const struct config *src, const struct option *o)
{
    char text[CONFIG_VALUE_LEN];

    switch (o->type) {
    case OPT_LISTEN:
    case OPT_LISTEN_TLS:
        memcpy(dst->listen, src->listen, sizeof(dst->listen));
        dst->n_listen = src->n_listen;
        dst->listen_preset = src->listen_preset;
        break;
    case OPT_LOCAL:
    case OPT_PATH:
        option_text(src, o, text);
        (void)str_copy(field_of(dst, o), CONFIG_PATH_LEN, text);
        break;
    case OPT_TEXT:
        option_text(src, o, text);
        (void)str_copy(field_of(dst, o), CONFIG_TEXT_LEN, text);
        break;
    case OPT_INT:
    case OPT_WORD:
        memcpy(field_of(dst, o), (const char *)src + o->at, sizeof(int64_t));
        break;
    case OPT_BOOL:
        memcpy(field_of(dst, o), (const char *)src + o->at, sizeof(bool));
        break;
    }
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

void config_set_defaults(struct config *c)
{
    char why[CONFIG_WHY_LEN];

    *c = (struct config){0};
    default_data(c);
    for (size_t i = 0; i < config_n_options; i++) {
        const struct option *o = &config_option[i];

        if (o->preset != NULL && o->type != OPT_LISTEN)
            CHECK(option_set(c, o, o->preset, why));
    }
}

void config_default_listen(struct config *c)
{
    char why[CONFIG_WHY_LEN];

    c->listen_preset = c->n_listen == 0;
    for (size_t i = 0; c->n_listen == 0 && i < config_n_options; i++) {
        if (config_option[i].type == OPT_LISTEN)
            CHECK(option_set(c, &config_option[i], config_option[i].preset, why));
    }
}
