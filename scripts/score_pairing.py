"""Are views warned of when their rows do not belong together, and only then? What does it cost? Needs the package's wheel.

    python scripts/score_pairing.py DATA [FILE.csv]

Every pair of views of every set (NAME.npz) is clustered as it is and with the rows of one of the two shuffled; then pairs of views
that are made up, of few samples in clusters that overlap, where agreement is hardest to see. The warning does not depend on the
method, so the quickest is used. The cost is what preparing all views takes longer than preparing each alone, where nothing is
compared, against a whole fit by the default method; the least of a few turns. Use a wheel of `make wheels` for that: `make python`
builds for tests.
"""

import csv
import itertools
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np

import consilience

ROOT = Path(__file__).resolve().parent.parent
SHUFFLES = 2
TURNS = 3
# of the sets that are made up
DRAWS = 8


def warned(views, seed):
    """Whether a fit of the views calls them unrelated."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        consilience.KMeans(2, n_init=1, random_state=seed).fit(views)
    return any(getattr(warning.message, "kind", "") == "unrelated_view" for warning in found)


def shuffled(view, rng):
    return view[rng.permutation(view.shape[0])]


def score(views):
    """Pairs, pairs that are warned of as they are, shuffled pairs, and shuffled pairs that are warned of."""
    pairs, false, made, caught = 0, 0, 0, 0
    for (a, first), (b, second) in itertools.combinations(views.items(), 2):
        pairs += 1
        false += warned({a: first, b: second}, 0)
        for seed in range(SHUFFLES):
            made += 1
            caught += warned({a: first, b: shuffled(second, np.random.default_rng(seed))}, seed)
    return pairs, false, made, caught


def cost(views, clusters):
    """Seconds of comparing the views, and of the fit that they are compared in."""

    def seconds(estimator, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return estimator.fit(X).seconds_

    def least(estimator, X, part):
        return min(seconds(estimator, X)[part] for _ in range(TURNS))

    quick = consilience.KMeans(2, n_init=1, random_state=0)
    alone = sum(least(quick, {name: view}, "prepare") for name, view in views.items())
    whole = least(consilience.SLRMF(clusters, random_state=0), views, "total")
    return max(least(quick, views, "prepare") - alone, 0.0), whole


def made_up():
    """Names and draws of views whose clusters overlap."""
    patients = runpy.run_path(str(ROOT / "examples/python/omics.py"))["make_patients"]
    yield "made up: 150 patients of examples/python/omics.py", [patients(seed)[0] for seed in range(DRAWS)]
    for samples in (100, 60):
        draws = [consilience.datasets.make_blobs(samples, 3, (20, 30, 25), separation=3.0, random_state=seed)[0] for seed in range(DRAWS)]
        yield f"made up: {samples} samples in 3 blobs that touch", draws


def main(folder, file=None):
    rows = []
    for path in sorted(Path(folder).glob("*.npz")):
        data = consilience.read(path)
        compared, whole = cost(data.views, len(set(data.target)))
        rows.append((path.stem, *score(data.views), f"{1000 * compared:.0f} ms", f"{100 * compared / whole:.0f} %"))
        print(*rows[-1], flush=True)
    rows.append(("all of these", *(sum(row[place] for row in rows) for place in range(1, 5)), "", ""))
    print(*rows[-1], flush=True)
    for name, draws in made_up():
        scores = [score({name: np.asarray(view) for name, view in views.items()}) for views in draws]
        rows.append((name, *(sum(column) for column in zip(*scores)), "", ""))
        print(*rows[-1], flush=True)
    if file:
        with open(file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["set", "pairs of views", "warned of", "shuffled pairs", "of these warned of", "time", "of a fit"])
            writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
