# Sourced by run.sh, examples/quickstart.sh and .ci/run: what each part of the project needs, as package:proof, where the proof
# that a package need not be installed is a command or a file. `need LIST...` installs what is missing, or says what it is.
for_library='g++:g++ meson:meson ninja-build:ninja pkgconf:pkg-config
  libxtensor-dev:/usr/include/xtensor librandom123-dev:/usr/include/Random123
  libeigen3-dev:/usr/include/eigen3 nlohmann-json3-dev:/usr/include/nlohmann/json.hpp'
for_examples='libcli11-dev:/usr/include/CLI'
for_tests='cmake:cmake doctest-dev:/usr/include/doctest librapidcheck-dev:/usr/include/rapidcheck.h
  libopenmpi-dev:mpicxx openmpi-bin:mpirun'
for_benchmarks='libbenchmark-dev:/usr/include/benchmark libopenblas-dev:/usr/include/x86_64-linux-gnu/openblas-pthread'
for_ci='clang-14:clang++-14 libclang-rt-14-dev:/usr/lib/llvm-14/lib/clang/14.0.6/lib clang-format-14:clang-format-14'
for_clang19='clang-19:clang++-19'

need() {
  missing=
  for entry in $*; do
    case ${entry#*:} in
      /*) [ -e "${entry#*:}" ] || missing="$missing ${entry%%:*}" ;;
      *) command -v "${entry#*:}" > /dev/null || missing="$missing ${entry%%:*}" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  if ! command -v apt-get > /dev/null; then
    echo "Missing, by the names of Debian's packages:$missing" >&2
    echo "There is no apt-get here to install them with; please install them and run this again." >&2
    exit 1
  fi
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "Missing; as root, run: apt-get install --no-install-recommends$missing" >&2
      exit 1
    fi
    as_root="sudo"
  fi
  echo "Installing with apt-get:$missing"
  $as_root apt-get update -q
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
}
