"""metrics, datasets, corrupt, read and plot."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import consilience
from consilience import SLRMF, Average, datasets, metrics, plot


def test_scores_are_scikit_learns_where_it_has_them():
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(4, size=200), rng.integers(6, size=200)
    assert metrics.ari(truth, predicted) == pytest.approx(adjusted_rand_score(truth, predicted))
    assert metrics.nmi(truth, predicted) == pytest.approx(
        normalized_mutual_info_score(truth, predicted, average_method="geometric")
    )


def test_scores_by_hand():
    truth, predicted = ["a", "a", "a", "b", "b", "b"], [1, 1, 0, 0, 2, 2]
    # clusters {1, 2} take two of each class, cluster 0 one of each; pairs: 2 of the 3 together are right, of 6 true ones
    assert metrics.accuracy(truth, predicted) == pytest.approx(4 / 6)
    assert metrics.purity(truth, predicted) == pytest.approx(5 / 6)
    assert metrics.fscore(truth, predicted) == pytest.approx(2 * (2 / 3) * (2 / 6) / (2 / 3 + 2 / 6))
    assert metrics.scores(truth, truth) == {"accuracy": 1, "nmi": 1, "ari": 1, "purity": 1, "fscore": 1}
    with pytest.raises(ValueError, match="there are 5 predicted labels and 6 true ones\nhint: "):
        metrics.nmi(truth, predicted[:5])
    with pytest.raises(ValueError, match="a label per sample"):
        metrics.nmi(np.ones((2, 2)), [1, 2])


def test_digits():
    digits = datasets.load_digits()
    assert {name: view.shape for name, view in digits.views.items()} == {"fou": (2000, 76), "fac": (2000, 216)}
    assert np.bincount(digits.target).tolist() == [200] * 10
    assert digits.views["fac"][0, :3].tolist() == [98.0, 236.0, 531.0]
    views, target = datasets.load_digits(return_X_y=True)
    assert np.array_equal(target, digits.target) and list(views) == ["fou", "fac"]
    predicted = SLRMF(10, random_state=0).fit_predict(views)
    assert metrics.accuracy(target, predicted) > 0.9


def test_corruption_keeps_the_form_and_hits_the_share(views):
    noisy = consilience.corrupt([np.zeros((50, 40)), np.zeros((50, 10))], 0.2, amplitude=3.0)
    assert isinstance(noisy, list) and [np.count_nonzero(view) for view in noisy] == [400, 100]
    assert np.abs(noisy[0]).max() <= 3.0
    assert isinstance(consilience.corrupt({"a": views[0]}, 0.1), dict)
    assert consilience.corrupt(views[0], 0.1).shape == views[0].shape
    assert sp.issparse(consilience.corrupt([sp.csr_matrix(views[0])], 0.1)[0])
    for wrong in ({"fraction": 1.5}, {"mode": "swap"}, {"amplitude": -1.0}, {"scale": "log"}):
        with pytest.raises(ValueError):
            consilience.corrupt(views, **wrong)


def test_read(tmp_path, views):
    labels = np.arange(90) % 3
    np.savez(tmp_path / "set.npz", hog=views[0], color=views[1].astype("f4"), labels=labels)
    loaded = consilience.read(tmp_path / "set.npz")
    assert list(loaded.views) == ["hog", "color"] and np.array_equal(loaded.views["hog"], views[0])
    assert loaded.views["color"].dtype == np.float32
    assert np.array_equal(loaded.target, labels) and loaded.target_names.tolist() == ["0", "1", "2"]
    (tmp_path / "table.csv").write_text("name,x,y,kind\na,1,2,cat\nb,3,4,dog\n")
    table = consilience.read(str(tmp_path / "table.csv"), id_column="name", label_column="kind")
    assert table.ids.tolist() == ["a", "b"] and table.target_names.tolist() == ["cat", "dog"]
    assert table.feature_names == {"table": ["x", "y"]}
    with pytest.raises(FileNotFoundError, match="cannot read"):
        consilience.read(tmp_path / "nowhere.npz")
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match="broken.npz"):
        consilience.read(tmp_path / "broken.npz")


def test_pictures(views):
    estimator = SLRMF(3, random_state=0).fit(views)
    assert len(plot.affinity(estimator, blocks=30).images[0].get_array()) == 30
    drawn = plot.embedding(estimator)
    assert [len(group.get_offsets()) for group in drawn.collections] == np.bincount(estimator.labels_).tolist()
    assert [text.get_text() for text in drawn.get_legend().get_texts()] == ["0", "1", "2"]
    lines = plot.convergence(estimator).lines
    assert [line.get_label() for line in lines] == [*estimator.view_names_, "(joint graph)"]
    assert [text.get_text() for text in plot.agreement(estimator, when="before").texts][0] == "1.00"
    axes = matplotlib.pyplot.subplots()[1]
    assert plot.embedding(Average(1, random_state=0).fit(views), axes) is axes
    direct = Average(3, random_state=0).fit(views)
    for function in (plot.convergence, plot.agreement):
        with pytest.raises(ValueError, match="Average"):
            function(direct)
    with pytest.raises(ValueError, match="quantity"):
        plot.convergence(estimator, quantity="mood")


def test_pictures_of_many_clusters(views):
    many = Average(45, random_state=0).fit(views)
    drawn = plot.embedding(many)
    colours = {tuple(group.get_facecolor()[0]) for group in drawn.collections}
    assert len(colours) == len(drawn.collections) == 45 and len(drawn.get_legend().get_texts()) == 45
    assert len(plot.affinity(many).lines) == 0, "lines would cover the picture"
    assert len(plot.affinity(Average(3, random_state=0).fit(views)).lines) == 4
    assert plot.embedding(Average(80, random_state=0).fit(views)).get_legend() is None


def test_report_is_one_page_of_the_same_run(tmp_path: Path) -> None:
    digits = consilience.datasets.load_digits()
    some = np.arange(0, 2000, 10)
    views = {name: view[some] for name, view in digits.views.items()}
    model = consilience.SLRMF(n_clusters=10, random_state=0)
    with pytest.raises(NotFittedError):
        model.report(views, tmp_path / "early.html")
    labels = model.fit_predict(views)
    hostile = ["<script>alert(1)</script>"] + [f"s{i}" for i in range(1, 200)]
    file = model.report(views, tmp_path / "page.html", y=digits.target[some], ids=hostile, resamples=2)
    page = file.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>") and "<script>alert" not in page
    assert '"runs":2' in page and np.array_equal(labels, model.labels_)
    with pytest.raises(ValueError, match="3 ids for 200 samples"):
        model.report(views, tmp_path / "bad.html", ids=["a", "b", "c"], resamples=0)
