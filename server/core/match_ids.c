/* SPDX-License-Identifier: ISC
 * match_ids.c -- order ids that were used: for ever, per match and seat (PROTOCOL, Orders); and
 * which orders stand.
 *
 * The table holds the seq of each order's entry and a hash of its id; id and body are compared with
 * the entry's line itself, so it can be built from the lines alone, and a new id reads no line.
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

/* Where an id is written in the form that it has in a line. */
struct id_text {
    char few[48];     /* most are short, and need no escape */
    struct buf other; /* the others */
};

static void front_of(const struct match *m, enum rules_side side, const char *id,
                     struct id_text *text, struct match_order_front *out)
{
    const char *at = id;
    size_t n = 0;

    text->other = BUF_EMPTY;
    out->side = side_id(m, side);
    out->side_len = strlen(out->side);
    text->few[n++] = '"';
    while (n < sizeof(text->few) - 1 && *at >= ' ' && *at != '"' && *at != '\\' && *at != 0x7f)
        text->few[n++] = *at++;
    text->few[n] = '"';
    out->id = text->few;
    out->id_len = n + 1;
    if (*at != '\0') {
        struct jsonw w = jsonw_on(&text->other);

        jsonw_str(&w, id);
        out->id = text->other.data;
        out->id_len = text->other.len;
    }
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

    while (ids->slot[i].seq != 0)
        i = (i + 1) & (ids->cap - 1);
    ids->slot[i] = (struct match_id){seq, hash};
    ids->n++;
}

static void grow(struct match *m)
{
    struct match_ids old = m->ids;

    m->ids.cap = old.cap == 0 ? IDS_MIN : old.cap * 2;
    m->ids.n = 0;
    m->ids.slot = mem_array(m->ids.cap, sizeof(*m->ids.slot));
    for (uint32_t i = 0; i < old.cap; i++) {
        if (old.slot[i].seq != 0)
            put(&m->ids, old.slot[i].hash, old.slot[i].seq);
    }
    mem_free(old.slot);
}

static void ids_add(struct match *m, uint32_t seq, uint32_t hash)
{
    if ((m->ids.n + 1) * 2 > m->ids.cap)
        grow(m);
    put(&m->ids, hash, seq);
}

static void stand_push(struct match_stand *s, uint32_t seq)
{
    if (s->n == s->cap) {
        s->cap = s->cap == 0 ? IDS_MIN : s->cap * 2;
        s->seq = mem_resize(s->seq, s->cap, sizeof(*s->seq));
    }
    s->seq[s->n++] = seq;
}

void rec_set(const struct match *m, const struct entry *e, struct match_rec *rec)
{
    struct match_order_front f;
    struct id_text text;

    rec->kind = e->kind;
    rec->what = REC_OTHER;
    if (e->kind == ENTRY_PLAY && e->u.play.event.kind == RULES_EV_UNDO)
        rec->what = REC_UNDONE;
    if (e->kind != ENTRY_ORDER)
        return;
    rec->what = e->u.order.order.kind == RULES_DO_UNDO ? REC_UNDO : REC_ORDER;
    front_of(m, (enum rules_side)e->u.order.side, e->u.order.order_id, &text, &f);
    rec->id_hash = hash_of(&f);
    buf_fini(&text.other);
}

bool rec_read(const char *line, struct match_rec *rec)
{
    static const char undo[] = "{\"do\":\"undo\"";
    static const char undone[] = "\"undo\"";
    const size_t undone_len = sizeof(undone) - 1;
    struct match_order_front f;
    struct match_front front;

    rec->what = REC_OTHER;
    if (rec->kind == ENTRY_PLAY && front_read(line, rec->len, &front) &&
        memcmp(front.rest - undone_len, undone, undone_len) == 0)
        rec->what = REC_UNDONE;
    if (rec->kind != ENTRY_ORDER)
        return true;
    if (!front_order(line, rec->len, &f))
        return false;
    rec->id_hash = hash_of(&f);
    rec->what = REC_ORDER;
    if (f.order_len >= sizeof(undo) && memcmp(f.order, undo, sizeof(undo) - 1) == 0)
        rec->what = REC_UNDO;
    return true;
}

void lines_note(struct match *m, uint32_t seq)
{
    const struct match_rec *rec = &m->journal.rec[seq - 1];

    marks_note(m, seq);
    if (rec->kind == ENTRY_ORDER)
        ids_add(m, seq, rec->id_hash);
    if (rec->what == REC_ORDER)
        stand_push(&m->stand, seq);
    else if (rec->what == REC_UNDONE && m->stand.n > 0)
        m->stand.n--; /* always the newest: R48, and agreed ones too */
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
    struct match_order_front want;
    struct id_text text;
    uint32_t found = 0;
    uint32_t hash;

    if (m->ids.cap == 0)
        return 0;
    front_of(m, side, id, &text, &want);
    hash = hash_of(&want);
    for (uint32_t i = hash & (m->ids.cap - 1); m->ids.slot[i].seq != 0 && found == 0;
         i = (i + 1) & (m->ids.cap - 1)) {
        const struct match_id *at = &m->ids.slot[i];
        struct match_order_front f;

        if (at->hash == hash && front_at(m, at->seq, &f) && same_id(&f, &want)) {
            found = at->seq;
            *same = o != NULL && same_body(m, &f, o);
        }
    }
    buf_fini(&text.other);
    return found;
}
