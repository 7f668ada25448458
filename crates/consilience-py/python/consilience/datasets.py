"""Data to try things with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from . import _native
from ._arguments import seed_of, whole_number
from ._files import as_bunch, as_tables

__all__ = ["load_digits", "make_blobs"]

_DIGITS = """2000 handwritten digits in two views, 200 of each class in order.

fou: 76 Fourier coefficients of the shape; fac: 216 profile correlations.
From the UCI data set "Multiple Features" (R. Duin), CC BY 4.0, as published."""


def load_digits(*, return_X_y: bool = False) -> Any:
    """Handwritten digits in two views, which come with the package.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(views, target)`` instead of a Bunch.

    Returns
    -------
    Bunch
        ``views`` (dict: ``fou``, 2000 x 76, and ``fac``, 2000 x 216), ``target``, ``target_names``, ``DESCR``.
    """
    digits: Bunch = as_bunch(_native.digits(), _DIGITS)
    return (digits.views, digits.target) if return_X_y else digits


def make_blobs(
    n_samples: int = 300,
    n_clusters: int = 3,
    n_features: Sequence[int] = (10, 20),
    *,
    separation: float = 8.0,
    random_state: Any = 0,
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.int64]]:
    """Gaussian clusters that every view sees with centres of its own.

    Parameters
    ----------
    n_samples, n_clusters : int
        Numbers of samples and of clusters, which are of equal size up to one.
    n_features : sequence of int, default=(10, 20)
        Number of features of each view.
    separation : float, default=8.0
        Distance between two centres, in standard deviations of the noise.
    random_state : int, RandomState instance or None, default=0
        Seed of the draw.

    Returns
    -------
    views : dict of arrays
        ``view1``, ``view2`` and so on.
    target : array of int
        The cluster of every sample.
    """
    samples, clusters = whole_number("n_samples", n_samples, 0), whole_number("n_clusters", n_clusters, 0)
    features = [whole_number("n_features", count, 0) for count in n_features]
    views, target = _native.make_blobs(samples, clusters, features, float(separation), seed_of(random_state))
    return as_tables(views), target
