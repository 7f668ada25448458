"""A view that is not in memory, and how many samples its blocks have."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import dask.array as da

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


def lengths_of(name: str, frame: Any, notes: list[Note]) -> list[int]:
    """How many rows every partition of a dask dataframe has: they are never known, and only its index is read for them."""
    lengths = [int(length) for length in frame.index.map_partitions(len).compute()]
    notes.append(counted(name, len(lengths)))
    return lengths
