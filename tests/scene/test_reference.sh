#!/usr/bin/env bash
# docs/scene-reference.md is what the program generates from the field tables; `make docs` writes it anew.
set -eu
[ -n "${DRENCH:-}" ] || { echo "there is no program" && exit 77; }
"$DRENCH" generate scene-reference | diff docs/scene-reference.md -
