"""The names of samples that are not in memory: the same in all views, or what views are joined by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray

from .. import _native
from .._labelled import as_text
from ._lazy import LazyView, Note, counted, of_index


def check_same(views: Sequence[LazyView]) -> None:
    """Refuses views whose samples are others, or in another order, with counts."""
    known = [(view.name, view.ids) for view in views if view.ids is not None]
    for name, ids in known[1:]:
        first, expected = known[0]
        if ids is expected:
            continue
        parts = [dask.delayed(_compared)(a, b) for a, b in zip(expected.to_delayed(), ids.to_delayed())]
        found = dask.delayed(_added)(parts).compute()
        if found["differ"] == 0:
            continue
        a, b = found["example"]
        what = "the same samples in another order" if found["first"] == found["other"] else "other samples"
        raise ValueError(
            f"{found['differ']} of {expected.shape[0]} rows of view `{name}` have other ids than view `{first}`, the first "
            f"`{b}` instead of `{a}`: it has {what}\n"
            'hint: join="inner" keeps the samples that every view has, join="outer" all of them; views that were written in one '
            "order need no join, which moves all of them"
        )


def _compared(first: NDArray[Any], other: NDArray[Any]) -> dict[str, Any]:
    """Rows with other ids, and numbers that are the same for the same ids in any order."""
    from pandas.util import hash_array

    differ = np.flatnonzero(first != other)
    example = (first[differ[0]], other[differ[0]]) if differ.size else None
    sums = [int(hash_array(ids, categorize=False).sum(dtype=np.uint64)) if ids.size else 0 for ids in (first, other)]
    return {"differ": int(differ.size), "first": sums[0], "other": sums[1], "example": example}


def _added(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    total = {name: sum(part[name] for part in parts) % 2**64 for name in ("differ", "first", "other")}
    return {**total, "example": next((part["example"] for part in parts if part["example"]), None)}


def joined_frames(
    tables: Sequence[tuple[str, Any]], how: str, notes: list[Note]
) -> tuple[Any, list[list[str]], list[int]]:
    """One dask dataframe of all views, matched by their index; the columns of every view in it; and its partitions' lengths.

    Samples come in an order of Dask's making: the same for the same data, and that of no view.
    """
    columns = [[f"{place}:{column}" for column in table.columns] for place, (_, table) in enumerate(tables)]
    merged: Optional[Any] = None
    for (_, table), inside in zip(tables, columns):
        renamed = table.rename(columns=dict(zip(table.columns, inside)))
        merged = renamed if merged is None else merged.merge(renamed, left_index=True, right_index=True, how=how)
    # what a partition gets arrives in any order
    assert merged is not None
    merged = merged.map_partitions(_sorted)
    names = [name for name, _ in tables]
    repeated = sum(of_index(merged, _repeated))
    if repeated:
        raise ValueError(f"{repeated} of the joined samples have an id that another one has: ids must be unique to join by them")
    lengths = of_index(merged, len)
    notes.append(counted(" and ".join(names), len(lengths)))
    listed = ", ".join(f"{sum(of_index(table, len))} of view `{name}`" for name, table in tables)
    notes.append(("reordered", None, f"views were joined by ids: {sum(lengths)} samples, of {listed}, in an order of their own (`ids_`)"))
    return merged, columns, lengths


def _sorted(part: Any) -> Any:
    return part.sort_index()


def _repeated(index: Any) -> int:
    return int(index.duplicated().sum())


def joined_rows(
    views: Sequence[LazyView], tables: Sequence[tuple[str, Any]], how: str, notes: list[Note]
) -> list[LazyView]:
    """Views whose ids are in memory (AnnData), matched by them, in the order of the first."""
    parts = [(name, as_text(table.obs_names), view.features) for (name, table), view in zip(tables, views)]
    ids, rows, found = _native.join(parts, how)
    notes.extend(found)
    joined = []
    for view, chosen in zip(views, rows):
        array = view.array if chosen is None else _rows(view, chosen)
        names = None if ids is None else da.from_array(np.array(ids, dtype=object), chunks=(array.chunks[0],))
        joined.append(view._replace(array=array, ids=names))
    return joined


def _rows(view: LazyView, rows: Sequence[Optional[int]]) -> da.Array:
    """Rows of a view; NaN for a sample that it does not have."""
    known = np.array([row is not None for row in rows])
    found = view.array[np.array([0 if row is None else row for row in rows], dtype=np.intp)]
    if known.all():
        return found
    if not isinstance(found._meta, np.ndarray):
        raise ValueError(f'view `{view.name}` is sparse and lacks {int((~known).sum())} samples: join="inner" leaves those out')
    kept = da.from_array(known, chunks=(found.chunks[0],))
    return da.where(kept[:, None], found, np.nan)
