/* SPDX-License-Identifier: ISC
 * log.h -- one line an event, to standard error.
 *
 * Text form: `2026-01-31T12:00:00.123Z info  net.accept conn=7 from=127.0.0.1`: an event word, then
 * fields key=value, the value in double quotes where it is empty or has a blank or '='. JSON form:
 * an object a line with the members time, level, event and the fields, integers as numbers. In the
 * values of both, quotes, backslashes, control and bidi characters and what is no UTF-8 stand as
 * \xNN, byte by byte, so no peer can forge a line or a field, and every value can be told back from
 * its line. Secrets never go in: callers log ids, not tokens.
 */
#ifndef SK_BASE_LOG_H
#define SK_BASE_LOG_H

#include "common/base/util.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum log_form { LOG_FORM_TEXT, LOG_FORM_JSON };

/* Process-wide settings; may change at any time. */
void log_setup(enum log_level max, enum log_form form);
bool log_wants(enum log_level level);
/*
 * One line in a single write(2), so that threads' lines don't mix. `fmt` is fields with a blank
 * between them, `key=...` with the conversions %s %d %u %lld %llu %zu; one without a key is called
 * message, and left out where it is empty.
 */
void log_event(enum log_level level, const char *event, const char *fmt, ...) PRINTF_LIKE(3, 4);

#define LOG_AT(level, ...)                                                                         \
    do {                                                                                           \
        if (log_wants(level))                                                                      \
            log_event(level, __VA_ARGS__);                                                         \
    } while (0)
/* LOG_INFO("net.accept", "conn=%u", id); use "%s", "" for no fields. */
#define LOG_ERROR(...) LOG_AT(LOG_LEVEL_ERROR, __VA_ARGS__)
#define LOG_WARN(...)  LOG_AT(LOG_LEVEL_WARN, __VA_ARGS__)
#define LOG_INFO(...)  LOG_AT(LOG_LEVEL_INFO, __VA_ARGS__)
#define LOG_DEBUG(...) LOG_AT(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
