#!/bin/sh
# listed.sh LIST ROOT: fails when the source files of the tree are not those of LIST, which were configured.
set -eu
cd "$2"
sh tests/checks/list.sh . | diff "$1" - > /dev/null && exit 0
echo "The source files (>) are not those of the last configuration (<); run: meson setup --reconfigure BUILD_FOLDER"
sh tests/checks/list.sh . | diff "$1" - | grep '^[<>]'
exit 1
