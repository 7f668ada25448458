"""`view_columns`: which columns of one array belong to which view."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np


def split(width: int, view_columns: Any, names: list[str] | None) -> list[tuple[str, Any]]:
    """A name and the columns (a slice, or whole numbers) for every view of an array with `width` columns."""
    named = isinstance(view_columns, Mapping)
    if not named and (isinstance(view_columns, str) or not hasattr(view_columns, "__iter__")):
        raise ValueError(f"view_columns = {view_columns!r}: must be a list with the columns of each view, or a dict")
    entries = list(view_columns.values() if named else view_columns)
    titles = [str(name) for name in view_columns] if named else [f"view{place + 1}" for place in range(len(entries))]
    if entries and all(isinstance(entry, numbers.Integral) and not isinstance(entry, bool) for entry in entries):
        selected = _by_size(width, [int(entry) for entry in entries])
    else:
        selected = [_columns(width, title, entry, names) for title, entry in zip(titles, entries)]
    return list(zip(titles, selected))


def _by_size(width: int, sizes: list[int]) -> list[Any]:
    """Sizes: the views lie one after the other."""
    if min(sizes) < 1 or sum(sizes) != width:
        raise ValueError(
            f"view_columns = {sizes}: sizes of at least 1 that add up to the columns of X, which has {width} feature(s)"
        )
    ends = np.cumsum(sizes)
    return [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes)]


def _columns(width: int, title: str, entry: Any, names: list[str] | None) -> Any:
    """One view: a slice, a mask, column numbers, or column names of a DataFrame."""
    if isinstance(entry, slice):
        if len(range(width)[entry]) == 0:
            raise ValueError(f"view_columns: view `{title}` has no columns, because X has {width} feature(s)")
        return entry
    chosen = np.asarray(entry)
    if chosen.ndim != 1 or chosen.size == 0:
        raise ValueError(f"view_columns: view `{title}` must be a slice or a list with at least one column")
    if chosen.dtype == bool and chosen.size == width and chosen.any():
        return np.flatnonzero(chosen)
    if chosen.dtype.kind in "iu" and chosen.min() >= -width and chosen.max() < width:
        return chosen % width
    if chosen.dtype.kind in "OU" and names is not None:
        unknown = [name for name in chosen if str(name) not in names]
        if not unknown:
            return np.array([names.index(str(name)) for name in chosen])
        raise ValueError(f"view_columns: view `{title}` names `{unknown[0]}`, which is no column of X")
    raise ValueError(f"view_columns: view `{title}` has columns that X, which has {width} feature(s), does not have")
