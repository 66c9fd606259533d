/* SPDX-License-Identifier: ISC
 * match_replay.c -- the journal again, for an agreed undo.
 *
 * What was taken back left nothing behind, so the position before an order is what the events of
 * the orders before it give, those taken back left out.
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

/* Orders that stand, oldest first. */
struct standing {
    uint32_t *seq;
    uint8_t *side;
    uint32_t n;
};

/* One line of the journal, decoded; borrows from `j` and room. */
struct decoded {
    struct json *j;
    struct entry_room room;
    struct entry e;
};

static bool decode(const struct match *m, uint32_t seq, struct decoded *d)
{
    const struct match_rec *rec = &m->journal.rec[seq - 1];
    char why[PLAY_WHY_LEN], json_why[JSON_WHY_LEN];

    json_free(d->j);
    d->j = NULL;
    return json_parse(recs_line(&m->journal, seq - 1), rec->len, &json_file_limits, &d->j,
                      json_why) == ERR_OK &&
           entry_decode(d->j, m->setup.scenario, &d->e, &d->room, why) == ERR_OK;
}

static void decoded_free(struct decoded *d)
{
    if (d == NULL)
        return;
    json_free(d->j);
    entry_room_fini(&d->room);
    mem_free(d);
}

/* Only these lines say which orders stand. */
static bool is_order_or_undo(const struct match *m, uint32_t seq)
{
    static const char undo[] = "\"undo\"";
    const struct match_rec *rec = &m->journal.rec[seq - 1];
    struct match_front f;

    if (rec->kind == ENTRY_ORDER)
        return true;
    return rec->kind == ENTRY_PLAY && front_read(recs_line(&m->journal, seq - 1), rec->len, &f) &&
           memcmp(f.rest - (sizeof(undo) - 1), undo, sizeof(undo) - 1) == 0;
}

static void stand(const struct match *m, struct standing *s)
{
    struct decoded *d = mem_zalloc(sizeof(*d));

    s->seq = mem_array(m->core.head + 1, sizeof(*s->seq));
    s->side = mem_array(m->core.head + 1, sizeof(*s->side));
    s->n = 0;
    for (uint32_t seq = 1; seq <= m->core.head; seq++) {
        const uint8_t kind = m->journal.rec[seq - 1].kind;

        if (!is_order_or_undo(m, seq) || !decode(m, seq, d))
            continue;
        if (kind == ENTRY_ORDER && d->e.u.order.order.kind != RULES_DO_UNDO) {
            s->seq[s->n] = seq;
            s->side[s->n++] = d->e.u.order.side;
        } else if (kind == ENTRY_PLAY && s->n > 0 &&
                   s->seq[s->n - 1] == d->e.u.play.event.u.undo.tag) {
            s->n--;
        }
    }
    decoded_free(d);
}

static void standing_fini(struct standing *s)
{
    mem_free(s->seq);
    mem_free(s->side);
}

uint32_t replay_newest(const struct match *m, enum rules_side *giver)
{
    struct standing s;
    uint32_t seq = 0;

    stand(m, &s);
    if (s.n > 0) {
        seq = s.seq[s.n - 1];
        *giver = (enum rules_side)s.side[s.n - 1];
    }
    standing_fini(&s);
    return seq;
}

/* Apply the events of standing orders before `seq` to g. */
static enum err play(const struct match *m, uint32_t upto, const struct standing *s, struct game *g,
                     struct decoded *d)
{
    uint32_t order = 0, at = 0; /* the order whose events come, and the next that stands */
    bool stands = true;         /* the start's belong to no order */

    for (uint32_t seq = 1; seq < upto; seq++) {
        const uint8_t kind = m->journal.rec[seq - 1].kind;

        if (kind == ENTRY_ORDER) {
            order = seq;
            while (at < s->n && s->seq[at] < seq)
                at++;
            stands = at < s->n && s->seq[at] == seq;
            if (stands && !decode(m, seq, d)) /* its exit edge is read with it */
                return ERR_DATA;
        }
        if (kind != ENTRY_PLAY || !stands)
            continue;
        if (!decode(m, seq, d))
            return ERR_DATA;
        if (d->e.u.play.event.kind != RULES_EV_UNDO &&
            game_apply(g, order, &d->e.u.play.event, d->e.u.play.items) != RULES_OK)
            return ERR_DATA;
    }
    return ERR_OK;
}

enum err replay_before(const struct match *m, uint32_t seq, struct rules_state *out)
{
    struct standing s;
    struct game g;
    struct decoded *d = mem_zalloc(sizeof(*d));
    enum err err;

    stand(m, &s);
    game_init(&g, m->setup.board);
    err = play(m, seq, &s, &g, d);
    *out = g.rules.state;
    game_fini(&g);
    standing_fini(&s);
    decoded_free(d);
    return err;
}
