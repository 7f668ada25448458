#!/usr/bin/env bash
# The Python package against the Python peers on the digits, with incomplete views, and on Dask; writes docs/benchmarks-python.md and facts. Part of `make bench`.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.venv-bench-python
if [ ! -x $venv/bin/python ]; then python3 -m venv $venv; fi
$venv/bin/pip install --quiet --disable-pip-version-check -r benches/requirements-python.txt
$venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
$venv/bin/python benches/incomplete.py
$venv/bin/python benches/dask_scale.py
exec $venv/bin/python benches/python_package.py "$@"
