#!/usr/bin/env bash
# The second compiler has nothing to say either: clang with the project's warnings over every file, with the optional parts.
set -eu
clang=$(command -v clang-14 || command -v clang) || { echo "no clang" && exit 77; }
flags="-std=c17 -fsyntax-only -march=x86-64-v3 -Wall -Wextra -Wpedantic -Wconversion -Werror -I include -I src -I app"
[ ! -e /usr/include/civetweb.h ] || flags="$flags -DDR_HAVE_CIVETWEB"
for part in FYAML:libfyaml HDF5:hdf5; do
    if pkg-config --exists "${part#*:}"; then
        flags="$flags -DDR_HAVE_${part%:*} $(pkg-config --cflags "${part#*:}")"
    fi
done
[ "$(uname -m)" = x86_64 ] || flags=${flags/-march=x86-64-v3/}
# shellcheck disable=SC2086
find src app examples -name '*.c' -print0 2>/dev/null | xargs -0 -n 4 -P 2 "$clang" $flags
