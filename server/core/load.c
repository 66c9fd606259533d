/* SPDX-License-Identifier: ISC
 * load.c -- recovery: rows of the store become users, tokens and matches again.
 */
#include "server/core/load.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/archive.h"
#include "server/core/attic.h"
#include "server/core/ban.h"
#include "server/core/invite.h"
#include "server/core/room.h"
#include "server/core/standing.h"
#include "server/core/user.h"

enum err core_load_meta(struct core *c, const char *name, const char *data)
{
    int64_t value;
    enum err e = standing_load(c, name, data);

    if (e == ERR_NOT_FOUND)
        e = ban_load(c, name, data);
    if (e == ERR_NOT_FOUND)
        e = erased_load(c, name);
    if (e != ERR_NOT_FOUND)
        return e;
    if (str_eq(name, "motd")) {
        mem_free(c->motd);
        c->motd = mem_strdup(data);
        return ERR_OK;
    }
    if (!str_to_int(data, 0, INT64_MAX / 2, &value))
        return ERR_DATA;
    if (str_eq(name, "served_ms"))
        c->served_ms = c->env.started.ms = value;
    else if (str_eq(name, "archived"))
        c->n_archived = (uint64_t)value;
    else if (str_eq(name, "next_no") && value > 0 && value < UINT32_MAX)
        c->next_no = (uint32_t)value;
    return ERR_OK; /* a name from another version is none of our business */
}

enum err core_load_user(struct core *c, const char *name, const char *data, size_t len)
{
    return user_load(c, name, data, len);
}

enum err core_load_token(struct core *c, const uint8_t hash[32], const char *user, const char *data,
                         size_t len)
{
    return token_load(c, hash, user, data, len);
}

enum err core_load_invite(struct core *c, const uint8_t hash[32], const char *data, size_t len)
{
    return invite_load(c, hash, data, len);
}

/* Scenario and board that the row was played on. ERR_DATA: why[]. */
static enum err find_board(struct core *c, const struct core_match_row *row, struct match_load *l,
                           char why[PLAY_WHY_LEN])
{
    struct match_peek peek;

    if (match_row_peek(row->data, row->data_len, &peek) != ERR_OK) {
        str_copy(why, PLAY_WHY_LEN, "the match's row can't be read");
        return ERR_DATA;
    }
    l->scenario = scenario_set_find(c->scenarios, peek.scenario);
    if (l->scenario == NULL ||
        memcmp(l->scenario->hash, peek.scenario_hash, sizeof(peek.scenario_hash)) != 0) {
        str_copy(why, PLAY_WHY_LEN, "its scenario isn't the one shipped here");
        return ERR_DATA;
    }
    l->board = room_board(c, l->scenario, &peek.readings);
    return ERR_OK;
}

/* The number of a match that is set aside, as far as its row tells one that is free; else 0. */
static uint32_t number_of(const struct core *c, const struct core_match_row *row)
{
    const struct msg_match ref = {.no = match_row_no(row->data, row->data_len)};

    return ref.no != 0 && ref.no < UINT32_MAX && room_find(c, &ref) == NULL ? ref.no : 0;
}

/* What people may be told of a match that is set aside; NULL: nothing. Owned. */
static struct match_setup *setup_of(struct core *c, const struct core_match_row *row)
{
    struct match_setup s;
    struct match_setup *out;
    struct match_peek peek;

    if (match_row_setup(row->data, row->data_len, &s, &peek) != ERR_OK)
        return NULL;
    s.scenario = scenario_set_find(c->scenarios, peek.scenario);
    if (s.scenario == NULL)
        return NULL;
    s.board = room_board(c, s.scenario, &peek.readings);
    out = mem_alloc(sizeof(*out));
    *out = s;
    return out;
}

enum err core_load_match(struct core *c, const struct core_match_row *row, char why[PLAY_WHY_LEN])
{
    struct match_load l = {.row = row, .env = &c->env};
    struct match *m = NULL;
    struct room *r;
    enum err e;
    uint32_t no;

    if (map_get(&c->rooms, row->id) != NULL) {
        str_copy(why, PLAY_WHY_LEN, "there twice");
        return ERR_DATA;
    }
    e = find_board(c, row, &l, why);
    if (e == ERR_OK)
        e = match_load(&l, core_now(c), &m, why);
    no = e == ERR_OK ? match_setup_of(m)->no : number_of(c, row);
    r = room_new(m, row->id, no);
    if (e != ERR_OK)
        r->aside = setup_of(c, row);
    r->aside_over = row->state == MATCH_OVER;
    room_enter(c, r);
    if (no >= c->next_no)
        c->next_no = no + 1;
    return e;
}

enum err load_again(struct core *c, const struct core_match_row *row, const struct match *known,
                    char why[PLAY_WHY_LEN])
{
    struct match_load l = {.row = row, .env = &c->env};
    struct match *m = NULL;
    enum err e = find_board(c, row, &l, why);

    if (e == ERR_OK)
        e = match_load(&l, core_now(c), &m, why);
    if (e == ERR_OK && (match_head(m) != match_head(known) ||
                        memcmp(match_hash(m), match_hash(known), FD1_LEN) != 0)) {
        (void)str_copy(why, PLAY_WHY_LEN, "what is on disk isn't what is being played");
        e = ERR_DATA;
    }
    match_free(m);
    return e;
}

enum err core_load_share(struct core *c, const uint8_t match[MATCH_ID_LEN], enum role role,
                         uint32_t roll, const uint8_t share[FD1_LEN])
{
    struct room *r = map_get(&c->rooms, match);

    if (r == NULL)
        return ERR_DATA;
    return r->m == NULL ? ERR_OK : match_load_share(r->m, role, roll, share);
}

enum err core_prove_archived(struct core *c, const uint8_t id[MATCH_ID_LEN], const char *text,
                             size_t len, char why[PLAY_WHY_LEN])
{
    const struct archive_env env = {c->scenarios, &c->env, core_now(c), true};
    struct archived a = {.m = NULL};
    char words[ARCHIVE_WHY_LEN];
    enum err e = archive_open(&env, text, len, &a, words);

    if (e != ERR_OK) {
        (void)str_copy(why, PLAY_WHY_LEN, words);
    } else if (memcmp(match_setup_of(a.m)->id, id, MATCH_ID_LEN) != 0) {
        (void)str_copy(why, PLAY_WHY_LEN, "the archive has another match in its place");
        e = ERR_DATA;
    }
    archived_fini(&a);
    return e;
}

void core_load_done(struct core *c)
{
    struct user *u;
    size_t at = 0;

    while ((u = map_next(&c->users, &at)) != NULL)
        user_idle(c, u);
    for (size_t i = 0; i < c->all.n; i++) {
        struct room *r = c->all.at[i];

        if (r->list == ROOMS_OPEN || r->list == ROOMS_LIVE)
            timer_arm(&c->timers, &r->timer, c->now); /* settled in the first step */
    }
    attic_wake(c);
}
