"""What all estimators share: everything but their parameters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import ClusterMixin
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from . import _native
from ._affinity import Affinity
from ._arguments import bytes_of, clusters_of, plain, refuse_weights, seed_of, threads_of, weights_of, whole_number
from ._common import Common
from ._examination import Examination, writable
from ._html import fit_table
from ._labelled import matched
from ._new_samples import Kept, kept_features
from ._precomputed import check_metric
from ._predict import ModelMixin
from ._progress import Progress
from ._record import attributes_of, marker_columns
from ._views import Samples, checksum, is_several, sample_named, views_of, width_of
from ._warnings import ConsilienceWarning, tell, warning_of

_Self = TypeVar("_Self", bound="MultiViewClusterer")


def _share(value: Any) -> float:
    """A share that is neither nothing nor all."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0.0 < value < 1.0:
        raise ValueError(f"`resample_share` must be above 0 and below 1, not {value!r}")
    return float(value)


def _names(values: Any) -> Optional[list[str]]:
    return None if values is None else [str(value) for value in np.asarray(values)]


# the estimators' names of what the library is asked; the method's own parameters have the same in both
_NAMES = {"clusters": "n_clusters", "choose": "n_clusters", "restarts": "n_init", "weights": "view_weights", "lambda": "lambda_"}


def _what_decides(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings that labels depend on, the method's own parameters beside the others."""
    own = {name: value for name, value in settings.items() if name not in ("parameters", "seed", "threads", "memory")}
    return {**own, **dict(settings["parameters"])}


class MultiViewClusterer(ModelMixin, ClusterMixin, Common):  # type: ignore[misc]
    """Base of the estimators in :mod:`consilience`; use one of those."""

    _record: str
    _asked: dict[str, Any]
    _checksum: int
    _one_array: bool
    _kept_features: Kept
    _precomputed: dict[str, str]

    def fit(self: _Self, X: Any, y: Any = None, **unknown: Any) -> _Self:
        """Cluster the samples.

        Parameters
        ----------
        X : list, tuple or dict of arrays, MuData, AnnData, DataFrame or array
            The views: a feature matrix each, with the same samples in the same rows. Arrays of any number type and
            order, DataFrames, SciPy sparse matrices and memory maps. C-contiguous float arrays are not copied.
            DataFrames are matched by their index and AnnData by its ``obs_names``, whatever the order of the rows.
            One array is one view, or several with ``view_columns``.
            Views that `precomputed` names are square instead: affinities or distances of the samples.
            In :mod:`consilience.dask` a view is a dask array, a dask dataframe (a named index, or one of text, names the
            samples), AnnData whose `X` is a dask array, or the path of a .npy, .parquet, .zarr, .h5ad or .h5mu file that every
            worker can read; `fit` returns when every block has its labels.
        y : ignored
            For scikit-learn's pipelines.
        **unknown
            Refused; ``sample_weight`` with what to do instead.

        Returns
        -------
        self
        """
        refuse_weights("fit", unknown)
        self._forget()
        try:
            tell(self._fit(X))
        except BaseException:
            # nothing half-fitted is left behind, and nothing of an earlier fit; a warning may be made an error
            self._forget()
            raise
        return self

    def _fit(self, X: Any) -> list[ConsilienceWarning]:
        """`fit` in the memory of this machine; what is to be said of it comes back."""
        progress = Progress(self._method) if self.verbose else None
        account = ""
        try:
            samples = views_of(X, self.view_columns, self, str(self.join), self.precomputed)
            settings = self._settings([name for name, _, _ in samples.views], samples.precomputed)
            with sample_named(samples.ids):
                found = _native.fit(samples.views, settings, progress)
            self._remember(samples, found)
            self._one_array = not is_several(X)
            self.seed_ = settings["seed"]
            self._asked, self._checksum = _what_decides(settings), checksum(samples.views)
            account = self._account()
        finally:
            if progress:
                progress.finish(account)
        return [warning_of(*told) for told in [*samples.notes, *found["notes"], *found["warnings"]]]

    def fit_predict(self, X: Any, y: Any = None, **unknown: Any) -> NDArray[np.int64]:
        """`fit`, and the cluster of every sample."""
        return self.fit(X, **unknown).labels_

    def examine(
        self, X: Any, *, y: Any = None, ids: Any = None, resamples: int = 10, resample_share: float = 0.5
    ) -> Examination:
        """Ask how sure the fit is and which view to trust.

        The fit is made again with the same seed and examined: clustered again on halves of the samples, compared with clouds without
        clusters, and run with each view alone and left out. The estimator must be fitted; only its `verdict_` is changed.

        Parameters
        ----------
        X : as in `fit`
            The views that the estimator was fitted on; others are refused.
        y : array of labels, optional
            True classes; only ever used to score. A Series that names the samples of the fit is matched by its index.
        ids : array of str, optional
            Names of the samples; those of a DataFrame or AnnData are used when there are none.
        resamples : int
            Runs on random parts of the samples, which tell what a view does; 0 for none.
        resample_share : float
            The share of the samples in each of them, above 0 and below 1.

        Returns
        -------
        Examination
            ``verdict``, ``samples()``, ``stability()`` by cluster, ``view_report()`` and ``report(path)``, which writes the page.
        """
        samples, settings = self._fitted_again(X)
        options = {
            "name": type(self).__name__,
            "ids": samples.ids if ids is None else _names(ids),
            "truth": _names(matched(y, samples.ids)),
            "resamples": whole_number("resamples", resamples, 0, 1000),
            "share": _share(resample_share),
            "labels": self.labels_.tolist(),
        }
        progress = Progress(self._method) if self.verbose else None
        try:
            examined = _native.examine(samples.views, settings, options, progress)
        finally:
            if progress:
                progress.finish("")
        examination = Examination(examined, self.labels_, self._ids() if ids is None else _names(ids))
        self.verdict_ = {"state": examination.verdict.state, "headline": examination.verdict.headline}
        return examination

    def report(
        self,
        X: Any,
        path: Union[str, os.PathLike[str]],
        *,
        y: Any = None,
        ids: Any = None,
        resamples: int = 10,
        resample_share: float = 0.5,
    ) -> Path:
        """Write one HTML file that shows what was found in `X` and how sure it is: `examine`, and the page of it.

        The page works offline, with nothing to install.

        Parameters
        ----------
        X : as in `fit`
            The views that the estimator was fitted on; others are refused.
        path : str or path
            The file to write.
        y : array of labels, optional
            True classes; only ever used to score and to colour. A Series that names the samples of the fit is matched by its index.
        ids : array of str, optional
            Names of the samples; those of a DataFrame or AnnData are used when there are none.
        resamples : int
            Runs on random parts of the samples, which tell what a view does; 0 for none.
        resample_share : float
            The share of the samples in each of them, above 0 and below 1.

        Returns
        -------
        pathlib.Path
            The file.
        """
        check_is_fitted(self)
        file = writable(path)
        return self.examine(X, y=y, ids=ids, resamples=resamples, resample_share=resample_share).report(file)

    def markers(self, X: Any, *, features: int = 20) -> Any:
        """The features, of every view, that set each cluster apart from the rest of the samples.

        A feature is compared by ranks (Wilcoxon, Mann and Whitney). The clusters were made from these features, so the
        p-values rank them and prove nothing.

        Parameters
        ----------
        X : as in `fit`
            The views that the estimator was fitted on, or others of the same samples in the same order: raw counts where the
            fit had components of them.
        features : int
            The most features of each cluster.

        Returns
        -------
        pandas.DataFrame, or a dict of lists where pandas is not installed
            ``cluster``, ``view``, ``feature``, ``auc`` (the chance that a sample inside has a larger value than one outside),
            ``inside`` and ``outside`` (means), ``p`` (adjusted; at most 0.05); the clearest first.
        """
        check_is_fitted(self)
        samples = views_of(X, self.view_columns, None, str(self.join), self.precomputed)
        self._check_samples(samples)
        most = whole_number("features", features, 1, 100_000)
        kinds = list(samples.precomputed.items())
        markers = _native.markers(samples.views, self.labels_.tolist(), str(self.missing), most, kinds)
        found = marker_columns(markers)
        try:
            import pandas
        except ImportError:
            return found
        return pandas.DataFrame(found)

    def write_run(
        self, folder: Union[str, os.PathLike[str]], *, y: Any = None, ids: Any = None, force: bool = False
    ) -> Path:
        """Write the fit as the folder that the command line's ``consilience cluster -o`` writes.

        The folder holds ``labels.csv``, ``memberships.npy``, ``embedding.npy``, ``model.safetensors`` (what `save` writes) and ``run.json``, the
        account of what was asked and what came out; it is made where needed.

        Parameters
        ----------
        folder : str or path
            Where to write.
        y : array of labels, optional
            True classes, to score the labels with. A Series that names the samples of the fit is matched by its index.
        ids : array of str, optional
            Names of the samples; those of the DataFrames or AnnData that were fitted on when there are none.
        force : bool, default=False
            Replace the run that is in the folder. Files that are not a run's are kept all the same.

        Returns
        -------
        pathlib.Path
            The folder.
        """
        check_is_fitted(self)
        if not hasattr(self, "_record"):
            raise ValueError("this estimator was loaded from a model, which is no account of a run: fit it, or use save")
        run = {
            "record": self._record,
            "labels": self.labels_,
            "embedding": self.embedding_,
            "memberships": self.memberships_,
            "model": self._model,
            "ids": _names(self.ids_ if ids is None else ids),
            "truth": _names(matched(y, self._ids())),
            "threads": self._threads(),
        }
        _native.write_run(os.fspath(folder), run, bool(force))
        return Path(folder)

    def _fitted_again(self, X: Any) -> tuple[Samples, dict[str, Any]]:
        """The views in `X` and the settings of the fit; refused when these are not what was fitted."""
        check_is_fitted(self)
        samples = views_of(X, self.view_columns, None, str(self.join), self.precomputed)
        settings = {**self._settings([name for name, _, _ in samples.views], samples.precomputed), "seed": self.seed_}
        if not hasattr(self, "_asked"):
            # loaded from a model, which does not know its data: the labels will tell
            return samples, settings
        asked = _what_decides(settings)
        changed = sorted({_NAMES.get(name, name) for name in asked if asked[name] != self._asked.get(name)})
        if changed:
            raise ValueError(
                f"parameters were changed after the fit ({', '.join(changed)}), so this would be an account of another one: "
                "fit again"
            )
        if checksum(samples.views) != self._checksum:
            raise ValueError("these are not the views that were fitted: pass those, or fit again")
        return samples, settings

    def _check_samples(self, samples: Samples) -> None:
        """Refuses samples that have other names than those of the fit: their rows would be given the labels of others."""
        fitted, given = self._ids(), samples.ids
        if fitted is None or given is None:
            return
        if str(self.missing) == "drop-samples":
            known = set(fitted)
            given = [name for name in given if name in known]
        if fitted != given:
            other = sorted(set(given) ^ set(fitted))
            words = f"`{other[0]}` is in one of them only" if other else "they are in another order"
            raise ValueError(f"these are not the samples that were fitted ({words}): pass those, in the order of the fit")

    def _settings(self, views: list[str], precomputed: dict[str, str]) -> dict[str, Any]:
        """What is asked of the library, for views of these names; some of them may be affinities or distances."""
        values = {name: getattr(self, name) for name in self._parameters}
        check_metric(values.get("metric"))
        weights = weights_of(getattr(self, "view_weights", None), views)
        if weights is not None:
            # given, so how a method would find them is not asked
            values.pop("view_weights", None)
        return {
            "method": self._method,
            # a Python keyword cannot be an argument: the registry's `lambda` is `lambda_` here
            "parameters": [(name.rstrip("_"), plain(value)) for name, value in values.items()],
            **clusters_of(self.n_clusters),
            "scale": str(self.scale),
            "landmarks": str(self.landmarks),
            "seed": seed_of(self.random_state),
            "restarts": whole_number("n_init", self.n_init, 1, 10_000),
            "threads": threads_of(self.n_jobs),
            "memory": bytes_of(self.memory_limit),
            "weights": weights,
            "missing": str(self.missing),
            "precomputed": list(precomputed.items()),
        }

    def _remember(self, samples: Samples, found: dict[str, Any]) -> None:
        views, kept = samples.views, found["kept"]
        self.labels_ = found["labels"]
        self.verdict_ = {"state": "untested", "headline": "The clusters were not tested: `examine` does."}
        self.ids_ = None if samples.ids is None else np.array(samples.ids)
        rows = np.arange(self.labels_.size if kept is None else 1 + max(kept)) if samples.rows is None else samples.rows
        # -1 for a sample that the first table does not have
        self.samples_ = np.array([-1 if row is None else row for row in rows], dtype=np.int64)
        if kept is not None:
            self.samples_ = self.samples_[kept]
            self.ids_ = None if self.ids_ is None else self.ids_[kept]
        self.confidence_ = found["confidence"]
        shares = found["memberships"]
        # the largest ones of each sample, where there are very many
        self.memberships_ = csr_array(shares[:3], shape=shares[3]) if isinstance(shares, tuple) else shares
        self.embedding_ = found["embedding"]
        self.affinity_ = Affinity(found["affinity"])
        self.view_names_ = [name for name, _, _ in views]
        self.view_widths_ = [width_of(numbers) for _, numbers, _ in views]
        self._model = found["model"]
        self._kept_features = kept_features(views, str(self.missing))
        self._precomputed = samples.precomputed
        self._remember_findings(found)

    def _remember_findings(self, found: dict[str, Any]) -> None:
        """What does not grow with the samples."""
        for name, value in attributes_of(found["record"]).items():
            setattr(self, name, value)
        self.n_iter_ = found["n_iter"]
        self.stop_reason_ = found["stop_reason"]
        self._record = found["record"]

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and name not in self._parameters]:
            delattr(self, name)
        for name in ("_record", "_model", "_asked", "_checksum", "_one_array", "_kept_features", "_precomputed"):
            self.__dict__.pop(name, None)

    def _account(self) -> str:
        views = ", ".join(f"{name} ({width})" for name, width in zip(self.view_names_, self.view_widths_))
        total = self.seconds_["total"]
        return f"{self._method}: {self.labels_.size} samples, k = {self.n_clusters_}, views {views}: {total:.2f} s"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = str(self.missing) != "refuse"
        # one square array: whoever cuts it cuts rows and columns
        tags.input_tags.pairwise = isinstance(self.precomputed, str)
        return tags

    def _repr_html_inner(self) -> str:
        return str(estimator_html_repr(self)) + fit_table(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
