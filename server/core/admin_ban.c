/* SPDX-License-Identifier: ISC
 * admin_ban.c -- addresses that nobody is wanted from.
 */
#include "common/base/mem.h"
#include "server/core/admin.h"
#include "server/core/ban.h"

static bool read_net(const struct admin_ask *a, struct ban_net *net, struct refusal *no)
{
    const char *text;

    if (json_get_string(a->req, "address", &text) && ban_parse(text, net))
        return true;
    session_refuse_field(no, "address",
                         "an address or network: 192.0.2.7, 192.0.2.0/24, 2001:db8::/32");
    return false;
}

/* Who is here from a banned address has to go. */
static unsigned close_banned(struct core *c)
{
    struct conn *next;
    unsigned n = 0;

    for (struct conn *cn = c->conns_first; cn != NULL; cn = next) {
        struct jsonw w;

        next = cn->next;
        if (ban_of(c, cn->ip) == NULL)
            continue;
        w = note_open(c, NOTE_SERVER_NOTICE);
        jsonw_m_str(&w, "text", session_banned);
        note_send(c, cn, &w);
        session_close(c, cn);
        n++;
    }
    return n;
}

static void on_ban_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    char text[BAN_TEXT_LEN];
    struct jsonw w;
    unsigned n;

    if (!admin_stored(c, p, ev))
        return;
    ban_text(&p->ask->ban->net, text);
    ban_enter(c, p->ask->ban);
    p->ask->ban = NULL;
    n = close_banned(c);
    w = admin_open(c);
    jsonw_m_str(&w, "address", text);
    jsonw_m_int(&w, "closed", n);
    admin_send(c, p->ask, &w);
}

enum verdict on_admin_ban(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    struct buf by = BUF_EMPTY;
    struct wall until = {0};
    struct ban_net net;
    const char *reason;

    if (!read_net(a, &net, no) || !admin_text(a, "reason", false, &reason, no) ||
        !admin_until(c, a, 0, &until, no))
        return REFUSED;
    ops_bans_over(c, &ops);
    if (c->n_bans >= BANS_MAX) {
        ops_fini(&ops);
        return session_refuse(no, ERR_BUSY, "there are 10000 bans: lift some, or ban networks");
    }
    admin_person(a, &by);
    a->ban = ban_new(&net, c->wall, until);
    a->ban->by = buf_detach(&by);
    a->ban->reason = mem_strdup(reason != NULL ? reason : "");
    op_ban_put(&ops, a->ban);
    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, on_ban_stored);
    return LATER;
}

enum verdict on_admin_bans(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct jsonw w = admin_open(c);
    char text[BAN_TEXT_LEN];

    (void)no;
    jsonw_m_arr(&w, "bans");
    for (size_t i = 0; i < c->n_bans; i++) {
        const struct ban *b = c->ban[i];

        if (ban_is_over(c, b))
            continue;
        ban_text(&b->net, text);
        jsonw_obj(&w);
        jsonw_m_str(&w, "address", text);
        jsonw_m_int(&w, "since", b->since.ms);
        jsonw_m_int(&w, "until", b->until.ms);
        jsonw_m_str(&w, "by", b->by);
        jsonw_m_str(&w, "reason", b->reason);
        jsonw_obj_end(&w);
    }
    jsonw_arr_end(&w);
    admin_send(c, a, &w);
    return SAID;
}

static void on_unban_stored(struct core *c, struct pend *p, const struct core_event *ev)
{
    struct refusal no = {.err = ERR_OK};
    struct ban_net net;

    if (!admin_stored(c, p, ev))
        return;
    if (read_net(p->ask, &net, &no))
        ban_drop(c, &net);
    admin_done(c, p->ask);
}

enum verdict on_admin_unban(struct core *c, struct admin_ask *a, struct refusal *no)
{
    struct ops ops = {NULL, 0, 0};
    const struct ban *b;
    struct ban_net net;

    if (!read_net(a, &net, no))
        return REFUSED;
    b = ban_find(c, &net);
    if (b == NULL || ban_is_over(c, b))
        return session_refuse(no, ERR_NOT_FOUND, "no ban of just this address or network");
    op_ban_drop(&ops, &net);
    op_audit(c, a, NULL, &ops);
    (void)admin_store(c, a, &ops, on_unban_stored);
    return LATER;
}
