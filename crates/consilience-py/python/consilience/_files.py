"""Files to arrays, with the readers of the command line."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.utils import Bunch

from . import _native
from ._warnings import tell, warning_of

if TYPE_CHECKING:
    from ._native import GivenView


Path = Union[str, "os.PathLike[str]"]


def read(
    path: Union[Path, Sequence[Path]],
    *,
    id_column: Optional[str] = None,
    label_column: Optional[str] = None,
    views: Optional[Sequence[str]] = None,
    drop_columns: Sequence[str] = (),
    one_hot: Sequence[str] = (),
    transpose: Union[bool, Sequence[str]] = False,
    truth: Optional[Path] = None,
    join: str = "strict",
    missing: str = "refuse",
) -> Bunch:
    """Read the views in a file, or in several files whose samples are matched by id.

    The content of a file decides its format: .npy, .npz, .csv, .tsv, .mat (v5, v7.3), .parquet, .h5, .h5ad or .h5mu, plain
    or packed by gzip or zstd.

    Parameters
    ----------
    path : str or path, or a list of them
        The file; a pipe or FIFO is read to its end. A list is read as the command line's ``consilience cluster A B`` reads it: samples are matched by their
        ids where the files have ids, and values must not be missing.
    id_column, label_column : str, optional
        Columns of text tables and Parquet that hold the samples' ids and labels: a name, or a number from 1. The id
        column "none" is no column. In .h5ad and .h5mu columns of ``obs``.
    views : sequence of str, optional
        The views to read, in this order. Files that hold more than they give by themselves have others by name:
        ``["rna:X_pca", "prot"]`` are an entry of ``obsm`` or ``layers`` of one modality and the ``X`` of another; in .h5ad
        the part is the file's own name, and may be left out.
    drop_columns, one_hot : list of str
        Columns to leave out, and columns that become a column of 0 and 1 for each of their values.
    transpose : bool or list of str
        Rows are features and columns are samples: in all files, or in those of these names.
    truth : str or path, optional
        A file with the true labels, for a list of files.
    join : {"strict", "inner", "outer"}
        Which samples of a list of files are kept when the files do not have the same ones.
    missing : {"refuse", "impute", "drop-samples", "drop-features"}
        What becomes of missing values in a list of files. A single file is read as it is.

    Returns
    -------
    Bunch
        ``views`` (dict of arrays or sparse matrices, in the order of the files), ``target`` (codes of the labels, or
        None), ``target_names``, ``ids`` (or None) and ``feature_names`` (dict, for the views that have them).
    """
    turned = [] if transpose is True else None if transpose is False else [str(name) for name in transpose]
    options = {
        "id_column": id_column,
        "label_column": label_column,
        "drop_columns": [str(name) for name in drop_columns],
        "one_hot": [str(name) for name in one_hot],
        "transpose": turned,
        "views": [] if views is None else [str(name) for name in views],
    }
    if isinstance(path, (str, os.PathLike)):
        if truth is not None or join != "strict" or missing != "refuse":
            raise ValueError("truth, join and missing are for a list of files: read([path], ..)")
        loaded = _native.read(os.fspath(path), options)
    else:
        loaded = _native.load([os.fspath(one) for one in path], options, truth, join, missing)
    tell(warning_of(*note) for note in loaded["notes"])
    return as_bunch(loaded)


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
