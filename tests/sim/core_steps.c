/* SPDX-License-Identifier: ISC
 * core_steps.c -- one match, with a crash between every two effects of the server.
 *
 * Two clients play a fixed match against the real core: set-up, orders with and without dice, an
 * undo, offers, a resignation. The run is repeated with the process killed behind its first effect,
 * its second, and so on; each time once with the transactions under way durable and once with them
 * lost. The clients come back with their tokens, sync, and ask again what wasn't answered. The end
 * must be the uncrashed one, byte for byte, where the match was there before the crash (its id
 * decides its dice); else a match like it. What was answered before the crash must be there behind
 * it, and every hash that a client saw.
 */
// timeout: 300
#include <sodium.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/dice/fd1.h"
#include "tests/cmocka_all.h"
#include "tests/unit/lib_core.h"

enum { TOKENS = 4, TOKEN_HEX = 65, SEEN_MAX = 256 };

struct client {
    const char *name;
    char letter; /* A, B */
    bool logged_in;
    unsigned conn;
    unsigned next_id, tokens_made;
    char token[TOKENS][TOKEN_HEX]; /* newest first; some never reached the server */
    unsigned n_tokens;
    struct fd1_chain chain;
    bool has_chain;
};

struct play {
    struct world w;
    struct client c[2];
    const char *fair;
    char match[33];
    bool acked;                   /* match.create was answered */
    char seen[SEEN_MAX][65];      /* hash by seq, as either client saw it */
    uint32_t acked_seq[SEEN_MAX]; /* by script step: the order's seq, 0: not answered */
    int64_t base[SEEN_MAX];       /* by script step, once it was first given */
    bool kept;                    /* what becomes of transactions under way */
    bool crashed, was_durable;    /* the match stood when the crash came */
    struct buf text, reply;
};

/* What both do, in order. Given by whose phase it is; @ is the letter of its figures. */
static const char *const script[] = {
    "{\"do\":\"turn\",\"figures\":[\"@1\"],\"face\":\"e\"}",
    "{\"do\":\"undo\"}",
    "{\"do\":\"turn\",\"figures\":[\"@2\"],\"face\":\"w\"}",
    "{\"do\":\"end_phase\"}",
    "{\"do\":\"turn\",\"figures\":[\"@1\"],\"face\":\"w\"}",
    "{\"do\":\"end_phase\"}", /* of the turn: dice */
    "{\"do\":\"end_phase\"}",
    "{\"do\":\"turn\",\"figures\":[\"@3\"],\"face\":\"e\"}",
    "{\"do\":\"end_phase\"}",
};

/* ---- wire ---- */

/* The number behind `"name":` in a line. */
static int64_t number_in(const char *line, const char *name)
{
    char key[32];
    const char *at;

    (void)snprintf(key, sizeof(key), "\"%s\":", name);
    at = strstr(line, key);
    if (at == NULL)
        fail_msg("no %s in %s", name, line);
    return at != NULL ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* Remember what was seen of an event; what was seen before must be the same. */
static void see_event(struct play *p, const char *event)
{
    const char *entry = strstr(event, "\"entry\":");
    const size_t seq = (size_t)number_in(entry != NULL ? entry : "", "seq");
    char hash[65];

    assert_true(seq < SEEN_MAX);
    world_member(event, "hash", hash, sizeof(hash));
    if (p->seen[seq][0] != '\0')
        assert_string_equal(p->seen[seq], hash);
    (void)str_copy(p->seen[seq], sizeof(p->seen[seq]), hash);
}

/* All events of a reply or a notification. */
static void see_all(struct play *p, const char *line)
{
    for (const char *at = line; (at = strstr(at, "{\"hash\":\"")) != NULL; at++)
        see_event(p, at);
    if (strstr(line, "\"method\":\"match.event\"") != NULL)
        see_event(p, line);
}

static void send_share(struct play *p, struct client *c, int64_t roll)
{
    uint8_t link[FD1_LEN];
    char hex[65];

    assert_true(c->has_chain && fd1_chain_link(&c->chain, (uint32_t)roll, link));
    hex_encode(hex, link, sizeof(link));
    buf_reset(&p->text);
    buf_printf(
        &p->text,
        "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"match.share\",\"params\":{\"match\":\"%s\","
        "\"roll\":%lld,\"share\":\"%s\"}}",
        ++c->next_id, p->match, (long long)roll, hex);
    world_line(&p->w, c->conn, buf_str(&p->text));
}

/* Read what came for `c`. The answer to `id` goes to p->reply. */
static bool read_one(struct play *p, struct client *c, unsigned id)
{
    const char *line = world_take(&p->w, c->conn);
    char want[48];

    if (line[0] == '\0')
        return false;
    see_all(p, line);
    (void)snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":%u,", id);
    if (str_starts(line, want)) {
        buf_reset(&p->reply);
        buf_puts(&p->reply, line);
    } else if (strstr(line, "\"method\":\"match.roll_request\"") != NULL) {
        send_share(p, c, number_in(line, "roll"));
    }
    return true;
}

/* Send; read for both until nothing comes any more. NULL: no answer, it has crashed. */
static const char *ask(struct play *p, struct client *c, const char *method, const char *params)
{
    const unsigned id = ++c->next_id;
    bool more = true;

    buf_reset(&p->reply);
    buf_reset(&p->text);
    buf_printf(&p->text, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{%s}}", id,
               method, params);
    world_line(&p->w, c->conn, buf_str(&p->text));
    while (more) {
        more = false;
        for (unsigned i = 0; i < 2; i++)
            more |= p->c[i].logged_in && read_one(p, &p->c[i], &p->c[i] == c ? id : 0);
        if (!c->logged_in)
            more |= read_one(p, c, id);
    }
    if (p->reply.len == 0) {
        if (!p->w.dead)
            fail_msg("no answer to %s", buf_str(&p->text));
        return NULL;
    }
    return buf_str(&p->reply);
}

static bool is_good(const char *reply)
{
    return strstr(reply, "\"result\":") != NULL;
}

/* ---- people ---- */

static void push_token(struct client *c, const char *token)
{
    memmove(c->token[1], c->token[0], sizeof(c->token[0]) * (TOKENS - 1));
    (void)str_copy(c->token[0], TOKEN_HEX, token);
    c->n_tokens = MIN(c->n_tokens + 1, (unsigned)TOKENS);
}

/* By a token, the newest first; else as a guest. False: crashed. */
static bool log_in(struct play *p, struct client *c)
{
    char params[256];
    const char *reply;

    c->conn = world_connect(&p->w);
    if (ask(p, c, "session.hello", "\"protocol\":1,\"client\":\"steps\"") == NULL)
        return false;
    for (unsigned i = 0; i < c->n_tokens; i++) {
        char old[TOKEN_HEX], fresh[TOKEN_HEX];

        (void)str_copy(old, sizeof(old), c->token[i]);
        (void)snprintf(fresh, sizeof(fresh), "%c%063x", c->letter == 'A' ? 'a' : 'b',
                       ++c->tokens_made);
        push_token(c, fresh);
        (void)snprintf(params, sizeof(params), "\"token\":\"%s\",\"next\":\"%s\"", old, fresh);
        reply = ask(p, c, "session.resume", params);
        if (reply == NULL)
            return false;
        if (is_good(reply)) {
            c->n_tokens = 1;
            return c->logged_in = true;
        }
        memmove(c->token[0], c->token[1], sizeof(c->token[0]) * (TOKENS - 1));
        c->n_tokens--;
    }
    (void)snprintf(params, sizeof(params), "\"name\":\"%s\"", c->name);
    reply = ask(p, c, "session.guest", params);
    if (reply == NULL)
        return false;
    if (!is_good(reply))
        fail_msg("%s", reply);
    c->n_tokens = 0;
    world_member(reply, "token", params, TOKEN_HEX);
    push_token(c, params);
    return c->logged_in = true;
}

/* ---- the match ---- */

static const char *ask_match(struct play *p, struct client *c, const char *method, const char *more)
{
    char params[512];

    (void)snprintf(params, sizeof(params), "\"match\":\"%s\"%s", p->match, more);
    return ask(p, c, method, params);
}

/* NULL: crashed. Anything but a result fails. */
static const char *need(struct play *p, struct client *c, const char *method, const char *more)
{
    const char *reply = ask_match(p, c, method, more);

    if (reply != NULL && !is_good(reply))
        fail_msg("%s%s: %s", method, more, reply);
    return reply;
}

static bool create(struct play *p)
{
    struct client *maker = &p->c[0];
    char params[256];
    const char *reply = ask(p, maker, "match.mine", "");

    if (reply == NULL)
        return false;
    if (strstr(reply, "\"match\":\"") == NULL) {
        assert_false(p->acked); /* else it must be there */
        (void)snprintf(
            params, sizeof(params),
            "\"scenario\":\"first-blood\",\"side\":\"red\",\"clock\":{\"kind\":\"none\"},"
            "\"fair\":\"%s\"",
            p->fair);
        reply = ask(p, maker, "match.create", params);
        if (reply == NULL)
            return false;
        p->acked = true;
    }
    world_member(reply, "match", p->match, sizeof(p->match));
    return need(p, maker, "match.sync", ",\"after\":0") != NULL;
}

static bool join(struct play *p)
{
    return need(p, &p->c[1], "match.join", "") != NULL &&
           need(p, &p->c[1], "match.sync", ",\"after\":0") != NULL;
}

static bool anchor(struct play *p, struct client *c)
{
    struct fd1_chain_id id = {.role = (uint8_t)c->letter};
    uint8_t secret[FD1_LEN] = {(uint8_t)c->letter, 7};
    char more[160], hex[65];

    assert_true(hex_decode(id.mid, sizeof(id.mid), p->match));
    if (!c->has_chain || memcmp(c->chain.id.mid, id.mid, sizeof(id.mid)) != 0)
        assert_true(fd1_chain_init(&c->chain, &id, FD1_CHAIN_LEN, secret));
    c->has_chain = true;
    hex_encode(hex, fd1_chain_anchor(&c->chain), FD1_LEN);
    (void)snprintf(more, sizeof(more), ",\"generation\":0,\"anchor\":\"%s\"", hex);
    return need(p, c, "match.anchor", more) != NULL;
}

/* The n-th order of the script, by whose phase it is; the same base and body each time. */
static bool order(struct play *p, unsigned n)
{
    static const char figures[2] = {'r', 'n'};
    const char *reply = need(p, &p->c[0], "match.sync", "");
    char more[320], body[160];
    unsigned who;
    int64_t seq;

    if (reply == NULL)
        return false;
    who = strstr(reply, "\"active\":\"red\"") != NULL ? 0 : 1;
    if (p->base[n] == 0)
        p->base[n] = number_in(reply, "head") * 2 + who + 1; /* who gives it, too */
    who = (unsigned)(p->base[n] - 1) % 2;
    (void)str_copy(body, sizeof(body), script[n]);
    if (strchr(body, '@') != NULL)
        *strchr(body, '@') = figures[who];
    (void)snprintf(more, sizeof(more), ",\"order_id\":\"step-%u\",\"base\":%lld,\"order\":%s", n,
                   (long long)((p->base[n] - 1) / 2), body);
    reply = need(p, &p->c[who], "match.order", more);
    if (reply == NULL)
        return false;
    seq = number_in(reply, "seq");
    if (p->acked_seq[n] != 0)
        assert_int_equal(p->acked_seq[n], seq);
    p->acked_seq[n] = (uint32_t)seq;
    return true;
}

/* A draw offered and declined. An offer has no id of its own: it is made unless it stands. */
static bool offer(struct play *p)
{
    const char *reply = need(p, &p->c[0], "match.sync", ",\"after\":0");
    char more[64];

    if (reply == NULL)
        return false;
    if (strstr(reply, "\"kind\":\"answer\"") != NULL)
        return true;
    if (strstr(reply, "\"kind\":\"offer\"") == NULL) {
        if (need(p, &p->c[0], "match.offer", ",\"offer\":\"draw\"") == NULL)
            return false;
    }
    (void)snprintf(more, sizeof(more), ",\"offer_id\":1,\"accept\":false");
    return need(p, &p->c[1], "match.answer", more) != NULL;
}

static bool resign(struct play *p)
{
    const char *reply = need(p, &p->c[0], "match.sync", ",\"after\":0");

    if (reply == NULL)
        return false;
    return strstr(reply, "\"kind\":\"over\"") != NULL ||
           need(p, &p->c[0], "match.resign", "") != NULL;
}

/* ---- a run ---- */

static bool do_step(struct play *p, unsigned n)
{
    const unsigned orders = ARRAY_LEN(script);

    if (n < 2)
        return p->c[n].logged_in || log_in(p, &p->c[n]);
    if (n == 2)
        return create(p);
    if (n == 3)
        return join(p);
    if (n < 6)
        return str_eq(p->fair, "server") || anchor(p, &p->c[n - 4]);
    if (n < 6 + orders)
        return order(p, n - 6);
    return n == 6 + orders ? offer(p) : resign(p);
}
enum { STEPS = 6 + (int)ARRAY_LEN(script) + 2 };

static bool row_is_there(const struct world *w)
{
    for (size_t i = 0; i < w->n_rows; i++) {
        if (w->row[i].kind == STORE_MATCH_NEW)
            return true;
    }
    return false;
}

/* Back to life; everybody comes back and looks at what is there. */
static void recover(struct play *p)
{
    const bool had_match = p->match[0] != '\0';

    p->crashed = true;
    p->c[0].logged_in = p->c[1].logged_in = false;
    world_revive(&p->w, p->kept);
    p->was_durable = row_is_there(&p->w);
    if (p->acked)
        assert_true(p->was_durable);
    for (unsigned i = 0; i < 2; i++) {
        struct client *c = &p->c[i];

        if (c->n_tokens == 0)
            continue;
        assert_true(log_in(p, c));
        if (had_match && p->was_durable)
            assert_non_null(need(p, c, "match.sync", ",\"after\":0")); /* seen hashes: see_event */
    }
    for (unsigned n = 0; n < ARRAY_LEN(script); n++) {
        if (p->acked_seq[n] != 0)
            assert_true(order(p, n)); /* the same answer */
    }
}

static void play_init(struct play *p, const char *fair)
{
    memset(p, 0, sizeof(*p));
    world_init(&p->w);
    p->fair = fair;
    p->c[0].name = "alice";
    p->c[0].letter = 'A';
    p->c[1].name = "bobby";
    p->c[1].letter = 'B';
}

static void play_fini(struct play *p)
{
    world_fini(&p->w);
    buf_fini(&p->text);
    buf_fini(&p->reply);
}

/* The whole script; the record in *out (appended). */
static void play_through(struct play *p, struct buf *out)
{
    for (unsigned n = 0; n < STEPS;) {
        if (do_step(p, n) && !p->w.dead)
            n++;
        else
            recover(p);
    }
    for (unsigned n = 0; n < ARRAY_LEN(script); n++)
        assert_true(p->acked_seq[n] > 0);
    buf_puts(out, need(p, &p->c[0], "match.record", ""));
    assert_null(strstr(buf_str(out), "\"next\":"));
    buf_consume(out, (size_t)(strstr(out->data, "\"result\":") - out->data));
}

static void crash_everywhere(const char *fair)
{
    struct buf whole = BUF_EMPTY;
    static struct play p; /* large */
    uint64_t effects;
    unsigned same = 0, other = 0;

    play_init(&p, fair);
    play_through(&p, &whole);
    effects = p.w.effects;
    play_fini(&p);
    for (uint64_t at = 1; at < effects; at++) {
        for (unsigned kept = 0; kept < 2; kept++) {
            struct buf end = BUF_EMPTY;

            play_init(&p, fair);
            p.w.dies_at = at;
            p.kept = kept == 1;
            play_through(&p, &end);
            assert_true(p.crashed || at + 1 >= effects);
            if (p.was_durable && strstr(buf_str(&whole), p.match) != NULL) {
                assert_string_equal(buf_str(&end), buf_str(&whole));
                same++;
            } else {
                other++;
            }
            play_fini(&p);
            buf_fini(&end);
        }
    }
    printf("%s: %llu effects; %u runs ended as the uncrashed one, %u made the match anew\n", fair,
           (unsigned long long)effects, same, other);
    assert_true(same > other);
    buf_fini(&whole);
}

static void strict_dice(void **unused)
{
    (void)unused;
    crash_everywhere("strict");
}

static void normal_dice(void **unused)
{
    (void)unused;
    crash_everywhere("normal");
}

static void server_dice(void **unused)
{
    (void)unused;
    crash_everywhere("server");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_dice),
        cmocka_unit_test(normal_dice),
        cmocka_unit_test(server_dice),
    };

    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
