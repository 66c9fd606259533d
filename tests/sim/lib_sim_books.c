/* SPDX-License-Identifier: ISC
 * lib_sim_books.c -- what is given to the store, and the books at the end.
 */
#include "common/base/str.h"
#include "tests/sim/lib_sim.h"

enum { SILENT_MS = 10 * 1000, DAY_MS = 86400 * 1000 };
#define CLAIM_LONG_MS ((int64_t)30 * DAY_MS)

/* ---- who is there, when it is decided that somebody isn't ---- */

/* Marked absent: offline, but not right behind the server's start, or silent for ten seconds. */
static void check_silence(struct sim *s, const struct sim_ledger *led, const struct store_op *op)
{
    static const char mark[] = "\"kind\":\"absent\",\"role\":\"";
    const char *at = memmem(op->data, op->len, mark, sizeof(mark) - 1), *name;
    enum role role;
    int64_t silent;

    if (at == NULL)
        return;
    role = at[sizeof(mark) - 1] == 'A' ? ROLE_A : ROLE_B;
    name = led->audit.name[role];
    silent = s->t - (net_is_online(s, name) ? led->asked_at[role] : s->server.born);
    if (silent < SILENT_MS)
        sim_broken(s, LAW_ABSENT, "%s, who is %s, is marked absent within %lld ms", name,
                   net_is_online(s, name) ? "there" : "away", (long long)silent);
}

/* Only who waits for one that is away may claim, or for one who takes thirty days. */
static void check_claim(struct sim *s, const struct sim_ledger *led, const struct store_op *op)
{
    static const char mark[] = "\"kind\":\"claim\",\"side\":\"";
    const char *at = memmem(op->data, op->len, mark, sizeof(mark) - 1), *name;
    enum rules_side side = RULES_A;

    if (at == NULL)
        return;
    at += sizeof(mark) - 1;
    if (strncmp(at, led->scn->side[RULES_B].id, strcspn(at, "\"")) == 0)
        side = RULES_B;
    name = audit_player(&led->audit, rules_enemy(side));
    if (s->t - led->last_order < CLAIM_LONG_MS && net_is_online(s, name))
        sim_broken(s, LAW_ABSENT, "a claim is granted against %s, who is there", name);
}

/* ---- what is stored ---- */

static void check_passwords(struct sim *s, const struct store_op *op)
{
    for (unsigned i = 0; i < s->n_actors; i++) {
        const char *word = s->actor[i].password;

        if (word[0] != '\0' && op->len > 0 && memmem(op->data, op->len, word, strlen(word)) != NULL)
            sim_broken(s, LAW_SECRET, "a row holds the password of %s", s->actor[i].name);
    }
}

/* Links whose roll stands in this transaction are told by it. */
static void mark_rolls(struct sim *s, const struct store_op *op, bool on)
{
    static const char mark[] = "\"kind\":\"roll\",\"n\":";
    struct sim_ledger *led = ledger_of(s, op->key);
    const char *at;

    if (led == NULL || op->kind != STORE_ENTRIES)
        return;
    at = memmem(op->data, op->len, mark, sizeof(mark) - 1);
    led->revealing = on && at != NULL ? (uint32_t)strtoul(at + sizeof(mark) - 1, NULL, 10) : 0;
}

void books_txn(struct sim *s, const struct store_txn *t)
{
    for (size_t i = 0; i < t->n; i++)
        mark_rolls(s, &t->op[i], true);
    for (size_t i = 0; i < t->n; i++) {
        const struct store_op *op = &t->op[i];

        sim_trace(s, "  store %u seq %u+%u role %u %.300s", op->kind, op->seq, op->n, op->role,
                  op->kind == STORE_SHARE || op->data == NULL ? "" : op->data);
        check_passwords(s, op);
        if (op->kind == STORE_ENTRIES && ledger_of(s, op->key) != NULL) {
            check_silence(s, ledger_of(s, op->key), op);
            check_claim(s, ledger_of(s, op->key), op);
        }
        if (op->kind != STORE_SHARE && op->len > 0)
            secret_scan(s, op->data, op->len, "a row");
        if (op->archive != NULL) {
            secret_scan(s, op->archive->record, op->archive->record_len, "an archived record");
            secret_scan(s, op->archive->summary, op->archive->summary_len, "a summary");
            sim_note(s, "archive", op->archive->record, op->archive->record_len);
        }
    }
    for (size_t i = 0; i < t->n; i++)
        mark_rolls(s, &t->op[i], false);
}

/* ---- the end ---- */

static void end_link(struct sim *s, struct sim_link *l)
{
    if (!l->client_open || !l->server_open)
        return;
    if (l->n_asked > 0 && !l->forgiven)
        sim_broken(s, LAW_REPLY, "request %lld (%s) is never answered",
                   (long long)l->asked[l->asked_at], s->actor[l->actor].name);
    for (unsigned i = 0; i < l->n_subs; i++)
        if (l->sub[i].next != l->sub[i].ledger->n + 1)
            sim_broken(s, LAW_PREFIX, "%s waits for entry %u of match %s, which has %u", l->user,
                       l->sub[i].next, l->sub[i].ledger->hex, l->sub[i].ledger->n);
}

void books_end(struct sim *s)
{
    for (const struct sim_ledger *led = s->ledgers; led != NULL; led = led->next) {
        if (!led->audit.over)
            sim_broken(s, LAW_ENDS, "match %s doesn't end: %u entries", led->hex, led->n);
        for (uint32_t i = 0; i < led->n_given; i++)
            if (!led->given[i].settled)
                sim_broken(s, LAW_RESULT, "order %s of match %s has no result", led->given[i].id,
                           led->hex);
    }
    for (uint32_t i = 0; i < s->n_links; i++)
        if (s->link[i] != NULL)
            end_link(s, s->link[i]);
}
