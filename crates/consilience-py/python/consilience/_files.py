"""Files to arrays, with the readers of the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch

from . import _native

if TYPE_CHECKING:
    from ._native import GivenView


def read(
    path: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    label_column: str | None = None,
    views: Sequence[str] | None = None,
) -> Bunch:
    """Read the views in a file: .npy, .npz, .csv, .tsv, .mat (v5, v7.3), .parquet, .h5, .h5ad or .h5mu, plain or packed
    by gzip or zstd; its content decides which.

    Parameters
    ----------
    path : str or path
        The file; a pipe or FIFO is read to its end.
    id_column, label_column : str, optional
        Columns of text tables and Parquet that hold the samples' ids and labels: a name, or a number from 1. In .h5ad and
        .h5mu columns of ``obs``.
    views : sequence of str, optional
        The views to read from a file that holds more than it gives by itself: ``["rna:X_pca", "prot"]`` are an entry of
        ``obsm`` or ``layers`` of one modality and the ``X`` of another; in .h5ad the part is the file's own name, and may
        be left out.

    Returns
    -------
    Bunch
        ``views`` (dict of arrays or sparse matrices, in the order of the file), ``target`` (codes of the labels, or
        None), ``target_names``, ``ids`` (or None) and ``feature_names`` (dict, for the views that have them).
    """
    asked = None if views is None else list(views)
    return as_bunch(_native.read(os.fspath(path), id_column, label_column, asked))


def as_bunch(loaded: dict[str, Any], description: str = "") -> Bunch:
    """What Rust loaded, as scikit-learn's loaders return it."""
    target, target_names = loaded["labels"] or (None, None)
    return Bunch(
        views={name: as_table(numbers) for name, numbers, _ in loaded["views"]},
        target=target,
        target_names=None if target_names is None else np.array(target_names),
        ids=None if loaded["ids"] is None else np.array(loaded["ids"]),
        feature_names={name: names for name, _, names in loaded["views"] if names is not None},
        DESCR=description,
    )


def as_table(numbers: Any) -> Any:
    """An array as it is; the parts of a sparse matrix put together."""
    if not isinstance(numbers, tuple):
        return numbers
    from scipy.sparse import csr_matrix

    values, indices, indptr, shape = numbers
    return csr_matrix((values, indices.astype(np.int64), indptr), shape=shape)


def as_tables(views: list[GivenView]) -> dict[str, Any]:
    """Views by name."""
    return {name: as_table(numbers) for name, numbers, _ in views}
