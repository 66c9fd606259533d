/* SPDX-License-Identifier: ISC
 * record.c -- a match as a file.
 */
#include "client/record.h"

#include "client/words.h"
#include "common/base/hex.h"
#include "common/base/sha256.h"
#include "common/base/str.h"

static enum err wrong(struct record *r, const char *why)
{
    (void)str_copy(r->why, sizeof(r->why), why);
    return ERR_DATA;
}

/* One line without its end. */
struct line {
    const char *text;
    size_t len;
};

/* The next line; it must end in '\n'. */
static bool next_line(const char **at, const char *end, struct line *out)
{
    const char *nl = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;

    if (nl == NULL)
        return false;
    *out = (struct line){*at, (size_t)(nl - *at)};
    *at = nl + 1;
    return true;
}

/*
 * The first line. Its frame is fixed; the scenario's bytes are whatever its writer made of them (a
 * string may be escaped in more ways than one), and those are what scenario_hash covers.
 */
static enum err read_header(struct record *r, const struct line *line, uint8_t match[MATCH_ID_LEN])
{
    char why[SCENARIO_WHY_LEN], no[JSON_WHY_LEN], frame[MATCH_ID_HEX + 48];
    const char *id = NULL;
    struct json *j = NULL;
    enum err e = ERR_OK;

    if (json_parse(line->text, line->len, &json_file_limits, &j, no) != ERR_OK)
        return wrong(r, no);
    frame[0] = '\0';
    if (json_get_string(j, "match", &id) && hex_decode(match, MATCH_ID_LEN, id))
        (void)snprintf(frame, sizeof(frame), "{\"record\":1,\"match\":\"%s\",\"scenario\":", id);
    if (frame[0] == '\0' || line->len <= strlen(frame) + 1 ||
        memcmp(line->text, frame, strlen(frame)) != 0 || line->text[line->len - 1] != '}')
        e = wrong(r, "the first line must be {\"record\":1,\"match\":ID,\"scenario\":{...}}");
    else if (scenario_from_json(json_get(j, "scenario"), &r->scn, why) != ERR_OK)
        e = wrong(r, why);
    else
        sha256(r->scn->hash, line->text + strlen(frame), line->len - strlen(frame) - 1);
    json_free(j);
    return e;
}

static enum err read_entry(struct record *r, const struct line *line,
                           const struct record_sink *sink)
{
    char why[AUDIT_WHY_LEN], no[JSON_WHY_LEN];
    struct json *j = NULL;
    enum err e;

    if (json_parse(line->text, line->len, &json_file_limits, &j, no) != ERR_OK)
        return wrong(r, no);
    e = audit_take(&r->audit, j, line->text, line->len, why);
    if (e != ERR_OK)
        e = wrong(r, why);
    else if (sink != NULL)
        sink->entry(sink->data, r);
    json_free(j);
    return e;
}

/* The last line, as it must be after these entries. */
static enum err read_end(struct record *r, const struct line *line)
{
    struct buf want = BUF_EMPTY;
    struct jsonw w = jsonw_on(&want);
    uint8_t state[RULES_HASH_LEN];
    bool same;

    if (!audit_is_whole(&r->audit) || r->audit.head == 0)
        return wrong(r, "the record ends within a batch");
    jsonw_obj(&w);
    jsonw_m_obj(&w, "end");
    jsonw_m_int(&w, "head", r->audit.head);
    jsonw_m_hex(&w, "hash", r->audit.hash, FD1_LEN);
    if (audit_state_hash(&r->audit, state))
        jsonw_m_hex(&w, "state_hash", state, sizeof(state));
    else
        jsonw_m_null(&w, "state_hash");
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
    same = want.len == line->len && memcmp(want.data, line->text, want.len) == 0;
    buf_fini(&want);
    return same ? ERR_OK
                : wrong(r, "the end isn't that of these entries: head, hash or state_hash");
}

static enum err check_head(struct record *r, const char *head)
{
    uint8_t hash[FD1_LEN];

    if (head == NULL)
        return ERR_OK;
    if (!hex_decode(hash, sizeof(hash), head) || memcmp(hash, r->audit.hash, FD1_LEN) != 0)
        return wrong(r, "this isn't the journal of that head: its hash is another");
    return ERR_OK;
}

enum err record_check(struct record *r, const char *text, size_t len, const char *head,
                      const struct record_sink *sink)
{
    static const char end_front[] = "{\"end\":";
    const char *at = text, *end = text + len;
    uint8_t match[MATCH_ID_LEN];
    struct line line;

    memset(r, 0, sizeof(*r));
    r->line = 1;
    if (!next_line(&at, end, &line))
        return wrong(r, "an empty record");
    if (read_header(r, &line, match) != ERR_OK)
        return ERR_DATA;
    audit_init(&r->audit, r->scn);
    for (;;) {
        r->line++;
        if (!next_line(&at, end, &line))
            return wrong(r, "the record has no end");
        if (line.len >= sizeof(end_front) - 1 &&
            memcmp(line.text, end_front, sizeof(end_front) - 1) == 0)
            break;
        if (read_entry(r, &line, sink) != ERR_OK)
            return ERR_DATA;
        if (r->audit.head == 1 && memcmp(match, r->audit.match, MATCH_ID_LEN) != 0)
            return wrong(r, "the first line names another match than the journal");
    }
    if (read_end(r, &line) != ERR_OK)
        return ERR_DATA;
    if (at != end) {
        r->line++;
        return wrong(r, "something stands behind the end");
    }
    return check_head(r, head);
}

void record_fini(struct record *r)
{
    audit_fini(&r->audit);
    scenario_free(r->scn);
    r->scn = NULL;
}

void record_words(const struct record *r, struct buf *out)
{
    const struct audit *a = &r->audit;
    char hash[2 * FD1_LEN + 1];

    hex_encode(hash, a->hash, FD1_LEN);
    buf_printf(out, "%s, match #%u", r->scn->title, a->no);
    for (unsigned side = RULES_A; side <= RULES_B && a->started; side++) {
        buf_printf(out, "%s%s ", side == RULES_A ? ": " : ", ", r->scn->side[side].name);
        words_safe(audit_player(a, (enum rules_side)side), out);
    }
    buf_printf(out, ". %u entries, %u rolls, dice %s.\n", a->head, a->dice.checked,
               fair_word((enum fair)a->fair));
    if (a->over)
        words_over(a, out);
    else
        buf_puts(out, "The game isn't over.");
    if (a->roll_seq != 0)
        buf_printf(out, " The roll for order %u was left open.", a->roll_seq);
    if (a->dice.reanchors > 0)
        buf_printf(out, " %u new anchors.", a->dice.reanchors);
    buf_printf(out, "\nHead %s\n", hash);
}
