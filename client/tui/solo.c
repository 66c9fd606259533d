/* SPDX-License-Identifier: ISC
 * solo.c -- private server and bot as child processes.
 */
#include "client/tui/solo.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cmd.h"
#include "common/base/msec.h"
#include "common/base/str.h"

#define START_MS 15000
#define PATH_LEN 400
#define ARGS_MAX 12

/* ---- children ---- */

/* The program beside ours, else by PATH. */
static void find_program(const char *name, char path[PATH_LEN])
{
    char self[PATH_LEN - 32];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    (void)snprintf(path, PATH_LEN, "%s", name);
    if (n <= 0)
        return;
    self[n] = '\0';
    slash = strrchr(self, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    (void)snprintf(path, PATH_LEN, "%s/%s", self, name);
    if (access(path, X_OK) != 0)
        (void)snprintf(path, PATH_LEN, "%s", name);
}

/* In the child: away from the terminal, and gone when the parent is. Doesn't return. */
static void become(char *const argv[], int out, const char *log)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int err = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)dup2(null, STDIN_FILENO);
    (void)dup2(out >= 0 ? out : null, STDOUT_FILENO);
    (void)dup2(err >= 0 ? err : null, STDERR_FILENO);
    (void)execvp(argv[0], argv);
    _exit(127);
}

/* ERR_IO: errno. `out`: where its standard output goes, -1 nowhere. */
static enum err launch(char *const argv[], int out, const char *log, int *pid)
{
    const pid_t p = fork();

    if (p < 0)
        return ERR_IO;
    if (p == 0)
        become(argv, out, log);
    *pid = p;
    return ERR_OK;
}

static void end_child(int *pid)
{
    if (*pid <= 0)
        return;
    (void)kill(*pid, SIGTERM);
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *pid = 0;
}

/* ---- server ---- */

/* Read "listening HOST:PORT" off the pipe. */
static bool read_port(int fd, uint16_t *port)
{
    const struct mono deadline = mono_after(mono_now(), START_MS);
    char line[128];
    size_t n = 0;

    while (n + 1 < sizeof(line)) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int64_t left = mono_since(deadline, mono_now());
        const char *colon;
        int64_t v;

        if (left <= 0 || poll(&p, 1, (int)left) <= 0 || read(fd, line + n, 1) != 1)
            return false;
        if (line[n] != '\n') {
            n++;
            continue;
        }
        line[n] = '\0';
        colon = strrchr(line, ':');
        if (!str_starts(line, "listening ") || colon == NULL ||
            !str_to_int(colon + 1, 1, UINT16_MAX, &v))
            return false;
        *port = (uint16_t)v;
        return true;
    }
    return false;
}

static int start_server(struct solo *s)
{
    char program[PATH_LEN], data[SOLO_DIR_LEN + 16], log[SOLO_DIR_LEN + 16], listen[32];
    char flag_listen[] = "--listen", flag_data[] = "--data";
    char *argv[] = {program, flag_listen, listen, flag_data, data, NULL};
    int pipes[2];
    bool good;

    find_program("skirmishd", program);
    (void)snprintf(data, sizeof(data), "%s/server", s->dir);
    (void)snprintf(log, sizeof(log), "%s/log", s->dir);
    (void)snprintf(listen, sizeof(listen), "127.0.0.1:%u", s->port);
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return cmd_fail(EX_OSERR, "no pipe to be had: %s", strerror(errno));
    if (launch(argv, pipes[1], log, &s->server) != ERR_OK) {
        (void)close(pipes[0]);
        (void)close(pipes[1]);
        return cmd_fail(EX_OSERR, "no process to be had: %s", strerror(errno));
    }
    (void)close(pipes[1]);
    good = read_port(pipes[0], &s->port);
    (void)close(pipes[0]);
    return good ? EX_OK : cmd_fail(EX_UNAVAILABLE, "%s did not start; its log: %s", program, log);
}

/* A small file of the kept game. */
static void file_path(const struct solo *s, const char *name, char path[SOLO_DIR_LEN + 16])
{
    (void)snprintf(path, SOLO_DIR_LEN + 16, "%s/%s", s->dir, name);
}

static void file_read(const struct solo *s, const char *name, char *text, size_t size)
{
    char path[SOLO_DIR_LEN + 16];
    struct buf in = BUF_EMPTY;

    file_path(s, name, path);
    text[0] = '\0';
    if (buf_read_file(&in, path, 64) == ERR_OK && in.len > 0)
        (void)str_ncopy(text, size, in.data, strcspn(in.data, "\n"));
    buf_fini(&in);
}

static void file_write(const struct solo *s, const char *name, const char *text)
{
    char path[SOLO_DIR_LEN + 16];
    FILE *f;

    file_path(s, name, path);
    f = fopen(path, "we");
    if (f == NULL || fprintf(f, "%s\n", text) < 0)
        (void)cmd_fail(EX_CANTCREAT, "%s: %s", path, strerror(errno));
    if (f != NULL)
        (void)fclose(f);
}

void solo_match(struct solo *s, const char *match, bool over)
{
    char path[SOLO_DIR_LEN + 16];

    if (!s->keep || str_eq(s->match, over ? "" : match))
        return;
    (void)str_copy(s->match, sizeof(s->match), over ? "" : match);
    file_path(s, "match", path);
    if (over)
        (void)unlink(path);
    else
        file_write(s, "match", match);
}

/* Where the kept game was served, so that its tokens are found again, and which it is. */
static void load_kept(struct solo *s)
{
    char port[16];
    int64_t v;

    file_read(s, "match", s->match, sizeof(s->match));
    file_read(s, "port", port, sizeof(port));
    if (str_to_int(port, 1, UINT16_MAX, &v))
        s->port = (uint16_t)v;
}

static int keep_in(struct solo *s, const char *dir)
{
    char *whole;

    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return cmd_fail(EX_CANTCREAT, "%s: %s", dir, strerror(errno));
    whole = realpath(dir, NULL);
    if (whole == NULL || !str_copy(s->dir, sizeof(s->dir), whole)) {
        free(whole);
        return cmd_fail(EX_CANTCREAT, "%s can't be used: %s", dir,
                        whole == NULL ? strerror(errno) : "too long a path");
    }
    free(whole);
    s->keep = true;
    load_kept(s);
    return EX_OK;
}

int solo_start(struct solo *s, const char *keep)
{
    char port[16];
    int code;

    const char *tmp = getenv("TMPDIR");
    char state[SOLO_DIR_LEN + 16];

    memset(s, 0, sizeof(*s));
    if (keep != NULL) {
        code = keep_in(s, keep);
        if (code != EX_OK)
            return code;
    } else {
        (void)snprintf(s->dir, sizeof(s->dir), "%.200s/skirmish-solo-XXXXXX",
                       tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
        if (mkdtemp(s->dir) == NULL) {
            s->dir[0] = '\0';
            return cmd_fail(EX_CANTCREAT, "no temporary directory: %s", strerror(errno));
        }
    }
    (void)snprintf(state, sizeof(state), "%s/state", s->dir);
    (void)setenv("XDG_STATE_HOME", state, 1);
    code = start_server(s);
    (void)snprintf(port, sizeof(port), "%u", s->port);
    if (code == EX_OK && s->keep)
        file_write(s, "port", port);
    return code;
}

int solo_bot(struct solo *s, const char *match, const char *invite, const char *level)
{
    char program[PATH_LEN], url[64], log[SOLO_DIR_LEN + 16], id[64], strength[32], code[128];
    char word[] = "bot", flag_join[] = "--join", flag_level[] = "--level", flag_name[] = "--name";
    char flag_invite[] = "--invite", name[] = "Bot";
    char *argv[ARGS_MAX] = {program, word,       url,      flag_join, id,   flag_name,
                            name,    flag_level, strength, NULL,      NULL, NULL};

    end_child(&s->bot);
    find_program("skirmish", program);
    (void)snprintf(url, sizeof(url), "skirmish://127.0.0.1:%u", s->port);
    (void)snprintf(log, sizeof(log), "%s/log", s->dir);
    (void)str_copy(id, sizeof(id), match);
    (void)str_copy(strength, sizeof(strength), level);
    (void)str_copy(code, sizeof(code), invite);
    if (code[0] != '\0') {
        argv[9] = flag_invite;
        argv[10] = code;
    }
    if (launch(argv, -1, log, &s->bot) != ERR_OK)
        return cmd_fail(EX_OSERR, "no process to be had: %s", strerror(errno));
    return EX_OK;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st;
    (void)kind;
    (void)walk;
    (void)remove(path);
    return 0;
}

void solo_stop(struct solo *s)
{
    end_child(&s->bot);
    end_child(&s->server);
    if (!s->keep && s->dir[0] != '\0')
        (void)nftw(s->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
