#!/bin/sh
# label_mpi.sh PROGRAM [MPIRUN]: what `sudoku label` makes under mpirun is what one process makes, byte for byte, also when it was
# interrupted and goes on with another number of processes; an error of one process ends all and names it. Without MPIRUN the
# program is one without MPI: it refuses to be started by it. MPIRUN none: there is nothing to start it with.
set -eu
program=$1
mpirun=${2-}
[ "$mpirun" != none ] || { echo 'built with MPI, but there is no mpirun'; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "$1"
  cat said
  exit 1
}
said() { grep -q -e "$1" said || fail "expected: $1"; }

echo 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79 > puzzles.csv
"$program" train --steps 1 --batch 4 --width 8 --depth 1 --heads 4 --puzzles 20 --evaluate puzzles.csv --out net.safetensors \
  --ema 0 > said 2>&1 || fail 'no network'
arguments="label --weights net.safetensors --chunks 5 --rows 2"
label() { "$program" $arguments "$@" > said 2>&1; }

if [ -z "$mpirun" ]; then
  if OMPI_COMM_WORLD_SIZE=2 label --labels none; then fail 'started by mpirun, without MPI, it worked'; fi
  said 'sudoku: started by mpirun but built without MPI'
  [ ! -e none ] || fail 'it made labels'
  OMPI_COMM_WORLD_SIZE=2 label --labels part --part 4 --parts 5 || fail 'parts dealt out by hand were refused'
  [ "$(ls part)" = labels-000004.safetensors ] || fail 'another part was made'
  exit 0
fi

# Containers have few cores and one user. Open MPI keeps some of what it allocates.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_orte_base_help_aggregate=0 ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
processes() {
  count=$1
  shift
  "$mpirun" -np "$count" "$program" $arguments "$@" > said 2>&1
}
same() { diff -r alone "$1" > said 2>&1 || fail "$2 made other files than one process"; }

label --labels alone || fail 'one process failed'
[ "$(ls alone | wc -l)" -eq 5 ] || fail 'not five files'
processes 2 --labels two || fail 'two processes failed'
same two 'two processes'
rm two/labels-000000.safetensors two/labels-000003.safetensors
processes 3 --labels two || fail 'three processes failed to go on'
said 'part 1 of 3: 2 of 2 chunks'
same two 'three processes that went on'

# Killed as soon as a chunk is there; what it then was writing may be left beside the chunks.
"$mpirun" -np 2 "$program" $arguments --labels cut > said 2>&1 &
running=$!
until [ -n "$(ls cut 2> /dev/null)" ] || ! kill -0 $running 2> /dev/null; do sleep 0.02; done
kill $running 2> /dev/null || :
wait $running || :
label --labels cut || fail 'one process failed to go on'
rm -f cut/*.partial-*
same cut 'one process that went on'

if processes 2 --labels two --part 0; then fail '--part was taken under mpirun'; fi
said '--part and --parts: given under mpirun'
mkdir -p broken/labels-000001.safetensors
if processes 2 --labels broken; then fail 'an error in one process went unseen'; fi
said '^sudoku: rank 1 of 2: not a regular file "broken/labels-000001.safetensors"'
if grep -q 'rank 0 of 2' said; then fail 'the other process complained too'; fi
# Of other metadata than what is there. Both processes end the job; mpirun itself sometimes crashes when two do at once.
if processes 2 --labels two --epsilon 0.3; then fail 'labels of other metadata were taken'; fi
said 'metadata "sudoku.label.epsilon" is "1e-04", expected "0.3"'
