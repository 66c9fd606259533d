/* SPDX-License-Identifier: ISC */
#include "proto/msg.h"

#include "common/base/hex.h"
#include "common/base/str.h"
#include "common/base/utf8.h"

_Static_assert(MSG_FIELD_COUNT <= 64, "a bit of msg_params.has for each field");

static const char *const method_words[] = {
#define X(name, word) [name] = (word),
    MSG_METHOD_TABLE(X)
#undef X
};
static const char *const note_words[] = {
#define X(name, word) [name] = (word),
    MSG_NOTE_TABLE(X)
#undef X
};
static const char *const field_words[] = {
#define X(name, word) [MSG_F_##name] = (word),
    MSG_FIELD_TABLE(X)
#undef X
};
static const char *const watch_words[] = {"all", "invited", "none", NULL};
static const char *const state_words[] = {"open", "live", "over", NULL};
static const char *const to_words[] = {"players", "all", NULL};
static const char *const offer_words[] = {"draw", "pause", "undo", NULL};
static const char *const act_words[] = {"pause", "resume", "adjudicate", "void", NULL};
static const char *const fair_words[] = {"strict", "normal", "server", NULL};

const char *msg_method_word(enum msg_method m)
{
    CHECK((unsigned)m < MSG_METHOD_COUNT);
    return method_words[m];
}

const char *msg_note_word(enum msg_note n)
{
    CHECK((unsigned)n < NOTE_COUNT);
    return note_words[n];
}

const char *msg_field_word(enum msg_field f)
{
    CHECK((unsigned)f < MSG_FIELD_COUNT);
    return field_words[f];
}

const char *msg_watch_word(enum msg_watch w)
{
    CHECK((unsigned)w <= MSG_WATCH_NONE);
    return watch_words[w];
}

const char *msg_chat_to_word(enum msg_chat_to to)
{
    CHECK((unsigned)to <= CHAT_ALL);
    return to_words[to];
}

const char *msg_offer_word(enum offer_kind o)
{
    CHECK((unsigned)o <= OFFER_UNDO);
    return offer_words[o];
}

enum msg_method msg_method_find(const char *word)
{
    unsigned lo = 0;
    unsigned hi = MSG_METHOD_COUNT;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        int cmp = strcmp(word, method_words[mid]);

        if (cmp == 0)
            return (enum msg_method)mid;
        if (cmp < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return MSG_METHOD_COUNT;
}

enum msg_note msg_note_find(const char *word)
{
    for (unsigned n = 0; n < NOTE_COUNT; n++)
        if (strcmp(word, note_words[n]) == 0)
            return (enum msg_note)n;
    return NOTE_COUNT;
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool msg_name_ok(const char *name)
{
    size_t n = 0;

    while (n <= NAME_LEN && is_name_char(name[n]))
        n++;
    return name[n] == '\0' && n >= 3 && n <= NAME_LEN;
}

/* ---- the table ---- */

/* A row: field, type, member, required, bounds. */
#define AT(member) (uint16_t) offsetof(struct msg_params, member)
#define PARAM(f, t, member, req, lo, hi)                                                           \
    {                                                                                              \
        MSG_F_##f, MSG_T_##t, req, AT(member), lo, hi, NULL                                        \
    }
#define WORD(f, member, req, list)                                                                 \
    {                                                                                              \
        MSG_F_##f, MSG_T_WORD, req, AT(member), 0, 0, list                                         \
    }
#define HEX(f, member, req)                                                                        \
    {                                                                                              \
        MSG_F_##f, MSG_T_HEX, req, AT(member), 0,                                                  \
            (int64_t)sizeof(((struct msg_params *)0)->member), NULL                                \
    }
#define MATCH_ROW    PARAM(MATCH, MATCH, match, true, 0, 0)
#define PASSWORD_MIN 8 /* of a new one */
#define PASSWORD_MAX 256
#define EMAIL_MAX    254
#define INVITE_MAX   64

static const struct msg_param of_chat_mute[] = {PARAM(PLAYER, NAME, player, true, 0, 0),
                                                PARAM(ON, BOOL, on, true, 0, 0)};
static const struct msg_param of_lobby_list[] = {WORD(STATE, state, false, state_words),
                                                 PARAM(LIMIT, U32, limit, false, 1, 100),
                                                 PARAM(BEFORE, U32, before, false, 1, UINT32_MAX)};
static const struct msg_param of_match_anchor[] = {
    MATCH_ROW, PARAM(GENERATION, U32, generation, true, 0, UINT16_MAX), HEX(ANCHOR, anchor, true)};
static const struct msg_param of_match_answer[] = {
    MATCH_ROW, PARAM(OFFER_ID, U32, offer_id, true, 1, UINT32_MAX),
    PARAM(ACCEPT, BOOL, accept, true, 0, 0)};
static const struct msg_param of_match_only[] = {MATCH_ROW};
static const struct msg_param of_match_chat[] = {MATCH_ROW, WORD(TO, to, true, to_words),
                                                 PARAM(TEXT, PLAIN, text, true, 1, 400)};
static const struct msg_param of_match_create[] = {
    PARAM(SCENARIO, ID, scenario, true, 0, 0),
    PARAM(SIDE, ID, side, true, 0, 0),
    PARAM(CLOCK, OBJECT, clock, true, 0, 0),
    PARAM(RATED, BOOL, rated, false, 0, 0),
    WORD(FAIR, fair, false, fair_words),
    PARAM(PRIVATE, BOOL, priv, false, 0, 0),
    PARAM(OPPONENT, NAME, opponent, false, 0, 0),
    WORD(WATCH, watch, false, watch_words),
    PARAM(DELAY, U32, delay, false, 0, 100),
    PARAM(MAX_SPECTATORS, U32, max_spectators, false, 1, 1000000),
    PARAM(READINGS, OBJECT, readings, false, 0, 0),
    PARAM(REMATCH_OF, MATCH, rematch_of, false, 0, 0),
};
static const struct msg_param of_match_join[] = {MATCH_ROW,
                                                 PARAM(INVITE, TEXT, invite, false, 1, INVITE_MAX)};
static const struct msg_param of_match_legal[] = {MATCH_ROW,
                                                  PARAM(FIGURE, ID, figure, false, 0, 0)};
static const struct msg_param of_match_offer[] = {MATCH_ROW, WORD(OFFER, offer, true, offer_words)};
static const struct msg_param of_match_order[] = {
    MATCH_ROW, PARAM(ORDER_ID, LINE, order_id, true, 1, 32),
    PARAM(BASE, U32, base, true, 0, UINT32_MAX), PARAM(ORDER, OBJECT, order, true, 0, 0)};
static const struct msg_param of_match_sync[] = {MATCH_ROW,
                                                 PARAM(AFTER, U32, after, false, 0, UINT32_MAX)};
static const struct msg_param of_match_record[] = {MATCH_ROW,
                                                   PARAM(AFTER, TEXT, page, false, 1, 64)};
static const struct msg_param of_match_share[] = {
    MATCH_ROW, PARAM(ROLL, U32, roll, true, 1, UINT32_MAX), HEX(SHARE, share, true)};
static const struct msg_param of_match_umpire[] = {MATCH_ROW, WORD(ACT, act, true, act_words),
                                                   PARAM(WINNER, SIDE, winner, false, 0, 0),
                                                   PARAM(REASON, PLAIN, reason, true, 1, 400)};
static const struct msg_param of_match_watch[] = {
    MATCH_ROW, PARAM(AFTER, U32, after, false, 0, UINT32_MAX),
    PARAM(INVITE, TEXT, invite, false, 1, INVITE_MAX)};
static const struct msg_param of_player_get[] = {PARAM(PLAYER, NAME, player, true, 0, 0)};
static const struct msg_param of_player_list[] = {PARAM(LIMIT, U32, limit, false, 1, 100),
                                                  PARAM(BEFORE, U32, before, false, 1, UINT32_MAX)};
static const struct msg_param of_player_matches[] = {
    PARAM(PLAYER, NAME, player, true, 0, 0), PARAM(AGAINST, NAME, against, false, 0, 0),
    PARAM(LIMIT, U32, limit, false, 1, 100), PARAM(BEFORE, U32, before, false, 1, UINT32_MAX)};
static const struct msg_param of_player_vacation[] = {PARAM(DAYS, U32, days, true, 0, 366)};
static const struct msg_param of_scenario_get[] = {PARAM(ID, ID, id, true, 0, 0)};
static const struct msg_param of_session_guest[] = {PARAM(NAME, NAME, name, false, 0, 0)};
static const struct msg_param of_session_hello[] = {
    PARAM(PROTOCOL, INT, protocol, true, INT64_MIN, INT64_MAX),
    PARAM(CLIENT, TEXT, client, true, 1, 200)};
static const struct msg_param of_session_login[] = {
    PARAM(NAME, TEXT, name, true, 1, 64), PARAM(PASSWORD, TEXT, password, true, 1, PASSWORD_MAX)};
static const struct msg_param of_session_logout[] = {PARAM(ALL, BOOL, all, false, 0, 0)};
static const struct msg_param of_session_password[] = {
    PARAM(OLD, TEXT, old_password, true, 1, PASSWORD_MAX),
    PARAM(NEW, TEXT, new_password, true, PASSWORD_MIN, PASSWORD_MAX)};
static const struct msg_param of_session_register[] = {
    PARAM(NAME, NAME, name, true, 0, 0),
    PARAM(PASSWORD, TEXT, password, true, PASSWORD_MIN, PASSWORD_MAX),
    PARAM(EMAIL, PLAIN, email, false, 3, EMAIL_MAX),
    PARAM(INVITE, TEXT, invite, false, 1, INVITE_MAX)};
static const struct msg_param of_session_resume[] = {HEX(TOKEN, token, true),
                                                     HEX(NEXT, next, false)};

static const struct {
    const struct msg_param *row;
    size_t n;
} params_of[] = {
#define ROWS(list)                                                                                 \
    {                                                                                              \
        list, ARRAY_LEN(list)                                                                      \
    }
    [MSG_CHAT_MUTE] = ROWS(of_chat_mute),
    [MSG_LOBBY_FOLLOW] = {NULL, 0},
    [MSG_LOBBY_LIST] = ROWS(of_lobby_list),
    [MSG_LOBBY_UNFOLLOW] = {NULL, 0},
    [MSG_MATCH_ANCHOR] = ROWS(of_match_anchor),
    [MSG_MATCH_ANSWER] = ROWS(of_match_answer),
    [MSG_MATCH_CANCEL] = ROWS(of_match_only),
    [MSG_MATCH_CHAT] = ROWS(of_match_chat),
    [MSG_MATCH_CLAIM] = ROWS(of_match_only),
    [MSG_MATCH_CREATE] = ROWS(of_match_create),
    [MSG_MATCH_DECLINE] = ROWS(of_match_only),
    [MSG_MATCH_JOIN] = ROWS(of_match_join),
    [MSG_MATCH_LEGAL] = ROWS(of_match_legal),
    [MSG_MATCH_MINE] = {NULL, 0},
    [MSG_MATCH_OFFER] = ROWS(of_match_offer),
    [MSG_MATCH_ORDER] = ROWS(of_match_order),
    [MSG_MATCH_RECORD] = ROWS(of_match_record),
    [MSG_MATCH_RESIGN] = ROWS(of_match_only),
    [MSG_MATCH_SHARE] = ROWS(of_match_share),
    [MSG_MATCH_SYNC] = ROWS(of_match_sync),
    [MSG_MATCH_UMPIRE] = ROWS(of_match_umpire),
    [MSG_MATCH_UNWATCH] = ROWS(of_match_only),
    [MSG_MATCH_WATCH] = ROWS(of_match_watch),
    [MSG_PLAYER_GET] = ROWS(of_player_get),
    [MSG_PLAYER_LIST] = ROWS(of_player_list),
    [MSG_PLAYER_MATCHES] = ROWS(of_player_matches),
    [MSG_PLAYER_VACATION] = ROWS(of_player_vacation),
    [MSG_SCENARIO_GET] = ROWS(of_scenario_get),
    [MSG_SCENARIO_LIST] = {NULL, 0},
    [MSG_SERVER_INFO] = {NULL, 0},
    [MSG_SESSION_GUEST] = ROWS(of_session_guest),
    [MSG_SESSION_HELLO] = ROWS(of_session_hello),
    [MSG_SESSION_LOGIN] = ROWS(of_session_login),
    [MSG_SESSION_LOGOUT] = ROWS(of_session_logout),
    [MSG_SESSION_PASSWORD] = ROWS(of_session_password),
    [MSG_SESSION_PING] = {NULL, 0},
    [MSG_SESSION_REGISTER] = ROWS(of_session_register),
    [MSG_SESSION_RESUME] = ROWS(of_session_resume),
};
_Static_assert(ARRAY_LEN(params_of) == MSG_METHOD_COUNT, "a method without its parameters");

const struct msg_param *msg_method_params(enum msg_method m, size_t *n)
{
    CHECK((unsigned)m < MSG_METHOD_COUNT);
    *n = params_of[m].n;
    return params_of[m].row;
}

/* ---- requests in ---- */

/* Read `id` as far as it is one. */
static bool read_id(const struct json *j, struct msg_id *id)
{
    if (json_int(j, &id->i))
        id->kind = MSG_ID_INT;
    else if (json_string(j, &id->s))
        id->kind = MSG_ID_STRING;
    return id->kind != MSG_ID_NONE;
}

enum err msg_parse(struct json_room *room, const char *line, size_t len,
                   const struct json_limits *limits, struct msg_request *out)
{
    const struct json *params;
    const char *word;
    bool has_id;

    memset(out, 0, sizeof(*out));
    if (json_parse_in(room, line, len, limits, &out->tree) != ERR_OK)
        return ERR_PARSE;
    if (json_type(out->tree) != JSON_OBJECT)
        return ERR_INVALID;
    has_id = read_id(json_get(out->tree, "id"), &out->id);
    if (!json_get_string(out->tree, "jsonrpc", &word) || strcmp(word, "2.0") != 0 || !has_id ||
        !json_get_string(out->tree, "method", &word))
        return ERR_INVALID;
    out->method = (uint8_t)msg_method_find(word);
    if (out->method == MSG_METHOD_COUNT)
        return ERR_METHOD;
    params = json_get(out->tree, "params");
    if (params != NULL && json_type(params) != JSON_OBJECT)
        return ERR_PARAMS;
    out->params = params;
    return ERR_OK;
}

void msg_request_fini(struct msg_request *r)
{
    json_free(r->tree);
    r->tree = NULL;
}

void msg_keep_id(struct msg_request *r)
{
    if (r->id.kind == MSG_ID_STRING)
        return; /* it stands in the tree */
    msg_request_fini(r);
    r->params = NULL;
    memset(&r->p, 0, sizeof(r->p));
}

static bool in_bounds(const struct msg_param *row, int64_t v)
{
    return v >= row->min && v <= row->max;
}

static bool read_int(const struct json *j, const struct msg_param *row, void *dst)
{
    int64_t v;

    if (!json_int(j, &v) || !in_bounds(row, v))
        return false;
    memcpy(dst, &v, sizeof(v));
    return true;
}

static bool read_u32(const struct json *j, const struct msg_param *row, void *dst)
{
    int64_t v;
    uint32_t small;

    if (!json_int(j, &v) || !in_bounds(row, v))
        return false;
    small = (uint32_t)v;
    memcpy(dst, &small, sizeof(small));
    return true;
}

static bool read_bool(const struct json *j, const struct msg_param *row, void *dst)
{
    bool v;

    (void)row;
    if (!json_bool(j, &v))
        return false;
    memcpy(dst, &v, sizeof(v));
    return true;
}

static bool read_text(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    if (!json_string(j, &s) || !in_bounds(row, (int64_t)utf8_count(s, strlen(s))))
        return false;
    memcpy(dst, &s, sizeof(s));
    return true;
}

static bool is_plain(const char *s)
{
    size_t left = strlen(s);

    while (left > 0) {
        uint32_t cp;
        size_t n = utf8_decode(s, left, &cp);

        if (n == 0 || !utf8_is_plain(cp))
            return false;
        s += n;
        left -= n;
    }
    return true;
}

static bool is_line(const char *s)
{
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)s[0];
        bool is_c1 = c == 0xc2 && (unsigned char)s[1] < 0xa0;

        if (c < 0x20 || c == 0x7f || is_c1)
            return false;
    }
    return true;
}

static bool read_line(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    return json_string(j, &s) && is_line(s) && read_text(j, row, dst);
}

static bool read_plain(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    return json_string(j, &s) && is_plain(s) && read_text(j, row, dst);
}

static bool read_name(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    (void)row;
    if (!json_string(j, &s) || !msg_name_ok(s))
        return false;
    memcpy(dst, &s, sizeof(s));
    return true;
}

static bool read_ident(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;
    size_t n;

    (void)row;
    if (!json_string(j, &s))
        return false;
    n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (s[n] != '\0' || n == 0 || n > RULES_ID_LEN)
        return false;
    memcpy(dst, &s, sizeof(s));
    return true;
}

static bool read_side(const struct json *j, const struct msg_param *row, void *dst)
{
    return json_type(j) == JSON_NULL || read_ident(j, row, dst);
}

static bool read_match(const struct json *j, const struct msg_param *row, void *dst)
{
    struct msg_match m = {.no = 0};
    const char *s;
    int64_t no;

    (void)row;
    if (json_int(j, &no)) {
        if (no < 1 || no > UINT32_MAX)
            return false;
        m.no = (uint32_t)no;
    } else if (!json_string(j, &s) || !hex_decode(m.id, sizeof(m.id), s)) {
        return false;
    }
    memcpy(dst, &m, sizeof(m));
    return true;
}

static bool read_hex(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    return json_string(j, &s) && hex_decode(dst, (size_t)row->max, s);
}

static bool read_word(const struct json *j, const struct msg_param *row, void *dst)
{
    const char *s;

    if (!json_string(j, &s))
        return false;
    for (uint8_t i = 0; row->words[i] != NULL; i++)
        if (strcmp(s, row->words[i]) == 0) {
            memcpy(dst, &i, sizeof(i));
            return true;
        }
    return false;
}

static bool read_object(const struct json *j, const struct msg_param *row, void *dst)
{
    (void)row;
    if (j == NULL || json_type(j) != JSON_OBJECT)
        return false;
    memcpy(dst, &j, sizeof(j));
    return true;
}

static bool (*const readers[])(const struct json *, const struct msg_param *, void *) = {
    [MSG_T_INT] = read_int,       [MSG_T_U32] = read_u32,     [MSG_T_BOOL] = read_bool,
    [MSG_T_TEXT] = read_text,     [MSG_T_PLAIN] = read_plain, [MSG_T_NAME] = read_name,
    [MSG_T_ID] = read_ident,      [MSG_T_HEX] = read_hex,     [MSG_T_LINE] = read_line,
    [MSG_T_SIDE] = read_side,     [MSG_T_MATCH] = read_match, [MSG_T_WORD] = read_word,
    [MSG_T_OBJECT] = read_object,
};
_Static_assert(ARRAY_LEN(readers) == MSG_TYPE_COUNT, "a type that nobody reads");

enum err msg_read_params(struct msg_request *r, const char **field)
{
    size_t n;
    const struct msg_param *row = msg_method_params((enum msg_method)r->method, &n);

    memset(&r->p, 0, sizeof(r->p));
    for (size_t i = 0; i < n; i++) {
        const char *name = field_words[row[i].field];
        const struct json *j = json_get(r->params, name);

        if (j == NULL && !row[i].required)
            continue;
        if (j == NULL || !readers[row[i].type](j, &row[i], (char *)&r->p + row[i].offset)) {
            *field = name;
            return ERR_PARAMS;
        }
        r->p.has |= (uint64_t)1 << row[i].field;
    }
    return ERR_OK;
}
