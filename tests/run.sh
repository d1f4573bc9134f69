#!/bin/sh
# sh tests/run.sh [MESON OPTION...]: installs what is missing, builds into build/ and runs every test. Can be run again at once.
# BUILD=folder builds elsewhere, CXX=compiler (for a new folder) with another compiler, SUITES='--suite cases' runs some tests only.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
build=${BUILD:-build}

need $for_library $for_examples $for_tests
echo "Building into $build/"
reconfigure=
[ ! -e "$build/build.ninja" ] || reconfigure=--reconfigure
said=$(meson setup $reconfigure "$build" "$@" 2>&1) || { echo "$said"; exit 1; }
log=$build/meson-logs/testlog.json
rm -f "$log"
status=0
meson compile -C "$build" --ninja-args=-k0 && meson test -C "$build" --no-rebuild --print-errorlogs ${SUITES-} || status=$?
sh tests/checks/count.sh "$log"
exit $status
