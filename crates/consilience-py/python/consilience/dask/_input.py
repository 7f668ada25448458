"""Views that are not in memory, in their many forms, brought into one: dask arrays with the same blocks of rows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import dask.array as da
import numpy as np

from .._columns import split
from .._labelled import as_text, is_anndata
from .._views import several_views
from ._ids import check_same, joined_frames, joined_rows
from ._lazy import LazyView, Note, counted, frame_ids, frame_values, has_ids, is_frame, of_index
from ._paths import opened


class LazyViews(NamedTuple):
    """Views of the same samples in the same blocks, and what was done to bring them there."""

    views: list[LazyView]
    notes: list[Note]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many samples every block has."""
        return tuple(int(size) for size in self.views[0].array.chunks[0])

    @property
    def n(self) -> int:
        """How many samples there are."""
        return sum(self.sizes)

    @property
    def ids(self) -> Optional[da.Array]:
        """The names of the samples, where a view has some."""
        return next((view.ids for view in self.views if view.ids is not None), None)


def lazy_views(X: Any, view_columns: Any = None, join: str = "strict") -> LazyViews:
    """The views in `X`, with blocks of known sizes that are the same in all of them."""
    if join not in ("strict", "inner", "outer"):
        raise ValueError(f"parameter `join` = `{join}`: must be strict, inner or outer")
    notes: list[Note] = []
    several = _several(X)
    if several is None:
        views = _one_table(X, view_columns, notes)
        check_same(views)
        return _checked(LazyViews(views, notes))
    if view_columns is not None:
        raise ValueError("view_columns splits one array into views, but X is already several views")
    if not several:
        raise ValueError("X has no view: pass at least one")
    tables = opened(several)
    if join != "strict" and len(tables) > 1:
        views = _joined(tables, join, notes)
    else:
        views = _aligned([_view(name, table, notes) for name, table in tables], notes)
        check_same(views)
    return _checked(LazyViews(views, notes))


def _several(X: Any) -> Optional[list[tuple[str, Any]]]:
    """Names and tables, when `X` is several views and not one table."""
    if isinstance(X, (str, os.PathLike)):
        return None
    if isinstance(X, (list, tuple)) and X and all(isinstance(path, (str, os.PathLike)) for path in X):
        names = [os.path.splitext(os.path.basename(os.path.normpath(os.fspath(path))))[0] for path in X]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two of the files are called `{name}`: pass a dict with a name for every view")
        return list(zip(names, X))
    if isinstance(X, Mapping):
        return [(str(name), table) for name, table in X.items()]
    found = several_views(X)
    return None if found is None else [(str(name), table) for name, table in found]


def _one_table(X: Any, view_columns: Any, notes: list[Note]) -> list[LazyView]:
    """One table is one view, or several by its columns."""
    tables = opened([("view1", X)])
    if len(tables) > 1:
        return _aligned([_view(name, table, notes) for name, table in tables], notes)
    [view] = _aligned([_view(*tables[0], notes)], notes)
    if view_columns is None:
        return [view]
    views = []
    for name, columns in split(view.array.shape[1], view_columns, view.features):
        features = None if view.features is None else [str(one) for one in np.array(view.features, dtype=object)[columns]]
        # a choice of columns may cut the blocks
        views.append(LazyView(name, view.array[:, columns].rechunk({1: -1}), features, view.ids))
    return views


def _view(name: str, table: Any, notes: list[Note]) -> LazyView:
    """A table as a dask array whose blocks have known sizes."""
    if is_anndata(table):
        if not isinstance(table.X, da.Array):
            raise TypeError(
                f"view `{name}` is AnnData whose X is in memory ({type(table.X).__name__}): read it lazily "
                "(anndata.experimental.read_lazy), or use the estimators of `consilience`, which take it as it is"
            )
        array = _known_blocks(name, table.X, notes)
        ids = da.from_array(np.array(as_text(table.obs_names), dtype=object), chunks=(array.chunks[0],))
        return LazyView(name, array, [str(feature) for feature in table.var_names], ids)
    if is_frame(table):
        lengths = of_index(table, len)
        notes.append(counted(name, len(lengths)))
        ids = frame_ids(table, lengths) if has_ids(table) else None
        return _frame_view(name, table, lengths, ids)
    if not isinstance(table, da.Array):
        raise TypeError(
            f"view `{name}` is a {type(table).__module__}.{type(table).__name__}: consilience.dask takes dask arrays, dask dataframes, "
            "AnnData or MuData with dask arrays inside, and paths; what is in memory is for the estimators of `consilience`, or "
            "becomes a dask array by dask.array.from_array(x, chunks=(100_000, -1))"
        )
    if table.ndim != 2:
        raise ValueError(f"view `{name}` has {table.ndim} dimension(s): a view is a table, samples x features")
    return LazyView(name, _known_blocks(name, table, notes), None, None)


def _known_blocks(name: str, array: da.Array, notes: list[Note]) -> da.Array:
    """An array whose blocks have known sizes."""
    if not any(np.isnan(size) for sizes in array.chunks for size in sizes):
        return array
    notes.append(counted(name, len(array.chunks[0])))
    # in a copy: the user's array stays as it is
    return array.copy().compute_chunk_sizes()


def _frame_view(name: str, table: Any, lengths: list[int], ids: Optional[da.Array]) -> LazyView:
    """A dask dataframe as a dask array: its columns must be numbers."""
    text = [str(column) for column, dtype in table.dtypes.items() if getattr(dtype, "kind", "O") not in "fiub"]
    if text:
        listed = ", ".join(f"`{column}`" for column in text[:5])
        raise ValueError(
            f"view `{name}` has {len(text)} column(s) that are no numbers: {listed}; make the one with ids the index (set_index), and "
            "drop the others"
        )
    return LazyView(name, frame_values(table, lengths), [str(column) for column in table.columns], ids)


def _aligned(views: list[LazyView], notes: list[Note]) -> list[LazyView]:
    """The views in the blocks of the first, every row in one block."""
    first, found = views[0], []
    for view in views[1:]:
        if view.array.shape[0] != first.array.shape[0]:
            raise ValueError(
                f"view `{view.name}` has {view.array.shape[0]} samples and view `{first.name}` has {first.array.shape[0]}: rows must be "
                'the same samples; join="inner" or "outer" matches dataframes and AnnData by their ids'
            )
    rows = first.array.chunks[0]
    for view in views:
        same_rows, whole = view.array.chunks[0] == rows, view.array.numblocks[1] <= 1
        if not same_rows or not whole:
            why = f"are not those of view `{first.name}`" if not same_rows else "do not hold whole rows"
            notes.append(("chunks", view.name, f"view `{view.name}`: its blocks {why}, so it is cut anew, which costs a copy of it"))
            ids = None if view.ids is None else view.ids.rechunk((rows,))
            view = view._replace(array=view.array.rechunk((rows, -1)), ids=ids)
        found.append(view)
    return found


def _joined(tables: list[tuple[str, Any]], join: str, notes: list[Note]) -> list[LazyView]:
    """Views with the same samples in the same order, matched by their ids."""
    if all(is_frame(table) and has_ids(table) for _, table in tables):
        merged, columns, lengths = joined_frames(tables, join, notes)
        ids = frame_ids(merged, lengths)
        return [
            _frame_view(name, merged[inside].rename(columns=dict(zip(inside, table.columns))), lengths, ids)
            for (name, table), inside in zip(tables, columns)
        ]
    if all(is_anndata(table) for _, table in tables):
        return _aligned(joined_rows([_view(name, table, notes) for name, table in tables], tables, join, notes), notes)
    lacking = [name for name, table in tables if not is_anndata(table) and not (is_frame(table) and has_ids(table))]
    why = f"view(s) {', '.join(lacking)} have none" if lacking else "dataframes and AnnData are not joined with each other"
    raise ValueError(f'join="{join}" matches samples by their ids, and {why}; ids are a named index of a dask dataframe, or obs_names')


def _checked(views: LazyViews) -> LazyViews:
    if views.n == 0:
        raise ValueError("X has no samples: every block of it is empty")
    for view in views.views:
        if view.array.shape[1] == 0:
            raise ValueError(f"view `{view.name}` has no features")
    return views
