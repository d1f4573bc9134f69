#!/bin/sh
# sh examples/quickstart.sh: installs what is missing, builds the Sudoku example into build-quickstart/ and decodes puzzles with
# the model that ships with it: one grid filling in, then a table of samplers. Can be run again at once.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
build=build-quickstart

need $for_library $for_examples
echo "Building the Sudoku example into $build/"
reconfigure=
[ ! -e $build/build.ninja ] || reconfigure=--reconfigure
said=$(meson setup $reconfigure $build -Dtests=false 2>&1) || { echo "$said"; exit 1; }
meson compile -C $build sudoku
echo
exec $build/examples/sudoku decode --count 100 \
  --sampler sequential \
  --sampler top_k:rank=confidence,k=4 \
  --sampler top_k:rank=confidence,k=8 \
  --sampler threshold:tau=0.9 \
  --sampler entropy_bound:gamma=0.2
