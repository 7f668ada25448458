"""Leaves out what building does not read of vendored crates: tests, benchmarks, examples, pages, and what is for other systems only.

    python3 scripts/trim_vendored.py VENDOR

Cargo compares files with the list of a crate's checksums, so what is left out is taken off the list. A crate for Windows or for wasm keeps its
manifest, which cargo reads, and an empty library, which it does not build elsewhere.
"""

import json
import re
import shutil
import sys
from pathlib import Path

NOT_READ = {"tests", "benches", "examples", "docs", "doc", "ci", ".github", "fuzz", "images", "screenshots"}
# import libraries of Windows, megabytes each
ELSEWHERE = ("windows_", "windows-", "winapi-")


def main(vendor: Path) -> None:
    for crate in sorted(path for path in vendor.iterdir() if path.is_dir()):
        for path in list(crate.iterdir()):
            if path.is_dir() and path.name in NOT_READ and not is_read(crate, path.name):
                shutil.rmtree(path)
        if crate.name.startswith(ELSEWHERE):
            for archive in [*crate.rglob("*.a"), *crate.rglob("*.lib")]:
                archive.unlink()
        sums = crate / ".cargo-checksum.json"
        listed = json.loads(sums.read_text())
        listed["files"] = {name: digest for name, digest in listed["files"].items() if (crate / name).exists()}
        sums.write_text(json.dumps(listed))


def is_read(crate: Path, folder: str) -> bool:
    """Whether a source of the crate includes something from the folder."""
    sources = [path for path in crate.rglob("*.rs") if path.relative_to(crate).parts[0] not in NOT_READ]
    included = re.compile(rf'include(_str|_bytes)?!\([^)]*{re.escape(folder)}/')
    return any(included.search(path.read_text(errors="replace")) for path in sources)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
