#!/bin/sh
# list.sh ROOT: every source file of the tree, sorted.
set -eu
cd "$1"
find include tests examples benchmarks -name '*.hpp' -o -name '*.cpp' | LC_ALL=C sort
