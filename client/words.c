/* SPDX-License-Identifier: ISC
 * words.c -- the game in plain sentences.
 */
#include "client/words.h"

#include "client/describe.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

void words_safe(const char *text, struct buf *out)
{
    size_t n = strlen(text);

    while (n > 0) {
        uint32_t cp = 0;
        const size_t len = utf8_decode(text, n, &cp);

        if (len == 0 || !utf8_is_plain(cp))
            buf_putc(out, '?');
        else
            buf_put(out, text, len);
        text += MAX(len, (size_t)1);
        n -= MAX(len, (size_t)1);
    }
}

/* ---- figures ---- */

/* One letter, in upper case if so wanted. */
static void put_letter(char c, bool upper, struct buf *out)
{
    if (upper && c >= 'a' && c <= 'z')
        c = (char)(c - 'a' + 'A');
    buf_putc(out, c);
}

void words_id(const struct scenario *scn, unsigned figure, struct buf *out)
{
    const bool upper = scn->board.figure[figure].side == RULES_A;

    for (const char *p = scn->board.id[figure]; *p != '\0'; p++)
        put_letter(*p, upper, out);
}

static void put_square(const struct rules_board *b, uint16_t sq, struct buf *out)
{
    char name[RULES_SQUARE_NAME];

    buf_puts(out, rules_square_name(b, sq, name));
}

static void put_ids(const struct scenario *scn, const uint8_t *figure, unsigned n, struct buf *out)
{
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            buf_puts(out, i + 1 == n ? " and " : ", ");
        words_id(scn, figure[i], out);
    }
}

void words_figure(const struct scenario *scn, const struct rules_state *s, unsigned figure,
                  struct buf *out)
{
    words_id(scn, figure, out);
    if (scn->board.figure[figure].commander != 0)
        buf_puts(out, " commander");
    if (scn->figure_name[figure] != NULL)
        buf_printf(out, " (%s)", scn->figure_name[figure]);
    if (s->at[figure] == RULES_NO_SQUARE) {
        buf_printf(out, " %s", status_word((enum rules_status)s->status[figure]));
        return;
    }
    buf_putc(out, ' ');
    put_square(&scn->board, s->at[figure], out);
    buf_printf(out, " %s", describe_dir((enum rules_dir)s->face[figure]));
}

static void put_count(unsigned n, bool capital, struct buf *out)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};

    if (n >= ARRAY_LEN(words)) {
        buf_printf(out, "%u", n);
        return;
    }
    put_letter(words[n][0], capital, out);
    buf_puts(out, words[n] + 1);
}

void words_ready(const struct scenario *scn, const struct rules_board *b,
                 const struct rules_state *s, enum rules_side side, struct buf *out)
{
    unsigned n = 0, left;

    for (unsigned f = 0; f < b->n_figures; f++)
        n += b->figure[f].side == side && rules_can_act(b, s, f) ? 1 : 0;
    if (n == 0) {
        buf_puts(out, "No figure is ready.");
        return;
    }
    put_count(n, true, out);
    buf_printf(out, " figure%s ready: ", n == 1 ? "" : "s");
    left = n;
    for (unsigned f = 0; f < b->n_figures; f++) {
        if (b->figure[f].side != side || !rules_can_act(b, s, f))
            continue;
        words_figure(scn, s, f, out);
        buf_puts(out, --left > 0 ? ", " : ".");
    }
}

static const char *side_name(const struct audit *a, unsigned side)
{
    return side <= RULES_B ? a->scn->side[side].name : "nobody";
}

/* "Red" is one, "Cowboys" are many: the verb and the genitive that go with a side's name. */
static const char *verb(const struct audit *a, unsigned side, const char *one, const char *many)
{
    return str_ends(side_name(a, side), "s") ? many : one;
}

static const char *genitive(const struct audit *a, unsigned side)
{
    return verb(a, side, "'s", "'");
}

/* "Blue has 5 of 6 soldiers", and what that means for its morale. */
static void put_strength(const struct audit *a, enum rules_side side, struct buf *out)
{
    const struct rules_state *s = &a->game.rules.state;
    const unsigned all = a->board->side[side].soldiers;

    buf_printf(out, "%s %s %u of %u soldiers", side_name(a, side), verb(a, side, "has", "have"),
               all - rules_killed(a->board, s, side), all);
    if ((s->testing >> side & 1) != 0)
        buf_printf(out, " and %s morale", verb(a, side, "tests", "test"));
}

void words_position(const struct audit *a, enum rules_side me, struct buf *out)
{
    const struct rules_state *s = &a->game.rules.state;

    if (a->over) {
        words_over(a, out);
        return;
    }
    if (!a->started) {
        buf_puts(out, a->name[ROLE_B][0] == '\0' ? "Waiting for somebody to join."
                                                 : "The dice are being set up.");
        return;
    }
    buf_printf(out, "Turn %u of %u. ", s->turn, a->board->turns);
    if (s->active <= RULES_B)
        buf_printf(out, "%s%s phase%s. ", side_name(a, s->active), genitive(a, s->active),
                   s->active == me ? " (you)" : "");
    put_strength(a, RULES_A, out);
    buf_puts(out, "; ");
    put_strength(a, RULES_B, out);
    buf_putc(out, '.');
}

/* ---- events ---- */

static void put_initiative(const struct audit *a, const struct rules_event *ev,
                           const union rules_item *items, struct buf *out)
{
    buf_printf(out, "Turn %u. Initiative: ", ev->u.initiative.turn);
    for (unsigned i = 0; i < ev->u.initiative.n; i++) {
        const union rules_item *it = &items[ev->u.initiative.item + i];

        buf_printf(out, "%s%s %u, %s %u", i == 0 ? "" : "; again: ", side_name(a, RULES_A),
                   it->roll.a, side_name(a, RULES_B), it->roll.b);
    }
    buf_printf(out, ". %s %s first.", side_name(a, ev->u.initiative.first),
               verb(a, ev->u.initiative.first, "goes", "go"));
}

static void put_arrive(const struct audit *a, const struct rules_event *ev,
                       const union rules_item *items, struct buf *out)
{
    const union rules_item *it = &items[ev->u.arrive.item];

    buf_printf(out, "Reinforcements for %s", side_name(a, ev->u.arrive.side));
    if (ev->u.arrive.edge != RULES_NO_DIR)
        buf_printf(out, " by the %s edge", describe_dir((enum rules_dir)ev->u.arrive.edge));
    if (ev->u.arrive.die != 0)
        buf_printf(out, " (die %u)", ev->u.arrive.die);
    buf_puts(out, ": ");
    for (unsigned i = 0; i < ev->u.arrive.n_placed; i++, it++) {
        words_id(a->scn, it->placed.figure, out);
        buf_puts(out, " at ");
        put_square(a->board, it->placed.at, out);
        buf_printf(out, " facing %s%s", describe_dir((enum rules_dir)it->placed.face),
                   i + 1U < ev->u.arrive.n_placed ? ", " : "");
    }
    if (ev->u.arrive.n_placed == 0)
        buf_puts(out, "no room to enter");
    if (ev->u.arrive.n_waiting > 0)
        buf_puts(out, "; waiting:");
    for (unsigned i = 0; i < ev->u.arrive.n_waiting; i++, it++) {
        buf_putc(out, ' ');
        words_id(a->scn, it->figure, out);
    }
    buf_putc(out, '.');
}

static void put_morale(const struct audit *a, const struct rules_event *ev, struct buf *out)
{
    static const char *const results[] = {"acts as ordered", "halts for this turn", "retreats",
                                          "routs"};

    buf_puts(out, "Morale: ");
    words_id(a->scn, ev->u.morale.figure, out);
    buf_printf(out, " rolls %u", ev->u.morale.die);
    if (ev->u.morale.bonus > 0)
        buf_printf(out, ", plus %u for a commander near", ev->u.morale.bonus);
    buf_printf(out, ": %s.", results[ev->u.morale.result]);
}

/* "b3 to b4 to b5", or where it stays. */
static void put_path(const struct audit *a, uint16_t from, const uint16_t *path, unsigned n,
                     struct buf *out)
{
    put_square(a->board, from, out);
    for (unsigned i = 0; i < n; i++) {
        buf_puts(out, " to ");
        put_square(a->board, path[i], out);
    }
}

static void put_fall_back(const struct audit *a, const struct rules_event *ev, struct buf *out)
{
    const char *face = describe_dir((enum rules_dir)ev->u.fall_back.face);

    words_id(a->scn, ev->u.fall_back.figure, out);
    buf_puts(out, ev->u.fall_back.state == RULES_ROUT ? " routs" : " retreats");
    if (ev->u.fall_back.n == 0)
        buf_puts(out, ev->u.fall_back.left == 0 ? ", but can't leave " : " at ");
    else
        buf_puts(out, " from ");
    put_path(a, ev->u.fall_back.from, ev->u.fall_back.path, ev->u.fall_back.n, out);
    if (ev->u.fall_back.left != 0)
        buf_printf(out, ", and leaves the board by the %s edge for good.", face);
    else
        buf_printf(out, ", facing %s.", face);
}

static void put_move(const struct audit *a, const struct rules_event *ev, struct buf *out)
{
    put_ids(a->scn, ev->u.move.figure, ev->u.move.n_figures, out);
    buf_puts(out, ev->u.move.n_figures == 1 ? " moves " : " move ");
    put_path(a, ev->u.move.from, ev->u.move.path, ev->u.move.n, out);
    if (ev->u.move.left != RULES_NO_DIR)
        buf_printf(out, " and off the board by the %s edge.",
                   describe_dir((enum rules_dir)ev->u.move.left));
    else
        buf_printf(out, ", facing %s.", describe_dir((enum rules_dir)ev->u.move.face));
}

static void put_turn(const struct audit *a, const struct rules_event *ev, struct buf *out)
{
    put_ids(a->scn, ev->u.turn.figure, ev->u.turn.n_figures, out);
    buf_puts(out, " at ");
    put_square(a->board, ev->u.turn.at, out);
    buf_printf(out, "%s to face %s.", ev->u.turn.n_figures == 1 ? " turns" : " turn",
               describe_dir((enum rules_dir)ev->u.turn.face));
}

static void put_shot(const struct audit *a, const struct rules_shot *shot, bool named,
                     struct buf *out)
{
    if (named) {
        words_id(a->scn, shot->figure, out);
        buf_puts(out, " at ");
        words_id(a->scn, shot->at, out);
        buf_puts(out, ": ");
    } else {
        buf_puts(out, "Dice: ");
    }
    if (shot->die == 0) {
        buf_puts(out, "already down, no shot.");
        return;
    }
    buf_printf(out, "%u, %s", shot->die, shot->hit != 0 ? "hit" : "missed.");
    if (shot->hit == 0)
        return;
    buf_printf(out, "; save %u, %s", shot->save, shot->killed != 0 ? "failed. " : "saved.");
    if (shot->killed == 0)
        return;
    words_id(a->scn, shot->at, out);
    buf_puts(out, " is killed.");
}

static void put_volley(const struct audit *a, const struct rules_event *ev, struct buf *out)
{
    unsigned killed = 0;

    for (unsigned i = 0; i < ev->u.volley.n; i++) {
        if (i == 0 || ev->u.volley.shot[i].figure != ev->u.volley.shot[i - 1].figure)
            buf_puts(out, i == 0 ? "" : ", ");
        words_id(a->scn, ev->u.volley.shot[i].figure, out);
    }
    buf_puts(out, ev->u.volley.n == 1 ? " at " : " from ");
    put_square(a->board, ev->u.volley.square, out);
    buf_printf(out, "%s %s at ", ev->u.volley.n == 1 ? " fires" : " fire",
               describe_dir((enum rules_dir)ev->u.volley.face));
    if (ev->u.volley.n == 1) {
        words_id(a->scn, ev->u.volley.shot[0].at, out);
        buf_puts(out, " at ");
    }
    put_square(a->board, ev->u.volley.target, out);
    buf_printf(out, ", range %u: hits on %u or more, saved on %u or more.", ev->u.volley.range,
               ev->u.volley.to_hit, ev->u.volley.to_save);
    for (unsigned i = 0; i < ev->u.volley.n; i++) {
        buf_putc(out, ' ');
        put_shot(a, &ev->u.volley.shot[i], ev->u.volley.n > 1, out);
        killed += ev->u.volley.shot[i].killed;
    }
    if (killed == 0)
        return;
    buf_putc(out, ' ');
    put_strength(a, (enum rules_side)a->board->figure[ev->u.volley.shot[0].at].side, out);
    buf_putc(out, '.');
}

static void put_pairing(const struct audit *a, const union rules_item *it, struct buf *out)
{
    buf_putc(out, ' ');
    words_id(a->scn, it->pairing.a, out);
    buf_printf(out, " %u against ", it->pairing.total_a);
    words_id(a->scn, it->pairing.b, out);
    buf_printf(out, " %u", it->pairing.total_b);
    if (it->pairing.total_a == it->pairing.total_b) {
        buf_puts(out, ": even.");
        return;
    }
    buf_puts(out, ": ");
    words_id(a->scn, it->pairing.total_a < it->pairing.total_b ? it->pairing.a : it->pairing.b,
             out);
    buf_puts(out, " owes a save.");
}

static void put_melee(const struct audit *a, const struct rules_event *ev,
                      const union rules_item *items, struct buf *out)
{
    const union rules_item *it = &items[ev->u.melee.item];
    unsigned killed[2] = {0, 0};

    buf_puts(out, "Hand-to-hand. Dice:");
    for (unsigned i = 0; i < ev->u.melee.n_dice; i++, it++) {
        buf_putc(out, ' ');
        words_id(a->scn, it->die.figure, out);
        buf_printf(out, " %u%s", it->die.die, i + 1U < ev->u.melee.n_dice ? "," : ".");
    }
    for (unsigned i = 0; i < ev->u.melee.n_pairings; i++, it++)
        put_pairing(a, it, out);
    for (unsigned i = 0; i < ev->u.melee.n_saves; i++, it++) {
        buf_putc(out, ' ');
        words_id(a->scn, it->save.figure, out);
        buf_puts(out, " saves against ");
        words_id(a->scn, it->save.against, out);
        buf_printf(out, " on 4 or more: %u, %s.", it->save.die,
                   it->save.saved != 0 ? "saved" : "failed");
    }
    for (unsigned i = 0; i < ev->u.melee.n_killed; i++, it++) {
        buf_putc(out, ' ');
        words_id(a->scn, it->figure, out);
        buf_puts(out, " is killed.");
        killed[a->board->figure[it->figure].side]++;
    }
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        if (killed[side] == 0)
            continue;
        buf_putc(out, ' ');
        put_strength(a, (enum rules_side)side, out);
        buf_putc(out, '.');
    }
}

void words_over(const struct audit *a, struct buf *out)
{
    static const char *const how[] = {
        [RULES_BY_NOTHING] = "for no reason",
        [RULES_BY_ELIMINATE] = "no enemy soldier is left",
        [RULES_BY_KILL] = "those named are dead",
        [RULES_BY_EXIT] = "enough have left the board",
        [RULES_BY_HOLD] = "the ground is held",
        [RULES_BY_BASELINE] = "half the force stands on the enemy's baseline",
        [RULES_BY_SURVIVE] = "they have held out",
        [RULES_BY_REACH] = "the goal is reached",
        [RULES_BY_LIMIT] = "the last turn is over",
        [RULES_BY_DRAW] = "a draw",
        [RULES_BY_RESIGN] = "the other side resigned",
        [RULES_BY_TIME] = "the other side's time ran out",
        [RULES_BY_ABANDON] = "the match was left",
        [RULES_BY_ADJUDICATED] = "the umpire decided",
        [RULES_BY_VOID] = "the match doesn't count",
    };
    _Static_assert(ARRAY_LEN(how) == RULES_REASON_COUNT, "words for every reason");

    if (a->winner <= RULES_B)
        buf_printf(out, "The game is over: %s %s (%s: %s).", side_name(a, a->winner),
                   verb(a, a->winner, "wins", "win"), reason_word((enum rules_reason)a->reason),
                   how[a->reason]);
    else
        buf_printf(out, "The game is over: nobody wins (%s: %s).",
                   reason_word((enum rules_reason)a->reason), how[a->reason]);
}

void words_event(const struct audit *a, const struct rules_event *ev, const union rules_item *items,
                 struct buf *out)
{
    switch ((enum rules_event_kind)ev->kind) {
    case RULES_EV_INITIATIVE:
        put_initiative(a, ev, items, out);
        break;
    case RULES_EV_PHASE:
        buf_printf(out, "%s%s phase.", side_name(a, ev->u.phase.side),
                   genitive(a, ev->u.phase.side));
        break;
    case RULES_EV_END_PHASE:
        buf_printf(out, "%s%s phase ends.", side_name(a, ev->u.phase.side),
                   genitive(a, ev->u.phase.side));
        break;
    case RULES_EV_END_TURN:
        buf_printf(out, "Turn %u ends.", ev->u.phase.turn);
        break;
    case RULES_EV_ARRIVE:
        put_arrive(a, ev, items, out);
        break;
    case RULES_EV_MORALE:
        put_morale(a, ev, out);
        break;
    case RULES_EV_FALL_BACK:
        put_fall_back(a, ev, out);
        break;
    case RULES_EV_MOVE:
        put_move(a, ev, out);
        break;
    case RULES_EV_TURN:
        put_turn(a, ev, out);
        break;
    case RULES_EV_UNDO:
        buf_printf(out, "Order %u is taken back.", ev->u.undo.tag);
        break;
    case RULES_EV_VOLLEY:
        put_volley(a, ev, out);
        break;
    case RULES_EV_MELEE:
        put_melee(a, ev, items, out);
        break;
    case RULES_EV_OVER:
        words_over(a, out);
        break;
    case RULES_EV_COUNT:
        break;
    }
}

/* ---- entries around play ---- */

static const char *const offers[] = {"a draw", "a pause, or to go on after one",
                                     "to take the newest order back"};

static void put_offer(const struct audit *a, enum rules_side me, struct buf *out)
{
    buf_printf(out, "%s %s %s.", side_name(a, a->last.u.offer.side),
               verb(a, a->last.u.offer.side, "offers", "offer"), offers[a->last.u.offer.offer]);
    if (me != RULES_NOBODY && me != a->last.u.offer.side)
        buf_puts(out, " Say accept or decline.");
}

static void put_absent(const struct audit *a, struct buf *out)
{
    buf_printf(out, "Roll %u goes without ", a->last.u.absent.roll);
    words_safe(a->name[a->last.u.absent.role & 1], out);
    buf_puts(out, "'s share (not there): server and acting player together could have foreseen "
                  "it.");
}

static void put_anchor(const struct audit *a, struct buf *out)
{
    if (a->last.u.anchor.generation == 0)
        return;
    buf_printf(out, "New anchor for the dice of %s (generation %u).",
               a->last.u.anchor.role == ROLE_S ? "the server" : a->name[a->last.u.anchor.role & 1],
               a->last.u.anchor.generation);
}

static void put_started(const struct audit *a, enum rules_side me, struct buf *out)
{
    buf_puts(out, "The match begins: ");
    for (unsigned side = RULES_A; side <= RULES_B; side++) {
        buf_printf(out, "%s%s is ", side == RULES_A ? "" : ", ", side_name(a, side));
        words_safe(audit_player(a, (enum rules_side)side), out);
        if (side == me)
            buf_puts(out, " (you)");
    }
    buf_putc(out, '.');
}

static void put_umpire(const struct audit *a, struct buf *out)
{
    buf_puts(out, "Umpire ");
    words_safe(a->last.u.umpire.by, out);
    buf_puts(out, ": ");
    words_safe(a->last.u.umpire.act, out);
    buf_puts(out, ", because: ");
    words_safe(a->last.u.umpire.reason, out);
    buf_putc(out, '.');
}

static void put_joined(const struct audit *a, struct buf *out)
{
    words_safe(a->last.u.joined.player, out);
    buf_puts(out, " sits down.");
}

void words_entry(const struct audit *a, enum rules_side me, struct buf *out)
{
    const struct entry *e = &a->last;

    switch ((enum entry_kind)e->kind) {
    case ENTRY_JOINED:
        put_joined(a, out);
        break;
    case ENTRY_ANCHOR:
        put_anchor(a, out);
        break;
    case ENTRY_ABSENT:
        put_absent(a, out);
        break;
    case ENTRY_STARTED:
        put_started(a, me, out);
        break;
    case ENTRY_OFFER:
        put_offer(a, me, out);
        break;
    case ENTRY_ANSWER:
        buf_printf(out, "%s %s %s.", side_name(a, e->u.answer.side),
                   verb(a, e->u.answer.side, "says", "say"), e->u.answer.accept ? "yes" : "no");
        break;
    case ENTRY_RESIGN:
        buf_printf(out, "%s %s.", side_name(a, e->u.side), verb(a, e->u.side, "resigns", "resign"));
        break;
    case ENTRY_CLAIM:
        buf_printf(out, "%s %s the game.", side_name(a, e->u.side),
                   verb(a, e->u.side, "claims", "claim"));
        break;
    case ENTRY_PAUSE:
        buf_puts(out, "The match is paused.");
        break;
    case ENTRY_RESUME:
        buf_puts(out, "The match goes on.");
        break;
    case ENTRY_PRESENCE:
        words_safe(audit_player(a, (enum rules_side)e->u.presence.side), out);
        buf_puts(out, e->u.presence.online ? " is back." : " is away.");
        break;
    case ENTRY_UMPIRE:
        put_umpire(a, out);
        break;
    case ENTRY_PLAY:
        words_event(a, &e->u.play.event, e->u.play.items, out);
        break;
    case ENTRY_OPENED:
    case ENTRY_ROLL:
    case ENTRY_ORDER:
    case ENTRY_KIND_COUNT:
        break;
    }
}
