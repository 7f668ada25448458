"""The features that set clusters apart."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import consilience


def test_the_feature_that_was_planted_is_named_first(views, monkeypatch):
    pandas = pytest.importorskip("pandas")
    model = consilience.Average(n_clusters=3)
    with pytest.raises(NotFittedError):
        model.markers(views)
    labels = model.fit_predict(views)
    # a feature that is 1 in cluster 2 alone, in a table with names
    planted = pandas.DataFrame({"noise": np.random.default_rng(0).normal(size=90), "planted": (labels == 2) * 1.0})
    model.fit({"a": views[0], "table": planted})
    inside = int(np.argmax([planted["planted"][model.labels_ == c].mean() for c in range(3)]))
    found = model.markers({"a": views[0], "table": planted}, features=50)
    assert list(found.columns) == ["cluster", "view", "feature", "auc", "inside", "outside", "p"]
    row = found[(found["feature"] == "planted") & (found["cluster"] == inside)].iloc[0]
    assert row["auc"] == 1.0 and row["inside"] == 1.0 and row["outside"] == 0.0 and row["p"] < 1e-6
    assert (found["p"] <= 0.05).all() and len(model.markers({"a": views[0], "table": planted}, features=1)) <= 3

    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(model.markers({"a": views[0], "table": planted}), dict)


def test_other_samples_are_refused(views):
    model = consilience.Average(n_clusters=3).fit(views)
    with pytest.raises(ValueError, match="the fit has 90 labels"):
        model.markers([view[:50] for view in views])


def test_other_features_of_the_same_samples_are_compared(views):
    pandas = pytest.importorskip("pandas")
    names = [f"s{row}" for row in range(90)]
    frames = [pandas.DataFrame(view, index=names) for view in views]
    model = consilience.Average(n_clusters=3).fit(frames)
    assert len(model.markers({"raw": frames[0].abs()})) > 0
    with pytest.raises(ValueError, match="not the samples that were fitted .they are in another order"):
        model.markers([frame.iloc[::-1] for frame in frames])
    with pytest.raises(ValueError, match="not the samples that were fitted .`s0` is in one of them only"):
        model.markers([frame.iloc[1:] for frame in frames])
    gaps = [frames[0].copy(), frames[1]]
    gaps[0].iloc[4, 1] = np.nan
    dropped = consilience.Average(n_clusters=3, missing="drop-samples")
    with pytest.warns(consilience.MissingValuesWarning):
        dropped.fit(gaps)
    assert len(dropped.markers(gaps)) > 0
