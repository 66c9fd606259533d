/* SPDX-License-Identifier: ISC
 * cmd_scenario.c -- look at scenarios: list, show, draw, check.
 */
#include "client/cmd.h"
#include "client/describe.h"
#include "client/draw.h"
#include "client/scenario_doubts.h"
#include "client/scenario_svg.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

static int list(void)
{
    struct scenario_set set;
    struct buf out = BUF_EMPTY;
    int code;

    scenario_set_init(&set);
    for (size_t i = 0; i < set.len; i++) {
        const struct scenario *s = set.item[i];

        buf_printf(&out, "%-30s %s  %2ux%-2u  %3u turns  %s (%s v %s)\n", s->id,
                   scale_word((enum rules_scale)s->board.scale), s->board.w, s->board.h,
                   s->board.turns, s->title, s->side[RULES_A].name, s->side[RULES_B].name);
    }
    code = cmd_write(&out);
    buf_fini(&out);
    scenario_set_fini(&set);
    return code;
}

/* A text that the reader doesn't look at (briefing, note, inspiration): only if it is plain. */
static void put_words(const char *head, const struct json *of, const char *member, struct buf *out)
{
    const char *text = NULL;
    size_t len;

    if (!json_get_string(of, member, &text))
        return;
    len = strlen(text);
    for (size_t i = 0, n; i < len; i += n) {
        uint32_t cp = 0;

        n = utf8_decode(text + i, len - i, &cp);
        if (n == 0 || !utf8_is_plain(cp))
            return;
    }
    buf_printf(out, "%s%s\n", head, text);
}

/* What the file says beyond the rules: each side's briefing, where it comes from, how to play it. */
static void put_asides(const struct scenario *s, struct buf *out)
{
    const struct json *side = NULL;
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    if (json_parse(s->json, s->json_len, &json_file_limits, &j, why) != ERR_OK)
        return;
    side = json_first(json_get(j, "sides"));
    for (unsigned i = RULES_A; i <= RULES_B && side != NULL; i++, side = json_next(side)) {
        struct buf head = BUF_EMPTY;

        buf_printf(&head, "\nBriefing for %s\n", s->side[i].name);
        put_words(buf_str(&head), side, "briefing", out);
        buf_fini(&head);
    }
    put_words("\nDesigner's note\n", j, "note", out);
    put_words("\nInspiration\n", j, "inspiration", out);
    json_free(j);
}

static void put_side(const struct scenario *s, const struct rules_state *start,
                     enum rules_side side, const struct draw_style *style, struct buf *out)
{
    const struct rules_board_side *is = &s->board.side[side];

    buf_printf(out, "\n%s (%s), %u soldiers, home %s\n", s->side[side].name, s->side[side].id,
               is->soldiers, describe_dir((enum rules_dir)is->home));
    draw_force(s, start, side, style, out);
    buf_printf(out, "Victory for %s\n", s->side[side].name);
    describe_wins(s, side, out);
}

static void describe(const struct scenario *s, struct buf *out)
{
    const struct draw_style style = {.ascii = !cmd_is_utf8(), .zoom = DRAW_AUTO};
    struct rules_state start;
    struct buf readings = BUF_EMPTY;

    rules_begin(&s->board, &start);
    buf_printf(out, "%s (%s), by %s\n%s, %ux%u squares, %u turns\n%s\n\n", s->title, s->id,
               s->author, scale_word((enum rules_scale)s->board.scale), s->board.w, s->board.h,
               s->board.turns, s->summary);
    draw_board(&s->board, &start, &style, out);
    buf_putc(out, '\n');
    draw_legend(&s->board, &style, out);
    put_side(s, &start, RULES_A, &style, out);
    put_side(s, &start, RULES_B, &style, out);
    if (s->board.n_waves > 0)
        buf_puts(out, "\nReinforcements\n");
    describe_waves(s, out);
    describe_readings(&s->board.readings, &readings);
    if (readings.len > 0)
        buf_printf(out, "\nHouse readings\n%s", buf_str(&readings));
    buf_fini(&readings);
    buf_putc(out, '\n');
    describe_limit(s, out);
    put_asides(s, out);
}

static int show(const char *id)
{
    struct scenario *s = NULL;
    struct buf out = BUF_EMPTY;
    int code = cmd_load_scenario(id, &s);

    if (code == EX_OK) {
        describe(s, &out);
        code = cmd_write(&out);
    }
    buf_fini(&out);
    scenario_free(s);
    return code;
}

static int draw(const char *id, bool svg)
{
    const struct draw_style style = {.ascii = !cmd_is_utf8(), .zoom = DRAW_AUTO};
    struct scenario *s = NULL;
    struct rules_state start;
    struct buf out = BUF_EMPTY;
    int code = cmd_load_scenario(id, &s);

    if (code == EX_OK) {
        rules_begin(&s->board, &start);
        if (svg) {
            scenario_svg(s, &start, &out);
        } else {
            draw_board(&s->board, &start, &style, &out);
            draw_legend(&s->board, &style, &out);
        }
        code = cmd_write(&out);
    }
    buf_fini(&out);
    scenario_free(s);
    return code;
}

static void check_one(const char *path, const struct scenario *s)
{
    struct buf out = BUF_EMPTY;

    (void)printf("%s: sound: %s\n", path, s->title);
    if (scenario_doubts(s, "  but: ", &out) > 0)
        (void)fputs(buf_str(&out), stdout);
    buf_fini(&out);
}

/* All files are looked at; the first failure gives the exit code. What looks wrong is said, and
 * is no failure. */
static int check(int n, char **path)
{
    int code = EX_OK;

    for (int i = 0; i < n; i++) {
        struct scenario *s = NULL;
        const int one = cmd_load_scenario(path[i], &s);

        if (one == EX_OK)
            check_one(path[i], s);
        else if (code == EX_OK)
            code = one;
        scenario_free(s);
    }
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    if (argc == 2 && str_eq(argv[1], "list"))
        return list();
    if (argc == 3 && str_eq(argv[1], "show"))
        return show(argv[2]);
    if (argc >= 3 && str_eq(argv[1], "check"))
        return check(argc - 2, argv + 2);
    if (argc == 3 && str_eq(argv[1], "draw"))
        return draw(argv[2], false);
    if (argc == 4 && str_eq(argv[1], "draw") && str_eq(argv[3], "--svg"))
        return draw(argv[2], true);
    return cmd_usage(self);
}

const struct command cmd_scenario = {
    .name = "scenario",
    .usage = "list\nshow ID|FILE\ndraw ID|FILE [--svg]\ncheck ID|FILE...",
    .help = "list the shipped scenarios, show or draw one, check files",
    .run = run,
};
