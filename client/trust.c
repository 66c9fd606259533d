/* SPDX-License-Identifier: ISC
 * trust.c -- which certificate may a server have.
 *
 * known_hosts has a line a server: host:port, a blank, the fingerprint. Lines are only added: to
 * take one out is the user's decision.
 */
#include "client/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/hex.h"
#include "common/base/str.h"

enum { FILE_MAX = 1 << 20 };

bool trust_is_print(const char *text)
{
    uint8_t digest[32];

    return str_starts(text, "SHA256:") && hex_decode(digest, sizeof(digest), text + 7);
}

/* ---- the file ---- */

static bool file_path(struct buf *path)
{
    const char *xdg = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (xdg != NULL && xdg[0] == '/')
        buf_puts(path, xdg);
    else if (home != NULL && home[0] == '/')
        buf_printf(path, "%s/.config", home);
    else
        return false;
    (void)mkdir(buf_str(path), 0700); /* there already, or open() says what is wrong */
    buf_puts(path, "/skirmish");
    (void)mkdir(buf_str(path), 0700);
    buf_puts(path, "/known_hosts");
    return true;
}

static void name_of(const struct url *u, struct buf *out)
{
    const bool v6 = strchr(u->host, ':') != NULL;

    buf_printf(out, "%s%s%s:%u", v6 ? "[" : "", u->host, v6 ? "]" : "", u->port);
}

/* The fingerprint known for `name`. ERR_NOT_FOUND: none; ERR_IO: the file can't be read. */
static enum err look_up(const char *path, const char *name, char print[TLS_PRINT_LEN])
{
    struct buf text = BUF_EMPTY;
    const char *line;
    enum err e = buf_read_file(&text, path, FILE_MAX);
    const size_t len = strlen(name);

    if (e != ERR_OK) {
        buf_fini(&text);
        return e == ERR_IO && errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
    }
    e = ERR_NOT_FOUND;
    for (line = buf_str(&text); e != ERR_OK && line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        const size_t n = end != NULL ? (size_t)(end - line) : strlen(line);

        if (n > len && strncmp(line, name, len) == 0 && line[len] == ' ')
            e = str_ncopy(print, TLS_PRINT_LEN, line + len + 1, n - len - 1) ? ERR_OK : ERR_IO;
        line = end != NULL ? end + 1 : NULL;
    }
    buf_fini(&text);
    return e;
}

static bool write_down(const char *path, const char *name, const char *print)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct buf line = BUF_EMPTY;
    bool good;

    if (fd < 0)
        return false;
    buf_printf(&line, "%s %s\n", name, print);
    good = write(fd, line.data, line.len) == (ssize_t)line.len && fsync(fd) == 0;
    buf_fini(&line);
    return close(fd) == 0 && good;
}

/* ---- the decision ---- */

static bool is_as_given(const struct trust *t, const struct tls_peer *peer,
                        char why[TLS_CLIENT_WHY_LEN])
{
    if (str_eq(t->print, peer->print))
        return true;
    (void)snprintf(why, TLS_CLIENT_WHY_LEN,
                   "REFUSED: its certificate isn't the one you were given. It has %s, you were "
                   "given %.80s. Either that was a slip, or somebody is between you and the server",
                   peer->print, t->print);
    return false;
}

static bool is_as_known(const char *name, const char *path, const char *known,
                        const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN])
{
    if (str_eq(known, peer->print))
        return true;
    (void)snprintf(why, TLS_CLIENT_WHY_LEN,
                   "REFUSED: THE CERTIFICATE HAS CHANGED. It was %s, now it is %s. Somebody may be "
                   "between you and the server. If the club says that the new one is right, take "
                   "the line of %.80s out of %.150s",
                   known, peer->print, name, path);
    return false;
}

static bool meet(struct trust *t, const char *name, const char *path, const struct tls_peer *peer,
                 char why[TLS_CLIENT_WHY_LEN])
{
    if (!peer->self_signed) {
        (void)snprintf(why, TLS_CLIENT_WHY_LEN,
                       "REFUSED: its certificate can't be checked: %.150s. --ca FILE names an "
                       "authority to trust, --fingerprint %s this certificate alone",
                       peer->problem, peer->print);
        return false;
    }
    if (!write_down(path, name, peer->print)) {
        (void)snprintf(why, TLS_CLIENT_WHY_LEN,
                       "its certificate can't be written down in %.400s: %s", path,
                       strerror(errno));
        return false;
    }
    (void)snprintf(t->news, sizeof(t->news),
                   "First time at %.100s. Its certificate is its own word: %s. Compare that with "
                   "what the host's screen says. From now on it must be the same (%.200s).",
                   name, peer->print, path);
    return true;
}

bool trust_decide(struct trust *t, const struct tls_peer *peer, char why[TLS_CLIENT_WHY_LEN])
{
    struct buf path = BUF_EMPTY, name = BUF_EMPTY;
    char known[TLS_PRINT_LEN];
    bool good = false;

    t->news[0] = '\0';
    if (t->print != NULL)
        return is_as_given(t, peer, why);
    if (peer->verified)
        return true;
    if (t->has_ca) {
        (void)snprintf(why, TLS_CLIENT_WHY_LEN, "REFUSED: its certificate isn't good: %.200s",
                       peer->problem);
        return false;
    }
    name_of(t->url, &name);
    if (!file_path(&path)) {
        (void)str_copy(why, TLS_CLIENT_WHY_LEN,
                       "there is no HOME to keep its certificate's mark in");
    } else {
        switch (look_up(buf_str(&path), buf_str(&name), known)) {
        case ERR_OK:
            good = is_as_known(buf_str(&name), buf_str(&path), known, peer, why);
            break;
        case ERR_NOT_FOUND:
            good = meet(t, buf_str(&name), buf_str(&path), peer, why);
            break;
        default:
            (void)snprintf(why, TLS_CLIENT_WHY_LEN, "%.400s can't be read", buf_str(&path));
        }
    }
    buf_fini(&path);
    buf_fini(&name);
    return good;
}
