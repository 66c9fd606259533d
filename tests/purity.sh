#!/bin/sh
# SPDX-License-Identifier: ISC
# Fail if a pure library calls the outside world or holds writable data.
# Usage: purity.sh rules <libsk_rules.a>
#        purity.sh core <libsk_core.a> <the project's other archives it may call>...
# Meaningful only without sanitizers and coverage, whose calls and counters are everywhere.
set -eu
kind=$1
shift
archive=$1

memory='(__)?mem(cpy|set|move|cmp|chr)(_chk)?|abort|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_'
case $kind in
rules)
  # The project's words are check_failed and sha256 (libcrypto's): the engine
  # stands on nothing else.
  others=
  extern="check_failed|sha256(_[a-z]+)?|$memory"
  ;;
core)
  # Any function of ours but the few in common/base that touch the world; comparing and
  # measuring strings is reading memory.
  others=$*
  extern="str(n?len|n?cmp|r?chr|n?casecmp)|sodium_mem(cmp|zero)"
  extern="$extern|crypto_auth_hmacsha256(_[a-z]+)?|$memory"
  # Ratings alone are real numbers.
  extern="$extern|exp|log|sqrt"
  ;;
*)
  echo "usage: purity.sh rules|core <archive>..." >&2
  exit 2
  ;;
esac
world='^(mono_now|wall_now|log_[a-z_]+|buf_read_file)$'

wanted=$(nm -u "$archive" | awk '$1 == "U" {print $2}' | sort -u)
[ -n "$(nm "$archive" | awk '$2 == "T"')" ] || { echo "$archive: no functions" >&2; exit 2; }
# shellcheck disable=SC2086 # a list of paths
ours=$(nm -g --defined-only "$archive" $others | awk 'NF == 3 {print $3}' | grep -Ev "$world" |
  sort -u)
calls=$(printf '%s\n' "$wanted" | grep -Evx "$extern" | grep -Fvx "$ours" || true)
data=$(nm -f sysv "$archive" |
  awk -F'|' '$7 ~ /^ *(\.t?(data|bss)|\*COM\*)/ && $7 !~ /^ *\.data\.rel\.ro/ {print $1}')
[ -z "$calls$data" ] && exit 0
echo "impure $kind: calls: ${calls:-none}; writable: ${data:-none}" | tr '\n' ' ' >&2
echo >&2
exit 1
