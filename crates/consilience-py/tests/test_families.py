"""Made-up families on which the default must not fail: a quick part of scripts/score_families.py."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consilience import SLRMF

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from families import FAMILIES  # noqa: E402

# seeds that nothing was chosen on
LEAST = {
    "easy": 1.0, "sizes": 0.95, "rare_types": 0.95, "replicates": 1.0, "few_features": 0.4, "touching": 0.75, "spreads": 0.95,
    "conflict": 0.9, "one_view": 0.95, "batch": 0.95, "moons": 0.85,
}


@pytest.mark.parametrize("name", LEAST)
@pytest.mark.filterwarnings("ignore")
def test_the_default_finds_the_clusters(name):
    views, labels, k = FAMILIES[name](1_000)
    fitted = SLRMF(k, random_state=0).fit(views)
    assert adjusted_rand_score(labels, fitted.labels_) >= LEAST[name]
    assert fitted.memberships_.shape == (len(labels), k)
    np.testing.assert_allclose(fitted.memberships_.sum(axis=1), 1.0)
    assert (fitted.memberships_.argmax(axis=1) == fitted.labels_).all()


@pytest.mark.parametrize("k", [9, 12])
@pytest.mark.filterwarnings("ignore")
def test_rare_types_stay_apart_when_more_clusters_are_asked_for(k):
    views, labels, _ = FAMILIES["rare_types"](1_000)
    found = SLRMF(k, random_state=0).fit(views).labels_
    for rare in (7, 8):
        own = np.bincount(found[labels == rare]).argmax()
        assert set(labels[found == own]) == {rare}


@pytest.mark.filterwarnings("ignore")
def test_copies_are_one_point_and_told():
    views, labels, k = FAMILIES["replicates"](1_000)
    with pytest.warns(UserWarning, match="300 samples have exact copies; .* 30 different samples were clustered"):
        fitted = SLRMF(k, random_state=0).fit(views)
    once = SLRMF(k, random_state=0).fit({name: view[::10] for name, view in views.items()})
    assert (fitted.labels_[::10] == once.labels_).all() and adjusted_rand_score(labels, fitted.labels_) == 1.0


@pytest.mark.filterwarnings("ignore")
def test_the_tree_joins_what_is_near():
    from scipy.cluster.hierarchy import is_valid_linkage

    views, labels, k = FAMILIES["nested"](1_000)
    fitted = SLRMF(k, random_state=0).fit(views)
    assert is_valid_linkage(fitted.tree_)
    groups = np.array([0, 0, 0, 1, 1, 2])[labels]
    assert adjusted_rand_score(groups, fitted.cut(3)) == 1.0
    assert (fitted.cut(k) == fitted.labels_).all() and (fitted.cut(1) == 0).all()
    with pytest.raises(ValueError, match="n_clusters"):
        fitted.cut(2 * k + 1)
    # three groups of 3, 2 and 1 clusters: a coarse fit splits into the clusters again
    coarse = SLRMF(3, random_state=0).fit(views)
    assert adjusted_rand_score(groups, coarse.labels_) == 1.0
    finer = coarse.cut(4)
    assert (finer[finer < 3] == coarse.labels_[finer < 3]).all() and adjusted_rand_score(groups, finer) > 0.5
    assert adjusted_rand_score(labels, finer) > adjusted_rand_score(labels, coarse.labels_)
    proba = fitted.predict_proba(views)
    assert (proba.argmax(axis=1) == fitted.predict(views)).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
