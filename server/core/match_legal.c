/* SPDX-License-Identifier: ISC
 * match_legal.c -- what could be ordered, and the odds (PROTOCOL, match.legal).
 */
#include "common/base/mem.h"
#include "server/core/match_impl.h"

/* The volley of the figure's square towards `face`, if the figure would take part in it. */
static bool aim_of(const struct match *m, unsigned figure, enum rules_dir face,
                   struct rules_aim *out)
{
    const struct rules_state *s = &m->core->game.rules.state;
    struct rules_refusal no;

    if (s->at[figure] == RULES_NO_SQUARE ||
        rules_aim(m->setup.board, s, s->at[figure], face, out, &no) != RULES_OK)
        return false;
    for (unsigned i = 0; i < out->n; i++) {
        if (out->shot[i].figure == figure)
            return true;
    }
    return false;
}

static void put_square(struct jsonw *w, const char *name, const struct match *m, uint16_t sq)
{
    char text[RULES_SQUARE_NAME];

    if (name != NULL)
        jsonw_name(w, name);
    jsonw_str(w, rules_square_name(m->setup.board, sq, text));
}

static void put_count(const struct match *m, unsigned figure, struct rules_reach *reach,
                      struct jsonw *w)
{
    int64_t moves, fires = 0;

    rules_reach(m->setup.board, &m->core->game.rules.state, figure, reach);
    moves = reach->n_to;
    for (unsigned edge = RULES_N; edge < RULES_NO_DIR; edge++) {
        struct rules_aim aim;

        moves += reach->exits >> edge & 1;
        fires += aim_of(m, figure, (enum rules_dir)edge, &aim) ? 1 : 0;
    }
    jsonw_obj(w);
    jsonw_m_str(w, "figure", m->setup.board->id[figure]);
    jsonw_m_int(w, "moves", moves);
    jsonw_m_int(w, "fires", fires);
    jsonw_obj_end(w);
}

static void put_all(const struct match *m, enum rules_side side, struct rules_reach *reach,
                    struct jsonw *w)
{
    const struct rules_board *b = m->setup.board;

    jsonw_m_arr(w, "figures");
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (side == RULES_NOBODY || b->figure[f].side == side)
            put_count(m, f, reach, w);
    }
    jsonw_arr_end(w);
}

static void put_to(const struct match *m, const struct rules_reach *reach, struct jsonw *w)
{
    jsonw_m_arr(w, "to");
    for (unsigned i = 0; i < reach->n_to; i++) {
        jsonw_obj(w);
        put_square(w, "at", m, reach->to[i].at);
        jsonw_m_arr(w, "path");
        for (unsigned k = 0; k < reach->to[i].n; k++)
            put_square(w, NULL, m, reach->to[i].path[k]);
        jsonw_arr_end(w);
        if (reach->to[i].crosses != 0)
            jsonw_m_bool(w, "crossing", true);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
    jsonw_m_arr(w, "exit");
    for (unsigned edge = RULES_N; edge < RULES_NO_DIR; edge++) {
        if ((reach->exits >> edge & 1) != 0)
            jsonw_str(w, dir_word((enum rules_dir)edge));
    }
    jsonw_arr_end(w);
    jsonw_m_bool(w, "turn", reach->turn != 0);
}

static void put_odds(struct jsonw *w, const char *name, struct rules_odds odds)
{
    jsonw_m_arr(w, name);
    jsonw_int(w, (int64_t)odds.n);
    jsonw_int(w, (int64_t)odds.d);
    jsonw_arr_end(w);
}

static void put_fire(const struct match *m, unsigned figure, struct jsonw *w)
{
    jsonw_m_arr(w, "fire");
    for (unsigned face = RULES_N; face < RULES_NO_DIR; face++) {
        struct rules_aim aim;

        if (!aim_of(m, figure, (enum rules_dir)face, &aim))
            continue;
        jsonw_obj(w);
        jsonw_m_str(w, "face", dir_word((enum rules_dir)face));
        put_square(w, "target", m, aim.target);
        jsonw_m_int(w, "range", aim.range);
        jsonw_m_arr(w, "shots");
        for (unsigned i = 0; i < aim.n; i++) {
            jsonw_obj(w);
            jsonw_m_str(w, "at", m->setup.board->id[aim.shot[i].at]);
            put_odds(w, "hit", rules_odds_hit(aim.to_hit));
            put_odds(w, "kill", rules_odds_kill(aim.to_hit, aim.to_save));
            jsonw_obj_end(w);
        }
        jsonw_arr_end(w);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

static void put_rule(struct jsonw *w, enum rules_why why)
{
    jsonw_name(w, "rule");
    w->comma = true;
    buf_puts(w->out, "\"R");
    buf_put_int(w->out, rules_why_rule(why));
    buf_putc(w->out, '"');
}

static void put_why(const struct match *m, const struct rules_reach *reach, struct jsonw *w)
{
    jsonw_m_arr(w, "why");
    for (unsigned i = 0; i < reach->n_not; i++) {
        jsonw_obj(w);
        put_square(w, "at", m, reach->no[i].at);
        put_rule(w, (enum rules_why)reach->no[i].why);
        jsonw_obj_end(w);
    }
    jsonw_arr_end(w);
}

enum err match_legal(const struct match *m, enum rules_side side, const char *figure,
                     struct jsonw *w)
{
    const struct rules_board *b = m->setup.board;
    struct rules_reach *reach;
    uint16_t f = RULES_NO_FIGURE;

    if (!m->core->started)
        return ERR_PHASE;
    if (figure != NULL) {
        f = rules_figure_find(b, figure);
        if (f == RULES_NO_FIGURE)
            return ERR_PARAMS;
    }
    reach = mem_zalloc(sizeof(*reach));
    if (figure == NULL) {
        put_all(m, side, reach, w);
    } else {
        rules_reach(b, &m->core->game.rules.state, f, reach);
        put_to(m, reach, w);
        put_fire(m, f, w);
        put_why(m, reach, w);
    }
    mem_free(reach);
    return ERR_OK;
}
