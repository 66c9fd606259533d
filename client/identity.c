/* SPDX-License-Identifier: ISC
 * identity.c -- the tokens that let us come back.
 *
 * The file has a token a line, newest first.
 */
#include "client/identity.h"

#include <ctype.h>
#include <sodium.h>

#include "client/state_dir.h"
#include "common/base/hex.h"
#include "common/base/str.h"

static const char dir[] = "tokens";

static enum err store(const struct identity *id)
{
    struct buf text = BUF_EMPTY;
    enum err e;

    for (unsigned i = 0; i < id->n; i++)
        buf_printf(&text, "%s\n", id->token[i]);
    e = state_write(dir, id->file, &text);
    if (text.data != NULL)
        sodium_memzero(text.data, text.len);
    buf_fini(&text);
    return e;
}

static void load(struct identity *id, char *text)
{
    char *word;

    id->n = 0;
    id->second = 0;
    while (id->n < IDENTITY_MAX && (word = str_word(&text)) != NULL) {
        uint8_t bytes[32];

        if (hex_decode(bytes, sizeof(bytes), word))
            (void)str_copy(id->token[id->n++], TOKEN_HEX, word);
    }
}

/* File and lock of one identity. */
static enum err open_one(struct identity *id, const struct url *u, const char *who)
{
    struct buf text = BUF_EMPTY;
    enum err e;

    /* what was got under TLS is never shown without */
    (void)snprintf(id->file, sizeof(id->file), "%s_%u%s_%s", u->host, u->port, u->tls ? "s" : "",
                   who);
    for (char *p = id->file; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && strchr(".-_", *p) == NULL)
            *p = '+';
    }
    e = state_lock(dir, id->file, &id->lock);
    if (e != ERR_OK)
        return e;
    e = state_read(dir, id->file, &text);
    if (e == ERR_OK)
        load(id, text.data);
    if (text.data != NULL)
        sodium_memzero(text.data, text.len);
    buf_fini(&text);
    if (e == ERR_NOT_FOUND || e == ERR_ROOM)
        return ERR_OK;
    if (e != ERR_OK)
        identity_close(id);
    return e;
}

enum err identity_open(struct identity *id, const struct url *u, const char *name)
{
    char who[NAME_LEN + 8];
    enum err e = ERR_BUSY;

    *id = (struct identity){.lock = -1};
    if (name != NULL) {
        (void)snprintf(who, sizeof(who), "name-%s", name);
        for (char *p = who; *p != '\0'; p++)
            *p = (char)tolower((unsigned char)*p); /* names are unique without case */
        return open_one(id, u, who);
    }
    for (unsigned slot = 0; slot < IDENTITY_SLOTS && e == ERR_BUSY; slot++) {
        (void)snprintf(who, sizeof(who), "guest%u", slot);
        e = open_one(id, u, who);
    }
    return e;
}

void identity_close(struct identity *id)
{
    state_unlock(id->lock);
    sodium_memzero(id, sizeof(*id));
    id->lock = -1;
}

/* Put a token in front; the oldest falls off. */
static void push(struct identity *id, const char *token)
{
    const unsigned keep = MIN(id->n, (unsigned)IDENTITY_MAX - 1);

    memmove(id->token[1], id->token[0], keep * sizeof(id->token[0]));
    (void)str_copy(id->token[0], TOKEN_HEX, token);
    id->n = keep + 1;
}

static void drop(struct identity *id, unsigned i)
{
    memmove(id->token[i], id->token[i + 1], (id->n - i - 1) * sizeof(id->token[0]));
    id->n--;
}

bool identity_next(struct identity *id, const char **token, const char **next, enum err *e)
{
    uint8_t bytes[32];
    char fresh[TOKEN_HEX];

    *e = ERR_OK;
    if (id->n == 0)
        return false;
    randombytes_buf(bytes, sizeof(bytes));
    hex_encode(fresh, bytes, sizeof(bytes));
    push(id, fresh);
    id->at = 1;
    id->offered = true;
    *e = store(id);
    *token = id->token[1];
    *next = id->token[0];
    return true;
}

enum err identity_taken(struct identity *id, const char *token)
{
    if (strlen(token) != TOKEN_HEX - 1)
        return ERR_DATA;
    if (id->n == 0 || !str_eq(token, id->token[0]))
        push(id, token); /* of a new guest, or one that the server made itself */
    id->n = MIN(id->n - id->second, (unsigned)IDENTITY_PAST);
    id->second = 0;
    id->offered = false;
    return store(id);
}

void identity_refused(struct identity *id)
{
    char tried[TOKEN_HEX];

    if (id->n > 1 && id->offered) {
        const bool again = id->n - 1 <= id->second; /* only second tries are left */

        (void)str_copy(tried, sizeof(tried), id->token[1]);
        drop(id, 1);
        drop(id, 0); /* its successor was never made */
        if (again) {
            id->second--;
        } else {
            (void)str_copy(id->token[id->n++], TOKEN_HEX, tried);
            id->second++;
        }
        sodium_memzero(tried, sizeof(tried));
    }
    id->offered = false;
    if (store(id) != ERR_OK)
        id->n = 0;
}

void identity_again(struct identity *id)
{
    id->offered = false;
}

void identity_forget(struct identity *id)
{
    sodium_memzero(id->token, sizeof(id->token));
    id->n = 0;
    id->second = 0;
    id->offered = false;
    if (id->file[0] != '\0')
        state_remove(dir, id->file);
}
