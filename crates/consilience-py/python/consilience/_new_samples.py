"""New samples in the many forms of input, as views under the names of the fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._views import Samples, is_several, one_array, views_of, width_of

if TYPE_CHECKING:
    from ._native import GivenView, Numbers

# of a view whose features were left out at fit: how many it had, which are left, and their names
Kept = dict[str, tuple[int, list[int], Optional[list[str]]]]


def new_samples(X: Any, estimator: Any) -> Samples:
    """The views in `X`, by name or in the order of the fit; views may be left out."""
    tables = by_name(X, estimator.view_names_)
    _refuse_precomputed(tables, estimator)
    if tables is None and estimator._one_array:
        views = one_array(X, estimator.view_columns, estimator, reset=False)
        names = estimator.view_names_ if len(views) == len(estimator.view_names_) else [name for name, _, _ in views]
        samples = Samples([(name, numbers, features) for name, (_, numbers, features) in zip(names, views)])
    elif tables is None and len(estimator.view_names_) > 1:
        raise ValueError(
            f"X is one array, but the fit had {len(estimator.view_names_)} views ({', '.join(estimator.view_names_)}): "
            "pass a dict by name, or a list in their order with None for a view that is left out"
        )
    else:
        samples = views_of({estimator.view_names_[0]: X} if tables is None else tables)
    return samples._replace(views=[_without_dropped(view, estimator._kept_features) for view in samples.views])


def _refuse_precomputed(tables: Optional[dict[str, Any]], estimator: Any) -> None:
    """Affinities and distances are between the samples of the fit, and say nothing of new ones."""
    kinds = estimator._precomputed
    if kinds and set(kinds) == set(estimator.view_names_):
        raise ValueError(
            "the fit was of precomputed views only, which say nothing of new samples: fit again with the new samples among the "
            "others, or with a view of features beside the precomputed ones"
        )
    given = [name for name in tables or {} if name in kinds]
    if given:
        raise ValueError(
            f"view `{given[0]}` was precomputed at fit, and says nothing of new samples: leave it out of the dict, or pass None in "
            "its place in the list"
        )


def by_name(X: Any, names: list[str]) -> Optional[dict[str, Any]]:
    """The tables that are given, by the names of their views; None when `X` is one array."""
    by_place = isinstance(X, (list, tuple)) and any(table is None for table in X)
    if not by_place and not is_several(X):
        return None
    if isinstance(X, (list, tuple)):
        if len(X) != len(names):
            raise ValueError(
                f"X has {len(X)} views, but the fit had {len(names)}: pass as many, with None for a view that is left out"
            )
        X = dict(zip(names, X))
    given = X if isinstance(X, Mapping) else X.mod
    tables = {str(name): table for name, table in given.items() if table is not None}
    if not tables:
        raise ValueError(f"X has no view: at least one of {', '.join(names)} is needed")
    return tables


def kept_features(views: list[GivenView], missing: str) -> Kept:
    """The features that a fit keeps when those with missing values are left out."""
    if missing != "drop-features":
        return {}
    kept: Kept = {}
    for name, numbers, features in views:
        width, lost = width_of(numbers), _incomplete(numbers)
        if lost:
            left = [column for column in range(width) if column not in lost]
            kept[name] = (width, left, None if features is None else [features[column] for column in left])
    return kept


def _incomplete(numbers: Numbers) -> set[int]:
    """The columns with missing values."""
    if isinstance(numbers, tuple):
        values, columns, _, _ = numbers
        return {int(column) for column in columns[np.isnan(values)]}
    return {int(column) for column in np.flatnonzero(np.isnan(numbers).any(axis=0))}


def _without_dropped(view: GivenView, kept: Kept) -> GivenView:
    """A view without the features that the fit left out."""
    name, numbers, features = view
    if name not in kept:
        return view
    width, columns, names = kept[name]
    if features is not None and names is not None:
        columns = [place for place, feature in enumerate(features) if feature in set(names)]
    elif width_of(numbers) != width:
        return view
    from ._files import as_table
    from ._views import for_rust

    chosen = None if features is None else [features[column] for column in columns]
    return name, for_rust(as_table(numbers)[:, columns]), chosen
