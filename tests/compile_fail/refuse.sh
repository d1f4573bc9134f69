#!/bin/sh
# refuse.sh FILE COMPILER...: each compiler accepts FILE with -DFIXED; without, it refuses FILE and says what the file expects:
#   // expect: REGEX          from every compiler
#   // expect-gcc: REGEX      from g++
#   // expect-clang: REGEX    from clang
# (extended regular expressions, matched within a line; several lines must all be found).
set -eu
file=$1
shift
include=$(cd "$(dirname "$0")/../../include" && pwd)
eigen=$(pkg-config --cflags-only-I eigen3 2> /dev/null || true)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for cxx; do
  case $("$cxx" --version) in *clang*) family=clang ;; *) family=gcc ;; esac
  compile() { "$cxx" -std=c++20 -Wall -Wextra -fsyntax-only -I "$include" $eigen "$@" "$file" 2> "$work/said"; }
  fail() { echo "$file, $cxx: $1"; sed 's/^/    /' "$work/said" | head -n 60; status=1; }

  compile -DFIXED || { fail "the corrected case does not compile"; continue; }
  if compile; then fail "the mistake compiles"; continue; fi
  sed -nE "s,^// expect(-$family)?: *,,p" "$file" > "$work/expected"
  [ -s "$work/expected" ] || fail "there is no line '// expect-$family: REGEX'"
  while read -r expected; do
    grep -qE -e "$expected" "$work/said" || fail "does not say '$expected', but:"
  done < "$work/expected"
done
exit $status
