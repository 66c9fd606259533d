/* SPDX-License-Identifier: ISC
 * settings.h -- the full screen's settings: XDG config directory, skirmish/config.
 *
 * Lines "name = value"; # begins a comment. Names: server, name, bell, title, mouse, pace,
 * colours, ascii, theme, theme.PART, key.ACTION. The file holds no secret; tokens are the state
 * directory's (client/identity.h).
 */
#ifndef SK_TUI_SETTINGS_H
#define SK_TUI_SETTINGS_H

#include "client/tui/keymap.h"
#include "client/tui/theme.h"
#include "proto/entry.h"

struct settings {
    bool there; /* a file was read */
    char server[300], name[NAME_LEN + 1];
    bool bell, title, mouse, ascii;
    int64_t pace_ms; /* between the other side's steps; 0: at once */
    char colours[8];
    struct theme theme;
    struct keymap keys;
};

void settings_init(struct settings *s);
/* Take the lines of `text`. ERR_DATA: why[] names the line; the lines before it hold. */
#define SETTINGS_WHY_LEN 200
NODISCARD enum err settings_parse(struct settings *s, const char *text, char why[SETTINGS_WHY_LEN]);
/* Read the file; none there is fine. ERR_IO (errno), ERR_DATA; why[] says. */
NODISCARD enum err settings_load(struct settings *s, char why[SETTINGS_WHY_LEN]);
/* Write server and name into the file, keeping its other lines. ERR_IO: errno. */
NODISCARD enum err settings_keep(const struct settings *s);

#endif
