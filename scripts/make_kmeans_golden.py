"""Gaussian blobs and scikit-learn's inertias on them, for crates/consilience/tests/kmeans.rs.

Run from the root of the repository: python scripts/make_kmeans_golden.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.cluster import KMeans

TARGET = Path("crates/consilience/tests/golden/kmeans.json")
SAMPLES, FEATURES, CLUSTERS, SEEDS = 600, 8, 12, 21


def blobs(name, spread):
    random = np.random.default_rng(20170501)
    centres = random.normal(scale=spread, size=(CLUSTERS, FEATURES))
    points = centres[random.integers(0, CLUSTERS, SAMPLES)] + random.normal(size=(SAMPLES, FEATURES))
    # three decimals keep the file small; scikit-learn sees the same rounded numbers
    points = np.round(points, 3)
    inertias = [float(KMeans(CLUSTERS, n_init=10, random_state=seed).fit(points).inertia_) for seed in range(SEEDS)]
    rows = ",\n".join(json.dumps(row.tolist(), separators=(",", ":")) for row in points)
    return f'"{name}":{{"clusters":{CLUSTERS},"inertias":{json.dumps(inertias)},"points":[\n{rows}\n]}}'


def main():
    # ten restarts find the optimum of the first almost always; the second has many optima of nearly equal inertia
    sets = ",\n".join([blobs("touching", 3.0), blobs("overlapping", 1.5)])
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(f'{{"made_by":"scikit-learn {sklearn.__version__}",\n{sets}\n}}\n')


if __name__ == "__main__":
    main()
