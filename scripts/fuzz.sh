#!/usr/bin/env bash
# Coverage-guided search for files and models that break a reader: FUZZ_SECONDS (1800) for each of two targets.
# Needs a nightly compiler; installs cargo-fuzz. Found inputs are kept in fuzz/artifacts, what reaches new code in fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${FUZZ_SECONDS:-1800}
cargo +nightly --version > /dev/null || { echo "fuzz.sh: needs \`rustup toolchain install nightly\`" >&2; exit 2; }
cargo fuzz --version > /dev/null 2>&1 || cargo install --locked cargo-fuzz

# seeds: a file of every format; a model in the format without a checksum, so that what is inside is reached, and its record
mkdir -p fuzz/corpus/files fuzz/corpus/runs
python3 -m zipfile -e crates/consilience-io/tests/files.zip fuzz/corpus/files
cargo build --locked -p consilience-cli
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
printf 'id,x,y\n' > "$made/a.csv"
for i in $(seq 24); do echo "s$i,$((i % 3 * 10)).$((i * 7 % 10)),$((i % 3 * 5)).$((i * 3 % 10))"; done >> "$made/a.csv"
target/debug/consilience cluster "$made/a.csv" -k 3 --splits -o "$made/run" 2> /dev/null
python3 - "$made/run" fuzz/corpus/runs <<'PYTHON'
import pathlib, sys
run, seeds = map(pathlib.Path, sys.argv[1:])
model = (run / "model.safetensors").read_bytes()
old = model.replace(rb'\"format\":2', rb'\"format\":1', 1)
assert old != model, "the model has no format 2"
(seeds / "model").write_bytes(old)
(seeds / "run").write_bytes((run / "run.json").read_bytes())
PYTHON

for target in files runs; do
  # no sanitizer: the readers have no unsafe code, and panics are what is looked for
  cargo +nightly fuzz run --sanitizer none "$target" -- \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
done
