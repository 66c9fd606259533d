/* SPDX-License-Identifier: ISC
 * line_out.c -- what line mode has said.
 */
#include "client/line_out.h"

#include <stdarg.h>

#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

void line_out_fini(struct line_out *o)
{
    for (size_t i = 0; i < o->n_log; i++)
        mem_free(o->log[i]);
    mem_free(o->log);
    mem_free(o->before);
    buf_fini(&o->batch);
    *o = (struct line_out){0};
}

void line_say(struct line_out *o, const char *text)
{
    if (o->mute || text[0] == '\0')
        return;
    if (o->prompted)
        (void)fputs("\r", stdout);
    o->prompted = false;
    (void)fputs(text, stdout);
    if (text[strlen(text) - 1] != '\n')
        (void)fputc('\n', stdout);
    (void)fflush(stdout);
}

void line_sayf(struct line_out *o, const char *fmt, ...)
{
    struct buf text = BUF_EMPTY;
    va_list ap;

    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    line_say(o, buf_str(&text));
    buf_fini(&text);
}

void line_prompt(struct line_out *o)
{
    if (!o->prompts || o->prompted || o->mute)
        return;
    (void)fputs("> ", stdout);
    (void)fflush(stdout);
    o->prompted = true;
}

static void keep(struct line_out *o, const char *text)
{
    if (o->n_log == o->cap_log) {
        o->cap_log = MAX(o->cap_log * 2, (size_t)64);
        o->log = mem_resize(o->log, o->cap_log, sizeof(*o->log));
    }
    o->log[o->n_log++] = mem_strdup(text);
}

/* What an order taken back has changed; and the position is kept for the next one. */
static void put_change(struct line_out *o, const struct model *m, struct buf *text)
{
    const struct entry *e = &m->audit.last;

    if (model_board(m) == NULL || !m->audit.started)
        return;
    if (o->before != NULL && e->kind == ENTRY_PLAY && e->u.play.event.kind == RULES_EV_UNDO)
        words_change(m->scn, model_board(m), o->before, model_state(m), text);
    if (o->before == NULL)
        o->before = mem_alloc(sizeof(*o->before));
    *o->before = *model_state(m);
}

void line_entry(struct line_out *o, const struct model *m, bool live)
{
    const struct entry *e = &m->audit.last;
    struct buf text = BUF_EMPTY;

    words_entry(&m->audit, model_side(m), &text);
    put_change(o, m, &text);
    if (text.len > 0 && e->seq > 0 && (live || m->told < e->seq))
        keep(o, text.data);
    if (live && e->kind == ENTRY_ROLL)
        o->rolled = true;
    if (live && e->kind == ENTRY_ORDER && e->u.order.side == model_side(m))
        buf_printf(&o->batch, "Order %u accepted.", e->seq);
    if (live && text.len > 0) {
        if (o->batch.len > 0)
            buf_putc(&o->batch, str_ends(o->batch.data, " accepted.") ? ' ' : '\n');
        buf_put(&o->batch, text.data, text.len);
    }
    buf_fini(&text);
}

void line_flush(struct line_out *o)
{
    if (o->batch.len == 0)
        return;
    if (o->rolled)
        buf_puts(&o->batch, " Dice checked.");
    line_say(o, buf_str(&o->batch));
    buf_reset(&o->batch);
    o->rolled = false;
}

void line_log(struct line_out *o, size_t n)
{
    for (size_t i = o->n_log - MIN(n, o->n_log); i < o->n_log; i++)
        line_say(o, o->log[i]);
}
