/* SPDX-License-Identifier: ISC
 * scenario_read.c -- typed reads of a scenario file that say what is wrong.
 */
#include "proto/scenario_read.h"

#include <stdarg.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

bool scn_bad(const struct scn_reader *r, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(r->why, SCENARIO_WHY_LEN, fmt, ap);
    va_end(ap);
    return false;
}

const char *scn_quote(const char *text, char out[SCN_QUOTE_LEN])
{
    const size_t len = strlen(text);
    size_t n = 0, i = 0;

    while (i < len && n < SCN_QUOTE_LEN - 8) {
        uint32_t cp = 0;
        const size_t size = utf8_decode(text + i, len - i, &cp);

        if (size != 0 && utf8_is_plain(cp)) {
            memcpy(out + n, text + i, size);
            n += size;
        } else {
            out[n++] = '?';
        }
        i += MAX(size, 1);
    }
    if (i < len) {
        memcpy(out + n, "...", 3);
        n += 3;
    }
    out[n] = '\0';
    return out;
}

static void PRINTF_LIKE(2, 3) say_where(struct scn_value *v, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(v->where, sizeof(v->where), fmt, ap);
    va_end(ap);
}

struct scn_value scn_member(const struct scn_value *of, const char *name)
{
    struct scn_value v = {.j = json_get(of->j, name)};

    say_where(&v, "%s%s%s", of->where, *of->where == '\0' ? "" : ".", name);
    return v;
}

struct scn_value scn_element(const struct scn_value *of, const struct json *j, unsigned index)
{
    struct scn_value v = {.j = j};

    say_where(&v, "%s[%u]", of->where, index);
    return v;
}

/* What stands where something else was wanted. */
static const char *found(const struct scn_value *v)
{
    if (v->j == NULL)
        return "missing";
    switch (json_type(v->j)) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "true or false";
    case JSON_INT:
        return "a number";
    case JSON_STRING:
        return "a string";
    case JSON_ARRAY:
        return "an array";
    case JSON_OBJECT:
        return "an object";
    }
    return "unknown";
}

static bool wants(const struct scn_reader *r, const struct scn_value *v, const char *right)
{
    return scn_bad(r, "%s: is %s; it must be %s", v->where, found(v), right);
}

bool scn_object(const struct scn_reader *r, const struct scn_value *v)
{
    if (v->j == NULL || json_type(v->j) != JSON_OBJECT)
        return wants(r, v, "an object");
    return true;
}

bool scn_array(const struct scn_reader *r, const struct scn_value *v, unsigned min, unsigned max)
{
    unsigned n;

    if (v->j == NULL || json_type(v->j) != JSON_ARRAY)
        return wants(r, v, "an array");
    n = json_count(v->j);
    if (n >= min && n <= max)
        return true;
    if (n < min)
        return scn_bad(r, "%s: has %u elements; at least %u must be there", v->where, n, min);
    return scn_bad(r, "%s: has %u elements; at most %u are allowed", v->where, n, max);
}

bool scn_string(const struct scn_reader *r, const struct scn_value *v, const char **out)
{
    if (!json_string(v->j, out))
        return wants(r, v, "a string");
    return true;
}

bool scn_text(const struct scn_reader *r, const struct scn_value *v, char **out)
{
    const char *text = NULL;
    size_t len;

    if (!scn_string(r, v, &text))
        return false;
    len = strlen(text);
    for (size_t i = 0; i < len;) {
        uint32_t cp = 0;
        const size_t size = utf8_decode(text + i, len - i, &cp);

        if (size == 0 || !utf8_is_plain(cp))
            return scn_bad(r,
                           "%s: has a control or invisible character at byte %zu; use plain text",
                           v->where, i);
        i += size;
    }
    *out = mem_strndup(text, len);
    return true;
}

bool scn_id(const struct scn_reader *r, const struct scn_value *v, char out[RULES_ID_LEN + 1])
{
    const char *id = NULL;
    char quoted[SCN_QUOTE_LEN];
    size_t n;

    if (!scn_string(r, v, &id))
        return false;
    n = strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n == 0 || n > RULES_ID_LEN || id[n] != '\0')
        return scn_bad(r, "%s: \"%s\" is no id; use 1 to 32 of a-z, 0-9 and -", v->where,
                       scn_quote(id, quoted));
    return str_copy(out, RULES_ID_LEN + 1, id);
}

bool scn_int(const struct scn_reader *r, const struct scn_value *v, struct scn_range within,
             int64_t *out)
{
    int64_t n;

    if (!json_int(v->j, &n))
        return wants(r, v, "a whole number");
    if (within.min == within.max && n != within.min)
        return scn_bad(r, "%s: is %lld; it must be %lld", v->where, (long long)n,
                       (long long)within.min);
    if (n < within.min || n > within.max)
        return scn_bad(r, "%s: is %lld; it must be %lld to %lld", v->where, (long long)n,
                       (long long)within.min, (long long)within.max);
    *out = n;
    return true;
}

bool scn_flag(const struct scn_reader *r, const struct scn_value *v, uint8_t *out)
{
    bool set = false;

    if (v->j != NULL && !json_bool(v->j, &set))
        return wants(r, v, "true or false");
    *out = set ? 1 : 0;
    return true;
}

bool scn_word(const struct scn_reader *r, const struct scn_value *v,
              bool (*from)(const char *, uint8_t *), const char *words, uint8_t *out)
{
    const char *w = NULL;
    char quoted[SCN_QUOTE_LEN];

    if (!json_string(v->j, &w))
        return wants(r, v, words);
    if (!from(w, out))
        return scn_bad(r, "%s: \"%s\" is unknown; use %s", v->where, scn_quote(w, quoted), words);
    return true;
}

bool scn_edge(const struct scn_reader *r, const struct scn_value *v, uint8_t *out)
{
    return scn_word(r, v, dir_from_word, "n, e, s or w", out);
}

bool scn_side(const struct scn_reader *r, const struct scn_value *v, uint8_t *out)
{
    const char *id = NULL;
    char quoted[SCN_QUOTE_LEN];

    if (!scn_string(r, v, &id))
        return false;
    *out = (uint8_t)scenario_side_find(r->s, id);
    if (*out == RULES_NOBODY)
        return scn_bad(r, "%s: there is no side \"%s\"; use %s or %s", v->where,
                       scn_quote(id, quoted), r->s->side[RULES_A].id, r->s->side[RULES_B].id);
    return true;
}

bool scn_square(const struct scn_reader *r, const struct scn_value *v, uint16_t *out)
{
    const struct rules_board *b = &r->s->board;
    const char *name = NULL;
    char quoted[SCN_QUOTE_LEN], last[RULES_SQUARE_NAME];

    if (!scn_string(r, v, &name))
        return false;
    *out = rules_square_parse(b, name);
    if (*out == RULES_NO_SQUARE)
        return scn_bad(r, "%s: %s is not on the %ux%u board; use a1 to %s", v->where,
                       scn_quote(name, quoted), b->w, b->h,
                       rules_square_name(b, (uint16_t)(rules_squares(b) - 1), last));
    return true;
}

bool scn_squares(const struct scn_reader *r, const struct scn_value *v, uint16_t *list, uint16_t *n)
{
    struct rules_board *b = &r->s->board;
    const struct json *item = NULL;
    unsigned i = 0;

    if (!scn_array(r, v, 1, rules_squares(b)))
        return false;
    if (b->n_list + json_count(v->j) > RULES_LIST_MAX)
        return scn_bad(r, "%s: the file lists more than %d squares in all; name fewer", v->where,
                       RULES_LIST_MAX);
    *list = b->n_list;
    for (item = json_first(v->j); item != NULL; item = json_next(item)) {
        const struct scn_value at = scn_element(v, item, i++);

        if (!scn_square(r, &at, &b->list[b->n_list]))
            return false;
        b->n_list++;
    }
    *n = (uint16_t)i;
    return true;
}
