"""What a fit found, read from its account: the JSON that ``run.json`` keeps, so that nothing is told twice."""

from __future__ import annotations

import json
from typing import Any, Optional

import numpy as np

_SECONDS = ("prepare", "choose", "graph", "solve", "assign", "total")
_CURVES = ("stability", "null_stability", "agreement", "eigenvalue", "null_eigenvalue", "gap", "score")
_MARKER = ("cluster", "view", "feature", "auc", "inside", "outside", "p")


def attributes_of(record: str) -> dict[str, Any]:
    """The attributes of an estimator that are parts of its record, by name."""
    run = json.loads(record)
    findings = run["findings"]
    return {
        "n_clusters_": run["k"],
        "choice_": _choice(run.get("choice")),
        "eigenvalues_": _numbers(run["eigenvalues"]),
        "view_weights_": _numbers([view["weight"] for view in run["views"]]),
        "tree_": _tree(run["tree"]),
        "readings_": _readings(findings.get("readings")),
        "trace_": _trace(findings["trace"]),
        "agreement_": _agreement(findings.get("agreement")),
        "disagreements_": {
            found["view"]: np.array(found.get("samples", []), dtype=np.int64)
            for found in findings.get("disagreements", [])
        },
        "corruption_": {
            found["view"]: {
                "share": found["share"],
                "range": tuple(found["range"]) if "range" in found else None,
                "by_feature": _numbers(found["by_feature"]),
            }
            for found in findings.get("corruption", [])
        },
        # what took no time is not written down
        "seconds_": {part: run["seconds"].get(part, 0.0) for part in _SECONDS},
    }


def marker_columns(markers: str) -> dict[str, list[Any]]:
    """Markers as columns."""
    rows = json.loads(markers)
    return {name: [row[name] for row in rows] for name in _MARKER}


def _numbers(values: list[Any]) -> np.ndarray[Any, Any]:
    # JSON has no word for what is not finite
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _tree(joins: list[dict[str, Any]]) -> np.ndarray[Any, Any]:
    """As SciPy has it: the two that join, the height, and how many clusters of the run are in both."""
    sizes = [1] * (len(joins) + 1)
    for join in joins:
        sizes.append(sum(sizes[cluster] for cluster in join["clusters"]))
    rows = [[*join["clusters"], join["height"], size] for join, size in zip(joins, sizes[len(joins) + 1 :])]
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def _readings(found: Optional[dict[str, Any]]) -> Optional[dict[str, Any]]:
    if found is None:
        return None
    return {"kept": found["kept"], "returned": {one["reading"]: one["returned"] for one in found["tried"]}}


def _choice(found: Optional[dict[str, Any]]) -> Optional[dict[str, Any]]:
    if found is None:
        return None
    points = found["curves"]
    curves: dict[str, Any] = {"n_clusters": np.array([point["k"] for point in points], dtype=np.int64)}
    curves.update({name: _numbers([point[name] for point in points]) for name in _CURVES})
    candidates = [{"n_clusters": candidate["k"], "evidence": candidate["evidence"]} for candidate in found["candidates"]]
    return {"candidates": candidates, "answer": found.get("answer"), "curves": curves}


def _trace(rows: list[dict[str, Any]]) -> dict[str, Any]:
    trace: dict[str, Any] = {
        "iteration": np.array([row["iteration"] for row in rows], dtype=np.int64),
        "view": [row["view"] for row in rows],
    }
    trace.update({name: _numbers([row[name] for row in rows]) for name in ("objective", "residual", "change")})
    return trace


def _agreement(found: Optional[dict[str, Any]]) -> Optional[dict[str, np.ndarray[Any, Any]]]:
    if found is None:
        return None
    tables = {name: np.array(found[name]) for name in ("before", "after")}
    for name, values in found.get("with_consensus", {}).items():
        tables[f"consensus_{name}"] = np.array(values)
    return tables
