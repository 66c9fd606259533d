/* SPDX-License-Identifier: ISC
 * lib_sim_boss.c -- the operator, over the admin socket: looks at everything, bans, kicks, speaks,
 * pauses games, makes invites, backs up; and lets all go on once the world has healed.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum {
    LOOK_MS = 4000,
    HEALED_LOOK_MS = 500,
    PATIENCE_MS = 60 * 1000, /* of one who is answered by a disk, and by threads */
    ADDRESSES = 9,
    WAITING_MAX = 24
};

/* ---- requests ---- */

static struct sim_order_of *waiting_slot(struct sim_boss *b, conn_id id)
{
    for (unsigned i = 0; i < b->n_waiting; i++)
        if (b->waiting[i].id == id)
            return &b->waiting[i];
    return NULL;
}

static void ask(struct sim *s, enum sim_boss_act act, unsigned number, const char *line)
{
    struct sim_boss *b = &s->boss;
    struct core_event ev = {.kind = CORE_ADMIN, .conn = ++b->last};

    if (b->n_waiting == WAITING_MAX)
        return;
    b->waiting[b->n_waiting++] = (struct sim_order_of){.id = ev.conn,
                                                       .act = (uint8_t)act,
                                                       .number = number,
                                                       .at = s->t,
                                                       .audited = s->disk.n_audit};
    ev.u.admin.who = "root";
    ev.u.admin.data = line;
    ev.u.admin.len = strlen(line);
    sim_trace(s, "<= operator: %s", line);
    sim_note(s, "operator", line, strlen(line));
    server_step(s, &ev);
}

static void ask_net(struct sim *s, bool ban, unsigned number)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "{\"cmd\":\"%s\",\"address\":\"10.0.0.%u\"}",
                   ban ? "ban" : "unban", number);
    /* from now until the answer nobody knows */
    s->boss.ban[number] = BAN_UNKNOWN;
    ask(s, ban ? BOSS_BAN : BOSS_UNBAN, number, line);
}

static void ask_match(struct sim *s, const char *cmd, const char *hex)
{
    char line[160];

    (void)snprintf(line, sizeof(line), "{\"cmd\":\"%s\",\"match\":\"%s\",\"reason\":\"simulated\"}",
                   cmd, hex);
    ask(s, str_eq(cmd, "show") ? BOSS_LOOK : BOSS_ACT, 0, line);
}

static void ask_player(struct sim *s, const char *cmd)
{
    const struct sim_actor *a = &s->actor[play_below(&s->rng, s->n_actors)];
    char line[160];

    if (a->name[0] == '\0')
        return;
    (void)snprintf(line, sizeof(line), "{\"cmd\":\"%s\",\"player\":\"%s\"}", cmd, a->name);
    ask(s, str_eq(cmd, "kick") ? BOSS_ACT : BOSS_LOOK, 0, line);
}

/* ---- answers ---- */

/* What was done stands in the audit before it is said to be done. */
static void check_done(struct sim *s, const struct sim_order_of *q)
{
    struct sim_boss *b = &s->boss;

    if (q->act != BOSS_LOOK && s->disk.n_audit <= q->audited)
        sim_broken(s, LAW_EARLY, "the operator's act %u is answered and isn't in the audit",
                   q->act);
    if (q->act == BOSS_COPY)
        b->copying = false;
    if (q->act == BOSS_BAN)
        b->ban[q->number] = BAN_THERE;
    else if (q->act == BOSS_UNBAN)
        b->ban[q->number] = BAN_NONE;
}

void boss_answer(struct sim *s, conn_id id, const char *data, size_t len)
{
    struct sim_boss *b = &s->boss;
    struct sim_order_of *q = waiting_slot(b, id);
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    sim_trace(s, "=> operator: %.*s", (int)MIN(len, (size_t)300), data);
    sim_note(s, "told", data, len);
    secret_scan(s, data, len, "an answer to the operator");
    sim_hold(s, LAW_REPLY, q != NULL, "the operator is answered twice, or unasked");
    sim_hold(s, LAW_REPLY, len > 0 && data[len - 1] == '\n' && memchr(data, '\n', len - 1) == NULL,
             "an answer to the operator that isn't one line");
    if (q == NULL || json_parse(data, len - 1, &json_file_limits, &j, why) != ERR_OK)
        sim_broken(s, LAW_REPLY, "an answer to the operator that isn't JSON");
    if (json_get(j, "result") != NULL)
        check_done(s, q);
    else if (q->act == BOSS_COPY)
        b->copying = false;
    else if (q->act == BOSS_UNBAN && memmem(data, len, "\"not_found\"", 11) != NULL)
        b->ban[q->number] = BAN_NONE;
    json_free(j);
    *q = b->waiting[--b->n_waiting];
}

void boss_job(struct sim *s, uint64_t id)
{
    struct sim_boss *b = &s->boss;

    b->job = id;
    sim_at(s, s->t + sim_between(s, 5, 900),
           (struct sim_event){.what = SIM_BOSS_JOB, .life = s->server.life});
}

/* The copy is made: it loads. */
void boss_job_end(struct sim *s)
{
    struct core_event ev = {.kind = CORE_JOB, .u.job = {.job = s->boss.job, .words = "copied"}};

    if (s->boss.job == 0)
        return;
    s->boss.job = 0;
    shadow_look(s, NULL);
    server_step(s, &ev);
}

/* The process has ended: nobody answers, and nobody knows. */
void boss_lost(struct sim *s)
{
    s->boss.n_waiting = 0;
    s->boss.job = 0;
    s->boss.copying = false;
}

/* ---- who is banned ---- */

bool boss_bans(const struct sim *s, unsigned number)
{
    return number < ARRAY_LEN(s->boss.ban) && s->boss.ban[number] == BAN_THERE;
}

/* ---- looking around ---- */

static void look_healed(struct sim *s)
{
    for (unsigned n = 1; n <= ADDRESSES; n++)
        if (s->boss.ban[n] != BAN_NONE && s->boss.n_waiting == 0) {
            ask_net(s, false, n);
            return;
        }
    for (const struct sim_ledger *l = s->ledgers; l != NULL; l = l->next)
        if (l->audit.paused && !l->audit.over && s->boss.n_waiting == 0 && sim_odds(s, 200)) {
            ask_match(s, "resume", l->hex);
            return;
        }
}

static const char *any_act(struct sim *s)
{
    if (sim_odds(s, 60))
        return "void";
    return sim_odds(s, 500) ? "pause" : "resume";
}

static void act(struct sim *s)
{
    static const char *const looks[] = {
        "{\"cmd\":\"status\"}",
        "{\"cmd\":\"players\"}",
        "{\"cmd\":\"matches\"}",
        "{\"cmd\":\"bans\"}",
        "{\"cmd\":\"audit\"}",
        "{\"cmd\":\"invites\"}",
        "{\"cmd\":\"matches\",\"state\":\"over\"}",
        "{\"cmd\":\"nonsense\"}",
        "not even JSON",
    };
    const struct sim_table *t = &s->table[play_below(&s->rng, s->n_tables)];
    const unsigned number = 1 + play_below(&s->rng, ADDRESSES);

    switch (play_below(&s->rng, 12)) {
    case 0:
    case 1:
        ask_net(s, true, number);
        break;
    case 2:
        ask_player(s, "kick");
        break;
    case 3:
        ask_player(s, "player");
        break;
    case 4:
        ask(s, BOSS_ACT, 0, "{\"cmd\":\"announce\",\"text\":\"simulated\"}");
        break;
    case 5:
        ask(s, BOSS_ACT, 0, "{\"cmd\":\"invite\",\"uses\":2}");
        break;
    case 6:
        if (s->boss.copying)
            break;
        s->boss.copying = true;
        ask(s, BOSS_COPY, 0, "{\"cmd\":\"backup\",\"directory\":\"/nowhere\"}");
        break;
    case 7:
        if (t->known)
            ask_match(s, any_act(s), t->hex);
        break;
    case 8:
        if (t->known)
            ask_match(s, "show", t->hex);
        break;
    default:
        ask(s, BOSS_LOOK, 0, looks[play_below(&s->rng, ARRAY_LEN(looks))]);
        break;
    }
}

void boss_look(struct sim *s)
{
    struct sim_boss *b = &s->boss;

    sim_at(s, s->t + (s->healed ? HEALED_LOOK_MS : sim_between(s, 10, LOOK_MS)),
           (struct sim_event){.what = SIM_BOSS});
    if (s->server.core == NULL || s->server.stopping || s->server.holding)
        return;
    for (unsigned i = 0; i < b->n_waiting; i++)
        if (s->healed && s->t - MAX(b->waiting[i].at, s->healed_at) > PATIENCE_MS)
            sim_broken(s, LAW_REPLY, "the operator's request %llu is never answered",
                       (unsigned long long)b->waiting[i].id);
    if (s->healed) {
        look_healed(s);
        return;
    }
    for (unsigned n = 1; n <= ADDRESSES; n++)
        if (b->ban[n] != BAN_NONE && sim_odds(s, 150)) {
            ask_net(s, false, n);
            return;
        }
    act(s);
}
