/* SPDX-License-Identifier: ISC
 * Each codec of play: what it reads it writes, and what it wrote it reads as the same. What it
 * refuses it says why.
 *
 * Input: a letter (o order, e entry, s state, m request), a digit for the shipped scenario, then
 * the JSON.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/json.h"
#include "proto/msg.h"
#include "tests/fuzz/fuzz.h"

static struct json *parse(const char *text, size_t len)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    return json_parse(text, len, &json_file_limits, &j, why) == ERR_OK ? j : NULL;
}

/* Read, write; false: refused. */
typedef bool codec(const struct json *j, const struct scenario *scn, struct buf *out);

/* Only what the rules accepted is ever written (play.h). */
static bool is_known(const struct rules_order *o, const struct scenario *scn)
{
    const bool names = o->kind == RULES_DO_MOVE || o->kind == RULES_DO_TURN;

    for (unsigned i = 0; names && i < o->n_figures; i++)
        if (o->figure[i] >= scn->board.n_figures)
            return false;
    for (unsigned i = 0; o->kind == RULES_DO_MOVE && i < o->n_path; i++)
        if (o->path[i] >= rules_squares(&scn->board))
            return false;
    return o->kind != RULES_DO_FIRE || o->square < rules_squares(&scn->board);
}

static bool order(const struct json *j, const struct scenario *scn, struct buf *out)
{
    char field[PLAY_WHY_LEN] = "";
    struct rules_order o = {.kind = RULES_DO_MOVE};

    if (order_from_json(j, scn, &o, field) != ERR_OK) {
        CHECK(field[0] != '\0');
        return false;
    }
    if (!is_known(&o, scn))
        return false;
    order_to_json(&o, scn, out);
    return true;
}

static bool entry(const struct json *j, const struct scenario *scn, struct buf *out)
{
    struct entry_room room = {.exit = RULES_NO_DIR};
    char why[PLAY_WHY_LEN] = "";
    struct entry e;
    bool good = entry_decode(j, scn, &e, &room, why) == ERR_OK;

    CHECK(good || why[0] != '\0');
    good = good && (e.kind != ENTRY_ORDER || is_known(&e.u.order.order, scn));
    if (good)
        entry_encode(&e, scn, out);
    entry_room_fini(&room);
    return good;
}

static bool state(const struct json *j, const struct scenario *scn, struct buf *out)
{
    struct rules_state s;
    struct jsonw w = jsonw_on(out);

    if (state_from_json(j, scn, &s) != ERR_OK)
        return false;
    jsonw_obj(&w);
    state_members(&w, scn, &scn->board, &s);
    jsonw_obj_end(&w);
    return true;
}

static void round_trip(codec *f, const struct scenario *scn, const char *text, size_t len)
{
    struct json *first = parse(text, len);
    struct json *second = NULL;
    struct buf one = BUF_EMPTY, two = BUF_EMPTY;

    if (first != NULL && f(first, scn, &one)) {
        second = parse(buf_str(&one), one.len);
        CHECK(second != NULL && f(second, scn, &two));
        CHECK(one.len == two.len && memcmp(one.data, two.data, one.len) == 0);
    }
    json_free(first);
    json_free(second);
    buf_fini(&one);
    buf_fini(&two);
}

static void request(const char *text, size_t len)
{
    struct json_room room = {NULL};
    struct msg_request req;
    const char *field = NULL;
    enum err e = msg_parse(&room, text, len, &json_wire_limits, &req);

    if (e == ERR_OK) {
        e = msg_read_params(&req, &field);
        CHECK(e == ERR_OK || (e == ERR_PARAMS && field != NULL && field[0] != '\0'));
    }
    msg_request_fini(&req);
    json_room_fini(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario_set scenarios; /* read once: no input changes it */
    const char *text = (const char *)data;
    const struct scenario *scn;

    if (scenarios.len == 0)
        scenario_set_init(&scenarios);
    if (size < 2)
        return 0;
    scn = scenarios.item[data[1] % scenarios.len];
    if (text[0] == 'o')
        round_trip(order, scn, text + 2, size - 2);
    else if (text[0] == 'e')
        round_trip(entry, scn, text + 2, size - 2);
    else if (text[0] == 's')
        round_trip(state, scn, text + 2, size - 2);
    else
        request(text + 2, size - 2);
    return 0;
}
