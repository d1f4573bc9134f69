#!/bin/sh
# umbrella.sh ROOT: lacuna/lacuna.hpp brings every header below io, nn and testing.
set -eu
cd "$1/include"
status=0
for folder in core concepts rank order draw remask problems sample mi likelihood; do
  [ -d "lacuna/$folder" ] || continue
  for header in $(find "lacuna/$folder" -name '*.hpp'); do
    grep -qF "#include \"$header\"" lacuna/lacuna.hpp || { echo "lacuna/lacuna.hpp does not include $header"; status=1; }
  done
done
exit $status
