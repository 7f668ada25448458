"""What a fit has to say, as classes: filter them by class, read the view from the warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Optional

from sklearn.exceptions import ConvergenceWarning


class ConsilienceWarning(UserWarning):
    """Something about the data or the result that the user should know.

    Attributes
    ----------
    kind : str
        The kind, as in ``run.json``: ``"corrupted_view"``, ``"disconnected_graph"``, ..
    view : str or None
        The view it is about, when it is about one.
    """

    def __init__(self, message: str, kind: str = "other", view: Optional[str] = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.view = view


class NotConvergedWarning(ConsilienceWarning, ConvergenceWarning):  # type: ignore[misc]
    """The result is less exact than was asked for; also scikit-learn's ``ConvergenceWarning``."""


class CorruptionWarning(ConsilienceWarning):
    """A view has grossly wrong entries, which were split off."""


class DisagreementWarning(ConsilienceWarning):
    """A view does not support what the others agree on, or agrees with them no more than by chance."""


class MissingSamplesWarning(ConsilienceWarning):
    """A view says nothing about some samples, or has nothing but zeros for many."""


class NoStructureWarning(ConsilienceWarning):
    """Samples, or all samples in a view, look the same; or nothing speaks for so many clusters."""


class ChoiceWarning(ConsilienceWarning):
    """The number of clusters was to be chosen, and the answer is more than a number: views disagree, or only one shows clusters."""


class CountsWarning(ConsilienceWarning):
    """A view has raw counts, which are compared as if they were measurements."""


class ConfoundedWarning(ConsilienceWarning):
    """The clusters are nearly a column of the metadata, such as a batch."""


class ReplicatesWarning(ConsilienceWarning):
    """Samples are exact or near copies of others."""


class AlignmentWarning(ConsilienceWarning):
    """Samples were matched by their ids: rows were moved or left out."""


class AffinityWarning(ConsilienceWarning):
    """A precomputed view was not symmetric, and the mean of both directions was taken."""


class MissingValuesWarning(ConsilienceWarning):
    """Missing values were filled in, or samples or features with some left out."""


_CLASSES = {
    "constant_view": NoStructureWarning,
    "indistinct_samples": NoStructureWarning,
    "replicates": ReplicatesWarning,
    "rather_one": NoStructureWarning,
    "near_copies": ReplicatesWarning,
    "no_structure": NoStructureWarning,
    "other_answer": ChoiceWarning,
    "raw_counts": CountsWarning,
    "confounded": ConfoundedWarning,
    "reordered": AlignmentWarning,
    "counts_rows": AlignmentWarning,
    "no_ids": AlignmentWarning,
    "dropped": AlignmentWarning,
    "unused_labels": AlignmentWarning,
    "same_names": AlignmentWarning,
    "imputed": MissingValuesWarning,
    "dropped_samples": MissingValuesWarning,
    "dropped_features": MissingValuesWarning,
    "not_converged": NotConvergedWarning,
    "inexact_eigenvectors": NotConvergedWarning,
    "corrupted_view": CorruptionWarning,
    "unsupported_view": DisagreementWarning,
    "unrelated_view": DisagreementWarning,
    "averaged_affinity": AffinityWarning,
    "missing_samples": MissingSamplesWarning,
    "zero_rows": MissingSamplesWarning,
}


def warning_of(kind: str, view: Optional[str], message: str) -> ConsilienceWarning:
    """The warning of a kind that Rust names."""
    return _CLASSES.get(kind, ConsilienceWarning)(message, kind, view)


def tell(found: Iterable[ConsilienceWarning]) -> None:
    """Warns of what was found, at the line outside this package that asked for it, whichever function that called."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "consilience":
        level, frame = level + 1, frame.f_back
    for warning in found:
        warnings.warn(warning, stacklevel=level)
