#!/usr/bin/env bash
# Without libfyaml, HDF5, zlib and civetweb the library and the program still build, without a warning, and the program says what it lacks.
set -eu
[ -z "${DRENCH_SANITIZE:-}" ] || { echo "the same under sanitizers" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$CMAKE" -S . -B "$folder" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DDRENCH_YAML=OFF -DDRENCH_HDF5=OFF -DDRENCH_CIVETWEB=OFF -DDRENCH_EMBREE=OFF -DDRENCH_PNG=OFF -DDRENCH_ZLIB=OFF -DDRENCH_TESTS=OFF -DDRENCH_WERROR=ON >"$folder/log" 2>&1 ||
    { cat "$folder/log" && exit 1; }
test "$(grep -c 'switched off' "$folder/log")" = 6
"$CMAKE" --build "$folder" --parallel 2 >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }

[ -n "${DRENCH:-}" ] || exit 0
"$folder/drench" --version
status=0
"$folder/drench" check scenes/first/*.yaml >"$folder/out" 2>&1 || status=$?
test $status != 0
grep -i -e libfyaml -e yaml "$folder/out"
