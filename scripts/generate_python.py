"""Writes the Python package's estimator classes from the registry of methods.

    python3 scripts/generate_python.py            # asks target/debug/consilience (or the binary in $CONSILIENCE)
    python3 scripts/generate_python.py methods.json

What all estimators share (parameters, attributes, their docs) is in the package's `_common.py`, and is read from there. The files
are kept in the repository; a test compares them with the registry of the built wheel.
"""

import ast
import json
import keyword
import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "crates/consilience-py/python/consilience"
WIDTH = 118

# methods are called by their papers' letters; these have names
NAMES = {"average": "Average", "comvsc": "CoMVSC", "cotraining": "CoTraining", "kmeans": "KMeans", "single": "Single",
         "slrmf_admm": "SLRMFADMM"}

# of the methods that weigh views
WEIGHTS = ("view_weights", "Any", "None")


def common():
    """Names, types and defaults of the parameters that all estimators share, from the class that has them."""
    tree = ast.parse((PACKAGE / "_common.py").read_text())
    [made] = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    asked = [*made.args.args[1:], *made.args.kwonlyargs]
    defaults = [*made.args.defaults, *made.args.kw_defaults]
    quoted = lambda node: ast.unparse(node).replace("'", '"')  # noqa: E731
    return [(argument.arg, quoted(argument.annotation), quoted(default)) for argument, default in zip(asked, defaults)]


def class_name(method):
    return NAMES.get(method["id"], method["id"].upper())


def argument(name):
    return name + "_" if keyword.iskeyword(name) else name


def kind(row):
    if row["name"] == "view_weights":
        return "Any"
    if row["type"] == "choice":
        return "Literal[" + ", ".join(json.dumps(word) for word in row["of"]) + "]"
    return {"integer": "int", "real": "float", "flag": "bool", "text": "str"}[row["type"]]


def value(row):
    return json.dumps(row["default"]) if isinstance(row["default"], str) else repr(row["default"])


def in_words(row):
    """The type as NumPy's docstrings write it."""
    if row["type"] == "choice":
        words = "{" + ", ".join(json.dumps(word) for word in row["of"]) + "}"
        return words + ", dict or list" if row["name"] == "view_weights" else words
    return kind(row)


def allowed(row):
    bounds = row.get("bounds")
    if bounds is None:
        return ""
    least, most = (None if edge is None else f"{edge:g}" for edge in (bounds["min"], bounds["max"]))
    if most is None:
        return f" At least {least}."
    return f" From {least} to {most}."


def described(row):
    symbol = f" The paper's {row['symbol']}." if row["symbol"] else ""
    weights = " Or the weights: a dict by name, or a list in the order of the views; only ratios count."
    given = weights if row["name"] == "view_weights" else ""
    text = textwrap.wrap(row["doc"] + allowed(row) + symbol + given, WIDTH - 8)
    first = f"{argument(row['name'])} : {in_words(row)}, default={value(row)}"
    return "\n".join([first, *("    " + line for line in text)])


def docstring(method):
    """What is the method's own; `_common.py` adds the rest when the class is made."""
    title = method["title"][0].upper() + method["title"][1:] + "."
    summary = "\n".join(textwrap.wrap(method["summary"], WIDTH - 4))
    cost = "\n".join(textwrap.wrap(f"Time: {method['time']}. Memory: {method['memory']}.", WIDTH - 4))
    source = "\n".join(textwrap.wrap(method["citation"], WIDTH - 4, initial_indent=".. [1] ", subsequent_indent="   "))
    own = "\n".join(described(row) for row in method["parameters"])
    sections = [("Parameters", own), ("Notes", cost), ("References", source)]
    body = "\n\n".join(f"{name}\n{'-' * len(name)}\n{text}" for name, text in sections if text)
    return f"{title}\n\n{summary}\n\n{body}\n"


def filled(items, indent):
    """Lines as wide as they may be; a long one begins a new line."""
    lines = [" " * indent + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 2 > WIDTH:
            lines.append(" " * indent + item)
        else:
            lines[-1] += " " + item
    return "\n".join(lines)


def initialiser(method):
    first, *shared = common()
    own = [(argument(row["name"]), kind(row), value(row)) for row in method["parameters"]]
    if method["weighted"] and all(name != "view_weights" for name, _, _ in own):
        own.append(WEIGHTS)
    names = [name for name, _, _ in [first, *own, *shared]]
    clashes = {name for name in names if names.count(name) > 1}
    if clashes:
        raise SystemExit(f"{method['id']}: parameters {clashes} clash with those of all estimators")
    written = [f"{name}: {annotation} = {default}," for name, annotation, default in [first, *own, *shared]]
    lines = ["    def __init__(", f"        self, {written[0]} *,"]
    if own:
        lines.append(filled(written[1:len(own) + 1], 8))
    lines += [filled(written[len(own) + 1:], 8), "    ) -> None:", "        super().__init__("]
    lines += [filled([f"{name}={name}," for name, _, _ in [first, *shared]], 12), "        )"]
    lines += [f"        self.{name} = {name}" for name, _, _ in own]
    return "\n".join(lines)


def class_source(method):
    text = textwrap.indent(docstring(method), "    ").replace("\n    \n", "\n\n")
    return (f'class {class_name(method)}(MultiViewClusterer):\n    """{text.lstrip()}    """\n\n'
            f"    _method = {json.dumps(method['id'])}\n\n{initialiser(method)}\n")


def estimators(methods):
    """The text of estimators.py."""
    names = sorted(class_name(method) for method in methods)
    listed = "".join(f"    {json.dumps(name)},\n" for name in names)
    head = ('"""One estimator per method. Made by scripts/generate_python.py from the registry: change that, not this.\n\n'
            "The parameters and attributes that all of them share are described in `_common.py`, and are put into each class's\n"
            'docstring when the class is made.\n"""\n\n'
            "from __future__ import annotations\n\nfrom typing import Any, Literal, Optional, Union\n\n"
            f"from ._base import MultiViewClusterer\n\n__all__ = [\n{listed}]\n")
    return "\n\n".join([head, *(class_source(method) for method in methods)])


def names(methods):
    """The text of _names.py."""
    listed = "".join(f"    {json.dumps(class_name(method))},\n" for method in methods)
    return ('"""The names of the estimators. Made by scripts/generate_python.py from the registry: change that, not this."""\n\n'
            f"from __future__ import annotations\n\nESTIMATORS = (\n{listed})\n")


def main(arguments):
    if arguments:
        methods = json.loads(Path(arguments[0]).read_text())
    else:
        binary = os.environ.get("CONSILIENCE", ROOT / "target/debug/consilience")
        methods = json.loads(subprocess.run([binary, "methods", "--json"], check=True, capture_output=True).stdout)
    (PACKAGE / "estimators.py").write_text(estimators(methods))
    (PACKAGE / "_names.py").write_text(names(methods))


if __name__ == "__main__":
    main(sys.argv[1:])
