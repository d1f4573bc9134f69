#!/bin/sh
# count.sh TESTLOG: the closing line of a run, from Meson's testlog.json (one test a line). An executable of doctest cases counts as
# its cases, and as one failure more if it failed although no case did (a crash, a sanitizer); any other test counts as one.
set -eu
[ -e "$1" ] || { echo "0 passed, 1 failed"; exit 0; }
awk '
  { result = $0; sub(/.*"result": "/, "", result); sub(/".*/, "", result) }
  result == "SKIP" { skipped++; next }
  {
    bad = result !~ /^(OK|EXPECTEDFAIL)$/
    if (match($0, /\[doctest\] test cases: *[0-9]+ \| *[0-9]+ passed \| *[0-9]+ failed/)) {
      split(substr($0, RSTART, RLENGTH), part, "|")
      passed += part[2]
      failed += part[3] + 0 > 0 ? part[3] + 0 : bad
    } else if (bad) { failed++ } else { passed++ }
  }
  END { printf "%d passed, %d failed", passed, failed; if (skipped) printf ", %d skipped", skipped; print "" }' "$1"
