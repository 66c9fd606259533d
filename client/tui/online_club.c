/* SPDX-License-Identifier: ISC
 * online_club.c -- lists of the lobby: games that are over, the ladder, who is here, a player.
 *
 * A pane asks with its own address, so that what comes too late for it is forgotten.
 */
#include "client/club.h"
#include "client/tui/online_impl.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define PAGE     100
#define ROWS_MAX 1000

static void drop_rows(struct pane *p)
{
    for (unsigned i = 0; i < p->n; i++)
        mem_free(p->row[i]);
    p->n = 0;
}

void online_pane_fini(struct online *o)
{
    struct pane *p = &o->pane;

    drop_rows(p);
    mem_free(p->row);
    mem_free(p->key);
    buf_fini(&p->profile);
    buf_fini(&p->head);
    memset(p, 0, sizeof(*p));
}

/* Takes the words. */
static void add_row(struct pane *p, const char *key, struct buf *words)
{
    p->row = mem_resize(p->row, p->n + 1, sizeof(*p->row));
    p->key = mem_resize(p->key, p->n + 1, sizeof(*p->key));
    (void)str_copy(p->key[p->n], sizeof(*p->key), key);
    p->row[p->n++] = buf_detach(words);
}

/* Empty, and nothing asked for. */
static void begin(struct online *o, enum online_at at)
{
    struct pane *p = &o->pane;

    link_forget(app_link(o->app), p);
    drop_rows(p);
    buf_reset(&p->profile);
    buf_reset(&p->head);
    p->score = (struct club_score){0};
    memset(&o->page, 0, sizeof(o->page));
    o->at = at;
}

/* Is the answer of use? What was refused is said. */
static bool is_good(struct online *o, const struct link_answer *a)
{
    if (a->err != ERR_OK)
        online_note(o, a->message[0] != '\0' ? a->message : err_words(a->err));
    shell_dirty(o->shell);
    return a->err == ERR_OK;
}

/* The next page's begin; false: there is none, or enough are shown. */
static bool more(const struct pane *p, const struct link_answer *a, int64_t *next)
{
    return json_get_int(a->result, "next", next) && p->n < ROWS_MAX;
}

/* ---- games that are over ---- */

static void ask_over(struct online *o, int64_t before);

static void add_over(struct pane *p, const struct json *j)
{
    const char *id = NULL, *title = NULL, *maker = NULL, *joiner = "nobody", *side = NULL;
    const char *winner = "nobody", *reason = "";
    struct buf row = BUF_EMPTY;
    int64_t no = 0;

    if (!json_get_string(j, "match", &id) || !json_get_int(j, "no", &no) ||
        !json_get_string(j, "title", &title) || !json_get_string(j, "maker", &maker))
        return;
    if (!json_get_string(j, "joiner", &joiner))
        joiner = "nobody";
    if (json_get_string(json_get(j, "over"), "winner", &side) &&
        !json_get_string(json_get(j, "players"), side, &winner))
        winner = side;
    if (!json_get_string(json_get(j, "over"), "reason", &reason))
        reason = "";
    buf_printf(&row, "#%-6lld %-22s %s and %s; %s won (%s)", (long long)no, title, maker, joiner,
               winner, reason);
    add_row(p, id, &row);
}

static void on_over(void *data, const struct link_answer *a)
{
    struct pane *p = data;
    int64_t next = 0;

    if (!is_good(p->o, a))
        return;
    for (const struct json *j = json_first(json_get(a->result, "matches")); j != NULL;
         j = json_next(j))
        add_over(p, j);
    if (more(p, a, &next))
        ask_over(p->o, next);
}

static void ask_over(struct online *o, int64_t before)
{
    struct jsonw *w = link_begin(app_link(o->app), MSG_LOBBY_LIST);

    jsonw_m_str(w, "state", "over");
    jsonw_m_int(w, "limit", PAGE);
    if (before > 0)
        jsonw_m_int(w, "before", before);
    link_send(app_link(o->app), on_over, &o->pane);
}

/* ---- ladder ---- */

static void ask_ladder(struct online *o, int64_t from);

static void on_ladder(void *data, const struct link_answer *a)
{
    struct pane *p = data;
    const char *name = NULL;
    int64_t next = 0;

    if (!is_good(p->o, a))
        return;
    for (const struct json *j = json_first(json_get(a->result, "players")); j != NULL;
         j = json_next(j)) {
        struct buf row = BUF_EMPTY;

        if (!json_get_string(j, "name", &name))
            continue;
        club_rank(j, true, &row);
        add_row(p, name, &row);
    }
    if (more(p, a, &next))
        ask_ladder(p->o, next);
}

static void ask_ladder(struct online *o, int64_t from)
{
    struct jsonw *w = link_begin(app_link(o->app), MSG_PLAYER_LIST);

    jsonw_m_int(w, "limit", PAGE);
    if (from > 0)
        jsonw_m_int(w, "before", from);
    link_send(app_link(o->app), on_ladder, &o->pane);
}

/* ---- who is here ---- */

static void put_games(const struct lobby *l, const char *name, struct buf *out)
{
    for (unsigned i = 0; i < l->n; i++) {
        const struct lobby_match *m = &l->match[i];
        const bool maker = str_ieq(m->maker, name);

        if (m->state == LOBBY_LIVE && (maker || str_ieq(m->joiner, name)))
            buf_printf(out, "  #%u %s with %s", m->no, m->title, maker ? m->joiner : m->maker);
    }
}

void online_people(struct online *o)
{
    const struct lobby *l = &o->lobby;
    const unsigned cursor = o->at == ONLINE_PEOPLE ? o->page.cursor : 0;

    begin(o, ONLINE_PEOPLE);
    for (unsigned i = 0; i < l->n_online; i++) {
        struct buf row = BUF_EMPTY;

        buf_printf(&row, "%-20s%s", l->online[i], str_ieq(l->online[i], l->user) ? " (you)" : "");
        put_games(l, l->online[i], &row);
        add_row(&o->pane, l->online[i], &row);
    }
    o->page.cursor = cursor;
}

/* ---- a player ---- */

static void ask_matches(struct online *o, int64_t before);

static bool is_pair(const struct online *o)
{
    return o->pane.pair && !str_ieq(o->pane.player, o->lobby.user);
}

static void write_head(struct online *o)
{
    struct pane *p = &o->pane;

    buf_reset(&p->head);
    buf_puts(&p->head, buf_str(&p->profile));
    if (!is_pair(o))
        return;
    buf_putc(&p->head, '\n');
    club_score_words(&p->score, p->player, o->lobby.user, &p->head);
}

static void on_matches(void *data, const struct link_answer *a)
{
    struct pane *p = data;
    const char *id = NULL;
    int64_t next = 0;

    if (!is_good(p->o, a))
        return;
    for (const struct json *j = json_first(json_get(a->result, "matches")); j != NULL;
         j = json_next(j)) {
        struct buf row = BUF_EMPTY;

        if (!json_get_string(j, "match", &id))
            continue;
        club_match(j, p->player, &row);
        club_count(&p->score, j, p->player);
        add_row(p, id, &row);
    }
    write_head(p->o);
    if (more(p, a, &next))
        ask_matches(p->o, next);
}

static void ask_matches(struct online *o, int64_t before)
{
    struct jsonw *w = link_begin(app_link(o->app), MSG_PLAYER_MATCHES);

    jsonw_m_str(w, "player", o->pane.player);
    jsonw_m_int(w, "limit", PAGE);
    if (is_pair(o))
        jsonw_m_str(w, "against", o->lobby.user);
    if (before > 0)
        jsonw_m_int(w, "before", before);
    link_send(app_link(o->app), on_matches, &o->pane);
}

static void on_player(void *data, const struct link_answer *a)
{
    struct pane *p = data;

    if (!is_good(p->o, a))
        return;
    club_profile(json_get(a->result, "player"), &p->profile);
    write_head(p->o);
}

static void show_player(struct online *o)
{
    struct jsonw *w;

    begin(o, ONLINE_PROFILE);
    w = link_begin(app_link(o->app), MSG_PLAYER_GET);
    jsonw_m_str(w, "player", o->pane.player);
    link_send(app_link(o->app), on_player, &o->pane);
    ask_matches(o, 0);
}

/* ---- to them and back ---- */

void online_pane(struct online *o, enum online_at at, const char *player)
{
    if (o->down) {
        online_note(o, "The line is down.");
        return;
    }
    if (at == ONLINE_PROFILE) {
        o->pane.back = o->at;
        o->pane.pair = false;
        (void)str_copy(o->pane.player, sizeof(o->pane.player), player);
        show_player(o);
    } else if (at == ONLINE_PEOPLE) {
        online_people(o);
    } else {
        begin(o, at);
        if (at == ONLINE_LADDER)
            ask_ladder(o, 0);
        else
            ask_over(o, 0);
    }
}

/* The player whom the cursor or the pane means; NULL: none. */
static const char *player_at(const struct online *o)
{
    if (o->at == ONLINE_PROFILE)
        return o->pane.player;
    if ((o->at == ONLINE_LADDER || o->at == ONLINE_PEOPLE) && o->page.cursor < o->pane.n)
        return o->pane.key[o->page.cursor];
    return NULL;
}

static void look_again(struct online *o)
{
    if (o->page.cursor >= o->pane.n)
        return;
    memset(&o->wish, 0, sizeof(o->wish));
    (void)str_copy(o->match, sizeof(o->match), o->pane.key[o->page.cursor]);
    o->wish.goal = SEAT_WATCH;
    o->wish.match = o->match;
    online_sit(o, true);
}

static void leave(struct online *o)
{
    const enum online_at back = o->at == ONLINE_PROFILE ? o->pane.back : ONLINE_LOBBY;

    link_forget(app_link(o->app), &o->pane);
    o->at = ONLINE_LOBBY;
    if (back != ONLINE_LOBBY)
        online_pane(o, back, NULL);
}

bool online_pane_action(struct online *o, enum action act)
{
    const char *player = player_at(o);
    char name[NAME_LEN + 1];

    if (act == ACT_QUIT || act == ACT_CANCEL) {
        leave(o);
    } else if (act == ACT_CHOOSE && (o->at == ONLINE_HISTORY || o->at == ONLINE_PROFILE)) {
        look_again(o);
    } else if (act == ACT_CHOOSE && player != NULL) {
        (void)str_copy(name, sizeof(name), player);
        online_pane(o, ONLINE_PROFILE, name);
    } else if (act == ACT_AGAINST && o->at == ONLINE_PROFILE) {
        o->pane.pair = !o->pane.pair;
        show_player(o);
    } else if (act == ACT_CREATE && player != NULL && !str_ieq(player, o->lobby.user)) {
        (void)str_copy(o->rival, sizeof(o->rival), player);
        o->at = ONLINE_SCENARIOS;
    } else {
        return false;
    }
    return true;
}

void online_pane_draw(struct online *o, struct canvas *c)
{
    struct list_page *page = &o->page;
    const bool player = o->at == ONLINE_PROFILE;

    page->title = player                   ? "A player"
                  : o->at == ONLINE_LADDER ? "The ladder"
                  : o->at == ONLINE_PEOPLE ? "Who is here"
                                           : "Games that are over";
    page->head = player                   ? buf_str(&o->pane.head)
                 : o->at == ONLINE_LADDER ? "Rated players, best first. Choose one to see more."
                 : o->at == ONLINE_PEOPLE ? "Choose somebody to see more of them."
                                          : "Choose one to see it again.";
    page->foot = player && is_pair(o)     ? "None against you."
                 : o->at == ONLINE_LADDER ? "Nobody is rated yet."
                                          : "None yet.";
    page->pairs = player && !str_ieq(o->pane.player, o->lobby.user);
    page->rivals = o->at != ONLINE_HISTORY;
    page->row = (const char *const *)o->pane.row;
    page->n = o->pane.n;
    view_list(c, &o->set->keys, page);
}
