"""Puts the documentation site together and builds it, offline: `python scripts/build_docs_site.py OUT`, or `make docs-site`.

The guide and the methods are docs/*.md as they are; the reference is made from the docstrings of the package that is installed;
the gallery is made by running examples/notebooks in a Jupyter kernel and examples/python as programs. Any warning is an error.
"""

import argparse
import base64
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ["python", "samples", "formats", "incomplete", "affinities", "choosing-k", "models", "scale", "report", "peers"]
NUMBERS = ["experiments", "reproduction", "benchmarks", "benchmarks-python", "paper-notes"]
MODULES = ["metrics", "datasets", "plot", "tl"]
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)#\s]+)(#[^)\s]*)?\)")


def repository():
    return re.search(r'^repository = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)


def page(path, staged, address):
    """A page of docs/ with links that leave docs/ made absolute, so that they lead somewhere from the site too."""

    def link(found):
        text, target, anchor = found.group(1), found.group(2), found.group(3) or ""
        inside = (path.parent / target).resolve()
        if re.match(r"[a-z]+:", target) or (inside.is_relative_to(ROOT / "docs") and inside.is_file()):
            return found.group(0)
        # what is not there stays as it is, and is warned of
        known = inside.is_relative_to(ROOT) and inside.exists()
        kind = "tree" if inside.is_dir() else "blob"
        return f"{text}({address}/{kind}/main/{inside.relative_to(ROOT)}{anchor})" if known else found.group(0)

    staged.parent.mkdir(parents=True, exist_ok=True)
    staged.write_text(LINK.sub(link, path.read_text()))


def stage_pages(source):
    """The guide, the methods and the pictures."""
    address = repository()
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/methods").glob("*.md")]:
        page(path, source / path.relative_to(ROOT / "docs"), address)
    for pictures in ("figures", "digits.png"):
        found = ROOT / "docs" / pictures
        copy = shutil.copytree if found.is_dir() else shutil.copy
        copy(found, source / pictures)


def stage_reference(source):
    """A page per estimator and public module, from the docstrings; what all estimators can do is said once."""
    import consilience
    from consilience._base import MultiViewClusterer

    estimators = list(consilience.estimators.__all__)
    own = [name for kind in (MultiViewClusterer, *MultiViewClusterer.__mro__[1:2]) for name in vars(kind)]
    methods = [name for name in own if not name.startswith("_") and callable(getattr(MultiViewClusterer, name, None))]
    entries = "".join(f".. automethod:: consilience._base.MultiViewClusterer.{name}\n\n" for name in methods)
    listed = "\n".join(f"   estimators/{name}" for name in estimators)
    tree = f".. toctree::\n   :maxdepth: 1\n\n{listed}\n\n"
    write(source / "reference/estimators.rst", title("Estimators") + tree + title("What all of them can do") + entries)
    for name in estimators:
        write(source / f"reference/estimators/{name}.rst", title(name) + f".. autoclass:: consilience.{name}\n")

    loose = [name for name in consilience.__all__ if name not in estimators and name not in MODULES]
    loose = {name: getattr(consilience, name) for name in loose if callable(getattr(consilience, name))}
    classes = "".join(f".. autoclass:: consilience.{n}\n   :members:\n\n" for n, what in loose.items() if inspect.isclass(what))
    functions = "".join(f".. autofunction:: consilience.{n}\n\n" for n, what in loose.items() if not inspect.isclass(what))
    write(source / "reference/package.rst", title("The package") + functions + classes)
    for module in MODULES:
        write(source / f"reference/{module}.rst", title(f"consilience.{module}") + f".. automodule:: consilience.{module}\n   :members:\n")


def title(text):
    return f"{text}\n{'=' * len(text)}\n\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def stage_notebook(path, source):
    """A notebook as a page, executed in a kernel of its own: text, code and what it gave."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    work = source.parent / "work"
    work.mkdir(exist_ok=True)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(work)}}).execute()
    parts = []
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [shown(output, source / "gallery", f"{path.stem}-{place}-{at}") for at, output in enumerate(cell.outputs)]
    write(source / f"gallery/{path.stem}.md", "\n\n".join(part for part in parts if part) + "\n")


def shown(output, folder, name):
    """What a cell gave, as a page shows it; warnings are for the person at the keyboard."""
    if output.output_type == "stream":
        return fenced(output.text) if output.name == "stdout" else ""
    data = output.get("data", {})
    if "image/png" in data:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
        return f"![{name}]({name}.png)"
    return fenced(data["text/plain"]) if "text/plain" in data else ""


def fenced(text):
    return f"```text\n{text.rstrip()}\n```" if text.strip() else ""


def stage_program(path, source):
    """A program as a page: its code, and what it printed."""
    printed = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True, cwd=source).stdout
    name = path.stem.replace("_", " ").capitalize()
    text = f"# {name}, a program\n\n```python\n{path.read_text().rstrip()}\n```\n\nIt prints:\n\n{fenced(printed)}\n"
    write(source / f"gallery/{path.stem}-program.md", text)


def stage_index(source):
    """The front page: the README's first words, and where everything is."""
    words = (ROOT / "crates/consilience-py/README.md").read_text().split("\n## ")[0].strip()
    gallery = sorted(path.stem for path in (source / "gallery").glob("*.md"))
    methods = sorted(path.stem for path in (source / "methods").glob("*.md"))
    pages = {path.stem for path in source.glob("*.md")}
    trees = [
        # a new page is in the guide without being named here, at its end
        ("Guide", [*(name for name in GUIDE if name in pages), *sorted(pages - {*GUIDE, *NUMBERS})]),
        ("Gallery", [f"gallery/{name}" for name in gallery]),
        ("Methods", [f"methods/{name}" for name in methods]),
        ("Reference", ["reference/estimators", "reference/package", *(f"reference/{name}" for name in MODULES)]),
        ("Numbers", [name for name in NUMBERS if name in pages]),
    ]
    tree = "\n\n".join(
        f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n\n" + "\n".join(listed) + "\n```" for caption, listed in trees if listed
    )
    write(source / "index.md", f"{words}\n\n{tree}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the folder of the site; its source is put beside it")
    parser.add_argument("--without-gallery", action="store_true", help="do not run the examples")
    asked = parser.parse_args()
    out = asked.out.resolve()
    source = out.parent / f"{out.name}-source"
    for folder in (out, source):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    stage_pages(source)
    stage_reference(source)
    if not asked.without_gallery:
        for path in sorted((ROOT / "examples/notebooks").glob("*.ipynb")):
            stage_notebook(path, source)
        for path in sorted((ROOT / "examples/python").glob("*.py")):
            stage_program(path, source)
    stage_index(source)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", ROOT / "docs/site", source, out]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
