/* SPDX-License-Identifier: ISC
 * seat_sync.c -- the way to our place: create or join, the scenario, the journal's pages.
 */
#include <sysexits.h>

#include "client/seat_impl.h"
#include "common/base/str.h"

/* ---- getting there ---- */

static void on_create(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *id = NULL, *invite = NULL;

    if (a->err == ERR_EOF)
        return;
    if (a->err != ERR_OK) {
        seat_fail_answer(s, "the match can't be opened", a);
        return;
    }
    if (!json_get_string(a->result, "match", &id) || !str_copy(s->match, sizeof(s->match), id)) {
        seat_fail(s, EX_PROTOCOL, "the server's answer to match.create makes no sense");
        return;
    }
    if (json_get_string(a->result, "invite", &invite))
        (void)str_copy(s->invite, sizeof(s->invite), invite);
    s->seated = true;
    seat_sync_now(s);
}

static void create(struct seat *s)
{
    struct buf clock = BUF_EMPTY;
    struct jsonw *w = link_begin(s->link, MSG_MATCH_CREATE);

    jsonw_m_str(w, "scenario", s->wish.scenario);
    jsonw_m_str(w, "side", s->wish.side == NULL ? "random" : s->wish.side);
    clock_rule_to_json(&s->wish.clock, &clock);
    jsonw_m_raw(w, "clock", buf_str(&clock), clock.len);
    buf_fini(&clock);
    if (s->wish.has_fair)
        jsonw_m_str(w, "fair", fair_word((enum fair)s->wish.fair));
    if (s->wish.rated)
        jsonw_m_bool(w, "rated", true);
    if (s->wish.is_private)
        jsonw_m_bool(w, "private", true);
    if (s->wish.opponent != NULL)
        jsonw_m_str(w, "opponent", s->wish.opponent);
    if (s->wish.delay > 0)
        jsonw_m_int(w, "delay", s->wish.delay);
    if (s->wish.max_spectators > 0)
        jsonw_m_int(w, "max_spectators", s->wish.max_spectators);
    s->asked_create = true;
    link_send(s->link, on_create, s);
}

/* Was the match that we asked for made before the line was lost? */
static void on_mine(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *maker = NULL, *scenario = NULL, *id = NULL;

    if (a->err == ERR_EOF)
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (json_get_string(m, "maker", &maker) && str_ieq(maker, link_user(s->link)) &&
            json_get_string(m, "scenario", &scenario) && str_eq(scenario, s->wish.scenario) &&
            json_get_string(m, "match", &id) && str_copy(s->match, sizeof(s->match), id)) {
            s->seated = true;
            seat_sync_now(s);
            return;
        }
    }
    create(s);
}

static void on_join(void *data, const struct link_answer *a)
{
    struct seat *s = data;

    if (a->err == ERR_EOF)
        return;
    if (a->err == ERR_OK) {
        s->seated = true;
    } else if (a->err != ERR_CONFLICT && a->err != ERR_PHASE && a->err != ERR_DENIED) {
        seat_fail_answer(s, "no seat there", a);
        return;
    }
    seat_sync_now(s); /* the seat may be ours already: the sync says so */
}

static void join(struct seat *s)
{
    struct jsonw *w = seat_begin(s, MSG_MATCH_JOIN);

    if (s->wish.invite != NULL)
        jsonw_m_str(w, "invite", s->wish.invite);
    link_send(s->link, on_join, s);
}

/* The oldest open match that anybody may join; the list begins with the newest. */
static void on_open_list(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *id = NULL, *maker = NULL;

    if (a->err == ERR_EOF)
        return;
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (json_get(m, "opponent") == NULL && json_get_string(m, "maker", &maker) &&
            !str_ieq(maker, link_user(s->link)) && json_get_string(m, "match", &id))
            (void)str_copy(s->match, sizeof(s->match), id);
    }
    if (s->match[0] == '\0') {
        seat_fail(s, EX_TEMPFAIL, "no match is open");
        return;
    }
    join(s);
}

void seat_sit(struct seat *s)
{
    s->step = STEP_SITTING;
    if (s->seated || s->wish.goal == SEAT_WATCH) {
        seat_sync_now(s);
    } else if (s->wish.goal == SEAT_CREATE) {
        if (s->asked_create) {
            (void)link_begin(s->link, MSG_MATCH_MINE);
            link_send(s->link, on_mine, s);
        } else {
            create(s);
        }
    } else if (s->match[0] == '\0') {
        struct jsonw *w = link_begin(s->link, MSG_LOBBY_LIST);

        jsonw_m_str(w, "state", "open");
        jsonw_m_int(w, "limit", 100);
        link_send(s->link, on_open_list, s);
    } else {
        join(s);
    }
}

/* ---- the scenario ---- */

/* The shipped scenario of that hash, or NULL. Owned. */
static struct scenario *shipped(const char *id, const uint8_t hash[RULES_HASH_LEN])
{
    char why[SCENARIO_WHY_LEN];

    for (size_t i = 0; i < scenario_files_len; i++) {
        struct scenario *scn = NULL;

        if (!str_eq(scenario_files[i].id, id) ||
            scenario_parse(scenario_files[i].text, scenario_files[i].len, &scn, why) != ERR_OK)
            continue;
        if (memcmp(scn->hash, hash, RULES_HASH_LEN) == 0)
            return scn;
        scenario_free(scn);
    }
    return NULL;
}

static void have_scenario(struct seat *s, struct scenario *scn)
{
    model_init(&s->model, scn);
    s->has_model = true;
}

static void on_scenario(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    struct scenario *scn = NULL;
    char why[SCENARIO_WHY_LEN];

    if (a->err == ERR_EOF)
        return;
    if (a->err != ERR_OK) {
        seat_fail_answer(s, "the scenario can't be had", a);
        return;
    }
    if (scenario_from_json(json_get(a->result, "scenario"), &scn, why) != ERR_OK) {
        seat_fail(s, EX_DATAERR, why);
        return;
    }
    have_scenario(s, scn);
    seat_sync_now(s);
}

/* The record's first line has the scenario as the match was opened with. */
static void on_record(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const char *line = NULL;
    struct scenario *scn = NULL;
    struct json *j = NULL;
    char why[SCENARIO_WHY_LEN] = "the match's scenario can't be had", no[JSON_WHY_LEN];

    if (a->err == ERR_EOF)
        return;
    if (json_string(json_first(json_get(a->result, "lines")), &line) &&
        json_parse(line, strlen(line), &json_file_limits, &j, no) == ERR_OK &&
        scenario_from_json(json_get(j, "scenario"), &scn, why) == ERR_OK) {
        have_scenario(s, scn);
        seat_sync_now(s);
    } else {
        seat_fail(s, EX_DATAERR, why);
    }
    json_free(j);
}

/* ---- sync ---- */

/* True: it is there, and the result can be taken in. */
static bool need_scenario(struct seat *s, const struct json *result)
{
    uint8_t hash[RULES_HASH_LEN];
    const char *id = NULL;
    struct scenario *scn;

    if (!model_sync_scenario(result, &id, hash)) {
        seat_fail(s, EX_PROTOCOL, "the server's answer to a sync makes no sense");
        return false;
    }
    scn = shipped(id, hash);
    if (scn != NULL) {
        have_scenario(s, scn);
    } else {
        struct jsonw *w = link_begin(s->link, MSG_SCENARIO_GET);

        s->step = STEP_SCENARIO;
        jsonw_m_str(w, "id", id);
        link_send(s->link, on_scenario, s);
    }
    return scn != NULL;
}

/* The match is played on another edition of the scenario than the server has now. */
static void other_edition(struct seat *s)
{
    model_fini(&s->model);
    s->has_model = false;
    s->step = STEP_SCENARIO;
    (void)seat_begin(s, MSG_MATCH_RECORD);
    link_send(s->link, on_record, s);
}

/* Something doesn't fit: say so loudly, and take the match again from its beginning; at the
 * second time, from a position that the server gives. */
static void drifted(struct seat *s, const char *why)
{
    char text[AUDIT_WHY_LEN + 80];

    if (s->drifts == 0 || s->model.audit.head > s->drift_at)
        s->drifts = 0;
    s->drifts++;
    s->drift_at = s->model.audit.head;
    (void)snprintf(text, sizeof(text), "What the server says does not check: %s.", why);
    seat_say(s, SEAT_ALARM, text);
    if (s->drifts > DRIFT_MAX) {
        seat_fail(s, EX_DATAERR, "what the server says does not check, again and again");
        return;
    }
    model_restart(&s->model);
    seat_sync_now(s);
}

void seat_took(struct seat *s, enum model_need need, const char *why)
{
    switch (need) {
    case MODEL_GOOD:
        s->step = STEP_THERE;
        s->drifts = 0;
        if (s->has_keeper)
            keeper_at_head(&s->keeper, s->model.audit.head);
        s->hooks.ready(s->hooks.data);
        seat_reconcile(s);
        break;
    case MODEL_MORE:
        seat_sync_now(s);
        break;
    case MODEL_RESYNC:
        drifted(s, why);
        break;
    case MODEL_BACK:
        seat_say(s, SEAT_ALARM, why);
        model_restart(&s->model);
        seat_sync_now(s);
        break;
    }
}

static void on_sync(void *data, const struct link_answer *a)
{
    struct seat *s = data;
    const struct model_sink sink = {s, seat_on_entry};
    char why[AUDIT_WHY_LEN];
    const char *id = NULL;
    uint8_t hash[RULES_HASH_LEN];

    if (a->err == ERR_EOF)
        return;
    if (a->err == ERR_PARAMS && s->has_model && s->model.audit.head > 0) {
        seat_took(s, MODEL_BACK, "Careful, the server went back behind what was seen here.");
        return;
    }
    if (s->seated && seat_try_later(s, a))
        return;
    if (a->err != ERR_OK) {
        seat_fail_answer(s,
                         a->err == ERR_BUSY && s->wish.goal == SEAT_WATCH
                             ? "no room to look on now, try later"
                             : "the match can't be seen",
                         a);
        return;
    }
    if (s->wish.goal != SEAT_WATCH && json_get(a->result, "role") == NULL) {
        seat_fail(s, EX_NOPERM, "no seat of that match is free for us");
        return;
    }
    s->seated = true;
    if (!s->has_model && !need_scenario(s, a->result))
        return;
    if (model_sync_scenario(a->result, &id, hash) &&
        memcmp(hash, s->model.scn->hash, sizeof(hash)) != 0 && s->model.audit.head == 0) {
        other_edition(s);
    } else {
        seat_took(s, model_sync(&s->model, a->result, &sink, why), why);
    }
}

void seat_sync_now(struct seat *s)
{
    struct jsonw *w;
    const bool anew = !s->has_model || s->model.audit.board == NULL;
    const bool trust =
        anew && ((s->has_model && s->drifts > 1) || (s->wish.from_state && s->drifts == 0));

    if (!link_is_up(s->link) || s->failed)
        return;
    s->step = STEP_SYNC;
    w = seat_begin(s, s->wish.goal == SEAT_WATCH ? MSG_MATCH_WATCH : MSG_MATCH_SYNC);
    if (!trust)
        jsonw_m_int(w, "after", s->has_model ? s->model.audit.head : 0);
    if (s->wish.goal == SEAT_WATCH && s->wish.invite != NULL)
        jsonw_m_str(w, "invite", s->wish.invite);
    link_send(s->link, on_sync, s);
}
