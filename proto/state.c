/* SPDX-License-Identifier: ISC
 * state.c -- positions as JSON (PROTOCOL, State).
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/play_json.h"

/* ---- out ---- */

static void put_figure(struct jsonw *w, const struct scenario *scn, const struct rules_state *s,
                       unsigned f)
{
    const struct rules_figure *is = &scn->board.figure[f];
    const bool on_board = s->at[f] != RULES_NO_SQUARE;

    jsonw_obj(w);
    jsonw_m_str(w, "id", play_id(scn, f));
    play_put_side(w, "side", scn, is->side);
    jsonw_m_str(w, "type", type_word((enum rules_type)is->type));
    if (scn->figure_name[f] != NULL)
        jsonw_m_str(w, "name", scn->figure_name[f]);
    if (is->commander != 0)
        jsonw_m_bool(w, "commander", true);
    if (on_board)
        play_put_square(w, "at", scn, s->at[f]);
    else
        jsonw_m_null(w, "at");
    if (s->face[f] != RULES_NO_DIR)
        play_put_dir(w, "face", s->face[f]);
    else
        jsonw_m_null(w, "face");
    jsonw_m_str(w, "status", status_word((enum rules_status)s->status[f]));
    jsonw_m_int(w, "rank", s->rank[f]);
    if (s->fell[f] != 0)
        jsonw_m_bool(w, "fell", true);
    if (s->status[f] == RULES_LEFT)
        play_put_dir(w, "left_by", s->left_by[f]);
    jsonw_obj_end(w);
}

static void put_fired(struct jsonw *w, const struct scenario *scn, const struct rules_board *b,
                      const struct rules_state *s)
{
    char text[RULES_SQUARE_NAME];

    jsonw_m_arr(w, "fired");
    for (unsigned sq = 0; sq < rules_squares(b); sq++) {
        if (rules_has_fired(s, (uint16_t)sq))
            jsonw_str(w, rules_square_name(&scn->board, (uint16_t)sq, text));
    }
    jsonw_arr_end(w);
}

/* The member is absent when no rolled table has figures waiting. */
static void put_waves(struct jsonw *w, const struct rules_board *b, const struct rules_state *s)
{
    bool any = false;

    for (unsigned i = 0; i < b->n_waves; i++) {
        if (s->wave_edge[i] == RULES_NO_DIR)
            continue;
        if (!any)
            jsonw_m_arr(w, "waves");
        any = true;
        jsonw_obj(w);
        jsonw_m_int(w, "wave", i);
        play_put_dir(w, "edge", s->wave_edge[i]);
        jsonw_obj_end(w);
    }
    if (any)
        jsonw_arr_end(w);
}

void state_members(struct jsonw *w, const struct scenario *scn, const struct rules_board *b,
                   const struct rules_state *s)
{
    jsonw_m_int(w, "turn", s->turn);
    play_put_side(w, "first", scn, s->first);
    play_put_side(w, "active", scn, s->active);
    jsonw_m_arr(w, "figures");
    for (unsigned f = 0; f < b->n_figures; f++)
        put_figure(w, scn, s, f);
    jsonw_arr_end(w);
    jsonw_m_arr(w, "testing");
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        if ((s->testing >> side & 1) != 0)
            jsonw_str(w, scn->side[side].id);
    }
    jsonw_arr_end(w);
    put_fired(w, scn, b, s);
    put_waves(w, b, s);
    if (rules_is_over(s)) {
        jsonw_m_obj(w, "over");
        play_put_side(w, "winner", scn, s->winner);
        jsonw_m_str(w, "reason", reason_word((enum rules_reason)s->reason));
        jsonw_obj_end(w);
    }
}

/* ---- in ---- */

/* A side's id or null (RULES_NOBODY); the member must be there. */
static bool get_side_or_null(const struct json *j, const char *name, const struct scenario *scn,
                             uint8_t *out)
{
    const struct json *v = json_get(j, name);

    *out = RULES_NOBODY;
    return v != NULL && (json_type(v) == JSON_NULL || play_get_side(j, name, scn, out));
}

static bool is_null(const struct json *j, const char *name)
{
    const struct json *v = json_get(j, name);

    return v != NULL && json_type(v) == JSON_NULL;
}

static bool read_figure(const struct json *j, const struct scenario *scn, unsigned f,
                        struct rules_state *s)
{
    const char *id = NULL, *status = NULL;
    unsigned rank;
    bool fell = false;

    if (!json_get_string(j, "id", &id) || !str_eq(id, play_id(scn, f)) ||
        !json_get_string(j, "status", &status) || !status_from_word(status, &s->status[f]) ||
        !play_get_uint(j, "rank", scn->board.stack, &rank))
        return false;
    s->rank[f] = (uint8_t)rank;
    s->at[f] = RULES_NO_SQUARE;
    if (!is_null(j, "at") && !play_get_square(j, "at", scn, &s->at[f]))
        return false;
    s->face[f] = RULES_NO_DIR;
    if (!is_null(j, "face") && !play_get_dir(j, "face", &s->face[f]))
        return false;
    if (json_get(j, "fell") != NULL && !json_get_bool(j, "fell", &fell))
        return false;
    s->fell[f] = fell ? 1 : 0;
    if ((s->at[f] == RULES_NO_SQUARE) != (s->status[f] >= RULES_DEAD) ||
        (s->at[f] == RULES_NO_SQUARE) != (rank == 0) ||
        (s->face[f] == RULES_NO_DIR) != (s->status[f] == RULES_DUE))
        return false;
    return s->status[f] != RULES_LEFT || play_get_dir(j, "left_by", &s->left_by[f]);
}

/* Do the ranks of every square count from 1 without gaps, all of one side? */
static bool ranks_fit(const struct rules_board *b, const struct rules_state *s)
{
    struct square {
        uint16_t ranks;
        uint8_t n, side;
    } *at = mem_array(rules_squares(b), sizeof(*at));
    bool fit = true;

    for (unsigned f = 0; f < b->n_figures; f++) {
        struct square *sq;

        if (s->at[f] == RULES_NO_SQUARE)
            continue;
        sq = &at[s->at[f]];
        fit = fit && (sq->n == 0 || sq->side == b->figure[f].side);
        sq->ranks |= (uint16_t)(1U << s->rank[f]);
        sq->side = b->figure[f].side;
        sq->n++;
    }
    for (unsigned i = 0; i < rules_squares(b); i++)
        fit = fit && at[i].n <= b->stack && at[i].ranks == (uint16_t)((2U << at[i].n) - 2U);
    mem_free(at);
    return fit;
}

static bool read_figures(const struct json *list, const struct scenario *scn, struct rules_state *s)
{
    unsigned f = 0;

    if (list == NULL || json_count(list) != scn->board.n_figures)
        return false;
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        if (!read_figure(j, scn, f++, s))
            return false;
    }
    return ranks_fit(&scn->board, s);
}

static bool read_testing(const struct json *list, const struct scenario *scn, struct rules_state *s)
{
    if (list == NULL)
        return false;
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        const char *id = NULL;
        enum rules_side side;

        if (!json_string(j, &id))
            return false;
        side = scenario_side_find(scn, id);
        if (side == RULES_NOBODY)
            return false;
        s->testing |= (uint8_t)(1U << side);
    }
    return true;
}

static bool read_fired(const struct json *list, const struct scenario *scn, struct rules_state *s)
{
    if (list == NULL)
        return false;
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        uint16_t sq;

        if (!play_square(j, scn, &sq))
            return false;
        s->fired[sq / 64] |= UINT64_C(1) << (sq % 64);
    }
    return true;
}

static bool read_waves(const struct json *list, const struct scenario *scn, struct rules_state *s)
{
    for (const struct json *j = json_first(list); j != NULL; j = json_next(j)) {
        unsigned wave;

        if (!play_get_uint(j, "wave", RULES_WAVES_MAX, &wave) || wave >= scn->board.n_waves ||
            scn->board.wave[wave].entry != RULES_ENTRY_TABLE ||
            !play_get_dir(j, "edge", &s->wave_edge[wave]))
            return false;
    }
    return true;
}

static bool read_over(const struct json *over, const struct scenario *scn, struct rules_state *s)
{
    const char *reason = NULL;

    return get_side_or_null(over, "winner", scn, &s->winner) &&
           json_get_string(over, "reason", &reason) && reason_from_word(reason, &s->reason);
}

enum err state_from_json(const struct json *j, const struct scenario *scn, struct rules_state *s)
{
    const struct json *waves = json_get(j, "waves"), *over = json_get(j, "over");
    unsigned turn = 0;

    rules_begin(&scn->board, s); /* what stands unused stays as the rules have it */
    if (!play_get_uint(j, "turn", RULES_TURNS_MAX, &turn) ||
        !get_side_or_null(j, "first", scn, &s->first) ||
        !get_side_or_null(j, "active", scn, &s->active) ||
        !read_figures(play_get_array(j, "figures"), scn, s) ||
        !read_testing(play_get_array(j, "testing"), scn, s) ||
        !read_fired(play_get_array(j, "fired"), scn, s))
        return ERR_DATA;
    s->turn = (uint16_t)turn;
    if (waves != NULL && (json_type(waves) != JSON_ARRAY || !read_waves(waves, scn, s)))
        return ERR_DATA;
    return over == NULL || read_over(over, scn, s) ? ERR_OK : ERR_DATA;
}
