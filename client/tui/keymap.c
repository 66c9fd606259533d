/* SPDX-License-Identifier: ISC
 * keymap.c -- keys and actions.
 */
#include "client/tui/keymap.h"

#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

struct row {
    const char *name, *keys, *help;
    unsigned ctx;
};
static const struct row rows[] = {[ACT_NONE] = {"", "", "", 0},
#define X(act, word, contexts, keys, help) [act] = {word, keys, help, contexts},
                                  ACTION_TABLE(X)
#undef X
};
_Static_assert(ARRAY_LEN(rows) == ACT_COUNT, "a row for every action");

static const struct {
    const char *name;
    uint32_t key;
} names[] = {
    {"Up", KEY_K_UP},
    {"Down", KEY_K_DOWN},
    {"Left", KEY_K_LEFT},
    {"Right", KEY_K_RIGHT},
    {"S-Up", KEY_K_SHIFT_UP},
    {"S-Down", KEY_K_SHIFT_DOWN},
    {"S-Left", KEY_K_SHIFT_LEFT},
    {"S-Right", KEY_K_SHIFT_RIGHT},
    {"Home", KEY_K_HOME},
    {"End", KEY_K_END},
    {"PgUp", KEY_K_PAGE_UP},
    {"PgDn", KEY_K_PAGE_DOWN},
    {"S-Tab", KEY_K_BACK_TAB},
    {"Backspace", KEY_K_BACKSPACE},
    {"Delete", KEY_K_DELETE},
    {"Insert", KEY_K_INSERT},
    {"Esc", KEY_K_ESC},
    {"Enter", KEY_K_ENTER},
    {"Tab", KEY_K_TAB},
    {"Space", ' '},
};

void keymap_key_name(uint32_t key, struct buf *out)
{
    char utf8[4];

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (names[i].key == key) {
            buf_puts(out, names[i].name);
            return;
        }
    }
    if (key >= KEY_K_F1 && key <= KEY_K_F12)
        buf_printf(out, "F%u", key - KEY_K_F1 + 1);
    else if (key >= 1 && key < 0x20)
        buf_printf(out, "C-%c", (char)(key + 0x60));
    else if (key < KEY_BASE && utf8_is_plain(key))
        buf_put(out, utf8, utf8_encode(utf8, key));
}

uint32_t keymap_key_parse(const char *name)
{
    uint32_t cp = 0;
    int64_t n;
    const size_t len = strlen(name);

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_ieq(names[i].name, name))
            return names[i].key;
    }
    if (name[0] == 'F' && str_to_int(name + 1, 1, 12, &n))
        return KEY_K_F1 + (uint32_t)n - 1;
    if (str_starts(name, "C-") && len == 3 && name[2] >= 'a' && name[2] <= 'z')
        return KEY_CTRL(name[2]);
    if (len > 0 && utf8_decode(name, len, &cp) == len && utf8_is_plain(cp))
        return cp;
    return 0;
}

const char *action_name(enum action a)
{
    return rows[a].name;
}

const char *action_help(enum action a)
{
    return rows[a].help;
}

unsigned action_contexts(enum action a)
{
    return rows[a].ctx;
}

static bool read_keys(const char *text, uint32_t key[KEYMAP_KEYS], char why[KEYMAP_WHY_LEN])
{
    char *copy = mem_strdup(text), *rest = copy, *word;
    unsigned n = 0;
    bool good = true;

    memset(key, 0, KEYMAP_KEYS * sizeof(*key));
    while (good && (word = str_word(&rest)) != NULL) {
        const uint32_t one = keymap_key_parse(word);

        good = one != 0 && n < KEYMAP_KEYS;
        if (good)
            key[n++] = one;
        else
            (void)snprintf(why, KEYMAP_WHY_LEN,
                           one == 0 ? "there is no key %.40s" : "%.40s is one key too many", word);
    }
    mem_free(copy);
    return good;
}

void keymap_init(struct keymap *km)
{
    char why[KEYMAP_WHY_LEN];

    memset(km, 0, sizeof(*km));
    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++)
        CHECK(read_keys(rows[a].keys, km->key[a], why));
}

/* Take `key` from all other actions of these contexts. */
static void take_key(struct keymap *km, unsigned from, uint32_t key)
{
    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (a == from || (rows[a].ctx & rows[from].ctx) == 0)
            continue;
        for (unsigned i = 0; i < KEYMAP_KEYS; i++) {
            if (km->key[a][i] == key)
                km->key[a][i] = 0;
        }
    }
}

bool keymap_set(struct keymap *km, const char *action, const char *keys, char why[KEYMAP_WHY_LEN])
{
    uint32_t key[KEYMAP_KEYS];

    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT; a++) {
        if (!str_eq(rows[a].name, action))
            continue;
        if (!read_keys(keys, key, why))
            return false;
        for (unsigned i = 0; i < KEYMAP_KEYS; i++) {
            km->key[a][i] = key[i];
            if (key[i] != 0)
                take_key(km, a, key[i]);
        }
        return true;
    }
    (void)snprintf(why, KEYMAP_WHY_LEN, "there is no action %.40s", action);
    return false;
}

enum action keymap_find(const struct keymap *km, unsigned ctx, uint32_t key)
{
    for (unsigned a = ACT_NONE + 1; a < ACT_COUNT && key != 0; a++) {
        if ((rows[a].ctx & ctx) == 0)
            continue;
        for (unsigned i = 0; i < KEYMAP_KEYS; i++) {
            if (km->key[a][i] == key)
                return (enum action)a;
        }
    }
    return ACT_NONE;
}

void keymap_keys(const struct keymap *km, enum action a, struct buf *out)
{
    const char *sep = "";

    for (unsigned i = 0; i < KEYMAP_KEYS; i++) {
        if (km->key[a][i] == 0)
            continue;
        buf_puts(out, sep);
        keymap_key_name(km->key[a][i], out);
        sep = " ";
    }
}

void keymap_key(const struct keymap *km, enum action a, struct buf *out)
{
    for (unsigned i = 0; i < KEYMAP_KEYS; i++) {
        if (km->key[a][i] != 0) {
            keymap_key_name(km->key[a][i], out);
            return;
        }
    }
}
