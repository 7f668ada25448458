"""Tables that name their samples: DataFrames, AnnData, labelled arrays (xarray). The names are what rows are matched by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def sample_names(table: Any) -> Any:
    """The index of a DataFrame, AnnData's names of observations, the coordinate of a labelled array's first dimension."""
    if is_labelled(table):
        return table.indexes.get(table.dims[0]) if table.ndim > 0 else None
    names = table.obs_names if is_anndata(table) else getattr(table, "index", None)
    # lists have an `index` too, which is none
    return None if names is None or callable(names) else names


def as_text(names: Any) -> list[str]:
    """Names that mean the same as the same text, whatever type they have: instants in UTC, whole numbers without a point."""
    if getattr(names, "tz", None) is not None:
        names = names.tz_convert("UTC")
    elif getattr(getattr(names, "dtype", None), "kind", "") == "f":
        return [str(int(name)) if float(name).is_integer() else str(name) for name in names]
    return [str(name) for name in names]


def matched(labels: Any, ids: Sequence[str] | None) -> Any:
    """Labels in the order of `ids`, when their index has exactly these names; as they lie when it has others, or there is none."""
    names = sample_names(labels)
    if names is None or ids is None:
        return labels
    places = {name: place for place, name in enumerate(as_text(names))}
    if len(places) != len(names) or places.keys() != set(ids):
        return labels
    return np.asarray(labels)[[places[name] for name in ids]]


def is_anndata(table: Any) -> bool:
    """Whether it is AnnData, which need not be installed to be asked for."""
    return hasattr(table, "obs_names") and hasattr(table, "var_names") and hasattr(table, "X")


def is_labelled(table: Any) -> bool:
    """Whether it is an array with named dimensions: xarray's DataArray, which need not be installed to be asked for."""
    return hasattr(table, "dims") and hasattr(table, "coords") and hasattr(table, "indexes") and hasattr(table, "values")


def features_of_labelled(table: Any) -> list[str] | None:
    """The coordinate of the second dimension."""
    names = table.indexes.get(table.dims[1]) if table.ndim == 2 else None
    return None if names is None else [str(name) for name in names]


def of_labelled(table: Any) -> Any:
    """One labelled array as a DataFrame when its features have names, as an array when not."""
    if table.ndim != 2 or (features_of_labelled(table) is None and sample_names(table) is None):
        return np.asarray(table.values)
    return table.to_pandas()


def check_labelled_dimensions(several: Sequence[tuple[str, Any]]) -> None:
    """Refuses labelled arrays whose rows are not the same dimension: one of them would be the wrong way round."""
    rows = [(name, table.dims[0]) for name, table in several if is_labelled(table) and table.ndim == 2]
    for name, dimension in rows[1:]:
        if dimension != rows[0][1]:
            raise ValueError(
                f"the rows of view `{name}` are `{dimension}` and those of view `{rows[0][0]}` are `{rows[0][1]}`: samples must be "
                f"the first dimension of both; transpose({rows[0][1]!r}, ..) puts it there"
            )
