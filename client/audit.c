/* SPDX-License-Identifier: ISC
 * audit.c -- follows one match's journal.
 *
 * A batch is checked as it comes: the entry that opens it (an order, a roll, the start) is decided
 * by the rules at once, and what they give is what must follow, entry by entry.
 */
#include "client/audit.h"

#include "common/base/mem.h"
#include "common/base/str.h"

static enum err wrong(char why[AUDIT_WHY_LEN], const char *text)
{
    (void)str_copy(why, AUDIT_WHY_LEN, text);
    return ERR_DATA;
}

void audit_init(struct audit *a, const struct scenario *scn)
{
    memset(a, 0, sizeof(*a));
    a->scn = scn;
    a->winner = RULES_NOBODY;
    a->side_wish = RULES_NOBODY;
    a->side_of[ROLE_A] = RULES_NOBODY;
    a->side_of[ROLE_B] = RULES_NOBODY;
    a->agreed = AUDIT_NOTHING;
}

void audit_fini(struct audit *a)
{
    if (a->board != NULL)
        game_fini(&a->game);
    mem_free(a->board);
    mem_free(a->back);
    entry_room_fini(&a->room);
    game_events_fini(&a->want);
    memset(a, 0, sizeof(*a));
}

enum role audit_role_of(const struct audit *a, enum rules_side side)
{
    for (unsigned r = ROLE_A; r <= ROLE_B; r++) {
        if (a->side_of[r] == side && side != RULES_NOBODY)
            return (enum role)r;
    }
    return ROLE_COUNT;
}

const char *audit_player(const struct audit *a, enum rules_side side)
{
    const enum role r = audit_role_of(a, side);

    return r == ROLE_COUNT ? "" : a->name[r];
}

bool audit_state_hash(const struct audit *a, uint8_t out[RULES_HASH_LEN])
{
    if (!a->started || !audit_is_whole(a))
        return false;
    game_hash(&a->game, out);
    return true;
}

bool audit_roll_open(const struct audit *a)
{
    const struct audit_dice *d = &a->dice;

    if (a->over || a->board == NULL)
        return false;
    if (a->roll_seq != 0)
        return true;
    if (d->salted)
        return d->anew && d->owed == 0;
    return d->chain[ROLE_S].there && a->name[ROLE_B][0] != '\0' &&
           (d->fair == FAIR_SERVER || (d->chain[ROLE_A].there && d->chain[ROLE_B].there));
}

static void set_up_board(struct audit *a, const struct rules_readings *r)
{
    a->board = scenario_board_with(a->scn, r);
    game_init(&a->game, a->board);
}

void audit_begin_at(struct audit *a, const struct audit_start *s)
{
    CHECK(a->board == NULL);
    set_up_board(a, s->readings);
    game_set_state(&a->game, s->state);
    a->dice = s->dice;
    a->head = s->seq;
    memcpy(a->hash, s->hash, FD1_LEN);
    a->started = true;
    a->over = rules_is_over(s->state);
    a->winner = s->state->winner;
    a->reason = s->state->reason;
}

/* ---- positions to go back to ---- */

static void push_back(struct audit *a, uint32_t seq)
{
    if (a->n_back == a->back_cap) {
        a->back_cap = MAX(a->back_cap * 2, 64U);
        a->back = mem_resize(a->back, a->back_cap, sizeof(*a->back));
    }
    a->back[a->n_back].seq = seq;
    a->back[a->n_back].state = a->game.rules.state;
    a->n_back++;
}

/* The order `seq` is taken back; the newest position goes with it. */
static bool pop_back(struct audit *a, uint32_t seq)
{
    if (a->n_back == 0 || a->back[a->n_back - 1].seq != seq)
        return false;
    a->n_back--;
    return true;
}

/* ---- entries around play ---- */

static enum err take_opened(struct audit *a, const struct entry_opened *o, char why[AUDIT_WHY_LEN])
{
    if (a->head != 0)
        return wrong(why, "a match is opened once, by its first entry");
    if (memcmp(o->scenario_hash, a->scn->hash, RULES_HASH_LEN) != 0 ||
        !str_eq(o->scenario, a->scn->id))
        return wrong(why, "the scenario isn't the one that the match was opened with");
    if (!str_copy(a->name[ROLE_A], sizeof(a->name[0]), o->maker))
        return wrong(why, "the maker's name is too long");
    memcpy(a->match, o->match, MATCH_ID_LEN);
    a->no = o->no;
    a->clock = o->clock;
    a->fair = o->fair;
    a->rated = o->rated;
    a->side_wish = o->side;
    if (o->side != RULES_NOBODY) {
        a->side_of[ROLE_A] = o->side;
        a->side_of[ROLE_B] = (uint8_t)rules_enemy((enum rules_side)o->side);
    }
    set_up_board(a, &o->readings);
    audit_dice_init(&a->dice, o->match, (enum fair)o->fair);
    return audit_dice_anchor(&a->dice, ROLE_S, 0, o->anchor, why);
}

static enum err take_joined(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const uint8_t role = a->last.u.joined.role;

    if (role > ROLE_B || a->started)
        return wrong(why, "nobody can join there");
    if (a->name[role][0] != '\0' && !str_eq(a->name[role], a->last.u.joined.player))
        return wrong(why, "that seat is taken");
    if (!str_copy(a->name[role], sizeof(a->name[0]), a->last.u.joined.player))
        return wrong(why, "a player's name is too long");
    return ERR_OK;
}

static enum err take_started(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const char *const *player = a->last.u.started.player;

    if (!a->want_started)
        return wrong(why, "a match starts once, with roll 1");
    if (a->side_of[ROLE_A] == RULES_NOBODY) {
        a->side_of[ROLE_A] = a->d2 == 1 ? RULES_A : RULES_B;
        a->side_of[ROLE_B] = (uint8_t)rules_enemy((enum rules_side)a->side_of[ROLE_A]);
    }
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        if (!str_eq(player[side], audit_player(a, (enum rules_side)side)))
            return wrong(why, "the sides aren't those that were asked for or rolled");
    }
    a->want_started = false;
    a->started = true;
    return ERR_OK;
}

/* ---- orders and rolls ---- */

static enum err refused(const struct audit *a, char why[AUDIT_WHY_LEN])
{
    const struct rules_refusal *no = &a->want.out.refusal;
    struct buf words = BUF_EMPTY;

    refusal_words(a->scn, a->board, no, &words);
    (void)snprintf(why, AUDIT_WHY_LEN, "an order that the rules refuse (R%u): %s",
                   rules_why_rule((enum rules_why)no->why), buf_str(&words));
    buf_fini(&words);
    return ERR_DATA;
}

/* The events in a->want must follow, under the order's name. */
static void expect(struct audit *a, uint32_t tag)
{
    a->want_next = 0;
    a->want_tag = tag;
}

static enum err take_order(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const struct rules_order *o = &a->last.u.order.order;

    if (!a->started || a->over || a->paused || a->roll_seq != 0)
        return wrong(why, "an order when none can be given");
    if (!audit_dice_ready(&a->dice))
        return wrong(why, "an order before the salt roll (D8)");
    switch (game_decide_diceless(&a->game, o, &a->want)) {
    case RULES_OK:
        expect(a, a->last.seq);
        break;
    case RULES_E_DICE:
        a->want.out.n_events = 0;
        a->roll_seq = a->last.seq;
        a->roll_order = *o;
        break;
    case RULES_E_ILLEGAL:
        a->want.out.n_events = 0;
        return refused(a, why);
    case RULES_E_ROOM:
        return wrong(why, "no room");
    }
    if (o->kind != RULES_DO_UNDO)
        push_back(a, a->last.seq);
    a->orders[o->side]++;
    return ERR_OK;
}

/* The dice of the entry must be those of the stream; the first may be the d2 of roll 1. */
static bool same_dice(struct audit *a, const struct entry_roll *roll, struct fd1_dice *stream)
{
    const bool random = roll->n == 1 && a->side_wish == RULES_NOBODY;

    for (unsigned i = 0; i < roll->n_dice; i++) {
        if (roll->dice[i] != fd1_die(stream, random && i == 0 ? 2 : 6))
            return false;
    }
    a->d2 = random && roll->n_dice > 0 ? roll->dice[0] : 0;
    return true;
}

/* Decide `o` with the roll's dice behind the first `skip`: all of them must be needed. */
static enum err decide_with(struct audit *a, const struct rules_order *o,
                            const struct entry_roll *roll, unsigned skip, char why[AUDIT_WHY_LEN])
{
    struct rules_dice dice = {roll->dice + skip, roll->n_dice - skip, 0};
    const enum rules_err e =
        roll->n_dice < skip ? RULES_E_DICE : game_decide(&a->game, o, &dice, &a->want);

    if (e != RULES_OK || dice.used != dice.len) {
        a->want.out.n_events = 0;
        return wrong(why, e == RULES_E_ILLEGAL ? "a roll for an order that the rules refuse"
                                               : "more or fewer dice than the rules roll");
    }
    return ERR_OK;
}

static enum err take_roll(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const struct rules_order start = {.kind = RULES_DO_START, .face = RULES_NO_DIR};
    const struct entry_roll *roll = &a->last.u.roll;
    struct fd1_dice stream;
    const bool known = roll->n <= a->dice.since;
    enum err e;

    if (a->over || a->board == NULL || roll->for_seq != a->roll_seq)
        return wrong(why, "a roll that no order asks for");
    if (audit_dice_roll(&a->dice, roll, &stream, why) != ERR_OK)
        return ERR_DATA;
    if (known)
        return ERR_OK; /* a salt roll from before following began */
    if (!same_dice(a, roll, &stream))
        return wrong(why, "dice that the links don't give");
    if (roll->for_seq == 0 && a->started)
        return roll->n_dice == 0 ? ERR_OK : wrong(why, "dice in a salt roll (D8)");
    if (roll->for_seq == 0) {
        e = decide_with(a, &start, roll, a->side_wish == RULES_NOBODY ? 1 : 0, why);
        a->want_started = true;
    } else {
        e = decide_with(a, &a->roll_order, roll, 0, why);
    }
    expect(a, a->roll_seq);
    a->roll_seq = 0;
    return e;
}

/* ---- offers ---- */

static enum err take_offer(struct audit *a, char why[AUDIT_WHY_LEN])
{
    if (a->over || !a->started || a->last.u.offer.id == 0)
        return wrong(why, "an offer when none can be made");
    a->offer[a->last.u.offer.side][a->last.u.offer.offer] = a->last.u.offer.id;
    return ERR_OK;
}

static enum err take_answer(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const uint8_t by = a->last.u.answer.side;
    uint32_t *offer = a->offer[rules_enemy((enum rules_side)by)];

    if (a->over || a->last.u.answer.id == 0)
        return wrong(why, "an answer to nothing");
    for (uint8_t kind = 0; kind < AUDIT_OFFER_KINDS; kind++) {
        if (offer[kind] != a->last.u.answer.id)
            continue;
        offer[kind] = 0;
        if (a->last.u.answer.accept)
            a->agreed = kind;
        return ERR_OK;
    }
    return a->dice.since > 0 ? ERR_OK : wrong(why, "an answer to no offer of the other side");
}

/* ---- events of play ---- */

static bool same_event(const struct audit *a, const struct rules_event *want)
{
    const struct rules_event *got = &a->last.u.play.event;
    struct buf one = BUF_EMPTY, two = BUF_EMPTY;
    struct jsonw w = jsonw_on(&one), v = jsonw_on(&two);
    bool same;

    if (got->kind != want->kind)
        return false;
    event_members(&w, a->scn, got, a->last.u.play.items);
    event_members(&v, a->scn, want, a->want.out.item);
    same = one.len == two.len && memcmp(buf_str(&one), buf_str(&two), one.len) == 0;
    buf_fini(&one);
    buf_fini(&two);
    return same;
}

static void note_over(struct audit *a, const struct rules_event *ev)
{
    a->over = true;
    a->winner = ev->u.over.winner;
    a->reason = ev->u.over.reason;
    memset(a->offer, 0, sizeof(a->offer));
}

static enum err take_expected(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const struct rules_event *want = &a->want.out.event[a->want_next];

    if (!same_event(a, want)) {
        (void)snprintf(why, AUDIT_WHY_LEN, "not what the rules give: they give %s",
                       event_kind_word((enum rules_event_kind)want->kind));
        return ERR_DATA;
    }
    if (want->kind == RULES_EV_UNDO && !pop_back(a, want->u.undo.tag))
        a->n_back = 0; /* given before following began */
    if (game_apply(&a->game, a->want_tag, want, a->want.out.item) != RULES_OK)
        return wrong(why, "an event that can't be applied");
    if (want->kind == RULES_EV_OVER)
        note_over(a, want);
    a->want_next++;
    return ERR_OK;
}

/* An undo that both agreed on, or that takes back an order without its roll after a restore. */
static enum err take_agreed_undo(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const uint32_t seq = a->last.u.play.event.u.undo.tag;

    if (a->roll_seq != 0 && seq == a->roll_seq) {
        a->roll_seq = 0;
        return pop_back(a, seq) ? ERR_OK : wrong(why, "an order taken back that isn't the newest");
    }
    if (a->agreed != OFFER_UNDO)
        return wrong(why, "an undo that nobody agreed on");
    if (!pop_back(a, seq))
        return wrong(why, a->dice.since > 0 ? "an undo behind what is known: sync again"
                                            : "an undo of another order than the newest");
    game_set_state(&a->game, &a->back[a->n_back].state);
    return ERR_OK;
}

/* Ends that only the referee decides (R44). */
static bool over_fits(const struct audit *a, uint8_t before, const struct rules_event *ev)
{
    const uint8_t winner = ev->u.over.winner;

    switch ((enum rules_reason)ev->u.over.reason) {
    case RULES_BY_RESIGN:
        return before == ENTRY_RESIGN && winner == rules_enemy((enum rules_side)a->actor);
    case RULES_BY_TIME:
        return a->clock.kind != CLOCK_NONE && a->started && winner != RULES_NOBODY;
    case RULES_BY_ABANDON:
        return winner == (before == ENTRY_CLAIM ? a->actor : (uint8_t)RULES_NOBODY);
    case RULES_BY_DRAW:
        return a->agreed == OFFER_DRAW && winner == RULES_NOBODY;
    case RULES_BY_ADJUDICATED:
        return before == ENTRY_UMPIRE;
    case RULES_BY_VOID:
        return (before == ENTRY_UMPIRE || !a->started) && winner == RULES_NOBODY;
    case RULES_BY_NOTHING:
    case RULES_BY_ELIMINATE:
    case RULES_BY_KILL:
    case RULES_BY_EXIT:
    case RULES_BY_HOLD:
    case RULES_BY_BASELINE:
    case RULES_BY_SURVIVE:
    case RULES_BY_REACH:
    case RULES_BY_LIMIT:
    case RULES_REASON_COUNT:
        break;
    }
    return false;
}

static enum err take_play(struct audit *a, uint8_t before, char why[AUDIT_WHY_LEN])
{
    const struct rules_event *ev = &a->last.u.play.event;

    if (a->want_next < a->want.out.n_events)
        return take_expected(a, why);
    if (a->over || a->board == NULL)
        return wrong(why, "an event that nothing asks for");
    if (ev->kind == RULES_EV_UNDO)
        return take_agreed_undo(a, why);
    if (ev->kind != RULES_EV_OVER || !over_fits(a, before, ev))
        return wrong(why, "an event that nothing asks for");
    if (a->started && game_apply(&a->game, 0, ev, a->last.u.play.items) != RULES_OK)
        return wrong(why, "an event that can't be applied");
    note_over(a, ev);
    return ERR_OK;
}

/* ---- all of them ---- */

static enum err take_absent(struct audit *a, char why[AUDIT_WHY_LEN])
{
    const enum role actor = audit_role_of(a, (enum rules_side)a->roll_order.side);

    if (a->roll_seq == 0)
        return wrong(why, "somebody marked absent while no roll is open");
    return audit_dice_absent(&a->dice, (enum role)a->last.u.absent.role, a->last.u.absent.roll,
                             actor, why);
}

static enum err take_anchor(struct audit *a, char why[AUDIT_WHY_LEN])
{
    if (a->roll_seq != 0)
        return wrong(why, "an anchor while a roll is open (D8)");
    return audit_dice_anchor(&a->dice, (enum role)a->last.u.anchor.role,
                             a->last.u.anchor.generation, a->last.u.anchor.anchor, why);
}

static enum err take_umpire(struct audit *a, char why[AUDIT_WHY_LEN])
{
    return a->over ? wrong(why, "an umpire's act after the end") : ERR_OK;
}

static enum err take_side(struct audit *a, char why[AUDIT_WHY_LEN])
{
    a->actor = a->last.u.side;
    return a->over || !a->started ? wrong(why, "nothing to resign or claim") : ERR_OK;
}

static enum err take(struct audit *a, uint8_t before, char why[AUDIT_WHY_LEN])
{
    switch ((enum entry_kind)a->last.kind) {
    case ENTRY_OPENED:
        return take_opened(a, &a->last.u.opened, why);
    case ENTRY_JOINED:
        return take_joined(a, why);
    case ENTRY_ANCHOR:
        return take_anchor(a, why);
    case ENTRY_ABSENT:
        return take_absent(a, why);
    case ENTRY_ROLL:
        return take_roll(a, why);
    case ENTRY_STARTED:
        return take_started(a, why);
    case ENTRY_ORDER:
        return take_order(a, why);
    case ENTRY_OFFER:
        return take_offer(a, why);
    case ENTRY_ANSWER:
        return take_answer(a, why);
    case ENTRY_RESIGN:
    case ENTRY_CLAIM:
        return take_side(a, why);
    case ENTRY_PAUSE:
    case ENTRY_RESUME:
        a->paused = a->last.kind == ENTRY_PAUSE;
        return ERR_OK;
    case ENTRY_PRESENCE:
        return ERR_OK;
    case ENTRY_UMPIRE:
        return take_umpire(a, why);
    case ENTRY_PLAY:
        return take_play(a, before, why);
    case ENTRY_KIND_COUNT:
        break;
    }
    return wrong(why, "no kind of entry");
}

/* What was begun must be finished before anything else. */
static bool in_place(const struct audit *a)
{
    if (a->want_started)
        return a->last.kind == ENTRY_STARTED;
    return a->want_next >= a->want.out.n_events || a->last.kind == ENTRY_PLAY;
}

enum err audit_take(struct audit *a, const struct json *j, const char *line, size_t len,
                    char why[AUDIT_WHY_LEN])
{
    const uint8_t before = a->last.kind;
    const uint32_t open = a->roll_seq;
    char text[PLAY_WHY_LEN];

    if (entry_decode(j, a->scn, &a->last, &a->room, text) != ERR_OK)
        return wrong(why, text);
    if (a->last.seq != a->head + 1)
        return wrong(why, "not the next entry");
    if (a->head == 0 && a->last.kind != ENTRY_OPENED)
        return wrong(why, "a journal begins with opened");
    if (!in_place(a))
        return wrong(why, "something else before a batch is complete");
    if (take(a, before, why) != ERR_OK)
        return ERR_DATA;
    if (a->last.kind != ENTRY_ANSWER)
        a->agreed = AUDIT_NOTHING;
    fd1_journal_hash(a->hash, line, (uint32_t)len, a->hash);
    a->head++;
    if (a->roll_seq != 0 && a->roll_seq != open)
        memcpy(a->roll_hash, a->hash, FD1_LEN);
    if (a->last.kind == ENTRY_ANCHOR || a->last.kind == ENTRY_OPENED)
        memcpy(a->anchor_hash, a->hash, FD1_LEN);
    if (a->last.has_left) {
        a->has_left = true;
        memcpy(a->left_ms, a->last.left_ms, sizeof(a->left_ms));
    }
    return ERR_OK;
}
