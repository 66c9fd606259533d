/* SPDX-License-Identifier: ISC */
#include "proto/json.h"

#include <cjson/cJSON.h>

#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/json_scan.h"
#include "proto/jsonw.h"

const struct json_limits json_wire_limits = {8, 64, 512};
const struct json_limits json_file_limits = {JSON_DEPTH_MAX, 0, 0};

/* struct json is never defined: it is cJSON's item by another name. */
static const cJSON *item(const struct json *j)
{
    return (const cJSON *)(const void *)j;
}

static const struct json *json(const cJSON *c)
{
    return (const struct json *)(const void *)c;
}

/* ---- memory of a tree ---- */

enum { ALIGN = 8 };
_Static_assert(_Alignof(cJSON) <= ALIGN && sizeof(cJSON) % ALIGN == 0, "items lie side by side");

/* A tree lies in one piece of memory, its root first; in more only if cJSON wants more than we
 * reckoned. */
struct json_piece {
    struct json_piece *next;
    struct json_room *from; /* NULL: the heap */
    size_t size;            /* of room[] */
    _Alignas(ALIGN) unsigned char room[];
};

/* Where a parser takes memory from: the newest piece. */
struct pieces {
    struct json_piece *last;
    unsigned char *at; /* its room that is left */
    size_t left;
};

enum { KEEP = 2048 }; /* a piece in a json_room: enough for all but the rarest messages */

/* The spare piece of `room`, if that is there and has one that is large enough. */
static struct json_piece *take_spare(struct json_room *room, size_t size)
{
    struct json_piece *p = room != NULL && size <= KEEP ? room->spare : NULL;

    if (p != NULL)
        room->spare = NULL;
    return p;
}

static struct json_piece *piece_new(struct json_room *room, size_t size)
{
    const size_t whole = room != NULL ? MAX(size, (size_t)KEEP) : size;
    struct json_piece *p = mem_alloc(sizeof(*p) + whole);

    p->from = room;
    p->size = whole;
    return p;
}

static void add_piece(struct pieces *ps, struct json_room *room, size_t size)
{
    struct json_piece *p = take_spare(room, size);

    if (p == NULL)
        p = piece_new(room, size);
    p->next = NULL;
    if (ps->last != NULL)
        ps->last->next = p;
    ps->last = p;
    ps->at = p->room;
    ps->left = p->size;
}

/* This thread's; NULL: it isn't parsing. cJSON's hooks are the process's and take no context, so
 * there is no other way to tell them. */
static _Thread_local struct pieces *parsing;

/* Off the road: where no room is left, or nobody parses. */
static __attribute__((noinline)) void *take_rarely(size_t n)
{
    enum { MORE = 4096 };

    if (parsing == NULL)
        return malloc(n);
    add_piece(parsing, NULL, MAX(n, (size_t)MORE));
    parsing->at += n;
    parsing->left -= n;
    return parsing->at - n;
}

static void *take(size_t n)
{
    const size_t whole = (n + ALIGN - 1) / ALIGN * ALIGN;
    struct pieces *ps = parsing;

    if (ps == NULL || whole > ps->left)
        return take_rarely(whole);
    ps->at += whole;
    ps->left -= whole;
    return ps->at - whole;
}

static void give(void *p)
{
    if (parsing == NULL)
        free(p);
}

/* Before there is a thread: they are written without a lock, and every parse reads them. */
__attribute__((constructor)) static void set_hooks(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = take, .free_fn = give});
}

/* All that cJSON takes for `values` values in `len` bytes: an item each, a string and a name. */
static size_t tree_size(size_t values, size_t len)
{
    return values * (sizeof(cJSON) + (size_t)2 * ALIGN) + len;
}

/* The tree of a text that has been scanned. */
static struct json *build(struct json_room *room, const char *text, size_t len, unsigned values)
{
    struct pieces own = {NULL, NULL, 0};
    const void *first;
    cJSON *tree;

    add_piece(&own, room, tree_size(values, len));
    first = own.last->room;
    parsing = &own;
    tree = cJSON_ParseWithLength(text, len);
    parsing = NULL;
    CHECK(tree != NULL);  /* what the scanner takes cJSON takes */
    CHECK(tree == first); /* json_free counts on it */
    return (struct json *)(void *)tree;
}

enum err json_parse(const char *text, size_t len, const struct json_limits *limits,
                    struct json **out, char why[JSON_WHY_LEN])
{
    unsigned values;
    const enum err e = json_scan_count(text, len, limits, why, &values);

    *out = e == ERR_OK ? build(NULL, text, len, values) : NULL;
    return e;
}

enum err json_parse_in(struct json_room *room, const char *text, size_t len,
                       const struct json_limits *limits, struct json **out)
{
    char why[JSON_WHY_LEN];
    unsigned values;
    const enum err e = json_scan_count(text, len, limits, why, &values);

    *out = e == ERR_OK ? build(room, text, len, values) : NULL;
    return e;
}

static void piece_free(struct json_piece *p)
{
    if (p->from != NULL && p->from->spare == NULL && p->size == KEEP)
        p->from->spare = p;
    else
        mem_free(p);
}

void json_free(struct json *j)
{
    struct json_piece *p;

    if (j == NULL)
        return;
    p = (struct json_piece *)(void *)((unsigned char *)(void *)j -
                                      offsetof(struct json_piece, room));
    while (p != NULL) {
        struct json_piece *next = p->next;

        piece_free(p);
        p = next;
    }
}

void json_room_fini(struct json_room *room)
{
    mem_free(room->spare);
    room->spare = NULL;
}

enum json_type json_type(const struct json *j)
{
    switch (item(j)->type & 0xff) {
    case cJSON_NULL:
        return JSON_NULL;
    case cJSON_False:
    case cJSON_True:
        return JSON_BOOL;
    case cJSON_Number:
        return JSON_INT;
    case cJSON_String:
        return JSON_STRING;
    case cJSON_Array:
        return JSON_ARRAY;
    default: /* cJSON's numbers, not an enum; a parsed tree holds no other */
        CHECK(cJSON_IsObject(item(j)));
        return JSON_OBJECT;
    }
}

/* Is it there, and of that kind (bits of cJSON's)? */
static bool is(const struct json *j, int kinds)
{
    return j != NULL && (item(j)->type & kinds) != 0;
}

const struct json *json_get(const struct json *j, const char *name)
{
    if (!is(j, cJSON_Object))
        return NULL;
    for (const cJSON *c = item(j)->child; c != NULL; c = c->next)
        if (c->string[0] == name[0] && strcmp(c->string, name) == 0)
            return json(c);
    return NULL;
}

const struct json *json_first(const struct json *j)
{
    return is(j, cJSON_Array | cJSON_Object) ? json(item(j)->child) : NULL;
}

const struct json *json_next(const struct json *j)
{
    return json(item(j)->next);
}

const char *json_name(const struct json *j)
{
    return item(j)->string;
}

unsigned json_count(const struct json *j)
{
    unsigned n = 0;

    for (const struct json *c = json_first(j); c != NULL; c = json_next(c))
        n++;
    return n;
}

bool json_string(const struct json *j, const char **out)
{
    if (!is(j, cJSON_String))
        return false;
    *out = item(j)->valuestring;
    return true;
}

bool json_int(const struct json *j, int64_t *out)
{
    if (!is(j, cJSON_Number))
        return false;
    *out = (int64_t)item(j)->valuedouble; /* exact: the scanner holds it within 2^53 */
    return true;
}

bool json_bool(const struct json *j, bool *out)
{
    if (!is(j, cJSON_False | cJSON_True))
        return false;
    *out = cJSON_IsTrue(item(j)) != 0;
    return true;
}

bool json_get_string(const struct json *j, const char *name, const char **out)
{
    return json_string(json_get(j, name), out);
}

bool json_get_int(const struct json *j, const char *name, int64_t *out)
{
    return json_int(json_get(j, name), out);
}

bool json_get_bool(const struct json *j, const char *name, bool *out)
{
    return json_bool(json_get(j, name), out);
}

static bool get_up_to(const struct json *j, const char *name, int64_t max, int64_t *out)
{
    return json_get_int(j, name, out) && *out >= 0 && *out <= max;
}

bool json_get_u8(const struct json *j, const char *name, uint8_t *out)
{
    int64_t v;

    if (!get_up_to(j, name, UINT8_MAX, &v))
        return false;
    *out = (uint8_t)v;
    return true;
}

bool json_get_u32(const struct json *j, const char *name, uint32_t *out)
{
    int64_t v;

    if (!get_up_to(j, name, UINT32_MAX, &v))
        return false;
    *out = (uint32_t)v;
    return true;
}

bool json_get_text(const struct json *j, const char *name, char *out, size_t size)
{
    const char *s = NULL;

    return json_get_string(j, name, &s) && str_copy(out, size, s);
}

bool json_get_hex(const struct json *j, const char *name, uint8_t *out, size_t n)
{
    const char *s = NULL;

    return json_get_string(j, name, &s) && hex_decode(out, n, s);
}

/* Print a scalar, or open an array or object. */
static void print_head(struct jsonw *w, const struct json *j)
{
    int64_t number = 0;
    bool truth = false;
    const char *text = "";

    switch (json_type(j)) {
    case JSON_NULL:
        jsonw_null(w);
        break;
    case JSON_BOOL:
        CHECK(json_bool(j, &truth));
        jsonw_bool(w, truth);
        break;
    case JSON_INT:
        CHECK(json_int(j, &number));
        jsonw_int(w, number);
        break;
    case JSON_STRING:
        CHECK(json_string(j, &text));
        jsonw_str(w, text);
        break;
    case JSON_ARRAY:
        jsonw_arr(w);
        break;
    case JSON_OBJECT:
        jsonw_obj(w);
        break;
    }
}

/* A member's name, which may hold what jsonw_name doesn't escape. */
static void print_name(struct jsonw *w, const char *name)
{
    jsonw_str(w, name);
    buf_putc(w->out, ':');
    w->comma = false;
}

/* The arrays and objects around the value being printed, outermost first. */
struct walk {
    const struct json *parent[JSON_DEPTH_MAX];
    size_t depth;
};

/* What stands behind `at` in what is open; NULL: nothing. */
static const struct json *walk_next(const struct walk *walk, const struct json *at)
{
    return walk->depth > 0 ? json_next(at) : NULL;
}

/* Close what ends before `at` (NULL: the innermost does). The next value, NULL at the very end. */
static const struct json *walk_close(struct walk *walk, struct jsonw *w, const struct json *at)
{
    while (at == NULL && walk->depth > 0) {
        const struct json *done = walk->parent[--walk->depth];

        if (is(done, cJSON_Array))
            jsonw_arr_end(w);
        else
            jsonw_obj_end(w);
        at = walk_next(walk, done);
    }
    return at;
}

void json_print(const struct json *j, struct buf *out)
{
    struct jsonw w = jsonw_on(out);
    struct walk walk;
    const struct json *at = j;

    walk.depth = 0;
    while (at != NULL) {
        if (walk.depth > 0 && is(walk.parent[walk.depth - 1], cJSON_Object))
            print_name(&w, json_name(at));
        print_head(&w, at);
        if (is(at, cJSON_Array | cJSON_Object)) {
            CHECK(walk.depth < JSON_DEPTH_MAX);
            walk.parent[walk.depth++] = at;
            at = json_first(at);
        } else {
            at = walk_next(&walk, at);
        }
        at = walk_close(&walk, &w, at);
    }
}
