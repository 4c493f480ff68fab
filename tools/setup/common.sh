# Sourced by quickstart and check: messages, timed steps, Debian packages. Needs bash and nothing else.
# shellcheck shell=bash

setup_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly setup_dir

say() { printf '%s\n' "$*"; }

# fail WHAT_HAPPENED WHAT_TO_DO
fail() {
  printf '%s: error: %s\n  %s\n' "$(basename "$0")" "$1" "$2" >&2
  exit 1
}

# The package names of a list file, without comments.
packages_of() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$setup_dir/$1"; }

installed() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

# install_packages LIST: installs what of the list is missing, and asks apt only then.
install_packages() {
  command -v dpkg-query >/dev/null ||
    fail "this is not a Debian system" "install the equivalents of tools/setup/$1 by hand and set SMREPLAY_NO_APT=1"
  local missing=() name
  while read -r name; do
    installed "$name" || missing+=("$name")
  done < <(packages_of "$1")
  if [ ${#missing[@]} -eq 0 ]; then
    say "  all packages of tools/setup/$1 are installed"
    return
  fi
  say "  to install: ${missing[*]}"
  [ -z "${SMREPLAY_NO_APT:-}" ] || fail "packages are missing and SMREPLAY_NO_APT is set" "install: ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and you are not root" "as root: apt-get install ${missing[*]}"
    root=(sudo)
  fi
  local log
  log="$(mktemp)"
  export DEBIAN_FRONTEND=noninteractive
  if ! { "${root[@]}" apt-get update -qq && "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    fail "apt could not install the packages (log: $log)" "check the network and /etc/apt, then run this again"
  fi
  rm -f "$log"
}

# timed NAME COMMAND...: runs the command, says what it does and how long it took; returns the command's status.
timed() {
  local name="$1" start=$SECONDS status=0
  shift
  say "== $name"
  "$@" || status=$?
  local seconds=$((SECONDS - start))
  step_names+=("$name")
  step_seconds+=("$seconds")
  step_status+=("$status")
  say "== $name: $([ "$status" -eq 0 ] && echo done || echo FAILED) in ${seconds} s"
  return "$status"
}
step_names=()
step_seconds=()
step_status=()

compiler_is_recent() {
  local compiler="${CXX:-g++}" major
  command -v "$compiler" >/dev/null || fail "no C++ compiler ($compiler)" "install g++ (GCC 12 or later) or set CXX"
  major="$("$compiler" -dumpversion | cut -d. -f1)"
  [ "$major" -ge 12 ] || fail "$compiler is GCC $major" "GCC 12 or later is needed (C++20): install g++-12 and set CXX=g++-12"
}

# A build folder that was configured elsewhere (a moved or copied clone) is configured anew.
fresh_build_folder() {
  local cache="$1/CMakeCache.txt"
  if [ -f "$cache" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$2" "$cache"; then
    rm -rf "$cache" "$1/CMakeFiles"
  fi
}
