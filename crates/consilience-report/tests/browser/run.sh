#!/bin/sh
# Makes documents of invented runs, renders their pages with RENDER (the example of that name), and tests them in Chromium.
# Screenshots are left in target/screenshots.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
render=${RENDER:-$root/target/debug/examples/render}
work=$root/target/report
mkdir -p "$work/pages"

python3 "$here/../make_documents.py" "$work/documents"
# and one of a real run
"${CONSILIENCE:-$root/target/debug/consilience}" demo --report --force -o "$work/demo" > "$work/demo.txt" 2>&1
cp "$work/demo/report.json" "$work/documents/demo.json"
for document in "$work"/documents/*.json; do
    "$render" "$work/pages/$(basename "$document" .json).html" "$document"
done
"$render" "$work/pages/comparison.html" "$work/documents/digits.json" "$work/documents/digits_seed.json" "$work/documents/digits_average.json"
"$render" "$work/pages/same_files.html" "$work/documents/few_restarts.json" "$work/documents/many_restarts.json"
"$render" "$work/pages/unpaired.html" "$work/documents/plain.json" "$work/documents/five.json"
cd "$here"
PYTHONDONTWRITEBYTECODE=1 python3 -m unittest "$@"
