/* SPDX-License-Identifier: ISC */
#include "client/account.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <termios.h>
#include <unistd.h>

#include "client/state_dir.h"
#include "common/base/str.h"

static const char dir[] = "accounts";

enum { KEY_BREAK = 3, KEY_END = 4, KEY_BACK = 8, KEY_KILL = 21, KEY_DELETE = 127 };

/* ---- who we are there ---- */

static void file_of(const struct url *u, char file[URL_HOST_LEN + 16])
{
    (void)snprintf(file, URL_HOST_LEN + 16, "%s_%u%s", u->host, u->port, u->tls ? "s" : "");
    for (char *p = file; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && strchr(".-_", *p) == NULL)
            *p = '+';
    }
}

bool account_remembered(const struct url *u, char name[NAME_LEN + 1])
{
    char file[URL_HOST_LEN + 16];
    struct buf text = BUF_EMPTY;
    bool found = false;

    file_of(u, file);
    if (state_read(dir, file, &text) == ERR_OK) {
        char *rest = text.data;
        const char *word = rest != NULL ? str_word(&rest) : NULL;

        found = word != NULL && msg_name_ok(word) && str_copy(name, NAME_LEN + 1, word);
    }
    buf_fini(&text);
    return found;
}

enum err account_remember(const struct url *u, const char *name)
{
    char file[URL_HOST_LEN + 16];
    struct buf text = BUF_EMPTY;
    enum err e;

    file_of(u, file);
    buf_printf(&text, "%s\n", name);
    e = state_write(dir, file, &text);
    buf_fini(&text);
    return e;
}

void account_forget(const struct url *u)
{
    char file[URL_HOST_LEN + 16];

    file_of(u, file);
    state_remove(dir, file);
}

void account_use(struct options *opt)
{
    if (opt->name == NULL && account_remembered(&opt->url, opt->account))
        opt->name = opt->account;
}

/* ---- passwords ---- */

/* One character back, in UTF-8. */
static size_t rub_out(const char *text, size_t n)
{
    while (n > 0 && ((unsigned char)text[--n] & 0xc0) == 0x80)
        ;
    return n;
}

enum key_result { KEY_MORE, KEY_DONE, KEY_FAILED };

static enum key_result take_key(unsigned char key, char *out, size_t *n)
{
    if (key == '\r' || key == '\n' || (key == KEY_END && *n > 0))
        return KEY_DONE;
    if (key == KEY_BREAK || key == KEY_END)
        return KEY_FAILED;
    if (key == KEY_BACK || key == KEY_DELETE)
        *n = rub_out(out, *n);
    else if (key == KEY_KILL)
        *n = 0;
    else if (*n + 1 >= ACCOUNT_SECRET_LEN)
        return KEY_FAILED;
    else
        out[(*n)++] = (char)key;
    return KEY_MORE;
}

static bool read_keys(int tty, char out[ACCOUNT_SECRET_LEN])
{
    enum key_result r = KEY_MORE;
    unsigned char key;
    size_t n = 0;

    while (r == KEY_MORE) {
        const ssize_t got = read(tty, &key, 1);

        if (got < 0 && errno == EINTR)
            continue;
        r = got == 1 ? take_key(key, out, &n) : KEY_FAILED;
    }
    out[n] = '\0';
    return r == KEY_DONE;
}

static void put_text(int tty, const char *text)
{
    const size_t len = strlen(text);

    if (write(tty, text, len) != (ssize_t)len)
        return; /* a prompt that isn't seen does no harm */
}

/* The terminal shows nothing meanwhile, and no signal leaves it so. */
static bool read_terminal(int tty, const char *prompt, char out[ACCOUNT_SECRET_LEN])
{
    struct termios was, quiet;
    sigset_t held, before;
    bool ok = false;

    if (tcgetattr(tty, &was) != 0)
        return false;
    (void)sigfillset(&held);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    quiet = was;
    quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    if (tcsetattr(tty, TCSAFLUSH, &quiet) == 0) {
        put_text(tty, prompt);
        ok = read_keys(tty, out);
        put_text(tty, "\n");
        (void)tcsetattr(tty, TCSAFLUSH, &was);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* A byte at a time: what follows the line is for another reader. */
static bool read_stdin(char out[ACCOUNT_SECRET_LEN])
{
    size_t n = 0;
    char ch = '\0';

    for (;;) {
        const ssize_t got = read(STDIN_FILENO, &ch, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || ch == '\n')
            break;
        if (n + 1 >= ACCOUNT_SECRET_LEN)
            return false;
        out[n++] = ch;
    }
    if (n > 0 && out[n - 1] == '\r')
        n--;
    out[n] = '\0';
    return n > 0;
}

bool account_read_secret(const char *prompt, bool from_stdin, char out[ACCOUNT_SECRET_LEN])
{
    bool ok;
    int tty;

    if (from_stdin) {
        ok = read_stdin(out);
    } else {
        tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
        if (tty < 0) {
            (void)cmd_fail(EX_USAGE, "there is no terminal to ask for the password: give it by "
                                     "standard input with --password-stdin");
            return false;
        }
        ok = read_terminal(tty, prompt, out);
        (void)close(tty);
    }
    if (!ok) {
        sodium_memzero(out, ACCOUNT_SECRET_LEN);
        (void)cmd_fail(EX_USAGE, "no password was given");
    }
    return ok;
}
