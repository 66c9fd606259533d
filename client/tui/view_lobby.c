/* SPDX-License-Identifier: ISC
 * view_lobby.c -- the lobby.
 */
#include "client/tui/view_lobby.h"

#include "client/words.h"
#include "common/base/str.h"

#define WHO_W 22

static const char *const headings[] = {"YOUR GAMES", "CHALLENGES", "OPEN", "LOOK ON"};
_Static_assert(ARRAY_LEN(headings) == LOBBY_PARTS, "a heading for every part");
static const char *const empties[] = {"none yet: c opens one, a sits down at an open one", "none",
                                      "nobody waits for an opponent; c opens a match",
                                      "no game is on"};
_Static_assert(ARRAY_LEN(empties) == LOBBY_PARTS, "words for every empty part");

void view_clock_words(const struct clock_rule *clock, struct buf *out)
{
    switch ((enum clock_kind)clock->kind) {
    case CLOCK_NONE:
        buf_puts(out, "no clock");
        break;
    case CLOCK_LIVE:
        if (clock->main_s % 60 == 0)
            buf_printf(out, "%u min", clock->main_s / 60);
        else
            buf_printf(out, "%u s", clock->main_s);
        if (clock->phase_s > 0)
            buf_printf(out, " + %u s", clock->phase_s);
        break;
    case CLOCK_CORRESPONDENCE:
        buf_printf(out, "%u day%s a phase", clock->days, clock->days == 1 ? "" : "s");
        break;
    }
}

const struct lobby_match *view_lobby_at(const struct lobby *l, unsigned cursor,
                                        enum lobby_part *part)
{
    const struct lobby_match *m[LOBBY_MATCHES_MAX];

    for (unsigned p = 0; p < LOBBY_PARTS; p++) {
        const unsigned n = lobby_part(l, (enum lobby_part)p, m);

        if (cursor < n) {
            *part = (enum lobby_part)p;
            return m[cursor];
        }
        cursor -= n;
    }
    return NULL;
}

unsigned view_lobby_rows(const struct lobby *l)
{
    const struct lobby_match *m[LOBBY_MATCHES_MAX];
    unsigned n = 0;

    for (unsigned p = 0; p < LOBBY_PARTS; p++)
        n += lobby_part(l, (enum lobby_part)p, m);
    return n;
}

static const char *other(const struct lobby *l, const struct lobby_match *m)
{
    if (str_ieq(m->maker, l->user))
        return m->joiner[0] != '\0' ? m->joiner : m->opponent;
    return m->maker;
}

static void put_what(const struct lobby_match *m, struct buf *out)
{
    view_clock_words(&m->clock, out);
    if (m->rated)
        buf_puts(out, ", rated");
    if (m->is_private)
        buf_puts(out, ", private");
    if (m->delay > 0) {
        buf_puts(out, ", seen ");
        words_phases(m->delay, out);
        buf_puts(out, " late");
    }
}

/* Who looks on, and how they may. */
static void put_watch(const struct lobby_match *m, struct buf *out)
{
    if (m->max_spectators > 0)
        buf_printf(out, ", %u of %u look on", m->spectators, m->max_spectators);
    else if (m->spectators > 0)
        buf_printf(out, ", %u look on", m->spectators);
    if (m->delay > 0) {
        buf_puts(out, ", delayed by ");
        words_phases(m->delay, out);
    }
}

static void mine_words(const struct lobby *l, const struct lobby_match *m, struct buf *out)
{
    if (m->state == LOBBY_OPEN && m->opponent[0] == '\0')
        buf_puts(out, "waits for an opponent");
    else if (m->state == LOBBY_OPEN)
        buf_printf(out, "%s was asked", m->opponent);
    else if (m->turn == 0)
        buf_printf(out, "begins: open it, against %s", other(l, m));
    else if (m->my_turn)
        buf_printf(out, "your turn, against %s", other(l, m));
    else
        buf_printf(out, "waiting for %s", other(l, m));
    if (m->turn > 0)
        buf_printf(out, ", turn %u", m->turn);
    if (m->has_left) {
        buf_puts(out, ", left ");
        words_span(m->left_ms, out);
    }
    if (m->state == LOBBY_OPEN && m->invite[0] != '\0')
        buf_printf(out, ", invite %s", m->invite);
}

static void match_words(const struct lobby *l, const struct lobby_match *m, enum lobby_part part,
                        struct buf *out)
{
    switch (part) {
    case LOBBY_MINE:
        mine_words(l, m, out);
        break;
    case LOBBY_CHALLENGES:
        buf_printf(out, "%s wants to play, ", m->maker);
        put_what(m, out);
        break;
    case LOBBY_TO_JOIN:
        buf_puts(out, m->maker);
        if (m->maker_rating > 0)
            buf_printf(out, " (%u)", m->maker_rating);
        buf_puts(out, ", ");
        put_what(m, out);
        if (!str_eq(m->side, "random"))
            buf_printf(out, ", is %s", m->side);
        break;
    case LOBBY_TO_WATCH:
        buf_printf(out, "%s and %s", m->maker, m->joiner[0] != '\0' ? m->joiner : "nobody yet");
        if (m->turn > 0)
            buf_printf(out, ", turn %u", m->turn);
        put_watch(m, out);
        break;
    case LOBBY_PARTS:
        break;
    }
}

static void put_match(struct canvas *c, struct area a, const struct lobby *l,
                      const struct lobby_match *m, enum lobby_part part)
{
    const bool now = m->mine && m->my_turn;
    struct buf words = BUF_EMPTY;
    char no[16];

    (void)snprintf(no, sizeof(no), "#%u", m->no);
    (void)canvas_put(c, row_of(a.x, a.y, 2), style_bold(INK_WARN), now ? "▶" : " ");
    (void)canvas_put(c, row_of(a.x + 2, a.y, 6), style_of(INK_FAINT), no);
    (void)canvas_put(c, row_of(a.x + 8, a.y, 19), now ? style_bold(INK_TEXT) : style_of(INK_TEXT),
                     m->title[0] != '\0' ? m->title : m->scenario);
    match_words(l, m, part, &words);
    (void)canvas_put(c, row_of(a.x + 28, a.y, a.w - 28),
                     now ? style_bold(INK_TEXT) : style_of(INK_TEXT), buf_str(&words));
    buf_fini(&words);
}

/* One line of the list: a heading, a match, a blank. */
struct lines {
    struct canvas *c;
    struct area a;
    int from, line;  /* first line shown; the next one to come */
    int cursor_line; /* where the cursor is */
    bool draw;
};

/* Where the next line goes; y < 0: out of sight, or only counted. */
static struct area next_line(struct lines *s)
{
    const int y = s->line++ - s->from;

    return row_of(s->a.x, s->draw && y >= 0 && y < s->a.h ? s->a.y + y : -1, s->a.w);
}

static void walk(struct lines *s, const struct lobby *l, unsigned cursor)
{
    const struct lobby_match *m[LOBBY_MATCHES_MAX];
    unsigned row = 0;

    for (unsigned p = 0; p < LOBBY_PARTS; p++) {
        const unsigned n = lobby_part(l, (enum lobby_part)p, m);
        struct area a = next_line(s);

        if (a.y >= 0) {
            const int x = canvas_put(s->c, a, style_bold(INK_TITLE), headings[p]);

            if (n == 0)
                (void)canvas_put(s->c, row_of(x + 2, a.y, a.w - x - 2), style_of(INK_FAINT),
                                 empties[p]);
        }
        for (unsigned i = 0; i < n; i++, row++) {
            if (row == cursor)
                s->cursor_line = s->line;
            a = next_line(s);
            if (a.y < 0)
                continue;
            put_match(s->c, a, l, m[i], (enum lobby_part)p);
            if (row == cursor)
                canvas_tint(s->c, a, PAPER_CURSOR, 0);
            canvas_zone(s->c, a, ZONE_ROW, (int)row);
        }
        (void)next_line(s);
    }
}

static void put_lists(struct canvas *c, struct area a, const struct lobby *l, struct lobby_place *p)
{
    struct lines s = {.c = c, .a = a, .draw = false};

    walk(&s, l, p->cursor);
    if (s.cursor_line < p->from + 1)
        p->from = s.cursor_line - 1;
    if (s.cursor_line >= p->from + a.h)
        p->from = s.cursor_line - a.h + 1;
    p->from = MAX(0, MIN(p->from, s.line - a.h));
    s.line = 0;
    s.from = p->from;
    s.draw = true;
    walk(&s, l, p->cursor);
}

static void put_who(struct canvas *c, struct area a, const struct lobby *l)
{
    (void)canvas_printf(c, a, style_bold(INK_TITLE), "HERE (%u)", l->n_online);
    for (unsigned i = 0; i < l->n_online && (int)i + 1 < a.h; i++) {
        const bool more = (int)i + 2 == a.h && i + 1 < l->n_online;
        const bool me = str_ieq(l->online[i], l->user);

        if (more)
            (void)canvas_printf(c, row_of(a.x, a.y + 1 + (int)i, a.w), style_of(INK_FAINT),
                                "and %u more", l->n_online - i);
        else
            (void)canvas_printf(c, row_of(a.x, a.y + 1 + (int)i, a.w),
                                style_of(me ? INK_FAINT : INK_TEXT), "%s%s", l->online[i],
                                me ? " (you)" : "");
    }
}

static void put_hints(struct canvas *c, const struct keymap *km)
{
    static const struct {
        enum action act;
        const char *word;
    } hint[] = {
        {ACT_CREATE, "create"},       {ACT_JOIN, "sit down"}, {ACT_WATCH, "watch"},
        {ACT_LADDER, "ladder"},       {ACT_PROFILE, "you"},   {ACT_HELP, "help"},
        {ACT_QUIT, "quit"},           {ACT_SOLO, "bot"},      {ACT_PEOPLE, "who"},
        {ACT_SCENARIOS, "scenarios"}, {ACT_HISTORY, "over"},
    };
    int x = 1;

    for (size_t i = 0; i < ARRAY_LEN(hint); i++)
        x = view_hint(c, row_of(x, c->h - 1, c->w - x), km, hint[i].act, hint[i].word);
}

void view_lobby(struct canvas *c, const struct keymap *km, const struct lobby *l,
                struct lobby_place *p)
{
    const unsigned rows = view_lobby_rows(l);
    const int list_w = c->w - WHO_W - 3;
    unsigned live = 0;
    char rating[40] = "";

    if (l->is_rated)
        (void)snprintf(rating, sizeof(rating), " (%u +/-%u)", l->rating, l->deviation);
    for (unsigned i = 0; i < l->n; i++)
        live += l->match[i].state == LOBBY_LIVE ? 1 : 0;
    if (rows > 0 && p->cursor >= rows)
        p->cursor = rows - 1;
    (void)canvas_printf(c, row_of(1, 0, c->w - 2), style_bold(INK_TITLE),
                        "%s · %s%s · %u here · %u game%s on", l->server,
                        l->user[0] != '\0' ? l->user : "not logged in", rating, l->n_online, live,
                        live == 1 ? "" : "s");
    if (p->status[0] != '\0')
        view_trouble(c, 1, p->status);
    put_lists(c, (struct area){1, 2, list_w, c->h - 5}, l, p);
    put_who(c, (struct area){list_w + 3, 2, WHO_W - 1, c->h - 5}, l);
    canvas_rule(c, 0, c->h - 3, c->w);
    (void)canvas_put(c, row_of(1, c->h - 2, c->w - 2), style_bold(INK_TEXT), p->note);
    put_hints(c, km);
}
