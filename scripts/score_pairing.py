"""Are views warned of when their rows do not belong together, and only then? Needs the package's wheel (`make python`).

    python scripts/score_pairing.py DATA [FILE.csv]

Every pair of views of every set (NAME.npz) is clustered as it is and with the rows of one of the two shuffled. The warning does
not depend on the method, so the quickest is used.
"""

import csv
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np

import consilience

SHUFFLES = 2


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


def main(folder, file=None):
    rows = []
    for path in sorted(Path(folder).glob("*.npz")):
        counts = score(consilience.read(path).views)
        rows.append((path.stem, *counts))
        print(*rows[-1], flush=True)
    rows.append(("all", *(sum(row[place] for row in rows) for place in range(1, 5))))
    print(*rows[-1])
    if file:
        with open(file, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["set", "pairs of views", "warned of", "shuffled pairs", "of these warned of"])
            writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
