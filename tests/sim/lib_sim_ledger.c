/* SPDX-License-Identifier: ISC
 * lib_sim_ledger.c -- the truth about each match: its durable lines, checked one by one by the
 * verifier that players use, and by plain counting.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/user.h"
#include "tests/sim/lib_sim.h"

struct sim_ledger *ledger_of(const struct sim *s, const uint8_t id[MATCH_ID_LEN])
{
    struct sim_ledger *l = s->ledgers;

    while (l != NULL && memcmp(l->id, id, MATCH_ID_LEN) != 0)
        l = l->next;
    return l;
}

struct sim_ledger *ledger_find(const struct sim *s, const char *hex, size_t len)
{
    struct sim_ledger *l = s->ledgers;

    while (l != NULL && (len != MATCH_ID_HEX - 1 || memcmp(l->hex, hex, len) != 0))
        l = l->next;
    return l;
}

const char *ledger_line(const struct sim_ledger *l, uint32_t seq, size_t *len)
{
    *len = l->line[seq - 1].len;
    return l->text.data + l->line[seq - 1].at;
}

enum role ledger_role(const struct sim_ledger *l, const char *name)
{
    for (unsigned r = ROLE_A; r <= ROLE_B; r++)
        if (l->audit.name[r][0] != '\0' && str_ieq(l->audit.name[r], name))
            return (enum role)r;
    return ROLE_COUNT;
}

static struct sim_ledger *ledger_new(struct sim *s, const struct store_op *op,
                                     const struct json *opened)
{
    struct sim_ledger *l = mem_zalloc(sizeof(*l));
    const char *scenario = "";

    memcpy(l->id, op->key, MATCH_ID_LEN);
    hex_encode(l->hex, l->id, MATCH_ID_LEN);
    sim_hold(s, LAW_FD1, json_get_string(opened, "scenario", &scenario), "opened says no scenario");
    l->scn = scenario_set_find(s->scenarios, scenario);
    sim_hold(s, LAW_FD1, l->scn != NULL, "opened names an unknown scenario");
    audit_init(&l->audit, l->scn);
    l->clock.free_since = -1;
    l->next = s->ledgers;
    s->ledgers = l;
    s->sum.matches++;
    secret_server(s, l, 0);
    return l;
}

/* ---- figures: plain counting, without the rules ---- */

static void check_squares(struct sim *s, const struct sim_ledger *l)
{
    const struct rules_board *b = l->audit.board;
    const struct rules_state *now = &l->audit.game.rules.state;
    uint8_t count[RULES_SQUARES_MAX] = {0}, owner[RULES_SQUARES_MAX] = {0};

    for (unsigned f = 0; f < b->n_figures; f++) {
        const uint16_t at = now->at[f];
        const bool off = now->status[f] == RULES_DEAD || now->status[f] == RULES_LEFT ||
                         now->status[f] == RULES_DUE;

        sim_hold(s, LAW_FIGURES, off == (at == RULES_NO_SQUARE),
                 "a figure is on the board and isn't");
        if (off)
            continue;
        sim_hold(s, LAW_FIGURES, at < rules_squares(b), "a figure stands off the board");
        sim_hold(s, LAW_FIGURES, count[at] == 0 || owner[at] == b->figure[f].side,
                 "two sides stand in one square");
        owner[at] = b->figure[f].side;
        count[at]++;
        sim_hold(s, LAW_FIGURES, count[at] <= b->stack, "a square holds too many");
    }
}

/* The fallen stay where they are, unless an order was taken back. */
static void check_fallen(struct sim *s, const struct sim_ledger *l)
{
    const struct rules_state *now = &l->audit.game.rules.state;

    for (unsigned f = 0; f < l->audit.board->n_figures; f++) {
        const uint8_t was = l->before.status[f], is = now->status[f];

        if (was == RULES_DEAD || was == RULES_LEFT)
            sim_hold(s, LAW_FIGURES, is == was, "a figure came back");
        if (is == RULES_DUE)
            sim_hold(s, LAW_FIGURES, was == RULES_DUE, "a figure on the board is due again");
    }
}

static void check_figures(struct sim *s, struct sim_ledger *l, bool taken_back)
{
    const struct audit *a = &l->audit;

    if (!a->started || !audit_is_whole(a))
        return;
    check_squares(s, l);
    if (l->before.turn > 0 && !taken_back)
        check_fallen(s, l);
    l->before = a->game.rules.state;
}

/* ---- orders ---- */

static void note_order(struct sim *s, struct sim_ledger *l)
{
    const struct entry *e = &l->audit.last;
    struct sim_given *g;

    if (l->n_given == l->given_cap) {
        l->given_cap = l->given_cap * 2 + 32;
        l->given = mem_resize(l->given, l->given_cap, sizeof(*l->given));
    }
    g = &l->given[l->n_given++];
    *g = (struct sim_given){.seq = e->seq, .side = e->u.order.side};
    (void)str_copy(g->id, sizeof(g->id), e->u.order.order_id);
    s->sum.orders++;
}

/* Before the verifier looks: who gave it, was it theirs to give, and hasn't it been given? */
static void check_order(struct sim *s, struct sim_ledger *l, const struct json *j, uint32_t seq)
{
    const struct audit *a = &l->audit;
    const char *side = NULL, *id = NULL;
    enum rules_side by;
    struct sim_actor *who;

    sim_hold(s, LAW_FD1, json_get_string(j, "side", &side) && json_get_string(j, "order_id", &id),
             "an order without a side or an id");
    by = scenario_side_find(l->scn, side);
    if (!a->started || by != (enum rules_side)a->game.rules.state.active)
        sim_broken(s, LAW_TURN, "entry %u: an order of %s, whose phase it isn't", seq, side);
    who = id[0] == 'a' && id[1] >= 'a' && id[1] < 'a' + (int)s->n_actors ? &s->actor[id[1] - 'a']
                                                                         : NULL;
    if (who == NULL || !str_ieq(who->name, audit_player(a, by)))
        sim_broken(s, LAW_TURN, "entry %u: order %s wasn't given by %s", seq, id,
                   audit_player(a, by));
    for (uint32_t i = 0; i < l->n_given; i++)
        if (l->given[i].side == by && str_eq(l->given[i].id, id))
            sim_broken(s, LAW_ONCE, "entry %u: order %s was taken at %u already", seq, id,
                       l->given[i].seq);
}

/* An offer is the other side's to answer. */
static void check_answer(struct sim *s, const struct sim_ledger *l, const struct json *j)
{
    const char *side = "";
    enum rules_side by;
    int64_t id = 0;

    if (!json_get_string(j, "side", &side) || !json_get_int(j, "id", &id))
        sim_broken(s, LAW_FD1, "an answer of nobody, or to nothing");
    by = scenario_side_find(l->scn, side);
    for (unsigned kind = 0; kind < AUDIT_OFFER_KINDS; kind++)
        if (l->audit.offer[by][kind] == (uint32_t)id)
            sim_broken(s, LAW_TURN, "match %s: %s answers its own offer", l->hex, side);
}

/* An umpire's act is an umpire's, and of no game of its own. */
static void check_umpire(struct sim *s, const struct sim_ledger *l, const struct json *j)
{
    const char *by = "";
    const struct sim_actor *who;

    who = json_get_string(j, "by", &by) ? actor_named(s, by) : NULL;
    if (str_eq(by, USER_OPERATOR))
        return;
    if (who == NULL || !who->how.staff || ledger_role(l, by) != ROLE_COUNT)
        sim_broken(s, LAW_TURN, "%s acts as an umpire in match %s", by, l->hex);
}

/* ---- dice ---- */

static void check_roll(struct sim *s, struct sim_ledger *l)
{
    const struct entry_roll *r = &l->audit.last.u.roll;

    s->sum.rolls++;
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        const bool in = (r->flags >> role & 1) != 0;

        if (l->taken[role] == r->n && !in)
            sim_broken(s, LAW_ABSENT, "roll %u goes without a share that was acknowledged", r->n);
        if (l->absent[role] == r->n && in)
            sim_broken(s, LAW_ABSENT, "roll %u holds the share of one marked absent", r->n);
    }
}

static void check_absent(struct sim *s, struct sim_ledger *l)
{
    const uint8_t role = l->audit.last.u.absent.role;
    const uint32_t n = l->audit.last.u.absent.roll;

    if (role <= ROLE_B && l->taken[role] == n)
        sim_broken(s, LAW_ABSENT, "absent from roll %u, for which a share was acknowledged", n);
    if (role <= ROLE_B && disk_share(s, l->id, (enum role)role) != NULL &&
        disk_share(s, l->id, (enum role)role)->seq == n)
        sim_broken(s, LAW_ABSENT, "absent from roll %u, for which a share is kept", n);
    if (role <= ROLE_B)
        l->absent[role] = n;
}

void ledger_share(struct sim *s, const struct store_op *op, int64_t at)
{
    struct sim_ledger *l = ledger_of(s, op->key);
    const struct audit_dice *d;

    sim_hold(s, LAW_FD1, l != NULL && op->role <= ROLE_B && op->len == FD1_LEN, "a stray share");
    d = &l->audit.dice;
    if (!audit_roll_open(&l->audit) || op->seq != d->n + 1)
        sim_broken(s, LAW_FD1, "a share for roll %u, which isn't open", op->seq);
    if (l->absent[op->role] == op->seq)
        sim_broken(s, LAW_ABSENT, "a share of one marked absent from roll %u is kept", op->seq);
    if (!fd1_tail_check(&d->chain[op->role].tail, op->seq, (const uint8_t *)op->data))
        sim_broken(s, LAW_FD1, "a share for roll %u that isn't its chain's link is kept", op->seq);
    clock_batch(s, l, at);
}

/* ---- lines ---- */

static void keep_line(struct sim_ledger *l, const char *line, size_t len)
{
    struct sim_line *r;

    if (l->n == l->cap) {
        l->cap = l->cap * 2 + 64;
        l->line = mem_resize(l->line, l->cap, sizeof(*l->line));
    }
    r = &l->line[l->n++];
    *r = (struct sim_line){.at = l->text.len, .len = len, .kind = l->audit.last.kind};
    buf_put(&l->text, line, len);
    buf_putc(&l->text, '\n');
    memcpy(r->hash, l->audit.hash, FD1_LEN);
    r->has_state = audit_state_hash(&l->audit, r->state_hash);
}

static void after_line(struct sim *s, struct sim_ledger *l, int64_t at)
{
    const struct audit *a = &l->audit;
    const struct rules_event *ev = &a->last.u.play.event;

    if (a->last.kind == ENTRY_ORDER) {
        note_order(s, l);
        l->last_order = at;
    }
    if (a->last.kind == ENTRY_ROLL)
        check_roll(s, l);
    else if (a->last.kind == ENTRY_ABSENT)
        check_absent(s, l);
    else if (a->last.kind == ENTRY_ANCHOR && a->last.u.anchor.role == ROLE_S)
        secret_server(s, l, a->last.u.anchor.generation);
    check_figures(s, l, a->last.kind == ENTRY_PLAY && ev->kind == RULES_EV_UNDO);
    clock_line(s, l, at);
    if (a->over && l->table != NULL && a->last.kind == ENTRY_PLAY && ev->kind == RULES_EV_OVER)
        s->sum.played += a->started ? 1 : 0;
}

static void take_line(struct sim *s, struct sim_ledger *l, const struct json *j, const char *line)
{
    const size_t len = strlen(line);
    char why[AUDIT_WHY_LEN] = "";
    const char *kind = "";
    int64_t seq = 0;

    if (!json_get_int(j, "seq", &seq) || seq != (int64_t)l->n + 1)
        sim_broken(s, LAW_SEQ, "entry %lld comes behind %u", (long long)seq, l->n);
    if (json_get_string(j, "kind", &kind) && str_eq(kind, "order"))
        check_order(s, l, j, (uint32_t)seq);
    else if (str_eq(kind, "umpire"))
        check_umpire(s, l, j);
    else if (str_eq(kind, "answer"))
        check_answer(s, l, j);
    if (audit_take(&l->audit, j, line, len, why) != ERR_OK)
        sim_broken(s, strstr(why, "dice than the rules") != NULL ? LAW_DICE : LAW_FD1,
                   "match %s entry %lld: %s: %.300s", l->hex, (long long)seq, why, line);
    keep_line(l, line, len);
}

static void settle_orders(struct sim_ledger *l)
{
    for (uint32_t i = l->n_given; i-- > 0 && !l->given[i].settled;)
        l->given[i].settled = l->audit.over || l->given[i].seq != l->audit.roll_seq;
}

void ledger_take(struct sim *s, const struct store_op *op, int64_t at)
{
    struct sim_ledger *l = ledger_of(s, op->key);
    char *text = mem_strndup(op->data, op->len);
    uint32_t n = 0;

    if (l != NULL && op->seq != l->n + 1)
        sim_broken(s, LAW_SEQ, "entries from %u are stored behind %u", op->seq, l->n);
    for (char *line = text, *nl; (nl = strchr(line, '\n')) != NULL; line = nl + 1, n++) {
        char why[JSON_WHY_LEN];
        struct json *j = NULL;

        *nl = '\0';
        if (json_parse(line, (size_t)(nl - line), &json_file_limits, &j, why) != ERR_OK)
            sim_broken(s, LAW_FD1, "a journal line that isn't JSON: %s", why);
        if (l == NULL)
            l = ledger_new(s, op, j);
        take_line(s, l, j, line);
        after_line(s, l, at);
        json_free(j);
    }
    mem_free(text);
    sim_hold(s, LAW_SEQ, l != NULL && n == op->n, "a batch of another length than it says");
    sim_hold(s, LAW_FD1, audit_is_whole(&l->audit), "a batch that is cut short is durable");
    settle_orders(l);
    clock_batch(s, l, at);
}

void ledger_fini(struct sim *s)
{
    while (s->ledgers != NULL) {
        struct sim_ledger *l = s->ledgers;

        s->ledgers = l->next;
        audit_fini(&l->audit);
        buf_fini(&l->text);
        mem_free(l->line);
        mem_free(l->given);
        mem_free(l);
    }
}
