/* SPDX-License-Identifier: ISC
 * wire.h -- one connection to a server: resolved, connected, perhaps under TLS; bytes both ways.
 *
 * Knows no message. It tries once: whoever wants another attempt opens another (link.h does).
 */
#ifndef SK_CLIENT_WIRE_H
#define SK_CLIENT_WIRE_H

#include "client/url.h"
#include "common/base/buf.h"
#include "common/base/msec.h"

#define WIRE_WHY_LEN 640

struct uv_loop_s;
struct wire;

/* What became of it; nothing is called after `over`. All strings are borrowed for the call. */
struct wire_hooks {
    void *data;
    /* The line stands; what comes first may follow. */
    void (*open)(void *data);
    /* Bytes that the server says. */
    void (*bytes)(void *data, const char *bytes, size_t len);
    /* Words for people about its certificate; never fatal. */
    void (*told)(void *data, const char *words);
    /*
     * The end. `code` is of sysexits.h: EX_UNAVAILABLE no line, or it was cut; EX_PROTOCOL no TLS;
     * EX_NOPERM the certificate won't do, EX_CONFIG `ca` is no good: another attempt ends alike.
     */
    void (*over)(void *data, int code, const char *why);
};
struct wire_config {
    const struct url *url; /* must outlive the wire */
    const char *ca;        /* PEM file of the only authorities to trust; NULL: the system's */
    const char *print;     /* the fingerprint that the certificate must have; NULL */
};

/* `cfg` and `hooks` are copied. Owned: wire_close, which may be called in a hook too, and must be,
 * after `over` as well. */
struct wire *wire_new(struct uv_loop_s *loop, const struct wire_config *cfg,
                      const struct wire_hooks *hooks);
/* Begin; once. */
void wire_start(struct wire *w);
/* Nothing more is told of it; what was sent goes out if it can. NULL: nothing. */
void wire_close(struct wire *w);
/* Send what is in `out`, which is empty afterwards. What can't be sent shows as its end. */
void wire_send(struct wire *w, struct buf *out);
/* When it last said a byte, or stood, or began. */
struct mono wire_heard(const struct wire *w);

#endif
