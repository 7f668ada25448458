#!/bin/sh
# The engine as WebAssembly and its page: labels against the program's, damaged files, and the page in Chromium. Skipped, with the
# reason, where the compiler has no target for WebAssembly.
set -eu
cd "$(dirname "$0")/.."
tests=crates/consilience-web/tests

status=0
scripts/build_app.sh || status=$?
if [ $status -eq 3 ]; then
    echo "make test: the page in the browser is SKIPPED, because the compiler has no target for WebAssembly (see above)"
    exit 0
elif [ $status -ne 0 ]; then
    exit $status
fi
scripts/install_browser.sh
cargo build --locked --quiet -p consilience-cli
build=${CARGO_TARGET_DIR:-$PWD/target}
program=$build/debug/consilience
wasm=$build/wasm32-unknown-unknown/web/consilience_web.wasm
work=$PWD/target/app-test
mkdir -p "$work/fixtures"
python3 -m zipfile -e crates/consilience-io/tests/files.zip "$work/fixtures"
node $tests/labels.mjs "$wasm" "$program" "$work/labels"
node $tests/hostile.mjs "$wasm" "$work/fixtures"
CONSILIENCE=$program PYTHONDONTWRITEBYTECODE=1 python3 $tests/browser/test_app.py
