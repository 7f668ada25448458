"""Golden values of slrmf from the numpy prototypes, on small arrays.

    python scripts/make_slrmf_golden.py ../shared/reference > crates/consilience/tests/golden/slrmf.json

The prototypes (factors.py, structured.py) are not part of this repository; what they computed is. Compared pieces: the
normalised adaptive-neighbour graph, the robust split, and a whole run on three small views, of which one holds counts
with rows that are missing: weights, objective, embedding, labels.

What differs from the prototype is put into its text before the run. Eigenvectors are exact, so that values compare to
many digits. The objective has beta (r - |C'U|^2), that is beta/2 |UU' - CC'|^2, which the prototype's own power steps raise;
the prototype prints half of it. The consensus moves by power steps, counts have 0.6 of the own share, the joint graph is a factor
of its own, there are four columns more than clusters, which count for less beyond a clear gap, and six neighbours smooth.
"""

import json
import sys
import types
from pathlib import Path

import numpy as np

sys.path.insert(0, sys.argv[1])
import structured  # noqa: E402

ITERATIONS = 4
CHANGES = {
    "(OWN_SHARE * view_graph(d, gone, counts) + (1 - OWN_SHARE) * joint)":
        "((s := (0.6 if sparse else 1) * OWN_SHARE) * view_graph(d, gone, counts) + (1 - s) * joint)",
    "for d, gone in zip(own, missing)]\n    r = ": "for d, gone, sparse in zip(own, missing, counts_view)]\n    r = ",
    "        c = consensus(us, w, r)\n": "        c = drawn_together(us, w, drawn_together(us, w, c))\n",
    "    r = min(k + EXTRA_RANK, len(f) - 2)\n":
        "    r = min(k + EXTRA_RANK, len(f) - 2)\n    views_w, ns, w = w, ns + [joint.tocsr()], np.append((1 - JOINT_SHARE) * w, JOINT_SHARE)\n",
    "dict(weights=w,": "dict(weights=views_w,",
    "    embedding = unit_rows((c @ turn[:, order]) * np.maximum(values[order], 0) ** EXPONENT)\n":
        "    embedding = unit_rows((c @ turn[:, order]) * np.maximum(values[order], 0) ** EXPONENT * beyond_gap(values[order], k))\n",
}


def beyond_gap(values, k):
    """Columns beyond the k-th count for less where the gap after it is clear."""
    ratio = (values[0] - values[k - 1]) / (values[0] - values[k])
    return np.where(np.arange(len(values)) < k, 1.0, np.clip((ratio - 0.15) / 0.15, 0.0, 1.0))


def changed_prototype():
    text = Path(sys.argv[1], "factors.py").read_text()
    for old, new in CHANGES.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    module = types.ModuleType("factors")
    exec(compile(text, "factors.py", "exec"), module.__dict__)
    return module


def drawn_together(us, w, c):
    return np.linalg.qr(sum(wi * (u @ (u.T @ c)) for wi, u in zip(w, us)))[0]


def exact_top(n, k):
    values, vectors = np.linalg.eigh(n.toarray())
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def objective(ns, us, c, w):
    r = c.shape[1]
    terms = (r - np.sum(u * (n @ u)) + factors.BETA * (r - np.sum((c.T @ u) ** 2)) for n, u in zip(ns, us))
    return sum(wi * term for wi, term in zip(w, terms))


factors = changed_prototype()
factors.top, factors.objective, factors.ITERATIONS = exact_top, objective, ITERATIONS
factors.JOINT_SHARE, factors.EXTRA_RANK, factors.SMOOTHING_NEIGHBOURS = 0.3, 4, 6
factors.drawn_together, factors.beyond_gap = drawn_together, beyond_gap

rng = np.random.default_rng(4)
centres = rng.normal(size=(3, 5)) * 3
X = np.round(centres[np.arange(45) % 3] + rng.normal(size=(45, 5)), 6)
N = factors.normalised(factors.symmetric(factors.square_distances(X), 6))

low = np.round(rng.normal(size=(30, 2)) @ rng.normal(size=(2, 12)), 6)
hit = rng.random(low.shape) < 0.1
M = np.round(np.where(hit, rng.uniform(-5, 5, low.shape), low), 6)
A, E = structured.robust_low_rank(M)

classes = np.arange(90) % 4
first = np.round(rng.normal(size=(4, 6))[classes] * 1.5 + rng.normal(size=(90, 6)), 6)
second = np.round(rng.normal(size=(4, 3))[classes] + rng.normal(size=(90, 3)), 6)
third = rng.poisson(rng.gamma(0.3, 1.5, size=(4, 20))[classes]).astype(float)
third[[5, 40, 41]] = 0
labels, found = factors.cluster([first, second, third], 4)

json.dump({
    "points": X.tolist(),
    "neighbours": 6,
    "graph": N.toarray().tolist(),
    "corrupted": M.tolist(),
    "clean": A.tolist(),
    "views": [first.tolist(), second.tolist(), third.tolist()],
    "iterations": ITERATIONS,
    "neighbour_counts": found["counts"],
    "weights": found["weights"].tolist(),
    "trace": found["trace"],
    "embedding": found["embedding"].tolist(),
    "labels": labels.tolist(),
}, sys.stdout)
