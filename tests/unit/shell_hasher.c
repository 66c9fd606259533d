/* SPDX-License-Identifier: ISC */
#include "server/shell/hasher.h"

#include <sodium.h>

#include "common/base/mem.h"
#include "tests/cmocka_all.h"

enum { JOBS = 64 };

static struct {
    uv_loop_t loop;
    struct hasher *h;
    struct hasher_done done[JOBS];
    unsigned n, want;
} rig;

static void on_done(void *arg, const struct hasher_done *done)
{
    (void)arg;
    assert_true(rig.n < JOBS);
    rig.done[rig.n++] = *done;
    if (rig.n == rig.want)
        uv_stop(&rig.loop);
}

static int begin(void **unused)
{
    (void)unused;
    rig.n = 0;
    assert_int_equal(uv_loop_init(&rig.loop), 0);
    hasher_start(&rig.loop, on_done, NULL, &rig.h);
    return 0;
}

static int finish(void **unused)
{
    (void)unused;
    hasher_stop(rig.h);
    assert_int_equal(uv_run(&rig.loop, UV_RUN_DEFAULT), 0);
    return uv_loop_close(&rig.loop);
}

static void submit(uint64_t job, const char *password, const char *hash)
{
    hasher_submit(rig.h, job, mem_strdup(password), hash != NULL ? mem_strdup(hash) : NULL);
}

static void wait_for(unsigned n)
{
    rig.want = n;
    (void)uv_run(&rig.loop, UV_RUN_DEFAULT);
    assert_int_equal(rig.n, n);
}

static void makes_and_verifies(void **unused)
{
    char hash[HASHER_LEN];

    (void)unused;
    submit(1, "correct horse", NULL);
    wait_for(1);
    assert_int_equal(rig.done[0].job, 1);
    assert_true(rig.done[0].ok);
    assert_int_equal(strncmp(rig.done[0].hash, "$argon2id$v=19$m=19456,t=2,p=1$", 31), 0);
    memcpy(hash, rig.done[0].hash, sizeof(hash));
    submit(2, "correct horse", hash);
    wait_for(2);
    assert_true(rig.done[1].ok);
    submit(3, "battery staple", hash);
    wait_for(3);
    assert_false(rig.done[2].ok);
    assert_int_equal(rig.done[2].err, ERR_OK);
    submit(4, "x", "not a hash");
    wait_for(4);
    assert_false(rig.done[3].ok);
}

static void more_than_the_queue_is_busy(void **unused)
{
    unsigned busy = 0;
    bool seen[JOBS] = {false};

    (void)unused;
    for (unsigned i = 0; i < JOBS; i++)
        submit(i, "x", "no hash: quickly done");
    wait_for(JOBS);
    for (unsigned i = 0; i < JOBS; i++) {
        assert_false(seen[rig.done[i].job]);
        seen[rig.done[i].job] = true;
        busy += rig.done[i].err == ERR_BUSY;
        assert_false(rig.done[i].ok);
    }
    assert_true(busy <= JOBS - HASHER_QUEUE);
    rig.n = 0;
    for (unsigned i = 0; i < JOBS; i++)
        submit(i, "slow", NULL);
    rig.want = 1;
    (void)uv_run(&rig.loop, UV_RUN_DEFAULT); /* the refusals don't wait for the workers */
    for (busy = 0; busy < rig.n && rig.done[busy].err == ERR_BUSY; busy++)
        assert_true(rig.done[busy].job >= HASHER_QUEUE);
    assert_true(busy >= JOBS - HASHER_QUEUE - 2 * HASHER_THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(makes_and_verifies, begin, finish),
        cmocka_unit_test_setup_teardown(more_than_the_queue_is_busy, begin, finish),
    };

    return sodium_init() < 0 || cmocka_run_group_tests(tests, NULL, NULL);
}
