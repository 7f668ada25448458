"""`n_clusters="auto"` and ranges: the number, the evidence, and what is said when there is no structure."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

from consilience import SLRMF, Average, ChoiceWarning, KMeans, NoStructureWarning, datasets, metrics, plot


@pytest.fixture(scope="module")
def blobs():
    return datasets.make_blobs(150, 3, (6, 9), separation=14.0, random_state=1)


@pytest.mark.parametrize("asked", ["auto", (2, 8), [2, 8], range(2, 9)])
def test_the_number_is_chosen_and_explained(asked, blobs):
    views, target = blobs
    model = SLRMF(n_clusters=asked, random_state=0).fit(views)
    assert model.n_clusters_ == 3 and len(set(model.labels_)) == 3
    best = model.choice_["candidates"][0]
    assert best["n_clusters"] == 3 and "Halves of the samples" in best["evidence"][0]
    curves = model.choice_["curves"]
    most = 12 if asked == "auto" else 8
    assert curves["n_clusters"].tolist() == list(range(2, most + 1))
    assert curves["score"].argmax() == 1 and np.isfinite(curves["agreement"]).all()
    assert model.choice_["answer"] == {"kind": "clusters", "clusters": 3, "message": "3 clusters stand out"}
    # a fit that is given the number is the same fit
    given = SLRMF(n_clusters=3, random_state=0).fit(views)
    assert np.array_equal(given.labels_, model.labels_)
    assert given.n_clusters_ == 3 and given.choice_ is None
    assert model.get_params()["n_clusters"] == asked


def test_every_method_can_be_asked(blobs):
    for estimator in (Average, KMeans):
        assert estimator(n_clusters="auto", random_state=0).fit(blobs[0]).n_clusters_ == 3


def test_no_structure_is_one_cluster_and_a_warning():
    cloud = np.random.default_rng(0).normal(size=(120, 3))
    with pytest.warns(NoStructureWarning, match="no structure found"):
        model = SLRMF(n_clusters="auto", random_state=0).fit(cloud)
    assert model.n_clusters_ == 1 and set(model.labels_) == {0}
    assert model.choice_["answer"]["kind"] == "no_structure" and model.choice_["answer"]["reason"]
    assert np.isnan(model.choice_["curves"]["agreement"]).all()


def test_views_that_disagree_are_an_answer_of_their_own():
    rng = np.random.default_rng(0)
    first, second = np.arange(240) % 3, np.arange(240) // 3 % 2
    views = {"a": 8 * np.eye(3)[first] + rng.normal(size=(240, 3)), "b": 8 * np.eye(3)[second] + rng.normal(size=(240, 3))}
    with pytest.warns(ChoiceWarning, match="`a` alone has 3, `b` alone has 2, together they have 6"):
        model = SLRMF(n_clusters="auto", random_state=0).fit(views)
    assert model.n_clusters_ == 6 and model.choice_["answer"]["alone"] == [["a", 3], ["b", 2]]
    with pytest.warns(ChoiceWarning, match="only view `a` shows clusters: 3"):
        model = SLRMF(n_clusters="auto", random_state=0).fit({"a": views["a"], "noise": rng.normal(size=(240, 5))})
    assert model.n_clusters_ == 3 and metrics.ari(first, model.labels_) > 0.95


def test_a_range_without_the_number_says_what_the_data_say(blobs):
    with pytest.warns(ChoiceWarning, match="no number in 5-8 stands out; 3 does"):
        model = SLRMF(n_clusters=(5, 8), random_state=0).fit(blobs[0])
    assert model.n_clusters_ == 3 and model.choice_["answer"]["kind"] == "outside_range"


def test_what_makes_no_sense_is_refused(blobs):
    for asked, words in [
        ((2, 60), "let the range end at 37"),
        ((5, 3), "no range of numbers"),
        ((1, 4), "parameter `n_clusters` = `1`: must be a whole number, at least 2"),
        ("many", "or `auto`, or a range such as (2, 12)"),
        (range(2, 9, 2), "must be a whole number"),
        ((2, 3, 4), "must be a whole number"),
    ]:
        with pytest.raises(ValueError) as error:
            SLRMF(n_clusters=asked).fit(blobs[0])
        assert words in str(error.value)
    with pytest.raises(ValueError, match="too few to choose"):
        SLRMF(n_clusters="auto").fit(np.arange(30.0).reshape(15, 2))


def test_the_choice_is_kept_drawn_and_reported(blobs, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    views, _ = blobs
    model = SLRMF(n_clusters=(2, 6), random_state=0).fit(views)
    record = json.loads((model.write_run(tmp_path / "run") / "run.json").read_text(encoding="utf-8"))
    assert record["k"] == 3 and record["choice"]["asked"] == "2-6" and len(record["choice"]["curves"]) == 5
    axes = plot.k(model)
    assert len(axes.lines) == 5 and axes.get_title() == "3 clusters"
    with pytest.raises(ValueError, match="did not choose"):
        plot.k(Average(3).fit(views))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = model.report(views, tmp_path / "page.html", resamples=0).read_text(encoding="utf-8")
    assert '"asked":"2-6"' in page
