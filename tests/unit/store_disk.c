/* SPDX-License-Identifier: ISC
 * The SQLite store: what was answered is there, what was refused isn't, damage is found.
 */
#include <fcntl.h>
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_badfs.h"
#include "tests/unit/lib_store.h"

static struct rig rig; /* large */

static void all_ok(void)
{
    rig_wait(&rig);
    assert_false(rig.lost);
    assert_int_equal(rig.n_done, rig.n_asked);
    for (size_t i = 0; i < rig.n_done; i++) {
        assert_int_equal(rig.done[i].id, i + 1);
        assert_int_equal(rig.done[i].err, ERR_OK);
    }
}

/* A bit of every kind of row. */
static void put_all_kinds(struct rig *r)
{
    struct store_txn *t;
    struct store_op *op;

    for (unsigned m = 0; m < 3; m++)
        rig_new_match(r, m);
    for (uint32_t seq = 2; seq < 6; seq++) {
        for (unsigned m = 0; m < 3; m++)
            rig_line(r, m, seq);
    }
    t = txn_new(r);
    txn_key(op = txn_add(t, STORE_SNAPSHOT, "{\"old\":1}"), 1);
    op->seq = 3;
    txn_key(op = txn_add(t, STORE_SNAPSHOT, "{\"snap\":1}"), 1);
    op->seq = 5;
    txn_lines(t, 1, 6, 3);
    txn_key(op = txn_add(t, STORE_SHARE, "0123456789abcdef0123456789abcdef"), 2);
    op->seq = 4;
    op->role = ROLE_B;
    txn_key(op = txn_add(t, STORE_SHARE, "0123456789abcdef0123456789abcdeX"), 1);
    op->seq = 9;
    txn_key(txn_add(t, STORE_SHARES_DROP, NULL), 1);
    txn_submit(r, t);
    t = txn_new(r);
    (void)str_copy(txn_add(t, STORE_USER_PUT, "{\"v\":1}")->name, 64, "ann");
    (void)str_copy(txn_add(t, STORE_USER_PUT, "{\"v\":2}")->name, 64, "ann");
    (void)str_copy(txn_add(t, STORE_USER_PUT, "{}")->name, 64, "bob");
    (void)str_copy(txn_add(t, STORE_USER_DROP, NULL)->name, 64, "bob");
    op = txn_add(t, STORE_TOKEN_PUT, "{\"family\":1}");
    op->key[31] = 1;
    (void)str_copy(op->name, 64, "ann");
    op = txn_add(t, STORE_TOKEN_PUT, "{\"family\":2}");
    op->key[31] = 2;
    (void)str_copy(op->name, 64, "ann");
    txn_add(t, STORE_TOKEN_DROP, NULL)->key[31] = 1;
    txn_add(t, STORE_INVITE_PUT, "{\"uses\":2}")->key[0] = 1;
    txn_add(t, STORE_INVITE_PUT, "{\"uses\":1}")->key[0] = 1;
    txn_add(t, STORE_INVITE_PUT, "{\"uses\":3}")->key[0] = 2;
    txn_add(t, STORE_INVITE_DROP, NULL)->key[0] = 2;
    (void)str_copy(txn_add(t, STORE_META_PUT, "7")->name, 64, "next_no");
    (void)str_copy(txn_add(t, STORE_META_PUT, "8")->name, 64, "next_no");
    txn_submit(r, t);
}

static void dump_of(const char *dir, struct buf *out)
{
    rig_open(&rig, dir);
    rig_stop(&rig);
    rig_dump(rig.store, out);
    store_free(rig.store);
}

static void answers_come_in_order_and_in_groups(void **unused)
{
    struct store_stats stats;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    for (uint32_t seq = 2; seq <= 200; seq++)
        rig_line(&rig, 1, seq);
    all_ok();
    store_stats(rig.store, &stats);
    assert_int_equal(stats.txns, 200);
    assert_true(stats.groups < 200);
    rig_end(&rig);
    rig_rmdir(dir);
}

/* In a new directory: rows of each kind, and what a dump of them says. The store is stopped. */
static void write_all_kinds(char dir[64], struct buf *dump)
{
    rig_mkdir(dir);
    rig_open(&rig, dir);
    put_all_kinds(&rig);
    all_ok();
    rig_stop(&rig);
    rig_dump(rig.store, dump);
}

static void all_is_there_after_reopening(void **unused)
{
    struct buf before = BUF_EMPTY;
    struct buf after = BUF_EMPTY;
    char dir[64];

    (void)unused;
    write_all_kinds(dir, &before);
    store_free(rig.store);
    dump_of(dir, &after);
    assert_string_equal(buf_str(&before), buf_str(&after));
    assert_non_null(strstr(buf_str(&after), "user ann {\"v\":2}\n"));
    assert_null(strstr(buf_str(&after), "bob"));
    assert_non_null(strstr(buf_str(&after), "snapshot@5={\"snap\":1}"));
    assert_non_null(strstr(buf_str(&after), "{\"seq\":1,\"m\":1}\n{\"seq\":2,\"m\":1}\n"));
    assert_non_null(strstr(buf_str(&after), "{\"seq\":8,\"m\":1}\n"));
    assert_non_null(strstr(buf_str(&after), "snapshot@5={\"snap\":1} timers=[8] lines:"));
    assert_non_null(strstr(buf_str(&after), "role=1 roll=4 0123456789abcdef0123456789abcdef"));
    assert_null(strstr(buf_str(&after), "roll=9"));
    assert_non_null(strstr(buf_str(&after), "meta next_no=8\n"));

    rig_open(&rig, dir); /* and it goes on where it was, without having been loaded */
    rig_line(&rig, 2, 6);
    all_ok();
    rig_end(&rig);
    buf_reset(&after);
    dump_of(dir, &after);
    assert_non_null(strstr(buf_str(&after), "{\"seq\":5,\"m\":2}\n{\"seq\":6,\"m\":2}\n"));
    buf_fini(&before);
    buf_fini(&after);
    rig_rmdir(dir);
}

static void memory_gives_the_same(void **unused)
{
    struct buf disk = BUF_EMPTY;
    struct buf memory = BUF_EMPTY;
    struct store *s;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    put_all_kinds(&rig);
    all_ok();
    rig_stop(&rig);
    rig_dump(rig.store, &disk);
    store_free(rig.store);
    store_open_memory(&s);
    rig_start(&rig, s);
    put_all_kinds(&rig);
    all_ok();
    rig_stop(&rig);
    rig_dump(rig.store, &memory);
    store_free(rig.store);
    assert_string_equal(buf_str(&disk), buf_str(&memory));
    buf_fini(&disk);
    buf_fini(&memory);
    rig_rmdir(dir);
}

static void copy_file(const char *from, const char *to)
{
    struct buf b = BUF_EMPTY;
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(buf_read_file(&b, from, (size_t)1 << 30), ERR_OK);
    assert_int_equal(write(fd, buf_str(&b), b.len), (ssize_t)b.len);
    (void)close(fd);
    buf_fini(&b);
}

/* Many rows, so that folding and checkpoints happen on the way; then the files as a crash leaves
 * them. */
static void what_was_answered_survives_a_crash(void **unused)
{
    struct buf crashed = BUF_EMPTY;
    struct buf ended = BUF_EMPTY;
    char dir[64];
    char other[64];

    (void)unused;
    rig_mkdir(dir);
    rig_mkdir(other);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    rig_new_match(&rig, 300);
    for (uint32_t seq = 2; seq <= 2500; seq++) {
        rig_line(&rig, 1, seq);
        rig_line(&rig, 300, seq);
    }
    all_ok();
    copy_file(rig_path(dir, "test.db"), rig_path(other, "test.db"));
    copy_file(rig_path(dir, "test.db-wal"), rig_path(other, "test.db-wal"));
    rig_end(&rig);
    dump_of(other, &crashed);
    dump_of(dir, &ended);
    assert_string_equal(buf_str(&crashed), buf_str(&ended));
    assert_non_null(
        strstr(buf_str(&ended), "{\"seq\":2499,\"m\":300}\n{\"seq\":2500,\"m\":300}\n"));
    assert_null(strstr(buf_str(&ended), "damaged"));
    buf_fini(&crashed);
    buf_fini(&ended);
    rig_rmdir(dir);
    rig_rmdir(other);
}

static void a_full_disk_refuses_and_recovers(void **unused)
{
    struct buf is = BUF_EMPTY;
    unsigned n_refused = 0;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    rig_line(&rig, 1, 2);
    all_ok();
    /* at every write of a commit: the k-th finds no room */
    for (unsigned k = 0; k < 12; k++) {
        const size_t n = rig.n_done;

        badfs_set(BADFS_FULL, k);
        rig_line(&rig, 1, 3 + k);
        rig_wait(&rig);
        assert_false(rig.lost);
        if (badfs_failed() > 0) {
            n_refused++;
            assert_int_equal(rig.done[n].err, ERR_STORAGE);
            badfs_set(BADFS_NONE, 0);
            rig_line(&rig, 1, 3 + k); /* the same again: nothing of it was kept */
            rig_wait(&rig);
        }
        badfs_set(BADFS_NONE, 0);
        assert_int_equal(rig.done[rig.n_done - 1].err, ERR_OK);
    }
    assert_true(n_refused >= 4); /* a frame's head and page, for each of two pages */
    badfs_set(BADFS_FULL, 0);    /* refused and never given again: a new match too */
    rig_line(&rig, 1, 15);
    rig_new_match(&rig, 2);
    rig_wait(&rig);
    assert_int_equal(rig.done[rig.n_done - 1].err, ERR_STORAGE);
    badfs_set(BADFS_NONE, 0);
    rig_new_match(&rig, 2);
    rig_wait(&rig);
    assert_int_equal(rig.done[rig.n_done - 1].err, ERR_OK);
    rig_end(&rig);
    dump_of(dir, &is);
    assert_non_null(strstr(buf_str(&is), "{\"seq\":13,\"m\":1}\n{\"seq\":14,\"m\":1}\n"));
    assert_null(strstr(buf_str(&is), "\"seq\":15"));
    assert_non_null(strstr(buf_str(&is), "{\"seq\":1,\"m\":2}"));
    assert_null(strstr(buf_str(&is), "damaged"));
    buf_fini(&is);
    rig_rmdir(dir);
}

static void a_group_is_refused_whole(void **unused)
{
    struct buf is = BUF_EMPTY;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 0);
    all_ok();
    badfs_set(BADFS_FULL, 3); /* in the midst of many pages */
    for (unsigned m = 1; m <= 200; m++)
        rig_new_match(&rig, m);
    rig_wait(&rig);
    assert_false(rig.lost);
    assert_int_equal(rig.n_done, 201);
    for (size_t i = 1; i <= 200; i++)
        assert_int_equal(rig.done[i].err, ERR_STORAGE);
    badfs_set(BADFS_NONE, 0);
    rig_end(&rig);
    dump_of(dir, &is);
    assert_non_null(strstr(buf_str(&is), "{\"seq\":1,\"m\":0}"));
    assert_null(strstr(buf_str(&is), "\"m\":1"));
    buf_fini(&is);
    rig_rmdir(dir);
}

static void unknown_outcome_answers_nobody(enum badfs_fault fault, unsigned after)
{
    struct buf is = BUF_EMPTY;
    char dir[64];

    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    rig_line(&rig, 1, 2);
    all_ok();
    badfs_set(fault, after);
    rig_line(&rig, 1, 3);
    rig_wait(&rig);
    assert_true(rig.lost);
    assert_true(badfs_failed() > 0);
    assert_int_equal(rig.n_done, 2);
    assert_non_null(strstr(rig.why, "disk I/O error"));
    rig_line(&rig, 1, 4);
    rig_stop(&rig);
    assert_int_equal(rig.n_done, 2); /* not then either */
    store_free(rig.store);
    badfs_set(BADFS_NONE, 0);
    dump_of(dir, &is);
    assert_non_null(strstr(buf_str(&is), "{\"seq\":1,\"m\":1}\n{\"seq\":2,\"m\":1}\n"));
    assert_null(strstr(buf_str(&is), "\"seq\":4"));
    assert_null(strstr(buf_str(&is), "damaged"));
    buf_fini(&is);
    rig_rmdir(dir);
}

static void io_errors_answer_nobody(void **unused)
{
    (void)unused;
    unknown_outcome_answers_nobody(BADFS_WRITE_EIO, 0);
    unknown_outcome_answers_nobody(BADFS_WRITE_EIO, 2);
    unknown_outcome_answers_nobody(BADFS_TORN, 1);
    unknown_outcome_answers_nobody(BADFS_TORN, 3);
    unknown_outcome_answers_nobody(BADFS_SYNC_EIO, 0);
}

/* ---- files that aren't ours, or aren't whole ---- */

static void sql(const char *dir, const char *text)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(rig_path(dir, "test.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL),
                     SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void refused(const char *dir, enum err want, const char *words)
{
    struct store *s = NULL;
    char why[STORE_WHY_LEN] = "";

    assert_int_equal(store_open_sqlite(rig_path(dir, "test.db"), &s, why), want);
    assert_null(s);
    if (strstr(why, words) == NULL)
        fail_msg("\"%s\" isn't in: %s", words, why);
}

static void a_newer_schema_is_refused(void **unused)
{
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_end(&rig);
    sql(dir, "PRAGMA user_version=99");
    refused(dir, ERR_VERSION, "schema 99");
    refused(dir, ERR_VERSION, "newer");
    rig_rmdir(dir);
}

/* What the first program wrote, which knew no invites, is read and brought up to date. */
static void an_older_schema_is_migrated(void **unused)
{
    struct buf before = BUF_EMPTY;
    struct buf after = BUF_EMPTY;
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    all_ok();
    rig_stop(&rig);
    rig_dump(rig.store, &before);
    store_free(rig.store);
    sql(dir, "DROP TABLE invites; DROP TABLE archive; DROP TABLE audit;"
             " ALTER TABLE journal DROP COLUMN timers; PRAGMA user_version=1");
    dump_of(dir, &after);
    assert_string_equal(buf_str(&before), buf_str(&after));
    rig_open(&rig, dir); /* and it goes on: rows with timers behind those that have none */
    rig_line(&rig, 1, 2);
    rig_line(&rig, 1, 3);
    all_ok();
    rig_stop(&rig);
    buf_reset(&before);
    rig_dump(rig.store, &before);
    store_free(rig.store);
    buf_reset(&after);
    dump_of(dir, &after);
    assert_string_equal(buf_str(&before), buf_str(&after));
    assert_non_null(strstr(buf_str(&after), "timers=[3] lines:\n{\"seq\":1,\"m\":1}\n"));
    assert_non_null(strstr(buf_str(&after), "{\"seq\":3,\"m\":1}\n"));
    buf_fini(&before);
    buf_fini(&after);
    rig_rmdir(dir);
}

static void other_files_are_refused(void **unused)
{
    char dir[64];
    FILE *f;

    (void)unused;
    rig_mkdir(dir);
    sql(dir, "CREATE TABLE somebody(elses)");
    refused(dir, ERR_DATA, "another program");
    f = fopen(rig_path(dir, "test.db"), "w");
    assert_non_null(f);
    for (int i = 0; i < 500; i++)
        (void)fputs("this is no database\n", f);
    assert_int_equal(fclose(f), 0);
    refused(dir, ERR_DATA, "not a database");
    rig_rmdir(dir);
}

static void two_at_a_time_is_refused(void **unused)
{
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    rig_open(&rig, dir);
    rig_new_match(&rig, 1);
    all_ok();
    refused(dir, ERR_BUSY, "locked");
    rig_end(&rig);
    rig_rmdir(dir);
}

static void a_migration_is_all_or_nothing(void **unused)
{
    char dir[64];

    (void)unused;
    rig_mkdir(dir);
    for (unsigned k = 0; k < 4; k++) {
        struct store *s = NULL;
        char why[STORE_WHY_LEN] = "";

        badfs_set(BADFS_FULL, k);
        assert_int_not_equal(store_open_sqlite(rig_path(dir, "test.db"), &s, why), ERR_OK);
        assert_true(badfs_failed() > 0);
        assert_true(why[0] != '\0');
    }
    badfs_set(BADFS_NONE, 0);
    rig_open(&rig, dir);
    put_all_kinds(&rig);
    all_ok();
    rig_end(&rig);
    rig_rmdir(dir);
}

static void damage_is_found_and_set_aside(void **unused)
{
    static const struct {
        const char *harm, *found, *still;
    } cases[] = {
        {"UPDATE journal SET lines=replace(lines,'1','2') WHERE mkey=2 AND seq=3",
         "damaged journal of match 01",
         "state=2 {\"row\":1,\"head\":5} snapshot@0= timers=[5] lines:"},
        {"DELETE FROM journal WHERE mkey=2 AND seq=3", "damaged journal of match 01", NULL},
        {"UPDATE journal SET mkey=3 WHERE mkey=2 AND seq=4", "damaged journal of match 01", NULL},
        {"UPDATE journal SET n=2 WHERE mkey=2 AND seq=4", "damaged journal of match 01", NULL},
        {"UPDATE journal SET mkey=3 WHERE mkey=2 AND seq=6", "damaged journal of match 01", NULL},
        {"DELETE FROM journal WHERE mkey=2 AND seq=6", "damaged journal of match 01", NULL},
        {"UPDATE heads SET pos=99 WHERE mkey=2", "damaged journal of match 01", NULL},
        {"UPDATE journal SET timers='[1]' WHERE mkey=2 AND seq=6", "damaged journal of match 01",
         NULL},
        {"UPDATE matches SET data='{}' WHERE mkey=2", "damaged row of match 01", NULL},
        {"UPDATE matches SET state=3 WHERE mkey=2", "damaged row of match 01", NULL},
        {"UPDATE snapshots SET seq=4", "damaged snapshot of match 01", "{\"seq\":8,\"m\":1}"},
        {"UPDATE users SET data='{}'", "damaged user ann", "{\"seq\":8,\"m\":1}"},
        {"UPDATE tokens SET user='bob'", "damaged token of bob", "{\"seq\":8,\"m\":1}"},
        {"UPDATE meta SET value='9'", "damaged value next_no", "{\"seq\":8,\"m\":1}"},
        {"UPDATE shares SET roll=5", "damaged share of", "{\"seq\":8,\"m\":1}"},
    };
    char dir[64];

    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf is = BUF_EMPTY;

        rig_mkdir(dir);
        rig_open(&rig, dir);
        put_all_kinds(&rig);
        all_ok();
        rig_end(&rig);
        sql(dir, cases[i].harm);
        dump_of(dir, &is);
        if (strstr(buf_str(&is), cases[i].found) == NULL)
            fail_msg("%s: not found in\n%s", cases[i].harm, buf_str(&is));
        if (cases[i].still != NULL)
            assert_non_null(strstr(buf_str(&is), cases[i].still));
        assert_non_null(strstr(buf_str(&is), "{\"seq\":5,\"m\":2}")); /* others play on */
        buf_fini(&is);
        rig_rmdir(dir);
    }
}

/* A page of `heads` that the disk has forgotten: the rows themselves say which is the newest. */
static void old_heads_are_mended(void **unused)
{
    struct buf before = BUF_EMPTY;
    struct buf after = BUF_EMPTY;
    char dir[64];

    (void)unused;
    write_all_kinds(dir, &before);
    store_free(rig.store);
    sql(dir, "UPDATE heads SET pos=3 WHERE mkey=2; DELETE FROM heads WHERE mkey=1");
    dump_of(dir, &after);
    assert_string_equal(buf_str(&before), buf_str(&after));
    buf_fini(&before);
    buf_fini(&after);
    rig_rmdir(dir);
}

/* No room for the last fold: what `heads` doesn't know stays in the log, and the next start folds. */
static void a_fold_without_room_is_made_up_for(void **unused)
{
    struct buf before = BUF_EMPTY;
    struct buf after = BUF_EMPTY;
    struct stat log;
    char dir[64];

    (void)unused;
    write_all_kinds(dir, &before);
    badfs_set(BADFS_FULL, 0);
    store_free(rig.store);
    assert_true(badfs_failed() > 0);
    badfs_set(BADFS_NONE, 0);
    assert_int_equal(stat(rig_path(dir, "test.db-wal"), &log), 0);
    assert_true(log.st_size > 0);
    dump_of(dir, &after);
    assert_string_equal(buf_str(&before), buf_str(&after));
    buf_fini(&before);
    buf_fini(&after);
    rig_rmdir(dir);
}

static int setup(void **unused)
{
    (void)unused;
    badfs_install();
    return sodium_init() < 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_in_order_and_in_groups),
        cmocka_unit_test(all_is_there_after_reopening),
        cmocka_unit_test(memory_gives_the_same),
        cmocka_unit_test(what_was_answered_survives_a_crash),
        cmocka_unit_test(a_full_disk_refuses_and_recovers),
        cmocka_unit_test(a_group_is_refused_whole),
        cmocka_unit_test(io_errors_answer_nobody),
        cmocka_unit_test(a_newer_schema_is_refused),
        cmocka_unit_test(an_older_schema_is_migrated),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(two_at_a_time_is_refused),
        cmocka_unit_test(a_migration_is_all_or_nothing),
        cmocka_unit_test(damage_is_found_and_set_aside),
        cmocka_unit_test(old_heads_are_mended),
        cmocka_unit_test(a_fold_without_room_is_made_up_for),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
