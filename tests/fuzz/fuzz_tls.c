/* SPDX-License-Identifier: ISC
 * TLS framing, both ends: whatever comes from the network neither stands still nor falls over, and
 * no byte of a stream that was tampered with is taken for what the other end said.
 *
 * Input: a byte says what the rest is: even, raw bytes to the server; odd, pairs (place, change)
 * that are done to a good conversation. The next byte chooses the cuts.
 */
#include "common/base/util.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/lib_tls.h"

static struct tls *make_server(void)
{
    char cert[64], key[64], why[TLS_WHY_LEN];
    struct tls *t;

    tls_files(cert, key);
    CHECK(tls_new(cert, key, &t, why) == ERR_OK);
    tls_files_remove(cert, key);
    return t;
}

static void raw(struct tls *t, const uint8_t *data, size_t size, size_t cut)
{
    struct tls_conn *c = tls_conn_new(t);
    struct buf plain = BUF_EMPTY, cipher = BUF_EMPTY;
    enum tls_state state = TLS_OPEN;

    CHECK(tls_conn_write(c, "welcome\n", 8, &cipher));
    while (size > 0 && state == TLS_OPEN) {
        const size_t n = MIN(size, cut);

        state = tls_conn_feed(c, (const char *)data, n, &plain, &cipher);
        data += n;
        size -= n;
    }
    CHECK(plain.len == 0); /* no handshake can have ended well */
    CHECK(cipher.len < 65536);
    tls_conn_close(c, &cipher);
    tls_conn_free(c);
    buf_fini(&plain);
    buf_fini(&cipher);
}

/* Change the bytes on the way as the input says. */
static bool tamper(struct buf *b, const uint8_t **data, size_t *size)
{
    bool any = false;

    while (*size >= 3 && b->len > 0) {
        const size_t at = ((size_t)(*data)[0] << 8 | (*data)[1]) % (b->len * 4);

        if (at < b->len && (*data)[2] != 0) {
            b->data[at] = (char)((uint8_t)b->data[at] ^ (*data)[2]);
            any = true;
        }
        *data += 3;
        *size -= 3;
        if (at % 3 == 0)
            break; /* the rest is for what comes later */
    }
    return any;
}

static void conversation(struct tls *t, const uint8_t *data, size_t size, size_t cut)
{
    struct tls_pair p;
    bool changed = false;

    tls_pair_init(&p, t);
    changed = tamper(&p.to_server, &data, &size);
    (void)tls_conn_write(p.server, "welcome\n", 8, &p.to_client);
    tls_pair_run(&p, cut);
    if (p.client_state == TLS_CLIENT_OPEN && tls_conn_is_ready(p.server)) {
        (void)tls_client_write(p.client, "an order\n", 9, &p.to_server);
        changed = tamper(&p.to_server, &data, &size) || changed;
        (void)tls_conn_write(p.server, "an event\n", 9, &p.to_client);
        changed = tamper(&p.to_client, &data, &size) || changed;
        tls_pair_run(&p, cut);
    }
    /* a prefix of what was said, or nothing */
    CHECK(p.at_server.len == 0 ||
          (p.at_server.len == 9 && memcmp(p.at_server.data, "an order\n", 9) == 0));
    CHECK(p.at_client.len <= 17 &&
          memcmp(buf_str(&p.at_client), "welcome\nan event\n", p.at_client.len) == 0);
    CHECK(changed || (p.at_server.len == 9 && p.at_client.len == 17));
    tls_pair_fini(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tls *server; /* made once: no input changes it */
    size_t cut;

    if (size < 2)
        return 0;
    if (server == NULL)
        server = make_server();
    cut = data[1] % 32 == 0 ? 65536 : (size_t)(data[1] % 32) * 37;
    if (data[0] % 2 == 0)
        raw(server, data + 2, size - 2, cut);
    else
        conversation(server, data + 2, size - 2, cut);
    return 0;
}
