/* SPDX-License-Identifier: ISC
 * skirmishctl: the operator's tool. One command to a running server over its UNIX socket, or a job on
 * files.
 */
#include <signal.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/base/str.h"
#include "server/config.h"
#include "server/ctl/ctl.h"

#define SERVICE_SOCKET "/var/lib/skirmish/admin.sock"

static const char head[] =
    "usage: skirmishctl [--socket PATH | --data DIR] [--json] COMMAND ...\n"
    "\n"
    "Runs a Skirmish server. Commands go to the server over its socket, DIR/admin.sock; only root\n"
    "and the server's own user may use it. Every act is kept, with who, when and why: in the\n"
    "match's record, or in the audit (skirmishctl audit).\n"
    "\n"
    "  --socket PATH  the server's socket; else $SKIRMISHCTL_SOCKET, else that of --data\n"
    "  --data DIR     the server's data directory; else /var/lib/skirmish where a server is "
    "there,\n"
    "                 else the directory that skirmishd takes without --data\n"
    "  --json         the server's answer as it is: {\"result\":{...}} or {\"error\":{...}}\n"
    "  --help, --version\n"
    "\n"
    "Commands (T is a time: 90s, 30m, 12h, 7d, 4w; -- ends the options):\n";
static const char foot[] =
    "\n"
    "Exit codes: 0 done; 1 the server says no (no such player, not now ...); 64 wrong words;\n"
    "65 a check found damage; 69 no server there; 70 and 76 the server's fault; 73 and 74 a file\n"
    "can't be written or read; 75 busy or out of disk: try again; 77 not allowed.\n";

static int help(void)
{
    (void)fputs(head, stdout);
    for (size_t i = 0; i < ctl_n_cmds; i++)
        printf("  %s%s%s\n      %s\n", ctl_cmds[i].words, ctl_cmds[i].usage[0] != '\0' ? " " : "",
               ctl_cmds[i].usage, ctl_cmds[i].help);
    (void)fputs(foot, stdout);
    return EX_OK;
}

struct options {
    const char *socket, *data;
    bool json, help, version;
};

/* Options before the command; where the command begins, or -1: said. */
static int read_options(int argc, char **argv, struct options *o)
{
    int at = 1;

    for (; at < argc && argv[at][0] == '-'; at++) {
        const char **value = NULL;

        if (str_eq(argv[at], "--json"))
            o->json = true;
        else if (str_eq(argv[at], "--help") || str_eq(argv[at], "-h"))
            o->help = true;
        else if (str_eq(argv[at], "--version"))
            o->version = true;
        else if (str_eq(argv[at], "--socket"))
            value = &o->socket;
        else if (str_eq(argv[at], "--data"))
            value = &o->data;
        else
            return ctl_fail(-1, "no option %.100s; try --help", argv[at]);
        if (value != NULL && ++at == argc)
            return ctl_fail(-1, "%s: a value is wanted behind it", argv[at - 1]);
        if (value != NULL)
            *value = argv[at];
    }
    return at;
}

/* Where the server is to be found. */
static bool find_socket(const struct options *o, char *path, size_t size)
{
    char *own[] = {(char[]){"skirmishctl"}, NULL};
    const char *env = getenv("SKIRMISHCTL_SOCKET");
    char why[CONFIG_WHY_LEN];
    struct config_args args;
    struct config cfg;
    struct stat st;

    if (o->socket != NULL)
        return str_copy(path, size, o->socket);
    if (o->data != NULL)
        return snprintf(path, size, "%s/admin.sock", o->data) < (int)size;
    if (env != NULL && env[0] != '\0')
        return str_copy(path, size, env);
    if (stat(SERVICE_SOCKET, &st) == 0 || config_load(&cfg, &args, 1, own, why) != ERR_OK ||
        cfg.data[0] == '\0')
        return str_copy(path, size, SERVICE_SOCKET);
    return snprintf(path, size, "%s/admin.sock", cfg.data) < (int)size;
}

static int run(struct ctl *c, int argc, char **argv)
{
    int used = 0;
    const struct ctl_cmd *cmd = ctl_find(argc, argv, &used);

    if (argc == 0)
        return ctl_fail(EX_USAGE, "a command is wanted; try --help");
    if (cmd == NULL)
        return ctl_fail(EX_USAGE, "no command %.100s; try --help", argv[0]);
    if (argc > used && (str_eq(argv[used], "--help") || str_eq(argv[used], "-h"))) {
        printf("usage: skirmishctl %s %s\n%s\n", cmd->words, cmd->usage, cmd->help);
        return EX_OK;
    }
    return cmd->run != NULL ? cmd->run(c, argc - used, argv + used)
                            : ctl_do(c, cmd, argc - used, argv + used);
}

int main(int argc, char **argv)
{
    struct options o = {NULL, NULL, false, false, false};
    struct ctl c = {.fd = -1};
    char path[CONFIG_PATH_LEN + 64];
    const int at = read_options(argc, argv, &o);
    int code;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)umask(077);
    if (at < 0)
        return EX_USAGE;
    if (o.help)
        return help();
    if (o.version) {
        puts("skirmishctl " SK_VERSION);
        return EX_OK;
    }
    if (!find_socket(&o, path, sizeof(path)))
        return ctl_fail(EX_USAGE, "the socket's path is too long");
    c.path = path;
    c.json = o.json;
    code = run(&c, argc - at, argv + at);
    ctl_close(&c);
    buf_fini(&c.in);
    if (fflush(stdout) != 0 && code == EX_OK)
        code = EX_IOERR;
    return code;
}
