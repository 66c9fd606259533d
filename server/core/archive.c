/* SPDX-License-Identifier: ISC */
#include "server/core/archive.h"

#include "common/base/mem.h"
#include "common/base/str.h"

void archive_write(const struct match *m, struct buf *out)
{
    struct buf row = BUF_EMPTY;
    struct buf snapshot = BUF_EMPTY;
    struct jsonw w;

    match_record_text(m, out);
    match_rows(m, &row, &snapshot);
    w = jsonw_on(out);
    jsonw_obj(&w);
    jsonw_name(&w, "row");
    jsonw_strn(&w, row.data, row.len);
    jsonw_name(&w, "snapshot");
    jsonw_strn(&w, snapshot.data, snapshot.len);
    jsonw_obj_end(&w);
    buf_putc(out, '\n');
    buf_fini(&row);
    buf_fini(&snapshot);
}

/* Where the parts of the text begin; each ends where the next one begins. */
struct parts {
    const char *header, *lines, *end, *rest, *stop;
};

static const char *last_line(const char *from, const char *stop)
{
    const char *at = stop - 1; /* the '\n' of the line itself */

    while (at > from && at[-1] != '\n')
        at--;
    return at;
}

static bool split(const char *text, size_t len, struct parts *p)
{
    const char *nl = len > 0 ? memchr(text, '\n', len) : NULL;

    if (nl == NULL || text[len - 1] != '\n')
        return false;
    p->header = text;
    p->lines = nl + 1;
    p->stop = text + len;
    if (p->lines >= p->stop)
        return false;
    p->rest = last_line(p->lines, p->stop);
    if (p->rest <= p->lines)
        return false;
    p->end = last_line(p->lines, p->rest);
    return p->end > p->lines;
}

static enum err wrong(char why[ARCHIVE_WHY_LEN], const char *words)
{
    (void)str_copy(why, ARCHIVE_WHY_LEN, words);
    return ERR_DATA;
}

static struct json *parse(const char *from, const char *stop)
{
    char why[JSON_WHY_LEN];
    struct json *j = NULL;

    return json_parse(from, (size_t)(stop - from - 1), &json_file_limits, &j, why) == ERR_OK ? j
                                                                                             : NULL;
}

/* The scenario that was played: the server's own if it is the same, else the record's. */
static enum err find_scenario(const struct archive_env *env, const struct parts *p,
                              const struct match_peek *peek, struct archived *out,
                              char why[ARCHIVE_WHY_LEN])
{
    const struct scenario *known =
        env->scenarios != NULL ? scenario_set_find(env->scenarios, peek->scenario) : NULL;
    struct json *header = NULL;
    enum err e;

    if (known != NULL && memcmp(known->hash, peek->scenario_hash, RULES_HASH_LEN) == 0)
        return ERR_OK;
    header = parse(p->header, p->lines);
    if (header == NULL)
        return wrong(why, "the first line can't be read");
    e = scenario_from_json(json_get(header, "scenario"), &out->scenario, why);
    json_free(header);
    return e == ERR_OK ? ERR_OK : ERR_DATA;
}

static enum err load(const struct archive_env *env, const struct parts *p,
                     struct core_match_row *row, struct archived *out, char why[ARCHIVE_WHY_LEN])
{
    struct match_load l = {.row = row, .env = env->match};
    struct match_peek peek;

    if (match_row_peek(row->data, row->data_len, &peek) != ERR_OK)
        return wrong(why, "the match's row doesn't check");
    if (find_scenario(env, p, &peek, out, why) != ERR_OK)
        return ERR_DATA;
    l.scenario =
        out->scenario != NULL ? out->scenario : scenario_set_find(env->scenarios, peek.scenario);
    l.board = &l.scenario->board;
    if (memcmp(&peek.readings, &l.board->readings, sizeof(peek.readings)) != 0)
        l.board = out->board = scenario_board_with(l.scenario, &peek.readings);
    return match_load(&l, env->now, &out->m, why) == ERR_OK ? ERR_OK : ERR_DATA;
}

static enum err read_rest(const struct json *rest, bool verify, struct core_match_row *row,
                          char why[ARCHIVE_WHY_LEN])
{
    if (rest == NULL || !json_get_string(rest, "row", &row->data) ||
        !json_get_string(rest, "snapshot", &row->snapshot))
        return wrong(why, "the line behind the record can't be read");
    row->data_len = strlen(row->data);
    row->snapshot_len = strlen(row->snapshot);
    if (verify)
        row->snapshot = NULL;
    return ERR_OK;
}

/* Does the match give this record again? */
static enum err compare(const struct match *m, const struct parts *p, char why[ARCHIVE_WHY_LEN])
{
    struct buf again = BUF_EMPTY;
    const size_t len = (size_t)(p->rest - p->header);
    bool same;

    match_record_text(m, &again);
    same = again.len == len && memcmp(again.data, p->header, len) == 0;
    buf_fini(&again);
    return same ? ERR_OK : wrong(why, "the record isn't what its journal gives");
}

/* The match's id, of the first line. */
static enum err read_id(const struct parts *p, uint8_t id[MATCH_ID_LEN], char why[ARCHIVE_WHY_LEN])
{
    struct json *header = parse(p->header, p->lines);
    const bool good = json_get_hex(header, "match", id, MATCH_ID_LEN);

    json_free(header);
    return good ? ERR_OK : wrong(why, "the first line names no match");
}

enum err archive_open(const struct archive_env *env, const char *text, size_t len,
                      struct archived *out, char why[ARCHIVE_WHY_LEN])
{
    struct core_match_row row = {.state = MATCH_OVER};
    struct parts p;
    struct json *rest;
    enum err e;

    *out = (struct archived){.m = NULL};
    if (!split(text, len, &p))
        return wrong(why, "it isn't a record, and a line more");
    rest = parse(p.rest, p.stop);
    e = read_rest(rest, env->verify, &row, why);
    if (e == ERR_OK)
        e = read_id(&p, row.id, why);
    row.lines = p.lines;
    row.lines_len = (size_t)(p.end - p.lines);
    if (e == ERR_OK)
        e = load(env, &p, &row, out, why);
    if (e == ERR_OK && env->verify)
        e = compare(out->m, &p, why);
    json_free(rest);
    if (e != ERR_OK)
        archived_fini(out);
    return e;
}

void archived_fini(struct archived *a)
{
    match_free(a->m);
    mem_free(a->board);
    scenario_free(a->scenario);
    *a = (struct archived){.m = NULL};
}
