# `make test` is the one test command; `make bench` the one benchmark command. Both set up what they need.
# `make reproduction` makes docs/reproduction.md and every number in pages again from experiments/results.

.PHONY: test format lint unit docs bench reproduction clean

test: format lint unit docs

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

unit:
	cargo test --workspace --locked

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

bench:
	cargo build --release --locked
	benches/run.sh

reproduction:
	cargo run --release --locked -- reproduction

clean:
	cargo clean
	rm -rf .venv-bench
