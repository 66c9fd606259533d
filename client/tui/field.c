/* SPDX-License-Identifier: ISC
 * field.c -- editing one line.
 */
#include "client/tui/field.h"

#include "client/tui/keymap.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

void field_set(struct field *f, const char *text)
{
    (void)str_copy(f->text, sizeof(f->text), text);
    f->len = strlen(f->text);
    f->at = f->len;
}

static size_t before(const struct field *f, size_t at)
{
    while (at > 0 && ((unsigned char)f->text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t behind(const struct field *f, size_t at)
{
    do {
        at++;
    } while (at < f->len && ((unsigned char)f->text[at] & 0xc0) == 0x80);
    return at;
}

static void cut(struct field *f, size_t from, size_t to)
{
    memmove(f->text + from, f->text + to, f->len - to + 1);
    f->len -= to - from;
    f->at = from;
}

static void cut_word(struct field *f)
{
    size_t from = f->at;

    while (from > 0 && f->text[from - 1] == ' ')
        from--;
    while (from > 0 && f->text[from - 1] != ' ')
        from--;
    cut(f, from, f->at);
}

static void insert(struct field *f, uint32_t cp)
{
    char utf8[4];
    const size_t n = utf8_encode(utf8, cp);

    if (f->len + n > FIELD_MAX)
        return;
    memmove(f->text + f->at + n, f->text + f->at, f->len - f->at + 1);
    memcpy(f->text + f->at, utf8, n);
    f->at += n;
    f->len += n;
}

/* Keys that move the caret. */
static bool move_key(struct field *f, uint32_t key)
{
    switch (key) {
    case KEY_K_LEFT:
        f->at = f->at > 0 ? before(f, f->at) : 0;
        return true;
    case KEY_K_RIGHT:
        f->at = f->at < f->len ? behind(f, f->at) : f->len;
        return true;
    case KEY_K_HOME:
    case KEY_CTRL('a'):
        f->at = 0;
        return true;
    case KEY_K_END:
    case KEY_CTRL('e'):
        f->at = f->len;
        return true;
    default: /* any other code point or key */
        return false;
    }
}

bool field_key(struct field *f, uint32_t key)
{
    if (move_key(f, key))
        return true;
    if (key == KEY_K_BACKSPACE || key == KEY_CTRL('h')) {
        if (f->at > 0)
            cut(f, before(f, f->at), f->at);
    } else if (key == KEY_K_DELETE || key == KEY_CTRL('d')) {
        if (f->at < f->len) {
            const size_t at = f->at;

            cut(f, at, behind(f, at));
        }
    } else if (key == KEY_CTRL('u')) {
        cut(f, 0, f->at);
    } else if (key == KEY_CTRL('k')) {
        cut(f, f->at, f->len);
    } else if (key == KEY_CTRL('w')) {
        cut_word(f);
    } else if (key < KEY_BASE && utf8_is_plain(key)) {
        insert(f, key);
    } else {
        return false;
    }
    return true;
}

void field_draw(const struct field *f, struct canvas *c, struct area a, struct style st)
{
    char shown[FIELD_MAX + 1];
    size_t from = 0, n = 0;

    while (from < f->at) {
        char head[FIELD_MAX + 1];

        (void)str_ncopy(head, sizeof(head), f->text + from, f->at - from);
        if (canvas_width(head) < a.w)
            break;
        from = behind(f, from);
    }
    if (f->secret) {
        n = utf8_count(f->text + from, f->len - from);
        memset(shown, '*', n);
        shown[n] = '\0';
        c->caret_x = a.x + (int)utf8_count(f->text + from, f->at - from);
    } else {
        (void)str_ncopy(shown, sizeof(shown), f->text + from, f->at - from);
        c->caret_x = a.x + canvas_width(shown);
        (void)str_copy(shown, sizeof(shown), f->text + from);
    }
    (void)canvas_put(c, a, st, shown);
    c->caret_y = a.y;
}
