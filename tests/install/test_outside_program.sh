#!/usr/bin/env bash
# An installed drench serves a program outside: through pkg-config and through find_package, shared and static, also after
# the installed tree was moved.
set -eu
[ -z "${DRENCH_SANITIZE:-}" ] || { echo "sanitized libraries are not for installing" && exit 77; }
outside=$PWD/tests/install/outside
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$CMAKE" --install "$DRENCH_BUILD" --prefix "$folder/first" >"$folder/log"
mv "$folder/first" "$folder/place"
place=$folder/place
library=$(dirname "$(find "$place" -name libdrench.so)")
export PKG_CONFIG_PATH=$library/pkgconfig

say() { echo "== $*"; }

say "pkg-config, shared"
# shellcheck disable=SC2046
"$CC" -std=c17 "$outside/main.c" $(pkg-config --cflags --libs drench) -o "$folder/shared"
LD_LIBRARY_PATH=$library "$folder/shared"
ldd "$folder/shared" | grep -q libdrench.so

say "pkg-config, static"
# shellcheck disable=SC2046
"$CC" -std=c17 "$outside/main.c" $(pkg-config --static --cflags --libs drench | sed 's/-ldrench/-l:libdrench.a/') \
    -o "$folder/static"
"$folder/static"

say "find_package"
"$CMAKE" -S "$outside" -B "$folder/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$place" >>"$folder/log"
"$CMAKE" --build "$folder/build" >>"$folder/log"
"$folder/build/with_shared"
"$folder/build/with_static"

if [ -n "${DRENCH:-}" ]; then
    say "the installed program"
    "$place/bin/drench" --version
fi

say "DESTDIR"
DESTDIR=$folder/package "$CMAKE" --install "$DRENCH_BUILD" --prefix /usr >>"$folder/log"
test -f "$folder/package/usr/include/drench/drench.h"
