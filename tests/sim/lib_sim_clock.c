/* SPDX-License-Identifier: ISC
 * lib_sim_clock.c -- are the clocks charged for what they should be, and nothing else?
 *
 * In a live game one clock runs at any time, but for pauses and the moments in which the server
 * itself owes the roll. So what both sides have left, together, falls by exactly the time between
 * two entries that tell it, less those. A crash may cost a player a second (ARCHITECTURE).
 */
#include "common/base/mem.h"
#include "tests/sim/lib_sim.h"

enum { CRASH_COSTS_MS = 1000, FAULT_NEAR_MS = 2000, DAY_S = 86400 };

static bool has_clock(const struct sim_ledger *l)
{
    return l->audit.clock.kind != CLOCK_NONE;
}

/* Does anybody's clock run, as the durable rows have it? */
static bool somebody_owes(const struct sim *s, const struct sim_ledger *l)
{
    const struct audit *a = &l->audit;
    const struct audit_dice *d = &a->dice;

    if (!a->started || a->over || a->paused)
        return false;
    if (!audit_roll_open(a))
        return (d->owed & (1U << ROLE_A | 1U << ROLE_B)) != 0 || audit_dice_ready(d);
    if (d->fair == FAIR_SERVER)
        return false;
    for (unsigned r = ROLE_A; r <= ROLE_B; r++) {
        const struct sim_row *share = disk_share(s, l->id, (enum role)r);

        if ((d->absent >> r & 1) == 0 && (share == NULL || share->seq != d->n + 1))
            return true;
    }
    return false;
}

static void add_bonus(struct sim_ledger *l);

/* A batch or a share is durable: from the moment it was made on, does a clock run? */
void clock_batch(struct sim *s, struct sim_ledger *l, int64_t at)
{
    struct sim_clock *c = &l->clock;

    if (!has_clock(l))
        return;
    add_bonus(l);
    if (c->free_since >= 0)
        c->uncharged += at - c->free_since;
    c->free_since = -1;
    if (l->audit.started && !l->audit.over && !somebody_owes(s, l))
        c->free_since = at;
}

static void check_fall(struct sim *s, const struct sim_ledger *l, int64_t fall, int64_t passed)
{
    const struct sim_clock *c = &l->clock;

    if (fall > passed + c->loss)
        sim_broken(s, LAW_CLOCK, "match %s entry %u: clocks fell by %lld ms in %lld ms", l->hex,
                   l->audit.head, (long long)fall, (long long)passed);
    if (fall < passed - c->gift)
        sim_broken(s, LAW_CLOCK, "match %s entry %u: clocks fell by only %lld ms in %lld ms",
                   l->hex, l->audit.head, (long long)fall, (long long)passed);
}

static void told(struct sim *s, struct sim_ledger *l, int64_t at)
{
    struct sim_clock *c = &l->clock;
    const int64_t *left = l->audit.left_ms;
    int64_t fall = 0, uncharged = c->uncharged;
    bool floor = false;

    if (c->free_since >= 0)
        uncharged += at - c->free_since;
    for (unsigned side = 0; side < 2; side++) {
        const int64_t most = c->left[side] + c->bonus[side];

        if (left[side] < 0)
            sim_broken(s, LAW_CLOCK, "less than no time is left");
        if (!c->fresh && left[side] > most + c->gift)
            sim_broken(s, LAW_CLOCK, "match %s entry %u: a clock rose from %lld to %lld ms", l->hex,
                       l->audit.head, (long long)most, (long long)left[side]);
        if (c->fresh && left[side] > (int64_t)l->audit.clock.days * DAY_S * 1000)
            sim_broken(s, LAW_CLOCK, "more than a phase's days are left");
        fall += most - left[side];
        floor |= left[side] == 0;
    }
    if (!floor && !c->fresh)
        check_fall(s, l, fall, at - c->at - uncharged);
}

/* The newest entry of the ledger: does it tell the clocks, or add to them? */
void clock_line(struct sim *s, struct sim_ledger *l, int64_t at)
{
    const struct entry *e = &l->audit.last;
    struct sim_clock *c = &l->clock;

    if (!has_clock(l))
        return;
    if (e->has_left) {
        if (c->known)
            told(s, l, at);
        *c = (struct sim_clock){.known = true, .at = at, .free_since = c->free_since};
        if (c->free_since >= 0)
            c->free_since = at;
        memcpy(c->left, e->left_ms, sizeof(c->left));
    }
    if (e->kind == ENTRY_PLAY && e->u.play.event.kind == RULES_EV_PHASE)
        l->phase_began = true;
}

/* A phase gives its side time; one that the server ended at once (R46) doesn't. */
static void add_bonus(struct sim_ledger *l)
{
    struct sim_clock *c = &l->clock;

    if (l->phase_began && !l->audit.over && l->audit.clock.kind == CLOCK_CORRESPONDENCE)
        c->fresh = true;
    else if (l->phase_began && !l->audit.over)
        c->bonus[l->audit.game.rules.state.active] += (int64_t)l->audit.clock.phase_s * 1000;
    l->phase_began = false;
}

/* The process has ended; `ahead_ms`: by how much the kept serving time is ahead of the true. */
void ledger_restart(struct sim *s, int64_t ahead_ms)
{
    /* a clean stop keeps the exact time, and ends a commit later; a new process keeps its first
     * time with its first commit */
    const bool fault = s->t - s->disk.last_fault < FAULT_NEAR_MS || s->server.stopping ||
                       s->server.holding || s->t - s->server.born < FAULT_NEAR_MS;

    for (struct sim_ledger *l = s->ledgers; l != NULL; l = l->next) {
        struct sim_clock *c = &l->clock;

        if (!c->known || l->audit.over)
            continue;
        if (ahead_ms < 0 && !fault && s->t - c->at > FAULT_NEAR_MS)
            sim_broken(s, LAW_CLOCK, "the kept serving time is %lld ms behind",
                       (long long)-ahead_ms);
        if (ahead_ms > CRASH_COSTS_MS)
            sim_broken(s, LAW_CLOCK, "the crash costs %lld ms", (long long)ahead_ms);
        if (ahead_ms < 0)
            c->gift -= ahead_ms;
        else
            c->loss += ahead_ms;
        if (c->free_since >= 0) { /* loaded again: whose clock runs is found out anew */
            c->uncharged += s->t - c->free_since;
            c->free_since = s->t;
        }
    }
}

/* The process was down for so long: no clock ran. */
void ledger_downtime(struct sim *s, int64_t ms)
{
    for (struct sim_ledger *l = s->ledgers; l != NULL; l = l->next)
        if (l->clock.known && l->clock.free_since < 0)
            l->clock.uncharged += ms;
}

/* Told in passing: never more than the journal allows. */
void clock_told(struct sim *s, const struct sim_ledger *l, const int64_t left[2])
{
    const struct sim_clock *c = &l->clock;

    for (unsigned side = 0; side < 2 && c->known; side++) {
        const int64_t most =
            c->fresh ? (int64_t)l->audit.clock.days * DAY_S * 1000 : c->left[side] + c->bonus[side];

        if (left[side] > most + c->gift)
            sim_broken(s, LAW_CLOCK, "a clock of %lld ms is told where %lld are left at most",
                       (long long)left[side], (long long)most);
    }
}
