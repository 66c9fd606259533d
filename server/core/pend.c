/* SPDX-License-Identifier: ISC */
#include "common/base/mem.h"
#include "server/core/admin.h"
#include "server/core/club.h"
#include "server/core/invite.h"
#include "server/core/room.h"
#include "server/core/session.h"
#include "server/core/user.h"

enum { SPARE_PENDS = 256 }; /* kept for the next */

struct pend *pend_new(struct core *c, struct conn *cn, struct msg_request *req,
                      void (*done)(struct core *, struct pend *, const struct core_event *))
{
    struct pend *p = c->spare_pend;

    if (p != NULL) {
        c->spare_pend = p->spare;
        c->n_spare_pends--;
        memset(p, 0, cn != NULL ? offsetof(struct pend, req) : sizeof(*p));
    } else {
        p = mem_zalloc(sizeof(*p));
    }
    p->id = c->next_id++;
    p->done = done;
    if (cn != NULL) {
        CHECK(cn->pend == NULL);
        cn->pend = p;
        p->conn = cn;
        p->req = *req;
        memset(req, 0, sizeof(*req));
    }
    map_put(&c->pends, p);
    return p;
}

void pend_pin(struct pend *p, struct user *u)
{
    CHECK(p->user == NULL);
    p->user = u;
    u->pins++;
}

void pend_unpin(struct pend *p)
{
    if (p->user == NULL)
        return;
    p->user->pins--;
    if (p->has_row)
        p->user->storing--;
    p->user = NULL;
    p->has_row = false;
}

void pend_pin_room(struct pend *p, struct room *r)
{
    CHECK(p->room == NULL);
    p->room = r;
    p->pins_room = true;
    r->pins++;
}

void pend_has_row(struct pend *p, struct user *u)
{
    CHECK(p->user == u);
    p->has_row = true;
    u->storing++;
}

struct conn *pend_conn(const struct pend *p)
{
    return p->conn != NULL && p->conn->pend == p ? p->conn : NULL;
}

void pend_free(struct core *c, struct pend *p)
{
    pend_unpin(p);
    CHECK(p->source == NULL);
    msg_request_fini(&p->req);
    family_free(p->family);
    invite_release(p->invite);
    mem_free(p->hash);
    admin_ask_free(p->ask);
    club_change_free(p->club);
    if (p->pins_room)
        p->room->pins--;
    if (c->n_spare_pends == SPARE_PENDS) {
        mem_free(p);
        return;
    }
    p->spare = c->spare_pend;
    c->spare_pend = p;
    c->n_spare_pends++;
}

void pends_free(struct core *c)
{
    struct pend *p;
    size_t at = 0;

    while ((p = map_next(&c->pends, &at)) != NULL) {
        if (p->is_new)
            room_free(p->room);
        p->source = NULL;
        pend_free(c, p);
    }
    map_fini(&c->pends);
    while ((p = c->spare_pend) != NULL) {
        c->spare_pend = p->spare;
        mem_free(p);
    }
}

void pend_cancel(struct core *c, struct conn *cn)
{
    struct pend *p = cn->pend;

    CHECK(p != NULL && map_take(&c->pends, &p->id) == p);
    cn->pend = NULL;
    pend_free(c, p);
}

void pend_end(struct core *c, uint64_t id, const struct core_event *ev)
{
    struct pend *p = map_take(&c->pends, &id);
    struct conn *cn;

    CHECK(p != NULL); /* the shell answers each work once */
    if (p->has_row && ev->kind == CORE_STORED && ev->u.stored.err == ERR_OK)
        p->user->stored = true;
    p->done(c, p, ev);
    cn = pend_conn(p);
    if (cn != NULL)
        cn->pend = NULL;
    pend_free(c, p);
    if (cn != NULL)
        session_run(c, cn);
}

void gate_move(struct gate *from, struct gate *to)
{
    for (struct conn *cn = from->first; cn != NULL; cn = cn->gate_next)
        cn->gate = to;
    if (to->last != NULL)
        to->last->gate_next = from->first;
    else
        to->first = from->first;
    if (from->last != NULL)
        to->last = from->last;
    *from = (struct gate){NULL, NULL};
}

void gate_open(struct core *c, struct gate *g)
{
    struct gate now = {NULL, NULL};

    gate_move(g, &now); /* who comes to wait again does so behind these, in the same order */
    while (now.first != NULL)
        session_retry(c, now.first);
}
