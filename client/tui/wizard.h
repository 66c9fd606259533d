/* SPDX-License-Identifier: ISC
 * wizard.h -- the first start: which server, and by what name.
 */
#ifndef SK_TUI_WIZARD_H
#define SK_TUI_WIZARD_H

#include "client/tui/form.h"
#include "client/tui/settings.h"

/* The questions, with what is set already. */
void wizard_form(struct form *f, const struct settings *set);
/* Take the answers into *set. False: f->note says what is wrong. */
bool wizard_take(struct form *f, struct settings *set);
/* What isn't kept on disk. */
struct wizard_secret {
    char password[FIELD_MAX + 1]; /* "" for a guest; wiped by who owns it */
    bool registers;
    char invite[64]; /* to register with; "": none */
};
/* The password part of the answers. */
void wizard_secret(const struct form *f, struct wizard_secret *out);
/*
 * Ask on the terminal, with `note` ("" for none) about what went wrong before, and keep the
 * answers but for the secret. EX_OK; EX_TEMPFAIL: left; or said.
 */
int wizard_run(struct settings *set, const char *note, struct wizard_secret *secret);

/*
 * Ask the same by lines, on a terminal without a full screen; an account is made or logged in to at
 * once, and remembered. The server is SKIRMISH_SERVER from then on. EX_OK; EX_NOINPUT: the input
 * ended; or said.
 */
int wizard_lines(struct settings *set);

#endif
