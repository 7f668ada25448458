"""The documentation as a site, offline: the pages of docs/, the API from its docstrings, a gallery made by running the examples.

    python scripts/build_site.py OUT

Needs Sphinx, myst-parser, Matplotlib and the package; `make docs-site` installs them and calls this.
"""

import contextlib
import importlib
import io
import os
import re
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

import consilience

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/consilience-clustering/consilience/blob/main"
GUIDE = ["python", "samples", "formats", "incomplete", "choosing-k", "models", "report"]
BACKGROUND = ["benchmarks", "benchmarks-python", "experiments", "reproduction", "paper-notes"]

CONF = """
project = "consilience"
author = copyright = "The consilience developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
html_theme = "alabaster"
html_theme_options = {"description": "Multi-view clustering", "page_width": "72em", "sidebar_width": "16em"}
html_show_sourcelink = False
autodoc_typehints = "none"
napoleon_use_rtype = False
# code of shells and of Rust is shown as it is
suppress_warnings = ["misc.highlighting_failure"]
"""


def outside(page: Path, source: Path) -> str:
    """A page whose links to files that are not part of the site lead to the repository."""

    def link(match: re.Match[str]) -> str:
        words, target = match.groups()
        path = target.split("#")[0]
        if "://" in target or target.startswith("#"):
            return match[0]
        file = (page.parent / path).resolve()
        if file.is_relative_to(ROOT / "docs") and file.is_file():
            return match[0]
        return f"{words}({REPOSITORY}/{file.relative_to(ROOT)})"

    # comments of the ledger would be shown as text inside of lists
    text = re.sub(r"<!--.*?-->\n?", "", page.read_text(encoding="utf-8"))
    return re.sub(r"(\]|\]:\s?)\(([^)\s]+)\)", link, text)


def copy_pages(source: Path) -> list[str]:
    """The pages and their pictures; returns the methods' pages."""
    for page in (ROOT / "docs").rglob("*"):
        copy = source / page.relative_to(ROOT / "docs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if page.suffix == ".md":
            copy.write_text(outside(page, source), encoding="utf-8")
        elif page.is_file() and page.suffix in (".png", ".svg"):
            shutil.copy(page, copy)
    return sorted(page.stem for page in (ROOT / "docs/methods").glob("*.md"))


def write_api(source: Path) -> None:
    """A page per module, from the docstrings."""
    everything = set(consilience.__all__) - {"__version__"}
    modules = [name for name in sorted(everything) if name in ("datasets", "metrics", "plot", "tl")]
    warnings = sorted(name for name in everything if name.endswith("Warning"))
    functions = sorted(everything - set(modules) - set(warnings) - set(consilience._names.ESTIMATORS) - {"Examination"})
    parts = ["# API reference\n"]

    def directive(kind: str, name: str, *options: str) -> str:
        lines = "".join(f"   :{option}:\n" for option in options)
        return f"```{{eval-rst}}\n.. auto{kind}:: {name}\n{lines}```\n"

    parts.append("## Estimators\n")
    parts += [directive("class", f"consilience.{name}", "members", "inherited-members") for name in ("SLRMF",)]
    others = [name for name in consilience._names.ESTIMATORS if name != "SLRMF"]
    parts.append("The other estimators have the same methods.\n")
    parts += [directive("class", f"consilience.{name}") for name in others]
    parts.append("## Examination\n" + directive("class", "consilience.Examination", "members"))
    parts.append("## Functions\n")
    parts += [directive("function", f"consilience.{name}") for name in functions]
    for module in modules:
        parts.append(f"## consilience.{module}\n" + directive("module", f"consilience.{module}", "members"))
    parts.append("## Warnings\n")
    parts += [directive("class", f"consilience.{name}") for name in warnings]
    (source / "api.md").write_text("\n".join(parts), encoding="utf-8")


def write_gallery(source: Path) -> None:
    """Every example: what it does, its code, what it prints and draws."""
    os.environ["MPLBACKEND"] = "agg"
    parts = ["# Gallery\n\nEvery page was made by running the example.\n"]
    for example in sorted((ROOT / "examples/python").glob("*.py")):
        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
            found = runpy.run_path(str(example), run_name="__main__")
            pictures = sorted(Path(folder).glob("*.png"))
            for picture in pictures:
                shutil.copy(picture, source / f"gallery-{picture.name}")
        parts.append(f"## {example.stem}\n\n{found['__doc__']}\n")
        parts += [f"![{picture.stem}](gallery-{picture.name})\n" for picture in pictures]
        parts.append(f"```text\n{printed.getvalue()}```\n\n```python\n{example.read_text()}```\n")
    (source / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


def toctree(caption: str, pages: list[str]) -> str:
    lines = "\n".join(pages)
    return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n\n{lines}\n```\n"


def main(out: str) -> int:
    build = importlib.import_module("sphinx.cmd.build").build_main
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        methods = copy_pages(source)
        write_api(source)
        write_gallery(source)
        known = {page.stem for page in source.glob("*.md")}
        trees = [
            toctree("Guide", [page for page in GUIDE if page in known] + ["gallery"]),
            toctree("Reference", ["api"]),
            toctree("Methods", [f"methods/{name}" for name in methods]),
            toctree("Background", [page for page in BACKGROUND if page in known]),
        ]
        title = "# consilience\n\n" + (consilience.__doc__ or "").split("\n")[0]
        start = "\n\nBegin with [five minutes of Python](python.md).\n\n"
        (source / "index.md").write_text(title + start + "\n".join(trees), encoding="utf-8")
        (source / "conf.py").write_text(CONF, encoding="utf-8")
        # a warning is an error: a link that leads nowhere, a page that nobody reaches
        return build(["-q", "-W", "--keep-going", "-b", "html", str(source), out])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
