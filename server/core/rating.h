/* SPDX-License-Identifier: ISC
 * rating.h -- Glicko-2: how strong somebody is, and how sure that is.
 *
 * Mark E. Glickman, "Example of the Glicko-2 system" (2013); the step numbers in the code are his.
 * Pure. Floating point is allowed here and nowhere else in the core: ratings are stored, never
 * computed again from a journal, so machines need not agree to the last bit.
 */
#ifndef SK_CORE_RATING_H
#define SK_CORE_RATING_H

#include "common/base/util.h"

#define RATING_START       1500.0
#define RATING_START_DEV   350.0
#define RATING_START_VOL   0.06
#define RATING_IDLE_PERIOD 30 /* days without a rated game that make one empty rating period */

/* On the scale of people: 1500, 350, 0.06 for a beginner. */
struct rating {
    double rating, deviation, volatility;
};
/* What one game of a rating period gave. */
struct rating_game {
    struct rating opponent; /* as before the period */
    double score;           /* 1 won, 0.5 drawn, 0 lost */
};

struct rating rating_start(void);
/* One rating period with `n` games, in any order; none: only the deviation grows (step 6). */
void rating_period(struct rating *r, const struct rating_game *game, size_t n);
/* As many periods without a game. The deviation stays within a beginner's. */
void rating_idle(struct rating *r, int64_t periods);
/* What is expected to come of a game against `opponent`, 0 to 1 (E of step 3). */
double rating_expect(const struct rating *r, const struct rating *opponent);
/* To the nearest whole number, for people. */
int64_t rating_shown(double value);

#endif
