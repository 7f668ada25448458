"""How well clusters match known classes. Labels are names of any kind; 1 is perfect.

All functions take the true labels first, as scikit-learn's do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native

__all__ = ["accuracy", "ari", "fscore", "nmi", "purity", "scores"]


def accuracy(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of samples in the right class under the best one-to-one assignment of clusters to classes."""
    return scores(labels_true, labels_pred)["accuracy"]


def nmi(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Normalised mutual information, with the geometric mean of the entropies."""
    return scores(labels_true, labels_pred)["nmi"]


def ari(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Adjusted Rand index."""
    return scores(labels_true, labels_pred)["ari"]


def purity(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """Share of samples in their cluster's majority class."""
    return scores(labels_true, labels_pred)["purity"]


def fscore(labels_true: ArrayLike, labels_pred: ArrayLike) -> float:
    """F-score over the pairs of samples that are put together."""
    return scores(labels_true, labels_pred)["fscore"]


def scores(labels_true: ArrayLike, labels_pred: ArrayLike) -> dict[str, float]:
    """All five, by name.

    >>> scores(["a", "a", "b"], [1, 1, 0])["accuracy"]
    1.0
    """
    return _native.score(_codes(labels_pred, "labels_pred"), _codes(labels_true, "labels_true"))


def _codes(labels: Any, name: str) -> NDArray[np.int64]:
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(f"{name} must be a list with a label per sample, not an array of {labels.ndim} dimensions")
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
