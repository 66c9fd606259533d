/* SPDX-License-Identifier: ISC
 * msg_out.c -- answers, notifications and requests as lines. */
#include "proto/msg.h"

static void put_id(struct jsonw *w, const struct msg_id *id)
{
    jsonw_name(w, "id");
    switch ((enum msg_id_kind)id->kind) {
    case MSG_ID_NONE:
        jsonw_null(w);
        break;
    case MSG_ID_INT:
        jsonw_int(w, id->i);
        break;
    case MSG_ID_STRING:
        jsonw_str(w, id->s);
        break;
    }
}

static struct jsonw open_message(struct buf *out)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\"";
    struct jsonw w = jsonw_on(out);

    jsonw_raw(&w, head, sizeof(head) - 1);
    return w;
}

struct jsonw msg_result(struct buf *out, const struct msg_id *id)
{
    struct jsonw w = open_message(out);

    put_id(&w, id);
    jsonw_name(&w, "result");
    return w;
}

struct jsonw msg_note(struct buf *out, enum msg_note n)
{
    struct jsonw w = open_message(out);

    jsonw_m_str(&w, "method", msg_note_word(n));
    jsonw_m_obj(&w, "params");
    return w;
}

void msg_end(struct jsonw *w)
{
    jsonw_obj_end(w);
    buf_putc(w->out, '\n');
}

void msg_note_end(struct jsonw *w)
{
    jsonw_obj_end(w);
    msg_end(w);
}

void msg_result_empty(struct buf *out, const struct msg_id *id)
{
    struct jsonw w = msg_result(out, id);

    jsonw_obj(&w);
    jsonw_obj_end(&w);
    msg_end(&w);
}

void msg_error(struct buf *out, const struct msg_id *id, enum err e, const struct msg_fault *f)
{
    struct jsonw w = open_message(out);

    put_id(&w, id);
    jsonw_m_obj(&w, "error");
    jsonw_m_int(&w, "code", err_code(e));
    jsonw_m_str(&w, "message", f->text != NULL ? f->text : err_words(e));
    jsonw_m_obj(&w, "data");
    jsonw_m_str(&w, "reason", err_reason(e));
    if (f->field != NULL)
        jsonw_m_str(&w, "field", f->field);
    if (f->rule != 0) {
        struct buf rule = BUF_EMPTY;

        buf_printf(&rule, "R%u", f->rule);
        jsonw_m_str(&w, "rule", buf_str(&rule));
        buf_fini(&rule);
    }
    if (f->has_head)
        jsonw_m_int(&w, "head", f->head);
    if (f->retry_ms > 0)
        jsonw_m_int(&w, "retry_ms", f->retry_ms);
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    msg_end(&w);
}

struct jsonw msg_request_out(struct buf *out, int64_t id, enum msg_method m)
{
    struct jsonw w = open_message(out);

    jsonw_m_int(&w, "id", id);
    jsonw_m_str(&w, "method", msg_method_word(m));
    jsonw_m_obj(&w, "params");
    return w;
}
