"""The affinity as SciPy sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from ._native import Operator


class Affinity(LinearOperator):  # type: ignore[misc]
    """The normalised affinity that the views agreed on: symmetric, n x n, never written out.

    ``affinity @ x`` multiplies in Rust with all cores; ``scipy.sparse.linalg.eigsh(affinity, k)`` works. It pickles as
    its numbers: sparse, dense or low-rank matrices and sums of them.
    """

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        super().__init__(dtype=np.dtype(np.float64), shape=(operator.size, operator.size))

    def _matmat(self, X: Any) -> NDArray[np.float64]:
        return self._operator.apply(np.require(X, dtype=np.float64, requirements=["C", "A"]))

    def _matvec(self, x: Any) -> NDArray[np.float64]:
        return self._matmat(np.reshape(x, (-1, 1))).ravel()

    def _adjoint(self) -> Affinity:
        return self

    def _transpose(self) -> Affinity:
        return self

    def __reduce__(self) -> Any:
        return _restored, (self._operator.parts(),)


def _restored(parts: Any) -> Affinity:
    return Affinity(Operator(parts))
