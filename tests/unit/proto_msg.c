/* SPDX-License-Identifier: ISC
 * The table of methods: found by word, read strictly, and answered in one shape.
 */
#include "proto/msg.h"

#include "tests/cmocka_all.h"

static void words_are_sorted_and_found(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < MSG_METHOD_COUNT; m++) {
        const char *word = msg_method_word((enum msg_method)m);

        if (m > 0)
            assert_true(strcmp(msg_method_word((enum msg_method)(m - 1)), word) < 0);
        assert_int_equal(msg_method_find(word), m);
    }
    assert_int_equal(msg_method_find("match.orde"), MSG_METHOD_COUNT);
    assert_int_equal(msg_method_find("match.orders"), MSG_METHOD_COUNT);
    assert_int_equal(msg_method_find(""), MSG_METHOD_COUNT);
    for (unsigned n = 0; n < NOTE_COUNT; n++)
        assert_int_equal(msg_note_find(msg_note_word((enum msg_note)n)), n);
    assert_int_equal(msg_note_find("match.order"), NOTE_COUNT);
}

static void rows_are_sound(void **unused)
{
    (void)unused;
    for (unsigned m = 0; m < MSG_METHOD_COUNT; m++) {
        size_t n;
        const struct msg_param *row = msg_method_params((enum msg_method)m, &n);
        uint64_t seen = 0;

        for (size_t i = 0; i < n; i++) {
            assert_true(row[i].offset < sizeof(struct msg_params));
            assert_int_equal(seen >> row[i].field & 1, 0); /* each member once */
            seen |= (uint64_t)1 << row[i].field;
            assert_true(row[i].min <= row[i].max);
            assert_int_equal(row[i].type == MSG_T_WORD, row[i].words != NULL);
        }
    }
}

static struct json_room room;

/* Read a request's parameters: ERR_OK, or the field that is wrong. */
static enum err read_as(const char *method, const char *params, struct msg_request *r,
                        const char **field)
{
    struct buf b = BUF_EMPTY;
    enum err e;

    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}", method,
               params);
    e = msg_parse(&room, buf_str(&b), b.len, &json_wire_limits, r);
    assert_int_equal(e, ERR_OK);
    e = msg_read_params(r, field);
    buf_fini(&b);
    return e;
}

static const struct {
    const char *method, *params, *field; /* field NULL: fine */
} shapes[] = {
    {"session.ping", "{}", NULL},
    {"session.hello", "{\"protocol\":1,\"client\":\"x\"}", NULL},
    {"session.hello", "{\"protocol\":1,\"client\":\"\"}", "client"},
    {"session.hello", "{\"client\":\"x\"}", "protocol"},
    {"session.hello", "{\"protocol\":\"1\",\"client\":\"x\"}", "protocol"},
    {"session.guest", "{}", NULL},
    {"session.guest", "{\"name\":\"ab\"}", "name"},
    {"session.guest", "{\"name\":\"abc\"}", NULL},
    {"session.guest", "{\"name\":\"abcdefghij_ABCDEF-19\"}", NULL},
    {"session.guest", "{\"name\":\"abcdefghij_ABCDEF-190\"}", "name"},
    {"session.guest", "{\"name\":\"caf\\u00e9\"}", "name"},
    {"session.guest", "{\"name\":null}", "name"},
    {"match.join", "{\"match\":\"00112233445566778899aabbccddeeff\"}", NULL},
    {"match.join", "{\"match\":7}", NULL},
    {"match.join", "{\"match\":0}", "match"},
    {"match.join", "{\"match\":4294967296}", "match"},
    {"match.join", "{\"match\":\"00112233445566778899AABBCCDDEEFF\"}", "match"},
    {"match.join", "{\"match\":\"0011\"}", "match"},
    {"match.sync", "{\"match\":1,\"after\":0}", NULL},
    {"match.sync", "{\"match\":1,\"after\":-1}", "after"},
    {"match.record", "{\"match\":1,\"after\":\"12\"}", NULL},
    {"match.record", "{\"match\":1,\"after\":12}", "after"},
    {"match.anchor", "{\"match\":1,\"generation\":65536,\"anchor\":\"\"}", "generation"},
    {"match.anchor", "{\"match\":1,\"generation\":0,\"anchor\":\"\"}", "anchor"},
    {"match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"\"}", "text"},
    {"match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"\\u2603\"}", NULL},
    {"match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"\\u200b\"}", "text"},
    {"match.chat", "{\"match\":1,\"to\":\"all\",\"text\":\"\\u0007\"}", "text"},
    {"match.chat", "{\"match\":1,\"to\":\"some\",\"text\":\"x\"}", "to"},
    {"match.order", "{\"match\":1,\"order_id\":\"o\",\"base\":1,\"order\":{}}", NULL},
    {"match.order", "{\"match\":1,\"order_id\":\"o\",\"base\":1,\"order\":[]}", "order"},
    {"match.order", "{\"match\":1,\"order_id\":\"\",\"base\":1,\"order\":{}}", "order_id"},
    {"match.order", "{\"match\":1,\"order_id\":\"\\u0085\",\"base\":1,\"order\":{}}", "order_id"},
    {"match.order", "{\"match\":1,\"order_id\":\"\\u00a5\",\"base\":1,\"order\":{}}", NULL},
    {"match.answer", "{\"match\":1,\"offer_id\":1,\"accept\":1}", "accept"},
    {"lobby.list", "{\"limit\":100}", NULL},
    {"lobby.list", "{\"limit\":101}", "limit"},
    {"lobby.list", "{\"limit\":0}", "limit"},
    {"lobby.list", "{\"state\":\"setup\"}", "state"},
    {"scenario.get", "{\"id\":\"../../etc\"}", "id"},
};

static void names_the_wrong_member(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct msg_request r;
        const char *field = NULL;
        enum err e = read_as(shapes[i].method, shapes[i].params, &r, &field);

        if (shapes[i].field == NULL)
            assert_int_equal(e, ERR_OK);
        else
            assert_string_equal(e == ERR_PARAMS ? field : "none", shapes[i].field);
        msg_request_fini(&r);
    }
}

static void limits_count_code_points(void **unused)
{
    (void)unused;
    for (int n = 399; n <= 401; n++) {
        struct buf b = BUF_EMPTY;
        struct msg_request r;
        const char *field = NULL;

        buf_puts(&b, "{\"match\":1,\"to\":\"all\",\"text\":\"");
        for (int i = 0; i < n; i++)
            buf_puts(&b, "\xe2\x98\x83");
        buf_puts(&b, "\"}");
        assert_int_equal(read_as("match.chat", buf_str(&b), &r, &field),
                         n <= 400 ? ERR_OK : ERR_PARAMS);
        msg_request_fini(&r);
        buf_fini(&b);
    }
}

static void values_land_in_their_place(void **unused)
{
    struct msg_request r;
    const char *field;

    (void)unused;
    assert_int_equal(
        read_as("match.create",
                "{\"scenario\":\"s-1\",\"side\":\"random\",\"clock\":{\"kind\":\"none\"},"
                "\"rated\":true,\"fair\":\"server\",\"watch\":\"none\",\"private\":true,"
                "\"opponent\":\"Bob\",\"rematch_of\":5}",
                &r, &field),
        ERR_OK);
    assert_string_equal(r.p.scenario, "s-1");
    assert_true(r.p.rated && r.p.priv);
    assert_int_equal(r.p.fair, FAIR_SERVER);
    assert_int_equal(r.p.watch, MSG_WATCH_NONE);
    assert_int_equal(r.p.rematch_of.no, 5);
    assert_string_equal(r.p.opponent, "Bob");
    assert_true(msg_has(&r.p, MSG_F_CLOCK) && !msg_has(&r.p, MSG_F_READINGS));
    assert_null(r.p.readings);
    msg_request_fini(&r);
}

static void only_the_id_is_kept(void **unused)
{
    static const char with_int[] =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"match.legal\",\"params\":{\"match\":1}}";
    static const char with_string[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"seven\",\"method\":\"session.ping\"}";
    struct msg_request r;

    (void)unused;
    assert_int_equal(msg_parse(&room, with_int, strlen(with_int), &json_wire_limits, &r), ERR_OK);
    msg_keep_id(&r);
    assert_null(r.tree);
    assert_null(r.params);
    assert_int_equal(r.id.kind, MSG_ID_INT);
    assert_int_equal(r.id.i, 7);
    assert_int_equal(r.method, MSG_MATCH_LEGAL);
    msg_request_fini(&r);
    assert_int_equal(msg_parse(&room, with_string, strlen(with_string), &json_wire_limits, &r),
                     ERR_OK);
    msg_keep_id(&r);
    assert_string_equal(r.id.s, "seven");
    msg_request_fini(&r);
}

static void errors_have_one_shape(void **unused)
{
    const struct msg_id id = {.kind = MSG_ID_STRING, .s = "a\"b"};
    const struct msg_fault fault = {.text = "no", .rule = 13};
    const struct msg_fault stale = {.has_head = true, .head = 7};
    struct buf b = BUF_EMPTY;

    (void)unused;
    msg_error(&b, &id, ERR_ILLEGAL, &fault);
    assert_string_equal(buf_str(&b),
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"error\":{\"code\":7,\"message\":"
                        "\"no\",\"data\":{\"reason\":\"illegal\",\"rule\":\"R13\"}}}\n");
    buf_reset(&b);
    msg_error(&b, &(struct msg_id){.kind = MSG_ID_NONE}, ERR_STALE, &stale);
    assert_string_equal(
        buf_str(&b), "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":8,\"message\":"
                     "\"the board has moved on\",\"data\":{\"reason\":\"stale\",\"head\":7}}}\n");
    buf_reset(&b);
    msg_result_empty(&b, &(struct msg_id){.kind = MSG_ID_INT, .i = -3});
    assert_string_equal(buf_str(&b), "{\"jsonrpc\":\"2.0\",\"id\":-3,\"result\":{}}\n");
    buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_sorted_and_found), cmocka_unit_test(rows_are_sound),
        cmocka_unit_test(names_the_wrong_member),     cmocka_unit_test(limits_count_code_points),
        cmocka_unit_test(values_land_in_their_place), cmocka_unit_test(errors_have_one_shape),
        cmocka_unit_test(only_the_id_is_kept),
    };

    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    json_room_fini(&room);
    return failed;
}
