/* SPDX-License-Identifier: ISC */
#include "server/shell/store_sql.h"

#include <sodium.h>
#include <stdarg.h>

struct store_sql *sql_of(struct store_backend *b)
{
    struct store_sql *s = (struct store_sql *)b;

    CHECK(s != NULL && s->magic == SQL_MAGIC);
    return s;
}

const struct store_sql *sql_of_const(const struct store_backend *b)
{
    const struct store_sql *s = (const struct store_sql *)b;

    CHECK(s != NULL && s->magic == SQL_MAGIC);
    return s;
}

/* Values stay where they are until the statement is done: nothing is copied. */
static void bind_all(sqlite3_stmt *stmt, const char *types, va_list ap)
{
    for (int i = 1; *types != '\0'; types++, i++) {
        const void *p;
        size_t n;

        switch (*types) {
        case 'i':
            CHECK(sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t)) == SQLITE_OK);
            break;
        case 't':
            p = va_arg(ap, const char *);
            CHECK(sqlite3_bind_text(stmt, i, p, -1, SQLITE_STATIC) == SQLITE_OK);
            break;
        case 'b':
            p = va_arg(ap, const void *);
            n = va_arg(ap, size_t);
            CHECK(sqlite3_bind_blob64(stmt, i, p != NULL ? p : "", n, SQLITE_STATIC) == SQLITE_OK);
            break;
        default:
            check_failed("a type of parameter", __FILE__, __LINE__);
        }
    }
}

int sql_run(struct store_sql *s, enum sql_stmt which, const char *types, ...)
{
    sqlite3_stmt *stmt = s->stmt[which];
    va_list ap;
    int rc;

    va_start(ap, types);
    bind_all(stmt, types, ap);
    va_end(ap);
    rc = sqlite3_step(stmt);
    (void)sqlite3_reset(stmt); /* the same code again */
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

sqlite3_stmt *sql_query(struct store_sql *s, enum sql_stmt which, const char *types, ...)
{
    sqlite3_stmt *stmt = s->stmt[which];
    va_list ap;

    va_start(ap, types);
    bind_all(stmt, types, ap);
    va_end(ap);
    return stmt;
}

int sql_done(sqlite3_stmt *stmt)
{
    return sqlite3_reset(stmt);
}

int sql_query_int(sqlite3_stmt *stmt, int64_t other, int64_t *out)
{
    const bool row = sqlite3_step(stmt) == SQLITE_ROW;

    *out = other;
    if (row && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        *out = sqlite3_column_int64(stmt, 0);
    return sql_done(stmt);
}

/* SipHash of each part, keyed by what came before it, so that parts can't run into each other. It
 * finds accidents (a flipped bit, a torn page); who can write the file can forge it. */
static uint64_t sum_more(uint64_t h, const void *p, size_t n)
{
    unsigned char key[crypto_shorthash_KEYBYTES];
    unsigned char out[crypto_shorthash_BYTES];
    uint64_t sum;

    _Static_assert(sizeof(key) == 2 * sizeof(h) && sizeof(out) == sizeof(sum), "SipHash-2-4");
    memcpy(key, &h, sizeof(h));
    h = ~h;
    memcpy(key + sizeof(h), &h, sizeof(h));
    (void)crypto_shorthash(out, p, n, key); /* can't fail */
    memcpy(&sum, out, sizeof(sum));
    return sum;
}

static int64_t sum_of(char table, const int64_t num[4], const struct sql_text *text, size_t n)
{
    uint64_t h = sum_more((unsigned char)table, num, 4 * sizeof(num[0]));
    int64_t sum;

    for (size_t i = 0; i < n; i++)
        h = sum_more(h, text[i].p != NULL ? text[i].p : "", text[i].n);
    memcpy(&sum, &h, sizeof(sum));
    return sum;
}

int64_t sql_sum_match(int64_t mkey, const uint8_t *id, int64_t state, struct sql_text data)
{
    const struct sql_text text[] = {{id, MATCH_ID_LEN}, data};

    return sum_of('m', (const int64_t[4]){mkey, state}, text, ARRAY_LEN(text));
}

int64_t sql_sum_row(int64_t pos, const struct sql_row *row)
{
    const struct sql_text text[] = {{&pos, sizeof(pos)}, row->lines, row->timers};

    return sum_of('j', (const int64_t[4]){row->mkey, row->prev, row->seq, row->n}, text,
                  row->timers.n > 0 ? 3 : 2);
}

int64_t sql_sum_snapshot(int64_t mkey, int64_t seq, struct sql_text data)
{
    return sum_of('s', (const int64_t[4]){mkey, seq}, &data, 1);
}

int64_t sql_sum_share(int64_t mkey, int64_t roll, int64_t role, const void *share)
{
    const struct sql_text text = {share, FD1_LEN};

    return sum_of('h', (const int64_t[4]){mkey, roll, role}, &text, 1);
}

int64_t sql_sum_named(char table, struct sql_text name, struct sql_text user, struct sql_text data)
{
    const struct sql_text text[] = {name, user, data};

    return sum_of(table, (const int64_t[4]){0}, text, ARRAY_LEN(text));
}
