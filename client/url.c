/* SPDX-License-Identifier: ISC
 * url.c -- where a server and a match are.
 */
#include "client/url.h"

#include "common/base/hex.h"
#include "common/base/str.h"

static enum err wrong(char why[URL_WHY_LEN], const char *what)
{
    (void)snprintf(why, URL_WHY_LEN, "%s; a server is skirmish[s]://HOST:PORT[/match/ID]", what);
    return ERR_USAGE;
}

bool url_is_match(const char *text)
{
    uint8_t id[MATCH_ID_LEN];
    int64_t no;

    return hex_decode(id, sizeof(id), text) || str_to_int(text, 1, UINT32_MAX, &no);
}

/* "host", "host:port", "[v6]:port" of `n` bytes. */
static enum err parse_place(const char *text, size_t n, struct url *out, char why[URL_WHY_LEN])
{
    char place[URL_HOST_LEN + 16];
    char *host = place, *port = NULL, *colon;
    int64_t number = URL_PORT;

    if (!str_ncopy(place, sizeof(place), text, n))
        return wrong(why, "that name is too long");
    if (place[0] == '[') {
        char *end = strchr(place, ']');

        if (end == NULL || (end[1] != '\0' && end[1] != ':'))
            return wrong(why, "an address in brackets ends in ]");
        host = place + 1;
        port = end[1] == ':' ? end + 2 : NULL;
        *end = '\0';
    } else {
        colon = strchr(place, ':');
        if (colon != NULL) {
            *colon = '\0';
            port = colon + 1;
        }
    }
    if (port != NULL && !str_to_int(port, 1, 65535, &number))
        return wrong(why, "a port is a number from 1 to 65535");
    if (host[0] == '\0' || !str_copy(out->host, sizeof(out->host), host))
        return wrong(why, "a host is missing");
    out->port = (uint16_t)number;
    return ERR_OK;
}

enum err url_parse(const char *text, struct url *out, char why[URL_WHY_LEN])
{
    static const char plain[] = "skirmish://", tls[] = "skirmishs://", match[] = "/match/";
    const bool is_tls = str_starts(text, tls);
    const char *place = str_starts(text, plain) ? text + sizeof(plain) - 1 : text;
    const char *path;

    if (is_tls)
        place = text + sizeof(tls) - 1;
    path = strchr(place, '/');
    memset(out, 0, sizeof(*out));
    out->tls = is_tls;
    if (place == text && strstr(text, "://") != NULL)
        return wrong(why, "that kind of address isn't spoken");
    if (path != NULL && path[1] != '\0') {
        if (!str_starts(path, match) || !url_is_match(path + sizeof(match) - 1))
            return wrong(why, "behind the server stands /match/ and an id or number");
        (void)str_copy(out->match, sizeof(out->match), path + sizeof(match) - 1);
    }
    return parse_place(place, path == NULL ? strlen(place) : (size_t)(path - place), out, why);
}

void url_print(const struct url *u, struct buf *out)
{
    const bool v6 = strchr(u->host, ':') != NULL;

    buf_printf(out, "skirmish%s://%s%s%s:%u", u->tls ? "s" : "", v6 ? "[" : "", u->host,
               v6 ? "]" : "", u->port);
    if (u->match[0] != '\0')
        buf_printf(out, "/match/%s", u->match);
}

void url_print_match(const struct url *u, uint32_t no, struct buf *out)
{
    struct url place = *u;

    (void)snprintf(place.match, sizeof(place.match), "%u", no);
    url_print(&place, out);
}
