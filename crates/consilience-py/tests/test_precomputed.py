"""Views that are affinities or distances of the samples instead of features."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from anndata import AnnData
from sklearn.base import clone
from sklearn.metrics import normalized_mutual_info_score as nmi
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import consilience as cs
from consilience import estimators

ABLE = [cs.SLRMF, cs.Average, cs.SNF, cs.MAASC, cs.CoMVSC, cs.CoTraining, cs.Single]
UNABLE = [getattr(estimators, name) for name in estimators.__all__ if getattr(estimators, name) not in ABLE]


@pytest.fixture(scope="module")
def blobs():
    views, target = cs.datasets.make_blobs(150, 3)
    return [np.asarray(view) for view in (views.values() if isinstance(views, dict) else views)], target


def graph(view, neighbours=12):
    found = kneighbors_graph(view, neighbours)
    return 0.5 * (found + found.T)


def quiet(estimator, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.ConsilienceWarning)
        return estimator.fit(X)


@pytest.mark.parametrize("estimator", ABLE)
def test_graphs_and_distances_beside_features(estimator, blobs):
    views, target = blobs
    for kind, table in [("affinity", graph(views[1])), ("affinity", graph(views[1]).toarray()),
                        ("distance", pairwise_distances(views[1])), ("distance", kneighbors_graph(views[1], 20, mode="distance"))]:
        fitted = quiet(estimator(3, random_state=0, precomputed={"b": kind}), {"a": views[0], "b": table})
        assert nmi(target, fitted.labels_) > 0.95, kind
    alone = quiet(estimator(3, random_state=0, precomputed="affinity"), graph(views[0]))
    assert nmi(target, alone.labels_) > 0.95 and alone.n_features_in_ == 150
    assert len(alone.eigenvalues_) >= 3


@pytest.mark.parametrize("estimator", UNABLE)
def test_methods_of_features_refuse_by_name(estimator, blobs):
    views, _ = blobs
    with pytest.raises(ValueError, match="works on features.*view `b` has none"):
        estimator(3, precomputed={"b": "affinity"}).fit({"a": views[0], "b": graph(views[1])})


def test_what_cannot_be_is_refused_in_words(blobs):
    views, _ = blobs
    distances = pairwise_distances(views[1])
    ask = lambda table, kind="affinity", **more: cs.SLRMF(3, precomputed={"b": kind}, **more).fit({"a": views[0], "b": table})
    with pytest.raises(ValueError, match="samples x samples"):
        ask(views[1])
    with pytest.raises(ValueError, match="looks like distances"):
        ask(distances)
    with pytest.raises(ValueError, match="negative value"):
        ask(np.corrcoef(views[1]))
    with pytest.raises(ValueError, match="missing values"):
        ask(np.where(distances > np.median(distances), np.nan, 1.0))
    with pytest.raises(ValueError, match="no view `c`, only a, b"):
        cs.SLRMF(3, precomputed={"c": "affinity"}).fit({"a": views[0], "b": views[1]})
    with pytest.raises(ValueError, match="must be 'affinity' or 'distance'"):
        ask(distances, "similarity")
    with pytest.raises(ValueError, match="precomputed='distance' or precomputed='affinity'"):
        cs.Average(3, metric="precomputed").fit(distances)
    with pytest.raises(ValueError, match='(?s)placed among landmarks.*landmarks="off"'):
        ask(graph(views[1]), landmarks=50)
    with pytest.raises(ValueError, match="chosen by features"):
        cs.SLRMF("auto", precomputed="affinity").fit(graph(views[0]))


def test_directions_that_differ_are_averaged_with_a_word(blobs):
    views, target = blobs
    with pytest.warns(cs.AffinityWarning, match="not the same in both directions") as found:
        fitted = cs.SLRMF(3, random_state=0, precomputed={"b": "affinity"}).fit({"a": views[0], "b": kneighbors_graph(views[1], 12)})
    assert [w.message.view for w in found if isinstance(w.message, cs.AffinityWarning)] == ["b"]
    assert nmi(target, fitted.labels_) > 0.95


@pytest.mark.parametrize("sparse", [False, True])
def test_tables_are_matched_by_name_in_both_directions(blobs, sparse):
    views, target = blobs
    names = [f"s{i}" for i in range(150)]
    order = np.random.default_rng(0).permutation(150)
    square = graph(views[1]).toarray()[np.ix_(order, order)]
    turned = [names[i] for i in order]
    frame = AnnData(X=sp.csr_matrix(square)) if sparse else pd.DataFrame(square, index=turned, columns=turned)
    if sparse:
        frame.obs_names = turned
    fitted = quiet(cs.SLRMF(3, random_state=0, precomputed={"b": "affinity"}), {"a": pd.DataFrame(views[0], index=names), "b": frame})
    assert nmi(target, fitted.labels_) > 0.95 and list(fitted.ids_) == names
    # one in ten is not in the graph
    part = frame[:135] if sparse else frame.iloc[:135, :135]
    part = AnnData(X=part.X[:, :135], obs=part.obs) if sparse else part
    fitted = quiet(cs.SLRMF(3, random_state=0, precomputed={"b": "affinity"}, join="outer"),
                   {"a": pd.DataFrame(views[0], index=names), "b": part})
    assert nmi(target, fitted.labels_) > 0.95


def test_columns_in_another_order_than_the_rows_are_refused(blobs):
    views, _ = blobs
    names = [f"s{i}" for i in range(150)]
    frame = pd.DataFrame(graph(views[1]).toarray(), index=names, columns=names)[names[::-1]]
    with pytest.raises(ValueError, match="not in the order of its rows"):
        cs.SLRMF(3, precomputed="affinity").fit(frame)


def test_new_samples_go_by_the_features(blobs, tmp_path):
    views, _ = blobs
    fitted = quiet(cs.SLRMF(3, random_state=0, precomputed={"b": "affinity"}), {"a": views[0], "b": graph(views[1])})
    assert (fitted.predict({"a": views[0]}) == fitted.labels_).all()
    assert (fitted.predict([views[0], None]) == fitted.labels_).all()
    with pytest.raises(ValueError, match="view `b` was precomputed at fit"):
        fitted.predict({"a": views[0], "b": graph(views[1])})
    assert (cs.load(fitted.save(tmp_path / "model.safetensors")).predict({"a": views[0]}) == fitted.labels_).all()
    assert set(fitted.markers({"a": views[0], "b": graph(views[1])})["view"]) == {"a"}


def test_affinities_alone_say_nothing_of_new_samples(blobs, tmp_path):
    views, _ = blobs
    alone = quiet(cs.SLRMF(3, random_state=0, precomputed="affinity"), graph(views[0]))
    with pytest.raises(ValueError, match="say nothing of new samples"):
        alone.predict(graph(views[0]))
    with pytest.raises(ValueError, match="say nothing of new samples"):
        alone.save(tmp_path / "model.safetensors")
    again = pickle.loads(pickle.dumps(alone))
    assert (again.labels_ == alone.labels_).all() and clone(alone).precomputed == "affinity"
    assert not (alone.write_run(tmp_path / "run") / "model.safetensors").exists()
    assert alone.__sklearn_tags__().input_tags.pairwise and not cs.SLRMF().__sklearn_tags__().input_tags.pairwise


def test_a_report_leaves_out_what_means_nothing(blobs, tmp_path):
    views, _ = blobs
    X = {"a": views[0], "b": graph(views[1])}
    fitted = quiet(cs.SLRMF(3, random_state=0, precomputed={"b": "affinity"}), X)
    examined = fitted.examine(X, resamples=2)
    assert len(examined.view_report()) == 2 and set(fitted.corruption_) == {"a"}
    assert (tmp_path / "page.html") == fitted.report(X, tmp_path / "page.html", resamples=2)
    alone = quiet(cs.SLRMF(3, random_state=0, precomputed="affinity"), {"b": X["b"]})
    assert alone.examine({"b": X["b"]}, resamples=2).verdict


def test_graphs_of_anndata(blobs):
    views, target = blobs
    data = AnnData(X=views[0])
    data.obsp["connectivities"] = graph(views[1])
    data.obsp["distances"] = kneighbors_graph(views[1], 20, mode="distance")
    for entry in ("connectivities", "distances"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cs.tl.cluster(data, 3, views=["X", entry], random_state=0)
        assert nmi(target, data.obs["consilience"].astype(str)) > 0.95, entry


@pytest.mark.parametrize("call", ["fit", "fit_predict", "fit_transform"])
def test_weights_of_samples_are_refused_with_what_to_do(blobs, call):
    views, _ = blobs
    with pytest.raises(ValueError, match="sample_weight is not supported.*embedding_.*view_weights"):
        getattr(cs.SLRMF(3), call)(views, sample_weight=np.ones(150))
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        getattr(cs.SLRMF(3), call)(views, weight=np.ones(150))
    assert getattr(cs.SLRMF(3), call)(views, sample_weight=None) is not None
