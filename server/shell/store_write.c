/* SPDX-License-Identifier: ISC */
#include "server/shell/store_sql.h"

/* The end of a match's journal, from the database: only for matches that aren't in memory. */
static int read_head(struct store_sql *s, struct tail *m)
{
    int64_t head = 0;
    int rc = sql_query_int(sql_query(s, SQL_HEAD_LATE, "ii", s->heads_upto, m->mkey), 0, &head);

    if (rc == SQLITE_OK && head == 0)
        rc = sql_query_int(sql_query(s, SQL_HEAD, "i", m->mkey), 0, &head);
    m->head = head;
    return rc;
}

struct tail *sql_match(struct store_sql *s, const uint8_t id[MATCH_ID_LEN], int *rc)
{
    struct tail *m = tails_find(&s->tails, id);
    int64_t mkey = 0;

    *rc = SQLITE_OK;
    if (m != NULL)
        return m;
    *rc = sql_query_int(sql_query(s, SQL_MATCH_GET, "b", (const void *)id, (size_t)MATCH_ID_LEN), 0,
                        &mkey);
    if (*rc != SQLITE_OK || mkey == 0)
        return NULL;
    m = tails_add(&s->tails, id, mkey);
    *rc = read_head(s, m);
    return m;
}

static int write_entries(struct store_sql *s, struct tail *m, const struct store_op *op)
{
    const int64_t pos = s->last_pos + 1;
    const struct sql_row row = {m->mkey,
                                m->head,
                                op->seq,
                                op->n,
                                {op->data, op->len},
                                {op->data + op->len, op->timers_len}};
    int rc;

    CHECK(op->n > 0 && (m->next_seq == 0 || op->seq == m->next_seq));
    rc = sql_run(s, SQL_APPEND, "iiiiiibb", pos, row.mkey, row.prev, row.seq, row.n,
                 sql_sum_row(pos, &row), row.lines.p, row.lines.n, row.timers.p, row.timers.n);
    if (rc != SQLITE_OK)
        return rc;
    tails_touch(&s->tails, m);
    m->head = pos;
    m->next_seq = op->seq + op->n;
    s->last_pos = pos;
    return SQLITE_OK;
}

static int write_new(struct store_sql *s, const struct store_op *op)
{
    const int64_t mkey = s->last_mkey + 1;
    const struct sql_text data = {op->data, op->len};
    struct tail *m;
    int rc = sql_run(s, SQL_MATCH_NEW, "ibiitib", mkey, (const void *)op->key, (size_t)MATCH_ID_LEN,
                     (int64_t)op->seq, (int64_t)op->state, op->name,
                     sql_sum_match(mkey, op->key, op->state, data), data.p, data.n);

    if (rc != SQLITE_OK)
        return rc;
    m = tails_add(&s->tails, op->key, mkey);
    m->next_seq = 1;
    s->last_mkey = mkey;
    return SQLITE_OK;
}

static int write_match(struct store_sql *s, struct tail *m, const struct store_op *op)
{
    const struct sql_text data = {op->data, op->len};

    tails_touch(&s->tails, m);
    m->over = op->state == MATCH_OVER;
    return sql_run(s, SQL_MATCH_SET, "iiib", m->mkey, (int64_t)op->state,
                   sql_sum_match(m->mkey, m->id, op->state, data), data.p, data.n);
}

/* Ops that belong to a match which must be there. */
static int write_of_match(struct store_sql *s, const struct store_op *op)
{
    const struct sql_text data = {op->data, op->len};
    int rc;
    struct tail *m = sql_match(s, op->key, &rc);

    if (rc != SQLITE_OK)
        return rc;
    CHECK(m != NULL);
    switch ((enum store_op_kind)op->kind) {
    case STORE_MATCH_SET:
        return write_match(s, m, op);
    case STORE_ENTRIES:
        return write_entries(s, m, op);
    case STORE_SNAPSHOT:
        return sql_run(s, SQL_SNAPSHOT, "iiib", m->mkey, (int64_t)op->seq,
                       sql_sum_snapshot(m->mkey, op->seq, data), data.p, data.n);
    case STORE_SHARE:
        CHECK(op->len == FD1_LEN);
        return sql_run(s, SQL_SHARE, "iiiib", m->mkey, (int64_t)op->seq, (int64_t)op->role,
                       sql_sum_share(m->mkey, op->seq, op->role, data.p), data.p, data.n);
    case STORE_SHARES_DROP:
        return sql_run(s, SQL_SHARES_DROP, "i", m->mkey);
    case STORE_MATCH_NEW:
    case STORE_USER_PUT:
    case STORE_USER_DROP:
    case STORE_TOKEN_PUT:
    case STORE_TOKEN_DROP:
    case STORE_INVITE_PUT:
    case STORE_INVITE_DROP:
    case STORE_META_PUT:
    case STORE_META_DROP:
    case STORE_ARCHIVE:
    case STORE_RENAME:
    case STORE_AUDIT:
        break;
    }
    check_failed("an op of a match", __FILE__, __LINE__);
}

static struct sql_text name_of(const struct store_op *op)
{
    return (struct sql_text){op->name, strlen(op->name)};
}

int sql_write(struct store_sql *s, const struct store_op *op)
{
    const struct sql_text data = {op->data, op->len};
    const struct sql_text key = {op->key, sizeof(op->key)};
    const struct sql_text none = {NULL, 0};

    switch ((enum store_op_kind)op->kind) {
    case STORE_MATCH_NEW:
        return write_new(s, op);
    case STORE_MATCH_SET:
    case STORE_ENTRIES:
    case STORE_SNAPSHOT:
    case STORE_SHARE:
    case STORE_SHARES_DROP:
        return write_of_match(s, op);
    case STORE_USER_PUT:
        return sql_run(s, SQL_USER_PUT, "tib", op->name,
                       sql_sum_named('u', name_of(op), none, data), data.p, data.n);
    case STORE_USER_DROP:
        return sql_run(s, SQL_USER_DROP, "t", op->name);
    case STORE_TOKEN_PUT:
        return sql_run(s, SQL_TOKEN_PUT, "btib", key.p, key.n, op->name,
                       sql_sum_named('t', key, name_of(op), data), data.p, data.n);
    case STORE_TOKEN_DROP:
        return sql_run(s, SQL_TOKEN_DROP, "b", key.p, key.n);
    case STORE_INVITE_PUT:
        return sql_run(s, SQL_INVITE_PUT, "bib", key.p, key.n, sql_sum_named('i', key, none, data),
                       data.p, data.n);
    case STORE_INVITE_DROP:
        return sql_run(s, SQL_INVITE_DROP, "b", key.p, key.n);
    case STORE_META_PUT:
        return sql_run(s, SQL_META_PUT, "tib", op->name,
                       sql_sum_named('v', name_of(op), none, data), data.p, data.n);
    case STORE_META_DROP:
        return sql_run(s, SQL_META_DROP, "t", op->name);
    case STORE_ARCHIVE:
        return sql_archive(s, op);
    case STORE_RENAME:
        return sql_rename(s, op);
    case STORE_AUDIT:
        return sql_audit(s, op);
    }
    check_failed("an op", __FILE__, __LINE__);
}
