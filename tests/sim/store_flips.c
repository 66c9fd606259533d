/* SPDX-License-Identifier: ISC
 * store_flips.c -- one flipped bit anywhere in the database files: detected or harmless.
 *
 * A few matches are played by the referee into the real store. Then, with one bit of the database
 * (as a clean end leaves it) or of the write-ahead log (as SIGKILL leaves it) flipped, the store is
 * opened and everything loaded as the server does at its start. Every row must be the one that was
 * written, or be told as damaged; a match that loads must be the one that was played; where
 * something is missing it must have been said. Of the log only its last transaction may be missing
 * unsaid: it can't be told from one that was torn.
 *
 * Usage: store_flips [every N-th bit; 0: a sample (default)] [seed]
 */
// timeout: 300
#include <sodium.h>
#include <unistd.h>

#include "common/base/drbg.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_store.h"
#include "tests/unit/libmatch.h"

enum { TABLES = 4, PLAYED = 30, SAMPLE = 1500, USERS = 9, PAGE = 4096, HEAD = 12 };

/* What was written: the lines of each match by transaction, so that a log's end may be missing. */
struct known {
    struct table table[TABLES];
    struct buf before_last; /* lines of the match that the last transaction went on with */
    struct buf row_before_last, timers_before_last;
};

enum verdict { HARMLESS, REFUSED, ASIDE, TAIL_LOST, WRONG, VERDICTS };

/* One start on flipped files. */
struct look {
    const struct known *k;
    bool is_log;
    unsigned damaged, matches, aside, users, tokens, metas, shares, strays, tail_lost;
    bool wrong;
    char what[160];
};

static struct rig rig; /* large */

static void wrong(struct look *l, const char *what)
{
    if (!l->wrong)
        (void)str_copy(l->what, sizeof(l->what), what);
    l->wrong = true;
}

/* ---- loading, as the server does it ---- */

static bool same(const char *a, size_t a_len, const struct buf *b)
{
    return a_len == b->len && (a_len == 0 || memcmp(a, b->data, a_len) == 0);
}

static const struct table *table_of(const struct known *k, const uint8_t id[MATCH_ID_LEN])
{
    for (unsigned i = 0; i < TABLES; i++) {
        if (memcmp(k->table[i].setup.id, id, MATCH_ID_LEN) == 0)
            return &k->table[i];
    }
    return NULL;
}

static void on_match(void *arg, const struct core_match_row *row)
{
    struct look *l = arg;
    const struct table *t = table_of(l->k, row->id);
    struct match_load load = {row, NULL, NULL, NULL};
    struct match_peek peek;
    struct match *m = NULL;
    char why[PLAY_WHY_LEN] = "";

    if (t == NULL) { /* an id that nobody has: must have been said */
        if (row->state != MATCH_BROKEN)
            wrong(l, "a match that never was");
        return;
    }
    l->matches++;
    if (row->state == MATCH_BROKEN || match_row_peek(row->data, row->data_len, &peek) != ERR_OK) {
        l->aside++;
        return;
    }
    load.scenario = t->scenario;
    load.board = t->board;
    load.env = &t->env;
    if (match_load(&load, t->now, &m, why) != ERR_OK) {
        l->aside++;
        return;
    }
    match_free(m);
    if (same(row->lines, row->lines_len, &t->shelf.lines) &&
        same(row->data, row->data_len, &t->shelf.row) &&
        same(row->timers, row->timers_len, &t->shelf.timers) && row->state == t->shelf.state)
        return;
    if (l->is_log && same(row->lines, row->lines_len, &l->k->before_last) &&
        same(row->data, row->data_len, &l->k->row_before_last) &&
        same(row->timers, row->timers_len, &l->k->timers_before_last))
        l->tail_lost++;
    else
        wrong(l, "a match that loads and isn't the one that was played");
}

static void on_meta(void *arg, const char *name, const char *data)
{
    struct look *l = arg;

    l->metas++;
    if (!str_eq(name, "next_no") || !str_eq(data, "5"))
        wrong(l, "a value that wasn't written");
}

static void on_user(void *arg, const char *name, const char *data, size_t len)
{
    struct look *l = arg;

    l->users++;
    if (strlen(name) != 5 || memcmp(name, "user", 4) != 0 || len != 16 ||
        memcmp(data, "{\"user\":\"user", 13) != 0 || data[13] != name[4])
        wrong(l, "a user who wasn't written");
}

static void on_token(void *arg, const uint8_t hash[32], const char *user, const char *data,
                     size_t len)
{
    struct look *l = arg;

    l->tokens++;
    if (hash[0] != (uint8_t)user[4] || hash[31] != 9 || len != 2 || memcmp(data, "{}", 2) != 0)
        wrong(l, "a token that wasn't written");
}

static void on_invite(void *arg, const uint8_t hash[32], const char *data, size_t len)
{
    (void)hash;
    (void)data;
    (void)len;
    wrong(arg, "an invite that wasn't written");
}

static void on_share(void *arg, const uint8_t match[MATCH_ID_LEN], enum role role, uint32_t roll,
                     const uint8_t share[FD1_LEN])
{
    struct look *l = arg;
    const struct table *t = table_of(l->k, match);

    l->shares++;
    if (t == NULL) { /* its match's id is damaged, which must have been said */
        l->strays++;
        return;
    }
    if (role > ROLE_B || !t->shelf.has_share[role] || t->shelf.share_roll[role] != roll ||
        memcmp(t->shelf.share[role], share, FD1_LEN) != 0)
        wrong(l, "a share that wasn't written");
}

static void on_damaged(void *arg, const char *what)
{
    struct look *l = arg;

    (void)what;
    l->damaged++;
}

static unsigned shares_of(const struct known *k)
{
    unsigned n = 0;

    for (unsigned i = 0; i < TABLES; i++)
        n += (unsigned)k->table[i].shelf.has_share[0] + k->table[i].shelf.has_share[1];
    return n;
}

static enum verdict look_at(const char *path, struct look *l)
{
    const struct store_sink sink = {.arg = l,
                                    .meta = on_meta,
                                    .user = on_user,
                                    .token = on_token,
                                    .invite = on_invite,
                                    .match = on_match,
                                    .share = on_share,
                                    .damaged = on_damaged};
    struct store *s = NULL;
    char why[STORE_WHY_LEN] = "";
    enum err e = store_open_sqlite(path, &s, why);

    if (e == ERR_OK)
        e = store_load(s, &sink, why);
    store_free(s);
    if (e != ERR_OK) {
        assert_true(why[0] != '\0');
        (void)str_copy(l->what, sizeof(l->what), why);
        return l->wrong ? WRONG : REFUSED;
    }
    if (!l->wrong && l->damaged == 0 &&
        (l->matches != TABLES || l->users != USERS || l->tokens != USERS || l->metas != 1 ||
         l->shares != shares_of(l->k)))
        wrong(l, "something is missing, and nothing was said");
    if (l->strays > 0 && l->damaged == 0)
        wrong(l, "a share of a match that never was");
    if (l->wrong)
        return WRONG;
    if (l->damaged > 0 || l->aside > 0)
        return ASIDE;
    return l->tail_lost > 0 ? TAIL_LOST : HARMLESS;
}

/* ---- writing ---- */

static struct store_op *op_of(struct store_txn *t, const struct table *of, enum store_op_kind kind,
                              const struct buf *data)
{
    struct store_op *op = txn_add(t, kind, NULL);

    op->data = mem_strndup(buf_str(data), data->len);
    op->len = data->len;
    op->state = of->shelf.state;
    memset(op->key, 0, sizeof(op->key));
    memcpy(op->key, of->setup.id, MATCH_ID_LEN);
    return op;
}

/* How far a table is written. */
struct written {
    size_t had;
    uint32_t head;
    struct buf row;
};

static void write_row(struct store_txn *txn, const struct table *t, struct written *w)
{
    struct store_op *op =
        op_of(txn, t, w->head == 0 ? STORE_MATCH_NEW : STORE_MATCH_SET, &t->shelf.row);

    op->seq = t->setup.no;
    (void)str_copy(op->name, sizeof(op->name), t->scenario->id);
    buf_reset(&w->row);
    buf_put(&w->row, t->shelf.row.data, t->shelf.row.len);
}

static void write_lines(struct store_txn *txn, const struct table *t, const struct written *w)
{
    struct buf lines = BUF_EMPTY;
    struct store_op *op;

    buf_put(&lines, t->shelf.lines.data + w->had, t->shelf.lines.len - w->had);
    buf_put(&lines, t->shelf.timers.data, t->shelf.timers.len);
    op = op_of(txn, t, STORE_ENTRIES, &lines);
    op->seq = w->head + 1;
    op->n = t->shelf.head - w->head;
    op->timers_len = (uint32_t)t->shelf.timers.len;
    op->len -= op->timers_len;
    buf_fini(&lines);
}

/* What the table's shelf has more than what is written: a transaction like the referee's. */
static void write_news(struct table *t, struct written *w)
{
    struct store_txn *txn = txn_new(&rig);

    if (!same(t->shelf.row.data, t->shelf.row.len, &w->row))
        write_row(txn, t, w);
    if (t->shelf.head > w->head)
        write_lines(txn, t, w);
    if (t->shelf.snap_seq > w->head)
        op_of(txn, t, STORE_SNAPSHOT, &t->shelf.snap)->seq = t->shelf.snap_seq;
    txn_submit(&rig, txn);
    w->had = t->shelf.lines.len;
    w->head = t->shelf.head;
}

static void write_shares(const struct table *t)
{
    for (unsigned role = ROLE_A; role <= ROLE_B; role++) {
        struct store_txn *txn;
        struct store_op *op;

        if (!t->shelf.has_share[role])
            continue;
        txn = txn_new(&rig);
        op = txn_add(txn, STORE_SHARE, NULL);
        op->data = mem_alloc(FD1_LEN);
        memcpy(op->data, t->shelf.share[role], FD1_LEN);
        op->len = FD1_LEN;
        op->seq = t->shelf.share_roll[role];
        op->role = (uint8_t)role;
        memset(op->key, 0, sizeof(op->key));
        memcpy(op->key, t->setup.id, MATCH_ID_LEN);
        txn_submit(&rig, txn);
    }
}

static void write_people(void)
{
    struct store_txn *txn = txn_new(&rig);
    struct store_op *op;

    for (unsigned i = 0; i < USERS; i++) {
        char name[8] = {'u', 's', 'e', 'r', (char)('a' + i), '\0'};
        char data[32];

        (void)snprintf(data, sizeof(data), "{\"user\":\"%s\"}", name);
        (void)str_copy(txn_add(txn, STORE_USER_PUT, data)->name, 64, name);
        op = txn_add(txn, STORE_TOKEN_PUT, "{}");
        op->key[0] = (uint8_t)name[4];
        op->key[31] = 9;
        (void)str_copy(op->name, 64, name);
    }
    (void)str_copy(txn_add(txn, STORE_META_PUT, "5")->name, 64, "next_no");
    txn_submit(&rig, txn);
}

/* An order that needs dice, its roll left open with one link given. */
static void open_roll(struct table *t)
{
    struct rules_order o;
    char id[16];

    while (match_owes(t->m, ROLE_A) != OWES_SHARE) {
        table_any(t, &o);
        (void)snprintf(id, sizeof(id), "r%u", match_head(t->m));
        assert_int_equal(table_order(t, table_active(t), id, match_head(t->m), &o), ERR_OK);
    }
    assert_int_equal(table_share(t, ROLE_A), ERR_OK);
}

static void set_up(struct known *k, struct written *w)
{
    for (unsigned i = 0; i < TABLES; i++) {
        struct table *t = &k->table[i];

        table_init(t, "first-blood");
        t->setup.no = i + 1;
        t->setup.id[0] = (uint8_t)(0x11 * (i + 1));
        t->setup.fair = i % 2 == 0 ? FAIR_STRICT : FAIR_SERVER;
        table_open(t);
        write_news(t, &w[i]);
        if (i == TABLES - 1)
            break; /* nobody has joined */
        table_start(t);
        write_news(t, &w[i]);
    }
}

static void play_one(struct table *t, struct written *w)
{
    table_play(t);
    write_news(t, w);
    rig_wait(&rig); /* a group of its own */
}

/* The tables but the last play an order each in turn; the last transaction is table 0's. */
static void play_all(struct known *k)
{
    struct written w[TABLES] = {{.had = 0}};
    struct table *first = &k->table[0];

    write_people();
    set_up(k, w);
    for (unsigned n = 0; n < PLAYED; n++) {
        for (unsigned i = 0; i < TABLES - 1; i++)
            play_one(&k->table[i], &w[i]);
    }
    open_roll(&k->table[2]);
    write_news(&k->table[2], &w[2]);
    write_shares(&k->table[2]);
    rig_wait(&rig);
    buf_put(&k->before_last, first->shelf.lines.data, first->shelf.lines.len);
    buf_put(&k->row_before_last, first->shelf.row.data, first->shelf.row.len);
    buf_put(&k->timers_before_last, first->shelf.timers.data, first->shelf.timers.len);
    play_one(first, &w[0]);
    for (unsigned i = 0; i < TABLES; i++)
        buf_fini(&w[i].row);
    for (size_t i = 0; i < rig.n_done; i++)
        assert_int_equal(rig.done[i].err, ERR_OK);
}

/* ---- flipping ---- */

struct files {
    struct buf db, wal;
};

static void put_file(const char *path, const struct buf *b)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(buf_str(b), 1, b->len, f), b->len);
    assert_int_equal(fclose(f), 0);
}

struct trial {
    const struct known *known;
    const char *dir;
    struct files *files;
    bool in_log;
    unsigned n[VERDICTS];
};

static enum verdict verdict_of(const struct trial *t, struct look *l)
{
    const char *db = rig_path(t->dir, "test.db");

    put_file(db, &t->files->db);
    put_file(rig_path(t->dir, "test.db-wal"), &t->files->wal);
    return look_at(db, l);
}

static void flip(struct trial *t, size_t bit)
{
    struct buf *b = t->in_log ? &t->files->wal : &t->files->db;
    struct look l = {.k = t->known, .is_log = t->in_log};
    enum verdict v;

    b->data[bit / 8] = (char)(b->data[bit / 8] ^ (1 << bit % 8));
    v = verdict_of(t, &l);
    b->data[bit / 8] = (char)(b->data[bit / 8] ^ (1 << bit % 8));
    t->n[v]++;
    if (v == WRONG)
        printf("bit %zu of byte %zu (page %zu, %zu): %s\n", bit % 8, bit / 8, bit / 8 / PAGE + 1,
               bit / 8 % PAGE, l.what);
}

/* Random bits, half of them in the heads of pages or frames. */
static size_t some_bit(const struct trial *t, struct drbg *random)
{
    const size_t len = t->in_log ? t->files->wal.len : t->files->db.len;
    const size_t stride = t->in_log ? PAGE + 24 : PAGE;
    size_t byte = drbg_below(random, (uint32_t)len);

    if (drbg_below(random, 2) == 0)
        byte = byte / stride * stride + drbg_below(random, t->in_log ? 56 : HEAD);
    return MIN(byte, len - 1) * 8 + drbg_below(random, 8);
}

static bool run(struct trial *t, size_t every, struct drbg *random)
{
    const size_t bits = 8 * (t->in_log ? t->files->wal.len : t->files->db.len);
    struct look l = {.k = t->known, .is_log = t->in_log};

    if (verdict_of(t, &l) != HARMLESS) { /* nothing flipped */
        printf("whole files: %s\n", l.what);
        return false;
    }
    if (every > 0) {
        for (size_t bit = drbg_below(random, (uint32_t)every); bit < bits; bit += every)
            flip(t, bit);
    } else {
        for (unsigned i = 0; i < SAMPLE; i++)
            flip(t, some_bit(t, random));
    }
    printf("%s of %zu bytes: harmless %u, set aside %u, refused %u, last transaction lost %u, "
           "wrong %u\n",
           t->in_log ? "log" : "database", bits / 8, t->n[HARMLESS], t->n[ASIDE], t->n[REFUSED],
           t->n[TAIL_LOST], t->n[WRONG]);
    return t->n[WRONG] == 0 && t->n[ASIDE] + t->n[REFUSED] > 0;
}

static void read_files(const char *dir, struct files *f, bool with_log)
{
    *f = (struct files){BUF_EMPTY, BUF_EMPTY};
    assert_int_equal(buf_read_file(&f->db, rig_path(dir, "test.db"), (size_t)1 << 30), ERR_OK);
    if (with_log)
        assert_int_equal(buf_read_file(&f->wal, rig_path(dir, "test.db-wal"), (size_t)1 << 30),
                         ERR_OK);
}

static bool try_all(const struct known *k, const char *dir, size_t every, struct drbg *random)
{
    struct files crashed, ended;
    struct trial in_log = {.known = k, .dir = dir, .files = &crashed, .in_log = true};
    struct trial in_db = {.known = k, .dir = dir, .files = &ended};
    bool good;

    read_files(dir, &crashed, true);
    rig_end(&rig);
    read_files(dir, &ended, false);
    good = run(&in_db, every, random);
    good = run(&in_log, every, random) && good;
    buf_fini(&crashed.db);
    buf_fini(&crashed.wal);
    buf_fini(&ended.db);
    buf_fini(&ended.wal);
    return good;
}

int main(int argc, char **argv)
{
    static struct known k; /* large */
    uint8_t seed[DRBG_SEED_LEN] = {0};
    struct drbg random;
    int64_t every = 0, number = 1;
    char dir[64];
    bool good;

    if ((argc > 1 && !str_to_int(argv[1], 0, INT64_C(1) << 30, &every)) ||
        (argc > 2 && !str_to_int(argv[2], 0, UINT32_MAX, &number)) || sodium_init() < 0)
        return 64;
    memcpy(seed, &number, sizeof(number));
    drbg_init(&random, seed);
    if (access("/dev/shm", W_OK) == 0) /* thousands of syncs */
        (void)setenv("TMPDIR", "/dev/shm", 1);
    rig_mkdir(dir);
    rig_open(&rig, dir);
    play_all(&k);
    good = try_all(&k, dir, (size_t)every, &random);
    for (unsigned i = 0; i < TABLES; i++)
        table_fini(&k.table[i]);
    buf_fini(&k.before_last);
    buf_fini(&k.row_before_last);
    buf_fini(&k.timers_before_last);
    rig_rmdir(dir);
    return good ? 0 : 1;
}
