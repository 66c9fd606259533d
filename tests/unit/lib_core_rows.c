/* SPDX-License-Identifier: ISC */
#include "tests/unit/lib_core_rows.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"

static void row_fini(struct world_row *r)
{
    buf_fini(&r->data);
    buf_fini(&r->snapshot);
    buf_fini(&r->lines);
    buf_fini(&r->timers);
}

static struct world_row *row_find(struct world *w, uint8_t kind, const struct store_op *op)
{
    for (size_t i = 0; i < w->n_rows; i++) {
        struct world_row *r = &w->row[i];

        if (r->kind == kind && memcmp(r->key, op->key, sizeof(r->key)) == 0 &&
            (kind == STORE_TOKEN_PUT || strcmp(r->name, op->name) == 0) &&
            (kind != STORE_SHARE || (r->seq == op->seq && r->role == op->role)))
            return r;
    }
    return NULL;
}

static void row_put(struct world *w, uint8_t kind, const struct store_op *op)
{
    struct world_row *r = row_find(w, kind, op);

    if (r == NULL) {
        w->row = mem_resize(w->row, w->n_rows + 1, sizeof(*w->row));
        r = &w->row[w->n_rows++];
        memset(r, 0, sizeof(*r));
    }
    r->kind = kind;
    r->state = op->state;
    r->role = op->role;
    r->seq = op->seq;
    memcpy(r->key, op->key, sizeof(r->key));
    str_copy(r->name, sizeof(r->name), op->name);
    buf_reset(&r->data);
    buf_put(&r->data, op->data, op->len);
}

static void rows_drop(struct world *w, uint8_t kind, const struct store_op *op)
{
    for (size_t i = w->n_rows; i-- > 0;) {
        struct world_row *r = &w->row[i];

        if (r->kind != kind || memcmp(r->key, op->key, sizeof(r->key)) != 0 ||
            (kind != STORE_TOKEN_PUT && kind != STORE_SHARE && strcmp(r->name, op->name) != 0))
            continue;
        row_fini(r);
        w->n_rows--;
        memmove(r, r + 1, (w->n_rows - i) * sizeof(*r));
    }
}

/* The match's row; names aren't part of its key. */
static struct world_row *match_row(struct world *w, const struct store_op *op)
{
    for (size_t i = 0; i < w->n_rows; i++)
        if (w->row[i].kind == STORE_MATCH_NEW && memcmp(w->row[i].key, op->key, MATCH_ID_LEN) == 0)
            return &w->row[i];
    fail_msg("a match's rows without the match");
    return NULL;
}

/* A match's row becomes one of the archive: data is its summary, lines its record, snapshot the
 * joiner's name. */
static void archive_row(struct world *w, const struct store_op *op)
{
    struct world_row *r = match_row(w, op);
    const struct store_archive *a = op->archive;

    rows_drop(w, STORE_SHARE, op);
    r->kind = STORE_ARCHIVE;
    r->seq = op->seq;
    r->state = a->is_private;
    str_copy(r->name, sizeof(r->name), a->name[0]);
    buf_reset(&r->data);
    buf_put(&r->data, a->summary, a->summary_len);
    buf_reset(&r->lines);
    buf_put(&r->lines, a->record, a->record_len);
    buf_reset(&r->snapshot);
    buf_puts(&r->snapshot, a->name[1]);
}

static void rename_rows(struct world *w, const struct store_op *op)
{
    for (size_t i = 0; i < w->n_rows; i++) {
        struct world_row *r = &w->row[i];

        if (r->kind != STORE_ARCHIVE)
            continue;
        if (str_ieq(r->name, op->name))
            str_copy(r->name, sizeof(r->name), op->data);
        if (str_ieq(buf_str(&r->snapshot), op->name)) {
            buf_reset(&r->snapshot);
            buf_puts(&r->snapshot, op->data);
        }
    }
}

static void audit_row(struct world *w, const struct store_op *op)
{
    struct world_row *r;

    w->row = mem_resize(w->row, w->n_rows + 1, sizeof(*w->row));
    r = &w->row[w->n_rows++];
    memset(r, 0, sizeof(*r));
    r->kind = STORE_AUDIT;
    buf_put(&r->data, op->data, op->len);
}

void rows_keep(struct world *w, const struct store_op *op)
{
    struct world_row *r;

    switch ((enum store_op_kind)op->kind) {
    case STORE_MATCH_NEW:
    case STORE_USER_PUT:
    case STORE_TOKEN_PUT:
    case STORE_INVITE_PUT:
    case STORE_SHARE:
    case STORE_META_PUT:
        row_put(w, op->kind, op);
        break;
    case STORE_MATCH_SET:
        r = match_row(w, op);
        r->state = op->state;
        buf_reset(&r->data);
        buf_put(&r->data, op->data, op->len);
        break;
    case STORE_ENTRIES:
        r = match_row(w, op);
        buf_put(&r->lines, op->data, op->len);
        buf_reset(&r->timers);
        buf_put(&r->timers, op->data + op->len, op->timers_len);
        break;
    case STORE_SNAPSHOT:
        r = match_row(w, op);
        buf_reset(&r->snapshot);
        buf_put(&r->snapshot, op->data, op->len);
        r->snapshot_seq = op->seq;
        break;
    case STORE_SHARES_DROP:
        rows_drop(w, STORE_SHARE, op);
        break;
    case STORE_USER_DROP:
        rows_drop(w, STORE_USER_PUT, op);
        break;
    case STORE_TOKEN_DROP:
        rows_drop(w, STORE_TOKEN_PUT, op);
        break;
    case STORE_META_DROP:
        rows_drop(w, STORE_META_PUT, op);
        break;
    case STORE_ARCHIVE:
        archive_row(w, op);
        break;
    case STORE_RENAME:
        rename_rows(w, op);
        break;
    case STORE_AUDIT:
        audit_row(w, op);
        break;
    case STORE_INVITE_DROP:
        rows_drop(w, STORE_INVITE_PUT, op);
        break;
    }
}

static void load_match(struct world *w, const struct world_row *r)
{
    struct core_match_row row = {.state = r->state,
                                 .data = buf_str(&r->data),
                                 .data_len = r->data.len,
                                 .lines = buf_str(&r->lines),
                                 .lines_len = r->lines.len,
                                 .timers = buf_str(&r->timers),
                                 .timers_len = r->timers.len,
                                 .snapshot_seq = r->snapshot_seq};
    char why[PLAY_WHY_LEN] = "";

    memcpy(row.id, r->key, sizeof(row.id));
    if (r->snapshot_seq > 0) {
        row.snapshot = buf_str(&r->snapshot);
        row.snapshot_len = r->snapshot.len;
    }
    if (core_load_match(w->core, &row, why) != ERR_OK)
        fail_msg("match not recovered: %s", why);
}

static void load_row(struct world *w, const struct world_row *r)
{
    enum err e = ERR_OK;

    if (r->kind == STORE_META_PUT)
        e = core_load_meta(w->core, r->name, buf_str(&r->data));
    else if (r->kind == STORE_USER_PUT)
        e = core_load_user(w->core, r->name, buf_str(&r->data), r->data.len);
    else if (r->kind == STORE_TOKEN_PUT)
        e = core_load_token(w->core, r->key, r->name, buf_str(&r->data), r->data.len);
    else if (r->kind == STORE_INVITE_PUT)
        e = core_load_invite(w->core, r->key, buf_str(&r->data), r->data.len);
    else if (r->kind == STORE_MATCH_NEW)
        load_match(w, r);
    else
        e = core_load_share(w->core, r->key, (enum role)r->role, r->seq,
                            (const uint8_t *)r->data.data);
    assert_int_equal(e, ERR_OK);
}

void rows_load(struct world *w)
{
    static const uint8_t order[] = {STORE_META_PUT,   STORE_USER_PUT,  STORE_TOKEN_PUT,
                                    STORE_INVITE_PUT, STORE_MATCH_NEW, STORE_SHARE};

    for (size_t k = 0; k < ARRAY_LEN(order); k++)
        for (size_t i = 0; i < w->n_rows; i++)
            if (w->row[i].kind == order[k])
                load_row(w, &w->row[i]);
}

void rows_fini(struct world *w)
{
    for (size_t i = 0; i < w->n_rows; i++)
        row_fini(&w->row[i]);
    mem_free(w->row);
}

/* ---- what the store is asked for ---- */

static bool is_of(const struct world_row *r, const char *name)
{
    return name[0] == '\0' || str_ieq(r->name, name) || str_ieq(buf_str(&r->snapshot), name);
}

static bool is_wanted(const struct world_row *r, const struct store_read *q)
{
    if (q->what == READ_AUDIT)
        return r->kind == STORE_AUDIT;
    if (r->kind != STORE_ARCHIVE)
        return false;
    if (q->what == READ_PLAYED)
        return (q->no == 0 || r->seq < q->no) &&
               (q->hidden || r->state == 0 || (q->viewer[0] != '\0' && is_of(r, q->viewer))) &&
               r->snapshot.len > 0 && is_of(r, q->name[0]) && is_of(r, q->name[1]);
    return q->no != 0 ? r->seq == q->no : memcmp(r->key, q->key, MATCH_ID_LEN) == 0;
}

static void give_row(const struct world_row *r, const struct store_read *q, struct store_found *out)
{
    const struct buf *b = q->what == READ_ARCHIVED ? &r->lines : &r->data;
    struct store_row *to = store_found_add(out);

    memcpy(to->id, r->key, MATCH_ID_LEN);
    to->no = r->seq;
    str_copy(to->name[0], sizeof(to->name[0]), r->name);
    str_copy(to->name[1], sizeof(to->name[1]), buf_str(&r->snapshot));
    to->data = mem_strndup(buf_str(b), b->len);
    to->len = b->len;
}

/* Rows stand in order of coming: matches by number. */
void rows_read(const struct world *w, const struct store_read *q, struct store_found *out)
{
    for (size_t i = w->n_rows; i-- > 0;)
        if (is_wanted(&w->row[i], q) && (q->limit == 0 || out->n < q->limit))
            give_row(&w->row[i], q, out);
}
