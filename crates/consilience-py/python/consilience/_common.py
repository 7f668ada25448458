"""What every estimator has: the parameters beside the method's own and the fitted attributes, each said once."""

from __future__ import annotations

import functools
import inspect
import json
import keyword
import re
from typing import Any, ClassVar, Literal, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from . import _native
from ._affinity import Affinity


class Common(BaseEstimator):  # type: ignore[misc]
    """The parameters and attributes that all estimators share. Each class's docstring gets them when the class is made.

    Parameters
    ----------
    n_clusters : int, "auto", tuple or range, default=8
        Number of clusters. `auto`, `(2, 12)` or `range(2, 13)` let the data choose: `n_clusters_` is what was chosen,
        and `choice_` says why; 1 when there is no structure.
    view_weights : object, default=None
        Weights of the views: a dict by name, or a list in the order of the views; only ratios count.
    scale : {"auto", "zscore", "unit", "minmax", "none"}, default="auto"
        Scaling of the features. `auto` is unit rows for sparse non-negative views and z-scores otherwise.
    landmarks : int or {"auto", "off"}, default="auto"
        Cluster only so many samples in full and place all among them; `auto` does so above 50,000 samples, `off`
        never. `affinity_` is then that of the landmarks.
    n_init : int, default=10
        Restarts of k-means; the best is kept.
    random_state : object, default=None
        Seed of everything random: an int (the command line's `--seed`), a RandomState, a Generator, or None for
        NumPy's global one. Pass an int for results that can be repeated.
    n_jobs : int or None, default=None
        Threads; -1 is all cores, and so is None where neither joblib nor threadpoolctl limits them: inside a worker
        of joblib it is one. The result does not depend on it.
    memory_limit : float or None, default=None
        Gigabytes to keep to: by landmarks where all samples would take more, else refused. None: only n x n methods
        ask what is free.
    view_columns : object, default=None
        The columns of each view, when `X` is one array: a list (or a dict by name) of slices, of lists of columns, or
        of the views' numbers of columns. None is one view.
    precomputed : object, default=None
        Views that are not features but `"affinity"` (how alike two samples are, 0 is not at all: a neighbour graph, a
        kernel) or `"distance"` of samples x samples, dense or sparse: a word for all views, or a dict by the name of
        the view.
    join : {"strict", "inner", "outer"}, default="strict"
        Which samples are kept when DataFrames or AnnData do not have the same ones: `strict` refuses that, `inner`
        keeps those that every view has, and `outer` all of them, for methods that can use incomplete views.
    missing : {"refuse", "impute", "drop-samples", "drop-features"}, default="refuse"
        What becomes of missing values (NaN): refused, filled in by the mean of the most similar samples, or left out
        with their samples or features.
    verbose : int, default=0
        Show progress on stderr when not 0.

    Attributes
    ----------
    labels_ : array of int, (n,)
        The cluster of every sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters; the chosen one when the data were to choose, 1 when they have no structure.
    choice_ : dict or None
        How it was chosen: `answer` (its `kind`, such as "clusters", "views_disagree" or "no_structure", the numbers behind it,
        and the `message`), `candidates` (the best first, each with `n_clusters` and its `evidence` in sentences) and `curves`
        (arrays by number of clusters). None when it was given.
    ids_ : array of str or None
        The samples' names in the order of `labels_`, when `X` has some: a DataFrame's index, AnnData's `obs_names`.
    samples_ : array of int, (n,)
        Their rows in the first view; all of them unless `join` or `missing` left some out.
    confidence_ : array, (n,)
        How sure the cluster of every sample is, from 0 to 1: its share in `memberships_`. `examine` asks more.
    verdict_ : dict
        How far the clusters may be trusted: a `state` (separate, touching, pieces, unstable or untested) and a `headline`. Untested
        until `examine` or `report` was called.
    memberships_ : array, (n, clusters)
        The share of every cluster in every sample; rows sum to 1, the largest is the sample's label. A SciPy sparse array of the
        ten largest of each sample where there would be more than ten million.
    tree_ : array, (clusters - 1, 4)
        How the clusters join, in the format of `scipy.cluster.hierarchy.linkage`: which two, 1 less the share of their ties (1 where
        there are none), and how many of the run's clusters are in both. `cut` gives the labels of a level.
    readings_ : dict or None
        The way of reading the labels that was `kept`, and how much of each `returned` in refits on halves of the samples; for `SLRMF`.
    embedding_ : array, (n, any)
        What k-means saw.
    eigenvalues_ : array
        The affinity's largest eigenvalues, where the method needs them: k, and as many as came with them, up to five,
        so that a drop after the k-th can be seen. Those past k are exact to about 0.01; for `SLRMF` they are of its
        factors' further columns.
    affinity_ : scipy.sparse.linalg.LinearOperator, (n, n)
        The normalised affinity that the views agreed on, never written out; it survives pickling.
    view_weights_ : array, (views,)
        Weight of each view; they sum to 1. `view_names_` and `view_widths_` say which views they are.
    trace_ : dict of arrays
        Columns `iteration`, `view`, `objective`, `residual` and `change`; empty for methods that do not iterate.
    agreement_ : dict or None
        NMI between the views' own labels, `before` and `after`, where the method gives an account of it; for `slrmf`
        also of every view with the labels of the run, `consensus_before` and `consensus_after`.
    disagreements_ : dict
        The samples that a view would have put elsewhere, by view, where the method gives an account of it.
    corruption_ : dict
        For each view in which the method looked for corruption, its `share` of the entries, the `range` in which the
        true share is likely to be (None where it is counted), and the share `by_feature`.
    n_iter_ : int
        Iterations made; `stop_reason_` says why no more were.
    seconds_ : dict
        Where the time went: `prepare`, `graph`, `solve`, `assign`, `total`.
    n_features_in_ : int
        Number of features of all views together.
    feature_names_in_ : array of str
        Names of the columns, when `X` was one DataFrame.

    Examples
    --------
    >>> from consilience import SLRMF, datasets
    >>> views, target = datasets.make_blobs(60, 3)
    >>> SLRMF(n_clusters=3, random_state=0).fit_predict(views).shape
    (60,)
    """

    _method: ClassVar[str]
    # the method's own, by the names that they have as arguments
    _parameters: ClassVar[tuple[str, ...]]

    labels_: NDArray[np.int64]
    confidence_: NDArray[np.float64]
    verdict_: dict[str, str]
    memberships_: Any
    tree_: NDArray[np.float64]
    readings_: Optional[dict[str, Any]]
    n_clusters_: int
    choice_: Optional[dict[str, Any]]
    ids_: Optional[NDArray[np.str_]]
    samples_: NDArray[np.int64]
    embedding_: NDArray[np.float64]
    eigenvalues_: NDArray[np.float64]
    affinity_: Affinity
    view_weights_: NDArray[np.float64]
    view_names_: list[str]
    view_widths_: list[int]
    trace_: dict[str, Any]
    agreement_: Optional[dict[str, NDArray[np.float64]]]
    disagreements_: dict[str, NDArray[np.int64]]
    corruption_: dict[str, dict[str, Any]]
    n_iter_: int
    stop_reason_: str
    seconds_: dict[str, float]
    n_features_in_: int
    seed_: int

    def __init__(
        self,
        n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8,
        *,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto",
        n_init: int = 10,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        memory_limit: Optional[float] = None,
        view_columns: Any = None,
        precomputed: Any = None,
        join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse",
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.scale = scale
        self.landmarks = landmarks
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.view_columns = view_columns
        self.precomputed = precomputed
        self.join = join
        self.missing = missing
        self.verbose = verbose

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_method" not in vars(cls):
            return
        cls._parameters = _own_parameters()[cls._method]
        # without docstrings (python -OO) there is nothing to put together
        if cls.__doc__ and Common.__doc__:
            cls.__doc__ = _with_shared(cls, cls.__doc__, Common.__doc__)


@functools.lru_cache(maxsize=None)
def _own_parameters() -> dict[str, tuple[str, ...]]:
    """The parameters of every method. A Python keyword cannot be an argument: the registry's `lambda` is `lambda_` here."""
    names = {method["id"]: [row["name"] for row in method["parameters"]] for method in json.loads(_native.methods())}
    return {method: tuple(name + "_" * keyword.iskeyword(name) for name in own) for method, own in names.items()}


def _with_shared(cls: type, own: str, shared: str) -> str:
    """A class's docstring with what all estimators share: parameters in the order of the signature, attributes, an example."""
    (head, sections), (_, common) = _sections(own), _sections(shared)
    entries = {**_entries(common["Parameters"]), **_entries(sections.get("Parameters", ""))}
    asked = [name for name in inspect.signature(cls).parameters]
    sections = {
        "Parameters": "\n".join(entries[name] for name in asked),
        "Attributes": common["Attributes"],
        **{name: body for name, body in sections.items() if name != "Parameters"},
        "Examples": common["Examples"].replace("SLRMF", cls.__name__),
    }
    return "\n\n".join([head, *(f"{name}\n{'-' * len(name)}\n{body}" for name, body in sections.items())]) + "\n"


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """A docstring of NumPy's kind: what is above the sections, and the sections by their titles."""
    head, *rest = re.split(r"^(\w+)\n-+\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return head.strip(), {title: body.strip() for title, body in zip(rest[::2], rest[1::2])}


def _entries(section: str) -> dict[str, str]:
    """The entries of a section by the names they describe."""
    return {entry.split(" : ")[0]: entry.rstrip() for entry in re.split(r"^(?=\w)", section, flags=re.MULTILINE) if entry}
