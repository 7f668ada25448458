"""The tasks of a run as Dask's graph. Every name says what a task is for: that is what the dashboard shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Optional

import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import NDArray

from . import _tasks
from ._input import LazyViews

# so many results are put together by one task, and so many of those by the next
FAN_IN = 32


class Whole(NamedTuple):
    """A fit by landmarks: labels by block, and the account of all blocks."""

    labels: da.Array
    account: Delayed


class Graph:
    """The tasks of one run over the blocks of some views. `token` tells them from those of other runs."""

    def __init__(self, views: LazyViews, about: _tasks.About, token: Optional[str] = None) -> None:
        self._arrays = [view.array for view in views.views]
        self._sizes: tuple[int, ...] = views.sizes
        self._firsts = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)
        self._token = tokenize([array.name for array in self._arrays], about) if token is None else token
        self._about = self._one("about", about, [])

    def fit(self, asked: Mapping[str, Any], rows: Optional[NDArray[np.int64]]) -> Delayed:
        """One task that clusters the samples `rows`, or all of them, gathered from their blocks."""
        n = int(self._firsts[-1])
        chosen = np.arange(n) if rows is None else rows
        parts = [self._gathered(view, chosen) for view in range(len(self._arrays))]
        keys = [part.key for part in parts]
        if rows is None:
            what, work = "fit", partial(_tasks.fit_all, asked=dict(asked))
        else:
            what, work = "landmarks", partial(_tasks.fit_first, n=n, asked=dict(asked))
        return self._one(what, (work, keys, self._about.key), [*parts, self._about])

    def small(self, found: Delayed) -> Delayed:
        """What the client is told of a fit."""
        return self._one("summary", (_tasks.small, found.key), [found])

    def cut(self, found: Delayed) -> da.Array:
        """The labels of a fit of all samples, by block."""
        tasks = [(_tasks.cut, found.key, int(first), size) for first, size in zip(self._firsts, self._sizes)]
        return self._array("label", tasks, [found], np.dtype(np.int64))

    def placed(self, found: Delayed, wanted: Sequence[str]) -> da.Array:
        """Everything that is wanted of every block's samples, by block: a block of it is a dict, nothing to compute with."""
        work, tasks = partial(_tasks.place, wanted=tuple(wanted)), []
        for block, first in enumerate(self._firsts[:-1]):
            blocks = [(array.name, block, 0) for array in self._arrays]
            tasks.append((work, blocks, int(first), found.key, self._about.key))
        return self._array("place", tasks, [*self._arrays, found, self._about], np.dtype(object))

    def whole(self, placed: da.Array) -> Whole:
        """Labels numbered by first appearance among all samples, and the account of all blocks."""
        tasks = [(_tasks.account, key) for key in _keys(placed)]
        accounts = self._array("account", tasks, [placed], np.dtype(object))
        account = self._tree("merge", _tasks.merge, _keys(accounts), accounts)
        numbered = [(_tasks.number, key, account.key) for key in _keys(placed)]
        return Whole(self._array("label", numbered, [placed, account], np.dtype(np.int64)), account)

    def field(self, placed: da.Array, name: str, dtype: Any, width: Optional[int] = None) -> da.Array:
        """One thing of what is known of every sample."""
        tasks = [(dict.__getitem__, key, name) for key in _keys(placed)]
        return self._array(name, tasks, [placed], np.dtype(dtype), width)

    def _gathered(self, view: int, rows: NDArray[np.int64]) -> Delayed:
        """Some samples of a view, from their blocks, in their order."""
        array, tasks = self._arrays[view], []
        ends = np.searchsorted(rows, self._firsts)
        for block, first in enumerate(self._firsts[:-1]):
            inside = rows[ends[block] : ends[block + 1]]
            if inside.size:
                tasks.append((_tasks.pick, (array.name, block, 0), int(first), inside, view, self._about.key))
        name = f"consilience-pick-{self._token}-{view}"
        picked = {(name, at): task for at, task in enumerate(tasks)}
        graph = HighLevelGraph.from_collections(name, picked, dependencies=[array, self._about])
        return self._tree(f"stack-{view}", _tasks.stack, list(picked), Delayed(next(iter(picked)), graph, layer=name))

    def _tree(self, what: str, function: Any, keys: Sequence[Any], of: Any) -> Delayed:
        """Results put together a few at a time, in their order, whoever made them."""
        name, tasks, level = self._name(what), {}, 0
        while len(keys) > 1 or level == 0:
            groups = [list(keys[at : at + FAN_IN]) for at in range(0, len(keys), FAN_IN)]
            keys = [(name, level, place) for place in range(len(groups))]
            tasks.update({key: (function, group) for key, group in zip(keys, groups)})
            level += 1
        graph = HighLevelGraph.from_collections(name, tasks, dependencies=[of])
        return Delayed(keys[0], graph, layer=name)

    def _one(self, what: str, task: Any, dependencies: Sequence[Any]) -> Delayed:
        name = self._name(what)
        return Delayed(name, HighLevelGraph.from_collections(name, {name: task}, dependencies=list(dependencies)))

    def _array(
        self, what: str, tasks: Sequence[Any], dependencies: Sequence[Any], dtype: Any, width: Optional[int] = None
    ) -> da.Array:
        """An array with the blocks of the views; a block's samples are its rows."""
        name = self._name(what)
        wide = () if width is None else (0,)
        layer = {(name, block, *wide): task for block, task in enumerate(tasks)}
        graph = HighLevelGraph.from_collections(name, layer, dependencies=list(dependencies))
        chunks = (self._sizes,) if width is None else (self._sizes, (width,))
        return da.Array(graph, name, chunks=chunks, dtype=dtype)

    def _name(self, what: str) -> str:
        head, *tail = what.split("-")
        return "-".join(["consilience", head, self._token, *tail])


def _keys(array: da.Array) -> list[Any]:
    return [(array.name, block) for block in range(array.numblocks[0])]


def bytes_of_model(model: bytes, token: str) -> Delayed:
    """A model as a task: it is kept by the scheduler and lost with no worker."""
    name = f"consilience-model-{token}"
    return Delayed(name, HighLevelGraph.from_collections(name, {name: model}, dependencies=[]))
