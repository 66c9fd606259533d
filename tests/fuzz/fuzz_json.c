/* SPDX-License-Identifier: ISC
 * What the scanner takes, cJSON takes; printed it is the same value, and JSON of one form: parsed
 * and printed once more it doesn't change. What the wire takes, files take. What is refused says
 * why, in printable words.
 */
#include "common/base/buf.h"
#include "common/base/utf8.h"
#include "proto/json.h"
#include "tests/fuzz/fuzz.h"

/* Scalars by value; containers only by kind. */
static bool same_head(const struct json *a, const struct json *b)
{
    const char *s[2] = {"", ""};
    int64_t i[2] = {0, 0};
    bool t[2] = {false, false};

    if (json_type(a) != json_type(b))
        return false;
    if (json_string(a, &s[0]) && json_string(b, &s[1]))
        return strcmp(s[0], s[1]) == 0 && utf8_valid(s[0], strlen(s[0]));
    if (json_int(a, &i[0]) && json_int(b, &i[1]))
        return i[0] == i[1] && i[0] <= JSON_INT_MAX && i[0] >= -JSON_INT_MAX;
    if (json_bool(a, &t[0]) && json_bool(b, &t[1]))
        return t[0] == t[1];
    return true;
}

/* Equal, members' names and order included. The scanner bounds the depth, and so the recursion. */
static bool same(const struct json *a, const struct json *b) /* NOLINT */
{
    const struct json *x = json_first(a);
    const struct json *y = json_first(b);

    if (!same_head(a, b))
        return false;
    while (x != NULL && y != NULL) {
        if (json_name(x) != NULL && strcmp(json_name(x), json_name(y)) != 0)
            return false;
        if (!same(x, y))
            return false;
        x = json_next(x);
        y = json_next(y);
    }
    return x == NULL && y == NULL;
}

/* Each name finds its own member: no two are the same. */
static void check_names(const struct json *j)
{
    for (const struct json *m = json_first(j); m != NULL; m = json_next(m))
        CHECK(json_name(m) == NULL || json_get(j, json_name(m)) == m);
}

static void check_taken(const struct json *j)
{
    struct buf first = BUF_EMPTY;
    struct buf second = BUF_EMPTY;
    char why[JSON_WHY_LEN];
    struct json *again = NULL;

    json_print(j, &first);
    CHECK(json_parse(first.data, first.len, &json_file_limits, &again, why) == ERR_OK);
    CHECK(same(j, again));
    json_print(again, &second);
    CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    check_names(j);
    json_free(again);
    buf_fini(&first);
    buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    const enum err wire = json_scan(text, size, &json_wire_limits, why);
    const enum err file = json_parse(text, size, &json_file_limits, &j, why);

    CHECK(wire != ERR_OK || file == ERR_OK);
    CHECK((file == ERR_OK) == (j != NULL));
    CHECK((file == ERR_OK) == (why[0] == '\0'));
    for (size_t i = 0; why[i] != '\0'; i++)
        CHECK(why[i] >= 0x20 && why[i] < 0x7f);
    if (j != NULL)
        check_taken(j);
    json_free(j);
    return 0;
}
