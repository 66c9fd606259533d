/* SPDX-License-Identifier: ISC
 * play_json.h -- what the codecs of orders, events and positions share.
 *
 * For order.c, event*.c and state.c only. Reads return false for anything of a wrong type or
 * beyond the scenario; *out is then undefined.
 */
#ifndef SK_PROTO_PLAY_JSON_H
#define SK_PROTO_PLAY_JSON_H

#include "proto/play.h"

/* ---- out ---- */

static inline const char *play_id(const struct scenario *scn, unsigned figure)
{
    return scn->board.id[figure];
}
/* A side's id, or null for RULES_NOBODY. */
void play_put_side(struct jsonw *w, const char *name, const struct scenario *scn, uint8_t side);
void play_put_square(struct jsonw *w, const char *name, const struct scenario *scn, uint16_t sq);
void play_put_squares(struct jsonw *w, const char *name, const struct scenario *scn,
                      const uint16_t *sq, unsigned n);
void play_put_dir(struct jsonw *w, const char *name, uint8_t dir);

/* ---- in: members of an object ---- */

NODISCARD bool play_get_uint(const struct json *j, const char *name, unsigned max, unsigned *out);
NODISCARD bool play_get_die(const struct json *j, const char *name, uint8_t *out);
NODISCARD bool play_get_dir(const struct json *j, const char *name, uint8_t *out);
NODISCARD bool play_get_side(const struct json *j, const char *name, const struct scenario *scn,
                             uint8_t *out);
NODISCARD bool play_get_square(const struct json *j, const char *name, const struct scenario *scn,
                               uint16_t *out);
NODISCARD bool play_get_figure(const struct json *j, const char *name, const struct scenario *scn,
                               uint8_t *out);
/* The value itself: a figure's id, a square's name. */
NODISCARD bool play_figure(const struct json *j, const struct scenario *scn, uint8_t *out);
NODISCARD bool play_square(const struct json *j, const struct scenario *scn, uint16_t *out);
/* Array member `name` of at most `max` squares. */
NODISCARD bool play_get_path(const struct json *j, const char *name, const struct scenario *scn,
                             uint16_t path[RULES_PATH_MAX], uint8_t *n);
/* The array member `name`; NULL when it isn't one. */
const struct json *play_get_array(const struct json *j, const char *name);

#endif
