/* SPDX-License-Identifier: ISC
 * ban.h -- addresses that an operator wants no more of: single ones and networks, IPv4 and IPv6, for
 * a time or for ever.
 *
 * Kept as small named values of the store, "ban/<network>/<bits>"; a ban counts once it is durable.
 * One that is over stays listed nowhere, and leaves the store with the next change.
 */
#ifndef SK_CORE_BAN_H
#define SK_CORE_BAN_H

#include "server/core/outbox.h"

#define BANS_MAX     10000
#define BAN_TEXT_LEN 48 /* "xxxx:...:xxxx/128", with NUL */

/* Addresses whose first `bits` bits are those of `ip`; IPv4 counts as mapped into IPv6. */
struct ban_net {
    uint8_t ip[IP_LEN]; /* zero behind the bits */
    uint8_t bits;       /* 0 to 128 */
};
struct ban {
    struct ban_net net;
    struct wall since, until; /* until ms 0: for ever */
    char *by, *reason;        /* owned */
};

/* "192.0.2.1", "192.0.2.0/24", "2001:db8::/32". False: it isn't an address or network. */
NODISCARD bool ban_parse(const char *text, struct ban_net *out);
/* The other way round, RFC 5952; a single address without its bits. */
void ban_text(const struct ban_net *net, char out[BAN_TEXT_LEN]);
void ban_ip_text(const uint8_t ip[IP_LEN], char out[BAN_TEXT_LEN]);

/* The ban that holds for an address now; NULL: none. Borrowed. */
const struct ban *ban_of(const struct core *c, const uint8_t ip[IP_LEN]);
/* The ban of just this network, over or not; NULL: none. Borrowed. */
const struct ban *ban_find(const struct core *c, const struct ban_net *net);
bool ban_is_over(const struct core *c, const struct ban *b);

struct ban *ban_new(const struct ban_net *net, struct wall since, struct wall until);
void ban_free(struct ban *b);
/* It counts from now on, in place of one of the same network; takes it. */
void ban_enter(struct core *c, struct ban *b);
void ban_drop(struct core *c, const struct ban_net *net);
void op_ban_put(struct ops *o, const struct ban *b);
void op_ban_drop(struct ops *o, const struct ban_net *net);
/* The rows of those that are over go too, and they are forgotten. */
void ops_bans_over(struct core *c, struct ops *o);

/* A named value read back. ERR_NOT_FOUND: it is no ban · ERR_DATA. */
NODISCARD enum err ban_load(struct core *c, const char *name, const char *data);
void bans_free(struct core *c);

#endif
