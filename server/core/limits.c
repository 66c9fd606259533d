/* SPDX-License-Identifier: ISC */
#include "server/core/limits.h"

#include "common/base/mem.h"
#include "server/core/state.h"

void limits_settle(struct limits *l)
{
    static const struct limits presets = {
#define X(field, key, preset, least, most, help, why) .field = (preset),
        LIMITS_TABLE(X)
#undef X
    };
    static const size_t at[] = {
#define X(field, key, preset, least, most, help, why) offsetof(struct limits, field),
        LIMITS_TABLE(X)
#undef X
    };

    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        int64_t value;

        memcpy(&value, (const char *)l + at[i], sizeof(value));
        if (value == 0)
            memcpy((char *)l + at[i], (const char *)&presets + at[i], sizeof(value));
    }
}

/* ---- addresses ---- */

static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};

/* "192.0.2.1" into four bytes. */
static bool read_v4(const char *s, uint8_t out[4])
{
    for (int i = 0; i < 4; i++) {
        unsigned v = 0, digits = 0;

        for (; *s >= '0' && *s <= '9' && digits < 3; s++, digits++)
            v = v * 10 + (unsigned)(*s - '0');
        if (digits == 0 || v > 255 || *s != (i < 3 ? '.' : '\0'))
            return false;
        out[i] = (uint8_t)v;
        s += i < 3;
    }
    return true;
}

static int hex_digit(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    if (ch >= 'a' && ch <= 'f')
        return ch - 'a' + 10;
    return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* One group of an IPv6 address; NULL: there is none. */
static const char *read_group(const char *s, uint8_t out[2])
{
    unsigned v = 0;
    int n = 0;

    for (; n < 4 && hex_digit(*s) >= 0; n++)
        v = v << 4 | (unsigned)hex_digit(*s++);
    out[0] = (uint8_t)(v >> 8);
    out[1] = (uint8_t)v;
    return n > 0 ? s : NULL;
}

/* RFC 4291, 2.2, as inet_ntop writes it; a zone behind % is left out. */
static bool read_v6(const char *s, uint8_t out[16])
{
    size_t n = 0, gap = 16;
    bool tail = false;

    memset(out, 0, 16);
    if (s[0] == ':' && s[1] == ':') {
        gap = 0;
        s += 2;
    }
    while (*s != '\0' && *s != '%' && n < 16) {
        if (n <= 12 && read_v4(s, out + n)) {
            n += 4;
            tail = true;
            break;
        }
        s = read_group(s, out + n);
        if (s == NULL)
            return false;
        n += 2;
        if (*s == ':' && s[1] == ':' && gap == 16 && n < 16) {
            gap = n;
            s += 2;
        } else if (*s == ':' && hex_digit(s[1]) >= 0) {
            s++;
        } else {
            break; /* the end, or what doesn't belong there */
        }
    }
    if (!tail && *s != '\0' && *s != '%')
        return false;
    if (gap < 16) {
        memmove(out + 16 - (n - gap), out + gap, n - gap);
        memset(out + gap, 0, 16 - n);
    }
    return gap < 16 || n == 16;
}

bool limits_ip(const char *addr, uint8_t ip[IP_LEN])
{
    memset(ip, 0, IP_LEN);
    if (read_v4(addr, ip + sizeof(v4_mapped))) {
        memcpy(ip, v4_mapped, sizeof(v4_mapped));
        return true;
    }
    if (read_v6(addr, ip))
        return true;
    memset(ip, 0, IP_LEN);
    return false;
}

bool limits_is_v4(const uint8_t ip[IP_LEN])
{
    return memcmp(ip, v4_mapped, sizeof(v4_mapped)) == 0;
}

void limits_source(const char *addr, uint8_t source[SOURCE_LEN])
{
    if (limits_ip(addr, source) && !limits_is_v4(source))
        memset(source + 8, 0, 8);
}

/* ---- sources ---- */

static int64_t owed_ms(const struct core *c, const struct addr *a)
{
    return a->penalty.ms - c->now.ms;
}

static void forget_if_clean(struct core *c, struct addr *a)
{
    if (a->conns > 0 || a->held > 0 || a->timer.pos != 0)
        return;
    mem_free(map_take(&c->addrs, a->key));
}

/* Random early drop: none below early_drop, all at max_new_conns, in between in proportion. */
static bool is_crowded(struct core *c)
{
    const struct limits *l = &c->cfg.limits;
    const int64_t n = c->n_new_conns;

    if (n >= l->max_new_conns)
        return true;
    if (n < l->early_drop)
        return false;
    return (int64_t)drbg_below(&c->rng, (uint32_t)(l->max_new_conns - l->early_drop)) <
           n - l->early_drop;
}

enum err limits_enter(struct core *c, struct conn *cn, const char *addr, int64_t *retry_ms)
{
    uint8_t key[SOURCE_LEN];
    struct addr *a;

    if ((int64_t)c->n_conns >= c->cfg.limits.max_conns)
        return ERR_BUSY;
    if (!cn->limited)
        return ERR_OK;
    limits_source(addr, key);
    a = map_get(&c->addrs, key);
    if (a != NULL && owed_ms(c, a) >= MAX(c->cfg.limits.penalty_least_ms, INT64_C(1))) {
        *retry_ms = owed_ms(c, a);
        return ERR_RATE;
    }
    if ((a != NULL && (int64_t)a->conns >= c->cfg.limits.max_conns_per_addr) || is_crowded(c))
        return ERR_BUSY;
    if (a == NULL) {
        a = mem_zalloc(sizeof(*a));
        memcpy(a->key, key, sizeof(key));
        a->timer.kind = TIMER_ADDR;
        a->penalty = c->now;
        map_put(&c->addrs, a);
    }
    a->conns++;
    cn->addr = a;
    cn->is_new = true;
    c->n_new_conns++;
    return ERR_OK;
}

void limits_logged_in(struct core *c, struct conn *cn)
{
    c->n_new_conns -= cn->is_new;
    cn->is_new = false;
}

void limits_logged_out(struct core *c, struct conn *cn)
{
    if (cn->addr == NULL || cn->is_new)
        return;
    cn->is_new = true;
    c->n_new_conns++;
}

void limits_leave(struct core *c, struct conn *cn)
{
    struct addr *a = cn->addr;

    limits_logged_in(c, cn);
    if (a == NULL)
        return;
    cn->addr = NULL;
    a->conns--;
    forget_if_clean(c, a);
}

void limits_penalise(struct core *c, struct addr *a, int64_t ms)
{
    const struct limits *l = &c->cfg.limits;
    int64_t owed;

    if (a == NULL || (owed_ms(c, a) <= 0 && c->n_penalised >= (uint64_t)l->penalty_sources))
        return;
    if (owed_ms(c, a) <= 0)
        c->n_penalised++;
    owed = MIN(MAX(owed_ms(c, a), INT64_C(0)) + ms, l->penalty_most_ms);
    a->penalty = mono_after(c->now, owed);
    timer_arm(&c->timers, &a->timer, a->penalty);
    c->stats.penalties++;
}

struct addr *limits_hold(struct conn *cn)
{
    if (cn->addr != NULL)
        cn->addr->held++;
    return cn->addr;
}

void limits_let_go(struct core *c, struct addr *a)
{
    if (a == NULL)
        return;
    a->held--;
    forget_if_clean(c, a);
}

void limits_timer(struct core *c, struct addr *a)
{
    c->n_penalised--;
    forget_if_clean(c, a);
}
