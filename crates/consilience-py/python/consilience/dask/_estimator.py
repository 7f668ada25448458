"""Estimators whose samples are in the blocks of Dask: the landmark run of one machine, in tasks."""

from __future__ import annotations

import os
import sys
import uuid
from typing import Any, NoReturn, Optional, TypeVar, Union

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from .. import _native, _predict
from .._base import MultiViewClusterer
from .._new_samples import by_name
from .._warnings import ConsilienceWarning, tell, warning_of
from ._graph import Graph, model_task
from ._input import LazyViews, lazy_views
from ._lazy import Note

_Self = TypeVar("_Self", bound="OnDask")

_FIELDS = {"labels": np.int64, "confidence": np.float64, "distance": np.float64, "unlike": np.bool_}


class OnDask(MultiViewClusterer):
    """What the estimators of :mod:`consilience.dask` share; they have the parameters of those in :mod:`consilience`.

    Attributes
    ----------
    labels_ : dask array of int, (n,)
        The cluster of every sample, in the blocks of the first view, kept by the cluster.
    ids_ : dask array of str or None
        The samples' names in the order of `labels_`, when `X` has some.
    landmarks_ : array of int or None
        The rows of the samples that were clustered in full; None when all were.
    centres_ : array, (clusters, any)
        The centre of every cluster in the embedding.
    tried_ : list of tuples
        Numbers of landmarks that were tried, each with its agreement with the one before.
    warnings_ : list of ConsilienceWarning
        What was said of the data and the result.

    `n_clusters_`, `choice_`, `eigenvalues_`, `view_weights_`, `view_names_`, `view_widths_`, `trace_`, `agreement_`,
    `disagreements_`, `corruption_`, `n_iter_`, `stop_reason_` and `seconds_` (of the landmarks) are as in :mod:`consilience`.
    """

    landmarks_: Optional[np.ndarray[Any, Any]]
    centres_: np.ndarray[Any, Any]
    tried_: list[tuple[int, Optional[float]]]
    warnings_: list[ConsilienceWarning]

    def _fit(self, X: Any) -> list[ConsilienceWarning]:
        if str(self.missing) != "refuse":
            raise ValueError(
                f'parameter `missing` = `{self.missing}`: blocks are not compared with each other, so missing values are only refused here; '
                "fill them in or drop them with Dask before the fit (rows of nothing but NaN are samples that a view does not know)"
            )
        if self.precomputed is not None:
            raise ValueError(
                "parameter `precomputed`: an affinity between all samples cannot be cut into blocks of samples; fit on one machine, or "
                "pass the features that it was made of"
            )
        views = lazy_views(X, self.view_columns, str(self.join))
        asked = self._settings([view.name for view in views.views], {})
        rows = _native.rows_read_first(views.n, asked)
        graph = Graph(views, self.n_jobs, uuid.uuid4().hex, rows)
        self._say(f"{views.n} samples in {len(views.sizes)} blocks; clustering {views.n if rows is None else rows.size} at most")
        # first one graph, then the other: in one, every block would wait in memory for the landmarks
        (found,) = dask.persist(graph.fit(asked))
        findings = graph.small(found).compute()
        if rows is None:
            (self.labels_,) = dask.persist(graph.cut(found))
            account = None
        else:
            self._say(f"placing all samples among {findings['means']} means of {findings['landmarks'].size} landmarks")
            whole = graph.whole(graph.placed(graph.model(found), ("labels",)))
            self.labels_, account = dask.persist(*whole)
            account = account.compute()
        self._remember_blocks(views, findings, account)
        self.seed_ = asked["seed"]
        self._say(f"k = {self.n_clusters_}, done")
        return self.warnings_

    def _remember_blocks(self, views: LazyViews, found: dict[str, Any], account: Optional[dict[str, Any]]) -> None:
        model, clusters = _native.Model.from_bytes(found["model"]), found["centres"].shape[0]
        order = list(range(clusters)) if account is None else list(account["order"])
        # clusters that nobody is in come last
        order += [cluster for cluster in range(clusters) if cluster not in order]
        notes: list[Note] = [*views.notes, *found["warnings"]]
        for view, absent in zip(views.views, [] if account is None else account["absent"]):
            if absent:
                notes.append(_native.missing_samples(view.name, absent))
        self.warnings_ = [warning_of(*note) for note in notes]
        self._model = model.reordered(order)
        self.centres_ = found["centres"][order]
        self.landmarks_, self.tried_ = found.get("landmarks"), found.get("tried", [])
        self.ids_ = views.ids
        self.view_names_ = [view.name for view in views.views]
        self.view_widths_ = [int(view.array.shape[1]) for view in views.views]
        self.n_features_in_ = sum(self.view_widths_)
        self._one_array, self._precomputed = False, {}
        self._remember_findings(found)

    def fit_transform(self, X: Any, y: Any = None, **unknown: Any) -> da.Array:
        """`fit`, and where every sample lies in the embedding, which is computed when it is asked for."""
        return self.fit(X, **unknown).transform(X)

    def predict(self, X: Any) -> da.Array:
        """The clusters of new samples as a dask array, computed when it is asked for.

        Parameters
        ----------
        X : as in `fit`
            The views: a dict by the names of the fit, or a list in its order. A view that is not in the dict, or None in the
            list, is left out; one is enough.

        Returns
        -------
        dask array of int, (n,)
        """
        return self._placed(X, ("labels",)).labels

    def transform(self, X: Any) -> da.Array:
        """Where new samples lie in the embedding, as a dask array that is computed when it is asked for."""
        return self._placed(X, ("embedding",)).embedding

    def score_samples(self, X: Any) -> da.Array:
        """How sure the clusters of new samples are, from 0 to 1, as a dask array that is computed when it is asked for."""
        return self._placed(X, ("confidence",)).confidence

    def predict_proba(self, X: Any) -> da.Array:
        """The share of every cluster in new samples, as a dask array that is computed when it is asked for."""
        return self._placed(X, ("memberships",)).memberships

    def cut(self, n_clusters: int) -> NoReturn:
        """Not here: see the message."""
        self._not_here("cut")

    def predict_details(self, X: Any) -> Bunch:
        """All that is known of new samples, as dask arrays: ``labels``, ``embedding``, ``confidence``, ``memberships``, ``distance``, ``unlike``,
        and ``ids``, which is None where they have none.

        Nothing is computed yet, so nothing is said of samples that are unlike the model's: ask ``unlike.mean()``.
        """
        return self._placed(X, ("labels", "embedding", "confidence", "memberships", "distance", "unlike"))

    def _placed(self, X: Any, wanted: tuple[str, ...]) -> Bunch:
        check_is_fitted(self)
        tables = by_name(X, self.view_names_)
        if tables is None and len(self.view_names_) > 1 and self.view_columns is None:
            raise ValueError(
                f"X is one table, but the fit had {len(self.view_names_)} views ({', '.join(self.view_names_)}): pass a dict by name, or a "
                "list in their order with None for a view that is left out"
            )
        if tables is None and self.view_columns is None:
            tables = {self.view_names_[0]: X}
        views = lazy_views(X if tables is None else tables, self.view_columns if tables is None else None, str(self.join))
        tell(warning_of(*note) for note in views.notes)
        model = self._model.to_bytes(None, None)
        token = tokenize(model, [(view.name, view.array.name) for view in views.views], wanted)
        graph = Graph(views, self.n_jobs, token)
        placed = graph.placed(model_task(model, token), wanted)
        width = self._model.facts()["embedding"].shape[1]
        fields = {name: graph.field(placed, name, _FIELDS[name]) for name in wanted if name in _FIELDS}
        if "embedding" in wanted:
            fields["embedding"] = graph.field(placed, "embedding", np.float64, width)
        if "memberships" in wanted:
            fields["memberships"] = graph.field(placed, "memberships", np.float64, self.n_clusters_)
        return Bunch(**fields, ids=views.ids)

    @classmethod
    def load(cls: type[_Self], path: Union[str, os.PathLike[str]]) -> _Self:
        """The estimator of a model that was saved, here, by :mod:`consilience` or by the command line.

        It predicts, and has `view_names_`, `view_widths_`, `view_weights_` and `n_clusters_`.
        """
        found = _predict.load(path)
        if found._method != cls._method:
            raise ValueError(f"`{os.fspath(path)}` is a model of {type(found).__name__}, not of {cls.__name__}")
        loaded = cls(**found.get_params())
        for name in ("_model", "view_names_", "view_widths_", "view_weights_", "n_features_in_", "seed_"):
            setattr(loaded, name, getattr(found, name))
        loaded.n_clusters_, loaded._one_array = found.n_clusters, False
        return loaded

    def examine(self, X: Any, *, y: Any = None, ids: Any = None, resamples: int = 10, resample_share: float = 0.5) -> NoReturn:
        """Not here: see the message."""
        self._not_here("examine")

    def report(self, X: Any, path: Any, *, y: Any = None, ids: Any = None, resamples: int = 10, resample_share: float = 0.5) -> NoReturn:
        """Not here: see the message."""
        self._not_here("report")

    def markers(self, X: Any, *, features: int = 20) -> NoReturn:
        """Not here: see the message."""
        self._not_here("markers")

    def write_run(self, folder: Any, *, y: Any = None, ids: Any = None, force: bool = False) -> NoReturn:
        """Not here: see the message."""
        self._not_here("write_run")

    def set_output(self, *, transform: Any = None) -> NoReturn:
        """Not here: see the message."""
        self._not_here("set_output")

    def _not_here(self, what: str) -> NoReturn:
        raise NotImplementedError(
            f"{what} needs samples in memory, which those of a cluster are not: fit an estimator of `consilience` on some of them "
            "(the rows in `landmarks_`, for example) and ask that one"
        )

    def _say(self, words: str) -> None:
        if self.verbose:
            print(f"{self._method}: {words}", file=sys.stderr, flush=True)

    def _ids(self) -> None:
        """The samples of the model are means, which have no names."""
        return None

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")
