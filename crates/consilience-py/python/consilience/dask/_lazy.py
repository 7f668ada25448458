"""A view that is not in memory, how many samples its blocks have, and dask dataframes as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph
from numpy.typing import NDArray

from .._labelled import as_text

# kind, view, sentence
Note = tuple[str, Optional[str], str]


class LazyView(NamedTuple):
    """A view: rows in blocks, all columns of a row in one of them once views are aligned."""

    name: str
    array: da.Array
    # names of the columns, and of the samples (texts), where it has some
    features: Optional[list[str]]
    ids: Optional[da.Array]


def counted(name: str, count: int) -> Note:
    """The word about blocks whose sizes nobody knew."""
    detail = f"view `{name}`: how many samples its {count} block(s) have was not known and was counted, which costs a pass over it"
    return ("chunks", name, detail)


def is_frame(table: Any) -> bool:
    """Whether it is a dask dataframe."""
    return hasattr(table, "npartitions") and hasattr(table, "map_partitions") and hasattr(table, "columns")


def has_ids(frame: Any) -> bool:
    """Whether the index names samples. Whole numbers without a name are what a frame has that nobody gave an index; they begin
    anew in every part of a Parquet file."""
    return frame.index.name is not None or getattr(frame.index.dtype, "kind", "O") not in "iu"


def of_index(frame: Any, function: Callable[[Any], int]) -> list[int]:
    """A number of every partition's index, such as its length; of the frame no more is read."""
    return [int(found) for found in dask.compute(*(dask.delayed(function)(part) for part in _parts(frame.index)))]


def frame_ids(frame: Any, lengths: Sequence[int]) -> da.Array:
    """The index of a dask dataframe as an array of texts."""
    return _array("ids", _parts(frame.index), _texts, (tuple(lengths),), np.dtype(object))


def frame_values(frame: Any, lengths: Sequence[int]) -> da.Array:
    """The numbers of a dask dataframe."""
    chunks = (tuple(lengths), (len(frame.columns),))
    return _array("values", _parts(frame), _values, chunks, frame._meta.to_numpy().dtype)


def _parts(frame: Any) -> Any:
    """The partitions as they are: when Dask optimises the reading of few columns, it puts partitions together."""
    return frame.simplify().to_delayed(optimize_graph=False)


def _array(what: str, parts: Sequence[Any], function: Any, chunks: Any, dtype: Any) -> da.Array:
    name = f"consilience-{what}-" + tokenize([part.key for part in parts])
    zeros = (0,) * (len(chunks) - 1)
    layer = {(name, at, *zeros): (function, part.key) for at, part in enumerate(parts)}
    # all parts have one graph
    graph = HighLevelGraph.from_collections(name, layer, dependencies=parts[:1])
    return da.Array(graph, name, chunks=chunks, dtype=dtype)


def _texts(index: Any) -> NDArray[Any]:
    return np.array(as_text(index), dtype=object)


def _values(part: Any) -> NDArray[Any]:
    numbers: NDArray[Any] = part.to_numpy()
    return numbers
