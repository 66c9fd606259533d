/* SPDX-License-Identifier: ISC
 * match_replay.c -- the journal again, for an agreed undo.
 *
 * What was taken back left nothing behind, so the position before an order is what the events of
 * the orders before it give, those taken back left out.
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

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

uint32_t replay_newest(const struct match *m, enum rules_side *giver)
{
    struct match_order_front f;
    uint32_t seq;

    if (m->stand.n == 0)
        return 0;
    seq = m->stand.seq[m->stand.n - 1];
    CHECK(front_order(recs_line(&m->journal, seq - 1), m->journal.rec[seq - 1].len, &f));
    *giver = f.side_len == strlen(side_id(m, RULES_A)) &&
                     memcmp(f.side, side_id(m, RULES_A), f.side_len) == 0
                 ? RULES_A
                 : RULES_B;
    return seq;
}

/* Apply the events of standing orders before `seq` to g. */
static enum err play(const struct match *m, uint32_t upto, struct game *g, struct decoded *d)
{
    const struct match_stand *s = &m->stand;
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
    struct game g;
    struct decoded *d = mem_zalloc(sizeof(*d));
    enum err err;

    game_init(&g, m->setup.board);
    err = play(m, seq, &g, d);
    *out = g.rules.state;
    game_fini(&g);
    decoded_free(d);
    return err;
}
