/* SPDX-License-Identifier: ISC
 * seat_past.c -- the entries before the position that a spectator was given: fetched once, as the
 * match's record, and checked like everything else.
 */
#include "client/seat_impl.h"
#include "common/base/mem.h"
#include "common/base/str.h"

struct past {
    struct seat *seat;
    struct seat_past_hooks hooks;
    struct audit audit; /* of the record's lines so far */
    char *after;        /* owned: the next page; NULL: the first */
    uint32_t line;
    bool sent; /* an answer is waited for */
};

bool seat_lacks_past(const struct seat *s)
{
    return s->has_model && s->model.trusted && s->model.audit.board != NULL;
}

void seat_past_free(struct seat *s)
{
    struct past *p = s->past;

    if (p == NULL)
        return;
    link_forget(s->link, p);
    audit_fini(&p->audit);
    mem_free(p->after);
    mem_free(p);
    s->past = NULL;
}

static void end(struct seat *s, bool good, const char *why)
{
    const struct seat_past_hooks hooks = s->past->hooks;

    seat_past_free(s);
    hooks.end(hooks.data, good, why);
}

/* The next line of the record. ERR_DATA: why[]. */
static enum err take_line(struct past *p, const char *line, char why[AUDIT_WHY_LEN])
{
    const size_t len = strlen(line);
    char no[JSON_WHY_LEN];
    struct json *j = NULL;
    enum err e = ERR_OK;

    /* the first line is the scenario; what is newer than what we follow comes by itself, and the
     * last line is the end */
    if (p->line++ == 0 || p->audit.head >= p->seat->model.audit.head)
        return ERR_OK;
    if (json_parse(line, len, &json_file_limits, &j, no) != ERR_OK) {
        (void)snprintf(why, AUDIT_WHY_LEN, "%s", no);
        return ERR_DATA;
    }
    e = audit_take(&p->audit, j, line, len, why);
    if (e == ERR_OK)
        p->hooks.entry(p->hooks.data, &p->audit);
    json_free(j);
    return e;
}

static enum err take_page(struct past *p, const struct json *result, char why[AUDIT_WHY_LEN])
{
    const char *line = NULL;
    enum err e = ERR_OK;

    for (const struct json *l = json_first(json_get(result, "lines")); l != NULL && e == ERR_OK;
         l = json_next(l)) {
        if (json_string(l, &line))
            e = take_line(p, line, why);
    }
    return e;
}

static void ask(struct seat *s);

static void on_page(void *data, const struct link_answer *a)
{
    struct past *p = data;
    struct seat *s = p->seat;
    char why[AUDIT_WHY_LEN] = "it isn't the journal that is followed here";
    const char *next = NULL;

    p->sent = false;
    if (a->err == ERR_EOF)
        return; /* asked again when the line is up */
    if (a->err != ERR_OK) {
        end(s, false, a->message[0] != '\0' ? a->message : err_words(a->err));
        return;
    }
    if (take_page(p, a->result, why) != ERR_OK) {
        end(s, false, why);
        return;
    }
    mem_free(p->after);
    p->after = NULL;
    if (p->audit.head < s->model.audit.head && json_get_string(a->result, "next", &next)) {
        p->after = mem_strdup(next);
        ask(s);
        return;
    }
    if (model_adopt(&s->model, &p->audit))
        end(s, true, "");
    else
        end(s, false, why);
}

static void ask(struct seat *s)
{
    struct past *p = s->past;
    struct jsonw *w = seat_begin(s, MSG_MATCH_RECORD);

    if (p->after != NULL)
        jsonw_m_str(w, "after", p->after);
    p->sent = true;
    link_send(s->link, on_page, p);
}

void seat_fetch_past(struct seat *s, const struct seat_past_hooks *hooks)
{
    if (!seat_lacks_past(s) || s->past != NULL)
        return;
    s->past = mem_zalloc(sizeof(*s->past));
    s->past->seat = s;
    s->past->hooks = *hooks;
    audit_init(&s->past->audit, s->model.scn);
    seat_past_up(s);
}

void seat_past_up(struct seat *s)
{
    if (s->past == NULL)
        return;
    if (!seat_lacks_past(s))
        end(s, false, "the match was taken again from its beginning");
    else if (link_is_up(s->link) && s->model.synced && !s->past->sent)
        ask(s);
}
