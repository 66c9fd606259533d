/* SPDX-License-Identifier: ISC
 * recall.c -- lines that were typed before.
 */
#include "client/tui/recall.h"

#include "client/tui/keymap.h"
#include "common/base/mem.h"
#include "common/base/str.h"

void recall_fini(struct recall *r)
{
    for (unsigned i = 0; i < r->n; i++)
        mem_free(r->line[i]);
    mem_free(r->draft);
    memset(r, 0, sizeof(*r));
}

static void drop(struct recall *r, unsigned i)
{
    mem_free(r->line[i]);
    r->n--;
    memmove(&r->line[i], &r->line[i + 1], (r->n - i) * sizeof(*r->line));
}

void recall_begin(struct recall *r)
{
    mem_free(r->draft);
    r->draft = NULL;
    r->at = r->n;
}

void recall_add(struct recall *r, const char *line)
{
    if (line[0] == '\0')
        return;
    for (unsigned i = 0; i < r->n; i++) {
        if (str_eq(r->line[i], line)) {
            drop(r, i);
            break;
        }
    }
    if (r->n == RECALL_LINES)
        drop(r, 0);
    r->line[r->n++] = mem_strdup(line);
    recall_begin(r);
}

bool recall_key(struct recall *r, struct field *f, uint32_t key)
{
    if (key != KEY_K_UP && key != KEY_K_DOWN)
        return false;
    if (key == KEY_K_UP && r->at > 0) {
        if (r->at == r->n) {
            mem_free(r->draft);
            r->draft = mem_strdup(f->text);
        }
        field_set(f, r->line[--r->at]);
    } else if (key == KEY_K_DOWN && r->at < r->n) {
        r->at++;
        field_set(f, r->at < r->n ? r->line[r->at] : r->draft != NULL ? r->draft : "");
    }
    return true;
}
