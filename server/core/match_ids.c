/* SPDX-License-Identifier: ISC
 * match_ids.c -- order ids that were used: for ever, per match and seat (PROTOCOL, Orders); and
 * which orders stand.
 *
 * The table holds the seq of each order's entry; id and body are compared with the entry's line
 * itself, so it costs four bytes an order and can be built from the lines alone.
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

enum { IDS_MIN = 16 };

/* FNV-1a over side and id: the players choose ids, but only among their own few thousand. */
static uint32_t mix(uint32_t h, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (uint8_t)p[i]) * UINT32_C(16777619);
    return h;
}

static uint32_t hash_of(const struct match_order_front *f)
{
    return mix(mix(UINT32_C(2166136261), f->side, f->side_len), f->id, f->id_len);
}

static bool same_id(const struct match_order_front *a, const struct match_order_front *b)
{
    return a->side_len == b->side_len && a->id_len == b->id_len &&
           memcmp(a->side, b->side, a->side_len) == 0 && memcmp(a->id, b->id, a->id_len) == 0;
}

static bool front_at(const struct match *m, uint32_t seq, struct match_order_front *out)
{
    return front_order(recs_line(&m->journal, seq - 1), m->journal.rec[seq - 1].len, out);
}

static void put(struct match_ids *ids, uint32_t hash, uint32_t seq)
{
    uint32_t i = hash & (ids->cap - 1);

    while (ids->slot[i] != 0)
        i = (i + 1) & (ids->cap - 1);
    ids->slot[i] = seq;
    ids->n++;
}

static void grow(struct match *m)
{
    struct match_ids old = m->ids;

    m->ids.cap = old.cap == 0 ? IDS_MIN : old.cap * 2;
    m->ids.n = 0;
    m->ids.slot = mem_array(m->ids.cap, sizeof(*m->ids.slot));
    for (uint32_t i = 0; i < old.cap; i++) {
        struct match_order_front f;

        if (old.slot[i] != 0 && front_at(m, old.slot[i], &f))
            put(&m->ids, hash_of(&f), old.slot[i]);
    }
    mem_free(old.slot);
}

static void ids_add(struct match *m, uint32_t seq, const struct match_order_front *f)
{
    if ((m->ids.n + 1) * 2 > m->ids.cap)
        grow(m);
    put(&m->ids, hash_of(f), seq);
}

static void stand_push(struct match_stand *s, uint32_t seq)
{
    if (s->n == s->cap) {
        s->cap = s->cap == 0 ? IDS_MIN : s->cap * 2;
        s->seq = mem_resize(s->seq, s->cap, sizeof(*s->seq));
    }
    s->seq[s->n++] = seq;
}

static bool is_undo(const struct match *m, uint32_t seq)
{
    static const char word[] = "\"undo\"";
    struct match_front f;

    return front_read(recs_line(&m->journal, seq - 1), m->journal.rec[seq - 1].len, &f) &&
           memcmp(f.rest - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

bool lines_note(struct match *m, uint32_t seq)
{
    static const char undo[] = "{\"do\":\"undo\"";
    const uint8_t kind = m->journal.rec[seq - 1].kind;
    struct match_order_front f;

    marks_note(m, seq);
    if (kind == ENTRY_ORDER) {
        if (!front_at(m, seq, &f))
            return false;
        ids_add(m, seq, &f);
        if (f.order_len < sizeof(undo) || memcmp(f.order, undo, sizeof(undo) - 1) != 0)
            stand_push(&m->stand, seq);
    } else if (kind == ENTRY_PLAY && m->stand.n > 0 && is_undo(m, seq)) {
        m->stand.n--; /* always the newest: R48, and agreed ones too */
    }
    return true;
}

bool order_is_plain(const struct rules_board *b, const struct rules_order *o)
{
    const unsigned squares = rules_squares(b);

    for (unsigned i = 0; i < o->n_figures; i++) {
        if (o->figure[i] >= b->n_figures)
            return false;
    }
    for (unsigned i = 0; i < o->n_path; i++) {
        if (o->path[i] >= squares)
            return false;
    }
    return o->kind != RULES_DO_FIRE || o->square < squares;
}

/* Is the body of the line that of the order? */
static bool same_body(const struct match *m, const struct match_order_front *f,
                      const struct rules_order *o)
{
    struct buf body = BUF_EMPTY;
    bool same;

    if (!order_is_plain(m->setup.board, o))
        return false;
    order_to_json(o, m->setup.scenario, &body);
    same = f->order_len > body.len && memcmp(f->order, body.data, body.len) == 0;
    buf_fini(&body);
    return same;
}

uint32_t ids_find(const struct match *m, enum rules_side side, const char *id,
                  const struct rules_order *o, bool *same)
{
    struct buf text = BUF_EMPTY;
    struct jsonw w = jsonw_on(&text);
    struct match_order_front want = {.side = side_id(m, side)};
    uint32_t found = 0;

    if (m->ids.cap == 0)
        return 0;
    jsonw_str(&w, id);
    want.side_len = strlen(want.side);
    want.id = text.data;
    want.id_len = text.len;
    for (uint32_t i = hash_of(&want) & (m->ids.cap - 1); m->ids.slot[i] != 0 && found == 0;
         i = (i + 1) & (m->ids.cap - 1)) {
        struct match_order_front f;

        if (front_at(m, m->ids.slot[i], &f) && same_id(&f, &want)) {
            found = m->ids.slot[i];
            *same = o != NULL && same_body(m, &f, o);
        }
    }
    buf_fini(&text);
    return found;
}
