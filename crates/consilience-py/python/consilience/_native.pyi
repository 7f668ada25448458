"""What the compiled module offers to the rest of the package; not for users."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

__version__: str

# values, indices, indptr, shape
SparseParts = tuple[NDArray[np.floating[Any]], NDArray[np.uint32], NDArray[np.int64], tuple[int, int]]
Numbers = Union[NDArray[np.floating[Any]], SparseParts]
# name, numbers, names of the columns
GivenView = tuple[str, Numbers, Optional[list[str]]]

class Operator:
    def __init__(self, parts: Any) -> None: ...
    @property
    def size(self) -> int: ...
    def apply(self, block: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def parts(self) -> Any: ...

def methods() -> str: ...
def address(given: Numbers) -> int: ...
def fit(
    given: Sequence[GivenView], asked: Mapping[str, Any], progress: Callable[[str, int, int], None] | None
) -> dict[str, Any]: ...
def report(
    given: Sequence[GivenView],
    asked: Mapping[str, Any],
    options: Mapping[str, Any],
    progress: Callable[[str, int, int], None] | None,
) -> str: ...
def write_run(
    folder: str | os.PathLike[str],
    record: str,
    labels: NDArray[np.int64],
    embedding: NDArray[np.float64],
    ids: Sequence[str] | None,
    truth: Sequence[str] | None,
    force: bool,
) -> None: ...
def score(predicted: NDArray[np.int64], truth: NDArray[np.int64]) -> dict[str, float]: ...
def join(
    given: Sequence[tuple[str, list[str] | None, list[str] | None]], how: str
) -> tuple[list[str] | None, list[list[int | None] | None], list[tuple[str, str | None, str]]]: ...
def read(path: str | os.PathLike[str], options: Mapping[str, Any]) -> dict[str, Any]: ...
def load(
    files: Sequence[str | os.PathLike[str]],
    options: Mapping[str, Any],
    truth: str | os.PathLike[str] | None,
    join: str,
    missing: str,
) -> dict[str, Any]: ...
def digits() -> dict[str, Any]: ...
def make_blobs(
    samples: int, clusters: int, features: Sequence[int], separation: float, seed: int
) -> tuple[list[GivenView], NDArray[np.int64]]: ...
def corrupt(
    given: Sequence[GivenView], scale: str, fraction: float, mode: str, amplitude: float, seed: int
) -> list[GivenView]: ...
