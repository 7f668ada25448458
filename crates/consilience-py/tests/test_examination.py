"""What the page knows, as values; ids through everything; AnnData and MuData in place."""

from __future__ import annotations

import json
import sys

import anndata
import mudata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import consilience
from consilience import SLRMF, Average, tl


@pytest.fixture(scope="module")
def frames(views):
    names = [f"s{i:02}" for i in range(90)]
    return {"rna": pd.DataFrame(views[0], index=names), "prot": pd.DataFrame(views[1], index=names)}


@pytest.fixture(scope="module")
def fitted(frames):
    return SLRMF(3, random_state=0).fit(frames)


@pytest.fixture(scope="module")
def examination(frames, fitted, blobs):
    return fitted.examine(frames, y=blobs[1], resamples=3)


def test_confidence_is_the_membership_of_the_own_cluster(fitted, examination):
    shares = fitted.memberships_[np.arange(len(fitted.labels_)), fitted.labels_]
    assert np.array_equal(fitted.confidence_, shares) and (fitted.memberships_.argmax(axis=1) == fitted.labels_).all()
    assert np.array_equal(examination.samples()["confidence"], fitted.confidence_)


def test_tables_are_data_frames_with_the_ids(examination, fitted):
    samples = examination.samples()
    assert samples.index.tolist() == fitted.ids_.tolist() and samples.index.name == "sample"
    assert np.array_equal(samples["cluster"], fitted.labels_)
    assert samples["stability"].between(0.0, 1.0).all() and samples["disagreement"].mean() < 0.1
    clusters = examination.stability()
    assert clusters["size"].tolist() == np.bincount(fitted.labels_).tolist() and (clusters["stability"] == 1.0).all()
    views = examination.view_report()
    assert views.index.tolist() == ["rna", "prot"] and views["d"].tolist() == [6, 9]
    assert views["weight"].to_numpy() == pytest.approx(fitted.view_weights_)
    assert (views["own_nmi"] > 0.9).all() and (views["without_nmi"] > 0.9).all()
    assert (views["own_scores_acc"] > 0.9).all()
    assert "without" not in views.columns, "a record is its values"


def test_the_verdict_and_the_page(examination, tmp_path):
    assert examination.verdict.state == "separate" and examination.verdict.sentences
    assert [cluster.state for cluster in examination.clusters] == ["solid"] * 3
    assert examination.mean_stability == 1.0 and examination.silhouette > 0.5
    assert examination.agreement.shape == (2, 2)
    assert examination.verdict.headline in repr(examination)
    page = examination.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert examination.verdict.headline in page and '"s07"' in page


def test_classes_are_matched_by_their_index(frames, fitted, blobs, tmp_path):
    classes = pd.Series(blobs[1], index=frames["rna"].index)
    turned = fitted.examine(frames, y=classes.iloc[::-1], resamples=0)
    assert turned.view_report()["own_scores_acc"].min() > 0.9
    written = fitted.write_run(tmp_path / "run", y=classes.iloc[::-1])
    assert json.loads((written / "run.json").read_text())["scores"]["acc"] == 1.0
    # another index is no name of a sample
    by_place = fitted.examine(frames, y=pd.Series(blobs[1]), resamples=0)
    assert by_place.view_report()["own_scores_acc"].min() > 0.9


def test_without_pandas_tables_are_columns(examination, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert examination.view_report()["view"] == ["rna", "prot"]
    assert examination.samples()["sample"][:2] == ["s00", "s01"]


def test_one_view_and_no_resamples(views):
    found = Average(3, random_state=0).fit(views[0]).examine(views[0], resamples=0)
    # refits follow from the affinity: they take no runs
    assert found.mean_stability == 1.0 and found.verdict.state == "separate"
    assert found.view_report()["d"].tolist() == [6] and "own_scores" not in found.view_report()
    assert found.samples().index.tolist() == list(range(90))


@pytest.mark.parametrize("form", [list, tuple, lambda views: dict(zip("ab", views)), lambda views: [sp.csr_matrix(view) for view in views]])
def test_every_form_of_input_is_reported(form, views, tmp_path):
    X = form(views)
    model = Average(3, random_state=0).fit(X)
    assert model.report(X, tmp_path / "page.html", resamples=0).exists()


def test_ids_of_anndata_reach_the_folder_and_the_page(views, tmp_path):
    data = anndata.AnnData(views[0], obs=pd.DataFrame(index=[f"cell{i}" for i in range(90)]))
    model = Average(3, random_state=0).fit(data)
    assert model.ids_[3] == "cell3"
    assert "cell3," in (model.write_run(tmp_path / "run") / "labels.csv").read_text()
    assert '"cell3"' in model.report(data, tmp_path / "page.html", resamples=0).read_text(encoding="utf-8")


@pytest.fixture
def cells(views):
    names = [f"cell{i}" for i in range(90)]
    rna = anndata.AnnData(sp.csr_matrix(np.ones((90, 4))), obs=pd.DataFrame(index=names))
    rna.obsm["X_pca"], rna.layers["raw"] = views[0], np.full((90, 4), 2.0)
    prot = anndata.AnnData(views[1], obs=pd.DataFrame(index=names))
    return mudata.MuData({"rna": rna, "prot": prot})


def test_clusters_are_written_where_scanpy_users_look(cells, views, tmp_path):
    expected = SLRMF(3, random_state=0).fit(views)
    assert tl.cluster(cells, 3, views=["rna:X_pca", "prot"], random_state=0) is None
    assert cells.obs["consilience"].dtype == "category"
    assert cells.obs["consilience"].astype(int).tolist() == expected.labels_.tolist()
    assert cells.obs["consilience_confidence"].to_numpy() == pytest.approx(expected.confidence_)
    assert cells.obsm["X_consilience"] == pytest.approx(expected.embedding_)
    settings = cells.uns["consilience"]
    assert settings["method"] == "SLRMF" and settings["params"]["random_state"] == 0 and settings["seed"] == 0
    assert list(settings["view_weights"]) == ["rna:X_pca", "prot"]
    cells.write(tmp_path / "cells.h5mu")
    assert mudata.read(str(tmp_path / "cells.h5mu")).uns["consilience"]["n_clusters"] == 3


def test_one_modality_a_copy_and_another_method(cells, views):
    alone = cells.mod["prot"]
    copy = tl.cluster(alone, 3, method="Average", key_added="mine", copy=True, random_state=0)
    assert "mine" in copy.obs and "mine" not in alone.obs
    assert copy.obs["mine"].astype(int).tolist() == Average(3, random_state=0).fit_predict(views[1]).tolist()
    assert tl.views(cells.mod["rna"], ["X_pca", "raw", "X"])["raw"].X[0, 0] == 2.0


def test_observations_that_are_left_out_have_no_cluster(cells):
    cells.mod["prot"] = cells.mod["prot"][:80].copy()
    cells.update()
    tl.cluster(cells, 3, views=["rna:X_pca", "prot"], join="inner", method="Average", random_state=0)
    assert cells.obs["consilience"].isna().sum() == 10 and np.isnan(cells.obsm["X_consilience"]).any(axis=1).sum() == 10


@pytest.mark.parametrize(
    "chosen, words",
    [(["atac"], "there is no modality `atac`, only rna, prot"), (["rna:X_umap"], "no `X_umap`, only X, X_pca, raw"), ("prot", "list of names")],
)
def test_views_that_are_not_there_are_named(cells, chosen, words):
    with pytest.raises(ValueError, match=words):
        tl.cluster(cells, 3, views=chosen)
    with pytest.raises(TypeError, match="data is of type dict: must be MuData or AnnData"):
        tl.cluster({"a": np.ones((9, 2))}, 3)
    with pytest.raises(ValueError, match="must be one of SLRMF"):
        tl.cluster(cells, 3, method="Leiden")
    assert consilience.tl is tl


def test_what_is_not_installed_is_named(cells, fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install .consilience\[anndata\]"):
        tl.cluster(cells, 3)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"pip install .consilience\[plot\]"):
        consilience.plot.embedding(fitted)
