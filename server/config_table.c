/* SPDX-License-Identifier: ISC */
#include "server/config_impl.h"

static const char *const store_words[] = {"sqlite", "memory", NULL};
static const char *const register_words[] = {"open", "invite", "closed", NULL};
static const char *const level_words[] = {"error", "warn", "info", "debug", NULL};

#define AT(field) offsetof(struct config, field)
#define MILLION   1000000
/* A section's options stand together. */
const struct option config_option[] = {
    {"server", "listen", "listen", OPT_LISTEN, RESTART, AT(listen), 0, 0, NULL, "127.0.0.1:1962",
     "HOST:PORT to listen on; port 0 takes a free one; more than one: repeat, or separate by "
     "blanks",
     "to be reached from other machines; better by TLS, see [tls]: passwords are refused here"},
    {"server", "data", "data", OPT_PATH, RESTART, AT(data), 0, 0, NULL, NULL,
     "directory of everything that is kept: database, master key",
     "a service's data belongs into /var/lib; without it, $XDG_STATE_HOME/skirmishd or "
     "~/.local/state/skirmishd"},
    {"server", "motd", NULL, OPT_TEXT, NOW, AT(motd), 0, 0, NULL, "",
     "a line that every player is shown", "club nights, house rules, whom to ask"},
    {"server", "store", "store", OPT_WORD, RESTART, AT(store), 0, 0, store_words, "sqlite",
     "sqlite, or memory: nothing outlives the process (tests and benchmarks)",
     "never on a club's server"},
    {"accounts", "register", NULL, OPT_WORD, NOW, AT(registration), 0, 0, register_words, "open",
     "who may register an account: open (anybody), invite (who has an invite code) or closed",
     "a club of acquaintances wants invite; closed stops a flood of new names"},
    {"accounts", "vacation_days", NULL, OPT_INT, NOW, AT(vacation_days), 0, 366, NULL, "30",
     "days a member may stop correspondence clocks for, in a calendar year",
     "more where games are slow and nobody minds"},
    {"accounts", "guests_watch", NULL, OPT_BOOL, NOW, AT(guests_watch), 0, 0, NULL, "yes",
     "may guests look on at matches that they don't play in",
     "no, where a club's games are for its members' eyes"},
    {"archive", "after_s", "archive-after", OPT_INT, NOW, AT(archive_s), 0,
     (int64_t)10 * 365 * 86400, NULL, "3600",
     "seconds from a match's end until it leaves memory and database for the archive",
     "less on a busy server, to keep memory and database small; archived matches are served as "
     "before"},
    {"backup", "directory", NULL, OPT_PATH, NOW, AT(backup_dir), 0, 0, NULL, NULL,
     "where SIGUSR1 puts a backup (a copy of the database, made while people play)",
     "to have backups; another disk is better"},
    {"backup", "keep", NULL, OPT_INT, NOW, AT(backup_keep), 0, MILLION, NULL, "14",
     "how many backups stay there, the newest; 0: all of them",
     "as many as there is room for; 0 where something else removes them"},
    {"bots", "recruit", NULL, OPT_TEXT, RESTART, AT(bots_recruit), 0, 0, NULL, "",
     "names of house bots that play as recruits, separated by blanks",
     "members who come alone have an easy opponent: these take every challenge"},
    {"bots", "sergeant", NULL, OPT_TEXT, RESTART, AT(bots_sergeant), 0, 0, NULL, "",
     "the same, of sergeants", "a fair opponent"},
    {"bots", "captain", NULL, OPT_TEXT, RESTART, AT(bots_captain), 0, 0, NULL, "",
     "the same, of captains", "a hard one; each of its phases takes 0.2 s of one core"},
    {"bots", "program", NULL, OPT_PATH, RESTART, AT(bots_program), 0, 0, NULL, NULL,
     "the client that they are played by", "where skirmish isn't beside skirmishd"},
    {"log", "level", "log-level", OPT_WORD, NOW, AT(log_level), 0, 0, level_words, "info",
     "error, warn, info or debug", "debug shows each connection, to look into a trouble"},
    {"log", "json", "log-json", OPT_BOOL, NOW, AT(log_json), 0, 0, NULL, "no",
     "a JSON object a line instead of text", "where machines read the log"},
    {"metrics", "listen", NULL, OPT_LOCAL, RESTART, AT(metrics), 0, 0, NULL, NULL,
     "where Prometheus finds figures (GET /metrics): 127.0.0.1:PORT, [::1]:PORT, or the path of a "
     "UNIX socket",
     "to see load and trouble coming; never reachable from other machines, for it isn't encrypted"},
#define X(field, key, preset, least, most, help, why)                                              \
    {"limits", key, NULL, OPT_INT, NOW, AT(limits.field), least, most, NULL, #preset, help, why},
    LIMITS_TABLE(X)
#undef X
        {"limits", "loopback", NULL, OPT_BOOL, NOW, AT(limit_loopback), 0, 0, NULL, "no",
         "hold connections from this machine to the limits against hostility too",
         "others have accounts on this machine; not with a proxy in front, whose address is "
         "everybody's"},
    {"tls", "listen", "listen-tls", OPT_LISTEN_TLS, RESTART, AT(listen), 0, 0, NULL, NULL,
     "HOST:PORT to listen on for TLS (skirmishs://); like listen",
     "for everybody who isn't on this machine"},
    {"tls", "cert", "tls-cert", OPT_PATH, NOW, AT(cert), 0, 0, NULL, NULL,
     "PEM file with the certificate, those that sign it behind it; read again at SIGHUP",
     "with one that an authority signed players need no fingerprint"},
    {"tls", "key", "tls-key", OPT_PATH, NOW, AT(key), 0, 0, NULL, NULL,
     "PEM file with its key; read again at SIGHUP", "goes with cert"},
    {"tls", "selfsign", "selfsign", OPT_BOOL, RESTART, AT(selfsign), 0, 0, NULL, "no",
     "without cert and key: make a self-signed certificate in the data directory, once",
     "TLS without an authority: the log shows the fingerprint to give to players"},
    {"tls", "by_proxy", NULL, OPT_BOOL, NOW, AT(trust_plain), 0, 0, NULL, "no",
     "a proxy in front ends TLS: take passwords on plain connections from other machines too",
     "only where the way from the proxy is private"},
};
const size_t config_n_options = ARRAY_LEN(config_option);
_Static_assert(ARRAY_LEN(config_option) <= OPTIONS_MAX, "more options than places");
