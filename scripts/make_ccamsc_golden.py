"""Golden values of `ccamsc` from the numpy reference, on three small views.

    python scripts/make_ccamsc_golden.py ../shared/reference > crates/consilience/tests/golden/ccamsc.json

The reference (baselines.py) is not part of this repository; what it computed is: the common subspace G and its
eigenvalues at the default ridge. The second view is of deficient rank, the third has more features than samples. The
canonical correlations of the first two views come from QR and SVD (Bjorck and Golub), without the reference.
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import baselines as reference  # noqa: E402

rng = np.random.default_rng(5)
n, labels = 60, np.arange(60) % 4
views = []
for features in (6, 5, 70):
    centres = rng.normal(size=(4, features)) * 2
    views.append(np.round(centres[labels] + rng.normal(size=(n, features)), 4))
plain = views[1]
views[1] = np.hstack([plain, plain[:, :1] - 2 * plain[:, 1:2], np.ones((n, 1))])

G, _, excess = reference.gcca(views, 3, reg=1e-4)
orthonormal = [np.linalg.qr(X - X.mean(0))[0] for X in (views[0], plain)]
correlations = np.linalg.svd(orthonormal[0].T @ orthonormal[1])[1]
U, _ = reference.top_eigs(reference.norm_adj(reference.affinity(G / G.std(0), s=10)), 4)

json.dump({
    "views": [X.tolist() for X in views],
    "clusters": 4,
    "neighbours": 10,
    "common": np.round(G, 12).tolist(),
    "values": (excess + 1).tolist(),
    "correlations": correlations.tolist(),
    "vectors": np.round(U, 12).tolist(),
}, sys.stdout)
print(excess + 1, correlations, file=sys.stderr)
