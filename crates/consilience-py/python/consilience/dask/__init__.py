"""The estimators of :mod:`consilience` for samples that are beyond one machine's memory, on Dask.

>>> import dask.array as da
>>> from consilience import datasets
>>> from consilience.dask import SLRMF
>>> views, target = datasets.make_blobs(600, 3, random_state=0)
>>> views = {name: da.from_array(view, chunks=(100, -1)) for name, view in views.items()}
>>> SLRMF(n_clusters=3, random_state=0, landmarks=200).fit(views).labels_
dask.array<consilience-label, shape=(600,), dtype=int64, chunksize=(100,), chunktype=numpy.ndarray>

The classes have the names and parameters of those in :mod:`consilience`; without a cluster Dask's threads do the work. Labels are those
of ``consilience.SLRMF(landmarks=..)`` on the same samples, for any blocks and any number of workers.
"""

from __future__ import annotations

import inspect
import os
from typing import Any, Union

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError('consilience.dask needs Dask: pip install "consilience[dask]"') from error

from .. import _predict, estimators
from .._names import ESTIMATORS
from ._estimator import OnDask

__all__ = [*ESTIMATORS, "load"]


def _on_dask(name: str) -> type[OnDask]:
    """The class of a method, with the parameters and words of the one in `consilience`."""
    ordinary = getattr(estimators, name)
    parameters = inspect.cleandoc(ordinary.__doc__ or "").partition("\nAttributes\n")[0]
    attributes = inspect.cleandoc(OnDask.__doc__ or "").partition("\nAttributes\n")[2]
    words = {"__doc__": f"{parameters}\nAttributes\n{attributes}", "__module__": __name__}
    return type(name, (OnDask, ordinary), words)


_CLASSES: dict[str, type[OnDask]] = {name: _on_dask(name) for name in ESTIMATORS}
globals().update(_CLASSES)


def load(path: Union[str, os.PathLike[str]]) -> Any:
    """The estimator of a model that was saved, here, by :mod:`consilience` or by the command line."""
    method = _predict.load(path)._method
    return next(found for found in _CLASSES.values() if found._method == method).load(path)


def __getattr__(name: str) -> Any:
    # for type checkers: the classes are made above
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
