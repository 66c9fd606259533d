/* SPDX-License-Identifier: ISC
 * lib_sim_tap_stream.c -- what is told of a match, entry by entry, page by page, as a record or in a
 * list, held against its ledger.
 */
#include "tests/sim/lib_sim_tap_stream.h"

#include "common/base/hex.h"
#include "common/base/str.h"

/* ---- who follows what ---- */

static struct sim_sub *sub_find(struct sim_link *l, const struct sim_ledger *led)
{
    for (unsigned i = 0; i < l->n_subs; i++)
        if (l->sub[i].ledger == led)
            return &l->sub[i];
    return NULL;
}

void tap_unfollow(struct sim_link *l, const struct sim_ledger *led)
{
    struct sim_sub *sub = sub_find(l, led);

    if (sub != NULL)
        *sub = l->sub[--l->n_subs];
}

static void sub_set(struct sim *s, struct sim_link *l, struct sim_ledger *led, uint32_t next)
{
    tap_unfollow(l, led);
    sim_hold(s, LAW_BOUNDS, l->n_subs < SIM_SUBS, "a link follows more matches than were asked");
    l->sub[l->n_subs++] = (struct sim_sub){led, next};
}

/* May this connection see the match at all? */
static void check_look(struct sim *s, const struct sim_link *l, const struct sim_ledger *led)
{
    const struct sim_table *t = led->table;
    const struct sim_actor *a = &s->actor[l->actor];

    if (t == NULL || ledger_role(led, l->user) != ROLE_COUNT || a->how.staff)
        return;
    if (t->watch == MSG_WATCH_NONE || (a->how.pest && (t->is_private || t->watch != MSG_WATCH_ALL)))
        sim_broken(s, LAW_PRIVATE, "%s sees match %s, which is closed to it", l->user, led->hex);
}

/* ---- entries ---- */

/* The bytes at `text` must be the journal's line `seq`, durable by now. */
static size_t check_entry(struct sim *s, const struct sim_ledger *led, uint32_t seq,
                          const char *text)
{
    const char *line;
    size_t len;

    if (seq > led->n)
        sim_broken(s, LAW_EARLY, "entry %u of match %s is told before it is durable", seq,
                   led->hex);
    line = ledger_line(led, seq, &len);
    if (strncmp(text, line, len) != 0)
        sim_broken(s, LAW_PREFIX, "entry %u of match %s is told as %.120s", seq, led->hex, text);
    return len;
}

bool tap_is_hash(const uint8_t *hash, const char *hex)
{
    char want[2 * FD1_LEN + 1];

    hex_encode(want, hash, FD1_LEN);
    return strncmp(want, hex, 2 * FD1_LEN) == 0;
}

static void check_state_hash(struct sim *s, const struct sim_ledger *led, uint32_t seq,
                             const char *text)
{
    const struct sim_line *r = &led->line[seq - 1];

    if (text[0] != '"')
        return; /* null */
    if (!r->has_state || !tap_is_hash(r->state_hash, text + 1))
        sim_broken(s, LAW_REPLAY, "entry %u of match %s has another state hash", seq, led->hex);
}

static uint32_t seq_of(const char *entry)
{
    return (uint32_t)strtoul(entry + strlen("{\"seq\":"), NULL, 10);
}

void tap_event(struct sim *s, struct sim_link *l, const char *match)
{
    const char *hash = strstr(match, "\"hash\":\""), *entry = strstr(match, "\"entry\":{\"seq\":");
    struct sim_ledger *led = ledger_find(s, match, MATCH_ID_HEX - 1);
    struct sim_sub *sub;
    uint32_t seq;

    sim_hold(s, LAW_PREFIX, hash != NULL && entry != NULL, "an event without hash or entry");
    entry += strlen("\"entry\":");
    seq = seq_of(entry);
    sim_hold(s, LAW_EARLY, led != NULL, "an event of a match that isn't durable");
    (void)check_entry(s, led, seq, entry);
    if (!tap_is_hash(led->line[seq - 1].hash, hash + strlen("\"hash\":\"")))
        sim_broken(s, LAW_REPLAY, "entry %u of match %s has another hash", seq, led->hex);
    check_state_hash(s, led, seq, strstr(match, "\"state_hash\":") + strlen("\"state_hash\":"));
    check_look(s, l, led);
    sim_hold(s, LAW_BOUNDS, !l->slow, "events are sent to one that is slow");
    sub = sub_find(l, led);
    if (sub == NULL || seq != sub->next)
        sim_broken(s, LAW_PREFIX, "%s is told entry %u of match %s where %u is due", l->user, seq,
                   led->hex, sub != NULL ? sub->next : 0);
    sub->next++;
}

/* ---- sync ---- */

bool tap_u32(const struct json *j, const char *name, uint32_t *out)
{
    int64_t v;

    if (!json_get_int(j, name, &v) || v < 0 || v > UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    return true;
}

void tap_clock(struct sim *s, const struct sim_ledger *led, const struct json *left)
{
    int64_t ms[2];

    if (json_get_int(left, led->scn->side[0].id, &ms[0]) &&
        json_get_int(left, led->scn->side[1].id, &ms[1]))
        clock_told(s, led, ms);
}

static void check_state(struct sim *s, const struct sim_ledger *led, uint32_t seq,
                        const struct json *j)
{
    static const struct rules_state none;
    struct rules_state state = none;
    uint8_t hash[RULES_HASH_LEN];

    sim_hold(s, LAW_RESUME, seq > 0 && seq <= led->n, "a state as of an entry that there isn't");
    sim_hold(s, LAW_RESUME, state_from_json(j, led->scn, &state) == ERR_OK, "a state that isn't");
    rules_hash(led->audit.board, &state, hash);
    if (led->line[seq - 1].has_state && memcmp(hash, led->line[seq - 1].state_hash, 32) != 0)
        sim_broken(s, LAW_RESUME, "match %s: another state is given as of %u", led->hex, seq);
}

/* The events of the result, in the line's own bytes. Returns the last one's seq. */
static uint32_t check_page(struct sim *s, const struct sim_ledger *led, uint32_t from,
                           const char *text)
{
    static const char mark[] = "\"entry\":{\"seq\":";

    for (const char *at = strstr(text, mark); at != NULL; at = strstr(at, mark)) {
        at += strlen("\"entry\":");
        if (seq_of(at) != from + 1)
            sim_broken(s, LAW_RESUME, "match %s: entry %u is given behind %u", led->hex, seq_of(at),
                       from);
        at += check_entry(s, led, ++from, at);
    }
    return from;
}

/* The head as told; it may be behind while the core hears of a commit's end match by match. */
static uint32_t check_head(struct sim *s, const struct sim_ledger *led, const struct json *r)
{
    const char *hash = "", *state = NULL;
    uint32_t head = 0;

    if (!tap_u32(r, "head", &head) || head == 0 || head > led->n ||
        (head < led->n && !s->disk.settled))
        sim_broken(s, head > led->n ? LAW_EARLY : LAW_RESUME,
                   "match %s: the head is said to be %u, and is %u", led->hex, head, led->n);
    sim_hold(s, LAW_REPLAY,
             json_get_string(r, "hash", &hash) && tap_is_hash(led->line[head - 1].hash, hash),
             "the head's hash is another");
    if (json_get_string(r, "state_hash", &state) && led->line[head - 1].has_state)
        sim_hold(s, LAW_REPLAY, tap_is_hash(led->line[head - 1].state_hash, state),
                 "the head's state hash is another");
    return head;
}

void tap_sync(struct sim *s, struct sim_link *l, const struct sim_asked *q, const struct json *r,
              const char *text)
{
    const char *match = "";
    struct sim_ledger *led;
    uint32_t from = q->has_after ? q->number : 0, next = 0, head;

    sim_hold(s, LAW_RESUME, json_get_string(r, "match", &match), "a sync of no match");
    led = ledger_find(s, match, strlen(match));
    sim_hold(s, LAW_EARLY, led != NULL, "a sync of a match that isn't durable");
    check_look(s, l, led);
    head = check_head(s, led, r);
    if (json_get(r, "state") != NULL) {
        sim_hold(s, LAW_RESUME, tap_u32(r, "state_seq", &from), "a state as of nothing");
        check_state(s, led, from, json_get(r, "state"));
    }
    tap_clock(s, led, json_get(json_get(r, "clock"), "left"));
    from = check_page(s, led, from, text);
    if (tap_u32(r, "next", &next)) {
        sim_hold(s, LAW_RESUME, next == from && next < head, "a page's next isn't its last");
        tap_unfollow(l, led);
        return;
    }
    sim_hold(s, LAW_RESUME, from == head, "a last page that doesn't reach the head");
    sub_set(s, l, led, head + 1);
}

/* ---- records ---- */

void tap_record(struct sim *s, const struct sim_asked *q, const struct json *r)
{
    const struct sim_ledger *led = ledger_find(s, q->match, strlen(q->match));

    sim_hold(s, LAW_EARLY, led != NULL, "a record of a match that isn't durable");
    for (const struct json *j = json_first(json_get(r, "lines")); j != NULL; j = json_next(j)) {
        const char *text = "";

        if (!json_string(j, &text) || !str_starts(text, "{\"seq\":"))
            continue;
        if (check_entry(s, led, seq_of(text), text) != strlen(text))
            sim_broken(s, LAW_RESUME, "a record's line %u is longer than it was", seq_of(text));
    }
}

/* ---- lists ---- */

/* May `viewer` be shown the match in a list? Of a match that nobody took up: unknown, so yes. */
static bool may_list(const struct sim *s, const struct sim_link *l, const struct sim_ledger *led)
{
    return led->table == NULL || !led->table->is_private || s->actor[l->actor].how.staff ||
           ledger_role(led, l->user) != ROLE_COUNT;
}

void tap_played(struct sim *s, const struct sim_link *l, const struct sim_asked *q,
                const struct json *r)
{
    const char *name = s->actor[q->number].name;
    uint32_t last = UINT32_MAX, no = 0;
    unsigned listed = 0, due = 0;

    for (const struct json *m = json_first(json_get(r, "matches")); m != NULL; m = json_next(m)) {
        const char *hex = "";
        const struct sim_ledger *led =
            json_get_string(m, "match", &hex) ? ledger_find(s, hex, strlen(hex)) : NULL;

        if (led == NULL || !tap_u32(m, "no", &no) || no >= last)
            sim_broken(s, LAW_ARCHIVE, "the matches of %s are listed wrong at %s", name, hex);
        last = no;
        sim_hold(s, LAW_EARLY, led->audit.over, "a match is listed as over before it is durable");
        sim_hold(s, LAW_PRIVATE, may_list(s, l, led), "a private match is listed");
        if (ledger_role(led, name) == ROLE_COUNT)
            sim_broken(s, LAW_ARCHIVE, "match %s isn't one of %s", hex, name);
        listed += led->table != NULL ? 1 : 0;
    }
    for (const struct sim_ledger *led = s->ledgers; led != NULL; led = led->next)
        due += led->audit.over && led->table != NULL && led->audit.name[ROLE_B][0] != '\0' &&
                       ledger_role(led, name) != ROLE_COUNT && may_list(s, l, led)
                   ? 1
                   : 0;
    if (listed != due && !s->disk.settled)
        sim_broken(s, LAW_ARCHIVE, "%u matches of %s are listed, and %u are over", listed, name,
                   due);
}
