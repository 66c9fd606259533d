/* SPDX-License-Identifier: ISC
 * scenario.h -- scenario files: JSON to board and words, checked (PROTOCOL, Scenario files).
 */
#ifndef SK_PROTO_SCENARIO_H
#define SK_PROTO_SCENARIO_H

#include "common/base/buf.h"
#include "common/rules/rules.h"
#include "proto/json.h"
#include "proto/scenario_files.h"

#define SCENARIO_FILE_MAX ((size_t)1024 * 1024)

struct scenario_side {
    char id[RULES_ID_LEN + 1];
    char *name;
};

/* A checked scenario. Strings are owned by it and plain UTF-8 (no control characters). */
struct scenario {
    char id[RULES_ID_LEN + 1];
    char *title, *author, *summary;
    struct scenario_side side[2];
    char *figure_name[RULES_FIGURES_MAX]; /* NULL: none; roster order */
    char *json;                           /* the file's members, compact: what scenario.get gives */
    size_t json_len;
    uint8_t hash[RULES_HASH_LEN]; /* SHA-256 of json */
    struct rules_board board;     /* with the file's own readings */
};

#define SCENARIO_WHY_LEN 240
/*
 * Read and check a scenario. *out is owned: scenario_free.
 * ERR_DATA: why[] = the line or member, what is wrong, and what would be right.
 */
NODISCARD enum err scenario_parse(const char *text, size_t len, struct scenario **out,
                                  char why[SCENARIO_WHY_LEN]);
/* The same from a JSON value already parsed (borrowed). */
NODISCARD enum err scenario_from_json(const struct json *j, struct scenario **out,
                                      char why[SCENARIO_WHY_LEN]);
void scenario_free(struct scenario *s);

/* The index of side `id`; RULES_NOBODY when there is none. */
enum rules_side scenario_side_find(const struct scenario *s, const char *id);
/* Board with other readings than the file's: *out a copy, owned by the caller (mem_free). */
struct rules_board *scenario_board_with(const struct scenario *s, const struct rules_readings *r);

/* Readings: read {"turning":"free",...} over *r (absent members stay). ERR_PARAMS, why[], *r as
 * it was. */
NODISCARD enum err readings_from_json(const struct json *j, struct rules_readings *r,
                                      char why[SCENARIO_WHY_LEN]);
/* All five as a JSON object. */
void readings_to_json(const struct rules_readings *r, struct buf *out);

/* ---- the words of the formats, each in one table; *_from_word: false for an unknown one ---- */
const char *dir_word(enum rules_dir d); /* "n"; "-" for none */
bool dir_from_word(const char *w, uint8_t *out);
const char *type_word(enum rules_type t);
bool type_from_word(const char *w, uint8_t *out);
const char *ground_word(enum rules_ground g);
const char *obstacle_word(enum rules_obstacle o);
bool obstacle_from_word(const char *w, uint8_t *out);
const char *status_word(enum rules_status s);
bool status_from_word(const char *w, uint8_t *out);
const char *win_word(enum rules_win_kind k);
bool win_from_word(const char *w, uint8_t *out);
const char *reason_word(enum rules_reason r);
bool reason_from_word(const char *w, uint8_t *out);
const char *morale_word(enum rules_morale m);
bool morale_from_word(const char *w, uint8_t *out);
const char *scale_word(enum rules_scale s);
bool scale_from_word(const char *w, uint8_t *out);

/* ---- the shipped ones (scenario_files.h) ---- */
/* All shipped scenarios, parsed; a shipped file that doesn't parse is a bug (CHECK). */
struct scenario_set {
    struct scenario **item;
    size_t len;
};
void scenario_set_init(struct scenario_set *set);
void scenario_set_fini(struct scenario_set *set);
/* Borrowed; NULL when there is none. */
const struct scenario *scenario_set_find(const struct scenario_set *set, const char *id);

#endif
