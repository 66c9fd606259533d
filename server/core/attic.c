/* SPDX-License-Identifier: ISC */
#include "server/core/attic.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "server/core/admin.h"
#include "server/core/lobby.h"
#include "server/core/room.h"
#include "server/core/user.h"

enum {
    ARCHIVING_MAX = 16,        /* matches on their way at once */
    OPENED_MAX = 256,          /* opened ones in memory that nobody looks at */
    OPENED_MS = 5000,          /* such a one stays so long after its last use */
    WATCHED_MS = 24 * 3600000, /* archived all the same, however long somebody looks on */
    SOON_MS = 50
};

#define FETCH_KEY_LEN (MATCH_ID_LEN + sizeof(uint32_t))

/* Requests that wait for one match of the archive. */
struct fetch {
    uint8_t key[FETCH_KEY_LEN]; /* id, or zeros and the number */
    struct gate gate;
};

static void fetch_key(uint8_t key[FETCH_KEY_LEN], const struct msg_match *ref)
{
    memset(key, 0, FETCH_KEY_LEN);
    if (ref->no == 0)
        memcpy(key, ref->id, MATCH_ID_LEN);
    memcpy(key + MATCH_ID_LEN, &ref->no, sizeof(ref->no));
}

void attic_init(struct core *c, const uint64_t seed[2])
{
    map_init(&c->fetches, offsetof(struct fetch, key), FETCH_KEY_LEN, seed);
}

void attic_fini(struct core *c)
{
    struct fetch *f;
    size_t at = 0;

    while ((f = map_next(&c->fetches, &at)) != NULL)
        mem_free(f);
    map_fini(&c->fetches);
}

/* ---- opening ---- */

/* A room of what the archive gave. ERR_INTERNAL: it doesn't check. */
static enum err open_room(struct core *c, const struct store_row *row)
{
    const struct archive_env env = {c->scenarios, &c->env, core_now(c), false};
    char why[ARCHIVE_WHY_LEN];
    struct archived a;
    struct room *r;

    if (map_get(&c->rooms, row->id) != NULL)
        return ERR_OK; /* it was asked for by id and by number */
    if (archive_open(&env, row->data, row->len, &a, why) != ERR_OK)
        return ERR_INTERNAL;
    if (memcmp(match_setup_of(a.m)->id, row->id, MATCH_ID_LEN) != 0) {
        archived_fini(&a);
        return ERR_INTERNAL;
    }
    r = room_new(a.m, row->id, match_setup_of(a.m)->no);
    a.m = NULL;
    r->own = a;
    r->archived = true;
    r->used = c->now;
    room_enter(c, r);
    return ERR_OK;
}

static void on_fetched(struct core *c, struct pend *p, const struct core_event *ev)
{
    const struct store_found *found = ev->u.read.found;
    struct fetch *f = p->fetch;
    enum err e = found->err != ERR_OK ? ERR_INTERNAL : ERR_NOT_FOUND;

    CHECK(map_take(&c->fetches, f->key) == f);
    p->fetch = NULL;
    if (found->err == ERR_OK && found->n > 0)
        e = open_room(c, &found->row[0]);
    if (e != ERR_OK) {
        c->missing = f;
        c->missing_err = e;
    }
    gate_open(c, &f->gate);
    admin_retry(c); /* it may be an operator who asks */
    c->missing = NULL;
    mem_free(f);
}

static void begin_fetch(struct core *c, const struct msg_match *ref, struct fetch *f)
{
    struct store_read *r = mem_zalloc(sizeof(*r));
    struct pend *p = pend_new(c, NULL, NULL, on_fetched);

    p->fetch = f;
    r->id = p->id;
    r->what = READ_ARCHIVED;
    r->no = ref->no;
    memcpy(r->key, ref->id, MATCH_ID_LEN);
    out_read(c, r);
}

void attic_fetch(struct core *c, const struct msg_match *ref, struct refusal *no)
{
    uint8_t key[FETCH_KEY_LEN];
    struct fetch *f;

    session_refuse(no, ERR_NOT_FOUND, "no such match");
    fetch_key(key, ref);
    if (c->missing != NULL && memcmp(c->missing->key, key, FETCH_KEY_LEN) == 0) {
        if (c->missing_err == ERR_INTERNAL)
            session_refuse(no, ERR_INTERNAL, "this match's record in the archive doesn't check");
        return;
    }
    if (c->n_archived == 0 || ref->no >= c->next_no)
        return;
    f = map_get(&c->fetches, key);
    if (f == NULL) {
        f = mem_zalloc(sizeof(*f));
        memcpy(f->key, key, FETCH_KEY_LEN);
        map_put(&c->fetches, f);
        begin_fetch(c, ref, f);
    }
    no->gate = &f->gate;
}

/* ---- leaving ---- */

static void add_archive(struct core *c, const struct room *r, struct ops *o)
{
    struct store_op *op = ops_add(o, STORE_ARCHIVE);
    struct store_archive *a = mem_zalloc(sizeof(*a));
    struct buf b = BUF_EMPTY;

    memcpy(op->key, r->id, MATCH_ID_LEN);
    op->seq = r->no;
    op->archive = a;
    for (int role = ROLE_A; role <= ROLE_B; role++)
        (void)str_copy(a->name[role], sizeof(a->name[role]), match_name(r->m, (enum role)role));
    a->over_at = match_last_at(r->m);
    a->is_private = match_setup_of(r->m)->is_private;
    lobby_archive(r, &b);
    a->summary_len = b.len;
    a->summary = buf_detach(&b);
    archive_write(r->m, &b);
    a->record_len = b.len;
    a->record = buf_detach(&b);
    c->n_archived++;
    ops_meta(o, "archived", (int64_t)c->n_archived);
}

static bool is_read(const struct room *r)
{
    return r->players.n + r->watchers.n > 0;
}

/* May an opened or archived one go? */
static bool is_idle(const struct core *c, const struct room *r, bool crowded)
{
    return !is_read(r) && r->pins == 0 && r->gate.first == NULL && !match_is_pending(r->m) &&
           (crowded || mono_since(c->now, r->used) >= OPENED_MS);
}

static void on_archived(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct room *r = p->room;

    c->n_archiving--;
    r->archiving = false;
    r->archived = ev->u.stored.err == ERR_OK;
    if (!r->archived) {
        c->n_archived--;
        r->over_at = c->now; /* try again later */
    }
    attic_wake(c);
}

static void begin_archive(struct core *c, struct room *r)
{
    struct ops ops = {NULL, 0, 0};
    struct pend *p = pend_new(c, NULL, NULL, on_archived);

    pend_pin_room(p, r);
    r->archiving = true;
    c->n_archiving++;
    add_archive(c, r, &ops);
    out_store(c, p->id, &ops);
}

/* When this one may leave; c->now or before: now. */
static struct mono when_due(const struct core *c, const struct room *r)
{
    const struct mono due = mono_after(r->over_at, c->cfg.archive_ms);

    if (!is_read(r))
        return due;
    return (struct mono){MAX(due.ms, r->over_at.ms + WATCHED_MS)};
}

/* Look again at `ms`, but not at once. */
static void look_again(const struct core *c, struct mono *next, int64_t ms)
{
    const int64_t at = MAX(ms, c->now.ms + SOON_MS);

    next->ms = MIN(next->ms, at);
}

/* One finished match: false when it has left memory. */
static bool look_at(struct core *c, struct room *r, bool crowded, struct mono *next)
{
    if (r->archived) {
        if (is_idle(c, r, crowded)) {
            room_leave(c, r);
            return false;
        }
        if (!is_read(r)) /* else the last reader's end wakes us */
            look_again(c, next, r->used.ms + OPENED_MS);
    } else if (!r->archiving && !match_is_pending(r->m)) {
        const struct mono due = when_due(c, r);

        if (mono_reached(c->now, due) && c->n_archiving < ARCHIVING_MAX)
            begin_archive(c, r);
        else
            look_again(c, next, due.ms);
    }
    return true;
}

void attic_timer(struct core *c)
{
    const struct room_list *l = &c->by_state[ROOMS_OVER];
    struct mono next = {INT64_MAX};
    size_t opened = 0;

    if (core_rests(c))
        return;
    for (size_t i = 0; i < l->n; i++)
        opened += l->at[i]->archived;
    for (size_t i = 0; i < l->n;) {
        const bool crowded = opened > OPENED_MAX;
        const bool was = l->at[i]->archived;

        if (look_at(c, l->at[i], crowded, &next))
            i++;
        else
            opened -= was;
    }
    if (next.ms != INT64_MAX)
        timer_arm(&c->timers, &c->attic, (struct mono){MAX(next.ms, c->now.ms + SOON_MS)});
}

void attic_wake(struct core *c)
{
    const struct mono soon = mono_after(c->now, SOON_MS);

    if (c->attic.pos == 0 || c->attic.at.ms > soon.ms)
        timer_arm(&c->timers, &c->attic, soon);
}

void attic_archive_of(struct core *c, const char *name, struct ops *o)
{
    const struct room_list *l = &c->by_state[ROOMS_OVER];

    for (size_t i = 0; i < l->n; i++) {
        struct room *r = l->at[i];

        if (r->archived || r->archiving || match_role_of(r->m, name) == ROLE_COUNT)
            continue;
        r->archiving = true;
        add_archive(c, r, o);
    }
}

void attic_archived_of(struct core *c, const char *name, bool ok)
{
    const struct room_list *l = &c->by_state[ROOMS_OVER];

    for (size_t i = 0; i < l->n; i++) {
        struct room *r = l->at[i];

        if (!r->archiving || r->pins > 0 || match_role_of(r->m, name) == ROLE_COUNT)
            continue;
        r->archiving = false;
        r->archived = ok;
        c->n_archived -= !ok;
    }
    attic_wake(c);
}

/* ---- lists ---- */

/* What a list is asked for. */
struct attic_list {
    const struct room_list *from; /* of rooms in memory */
    bool archive;                 /* and those of the archive */
    const char *player, *against; /* NULL: anybody */
    const struct user *user;      /* who asks */
    bool hidden;                  /* all private ones too, */
    const char *viewer;           /* or those that this player sat in; NULL: nobody */
    uint32_t before, limit;       /* numbers below that; at most so many */
};

/* A page being made: rooms in memory from number `at` down, and the archive's rows. */
struct page {
    const struct core *c;
    const struct attic_list *l;
    const struct store_found *found; /* NULL: none */
    size_t room, row;                /* the next of each; room counts down */
    struct jsonw *w;
    uint32_t last; /* number listed last */
};

/* Does the room belong into the list? */
static bool is_listed(const struct attic_list *l, const struct room *r)
{
    if (room_setup(r) == NULL || r->archived)
        return false;
    if (room_setup(r)->is_private && !l->hidden &&
        (r->m == NULL || l->viewer == NULL || match_role_of(r->m, l->viewer) == ROLE_COUNT))
        return false;
    if (r->m == NULL)
        return l->player == NULL;
    if (lobby_is_gone(r))
        return false;
    return (l->player == NULL || match_role_of(r->m, l->player) != ROLE_COUNT) &&
           (l->against == NULL || match_role_of(r->m, l->against) != ROLE_COUNT);
}

static struct match_viewer viewer_of(const struct attic_list *l, const struct room *r)
{
    return r->m != NULL ? room_viewer(r, l->user) : room_stranger;
}

static const struct room *next_room(struct page *pg)
{
    while (pg->room > 0 && !is_listed(pg->l, pg->l->from->at[pg->room - 1]))
        pg->room--;
    return pg->room > 0 ? pg->l->from->at[pg->room - 1] : NULL;
}

/* The next match of the page, newest first. False: there is none. */
static bool put_next(struct page *pg)
{
    const struct room *r = next_room(pg);
    const struct store_row *row =
        pg->found != NULL && pg->row < pg->found->n ? &pg->found->row[pg->row] : NULL;

    if (r == NULL && row == NULL)
        return false;
    jsonw_obj(pg->w);
    if (row == NULL || (r != NULL && r->no > row->no)) {
        lobby_summary(pg->c, r, viewer_of(pg->l, r), pg->w);
        pg->last = r->no;
        pg->room--;
    } else {
        if (lobby_archived(row, pg->w) != ERR_OK)
            jsonw_m_int(pg->w, "no", row->no); /* its row is damaged; what is known of it */
        pg->last = row->no;
        pg->row++;
    }
    jsonw_obj_end(pg->w);
    return true;
}

static void answer_page(struct core *c, struct conn *cn, const struct msg_request *req,
                        const struct attic_list *l, const struct store_found *found)
{
    struct jsonw w = reply_open(c, req);
    struct page pg = {.c = c, .l = l, .found = found, .w = &w};
    uint32_t left = l->limit;

    pg.room = list_below(l->from, l->before);
    jsonw_obj(&w);
    jsonw_m_arr(&w, "matches");
    while (left > 0 && put_next(&pg))
        left--;
    jsonw_arr_end(&w);
    if (left == 0 && (next_room(&pg) != NULL || (found != NULL && pg.row < found->n)))
        jsonw_m_int(&w, "next", pg.last);
    jsonw_obj_end(&w);
    reply_send(c, cn, &w);
}

/* The list that a request asks for, made again when the archive has answered. */
static struct attic_list list_of(struct core *c, const struct conn *cn,
                                 const struct msg_request *req)
{
    const struct msg_params *p = &req->p;
    struct attic_list l = {.from = &c->by_state[ROOMS_OVER],
                           .archive = true,
                           .user = cn->user,
                           .before = msg_has(p, MSG_F_BEFORE) ? p->before : UINT32_MAX,
                           .limit = msg_has(p, MSG_F_LIMIT) ? p->limit : ATTIC_PAGE};

    if (req->method == MSG_PLAYER_MATCHES) {
        l.player = p->player;
        l.against = p->against;
        l.hidden = cn->user->role != USER_PLAIN;
        l.viewer = cn->user->name;
        return l;
    }
    if (!msg_has(p, MSG_F_STATE))
        l.from = &c->all;
    else if (p->state != LIST_OVER) {
        l.from = &c->by_state[p->state];
        l.archive = false;
    }
    return l;
}
_Static_assert((int)LIST_OPEN == ROOMS_OPEN && (int)LIST_LIVE == ROOMS_LIVE &&
                   (int)LIST_OVER == ROOMS_OVER,
               "the wire's words are the lists");

static void on_listed(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct conn *cn = pend_conn(p);
    const struct store_found *found = ev->u.read.found;
    struct attic_list l;

    c->n_reading--;
    if (cn == NULL)
        return;
    if (found->err != ERR_OK) {
        reply_error(c, cn, &p->req.id, ERR_INTERNAL, NULL);
        return;
    }
    l = list_of(c, cn, &p->req);
    answer_page(c, cn, &p->req, &l, found);
}

enum verdict attic_answer_list(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no)
{
    const struct attic_list l = list_of(c, cn, req);
    struct store_read *r;
    struct pend *p;

    if (!l.archive || c->n_archived == 0) {
        answer_page(c, cn, req, &l, NULL);
        return SAID;
    }
    if (c->n_reading >= ATTIC_READS)
        return session_refuse(no, ERR_BUSY, NULL);
    c->n_reading++;
    r = mem_zalloc(sizeof(*r));
    r->what = READ_PLAYED;
    r->no = l.before;
    r->limit = l.limit + 1; /* one more says that there is a next page */
    r->hidden = l.hidden;
    if (l.player != NULL)
        (void)str_copy(r->name[0], sizeof(r->name[0]), l.player);
    if (l.viewer != NULL)
        (void)str_copy(r->viewer, sizeof(r->viewer), l.viewer);
    if (l.against != NULL)
        (void)str_copy(r->name[1], sizeof(r->name[1]), l.against);
    p = pend_new(c, cn, req, on_listed);
    r->id = p->id;
    out_read(c, r);
    return LATER;
}

enum verdict on_player_matches(struct core *c, struct conn *cn, struct msg_request *req,
                               struct refusal *no)
{
    return attic_answer_list(c, cn, req, no);
}
