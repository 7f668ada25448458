"""Multi-view clustering: several feature matrices of the same samples in, one clustering out.

>>> from consilience import SLRMF, datasets
>>> digits = datasets.load_digits()
>>> SLRMF(n_clusters=10, random_state=0).fit_predict(digits.views).shape
(2000,)

One estimator per method; all of them have scikit-learn's interface and take their views as a list or dict of arrays,
DataFrames or sparse matrices, as a MuData object, or as one array with ``view_columns``.

Importing this package is quick: scikit-learn, which takes longer, is imported with the first estimator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._names import ESTIMATORS
from ._native import __version__

if TYPE_CHECKING:
    from . import datasets, metrics, plot, tl
    from ._corrupt import corrupt
    from ._examination import Examination
    from ._files import read
    from ._predict import load
    from ._warnings import (
        AffinityWarning,
        AlignmentWarning,
        ChoiceWarning,
        ConfoundedWarning,
        ConsilienceWarning,
        CorruptionWarning,
        CountsWarning,
        DisagreementWarning,
        MissingSamplesWarning,
        MissingValuesWarning,
        NoStructureWarning,
        NotConvergedWarning,
        ReplicatesWarning,
    )
    from .estimators import *  # noqa: F403

_MODULES = ("datasets", "estimators", "metrics", "plot", "tl")
_HOMES = {
    "corrupt": "_corrupt",
    "Examination": "_examination",
    "load": "_predict",
    "read": "_files",
    "AffinityWarning": "_warnings",
    "AlignmentWarning": "_warnings",
    "ChoiceWarning": "_warnings",
    "ConfoundedWarning": "_warnings",
    "ConsilienceWarning": "_warnings",
    "CorruptionWarning": "_warnings",
    "CountsWarning": "_warnings",
    "DisagreementWarning": "_warnings",
    "MissingSamplesWarning": "_warnings",
    "MissingValuesWarning": "_warnings",
    "NoStructureWarning": "_warnings",
    "NotConvergedWarning": "_warnings",
    "ReplicatesWarning": "_warnings",
}

__all__ = [
    *ESTIMATORS,
    "AffinityWarning",
    "AlignmentWarning",
    "ChoiceWarning",
    "ConfoundedWarning",
    "ConsilienceWarning",
    "CorruptionWarning",
    "CountsWarning",
    "DisagreementWarning",
    "Examination",
    "MissingSamplesWarning",
    "MissingValuesWarning",
    "NoStructureWarning",
    "NotConvergedWarning",
    "ReplicatesWarning",
    "__version__",
    "corrupt",
    "datasets",
    "load",
    "metrics",
    "plot",
    "read",
    "tl",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in ESTIMATORS:
        home = "estimators"
    elif name in _HOMES:
        home = _HOMES[name]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
