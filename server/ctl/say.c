/* SPDX-License-Identifier: ISC
 * say.c -- answers in words: one line a thing, columns that line up.
 */
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/ctl/ctl.h"

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, TIME_LEN = 32 };

/* ---- pieces ---- */

/* A member's text, "" where there is none. */
static const char *text_of(const struct json *j, const char *name)
{
    const char *s;

    return json_get_string(j, name, &s) ? s : "";
}

static int64_t int_of(const struct json *j, const char *name)
{
    int64_t v;

    return json_get_int(j, name, &v) ? v : 0;
}

static bool is_set(const struct json *j, const char *name)
{
    bool v;

    return json_get_bool(j, name, &v) && v;
}

/* What somebody wrote: never a control character to the terminal. */
/* How many there were, the last line. */
static void put_count(const struct json *list, const char *one, const char *many)
{
    const unsigned n = json_count(list);

    if (n == 0)
        printf("no %s\n", many);
    else
        printf("%u %s\n", n, n == 1 ? one : many);
}

static void put_text(const char *s)
{
    const size_t len = strlen(s);

    for (size_t at = 0; at < len;) {
        uint32_t cp = 0;
        const size_t n = utf8_decode(s + at, len - at, &cp);

        if (n == 0 || !utf8_is_plain(cp))
            (void)putchar('?');
        else
            (void)fwrite(s + at, 1, n, stdout);
        at += n > 0 ? n : 1;
    }
}

/* The machine's own time zone. */
static const char *time_text(int64_t ms, char out[TIME_LEN])
{
    const time_t t = (time_t)(ms / 1000);
    struct tm tm;

    if (localtime_r(&t, &tm) == NULL || strftime(out, TIME_LEN, "%Y-%m-%d %H:%M", &tm) == 0)
        (void)str_copy(out, TIME_LEN, "?");
    return out;
}

static const char *until_text(int64_t ms, char out[TIME_LEN])
{
    return ms == 0 ? "for ever" : time_text(ms, out);
}

static void put_span(int64_t s)
{
    if (s >= DAY_S)
        printf("%lldd ", (long long)(s / DAY_S));
    if (s >= HOUR_S)
        printf("%lldh ", (long long)(s / HOUR_S % (DAY_S / HOUR_S)));
    printf("%lldm", (long long)(s / MINUTE_S % (HOUR_S / MINUTE_S)));
}

static void put_reason(const struct json *j)
{
    if (text_of(j, "reason")[0] == '\0')
        return;
    (void)fputs(": ", stdout);
    put_text(text_of(j, "reason"));
}

void say_done(const struct json *r)
{
    (void)r;
    puts("done");
}

/* ---- the server ---- */

void say_status(const struct json *r)
{
    const struct json *m = json_get(r, "matches");
    char when[TIME_LEN];

    printf("%s, process %lld, up ", text_of(r, "server"), (long long)int_of(r, "pid"));
    put_span(int_of(r, "uptime_s"));
    printf("\n%lld members (%lld suspended), %lld guests; %lld people here, %lld connections, "
           "%lld look on\n",
           (long long)int_of(r, "members"), (long long)int_of(r, "suspended"),
           (long long)int_of(r, "guests"), (long long)int_of(r, "online"),
           (long long)int_of(r, "connections"), (long long)int_of(r, "spectators"));
    printf("matches: %lld open, %lld live, %lld over (%lld of them archived), %lld broken\n",
           (long long)int_of(m, "open"), (long long)int_of(m, "live"), (long long)int_of(m, "over"),
           (long long)int_of(m, "archived"), (long long)int_of(m, "broken"));
    printf("since the start: %lld orders, %lld refusals; %lld bans; registration: %s\n",
           (long long)int_of(r, "orders"), (long long)int_of(r, "refusals"),
           (long long)int_of(r, "bans"), text_of(r, "register"));
    if (json_get(r, "drains_at") != NULL)
        printf("it stops at %s, and nothing new begins\n", time_text(int_of(r, "drains_at"), when));
    if (json_get(r, "upgrade_failed") != NULL) {
        printf("the upgrade of %s failed: ", time_text(int_of(r, "upgrade_failed_at"), when));
        put_text(text_of(r, "upgrade_failed"));
        (void)putchar('\n');
    }
}

/* A line each. */
void say_words(const struct json *r)
{
    const char *words = text_of(r, "words");
    char line[4096];

    while (words[0] != '\0') {
        const size_t n = strcspn(words, "\n");

        (void)str_ncopy(line, sizeof(line), words, n);
        put_text(line);
        (void)putchar('\n');
        words += words[n] == '\n' ? n + 1 : n;
    }
}

void say_told(const struct json *r)
{
    printf("told to %lld connections\n", (long long)int_of(r, "told"));
}

void say_closed(const struct json *r)
{
    printf("%lld connections closed\n", (long long)int_of(r, "closed"));
}

void say_motd(const struct json *r)
{
    put_text(text_of(r, "motd"));
    puts(is_set(r, "configured") ? "\n(the configuration's)" : "");
}

void say_drain(const struct json *r)
{
    if (int_of(r, "in_s") < 0) {
        puts("the server stays open");
        return;
    }
    printf("the server stops in %lld s\n", (long long)int_of(r, "in_s"));
}

/* ---- people ---- */

static void put_standing(const struct json *p)
{
    const struct json *barred = json_get(p, "suspended");
    char when[TIME_LEN];

    if (barred == NULL)
        return;
    printf("  suspended until %s", until_text(int_of(barred, "until"), when));
    put_reason(barred);
}

void say_players(const struct json *r)
{
    const struct json *list = json_get(r, "players");

    for (const struct json *p = json_first(list); p != NULL; p = json_next(p)) {
        const struct json *conns = json_get(p, "connections");

        printf("%-20s  %-6s  %-7s", text_of(p, "name"),
               text_of(p, "role")[0] != '\0' ? text_of(p, "role") : "guest",
               is_set(p, "online") ? "online" : "offline");
        for (const struct json *c = json_first(conns); c != NULL; c = json_next(c))
            printf("  %s%s", text_of(c, "address"), is_set(c, "tls") ? " (TLS)" : "");
        put_standing(p);
        (void)putchar('\n');
    }
    put_count(list, "player", "players");
}

void say_player(const struct json *r)
{
    const struct json *p = json_get(r, "player");
    const struct json *list = json_get(p, "matches");
    char when[TIME_LEN];

    printf("%s, %s, since %s, %s", text_of(p, "name"),
           text_of(p, "role")[0] != '\0' ? text_of(p, "role") : "guest",
           time_text(int_of(p, "since"), when), is_set(p, "online") ? "online" : "offline");
    put_standing(p);
    if (text_of(p, "email")[0] != '\0') {
        (void)fputs("\nmail: ", stdout);
        put_text(text_of(p, "email"));
    }
    for (const struct json *c = json_first(json_get(p, "connections")); c != NULL; c = json_next(c))
        printf("\nconnected from %s%s", text_of(c, "address"), is_set(c, "tls") ? " by TLS" : "");
    if (json_count(list) > 0)
        (void)fputs("\nmatches:", stdout);
    for (const struct json *m = json_first(list); m != NULL; m = json_next(m)) {
        int64_t no;

        if (json_int(m, &no))
            printf(" %lld", (long long)no);
    }
    (void)putchar('\n');
}

void say_password(const struct json *r)
{
    const char *password = text_of(r, "password");

    if (password[0] == '\0')
        printf("%s has the password that you gave\n", text_of(r, "player"));
    else
        printf("%s has the password %s\n", text_of(r, "player"), password);
}

void say_erased(const struct json *r)
{
    printf("lists show this player as %s from now on\n", text_of(r, "player"));
}

/* ---- matches ---- */

static void put_match(const struct json *m)
{
    const struct json *over = json_get(m, "over");

    printf("%6lld  %-6s  %-26s  %s", (long long)int_of(m, "no"), text_of(m, "state"),
           text_of(m, "scenario"), text_of(m, "maker"));
    if (text_of(m, "joiner")[0] != '\0')
        printf(" - %s", text_of(m, "joiner"));
    else if (text_of(m, "opponent")[0] != '\0')
        printf(" (challenges %s)", text_of(m, "opponent"));
    if (is_set(m, "rated"))
        (void)fputs("  rated", stdout);
    if (is_set(m, "private"))
        (void)fputs("  private", stdout);
    if (json_get(m, "turn") != NULL && over == NULL)
        printf("  turn %lld", (long long)int_of(m, "turn"));
    if (over != NULL)
        printf("  %s, %s", text_of(over, "winner")[0] != '\0' ? text_of(over, "winner") : "nobody",
               text_of(over, "reason"));
    (void)putchar('\n');
}

void say_matches(const struct json *r)
{
    const struct json *list = json_get(r, "matches");

    for (const struct json *m = json_first(list); m != NULL; m = json_next(m))
        put_match(m);
    put_count(list, "match", "matches");
}

void say_match(const struct json *r)
{
    const struct json *m = json_get(r, "match");
    char when[TIME_LEN];

    put_match(m);
    printf("        %s\n", text_of(m, "match"));
    if (json_get(r, "head") == NULL) {
        puts("        set aside: its journal doesn't check");
        return;
    }
    for (const struct json *s = json_first(json_get(r, "seats")); s != NULL; s = json_next(s)) {
        const char *side = text_of(s, "side");

        printf("        %s: %s, %s%s%s", text_of(s, "role"), text_of(s, "player"), side,
               side[0] != '\0' ? ", " : "", is_set(s, "online") ? "online" : "offline");
        if (side[0] != '\0' && json_get(json_get(r, "left"), side) != NULL) {
            (void)fputs(", time left ", stdout);
            put_span(int_of(json_get(r, "left"), side) / 1000);
        }
        puts(is_set(s, "to_act") ? ", is to act" : "");
    }
    printf("        %lld entries, the newest of %s%s%s\n", (long long)int_of(r, "head"),
           time_text(int_of(r, "last_ts"), when), is_set(r, "paused") ? ", paused" : "",
           is_set(r, "archived") ? ", archived" : "");
    printf("        head %s\n", text_of(r, "hash"));
}

void say_check(const struct json *r)
{
    for (const struct json *f = json_first(json_get(r, "found")); f != NULL; f = json_next(f)) {
        if (json_get(f, "no") != NULL)
            printf("match %lld: ", (long long)int_of(f, "no"));
        put_text(text_of(f, "why"));
        (void)putchar('\n');
    }
    printf("%lld matches played again, %lld faults\n", (long long)int_of(r, "matches"),
           (long long)int_of(r, "bad"));
}

/* ---- what is kept: audit, bans, invites ---- */

static void put_value(const struct json *j)
{
    struct buf b = BUF_EMPTY;
    const char *text;

    if (json_string(j, &text)) {
        put_text(text);
        return;
    }
    json_print(j, &b);
    (void)fputs(buf_str(&b), stdout);
    buf_fini(&b);
}

void say_audit(const struct json *r)
{
    char when[TIME_LEN];

    for (const struct json *a = json_first(json_get(r, "audit")); a != NULL; a = json_next(a)) {
        printf("%s  ", time_text(int_of(a, "ts"), when));
        put_text(text_of(a, "who"));
        if (text_of(a, "as")[0] != '\0' && !str_eq(text_of(a, "as"), text_of(a, "who"))) {
            (void)fputs(" as ", stdout);
            put_text(text_of(a, "as"));
        }
        printf("  %s", text_of(a, "act"));
        for (const struct json *p = json_first(json_get(a, "of")); p != NULL; p = json_next(p)) {
            (void)fputs("  ", stdout);
            put_text(json_name(p));
            (void)putchar('=');
            put_value(p);
        }
        (void)putchar('\n');
    }
    put_count(json_get(r, "audit"), "act", "acts");
}

static void put_ban(const struct json *b)
{
    char since[TIME_LEN], until[TIME_LEN];

    printf("%-24s  since %s, until %s, by ", text_of(b, "address"),
           time_text(int_of(b, "since"), since), until_text(int_of(b, "until"), until));
    put_text(text_of(b, "by"));
    put_reason(b);
    (void)putchar('\n');
}

void say_bans(const struct json *r)
{
    for (const struct json *b = json_first(json_get(r, "bans")); b != NULL; b = json_next(b))
        put_ban(b);
    put_count(json_get(r, "bans"), "ban", "bans");
}

void say_ban(const struct json *r)
{
    printf("%s is banned; %lld connections closed\n", text_of(r, "address"),
           (long long)int_of(r, "closed"));
}

static void put_invite(const struct json *i)
{
    char when[TIME_LEN];

    printf("%s  %lld uses, until %s, by ", text_of(i, "id"), (long long)int_of(i, "uses"),
           until_text(int_of(i, "until"), when));
    put_text(text_of(i, "by"));
    (void)putchar('\n');
}

void say_invites(const struct json *r)
{
    for (const struct json *i = json_first(json_get(r, "invites")); i != NULL; i = json_next(i))
        put_invite(i);
    put_count(json_get(r, "invites"), "code", "codes");
}

void say_invite(const struct json *r)
{
    printf("code %s\n", text_of(r, "code"));
    put_invite(r);
}
