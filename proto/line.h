/* SPDX-License-Identifier: ISC
 * line.h -- bytes of a stream cut into lines.
 *
 * A line ends in '\n'; one '\r' before it is dropped. Blank lines are keepalives: they are passed
 * over and counted as nothing. Memory is bounded by the limit: a longer line is reported once
 * and the framer takes nothing more.
 */
#ifndef SK_PROTO_LINE_H
#define SK_PROTO_LINE_H

#include "common/base/util.h"

#define LINE_LIMIT_GUEST  4096   /* before login, without its end (PROTOCOL) */
#define LINE_LIMIT_MEMBER 16384  /* after */
#define LINE_LIMIT_SERVER 262144 /* what a server may send */

/* Bytes as they came. */
struct line_bytes {
    size_t len, cap;
    size_t taken;   /* of the front, handed out already */
    size_t scanned; /* behind these, known to hold no '\n' */
    char data[];
};
struct line_reader {
    struct line_bytes *in; /* owned; NULL: nothing waits, and an idle reader takes no more room */
    uint32_t limit;
    bool too_long;
};

enum line_result { LINE_NONE, LINE_GOT, LINE_TOO_LONG };

void line_init(struct line_reader *r, size_t limit);
void line_fini(struct line_reader *r);
/* Readers that are mostly empty share one room (NULL: nobody has left one; mem_free): it goes to
 * one that has none, before it is fed; and one in which nothing waits gives its own back, or frees
 * it if there is one already or it is large. What line_next returned isn't borrowed any more. */
void line_lend(struct line_reader *r, struct line_bytes **spare);
void line_settle(struct line_reader *r, struct line_bytes **spare);
/* Add bytes as they come. */
void line_feed(struct line_reader *r, const char *data, size_t len);
/*
 * The next whole line that isn't blank: *line (NUL-terminated, borrowed until the next call or
 * feed) and *len. LINE_TOO_LONG once the limit is passed, then for ever.
 */
enum line_result line_next(struct line_reader *r, const char **line, size_t *len);
/* Is part of a line waiting for its end? */
bool line_is_partial(const struct line_reader *r);

#endif
