# SPDX-License-Identifier: ISC
# shellcheck shell=sh
# Sourced by the scripts that a person runs: what the system must have, and how to get it.
# Why each package is wanted: CONTRIBUTING.md.

# shellcheck disable=SC2034 # used by the scripts that source this
packages_build="gcc libc6-dev cmake ninja-build pkg-config libuv1-dev libsodium-dev libcjson-dev
  libsqlite3-dev libncurses-dev zlib1g-dev
  libinih-dev libssl-dev"
# shellcheck disable=SC2034
packages_test="libcmocka-dev python3 python3-jsonschema tmux prometheus scdoc mandoc man-db"
# shellcheck disable=SC2034
packages_package="debhelper dpkg-dev lintian scdoc systemd"
# shellcheck disable=SC2034
packages_fresh="debootstrap dpkg iproute2 util-linux git systemd-container"
# shellcheck disable=SC2034
packages_lint="git clang clang-format clang-tidy libclang-rt-14-dev llvm cppcheck shellcheck"

say() {
  printf '%s\n' "$*"
}

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# as_root <command>...: run it as root, through sudo when we aren't.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    die "This needs root, and there is no sudo: run as root: $*"
  fi
}

# need_packages <package>...: install those that are missing, say which; quick when none is.
need_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    die "This system has no dpkg. Install the counterparts of these by hand: $*"
  # shellcheck disable=SC2016 # dpkg's own variables
  _have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  _missing=
  for _package in "$@"; do
    printf '%s\n' "$_have" | grep -Fqx "$_package" || _missing="$_missing $_package"
  done
  [ -n "$_missing" ] || return 0
  say "Installing with apt:$_missing"
  as_root apt-get update -qq || die "apt-get update failed: is the network there?"
  # shellcheck disable=SC2086 # a list of names
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends $_missing </dev/null >/dev/null ||
    die "apt-get could not install$_missing"
}

# build_preset <preset>: configure and build it; run from the source root.
build_preset() {
  cmake --preset "$1" >/dev/null || die "cmake --preset $1 failed"
  cmake --build --preset "$1" || die "the $1 build failed"
}
