/* SPDX-License-Identifier: ISC
 * lib_sim_end.c -- what must be true when all is over: everybody knows all, accounts and ratings are
 * what they should be, nothing is left, and the server stops.
 */
#include "tests/sim/lib_sim.h"

enum {
    REST_MS = 150 * 1000, /* after the last match's end, for half-open peers to be dropped */
    STILL_MS = 3000
};

static bool is_stopped(const struct sim *s)
{
    return s->server.core == NULL;
}

static void check_zero(struct sim *s)
{
    struct core_stats st;

    core_stats(s->server.core, &st);
    if (st.conns != 0 || st.logged_in != 0 || st.players != 0 || st.spectators != 0 ||
        st.matches_open != 0 || st.matches_live != 0)
        sim_broken(
            s, LAW_ZERO,
            "left are %llu connections, %llu logged in, %llu+%llu readers, %llu+%llu matches",
            (unsigned long long)st.conns, (unsigned long long)st.logged_in,
            (unsigned long long)st.players, (unsigned long long)st.spectators,
            (unsigned long long)st.matches_open, (unsigned long long)st.matches_live);
    sim_hold(s, LAW_ZERO, s->disk.n == 0 && s->server.n_jobs == 0, "work is under way at rest");
    sim_hold(s, LAW_ZERO, s->server.open_links == 0, "connections are open at rest");
}

static void check_accounts(struct sim *s)
{
    for (unsigned i = 0; i < s->n_actors; i++) {
        const struct sim_actor *a = &s->actor[i];
        const struct sim_row *row = disk_user(s, a->name);
        uint8_t h[32];
        char hash[40] = "$sim$";

        if (!a->acked)
            continue;
        (void)crypto_hash_sha256(h, (const uint8_t *)a->password, strlen(a->password));
        for (unsigned k = 0; k < 16; k++)
            (void)snprintf(hash + 5 + 2 * k, 3, "%02x", h[k]);
        if (row == NULL || strstr(buf_str(&row->data), hash) == NULL)
            sim_broken(s, LAW_ACCOUNT, "the password of %s isn't its own any more", a->name);
    }
}

/* Rated games that a player finished, by the journals. */
static unsigned rated_games(const struct sim *s, const char *name)
{
    unsigned n = 0;

    for (const struct sim_ledger *l = s->ledgers; l != NULL; l = l->next) {
        const struct audit *a = &l->audit;

        if (a->rated && a->fair != FAIR_SERVER && a->started && l->n_given > 0 &&
            a->reason != RULES_BY_VOID &&
            (a->reason != RULES_BY_ABANDON || a->winner != RULES_NOBODY) &&
            ledger_role(l, name) != ROLE_COUNT)
            n++;
    }
    return n;
}

static void check_ratings(struct sim *s)
{
    for (unsigned i = 0; i < s->n_actors; i++) {
        const char *name = s->actor[i].name, *at;
        const struct sim_row *row = disk_standing(s, name);
        const unsigned want = rated_games(s, name);
        unsigned n = 0;

        if (!s->actor[i].member)
            continue;
        at = row != NULL ? strstr(buf_str(&row->data), "\"rated\":") : NULL;
        if (at != NULL)
            n = (unsigned)strtoul(at + strlen("\"rated\":"), NULL, 10);
        if (n != want)
            sim_broken(s, LAW_RATED, "%s has finished %u rated games and was rated for %u", name,
                       want, n);
    }
}

void end_look(struct sim *s)
{
    s->quiet = true;
    sim_go(s, s->t + STILL_MS, NULL); /* the last news reach everybody */
    sim_hold(s, LAW_STANDS, s->server.core != NULL, "the server isn't there in a healed world");
    books_end(s);
    shadow_look(s, NULL);
    if (s->ledgers != NULL)
        shadow_look(s, s->ledgers);
    check_accounts(s);
    check_ratings(s);
    s->leaving = true;
    for (unsigned i = 0; i < s->n_actors; i++) {
        s->actor[i].gone = true;
        actor_leave(s, &s->actor[i]);
    }
    sim_go(s, s->t + REST_MS, NULL);
    check_zero(s);
    shelf_end(s);
    shadow_look(s, NULL);
    server_stop(s);
    sim_go(s, s->t + STILL_MS, is_stopped);
    sim_hold(s, LAW_ENDS, s->server.core == NULL, "the server doesn't stop");
}
