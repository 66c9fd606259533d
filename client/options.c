/* SPDX-License-Identifier: ISC
 * options.c -- the command line that play, bot and watch share.
 */
#include "client/options.h"

#include "client/trust.h"
#include "common/base/str.h"

enum option_id {
    OPT_SERVER,
    OPT_NAME,
    OPT_CREATE,
    OPT_SIDE,
    OPT_JOIN,
    OPT_CLOCK,
    OPT_FAIR,
    OPT_RATED,
    OPT_PRIVATE,
    OPT_OPPONENT,
    OPT_DELAY,
    OPT_SPECTATORS,
    OPT_INVITE,
    OPT_JSON,
    OPT_SCRIPT,
    OPT_PLAIN,
    OPT_ASCII,
    OPT_STAY,
    OPT_GO_ON,
    OPT_LEVEL,
    OPT_HOUSE,
    OPT_SEED,
    OPT_PATIENCE,
    OPT_CA,
    OPT_PRINT,
    OPT_COUNT
};
static const struct {
    const char *word;
    bool has_value;
} table[] = {
    [OPT_SERVER] = {"--server", true},
    [OPT_NAME] = {"--name", true},
    [OPT_CREATE] = {"--create", true},
    [OPT_SIDE] = {"--side", true},
    [OPT_JOIN] = {"--join", true},
    [OPT_CLOCK] = {"--clock", true},
    [OPT_FAIR] = {"--fair", true},
    [OPT_RATED] = {"--rated", false},
    [OPT_PRIVATE] = {"--private", false},
    [OPT_OPPONENT] = {"--opponent", true},
    [OPT_INVITE] = {"--invite", true},
    [OPT_JSON] = {"--json", false},
    [OPT_SCRIPT] = {"--script", true},
    [OPT_PLAIN] = {"--plain", false},
    [OPT_ASCII] = {"--ascii", false},
    [OPT_STAY] = {"--stay", false},
    [OPT_GO_ON] = {"--go-on", false},
    [OPT_LEVEL] = {"--level", true},
    [OPT_HOUSE] = {"--house", false},
    [OPT_SEED] = {"--seed", true},
    [OPT_PATIENCE] = {"--patience", true},
    [OPT_CA] = {"--ca", true},
    [OPT_PRINT] = {"--fingerprint", true},
    [OPT_DELAY] = {"--delay", true},
    [OPT_SPECTATORS] = {"--max-spectators", true},
};
_Static_assert(ARRAY_LEN(table) == OPT_COUNT, "a row for every option");

/* A number of seconds: "90", "90s", "20m", "1h". */
static bool read_seconds(const char *text, size_t n, uint32_t *out)
{
    char digits[16];
    int64_t v, unit = 1;

    if (n == 0 || n >= sizeof(digits))
        return false;
    if (text[n - 1] == 's' || text[n - 1] == 'm' || text[n - 1] == 'h') {
        unit = text[n - 1] == 's' ? 1 : text[n - 1] == 'm' ? 60 : 3600;
        n--;
    }
    (void)str_ncopy(digits, sizeof(digits), text, n);
    if (!str_to_int(digits, 0, 1000000, &v))
        return false;
    *out = (uint32_t)(v * unit);
    return true;
}

bool options_clock(const char *text, struct clock_rule *out)
{
    const char *plus = strchr(text, '+');
    const size_t n = strlen(text);
    char digits[16];
    int64_t days;

    *out = (struct clock_rule){.kind = CLOCK_NONE};
    if (str_eq(text, "none"))
        return true;
    if (n > 1 && n < sizeof(digits) && text[n - 1] == 'd') {
        (void)str_ncopy(digits, sizeof(digits), text, n - 1);
        if (!str_to_int(digits, 1, 30, &days))
            return false;
        *out = (struct clock_rule){.kind = CLOCK_CORRESPONDENCE, .days = (uint32_t)days};
        return true;
    }
    out->kind = CLOCK_LIVE;
    if (plus == NULL)
        return read_seconds(text, n, &out->main_s) && out->main_s > 0;
    return read_seconds(text, (size_t)(plus - text), &out->main_s) &&
           read_seconds(plus + 1, strlen(plus + 1), &out->phase_s) &&
           out->main_s + out->phase_s > 0;
}

bool options_delay(const char *text, uint32_t *out)
{
    int64_t v;

    if (!str_to_int(text, 0, 100, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

bool options_spectators(const char *text, uint32_t *out)
{
    int64_t v;

    if (!str_to_int(text, 1, 1000000, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

/* Of those that have a form of their own: EX_OK or a code (said). */
static int check_wish(struct seat_wish *w, enum option_id id, const char *value)
{
    if (id == OPT_JOIN && !str_eq(value, "any") && !url_is_match(value))
        return cmd_fail(EX_USAGE, "--join takes a match's id or number, or any");
    if (id == OPT_CLOCK && !options_clock(value, &w->clock))
        return cmd_fail(EX_USAGE, "--clock takes none, MAIN+PHASE (20m+30s) or DAYSd (3d)");
    if (id == OPT_FAIR && !fair_from_word(value, &w->fair))
        return cmd_fail(EX_USAGE, "--fair takes strict, normal or server");
    if (id == OPT_DELAY && !options_delay(value, &w->delay))
        return cmd_fail(EX_USAGE, "--delay takes a number of phases, 0 to 100");
    if (id == OPT_SPECTATORS && !options_spectators(value, &w->max_spectators))
        return cmd_fail(EX_USAGE, "--max-spectators takes a number, 1 to 1000000");
    return EX_OK;
}

/* The options that say what match is meant. EX_OK or a code (said). */
static int read_wish(struct seat_wish *w, enum option_id id, const char *given)
{
    const char *value = given == NULL ? "" : given; /* a flag */

    if (id == OPT_CREATE)
        w->scenario = value;
    else if (id == OPT_SIDE)
        w->side = value;
    else if (id == OPT_JOIN)
        w->match = value;
    else if (id == OPT_OPPONENT)
        w->opponent = value;
    else if (id == OPT_INVITE)
        w->invite = value;
    else if (id == OPT_RATED)
        w->rated = true;
    else if (id == OPT_PRIVATE)
        w->is_private = true;
    else if (id == OPT_GO_ON)
        w->go_on = true;
    w->has_fair = w->has_fair || id == OPT_FAIR;
    return check_wish(w, id, value);
}

/* Of an option that takes no value; NULL: another. */
static bool *flag_of(struct options *o, enum option_id id)
{
    if (id == OPT_JSON)
        return &o->json;
    if (id == OPT_PLAIN)
        return &o->plain;
    if (id == OPT_ASCII)
        return &o->ascii;
    if (id == OPT_STAY)
        return &o->stay;
    return id == OPT_HOUSE ? &o->house : NULL;
}

static int read_one(struct options *o, enum option_id id, const char *value, const char **server)
{
    bool *flag = flag_of(o, id);

    if (flag != NULL)
        *flag = true;
    switch (id) {
    case OPT_SERVER:
        *server = value;
        break;
    case OPT_NAME:
        o->name = value;
        if (!msg_name_ok(value))
            return cmd_fail(EX_USAGE, "a name is 3 to 20 letters, digits, _ or -");
        break;
    case OPT_SCRIPT:
        o->script = value;
        break;
    case OPT_LEVEL:
        o->level = value;
        break;
    case OPT_SEED:
        if (!str_to_int(value, 0, INT64_C(9007199254740992), &o->seed))
            return cmd_fail(EX_USAGE, "--seed takes a whole number");
        break;
    case OPT_CA:
        o->ca = value;
        break;
    case OPT_PRINT:
        o->print = value;
        if (!trust_is_print(value))
            return cmd_fail(EX_USAGE, "a fingerprint is SHA256: and 64 digits of hex");
        break;
    case OPT_PATIENCE:
        if (!str_to_int(value, 0, 31536000, &o->patience_s))
            return cmd_fail(EX_USAGE, "--patience takes seconds");
        break;
    case OPT_CREATE:
    case OPT_SIDE:
    case OPT_JOIN:
    case OPT_CLOCK:
    case OPT_FAIR:
    case OPT_RATED:
    case OPT_PRIVATE:
    case OPT_OPPONENT:
    case OPT_INVITE:
    case OPT_DELAY:
    case OPT_SPECTATORS:
    case OPT_GO_ON:
        return read_wish(&o->wish, id, value);
    case OPT_JSON:
    case OPT_PLAIN:
    case OPT_ASCII:
    case OPT_STAY:
    case OPT_HOUSE:
    case OPT_COUNT:
        break;
    }
    return EX_OK;
}

static enum option_id find(const char *word)
{
    for (unsigned i = 0; i < OPT_COUNT; i++) {
        if (str_eq(word, table[i].word))
            return (enum option_id)i;
    }
    return OPT_COUNT;
}

static int read_all(const struct command *self, int argc, char **argv, struct options *o,
                    const char **server)
{
    for (int i = 1; i < argc; i++) {
        const enum option_id id = find(argv[i]);
        int code;

        if (id == OPT_COUNT && argv[i][0] != '-' && *server == NULL) {
            *server = argv[i];
            continue;
        }
        if (id == OPT_COUNT) {
            (void)cmd_fail(EX_USAGE, "%s means nothing here", argv[i]);
            return cmd_usage(self);
        }
        if (table[id].has_value && i + 1 >= argc) {
            (void)cmd_fail(EX_USAGE, "%s wants something behind it", argv[i]);
            return cmd_usage(self);
        }
        code = read_one(o, id, table[id].has_value ? argv[++i] : NULL, server);
        if (code != EX_OK)
            return code;
    }
    return EX_OK;
}

/* Which match, if any, the options mean. */
static int settle_wish(struct options *o)
{
    struct seat_wish *w = &o->wish;

    if (w->match == NULL && o->url.match[0] != '\0')
        w->match = o->url.match;
    if (w->scenario != NULL && w->match != NULL)
        return cmd_fail(EX_USAGE, "either --create a match or --join one");
    w->goal = w->scenario != NULL ? SEAT_CREATE : SEAT_JOIN;
    o->has_wish = w->scenario != NULL || w->match != NULL;
    if (w->scenario == NULL &&
        (w->side != NULL || w->has_fair || w->rated || w->is_private || w->opponent != NULL ||
         w->clock.kind != CLOCK_NONE || w->delay > 0 || w->max_spectators > 0))
        return cmd_fail(EX_USAGE, "--side, --clock, --fair and the like go with --create");
    return EX_OK;
}

int options_read(const struct command *self, int argc, char **argv, struct options *out)
{
    const char *server = NULL;
    char why[URL_WHY_LEN];
    int code;

    memset(out, 0, sizeof(*out));
    out->seed = -1;
    code = read_all(self, argc, argv, out, &server);
    if (code != EX_OK)
        return code;
    if (server == NULL)
        server = getenv("SKIRMISH_SERVER");
    if (server == NULL || server[0] == '\0')
        server = URL_DEFAULT;
    if (url_parse(server, &out->url, why) != ERR_OK)
        return cmd_fail(EX_USAGE, "%s: %s", server, why);
    return settle_wish(out);
}
