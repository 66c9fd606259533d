/* SPDX-License-Identifier: ISC
 * play_table.c -- a match screen at work.
 */
#include "client/tui/play_table.h"

#include "client/orders.h"
#include "client/tui/play_impl.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define CLOCK_MS 1000
#define PACE_MAX 40 /* steps behind which no more are waited for */

void play_init(struct play_table *p, struct shell *shell, const struct settings *set,
               enum scene_kind kind, const struct play_port *port)
{
    memset(p, 0, sizeof(*p));
    p->shell = shell;
    p->set = set;
    p->port = *port;
    p->at = PLAY_NOW;
    p->speed_ms = kind == SCENE_REPLAY ? 700 : (int)set->pace_ms;
    p->luck = mem_zalloc(sizeof(*p->luck));
    p->scene.kind = kind;
    p->scene.film = &p->film;
    p->scene.log = &p->log;
    p->scene.luck = p->luck;
    p->scene.me = RULES_NOBODY;
    p->scene.running = RULES_NOBODY;
}

void play_fini(struct play_table *p)
{
    film_fini(&p->film);
    log_fini(&p->log);
    mem_free(p->luck);
    buf_fini(&p->dice);
    recall_fini(&p->recall);
    memset(p, 0, sizeof(*p));
}

struct select_place play_place(const struct play_table *p)
{
    const struct scene *v = &p->scene;

    return (struct select_place){v->a->scn, v->a->board, &v->a->game.rules.state, v->me};
}

void play_note(struct play_table *p, bool bad, const char *text)
{
    (void)str_copy(p->table.note, sizeof(p->table.note), text);
    p->table.note_bad = bad;
    shell_dirty(p->shell);
}

/* ---- facts ---- */

static void can_in_match(struct play_table *p, bool *can)
{
    const struct scene *v = &p->scene;
    const bool order = v->may_order && !v->busy, seat = v->kind == SCENE_MATCH;
    const bool plays = (seat || v->kind == SCENE_HOTSEAT) && v->a->started && !v->a->over;

    can[ACT_FIRE] = order;
    can[ACT_UNDO] = order && v->a->game.rules.n_undo > 0;
    can[ACT_END_PHASE] = order;
    can[ACT_GROUP] = order && v->a->board->scale == RULES_3IN;
    for (unsigned d = RULES_N; d <= RULES_W && v->me != RULES_NOBODY; d++)
        can[ACT_EXIT] =
            can[ACT_EXIT] || (order && rules_may_exit(v->a->board, v->me, (enum rules_dir)d));
    can[ACT_FACE_N] = can[ACT_FACE_E] = can[ACT_FACE_S] = can[ACT_FACE_W] = order;
    can[ACT_REVIEW] = film_their_phase(&p->film, v->me) < p->film.n;
    can[ACT_TALK] = seat;
    can[ACT_TALK_ALL] = seat || v->kind == SCENE_WATCH;
    can[ACT_DRAW] = can[ACT_PAUSE] = can[ACT_ASK_UNDO] = seat && plays;
    can[ACT_RESIGN] = plays;
    can[ACT_CLAIM] = seat && plays;
    can[ACT_GO_ON] = v->went_back;
    can[ACT_YES] = can[ACT_NO] = v->offered || p->table.ask != ACT_NONE;
    can[ACT_NEXT] = can[ACT_PREV] = can[ACT_CHOOSE] = v->me != RULES_NOBODY && plays;
}

static void find_can(struct play_table *p)
{
    const unsigned ctx = p->scene.kind == SCENE_REPLAY ? CTX_REPLAY : CTX_MATCH;
    bool *can = p->scene.can;

    for (unsigned a = 0; a < ACT_COUNT; a++)
        can[a] = (action_contexts((enum action)a) & ctx) != 0;
    can[ACT_YES] = can[ACT_NO] = can[ACT_EXIT] = false;
    if (p->scene.kind != SCENE_REPLAY)
        can_in_match(p, can);
}

/* The scene's facts as of now; false: nothing to be seen yet. */
bool play_facts(struct play_table *p)
{
    struct scene *v = &p->scene;

    p->port.facts(p->port.data, v);
    if (v->a == NULL || v->a->board == NULL)
        return false;
    if (!p->begun) {
        select_init(&p->table.select, v->a->board);
        p->begun = true;
    }
    v->s = &v->a->game.rules.state;
    v->at = p->at;
    v->running_film = p->running;
    v->speed_ms = p->speed_ms;
    v->kept = p->kept.on ? p->kept.words : "";
    if (p->at != PLAY_NOW) {
        if (p->at < p->film.n && film_state(&p->film, v->a->board, p->at, &p->shown))
            v->s = &p->shown;
        else
            p->at = v->at = PLAY_NOW;
    }
    find_can(p);
    return true;
}

void play_draw(struct play_table *p, struct canvas *c)
{
    if (!play_facts(p)) {
        (void)canvas_put(c, row_of(1, 1, c->w - 2), style_of(INK_TEXT),
                         p->scene.status != NULL && p->scene.status[0] != '\0'
                             ? p->scene.status
                             : "Waiting for the match.");
        return;
    }
    if (p->table.over == TABLE_BOARD)
        view_match(c, &p->scene, &p->set->keys, &p->table);
    else
        view_over(c, &p->scene, &p->set->keys, &p->table);
    play_wake(p);
}

/* When must the screen change by itself: a step of the film, or a clock. */
void play_wake(struct play_table *p)
{
    if (p->running)
        shell_wake(p->shell, p->speed_ms);
    else if (p->scene.running <= RULES_B && p->scene.player[p->scene.running].has_left)
        shell_wake(p->shell, CLOCK_MS);
    else
        shell_wake(p->shell, -1);
}

/* ---- entries ---- */

void play_entry(struct play_table *p, const struct audit *a, bool live, bool ours)
{
    const struct film_frame *fr;
    const size_t before = p->film.n;

    film_add(&p->film, a, p->scene.me);
    luck_entry(p->luck, a);
    fr = &p->film.frame[before];
    log_add(&p->log, LOG_PLAY, fr->words);
    shell_dirty(p->shell);
    if (!live || ours || p->set->pace_ms == 0 || p->scene.kind == SCENE_REPLAY)
        return;
    if (p->at == PLAY_NOW && before > 0 && film_next(&p->film, before) == before) {
        p->at = before - 1;
        p->running = true;
    } else if (p->running && p->at != PLAY_NOW && before - p->at > PACE_MAX) {
        p->at = before - PACE_MAX;
    }
}

void play_whole(struct play_table *p, struct film *film, const struct luck *luck)
{
    const bool waited = p->at == PLAY_NOW;

    if (!waited)
        p->at += film->n - MIN(film->n, p->film.n);
    film_fini(&p->film);
    p->film = *film;
    memset(film, 0, sizeof(*film));
    *p->luck = *luck;
    if (waited)
        play_step(p, -1);
    shell_dirty(p->shell);
}

void play_settled(struct play_table *p)
{
    if (!play_facts(p))
        return;
    if (p->scene.me != RULES_NOBODY) {
        const struct select_place at = play_place(p);

        select_refresh(&p->table.select, &at);
    }
    shell_dirty(p->shell);
}

/* Was anything played behind the entry `base`? */
static bool played_since(const struct film *f, uint32_t base)
{
    for (size_t i = f->n; i-- > 0 && f->frame[i].seq > base;) {
        if (f->frame[i].kind == ENTRY_ORDER || f->frame[i].kind == ENTRY_ROLL ||
            f->frame[i].kind == ENTRY_PLAY)
            return true;
    }
    return false;
}

void play_back(struct play_table *p)
{
    struct buf text = BUF_EMPTY;
    const struct play_kept kept = p->kept;

    if (!kept.on || !play_facts(p))
        return;
    p->kept.on = false;
    if (played_since(&p->film, kept.base))
        buf_printf(&text, "Not sent, the board has moved on: %s", kept.words);
    else if (!p->scene.may_order || p->scene.busy)
        buf_printf(&text, "Not sent, it can't be given now: %s", kept.words);
    if (text.len > 0) {
        log_add(&p->log, LOG_NEWS, buf_str(&text));
        play_note(p, true, buf_str(&text));
    } else {
        buf_printf(&text, "Sent, now that the line is up: %s", kept.words);
        log_add(&p->log, LOG_NEWS, buf_str(&text));
        p->port.order(p->port.data, &kept.order);
    }
    buf_fini(&text);
}

/* ---- time ---- */

void play_now(struct play_table *p)
{
    p->at = PLAY_NOW;
    p->running = false;
}

/* The step before the one shown; n: none. */
static size_t step_before(const struct play_table *p)
{
    const size_t last = film_prev(&p->film, p->film.n - 1);
    const size_t shown = p->at == PLAY_NOW ? last : p->at;

    return shown < p->film.n && shown > 0 ? film_prev(&p->film, shown - 1) : p->film.n;
}

/* On from the one shown; the last step is now, but for a game seen again. */
static size_t step_behind(const struct play_table *p)
{
    const size_t next = film_next(&p->film, p->at + 1);
    const bool last = next >= p->film.n || film_next(&p->film, next + 1) >= p->film.n;

    if (!last || (p->scene.kind == SCENE_REPLAY && next < p->film.n))
        return next;
    return p->scene.kind == SCENE_REPLAY ? p->at : PLAY_NOW;
}

void play_step(struct play_table *p, int way)
{
    size_t next;

    if (p->film.n == 0)
        return;
    if (way > 0) {
        if (p->at != PLAY_NOW)
            p->at = step_behind(p);
        return;
    }
    next = step_before(p);
    if (next < p->film.n)
        p->at = next;
}

void play_tick(struct play_table *p)
{
    if (!p->running)
        return;
    play_step(p, 1);
    if (p->at == PLAY_NOW ||
        (p->scene.kind == SCENE_REPLAY && film_next(&p->film, p->at + 1) >= p->film.n))
        p->running = false;
}
