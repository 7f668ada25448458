"""Clustering where scanpy's and muon's users expect it: results are written into the AnnData or MuData object itself.

>>> import consilience as cs                                     # doctest: +SKIP
>>> cs.tl.cluster(mdata, 5, views=["rna:X_pca", "prot"])         # doctest: +SKIP
>>> mdata.obs["consilience"]                                     # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._names import ESTIMATORS

__all__ = ["cluster", "views"]


def cluster(
    data: Any,
    n_clusters: Any,
    *,
    views: Optional[Sequence[str]] = None,
    method: str = "SLRMF",
    key_added: str = "consilience",
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Cluster the observations and write what was found into `data`.

    Parameters
    ----------
    data : MuData or AnnData
        ``X`` of every modality is a view, unless `views` says which.
    n_clusters : int, "auto", tuple or range
        As of the estimators.
    views : sequence of str, optional
        The views, as in :func:`views`.
    method : str, default="SLRMF"
        The name of an estimator.
    key_added : str, default="consilience"
        The name under which results are written.
    copy : bool, default=False
        Write into a copy and return it.
    **parameters
        Those of the estimator: ``random_state``, ``join``, ``missing`` and so on.

    Returns
    -------
    None, or the copy
        ``.obs[key_added]`` is the cluster (a categorical, as scanpy's), ``.obs[key_added + "_confidence"]`` how sure it is,
        ``.obsm["X_" + key_added]`` the embedding, ``.uns[key_added]`` the settings and the views' weights. Observations that
        `join` or `missing` left out have no cluster and NaN.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError('consilience.tl needs AnnData and pandas: pip install "consilience[anndata]"') from error
    if not hasattr(data, "obs_names"):
        raise TypeError(f"data is of type {type(data).__name__}: must be MuData or AnnData; other views are for the `fit` of an estimator")
    if method not in ESTIMATORS:
        raise ValueError(f"method = {method!r}: must be one of {', '.join(ESTIMATORS)}")
    if not data.obs_names.is_unique:
        # results are written back by the names: asked before the fit
        twice = data.obs_names[data.obs_names.duplicated()][0]
        raise ValueError(f"obs_names are not unique (`{twice}` is there twice): call obs_names_make_unique() on the data first")
    data = data.copy() if copy else data
    parameters.setdefault("precomputed", _precomputed(data, views))
    estimator = getattr(importlib.import_module("consilience.estimators"), method)(n_clusters=n_clusters, **parameters)
    fitted = estimator.fit(_views(data, views))
    place = pd.Index(fitted.ids_).get_indexer(data.obs_names.astype(str))
    known = place >= 0
    labels = np.full(len(place), None, dtype=object)
    labels[known] = fitted.labels_[place[known]].astype(str)
    names = [str(label) for label in range(fitted.n_clusters_)]
    data.obs[key_added] = pd.Categorical(labels, categories=names)
    data.obs[f"{key_added}_confidence"] = np.where(known, fitted.confidence_[place], np.nan)
    data.obsm[f"X_{key_added}"] = np.where(known[:, None], fitted.embedding_[place], np.nan)
    data.uns[key_added] = _settings(fitted)
    return data if copy else None


def views(data: Any, names: Sequence[str]) -> dict[str, Any]:
    """The views of these names, for the `fit` of an estimator: a dict of AnnData, matched by ``obs_names``.

    Parameters
    ----------
    data : MuData or AnnData
    names : sequence of str
        In MuData ``"rna"`` is the ``X`` of a modality and ``"rna:X_pca"`` an entry of its ``obsm`` or ``layers``. In AnnData the
        entries are named alone, and ``"X"`` is ``X``. The names are those of ``--views`` of the command line. An entry of
        ``obsp`` (scanpy's ``"connectivities"``) is a graph of the observations: `cluster` takes it as an affinity, and as
        distances when its name ends so; estimators are told by their parameter `precomputed`.
    """
    return {str(name): _entry(data, str(name)) for name in names}


def _views(data: Any, names: Optional[Sequence[str]]) -> Any:
    if isinstance(names, str):
        raise ValueError(f"views = {names!r}: must be a list of names")
    if names is not None:
        return views(data, names)
    return data if _is_mudata(data) else views(data, ["X"])


def _entry(data: Any, name: str) -> Any:
    """One entry as AnnData of its own, so that its samples keep their names."""
    if _is_mudata(data):
        modality, _, entry = name.partition(":")
        if modality not in data.mod:
            raise ValueError(f"view `{name}`: there is no modality `{modality}`, only {', '.join(data.mod)}")
        return _part(data.mod[modality], entry or "X", name)
    return _part(data, name, name)


def _part(data: Any, entry: str, name: str) -> Any:
    observations = data.obs[[]].copy()
    if entry == "X" and data.X is not None:
        return type(data)(X=data.X, obs=observations, var=data.var[[]].copy())
    if entry in data.layers:
        return type(data)(X=data.layers[entry], obs=observations, var=data.var[[]].copy())
    if entry in data.obsm:
        return type(data)(X=_matrix(data.obsm[entry]), obs=observations)
    if entry in data.obsp:
        return type(data)(X=data.obsp[entry], obs=observations)
    known = [*(["X"] if data.X is not None else []), *data.obsm, *data.layers, *data.obsp]
    raise ValueError(f"view `{name}`: there is no `{entry}`, only {', '.join(known)}")


def _precomputed(data: Any, names: Optional[Sequence[str]]) -> Optional[dict[str, str]]:
    """Which of the views are entries of ``obsp``, and so affinities or distances of the observations."""
    kinds = {}
    for name in map(str, names or ()):
        modality, _, entry = name.partition(":") if _is_mudata(data) else ("", "", name)
        part = data.mod.get(modality) if _is_mudata(data) else data
        others = () if part is None else (*part.layers, *part.obsm, "X")
        if part is not None and entry in part.obsp and entry not in others:
            kinds[name] = "distance" if entry.endswith("distances") else "affinity"
    return kinds or None


def _matrix(entry: Any) -> Any:
    return entry.to_numpy() if hasattr(entry, "to_numpy") else entry


def _settings(fitted: Any) -> dict[str, Any]:
    """What files of AnnData can hold: numbers and text; what was not set is left out."""
    import consilience

    asked = {name: value for name, value in fitted.get_params().items() if value is not None}
    plain = {name: value if isinstance(value, (bool, int, float, str)) else str(value) for name, value in asked.items()}
    weights = dict(zip(fitted.view_names_, (float(weight) for weight in fitted.view_weights_)))
    found = {"method": type(fitted).__name__, "version": consilience.__version__, "n_clusters": fitted.n_clusters_}
    return {**found, "seed": fitted.seed_, "params": plain, "view_weights": weights}


def _is_mudata(data: Any) -> bool:
    return isinstance(getattr(data, "mod", None), Mapping)
