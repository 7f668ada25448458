"""What a graph or distances say of a view, beside its features: NMI on the digits. Needs the package's wheel.

    python scripts/score_affinities.py [experiments/facts/affinities.csv]
"""

import csv
import sys
import warnings

import numpy as np
from sklearn.metrics import normalized_mutual_info_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import scale

import consilience

MADE = {
    "its 10 nearest neighbours, 0 or 1": ("affinity", lambda view: mean(kneighbors_graph(view, 10))),
    "the distances to its 20 nearest": ("distance", lambda view: kneighbors_graph(view, 20, mode="distance")),
}


def mean(graph):
    return 0.5 * (graph + graph.T)


def nmi(estimator, views, target):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f"{100 * normalized_mutual_info_score(target, estimator.fit_predict(views)):.1f}"


def main(file="experiments/facts/affinities.csv"):
    digits = consilience.datasets.load_digits()
    views = {name: scale(np.asarray(view)) for name, view in digits.views.items()}
    kinds = (consilience.SLRMF, consilience.SNF, consilience.Average)
    rows = [["features of both", *(nmi(kind(10, random_state=0), views, digits.target) for kind in kinds)]]
    for replaced in views:
        for words, (what, make) in MADE.items():
            given = {name: make(view) if name == replaced else view for name, view in views.items()}
            found = [nmi(kind(10, random_state=0, precomputed={replaced: what}), given, digits.target) for kind in kinds]
            rows.append([f"`{replaced}` as {words}", *found])
    with open(file, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["views", *(kind.__name__ for kind in kinds)])
        writer.writerows(rows)
    print(*rows, sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
