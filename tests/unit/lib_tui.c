/* SPDX-License-Identifier: ISC
 * lib_tui.c -- a table with a game on it. */
#include "tests/unit/lib_tui.h"

#include "tests/cmocka_all.h"

#include "client/orders.h"
#include "common/base/str.h"

static void roll(void *data, uint8_t *face, size_t n)
{
    struct stage *s = data;

    for (size_t i = 0; i < n; i++) {
        if (s->dice[s->dice_at] == '\0')
            s->dice_at = 0;
        face[i] = (uint8_t)(s->dice[s->dice_at++] - '0');
        assert_in_range(face[i], 1, 6);
    }
}

static void on_event(void *data, const struct film_frame *frame)
{
    struct stage *s = data;

    log_add(&s->log, LOG_PLAY, frame->words);
}

static struct scenario *load(const char *scenario)
{
    char why[SCENARIO_WHY_LEN] = "no such scenario";
    struct scenario *scn = NULL;
    const char *text = scenario;

    for (size_t i = 0; i < scenario_files_len; i++) {
        if (str_eq(scenario_files[i].id, scenario))
            text = scenario_files[i].text;
    }
    if (scenario_parse(text, strlen(text), &scn, why) != ERR_OK)
        fail_msg("%s", why);
    return scn;
}

void stage_init(struct stage *s, const char *scenario, const char *dice)
{
    static const char *const players[2] = {"Legionnaire", "Moktar"};
    const struct local_hooks hooks = {s, roll, on_event};

    memset(s, 0, sizeof(*s));
    s->dice = dice;
    s->scn = load(scenario);
    keymap_init(&s->km);
    canvas_init(&s->canvas, 80, 24, false);
    local_init(&s->local, s->scn, players, &hooks);
    select_init(&s->table.select, &s->scn->board);
    s->scene.kind = SCENE_MATCH;
    s->scene.a = &s->local.audit;
    s->scene.s = &s->local.audit.game.rules.state;
    s->scene.log = &s->log;
    s->scene.film = &s->local.film;
    s->scene.at = SIZE_MAX;
    s->scene.running = RULES_NOBODY;
    s->scene.dice = "dice checked";
    s->scene.match = "142";
    s->scene.player[0].name = players[0];
    s->scene.player[1].name = players[1];
    stage_sit(s, RULES_NOBODY);
}

void stage_fini(struct stage *s)
{
    canvas_fini(&s->canvas);
    log_fini(&s->log);
    local_fini(&s->local);
    scenario_free(s->scn);
}

void stage_sit(struct stage *s, enum rules_side side)
{
    const bool mine = side == s->scene.s->active;

    s->scene.me = side;
    s->scene.may_order = mine;
    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++)
        s->scene.can[a] = true;
    s->scene.can[ACT_FIRE] = mine;
    s->scene.can[ACT_UNDO] = mine;
    s->scene.can[ACT_END_PHASE] = mine;
    s->scene.can[ACT_EXIT] = false;
    s->scene.can[ACT_GROUP] = s->scn->board.scale == RULES_3IN;
}

void stage_order(struct stage *s, const char *line)
{
    const struct orders_place at = {s->scn, s->scene.a->board, s->scene.s,
                                    (enum rules_side)s->scene.s->active};
    struct buf why = BUF_EMPTY;
    struct said said;

    if (orders_parse(&at, line, &said, &why) != ERR_OK)
        fail_msg("%s: %s", line, buf_str(&why));
    said.order.side = s->scene.s->active;
    if (local_order(&s->local, &said.order, &why) != ERR_OK)
        fail_msg("%s: %s", line, buf_str(&why));
    buf_fini(&why);
}

void stage_choose(struct stage *s, const char *figure)
{
    const struct select_place at = {s->scn, s->scene.a->board, s->scene.s, s->scene.me};
    const unsigned f = rules_figure_find(at.board, figure);

    assert_int_not_equal(f, RULES_NO_FIGURE);
    select_figure(&s->table.select, &at, f);
}

/* ---- golden files ---- */

static void golden_path(const char *name, char *path, size_t size)
{
    const char *src = getenv("SK_SRC");

    (void)snprintf(path, size, "%s/tests/golden/tui/%s.txt", src != NULL ? src : ".", name);
}

static void golden_write(const char *path, const struct buf *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text->data, 1, text->len, f), text->len);
    assert_int_equal(fclose(f), 0);
}

void golden_canvas(const struct canvas *c, const char *name)
{
    struct buf have = BUF_EMPTY, want = BUF_EMPTY;
    char path[512];

    golden_path(name, path, sizeof(path));
    canvas_text(c, &have);
    if (getenv("SK_UPDATE") != NULL)
        golden_write(path, &have);
    if (buf_read_file(&want, path, 1U << 20) != ERR_OK)
        fail_msg("%s can't be read", path);
    if (!str_eq(buf_str(&have), buf_str(&want)))
        fail_msg("%s differs; the screen is now:\n%s", path, buf_str(&have));
    buf_fini(&have);
    buf_fini(&want);
}

void stage_shot(struct stage *s, const char *name, int w, int h, bool ascii)
{
    canvas_reset(&s->canvas, w, h, ascii);
    if (s->table.over == TABLE_BOARD)
        view_match(&s->canvas, &s->scene, &s->km, &s->table);
    else
        view_over(&s->canvas, &s->scene, &s->km, &s->table);
    golden_canvas(&s->canvas, name);
}
