"""The package as a thing: generated files, syntax, types, import time, examples."""

from __future__ import annotations

import ast
import doctest
import email
import importlib.util
import json
import re
import resource
import runpy
import subprocess
import sys
import tarfile
import warnings
from pathlib import Path

import matplotlib
import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

import consilience
import consilience._predict
from consilience import _native, estimators

PACKAGE = Path(consilience.__file__).parent
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def test_the_classes_are_those_of_the_registry():
    spec = importlib.util.spec_from_file_location("generate_python", ROOT / "scripts/generate_python.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    methods = json.loads(_native.methods())
    again = "run scripts/generate_python.py"
    assert (PACKAGE / "estimators.py").read_text() == generator.estimators(methods), again
    assert (PACKAGE / "_names.py").read_text() == generator.names(methods), again


def test_the_registry_is_the_command_lines(binary):
    done = subprocess.run([binary, "methods", "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(_native.methods())


@pytest.mark.parametrize("path", [*PACKAGE.rglob("*.py"), *PACKAGE.glob("*.pyi"), *EXAMPLES], ids=lambda path: path.name)
def test_python_3_9_reads_every_file(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    # `X | None` in annotations needs this before 3.10; it is also what keeps them from being evaluated
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert imports, "from __future__ import annotations"


def test_importing_is_quick_and_leaves_the_slow_ones_out():
    code = "import sys, consilience; print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib', 'dask') if m in sys.modules])"
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.stdout == "[]\n"
    # processor time, with the interpreter's own start in it: what a busy machine cannot distort
    assert min(spent) < 0.3


def test_the_package_and_the_examples_have_types(tmp_path):
    assert (PACKAGE / "py.typed").exists()
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    for target in (["-p", "consilience"], [str(path) for path in EXAMPLES]):
        done = subprocess.run([*command, *target], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path, tmp_path, monkeypatch, capsys):
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        # their views belong together
        warnings.filterwarnings("error", "views .* agree no more than by chance")
        runpy.run_path(str(path), run_name="__main__")
    assert "ACC" in capsys.readouterr().out


@pytest.mark.parametrize("module", [consilience, consilience.metrics, consilience._predict, estimators], ids=lambda module: module.__name__)
def test_docstrings_say_the_truth(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("page, least", [("python.md", 4), ("models.md", 1), ("dask.md", 1), ("affinities.md", 1)])
def test_the_code_on_pages_runs(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text()
    blocks = [block.split("```", 1)[0] for block in text.split("```python\n")[1:]]
    assert len(blocks) >= least
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_in_a_kernel(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) >= 4 and all(cell.outputs == [] for cell in cells), "kept without outputs"
    notebook.cells.append(nbformat.v4.new_code_cell("print(scores['nmi'])"))
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert float(notebook.cells[-1].outputs[-1]["text"]) > 0.8


def test_the_site_builds_without_a_warning(tmp_path):
    # the gallery runs the notebooks, which are tested above
    command = [sys.executable, "-P", ROOT / "scripts/build_docs_site.py", tmp_path / "site", "--without-gallery"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site/reference/estimators/SLRMF.html").read_text()
    assert "own_share" in page and (tmp_path / "site/methods/slrmf.html").exists()
    assert "predict" in (tmp_path / "site/reference/estimators.html").read_text()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """The source distribution that `make python` makes, unpacked."""
    [packed] = (ROOT / "target/wheels").glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    [root] = folder.iterdir()
    return root


def test_the_source_distribution_holds_what_it_includes(sources):
    # a cold build of it is part of `make wheels`: it takes minutes
    included = re.compile(r'include_(?:str|bytes)!\("([^"]+)"\)')
    found = [(file, name) for file in sources.rglob("*.rs") for name in included.findall(file.read_text())]
    assert len(found) > 5
    missing = [(str(file.relative_to(sources)), name) for file, name in found if not (file.parent / name).exists()]
    assert missing == []


def test_the_metadata_says_what_a_package_index_shows(sources):
    about = email.message_from_string((sources / "PKG-INFO").read_text())
    assert about["Author"] and len(about.get_all("Project-URL")) >= 4
    required = {re.split(r"[<>=; ]", line)[0] for line in about.get_all("Requires-Dist") if "extra" not in line}
    # everything that is imported without being asked for
    assert required == {"numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"}
    assert {"plot", "anndata", "dask"} == set(about.get_all("Provides-Extra"))
    links = re.findall(r"\]\(([^)]+)\)", about.get_payload())
    assert links and all(link.startswith("https://") for link in links), "a package index knows no relative links"
