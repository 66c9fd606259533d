/* SPDX-License-Identifier: ISC
 * log.c -- lines of play and talk.
 */
#include "client/tui/log.h"

#include "common/base/mem.h"

void log_fini(struct log *l)
{
    for (size_t i = 0; i < MIN(l->n, (size_t)LOG_LINES_MAX); i++)
        mem_free(l->line[i].text);
    mem_free(l->line);
    memset(l, 0, sizeof(*l));
}

void log_add(struct log *l, enum log_kind kind, const char *text)
{
    struct log_line *at;

    if (text[0] == '\0')
        return;
    if (l->line == NULL)
        l->line = mem_array(LOG_LINES_MAX, sizeof(*l->line));
    at = &l->line[l->n % LOG_LINES_MAX];
    mem_free(at->text);
    at->text = mem_strdup(text);
    at->kind = (uint8_t)kind;
    l->n++;
}

static struct style style_for(uint8_t kind)
{
    switch ((enum log_kind)kind) {
    case LOG_PLAY:
        break;
    case LOG_CHAT:
        return style_of(INK_GOOD);
    case LOG_NEWS:
        return style_of(INK_FAINT);
    case LOG_ALARM:
        return style_bold(INK_WARN);
    }
    return style_of(INK_TEXT);
}

/* A line whose last row is above `end`, in what of `a` it meets; returns its first row. */
static int put_line(struct canvas *c, struct area a, int end, struct style st, const char *text)
{
    const int from = end - canvas_wrap_rows(a.w, text);
    const int top = MAX(from, a.y), low = MIN(end, a.y + a.h);

    if (low > top)
        (void)canvas_wrap(c, (struct area){a.x, top, a.w, low - top}, st, text, top - from);
    return from;
}

void log_draw(const struct log *l, struct canvas *c, struct area a, int back)
{
    const size_t oldest = l->n > LOG_LINES_MAX ? l->n - LOG_LINES_MAX : 0;
    int end = a.y + a.h + back; /* the row behind the next line's last, were there room below */

    for (size_t i = l->n; i-- > oldest && end > a.y;) {
        const struct log_line *line = &l->line[i % LOG_LINES_MAX];

        end = put_line(c, a, end, style_for(line->kind), line->text);
    }
}

void film_draw(const struct film *f, struct canvas *c, struct area a, size_t at)
{
    int end = a.y + a.h;

    for (size_t i = MIN(at + 1, f->n); i-- > 0 && end > a.y;)
        end = put_line(c, a, end, style_of(INK_TEXT), f->frame[i].words);
}
