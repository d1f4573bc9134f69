#!/bin/sh
# readme.sh ROOT COMPILER: every C++ block of the README compiles, and what a ```text block behind one
# shows is what it prints. A block without a main stands behind the umbrella header. The README is at most 150 lines long, and the
# options with which it installs the library are those that consumers/run.sh proves. readme_control.sh shows that rules can fail.
set -eu
root=$1 cxx=$2
[ -e "$root/README.md" ] || { echo "there is no README.md"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l < "$root/README.md")
[ "$lines" -le 150 ] || { echo "README.md has $lines lines, 150 are allowed"; exit 1; }
if grep -q 'meson install' "$root/README.md"; then
  options=$(sed -n 's/.*`meson setup build \(-[^&]*\) && meson install.*/\1/p' "$root/README.md")
  [ -n "$options" ] && grep -qxF "  meson setup \"\$work/lacuna\" \"\$root\" --prefix \"\$work/prefix\" $options" "$root/tests/consumers/run.sh" ||
    { echo "README.md installs with \"$options\", tests/consumers/run.sh with other options"; exit 1; }
fi
awk -v work="$work" '
  /^```/ && out { close(out); out = ""; next }
  /^```(cpp|c\+\+)$/ { out = work "/" ++blocks ".cpp"; next }
  /^```text$/ && blocks > shown { shown = blocks; out = work "/" blocks ".expected"; next }
  /^```/ { out = "/dev/null"; next }
  out { print > out }' "$root/README.md"
[ -s "$work/1.cpp" ] || { echo "README.md has no \`\`\`cpp block"; exit 1; }
[ -s "$work/1.expected" ] || { echo "README.md has no \`\`\`text block after its first \`\`\`cpp block"; exit 1; }

status=0
for block in "$work"/*.cpp; do
  name=${block%.cpp} number=$(basename "$block" .cpp)
  if grep -q '^int main(' "$block"; then
    "$cxx" -std=c++20 -O1 -Wall -Wextra -I "$root/include" "$block" -o "$name.program" ||
      { echo "C++ block $number of README.md does not compile"; status=1; continue; }
    [ -e "$name.expected" ] || continue
    "$name.program" > "$name.printed" || { echo "the program in C++ block $number of README.md fails"; status=1; }
    diff -u "$name.expected" "$name.printed" || { echo "C++ block $number of README.md prints something else"; status=1; }
  else
    { echo '#include "lacuna/lacuna.hpp"'; cat "$block"; } > "$name.part.cc"
    "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -I "$root/include" "$name.part.cc" ||
      { echo "C++ block $number of README.md does not compile"; status=1; }
    [ ! -e "$name.expected" ] || { echo "C++ block $number of README.md has output but no main"; status=1; }
  fi
done
exit $status
