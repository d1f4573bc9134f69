#!/bin/sh
# run.sh ROOT KIND COMPILER: builds and runs the two programs here the way KIND of project would use lacuna:
# meson (subproject), pkgconfig, cmake (both installed first, to a prefix of their own) or plain (-I).
set -eu
root=$1 kind=$2
export CXX="$3"
here=$root/tests/consumers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install() {
  meson setup "$work/lacuna" "$root" --prefix "$work/prefix" -Dtests=false -Dexamples=false
  meson install --quiet -C "$work/lacuna"
}

mkdir "$work/build"
case $kind in
  meson)
    mkdir -p "$work/project/subprojects"
    cp "$here/meson/meson.build" "$here/decode.cpp" "$here/transformer.cpp" "$work/project"
    ln -s "$root" "$work/project/subprojects/lacuna"
    meson setup "$work/build" "$work/project"
    meson compile -C "$work/build"
    ;;
  pkgconfig)
    install
    export PKG_CONFIG_PATH="$work/prefix/share/pkgconfig"
    $CXX -std=c++20 $(pkg-config --cflags lacuna) "$here/decode.cpp" -o "$work/build/decode" $(pkg-config --libs lacuna)
    $CXX -std=c++20 $(pkg-config --cflags lacuna-nn) "$here/transformer.cpp" -o "$work/build/transformer" \
      $(pkg-config --libs lacuna-nn)
    ;;
  cmake)
    install
    cmake -G Ninja -S "$here/cmake" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
    cmake --build "$work/build"
    ;;
  plain)
    $CXX -std=c++20 -I "$root/include" "$here/decode.cpp" -o "$work/build/decode"
    $CXX -std=c++20 -I "$root/include" $(pkg-config --cflags eigen3) "$here/transformer.cpp" -o "$work/build/transformer" -pthread
    ;;
esac
"$work/build/decode"
"$work/build/transformer"
