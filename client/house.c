/* SPDX-License-Identifier: ISC
 * house.c -- which of its matches a house bot sits at.
 *
 * A seat is left from a callback of the link, never from one of its own.
 */
#include "client/house.h"

#include "common/base/str.h"

#define LOOK_MS 1000

static bool is_shunned(const struct house *h, const char *id)
{
    for (unsigned i = 0; i < MIN(h->n_shunned, (unsigned)HOUSE_SHUNNED); i++) {
        if (str_eq(h->shunned[i], id))
            return true;
    }
    return false;
}

/* Is there nothing for it to do where it sits? */
static bool is_free(const struct house *h)
{
    const struct seat *s = app_seat(h->app);
    const struct model *m = s == NULL ? NULL : seat_model(s);

    if (s == NULL || h->failed)
        return true;
    return m != NULL && !seat_is_busy(s) && (m->audit.over || !model_may_order(m));
}

static void leave(struct house *h)
{
    if (app_seat(h->app) == NULL)
        return;
    h->stand(h->data);
    app_stand(h->app);
    h->failed = false;
}

static void sit(struct house *h, const char *id)
{
    leave(h);
    (void)str_copy(h->match, sizeof(h->match), id);
    h->wish = (struct seat_wish){.goal = SEAT_JOIN, .match = h->match, .go_on = h->go_on};
    app_sit(h->app, &h->wish);
}

/* A challenge that can't be taken: say so to whoever made it, once. */
static void give_up(struct house *h)
{
    struct jsonw *w = link_begin(app_link(h->app), MSG_MATCH_DECLINE);

    jsonw_m_str(w, "match", h->match);
    link_send(app_link(h->app), NULL, NULL); /* refused where it is none: all the same */
    (void)str_copy(h->shunned[h->n_shunned++ % HOUSE_SHUNNED], MATCH_ID_HEX, h->match);
    leave(h);
}

/* The match that waits for it: the one where it sits if that does, else the first. */
static const char *find_work(const struct house *h, const struct json *matches)
{
    const char *first = NULL;

    for (const struct json *m = json_first(matches); m != NULL; m = json_next(m)) {
        const char *id = NULL;
        bool waits = false;

        if (!json_get_string(m, "match", &id) || !url_is_match(id) || is_shunned(h, id) ||
            !json_get_bool(m, "mine", &waits) || !waits)
            continue;
        if (app_seat(h->app) != NULL && str_eq(id, h->match))
            return id;
        if (first == NULL)
            first = id;
    }
    return first;
}

static void on_mine(void *data, const struct link_answer *a)
{
    struct house *h = data;
    const char *id;

    h->asks = false;
    if (a->err != ERR_OK || !is_free(h))
        return;
    if (h->failed)
        give_up(h);
    id = find_work(h, json_get(a->result, "matches"));
    if (id != NULL && (app_seat(h->app) == NULL || !str_eq(id, h->match)))
        sit(h, id);
}

void house_look(struct house *h)
{
    if (h->asks || !link_is_up(app_link(h->app)))
        return;
    h->asks = true;
    (void)link_begin(app_link(h->app), MSG_MATCH_MINE);
    link_send(app_link(h->app), on_mine, h);
}

static void on_time(uv_timer_t *t)
{
    struct house *h = t->data;

    if (is_free(h))
        house_look(h);
}

void house_begin(struct house *h, struct app *app)
{
    h->app = app;
    h->go_on = app_options(app)->wish.go_on;
    CHECK(uv_timer_init(app_loop(app), &h->timer) == 0);
    h->timer.data = h;
    CHECK(uv_timer_start(&h->timer, on_time, LOOK_MS, LOOK_MS) == 0);
}

void house_failed(struct house *h)
{
    h->failed = true;
}

void house_close(struct house *h)
{
    uv_close((uv_handle_t *)&h->timer, NULL);
}
