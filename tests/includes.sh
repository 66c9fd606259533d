#!/bin/sh
# SPDX-License-Identifier: ISC
# Includes are written from the project root, a .c includes its own header first, and a header has
# a guard that is its own. Usage: includes.sh <root>
set -eu
cd "$1"
bad=0
say() {
  echo "includes: $1" >&2
  bad=1
}

for f in $(find common proto server client tests -name '*.[ch]' | sort); do
  # shellcheck disable=SC2013 # header names hold no blanks
  for wanted in $(sed -n 's/^#include "\(.*\)".*/\1/p' "$f"); do
    [ -f "$wanted" ] || say "$f includes \"$wanted\", which isn't there from the root"
  done
  case $f in
  *.h)
    guard=$(sed -n 's/^#ifndef \(SK_[A-Z0-9_]*_H\)$/\1/p' "$f" | head -n 1)
    if [ -z "$guard" ]; then
      say "$f has no SK_..._H guard"
    elif [ "$(grep -rlx --include='*.h' "#ifndef $guard" common proto server client tests | wc -l)" \
      -gt 1 ]; then
      say "$f shares its guard $guard"
    fi
    ;;
  *.c)
    own=${f%.c}.h
    first=$(sed -n 's/^#include ["<]\(.*\)[">].*/\1/p' "$f" | head -n 1)
    if [ -f "$own" ] && [ "$first" != "$own" ]; then
      say "$f doesn't include \"$own\" first"
    fi
    ;;
  esac
done
exit $bad
