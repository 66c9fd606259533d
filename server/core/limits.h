/* SPDX-License-Identifier: ISC
 * limits.h -- everything that one peer, one source or all of them together may use, in one table;
 * and who has used up the server's patience.
 *
 * Configuration, --help and the core read the same rows. Limits against a source's hostility (how
 * many connections, how fast, how long before it logs in, penalties) leave loopback out unless the
 * configuration says otherwise; those that bound memory hold for everybody.
 */
#ifndef SK_CORE_LIMITS_H
#define SK_CORE_LIMITS_H

#include "common/base/err.h"

/* X(field, key in the configuration, default, least, most, what it is, why one would change it) */
#define LIMITS_TABLE(X)                                                                            \
    X(max_conns, "connections", 19000, 1, 1000000,                                                 \
      "connections in all; the system's limit on descriptors may set fewer",                       \
      "the machine is small, or has more descriptors to give")                                     \
    X(max_conns_per_addr, "connections_per_address", 32, 1, 1000000,                               \
      "connections from one source: an IPv4 address, or an IPv6 /64",                              \
      "more where a club shares one address")                                                      \
    X(max_new_conns, "connections_before_login", 4096, 1, 1000000,                                 \
      "connections that haven't logged in; one more is turned away",                               \
      "more under floods from many addresses, where memory allows")                                \
    X(early_drop, "early_drop", 1024, 1, 1000000,                                                  \
      "from so many of these on some new ones are turned away at random, the more the "            \
      "fuller",                                                                                    \
      "lower to spare players who connect during a flood, higher to take everybody")               \
    X(max_matches, "matches", 20000, 1, 1000000, "matches that aren't over",                       \
      "each takes about 50 kB of memory")                                                          \
    X(max_guests, "guests", 20000, 1, 1000000, "guests at a time",                                 \
      "each takes about 1 kB; 1 to keep a server for members, nearly")                             \
    X(max_watchers, "watchers", 20000, 1, 1000000, "people looking on at one match",               \
      "each event is sent to every one of them")                                                   \
    X(max_hashing, "hashing", 32, 1, 32, "passwords that wait to be hashed",                       \
      "each takes 0.1 s of a processor: what waits longer than people do is refused")              \
    X(line_guest, "line_before_login", 4096, 512, 65536,                                           \
      "bytes of a line, without its end, before login",                                            \
      "hardly: it bounds what a stranger can make the server hold")                                \
    X(line_member, "line", 16384, 4096, 65536, "the same after login",                             \
      "hardly: clients learn it at hello")                                                         \
    X(depth, "depth", 8, 4, 32, "arrays and objects within one another in a line",                 \
      "hardly: nothing that the protocol knows goes deeper")                                       \
    X(members, "members", 64, 16, 1024, "members of one object in a line",                         \
      "hardly: the protocol's largest object has fewer")                                           \
    X(values, "values", 512, 64, 8192, "values in a line",                                         \
      "more where clients send very long paths of many figures")                                   \
    X(bad_lines, "bad_lines", 10, 1, 1000, "lines that are no JSON; the last one closes",          \
      "higher while somebody writes a client")                                                     \
    X(rate_burst, "burst", 100, 20, 100000, "messages that may come at once",                      \
      "more for bots that play many games on one connection")                                      \
    X(rate_step_ms, "message_ms", 20, 1, 60000, "then one each so many milliseconds",              \
      "lower for such bots, higher on a slow machine")                                             \
    X(turn_lines, "lines_a_turn", 64, 1, 100000, "lines answered before it is others' turn",       \
      "lower where one busy client delays others")                                                 \
    X(turn_bytes, "bytes_a_turn", 16384, 512, 16384, "bytes read before it is others' turn",       \
      "lower for the same reason")                                                                 \
    X(hello_ms, "hello_ms", 5000, 100, 3600000, "time to say hello",                               \
      "more where the network is very slow")                                                       \
    X(login_ms, "login_ms", 20000, 100, 3600000, "time to log in, the same hello's included",      \
      "more where people type passwords slowly into what they have connected")                     \
    X(line_ms, "line_ms", 10000, 100, 3600000, "from a line's first byte to its last",             \
      "more where the network is very slow")                                                       \
    X(ping_ms, "ping_ms", 30000, 100, 3600000, "silence after which a peer is asked for life",     \
      "less where a router forgets idle connections")                                              \
    X(silence_ms, "silence_ms", 75000, 200, 7200000, "silence after which it is dropped",          \
      "more where the network is often away for a while")                                          \
    X(queue_guest, "queue_before_login", 4096, 256, 16777216,                                      \
      "bytes of output, beyond the one answer being written, that may wait before login: no "      \
      "more is read from it meanwhile",                                                            \
      "hardly: it bounds what a stranger can make the server hold")                                \
    X(queue_spectator, "queue", 131072, 256, 16777216,                                             \
      "the same after login; more, and it gets no events until it has caught up, and a "           \
      "fresh sync then",                                                                           \
      "more for spectators on slow lines, at the price of memory")                                 \
    X(queue_player, "queue_player", 262144, 256, 16777216, "the same of somebody who plays",       \
      "more for players on slow lines, at the price of memory")                                    \
    X(slow_ms, "slow_ms", 15000, 100, 3600000,                                                     \
      "one that is behind for so long and doesn't play is closed",                                 \
      "more for spectators on slow lines")                                                         \
    X(penalty_login_ms, "penalty_login_ms", 5000, 0, 3600000, "for a wrong password",              \
      "more against guessing, less where people forget theirs")                                    \
    X(penalty_hello_ms, "penalty_hello_ms", 1000, 0, 3600000,                                      \
      "for going, or speaking something else, without a hello", "more against scanners")           \
    X(penalty_grace_ms, "penalty_grace_ms", 10000, 0, 3600000,                                     \
      "for not logging in in time, or taking too long over a line",                                \
      "more against those who hold connections open")                                              \
    X(penalty_least_ms, "penalty_least_ms", 15000, 0, 3600000,                                     \
      "penalties of a source add up; from here on it is turned away", "higher to forgive more")    \
    X(penalty_most_ms, "penalty_most_ms", 600000, 1, 86400000, "and they grow no further",         \
      "higher to keep the hostile away for longer")                                                \
    X(penalty_sources, "penalty_sources", 65536, 1, 10000000,                                      \
      "sources remembered; while there are so many no other gets a penalty",                       \
      "more memory for longer lists of the hostile")

/* A field that is 0 has its default. */
struct limits {
#define X(field, key, preset, least, most, help, why) int64_t field;
    LIMITS_TABLE(X)
#undef X
};
/* Put the defaults in place of zeros. */
void limits_settle(struct limits *l);

#define IP_LEN     16 /* an IPv6 address, or an IPv4 one mapped into it */
#define SOURCE_LEN IP_LEN
/* A numeric address; false, and all zero, for a text that is none. */
bool limits_ip(const char *addr, uint8_t ip[IP_LEN]);
bool limits_is_v4(const uint8_t ip[IP_LEN]);
/*
 * The source that an address counts at: an IPv4 address (also one mapped into IPv6) by itself, an
 * IPv6 address by its first 64 bits. All zero for a text that is none.
 */
void limits_source(const char *addr, uint8_t source[SOURCE_LEN]);

/* ---- a connection's source ---- */

struct core;
struct conn;
struct addr;

/*
 * Count the new connection at its source. ERR_BUSY: there are enough, there or in all; ERR_RATE:
 * the source is being penalised, for *retry_ms; not counted then.
 */
NODISCARD enum err limits_enter(struct core *c, struct conn *cn, const char *addr,
                                int64_t *retry_ms);
/* It is gone, or has become one that logged in (and the other way round). */
void limits_leave(struct core *c, struct conn *cn);
void limits_logged_in(struct core *c, struct conn *cn);
void limits_logged_out(struct core *c, struct conn *cn);
/* Its source has misbehaved; nothing for a connection that isn't counted. */
void limits_penalise(struct core *c, struct addr *a, int64_t ms);
/* Work under way that may still penalise it holds it. */
struct addr *limits_hold(struct conn *cn);
void limits_let_go(struct core *c, struct addr *a);
/* A source's penalty has run out. */
void limits_timer(struct core *c, struct addr *a);

#endif
