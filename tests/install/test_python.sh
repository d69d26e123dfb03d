#!/usr/bin/env bash
# After `make install` into a prefix the Python examples run: module and library are found from their own place, also after the tree was moved.
set -eu
[ -z "${DRENCH_SANITIZE:-}" ] || { echo "a sanitized library cannot be loaded into Python" && exit 77; }
[ -n "${PYTHON:-}" ] || { echo "there is no Python (Debian package python3)" && exit 77; }
"$PYTHON" -c "import numpy" 2>/dev/null || { echo "numpy is not installed (Debian package python3-numpy)" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$CMAKE" --install "$DRENCH_BUILD" --prefix "$folder/first" >"$folder/log"
mv "$folder/first" "$folder/place"
examples=$(dirname "$(find "$folder/place" -name pour.py)")
PYTHONPATH=$(dirname "$(find "$folder/place" -path '*dist-packages/drench')")
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
cd "$folder"

"$PYTHON" -c "
import drench
assert drench.__file__.startswith('$folder/place/'), drench.__file__
maps = open('/proc/self/maps').read()
assert '$folder/place/' in maps and 'libdrench.so' in maps"
features=$("$PYTHON" -c "import drench; print(drench.features()['yaml'] and drench.features()['hdf5'])")
[ "$features" = True ] || { echo "this build cannot read scenes or write frames" && exit 77; }

"$PYTHON" "$examples/pour.py" "$folder/pour.png" | tee "$folder/out"
grep -q "the force is drawn in $folder/pour" "$folder/out"
test -s "$(sed -n 's/the force is drawn in //p' "$folder/out")"
"$PYTHON" "$examples/heights.py" "$folder/results" | tail -n 2
"$PYTHON" "$examples/droop.py" | grep -q "radius  20 um"
