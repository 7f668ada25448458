#!/usr/bin/env bash
# Tests what `configure` of the R package does without Rust: it takes a prebuilt library whose checksum is right, refuses another, and says
# what to do where there is neither library nor cargo, or where cargo is too old.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
version=$(sed -n 's/^Version: *//p' r/DESCRIPTION)
machine="$(uname -m)-$(uname -s | tr 'A-Z' 'a-z')"

# `configure` in a package of its own: a line for lib-sums.tsv, and what comes before the path's programs
configure() {
  rm -rf "$place/package" && mkdir -p "$place/package/tools" "$place/package/src"
  cp r/configure r/DESCRIPTION "$place/package/"
  printf 'version\tmachine\tsha256\turl\n%s\n' "$1" > "$place/package/tools/lib-sums.tsv"
  (cd "$place/package" && env -u CONSILIENCE_LIBRARY R_HOME="$(R RHOME)" CARGO_HOME="$place" HOME="$place" PATH="$2/usr/bin:/bin" ./configure 2>&1)
}
expect() {
  if ! grep -q "$2" <<< "$1"; then
    printf 'configure did not say "%s", but:\n%s\n' "$2" "$1" >&2
    exit 1
  fi
}

echo "a library" | xz > "$place/library.a.xz"
line() { printf '%s\t%s\t%s\tfile://%s' "$version" "$machine" "$1" "$place/library.a.xz"; }
configure "$(line "$(sha256sum "$place/library.a.xz" | cut -d' ' -f1)")" "" > /dev/null
[ "$(cat "$place/package/src/library/libconsilience_r.a")" = "a library" ]
if said=$(configure "$(line 0000)" ""); then echo "configure took a library of another checksum" >&2; exit 1; fi
expect "$said" "nothing of it is used"
if [ -x /usr/bin/cargo ]; then
  echo "skipped: cargo is in /usr/bin, so it cannot be missing"
else
  if said=$(configure "" ""); then echo "configure did without cargo" >&2; exit 1; fi
  expect "$said" "https://rustup.rs"
fi
mkdir "$place/old"
printf '#!/bin/sh\necho "cargo 1.70.0 (abc)"\n' > "$place/old/cargo" && chmod +x "$place/old/cargo"
if said=$(configure "" "$place/old:"); then echo "configure took an old cargo" >&2; exit 1; fi
expect "$said" "needs Rust 1.89 or newer; this is 1.70"
echo "configure: a prebuilt library is taken, a damaged one refused, and a lack of Rust explained"
