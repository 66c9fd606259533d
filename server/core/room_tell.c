/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "server/core/attic.h"
#include "server/core/lobby.h"
#include "server/core/room.h"
#include "server/core/user.h"

/* Spectators come and go in crowds: they are counted out this seldom. */
enum { COUNT_SOON_MS = 250, COUNT_EVERY_MS = 1000 };

/* ---- readers ---- */

struct sub *sub_find(struct conn *cn, const struct room *r)
{
    struct sub *s = &cn->one;

    while (s != NULL && s->room != r)
        s = s->conn_next;
    return s;
}

static struct sub_list *list_of(struct sub *s)
{
    return s->player ? &s->room->players : &s->room->watchers;
}

/* The number of spectators has changed. */
static void count_later(struct core *c, struct room *r)
{
    if (r->presence_due)
        return;
    r->presence_due = true;
    r->presence_at.ms = MAX(r->presence_at.ms, c->now.ms + COUNT_SOON_MS);
    if (r->timer.pos == 0 || r->timer.at.ms > r->presence_at.ms)
        timer_arm(&c->timers, &r->timer, r->presence_at);
}

static void count_sub(struct core *c, struct sub *s, bool more)
{
    unsigned *n = s->player ? &c->n_players : &c->n_watchers;

    *n = more ? *n + 1 : *n - 1;
    if (!s->player)
        count_later(c, s->room);
}

struct sub *sub_add(struct core *c, struct conn *cn, struct room *r, bool player)
{
    struct sub *s = cn->one.room == NULL ? &cn->one : mem_zalloc(sizeof(*s));
    struct sub_list *l;

    CHECK(sub_find(cn, r) == NULL);
    s->conn = cn;
    s->room = r;
    s->player = player;
    if (s != &cn->one) {
        s->conn_next = cn->one.conn_next;
        cn->one.conn_next = s;
    }
    l = list_of(s);
    s->prev = l->last;
    if (l->last != NULL)
        l->last->next = s;
    else
        l->first = s;
    l->last = s;
    l->n++;
    count_sub(c, s, true);
    return s;
}

/* Its place in the connection is free again, or its memory. */
static void forget(struct sub *s)
{
    struct sub *before = &s->conn->one;

    if (s == before) {
        *s = (struct sub){.conn_next = s->conn_next};
        return;
    }
    while (before->conn_next != s)
        before = before->conn_next;
    before->conn_next = s->conn_next;
    mem_free(s);
}

void sub_drop(struct core *c, struct sub *s)
{
    struct sub_list *l = list_of(s);

    if (s->prev != NULL)
        s->prev->next = s->next;
    else
        l->first = s->next;
    if (s->next != NULL)
        s->next->prev = s->prev;
    else
        l->last = s->prev;
    l->n--;
    count_sub(c, s, false);
    if (s->room->list == ROOMS_OVER)
        attic_wake(c); /* perhaps nothing holds it in memory any more */
    forget(s);
}

void subs_drop(struct core *c, struct conn *cn)
{
    while (cn->one.conn_next != NULL)
        sub_drop(c, cn->one.conn_next);
    if (cn->one.room != NULL)
        sub_drop(c, &cn->one);
}

/* This reader must sync again; until then it gets nothing more of the match. */
static void resync(struct core *c, struct sub *s)
{
    struct jsonw w = note_open(c, NOTE_MATCH_RESYNC);

    jsonw_m_hex(&w, "match", s->room->id, sizeof(s->room->id));
    note_send(c, s->conn, &w);
    sub_drop(c, s);
}

void subs_resync(struct core *c, struct conn *cn)
{
    struct sub *next;

    for (struct sub *s = &cn->one; s != NULL; s = next) {
        next = s->conn_next;
        if (s->stale)
            resync(c, s);
    }
}

static void undone(struct core *c, struct sub_list *l, uint32_t undo_to, bool later)
{
    struct sub *next;

    for (struct sub *s = l->first; s != NULL; s = next) {
        next = s->next;
        if (s->state_seq > undo_to && s->later == later)
            resync(c, s);
    }
}

void room_undone(struct core *c, struct room *r, uint32_t undo_to)
{
    undone(c, &r->players, undo_to, false);
    undone(c, &r->watchers, undo_to, false);
    if (r->undo_low == 0 || undo_to < r->undo_low)
        r->undo_low = undo_to;
}

const struct match_viewer room_stranger = {.role = ROLE_COUNT};

struct match_viewer room_viewer(const struct room *r, const struct user *u)
{
    return (struct match_viewer){.role = room_role(r, u), .umpire = u->role != USER_PLAIN};
}

void room_show(struct core *c, struct room *r)
{
    const uint32_t upto = match_visible_head(r->m, room_stranger);
    struct room_line l = {.to_later = true};

    if (match_setup_of(r->m)->delay == 0 || upto <= r->shown)
        return;
    if (r->watchers.n > 0) {
        l.line = room_lines(c, r, r->shown + 1, upto - r->shown);
        room_say(c, r, &l);
        shared_unref(l.line);
    }
    if (r->undo_low != 0)
        undone(c, &r->watchers, r->undo_low, true);
    r->undo_low = 0;
    r->shown = upto;
}

/* ---- notes to all readers ---- */

static bool hears(const struct sub *s, const struct room_line *line)
{
    if (s->player)
        return line->to_players;
    return s->later ? line->to_later : line->to_watchers;
}

static void say_to(struct core *c, struct sub_list *l, const struct room_line *line)
{
    for (struct sub *s = l->first; s != NULL; s = s->next) {
        if (!hears(s, line))
            continue;
        if (line->from != NULL && user_has_muted(s->conn->user, line->from))
            continue;
        if (s->conn->slow)
            s->stale = true;
        else
            out_shared(c, s->conn, line->line, s->player);
    }
}

void room_say(struct core *c, struct room *r, const struct room_line *l)
{
    if (l->to_players)
        say_to(c, &r->players, l);
    if (l->to_watchers || l->to_later)
        say_to(c, &r->watchers, l);
}

static void put_seat(struct core *c, const struct room *r, enum role role, struct jsonw *w)
{
    const char *name = match_name(r->m, role);
    enum rules_side side = match_side(r->m, role);
    struct user *u;

    if (name[0] == '\0')
        return;
    u = user_find(c, name);
    jsonw_obj(w);
    jsonw_m_str(w, "role", role == ROLE_A ? "A" : "B");
    if (side != RULES_NOBODY && match_position(r->m) != NULL)
        jsonw_m_str(w, "side", match_setup_of(r->m)->scenario->side[side].id);
    jsonw_m_str(w, "player", name);
    jsonw_m_bool(w, "online", user_is_online(u));
    if (r->away[role].ms != INT64_MIN)
        jsonw_m_int(w, "away_ms", mono_since(c->now, r->away[role]));
    jsonw_obj_end(w);
}

static struct jsonw presence_note(struct core *c, const struct room *r)
{
    struct jsonw w = note_open(c, NOTE_MATCH_PRESENCE);

    jsonw_m_hex(&w, "match", r->id, sizeof(r->id));
    jsonw_m_arr(&w, "seats");
    put_seat(c, r, ROLE_A, &w);
    put_seat(c, r, ROLE_B, &w);
    jsonw_arr_end(&w);
    jsonw_m_int(&w, "spectators", r->watchers.n);
    return w;
}

static bool clock_note(struct core *c, const struct room *r, struct jsonw *out)
{
    struct match_clock clock;

    if (!match_clock_at(r->m, core_now(c), &clock))
        return false;
    *out = note_open(c, NOTE_MATCH_CLOCK);
    jsonw_m_hex(out, "match", r->id, sizeof(r->id));
    jsonw_name(out, "left");
    lobby_left(r, core_now(c), out);
    if (clock.running == RULES_NOBODY)
        jsonw_m_null(out, "running");
    else
        jsonw_m_str(out, "running", match_setup_of(r->m)->scenario->side[clock.running].id);
    jsonw_m_bool(out, "paused", match_is_paused(r->m));
    return true;
}

void room_tell_presence(struct core *c, const struct room *r, struct conn *cn)
{
    struct jsonw w = presence_note(c, r);

    note_send(c, cn, &w);
}

void room_tell_clock(struct core *c, const struct room *r, struct conn *cn)
{
    struct jsonw w;

    if (clock_note(c, r, &w))
        note_send(c, cn, &w);
}

static void say_note(struct core *c, struct room *r, struct jsonw *w, bool later)
{
    struct room_line l = {.to_players = true, .to_watchers = true, .to_later = later};

    l.line = note_share(c, w);
    room_say(c, r, &l);
    shared_unref(l.line);
}

void room_tell_all_presence(struct core *c, struct room *r)
{
    struct jsonw w;

    r->presence_due = false;
    r->presence_at = mono_after(c->now, COUNT_EVERY_MS);
    if (r->m == NULL || (r->players.n == 0 && r->watchers.n == 0))
        return;
    w = presence_note(c, r);
    say_note(c, r, &w, true);
}

void room_tell_all_clock(struct core *c, struct room *r)
{
    struct jsonw w;

    if ((r->players.n > 0 || r->watchers.n > 0) && clock_note(c, r, &w))
        say_note(c, r, &w, false);
}
