"""The tasks of a run as Dask's graph. Every name says what a task is for: that is what the dashboard shows.

Everything is a dask array, also what is a single result: only arrays are optimised so that a block is read by the task that uses it, and
does not travel between workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Optional

import dask.array as da
import numpy as np
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
    account: da.Array


class Graph:
    """The tasks of one run over the blocks of some views. `token` tells them from those of other runs."""

    def __init__(
        self, views: LazyViews, n_jobs: Optional[int], token: str, rows: Optional[NDArray[np.int64]] = None
    ) -> None:
        self._arrays = [view.array for view in views.views]
        self._sizes, self._token = views.sizes, token
        self._about = _tasks.About.of(views, n_jobs, rows)
        self._told = _passed(self._name("about"), self._about, [])

    def fit(self, asked: Mapping[str, Any]) -> da.Array:
        """One task that clusters the samples that are read first, or all of them, gathered from their blocks."""
        parts = [self._gathered(view) for view in range(len(self._arrays))]
        if self._about.rows is None:
            what, work = "fit", partial(_tasks.fit_all, asked=dict(asked))
        else:
            what, work = "landmarks", partial(_tasks.fit_first, asked=dict(asked))
        return self._one(what, (work, [_keys(part)[0] for part in parts], self._told.key), [*parts, self._told])

    def small(self, found: da.Array) -> da.Array:
        """What the client is told of a fit."""
        return self._one("summary", (_tasks.small, _keys(found)[0]), [found])

    def cut(self, found: da.Array) -> da.Array:
        """The labels of a fit of all samples, by block."""
        ends = zip(self._about.firsts[:-1].tolist(), self._about.firsts[1:].tolist())
        tasks = [(_tasks.cut, _keys(found)[0], first, end) for first, end in ends]
        return self._blocks("label", tasks, [found], np.int64)

    def model(self, found: da.Array) -> Delayed:
        """The bytes of the model that a fit made."""
        return _passed(self._name("model"), (dict.__getitem__, _keys(found)[0], "model"), [found])

    def placed(self, model: Delayed, wanted: Sequence[str]) -> da.Array:
        """Everything that is wanted of every block's samples: a block of it is a dict, nothing to compute with."""
        work = partial(_tasks.place, wanted=tuple(wanted))
        return self._mapped("place", work, self._arrays, self._sizes, {"model": model, "about": self._told})

    def whole(self, placed: da.Array) -> Whole:
        """Labels numbered by first appearance among all samples, and the account of all blocks."""
        accounts = self._blocks("account", [(_tasks.account, key) for key in _keys(placed)], [placed], object)
        account = self._tree("merge", _tasks.merge, accounts)
        tasks = [(_tasks.number, key, _keys(account)[0]) for key in _keys(placed)]
        return Whole(self._blocks("label", tasks, [placed, account], np.int64), account)

    def field(self, placed: da.Array, name: str, dtype: Any, width: Optional[int] = None) -> da.Array:
        """One thing of what is known of every sample."""
        return self._blocks(name, [(dict.__getitem__, key, name) for key in _keys(placed)], [placed], dtype, width)

    def _gathered(self, view: int) -> da.Array:
        """The samples of a view that are read first, or all, in their order."""
        array, rows, ends = self._arrays[view], self._about.rows, self._about.firsts
        sizes = np.diff(ends if rows is None else np.searchsorted(rows, ends))
        work = partial(_tasks.pick, view=view)
        picked = self._mapped(f"pick-{view}", work, [array], tuple(sizes.tolist()), {"about": self._told})
        return self._tree(f"stack-{view}", _tasks.stack, picked)

    def _mapped(
        self, what: str, work: Any, arrays: Sequence[da.Array], sizes: Sequence[int], more: Mapping[str, Any]
    ) -> da.Array:
        """A task for every block, which also does what makes the block."""
        return da.map_blocks(
            work, *arrays, **more, name=self._name(what), chunks=(tuple(sizes), (1,)), dtype=object,
            meta=np.empty((0, 0), dtype=object),
        )

    def _tree(self, what: str, function: Any, parts: da.Array) -> da.Array:
        """Blocks put together a few at a time, in their order, whoever made them."""
        keys, tasks, level = _keys(parts), {}, 0
        while len(keys) > 1 or level == 0:
            groups = [keys[at : at + FAN_IN] for at in range(0, len(keys), FAN_IN)]
            level += 1
            keys = [(self._name(what), level, place) for place in range(len(groups))]
            tasks.update({key: (function, group) for key, group in zip(keys, groups)})
        tasks[(self._name(what), 0)] = tasks.pop(keys[0])
        return self._array(what, tasks, [parts], ((1,),), object)

    def _one(self, what: str, task: Any, dependencies: Sequence[da.Array]) -> da.Array:
        """One task, as an array of one block."""
        return self._array(what, {(self._name(what), 0): task}, dependencies, ((1,),), object)

    def _blocks(
        self, what: str, tasks: Sequence[Any], dependencies: Sequence[da.Array], dtype: Any, width: Optional[int] = None
    ) -> da.Array:
        """An array with the blocks of the views; a block's samples are its rows."""
        wide: tuple[int, ...] = () if width is None else (0,)
        layer = {(self._name(what), block, *wide): task for block, task in enumerate(tasks)}
        chunks = (self._sizes,) if width is None else (self._sizes, (width,))
        return self._array(what, layer, dependencies, chunks, dtype)

    def _array(self, what: str, layer: Any, dependencies: Sequence[da.Array], chunks: Any, dtype: Any) -> da.Array:
        graph = HighLevelGraph.from_collections(self._name(what), layer, dependencies=list(dependencies))
        return da.Array(graph, self._name(what), chunks=chunks, dtype=np.dtype(dtype))

    def _name(self, what: str) -> str:
        head, *tail = what.split("-")
        return "-".join(["consilience", head, self._token, *tail])


def _keys(array: da.Array) -> list[Any]:
    """The keys of the blocks, row by row."""
    return [(array.name, block, *(0,) * (array.ndim - 1)) for block in range(array.numblocks[0])]


def _passed(name: str, task: Any, dependencies: Sequence[Any]) -> Delayed:
    """A result that is passed to the task of every block. Its key is a text: of those with others, Dask (2026.8) loses sight."""
    return Delayed(name, HighLevelGraph.from_collections(name, {name: task}, dependencies=list(dependencies)))


def model_task(model: bytes, token: str) -> Delayed:
    """The bytes of a model as a task: the scheduler keeps them, and they are lost with no worker."""
    return _passed(f"consilience-model-{token}", model, [])
