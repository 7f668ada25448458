"""Golden values for crates/consilience/tests/metrics.rs, from scikit-learn and scipy.

Run from the root of the repository: python scripts/make_metric_golden.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix

TARGET = Path("crates/consilience/tests/golden/metrics.json")


def scores(predicted, truth):
    table = contingency_matrix(truth, predicted)
    rows, columns = linear_sum_assignment(table, maximize=True)
    (_, only_predicted), (only_truth, both) = pair_confusion_matrix(truth, predicted).tolist()
    wrong = only_predicted + only_truth
    return {
        "acc": float(table[rows, columns].sum() / len(truth)),
        "nmi": float(normalized_mutual_info_score(truth, predicted, average_method="geometric")),
        "ari": float(adjusted_rand_score(truth, predicted)),
        "purity": float(table.max(axis=0).sum() / len(truth)),
        # scikit-learn has no pairwise F-score; full agreement without any pair counts as 1, as in its Rand index
        "fscore": 1.0 if wrong == 0 else 2 * both / (2 * both + wrong),
    }


def cases():
    random = np.random.default_rng(20170501)
    for n in (1, 2, 5, 12, 500):
        count = np.arange(n)
        yield f"one cluster, one class, n = {n}", np.zeros(n, int), np.full(n, 3)
        yield f"one cluster, all classes distinct, n = {n}", np.zeros(n, int), count
        yield f"all clusters distinct, one class, n = {n}", count, np.zeros(n, int)
        yield f"all distinct, n = {n}", random.permutation(n), count
    for n in (12, 60, 500):
        for clusters, classes in ((2, 2), (5, 5), (10, 3), (3, 10), (40, 7)):
            name = f"random, {clusters} clusters, {classes} classes, n = {n}"
            yield name, random.integers(0, clusters, n), random.integers(0, classes, n)
        truth = random.integers(0, 6, n)
        yield f"permuted names, n = {n}", random.permutation(6)[truth], truth
        noisy = np.where(random.random(n) < 0.2, random.integers(0, 6, n), random.permutation(6)[truth])
        yield f"permuted names and a fifth wrong, n = {n}", noisy, truth
        skewed = random.choice(4, n, p=[0.9, 0.06, 0.03, 0.01])
        yield f"imbalanced, n = {n}", np.where(random.random(n) < 0.1, 0, skewed), skewed
        yield f"imbalanced, independent, n = {n}", random.choice(4, n, p=[0.7, 0.1, 0.1, 0.1]), skewed
        yield f"classes split in two, n = {n}", 2 * truth + random.integers(0, 2, n), truth
        yield f"classes merged, n = {n}", truth // 2, truth
    yield "exactly independent", np.tile([0, 1, 2], 4), np.repeat([0, 1], 6)
    yield "opposed pairs", np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    yield "labels with gaps", np.array([7, 7, 100, 3, 3, 100]), np.array([9, 9, 9, 1, 1, 50])


def main():
    golden = [
        {"name": name, "predicted": predicted.tolist(), "truth": truth.tolist(), **scores(predicted, truth)}
        for name, predicted, truth in cases()
    ]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in golden)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(f'{{"made_by":"scikit-learn {sklearn.__version__}","cases":[\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
