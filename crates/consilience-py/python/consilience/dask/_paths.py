"""Paths to what Dask reads a block at a time: .npy, Parquet, Zarr, AnnData and MuData. Every worker must be able to read them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

import dask.array as da
import numpy as np
from dask.base import tokenize
from numpy.typing import NDArray

# bytes of all views of .npy files that lie in one block
BLOCK_BYTES = 64 << 20


def opened(tables: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The tables, with paths replaced by what they lead to; a file of several modalities by all of them."""
    found: list[tuple[str, Any]] = []
    for name, table in tables:
        if not isinstance(table, (str, os.PathLike)):
            found.append((name, table))
            continue
        path = os.fspath(table)
        parts = _opened(path)
        if isinstance(parts, dict) and len(tables) > 1:
            raise ValueError(f"`{path}` holds several views ({', '.join(parts)}): pass it alone")
        found.extend(parts.items() if isinstance(parts, dict) else [(name, parts)])
    return _in_blocks(found)


def _opened(path: str) -> Any:
    """What a path leads to: a `_Npy`, a dask array or dataframe, AnnData, or a dict of AnnData."""
    if not os.path.exists(path) and "://" not in path:
        raise FileNotFoundError(f"`{path}` does not exist")
    ending = os.path.splitext(os.path.normpath(path))[1].lower()
    if ending == ".npy":
        return _Npy(path)
    if ending in (".parquet", ".parq", ".pq"):
        return _parquet(path)
    if ending == ".zarr":
        return _zarr(path)
    if ending in (".h5ad", ".h5mu"):
        import h5py

        return _annotated(h5py.File(path, "r"), path)
    raise ValueError(
        f"`{path}`: consilience.dask reads .npy, .parquet, .zarr, .h5ad and .h5mu by their paths; open others with Dask and pass the array "
        "or dataframe, or write Parquet first"
    )


class _Npy:
    """A .npy file: its shape is known, its rows are read by the workers."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        numbers = np.load(self.path, mmap_mode="r", allow_pickle=False)
        if numbers.ndim != 2:
            raise ValueError(f"`{path}` has {numbers.ndim} dimension(s): a view is a table, samples x features")
        self.shape, self.dtype = numbers.shape, numbers.dtype

    def array(self, rows: tuple[int, ...]) -> da.Array:
        """The file in blocks of these rows."""
        state = os.stat(self.path)
        token = tokenize(self.path, state.st_mtime_ns, state.st_size, rows)
        return da.map_blocks(
            _read_rows, path=self.path, chunks=(rows, (self.shape[1],)), dtype=self.dtype,
            meta=np.empty((0, 0), dtype=self.dtype), name=f"read-npy-{token}",
        )


def _read_rows(path: str, block_info: Any = None) -> NDArray[Any]:
    """The rows of a block, copied: a mapped file that shrinks ends the process that reads it."""
    first, end = block_info[None]["array-location"][0]
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False)[first:end], order="C")


def _in_blocks(tables: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """.npy files in the blocks of the first dask array beside them, or in blocks of their own that are the same for all."""
    files = [table for _, table in tables if isinstance(table, _Npy)]
    if not files:
        return tables
    beside = next((table.chunks[0] for _, table in tables if isinstance(table, da.Array)), None)
    width = sum(file.shape[1] * file.dtype.itemsize for file in files)

    def blocks(file: _Npy) -> tuple[int, ...]:
        if beside is not None and sum(beside) == file.shape[0]:
            return tuple(beside)
        rows = max(1, BLOCK_BYTES // max(width, 1))
        return tuple(min(rows, file.shape[0] - first) for first in range(0, file.shape[0], rows)) or (0,)

    return [(name, table.array(blocks(table)) if isinstance(table, _Npy) else table) for name, table in tables]


def _parquet(path: str) -> Any:
    """A dask dataframe. Where the file has no index of its own, its one column of text is the ids."""
    import dask.dataframe as dd

    from ._lazy import has_ids

    frame = dd.read_parquet(path)
    text = [column for column, dtype in frame.dtypes.items() if getattr(dtype, "kind", "O") not in "fiubMm"]
    if has_ids(frame) or len(text) != 1:
        return frame
    # rows stay where they are: Dask's own `set_index` would sort them
    return frame.map_partitions(_indexed, text[0])


def _indexed(part: Any, column: str) -> Any:
    return part.set_index(column)


def _zarr(path: str) -> Any:
    """A dask array, or AnnData or MuData that was written as Zarr."""
    import zarr

    found = zarr.open(path, mode="r")
    if hasattr(found, "shape"):
        return da.from_zarr(path)
    return _annotated(found, path)


def _annotated(group: Any, path: str) -> Any:
    """AnnData read lazily; for MuData, one by modality."""
    kind: Optional[str] = group.attrs.get("encoding-type")
    if kind not in ("anndata", "MuData"):
        raise ValueError(f"`{path}` holds neither AnnData nor MuData nor one array: open the part that is a view, and pass it")
    from anndata.experimental import read_lazy

    if kind == "anndata":
        return read_lazy(group)
    return {str(name): read_lazy(group["mod"][name]) for name in group["mod"]}
