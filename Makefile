# `make test` is the one test command; `make bench` the one benchmark command. Both set up what they need.
# `make reproduction` makes docs/reproduction.md and every number in pages again from experiments/results.

.PHONY: test format lint unit slow fuzz docs docs-site python r r-package wheels browser app test-app bench reproduction clean

# each part in turn, and how long it took
test:
	@set -e; begin=$$(date +%s); for part in format lint unit docs python r browser test-app; do \
	  from=$$(date +%s); $(MAKE) --no-print-directory $$part; \
	  echo "make test: $$part took $$(( $$(date +%s) - from )) s"; \
	done; echo "make test: all of it took $$(( $$(date +%s) - begin )) s"

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

unit:
	cargo test --workspace --locked

# what takes minutes: scores of the methods that are n x n by definition
slow:
	cargo test --workspace --locked --release -- --ignored

# Damaged files against every reader: 8 formats and models x 27,000 = 243,000. None may panic, abort, take 10 s or a gigabyte. The build of the
# tests, because it checks for overflow. And a kill and a failed write at every point where the program and the laboratory touch the disk.
fuzz:
	FAULTS=all cargo test --locked -p consilience-cli --test faults -- --nocapture
	FAULTS=all cargo test --locked -p consilience-lab --test bench kills_and_failed_writes -- --nocapture
	HOSTILE_ROUNDS=27000 cargo test --locked -p consilience-io --test hostile_files -- --nocapture --test-threads 1

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# The site, into target/docs-site: guide, methods, reference from docstrings, gallery made by running the examples. Needs no network
# once its environment is there; a test of `make python` builds it without the gallery.
docs-site:
	test -x .venv-docs/bin/python || python3 -m venv .venv-docs
	.venv-docs/bin/pip install --quiet --disable-pip-version-check "maturin==1.16.0" -r docs/site/requirements.txt
	.venv-docs/bin/maturin build --quiet --profile dev --locked --interpreter .venv-docs/bin/python --out target/docs-wheel
	.venv-docs/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/docs-wheel/*.whl
	.venv-docs/bin/pip install --quiet --disable-pip-version-check target/docs-wheel/*.whl
	.venv-docs/bin/python -P scripts/build_docs_site.py target/docs-site

# The report page in a real browser; installs Chromium when it is missing.
browser:
	scripts/install_browser.sh
	cargo test --workspace --locked --no-run --quiet
	crates/consilience-report/tests/browser/run.sh

# The engine as WebAssembly in one page, target/app/consilience.html, that works from a file and loads nothing (docs/browser.md).
app:
	scripts/build_app.sh

# That page: labels against the program's, damaged files, and what a person does, in Chromium. Says so where it has to skip.
test-app:
	scripts/test_app.sh

# A wheel as users get it, but with the test profile's build, in an environment where nothing of the tree is on the path. Two
# processes take the files of tests in turn: most of them wait for another process, or use one core.
python:
	rm -rf .venv-test target/wheels
	python3 -m venv .venv-test
	.venv-test/bin/pip install --quiet --disable-pip-version-check "maturin==1.16.0"
	.venv-test/bin/maturin build --quiet --profile dev --locked --interpreter .venv-test/bin/python --out target/wheels
	.venv-test/bin/maturin sdist --out target/wheels
	.venv-test/bin/pip install --quiet --disable-pip-version-check --no-compile target/wheels/*.whl -r crates/consilience-py/tests/requirements.txt
	.venv-test/bin/twine check --strict target/wheels/*
	cargo test --workspace --locked --no-run --quiet
	cd crates/consilience-py/tests && ../../../.venv-test/bin/python -P -m pytest -p no:cacheprovider -n 2 --dist loadfile .

# The R package, built from the crates that the workspace's tests compile, checked and tested. Labels are compared with the program's, and
# with Python's where `make python` has left its environment.
r:
	scripts/install_r.sh
	cargo test --workspace --locked --no-run --quiet
	cargo build --locked --quiet -p consilience-r
	scripts/check_r.sh

# The R package's source tarball, into target/r, with every crate it needs; installed from it without network and tried.
r-package:
	scripts/install_r.sh
	scripts/r_package.sh

# What is published, into target/dist: the source distribution, and the wheel that is built from it alone, in an empty folder with
# an empty target; both checked, the wheel tried in an environment of its own.
wheels:
	scripts/build_wheels.sh

bench:
	cargo build --release --locked --workspace
	benches/run.sh
	benches/python.sh

reproduction:
	cargo run --locked --quiet -p consilience-lab -- reproduction

clean:
	cargo clean
	rm -rf .venv-docs .venv-bench .venv-bench-python .venv-peers .venv-browser .venv-test .venv-wheels
