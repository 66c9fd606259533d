/* SPDX-License-Identifier: ISC */
#include "server/shell/load.h"

#include "common/base/hex.h"
#include "common/base/log.h"
#include "common/base/str.h"

struct loading {
    struct core *core;
    unsigned users, tokens, matches, archived, aside;
    uint64_t entries;
    bool from_first; /* believe no snapshot */
};

static void set_aside(struct loading *l, const char *what, const char *which, const char *why)
{
    l->aside++;
    LOG_ERROR("load.aside", "what=%s which=%s why=%s", what, which, why);
}

static void on_meta(void *arg, const char *name, const char *data)
{
    struct loading *l = arg;

    if (core_load_meta(l->core, name, data) != ERR_OK)
        set_aside(l, "value", name, "not understood");
}

static void on_user(void *arg, const char *name, const char *data, size_t len)
{
    struct loading *l = arg;

    l->users++;
    if (core_load_user(l->core, name, data, len) != ERR_OK)
        set_aside(l, "user", name, "not understood");
}

static void on_token(void *arg, const uint8_t hash[32], const char *user, const char *data,
                     size_t len)
{
    struct loading *l = arg;

    l->tokens++;
    if (core_load_token(l->core, hash, user, data, len) != ERR_OK)
        set_aside(l, "token-of", user, "not understood");
}

static void on_invite(void *arg, const uint8_t hash[32], const char *data, size_t len)
{
    struct loading *l = arg;

    if (core_load_invite(l->core, hash, data, len) != ERR_OK)
        set_aside(l, "invite", "code", "not understood");
}

static void on_match(void *arg, const struct core_match_row *row)
{
    struct loading *l = arg;
    struct core_match_row copy = *row;
    char why[PLAY_WHY_LEN] = "";
    char id[MATCH_ID_HEX];

    l->matches++;
    if (l->from_first) {
        copy.snapshot = NULL;
        copy.snapshot_len = 0;
    }
    for (size_t i = 0; i < row->lines_len; i++)
        l->entries += row->lines[i] == '\n';
    if (core_load_match(l->core, &copy, why) == ERR_OK)
        return;
    hex_encode(id, row->id, MATCH_ID_LEN);
    set_aside(l, "match", id, why);
}

static void on_share(void *arg, const uint8_t match[MATCH_ID_LEN], enum role role, uint32_t roll,
                     const uint8_t share[FD1_LEN])
{
    struct loading *l = arg;
    char id[MATCH_ID_HEX];

    if (core_load_share(l->core, match, role, roll, share) == ERR_OK)
        return;
    hex_encode(id, match, MATCH_ID_LEN);
    set_aside(l, "share-of", id, "doesn't belong there");
}

static void on_damaged(void *arg, const char *what)
{
    struct loading *l = arg;

    l->aside++;
    LOG_ERROR("load.damaged", "what=%s", what);
}

static enum err load(struct loading *l, struct store *store, char why[STORE_WHY_LEN])
{
    const struct store_sink sink = {.arg = l,
                                    .meta = on_meta,
                                    .user = on_user,
                                    .token = on_token,
                                    .invite = on_invite,
                                    .match = on_match,
                                    .share = on_share,
                                    .damaged = on_damaged};
    enum err e = store_load(store, &sink, why);

    if (e == ERR_OK)
        core_load_done(l->core);
    return e;
}

/* Every archived match, by number. */
static void prove_archive(struct loading *l, struct store *store)
{
    struct store_read read = {.what = READ_AFTER};
    struct store_found found = {.err = ERR_OK};

    for (;; store_found_fini(&found)) {
        const struct store_row *row;
        char why[PLAY_WHY_LEN] = "its record in the archive is damaged, or gone";
        char id[MATCH_ID_HEX];

        store_find(store, &read, &found);
        if (found.n == 0)
            break;
        row = &found.row[0];
        l->archived++;
        for (size_t i = 0; i < row->len; i++)
            l->entries += row->data[i] == '\n';
        if (found.err != ERR_OK ||
            core_prove_archived(l->core, row->id, row->data, row->len, why) != ERR_OK) {
            hex_encode(id, row->id, MATCH_ID_LEN);
            set_aside(l, "archived", id, why);
        }
        read.no = row->no;
    }
    if (found.err != ERR_OK)
        set_aside(l, "archive", "its list", "can't be read");
    store_found_fini(&found);
}

enum err load_proof(struct store *store, struct core *core, struct load_report *out,
                    char why[STORE_WHY_LEN])
{
    struct loading l = {.core = core, .from_first = true};
    enum err e = load(&l, store, why);

    if (e == ERR_OK)
        prove_archive(&l, store);
    *out = (struct load_report){l.users, l.matches, l.archived, l.aside, l.entries};
    return e;
}

enum err load_all(struct store *store, struct core *core, char why[STORE_WHY_LEN])
{
    const uint64_t began = uv_hrtime();
    struct loading l = {.core = core};
    enum err e = load(&l, store, why);

    if (e != ERR_OK)
        return e;
    LOG_INFO("load.done", "users=%u tokens=%u matches=%u aside=%u ms=%llu", l.users, l.tokens,
             l.matches, l.aside, (unsigned long long)((uv_hrtime() - began) / 1000000));
    return ERR_OK;
}

enum err load_served_ms(struct store *store, int64_t *out, char why[STORE_WHY_LEN])
{
    struct buf text = BUF_EMPTY;
    enum err e = store_meta(store, "served_ms", &text);

    *out = 0;
    if (e == ERR_OK && !str_to_int(buf_str(&text), 0, INT64_MAX / 2, out))
        e = ERR_DATA;
    buf_fini(&text);
    if (e == ERR_OK || e == ERR_NOT_FOUND)
        return ERR_OK;
    (void)snprintf(why, STORE_WHY_LEN, "served_ms, the server's clock, can't be read from it");
    return e;
}
