"""Fitted estimators cross processes."""

from __future__ import annotations

import multiprocessing
import pickle
import subprocess
import sys

import numpy as np

from consilience import SLRMF, Average


def test_fitted_estimators_pickle_whole(estimator_class, views):
    estimator = estimator_class(n_clusters=3, random_state=0).fit(views)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    for name in ("labels_", "embedding_", "eigenvalues_", "view_weights_"):
        assert np.array_equal(getattr(again, name), getattr(estimator, name))
    block = np.random.default_rng(0).normal(size=(len(views[0]), 4))
    assert np.array_equal(again.affinity_ @ block, estimator.affinity_ @ block)


def test_another_process_reads_what_this_one_wrote(views, tmp_path):
    estimator = SLRMF(3, random_state=0).fit(views)
    (tmp_path / "fitted.pickle").write_bytes(pickle.dumps(estimator))
    code = (
        "import pickle, sys, numpy as np\n"
        "e = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(e.labels_.tolist(), float((e.affinity_ @ np.ones(90)).sum()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "fitted.pickle")], capture_output=True, text=True, check=True
    )
    sums = float((estimator.affinity_ @ np.ones(90)).sum())
    assert done.stdout.strip() == f"{estimator.labels_.tolist()} {sums}"


def fit_and_apply(estimator, views):
    return estimator.fit(views).affinity_ @ np.ones(len(views[0]))


def test_forked_children_can_fit(views):
    # after a fork no thread of the parent exists: nothing may wait for one
    here = fit_and_apply(Average(3, random_state=0), views)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.starmap_async(fit_and_apply, [(Average(3, random_state=0), views)] * 4).get(timeout=120)
    assert all(np.array_equal(here, row) for row in there)
