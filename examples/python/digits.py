"""Handwritten digits in two views: every quick method, and pictures of the default one."""

from __future__ import annotations

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

import consilience
from consilience import MFMSC, SLRMF, Average, Single, metrics, plot


def main() -> None:
    digits = consilience.datasets.load_digits()
    methods = {
        "SLRMF": SLRMF(n_clusters=10, random_state=0),
        "Average": Average(n_clusters=10, random_state=0),
        "MFMSC": MFMSC(n_clusters=10, random_state=0),
        "fou alone": Single(n_clusters=10, view="fou", random_state=0),
        "fac alone": Single(n_clusters=10, view="fac", random_state=0),
    }
    print(f"{'method':10} {'ACC':>6} {'NMI':>6} {'seconds':>8}")
    for name, estimator in methods.items():
        estimator.fit(digits.views)
        scores = metrics.scores(digits.target, estimator.labels_)
        seconds = estimator.seconds_["total"]
        print(f"{name:10} {100 * scores['accuracy']:6.1f} {100 * scores['nmi']:6.1f} {seconds:8.2f}")

    best = methods["SLRMF"]
    print("weights:", dict(zip(best.view_names_, best.view_weights_.round(3).tolist())))
    figure, axes = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    plot.affinity(best, axes[0])
    plot.embedding(best, axes[1])
    figure.savefig("digits.png", dpi=120)
    print("wrote digits.png")


if __name__ == "__main__":
    main()
