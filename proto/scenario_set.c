/* SPDX-License-Identifier: ISC
 * scenario_set.c -- the shipped scenarios, parsed.
 */
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/scenario.h"

void scenario_set_init(struct scenario_set *set)
{
    set->len = scenario_files_len;
    set->item = mem_array(MAX(set->len, 1), sizeof(*set->item));
    for (size_t i = 0; i < set->len; i++) {
        char why[SCENARIO_WHY_LEN];
        const enum err e =
            scenario_parse(scenario_files[i].text, scenario_files[i].len, &set->item[i], why);

        CHECK(e == ERR_OK);
        CHECK(str_eq(set->item[i]->id, scenario_files[i].id)); /* a file is named by its id */
    }
}

void scenario_set_fini(struct scenario_set *set)
{
    for (size_t i = 0; i < set->len; i++)
        scenario_free(set->item[i]);
    mem_free(set->item);
    *set = (struct scenario_set){NULL, 0};
}

const struct scenario *scenario_set_find(const struct scenario_set *set, const char *id)
{
    for (size_t i = 0; i < set->len; i++) {
        if (str_eq(set->item[i]->id, id))
            return set->item[i];
    }
    return NULL;
}
