/* SPDX-License-Identifier: ISC
 * cmd_balance.c -- let bots play a scenario many times and say how it came out.
 *
 * Games are shared out to threads by a counter and put into a table by their index, so the figures
 * don't depend on how many cores there are.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "client/balance.h"
#include "client/cmd.h"
#include "common/base/mem.h"
#include "common/base/str.h"

#define GAMES_MAX 1000000
#define JOBS_MAX  64

struct options {
    const char *scenario, *svg, *readings;
    enum bot_level level[2];
    int64_t games, seed, jobs;
    bool swaps;
};

/* ---- the command line ---- */

static bool read_bots(const char *text, struct options *o)
{
    char first[16];
    const char *comma = strchr(text, ',');

    if (comma == NULL)
        return bot_level_from_word(text, &o->level[0]) && bot_level_from_word(text, &o->level[1]);
    return str_ncopy(first, sizeof(first), text, (size_t)(comma - text)) &&
           bot_level_from_word(first, &o->level[0]) && bot_level_from_word(comma + 1, &o->level[1]);
}

/* One option with its value. */
static bool read_option(const char *name, const char *value, struct options *o)
{
    if (str_eq(name, "--games"))
        return str_to_int(value, 1, GAMES_MAX, &o->games);
    if (str_eq(name, "--seed"))
        return str_to_int(value, 0, INT64_MAX, &o->seed);
    if (str_eq(name, "--jobs"))
        return str_to_int(value, 1, JOBS_MAX, &o->jobs);
    if (str_eq(name, "--bots"))
        return read_bots(value, o);
    if (str_eq(name, "--readings")) {
        o->readings = value;
        return true;
    }
    if (str_eq(name, "--svg")) {
        o->svg = value;
        return true;
    }
    return false;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--swap")) {
            o->swaps = true;
        } else if (argv[i][0] != '-' && o->scenario == NULL) {
            o->scenario = argv[i];
        } else {
            if (i + 1 >= argc || !read_option(argv[i], argv[i + 1], o))
                return false;
            i++;
        }
    }
    return o->scenario != NULL;
}

/* "melee:after_each,roster:arrived" over *r. EX_OK, or said. */
static int read_readings(const char *text, struct rules_readings *r)
{
    struct buf json = BUF_EMPTY;
    struct json *j = NULL;
    char why[SCENARIO_WHY_LEN];
    enum err e;

    buf_puts(&json, "{\"");
    for (; *text != '\0'; text++) {
        if (*text == ':' || *text == ',')
            buf_printf(&json, "\"%c\"", *text);
        else
            buf_putc(&json, *text);
    }
    buf_puts(&json, "\"}");
    e = json_parse(buf_str(&json), json.len, &json_file_limits, &j, why);
    if (e == ERR_OK)
        e = readings_from_json(j, r, why);
    json_free(j);
    buf_fini(&json);
    return e == ERR_OK ? EX_OK : cmd_fail(EX_USAGE, "--readings: %s", why);
}

/* ---- the games ---- */

struct crew {
    const struct balance_setup *setup;
    struct balance_game *game;
    uint32_t n;
    atomic_uint_least32_t next;
};

static void *play_some(void *data)
{
    struct crew *crew = data;

    for (;;) {
        const uint32_t i = atomic_fetch_add(&crew->next, 1);

        if (i >= crew->n)
            return NULL;
        balance_play(crew->setup, i, &crew->game[i]);
    }
}

static void play_all(const struct balance_setup *setup, uint32_t games, unsigned jobs,
                     struct balance_tally *t)
{
    struct crew crew = {.setup = setup, .n = games};
    pthread_t thread[JOBS_MAX];
    unsigned started = 0;

    crew.game = mem_array(games, sizeof(*crew.game));
    while (started + 1 < jobs && pthread_create(&thread[started], NULL, play_some, &crew) == 0)
        started++;
    (void)play_some(&crew);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < games; i++)
        balance_add(t, &crew.game[i]);
    mem_free(crew.game);
}

static double cpu_seconds(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return 0.0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int write_svg(const char *path, const struct buf *svg)
{
    FILE *f = fopen(path, "w");
    bool ok;

    if (f == NULL)
        return cmd_fail(EX_CANTCREAT, "%s: can't be written", path);
    ok = fwrite(buf_str(svg), 1, svg->len, f) == svg->len;
    ok = fclose(f) == 0 && ok;
    return ok ? EX_OK : cmd_fail(EX_IOERR, "%s: can't be written whole", path);
}

static int balance_one(const struct scenario *scn, const struct options *o,
                       struct balance_tally *total)
{
    struct rules_readings readings = scn->board.readings;
    struct balance_tally *t = mem_zalloc(sizeof(*t));
    struct balance_setup setup = {NULL, {o->level[0], o->level[1]}, o->swaps, (uint64_t)o->seed};
    struct buf out = BUF_EMPTY;
    double began;
    int code = o->readings == NULL ? EX_OK : read_readings(o->readings, &readings);

    if (code == EX_OK) {
        struct rules_board *board = scenario_board_with(scn, &readings);

        setup.board = board;
        began = cpu_seconds();
        play_all(&setup, (uint32_t)o->games, (unsigned)o->jobs, t);
        balance_words(t, &setup, scn, cpu_seconds() - began, &out);
        code = cmd_write(&out);
        buf_reset(&out);
        if (code == EX_OK && o->svg != NULL) {
            balance_svg(t, &setup, scn, &out);
            code = write_svg(o->svg, &out);
        }
        mem_free(board);
    }
    for (unsigned i = 0; i < 2; i++)
        total->bot_won[i] += t->bot_won[i];
    total->games += t->games;
    total->draws += t->draws;
    buf_fini(&out);
    mem_free(t);
    return code;
}

/* Every shipped scenario with as many games, then the bots' account over all of them. */
static int balance_all(const struct options *o)
{
    struct balance_tally *total = mem_zalloc(sizeof(*total));
    struct scenario_set set;
    int code = EX_OK;

    scenario_set_init(&set);
    for (size_t i = 0; i < set.len && code == EX_OK; i++) {
        code = balance_one(set.item[i], o, total);
        (void)putchar('\n');
        (void)fflush(stdout);
    }
    for (unsigned i = 0; i < 2 && code == EX_OK; i++) {
        const struct balance_share s = balance_share(total->bot_won[i], total->games);

        (void)printf("all: %s%s won %u of %u, %.1f%% (%.1f to %.1f), %u drawn\n",
                     bot_level_word(o->level[i]),
                     o->swaps ? ""
                     : i == 0 ? " (A)"
                              : " (B)",
                     total->bot_won[i], total->games, 100.0 * s.share, 100.0 * s.low,
                     100.0 * s.high, total->draws);
    }
    scenario_set_fini(&set);
    mem_free(total);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct options o = {.level = {BOT_SERGEANT, BOT_SERGEANT},
                        .games = 200,
                        .seed = 1,
                        .jobs = cores < 1 ? 1 : MIN(cores, JOBS_MAX)};
    struct balance_tally *total;
    struct scenario *scn = NULL;
    int code;

    if (!read_options(argc, argv, &o))
        return cmd_usage(self);
    if (str_eq(o.scenario, "all"))
        return o.svg == NULL ? balance_all(&o)
                             : cmd_fail(EX_USAGE, "--svg draws one scenario, not all");
    code = cmd_load_scenario(o.scenario, &scn);
    total = mem_zalloc(sizeof(*total));
    if (code == EX_OK)
        code = balance_one(scn, &o, total);
    mem_free(total);
    scenario_free(scn);
    return code;
}

const struct command cmd_balance = {
    .name = "balance",
    .usage = "SCENARIO|FILE|all [--games N] [--bots LEVEL[,LEVEL]] [--swap]\n"
             "SCENARIO|FILE [--readings NAME:VALUE,...] [--seed S] [--jobs N] [--svg FILE]",
    .help = "let bots play a scenario many times: who wins, how, how long",
    .run = run,
};
