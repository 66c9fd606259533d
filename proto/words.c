/* SPDX-License-Identifier: ISC
 * words.c -- the words of the formats, each in one table.
 */
#include "common/base/str.h"
#include "proto/scenario.h"

static const char *const dirs[] = {"n", "e", "s", "w", "-"};
static const char *const types[] = {"irregular", "regular", "mounted", "civilian", "wagon"};
static const char *const grounds[] = {"open", "woods", "road", "building", "water", "vehicle"};
static const char *const obstacles[] = {"clear", "stream", "wall", "fence", "barricade"};
static const char *const statuses[] = {"ready",   "acted", "halted", "retreating",
                                       "routing", "dead",  "left",   "due"};
static const char *const wins[] = {"eliminate", "kill",    "exit", "hold",
                                   "baseline",  "survive", "reach"};
static const char *const reasons[] = {"none",     "eliminate", "kill",    "exit",        "hold",
                                      "baseline", "survive",   "reach",   "limit",       "draw",
                                      "resign",   "time",      "abandon", "adjudicated", "void"};
static const char *const morales[] = {"steady", "halt", "retreat", "rout"};
static const char *const scales[] = {"1in", "3in"};

_Static_assert(ARRAY_LEN(dirs) == RULES_NO_DIR + 1, "a word for every direction");
_Static_assert(ARRAY_LEN(types) == RULES_TYPE_COUNT, "a word for every type");
_Static_assert(ARRAY_LEN(grounds) == RULES_GROUND_COUNT, "a word for every ground");
_Static_assert(ARRAY_LEN(obstacles) == RULES_OBSTACLE_COUNT, "a word for every obstacle");
_Static_assert(ARRAY_LEN(statuses) == RULES_STATUS_COUNT, "a word for every status");
_Static_assert(ARRAY_LEN(wins) == RULES_WIN_COUNT, "a word for every victory condition");
_Static_assert(ARRAY_LEN(reasons) == RULES_REASON_COUNT, "a word for every reason");
_Static_assert(ARRAY_LEN(morales) == RULES_ROUT + 1, "a word for every result of morale");
_Static_assert(ARRAY_LEN(scales) == RULES_3IN + 1, "a word for every scale");

/* The position of `w` among words[from..n). */
static bool find(const char *const *words, size_t from, size_t n, const char *w, uint8_t *out)
{
    for (size_t i = from; i < n; i++) {
        if (str_eq(words[i], w)) {
            *out = (uint8_t)i;
            return true;
        }
    }
    return false;
}

const char *dir_word(enum rules_dir d)
{
    return dirs[d];
}

bool dir_from_word(const char *w, uint8_t *out)
{
    return find(dirs, 0, RULES_NO_DIR, w, out);
}

const char *type_word(enum rules_type t)
{
    return types[t];
}

bool type_from_word(const char *w, uint8_t *out)
{
    return find(types, 0, ARRAY_LEN(types), w, out);
}

const char *ground_word(enum rules_ground g)
{
    return grounds[g];
}

const char *obstacle_word(enum rules_obstacle o)
{
    return obstacles[o];
}

bool obstacle_from_word(const char *w, uint8_t *out)
{
    return find(obstacles, RULES_CLEAR + 1, ARRAY_LEN(obstacles), w, out);
}

const char *status_word(enum rules_status s)
{
    return statuses[s];
}

bool status_from_word(const char *w, uint8_t *out)
{
    return find(statuses, 0, ARRAY_LEN(statuses), w, out);
}

const char *win_word(enum rules_win_kind k)
{
    return wins[k];
}

bool win_from_word(const char *w, uint8_t *out)
{
    return find(wins, 0, ARRAY_LEN(wins), w, out);
}

const char *reason_word(enum rules_reason r)
{
    return reasons[r];
}

bool reason_from_word(const char *w, uint8_t *out)
{
    return find(reasons, RULES_BY_NOTHING + 1, ARRAY_LEN(reasons), w, out);
}

const char *morale_word(enum rules_morale m)
{
    return morales[m];
}

bool morale_from_word(const char *w, uint8_t *out)
{
    return find(morales, 0, ARRAY_LEN(morales), w, out);
}

const char *scale_word(enum rules_scale s)
{
    return scales[s];
}

bool scale_from_word(const char *w, uint8_t *out)
{
    return find(scales, 0, ARRAY_LEN(scales), w, out);
}
