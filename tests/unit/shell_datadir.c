/* SPDX-License-Identifier: ISC */
#include "server/shell/datadir.h"

#include <sodium.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cmocka_all.h"

static char base[] = "/tmp/sk-dir-XXXXXX";
static char why[DATADIR_WHY_LEN];

static unsigned mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (unsigned)st.st_mode & 0777u;
}

static const char *in_base(const char *name)
{
    static char path[256];

    (void)snprintf(path, sizeof(path), "%s/%s", base, name);
    return path;
}

static void made_private_with_parents(void **unused)
{
    struct datadir d;

    (void)unused;
    assert_int_equal(datadir_open(in_base("a/b/c"), &d, why), ERR_OK);
    assert_int_equal(mode_of(in_base("a/b/c")), 0700);
    assert_int_equal(mode_of(in_base("a")), 0700);
    assert_int_equal(mode_of(in_base("a/b/c/lock")), 0600);
    datadir_close(&d);
}

static void one_server_at_a_time(void **unused)
{
    struct datadir d;
    struct datadir again;

    (void)unused;
    assert_int_equal(datadir_open(in_base("one"), &d, why), ERR_OK);
    assert_int_equal(datadir_open(in_base("one"), &again, why), ERR_BUSY);
    assert_non_null(strstr(why, "another skirmishd"));
    datadir_close(&d);
    assert_int_equal(datadir_open(in_base("one"), &d, why), ERR_OK);
    datadir_close(&d);
}

static void not_where_others_write(void **unused)
{
    struct datadir d;

    (void)unused;
    assert_int_equal(mkdir(in_base("open"), 0700), 0);
    assert_int_equal(chmod(in_base("open"), 0777), 0);
    assert_int_equal(datadir_open(in_base("open"), &d, why), ERR_DENIED);
    assert_non_null(strstr(why, "mode 777"));
    assert_int_equal(chmod(in_base("open"), 0755), 0);
    assert_int_equal(datadir_open(in_base("open"), &d, why), ERR_OK);
    datadir_close(&d);
    assert_int_equal(datadir_open(in_base("open/lock"), &d, why), ERR_IO);
    assert_int_equal(datadir_open("", &d, why), ERR_IO);
}

static void key_is_made_once(void **unused)
{
    struct master_key a;
    struct master_key b;
    struct datadir d;

    (void)unused;
    assert_int_equal(datadir_open(in_base("key"), &d, why), ERR_OK);
    assert_int_equal(datadir_master_key(&d, &a, why), ERR_OK);
    assert_true(a.is_new);
    assert_true(a.kid > 0);
    assert_int_equal(mode_of(in_base("key/master.key")), 0400);
    assert_int_equal(datadir_master_key(&d, &b, why), ERR_OK);
    assert_false(b.is_new);
    assert_int_equal(a.kid, b.kid);
    assert_memory_equal(a.key, b.key, MASTER_KEY_LEN);
    datadir_close(&d);
    assert_int_equal(datadir_open(in_base("other"), &d, why), ERR_OK);
    assert_int_equal(datadir_master_key(&d, &b, why), ERR_OK);
    assert_memory_not_equal(a.key, b.key, MASTER_KEY_LEN);
    datadir_close(&d);
}

static void write_key(const char *text)
{
    FILE *f;

    (void)unlink(in_base("bad/master.key"));
    f = fopen(in_base("bad/master.key"), "w");
    assert_non_null(f);
    (void)fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(in_base("bad/master.key"), 0400), 0);
}

#define HEX64 "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
static void wrong_keys_are_refused(void **unused)
{
    static const char *const bad[] = {
        "",
        "\n",
        "skirmish-master-key\n",
        "skirmish-master-key 1\n",
        "skirmish-master-key 0 " HEX64 "\n",
        "skirmish-master-key 4294967296 " HEX64 "\n",
        "skirmish-master-key 1 " HEX64 "00\n",
        "skirmish-master-key 1 0001\n",
        "another-key 1 " HEX64 "\n",
    };
    struct master_key key;
    struct datadir d;

    (void)unused;
    assert_int_equal(datadir_open(in_base("bad"), &d, why), ERR_OK);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        write_key(bad[i]);
        if (datadir_master_key(&d, &key, why) != ERR_DATA)
            fail_msg("taken: %s", bad[i]);
    }
    write_key("skirmish-master-key 4294967295 " HEX64 "\n");
    assert_int_equal(datadir_master_key(&d, &key, why), ERR_OK);
    assert_int_equal(key.kid, UINT32_MAX);
    assert_int_equal(key.key[31], 0x1f);
    for (unsigned bit = 1; bit < 0100; bit <<= 1) {
        assert_int_equal(chmod(in_base("bad/master.key"), 0400 | bit), 0);
        assert_int_equal(datadir_master_key(&d, &key, why), ERR_DENIED);
        assert_non_null(strstr(why, "master.key"));
    }
    datadir_close(&d);
}

static int setup(void **unused)
{
    (void)unused;
    return sodium_init() < 0 || mkdtemp(base) == NULL;
}

static int teardown(void **unused)
{
    int status = 1;
    pid_t pid = fork();

    (void)unused;
    if (pid == 0) {
        (void)execlp("rm", "rm", "-rf", base, (char *)NULL);
        _exit(127);
    }
    (void)waitpid(pid, &status, 0);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_private_with_parents), cmocka_unit_test(one_server_at_a_time),
        cmocka_unit_test(not_where_others_write),    cmocka_unit_test(key_is_made_once),
        cmocka_unit_test(wrong_keys_are_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
