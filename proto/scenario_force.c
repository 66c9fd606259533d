/* SPDX-License-Identifier: ISC
 * scenario_force.c -- figures and waves of a scenario file into the roster.
 *
 * Roster order (RULES.md): A's figures in file order, A's waves in file order, then B's likewise.
 * So the file is gone through once a side.
 */
#include "common/base/str.h"
#include "proto/scenario_read.h"

static const char type_words[] = "irregular, regular, mounted, civilian or wagon";

/* id, type, name and commander: what a figure of the set-up and one of a wave share. */
static bool add_figure(const struct scn_reader *r, const struct scn_value *v, uint8_t side)
{
    struct rules_board *b = &r->s->board;
    const unsigned n = b->n_figures;
    const struct scn_value id = scn_member(v, "id"), type = scn_member(v, "type");
    const struct scn_value name = scn_member(v, "name");
    const struct scn_value commander = scn_member(v, "commander");
    char word[RULES_ID_LEN + 1];
    struct rules_figure *f;

    if (n == RULES_FIGURES_MAX)
        return scn_bad(r, "%s: is one figure too many; a scenario has at most %d", v->where,
                       RULES_FIGURES_MAX);
    f = &b->figure[n];
    *f = (struct rules_figure){
        .side = side, .face = RULES_NO_DIR, .at = RULES_NO_SQUARE, .wave = RULES_NO_WAVE};
    if (!scn_id(r, &id, word))
        return false;
    if (rules_figure_find(b, word) != RULES_NO_FIGURE)
        return scn_bad(r, "%s: there is a figure %s already; give each its own id", id.where, word);
    if (!scn_word(r, &type, type_from_word, type_words, &f->type) ||
        !scn_flag(r, &commander, &f->commander) ||
        (name.j != NULL && !scn_text(r, &name, &r->s->figure_name[n])))
        return false;
    if (f->commander != 0 && !rules_is_soldier((enum rules_type)f->type))
        return scn_bad(r, "%s: a %s can't command; only soldiers do (R6)", commander.where,
                       type_word((enum rules_type)f->type));
    (void)str_copy(b->id[n], sizeof(b->id[n]), word);
    if (rules_is_soldier((enum rules_type)f->type))
        b->side[side].soldiers++;
    b->n_figures++;
    return true;
}

/* May the newest figure stand at `at` with those that are there (R2, R3, R17)? */
static bool check_place(const struct scn_reader *r, const struct scn_value *v, uint16_t at)
{
    const struct rules_board *b = &r->s->board;
    const unsigned n = b->n_figures - 1U;
    const struct rules_figure *f = &b->figure[n];
    char square[RULES_SQUARE_NAME];
    unsigned there = 0;

    rules_square_name(b, at, square);
    if (rules_is_impassable(b, at))
        return scn_bad(r, "%s: %s is %s, where nobody stands (R3); use another square", v->where,
                       square, ground_word((enum rules_ground)b->ground[at]));
    for (unsigned i = 0; i < n; i++) {
        const struct rules_figure *o = &b->figure[i];

        if (o->at != at)
            continue;
        if (o->side != f->side)
            return scn_bad(r, "%s: %s holds %s of the other side; use another square (R2)",
                           v->where, square, b->id[i]);
        if (o->type == RULES_WAGON || f->type == RULES_WAGON)
            return scn_bad(r, "%s: %s holds %s; a wagon has its square to itself (R17)", v->where,
                           square, b->id[i]);
        there++;
    }
    if (there >= b->stack)
        return scn_bad(r, "%s: %s holds %u already, all that a square may (R2); use another",
                       v->where, square, there);
    return true;
}

static bool add_placed(const struct scn_reader *r, const struct scn_value *v, uint8_t side)
{
    const struct scn_value at = scn_member(v, "at"), face = scn_member(v, "face");
    struct rules_board *b = &r->s->board;
    uint16_t sq;
    uint8_t dir;

    if (!add_figure(r, v, side) || !scn_square(r, &at, &sq) || !scn_edge(r, &face, &dir) ||
        !check_place(r, &at, sq))
        return false;
    b->figure[b->n_figures - 1].at = sq;
    b->figure[b->n_figures - 1].face = dir;
    return true;
}

static bool read_table(const struct scn_reader *r, const struct scn_value *v, uint8_t edge[6])
{
    char face[2] = "1";

    if (!scn_object(r, v))
        return false;
    for (unsigned i = 0; i < 6; i++, face[0]++) {
        const struct scn_value to = scn_member(v, face);

        if (!scn_edge(r, &to, &edge[i]))
            return false;
    }
    return true;
}

/* Where a wave enters: exactly one of squares, edge and d6. */
static bool read_entry(const struct scn_reader *r, const struct scn_value *v, struct rules_wave *w)
{
    const struct scn_value squares = scn_member(v, "squares"), edge = scn_member(v, "edge");
    const struct scn_value table = scn_member(v, "d6");

    if ((squares.j != NULL) + (edge.j != NULL) + (table.j != NULL) != 1)
        return scn_bad(r, "%s: must have exactly one of squares, edge and d6", v->where);
    if (squares.j != NULL) {
        w->entry = RULES_ENTRY_SQUARES;
        return scn_squares(r, &squares, &w->list, &w->n);
    }
    if (edge.j != NULL) {
        w->entry = RULES_ENTRY_EDGE;
        return scn_edge(r, &edge, &w->edge[0]);
    }
    w->entry = RULES_ENTRY_TABLE;
    return read_table(r, &table, w->edge);
}

static bool add_wave(const struct scn_reader *r, const struct scn_value *v, unsigned index)
{
    struct rules_board *b = &r->s->board;
    struct rules_wave *w = &b->wave[index];
    const struct scn_value turn = scn_member(v, "turn"), figures = scn_member(v, "figures");
    int64_t due = 0;
    unsigned i = 0;

    if (!scn_int(r, &turn, (struct scn_range){1, b->turns}, &due) || !read_entry(r, v, w) ||
        !scn_array(r, &figures, 1, RULES_FIGURES_MAX))
        return false;
    w->turn = (uint16_t)due;
    w->figure = b->n_figures;
    for (const struct json *j = json_first(figures.j); j != NULL; j = json_next(j)) {
        const struct scn_value figure = scn_element(&figures, j, i++);

        if (!scn_object(r, &figure) || !add_figure(r, &figure, w->side))
            return false;
        b->figure[b->n_figures - 1].wave = (uint8_t)index;
    }
    w->n_figures = (uint16_t)i;
    return true;
}

/* The sides of all figures or waves, before any is read. */
static bool read_sides(const struct scn_reader *r, const struct scn_value *list, uint8_t *side)
{
    unsigned i = 0;

    for (const struct json *j = json_first(list->j); j != NULL; j = json_next(j), i++) {
        const struct scn_value item = scn_element(list, j, i);
        struct scn_value of;

        if (!scn_object(r, &item))
            return false;
        of = scn_member(&item, "side");
        if (!scn_side(r, &of, &side[i]))
            return false;
    }
    return true;
}

bool scn_read_forces(const struct scn_reader *r)
{
    const struct scn_value root = {.j = r->root};
    const struct scn_value figures = scn_member(&root, "figures");
    const struct scn_value waves = scn_member(&root, "waves");
    struct rules_board *b = &r->s->board;
    uint8_t of_figure[RULES_FIGURES_MAX] = {0}, of_wave[RULES_WAVES_MAX] = {0};

    if (!scn_array(r, &figures, 0, RULES_FIGURES_MAX) || !read_sides(r, &figures, of_figure))
        return false;
    if (waves.j != NULL &&
        (!scn_array(r, &waves, 0, RULES_WAVES_MAX) || !read_sides(r, &waves, of_wave)))
        return false;
    b->n_waves = (uint8_t)json_count(waves.j);
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        unsigned i = 0;

        for (const struct json *j = json_first(figures.j); j != NULL; j = json_next(j), i++) {
            const struct scn_value v = scn_element(&figures, j, i);

            if (of_figure[i] == side && !add_placed(r, &v, (uint8_t)side))
                return false;
        }
        i = 0;
        for (const struct json *j = json_first(waves.j); j != NULL; j = json_next(j), i++) {
            const struct scn_value v = scn_element(&waves, j, i);

            b->wave[i].side = of_wave[i];
            if (of_wave[i] == side && !add_wave(r, &v, i))
                return false;
        }
        if (b->side[side].soldiers == 0)
            return scn_bad(r,
                           "figures: side %s has no soldier; give it an irregular, regular or "
                           "mounted figure (R6)",
                           r->s->side[side].id);
    }
    return true;
}
