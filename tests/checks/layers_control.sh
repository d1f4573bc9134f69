#!/bin/sh
# layers_control.sh ROOT: in small wrong trees, layers.sh finds each mistake; in a right one, none.
set -eu
layers=$1/tests/checks/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
status=0

# verdict EXPECTED FILE INCLUDE: what layers.sh must say to a tree where FILE alone has this include.
verdict() {
  rm -rf "$tree/include"
  mkdir -p "$tree/include/lacuna/$(dirname "$2")"
  echo "#include $3" > "$tree/include/lacuna/$2"
  if sh "$layers" "$tree" > "$tree/said"; then got=accepted; else got=refused; fi
  [ "$got" = "$1" ] || { echo "$2 with $3 was $got, expected $1"; cat "$tree/said"; status=1; }
}
verdict accepted order/a.hpp '"lacuna/rank/b.hpp"'
verdict accepted order/a.hpp '"lacuna/order/b.hpp"'
verdict accepted nn/a.hpp '"lacuna/io/b.hpp"'
verdict accepted train/a.hpp '<Eigen/Core>'
verdict accepted sample/a.hpp '<vector>'
verdict refused core/a.hpp '"lacuna/concepts/b.hpp"'
verdict refused rank/a.hpp '"lacuna/order/b.hpp"'
verdict refused order/a.hpp '"lacuna/draw/b.hpp"'
verdict refused sample/a.hpp '"lacuna/nn/b.hpp"'
verdict refused io/a.hpp '"lacuna/nn/b.hpp"'
verdict refused nn/a.hpp '"lacuna/train/b.hpp"'
verdict refused testing/a.hpp '"lacuna/lacuna.hpp"'
verdict refused lacuna.hpp '"lacuna/nn/b.hpp"'
verdict refused sample/a.hpp '<Eigen/Core>'
verdict refused core/a.hpp '<unsupported/Eigen/FFT>'
verdict refused sample/a.hpp '<nlohmann/json.hpp>'
verdict refused order/a.hpp '"b.hpp"'
verdict refused order/a.hpp '"../rank/b.hpp"'
verdict refused elsewhere/a.hpp '<vector>'
exit $status
