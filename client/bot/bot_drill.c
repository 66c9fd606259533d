/* SPDX-License-Identifier: ISC
 * bot_drill.c -- a side's orders for one phase, figure by figure, each the best by its score.
 *
 * First whoever would rather shoot than anything else does; then everybody, nearest to the enemy
 * first, does what is best. The same code plays the real phase and those in the head.
 */
#include "client/bot/bot_internal.h"

#define SPAN      (2 * RULES_PATH_MAX + 1) /* the window of squares within five steps */
#define NODES_MAX (SPAN * SPAN * 2)
#define EXIT_WINS 1000000 /* leaving by the edge that wins is always right */

enum deed { STAND, TURN, SHOOT, MOVE };

struct option {
    int score;
    uint8_t deed, face, exit, n_path;
    uint16_t path[RULES_PATH_MAX];
};

/* A place that can be walked to. */
struct node {
    uint16_t at, via;
    uint8_t steps, climbed, crosses;
};

struct walks {
    uint8_t seen[SPAN * SPAN][2];
    struct node node[NODES_MAX];
    unsigned n;
};

void bot_plan_fill(struct bot_plan *p, enum bot_style style, unsigned noise, uint32_t seed)
{
    for (unsigned f = 0; f < RULES_FIGURES_MAX; f++) {
        p->style[f] = (uint8_t)style;
        p->noise[f] = (uint8_t)noise;
        p->seed[f] = bot_mix(seed, f);
    }
}

void bot_drill_begin(struct bot_drill *d, const struct bot_plan *plan, struct bot_view *view,
                     const struct rules_state *s)
{
    const struct rules_board *b = view->m->b;

    d->plan = plan;
    d->view = view;
    d->pass = 0;
    d->at = 0;
    d->given = 0;
    d->n_line = 0;
    for (unsigned f = 0; f < b->n_figures; f++) {
        unsigned i = d->n_line;

        if (b->figure[f].side != view->me || s->status[f] != RULES_READY)
            continue;
        for (; i > 0 && view->chase[s->at[d->line[i - 1]]] > view->chase[s->at[f]]; i--)
            d->line[i] = d->line[i - 1];
        d->line[i] = (uint8_t)f;
        d->n_line++;
    }
}

/* ---- where it may walk ---- */

static unsigned window(const struct bot_asked *q, uint16_t sq)
{
    const int w = q->view->m->b->w;
    const int dx = sq % w - q->from % w + RULES_PATH_MAX;
    const int dy = sq / w - q->from / w + RULES_PATH_MAX;

    return (unsigned)(dy * SPAN + dx);
}

static void try_step(const struct bot_asked *q, struct walks *k, unsigned i, unsigned d)
{
    const struct bot_map *m = q->view->m;
    const struct node from = k->node[i];
    const uint16_t to = m->next[from.at][d];
    const bool wall = (m->walls[from.at] >> d & 1) != 0;
    const bool wheels = m->b->figure[q->figure].type == RULES_WAGON;
    bool climbed;

    if (to == RULES_NO_SQUARE || q->view->foe[to] != 0 || from.crosses != 0)
        return;
    if ((wall && (i != 0 || wheels)) || (wheels && m->b->ground[to] != RULES_ROAD))
        return;
    climbed = from.climbed != 0 || m->b->height[to] > m->b->height[from.at];
    if (from.steps + 1U > rules_allowance(m->b, q->figure, climbed) || k->n == NODES_MAX ||
        k->seen[window(q, to)][climbed] != 0)
        return;
    if (!wall) /* a way round, if there is one, is better to go on from */
        k->seen[window(q, to)][climbed] = 1;
    k->node[k->n++] =
        (struct node){to, (uint16_t)i, (uint8_t)(from.steps + 1), climbed, wall ? 1 : 0};
}

static void walk(const struct bot_asked *q, struct walks *k)
{
    memset(k->seen, 0, sizeof(k->seen));
    k->node[0] = (struct node){q->from, 0, 0, 0, 0};
    k->n = 1;
    k->seen[window(q, q->from)][0] = 1;
    for (unsigned i = 0; i < k->n; i++)
        for (unsigned d = RULES_N; d <= RULES_W; d++)
            try_step(q, k, i, d);
}

static bool has_room(const struct bot_asked *q, uint16_t sq)
{
    const struct bot_view *v = q->view;
    const struct rules_board *b = v->m->b;

    if (sq == q->from || v->count[sq] == 0)
        return sq != q->from;
    return v->count[sq] + q->group <= b->stack && b->figure[q->figure].type != RULES_WAGON &&
           b->figure[v->top[sq]].type != RULES_WAGON;
}

/* ---- what is best ---- */

static int noise(const struct bot_asked *q, unsigned what)
{
    const unsigned most = q->plan->noise[q->figure];

    return most == 0 ? 0 : (int)(bot_mix(q->plan->seed[q->figure], what) % (most * 10 + 1));
}

static void take_path(const struct walks *k, unsigned i, struct option *o)
{
    o->n_path = k->node[i].steps;
    for (unsigned s = k->node[i].steps; s > 0; s--) {
        o->path[s - 1] = k->node[i].at;
        i = k->node[i].via;
    }
}

/* Off the board where that is what this figure is for. */
static void try_exit(const struct bot_asked *q, const struct walks *k, unsigned i,
                     struct option *best)
{
    const struct rules_board *b = q->view->m->b;
    const unsigned run = q->view->m->runs[q->figure];
    const struct node *at = &k->node[i];
    const struct rules_win *win;

    if (run == 0)
        return;
    win = &b->side[q->view->me].win[run - 1];
    if (win->kind != RULES_WIN_EXIT || at->crosses != 0 ||
        rules_edge_distance(b, at->at, (enum rules_dir)win->edge) != 0 ||
        at->steps + 1U > rules_allowance(b, q->figure, at->climbed != 0) ||
        best->score >= EXIT_WINS - at->steps)
        return;
    best->score = EXIT_WINS - at->steps;
    best->deed = MOVE;
    best->face = win->edge;
    best->exit = win->edge;
    take_path(k, i, best);
}

static void try_moves(const struct bot_asked *q, const struct walks *k, struct option *best)
{
    for (unsigned i = 0; i < k->n; i++) {
        const uint16_t sq = k->node[i].at;
        int place;

        try_exit(q, k, i, best);
        if (!has_room(q, sq))
            continue;
        place = bot_place_score(q, sq) + noise(q, sq);
        for (unsigned d = RULES_N; d <= RULES_W; d++) {
            const int score = place + bot_face_score(q, sq, (enum rules_dir)d);

            if (score <= best->score)
                continue;
            best->score = score;
            best->deed = MOVE;
            best->face = (uint8_t)d;
            best->exit = RULES_NO_DIR;
            take_path(k, i, best);
        }
    }
}

/* Standing, turning and shooting from where it is. */
static void try_here(const struct bot_asked *q, struct option *best)
{
    const struct rules_board *b = q->view->m->b;
    const uint8_t face = q->s->face[q->figure];
    const int place = bot_place_score(q, q->from) + noise(q, q->from);
    const bool is_soldier = rules_is_soldier((enum rules_type)b->figure[q->figure].type);

    *best = (struct option){.score = place + bot_face_score(q, q->from, (enum rules_dir)face),
                            .deed = STAND,
                            .face = face,
                            .exit = RULES_NO_DIR};
    for (unsigned d = RULES_N; d <= RULES_W; d++) {
        const int here = place + bot_face_score(q, q->from, (enum rules_dir)d);
        int fire = is_soldier ? bot_fire_score(q, (enum rules_dir)d) : 0;

        if (fire == 0 && d != face && b->readings.turning == 1 && is_soldier &&
            !rules_has_fired(q->s, q->from))
            fire = q->view->shot[q->from][d] * 30; /* turn first, it is free: then shoot */
        if (d != face && here + fire > best->score) {
            best->score = here + fire;
            best->deed = TURN;
            best->face = (uint8_t)d;
        }
        if (d == face && fire > 0 && here + fire + noise(q, RULES_NO_SQUARE) > best->score) {
            best->score = here + fire + noise(q, RULES_NO_SQUARE);
            best->deed = SHOOT;
            best->face = face;
        }
    }
}

/* ---- one order ---- */

/* The ready ones of the figure's square and type, in rank order (R15). */
static unsigned find_group(const struct bot_asked *q, uint16_t out[RULES_STACK_MAX])
{
    const struct rules_board *b = q->view->m->b;
    uint8_t who[RULES_STACK_MAX];
    unsigned n, group = 0;

    if (b->scale == RULES_1IN) {
        out[0] = q->figure;
        return 1;
    }
    n = rules_at(b, q->s, q->from, who);
    for (unsigned i = 0; i < n; i++)
        if (q->s->status[who[i]] == RULES_READY &&
            b->figure[who[i]].type == b->figure[q->figure].type)
            out[group++] = who[i];
    return group;
}

static bool has_shot(const struct bot_drill *d, const struct rules_state *s, unsigned f)
{
    const uint8_t *shot = d->view->shot[s->at[f]];

    if (d->view->m->b->readings.turning == 1)
        return (shot[0] | shot[1] | shot[2] | shot[3]) != 0;
    return shot[s->face[f]] != 0;
}

static void blank(const struct bot_drill *d, struct rules_order *o)
{
    memset(o, 0, sizeof(*o));
    o->kind = RULES_DO_END_PHASE;
    o->side = (uint8_t)d->view->me;
    o->face = RULES_NO_DIR;
    o->exit = RULES_NO_DIR;
    o->square = RULES_NO_SQUARE;
}

static void write_order(const struct bot_asked *q, const struct option *best, unsigned n,
                        const uint16_t *group, struct rules_order *o)
{
    o->face = best->face;
    if (best->deed == SHOOT) {
        o->kind = RULES_DO_FIRE;
        o->square = q->from;
        return;
    }
    o->kind = best->deed == TURN ? RULES_DO_TURN : RULES_DO_MOVE;
    o->exit = best->exit;
    o->n_figures = (uint8_t)n;
    memcpy(o->figure, group, n * sizeof(group[0]));
    o->n_path = best->n_path;
    memcpy(o->path, best->path, sizeof(best->path[0]) * best->n_path);
}

/* What figure `f` does now; false: nothing in this pass. */
static bool ask(const struct bot_drill *d, const struct rules_state *s, unsigned f,
                struct rules_order *o)
{
    struct bot_asked q;
    struct option best;
    struct walks k;
    uint16_t group[RULES_STACK_MAX] = {(uint16_t)f};
    unsigned n;

    if (!rules_can_act(d->view->m->b, s, f) || (d->pass == 0 && !has_shot(d, s, f)))
        return false;
    bot_ask(&q, d->view, s, d->plan, f);
    n = find_group(&q, group);
    if (group[0] != f && s->face[group[0]] == s->face[f])
        return false; /* the first of the group has spoken for it */
    q.group = (uint8_t)n;
    try_here(&q, &best);
    walk(&q, &k);
    try_moves(&q, &k, &best);
    if (best.deed == STAND ||
        (d->pass == 0 &&
         (best.deed == MOVE || (best.deed == TURN && d->view->m->b->readings.turning == 0))))
        return false;
    write_order(&q, &best, n, group, o);
    return true;
}

void bot_drill_next(struct bot_drill *d, const struct rules_state *s, struct rules_order *out)
{
    blank(d, out);
    d->given++;
    if (d->given > 2 * d->n_line + 4) /* free turning could go on for ever */
        return;
    for (; d->pass < 2; d->pass++, d->at = 0)
        for (; d->at < d->n_line; d->at++)
            if (ask(d, s, d->line[d->at], out))
                return;
}

/* Did the volley leave anybody out of the view's count? */
static bool has_killed(const struct bot_view *v, const struct rules_state *s,
                       const struct rules_order *o)
{
    uint8_t who[RULES_STACK_MAX];
    uint16_t sq = rules_step(v->m->b, o->square, (enum rules_dir)o->face);

    while (sq != RULES_NO_SQUARE && v->count[sq] == 0)
        sq = rules_step(v->m->b, sq, (enum rules_dir)o->face);
    return sq != RULES_NO_SQUARE && rules_at(v->m->b, s, sq, who) != v->count[sq];
}

void bot_drill_done(struct bot_drill *d, const struct rules_state *s, const struct rules_order *o,
                    uint16_t before)
{
    switch ((enum rules_do)o->kind) {
    case RULES_DO_MOVE:
        bot_view_moved(d->view, s, before, s->at[o->figure[0]]);
        break;
    case RULES_DO_FIRE:
        if (has_killed(d->view, s, o))
            bot_view_build(d->view, d->view->m, s, d->view->me);
        break;
    case RULES_DO_TURN:
    case RULES_DO_START:
    case RULES_DO_UNDO:
    case RULES_DO_END_PHASE:
        break;
    }
}
