/* SPDX-License-Identifier: ISC
 * play_table.h -- a match screen at work: keys and clicks to choices, orders and words; entries to
 * log and film. Online, at one screen and in replays the same.
 *
 * The owner fills the scene's facts before each drawing and carries out what is asked of its port.
 */
#ifndef SK_TUI_PLAY_TABLE_H
#define SK_TUI_PLAY_TABLE_H

#include "client/tui/recall.h"
#include "client/tui/shell.h"
#include "client/tui/view_match.h"

#define PLAY_NOW SIZE_MAX

/* What the owner does. All are called from key, click and tick. */
struct play_port {
    void *data;
    void (*facts)(void *data, struct scene *v); /* fill audit, me, may_order, clocks ... */
    void (*order)(void *data, const struct rules_order *o);
    void (*say)(void *data, const char *text, bool all);
    /* draw, pause, ask-undo, resign, claim, go-on, yes, no (to an offer), quit; step-back: what was
     * before may be lacking */
    void (*act)(void *data, enum action act);
};
/* An order given while the line is down. */
struct play_kept {
    bool on;
    struct rules_order order;
    uint32_t base;   /* newest entry then */
    char words[200]; /* as it would be typed */
};
struct play_table {
    struct shell *shell;
    const struct settings *set;
    struct play_port port;
    struct scene scene;
    struct table table;
    struct film film;
    struct log log;
    struct luck *luck;
    struct rules_state shown; /* the position looked at, when it isn't the newest */
    struct buf dice;
    struct recall recall; /* typed orders */
    struct play_kept kept;
    size_t at; /* frame shown, or PLAY_NOW */
    bool running;
    int speed_ms;
    bool begun; /* the cursor was placed */
};

void play_init(struct play_table *p, struct shell *shell, const struct settings *set,
               enum scene_kind kind, const struct play_port *port);
void play_fini(struct play_table *p);
/* An entry is confirmed. live: just happened; ours: by an order from here. */
void play_entry(struct play_table *p, const struct audit *a, bool live, bool ours);
/* The game from its first entry to the newest one; takes `film`'s frames. What is shown stays. */
void play_whole(struct play_table *p, struct film *film, const struct luck *luck);
/* The position has changed for good: choices are looked at again. */
void play_settled(struct play_table *p);
/* The line is up and the match caught up with: an order that was kept is sent if nothing was played
 * since, or it is said that it was not. */
void play_back(struct play_table *p);
/* A line about the last key; bad: a refusal. */
void play_note(struct play_table *p, bool bad, const char *text);
/* For struct screen. */
void play_draw(struct play_table *p, struct canvas *c);
void play_key(struct play_table *p, uint32_t key);
void play_click(struct play_table *p, const struct zone *z, const struct term_event *ev);
void play_tick(struct play_table *p);

#endif
