#!/bin/sh
# readme.sh ROOT COMPILER: the first ```cpp block of the README compiles and prints the ```text block that follows it, and the
# README is at most 150 lines long. The options with which it installs the library are those that consumers/run.sh proves.
set -eu
root=$1 cxx=$2
[ -e "$root/README.md" ] || { echo "there is no README.md"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l < "$root/README.md")
[ "$lines" -le 150 ] || { echo "README.md has $lines lines, 150 are allowed"; exit 1; }
options=$(sed -n 's/.*`meson setup build \(-[^&]*\) && meson install.*/\1/p' "$root/README.md")
[ -n "$options" ] && grep -qxF "  meson setup \"\$work/lacuna\" \"\$root\" --prefix \"\$work/prefix\" $options" "$root/tests/consumers/run.sh" ||
  { echo "README.md installs with \"$options\", tests/consumers/run.sh with other options"; exit 1; }
awk -v work="$work" '
  /^```/ && out { close(out); out = ""; next }
  /^```cpp$/ && !code { out = code = work "/program.cpp"; next }
  /^```text$/ && code && !said { out = said = work "/expected"; next }
  out { print > out }' "$root/README.md"
[ -s "$work/program.cpp" ] || { echo "README.md has no \`\`\`cpp block"; exit 1; }
[ -s "$work/expected" ] || { echo "README.md has no \`\`\`text block after its \`\`\`cpp block"; exit 1; }
"$cxx" -std=c++20 -O1 -Wall -Wextra -I "$root/include" "$work/program.cpp" -o "$work/program"
"$work/program" > "$work/printed"
diff -u "$work/expected" "$work/printed"
