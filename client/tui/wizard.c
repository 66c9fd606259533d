/* SPDX-License-Identifier: ISC
 * wizard.c -- asking at the first start.
 */
#include "client/tui/wizard.h"

#include <errno.h>
#include <sodium.h>
#include <uv.h>

#include "client/cmd.h"
#include "client/tui/shell.h"
#include "client/url.h"
#include "common/base/mem.h"
#include "common/base/str.h"
#include "proto/msg.h"

enum { ROW_SERVER, ROW_NAME, ROW_ACCOUNT, ROW_PASSWORD, ROW_INVITE };
enum { ACCOUNT_GUEST, ACCOUNT_LOGIN, ACCOUNT_NEW };

#define PASSWORD_SHORTEST 8

struct wizard {
    uv_loop_t loop;
    struct shell *shell;
    struct settings *set;
    struct form form;
    int code;
};

void wizard_form(struct form *f, const struct settings *set)
{
    struct form_row *row;

    form_init(f, "Skirmish: where do you play?", "go in");
    (void)form_add(f, "Server",
                   "The address of a server, such as club.example or 127.0.0.1:1962. `skirmishd` "
                   "starts one of your own; `skirmish solo` needs none.",
                   set->server[0] != '\0' ? set->server : URL_DEFAULT);
    (void)form_add(f, "Your name",
                   "What the others see: 3 to 20 letters, digits, - or _. Empty: the server names "
                   "you.",
                   set->name);
    row = form_add(f, "Account",
                   "A guest needs no password and plays unrated. An account keeps your games and "
                   "your name from any machine.",
                   NULL);
    form_choice(row, "guest");
    form_choice(row, "log in");
    form_choice(row, "new account");
    row = form_add(f, "Password",
                   "At least 8 characters. It is sent to the server once; kept here "
                   "is only a token.",
                   "");
    row->field.secret = true;
    row->hidden = true;
    row = form_add(f, "Invite code",
                   "Some servers take new accounts only with a code that their operator gave you. "
                   "Empty: none.",
                   "");
    row->hidden = true;
}

bool wizard_take(struct form *f, struct settings *set)
{
    const char *server = f->row[ROW_SERVER].field.text, *name = f->row[ROW_NAME].field.text;
    char why[URL_WHY_LEN];
    struct url url;

    if (url_parse(server, &url, why) != ERR_OK) {
        (void)snprintf(f->note, sizeof(f->note), "%s", why);
        f->cursor = ROW_SERVER;
        return false;
    }
    if (name[0] != '\0' && !msg_name_ok(name)) {
        (void)snprintf(f->note, sizeof(f->note), "A name has 3 to 20 letters, digits, - or _.");
        f->cursor = ROW_NAME;
        return false;
    }
    if (f->row[ROW_ACCOUNT].at != ACCOUNT_GUEST && name[0] == '\0') {
        (void)snprintf(f->note, sizeof(f->note), "An account has a name.");
        f->cursor = ROW_NAME;
        return false;
    }
    if (f->row[ROW_ACCOUNT].at != ACCOUNT_GUEST &&
        f->row[ROW_PASSWORD].field.len < PASSWORD_SHORTEST) {
        (void)snprintf(f->note, sizeof(f->note), "A password has at least 8 characters.");
        f->cursor = ROW_PASSWORD;
        return false;
    }
    (void)str_copy(set->server, sizeof(set->server), server);
    (void)str_copy(set->name, sizeof(set->name), name);
    return true;
}

void wizard_secret(const struct form *f, struct wizard_secret *out)
{
    const bool has = f->row[ROW_ACCOUNT].at != ACCOUNT_GUEST;

    (void)str_copy(out->password, sizeof(out->password),
                   has ? f->row[ROW_PASSWORD].field.text : "");
    out->registers = f->row[ROW_ACCOUNT].at == ACCOUNT_NEW;
    (void)str_copy(out->invite, sizeof(out->invite),
                   out->registers ? f->row[ROW_INVITE].field.text : "");
}

/* ---- screen ---- */

static void draw(void *data, struct canvas *c)
{
    const struct wizard *z = data;

    form_draw(&z->form, c, &z->set->keys);
}

static void ended(struct wizard *z, enum form_end end)
{
    z->form.row[ROW_PASSWORD].hidden = z->form.row[ROW_ACCOUNT].at == ACCOUNT_GUEST;
    z->form.row[ROW_INVITE].hidden = z->form.row[ROW_ACCOUNT].at != ACCOUNT_NEW;
    if (end == FORM_LEFT) {
        z->code = EX_TEMPFAIL;
        uv_stop(&z->loop);
    } else if (end == FORM_DONE && wizard_take(&z->form, z->set)) {
        uv_stop(&z->loop);
    }
}

static void key(void *data, uint32_t k)
{
    struct wizard *z = data;

    ended(z, form_key(&z->form, &z->set->keys, k));
}

static void click(void *data, const struct zone *zone, const struct term_event *ev)
{
    struct wizard *z = data;

    if (zone == NULL || ev->button != TERM_LEFT)
        return;
    if (zone->act == ZONE_ROW)
        ended(z, form_click(&z->form, zone->arg));
    else if (zone->act == ACT_CANCEL)
        ended(z, FORM_LEFT);
}

static void tick(void *data)
{
    (void)data;
}

static void stop(void *data, int sig)
{
    struct wizard *z = data;

    z->code = 128 + sig;
    uv_stop(&z->loop);
}

static const char *waits(void *data)
{
    (void)data;
    return "";
}

int wizard_run(struct settings *set, const char *note, struct wizard_secret *secret)
{
    struct wizard *z = mem_zalloc(sizeof(*z));
    const struct screen screen = {z, draw, key, click, tick, stop, waits};
    int code = EX_OK;

    z->set = set;
    wizard_form(&z->form, set);
    (void)str_copy(z->form.note, sizeof(z->form.note), note);
    CHECK(uv_loop_init(&z->loop) == 0);
    if (shell_open(&z->loop, set, &screen, &z->shell) == ERR_OK) {
        (void)uv_run(&z->loop, UV_RUN_DEFAULT);
        code = z->code;
        wizard_secret(&z->form, secret);
        shell_close(z->shell);
        (void)uv_run(&z->loop, UV_RUN_DEFAULT);
        if (code == EX_OK && settings_keep(set) != ERR_OK)
            (void)cmd_fail(EX_CANTCREAT, "the settings can't be kept: %s", strerror(errno));
    } else {
        code = cmd_fail(EX_OSERR, "this terminal can't be used: %s", strerror(errno));
    }
    CHECK(uv_loop_close(&z->loop) == 0);
    sodium_memzero(z, sizeof(*z));
    mem_free(z);
    return code;
}
