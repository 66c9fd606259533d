/* SPDX-License-Identifier: ISC
 * admin_check.c -- is what is kept sound? One match, or the whole database and every match: each is read
 * from the disk again, played again from its first entry, and compared.
 *
 * One match at a time, so that players are served in between. Live matches go by number; then the
 * archive by number, so that one archived meanwhile is found there.
 */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/load.h"
#include "server/core/lobby.h"

enum { BAD_MAX = 100 }; /* told by name */

struct check {
    bool one;
    uint32_t no; /* the match looked at last */
    uint64_t matches, bad;
    struct buf list; /* the bad ones: JSON objects, with commas */
};

void check_free(struct check *ch)
{
    if (ch == NULL)
        return;
    buf_fini(&ch->list);
    mem_free(ch);
}

/* ---- what was found ---- */

static void found_bad(struct check *ch, uint32_t no, const uint8_t *id, const char *why)
{
    struct jsonw w = {.out = &ch->list, .comma = ch->list.len > 0};

    ch->bad++;
    if (ch->bad > BAD_MAX)
        return;
    jsonw_obj(&w);
    if (no != 0)
        jsonw_m_int(&w, "no", no);
    if (id != NULL)
        jsonw_m_hex(&w, "match", id, MATCH_ID_LEN);
    jsonw_m_str(&w, "why", why);
    jsonw_obj_end(&w);
}

static void answer(struct core *c, const struct admin_ask *a)
{
    const struct check *ch = a->check;
    struct jsonw w = admin_open(c);

    jsonw_m_int(&w, "matches", (int64_t)ch->matches);
    jsonw_m_int(&w, "bad", (int64_t)ch->bad);
    jsonw_m_arr(&w, "found");
    if (ch->list.len > 0)
        jsonw_raw(&w, ch->list.data, ch->list.len);
    jsonw_arr_end(&w);
    admin_send(c, a, &w);
}

/* ---- one match ---- */

static void look_at_live(struct core *c, struct check *ch, const struct room *r,
                         const struct store_found *found)
{
    const struct store_row *row = found->n > 0 ? &found->row[0] : NULL;
    struct core_match_row m = {.state = MATCH_LIVE};
    char why[PLAY_WHY_LEN] = "";

    if (found->err != ERR_OK) {
        ch->matches++;
        found_bad(ch, r->no, r->id, "its rows in the database are damaged");
        return;
    }
    if (row == NULL)
        return; /* in the archive by now */
    ch->matches++;
    memcpy(m.id, r->id, MATCH_ID_LEN);
    m.data = row->row;
    m.data_len = row->row_len;
    m.lines = row->data;
    m.lines_len = row->len;
    m.timers = row->timers;
    m.timers_len = row->timers_len;
    if (load_again(c, &m, r->m, why) != ERR_OK)
        found_bad(ch, r->no, r->id, why);
}

static void look_at_archived(struct core *c, struct check *ch, const struct store_found *found)
{
    const struct store_row *row = &found->row[0];
    char why[PLAY_WHY_LEN] = "its record in the archive is damaged, or gone";

    ch->matches++;
    if (found->err != ERR_OK || core_prove_archived(c, row->id, row->data, row->len, why) != ERR_OK)
        found_bad(ch, row->no, row->id, why);
}

/* ---- from one to the next ---- */

static void next_archived(struct core *c, struct admin_ask *a);

static void ask_store(struct core *c, struct admin_ask *a, const struct store_read *r,
                      admin_end *done)
{
    struct pend *p = pend_new(c, NULL, NULL, done);
    struct store_read *own = mem_dup(r, sizeof(*r));

    p->ask = a;
    own->id = p->id;
    out_read(c, own);
}

static struct admin_ask *take_ask(struct pend *p)
{
    struct admin_ask *a = p->ask;

    p->ask = NULL;
    return a;
}

static void end(struct core *c, struct admin_ask *a)
{
    answer(c, a);
    admin_ask_free(a);
}

static void give_up(struct core *c, struct admin_ask *a)
{
    admin_fail(c, a, ERR_BUSY, "the server is about to stop, or to hand over");
    admin_ask_free(a);
}

static void on_archived_read(struct core *c, struct pend *p, const struct core_event *ev)
{
    const struct store_found *found = ev->u.read.found;
    struct admin_ask *a = take_ask(p);

    if (found->n == 0) {
        if (found->err != ERR_OK)
            found_bad(a->check, 0, NULL, "the archive's index can't be read");
        end(c, a);
        return;
    }
    look_at_archived(c, a->check, found);
    a->check->no = found->row[0].no;
    if (a->check->one)
        end(c, a);
    else
        next_archived(c, a);
}

static void next_archived(struct core *c, struct admin_ask *a)
{
    if (core_rests(c)) {
        give_up(c, a);
        return;
    }
    ask_store(c, a, &(struct store_read){.what = READ_AFTER, .no = a->check->no}, on_archived_read);
}

static void next_live(struct core *c, struct admin_ask *a);

static void on_live_read(struct core *c, struct pend *p, const struct core_event *ev)
{
    const struct msg_match ref = {.no = p->ask->check->no};
    struct admin_ask *a = take_ask(p);
    const struct room *r = room_find(c, &ref);

    /* answered in one row with transactions: what was read is what the match is now */
    if (r != NULL && r->m != NULL)
        look_at_live(c, a->check, r, ev->u.read.found);
    if (a->check->one)
        end(c, a);
    else
        next_live(c, a);
}

/* The first that stands above the last one looked at, as it is on disk. */
static void next_live(struct core *c, struct admin_ask *a)
{
    struct check *ch = a->check;

    if (core_rests(c)) {
        give_up(c, a);
        return;
    }
    for (size_t i = list_below(&c->all, ch->no + 1); i < c->all.n; i++) {
        const struct room *r = c->all.at[i];
        struct store_read read = {.what = READ_LIVE};

        if (r->archived)
            continue;
        ch->no = r->no;
        if (r->m == NULL) {
            ch->matches++;
            found_bad(ch, r->no, r->id, "set aside at the start: its journal doesn't check");
            if (ch->one)
                break;
            continue;
        }
        memcpy(read.key, r->id, MATCH_ID_LEN);
        ask_store(c, a, &read, on_live_read);
        return;
    }
    if (ch->one) {
        end(c, a);
        return;
    }
    ch->no = 0;
    next_archived(c, a);
}

static void on_database_checked(struct core *c, struct pend *p, const struct core_event *ev)
{
    const struct store_found *found = ev->u.read.found;
    struct admin_ask *a = take_ask(p);

    if (found->err != ERR_OK)
        found_bad(a->check, 0, NULL, found->n > 0 ? found->row[0].data : "the database");
    next_live(c, a);
}

static enum verdict check_one(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct msg_match ref;
    const struct room *r;

    if (!admin_match(a, &ref, no))
        return REFUSED;
    r = room_find(c, &ref);
    if (r == NULL) {
        r = room_need(c, &ref, no);
        if (r == NULL && no->err == ERR_INTERNAL && no->gate == NULL)
            return session_refuse(no, ERR_DATA, "its record in the archive is damaged");
        if (r == NULL)
            return REFUSED;
    }
    a->check = mem_zalloc(sizeof(*a->check));
    a->check->one = true;
    a->check->no = r->no - 1;
    if (r->archived)
        next_archived(c, a);
    else
        next_live(c, a);
    return LATER;
}

enum verdict on_admin_check(struct core *c, struct admin_ask *a, struct refusal *no)
{
    if (json_get(a->req, "match") != NULL)
        return check_one(c, a, no);
    a->check = mem_zalloc(sizeof(*a->check));
    ask_store(c, a, &(struct store_read){.what = READ_CHECK}, on_database_checked);
    return LATER;
}
