"""Golden values of `maasc` from the numpy reference, on three small views.

    python scripts/make_maasc_golden.py ../shared/reference > crates/consilience/tests/golden/maasc.json

The reference (baselines.py) is not part of this repository; what it computed is: the weights v after the alternation,
its number of rounds, and the eigenvectors of the aggregated graph. 210 samples, so that the eigen-solver iterates.
"""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import baselines as reference  # noqa: E402

rng = np.random.default_rng(11)
labels = np.arange(210) % 4
views = []
for features, separation in ((4, 2.5), (5, 1.5), (3, 0.7)):
    centres = rng.normal(size=(4, features)) * separation
    views.append(np.round(centres[labels] + rng.normal(size=(210, features)), 4))
# graphs of unequal degrees: equal ones leave a single feasible point, 1/3 each
neighbours = [5, 10, 25]
graphs = [reference.affinity(X, s=s) for X, s in zip(views, neighbours)]

golden = {"neighbours": neighbours, "clusters": 4, "views": [X.tolist() for X in views]}
for traces in ("all", "second"):
    info = {}
    reference.maasc_embedding(graphs, 4, tol=1e-9, max_iter=200, f_dims=traces, info=info)
    W = sum(v**2 * Wk for v, Wk in zip(info["v"], graphs))
    U, values = reference.top_eigs(reference.sparsify(reference.norm_adj(W)), 4)
    golden[traces] = {"v": info["v"], "iterations": info["iters"], "values": values.tolist(), "vectors": np.round(U, 12).tolist()}
    print(traces, info, values, file=sys.stderr)
json.dump(golden, sys.stdout)
