/* SPDX-License-Identifier: ISC
 * match_record.c -- a match's record, page by page (PROTOCOL, Records).
 */
#include "server/core/match_impl.h"

/* Line 0 is the header, then the journal's lines 1 to head, then the end. */
static void put_header(const struct match *m, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_int(&w, "record", 1);
    jsonw_m_hex(&w, "match", m->setup.id, MATCH_ID_LEN);
    jsonw_m_raw(&w, "scenario", m->setup.scenario->json, m->setup.scenario->json_len);
    jsonw_obj_end(&w);
}

static void put_end(const struct match *m, struct buf *out)
{
    struct jsonw w = jsonw_on(out);

    jsonw_obj(&w);
    jsonw_m_obj(&w, "end");
    jsonw_m_int(&w, "head", m->core->head);
    jsonw_m_hex(&w, "hash", m->core->hash, FD1_LEN);
    if (m->core->started)
        jsonw_m_hex(&w, "state_hash", m->core->state_hash, RULES_HASH_LEN);
    else
        jsonw_m_null(&w, "state_hash");
    jsonw_obj_end(&w);
    jsonw_obj_end(&w);
}

static void put_line(const struct match *m, int64_t i, struct jsonw *w, struct buf *line)
{
    buf_reset(line);
    if (i == 0)
        put_header(m, line);
    else if (i > m->core->head)
        put_end(m, line);
    else
        buf_put(line, recs_line(&m->journal, (uint32_t)i - 1), m->journal.rec[i - 1].len);
    jsonw_strn(w, line->data, line->len);
}

void match_record_text(const struct match *m, struct buf *out)
{
    put_header(m, out);
    buf_putc(out, '\n');
    buf_put(out, m->journal.text.data, m->journal.text.len);
    put_end(m, out);
    buf_putc(out, '\n');
}

void match_rows(const struct match *m, struct buf *row, struct buf *snapshot)
{
    row_write(m, m->core, row);
    if (m->core->started)
        snap_write(m, m->core, snapshot);
}

enum err match_record(struct match *m, int64_t after, struct jsonw *w)
{
    const int64_t n = (int64_t)m->core->head + 2;
    const size_t from = w->out->len;
    struct buf line = BUF_EMPTY;
    int64_t i = after;

    if (after < 0 || after > n)
        return ERR_PARAMS;
    jsonw_m_arr(w, "lines");
    for (; i < n && (i == after || w->out->len - from < MATCH_PAGE_BYTES); i++)
        put_line(m, i, w, &line);
    jsonw_arr_end(w);
    buf_fini(&line);
    if (i < n) {
        jsonw_name(w, "next");
        w->comma = true;
        buf_putc(w->out, '"');
        buf_put_int(w->out, i);
        buf_putc(w->out, '"');
    }
    return ERR_OK;
}
