#!/bin/sh
# SPDX-License-Identifier: ISC
# Fail if a file includes a header that its layer may not see. Usage: layering.sh <root>
set -eu
cd "$1"
bad=0

# check <dir> <allowed project prefixes, regex> <banned system headers, regex>
check() {
  [ -d "$1" ] || return 0
  out=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' "$1" |
    grep -Ev "include[[:space:]]*\"($2)" || true)
  sys=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<($3)" --include='*.[ch]' "$1" ||
    true)
  [ -z "$out$sys" ] && return 0
  printf 'layering: %s may not include\n%s%s\n' "$1" "$out${out:+
}" "$sys" >&2
  bad=1
}

world='uv|sqlite3|openssl/|n?curses|sys/socket|netinet/|arpa/|netdb|unistd|fcntl|pthread|signal'
pure="$world|stdio|time|sys/|errno"
check common/base    'common/base/' 'uv|cjson|sqlite3|n?curses'
check common/rules   'common/(base/(util|err|sha256)|rules/)' "$pure|cjson|stdlib|math"
check common/dice    'common/(base|dice)/' "$pure|cjson|math"
check common/tls     'common/(base|tls)/' 'uv|cjson|sqlite3|n?curses'
check proto          '(common|proto)/' "$world"
check server/core    '(common|proto|server/core)/' "$pure|cjson|sodium/randombytes"
check server         '(common|proto|server)/' 'cjson|n?curses'
check client         '(common|proto|client)/' 'cjson|sqlite3'
# OpenSSL: where TLS is made of it, and nowhere else
tls=$(grep -rlE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<openssl/' --include='*.[ch]' \
  common proto server client | grep -Ev '^(server/shell/(tls|selfsign)\.c|client/tls\.c|common/tls/tls_memory\.[ch]|common/base/sha256\.c)$' || true)
if [ -n "$tls" ]; then
  printf 'layering: these may not include OpenSSL\n%s\n' "$tls" >&2
  bad=1
fi
exit $bad
