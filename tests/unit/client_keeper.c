/* SPDX-License-Identifier: ISC
 * client_keeper.c -- what the client lets out of its hands (DICE D7), and that its secrets and
 * tokens are on disk before they are needed.
 */
#include <ftw.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/dice_keeper.h"
#include "client/identity.h"
#include "client/state_dir.h"
#include "common/base/hex.h"
#include "common/base/str.h"
#include "tests/cmocka_all.h"
#include "tests/unit/libmatch.h"

/* ---- a state directory of our own ---- */

static char home[] = "/tmp/skirmish-keeper.XXXXXX";

static int make_home(void **unused)
{
    (void)unused;
    if (sodium_init() < 0 || mkdtemp(home) == NULL)
        return -1;
    return setenv("XDG_STATE_HOME", home, 1);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static int drop_home(void **unused)
{
    (void)unused;
    return nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- a journal to look at ---- */

/* The audit of the table's journal, read from its beginning. */
static void read_journal(struct table *t, struct audit *a)
{
    char why[AUDIT_WHY_LEN], no[JSON_WHY_LEN];

    audit_fini(a);
    audit_init(a, t->scenario);
    for (uint32_t seq = 1; seq <= match_head(t->m); seq++) {
        const char *line = table_line(t, seq);
        struct json *j = NULL;

        assert_int_equal(json_parse(line, strlen(line), &json_file_limits, &j, no), ERR_OK);
        if (audit_take(a, j, line, strlen(line), why) != ERR_OK)
            fail_msg("%s: %s", why, line);
        json_free(j);
    }
}

static void send_anchor(struct table *t, struct dice_keeper *k, const struct audit *a)
{
    struct match_anchor anchor = {0};
    enum keeper_anchor what;
    uint16_t generation = 0;

    assert_int_equal(keeper_anchor(k, a, &what, &generation, anchor.anchor), ERR_OK);
    assert_int_equal(what, KEEPER_SEND_ANCHOR);
    anchor.generation = generation;
    match_step_fini(&t->st);
    assert_int_equal(table_end(t, match_anchor(t->m, (enum role)k->role, &anchor, t->now, &t->st)),
                     ERR_OK);
}

static void asked(const struct table *t, struct keeper_request *req)
{
    struct match_request r;

    assert_true(match_request(t->m, &r));
    req->roll = r.n;
    req->seq = r.seq;
    memcpy(req->hash, r.hash, FD1_LEN);
}

/* Keeper and referee play along: the share is given and taken. */
static void send_share(struct table *t, struct dice_keeper *k, const struct audit *a)
{
    struct keeper_request req;
    struct match_share s = {0};

    asked(t, &req);
    assert_int_equal(keeper_share(k, a, &req, s.share), KEEPER_SHARE);
    s.roll = req.roll;
    match_step_fini(&t->st);
    assert_int_equal(table_end(t, match_share(t->m, (enum role)k->role, &s, t->now, &t->st)),
                     ERR_OK);
}

struct pair {
    struct table t;
    struct audit a;
    struct dice_keeper k[2];
};

static void begin(struct pair *p)
{
    static unsigned number;

    memset(p, 0, sizeof(*p));
    table_init(&p->t, "first-blood");
    p->t.setup.id[0] = (uint8_t)++number; /* each its own files */
    p->t.setup.fair = FAIR_STRICT;
    table_open(&p->t);
    assert_int_equal(table_join(&p->t), ERR_OK);
    read_journal(&p->t, &p->a);
    assert_int_equal(keeper_open(&p->k[0], p->t.setup.id, "alice", ROLE_A), ERR_OK);
    assert_int_equal(keeper_open(&p->k[1], p->t.setup.id, "bob", ROLE_B), ERR_OK);
    send_anchor(&p->t, &p->k[0], &p->a);
    send_anchor(&p->t, &p->k[1], &p->a);
    read_journal(&p->t, &p->a);
    send_share(&p->t, &p->k[0], &p->a);
    send_share(&p->t, &p->k[1], &p->a);
    read_journal(&p->t, &p->a);
    assert_true(p->a.started);
}

/* An order that needs dice, so that a roll is open. */
static void open_roll(struct pair *p)
{
    struct rules_order o;
    struct match_request r;
    char id[16];

    do {
        (void)snprintf(id, sizeof(id), "k%u", ++p->t.orders);
        table_any(&p->t, &o);
        assert_int_equal(table_order(&p->t, table_active(&p->t), id, match_head(p->t.m), &o),
                         ERR_OK);
    } while (!match_request(p->t.m, &r));
    read_journal(&p->t, &p->a);
    keeper_see(&p->k[0], p->a.head, p->a.hash);
}

static void end(struct pair *p)
{
    keeper_fini(&p->k[0]);
    keeper_fini(&p->k[1]);
    audit_fini(&p->a);
    table_fini(&p->t);
}

/* ---- tests ---- */

static void plays_along(void **unused)
{
    struct pair p;
    enum keeper_anchor what;
    uint16_t generation;
    uint8_t anchor[FD1_LEN];

    (void)unused;
    begin(&p);
    assert_int_equal(keeper_anchor(&p.k[0], &p.a, &what, &generation, anchor), ERR_OK);
    assert_int_equal(what, KEEPER_NO_ANCHOR);
    for (unsigned i = 0; i < 5; i++) {
        open_roll(&p);
        send_share(&p.t, &p.k[1], &p.a);
        send_share(&p.t, &p.k[0], &p.a);
        read_journal(&p.t, &p.a);
    }
    assert_int_equal(p.a.dice.n, 6);
    end(&p);
}

/* Before the order's own entry is there, and checked up to it, nothing leaves. */
static void waits_for_the_order(void **unused)
{
    struct pair p;
    struct keeper_request req;
    struct audit before = {0};
    uint8_t x[FD1_LEN];

    (void)unused;
    begin(&p);
    read_journal(&p.t, &before);
    open_roll(&p);
    asked(&p.t, &req);
    p.k[0].rec.head = before.head;
    memcpy(p.k[0].rec.head_hash, before.hash, FD1_LEN);
    assert_int_equal(keeper_share(&p.k[0], &before, &req, x), KEEPER_WAIT);
    assert_false(p.k[0].went_back);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_SHARE);
    req.roll++; /* asked for a link before its order */
    req.seq += 3;
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_WAIT);
    audit_fini(&before);
    end(&p);
}

static void same_roll_other_order(void **unused)
{
    struct pair p;
    struct keeper_request req, lie;
    uint8_t x[FD1_LEN], y[FD1_LEN];

    (void)unused;
    begin(&p);
    open_roll(&p);
    asked(&p.t, &req);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_SHARE);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, y), KEEPER_SHARE); /* the same, again */
    assert_memory_equal(x, y, FD1_LEN);
    lie = req;
    lie.hash[5] ^= 1;
    assert_int_equal(keeper_share(&p.k[0], &p.a, &lie, y), KEEPER_BACK);
    assert_true(p.k[0].went_back);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, y), KEEPER_BACK); /* from now on nothing */
    end(&p);
}

/* What is stored holds after a restart of the client. */
static void remembers(void **unused)
{
    struct pair p;
    struct dice_keeper again;
    struct keeper_request req;
    struct audit other = {0};
    uint8_t x[FD1_LEN], y[FD1_LEN];

    (void)unused;
    begin(&p);
    read_journal(&p.t, &other);
    open_roll(&p);
    asked(&p.t, &req);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_SHARE);
    assert_int_equal(keeper_open(&again, p.t.setup.id, "alice", ROLE_A), ERR_OK);
    assert_int_equal(again.rec.roll, req.roll);
    assert_int_equal(again.rec.head, p.a.head);
    assert_int_equal(keeper_share(&again, &p.a, &req, y), KEEPER_SHARE);
    assert_memory_equal(x, y, FD1_LEN);
    assert_int_equal(keeper_share(&again, &other, &req, y), KEEPER_BACK); /* an older head */
    keeper_fini(&again);

    assert_int_equal(keeper_open(&again, p.t.setup.id, "alice", ROLE_A), ERR_OK);
    req.roll--; /* a roll that was answered long ago */
    assert_int_equal(keeper_share(&again, &p.a, &req, y), KEEPER_BACK);
    keeper_fini(&again);
    audit_fini(&other);
    end(&p);
}

static void notices_another_past(void **unused)
{
    struct pair p;
    uint8_t hash[FD1_LEN];

    (void)unused;
    begin(&p);
    keeper_see(&p.k[0], 9, p.a.hash);
    keeper_at_head(&p.k[0], 9);
    assert_false(p.k[0].went_back);
    memcpy(hash, p.a.hash, FD1_LEN);
    hash[0] ^= 1;
    keeper_see(&p.k[0], 9, hash);
    assert_true(p.k[0].went_back);
    p.k[0].went_back = false;
    keeper_at_head(&p.k[0], 8);
    assert_true(p.k[0].went_back);
    end(&p);
}

/* The player's word: heads and rolls are forgotten, a new secret takes the next generation. */
static void goes_on_when_told(void **unused)
{
    struct pair p;
    struct match_anchor old;
    uint8_t secret[FD1_LEN];
    enum keeper_anchor what;
    uint16_t generation = 0;

    (void)unused;
    begin(&p);
    memcpy(secret, p.k[1].rec.secret, FD1_LEN);
    p.k[1].went_back = true;
    p.k[1].rec.head = 1000;
    assert_int_equal(keeper_anchor(&p.k[1], &p.a, &what, &generation, old.anchor), ERR_OK);
    assert_int_equal(what, KEEPER_NO_ANCHOR); /* not without it */
    assert_int_equal(keeper_go_on(&p.k[1]), ERR_OK);
    assert_int_equal(p.k[1].rec.head, 0);
    assert_int_equal(p.k[1].rec.roll, 0);
    send_anchor(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    send_share(&p.t, &p.k[0], &p.a);
    send_share(&p.t, &p.k[1], &p.a); /* the salt roll */
    assert_int_equal(p.k[1].rec.generation, 1);
    assert_memory_not_equal(secret, p.k[1].rec.secret, FD1_LEN);
    read_journal(&p.t, &p.a);
    open_roll(&p);
    send_share(&p.t, &p.k[0], &p.a);
    send_share(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    assert_int_equal(p.a.dice.n, 3);
    end(&p);
}

/* Both saw more than the server has now. The other goes on first, and its anchor opens a salt roll at
 * once: ours ends it with the old secret, as no anchor is taken meanwhile, and anchors behind it. */
static void goes_on_second(void **unused)
{
    struct pair p;
    uint8_t secret[FD1_LEN];
    enum keeper_anchor what;
    uint16_t generation = 0;
    uint8_t anchor[FD1_LEN];

    (void)unused;
    begin(&p);
    for (unsigned i = 0; i < 2; i++) {
        p.k[i].rec.head = 1000;
        p.k[i].rec.roll = 2;
        keeper_at_head(&p.k[i], p.a.head);
        assert_true(p.k[i].went_back);
    }
    memcpy(secret, p.k[1].rec.secret, FD1_LEN);
    assert_int_equal(keeper_go_on(&p.k[0]), ERR_OK);
    send_anchor(&p.t, &p.k[0], &p.a);
    read_journal(&p.t, &p.a);
    send_share(&p.t, &p.k[0], &p.a);
    assert_int_equal(keeper_go_on(&p.k[1]), ERR_OK);
    keeper_fini(&p.k[1]); /* the will is on disk */
    assert_int_equal(keeper_open(&p.k[1], p.t.setup.id, "bob", ROLE_B), ERR_OK);
    assert_int_equal(keeper_anchor(&p.k[1], &p.a, &what, &generation, anchor), ERR_OK);
    assert_int_equal(what, KEEPER_NO_ANCHOR); /* a roll is open */
    assert_memory_equal(secret, p.k[1].rec.secret, FD1_LEN);
    send_share(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    assert_int_equal(p.a.dice.n, 2);
    send_anchor(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    for (unsigned i = 0; i < 2; i++)
        send_share(&p.t, &p.k[i], &p.a);
    assert_memory_not_equal(secret, p.k[1].rec.secret, FD1_LEN);
    read_journal(&p.t, &p.a);
    assert_int_equal(p.a.dice.n, 3);
    assert_int_equal(keeper_anchor(&p.k[1], &p.a, &what, &generation, anchor), ERR_OK);
    assert_int_equal(what, KEEPER_NO_ANCHOR);
    open_roll(&p);
    end(&p);
}

/* Both go on at the same moment: our anchor is on its way when the other's opens the salt roll, and is
 * refused. The old secret is still there for that roll, the new one for the anchor behind it. */
static void goes_on_at_the_same_moment(void **unused)
{
    struct pair p;
    struct audit before;
    enum keeper_anchor what;
    uint16_t generation = 0;
    uint8_t anchor[FD1_LEN], again[FD1_LEN];

    (void)unused;
    begin(&p);
    memset(&before, 0, sizeof(before));
    read_journal(&p.t, &before);
    for (unsigned i = 0; i < 2; i++) {
        p.k[i].went_back = true;
        assert_int_equal(keeper_go_on(&p.k[i]), ERR_OK);
    }
    assert_int_equal(keeper_anchor(&p.k[1], &before, &what, &generation, anchor), ERR_OK);
    assert_int_equal(what, KEEPER_SEND_ANCHOR);
    send_anchor(&p.t, &p.k[0], &before);
    read_journal(&p.t, &p.a);
    send_share(&p.t, &p.k[0], &p.a);
    keeper_fini(&p.k[1]);
    assert_int_equal(keeper_open(&p.k[1], p.t.setup.id, "bob", ROLE_B), ERR_OK);
    send_share(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    assert_int_equal(keeper_anchor(&p.k[1], &p.a, &what, &generation, again), ERR_OK);
    assert_int_equal(what, KEEPER_SEND_ANCHOR);
    assert_memory_equal(anchor, again, FD1_LEN);
    send_anchor(&p.t, &p.k[1], &p.a);
    read_journal(&p.t, &p.a);
    for (unsigned i = 0; i < 2; i++)
        send_share(&p.t, &p.k[i], &p.a);
    read_journal(&p.t, &p.a);
    assert_int_equal(p.a.dice.n, 3);
    audit_fini(&before);
    end(&p);
}

/* The server went back to an open roll: its order can't be taken back, so it is ended first. The
 * new secret is never one of the lost past, whatever generation that had come to. */
static void goes_on_in_a_roll(void **unused)
{
    struct pair p;
    uint8_t secret[FD1_LEN];

    (void)unused;
    begin(&p);
    open_roll(&p);
    for (unsigned i = 0; i < 2; i++) {
        p.k[i].rec.head = 1000;
        keeper_at_head(&p.k[i], p.a.head);
        assert_true(p.k[i].went_back);
        assert_int_equal(keeper_go_on(&p.k[i]), ERR_OK);
        send_share(&p.t, &p.k[i], &p.a);
    }
    read_journal(&p.t, &p.a);
    assert_int_equal(p.a.dice.n, 2);
    p.k[0].rec.generation = 1; /* the lost past had our next anchor already */
    memcpy(secret, p.k[0].rec.secret, FD1_LEN);
    send_anchor(&p.t, &p.k[0], &p.a);
    assert_memory_not_equal(secret, p.k[0].rec.next_secret, FD1_LEN);
    read_journal(&p.t, &p.a);
    for (unsigned i = 0; i < 2; i++)
        send_share(&p.t, &p.k[i], &p.a);
    read_journal(&p.t, &p.a);
    send_anchor(&p.t, &p.k[1], &p.a);
    end(&p);
}

/* Another machine without the secret says so, and makes a new one. */
static void lost_device(void **unused)
{
    struct pair p;
    struct keeper_request req;
    uint8_t x[FD1_LEN];

    (void)unused;
    begin(&p);
    open_roll(&p);
    asked(&p.t, &req);
    p.k[0].rec.secret[0] ^= 1;
    keeper_fini(&p.k[0]);
    state_remove("dice", p.k[0].name);
    assert_int_equal(keeper_open(&p.k[0], p.t.setup.id, "alice", ROLE_A), ERR_OK);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_NOT_OURS);
    end(&p);
}

static void writes_it_first(void **unused)
{
    struct pair p;
    struct keeper_request req;
    struct stat st;
    char path[256];
    uint8_t x[FD1_LEN];

    (void)unused;
    begin(&p);
    (void)snprintf(path, sizeof(path), "%s/skirmish/dice/%s", home, p.k[0].name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    open_roll(&p);
    asked(&p.t, &req);
    assert_int_equal(setenv("XDG_STATE_HOME", "/proc/nowhere", 1), 0);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_UNWRITTEN);
    assert_int_equal(setenv("XDG_STATE_HOME", home, 1), 0);
    assert_int_equal(keeper_share(&p.k[0], &p.a, &req, x), KEEPER_SHARE);
    end(&p);
}

static void record_round_trip(void **unused)
{
    struct keeper_record rec = {.there = true,
                                .renew = true,
                                .generation = 7,
                                .roll = 12,
                                .head = 99,
                                .next_there = true,
                                .next_generation = 8};
    struct keeper_record back;
    struct buf text = BUF_EMPTY;

    (void)unused;
    memset(rec.secret, 0xab, FD1_LEN);
    memset(rec.head_hash, 0x11, FD1_LEN);
    keeper_record_write(&rec, &text);
    memset(&back, 0, sizeof(back));
    assert_true(keeper_record_read(text.data, text.len, &back));
    assert_true(back.renew && back.next_there);
    assert_int_equal(back.next_generation, 8);
    assert_int_equal(back.generation, 7);
    assert_int_equal(back.roll, 12);
    assert_int_equal(back.head, 99);
    assert_memory_equal(back.secret, rec.secret, FD1_LEN);
    assert_false(keeper_record_read(text.data, text.len / 2, &back));
    buf_fini(&text);
}

/* ---- tokens ---- */

static const struct url at = {.host = "club.example", .port = 1962};

static void tokens_rotate(void **unused)
{
    struct identity id;
    const char *token = NULL, *next = NULL;
    char first[TOKEN_HEX], second[TOKEN_HEX];
    enum err e;

    (void)unused;
    memset(first, '1', TOKEN_HEX - 1);
    first[TOKEN_HEX - 1] = '\0';
    assert_int_equal(identity_open(&id, &at, "Jo"), ERR_OK);
    assert_false(identity_next(&id, &token, &next, &e));
    assert_int_equal(identity_taken(&id, first), ERR_OK);
    identity_close(&id);

    assert_int_equal(identity_open(&id, &at, "jo"), ERR_OK); /* unique without case */
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, first);
    assert_string_not_equal(next, first);
    (void)str_copy(second, sizeof(second), next);
    identity_close(&id); /* killed before the answer */

    assert_int_equal(identity_open(&id, &at, "jo"), ERR_OK);
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, second); /* the next one first */
    identity_refused(&id);              /* it never came to be */
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, first); /* then the old one */
    (void)str_copy(second, sizeof(second), next);
    assert_int_equal(identity_taken(&id, next), ERR_OK);
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, second);
    identity_refused(&id); /* a server from a backup knows only an older one */
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, first);
    identity_refused(&id);
    assert_true(identity_next(&id, &token, &next, &e)); /* a resume on its way may be done by now */
    assert_string_equal(token, second);
    identity_refused(&id);
    assert_true(identity_next(&id, &token, &next, &e));
    assert_string_equal(token, first);
    identity_refused(&id);
    assert_false(identity_next(&id, &token, &next, &e)); /* none left: a new guest */
    for (unsigned i = 0; i < 20; i++) {
        (void)snprintf(second, sizeof(second), "%064u", i);
        assert_int_equal(identity_taken(&id, second), ERR_OK);
    }
    assert_int_equal(id.n, IDENTITY_PAST);
    assert_string_equal(id.token[0], second);
    identity_close(&id);
}

static void one_process_each(void **unused)
{
    struct identity a, b, c;

    (void)unused;
    assert_int_equal(identity_open(&a, &at, "Sam"), ERR_OK);
    assert_int_equal(identity_open(&b, &at, "sam"), ERR_BUSY);
    assert_int_equal(identity_open(&b, &at, NULL), ERR_OK); /* unnamed ones find a free place */
    assert_int_equal(identity_open(&c, &at, NULL), ERR_OK);
    assert_string_not_equal(b.file, c.file);
    identity_close(&a);
    identity_close(&b);
    identity_close(&c);
    assert_int_equal(identity_open(&a, &at, "sam"), ERR_OK);
    identity_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_along),
        cmocka_unit_test(waits_for_the_order),
        cmocka_unit_test(same_roll_other_order),
        cmocka_unit_test(remembers),
        cmocka_unit_test(notices_another_past),
        cmocka_unit_test(goes_on_when_told),
        cmocka_unit_test(goes_on_at_the_same_moment),
        cmocka_unit_test(goes_on_second),
        cmocka_unit_test(goes_on_in_a_roll),
        cmocka_unit_test(lost_device),
        cmocka_unit_test(writes_it_first),
        cmocka_unit_test(record_round_trip),
        cmocka_unit_test(tokens_rotate),
        cmocka_unit_test(one_process_each),
    };

    return cmocka_run_group_tests(tests, make_home, drop_home);
}
