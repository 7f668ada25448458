"""Views that are affinities or distances of the samples instead of features: which ones, and what holds of their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

KINDS = ("affinity", "distance")


def kinds_of(given: Any, views: Sequence[str]) -> dict[str, str]:
    """What each precomputed view is, by its name: one word says it of all views, a dict of some."""
    if given is None:
        return {}
    kinds = {str(name): kind for name, kind in given.items()} if isinstance(given, Mapping) else dict.fromkeys(views, given)
    for name, kind in kinds.items():
        if name not in views:
            raise ValueError(f"parameter `precomputed`: there is no view `{name}`, only {', '.join(views)}")
        if kind not in KINDS:
            raise ValueError(f"parameter `precomputed`: view `{name}` is {kind!r}; must be 'affinity' or 'distance'")
    return kinds


def check_metric(metric: Any) -> None:
    """scikit-learn's word for it: which of its two meanings is meant has to be said."""
    if isinstance(metric, str) and metric == "precomputed":
        raise ValueError(
            "metric = 'precomputed': say what was computed, precomputed='distance' or precomputed='affinity', or of which views: "
            "precomputed={'name': 'affinity'}"
        )


def check_names(name: str, rows: Any, columns: Sequence[str] | None) -> None:
    """Refuses a square table whose rows and columns name the same samples in different orders."""
    if rows is None or columns is None or list(rows) == list(columns) or set(rows) != set(columns):
        return
    raise ValueError(
        f"view `{name}` is precomputed, and its columns are not in the order of its rows: pass table.loc[names, names]"
    )


def in_both_directions(numbers: Any, rows: Sequence[int | None], picked: Any) -> Any:
    """The rows and the columns of a square matrix; missing values where a sample is not in it."""
    if len(numbers.shape) != 2 or numbers.shape[0] != numbers.shape[1]:
        return picked(numbers, rows)  # refused by Rust, in its words
    half = picked(numbers, rows)
    turned = half.T.tocsr() if hasattr(half, "tocsr") else np.ascontiguousarray(half.T)
    both = picked(turned, rows).T
    return both.tocsr() if hasattr(both, "tocsr") else np.ascontiguousarray(both)
