#!/usr/bin/env bash
# The source distribution and the wheel for this kind of machine, into target/dist, as `make wheels` makes them.
#
# One wheel serves every CPython from 3.9 (abi3). On Linux it is linked by Zig against the symbols of glibc 2.17, the oldest that
# Rust itself supports, so that it is a manylinux2014 wheel whatever this machine runs; the binding links nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-wheels
.venv-wheels/bin/pip install --quiet --disable-pip-version-check "maturin==1.16.0" "ziglang==0.17.0" "twine==7.0.0"
bin="$PWD/.venv-wheels/bin" dist="$PWD/target/dist"
rm -rf "$dist"
"$bin/maturin" sdist --out "$dist"

# outside of this tree: nothing of it (files, settings of cargo, what was built before) may help
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
tar -xzf "$dist"/consilience-*.tar.gz -C "$empty" --strip-components 1
# not --locked: the lock file still names the crates of the workspace that the distribution leaves out, and cargo removes these; all
# versions stay
linux=()
if [ "$(uname)" = Linux ]; then linux=(--zig --compatibility manylinux2014); fi
(cd "$empty" && env -u CARGO_TARGET_DIR PATH="$bin:$PATH" "$bin/maturin" build --quiet --release "${linux[@]}" --out "$dist")
"$bin/twine" check --strict "$dist"/*

python3 -m venv "$empty/try"
"$empty/try/bin/pip" install --quiet --disable-pip-version-check "$dist"/*.whl
cd "$empty/try"
bin/python - <<'END'
from consilience import SLRMF, datasets, metrics

digits = datasets.load_digits()
found = metrics.accuracy(digits.target, SLRMF(10, random_state=0).fit_predict(digits.views))
assert found > 0.9, found
print(f"the wheel works: ACC {found:.3f} on the digits")
END
ls -l "$dist"
