/* SPDX-License-Identifier: ISC
 * bot_internal.h -- what the files of client/bot share: the map, the view, the drill, the search.
 *
 * A *drill* gives a side's orders of one phase from scores alone, fast and always legal. What it
 * does follows from a *plan*: a style and a grain of noise for each figure. The search plays plans
 * on in the head and keeps the one that ends best. All arithmetic is whole numbers, in points: a
 * soldier is worth about 100.
 */
#ifndef SK_BOT_INTERNAL_H
#define SK_BOT_INTERNAL_H

#include "client/bot/bot.h"

#define BOT_FAR  250   /* a distance field's "no way" */
#define BOT_WON  10000 /* points of a game won */
#define BOT_DICE 65536 /* faces in the pool that samples are rolled from */

/* splitmix64: small, seeded, the same everywhere. */
struct bot_rng {
    uint64_t s;
};
uint64_t bot_rng_next(struct bot_rng *r);
unsigned bot_rng_below(struct bot_rng *r, unsigned n); /* [0, n), n >= 1 */
/* A number that depends on all of a and b. */
uint32_t bot_mix(uint32_t a, uint32_t b);

/* ---- bot_map.c: what a board is, once for a game ---- */

enum bot_mover { BOT_FOOT, BOT_WHEELS, BOT_MOVERS };

struct bot_map {
    const struct rules_board *b;
    uint16_t next[RULES_SQUARES_MAX][4]; /* passable neighbour by direction, or RULES_NO_SQUARE */
    uint8_t walls[RULES_SQUARES_MAX];    /* bit per direction: an obstacle lies there */
    uint8_t dark[RULES_SQUARES_MAX];     /* 1: ground that no shot passes */
    uint8_t beam[RULES_SQUARES_MAX][4];  /* how far a shot that way may go, by the ground; 0, 2.. */
    /* Of a field from a square outward: what the step back from there costs, by mover. */
    uint8_t cost[BOT_MOVERS][RULES_SQUARES_MAX][4];
    /* Steps to a condition's edge or squares, by side and condition; NULL for those without. */
    uint8_t *goal[2][RULES_WINS_MAX][BOT_MOVERS];
    uint8_t runs[RULES_FIGURES_MAX];   /* own exit or reach that names it + 1; 0: none */
    uint8_t marked[RULES_FIGURES_MAX]; /* 1: its death or escape decides something */
    int16_t value[RULES_FIGURES_MAX];  /* points that it is worth to its side while it lives */
    uint8_t patient[2];                /* 1: time is on the side's side (survive, limit_winner) */
    uint8_t waits[2];                  /* 1: it has nothing to do but to last */
    uint8_t controls[2]; /* 1: hold or reach squares of either side are this one's business */
    uint8_t post[2][RULES_SQUARES_MAX]; /* 1: a square that the side wants a soldier on */
    int start; /* bot_chance's sum for A at the start, which is taken for even */
};
void bot_map_init(struct bot_map *m, const struct rules_board *b);
void bot_map_fini(struct bot_map *m);

/* A field under way: steps from the sources; queue and flags are scratch. */
struct bot_flood {
    uint8_t *dist;
    uint16_t queue[RULES_SQUARES_MAX];
    uint8_t queued[RULES_SQUARES_MAX];
    unsigned head, len;
};
/* Empty `dist`; then sources with their own distance; then everything else. */
void bot_flood_begin(struct bot_flood *f, const struct bot_map *m, uint8_t *dist);
void bot_flood_source(struct bot_flood *f, uint16_t sq, unsigned dist);
/* `shut`: squares with shut[sq] != 0 are not passed (but are reached); NULL: none. */
void bot_flood_run(struct bot_flood *f, const struct bot_map *m, enum bot_mover by,
                   const uint8_t *shut);

/* ---- bot_view.c: what a phase looks like to the side whose it is ---- */

struct bot_view {
    const struct bot_map *m;
    enum rules_side me;
    uint8_t count[RULES_SQUARES_MAX];   /* figures there */
    uint8_t owner[RULES_SQUARES_MAX];   /* enum rules_side, RULES_NOBODY when empty */
    uint8_t top[RULES_SQUARES_MAX];     /* figure of rank 1, where count > 0 */
    uint8_t foe[RULES_SQUARES_MAX];     /* 1: an enemy stands there */
    uint8_t near[RULES_SQUARES_MAX];    /* enemy squares that touch it */
    uint16_t danger[RULES_SQUARES_MAX]; /* chance, of 1000, to be shot there by lines laid now */
    uint8_t shot[RULES_SQUARES_MAX][4]; /* points/4 of a shot from there that way */
    uint8_t press[RULES_SQUARES_MAX];   /* enemies that can walk there in a phase, about */
    uint8_t cover[RULES_SQUARES_MAX]
                 [4];                 /* points/4 of lines that way, over where enemies may come */
    uint8_t chase[RULES_SQUARES_MAX]; /* steps to enemies worth it */
    uint8_t need[RULES_SQUARES_MAX];  /* steps to squares that want a soldier */
    uint8_t has_need, has_foe;
    struct bot_flood flood;
};
void bot_view_build(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                    enum rules_side me);
/* Only who stands where. */
void bot_view_place(struct bot_view *v, const struct bot_map *m, const struct rules_state *s);
/* The first square that holds anybody on the line from `from`, *range squares off, if a shot could
 * reach it; else RULES_NO_SQUARE. */
uint16_t bot_view_target(const struct bot_view *v, uint16_t from, enum rules_dir d,
                         unsigned *range);
/* The own figures of `from` that moved are now where `s` says. */
void bot_view_moved(struct bot_view *v, const struct rules_state *s, uint16_t from, uint16_t to);
/* What shot of `range` kills, of 1000. */
unsigned bot_kill_chance(const struct rules_board *b, unsigned range);

/* ---- bot_drill.c: orders for a phase ---- */

/* Weights in tenths; of progress, tenths of a point for a turn saved. */
struct bot_weights {
    int16_t goal, chase, need; /* a turn nearer */
    int16_t danger, shot;      /* of the points at stake */
    int16_t melee;             /* of the points that a pairing wins or loses on average */
    int16_t contact;           /* for each enemy square touched */
    int16_t fire;              /* of the points that a volley kills */
    int16_t cover;             /* of the points that lines over the enemy's ways may win */
    int16_t press;             /* for each enemy that can come there */
};

enum bot_style {
    BOT_BALANCED,
    BOT_RACE,
    BOT_HUNT,
    BOT_HOLD,
    BOT_CAREFUL,
    BOT_CHARGE,
    BOT_BACK,
    BOT_PLAIN, /* the recruit's: no thought of danger */
    BOT_STYLES
};
#define BOT_STYLES_TRIED BOT_PLAIN /* those before it */

struct bot_plan {
    uint8_t style[RULES_FIGURES_MAX];
    uint8_t noise[RULES_FIGURES_MAX]; /* points, at most, that chance adds to an option's score */
    uint32_t seed[RULES_FIGURES_MAX];
};
void bot_plan_fill(struct bot_plan *p, enum bot_style style, unsigned noise, uint32_t seed);

/* A phase being given orders: which figures have been asked. */
struct bot_drill {
    const struct bot_plan *plan;
    struct bot_view *view;
    uint8_t pass;   /* 0: shots; 1: moves and what else is best; 2: no more */
    uint16_t at;    /* next figure of the pass, in `line` */
    uint16_t given; /* orders so far */
    uint16_t n_line;
    uint8_t line[RULES_FIGURES_MAX];
};
void bot_drill_begin(struct bot_drill *d, const struct bot_plan *plan, struct bot_view *view,
                     const struct rules_state *s);
/* The next order on `s`, which follows from the one before by the drill's last order. */
void bot_drill_next(struct bot_drill *d, const struct rules_state *s, struct rules_order *out);
/* `o` was played: `s` is what came of it; `before` where the order's first figure stood. */
void bot_drill_done(struct bot_drill *d, const struct rules_state *s, const struct rules_order *o,
                    uint16_t before);

/* ---- bot_score.c: what a place is worth to a figure ---- */

struct bot_asked {
    const struct bot_view *view;
    const struct rules_state *s;
    const struct bot_plan *plan;
    uint8_t figure, group; /* its first figure; how many go along */
    uint8_t style;
    uint16_t from;
    uint8_t look; /* enum rules_dir: where the nearest enemy is, RULES_NO_DIR without one */
    uint8_t allowance;
};
void bot_ask(struct bot_asked *q, const struct bot_view *v, const struct rules_state *s,
             const struct bot_plan *plan, unsigned figure);
/* Points/10 of ending the phase in `sq`; the facing's part apart. */
int bot_place_score(const struct bot_asked *q, uint16_t sq);
int bot_face_score(const struct bot_asked *q, uint16_t sq, enum rules_dir face);
/* Points/10 of the volley; 0: there is none. */
int bot_fire_score(const struct bot_asked *q, enum rules_dir face);

/* ---- bot_judge.c: what a position is worth ---- */

/* Points for `side`, -BOT_WON to BOT_WON. `v` is scratch. */
int bot_judge(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
              enum rules_side side);

/* How near `side` is to its condition `w`, 0 to 800. */
int bot_win_value(const struct bot_map *m, const struct rules_state *s, enum rules_side side,
                  unsigned w);
/* Points that the side's laid lines would kill, if it moved next. */
int bot_lines_value(const struct bot_view *v, const struct rules_state *s, enum rules_side side);

/* ---- bot_chance.c: how likely a side is to win ---- */

/* What tells the winner early, in thousandths; each is the side's own less its enemy's. */
enum bot_trait {
    BOT_T_FORCE,   /* log2 of the points of soldiers there or due */
    BOT_T_HEADS,   /* share of the roster that is left */
    BOT_T_TESTING, /* has to test morale */
    BOT_T_SHAKEN,  /* share of the roster that halts, retreats or routs */
    BOT_T_LEADER,  /* has a commander on the board */
    BOT_T_EXIT,    /* how near it is to each kind of condition */
    BOT_T_REACH,
    BOT_T_HOLD,
    BOT_T_BASELINE,
    BOT_T_KILL,
    BOT_T_SURVIVE,
    BOT_T_LIMIT,
    BOT_T_SPARE, /* how many more than it needs may still leave or arrive */
    BOT_T_LATE,  /* it can't be there in time */
    BOT_T_TEMPO, /* moves next */
    BOT_T_AIM,   /* soldiers that its lines would kill, if it moves next */
    BOT_T_WATCH, /* if it doesn't */
    BOT_T_MELEE, /* soldiers that hand-to-hand would cost the other, on average */
    BOT_TRAITS
};
void bot_traits(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
                enum rules_side side, int out[BOT_TRAITS]);
/* Set m->start. */
void bot_chance_begin(struct bot_view *v, struct bot_map *m);
/* That `side` wins, of BOT_WON. `v` is scratch. */
int bot_chance(struct bot_view *v, const struct bot_map *m, const struct rules_state *s,
               enum rules_side side);

/* ---- bot_search.c ---- */

struct bot_budget {
    uint8_t noise;   /* points by which its hand is unsteady; 0: as well as it can */
    uint8_t styles;  /* whole-force styles tried before anything else */
    uint16_t phases; /* played in the head for one real phase, about */
    uint32_t effort; /* of a council: that many, divided by the board's squares, */
    uint16_t again;  /* and of so many again when dice have fallen in the midst of it */
    uint8_t least;   /* samples that a plan gets at first, */
    uint8_t most;    /* and at most: least doubled some times, SAMPLES_MAX or less */
    bool council;    /* bot_council instead of bot_search */
};

/* Plans that bot_council compares. */
#define BOT_RIVALS 32
struct bot_rival {
    struct bot_plan plan;
    int64_t sum; /* over the samples so far */
};

struct bot {
    struct bot_map map;
    struct bot_view view;
    struct bot_plan plan, best; /* under trial or in use; the best so far */
    struct bot_plan follow;     /* its later phases in the head, and */
    struct bot_plan foe;        /* the enemy's */
    struct bot_drill drill;     /* the real phase under way */
    struct rules_outcome out;
    struct bot_rival *rival; /* BOT_RIVALS of them, for a council; else NULL */
    uint8_t *dice;           /* BOT_DICE faces */
    uint64_t seed;
    enum rules_side side;
    enum bot_level level;
    bool is_drilling;
    uint16_t turn;  /* of the drill */
    bool is_rolled; /* its last order was a volley */
};
extern const struct bot_budget bot_budgets[BOT_LEVEL_COUNT];

/* Choose bot->plan for the phase that begins with `s`. */
void bot_search(struct bot *bot, const struct rules_state *s);
/* The active side's phase in the head, as `plan` would have it; false when dice or room ran out: it
 * ends as it stands. The same deed in the same sample has the same dice. */
bool bot_play_phase(struct bot *bot, struct rules_state *s, const struct bot_plan *plan,
                    uint32_t sample);
/* What serves best where nothing is thought out. */
enum bot_style bot_usual_style(const struct bot *bot, enum rules_side side);

/* ---- bot_council.c ---- */

/* The same, thought through. `again`: dice have fallen in the midst of the phase, and bot->plan is
 * what it was till now. */
void bot_council(struct bot *bot, const struct rules_state *s, bool again);

#endif
