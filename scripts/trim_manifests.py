"""Makes the copied workspace of the R package's crates one without tests: members that are there, no dev-dependencies, no optional ones.

    python3 scripts/trim_manifests.py FOLDER
"""

import re
import sys
from pathlib import Path

# parts of a manifest that only tests, examples and pages of documentation need
NOT_BUILT = re.compile(r"^\[\[?(dev-dependencies|test|bench|example|package\.metadata\.docs\.rs)\b[^\n]*\n(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)


def main(folder: Path) -> None:
    root = folder / "Cargo.toml"
    members = sorted(str(path.parent.relative_to(folder)) for path in folder.rglob("Cargo.toml") if path != root)
    listed = "".join(f'    "{member}",\n' for member in members)
    text = re.sub(r"^members = \[.*?^\]\n", f"members = [\n{listed}]\n", root.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^default-members = \[.*?^\]\n", "", text, flags=re.MULTILINE | re.DOTALL)
    # paths of crates that are not here
    kept = [line for line in text.splitlines(keepends=True)
            if not ((found := re.search(r'path = "([^"]+)"', line)) and not (folder / found[1]).exists())]
    root.write_text("".join(kept))
    for member in members:
        manifest = folder / member / "Cargo.toml"
        manifest.write_text(without_optional(NOT_BUILT.sub("", manifest.read_text())))


def without_optional(text: str) -> str:
    """A manifest without what the R package leaves out: readers of other formats, the features that ask for them, and what is there for
    the workspace's tests."""
    text = re.sub(r"^# tree only:.*?^# end of tree only\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^.*\boptional = true.*\n", "", text, flags=re.MULTILINE)
    # who asks for a feature of an optional crate that is left out
    text = text.replace(', features = ["ndarray"]', "")
    text = re.sub(r'^(\w+) = \["dep:[^\]]*\]\n', r"\1 = []\n", text, flags=re.MULTILINE)
    return re.sub(r"^default = \[.*\]\n", "default = []\n", text, flags=re.MULTILINE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
