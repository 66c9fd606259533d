/* SPDX-License-Identifier: ISC
 * cmd_replay.c -- `skirmish replay` and `skirmish luck`: a record told again, and its dice weighed.
 */
#include "client/cmd.h"
#include "client/draw.h"
#include "client/luck.h"
#include "client/record.h"
#include "client/words.h"
#include "common/base/mem.h"
#include "common/base/str.h"

struct replay {
    struct buf out;
    bool boards, ascii;
    unsigned turn;     /* only this one; 0: all */
    struct luck *luck; /* instead of telling */
};

static void tell(struct replay *p, const struct audit *a)
{
    const struct draw_style style = {.ascii = p->ascii};
    const unsigned turn = a->started ? a->game.rules.state.turn : 0;
    const size_t before = p->out.len;

    if (p->turn != 0 && p->turn != turn)
        return;
    words_entry(a, RULES_NOBODY, &p->out);
    if (p->out.len > before)
        buf_putc(&p->out, '\n');
    if (p->boards && a->last.kind == ENTRY_PLAY &&
        (a->last.u.play.event.kind == RULES_EV_END_PHASE ||
         a->last.u.play.event.kind == RULES_EV_OVER) &&
        a->started)
        draw_board(a->board, &a->game.rules.state, &style, &p->out);
}

static void on_entry(void *data, const struct record *r)
{
    struct replay *p = data;

    if (p->luck != NULL)
        luck_entry(p->luck, &r->audit);
    else
        tell(p, &r->audit);
}

/* The record at `path`, through `p`; what was told before a bad line is shown. */
static int play(struct replay *p, const char *path)
{
    const struct record_sink sink = {p, on_entry};
    struct buf text = BUF_EMPTY;
    struct record r;
    int code = cmd_read_file(path, RECORD_FILE_MAX, &text), bad = EX_OK;

    if (code != EX_OK)
        return code;
    if (record_check(&r, buf_str(&text), text.len, NULL, &sink) != ERR_OK)
        bad = cmd_fail(EX_DATAERR, "%s: line %llu: %s", path, (unsigned long long)r.line, r.why);
    else if (p->luck != NULL)
        luck_words(p->luck, r.scn, &p->out);
    code = cmd_write(&p->out);
    record_fini(&r);
    buf_fini(&text);
    return bad != EX_OK ? bad : code;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct replay p = {.ascii = !cmd_is_utf8()};
    const char *path = NULL;
    int64_t turn = 0;
    int code;

    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--boards"))
            p.boards = true;
        else if (str_eq(argv[i], "--ascii"))
            p.ascii = true;
        else if (str_eq(argv[i], "--turn") && i + 1 < argc &&
                 str_to_int(argv[i + 1], 1, RULES_TURNS_MAX, &turn))
            i++;
        else if (path == NULL && (argv[i][0] != '-' || argv[i][1] == '\0'))
            path = argv[i];
        else
            return cmd_usage(self);
    }
    if (path == NULL)
        return cmd_usage(self);
    p.turn = (unsigned)turn;
    code = play(&p, path);
    buf_fini(&p.out);
    return code;
}

static int run_luck(const struct command *self, int argc, char **argv)
{
    struct replay p = {0};
    int code;

    if (argc != 2)
        return cmd_usage(self);
    p.luck = mem_zalloc(sizeof(*p.luck));
    code = play(&p, argv[1]);
    mem_free(p.luck);
    buf_fini(&p.out);
    return code;
}

const struct command cmd_replay = {
    .name = "replay",
    .usage = "FILE [--boards] [--turn N] [--ascii]",
    .help = "tell a recorded match again, checking it on the way",
    .run = run,
};
const struct command cmd_luck = {
    .name = "luck",
    .usage = "FILE",
    .help = "what each side of a record rolled, against what was to be expected",
    .run = run_luck,
};
