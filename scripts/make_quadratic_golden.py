"""Golden values of the methods that are n x n by definition, from the numpy baselines, on small arrays.

    python scripts/make_quadratic_golden.py ../shared/reference > crates/consilience/tests/golden/quadratic.json

The reference (baselines.py) is not part of this repository; what it computed is. rlrr: the common walk, iterations and the
embedding's projector, from given affinities. lrrgl: the optimum (fixed penalties, run to 1e-9).
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import baselines as reference  # noqa: E402

SAMPLES, CLUSTERS, LAMBDA1, LAMBDA2, BETA = 40, 3, 0.1, 0.7, 0.2

rng = np.random.default_rng(11)
labels = np.arange(SAMPLES) % CLUSTERS
views = []
for features in (5, 7):
    X = 2 * rng.normal(size=(CLUSTERS, features))[labels] + rng.normal(size=(SAMPLES, features))
    hit = rng.random(X.shape) < 0.1
    views.append(np.round(reference.normalise(X, "zscore") + hit * rng.uniform(-5, 5, X.shape), 6))
weights = [reference.affinity(X, s=6) for X in views]

info = {}
P = reference.rmsc(weights, lam=0.05, info=info)
U = reference.rmsc_embedding(P, CLUSTERS)


def rounded(value):
    """Twelve digits are more than any test asks for, and half the file."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def objective(Z, E):
    total = 0.0
    for i, (z, e, W) in enumerate(zip(Z, E, weights)):
        L = np.diag(W.sum(1)) - W
        total += np.linalg.norm(z, "nuc") + LAMBDA1 * np.abs(e).sum() + LAMBDA2 * np.trace(z.T @ L @ z)
        total += BETA / 2 * sum(np.linalg.norm(z - other) ** 2 for j, other in enumerate(Z) if j != i)
    return total


best = {}
Z, E = reference.lrrgl_admm(views, weights, LAMBDA1, LAMBDA2, BETA, max_iter=200000, tol=1e-9, info=best)

json.dump(rounded({
    "views": [X.tolist() for X in views],
    "weights": [W.tolist() for W in weights],
    "rlrr": {"lambda": 0.05, "iterations": info["iters"], "walk": P.tolist(), "embedding": U.tolist()},
    "lrrgl": {
        "lambda1": LAMBDA1, "lambda2": LAMBDA2, "beta": BETA,
        "objective": objective(Z, E), "iterations": best["iters"],
        "representations": [z.tolist() for z in Z],
    },
}), sys.stdout)
