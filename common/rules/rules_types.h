/* SPDX-License-Identifier: ISC
 * rules_types.h -- the nouns of the game as plain data.
 *
 * Rule numbers (R13) are those of RULES.md beside this file. Everything here is copied with `=`
 * and holds no pointer into the heap, but for struct rules_outcome and struct rules_game, which
 * borrow the arrays that their owner gives them.
 */
#ifndef SK_RULES_TYPES_H
#define SK_RULES_TYPES_H

#include "common/base/util.h"

#define RULES_FIGURES_MAX 256
#define RULES_BOARD_MIN   4
#define RULES_BOARD_MAX   64
#define RULES_SQUARES_MAX (RULES_BOARD_MAX * RULES_BOARD_MAX)
#define RULES_WAVES_MAX   64
#define RULES_WINS_MAX    16   /* victory conditions of one side */
#define RULES_STACK_MAX   9    /* figures in a square, R2 */
#define RULES_FRONT       3    /* R2 */
#define RULES_PATH_MAX    5    /* the largest allowance, R7 */
#define RULES_ORDER_MAX   16   /* figures, or squares of a path, that an order is read up to */
#define RULES_LIST_MAX    8192 /* squares in all lists of one scenario */
#define RULES_TURNS_MAX   999
#define RULES_ID_LEN      32 /* longest id, without its NUL */
#define RULES_HASH_LEN    32 /* SHA-256 */

#define RULES_NO_SQUARE UINT16_MAX
#define RULES_NO_FIGURE UINT16_MAX
#define RULES_NO_WAVE   UINT8_MAX

/* The scenario's first side is A, the second B. */
enum rules_side { RULES_A, RULES_B, RULES_NOBODY };
/* Clockwise, so that +1 is right and +2 about. */
enum rules_dir { RULES_N, RULES_E, RULES_S, RULES_W, RULES_NO_DIR };
enum rules_scale { RULES_1IN, RULES_3IN };
enum rules_type {
    RULES_IRREGULAR,
    RULES_REGULAR,
    RULES_MOUNTED,
    RULES_CIVILIAN,
    RULES_WAGON,
    RULES_TYPE_COUNT
};
enum rules_ground {
    RULES_OPEN,
    RULES_WOODS,
    RULES_ROAD,
    RULES_BUILDING,
    RULES_WATER,
    RULES_VEHICLE,
    RULES_GROUND_COUNT
};
enum rules_obstacle {
    RULES_CLEAR,
    RULES_STREAM,
    RULES_WALL,
    RULES_FENCE,
    RULES_BARRICADE,
    RULES_OBSTACLE_COUNT
};
enum rules_status {
    RULES_READY,
    RULES_ACTED,
    RULES_HALTED,
    RULES_RETREATING,
    RULES_ROUTING,
    RULES_DEAD,
    RULES_LEFT,
    RULES_DUE,
    RULES_STATUS_COUNT
};

/* House readings, R50; 0 is the rule text's own reading. */
struct rules_readings {
    uint8_t turning; /* 0 action, 1 free */
    uint8_t melee;   /* 0 after_both, 1 after_each */
    uint8_t saves;   /* 0 each, 1 one */
    uint8_t volley;  /* 0 front, 1 all */
    uint8_t roster;  /* 0 all, 1 arrived */
};

/* Victory conditions, R42. */
enum rules_win_kind {
    RULES_WIN_ELIMINATE,
    RULES_WIN_KILL,
    RULES_WIN_EXIT,
    RULES_WIN_HOLD,
    RULES_WIN_BASELINE,
    RULES_WIN_SURVIVE,
    RULES_WIN_REACH,
    RULES_WIN_COUNT
};
struct rules_win {
    uint8_t kind;                             /* enum rules_win_kind */
    uint8_t edge;                             /* exit: enum rules_dir */
    uint16_t turn;                            /* hold, survive; 0: any turn */
    uint16_t count;                           /* exit: how many of the figures */
    uint16_t list;                            /* hold, reach: first of n squares in board.list */
    uint16_t n;                               /* squares in that list */
    uint64_t figures[RULES_FIGURES_MAX / 64]; /* kill, exit, reach: bit per figure */
};

/* A wave of reinforcements, R40: its figures are [figure, figure + n_figures) of the roster. */
enum rules_entry { RULES_ENTRY_SQUARES, RULES_ENTRY_EDGE, RULES_ENTRY_TABLE };
struct rules_wave {
    uint8_t side, entry; /* enum rules_side, enum rules_entry */
    uint8_t edge[6];     /* entry edge: edge[0]; table: by face - 1; enum rules_dir */
    uint16_t turn;
    uint16_t figure, n_figures;
    uint16_t list, n; /* entry squares: n squares from board.list[list] */
};

struct rules_figure {
    uint8_t side, type; /* enum rules_side, enum rules_type */
    uint8_t commander;  /* 0 or 1 */
    uint8_t face;       /* at the start; RULES_NO_DIR when due */
    uint16_t at;        /* at the start; RULES_NO_SQUARE when due */
    uint8_t wave;       /* index of its wave, RULES_NO_WAVE when there from the start */
};

struct rules_board_side {
    uint8_t home;         /* enum rules_dir, R5 */
    uint8_t limit_winner; /* R43 */
    uint8_t n_wins;       /* at least 1: the default is filled in */
    uint16_t soldiers;    /* the roster of R32, those due included */
    struct rules_win win[RULES_WINS_MAX];
};

/*
 * A scenario as the rules see it: never changes during play. Squares are numbered y * w + x from
 * a1, so board order (a1, b1, ... a2) is number order. Figures stand in roster order. An obstacle
 * on the edge between a square and its northern (eastern) neighbour is in edge_n (edge_e) of the
 * southern (western) one.
 */
struct rules_board {
    uint8_t w, h;
    uint8_t scale; /* enum rules_scale */
    uint8_t stack; /* 1 at 1in */
    uint16_t turns;
    uint16_t n_figures;
    uint8_t n_waves;
    struct rules_readings readings;
    struct rules_board_side side[2];
    struct rules_wave wave[RULES_WAVES_MAX];
    struct rules_figure figure[RULES_FIGURES_MAX];
    uint8_t ground[RULES_SQUARES_MAX];                            /* enum rules_ground */
    uint8_t height[RULES_SQUARES_MAX];                            /* 0 to 9 */
    uint8_t edge_n[RULES_SQUARES_MAX], edge_e[RULES_SQUARES_MAX]; /* enum rules_obstacle */
    uint16_t n_list;
    uint16_t list[RULES_LIST_MAX];
    char id[RULES_FIGURES_MAX][RULES_ID_LEN + 1]; /* for the state hash and for people */
};

/* How a game ended. The first block are the rules' own, R42, R43; the second the referee's, R44. */
enum rules_reason {
    RULES_BY_NOTHING,
    RULES_BY_ELIMINATE,
    RULES_BY_KILL,
    RULES_BY_EXIT,
    RULES_BY_HOLD,
    RULES_BY_BASELINE,
    RULES_BY_SURVIVE,
    RULES_BY_REACH,
    RULES_BY_LIMIT,
    RULES_BY_DRAW,
    RULES_BY_RESIGN,
    RULES_BY_TIME,
    RULES_BY_ABANDON,
    RULES_BY_ADJUDICATED,
    RULES_BY_VOID,
    RULES_REASON_COUNT
};

/*
 * The position. Plain bytes without padding, zero where unused, so that equal positions compare
 * equal with memcmp. Figures are indexed as on the board.
 */
struct rules_state {
    uint16_t turn;                      /* 0 before the first initiative */
    uint8_t first, active;              /* enum rules_side */
    uint8_t testing;                    /* bit 0: A tests morale, bit 1: B (R32) */
    uint8_t reason;                     /* enum rules_reason; RULES_BY_NOTHING while it goes on */
    uint8_t winner;                     /* enum rules_side, once over */
    uint8_t zero;                       /* always 0 */
    uint16_t at[RULES_FIGURES_MAX];     /* square, or RULES_NO_SQUARE */
    uint8_t face[RULES_FIGURES_MAX];    /* enum rules_dir; RULES_NO_DIR while due */
    uint8_t status[RULES_FIGURES_MAX];  /* enum rules_status */
    uint8_t rank[RULES_FIGURES_MAX];    /* from 1 within the square; 0 off the board */
    uint8_t fell[RULES_FIGURES_MAX];    /* 1: fell back in its side's last phase, R37 */
    uint8_t left_by[RULES_FIGURES_MAX]; /* enum rules_dir once left, else RULES_NO_DIR */
    uint8_t wave_edge[RULES_WAVES_MAX]; /* edge kept by a rolled table, else RULES_NO_DIR */
    uint64_t fired[RULES_SQUARES_MAX / 64]; /* bit per square that fired this turn, R23 */
};

enum rules_do {
    RULES_DO_START, /* the referee's: first turn, before any order */
    RULES_DO_MOVE,
    RULES_DO_TURN,
    RULES_DO_FIRE,
    RULES_DO_UNDO,
    RULES_DO_END_PHASE
};

/*
 * What a side asks for. Ids and squares that the roster or board doesn't know are
 * RULES_NO_FIGURE and RULES_NO_SQUARE. A longer list is cut at RULES_ORDER_MAX, which no legal
 * order reaches.
 */
struct rules_order {
    uint8_t kind; /* enum rules_do */
    uint8_t side; /* enum rules_side: who gives it */
    uint8_t face; /* move, turn, fire; RULES_NO_DIR: not given */
    uint8_t exit; /* move: edge to leave by, or RULES_NO_DIR */
    uint8_t n_figures, n_path;
    uint16_t square; /* fire */
    uint16_t figure[RULES_ORDER_MAX];
    uint16_t path[RULES_ORDER_MAX];
};

/* Rolled faces, 1 to 6, taken left to right. `face` is borrowed for the call. */
struct rules_dice {
    const uint8_t *face;
    size_t len, used;
};

enum rules_event_kind {
    RULES_EV_INITIATIVE,
    RULES_EV_PHASE,
    RULES_EV_END_PHASE,
    RULES_EV_END_TURN,
    RULES_EV_ARRIVE,
    RULES_EV_MORALE,
    RULES_EV_FALL_BACK,
    RULES_EV_MOVE,
    RULES_EV_TURN,
    RULES_EV_UNDO,
    RULES_EV_VOLLEY,
    RULES_EV_MELEE,
    RULES_EV_OVER,
    RULES_EV_COUNT
};
enum rules_morale { RULES_STEADY, RULES_HALT, RULES_RETREAT, RULES_ROUT };

/* What the longer events list; in the outcome's item array, `item` onwards of the event. */
union rules_item {
    struct {
        uint8_t a, b; /* A's and B's initiative die */
    } roll;
    struct {
        uint8_t figure, face;
        uint16_t at;
    } placed; /* arrive: n_placed of these, then n_waiting of .figure */
    struct {
        uint8_t figure, die;
    } die;
    struct {
        uint8_t a, b, total_a, total_b;
    } pairing;
    struct {
        uint8_t figure, against, die, saved;
    } save;
    uint8_t figure;
};

struct rules_shot {
    uint8_t figure, at; /* shooter; figure aimed at */
    uint8_t die;        /* 0: its aim had fallen, no die */
    uint8_t hit;        /* 0 or 1 */
    uint8_t save;       /* save die, 0 without a hit */
    uint8_t killed;     /* 0 or 1 */
};

struct rules_event {
    uint8_t kind; /* enum rules_event_kind */
    union {
        struct {
            uint16_t turn, n; /* n pairs of dice, all but the last equal */
            uint32_t item;
            uint8_t first;
        } initiative;
        struct {
            uint16_t turn;
            uint8_t side;
        } phase; /* end_phase and end_turn use the member that they have */
        struct {
            uint32_t item;
            uint16_t n_placed, n_waiting;
            uint8_t side, wave, die, edge; /* die 0, edge RULES_NO_DIR: none */
        } arrive;
        struct {
            uint8_t figure, die, bonus, result; /* enum rules_morale */
        } morale;
        struct {
            uint8_t figure, state; /* RULES_RETREAT or RULES_ROUT */
            uint8_t face, left;    /* left: off the board, over the edge that it faces */
            uint8_t n;
            uint16_t from, path[RULES_PATH_MAX];
        } fall_back;
        struct {
            uint8_t n_figures, n, face;
            uint8_t left; /* edge, or RULES_NO_DIR */
            uint8_t figure[RULES_STACK_MAX];
            uint16_t from, path[RULES_PATH_MAX];
        } move;
        struct {
            uint8_t n_figures, face;
            uint8_t figure[RULES_STACK_MAX];
            uint16_t at;
        } turn;
        struct {
            uint32_t tag; /* of the order taken back, see rules_game_apply */
        } undo;
        struct {
            uint16_t square, target;
            uint8_t face, range, to_hit, to_save, n;
            struct rules_shot shot[RULES_STACK_MAX];
        } volley;
        struct {
            uint32_t item; /* n_dice .die, n_pairings .pairing, n_saves .save, n_killed .figure */
            uint16_t n_dice, n_pairings, n_saves, n_killed;
        } melee;
        struct {
            uint8_t winner, reason; /* enum rules_side (RULES_NOBODY: none), enum rules_reason */
        } over;
    } u;
};

/* Why an order is refused; rules_why_rule gives the rule. The words are proto/words.h's. */
/* X(enumerator, rule number) */
#define RULES_WHY_TABLE(X)                                                                         \
    X(RULES_WHY_OVER, 42)            /* the game is over */                                        \
    X(RULES_WHY_NOT_YOUR_PHASE, 11)  /* the other side's phase */                                  \
    X(RULES_WHY_NO_FIGURE, 11)       /* unknown, another's, or not on the board */                 \
    X(RULES_WHY_ACTED, 11)           /* has acted this turn */                                     \
    X(RULES_WHY_HALTED, 35)          /* halted by morale */                                        \
    X(RULES_WHY_FALLING_BACK, 36)    /* retreating or routing */                                   \
    X(RULES_WHY_GROUP, 15)           /* a group that isn't one square's figures, each once */      \
    X(RULES_WHY_NO_PATH, 12)         /* a move of no squares */                                    \
    X(RULES_WHY_STEP, 12)            /* a step that isn't to an orthogonal neighbour */            \
    X(RULES_WHY_TOO_FAR, 12)         /* beyond the allowance */                                    \
    X(RULES_WHY_UPHILL, 12)          /* beyond the uphill allowance */                             \
    X(RULES_WHY_OFF_BOARD, 13)       /* a square that the board hasn't */                          \
    X(RULES_WHY_ENEMY, 13)           /* an enemy in the way */                                     \
    X(RULES_WHY_GROUND, 13)          /* impassable ground */                                       \
    X(RULES_WHY_FULL, 13)            /* no room where the path ends */                             \
    X(RULES_WHY_CROSSING, 16)        /* crossing an obstacle and more */                           \
    X(RULES_WHY_WAGON_CROSSING, 16)  /* wagons never cross */                                      \
    X(RULES_WHY_WAGON_ROAD, 17)      /* a wagon off the road, or leaving it */                     \
    X(RULES_WHY_EXIT, 45)            /* no exit over that edge, or not from there */               \
    X(RULES_WHY_FACE, 14)            /* a turn without a facing */                                 \
    X(RULES_WHY_UNARMED, 18)         /* only civilians and wagons face that way */                 \
    X(RULES_WHY_NO_SHOOTER, 23)      /* nobody in front who faces that way and may act */          \
    X(RULES_WHY_FIRED, 23)           /* the square has fired this turn */                          \
    X(RULES_WHY_NO_TARGET, 19)       /* nobody in the line */                                      \
    X(RULES_WHY_BLOCKED, 19)         /* ground or height in the line */                            \
    X(RULES_WHY_FRIEND, 19)          /* friends or a wagon in the line */                          \
    X(RULES_WHY_TOO_NEAR, 20)        /* range 1 is hand-to-hand */                                 \
    X(RULES_WHY_OUT_OF_REACH, 20)    /* the enemy in the line is too far */                        \
    X(RULES_WHY_NOTHING_TO_UNDO, 48) /* no move since the last die or phase */

enum rules_why {
    RULES_WHY_NONE,
#define X(name, rule) name,
    RULES_WHY_TABLE(X)
#undef X
        RULES_WHY_COUNT
};

struct rules_refusal {
    uint8_t why;             /* enum rules_why */
    uint16_t figure;         /* the figure it is about, or RULES_NO_FIGURE */
    uint16_t square;         /* the square it is about, or RULES_NO_SQUARE */
    uint16_t asked, allowed; /* squares asked and allowed, where why counts them */
};

/*
 * Where a decision is written: arrays lent by the caller, who sets the caps and zero lengths.
 * RULES_EVENTS_HINT and RULES_ITEMS_HINT are enough for all but the wildest end of phase;
 * RULES_E_ROOM asks for more.
 */
struct rules_outcome {
    struct rules_event *event;
    union rules_item *item;
    uint32_t n_events, event_cap;
    uint32_t n_items, item_cap;
    struct rules_refusal refusal; /* set with RULES_E_ILLEGAL */
};
#define RULES_EVENTS_HINT 64
#define RULES_ITEMS_HINT  512

enum rules_err {
    RULES_OK,
    RULES_E_ILLEGAL, /* outcome.refusal says why */
    RULES_E_DICE,    /* the dice given are too few */
    RULES_E_ROOM     /* the outcome's arrays, or the game's undo array, are too small */
};

/* What one move or turn changed, so that it can be taken back (R48): all of one square. */
struct rules_undo {
    uint32_t tag;
    uint8_t n;
    uint8_t figure[RULES_STACK_MAX], face[RULES_STACK_MAX], status[RULES_STACK_MAX],
        rank[RULES_STACK_MAX];
    uint16_t at; /* the square that all of them were in */
};

/*
 * A game in play: board, position, and the moves that may still be taken back, oldest first.
 * `undo` is an array of undo_cap lent by the owner, who grows it on RULES_E_ROOM.
 */
struct rules_game {
    const struct rules_board *board;
    struct rules_state state;
    struct rules_undo *undo;
    uint32_t n_undo, undo_cap;
};

/* A chance, n in d, in lowest terms. */
struct rules_odds {
    uint64_t n, d;
};

#endif
