/* SPDX-License-Identifier: ISC
 * url.h -- where a server and a match are: skirmish://host:port[/match/ID], skirmishs:// for TLS.
 */
#ifndef SK_CLIENT_URL_H
#define SK_CLIENT_URL_H

#include "proto/entry.h"

#define URL_DEFAULT  "skirmish://127.0.0.1:1962"
#define URL_PORT     1962
#define URL_HOST_LEN 253
#define URL_WHY_LEN  120

struct url {
    char host[URL_HOST_LEN + 1]; /* name or numeric address, without brackets */
    uint16_t port;
    bool tls;
    char match[MATCH_ID_HEX]; /* id, or number in digits; "" when none is named */
};

/*
 * Read a URL; the scheme may be left out ("host", "host:port", "[::1]:1962"), the port too (1962).
 * ERR_USAGE: why[].
 */
NODISCARD enum err url_parse(const char *text, struct url *out, char why[URL_WHY_LEN]);
/* Is `text` a match's id (32 hex digits) or number? */
bool url_is_match(const char *text);
/* Write it again, for people; the match is left out when "". */
void url_print(const struct url *u, struct buf *out);
/* The match with number `no` at that server, for people to pass on; u's own match is left out. */
void url_print_match(const struct url *u, uint32_t no, struct buf *out);

#endif
