#!/bin/sh
# Installs Chromium and its driver, which the browser tests of the report drive. Does nothing when both are there.
set -eu

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "chromium and chromedriver are needed for the browser tests; install them with your package manager" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi
$as_root apt-get update -q
$as_root apt-get install -y -q --no-install-recommends chromium chromium-driver fonts-dejavu-core
