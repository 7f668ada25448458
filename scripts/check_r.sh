#!/usr/bin/env bash
# Checks and tests the R package with the library of the workspace's development build.
set -euo pipefail
cd "$(dirname "$0")/.."

out="$PWD/target/r-check"
rm -rf "$out"
mkdir -p "$out"
export CONSILIENCE_LIBRARY="$PWD/target/debug/libconsilience_r.a" CONSILIENCE_PROGRAM="$PWD/target/debug/consilience"
[ -x .venv-test/bin/python ] && export CONSILIENCE_PYTHON="$PWD/.venv-test/bin/python"
# two threads at most; the network is not asked, and the clock of the machine is believed
export _R_CHECK_LIMIT_CORES_=true _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=false _R_CHECK_FORCE_SUGGESTS_=false

scripts/test_r_configure.sh

cd "$out"
# --as-cran asks CRAN which packages have lost their maintainers; an empty list says none
mkdir -p cran/web/packages cran/src/contrib
: > cran/src/contrib/PACKAGES
Rscript -e 'saveRDS(data.frame(Package = character(), Maintainer = character()), "cran/web/packages/packages.rds")'
export R_CRAN_WEB="file://$out/cran" R_CRAN_SRC="file://$out/cran"
R CMD build ../../r > build.log 2>&1 || { cat build.log; exit 1; }
R CMD check --as-cran --no-manual consilience_*.tar.gz || { cat consilience.Rcheck/00install.out consilience.Rcheck/tests/*.fail; exit 1; }
# what was compared with what, and what was skipped
sed -n '/skipped:/p; /\[ FAIL/p' consilience.Rcheck/tests/testthat.Rout
# a warning is a failure here; notes are explained in r/cran-comments.md
! grep -q 'WARNING' consilience.Rcheck/00check.log
