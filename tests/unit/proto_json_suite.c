/* SPDX-License-Identifier: ISC
 * The public JSON parsing suite, read from where the shared cases are: n_* is refused, y_* taken
 * but for what the wire rules out, i_* does no harm.
 */
#include <dirent.h>

#include "common/base/buf.h"
#include "common/base/str.h"
#include "proto/json.h"
#include "tests/cmocka_all.h"

enum { SKIP = 77, FILE_MAX = 1 << 20 };

/* y_* that PROTOCOL rules out, and the words that say so. */
static const struct {
    const char *name, *why;
} ruled_out[] = {
    {"y_number.json", "only integers"},
    {"y_number_0e+1.json", "only integers"},
    {"y_number_0e1.json", "only integers"},
    {"y_number_double_close_to_zero.json", "only integers"},
    {"y_number_int_with_exp.json", "only integers"},
    {"y_number_real_capital_e.json", "only integers"},
    {"y_number_real_capital_e_neg_exp.json", "only integers"},
    {"y_number_real_capital_e_pos_exp.json", "only integers"},
    {"y_number_real_exponent.json", "only integers"},
    {"y_number_real_fraction_exponent.json", "only integers"},
    {"y_number_real_neg_exp.json", "only integers"},
    {"y_number_real_pos_exponent.json", "only integers"},
    {"y_number_simple_real.json", "only integers"},
    {"y_object_extreme_numbers.json", "only integers"},
    {"y_structure_lonely_negative_real.json", "only integers"},
    {"y_object_duplicated_key.json", "the same name twice"},
    {"y_object_duplicated_key_and_value.json", "the same name twice"},
    {"y_object_escaped_null_in_key.json", "\\u0000"},
    {"y_string_null_escape.json", "\\u0000"},
};

static const char *why_ruled_out(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(ruled_out); i++)
        if (str_eq(ruled_out[i].name, name))
            return ruled_out[i].why;
    return NULL;
}

/* What was taken, printed, is JSON again and prints the same. */
static bool prints_itself(const struct json *j)
{
    struct buf first = BUF_EMPTY;
    struct buf second = BUF_EMPTY;
    char why[JSON_WHY_LEN];
    struct json *again = NULL;
    bool same = false;

    json_print(j, &first);
    if (json_parse(buf_str(&first), first.len, &json_file_limits, &again, why) == ERR_OK) {
        json_print(again, &second);
        same = str_eq(buf_str(&first), buf_str(&second));
    }
    json_free(again);
    buf_fini(&first);
    buf_fini(&second);
    return same;
}

/* Are the words for people free of what a terminal would act on? */
static bool is_printable(const char *s)
{
    for (; *s != '\0'; s++)
        if (*s < 0x20 || *s > 0x7e)
            return false;
    return true;
}

static bool check_file(const char *name, const struct buf *text)
{
    const char *out = why_ruled_out(name);
    char why[JSON_WHY_LEN];
    struct json *j = NULL;
    enum err e = json_parse(buf_str(text), text->len, &json_wire_limits, &j, why);
    bool good = e == ERR_OK ? prints_itself(j) : is_printable(why) && why[0] != '\0';

    if (name[0] == 'n')
        good = good && e == ERR_PARSE;
    else if (name[0] == 'y' && out == NULL)
        good = good && e == ERR_OK;
    else if (name[0] == 'y')
        good = good && e == ERR_PARSE && strstr(why, out) != NULL;
    if (!good)
        print_error("%s: %s\n", name, e == ERR_OK ? "taken" : why);
    json_free(j);
    return good;
}

static const char *suite_dir(struct buf *path)
{
    const char *cases = getenv("SK_CASES");

    buf_printf(path, "%s/json", cases != NULL ? cases : "../shared/cases");
    return buf_str(path);
}

static void the_suite_is_kept(void **state)
{
    const char *dir = *state;
    unsigned files = 0;
    unsigned bad = 0;
    DIR *d = opendir(dir);
    const struct dirent *entry;

    assert_non_null(d);
    while ((entry = readdir(d)) != NULL) {
        struct buf path = BUF_EMPTY;
        struct buf text = BUF_EMPTY;

        if (!str_ends(entry->d_name, ".json"))
            continue;
        buf_printf(&path, "%s/%s", dir, entry->d_name);
        assert_int_equal(buf_read_file(&text, buf_str(&path), FILE_MAX), ERR_OK);
        bad += !check_file(entry->d_name, &text);
        files++;
        buf_fini(&text);
        buf_fini(&path);
    }
    (void)closedir(d);
    print_message("%u files\n", files);
    assert_int_equal(bad, 0);
    assert_true(files > 300);
}

int main(void)
{
    struct buf path = BUF_EMPTY;
    char dir[4096];
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(the_suite_is_kept, dir)};
    const bool fits = str_copy(dir, sizeof(dir), suite_dir(&path));
    DIR *d = fits ? opendir(dir) : NULL;

    buf_fini(&path);
    if (d == NULL) {
        print_message("no JSON suite at %s: skipped\n", dir);
        return SKIP;
    }
    (void)closedir(d);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
