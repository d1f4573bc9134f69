#!/bin/sh
# umbrella.sh ROOT: lacuna/lacuna.hpp brings every header of L0 to L4, and lacuna/nn.hpp every header of nn and train.
set -eu
cd "$1/include"
status=0
# brings UMBRELLA FOLDER...
brings() {
  umbrella=$1
  shift
  [ -e "$umbrella" ] || { echo "there is no $umbrella"; status=1; return; }
  for folder; do
    [ -d "lacuna/$folder" ] || continue
    for header in $(find "lacuna/$folder" -name '*.hpp'); do
      grep -qF "#include \"$header\"" "$umbrella" || { echo "$umbrella does not include $header"; status=1; }
    done
  done
}
brings lacuna/lacuna.hpp core concepts rank order draw remask problems sample mi likelihood
brings lacuna/nn.hpp nn train
exit $status
