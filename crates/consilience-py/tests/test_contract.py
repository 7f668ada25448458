"""The estimators' contract: scikit-learn's own checks, and ours."""

from __future__ import annotations

import ast
import inspect
import json
import re
import warnings

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import consilience
from consilience import SLRMF, Average, metrics
from consilience._names import ESTIMATORS


@pytest.mark.parametrize("view_columns", [None, [slice(0, 1), slice(1, None)]], ids=["one view", "two views"])
def test_scikit_learns_own_checks(estimator_class, view_columns):
    with warnings.catch_warnings():
        # the checks' data are noise, and the library says so
        warnings.simplefilter("ignore")
        # they ask whatever has predict_proba for the tags of a classifier
        expected = dict.fromkeys(["check_estimator_sparse_array", "check_estimator_sparse_matrix"], "predict_proba of a clusterer")
        estimator = estimator_class(view_columns=view_columns)
        found = check_estimator(estimator, on_fail=None, on_skip=None, expected_failed_checks=expected)
    failed = {row["check_name"]: row["exception"] for row in found if row["status"] == "failed"}
    assert not failed
    assert sum(row["status"] == "passed" for row in found) > 30


def test_signature_defaults_and_clone(estimator_class):
    signature = inspect.signature(estimator_class.__init__)
    assert all(parameter.kind is not inspect.Parameter.VAR_KEYWORD for parameter in signature.parameters.values())
    estimator = estimator_class(n_clusters=4, random_state=3)
    assert clone(estimator).get_params() == estimator.get_params()
    assert set(estimator.get_params()) == set(signature.parameters) - {"self"}
    # the shared parameters are put into the docstring in the order of the signature, with the same defaults
    described = re.findall(r"^(\w+) : .*default=(.*)$", estimator_class.__doc__, re.MULTILINE)
    defaults = estimator_class().get_params()
    assert [name for name, _ in described] == list(signature.parameters)[1:]
    assert {name: ast.literal_eval(default) for name, default in described} == defaults
    for section in ("Attributes", "Notes", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in estimator_class.__doc__


def test_fit_sets_everything(estimator_class, views):
    estimator = estimator_class(n_clusters=3, random_state=0)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)
    assert estimator.fit(views) is estimator
    n = len(views[0])
    assert estimator.labels_.shape == (n,) and set(estimator.labels_) == {0, 1, 2}
    assert len(estimator.embedding_) == n
    assert estimator.view_weights_.sum() == pytest.approx(1.0)
    assert (estimator.view_names_, estimator.view_widths_) == (["view1", "view2"], [6, 9])
    assert estimator.n_features_in_ == 15
    assert estimator.n_iter_ >= 0 and estimator.stop_reason_
    assert estimator.seconds_["total"] > 0
    assert len({len(column) for column in estimator.trace_.values()}) == 1
    assert np.array_equal(estimator.fit_predict(views), estimator.labels_)


@pytest.mark.filterwarnings("ignore::consilience.DisagreementWarning")
def test_slrmf_says_which_view_agrees_and_who_would_be_elsewhere(views):
    rng = np.random.default_rng(0)
    estimator = SLRMF(n_clusters=3, random_state=0).fit([*views, rng.normal(size=(len(views[0]), 5))])
    agreement = estimator.agreement_
    assert agreement["before"].shape == agreement["after"].shape == (3, 3)
    assert agreement["consensus_before"][0] > 0.9 > 0.3 > agreement["consensus_before"][2]
    assert list(estimator.disagreements_) == ["view1", "view2", "view3"]
    for samples in estimator.disagreements_.values():
        assert samples.dtype == np.int64 and np.all((0 <= samples) & (samples < len(views[0])))
    assert estimator.disagreements_["view1"].size < len(views[0]) / 20
    assert Average(n_clusters=3).fit(views).disagreements_ == {}


def test_every_method_finds_separated_clusters(estimator_class, blobs):
    predicted = estimator_class(n_clusters=3, random_state=0).fit_predict(blobs[0])
    assert metrics.accuracy(blobs[1], predicted) > 0.95


def test_the_affinity_is_an_operator(estimator_class, views):
    affinity = estimator_class(n_clusters=3, random_state=0).fit(views).affinity_
    n = len(views[0])
    assert isinstance(affinity, LinearOperator) and affinity.shape == (n, n)
    written = affinity @ np.eye(n)
    assert np.allclose(written, written.T)
    assert np.allclose(affinity @ np.arange(n, dtype=float), written @ np.arange(n))
    assert np.allclose(affinity.T @ np.ones((n, 2)), written @ np.ones((n, 2)))
    # the largest only: separated clusters repeat it, and ARPACK may miss a repetition
    largest = eigsh(affinity, 1, return_eigenvectors=False, which="LA")
    assert np.allclose(largest, np.linalg.eigvalsh(written)[-1], atol=1e-8)
    with pytest.raises(ValueError):
        affinity @ np.ones(n + 1)


def test_threads_and_seed_alone_decide(views):
    one, many = (SLRMF(3, random_state=5, n_jobs=jobs).fit(views) for jobs in (1, None))
    assert np.array_equal(one.embedding_, many.embedding_)
    state = Average(3, random_state=np.random.RandomState(0))
    assert state.fit_predict(views).shape == Average(3, random_state=np.random.default_rng(0)).fit_predict(views).shape
    np.random.seed(0)
    first = Average(3).fit(views).embedding_
    np.random.seed(0)
    assert np.array_equal(first, Average(3).fit(views).embedding_)


def test_pipelines_and_grid_search(blobs):
    table = np.hstack(list(blobs[0].values()))
    pipeline = make_pipeline(StandardScaler(), Average(3, view_columns=[6, 9], random_state=0))
    assert metrics.accuracy(blobs[1], pipeline.fit_predict(table)) > 0.95

    def score(estimator, X, y):
        return metrics.nmi(y, estimator.fit_predict(X))

    search = GridSearchCV(Average(3, view_columns=[6, 9], random_state=0), {"neighbours": [5, 10]}, scoring=score, cv=2)
    assert search.fit(table, blobs[1]).best_score_ > 0.9


def test_html_shows_parameters_and_after_fit_the_views(views):
    estimator = Average(3, random_state=0)
    assert "Average" in estimator._repr_html_() and "<caption>" not in estimator._repr_html_()
    estimator.fit({"<b>": views[0], "shape": views[1]})
    html, again = estimator._repr_mimebundle_()["text/html"], estimator._repr_html_()
    # every picture has a number of its own
    assert re.sub(r"id-\d+", "", html) == re.sub(r"id-\d+", "", again)
    assert "<td>shape</td><td>9</td><td>0.500</td>" in html and "&lt;b&gt;" in html and "90 samples" in html


def test_verbose_talks_and_silence_is_silent(views, capsys):
    Average(3, random_state=0, verbose=1).fit(views)
    assert "average: 90 samples, k = 3, views view1 (6), view2 (9): " in capsys.readouterr().err
    Average(3, random_state=0).fit(views)
    assert capsys.readouterr() == ("", "")


def test_warnings_have_classes(views):
    far = np.vstack([views[0], views[0] + 1e4])
    with pytest.warns(consilience.ConsilienceWarning, match="the graph of view `view1` falls into") as caught:
        Average(2, neighbours=5, random_state=0).fit([far])
    assert (caught[0].message.kind, caught[0].message.view) == ("disconnected_graph", "view1")


def test_a_corrupted_view_is_named_by_its_warning(views):
    random = np.random.default_rng(0)
    noisy = np.where(random.random(views[1].shape) < 0.2, random.uniform(-50, 50, views[1].shape), views[1])
    with pytest.warns(consilience.CorruptionWarning) as caught:
        SLRMF(3, robust="always", random_state=0).fit({"clean": views[0], "noisy": noisy})
    assert "noisy" in {warning.message.view for warning in caught}


def test_what_did_not_converge_has_scikit_learns_class(views, monkeypatch):
    honest = consilience._native.fit

    def inexact(given, asked, progress):
        return {**honest(given, asked, progress), "warnings": [("inexact_eigenvectors", None, "the eigenvectors are not exact")]}

    monkeypatch.setattr(consilience._native, "fit", inexact)
    with pytest.warns(ConvergenceWarning, match="not exact"):
        Average(3, random_state=0).fit(views)


@pytest.mark.parametrize("method", [method for method in json.loads(consilience._native.methods()) if method["quadratic"]])
def test_methods_that_are_n_by_n_ask_for_memory_first(method):
    estimator = next(found for found in map(consilience.__getattr__, ESTIMATORS) if found._method == method["id"])
    with pytest.raises(MemoryError, match="of memory, but only 1 MB may be used"):
        estimator(2, memory_limit=0.001, random_state=0).fit(np.random.default_rng(0).normal(size=(700, 3)))


def test_everything_public_is_there():
    for name in consilience.__all__:
        assert getattr(consilience, name) is not None
    assert set(consilience.__all__) <= set(dir(consilience))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        consilience.nothing
