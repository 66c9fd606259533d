/* SPDX-License-Identifier: ISC
 * term.c -- ncurses.
 */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "client/tui/term.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"

#define PAIRS_MAX 250
#define ESC_MS    25

struct pair {
    int fg, bg;
};
struct tty {
    SCREEN *screen;
    FILE *in; /* the terminal opened anew: libuv makes it non-blocking, which the shell behind
                 us, and our own output, must not be */
    int colours, pairs_room;
    bool mouse, title;
    struct pair pair[PAIRS_MAX]; /* pair i + 1 */
    unsigned n_pairs;
    int caret;           /* as curs_set was told last */
    int err_fd, was_err; /* standard error goes into err_fd; -1: it doesn't */
};

/*
 * What a crash needs to put the terminal back, written once by term_open. A signal handler has no
 * other way to it than a static.
 */
static struct {
    volatile sig_atomic_t armed;
    struct termios was;
    char bytes[256];
    size_t len;
    int err_fd, was_err;
} rescue;

/* ---- leaving ---- */

/* Copy what was said on standard error meanwhile to where it belongs. Async-signal-safe. */
static void spill(int from, int to)
{
    char bytes[1024];
    ssize_t n;

    if (from < 0 || to < 0 || lseek(from, 0, SEEK_SET) < 0)
        return;
    while ((n = read(from, bytes, sizeof(bytes))) > 0) {
        if (write(to, bytes, (size_t)n) != n)
            return;
    }
}

static void on_crash(int sig)
{
    if (rescue.armed != 0) {
        rescue.armed = 0;
        (void)!write(STDOUT_FILENO, rescue.bytes, rescue.len);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &rescue.was);
        spill(rescue.err_fd, rescue.was_err);
    }
    (void)signal(sig, SIG_DFL); /* SA_RESETHAND did; for the sanitizers' sake too */
    (void)raise(sig);
}

static void add_capability(const char *name)
{
    char id[16];
    const char *s;

    (void)str_copy(id, sizeof(id), name);
    s = tigetstr(id);
    if (s == NULL || (intptr_t)s == -1 || rescue.len + strlen(s) >= sizeof(rescue.bytes))
        return;
    memcpy(rescue.bytes + rescue.len, s, strlen(s));
    rescue.len += strlen(s);
}

static void arm_rescue(const struct tty *t)
{
    static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static const char *const ends[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    struct sigaction sa;

    rescue.len = 0;
    if (t->mouse) {
        memcpy(rescue.bytes, mouse_off, sizeof(mouse_off) - 1);
        rescue.len = sizeof(mouse_off) - 1;
    }
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        add_capability(ends[i]);
    rescue.err_fd = t->err_fd;
    rescue.was_err = t->was_err;
    memset(&sa, 0, sizeof(sa));
    sa.sa_handler = on_crash;
    sa.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    (void)sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < ARRAY_LEN(crashes); i++)
        (void)sigaction(crashes[i], &sa, NULL);
    rescue.armed = 1;
}

static void keep_stderr(struct tty *t)
{
    t->was_err = -1;
    t->err_fd = memfd_create("stderr", MFD_CLOEXEC);
    if (t->err_fd < 0)
        return;
    (void)fflush(stderr);
    t->was_err = dup(STDERR_FILENO);
    if (t->was_err >= 0)
        (void)dup2(t->err_fd, STDERR_FILENO);
}

static void release_stderr(struct tty *t)
{
    (void)fflush(stderr);
    if (t->was_err >= 0) {
        (void)dup2(t->was_err, STDERR_FILENO);
        spill(t->err_fd, t->was_err);
        (void)close(t->was_err);
    }
    if (t->err_fd >= 0)
        (void)close(t->err_fd);
}

/* ---- coming ---- */

bool term_is_able(void)
{
    const char *name = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name != NULL && name[0] != '\0' &&
           !str_eq(name, "dumb");
}

static void set_modes(const struct tty *t)
{
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)set_escdelay(ESC_MS);
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)meta(stdscr, TRUE);
    (void)curs_set(0);
    if (t->mouse) {
        (void)mousemask(BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED |
                            BUTTON5_PRESSED,
                        NULL);
        (void)mouseinterval(0);
    }
}

/* A terminal whose titles can be set and put back. */
static bool has_title(void)
{
    static const char *const kinds[] = {"xterm",     "tmux", "screen", "rxvt",
                                        "alacritty", "foot", "kitty",  "st-"};
    const char *name = getenv("TERM");

    for (size_t i = 0; name != NULL && i < ARRAY_LEN(kinds); i++) {
        if (str_starts(name, kinds[i]))
            return true;
    }
    return false;
}

static void say(const char *bytes)
{
    (void)fflush(stdout);
    (void)!write(STDOUT_FILENO, bytes, strlen(bytes));
}

/* The terminal on standard input as another open file. */
static FILE *open_again(void)
{
    /* cppcheck-suppress ttynameCalled ; one thread */
    const char *name = ttyname(STDIN_FILENO);

    return fopen(name != NULL ? name : "/dev/tty", "re");
}

static void drop(struct tty *t)
{
    const int why = errno;

    if (t->in != NULL)
        (void)fclose(t->in);
    mem_free(t);
    errno = why;
}

enum err term_open(const struct term_config *cfg, struct tty **out)
{
    struct tty *t = mem_zalloc(sizeof(*t));

    *out = NULL;
    t->in = open_again();
    if (t->in == NULL || tcgetattr(STDIN_FILENO, &rescue.was) != 0) {
        drop(t);
        return ERR_IO;
    }
    t->screen = newterm(NULL, stdout, t->in);
    if (t->screen == NULL) {
        drop(t);
        errno = ENOTTY;
        return ERR_IO;
    }
    (void)set_term(t->screen);
    t->mouse = cfg->mouse;
    t->title = cfg->title && has_title();
    if (has_colors() && start_color() == OK) {
        (void)use_default_colors();
        t->colours = theme_depth(COLORS, cfg->colours, getenv("NO_COLOR"));
        t->pairs_room = MIN(COLOR_PAIRS - 1, PAIRS_MAX);
    }
    set_modes(t);
    keep_stderr(t);
    arm_rescue(t);
    if (t->title)
        say("\033[22;2t");
    *out = t;
    return ERR_OK;
}

void term_close(struct tty *t)
{
    if (t == NULL)
        return;
    (void)curs_set(1);
    (void)endwin();
    (void)tcflush(STDIN_FILENO, TCIFLUSH); /* the rest of a click is nobody else's */
    if (t->title)
        say("\033[23;2t");
    rescue.armed = 0;
    delscreen(t->screen);
    release_stderr(t);
    drop(t);
}

/* ---- size ---- */

void term_size(const struct tty *t, int *w, int *h)
{
    (void)t;
    *w = getmaxx(stdscr);
    *h = getmaxy(stdscr);
}

void term_resized(struct tty *t)
{
    struct winsize ws;

    (void)t;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) != 0 || ws.ws_row == 0 || ws.ws_col == 0)
        return;
    if (ws.ws_row != getmaxy(stdscr) || ws.ws_col != getmaxx(stdscr))
        (void)resizeterm(ws.ws_row, ws.ws_col);
    (void)clearok(curscr, TRUE);
}

void term_redraw(struct tty *t)
{
    (void)t;
    (void)clearok(curscr, TRUE);
}

/* ---- drawing ---- */

static int pair_for(struct tty *t, int fg, int bg)
{
    for (unsigned i = 0; i < t->n_pairs; i++) {
        if (t->pair[i].fg == fg && t->pair[i].bg == bg)
            return (int)i + 1;
    }
    if ((int)t->n_pairs >= t->pairs_room ||
        init_pair((short)(t->n_pairs + 1), (short)fg, (short)bg) != OK)
        return 0;
    t->pair[t->n_pairs] = (struct pair){fg, bg};
    return (int)++t->n_pairs;
}

static attr_t attrs_of(unsigned attr)
{
    attr_t a = A_NORMAL;

    if ((attr & ATTR_BOLD) != 0)
        a |= A_BOLD;
    if ((attr & ATTR_DIM) != 0)
        a |= A_DIM;
    if ((attr & ATTR_UNDERLINE) != 0)
        a |= A_UNDERLINE;
    if ((attr & ATTR_REVERSE) != 0)
        a |= A_REVERSE;
    return a;
}

static void show_cell(struct tty *t, const struct theme *theme, int x, int y,
                      const struct cell *cell)
{
    const struct theme_look look = theme_look(theme, cell->style, t->colours);
    const wchar_t text[2] = {(wchar_t)cell->cp, L'\0'};
    cchar_t cc;
    int pair = 0;

    if (t->colours > 0 && (look.fg != THEME_DEFAULT || look.bg != THEME_DEFAULT))
        pair = pair_for(t, look.fg, look.bg);
    if (setcchar(&cc, text, attrs_of(look.attr), (short)pair, NULL) == OK)
        (void)mvadd_wch(y, x, &cc);
}

void term_show(struct tty *t, const struct canvas *c, const struct theme *theme)
{
    const int w = MIN(c->w, getmaxx(stdscr)), h = MIN(c->h, getmaxy(stdscr));
    const bool caret = c->caret_x >= 0 && c->caret_x < w && c->caret_y < h;

    (void)erase();
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            const struct cell *cell = &c->cell[y * c->w + x];

            if (cell->cp != 0)
                show_cell(t, theme, x, y, cell);
        }
    }
    if (t->caret != (caret ? 1 : 0)) {
        t->caret = caret ? 1 : 0;
        (void)curs_set(t->caret);
    }
    if (caret)
        (void)move(c->caret_y, c->caret_x);
    (void)refresh();
}

/* ---- keys ---- */

static const struct {
    int curses;
    uint32_t key;
} keys[] = {
    {KEY_UP, KEY_K_UP},
    {KEY_DOWN, KEY_K_DOWN},
    {KEY_LEFT, KEY_K_LEFT},
    {KEY_RIGHT, KEY_K_RIGHT},
    {KEY_SR, KEY_K_SHIFT_UP},
    {KEY_SF, KEY_K_SHIFT_DOWN},
    {KEY_SLEFT, KEY_K_SHIFT_LEFT},
    {KEY_SRIGHT, KEY_K_SHIFT_RIGHT},
    {KEY_HOME, KEY_K_HOME},
    {KEY_END, KEY_K_END},
    {KEY_PPAGE, KEY_K_PAGE_UP},
    {KEY_NPAGE, KEY_K_PAGE_DOWN},
    {KEY_BTAB, KEY_K_BACK_TAB},
    {KEY_BACKSPACE, KEY_K_BACKSPACE},
    {KEY_DC, KEY_K_DELETE},
    {KEY_IC, KEY_K_INSERT},
    {KEY_ENTER, KEY_K_ENTER},
    {KEY_RESIZE, KEY_K_RESIZE},
};

static uint32_t map_key(int code)
{
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        if (keys[i].curses == code)
            return keys[i].key;
    }
    if (code >= KEY_F(1) && code <= KEY_F(12))
        return KEY_K_F1 + (uint32_t)(code - KEY_F(1));
    return 0;
}

static bool read_mouse(struct term_event *ev)
{
    MEVENT m;

    if (getmouse(&m) != OK)
        return false;
    ev->key = KEY_K_MOUSE;
    ev->x = m.x;
    ev->y = m.y;
    ev->button = TERM_OTHER;
    if ((m.bstate & BUTTON1_PRESSED) != 0)
        ev->button = TERM_LEFT;
    else if ((m.bstate & BUTTON4_PRESSED) != 0)
        ev->button = TERM_WHEEL_UP;
    else if ((m.bstate & BUTTON5_PRESSED) != 0)
        ev->button = TERM_WHEEL_DOWN;
    return true;
}

bool term_read(struct tty *t, struct term_event *ev)
{
    wint_t wc = 0;
    int kind;

    (void)t;
    memset(ev, 0, sizeof(*ev));
    while ((kind = wget_wch(stdscr, &wc)) != ERR) {
        if (kind == KEY_CODE_YES && wc == KEY_MOUSE) {
            if (read_mouse(ev))
                return true;
            continue;
        }
        if (kind == KEY_CODE_YES)
            ev->key = map_key((int)wc);
        else if (wc == L'\n')
            ev->key = KEY_K_ENTER;
        else if (wc == 0x7f || wc == 0x08)
            ev->key = KEY_K_BACKSPACE;
        else
            ev->key = (uint32_t)wc;
        if (ev->key != 0)
            return true;
    }
    return false;
}

bool term_is_gone(const struct tty *t)
{
    struct pollfd p = {.fd = fileno(t->in), .events = POLLIN};

    return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* ---- the rest ---- */

void term_suspend(struct tty *t)
{
    (void)def_prog_mode();
    (void)endwin();
    (void)raise(SIGSTOP);
    (void)reset_prog_mode();
    set_modes(t);
    t->caret = 0;
    (void)refresh();
    term_resized(t);
}

void term_bell(struct tty *t)
{
    (void)t;
    (void)beep();
}

void term_title(struct tty *t, const char *text)
{
    char bytes[200];

    if (!t->title)
        return;
    (void)snprintf(bytes, sizeof(bytes), "\033]2;%.150s\007", text);
    say(bytes);
}

int term_fd(const struct tty *t)
{
    return fileno(t->in);
}

int term_colours(const struct tty *t)
{
    return t->colours;
}
