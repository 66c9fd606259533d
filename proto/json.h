/* SPDX-License-Identifier: ISC
 * json.h -- strict JSON in, and the one door to cJSON.
 *
 * json_parse runs a strict scanner first (RFC 8259, plus the wire's own limits), since cJSON alone
 * takes bad UTF-8, raw controls, `01`, trailing data and duplicate keys. Only then does cJSON build
 * the tree. Member names are compared with case.
 */
#ifndef SK_PROTO_JSON_H
#define SK_PROTO_JSON_H

#include "common/base/err.h"

struct json; /* one value of a tree (a cJSON item in truth) */

#define JSON_DEPTH_MAX   64            /* arrays and objects within one another */
#define JSON_MEMBERS_MAX 4096          /* of one object */
#define JSON_TEXT_MAX    (1024U << 20) /* bytes */
#define JSON_INT_MAX     (INT64_C(1) << 53)

/* Most nested arrays and objects (the outermost is 1), members of an object, values (names don't
 * count, the outermost does). 0: no limit but the ones above. */
struct json_limits {
    unsigned depth, members, values;
};
extern const struct json_limits json_wire_limits; /* PROTOCOL: 8, 64, 512 */
extern const struct json_limits json_file_limits; /* scenario and record files: depth 64 */

#define JSON_WHY_LEN 120
/*
 * Parse exactly one JSON text of `len` bytes. Integers only, within +-2^53 (`1e2` and `1.0` are
 * refused, `-0` is 0); duplicate names (however they are spelt), `\u0000`, lone surrogates, raw
 * controls, bad UTF-8, trailing bytes and anything beyond `limits` are refused.
 * ERR_PARSE: why[] says at which byte (and line, where there is more than one) and what; else "".
 * *out is owned: json_free; NULL on error.
 */
NODISCARD enum err json_parse(const char *text, size_t len, const struct json_limits *limits,
                              struct json **out, char why[JSON_WHY_LEN]);
/*
 * The same without words, into memory that trees use one after another: zeroed to begin with, and
 * json_room_fini when all of its trees are gone. Any number of them may be there at a time.
 */
struct json_room {
    struct json_piece *spare;
};
NODISCARD enum err json_parse_in(struct json_room *room, const char *text, size_t len,
                                 const struct json_limits *limits, struct json **out);
void json_room_fini(struct json_room *room);
/* The scanner alone: what json_parse refuses, without building a tree. */
NODISCARD enum err json_scan(const char *text, size_t len, const struct json_limits *limits,
                             char why[JSON_WHY_LEN]);
void json_free(struct json *j);

enum json_type { JSON_NULL, JSON_BOOL, JSON_INT, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
enum json_type json_type(const struct json *j);
/* Member of an object, borrowed; NULL when absent, or j is NULL or no object. */
const struct json *json_get(const struct json *j, const char *name);
/* First child of an array or object, next sibling; NULL at the end. */
const struct json *json_first(const struct json *j);
const struct json *json_next(const struct json *j);
/* Name of a member reached by json_first/json_next; NULL for array elements. */
const char *json_name(const struct json *j);
unsigned json_count(const struct json *j);
/* Typed reads: false and *out untouched when j is NULL or of another type. Strings are borrowed. */
NODISCARD bool json_string(const struct json *j, const char **out);
NODISCARD bool json_int(const struct json *j, int64_t *out);
NODISCARD bool json_bool(const struct json *j, bool *out);
/* Member reads: json_get and the typed read in one. */
NODISCARD bool json_get_string(const struct json *j, const char *name, const char **out);
NODISCARD bool json_get_int(const struct json *j, const char *name, int64_t *out);
NODISCARD bool json_get_bool(const struct json *j, const char *name, bool *out);
/* Narrower: false and *out untouched when it is out of range or not just the hex of `n` bytes
 * (lower case); false and out[] cut when a text is too long for out[size]. */
NODISCARD bool json_get_u8(const struct json *j, const char *name, uint8_t *out);
NODISCARD bool json_get_u32(const struct json *j, const char *name, uint32_t *out);
NODISCARD bool json_get_text(const struct json *j, const char *name, char *out, size_t size);
NODISCARD bool json_get_hex(const struct json *j, const char *name, uint8_t *out, size_t n);
/* `j` again as compact JSON, escaped as jsonw does; appended. */
struct buf;
void json_print(const struct json *j, struct buf *out);

#endif
