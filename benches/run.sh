#!/usr/bin/env bash
# Ours and the Python peers on the same arrays, one after the other on one machine; prints ratios, writes docs/benchmarks.md.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv-bench
if [ ! -x $venv/bin/python ]; then python3 -m venv $venv; fi
$venv/bin/pip install --quiet --disable-pip-version-check -r benches/requirements.txt
peers=.venv-peers
if [ ! -x $peers/bin/python ]; then python3 -m venv $peers; fi
$peers/bin/pip install --quiet --disable-pip-version-check --no-deps -r benches/requirements-peers.txt
cargo build --release --locked --workspace --example neighbours
$venv/bin/python benches/compare.py "$@"
exec $venv/bin/python benches/scale.py
