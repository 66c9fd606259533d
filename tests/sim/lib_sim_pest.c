/* SPDX-License-Identifier: ISC
 * lib_sim_pest.c -- one who means harm: garbage, other people's matches and accounts, guesses.
 *
 * Its requests carry string ids, so that no book is kept of them; what must not come of them is for
 * the ledgers to see.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { GARBAGE_MAX = 400 };

static void put(struct sim *s, struct sim_actor *a, uint8_t sess, const struct buf *b)
{
    struct sim_link *l = a->sess[sess].link;

    if (l != NULL && b->len > 0)
        sim_send(s, l, b->data, b->len);
}

static const struct sim_table *any_table(struct sim *s)
{
    return &s->table[play_below(&s->rng, s->n_tables)];
}

static void front(struct buf *b, const char *method)
{
    buf_printf(b, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"%s\",\"params\":{", method);
}

static void put_hex(struct sim *s, struct buf *b)
{
    char hex[65];
    uint8_t random[32];

    sim_bytes(s, random, sizeof(random));
    hex_encode(hex, random, sizeof(random));
    buf_puts(b, hex);
}

/* ---- not even requests ---- */

static void garbage(struct sim *s, struct buf *b)
{
    static const char *const words[] = {"{",       "}",
                                        "[",       "]",
                                        ":",       ",",
                                        "\"",      "\\",
                                        "null",    "1e999",
                                        "\"id\"",  "\"method\"",
                                        "\xff",    "\"match.order\"",
                                        "-",       "0",
                                        "\\ud800", "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":"};
    const unsigned n = 1 + play_below(&s->rng, 40);

    for (unsigned i = 0; i < n; i++)
        buf_puts(b, words[play_below(&s->rng, ARRAY_LEN(words))]);
    buf_putc(b, '\n');
}

static void bytes(struct sim *s, struct buf *b)
{
    const unsigned n = play_below(&s->rng, GARBAGE_MAX);

    for (unsigned i = 0; i < n; i++)
        buf_putc(b, (char)play_below(&s->rng, 256));
    buf_putc(b, '\n');
}

static void giant(struct sim *s, struct buf *b)
{
    const unsigned n = 3000 + play_below(&s->rng, 16000);

    front(b, "session.ping");
    buf_puts(b, "\"x\":\"");
    for (unsigned i = 0; i < n; i++)
        buf_putc(b, 'x');
    buf_puts(b, "\"}}\n");
}

/* ---- other people's matches ---- */

static void order(struct sim *s, struct buf *b)
{
    const struct sim_table *t = any_table(s);

    front(b, "match.order");
    buf_printf(b,
               "\"match\":\"%s\",\"order_id\":\"h%u\",\"base\":%u,\"order\":{\"do\":\"end_phase\"}"
               "}}\n",
               t->hex, play_below(&s->rng, 1000000), t->ledger != NULL ? t->ledger->n : 1);
}

static void share(struct sim *s, struct buf *b)
{
    const struct sim_table *t = any_table(s);

    front(b, "match.share");
    buf_printf(b, "\"match\":\"%s\",\"roll\":%u,\"share\":\"", t->hex,
               t->ledger != NULL ? t->ledger->audit.dice.n + 1 : 1);
    put_hex(s, b);
    buf_puts(b, "\"}}\n");
}

static void anchor(struct sim *s, struct buf *b)
{
    front(b, "match.anchor");
    buf_printf(b, "\"match\":\"%s\",\"generation\":%u,\"anchor\":\"", any_table(s)->hex,
               play_below(&s->rng, 3));
    put_hex(s, b);
    buf_puts(b, "\"}}\n");
}

static void seat(struct sim *s, struct buf *b)
{
    static const char *const methods[] = {"match.resign", "match.claim",  "match.cancel",
                                          "match.join",   "match.record", "match.legal",
                                          "match.mine",   "match.decline"};
    const struct sim_table *t = any_table(s);

    if (t->known && !t->is_private && !t->rated && t->ledger != NULL &&
        t->ledger->audit.name[ROLE_B][0] == '\0')
        return; /* an open seat is anybody's */
    front(b, methods[play_below(&s->rng, ARRAY_LEN(methods))]);
    buf_printf(b, "\"match\":\"%s\",\"invite\":\"guess-guess\"}}\n", t->hex);
}

static void reply(struct sim *s, struct buf *b)
{
    front(b, "match.answer");
    buf_printf(b, "\"match\":\"%s\",\"offer_id\":%u,\"accept\":true}}\n", any_table(s)->hex,
               1 + play_below(&s->rng, 4));
}

static void umpire(struct sim *s, struct buf *b)
{
    front(b, "match.umpire");
    buf_printf(b, "\"match\":\"%s\",\"act\":\"void\",\"reason\":\"because\"}}\n",
               any_table(s)->hex);
}

/* ---- other people's accounts ---- */

static const char *any_name(struct sim *s)
{
    return s->actor[play_below(&s->rng, s->n_actors)].name;
}

static void account(struct sim *s, struct buf *b)
{
    front(b, "session.login");
    buf_printf(b, "\"name\":\"%s\",\"password\":\"letmein-letmein\"}}\n", any_name(s));
}

static void password(struct sim *s, struct buf *b)
{
    front(b, "session.password");
    buf_printf(b, "\"old\":\"letmein-letmein\",\"new\":\"mine-mine-%u\",\"name\":\"%s\"}}\n",
               play_below(&s->rng, 100), any_name(s));
}

static void resume(struct sim *s, struct buf *b)
{
    front(b, "session.resume");
    buf_puts(b, "\"token\":\"");
    put_hex(s, b);
    buf_puts(b, "\"}}\n");
}

/* A private seat, with a code that isn't its own. */
static void intrude(struct sim *s, struct buf *b)
{
    const struct sim_table *t = any_table(s);

    if (!t->known || !t->is_private)
        return;
    front(b, "match.join");
    buf_printf(b, "\"match\":\"%s\",\"invite\":\"guess-guess\"}}\n", t->hex);
}

/* ---- looking on where it may not: with a book, so that the tap knows what it follows ---- */

static void spy(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    const struct sim_table *t = any_table(s);
    struct jsonw w;
    struct sim_asked *q;

    if (a->sess[sess].phase != SESS_UP || !t->known)
        return;
    w = ask_begin(s, sim_odds(s, 500) ? ASK_WATCH : ASK_SYNC);
    jsonw_m_str(&w, "match", t->hex);
    jsonw_m_int(&w, "after", 0);
    q = ask_send(s, a, sess);
    q->has_after = true;
    (void)str_copy(q->match, sizeof(q->match), t->hex);
}

void pest_look(struct sim *s, struct sim_actor *a, uint8_t sess)
{
    static void (*const tricks[])(struct sim *, struct buf *) = {
        garbage, bytes,   giant,    order,  share, anchor, seat,    reply,
        umpire,  account, password, resume, order, share,  intrude, intrude,
    };
    struct buf b = BUF_EMPTY;

    if (s->healed || a->sess[sess].link == NULL || s->n_tables == 0)
        return;
    if (sim_odds(s, 150)) {
        spy(s, a, sess);
        return;
    }
    tricks[play_below(&s->rng, ARRAY_LEN(tricks))](s, &b);
    put(s, a, sess, &b);
    buf_fini(&b);
}
