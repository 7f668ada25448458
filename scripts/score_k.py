"""Checks of how the number of clusters is chosen, and what it costs. Needs the package's wheel and scikit-learn (`make python`).

    python scripts/score_k.py null 100 DATA         "no structure" in one Gaussian, uniform cubes, permuted real views
    python scripts/score_k.py separated 100         well separated clusters, 2 to 15 of them
    python scripts/score_k.py sets DATA [FILE.csv]  real sets (NAME.npz with `labels`) beside eigengap, silhouette, prediction strength
    python scripts/score_k.py families 2 20         made-up families, two seeds from 20 on (from 0): how often the answer is right
    python scripts/score_k.py parts 6 DATA          some classes of every real set, drawn so many times, beside eigengap
    python scripts/score_k.py cost                  how many times one fit's time, at n = 2,000

The baselines see the same samples and the same joint graph, from `SLRMF` without smoothing and factors, and the same range.
Labels are only counted here; nothing that chooses sees them.
"""

import csv
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from consilience import SLRMF, datasets
from families import CLOUDS, FAMILIES
from more_families import MORE, MORE_CLOUDS, OTHER_ANSWERS

MOST_SAMPLES = 2000  # as many as the choice looks at


def choose(views, seed=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SLRMF(n_clusters="auto", random_state=seed).fit(views)


def standardised(x):
    return (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)


def gaussian(rng):
    """One Gaussian, spherical or not, in one to three views that may depend on each other."""
    n, widths = int(rng.choice([100, 200, 400])), [int(d) for d in rng.choice([2, 3, 5, 10, 30], rng.integers(1, 4))]
    x = rng.standard_normal((n, sum(widths)))
    if rng.random() < 0.5:
        x = x @ rng.standard_normal((sum(widths), sum(widths)))
    return np.split(x, np.cumsum(widths)[:-1], axis=1)


def cube(rng):
    n, widths = int(rng.choice([100, 200, 400])), [int(d) for d in rng.choice([2, 3, 5, 10], rng.integers(1, 4))]
    return np.split(rng.random((n, sum(widths))), np.cumsum(widths)[:-1], axis=1)


def permuted(rng, sets):
    """A real set, at most 400 samples, each view in an order of its own."""
    views, _ = sets[int(rng.integers(len(sets)))]
    n = len(views[0])
    chosen = [rng.permutation(n)[:400] for _ in views]
    return [view[rows] for view, rows in zip(views, chosen)]


def separated(rng, clusters):
    """Clusters whose centres are at least 10 standard deviations apart in every view."""
    widths = [int(d) for d in rng.choice([2, 3, 5, 10, 20], rng.integers(1, 4))]
    n = clusters * int(rng.choice([20, 40]))
    labels = np.concatenate([np.arange(clusters), rng.integers(0, clusters, n - clusters)])
    views = []
    for width in widths:
        centres, side = [], 10.0
        while len(centres) < clusters:
            centre = rng.uniform(-side, side, width)
            if all(np.linalg.norm(centre - other) >= 10 for other in centres):
                centres.append(centre)
            side *= 1.01
        views.append(np.array(centres)[labels] + rng.standard_normal((n, width)))
    return views


def read_sets(folder, most=None):
    sets = []
    for path in sorted(Path(folder).glob("*.npz")):
        with np.load(path) as held:
            labels = held["labels"]
            if most is None or len(labels) <= most:
                sets.append(([held[name] for name in held.files if name != "labels"], (path.stem, labels)))
    return sets


def check_null(count, folder):
    sets = [held for held in read_sets(folder, 3000) if len(held[0]) > 1]
    for name, draw in (("one Gaussian", gaussian), ("uniform cube", cube), ("permuted views", lambda rng: permuted(rng, sets))):
        found = []
        for seed in range(count):
            fit = choose(draw(np.random.default_rng(seed)), seed)
            found.append(fit.n_clusters_)
            if fit.n_clusters_ != 1:
                print(f"  {name}, seed {seed}: {fit.n_clusters_} of n = {len(fit.labels_)}", flush=True)
        print(f"{name}: no structure {sum(k == 1 for k in found)} of {count}", flush=True)


def check_separated(count):
    right = 0
    for seed in range(count):
        clusters = 2 + seed % 14
        fit = choose(separated(np.random.default_rng(seed), clusters), seed)
        right += fit.n_clusters_ == clusters
        if fit.n_clusters_ != clusters:
            print(f"  seed {seed}: {fit.n_clusters_} instead of {clusters}; {fit.choice_['answer']['message']}", flush=True)
    print(f"well separated: exact {right} of {count}")


def unit_rows(x):
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(length > 0, length, 1)


def eigenvectors(matrix, count):
    start = np.random.default_rng(0).random(matrix.shape[0])
    values, vectors = eigsh(matrix, count, which="LA", v0=start, tol=1e-4, maxiter=3000)
    return values[::-1], vectors[:, ::-1]


def clusters_of(vectors, k):
    return KMeans(k, n_init=4, random_state=0).fit_predict(unit_rows(vectors[:, :k]))


def prediction_strength(graph, most, rng):
    """Tibshirani and Walther 2005: the worst cluster of one half, by the other half's labels; the mean of three splits."""
    n, rounds = graph.shape[0], []
    for _ in range(3):
        order = rng.permutation(n)
        here, there = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
        vectors = [eigenvectors(normalised(graph[np.ix_(half, half)]), most)[1] for half in (here, there)]
        bridge, strengths = graph[np.ix_(there, here)], []
        for k in range(2, most + 1):
            known, own = (clusters_of(half, k) for half in vectors)
            carried = (bridge @ np.eye(k)[known]).argmax(1)
            counts = [np.bincount(carried[own == c], minlength=k) for c in range(k)]
            strengths.append(min((m * (m - 1)).sum() / max(m.sum() * (m.sum() - 1), 1) for m in counts))
        rounds.append(strengths)
    return np.mean(rounds, axis=0)


def normalised(weights):
    root = 1 / np.sqrt(np.maximum(weights.sum(1), 1e-12))
    return weights * root[:, None] * root


def baselines(views, most):
    """What eigengap, silhouette and prediction strength choose on the joint graph."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = SLRMF(2, smoothing=0.0, robust="never", reading="joint", random_state=0).fit(views)
    graph = fit.affinity_ @ np.eye(len(views[0]))
    values, vectors = eigenvectors(graph, most + 1)
    numbers = np.arange(2, most + 1)
    gap = numbers[np.argmax(values[1:-1] - values[2:])]
    silhouettes = [silhouette_score(unit_rows(vectors[:, :k]), clusters_of(vectors, k)) for k in numbers]
    strength = prediction_strength(graph, most, np.random.default_rng(0))
    enough = numbers[strength >= 0.8]
    return int(gap), int(numbers[np.argmax(silhouettes)]), int(enough.max()) if len(enough) else 1


def check_sets(folder, out=None):
    names = ["ours", "eigengap", "silhouette", "prediction strength"]
    rows = []
    for views, (name, labels) in read_sets(folder):
        n, classes = len(labels), len(np.unique(labels))
        rows_used = np.sort(np.random.default_rng(0).permutation(n)[:MOST_SAMPLES])
        views = [view[rows_used].astype(float) for view in views]
        n = len(rows_used)
        most = min(30, int(np.sqrt(n)))
        started = time.perf_counter()
        fit = choose(views)
        seconds = time.perf_counter() - started
        found = [fit.n_clusters_, *baselines(views, most)]
        others = " ".join(str(candidate["n_clusters"]) for candidate in fit.choice_["candidates"][1:])
        rows.append([name, n, classes, most, *found, others])
        print(name, n, "classes", classes, dict(zip(names, found)), "other candidates", others, f"{seconds:.1f} s", flush=True)
    inside = [row for row in rows if row[2] <= row[3]]
    for place, name in enumerate(names):
        exact = sum(row[4 + place] == row[2] for row in inside)
        near = sum(abs(row[4 + place] - row[2]) <= 1 for row in inside)
        print(f"{name}: exact {exact}, within one {near}, of {len(inside)} sets whose classes are in the range")
    if out:
        with open(out, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["set", "n", "classes", "largest k tried", *names, "our other candidates"])
            table.writerows(rows)


def check_parts(count, folder):
    """Some classes of a set are another set: at most 12 of them and 1,000 samples, and what was asked of none."""
    hits = {"ours": [0, 0], "eigengap": [0, 0]}
    asked = 0
    for views, (name, labels) in read_sets(folder):
        classes = np.unique(labels)
        for seed in range(count if len(classes) > 3 else 0):
            rng = np.random.default_rng(seed)
            wanted = int(rng.integers(2, min(12, len(classes) - 1) + 1))
            rows = np.flatnonzero(np.isin(labels, rng.permutation(classes)[:wanted]))
            rows = np.sort(rng.permutation(rows)[:1000])
            fit = choose([view[rows].astype(float) for view in views])
            curves = fit.choice_["curves"]
            if not len(curves["gap"]) or wanted > curves["n_clusters"][-1]:
                continue
            asked += 1
            for which, k in (("ours", fit.n_clusters_), ("eigengap", curves["n_clusters"][np.argmax(curves["gap"])])):
                hits[which][0] += k == wanted
                hits[which][1] += abs(k - wanted) <= 1
        print(name, asked, hits, flush=True)
    for which, (exact, near) in hits.items():
        print(f"{which}: exact {exact}, within one {near}, of {asked} parts of sets")


def is_right(name, clusters, answer):
    """The number, or the other answer that is right for the family; views that disagree need no number of the family."""
    kind, found = answer["kind"], answer["clusters"]
    if clusters == 0 or kind == "no_structure":
        return clusters == 0 and kind == "no_structure"
    if kind == "views_disagree":
        return OTHER_ANSWERS.get(name) == kind
    return kind in ("clusters", OTHER_ANSWERS.get(name)) and found == clusters


def check_families(count, first=0):
    for what, families in (("with clusters", {**FAMILIES, **MORE}), ("without", {**CLOUDS, **MORE_CLOUDS})):
        right = 0
        for name, family in families.items():
            answers = []
            for seed in range(first, first + count):
                views, _, clusters = family(seed)
                answers.append(choose(views).choice_["answer"])
            hits = sum(is_right(name, clusters, answer) for answer in answers)
            right += hits
            print(f"  {name}: {hits} of {count};", *(f"{answer['kind']} {answer['clusters']}," for answer in answers), flush=True)
        print(f"families {what}: right {right} of {count * len(families)}")


def check_cost():
    views = {"digits": datasets.load_digits().views, "blobs": datasets.make_blobs(2000, 10, (50, 100, 30))[0]}
    for name, views in views.items():
        seconds = []
        for asked in (10, "auto"):
            started = time.process_time()
            SLRMF(n_clusters=asked, random_state=0).fit(views)
            seconds.append(time.process_time() - started)
        print(f"{name}, n = 2000: a fit {seconds[0]:.2f} CPU s, with choosing k {seconds[1]:.2f} CPU s, {seconds[1] / seconds[0]:.1f} times")


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "null" and len(rest) == 2:
        check_null(int(rest[0]), rest[1])
    elif command == "separated" and len(rest) == 1:
        check_separated(int(rest[0]))
    elif command == "sets" and rest:
        check_sets(*rest)
    elif command == "families" and len(rest) in (1, 2):
        check_families(*map(int, rest))
    elif command == "parts" and len(rest) == 2:
        check_parts(int(rest[0]), rest[1])
    elif command == "cost":
        check_cost()
    else:
        sys.exit(__doc__)
