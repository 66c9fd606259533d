/* SPDX-License-Identifier: ISC
 * lobby.c -- keeping the lobby's lists.
 */
#include "client/tui/lobby.h"

#include "common/base/mem.h"
#include "common/base/str.h"

void lobby_init(struct lobby *l)
{
    memset(l, 0, sizeof(*l));
    l->match = mem_array(LOBBY_MATCHES_MAX, sizeof(*l->match));
}

void lobby_fini(struct lobby *l)
{
    mem_free(l->match);
    memset(l, 0, sizeof(*l));
}

void lobby_forget(struct lobby *l)
{
    l->n = 0;
}

static void get_text(const struct json *j, const char *name, char *dst, size_t size)
{
    const char *s = NULL;

    if (json_get_string(j, name, &s))
        (void)str_copy(dst, size, s);
    else
        dst[0] = '\0';
}

static uint32_t get_number(const struct json *j, const char *name)
{
    int64_t v;

    return json_get_int(j, name, &v) && v >= 0 && v <= UINT32_MAX ? (uint32_t)v : 0;
}

static bool get_flag(const struct json *j, const char *name)
{
    bool v;

    return json_get_bool(j, name, &v) && v;
}

/* The winner's name: `over.winner` is a side, `players` says who. */
static void get_over(const struct json *j, struct lobby_match *m)
{
    const struct json *over = json_get(j, "over");
    const char *side = NULL;

    get_text(over, "reason", m->reason, sizeof(m->reason));
    if (json_get_string(over, "winner", &side))
        get_text(json_get(j, "players"), side, m->winner, sizeof(m->winner));
}

static bool read_match(const struct json *j, struct lobby_match *m)
{
    char field[PLAY_WHY_LEN], state[16];

    memset(m, 0, sizeof(*m));
    get_text(j, "match", m->id, sizeof(m->id));
    get_text(j, "state", state, sizeof(state));
    m->no = get_number(j, "no");
    if (m->id[0] == '\0' || m->no == 0)
        return false;
    m->state = str_eq(state, "open") ? LOBBY_OPEN : str_eq(state, "over") ? LOBBY_OVER : LOBBY_LIVE;
    get_text(j, "scenario", m->scenario, sizeof(m->scenario));
    get_text(j, "title", m->title, sizeof(m->title));
    get_text(j, "side", m->side, sizeof(m->side));
    get_text(j, "maker", m->maker, sizeof(m->maker));
    get_text(j, "joiner", m->joiner, sizeof(m->joiner));
    get_text(j, "opponent", m->opponent, sizeof(m->opponent));
    get_text(j, "invite", m->invite, sizeof(m->invite));
    if (clock_rule_from_json(json_get(j, "clock"), &m->clock, field) != ERR_OK)
        m->clock = (struct clock_rule){.kind = CLOCK_NONE};
    m->rated = get_flag(j, "rated");
    m->is_private = get_flag(j, "private");
    m->turn = get_number(j, "turn");
    m->delay = get_number(j, "delay");
    m->max_spectators = get_number(j, "max_spectators");
    m->spectators = get_number(j, "spectators");
    m->maker_rating = get_number(json_get(j, "maker_rating"), "rating");
    get_over(j, m);
    return true;
}

static struct lobby_match *find(struct lobby *l, const char *id)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (str_eq(l->match[i].id, id))
            return &l->match[i];
    }
    return NULL;
}

/* Put in its place by number; what was known as ours stays. When full the oldest goes. */
static struct lobby_match *put(struct lobby *l, const struct lobby_match *m)
{
    struct lobby_match *at = find(l, m->id);
    unsigned i = 0;

    if (at != NULL) {
        const struct lobby_match old = *at;

        *at = *m;
        at->mine = old.mine;
        at->my_turn = old.my_turn && m->state == LOBBY_LIVE;
        at->has_left = old.has_left;
        at->left_ms = old.left_ms;
        memcpy(at->invite, old.invite, sizeof(at->invite));
        return at;
    }
    while (i < l->n && l->match[i].no > m->no)
        i++;
    if (i == LOBBY_MATCHES_MAX)
        return NULL;
    if (l->n == LOBBY_MATCHES_MAX)
        l->n--;
    memmove(&l->match[i + 1], &l->match[i], (l->n - i) * sizeof(*l->match));
    l->match[i] = *m;
    l->n++;
    return &l->match[i];
}

void lobby_take_list(struct lobby *l, const struct json *result)
{
    struct lobby_match m;

    for (const struct json *j = json_first(json_get(result, "matches")); j != NULL;
         j = json_next(j)) {
        if (read_match(j, &m))
            (void)put(l, &m);
    }
}

void lobby_take_mine(struct lobby *l, const struct json *result)
{
    struct lobby_match m;

    for (unsigned i = 0; i < l->n; i++)
        l->match[i].mine = false;
    for (const struct json *j = json_first(json_get(result, "matches")); j != NULL;
         j = json_next(j)) {
        struct lobby_match *at;
        const char *side = NULL;

        if (!read_match(j, &m))
            continue;
        at = put(l, &m);
        if (at == NULL)
            continue;
        at->mine = true;
        at->my_turn = get_flag(j, "mine");
        memcpy(at->invite, m.invite, sizeof(at->invite));
        at->has_left = json_get_string(j, "your_side", &side) &&
                       json_get_int(json_get(j, "left"), side, &at->left_ms);
    }
}

static int find_online(const struct lobby *l, const char *name)
{
    for (unsigned i = 0; i < l->n_online; i++) {
        if (str_ieq(l->online[i], name))
            return (int)i;
    }
    return -1;
}

static void set_online(struct lobby *l, const struct json *user, bool on)
{
    char name[NAME_LEN + 1];
    int at;

    get_text(user, "name", name, sizeof(name));
    at = find_online(l, name);
    if (on && at < 0 && name[0] != '\0' && l->n_online < LOBBY_ONLINE_MAX) {
        memcpy(l->online[l->n_online++], name, sizeof(name));
    } else if (!on && at >= 0) {
        l->n_online--;
        memmove(l->online[at], l->online[at + 1],
                (l->n_online - (unsigned)at) * sizeof(l->online[0]));
    }
}

void lobby_take_online(struct lobby *l, const struct json *result)
{
    l->n_online = 0;
    for (const struct json *u = json_first(json_get(result, "online")); u != NULL; u = json_next(u))
        set_online(l, u, true);
}

void lobby_take_me(struct lobby *l, const struct json *result)
{
    const struct json *rating = json_get(json_get(result, "player"), "rating");

    l->is_rated = get_number(rating, "rating") > 0;
    l->rating = get_number(rating, "rating");
    l->deviation = get_number(rating, "deviation");
}

static void drop(struct lobby *l, const char *id)
{
    const struct lobby_match *at = find(l, id);

    if (at == NULL)
        return;
    l->n--;
    memmove(&l->match[at - l->match], at + 1,
            (l->n - (unsigned)(at - l->match)) * sizeof(*l->match));
}

bool lobby_take_event(struct lobby *l, const struct json *params)
{
    const char *kind = NULL, *id = NULL;
    struct lobby_match m;
    const struct lobby_match *at;

    if (!json_get_string(params, "kind", &kind))
        return false;
    if (str_eq(kind, "online") || str_eq(kind, "offline")) {
        set_online(l, json_get(params, "user"), str_eq(kind, "online"));
        return false;
    }
    if (!json_get_string(params, "match", &id))
        return false;
    at = find(l, id);
    if (str_eq(kind, "gone")) {
        const bool mine = at != NULL && at->mine;

        drop(l, id);
        return mine;
    }
    if (!read_match(json_get(params, "summary"), &m))
        return false;
    at = put(l, &m);
    return at != NULL && (at->mine || str_ieq(m.maker, l->user) || str_ieq(m.joiner, l->user) ||
                          str_ieq(m.opponent, l->user));
}

/* ---- parts ---- */

static bool is_ours(const struct lobby *l, const struct lobby_match *m)
{
    return m->mine && !(m->state == LOBBY_OPEN && str_ieq(m->opponent, l->user));
}

static bool belongs(const struct lobby *l, const struct lobby_match *m, enum lobby_part part)
{
    const bool challenge = m->state == LOBBY_OPEN && str_ieq(m->opponent, l->user);

    switch (part) {
    case LOBBY_MINE:
        return is_ours(l, m) && m->state != LOBBY_OVER;
    case LOBBY_CHALLENGES:
        return challenge;
    case LOBBY_TO_JOIN:
        return m->state == LOBBY_OPEN && !is_ours(l, m) && m->opponent[0] == '\0' &&
               !str_ieq(m->maker, l->user);
    case LOBBY_TO_WATCH:
        return m->state == LOBBY_LIVE && !is_ours(l, m);
    case LOBBY_PARTS:
        break;
    }
    return false;
}

unsigned lobby_part(const struct lobby *l, enum lobby_part part,
                    const struct lobby_match *out[LOBBY_MATCHES_MAX])
{
    unsigned n = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < l->n; i++) {
            if (belongs(l, &l->match[i], part) && l->match[i].my_turn == (pass == 0))
                out[n++] = &l->match[i];
        }
    }
    return n;
}

unsigned lobby_my_turns(const struct lobby *l)
{
    unsigned n = 0;

    for (unsigned i = 0; i < l->n; i++)
        n += l->match[i].mine && l->match[i].my_turn && l->match[i].state == LOBBY_LIVE ? 1 : 0;
    return n;
}
