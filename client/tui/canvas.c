/* SPDX-License-Identifier: ISC
 * canvas.c -- cells, text and zones.
 */
#include "client/tui/canvas.h"

#include "common/base/mem.h"
#include "common/base/utf8.h"

/* Our own glyphs where only ASCII can be shown. */
static const struct {
    uint32_t cp;
    char ascii;
} plain[] = {
    {0x00b1, '~'}, {0x00b7, '.'}, {0x00d7, 'x'}, {0x2013, '-'}, {0x2014, '-'}, {0x2019, '\''},
    {0x2026, '~'}, {0x203c, '!'}, {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'},
    {0x223c, '~'}, {0x2240, '~'}, {0x2248, '~'}, {0x2500, '-'}, {0x2501, '='}, {0x2502, '|'},
    {0x2503, '|'}, {0x2505, '-'}, {0x2507, ':'}, {0x250c, '+'}, {0x2510, '+'}, {0x2514, '+'},
    {0x2518, '+'}, {0x2573, 'x'}, {0x2591, ':'}, {0x2593, '#'}, {0x25a3, '%'}, {0x25b2, '^'},
    {0x25b6, '>'}, {0x25bc, 'v'}, {0x25c0, '<'}, {0x25ce, '@'}, {0x25cf, '*'}, {0x25e6, 'o'},
    {0x2663, '"'}, {0x2713, '+'},
};

static uint32_t to_ascii(uint32_t cp)
{
    if (cp < 0x80)
        return cp;
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (plain[i].cp == cp)
            return (uint32_t)plain[i].ascii;
    }
    return '?';
}

void canvas_init(struct canvas *c, int w, int h, bool ascii)
{
    memset(c, 0, sizeof(*c));
    canvas_reset(c, w, h, ascii);
}

void canvas_fini(struct canvas *c)
{
    mem_free(c->cell);
    mem_free(c->zone);
    memset(c, 0, sizeof(*c));
}

void canvas_reset(struct canvas *c, int w, int h, bool ascii)
{
    const int cols = MAX(1, MIN(w, CANVAS_MAX)), rows = MAX(1, MIN(h, CANVAS_MAX));

    if (c->cell == NULL || cols != c->w || rows != c->h)
        c->cell = mem_resize(c->cell, (size_t)cols * (size_t)rows, sizeof(*c->cell));
    c->w = cols;
    c->h = rows;
    c->ascii = ascii;
    c->n_zones = 0;
    c->caret_x = -1;
    c->caret_y = -1;
    for (int i = 0; i < cols * rows; i++)
        c->cell[i] = (struct cell){' ', style_of(INK_TEXT)};
}

static struct cell *cell_at(struct canvas *c, int x, int y)
{
    if (x < 0 || y < 0 || x >= c->w || y >= c->h)
        return NULL;
    return &c->cell[y * c->w + x];
}

/* Write over what is there: the other half of a wide glyph cut in two becomes a blank. */
static void set_cell(struct canvas *c, int x, int y, struct cell v)
{
    struct cell *at = cell_at(c, x, y);
    struct cell *next = cell_at(c, x + 1, y), *before = cell_at(c, x - 1, y);

    if (at == NULL)
        return;
    if (at->cp == 0 && v.cp != 0 && before != NULL)
        before->cp = ' ';
    if (next != NULL && next->cp == 0 && at->cp != 0)
        next->cp = ' ';
    *at = v;
}

/* Put one character that may be shown; returns its width. */
static int put_cp(struct canvas *c, int x, int y, struct style st, uint32_t cp)
{
    const int width = utf8_width(cp);

    if (width == 2) {
        if (cell_at(c, x + 1, y) == NULL) {
            set_cell(c, x, y, (struct cell){' ', st});
            return 1;
        }
        set_cell(c, x, y, (struct cell){cp, st});
        set_cell(c, x + 1, y, (struct cell){0, st});
        return 2;
    }
    set_cell(c, x, y, (struct cell){cp, st});
    return 1;
}

/*
 * The next character of *p that may be shown, as it will be; 0 at the end. Broken bytes and what a
 * terminal must not see become '?'; combining marks are dropped (a cell holds one character).
 */
static uint32_t next_cp(const char **p, bool ascii)
{
    while (**p != '\0') {
        uint32_t cp = 0;
        const size_t n = utf8_decode(*p, strlen(*p), &cp);

        *p += n == 0 ? 1 : n;
        if (n == 0 || !utf8_is_plain(cp))
            return '?';
        if (ascii)
            return to_ascii(cp);
        if (utf8_width(cp) > 0)
            return cp;
    }
    return 0;
}

int canvas_width(const char *text)
{
    int w = 0;
    uint32_t cp;

    while ((cp = next_cp(&text, false)) != 0)
        w += utf8_width(cp);
    return w;
}

void canvas_glyph(struct canvas *c, int x, int y, struct style st, uint32_t cp)
{
    const uint32_t shown = c->ascii ? to_ascii(cp) : cp;

    if (utf8_is_plain(shown) && utf8_width(shown) > 0)
        (void)put_cp(c, x, y, st, shown);
}

int canvas_put(struct canvas *c, struct area a, struct style st, const char *text)
{
    const int end = a.x + a.w;
    int x = a.x;
    uint32_t cp;

    while ((cp = next_cp(&text, c->ascii)) != 0) {
        const char *ahead = text;
        const int w = utf8_width(cp);
        const bool more = next_cp(&ahead, c->ascii) != 0;

        if (x + w > end || (x + w == end && more)) {
            if (x < end)
                x += put_cp(c, x, a.y, st, c->ascii ? '~' : 0x2026);
            break;
        }
        x += put_cp(c, x, a.y, st, cp);
    }
    return x;
}

int canvas_printf(struct canvas *c, struct area a, struct style st, const char *fmt, ...)
{
    struct buf text = BUF_EMPTY;
    va_list ap;
    int x;

    va_start(ap, fmt);
    buf_vprintf(&text, fmt, ap);
    va_end(ap);
    x = canvas_put(c, a, st, buf_str(&text));
    buf_fini(&text);
    return x;
}

void canvas_put_right(struct canvas *c, struct area a, struct style st, const char *text)
{
    const int w = MIN(canvas_width(text), a.w);

    (void)canvas_put(c, row_of(a.x + a.w - w, a.y, w), st, text);
}

/* ---- filling ---- */

/* Bytes of the next row of `text` in `w` cells; *skip: blanks between it and the row after. */
static size_t fit_row(const char *text, int w, size_t *skip)
{
    const char *p = text, *last = NULL;
    int used = 0;

    *skip = 0;
    while (*p != '\0' && *p != '\n') {
        const char *from = p;
        const uint32_t cp = next_cp(&p, false);

        if (cp == 0)
            break;
        if (cp == ' ')
            last = from;
        used += utf8_width(cp);
        if (used > w) {
            if (last != NULL && last > text) {
                *skip = 1;
                return (size_t)(last - text);
            }
            return from > text ? (size_t)(from - text) : (size_t)(p - text);
        }
    }
    if (*p == '\n')
        *skip = 1;
    return (size_t)(p - text);
}

int canvas_wrap_rows(int w, const char *text)
{
    int rows = 0;
    size_t skip;

    for (; w > 0 && *text != '\0'; text += skip) {
        text += fit_row(text, w, &skip);
        rows++;
    }
    return rows;
}

int canvas_wrap(struct canvas *c, struct area a, struct style st, const char *text, int skip_rows)
{
    int rows = 0;
    size_t skip;

    for (int row = 0; a.w > 0 && *text != '\0' && rows < a.h; row++) {
        const size_t n = fit_row(text, a.w, &skip);

        if (row >= skip_rows) {
            char *one = mem_strndup(text, n);

            (void)canvas_put(c, row_of(a.x, a.y + rows, a.w), st, one);
            mem_free(one);
            rows++;
        }
        text += n + skip;
    }
    return rows;
}

void canvas_fill(struct canvas *c, struct area a, struct style st, uint32_t cp)
{
    for (int y = MAX(a.y, 0); y < MIN(a.y + a.h, c->h); y++) {
        for (int x = MAX(a.x, 0); x < MIN(a.x + a.w, c->w); x++)
            canvas_glyph(c, x, y, st, cp);
    }
}

void canvas_rule(struct canvas *c, int x, int y, int w)
{
    canvas_fill(c, row_of(x, y, w), style_of(INK_FAINT), 0x2500);
}

void canvas_tint(struct canvas *c, struct area a, enum paper paper, unsigned attr)
{
    for (int y = a.y; y < a.y + a.h; y++) {
        for (int x = a.x; x < a.x + a.w; x++) {
            struct cell *at = cell_at(c, x, y);

            if (at == NULL)
                continue;
            at->style.paper = (uint8_t)paper;
            at->style.attr |= (uint8_t)attr;
        }
    }
}

struct area canvas_box(struct canvas *c, struct area a, const char *title)
{
    const struct style edge = style_of(INK_FAINT);
    const int right = a.x + a.w - 1, low = a.y + a.h - 1;

    canvas_fill(c, a, style_of(INK_TEXT), ' ');
    canvas_fill(c, row_of(a.x, a.y, a.w), edge, 0x2500);
    canvas_fill(c, row_of(a.x, low, a.w), edge, 0x2500);
    canvas_fill(c, (struct area){a.x, a.y, 1, a.h}, edge, 0x2502);
    canvas_fill(c, (struct area){right, a.y, 1, a.h}, edge, 0x2502);
    canvas_glyph(c, a.x, a.y, edge, 0x250c);
    canvas_glyph(c, right, a.y, edge, 0x2510);
    canvas_glyph(c, a.x, low, edge, 0x2514);
    canvas_glyph(c, right, low, edge, 0x2518);
    if (title != NULL && title[0] != '\0')
        (void)canvas_printf(c, row_of(a.x + 2, a.y, a.w - 4), style_bold(INK_TITLE), " %s ", title);
    return (struct area){a.x + 2, a.y + 1, a.w - 4, a.h - 2};
}

/* ---- zones ---- */

void canvas_zone(struct canvas *c, struct area a, int act, int arg)
{
    if (c->n_zones == c->zone_cap) {
        c->zone_cap = MAX(c->zone_cap * 2, (size_t)32);
        c->zone = mem_resize(c->zone, c->zone_cap, sizeof(*c->zone));
    }
    c->zone[c->n_zones++] = (struct zone){a, act, arg};
}

const struct zone *canvas_zone_at(const struct canvas *c, int x, int y)
{
    for (size_t i = c->n_zones; i-- > 0;) {
        const struct area *a = &c->zone[i].area;

        if (x >= a->x && x < a->x + a->w && y >= a->y && y < a->y + a->h)
            return &c->zone[i];
    }
    return NULL;
}

/* ---- as text ---- */

static void end_row(struct buf *out, size_t from)
{
    while (out->len > from && out->data[out->len - 1] == ' ')
        out->len--;
    buf_putc(out, '\n');
}

void canvas_text(const struct canvas *c, struct buf *out)
{
    for (int y = 0; y < c->h; y++) {
        const size_t from = out->len;

        for (int x = 0; x < c->w; x++) {
            const uint32_t cp = c->cell[y * c->w + x].cp;
            char utf8[4];

            if (cp != 0)
                buf_put(out, utf8, utf8_encode(utf8, cp));
        }
        end_row(out, from);
    }
}

static char style_letter(struct style st)
{
    static const char papers[] = ".hHmtclUB";
    _Static_assert(sizeof(papers) - 1 == PAPER_COUNT, "a letter for each paper");

    if (st.paper != PAPER_PLAIN)
        return papers[st.paper];
    if ((st.attr & ATTR_REVERSE) != 0)
        return 'r';
    if ((st.attr & ATTR_UNDERLINE) != 0)
        return 'u';
    if ((st.attr & ATTR_BOLD) != 0)
        return 'b';
    return (st.attr & ATTR_DIM) != 0 ? 'd' : '.';
}

void canvas_styles(const struct canvas *c, struct buf *out)
{
    for (int y = 0; y < c->h; y++) {
        for (int x = 0; x < c->w; x++)
            buf_putc(out, style_letter(c->cell[y * c->w + x].style));
        buf_putc(out, '\n');
    }
}
