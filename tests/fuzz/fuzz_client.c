/* SPDX-License-Identifier: ISC
 * The client's reader, model, words and screen against a hostile server: whatever lines come, it
 * stands, and what a person is shown holds no control character.
 *
 * Input: the server's lines, as a spectator or player of a first-blood match hears them.
 */
#include "client/draw.h"
#include "client/model.h"
#include "client/tui/view_match.h"
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

/* What the screen of a match remembers. */
struct screen {
    struct log log;
    struct film film;
    struct table table;
};

static void draw(const struct model *m, struct screen *sc, struct area size, bool ascii)
{
    struct scene v = {.a = &m->audit,
                      .s = &m->audit.game.rules.state,
                      .me = model_side(m),
                      .may_order = model_may_order(m),
                      .running = m->clock.known ? m->clock.running : (uint8_t)RULES_NOBODY,
                      .spectators = m->spectators,
                      .match = m->match,
                      .dice = "",
                      .kept = "",
                      .status = "",
                      .log = &sc->log,
                      .film = &sc->film,
                      .at = SIZE_MAX};
    struct canvas c;
    struct keymap km;

    for (unsigned side = 0; side < 2; side++)
        v.player[side].name = audit_player(&m->audit, (enum rules_side)side);
    keymap_init(&km);
    canvas_init(&c, size.w, size.h, ascii);
    view_match(&c, &v, &km, &sc->table);
    for (int i = 0; i < c.w * c.h; i++)
        CHECK(c.cell[i].cp == 0 || (c.cell[i].cp >= ' ' && c.cell[i].cp != 0x7f));
    canvas_fini(&c);
}

static void show_screen(const struct model *m, struct screen *sc)
{
    if (!m->audit.started || model_board(m) == NULL)
        return;
    select_init(&sc->table.select, model_board(m));
    draw(m, sc, (struct area){.w = 80, .h = 24}, false);
    draw(m, sc, (struct area){.w = 132, .h = 43}, true);
}

static void on_entry(void *data, const struct model *m, bool live)
{
    struct screen *sc = data;
    struct buf b = BUF_EMPTY;

    (void)live;
    words_entry(&m->audit, model_side(m), &b);
    must_be_plain(&b);
    if (b.len > 0)
        log_add(&sc->log, LOG_PLAY, buf_str(&b));
    film_add(&sc->film, &m->audit, model_side(m));
    buf_fini(&b);
}

static void take(struct model *m, struct screen *sc, const struct json *j)
{
    const struct model_sink sink = {sc, on_entry};
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
    struct screen sc = {.log = {0}};
    const char *line;
    size_t len;

    model_init(&m, first_blood());
    line_init(&in, LINE_LIMIT_SERVER);
    line_feed(&in, (const char *)data, size);
    while (line_next(&in, &line, &len) == LINE_GOT) {
        char why[JSON_WHY_LEN];
        struct json *j = NULL;

        if (json_parse(line, len, &json_file_limits, &j, why) == ERR_OK)
            take(&m, &sc, j);
        json_free(j);
    }
    show(&m);
    show_screen(&m, &sc);
    film_fini(&sc.film);
    log_fini(&sc.log);
    line_fini(&in);
    model_fini(&m);
    return 0;
}
