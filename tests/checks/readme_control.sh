#!/bin/sh
# readme_control.sh ROOT COMPILER: readme.sh finds each mistake in a small wrong README, and none in a right one.
set -eu
readme=$1/tests/checks/readme.sh cxx=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/lacuna"
echo 'namespace lacuna { using token = int; }' > "$tree/include/lacuna/lacuna.hpp"
status=0

# verdict EXPECTED WHAT: what readme.sh must say to the README at its input.
verdict() {
  cat > "$tree/README.md"
  if sh "$readme" "$tree" "$cxx" > "$tree/said" 2>&1; then got=accepted; else got=refused; fi
  [ "$got" = "$1" ] || { echo "$2: $got, expected $1"; cat "$tree/said"; return 1; }
}
# block KIND LINE...: a fenced block.
block() { kind=$1; shift; printf '```%s\n' "$kind"; printf '%s\n' "$@"; printf '```\n\nwords\n\n'; }
program() { block cpp '#include <cstdio>' 'int main() { std::puts("six"); }'; }

{ program; block text six; block c++ 'lacuna::token t;'; block sh 'make it'; } |
  verdict accepted "a README without mistakes" || status=1
{ program; block sh 'make it'; block text six; } | verdict accepted "output behind another block" || status=1
{ program; block text six; program; } | verdict accepted "a second program without output" || status=1
{ block sh 'make it'; } | verdict refused "a README without a program" || status=1
{ program; } | verdict refused "a first program without output" || status=1
{ program; block text seven; } | verdict refused "a program that prints something else" || status=1
{ program; block text six; block c++ 'lacuna::tokken t;'; } | verdict refused "a part that does not compile" || status=1
{ program; block text six; block cpp 'int main() { return nothing; }'; } |
  verdict refused "a second program that does not compile" || status=1
{ program; block text six; program; block text seven; } |
  verdict refused "a second program that prints something else" || status=1
{ program; block text six; block cpp 'int x;'; block text six; } |
  verdict refused "output of something that is no program" || status=1
{ block cpp '#include <cstdio>' 'int main() { std::puts("six"); return 1; }'; block text six; } |
  verdict refused "a program that fails" || status=1
{ program; block text six; seq 150; } | verdict refused "a README of more than 150 lines" || status=1
exit $status
