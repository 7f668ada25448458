# `make test` is the one test command; `make bench` the one benchmark command. Both set up what they need.

.PHONY: test format lint unit slow docs bench clean

test: format lint unit docs

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

unit:
	cargo test --workspace --locked

# what takes minutes: scores of the methods that are n x n by definition
slow:
	cargo test --workspace --locked --release -- --ignored

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

bench:
	cargo build --release --locked
	benches/run.sh

clean:
	cargo clean
	rm -rf .venv-bench
