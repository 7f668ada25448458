"""Golden values of co-regularisation and co-training from the numpy reference, on two small graphs.

    python scripts/make_coviews_golden.py ../shared/reference > crates/consilience/tests/golden/coviews.json

The reference (baselines.py) is not part of this repository; what it computed is. Compared are the subspaces of every U_v
and of U*. There are more samples than the eigen-solver writes an operator out for, so that it has to iterate.
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import baselines as reference  # noqa: E402

SAMPLES, CLUSTERS, LAMBDA = 195, 3, 0.3
# enough that nothing moves any more: on the way there, solvers of different exactness take different steps
ITERATIONS = 400

rng = np.random.default_rng(11)
labels = np.arange(SAMPLES) % CLUSTERS


def view(features, distance):
    """The affinity of a noisy view, rounded so that the file holds exactly what both sides use."""
    centres = rng.normal(size=(CLUSTERS, features)) * distance
    X = centres[labels] + rng.normal(size=(SAMPLES, features))
    return np.round(reference.affinity(X, s=5), 4)


def edges(W):
    rows, columns = np.nonzero(np.triu(W))
    return [[int(i), int(j), float(W[i, j])] for i, j in zip(rows, columns)]


def rounded(U):
    return np.round(U, 9).tolist()


Ws = [view(4, 1.2), view(6, 0.9)]
pairwise = reference.coreg_pairwise(Ws, CLUSTERS, lam=LAMBDA, max_iter=ITERATIONS, tol=0.0)
centre, around = reference.coreg_centroid(Ws, CLUSTERS, lam=LAMBDA, max_iter=ITERATIONS, tol=0.0)
trained = {str(t): reference.cotraining(Ws, CLUSTERS, iters=t) for t in (1, 2, 10)}

json.dump({
    "samples": SAMPLES,
    "clusters": CLUSTERS,
    "lambda": LAMBDA,
    "iterations": ITERATIONS,
    "edges": [edges(W) for W in Ws],
    "pairwise": [rounded(U) for U in pairwise],
    "centroid": [rounded(U) for U in around],
    "centre": rounded(centre),
    "cotraining": {t: [rounded(U) for U in Us] for t, Us in trained.items()},
}, sys.stdout)
