"""One sweep of the derived iteration in numpy, for the unit test of method/slrmf_admm/tests/mod.rs.

Dense algebra throughout, in the paper's orientation (samples are columns of X): the Sylvester equation is solved as
one linear system of n k unknowns, so nothing is shared with the way the crate computes it.

Run from the root of the repository: python scripts/make_admm_golden.py
"""

import json
from pathlib import Path

import numpy as np

TARGET = Path("crates/consilience/tests/golden/admm.json")
N, FEATURES, K = 12, 5, 3
LAMBDA1, LAMBDA2, BETA, MU = 0.3, 0.7, 0.2, 0.9


def sweep(X, W, U, D, E, G, K1, K2, K3, other):
    n, k = U.shape
    L = np.diag(W.sum(1)) - W
    A = (1 + BETA + MU) * np.eye(n) + 2 * LAMBDA2 * L + MU * X.T @ X
    C = BETA * other + K1.T @ D - K2 + X.T @ K3 + MU * ((2 * X - E).T @ D + G)
    # A U + U B = C, columns stacked: (I (x) A + B' (x) I) vec(U) = vec(C)
    system = np.kron(np.eye(k), A) + np.kron((MU * D.T @ D).T, np.eye(n))
    U = np.linalg.solve(system, C.flatten(order="F")).reshape((n, k), order="F")
    D = (K1 @ U - K3 + MU * (2 * X - E) @ U) @ np.linalg.inv(np.eye(k) + U.T @ U) / MU
    inner = X - D @ U.T + K1 / MU
    E = np.sign(inner) * np.maximum(np.abs(inner) - LAMBDA1 / MU, 0)
    G = np.maximum(0, U + K2 / MU)
    gap = X - D @ U.T - E
    K1, K2, K3 = K1 + MU * gap, K2 + MU * (U - G), K3 + MU * (D - X @ U)
    return dict(U=U, D=D, E=E.T, G=G, K1=K1.T, K2=K2, K3=K3), np.linalg.norm(gap)


def main():
    random = np.random.default_rng(20170501)
    draw = lambda *shape: np.round(random.uniform(-1, 1, shape), 3)
    W = np.triu(np.round(random.uniform(0, 1, (N, N)) * (random.random((N, N)) < 0.5), 3), 1)
    W = W + W.T
    state = dict(X=draw(FEATURES, N), U=draw(N, K), D=draw(FEATURES, K), E=draw(FEATURES, N), G=draw(N, K))
    state |= dict(K1=draw(FEATURES, N), K2=draw(N, K), K3=draw(FEATURES, K), other=draw(N, K))
    after, residual = sweep(W=W, **state)
    # the file is in the crate's orientation, samples in rows
    before = {name: (m.T if name in ("X", "E", "K1") else m) for name, m in state.items()} | {"W": W}
    record = {
        "made_by": f"numpy {np.__version__}",
        "weights": {"lambda1": LAMBDA1, "lambda2": LAMBDA2, "beta": BETA, "mu": MU},
        "before": {name: m.tolist() for name, m in before.items()},
        "after": {name: m.tolist() for name, m in after.items()},
        "residual": residual,
    }
    TARGET.write_text(json.dumps(record, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
