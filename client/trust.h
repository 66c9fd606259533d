/* SPDX-License-Identifier: ISC
 * trust.h -- which certificate may a server have: an authority's word, a fingerprint that was
 * given, or the one it had when we met it first (known_hosts in the configuration directory).
 */
#ifndef SK_CLIENT_TRUST_H
#define SK_CLIENT_TRUST_H

#include "client/tls.h"
#include "client/url.h"

struct trust {
    const struct url *url;         /* borrowed */
    bool has_ca;                   /* authorities were named: nothing else counts */
    const char *print;             /* the fingerprint it must have; NULL: any. Borrowed */
    char news[TLS_CLIENT_WHY_LEN]; /* what to tell people after a yes; "" */
};

/*
 * May the server at t->url have this certificate? In this order: a fingerprint given decides; with
 * has_ca only a verified one will do; a verified one will do; the one known for host and port will
 * do, and no other; a self-signed one met first is written down and will do (news). Else why[].
 */
bool trust_decide(struct trust *t, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN]);
/* Is `text` a fingerprint: "SHA256:" and 64 digits of lower-case hex? */
bool trust_is_print(const char *text);

#endif
