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
/* Ask on the terminal, and keep the answers. EX_OK; EX_TEMPFAIL: left; or said. */
int wizard_run(struct settings *set);

#endif
