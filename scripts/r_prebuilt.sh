#!/usr/bin/env bash
# Packs the R package's static library of this machine into target/r-prebuilt, for users without Rust: the file is put under a URL, and the
# line that is printed into r/tools/lib-sums.tsv, from where `configure` takes it.
#
#     scripts/r_prebuilt.sh https://example.org/consilience/0.1.0
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^Version: *//p' r/DESCRIPTION)
machine="$(uname -m)-$(uname -s | tr 'A-Z' 'a-z')"
out=target/r-prebuilt
file="$out/libconsilience_r-$version-$machine.a.xz"
mkdir -p "$out"
# from another build, such as that of `make r-package`, where it is named
library="${CONSILIENCE_LIBRARY:-}"
if [ -z "$library" ]; then
  cargo build --release --locked -p consilience-r
  library=target/release/libconsilience_r.a
fi
cp "$library" "$out/library.a"
strip -S "$out/library.a"
xz -9 -c "$out/library.a" > "$file"
rm "$out/library.a"
printf '%s\t%s\t%s\t%s\n' "$version" "$machine" "$(sha256sum "$file" | cut -d' ' -f1)" "${1:?the URL of the folder}/$(basename "$file")"
