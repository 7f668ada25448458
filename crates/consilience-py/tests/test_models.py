"""Fitted estimators place new samples, and are kept as models."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import consilience
from consilience import SLRMF, Average, Single, datasets, metrics


@pytest.fixture(scope="module")
def digits():
    """Every second digit to fit on, the others to predict."""
    found = datasets.load_digits()
    rows = np.arange(2000)
    train, test = rows[::2], rows[1::2]
    return {
        "train": {name: view[train] for name, view in found.views.items()},
        "test": {name: view[test] for name, view in found.views.items()},
        "target": found.target[test],
    }


@pytest.fixture(scope="module")
def fitted(digits):
    return SLRMF(n_clusters=10, random_state=0).fit(digits["train"])


def test_the_training_data_keep_their_labels(estimator_class, views):
    estimator = estimator_class(n_clusters=3, random_state=0).fit(views)
    assert np.mean(estimator.predict(views) == estimator.labels_) >= 0.99
    assert np.allclose(estimator.transform(views), estimator.embedding_, atol=1e-2)
    confidence = estimator.score_samples(views)
    assert confidence.shape == (90,) and confidence.min() >= 0 and confidence.max() <= 1
    assert np.array_equal(estimator.fit_transform(views), estimator.embedding_)


def test_new_samples_go_where_they_belong(fitted, digits):
    found = fitted.predict_details(digits["test"])
    assert metrics.nmi(digits["target"], found.labels) > 0.9
    assert np.array_equal(found.labels, fitted.predict(digits["test"]))
    assert np.array_equal(found.embedding, fitted.transform(digits["test"])) and found.embedding.shape[1] == fitted.embedding_.shape[1]
    assert np.array_equal(found.confidence, fitted.score_samples(digits["test"]))
    assert found.unlike.dtype == bool and found.unlike.mean() < 0.02 and (found.distance > 0).all()
    # the sure ones are right more often
    right = np.array([np.bincount(digits["target"][found.labels == label]).argmax() for label in range(10)])[found.labels]
    right = right == digits["target"]
    assert right[found.confidence > 0.9].mean() > right[found.confidence <= 0.9].mean()


def test_views_by_name_by_place_and_left_out(fitted, digits):
    fou, fac = digits["test"]["fou"], digits["test"]["fac"]
    labels = fitted.predict(digits["test"])
    assert np.array_equal(fitted.predict([fou, fac]), labels)
    assert np.array_equal(fitted.predict({"fac": fac, "fou": fou}), labels)
    alone = fitted.predict({"fac": fac})
    assert metrics.nmi(digits["target"], alone) > 0.7
    assert np.array_equal(fitted.predict([None, fac]), alone)
    assert np.array_equal(fitted.predict({"fou": None, "fac": fac}), alone)
    with pytest.raises(ValueError, match="X has 1 views, but the fit had 2"):
        fitted.predict([fac])
    with pytest.raises(ValueError, match="no view"):
        fitted.predict([None, None])
    with pytest.raises(ValueError, match="X is one array, but the fit had 2 views"):
        fitted.predict(fac)
    with pytest.raises(ValueError, match="unknown view `pix`"):
        fitted.predict({"pix": fac})
    with pytest.raises(ValueError, match="216 features, and the model was fitted on 76"):
        fitted.predict([fac, fou])


def test_columns_are_matched_by_name(views):
    frames = [pd.DataFrame(view, columns=[f"{place}{j}" for j in range(view.shape[1])]) for place, view in zip("ab", views)]
    estimator = SLRMF(3, random_state=0).fit(dict(zip("ab", frames)))
    turned = {"a": frames[0].iloc[:, ::-1], "b": frames[1].assign(more=7.0)}
    with pytest.warns(consilience.ConsilienceWarning, match="more"):
        assert np.array_equal(estimator.predict(turned), estimator.labels_)
    with pytest.raises(ValueError, match="lacks 1 of the 6 features .*`a2`"):
        estimator.predict({"a": frames[0].drop(columns="a2")})
    # rows are matched too, and come in the order of the first view
    shuffled = {"a": frames[0].iloc[::-1], "b": frames[1]}
    with pytest.warns(consilience.AlignmentWarning):
        assert np.array_equal(estimator.predict(shuffled), estimator.labels_[::-1])


def test_one_array_with_view_columns(views):
    table = np.hstack(views)
    estimator = SLRMF(3, view_columns=[6, 9], random_state=0).fit(table)
    assert np.array_equal(estimator.predict(table), estimator.labels_)
    assert np.array_equal(estimator.predict(views), estimator.labels_)
    with pytest.raises(ValueError, match="X has 14 features, but SLRMF is expecting 15 features"):
        estimator.predict(table[:, 1:])
    named = pd.DataFrame(table).add_prefix("f")
    estimator.fit(named)
    with pytest.raises(ValueError, match="same order"):
        estimator.predict(named.iloc[:, ::-1])


def test_features_that_the_fit_left_out_are_left_out_again(views):
    holed = np.where(np.arange(6) == 2, np.nan, views[0])
    for X in ([holed, views[1]], [pd.DataFrame(holed).add_prefix("f"), views[1]]):
        with pytest.warns(consilience.MissingValuesWarning):
            estimator = SLRMF(3, missing="drop-features", random_state=0).fit(X)
        assert np.array_equal(estimator.predict(X), estimator.labels_)
        assert np.array_equal(estimator.predict([views[0], views[1]]), estimator.labels_)


def test_sparse_views_and_later_changes_of_the_data(views):
    counts = sp.random(90, 40, density=0.08, random_state=0, format="csr") + sp.csr_matrix(np.repeat(np.eye(3), 30, 0) @ np.eye(3, 40))
    assert Average(3, random_state=0).fit([counts]).predict([counts]).shape == (90,)
    # the model keeps numbers of its own, whenever its distances are measured
    mine = views[0].astype(np.float32)
    kept = mine.copy()
    estimator = Single(3, scale="none", random_state=0).fit([mine])
    mine[:] = 0
    assert np.array_equal(estimator.predict([kept]), estimator.labels_)


def test_samples_unlike_any_are_flagged(views):
    estimator = SLRMF(3, random_state=0).fit(views)
    with pytest.warns(consilience.ConsilienceWarning, match="same units"):
        found = estimator.predict_details([1000.0 + view[:20] for view in views])
    assert found.unlike.all() and (found.distance > 1.5).all()


def test_names_and_containers_of_the_output(views):
    estimator = SLRMF(3, random_state=0).set_output(transform="pandas")
    frame = estimator.fit_transform(views)
    assert list(frame.columns) == list(estimator.get_feature_names_out()) == [f"slrmf{j}" for j in range(frame.shape[1])]
    assert isinstance(estimator.transform(views), pd.DataFrame)
    index = [f"s{i}" for i in range(90)]
    one = SLRMF(3, random_state=0).set_output(transform="pandas").fit(pd.DataFrame(views[0]))
    assert list(one.transform(pd.DataFrame(views[0], index=index)).index) == index


def test_nothing_predicts_before_it_is_fitted(estimator_class, views, tmp_path):
    for ask in ("predict", "transform", "score_samples", "predict_details", "save"):
        with pytest.raises(NotFittedError):
            getattr(estimator_class(), ask)(views if ask != "save" else tmp_path / "m")


def test_a_saved_model_predicts_the_same(estimator_class, views, tmp_path):
    frames = {name: pd.DataFrame(view, index=[f"s{i}" for i in range(90)]) for name, view in zip("ab", views)}
    estimator = estimator_class(n_clusters=3, random_state=4, n_init=3).fit(frames)
    path = estimator.save(tmp_path / "model.safetensors")
    for again in (consilience.load(path), estimator_class.load(path)):
        assert type(again) is estimator_class
        assert again.get_params() == estimator.get_params()
        assert np.array_equal(again.predict(frames), estimator.predict(frames))
        for name in ("labels_", "ids_", "samples_", "embedding_", "view_weights_"):
            assert np.array_equal(getattr(again, name), getattr(estimator, name))
        assert (again.view_names_, again.view_widths_, again.seed_) == (["a", "b"], [6, 9], 4)
        assert again.save(tmp_path / "again").read_bytes() == path.read_bytes()
        assert "90 samples; cluster sizes" in again._repr_html_()
        with pytest.raises(ValueError, match="no account of a run"):
            again.write_run(tmp_path / "run")


def test_what_is_no_model_is_refused(views, tmp_path):
    path = Average(3, random_state=0).fit(views).save(tmp_path / "m")
    with pytest.raises(ValueError, match="a model of Average, not of SLRMF"):
        SLRMF.load(path)
    with pytest.raises(FileNotFoundError):
        consilience.load(tmp_path / "nothing")
    (tmp_path / "cut").write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="the model is damaged|not a model"):
        consilience.load(tmp_path / "cut")


def test_weights_that_were_given_are_loaded(views, tmp_path):
    estimator = SLRMF(3, view_weights={"view1": 3.0, "view2": 1.0}, random_state=0).fit(views)
    again = consilience.load(estimator.save(tmp_path / "m"))
    assert again.view_weights == {"view1": 3.0, "view2": 1.0}
    assert np.array_equal(again.fit(views).labels_, estimator.labels_)


def test_pickles_and_copies_predict(estimator_class, views):
    estimator = estimator_class(n_clusters=3, random_state=0).fit(views)
    state = estimator.__getstate__()
    assert isinstance(state["_model"], bytes), "the bytes of the model's file"
    for again in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        found, expected = again.predict_details(views), estimator.predict_details(views)
        assert all(np.array_equal(found[name], expected[name]) for name in expected)
    assert pickle.loads(pickle.dumps(estimator_class(4))).get_params() == estimator_class(4).get_params()


def test_the_number_of_threads_changes_nothing(digits):
    one, many = (SLRMF(10, random_state=0, n_jobs=jobs).fit(digits["train"]).predict_details(digits["test"]) for jobs in (1, 3))
    assert all(np.array_equal(one[name], many[name]) for name in one)


def test_the_program_and_python_share_models(views, binary, tmp_path):
    names = [f"s{i}" for i in range(90)]
    frames = {"a": pd.DataFrame(views[0], index=names).add_prefix("p"), "b": pd.DataFrame(views[1], index=names).add_prefix("q")}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index_label="sample")
    estimator = SLRMF(3, random_state=0).fit(frames)
    folder = estimator.write_run(tmp_path / "python")

    def run(*arguments):
        return subprocess.run([binary, *arguments], capture_output=True, text=True, check=True, cwd=tmp_path).stdout

    placed = json.loads(run("predict", "python", "a.csv", "b.csv", "--json"))
    assert placed["labels"] == estimator.labels_.tolist() and placed["ids"] == names
    run("cluster", "a.csv", "b.csv", "-k", "3", "-o", "program")
    assert (folder / "model.safetensors").read_bytes() == (tmp_path / "program/model.safetensors").read_bytes()
    loaded = consilience.load(tmp_path / "program")
    assert list(loaded.ids_) == names and np.array_equal(loaded.predict(frames), estimator.labels_)


def test_another_process_predicts_from_the_pickle(views, tmp_path):
    estimator = SLRMF(3, random_state=0).fit(views)
    (tmp_path / "e.pickle").write_bytes(pickle.dumps(estimator))
    np.savez(tmp_path / "new.npz", *views)
    code = (
        "import pickle, sys, numpy as np\n"
        "new = np.load(sys.argv[2])\n"
        "print(pickle.load(open(sys.argv[1], 'rb')).predict([new['arr_0'], new['arr_1']]).tolist())"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "e.pickle"), str(tmp_path / "new.npz")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(estimator.labels_.tolist())


def test_prediction_is_silent_unless_asked(views, capsys):
    estimator = Average(3, random_state=0).fit(views)
    estimator.predict(views)
    assert capsys.readouterr() == ("", "")


def test_many_samples_are_placed_among_landmarks(tmp_path):
    views, truth = datasets.make_blobs(600, 3, (5, 8), separation=12.0, random_state=1)
    fitted = SLRMF(n_clusters=3, landmarks=120, random_state=0).fit(views)
    assert len(fitted.labels_) == len(fitted.confidence_) == 600
    assert fitted.embedding_.shape[0] == 600
    assert metrics.nmi(truth, fitted.labels_) > 0.95
    # what places new samples placed these
    assert (fitted.predict(views) == fitted.labels_).all()
    page = fitted.report(views, tmp_path / "page.html", resamples=2).read_text()
    assert "120 of 600 samples were clustered in full" in page
    with pytest.raises(ValueError, match="is no number of landmarks"):
        SLRMF(n_clusters=3, landmarks="few").fit(views)
