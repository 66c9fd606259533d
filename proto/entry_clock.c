/* SPDX-License-Identifier: ISC
 * entry_clock.c -- what a match's clock is, as JSON (PROTOCOL, match.create).
 */
#include "common/base/str.h"
#include "proto/entry.h"

/* Live: a week of main time and a day a phase are more than any evening. */
enum { MAIN_MAX_S = 604800, PHASE_MAX_S = 86400, DAYS_MAX = 30 };

static const char *const words[] = {
    [CLOCK_NONE] = "none", [CLOCK_LIVE] = "live", [CLOCK_CORRESPONDENCE] = "correspondence"};

static enum err wrong(char field[PLAY_WHY_LEN], const char *member)
{
    (void)str_copy(field, PLAY_WHY_LEN, member);
    return ERR_PARAMS;
}

static bool get_u32(const struct json *j, const char *name, int64_t max, uint32_t *out)
{
    int64_t v;

    if (!json_get_int(j, name, &v) || v < 0 || v > max)
        return false;
    *out = (uint32_t)v;
    return true;
}

enum err clock_rule_from_json(const struct json *j, struct clock_rule *out,
                              char field[PLAY_WHY_LEN])
{
    const char *kind = NULL;

    *out = (struct clock_rule){0};
    if (j == NULL || json_type(j) != JSON_OBJECT)
        return wrong(field, "clock");
    if (!json_get_string(j, "kind", &kind))
        return wrong(field, "clock.kind");
    if (str_eq(kind, words[CLOCK_NONE]))
        return ERR_OK;
    if (str_eq(kind, words[CLOCK_CORRESPONDENCE])) {
        out->kind = CLOCK_CORRESPONDENCE;
        if (!get_u32(j, "days", DAYS_MAX, &out->days) || out->days == 0)
            return wrong(field, "clock.days");
        return ERR_OK;
    }
    if (!str_eq(kind, words[CLOCK_LIVE]))
        return wrong(field, "clock.kind");
    out->kind = CLOCK_LIVE;
    if (!get_u32(j, "main_s", MAIN_MAX_S, &out->main_s))
        return wrong(field, "clock.main_s");
    if (!get_u32(j, "phase_s", PHASE_MAX_S, &out->phase_s))
        return wrong(field, "clock.phase_s");
    if (out->main_s == 0 && out->phase_s == 0)
        return wrong(field, "clock.main_s");
    return ERR_OK;
}

void clock_rule_to_json(const struct clock_rule *c, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_str(&w, "kind", words[c->kind]);
    switch ((enum clock_kind)c->kind) {
    case CLOCK_NONE:
        break;
    case CLOCK_LIVE:
        jsonw_m_int(&w, "main_s", c->main_s);
        jsonw_m_int(&w, "phase_s", c->phase_s);
        break;
    case CLOCK_CORRESPONDENCE:
        jsonw_m_int(&w, "days", c->days);
        break;
    }
    jsonw_obj_end(&w);
}
