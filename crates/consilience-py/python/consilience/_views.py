"""Input in its many forms, brought into the one that Rust reads: named views, C-contiguous or sparse, floats."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from . import _native
from ._columns import split
from ._labelled import as_text, check_labelled_dimensions, features_of_labelled, is_anndata, is_labelled, of_labelled, sample_names
from ._precomputed import check_names, in_both_directions, kinds_of

if TYPE_CHECKING:
    from ._native import GivenView, Numbers

# Rust checks for missing and empty values itself: its message names the view, the row and the column
ACCEPT: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "order": "C",
    "ensure_all_finite": False,
    "ensure_min_samples": 0,
    "ensure_min_features": 0,
}


class Samples(NamedTuple):
    """Views of the same samples, and who these are."""

    views: list[GivenView]
    # names of the samples, when a table has some
    ids: Optional[list[str]] = None
    # their rows in the first table, when they are not all of them as they lie; None where it lacks one
    rows: Optional[list[Optional[int]]] = None
    # what was done to match them: kind, view, sentence
    notes: list[tuple[str, Optional[str], str]] = []
    # the views that are "affinity" or "distance" and not features
    precomputed: dict[str, str] = {}


def views_of(
    X: Any, view_columns: Any = None, estimator: Any = None, join: str = "strict", precomputed: Any = None
) -> Samples:
    """The views in `X`; `estimator`, when given, learns how many features there are and what they are called."""
    _refuse_what_is_no_table(X)
    several = several_views(X)
    if several is None:
        names = sample_names(X)
        ids = None if names is None else as_text(names)
        views = one_array(X, view_columns, estimator)
        kinds = kinds_of(precomputed, [name for name, _, _ in views])
        for name, _, features in views if kinds else []:
            check_names(name, ids, features)
        return Samples(views, ids, precomputed=kinds)
    if view_columns is not None:
        raise ValueError("view_columns splits one array into views, but X is already several views")
    check_labelled_dimensions(several)
    ids, rows, notes = _joined(several, join)
    kinds = kinds_of(precomputed, [str(name) for name, _ in several])
    views = []
    for (name, table), chosen in zip(several, rows):
        _check_dimensions(name, table)
        with _values_named(f"view `{name}`: ", table):
            numbers = check_array(_matrix(table), input_name=f"view `{name}`", **ACCEPT)
        features = _feature_names(table)
        if str(name) in kinds:
            names = sample_names(table)
            check_names(str(name), None if names is None else as_text(names), features)
            numbers = numbers if chosen is None else in_both_directions(numbers, chosen, picked)
        else:
            numbers = numbers if chosen is None else picked(numbers, chosen)
        views.append((str(name), for_rust(numbers), features))
    if estimator is not None:
        estimator.n_features_in_ = sum(width_of(numbers) for _, numbers, _ in views)
    return Samples(views, ids, rows[0] if rows else None, notes, kinds)


def picked(numbers: Any, rows: Sequence[int | None]) -> Any:
    """Rows of a matrix; one of missing values, for a sample that the view does not know, where there is none."""
    if all(row is not None for row in rows):
        return numbers[np.array(rows, dtype=np.intp)]
    known = np.array([row is not None for row in rows])
    found = numbers[np.array([row for row in rows if row is not None], dtype=np.intp)]
    if not _is_sparse(numbers):
        gaps = np.full((len(rows), numbers.shape[1]), np.nan, dtype=numbers.dtype)
        gaps[known] = found
        return gaps
    width = numbers.shape[1]
    lengths = np.full(len(rows), width)
    lengths[known] = np.diff(found.indptr)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    values = np.full(starts[-1], np.nan, dtype=numbers.dtype)
    columns = np.empty(starts[-1], dtype=np.int64)
    inside = np.repeat(known, lengths)
    values[inside], columns[inside] = found.data, found.indices
    columns[~inside] = np.tile(np.arange(width), int((~known).sum()))
    return type(numbers)((values, columns, starts), shape=(len(rows), width))


def is_several(X: Any) -> bool:
    """Whether `X` is several views and not one array."""
    return several_views(X) is not None


def width_of(numbers: Numbers) -> int:
    """How many features a view has."""
    return int(numbers[3][1] if isinstance(numbers, tuple) else numbers.shape[1])


def several_views(X: Any) -> list[tuple[str, Any]] | None:
    """Names and tables, when `X` is several views and not one array."""
    if _is_sparse(X):
        # one of SciPy's sparse matrices is a dict
        return None
    if _is_mudata(X):
        return list(X.mod.items())
    if isinstance(X, Mapping):
        return list(X.items())
    if isinstance(X, (list, tuple)) and (len(X) == 0 or _dimensions(X) >= 3):
        return [(f"view{place + 1}", table) for place, table in enumerate(X)]
    if isinstance(X, (list, tuple)) and len(getattr(X[0], "shape", ())) == 1:
        # as rows of one table they would be as many samples as there are arrays
        raise ValueError(
            f"X is a list of {len(X)} arrays of 1 dimension: if they are features of one view, pass np.column_stack(X); if each "
            "is a view of one feature, pass [x[:, None] for x in X]; if they are samples, pass np.stack(X)"
        )
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError("X is a lazy frame, which holds no numbers yet: pass X.collect()")
    if hasattr(X, "__next__"):
        raise TypeError("X is a generator, which can be read once only: pass a list or a dict of the views")
    return None


def one_array(X: Any, view_columns: Any, estimator: Any, reset: bool = True) -> list[GivenView]:
    """The views in one array; `estimator`, when given, learns its features, or checks them where it is not to `reset` them."""
    table = _plain(X)
    if estimator is None:
        array, features = check_array(table, **ACCEPT), _feature_names(table)
    else:
        # an array without samples or features is worded by scikit-learn, whose own checks read the words
        least = {"ensure_min_samples": 1, "ensure_min_features": 1}
        with _values_named("", table):
            array = validate_data(estimator, table, reset=reset, **{**ACCEPT, **least})
        names = getattr(estimator, "feature_names_in_", None)
        features = None if names is None else [str(name) for name in names]
    if view_columns is None:
        return [("view1", for_rust(array), features)]
    if estimator is not None and str(estimator.missing) == "refuse" and _holds_nan(array):
        raise ValueError(
            "X holds NaN: parameter `missing` says what becomes of missing values; samples that a view does not know are rows "
            "of NaN in a list or dict of the views, not in one array"
        )
    views: list[GivenView] = []
    for name, columns in split(array.shape[1], view_columns, features):
        chosen = None if features is None else list(np.array(features, dtype=object)[columns])
        views.append((name, for_rust(array[:, columns]), chosen))
    return views


def _holds_nan(array: Any) -> bool:
    numbers = array.data if _is_sparse(array) else array
    return bool(np.isnan(numbers).any())


def _plain(X: Any) -> Any:
    """AnnData and labelled arrays as what scikit-learn knows: a DataFrame with its names, or a matrix."""
    if is_labelled(X):
        return of_labelled(X)
    if not is_anndata(X):
        return _unmasked(X)
    return X.X if _is_sparse(X.X) else X.to_df()


def _matrix(table: Any) -> Any:
    if isinstance(table, (list, tuple)) and any(row is None for row in table):
        # a sample that the view does not know
        width = next((len(row) for row in table if row is not None), 0)
        return np.array([[np.nan] * width if row is None else row for row in table], dtype=float)
    if is_labelled(table):
        return table.values
    if not getattr(getattr(table, "columns", None), "is_unique", True):
        # scikit-learn would refuse columns of one name; they are told apart where their names are kept
        table = table.set_axis(range(table.shape[1]), axis=1)
    return table.X if is_anndata(table) else _unmasked(table)


def _unmasked(table: Any) -> Any:
    """Masked entries as missing values: without its mask an array holds whatever lies below."""
    return np.ma.filled(table.astype(float), np.nan) if isinstance(table, np.ma.MaskedArray) else table


def _refuse_what_is_no_table(X: Any) -> None:
    if isinstance(X, (str, os.PathLike)):
        raise TypeError(f"X is the name of a file: pass consilience.read({os.fspath(X)!r}).views")
    if X is None:
        raise TypeError("X is None: pass the views, a list or dict of arrays or DataFrames with a row per sample")


@contextmanager
def _values_named(where: str, table: Any) -> Iterator[None]:
    """Where the value is that cannot be read as a number; scikit-learn names neither view nor row nor column."""
    try:
        yield
    except (TypeError, ValueError) as error:
        place = _no_number(table)
        if place is None and where.rstrip(": ") in str(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        # the rest is the whole table
        words = str(error).partition("\n")[0]
        raise kind(f"{where}{place or ''}{words}") from error


@contextmanager
def sample_named(ids: Sequence[str] | None) -> Iterator[None]:
    """What the sample is called that an error of Rust's is about."""
    try:
        yield
    except ValueError as error:
        row = getattr(error, "row", None)
        if row is None or ids is None:
            raise
        what, newline, hint = str(error).partition("\n")
        raise ValueError(f"{what}: sample `{ids[row]}`{newline}{hint}") from None


def _no_number(table: Any) -> str | None:
    """The row and column of the first value that is none."""
    if len(getattr(table, "shape", ())) != 2 or _is_sparse(table) or is_anndata(table):
        return None
    if getattr(getattr(table, "dtype", None), "kind", "O") in "biufc":
        return None
    names, features = sample_names(table), _feature_names(table)
    for column, values in enumerate(np.asarray(table, dtype=object).T):
        for row, value in enumerate(values):
            if value is None or str(value) == "<NA>":
                # a missing value, which is told of elsewhere
                continue
            try:
                float(value)
            except (TypeError, ValueError):
                row_name = f"row `{names[row]}`" if names is not None else f"row {row + 1}"
                column_name = f"column `{features[column]}`" if features is not None else f"column {column + 1}"
                return f"{row_name}, {column_name} holds {value!r}, which is no number; leave such columns out or encode them: "
    return None


def _check_dimensions(name: str, table: Any) -> None:
    """Words for tables that are no tables; scikit-learn's do not name the view."""
    dimensions = len(table.shape) if hasattr(table, "shape") else 2
    if dimensions == 1:
        raise ValueError(f"view `{name}` has 1 dimension: pass x[:, None] if it is one feature, x[None] if it is one sample")
    if dimensions != 2:
        raise ValueError(f"view `{name}` has {dimensions} dimensions: a view is a table, samples x features")


def checksum(views: Sequence[GivenView]) -> int:
    """A number that other views would hardly have."""
    found = 0
    for name, numbers, _ in views:
        arrays = numbers[:3] if isinstance(numbers, tuple) else (numbers,)
        shape = numbers[3] if isinstance(numbers, tuple) else numbers.shape
        found = zlib.crc32(f"{name} {shape}".encode(), found)
        for array in arrays:
            found = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data, found)
    return found


def for_rust(array: Any) -> Numbers:
    """A dense array where it lies, if it lies well; the parts of a sparse one."""
    if not _is_sparse(array):
        dense: NDArray[np.floating[Any]] = np.require(array, requirements=["C", "A"])
        return dense
    if not array.has_canonical_format:
        array = array.copy()
        array.sum_duplicates()
    # what comes from another process may lie at any byte
    columns = np.require(array.indices, requirements=["C", "A"])
    if columns.dtype == np.int32:
        columns = columns.view(np.uint32)
    elif columns.size and columns.max() >= 2**32:
        raise ValueError(f"a sparse view has {array.shape[1]} columns; at most {2**32 - 1} are possible")
    starts = np.require(array.indptr, dtype=np.int64, requirements=["C", "A"])
    return np.require(array.data, requirements=["C", "A"]), columns.astype(np.uint32, copy=False), starts, array.shape


def _joined(several: Sequence[tuple[str, Any]], how: str) -> tuple[Any, list[Any], list[Any]]:
    """Ids, the rows of every table, and notes: tables that name their samples are matched by the names."""
    names = [sample_names(table) for _, table in several]
    known = [index for index in names if index is not None]
    if known and how == "strict" and all(len(known[0]) == len(index) and known[0].equals(index) for index in known[1:]):
        # the usual case: nothing to match, and no name has to become text twice
        return as_text(known[0]), [None] * len(several), []
    parts = [
        (str(name), None if index is None else as_text(index), _feature_names(table))
        for (name, table), index in zip(several, names)
    ]
    return _native.join(parts, how)


def _feature_names(table: Any) -> list[str] | None:
    if is_labelled(table):
        return features_of_labelled(table)
    names = table.var_names if is_anndata(table) else getattr(table, "columns", None)
    return None if names is None or callable(names) else [str(name) for name in names]


def _dimensions(X: Any) -> int:
    if hasattr(X, "shape"):
        return len(X.shape)
    return 1 + _dimensions(X[0]) if isinstance(X, (list, tuple)) and len(X) > 0 else int(isinstance(X, (list, tuple)))


def _is_sparse(table: Any) -> bool:
    return hasattr(table, "tocsr") and hasattr(table, "nnz")


def _is_mudata(table: Any) -> bool:
    return isinstance(getattr(table, "mod", None), Mapping) and hasattr(table, "obs_names")
