/* SPDX-License-Identifier: ISC
 * scenario_read.h -- the scenario reader's own parts: typed reads that say what is wrong.
 *
 * For scenario*.c only. Every function returns false when the file is bad, and then r->why holds
 * the sentence "member: what is wrong; what would be right"; the first one ends the reading.
 */
#ifndef SK_PROTO_SCENARIO_READ_H
#define SK_PROTO_SCENARIO_READ_H

#include "proto/scenario.h"

#define SCN_WHERE_LEN 64 /* "sides[1].win[15].figures[255]" */
#define SCN_QUOTE_LEN 44

struct scn_reader {
    const struct json *root; /* borrowed */
    struct scenario *s;      /* being filled; borrowed */
    char *why;               /* SCENARIO_WHY_LEN bytes */
};

/* A value of a file and its place in it, for messages. */
struct scn_value {
    const struct json *j; /* NULL: absent */
    char where[SCN_WHERE_LEN];
};

/* Write r->why; always false. */
NODISCARD bool scn_bad(const struct scn_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Text of a file made fit for a message: plain, at most 40 bytes. Returns out. */
const char *scn_quote(const char *text, char out[SCN_QUOTE_LEN]);

/* The member `name` of `of`, or the element behind `of`'s `index`, each with its place. */
struct scn_value scn_member(const struct scn_value *of, const char *name);
struct scn_value scn_element(const struct scn_value *of, const struct json *j, unsigned index);

NODISCARD bool scn_object(const struct scn_reader *r, const struct scn_value *v);
/* An array of min..max elements. */
NODISCARD bool scn_array(const struct scn_reader *r, const struct scn_value *v, unsigned min,
                         unsigned max);
NODISCARD bool scn_string(const struct scn_reader *r, const struct scn_value *v, const char **out);
/* A string of plain characters, as an owned copy. */
NODISCARD bool scn_text(const struct scn_reader *r, const struct scn_value *v, char **out);
NODISCARD bool scn_id(const struct scn_reader *r, const struct scn_value *v,
                      char out[RULES_ID_LEN + 1]);
struct scn_range {
    int64_t min, max;
};
NODISCARD bool scn_int(const struct scn_reader *r, const struct scn_value *v,
                       struct scn_range within, int64_t *out);
/* An absent one is false. */
NODISCARD bool scn_flag(const struct scn_reader *r, const struct scn_value *v, uint8_t *out);
/* One of the words that `from` knows; `words` names them for the message. */
NODISCARD bool scn_word(const struct scn_reader *r, const struct scn_value *v,
                        bool (*from)(const char *, uint8_t *), const char *words, uint8_t *out);
NODISCARD bool scn_edge(const struct scn_reader *r, const struct scn_value *v, uint8_t *out);
NODISCARD bool scn_side(const struct scn_reader *r, const struct scn_value *v, uint8_t *out);
/* A square of the board; its size must be known by now. */
NODISCARD bool scn_square(const struct scn_reader *r, const struct scn_value *v, uint16_t *out);
/* A list of at least one square into board.list: *list is its first, *n their number. */
NODISCARD bool scn_squares(const struct scn_reader *r, const struct scn_value *v, uint16_t *list,
                           uint16_t *n);

/* Figures and waves into the roster (scenario_force.c), then victory conditions (scenario_win.c). */
NODISCARD bool scn_read_forces(const struct scn_reader *r);
NODISCARD bool scn_read_wins(const struct scn_reader *r);
/* Size, ground, heights and obstacles (scenario_ground.c). */
NODISCARD bool scn_read_ground(const struct scn_reader *r);

#endif
