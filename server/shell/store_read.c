/* SPDX-License-Identifier: ISC */
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "server/shell/store_sql.h"

/* A match's rows as they are walked, newest first; kept from match to match. */
struct chain {
    struct buf raw; /* their lines, one row's behind the other's */
    size_t *len;    /* of each row's */
    size_t n, cap;
    struct buf lines;  /* the same in order of seq */
    struct buf timers; /* of the newest */
    uint32_t next_seq;
};

static void chain_fini(struct chain *c)
{
    buf_fini(&c->raw);
    buf_fini(&c->lines);
    buf_fini(&c->timers);
    mem_free(c->len);
}

struct loading {
    struct store_sql *s;
    const struct store_sink *sink;
    struct chain chain;
};

static struct sql_text blob(sqlite3_stmt *stmt, int col)
{
    const void *p = sqlite3_column_blob(stmt, col); /* before its size: SQLite's order */

    return (struct sql_text){p, (size_t)sqlite3_column_bytes(stmt, col)};
}

static const char *text(sqlite3_stmt *stmt, int col)
{
    const unsigned char *p = sqlite3_column_text(stmt, col);

    return p != NULL ? (const char *)p : "";
}

static struct sql_text text_of(const char *s)
{
    return (struct sql_text){s, strlen(s)};
}

static void damaged(const struct loading *l, const char *what, const char *which)
{
    char words[STORE_WHY_LEN];

    (void)snprintf(words, sizeof(words), "%s %s", what, which);
    l->sink->damaged(l->sink->arg, words);
}

static void damaged_match(const struct loading *l, const char *what, const uint8_t *id)
{
    char hex[MATCH_ID_HEX];

    hex_encode(hex, id, MATCH_ID_LEN);
    damaged(l, what, hex);
}

static enum err end(struct loading *l, sqlite3_stmt *stmt, char why[STORE_WHY_LEN])
{
    const int rc = sql_done(stmt);

    if (rc == SQLITE_OK)
        return ERR_OK;
    (void)snprintf(why, STORE_WHY_LEN, "%s", sqlite3_errmsg(l->s->db));
    return (rc & 0xff) == SQLITE_CORRUPT ? ERR_DATA : ERR_IO;
}

enum err sql_meta(struct store_backend *b, const char *name, struct buf *out)
{
    struct store_sql *s = sql_of(b);
    sqlite3_stmt *stmt = sql_query(s, SQL_META_GET, "t", name);
    enum err e = ERR_NOT_FOUND;

    if (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text data = blob(stmt, 1);
        const struct sql_text none = {NULL, 0};

        e = ERR_DATA;
        if (sqlite3_column_int64(stmt, 0) == sql_sum_named('v', text_of(name), none, data)) {
            buf_put(out, data.n > 0 ? data.p : "", data.n);
            e = ERR_OK;
        }
    }
    return sql_done(stmt) == SQLITE_OK ? e : ERR_IO;
}

static enum err load_meta(struct loading *l, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_META_ALL, "");

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = text(stmt, 0);
        const struct sql_text data = blob(stmt, 2);
        const struct sql_text none = {NULL, 0};

        if (sqlite3_column_int64(stmt, 1) == sql_sum_named('v', text_of(name), none, data)) {
            char *value = mem_strndup(data.n > 0 ? data.p : "", data.n);

            l->sink->meta(l->sink->arg, name, value);
            mem_free(value);
        } else {
            damaged(l, "value", name);
        }
    }
    return end(l, stmt, why);
}

static enum err load_users(struct loading *l, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_USER_ALL, "");

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = text(stmt, 0);
        const struct sql_text data = blob(stmt, 2);
        const struct sql_text none = {NULL, 0};

        if (sqlite3_column_int64(stmt, 1) == sql_sum_named('u', text_of(name), none, data))
            l->sink->user(l->sink->arg, name, data.p, data.n);
        else
            damaged(l, "user", name);
    }
    return end(l, stmt, why);
}

static enum err load_tokens(struct loading *l, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_TOKEN_ALL, "");

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text hash = blob(stmt, 0);
        const char *user = text(stmt, 1);
        const struct sql_text data = blob(stmt, 3);

        if (hash.n == 32 &&
            sqlite3_column_int64(stmt, 2) == sql_sum_named('t', hash, text_of(user), data))
            l->sink->token(l->sink->arg, hash.p, user, data.p, data.n);
        else
            damaged(l, "token of", user);
    }
    return end(l, stmt, why);
}

static enum err load_invites(struct loading *l, char why[STORE_WHY_LEN])
{
    const struct sql_text none = {NULL, 0};
    sqlite3_stmt *stmt = sql_query(l->s, SQL_INVITE_ALL, "");

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text hash = blob(stmt, 0);
        const struct sql_text data = blob(stmt, 2);

        if (hash.n == 32 && sqlite3_column_int64(stmt, 1) == sql_sum_named('i', hash, none, data))
            l->sink->invite(l->sink->arg, hash.p, data.p, data.n);
        else
            damaged(l, "invite", "code");
    }
    return end(l, stmt, why);
}

static struct sql_row row_of(sqlite3_stmt *stmt)
{
    return (struct sql_row){sqlite3_column_int64(stmt, 0),
                            sqlite3_column_int64(stmt, 1),
                            sqlite3_column_int64(stmt, 2),
                            sqlite3_column_int64(stmt, 3),
                            blob(stmt, 5),
                            blob(stmt, 6)};
}

bool sql_row_is_good(struct store_sql *s, int64_t pos)
{
    sqlite3_stmt *stmt = sql_query(s, SQL_ROW, "i", pos);
    bool good = false;

    if (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_row row = row_of(stmt);

        good = sqlite3_column_int64(stmt, 4) == sql_sum_row(pos, &row);
    }
    return sql_done(stmt) == SQLITE_OK && good;
}

/* The row at `pos`, its lines into the chain. `behind` is the seq of the row after it (0: it is the
 * newest). False: it isn't what was written. */
static bool walk_row(struct loading *l, int64_t pos, struct sql_row *row, int64_t behind)
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_ROW, "i", pos);
    bool good = false;

    if (sqlite3_step(stmt) == SQLITE_ROW) {
        *row = row_of(stmt);
        good = sqlite3_column_int64(stmt, 4) == sql_sum_row(pos, row) && row->prev < pos &&
               row->n > 0 && (behind == 0 || row->seq + row->n == behind);
        if (good)
            buf_put(&l->chain.raw, row->lines.p, row->lines.n);
        if (good && behind == 0)
            buf_put(&l->chain.timers, row->timers.n > 0 ? row->timers.p : "", row->timers.n);
    }
    return sql_done(stmt) == SQLITE_OK && good;
}

static void push(struct chain *c, size_t len)
{
    if (c->n == c->cap) {
        c->cap = MAX(c->cap * 2, (size_t)64);
        c->len = mem_resize(c->len, c->cap, sizeof(*c->len));
    }
    c->len[c->n++] = len;
}

/* All lines of the match whose newest row is m->head, into the chain. False: damaged. */
static bool walk(struct loading *l, const struct tail *m)
{
    struct chain *c = &l->chain;
    struct sql_row row = {.seq = 0};
    const char *end;

    buf_reset(&c->raw);
    buf_reset(&c->lines);
    buf_reset(&c->timers);
    c->n = 0;
    c->next_seq = 1;
    for (int64_t pos = m->head; pos != 0; pos = row.prev) {
        if (!walk_row(l, pos, &row, row.seq) || row.mkey != m->mkey)
            return false;
        if (c->n == 0)
            c->next_seq = (uint32_t)(row.seq + row.n);
        push(c, row.lines.n);
    }
    if (c->n > 0 && row.seq != 1)
        return false;
    end = buf_str(&c->raw) + c->raw.len;
    for (size_t i = c->n; i-- > 0;) {
        end -= c->len[i];
        buf_put(&c->lines, end, c->len[i]);
    }
    return true;
}

static void load_lines(struct loading *l, struct core_match_row *row, struct tail *m)
{
    if (walk(l, m)) {
        row->lines = buf_str(&l->chain.lines);
        row->lines_len = l->chain.lines.len;
        row->timers = buf_str(&l->chain.timers);
        row->timers_len = l->chain.timers.len;
        m->next_seq = l->chain.next_seq;
    } else {
        damaged_match(l, "journal of match", m->id);
        row->state = MATCH_BROKEN;
    }
}

static int load_match(struct loading *l, sqlite3_stmt *stmt)
{
    const int64_t mkey = sqlite3_column_int64(stmt, 0);
    const struct sql_text id = blob(stmt, 1);
    const struct sql_text data = blob(stmt, 4);
    const struct sql_text snap = blob(stmt, 7);
    struct core_match_row row = {.state = (uint8_t)sqlite3_column_int(stmt, 2)};
    struct tail *m;
    int rc;

    if (id.n != MATCH_ID_LEN) {
        damaged(l, "match", "without an id");
        return SQLITE_OK;
    }
    memcpy(row.id, id.p, MATCH_ID_LEN);
    row.data = data.p;
    row.data_len = data.n;
    if (snap.n > 0) {
        const int64_t seq = sqlite3_column_int64(stmt, 5);

        if (sqlite3_column_int64(stmt, 6) == sql_sum_snapshot(mkey, seq, snap)) {
            row.snapshot = snap.p;
            row.snapshot_len = snap.n;
            row.snapshot_seq = (uint32_t)seq;
        } else {
            damaged_match(l, "snapshot of match", row.id);
        }
    }
    m = sql_match(l->s, row.id, &rc);
    if (rc != SQLITE_OK)
        return rc;
    if (m == NULL || m->mkey != mkey ||
        sqlite3_column_int64(stmt, 3) != sql_sum_match(mkey, row.id, row.state, data)) {
        damaged_match(l, "row of match", row.id);
        row.state = MATCH_BROKEN;
    } else {
        m->over = row.state == MATCH_OVER;
        load_lines(l, &row, m);
    }
    l->sink->match(l->sink->arg, &row);
    return SQLITE_OK;
}

static enum err load_matches(struct loading *l, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_MATCH_ALL, "");
    enum err e = ERR_OK;

    while (e == ERR_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        int rc = load_match(l, stmt);

        tails_keep(&l->s->tails);
        if (rc != SQLITE_OK) {
            (void)snprintf(why, STORE_WHY_LEN, "%s", sqlite3_errmsg(l->s->db));
            e = (rc & 0xff) == SQLITE_CORRUPT ? ERR_DATA : ERR_IO;
        }
    }
    if (e != ERR_OK) {
        (void)sql_done(stmt);
        return e;
    }
    e = end(l, stmt, why);
    tails_forget_over(&l->s->tails);
    return e;
}

void sql_read_live(struct store_sql *s, const uint8_t id[MATCH_ID_LEN], struct store_found *out)
{
    const struct store_sink none = {.damaged = NULL};
    struct loading l = {.s = s, .sink = &none};
    sqlite3_stmt *stmt;
    struct store_row *row;
    struct tail *m;
    int rc;

    m = sql_match(s, id, &rc);
    tails_keep(&s->tails);
    if (rc != SQLITE_OK)
        out->err = ERR_IO;
    if (rc != SQLITE_OK || m == NULL || m->mkey <= 0)
        return;
    row = store_found_add(out);
    memcpy(row->id, id, MATCH_ID_LEN);
    stmt = sql_query(s, SQL_MATCH_ROW, "i", m->mkey);
    if (sqlite3_step(stmt) == SQLITE_ROW) {
        const int64_t state = sqlite3_column_int64(stmt, 0);
        const struct sql_text data = blob(stmt, 2);

        if (sqlite3_column_int64(stmt, 1) != sql_sum_match(m->mkey, id, state, data))
            out->err = ERR_DATA;
        row->row = mem_strndup(data.n > 0 ? data.p : "", data.n);
        row->row_len = data.n;
    }
    if (sql_done(stmt) != SQLITE_OK)
        out->err = ERR_IO;
    if (out->err == ERR_OK && !walk(&l, m))
        out->err = ERR_DATA;
    row->len = l.chain.lines.len;
    row->data = mem_strndup(buf_str(&l.chain.lines), l.chain.lines.len);
    row->timers_len = l.chain.timers.len;
    row->timers = mem_strndup(buf_str(&l.chain.timers), l.chain.timers.len);
    chain_fini(&l.chain);
}

static enum err load_shares(struct loading *l, char why[STORE_WHY_LEN])
{
    sqlite3_stmt *stmt = sql_query(l->s, SQL_SHARE_ALL, "");

    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const struct sql_text id = blob(stmt, 0);
        const int64_t mkey = sqlite3_column_int64(stmt, 1);
        const int64_t roll = sqlite3_column_int64(stmt, 2);
        const int64_t role = sqlite3_column_int64(stmt, 3);
        const struct sql_text share = blob(stmt, 5);

        if (id.n == MATCH_ID_LEN && share.n == FD1_LEN && role >= 0 && role < ROLE_COUNT &&
            sqlite3_column_int64(stmt, 4) == sql_sum_share(mkey, roll, role, share.p))
            l->sink->share(l->sink->arg, id.p, (enum role)role, (uint32_t)roll, share.p);
        else
            damaged(l, "share of", id.n == MATCH_ID_LEN ? "a match's open roll" : "no match");
    }
    return end(l, stmt, why);
}

enum err sql_load(struct store_backend *b, const struct store_sink *sink, char why[STORE_WHY_LEN])
{
    struct loading l = {.s = sql_of(b), .sink = sink};
    enum err e;

    if (sql_fold(l.s) != SQLITE_OK) {
        (void)snprintf(why, STORE_WHY_LEN, "%s", sqlite3_errmsg(l.s->db));
        return ERR_IO;
    }
    e = load_meta(&l, why);
    if (e == ERR_OK)
        e = load_users(&l, why);
    if (e == ERR_OK)
        e = load_tokens(&l, why);
    if (e == ERR_OK)
        e = load_invites(&l, why);
    if (e == ERR_OK)
        e = load_matches(&l, why);
    if (e == ERR_OK)
        e = load_shares(&l, why);
    chain_fini(&l.chain);
    return e;
}
