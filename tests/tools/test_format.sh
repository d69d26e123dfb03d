#!/usr/bin/env bash
# Every C file is as clang-format 14 writes it with .clang-format.
set -eu
case ${CLANG_FORMAT:-} in "" | *-NOTFOUND) echo "no clang-format" && exit 77 ;; esac
"$CLANG_FORMAT" --version | grep -q ' 14\.' || { echo "not clang-format 14" && exit 77; }
find include src app tests examples \( -name '*.c' -o -name '*.h' \) -print0 2>/dev/null |
    xargs -0 "$CLANG_FORMAT" --dry-run --Werror
