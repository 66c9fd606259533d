/* SPDX-License-Identifier: ISC */
#include "server/core/ban.h"

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define BAN "ban/"

enum { BITS = 8 * IP_LEN, V4_BITS = 32, V4_AT = IP_LEN - 4 };

/* ---- text ---- */

/* The first `bits` bits alone. */
static void cut(uint8_t ip[IP_LEN], unsigned bits)
{
    for (unsigned i = 0; i < IP_LEN; i++) {
        const unsigned left = bits > 8 * i ? bits - 8 * i : 0;

        if (left < 8)
            ip[i] = (uint8_t)(ip[i] & 0xff00u >> left);
    }
}

bool ban_parse(const char *text, struct ban_net *out)
{
    const char *slash = strchr(text, '/');
    char addr[BAN_TEXT_LEN];
    int64_t bits;
    bool v4;

    if (!str_ncopy(addr, sizeof(addr), text, slash != NULL ? (size_t)(slash - text) : strlen(text)))
        return false;
    if (strchr(addr, '%') != NULL || !limits_ip(addr, out->ip))
        return false;
    v4 = strchr(addr, ':') == NULL;
    bits = v4 ? V4_BITS : BITS;
    if (slash != NULL && !str_to_int(slash + 1, 0, bits, &bits))
        return false;
    out->bits = (uint8_t)(v4 ? bits + BITS - V4_BITS : bits);
    cut(out->ip, out->bits);
    return true;
}

static void put_v4(struct buf *b, const uint8_t ip[IP_LEN])
{
    for (int i = V4_AT; i < IP_LEN; i++) {
        if (i > V4_AT)
            buf_putc(b, '.');
        buf_put_int(b, ip[i]);
    }
}

static unsigned group(const uint8_t ip[IP_LEN], int i)
{
    const uint8_t *at = ip + (size_t)i * 2;

    return (unsigned)at[0] << 8 | at[1];
}

/* How many groups from `i` on are zero. */
static int zeros(const uint8_t ip[IP_LEN], int i)
{
    int n = 0;

    while (i + n < IP_LEN / 2 && group(ip, i + n) == 0)
        n++;
    return n;
}

/* The longest run of two or more zero groups, the first of them, is "::". */
static void put_v6(struct buf *b, const uint8_t ip[IP_LEN])
{
    int at = -1;
    int len = 1;

    for (int i = 0; i < IP_LEN / 2; i++) {
        if (zeros(ip, i) > len) {
            at = i;
            len = zeros(ip, i);
        }
    }
    for (int i = 0; i < IP_LEN / 2;) {
        if (i == at) {
            buf_puts(b, "::");
            i += len;
            continue;
        }
        if (i > 0 && i != at + len)
            buf_putc(b, ':');
        buf_printf(b, "%x", group(ip, i));
        i++;
    }
}

static void put_ip(struct buf *b, const uint8_t ip[IP_LEN])
{
    if (limits_is_v4(ip))
        put_v4(b, ip);
    else
        put_v6(b, ip);
}

void ban_ip_text(const uint8_t ip[IP_LEN], char out[BAN_TEXT_LEN])
{
    struct buf b = BUF_EMPTY;

    put_ip(&b, ip);
    CHECK(str_copy(out, BAN_TEXT_LEN, buf_str(&b)));
    buf_fini(&b);
}

void ban_text(const struct ban_net *net, char out[BAN_TEXT_LEN])
{
    const unsigned before =
        limits_is_v4(net->ip) && net->bits >= BITS - V4_BITS ? BITS - V4_BITS : 0;
    struct buf b = BUF_EMPTY;

    put_ip(&b, net->ip);
    if (net->bits < BITS) {
        buf_putc(&b, '/');
        buf_put_int(&b, net->bits - before);
    }
    CHECK(str_copy(out, BAN_TEXT_LEN, buf_str(&b)));
    buf_fini(&b);
}

/* ---- which ---- */

static bool holds(const struct ban_net *net, const uint8_t ip[IP_LEN])
{
    uint8_t part[IP_LEN];

    memcpy(part, ip, sizeof(part));
    cut(part, net->bits);
    return memcmp(part, net->ip, sizeof(part)) == 0;
}

bool ban_is_over(const struct core *c, const struct ban *b)
{
    return b->until.ms != 0 && c->wall.ms >= b->until.ms;
}

const struct ban *ban_of(const struct core *c, const uint8_t ip[IP_LEN])
{
    for (size_t i = 0; i < c->n_bans; i++)
        if (holds(&c->ban[i]->net, ip) && !ban_is_over(c, c->ban[i]))
            return c->ban[i];
    return NULL;
}

/* Order of addresses, then of bits. */
static int compare(const struct ban_net *a, const struct ban_net *b)
{
    const int d = memcmp(a->ip, b->ip, sizeof(a->ip));

    return d != 0 ? d : (int)a->bits - (int)b->bits;
}

/* Where the network stands, or would. */
static size_t place(const struct core *c, const struct ban_net *net)
{
    size_t i = 0;

    while (i < c->n_bans && compare(&c->ban[i]->net, net) < 0)
        i++;
    return i;
}

const struct ban *ban_find(const struct core *c, const struct ban_net *net)
{
    const size_t at = place(c, net);

    return at < c->n_bans && compare(&c->ban[at]->net, net) == 0 ? c->ban[at] : NULL;
}

struct ban *ban_new(const struct ban_net *net, struct wall since, struct wall until)
{
    struct ban *b = mem_zalloc(sizeof(*b));

    b->net = *net;
    b->since = since;
    b->until = until;
    return b;
}

void ban_free(struct ban *b)
{
    if (b == NULL)
        return;
    mem_free(b->by);
    mem_free(b->reason);
    mem_free(b);
}

void ban_enter(struct core *c, struct ban *b)
{
    size_t at;

    ban_drop(c, &b->net);
    at = place(c, &b->net);
    c->ban = mem_resize(c->ban, c->n_bans + 1, sizeof(struct ban *));
    memmove(&c->ban[at + 1], &c->ban[at], (c->n_bans - at) * sizeof(struct ban *));
    c->ban[at] = b;
    c->n_bans++;
}

void ban_drop(struct core *c, const struct ban_net *net)
{
    const size_t at = place(c, net);

    if (at == c->n_bans || compare(&c->ban[at]->net, net) != 0)
        return;
    ban_free(c->ban[at]);
    c->n_bans--;
    memmove(&c->ban[at], &c->ban[at + 1], (c->n_bans - at) * sizeof(struct ban *));
}

void bans_free(struct core *c)
{
    for (size_t i = 0; i < c->n_bans; i++)
        ban_free(c->ban[i]);
    mem_free(c->ban);
    c->ban = NULL;
    c->n_bans = 0;
}

/* ---- rows ---- */

static void row_name(struct store_op *op, const struct ban_net *net)
{
    struct buf b = BUF_EMPTY;
    char hex[2 * IP_LEN + 1];

    hex_encode(hex, net->ip, IP_LEN);
    buf_puts(&b, BAN);
    buf_puts(&b, hex);
    buf_putc(&b, '/');
    buf_put_int(&b, net->bits);
    CHECK(str_copy(op->name, sizeof(op->name), buf_str(&b)));
    buf_fini(&b);
}

void op_ban_put(struct ops *o, const struct ban *ban)
{
    struct store_op *op = ops_add(o, STORE_META_PUT);
    struct buf b = BUF_EMPTY;
    struct jsonw w = jsonw_on(&b);

    row_name(op, &ban->net);
    jsonw_obj(&w);
    jsonw_m_int(&w, "since", ban->since.ms);
    jsonw_m_int(&w, "until", ban->until.ms);
    jsonw_m_str(&w, "by", ban->by);
    jsonw_m_str(&w, "reason", ban->reason);
    jsonw_obj_end(&w);
    op_data(op, &b);
    buf_fini(&b);
}

void op_ban_drop(struct ops *o, const struct ban_net *net)
{
    row_name(ops_add(o, STORE_META_DROP), net);
}

void ops_bans_over(struct core *c, struct ops *o)
{
    for (size_t i = 0; i < c->n_bans;) {
        const struct ban_net net = c->ban[i]->net;

        if (!ban_is_over(c, c->ban[i])) {
            i++;
            continue;
        }
        op_ban_drop(o, &net);
        ban_drop(c, &net);
    }
}

static enum err read_ban(const struct json *j, const struct ban_net *net, struct ban **out)
{
    struct wall since, until;
    const char *by, *reason;

    if (!json_get_int(j, "since", &since.ms) || !json_get_int(j, "until", &until.ms) ||
        !json_get_string(j, "by", &by) || !json_get_string(j, "reason", &reason))
        return ERR_DATA;
    *out = ban_new(net, since, until);
    (*out)->by = mem_strdup(by);
    (*out)->reason = mem_strdup(reason);
    return ERR_OK;
}

enum err ban_load(struct core *c, const char *name, const char *data)
{
    char why[JSON_WHY_LEN];
    char hex[2 * IP_LEN + 1];
    const char *rest = name + sizeof(BAN) - 1;
    struct ban_net net;
    struct json *j = NULL;
    struct ban *b = NULL;
    int64_t bits;
    enum err e;

    if (!str_starts(name, BAN))
        return ERR_NOT_FOUND;
    if (strlen(rest) < sizeof(hex) || rest[sizeof(hex) - 1] != '/' ||
        !str_ncopy(hex, sizeof(hex), rest, sizeof(hex) - 1) || !hex_decode(net.ip, IP_LEN, hex) ||
        !str_to_int(rest + sizeof(hex), 0, BITS, &bits))
        return ERR_DATA;
    net.bits = (uint8_t)bits;
    cut(net.ip, net.bits);
    if (json_parse(data, strlen(data), &json_file_limits, &j, why) != ERR_OK)
        return ERR_DATA;
    e = read_ban(j, &net, &b);
    json_free(j);
    if (e == ERR_OK)
        ban_enter(c, b);
    return e;
}
