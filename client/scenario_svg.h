/* SPDX-License-Identifier: ISC
 * scenario_svg.h -- a scenario's board and set-up as a drawing, SVG 1.1, for a page or a printer.
 */
#ifndef SK_CLIENT_SCENARIO_SVG_H
#define SK_CLIENT_SCENARIO_SVG_H

#include "common/base/buf.h"
#include "proto/scenario.h"

/* Append the drawing. Letters and facings are those of draw.h. */
void scenario_svg(const struct scenario *s, const struct rules_state *state, struct buf *out);

#endif
