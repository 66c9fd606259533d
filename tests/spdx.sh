#!/bin/sh
# SPDX-License-Identifier: ISC
# Fail if a source file doesn't name its licence in its first lines. Usage: spdx.sh <root>
# Data, documents and the licence itself are left out: they have no comments, or no need.
set -eu
cd "$1"
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "no git checkout: skipped"; exit 77; }
bad=$(git ls-files | grep -Ev '\.(json|jsonl|md|txt|svg|png|gif|cast|gz)$|^LICENSE$' |
  grep -Ev '^(tests/(.*/)?(corpus|golden)|proto/golden|deploy/debian)/' |
  while IFS= read -r f; do
    [ -f "$f" ] || continue
    head -n 5 -- "$f" | grep -q 'SPDX-License-Identifier: ISC' || printf '%s\n' "$f"
  done)
[ -z "$bad" ] && exit 0
printf 'no SPDX-License-Identifier: ISC in\n%s\n' "$bad" >&2
exit 1
