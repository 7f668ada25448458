"""Golden values of `snf`: the dense method, written in numpy after the paper's formulas, on small arrays.

    python scripts/make_snf_golden.py ../shared/reference > crates/consilience/tests/golden/snf.json

The similarity is the density that the authors' programs use (docs/methods/snf.md); networks and local kernels are the
paper's. Two views of 45 samples in three clusters, one of them with two samples that are the same; then the first view alone.
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import baselines as reference  # noqa: E402

K, MU, T = 6, 0.5, 20


def similarity(X):
    rho = np.sqrt(((X[:, None] - X[None]) ** 2).sum(2))
    mean = np.sort(rho, 1)[:, 1 : K + 1].mean(1)
    eps = (mean[:, None] + mean[None] + rho) / 3
    return rho, np.exp(-(rho**2) / (2 * (MU * eps) ** 2)) / eps


def local(rho, W):
    order = rho.copy()
    np.fill_diagonal(order, -1)
    near = np.argsort(order, 1, kind="stable")[:, : K + 1]
    S = np.zeros_like(W)
    rows = np.arange(len(W))[:, None]
    S[rows, near] = W[rows, near]
    return S / S.sum(1, keepdims=True)


def normalise(X):
    X = X.copy()
    np.fill_diagonal(X, 0)
    X /= 2 * X.sum(1, keepdims=True)
    np.fill_diagonal(X, 0.5)
    return (X + X.T) / 2


def fuse(views):
    pairs = [similarity(X) for X in views]
    S = [local(*pair) for pair in pairs]
    P = [normalise(W) for _, W in pairs]
    for _ in range(T):
        mean = [np.mean([P[w] for w in range(len(P)) if w != v or len(P) == 1], 0) for v in range(len(P))]
        P = [normalise(S[v] @ mean[v] @ S[v].T) for v in range(len(P))]
    return normalise(np.mean(P, 0))


rng = np.random.default_rng(14)
labels = np.arange(45) % 3
views = [np.round(rng.normal(size=(3, d))[labels] * 2 + rng.normal(size=(45, d)), 6) for d in (4, 7)]
views[0][9] = views[0][6]
fused = fuse(views)
values, vectors = np.linalg.eigh(reference.norm_adj(fused))

json.dump({
    "neighbours": K,
    "views": [X.tolist() for X in views],
    "normalised": reference.norm_adj(fused).tolist(),
    "vectors": vectors[:, -3:].tolist(),
    "alone": reference.norm_adj(fuse(views[:1])).tolist(),
}, sys.stdout)
