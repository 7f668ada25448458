"""What fitted estimators do with new samples, and how a fit is kept."""

from __future__ import annotations

import importlib
import json
import keyword
import os
from pathlib import Path
from typing import Any, ClassVar, TypeVar, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._arguments import threads_of, whole_number
from ._examination import writable
from ._names import ESTIMATORS
from ._new_samples import new_samples
from ._progress import Progress
from ._warnings import tell, warning_of

_Self = TypeVar("_Self", bound="ModelMixin")


class ModelMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """Prediction by the model that every fit leaves; the base of the estimators has the rest."""

    _model: _native.Model
    _method: ClassVar[str]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """The clusters of new samples, numbered as in `labels_`.

        Parameters
        ----------
        X : as in `fit`
            The views of the new samples: a dict by the names of the fit, or a list in its order. A view that is not in
            the dict, or None in the list, is left out; one is enough. Columns of DataFrames are matched by name; where
            `fit` got one DataFrame, scikit-learn's rule holds: the same columns in the same order. Precomputed views say
            nothing of new samples and are left out. Missing values are dealt with as `missing` says: filled in from similar
            ones among these samples, or refused; a sample that `drop-samples` leaves out has the label -1. Features are those
            of the fit: `drop-features` leaves out only those that the fit left out.

        Returns
        -------
        array of int, (n,)
        """
        labels: NDArray[np.int64] = self.predict_details(X).labels
        return labels

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Where new samples lie in the embedding.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        array, (n, any)
            Columns are those of `embedding_`.
        """
        positions: NDArray[np.float64] = self.predict_details(X).embedding
        return positions

    def fit_transform(self, X: Any, y: Any = None, **unknown: Any) -> NDArray[np.float64]:
        """`fit`, and where every sample lies in the embedding: `embedding_`."""
        embedding: NDArray[np.float64] = self.fit(X, **unknown).embedding_
        return embedding

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of every cluster in new samples.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        array, (n, clusters)
            Rows sum to 1; the largest share is the label of `predict`. NaN for samples that `predict` leaves out.
        """
        memberships: NDArray[np.float64] = self.predict_details(X).memberships
        return memberships

    def cut(self, n_clusters: int) -> NDArray[np.int64]:
        """The labels of another number of clusters, without a new fit.

        Where it is less than `n_clusters_`, clusters are joined, the most strongly tied first. Where it is more, those are split in
        two whose split comes back best when samples are left out; that needs `affinity_`, so not a model that was loaded.

        Parameters
        ----------
        n_clusters : int
            From 1 to twice `n_clusters_`.

        Returns
        -------
        array of int, (n,)
        """
        check_is_fitted(self)
        kept = whole_number("n_clusters", n_clusters, 1, 2 * self.n_clusters_)
        if kept > self.n_clusters_:
            return self._split(kept)
        parts = {cluster: [cluster] for cluster in range(len(self.tree_) + 1)}
        for number, (first, second) in enumerate(self.tree_[: len(self.tree_) + 1 - kept, :2].astype(int)):
            parts[len(self.tree_) + 1 + number] = parts.pop(first) + parts.pop(second)
        into = np.empty(len(self.tree_) + 1, dtype=np.int64)
        for number, part in enumerate(sorted(parts.values(), key=min)):
            into[part] = number
        labels: NDArray[np.int64] = into[self.labels_]
        return labels

    def _split(self, n_clusters: int) -> NDArray[np.int64]:
        affinity = getattr(self, "affinity_", None)
        if affinity is None or affinity.shape[0] != len(self.labels_):
            raise ValueError(
                f"n_clusters = {n_clusters} is more than the {self.n_clusters_} of the fit, and how these would split is not known of "
                "a fit by landmarks or a model that was loaded"
            )
        labels = affinity._operator.split(self.labels_.tolist(), n_clusters, self.seed_)
        return np.asarray(labels, dtype=np.int64)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """How sure the clusters of new samples are.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        array, (n,)
            From 0 to 1: the cluster's share in `predict_proba`. It says nothing of how far a sample is from those of the fit:
            `predict_details` does.
        """
        confidence: NDArray[np.float64] = self.predict_details(X).confidence
        return confidence

    def predict_details(self, X: Any) -> Bunch:
        """All that is known of new samples, for the price of `predict`.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        Bunch
            ``labels`` as of `predict`, ``embedding`` as of `transform`, ``confidence`` as of `score_samples`, ``memberships`` as of
            `predict_proba`,
            ``distance`` to what the model knows in a sample's strangest view (1 is as far as hardly any sample of the fit
            is from the others), and ``unlike``: whether that is so far, 1.5, that the label means nothing.
        """
        check_is_fitted(self)
        samples = new_samples(X, self)
        progress = Progress(self._method) if self.verbose else None
        try:
            found = self._model.predict(samples.views, str(self.missing), self._threads(), progress)
        finally:
            if progress:
                progress.finish("")
        tell(warning_of(*told) for told in [*samples.notes, *found.pop("notes"), *found.pop("warnings")])
        return Bunch(**found)

    def save(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Write the model: all that is needed to predict, in one safetensors file that holds no code.

        Parameters
        ----------
        path : str or path
            The file; what is there is replaced. ``consilience predict`` of the command line takes it too.

        Returns
        -------
        pathlib.Path
            The file.
        """
        check_is_fitted(self)
        file = writable(path)
        self._model.save(os.fspath(file), self._ids(), self._threads())
        return file

    @classmethod
    def load(cls: type[_Self], path: Union[str, os.PathLike[str]]) -> _Self:
        """The estimator of a model that was saved, by Python or the command line: see `consilience.load`."""
        found = load(path)
        if not isinstance(found, cls):
            raise ValueError(f"`{os.fspath(path)}` is a model of {type(found).__name__}, not of {cls.__name__}")
        return found

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def _threads(self) -> Any:
        return threads_of(self.n_jobs)

    def _ids(self) -> Any:
        return None if self.ids_ is None else self.ids_.tolist()

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = self._model.to_bytes(self._ids(), self._threads())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.get("_model")
        super().__setstate__({**state, "_model": _native.Model.from_bytes(model)} if model else state)


def load(path: Union[str, os.PathLike[str]]) -> Any:
    """The estimator of a model that was saved, by Python or the command line.

    Parameters
    ----------
    path : str or path
        A model's file, or the folder of a run with one.

    Returns
    -------
    estimator
        Fitted: it predicts, and has `labels_`, `ids_`, `embedding_`, `view_names_`, `view_widths_` and `view_weights_`. What
        a model does not hold (`affinity_`, `trace_` and the like) it has not.

    Examples
    --------
    >>> import os, tempfile
    >>> from consilience import SLRMF, datasets, load
    >>> views, target = datasets.make_blobs(60, 3)
    >>> fitted = SLRMF(n_clusters=3, random_state=0).fit(views)
    >>> path = os.path.join(tempfile.mkdtemp(), "blobs.safetensors")
    >>> again = load(fitted.save(path))
    >>> bool((again.predict(views) == fitted.labels_).all())
    True
    """
    model = _native.Model.load(os.fspath(path))
    facts = model.facts()
    settings = json.loads(facts["settings"])
    estimator = _class_of(settings["method"])(**_parameters(settings))
    names, widths, weights, _ = zip(*facts["views"])
    estimator._model = model
    estimator._one_array, estimator._kept_features, estimator._precomputed = False, {}, {}
    estimator.labels_, estimator.embedding_ = facts["labels"], facts["embedding"]
    estimator.ids_ = None if facts["ids"] is None else np.array(facts["ids"])
    estimator.samples_ = np.arange(estimator.labels_.size)
    estimator.view_names_, estimator.view_widths_, estimator.view_weights_ = list(names), list(widths), np.array(weights)
    estimator.n_features_in_, estimator.seed_ = sum(widths), settings["seed"]
    return estimator


def _class_of(method: str) -> Any:
    estimators = importlib.import_module("consilience.estimators")
    return next(found for name in ESTIMATORS if (found := getattr(estimators, name))._method == method)


def _parameters(settings: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an estimator that asks for what `settings` say."""
    # a Python keyword cannot be an argument: the registry's `lambda` is `lambda_` here
    own = {name + "_" * keyword.iskeyword(name): value for name, value in settings["parameters"].items()}
    given = {} if settings.get("weights") is None else {"view_weights": settings["weights"]}
    common = {"n_clusters": settings["k"], "scale": settings["scale"], "n_init": settings["restarts"]}
    return {**own, **given, **common, "random_state": settings["seed"]}
