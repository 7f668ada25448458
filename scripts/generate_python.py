"""Writes the Python package's estimator classes from the registry of methods.

    python3 scripts/generate_python.py            # asks target/debug/consilience (or the binary in $CONSILIENCE)
    python3 scripts/generate_python.py methods.json

The files are kept in the repository; a test compares them with the registry of the built wheel.
"""

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

COMMON_BEFORE = [
    ("n_clusters", 'Union[int, Literal["auto"], tuple[int, int], range]', "8",
     "Number of clusters. `auto`, `(2, 12)` or `range(2, 13)` let the data choose: `n_clusters_` is what was chosen, and "
     "`choice_` says why; 1 when there is no structure."),
]
COMMON_AFTER = [
    ("scale", 'Literal["auto", "zscore", "unit", "minmax", "none"]', '"auto"',
     "Scaling of the features. `auto` is unit rows for sparse non-negative views and z-scores otherwise."),
    ("landmarks", 'Union[Literal["auto", "off"], int]', '"auto"',
     "Cluster only so many samples in full and place all among them; `auto` does so above 50,000 samples, `off` never. "
     "`affinity_` is then that of the landmarks."),
    ("n_init", "int", "10", "Restarts of k-means; the best is kept."),
    ("random_state", "Any", "None",
     "Seed of everything random: an int (the command line's `--seed`), a RandomState, a Generator, or None for NumPy's "
     "global one. Pass an int for results that can be repeated."),
    ("n_jobs", "Optional[int]", "None",
     "Threads; -1 is all cores, and so is None where neither joblib nor threadpoolctl limits them: inside a worker of "
     "joblib it is one. The result does not depend on it."),
    ("memory_limit", "Optional[float]", "None",
     "Gigabytes to keep to: by landmarks where all samples would take more, else refused. None: only n x n methods ask what is free."),
    ("view_columns", "Any", "None",
     "The columns of each view, when `X` is one array: a list (or a dict by name) of slices, of lists of columns, or of "
     "the views' numbers of columns. None is one view."),
    ("precomputed", "Any", "None",
     "Views that are not features but `\"affinity\"` (how alike two samples are, 0 is not at all: a neighbour graph, a kernel) or "
     "`\"distance\"` of samples x samples, dense or sparse: a word for all views, or a dict by the name of the view."),
    ("join", 'Literal["strict", "inner", "outer"]', '"strict"',
     "Which samples are kept when DataFrames or AnnData do not have the same ones: `strict` refuses that, `inner` keeps "
     "those that every view has, and `outer` all of them, for methods that can use incomplete views."),
    ("missing", 'Literal["refuse", "impute", "drop-samples", "drop-features"]', '"refuse"',
     "What becomes of missing values (NaN): refused, filled in by the mean of the most similar samples, or left out with "
     "their samples or features."),
    ("verbose", "int", "0", "Show progress on stderr when not 0."),
]

# of the methods that weigh views
WEIGHTS = ("view_weights", "Any", "None",
           "Weights of the views: a dict by name, or a list in the order of the views; only ratios count.")

ATTRIBUTES = """labels_ : array of int, (n,)
    The cluster of every sample, numbered by first appearance.
n_clusters_ : int
    Number of clusters; the chosen one when the data were to choose, 1 when they have no structure.
choice_ : dict or None
    How it was chosen: `candidates` (the best first, each with `n_clusters` and its `evidence` in sentences),
    `objection` (why there is no structure, or None) and `curves` (arrays by number of clusters). None when it was given.
ids_ : array of str or None
    The samples' names in the order of `labels_`, when `X` has some: a DataFrame's index, AnnData's `obs_names`.
samples_ : array of int, (n,)
    Their rows in the first view; all of them unless `join` or `missing` left some out.
confidence_ : array, (n,)
    The share of every sample's affinity that goes to its own cluster, from 0 to 1. `examine` asks more.
embedding_ : array, (n, any)
    What k-means saw.
eigenvalues_ : array
    The affinity's largest eigenvalues, where the method needs them: k, and as many as came with them, up to five, so that a
    drop after the k-th can be seen. Those past k are exact to about 0.01; for `SLRMF` they are of its factors' further columns.
affinity_ : scipy.sparse.linalg.LinearOperator, (n, n)
    The normalised affinity that the views agreed on, never written out; it survives pickling.
view_weights_ : array, (views,)
    Weight of each view; they sum to 1. `view_names_` and `view_widths_` say which views they are.
trace_ : dict of arrays
    Columns `iteration`, `view`, `objective`, `residual` and `change`; empty for methods that do not iterate.
agreement_ : dict or None
    NMI between the views' own labels, `before` and `after`, where the method gives an account of it; for `slrmf`
    also of every view with the labels of the run, `consensus_before` and `consensus_after`.
disagreements_ : dict
    The samples that a view would have put elsewhere, by view, where the method gives an account of it.
corruption_ : dict
    For each view in which the method looked for corruption, its `share` of the entries, the `range` in which the true
    share is likely to be (None where it is counted), and the share `by_feature`.
n_iter_ : int
    Iterations made; `stop_reason_` says why no more were.
seconds_ : dict
    Where the time went: `prepare`, `graph`, `solve`, `assign`, `total`.
n_features_in_ : int
    Number of features of all views together.
feature_names_in_ : array of str
    Names of the columns, when `X` was one DataFrame."""


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


def common_after(method):
    """The parameters after a method's own; weights are a parameter of the method itself where it finds some."""
    own = any(row["name"] == "view_weights" for row in method["parameters"])
    return ([WEIGHTS] if method["weighted"] and not own else []) + COMMON_AFTER


def allowed(row):
    bounds = row.get("bounds")
    if bounds is None:
        return ""
    least, most = (None if edge is None else f"{edge:g}" for edge in (bounds["min"], bounds["max"]))
    if most is None:
        return f" At least {least}."
    return f" From {least} to {most}."


def described(name, words, default, text):
    lines = textwrap.wrap(text, WIDTH - 8)
    return "\n".join([f"{name} : {words}, default={default}", *("    " + line for line in lines)])


def docstring(method):
    rows = [described(name, words_of(annotation), default, text) for name, annotation, default, text in COMMON_BEFORE]
    for row in method["parameters"]:
        symbol = f" The paper's {row['symbol']}." if row["symbol"] else ""
        given = f" Or the weights: {WEIGHTS[3].split(': ')[1]}" if row["name"] == "view_weights" else ""
        text = row["doc"] + allowed(row) + symbol + given
        rows.append(described(argument(row["name"]), in_words(row), value(row), text))
    after = common_after(method)
    rows += [described(name, words_of(annotation), default, text) for name, annotation, default, text in after]
    title = method["title"][0].upper() + method["title"][1:] + "."
    summary = "\n".join(textwrap.wrap(method["summary"], WIDTH - 4))
    cost = "\n".join(textwrap.wrap(f"Time: {method['time']}. Memory: {method['memory']}.", WIDTH - 4))
    source = "\n".join(textwrap.wrap(method["citation"], WIDTH - 4, initial_indent=".. [1] ", subsequent_indent="   "))
    sections = [("Parameters", "\n".join(rows)), ("Attributes", ATTRIBUTES), ("Notes", cost), ("References", source),
                ("Examples", example(method))]
    body = "\n\n".join(f"{name}\n{'-' * len(name)}\n{text}" for name, text in sections)
    return f"{title}\n\n{summary}\n\n{body}\n"


def words_of(annotation):
    """An annotation as NumPy's docstrings write it."""
    if annotation.startswith("Literal["):
        return "{" + annotation[len("Literal["):-1] + "}"
    if annotation.startswith("Union[Literal["):
        return "int or {" + annotation[len("Union[Literal["):annotation.index("]")] + "}"
    if annotation.startswith("Union["):
        return 'int, "auto", tuple or range'
    if annotation.startswith("Optional["):
        return annotation[len("Optional["):-1] + " or None"
    return {"Any": "object"}.get(annotation, annotation)


def example(method):
    name = class_name(method)
    return textwrap.dedent(f"""\
        >>> from consilience import {name}, datasets
        >>> views, target = datasets.make_blobs(60, 3)
        >>> {name}(n_clusters=3, random_state=0).fit_predict(views).shape
        (60,)""")


def initialiser(method):
    own = [(argument(row["name"]), kind(row), value(row)) for row in method["parameters"]]
    after = [(name, annotation, default) for name, annotation, default, _ in common_after(method)]
    before = [(name, annotation, default) for name, annotation, default, _ in COMMON_BEFORE]
    names = [name for name, _, _ in before + own + after]
    clashes = {name for name in names if names.count(name) > 1}
    if clashes:
        raise SystemExit(f"{method['id']}: parameters {clashes} clash with those of all estimators")
    lines = ["    def __init__(", "        self,"]
    lines += [f"        {name}: {annotation} = {default}," for name, annotation, default in before]
    lines += ["        *,"]
    lines += [f"        {name}: {annotation} = {default}," for name, annotation, default in own + after]
    lines += ["    ) -> None:"]
    lines += [f"        self.{name} = {name}" for name in names]
    return "\n".join(lines)


def class_source(method):
    names = [argument(row["name"]) for row in method["parameters"]]
    text = textwrap.indent(docstring(method), "    ").replace("\n    \n", "\n\n")
    listed = "".join(f"        {json.dumps(name)},\n" for name in names)
    return (f'class {class_name(method)}(MultiViewClusterer):\n    """{text.lstrip()}    """\n\n'
            f"    _method = {json.dumps(method['id'])}\n    _parameters = (\n{listed}    )\n\n{initialiser(method)}\n")


def estimators(methods):
    """The text of estimators.py."""
    names = sorted(class_name(method) for method in methods)
    listed = "".join(f"    {json.dumps(name)},\n" for name in names)
    head = ('"""One estimator per method. Made by scripts/generate_python.py from the registry: change that, not this."""\n\n'
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
