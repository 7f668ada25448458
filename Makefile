# `make test` is the one test command; `make bench` the one benchmark command. Both set up what they need.
# `make reproduction` makes docs/reproduction.md and every number in pages again from experiments/results.

.PHONY: test format lint unit docs browser bench reproduction clean

test: format lint unit docs

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

unit:
	cargo test --workspace --locked

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# The report page in a real browser; installs Chromium when it is missing.
browser:
	scripts/install_browser.sh
	cargo build --workspace --locked --example render
	crates/consilience-report/tests/browser/run.sh

bench:
	cargo build --release --locked
	benches/run.sh

reproduction:
	cargo run --release --locked -- reproduction

clean:
	cargo clean
	rm -rf .venv-bench .venv-peers
