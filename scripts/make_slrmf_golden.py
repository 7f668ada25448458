"""Golden values of slrmf from the numpy prototype, on small arrays.

    python scripts/make_slrmf_golden.py ../shared/reference > crates/consilience/tests/golden/slrmf.json

The prototype (structured.py) is not part of this repository; what it computed is. Compared pieces: the normalised
adaptive-neighbour graph, the robust split, the relaxation gap, and the factorisation of one view (no agreement term).
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import structured as reference  # noqa: E402

rng = np.random.default_rng(4)
centres = rng.normal(size=(3, 5)) * 3
labels = np.arange(45) % 3
X = np.round(centres[labels] + rng.normal(size=(45, 5)), 6)
N = reference.normalised(reference.adaptive_neighbours(reference.sqdist(X), 6))

low = np.round(rng.normal(size=(30, 2)) @ rng.normal(size=(2, 12)), 6)
hit = rng.random(low.shape) < 0.1
M = np.round(np.where(hit, rng.uniform(-5, 5, low.shape), low), 6)
A, E = reference.robust_low_rank(M)

guess = labels.copy()
guess[:5] = (guess[:5] + 1) % 3
U, G, trace = reference.structured([N], 3, reference.indicator(guess, 3), lam2=0.7, beta=0.0, gamma=0.2, iters=8)

json.dump({
    "points": X.tolist(),
    "neighbours": 6,
    "graph": N.toarray().tolist(),
    "corrupted": M.tolist(),
    "clean": A.tolist(),
    "labels": guess.tolist(),
    "gap": reference.relaxation_gap(guess, N, 3),
    "trace": trace,
    "positive": G[0].tolist(),
}, sys.stdout)
