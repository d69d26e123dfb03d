#!/usr/bin/env bash
# Every public header compiles alone, as C17 and as C++17, without a warning; every private one as C17.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
warnings="-Wall -Wextra -Wpedantic -Werror"
includes="-I include"
failed=0

compile() # LANGUAGE HEADER
{
    local source="$folder/alone.$1"
    printf '#include "%s"\n#include "%s"\nextern int something;\n' "$2" "$2" >"$source"
    # shellcheck disable=SC2086
    case $1 in
    c) "$CC" -std=c17 $warnings $includes -fsyntax-only "$source" ;;
    cpp) "$CXX" -std=c++17 $warnings $includes -fsyntax-only "$source" ;;
    esac
}

expect() # LANGUAGE HEADER
{
    compile "$1" "$2" || {
        echo "$2 does not compile alone as $1"
        failed=1
    }
}

[ -n "${CC:-}" ] || { echo "CC is not set" && exit 77; }

echo 'typedef size_t dr_lonely;' >"$folder/lonely.h"
if compile c "$folder/lonely.h" 2>/dev/null; then
    echo "a header that lacks an include was not noticed"
    exit 1
fi

count=0
for header in include/drench/*.h; do
    expect c "drench/$(basename "$header")"
    [ -z "${CXX:-}" ] || expect cpp "drench/$(basename "$header")"
    count=$((count + 1))
done
includes="-I include -I src"
for header in src/*/*.h; do
    expect c "${header#src/}"
    count=$((count + 1))
done
echo "$count headers"
[ "$count" -gt 0 ] || failed=1
exit $failed
