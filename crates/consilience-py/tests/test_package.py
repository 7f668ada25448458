"""The package as a thing: generated files, syntax, types, import time, examples."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import json
import resource
import runpy
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from conftest import ROOT

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


@pytest.mark.parametrize("path", [*PACKAGE.glob("*.py"), *PACKAGE.glob("*.pyi"), *EXAMPLES], ids=lambda path: path.name)
def test_python_3_9_reads_every_file(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))
    # `X | None` in annotations needs this before 3.10; it is also what keeps them from being evaluated
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert imports, "from __future__ import annotations"


def test_importing_is_quick_and_leaves_the_slow_ones_out():
    code = "import sys, consilience; print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
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
    runpy.run_path(str(path), run_name="__main__")
    assert "ACC" in capsys.readouterr().out


@pytest.mark.parametrize("module", [consilience, consilience.metrics, consilience._predict, estimators], ids=lambda module: module.__name__)
def test_docstrings_say_the_truth(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("page, least", [("python.md", 4), ("models.md", 1)])
def test_the_code_on_pages_runs(page, least, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text()
    blocks = [block.split("```", 1)[0] for block in text.split("```python\n")[1:]]
    assert len(blocks) >= least
    names: dict = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
