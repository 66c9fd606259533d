/* SPDX-License-Identifier: ISC
 * Usage: json -- scan, parse and print of an order's line and an event's, per second on one core.
 */
#include "proto/json.h"
#include "common/base/msec.h"
#include "proto/jsonw.h"

enum { ROUNDS = 200000 };

static const char order_line[] =
    "{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"match.order\",\"params\":{\"match\":"
    "\"0123456789abcdef0123456789abcdef\",\"order_id\":\"a1b2c3\",\"base\":42,\"order\":"
    "{\"do\":\"move\",\"figures\":[\"r1\"],\"path\":[\"b3\",\"b4\"],\"face\":\"n\"}}}";
static const char event_line[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"match.event\",\"params\":{\"match\":"
    "\"0123456789abcdef0123456789abcdef\",\"hash\":"
    "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\",\"state_hash\":null,"
    "\"entry\":{\"seq\":43,\"ts\":1767225600000,\"kind\":\"roll\",\"n\":7,\"for\":42,\"flags\":3,"
    "\"s\":\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","
    "\"a\":\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","
    "\"b\":\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","
    "\"dice\":[5,2,6,1,3]}}}";

static void report(const char *what, size_t bytes, struct mono start)
{
    const int64_t ms = MAX(mono_since(mono_now(), start), 1);

    (void)printf("%-18s %8lld a second, %5lld MB/s\n", what, (long long)(ROUNDS * 1000LL / ms),
                 (long long)((int64_t)bytes * ROUNDS / 1000 / ms));
}

static void run(const char *name, const char *text)
{
    const size_t len = strlen(text);
    char why[JSON_WHY_LEN];
    char what[32];
    struct buf out = BUF_EMPTY;
    struct json *j = NULL;
    struct mono start = mono_now();

    for (int i = 0; i < ROUNDS; i++)
        CHECK(json_scan(text, len, &json_wire_limits, why) == ERR_OK);
    (void)snprintf(what, sizeof(what), "%s scan", name);
    report(what, len, start);
    start = mono_now();
    for (int i = 0; i < ROUNDS; i++) {
        json_free(j);
        CHECK(json_parse(text, len, &json_wire_limits, &j, why) == ERR_OK);
    }
    (void)snprintf(what, sizeof(what), "%s parse", name);
    report(what, len, start);
    start = mono_now();
    for (int i = 0; i < ROUNDS; i++) {
        buf_reset(&out);
        json_print(j, &out);
    }
    (void)snprintf(what, sizeof(what), "%s print", name);
    report(what, len, start);
    CHECK(strcmp(buf_str(&out), text) == 0);
    json_free(j);
    buf_fini(&out);
}

int main(void)
{
    run("order", order_line);
    run("roll event", event_line);
    return EXIT_SUCCESS;
}
