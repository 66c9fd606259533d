/* SPDX-License-Identifier: ISC
 * select.c -- choosing.
 */
#include "client/tui/select.h"

#include "client/describe.h"
#include "client/words.h"
#include "common/base/mem.h"

void select_init(struct select *s, const struct rules_board *b)
{
    memset(s, 0, sizeof(*s));
    s->cursor = (uint16_t)(b->h / 2 * b->w + b->w / 2);
    s->face = RULES_NO_DIR;
    s->aim_face = RULES_NO_DIR;
}

void select_clear(struct select *s)
{
    s->n = 0;
    s->aiming = false;
    s->face = RULES_NO_DIR;
    s->aim_face = RULES_NO_DIR;
    memset(&s->reach, 0, sizeof(s->reach));
    memset(s->has_aim, 0, sizeof(s->has_aim));
}

bool select_has(const struct select *s, unsigned figure)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->figure[i] == figure)
            return true;
    }
    return false;
}

const struct rules_to *select_to(const struct select *s, uint16_t sq)
{
    for (unsigned i = 0; s->n > 0 && i < s->reach.n_to; i++) {
        if (s->reach.to[i].at == sq)
            return &s->reach.to[i];
    }
    return NULL;
}

enum rules_why select_why(const struct select *s, uint16_t sq)
{
    for (unsigned i = 0; s->n > 0 && i < s->reach.n_not; i++) {
        if (s->reach.no[i].at == sq)
            return (enum rules_why)s->reach.no[i].why;
    }
    return RULES_WHY_NONE;
}

/* ---- asking the rules ---- */

static void move_order(const struct select *s, const struct select_place *at,
                       const struct rules_to *to, struct rules_order *o)
{
    memset(o, 0, sizeof(*o));
    o->kind = RULES_DO_MOVE;
    o->side = (uint8_t)at->side;
    o->face = s->face;
    o->exit = RULES_NO_DIR;
    o->square = RULES_NO_SQUARE;
    o->n_figures = s->n;
    memcpy(o->figure, s->figure, s->n * sizeof(s->figure[0]));
    if (to != NULL) {
        o->n_path = to->n;
        memcpy(o->path, to->path, to->n * sizeof(to->path[0]));
    }
}

/* Would the rules take it? Else *no, where the rules say why. Orders that need dice are fine. */
static bool is_legal(const struct select_place *at, const struct rules_order *o,
                     struct rules_refusal *no)
{
    struct rules_event event[RULES_EVENTS_HINT];
    union rules_item item[RULES_ITEMS_HINT];
    struct rules_dice none = {NULL, 0, 0};
    struct rules_outcome out = {
        .event = event, .item = item, .event_cap = RULES_EVENTS_HINT, .item_cap = RULES_ITEMS_HINT};
    const enum rules_err e = rules_decide(at->board, at->state, o, &none, &out);

    if (e == RULES_E_ILLEGAL && no != NULL)
        *no = out.refusal;
    return e != RULES_E_ILLEGAL;
}

/* Keep of the reach what the whole group may do. */
static void narrow(struct select *s, const struct select_place *at)
{
    struct rules_reach *r = &s->reach;
    unsigned kept = 0;

    for (unsigned i = 0; i < r->n_to; i++) {
        struct rules_refusal no = {0};
        struct rules_order o;

        move_order(s, at, &r->to[i], &o);
        if (is_legal(at, &o, &no)) {
            if (kept != i)
                r->to[kept] = r->to[i];
            kept++;
        } else if (r->n_not < RULES_REACH_MAX) {
            r->no[r->n_not++] = (struct rules_not){r->to[i].at, no.why};
        }
    }
    r->n_to = (uint8_t)kept;
}

/* The chosen figure with the smallest allowance: its ways are ways for all. */
static unsigned slowest(const struct select *s, const struct rules_board *b)
{
    unsigned best = s->figure[0];

    for (unsigned i = 1; i < s->n; i++) {
        if (rules_allowance(b, s->figure[i], false) < rules_allowance(b, best, false) ||
            (rules_allowance(b, s->figure[i], false) == rules_allowance(b, best, false) &&
             rules_allowance(b, s->figure[i], true) < rules_allowance(b, best, true)))
            best = s->figure[i];
    }
    return best;
}

static void ask(struct select *s, const struct select_place *at)
{
    const uint16_t sq = at->state->at[s->figure[0]];

    rules_reach(at->board, at->state, slowest(s, at->board), &s->reach);
    if (s->n > 1)
        narrow(s, at);
    for (unsigned d = RULES_N; d <= RULES_W; d++)
        s->has_aim[d] = rules_aim(at->board, at->state, sq, (enum rules_dir)d, &s->aim[d],
                                  &s->aim_why[d]) == RULES_OK;
}

static bool can_choose(const struct select_place *at, unsigned figure)
{
    return at->side != RULES_NOBODY && at->board->figure[figure].side == at->side &&
           at->state->at[figure] != RULES_NO_SQUARE;
}

static void choose_one(struct select *s, const struct select_place *at, unsigned figure)
{
    select_clear(s);
    if (at->state->at[figure] != RULES_NO_SQUARE)
        s->cursor = at->state->at[figure];
    if (!can_choose(at, figure))
        return;
    s->n = 1;
    s->figure[0] = (uint16_t)figure;
    ask(s, at);
}

void select_figure(struct select *s, const struct select_place *at, unsigned figure)
{
    choose_one(s, at, figure);
}

void select_refresh(struct select *s, const struct select_place *at)
{
    const uint8_t face = s->face;
    const bool aiming = s->aiming;
    unsigned kept = 0;

    for (unsigned i = 0; i < s->n; i++) {
        if (can_choose(at, s->figure[i]) && rules_can_act(at->board, at->state, s->figure[i]) &&
            (kept == 0 || at->state->at[s->figure[i]] == at->state->at[s->figure[0]]))
            s->figure[kept++] = s->figure[i];
    }
    if (kept == 0) {
        select_clear(s);
        return;
    }
    s->n = (uint8_t)kept;
    s->face = face;
    ask(s, at);
    s->aiming = aiming && s->aim_face <= RULES_W && s->has_aim[s->aim_face];
}

bool select_next(struct select *s, const struct select_place *at, int way)
{
    const unsigned n = at->board->n_figures;
    unsigned from = 0;

    if (at->side == RULES_NOBODY)
        return false;
    if (s->n > 0)
        from = s->figure[way > 0 ? s->n - 1 : 0];
    else if (way > 0)
        from = n - 1;
    for (unsigned i = 1; i <= n; i++) {
        const unsigned f = (from + (way > 0 ? i : n - i)) % n;

        if (at->board->figure[f].side == at->side && rules_can_act(at->board, at->state, f)) {
            choose_one(s, at, f);
            return true;
        }
    }
    return false;
}

void select_group(struct select *s, const struct select_place *at)
{
    uint8_t there[RULES_STACK_MAX];
    unsigned n, kept = 0;
    uint16_t sq;

    if (s->n == 0)
        return;
    sq = at->state->at[s->figure[0]];
    n = rules_at(at->board, at->state, sq, there);
    if (s->n > 1) {
        choose_one(s, at, s->figure[0]);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        if (can_choose(at, there[i]) && rules_can_act(at->board, at->state, there[i]))
            s->figure[kept++] = there[i];
    }
    if (kept == 0)
        s->figure[kept++] = there[0];
    s->n = (uint8_t)kept;
    ask(s, at);
}

void select_move(struct select *s, const struct rules_board *b, int dx, int dy)
{
    const int x = (int)(s->cursor % b->w) + dx, y = (int)(s->cursor / b->w) + dy;
    const int cx = MAX(0, MIN(x, b->w - 1)), cy = MAX(0, MIN(y, b->h - 1));

    s->cursor = (uint16_t)(cy * b->w + cx);
}

bool select_targets(const struct select *s, const struct select_place *at, uint16_t sq,
                    uint8_t *face)
{
    for (unsigned d = RULES_N; s->n > 0 && d <= RULES_W; d++) {
        if (s->has_aim[d] && s->aim[d].target == sq) {
            *face = (uint8_t)d;
            return at->state->at[s->figure[0]] == s->aim[d].square;
        }
    }
    return false;
}

/* Why not to the square, with what the words count. */
static struct rules_refusal why_not(const struct select *s, const struct select_place *at,
                                    uint16_t sq)
{
    const struct rules_board *b = at->board;
    const uint16_t home = at->state->at[s->figure[0]];
    const unsigned f = slowest(s, b);
    const int dx = (int)(sq % b->w) - (int)(home % b->w),
              dy = (int)(sq / b->w) - (int)(home / b->w);
    const enum rules_why why = select_why(s, sq);

    return (struct rules_refusal){.why = (uint8_t)why,
                                  .figure = (uint16_t)f,
                                  .square = sq,
                                  .asked = (uint16_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy)),
                                  .allowed =
                                      (uint16_t)rules_allowance(b, f, why == RULES_WHY_UPHILL)};
}

/* ---- ordering ---- */

static void put_why(const struct select_place *at, const struct rules_refusal *no, struct buf *why)
{
    buf_printf(why, "Not that (R%u): ", rules_why_rule((enum rules_why)no->why));
    refusal_words(at->scn, at->board, no, why);
    buf_putc(why, '.');
}

static enum select_act give(const struct select_place *at, const struct rules_order *o,
                            struct buf *why)
{
    struct rules_refusal no = {.figure = RULES_NO_FIGURE, .square = RULES_NO_SQUARE};

    if (is_legal(at, o, &no))
        return SELECT_ORDER;
    put_why(at, &no, why);
    return SELECT_NOTHING;
}

static enum select_act fire_order(const struct select *s, const struct select_place *at,
                                  unsigned face, struct rules_order *o)
{
    memset(o, 0, sizeof(*o));
    o->kind = RULES_DO_FIRE;
    o->side = (uint8_t)at->side;
    o->face = (uint8_t)face;
    o->exit = RULES_NO_DIR;
    o->square = at->state->at[s->figure[0]];
    return SELECT_ORDER;
}

static enum select_act turn_order(const struct select *s, const struct select_place *at,
                                  struct rules_order *o, struct buf *why)
{
    move_order(s, at, NULL, o);
    o->kind = RULES_DO_TURN;
    return give(at, o, why);
}

static enum select_act go_to(struct select *s, const struct select_place *at, struct rules_order *o,
                             struct buf *why)
{
    const struct rules_to *to = select_to(s, s->cursor);
    const struct rules_refusal no = why_not(s, at, s->cursor);

    if (to != NULL) {
        move_order(s, at, to, o);
        return give(at, o, why);
    }
    if (no.why == RULES_WHY_NONE)
        buf_puts(why, "That is further than they can go (R12).");
    else
        put_why(at, &no, why);
    return SELECT_NOTHING;
}

/* A figure of ours at the cursor that isn't chosen; one that can act before the others. */
static unsigned other_there(const struct select *s, const struct select_place *at)
{
    uint8_t there[RULES_STACK_MAX];
    const unsigned n = rules_at(at->board, at->state, s->cursor, there);
    unsigned from = 0, found = RULES_NO_FIGURE;

    for (unsigned i = 0; i < n; i++) {
        if (select_has(s, there[i]))
            from = i + 1;
    }
    for (unsigned i = n; i-- > 0;) {
        const unsigned f = there[(from + i) % n];

        if (!select_has(s, f) && at->board->figure[f].side == at->side &&
            (found == RULES_NO_FIGURE || rules_can_act(at->board, at->state, f)))
            found = f;
    }
    return found;
}

enum select_act select_choose(struct select *s, const struct select_place *at,
                              struct rules_order *order, struct buf *why)
{
    const bool here = s->n > 0 && at->state->at[s->figure[0]] == s->cursor;
    unsigned other;
    uint8_t face = RULES_NO_DIR;

    if (at->side == RULES_NOBODY) {
        buf_puts(why, "You look on: there is nothing to order.");
        return SELECT_NOTHING;
    }
    if (s->n > 0 && select_targets(s, at, s->cursor, &face)) {
        if (s->aiming && s->aim_face == face)
            return fire_order(s, at, face, order);
        s->aiming = true;
        s->aim_face = face;
        return SELECT_LOOK;
    }
    if (here && s->face != RULES_NO_DIR)
        return turn_order(s, at, order, why);
    if (s->n > 0 && !here && select_to(s, s->cursor) != NULL)
        return go_to(s, at, order, why);
    other = other_there(s, at);
    if (other != RULES_NO_FIGURE) {
        choose_one(s, at, other);
        return SELECT_LOOK;
    }
    if (here) {
        select_clear(s);
        return SELECT_LOOK;
    }
    if (s->n > 0)
        return go_to(s, at, order, why);
    buf_puts(why, "Nobody of yours stands there.");
    return SELECT_NOTHING;
}

static unsigned next_aim(const struct select *s, unsigned from)
{
    for (unsigned i = 0; i < 4; i++) {
        const unsigned d = (from + i) % 4;

        if (s->has_aim[d])
            return d;
    }
    return RULES_NO_DIR;
}

enum select_act select_fire(struct select *s, const struct select_place *at,
                            struct rules_order *order, struct buf *why)
{
    unsigned face;

    if (s->n == 0) {
        buf_puts(why, "Choose who is to fire first.");
        return SELECT_NOTHING;
    }
    if (s->aiming && s->aim_face <= RULES_W && s->has_aim[s->aim_face])
        return fire_order(s, at, s->aim_face, order);
    face =
        next_aim(s, at->state->face[s->figure[0]] <= RULES_W ? at->state->face[s->figure[0]] : 0U);
    if (face == RULES_NO_DIR) {
        const unsigned d = at->state->face[s->figure[0]];

        if (d <= RULES_W)
            put_why(at, &s->aim_why[d], why);
        return SELECT_NOTHING;
    }
    s->aiming = true;
    s->aim_face = (uint8_t)face;
    s->cursor = s->aim[face].target;
    return SELECT_LOOK;
}

enum select_act select_exit(struct select *s, const struct select_place *at,
                            struct rules_order *order, struct buf *why)
{
    const uint16_t home = s->n > 0 ? at->state->at[s->figure[0]] : RULES_NO_SQUARE;

    if (s->n == 0) {
        buf_puts(why, "Choose who is to leave first.");
        return SELECT_NOTHING;
    }
    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        const struct rules_to *to = select_to(s, s->cursor);

        if (!rules_may_exit(at->board, at->side, (enum rules_dir)d) ||
            rules_edge_distance(at->board, s->cursor, (enum rules_dir)d) != 0 ||
            (to == NULL && s->cursor != home))
            continue;
        move_order(s, at, s->cursor == home ? NULL : to, order);
        order->exit = (uint8_t)d;
        order->face = RULES_NO_DIR;
        return give(at, order, why);
    }
    buf_puts(why, "No way off the board from that square (R45).");
    return SELECT_NOTHING;
}

/* ---- words ---- */

unsigned select_ready(const struct select_place *at, enum rules_side side)
{
    unsigned n = 0;

    for (unsigned f = 0; f < at->board->n_figures; f++)
        n += at->board->figure[f].side == side && rules_can_act(at->board, at->state, f) ? 1 : 0;
    return n;
}

static void put_chosen(const struct select *s, const struct select_place *at, struct buf *out)
{
    if (s->n == 1) {
        words_figure(at->scn, at->state, s->figure[0], out);
    } else {
        for (unsigned i = 0; i < s->n; i++) {
            buf_puts(out, i == 0 ? "" : ", ");
            words_id(at->scn, s->figure[i], out);
        }
        buf_puts(out, " as one group");
    }
    if (s->reach.why != RULES_WHY_NONE) {
        const struct rules_refusal no = {
            .why = s->reach.why, .figure = s->figure[0], .square = RULES_NO_SQUARE};

        buf_printf(out, ": can't act (R%u): ", rules_why_rule((enum rules_why)s->reach.why));
        refusal_words(at->scn, at->board, &no, out);
        buf_puts(out, ". ");
        return;
    }
    buf_printf(out, ": may go to %u square%s. ", s->reach.n_to, s->reach.n_to == 1 ? "" : "s");
}

static void put_way(const struct select *s, const struct select_place *at, struct buf *out)
{
    const struct rules_to *to = select_to(s, s->cursor);
    const uint16_t home = at->state->at[s->figure[0]];
    const enum rules_why no = select_why(s, s->cursor);
    char name[RULES_SQUARE_NAME];

    (void)rules_square_name(at->board, s->cursor, name);
    if (s->cursor == home) {
        if (s->face != RULES_NO_DIR)
            buf_printf(out, "Turns to face %s. ", describe_dir((enum rules_dir)s->face));
    } else if (to != NULL) {
        buf_printf(out, "To %s: %u step%s%s", name, to->n, to->n == 1 ? "" : "s",
                   to->crosses != 0 ? ", crossing (R16)" : "");
        if (s->face != RULES_NO_DIR)
            buf_printf(out, ", then faces %s", describe_dir((enum rules_dir)s->face));
        buf_puts(out, ". ");
    } else if (no != RULES_WHY_NONE) {
        const struct rules_refusal why = why_not(s, at, s->cursor);

        buf_printf(out, "Not to %s (R%u): ", name, rules_why_rule(no));
        refusal_words(at->scn, at->board, &why, out);
        buf_puts(out, ". ");
    }
}

void select_words(const struct select *s, const struct select_place *at, struct buf *out)
{
    struct rules_odds melee;
    unsigned face;

    if (s->n == 0)
        return;
    put_chosen(s, at, out);
    put_way(s, at, out);
    face = s->aiming ? s->aim_face : at->state->face[s->figure[0]];
    if (face <= RULES_W &&
        rules_is_soldier((enum rules_type)at->board->figure[s->figure[0]].type)) {
        words_aim(at->scn, at->board, at->state, s->figure[0], (enum rules_dir)face, out);
        buf_putc(out, ' ');
    }
    melee = rules_odds_melee(at->board, at->state, s->figure[0]);
    if (melee.n > 0) {
        buf_puts(out, "Hand-to-hand now: falls ");
        words_odds(melee, out);
        buf_puts(out, ". ");
    }
}

void select_square_words(const struct select *s, const struct select_place *at, struct buf *out)
{
    words_square(at->scn, at->board, at->state, s->cursor, out);
}
