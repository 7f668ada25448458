#!/usr/bin/env bash
# Installs R and the packages that the R package's checks need, from Debian's own; does nothing when all is there. About 140 MB.
set -euo pipefail

packages=(
  devscripts qpdf r-base-dev r-bioc-multiassayexperiment r-bioc-singlecellexperiment r-bioc-summarizedexperiment r-cran-ggplot2 r-cran-knitr
  r-cran-markdown r-cran-matrix r-cran-roxygen2 r-cran-survival r-cran-testthat xz-utils
)
missing=()
for package in "${packages[@]}"; do
  # `dpkg -s` says so too of what was removed and left its settings
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "these Debian packages are missing, and there is no apt-get to install them: ${missing[*]}" >&2
  exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root=sudo
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
