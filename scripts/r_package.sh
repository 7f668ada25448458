#!/usr/bin/env bash
# Makes the R package's source tarball, target/r/consilience_VERSION.tar.gz, with all that building it needs: the library's crates and
# the vendored ones in src/rust.tar.xz. Then, unless the first argument is `only`, tries it as a user has it: installed without
# network into an empty library, with an empty target, and its example run. With `prebuilt`, the static library of this machine is packed
# beside it, with the line for r/tools/lib-sums.tsv.
set -euo pipefail
cd "$(dirname "$0")/.."

out="$PWD/target/r"
tree="$out/rust"
rm -rf "$out"
mkdir -p "$tree/r/src" "$tree/crates" "$out/package"

for crate in consilience consilience-io consilience-report; do
  mkdir -p "$tree/crates/$crate"
  for part in src page assets README.md Cargo.toml; do
    [ -e "crates/$crate/$part" ] && cp -r "crates/$crate/$part" "$tree/crates/$crate/"
  done
done
cp -r r/src/rust "$tree/r/src/rust"
cp Cargo.toml Cargo.lock LICENSE-MIT LICENSE-APACHE "$tree/"
# the workspace of these four; no tests, so no crates that only tests need
python3 scripts/trim_manifests.py "$tree"

cd "$tree"
mkdir -p .cargo
# versions stay those of Cargo.lock; it loses the crates that are not needed
cargo metadata --format-version 1 --offline >/dev/null
cargo vendor --quiet --locked --versioned-dirs vendor > /dev/null
printf '[source.crates-io]\nreplace-with = "vendored"\n\n[source.vendored]\ndirectory = "vendor"\n' > .cargo/config.toml
python3 "$OLDPWD/scripts/trim_vendored.py" vendor
tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner --mtime=2026-01-01 -cf - . | xz -9 -T1 > "$out/rust.tar.xz"
cd "$OLDPWD"

# vignettes are made by the development build: their results are the same
cargo build --quiet --locked -p consilience-r
cp -r r/. "$out/package/"
rm -rf "$out/package/src/rust" "$out/package/src/library"
cp "$out/rust.tar.xz" "$out/package/src/"
cd "$out"
CONSILIENCE_LIBRARY="$OLDPWD/target/debug/libconsilience_r.a" R CMD build package > build.log 2>&1 || { cat build.log; exit 1; }
tarball=$(ls "$out"/consilience_*.tar.gz)
echo "$tarball: $(du -h "$tarball" | cut -f1), of which $(du -h "$out/rust.tar.xz" | cut -f1) are crates"
[ "${1:-}" = only ] && exit 0

mkdir -p "$out/library"
from=$(date +%s)
# no network: an empty namespace where that is allowed, and cargo is told so by --offline anyway
alone=""; unshare -rn true 2>/dev/null && alone="unshare -rn"
CONSILIENCE_BUILD=true CONSILIENCE_LIBRARY="" $alone R CMD INSTALL --library="$out/library" "$tarball"
echo "installed from source in $(( $(date +%s) - from )) s: $(du -sh "$out/library/consilience" | cut -f1)"
R_LIBS="$out/library" Rscript -e 'library(consilience); example("consilience", run.dontrun = FALSE, ask = FALSE)'
