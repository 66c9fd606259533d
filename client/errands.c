/* SPDX-License-Identifier: ISC
 * errands.c -- our part in the dice of matches that we don't look at.
 */
#include "client/errands.h"

#include <sysexits.h>

#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define ERRANDS_MAX 32 /* followed at a time; the one that has slept longest makes room */

struct errand {
    struct errands *all;
    struct seat *seat; /* NULL: free */
    char match[MATCH_ID_HEX];
    bool done;   /* nothing will be asked any more: to be freed outside of its own callbacks */
    uint64_t at; /* when it was needed last, in errands */
};

struct errands {
    struct uv_loop_s *loop;
    struct link *link;
    struct errands_config cfg;
    struct errand errand[ERRANDS_MAX];
    uint64_t count; /* begun and asked for, ever */
    bool look;      /* ask what waits for us as soon as the front end's match is known */
};

/* ---- the seat's hooks ---- */

static void on_ready(void *data)
{
    (void)data;
}

static void on_entry(void *data, bool live)
{
    (void)data;
    (void)live;
}

static void on_settled(void *data)
{
    struct errand *x = data;

    x->done = seat_model(x->seat)->audit.over;
}

static void on_order_end(void *data, const struct seat_order_end *end)
{
    (void)data;
    (void)end;
}

static void on_chat(void *data, const char *from, const char *text, bool all)
{
    (void)data;
    (void)from;
    (void)text;
    (void)all;
}

static void on_presence(void *data)
{
    (void)data;
}

static void tell(const struct errand *x, const char *text)
{
    const struct model *m = seat_model(x->seat);
    struct buf line = BUF_EMPTY;

    if (m != NULL && m->audit.no != 0)
        buf_printf(&line, "Match #%u: %s", m->audit.no, text);
    else
        buf_printf(&line, "Match %s: %s", x->match, text);
    x->all->cfg.told(x->all->cfg.data, buf_str(&line));
    buf_fini(&line);
}

static void on_say(void *data, enum seat_news kind, const char *text)
{
    if (kind == SEAT_ALARM)
        tell(data, text);
}

static void on_failed(void *data, int code, const char *why)
{
    struct errand *x = data;

    x->done = true;
    if (code != EX_NOPERM && code != EX_TEMPFAIL)
        tell(x, why);
}

/* ---- coming and going ---- */

static void end(struct errands *e, struct errand *x)
{
    if (x->seat == NULL)
        return;
    link_forget(e->link, x->seat);
    seat_free(x->seat);
    *x = (struct errand){.all = e};
}

static void end_done(struct errands *e)
{
    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].done)
            end(e, &e->errand[i]);
    }
}

static struct errand *find(struct errands *e, const char *match)
{
    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].seat != NULL && str_eq(e->errand[i].match, match))
            return &e->errand[i];
    }
    return NULL;
}

/* A free place; one is made if need be. */
static struct errand *place(struct errands *e)
{
    struct errand *oldest = &e->errand[0];

    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].seat == NULL)
            return &e->errand[i];
        if (e->errand[i].at < oldest->at)
            oldest = &e->errand[i];
    }
    end(e, oldest);
    return oldest;
}

static void begin(struct errands *e, const char *match)
{
    struct seat_hooks hooks = {.ready = on_ready,
                               .entry = on_entry,
                               .settled = on_settled,
                               .order_end = on_order_end,
                               .chat = on_chat,
                               .presence = on_presence,
                               .say = on_say,
                               .failed = on_failed};
    struct seat_wish wish = {.goal = SEAT_JOIN, .is_errand = true, .go_on = e->cfg.go_on};
    struct errand *x = find(e, match);

    if (x == NULL) {
        x = place(e);
        (void)str_copy(x->match, sizeof(x->match), match);
        wish.match = x->match;
        hooks.data = x;
        x->seat = seat_new(e->loop, e->link, &wish, &hooks);
        if (link_is_up(e->link))
            seat_up(x->seat);
    }
    x->at = ++e->count;
}

/* ---- what waits for us ---- */

/* Is the front end's match known, so that it can be told from the others? */
static bool is_known(const struct errands *e)
{
    return *e->cfg.front == NULL || seat_model(*e->cfg.front) != NULL;
}

static bool is_fronts(const struct errands *e, const char *match)
{
    return *e->cfg.front != NULL && str_eq(seat_match(*e->cfg.front), match);
}

/* Does a roll wait for our share, or a set-up for our anchor? */
static bool waits(const struct json *m)
{
    const struct json *roll = json_get(m, "roll");
    const char *state = NULL, *role = NULL, *who = NULL;

    if (!json_get_string(m, "role", &role))
        return false; /* a challenge */
    if (json_get_string(m, "state", &state) && str_eq(state, "setup"))
        return true;
    for (const struct json *w = json_first(json_get(roll, "waiting")); w != NULL;
         w = json_next(w)) {
        if (json_string(w, &who) && str_eq(who, role))
            return true;
    }
    return false;
}

static void on_mine(void *data, const struct link_answer *a)
{
    struct errands *e = data;
    const char *id = NULL;

    if (!is_known(e)) {
        e->look = true;
        return;
    }
    for (const struct json *m = json_first(json_get(a->result, "matches")); m != NULL;
         m = json_next(m)) {
        if (waits(m) && json_get_string(m, "match", &id) && !is_fronts(e, id))
            begin(e, id);
    }
}

static void look(struct errands *e)
{
    e->look = !is_known(e) || !link_is_up(e->link);
    if (e->look)
        return;
    (void)link_begin(e->link, MSG_MATCH_MINE);
    link_send(e->link, on_mine, e);
}

void errands_up(struct errands *e)
{
    end_done(e);
    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].seat != NULL)
            seat_up(e->errand[i].seat);
    }
    look(e);
}

void errands_down(struct errands *e)
{
    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].seat != NULL)
            seat_down(e->errand[i].seat);
    }
}

void errands_note(struct errands *e, enum msg_note note, const struct json *params)
{
    const char *match = NULL;

    end_done(e);
    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        if (e->errand[i].seat != NULL)
            seat_note(e->errand[i].seat, note, params);
    }
    if (note == NOTE_MATCH_ROLL_REQUEST && json_get_string(params, "match", &match)) {
        if (!is_known(e))
            e->look = true;
        else if (!is_fronts(e, match))
            begin(e, match); /* its sync brings the request again */
    }
    if (e->look)
        look(e);
}

void errands_leave(struct errands *e, const char *match)
{
    int64_t no;
    const bool by_no = match != NULL && str_to_int(match, 1, UINT32_MAX, &no);

    for (unsigned i = 0; i < ERRANDS_MAX; i++) {
        struct errand *x = &e->errand[i];
        const struct model *m = x->seat == NULL ? NULL : seat_model(x->seat);

        if (x->seat != NULL && match != NULL &&
            (str_eq(x->match, match) ||
             (by_no && (m == NULL || m->audit.no == 0 || m->audit.no == no))))
            end(e, x);
    }
}

void errands_back(struct errands *e)
{
    look(e);
}

unsigned errands_count(const struct errands *e)
{
    unsigned n = 0;

    for (unsigned i = 0; i < ERRANDS_MAX; i++)
        n += e->errand[i].seat != NULL ? 1 : 0;
    return n;
}

/* ---- life ---- */

struct errands *errands_new(struct uv_loop_s *loop, struct link *link,
                            const struct errands_config *cfg)
{
    struct errands *e = mem_zalloc(sizeof(*e));

    e->loop = loop;
    e->link = link;
    e->cfg = *cfg;
    for (unsigned i = 0; i < ERRANDS_MAX; i++)
        e->errand[i].all = e;
    return e;
}

void errands_free(struct errands *e)
{
    if (e == NULL)
        return;
    for (unsigned i = 0; i < ERRANDS_MAX; i++)
        seat_free(e->errand[i].seat);
    mem_free(e);
}
