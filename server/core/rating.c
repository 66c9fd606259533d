/* SPDX-License-Identifier: ISC */
#include "server/core/rating.h"

#include <math.h>

#define SCALE   173.7178 /* step 2: points of rating in a unit of the inner scale */
#define TAU     0.5      /* step 1: how fast volatility may change */
#define NEAR    0.000001 /* step 5: epsilon */
#define PI      3.14159265358979323846
#define ROUNDS  200  /* the search of step 5 needs a dozen */
#define DEV_MIN 30.0 /* a rating that nothing could move any more would be no use */

struct rating rating_start(void)
{
    return (struct rating){RATING_START, RATING_START_DEV, RATING_START_VOL};
}

/* g(phi) of step 3. */
static double weight(double phi)
{
    return 1.0 / sqrt(1.0 + 3.0 * phi * phi / (PI * PI));
}

static double expect(double mu, double other_mu, double other_phi)
{
    return 1.0 / (1.0 + exp(-weight(other_phi) * (mu - other_mu)));
}

double rating_expect(const struct rating *r, const struct rating *opponent)
{
    return expect((r->rating - RATING_START) / SCALE, (opponent->rating - RATING_START) / SCALE,
                  opponent->deviation / SCALE);
}

/* What step 5 looks for a root of. */
struct search {
    double delta2, phi2, v, a; /* squares of delta and phi */
};

static double value_at(const struct search *s, double x)
{
    const double e = exp(x);
    const double d = s->phi2 + s->v + e;

    return e * (s->delta2 - d) / (2.0 * d * d) - (x - s->a) / (TAU * TAU);
}

/* Step 5: the new volatility, by the Illinois algorithm. */
static double new_volatility(const struct search *s)
{
    double a = s->a;
    double b = s->a - TAU;
    double fa;
    double fb;

    if (s->delta2 > s->phi2 + s->v) {
        b = log(s->delta2 - s->phi2 - s->v);
    } else {
        for (int i = 0; i < ROUNDS && value_at(s, b) < 0; i++)
            b -= TAU;
    }
    fa = value_at(s, a);
    fb = value_at(s, b);
    for (int i = 0; i < ROUNDS && fabs(b - a) > NEAR; i++) {
        const double c = a + (a - b) * fa / (fb - fa);
        const double fc = value_at(s, c);

        if (fc * fb <= 0) {
            a = b;
            fa = fb;
        } else {
            fa /= 2.0;
        }
        b = c;
        fb = fc;
    }
    return exp(a / 2.0);
}

void rating_period(struct rating *r, const struct rating_game *game, size_t n)
{
    const double mu = (r->rating - RATING_START) / SCALE;
    const double phi = r->deviation / SCALE;
    double information = 0; /* 1 / v, step 3 */
    double surprise = 0;    /* the sum of steps 4 and 7 */
    double grown;
    double after;

    if (n == 0) {
        rating_idle(r, 1);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const double other = (game[i].opponent.rating - RATING_START) / SCALE;
        const double other_phi = game[i].opponent.deviation / SCALE;
        const double g = weight(other_phi);
        const double e = expect(mu, other, other_phi);

        information += g * g * e * (1.0 - e);
        surprise += g * (game[i].score - e);
    }
    r->volatility = new_volatility(&(struct search){
        .delta2 = (surprise / information) * (surprise / information),
        .phi2 = phi * phi,
        .v = 1.0 / information,
        .a = log(r->volatility * r->volatility),
    });
    grown = phi * phi + r->volatility * r->volatility; /* step 6, squared */
    after = 1.0 / sqrt(1.0 / grown + information);     /* step 7 */
    r->rating = RATING_START + SCALE * (mu + after * after * surprise);
    r->deviation = MAX(MIN(SCALE * after, RATING_START_DEV), DEV_MIN);
}

void rating_idle(struct rating *r, int64_t periods)
{
    const double phi = r->deviation / SCALE;
    const double more = (double)periods * r->volatility * r->volatility;

    if (periods > 0)
        r->deviation = MIN(SCALE * sqrt(phi * phi + more), RATING_START_DEV);
}

int64_t rating_shown(double value)
{
    return (int64_t)(value + (value < 0 ? -0.5 : 0.5));
}
