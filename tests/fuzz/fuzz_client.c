/* SPDX-License-Identifier: ISC
 * The client's reader, model and words against a hostile server: whatever lines come, it stands,
 * and what a person is shown holds no control character.
 *
 * Input: the server's lines, as a spectator or player of a first-blood match hears them.
 */
#include "client/draw.h"
#include "client/model.h"
#include "client/words.h"
#include "proto/json.h"
#include "proto/line.h"
#include "proto/msg.h"
#include "tests/fuzz/fuzz.h"

static void must_be_plain(const struct buf *b)
{
    for (size_t i = 0; i < b->len; i++)
        CHECK(((uint8_t)b->data[i] >= ' ' && b->data[i] != 0x7f) || b->data[i] == '\n');
}

static void show(const struct model *m)
{
    static const struct draw_style style = {.ascii = true, .zoom = DRAW_SMALL};
    struct buf b = BUF_EMPTY;

    if (model_board(m) != NULL) {
        draw_board(model_board(m), model_state(m), &style, &b);
        draw_force(m->scn, model_state(m), RULES_A, &style, &b);
    }
    if (m->audit.started) {
        words_position(&m->audit, model_side(m), &b);
        for (unsigned f = 0; f < m->scn->board.n_figures; f += 5)
            words_legal(m->scn, model_board(m), model_state(m), f, &b);
    }
    if (m->audit.over)
        words_over(&m->audit, &b);
    must_be_plain(&b);
    buf_fini(&b);
}

static void on_entry(void *data, const struct model *m, bool live)
{
    struct buf b = BUF_EMPTY;

    (void)data;
    (void)live;
    words_entry(&m->audit, model_side(m), &b);
    must_be_plain(&b);
    buf_fini(&b);
}

static void take(struct model *m, const struct json *j)
{
    const struct model_sink sink = {NULL, on_entry};
    const struct json *params = json_get(j, "params");
    const struct mono now = {1000};
    char why[AUDIT_WHY_LEN] = "";
    enum model_need need = MODEL_GOOD;
    const char *method = NULL;

    if (json_get_string(j, "method", &method)) {
        const enum msg_note note = msg_note_find(method);

        if (note == NOTE_MATCH_EVENT)
            need = model_event(m, params, now, &sink, why);
        else if (note == NOTE_MATCH_PRESENCE)
            model_presence(m, params);
        else if (note == NOTE_MATCH_CLOCK)
            model_clock(m, params, now);
    } else if (json_get(json_get(j, "result"), "head") != NULL) {
        need = model_sync(m, json_get(j, "result"), &sink, why);
    }
    CHECK((need != MODEL_RESYNC && need != MODEL_BACK) || why[0] != '\0');
    if (need == MODEL_RESYNC)
        model_restart(m);
}

static struct scenario *first_blood(void)
{
    struct scenario_set set;
    struct scenario *out = NULL;
    char why[SCENARIO_WHY_LEN];
    const struct scenario *s;

    scenario_set_init(&set);
    s = scenario_set_find(&set, "first-blood");
    CHECK(s != NULL && scenario_parse(s->json, s->json_len, &out, why) == ERR_OK);
    scenario_set_fini(&set);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line_reader in;
    struct model m;
    const char *line;
    size_t len;

    model_init(&m, first_blood());
    line_init(&in, LINE_LIMIT_SERVER);
    line_feed(&in, (const char *)data, size);
    while (line_next(&in, &line, &len) == LINE_GOT) {
        char why[JSON_WHY_LEN];
        struct json *j = NULL;

        if (json_parse(line, len, &json_file_limits, &j, why) == ERR_OK)
            take(&m, j);
        json_free(j);
    }
    show(&m);
    line_fini(&in);
    model_fini(&m);
    return 0;
}
