#!/bin/sh
# layers.sh ROOT: a header includes its own folder and lower layers only; Eigen and nlohmann-json stay with those who pay for them.
# layers_control.sh shows that each rule can fail.
set -eu
cd "$1/include/lacuna"
find . -name '*.hpp' | LC_ALL=C sort | xargs grep -EHn '^[[:space:]]*#[[:space:]]*include' /dev/null | awk '
  # Which folders a folder may include beside itself. nn and train read and write files through io, so io may not include them.
  BEGIN {
    below["core"] = ""
    below["concepts"] = "core"
    below["rank"] = below["problems"] = below["concepts"] " concepts"
    below["order"] = below["draw"] = below["remask"] = below["window"] = below["rank"] " rank"
    below["sample"] = below["order"] " order draw remask window problems"
    below["testing"] = below["mi"] = below["likelihood"] = below["sample"] " sample"
    below["io"] = below["lacuna.hpp"] = below["mi"] " mi likelihood"
    below["nn"] = below["io"] " io"
    below["train"] = below["nn"] " nn"
    below["nn.hpp"] = below["adapt"] = below["backend"] = below["train"] " train"
    split("io nn train adapt backend", names, " ")
    for (i in names) may_use_json[names[i]]
    may_use_eigen["nn"]; may_use_eigen["train"]
  }
  function bad(why) { print "include/lacuna/" file ":" line ": " why; failed = 1 }
  {
    match($0, /:[0-9]+:/)
    file = substr($0, 3, RSTART - 3)
    line = substr($0, RSTART + 1, RLENGTH - 2)
    folder = file; sub(/\/.*/, "", folder)
    included = $0; sub(/^[^"<]*["<]/, "", included); sub(/[">].*/, "", included)
    read++
    if (!(folder in below)) {
      bad("folder or header " folder " has no layer; give it one in tests/checks/layers.sh")
    } else if ($0 ~ /include[[:space:]]*"/ && included !~ /^lacuna\//) {
      bad("\"" included "\" is not of the form \"lacuna/folder/header.hpp\"")
    } else if (included ~ /^lacuna\//) {
      split(included, part, "/")
      if (part[2] != folder && index(" " below[folder] " ", " " part[2] " ") == 0)
        bad(folder " may not include " included)
    } else if (included ~ /^(unsupported\/)?Eigen\// && !(folder in may_use_eigen)) {
      bad("Eigen is for nn and train only")
    } else if (included ~ /^nlohmann\// && !(folder in may_use_json)) {
      bad("nlohmann-json is not for " folder ": someone who only decodes need not have it")
    }
  }
  END {
    if (read == 0) { print "no includes found"; failed = 1 }
    exit failed
  }'
