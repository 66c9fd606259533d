/* SPDX-License-Identifier: ISC
 * request.c -- words of a command line into a request.
 */
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/str.h"
#include "common/base/utf8.h"
#include "server/ctl/ctl.h"
#include "server/shell/ctlsock.h"

enum { PASSWORD_LINE = 1100 };

const struct ctl_cmd *ctl_find(int argc, char **argv, int *used)
{
    char two[64];

    if (argc > 1) {
        (void)snprintf(two, sizeof(two), "%.20s %.20s", argv[0], argv[1]);
        for (size_t i = 0; i < ctl_n_cmds; i++) {
            if (str_eq(ctl_cmds[i].words, two)) {
                *used = 2;
                return &ctl_cmds[i];
            }
        }
    }
    for (size_t i = 0; argc > 0 && i < ctl_n_cmds; i++) {
        if (str_eq(ctl_cmds[i].words, argv[0])) {
            *used = 1;
            return &ctl_cmds[i];
        }
    }
    return NULL;
}

/* ---- values ---- */

static bool read_span(const char *text, int64_t *out)
{
    static const struct {
        char unit;
        int64_t s;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', INT64_C(7) * 86400}};
    const size_t len = strlen(text);
    char number[24];
    int64_t n;

    if (len < 2 || !str_ncopy(number, sizeof(number), text, len - 1) ||
        !str_to_int(number, 0, INT64_C(3000000000), &n))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (units[i].unit == text[len - 1]) {
            *out = n * units[i].s;
            return true;
        }
    }
    return false;
}

static bool say_wrong(char why[CTL_WHY_LEN], const struct ctl_param *p, const char *wanted)
{
    (void)snprintf(why, CTL_WHY_LEN, "%s: %s", p->option != NULL ? p->option : p->name, wanted);
    return false;
}

static bool put_text(struct jsonw *w, const struct ctl_param *p, const char *text,
                     char why[CTL_WHY_LEN])
{
    if (!utf8_valid(text, strlen(text)))
        return say_wrong(why, p, "UTF-8 is wanted");
    jsonw_m_str(w, p->name, text);
    return true;
}

static bool put_value(struct jsonw *w, const struct ctl_param *p, const char *text,
                      char why[CTL_WHY_LEN])
{
    int64_t n;

    switch ((enum ctl_kind)p->kind) {
    case CTL_INT:
        if (!str_to_int(text, 0, JSON_INT_MAX, &n))
            return say_wrong(why, p, "a whole number is wanted");
        jsonw_m_int(w, p->name, n);
        return true;
    case CTL_SPAN:
        if (!read_span(text, &n))
            return say_wrong(why, p, "a time is wanted: 90s, 30m, 12h, 7d, 4w");
        jsonw_m_int(w, p->name, n);
        return true;
    case CTL_MATCH:
        if (str_eq(text, "all"))
            return true;
        if (!str_to_int(text, 1, UINT32_MAX, &n))
            return put_text(w, p, text, why);
        jsonw_m_int(w, p->name, n);
        return true;
    case CTL_TEXT:
    case CTL_REST:
    case CTL_FLAG:
    case CTL_PASSWORD:
        break;
    }
    return put_text(w, p, text, why);
}

static bool put_password(struct jsonw *w, const struct ctl_param *p, char why[CTL_WHY_LEN])
{
    char line[PASSWORD_LINE];
    size_t len;

    if (fgets(line, sizeof(line), stdin) == NULL)
        return say_wrong(why, p, "standard input has no line");
    len = strlen(line);
    if (len > 0 && line[len - 1] == '\n')
        line[len - 1] = '\0';
    return put_text(w, p, line, why);
}

/* ---- who asks ---- */

/* The person behind sudo, or whoever this is; the server knows the user by itself. */
static void put_as(struct jsonw *w)
{
    const char *sudo = getenv("SUDO_USER");
    char name[CTLSOCK_WHO_LEN];

    if (sudo == NULL || sudo[0] == '\0' || !str_copy(name, sizeof(name), sudo))
        ctlsock_name(getuid(), name);
    if (utf8_valid(name, strlen(name)))
        jsonw_m_str(w, "as", name);
}

/* ---- the command line ---- */

struct words {
    int argc;
    char **argv;
    int at;
    unsigned given; /* bit per parameter */
};

static bool put_option(const struct ctl_cmd *cmd, struct words *ws, struct jsonw *w,
                       char why[CTL_WHY_LEN])
{
    const char *word = ws->argv[ws->at++];
    unsigned i = 0;

    while (i < CTL_PARAMS_MAX && cmd->param[i].name != NULL &&
           (cmd->param[i].option == NULL || !str_eq(cmd->param[i].option, word)))
        i++;
    if (i == CTL_PARAMS_MAX || cmd->param[i].name == NULL) {
        (void)snprintf(why, CTL_WHY_LEN, "%s has no option %.100s", cmd->words, word);
        return false;
    }
    if ((ws->given >> i & 1) != 0)
        return say_wrong(why, &cmd->param[i], "once is enough");
    ws->given |= 1U << i;
    if (cmd->param[i].kind == CTL_FLAG) {
        jsonw_m_bool(w, cmd->param[i].name, true);
        return true;
    }
    if (cmd->param[i].kind == CTL_PASSWORD)
        return put_password(w, &cmd->param[i], why);
    if (ws->at == ws->argc)
        return say_wrong(why, &cmd->param[i], "a value is wanted behind it");
    return put_value(w, &cmd->param[i], ws->argv[ws->at++], why);
}

static bool put_rest(const struct ctl_param *p, struct words *ws, struct jsonw *w,
                     char why[CTL_WHY_LEN])
{
    struct buf text = BUF_EMPTY;
    bool ok;

    while (ws->at < ws->argc)
        buf_printf(&text, "%s%s", text.len > 0 ? " " : "", ws->argv[ws->at++]);
    ok = put_text(w, p, buf_str(&text), why);
    buf_fini(&text);
    return ok;
}

static bool put_place(const struct ctl_cmd *cmd, struct words *ws, struct jsonw *w,
                      char why[CTL_WHY_LEN])
{
    unsigned i = 0;

    while (i < CTL_PARAMS_MAX && cmd->param[i].name != NULL &&
           (cmd->param[i].option != NULL || (ws->given >> i & 1) != 0))
        i++;
    if (i == CTL_PARAMS_MAX || cmd->param[i].name == NULL) {
        (void)snprintf(why, CTL_WHY_LEN, "%s: what is %.100s?", cmd->words, ws->argv[ws->at]);
        return false;
    }
    ws->given |= 1U << i;
    if (cmd->param[i].kind == CTL_REST)
        return put_rest(&cmd->param[i], ws, w, why);
    return put_value(w, &cmd->param[i], ws->argv[ws->at++], why);
}

bool ctl_request(const struct ctl_cmd *cmd, int argc, char **argv, struct buf *out,
                 char why[CTL_WHY_LEN])
{
    struct words ws = {.argc = argc, .argv = argv};
    struct jsonw w = jsonw_on(out);
    bool plain = false; /* behind "--" */

    jsonw_obj(&w);
    jsonw_m_str(&w, "cmd", cmd->cmd);
    put_as(&w);
    while (ws.at < argc) {
        if (!plain && str_eq(argv[ws.at], "--")) {
            plain = true;
            ws.at++;
            continue;
        }
        if (!plain && str_starts(argv[ws.at], "--") ? !put_option(cmd, &ws, &w, why)
                                                    : !put_place(cmd, &ws, &w, why))
            return false;
    }
    for (unsigned i = 0; i < CTL_PARAMS_MAX && cmd->param[i].name != NULL; i++) {
        if (cmd->param[i].required && (ws.given >> i & 1) == 0)
            return say_wrong(why, &cmd->param[i], "it is wanted");
    }
    jsonw_obj_end(&w);
    return true;
}
