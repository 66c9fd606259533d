/* SPDX-License-Identifier: ISC
 * scenario_files.h -- the shipped scenarios, built into every program.
 *
 * The table is generated from common/scenarios/ by proto/embed.cmake, in order of id.
 */
#ifndef SK_PROTO_SCENARIO_FILES_H
#define SK_PROTO_SCENARIO_FILES_H

#include <stddef.h>

/* A file as it stands in the source tree: `len` bytes of JSON text, and a NUL behind them. */
struct scenario_file {
    const char *id; /* the file's name without ".json" */
    const char *text;
    size_t len;
};

/* scenario_files_len rows, then one with a NULL id. */
extern const struct scenario_file scenario_files[];
extern const size_t scenario_files_len;

#endif
