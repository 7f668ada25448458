#!/bin/sh
# Makes target/app/: the engine as WebAssembly inside one page, consilience.html. Says plainly what is missing.
# Exits with 3 when the compiler has no target for WebAssembly and none can be added.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown

has_target() {
    ls "$(rustc --print sysroot)/lib/rustlib/$target/lib/"*core*.rlib >/dev/null 2>&1
}
if ! has_target; then
    if ! command -v rustup >/dev/null || ! rustup target add $target || ! has_target; then
        echo "make app: the compiler has no target $target and it cannot be added here; \`rustup target add $target\` needs the network" >&2
        exit 3
    fi
fi
if ! command -v node >/dev/null; then
    echo "make app: node is needed to put the page together; install Node.js 20 or later" >&2
    exit 1
fi
cargo build --locked -p consilience-web --target $target --profile web
node scripts/build_app.mjs "${CARGO_TARGET_DIR:-target}/$target/web/consilience_web.wasm" target/app
