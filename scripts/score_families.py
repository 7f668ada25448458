"""Scores methods on made-up families of data, through the release binary: adjusted Rand index, mean over seeds.

    cargo build --release && python3 scripts/score_families.py > experiments/facts/families.csv     # 20 seeds, ten minutes

`slrmf` chooses its reading; `kept` says which readings it kept, and how often. Needs numpy.
"""

import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from families import FAMILIES

BINARY = Path(__file__).resolve().parent.parent / "target/release/consilience"
METHODS = ["slrmf", "average", "snf", "mfmsc", "kmeans"]


def adjusted_rand_index(a, b):
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    pairs = lambda sizes: (sizes * (sizes - 1) / 2).sum()
    both, first, second, all_pairs = pairs(table), pairs(table.sum(1)), pairs(table.sum(0)), len(a) * (len(a) - 1) / 2
    expected, most = first * second / all_pairs, (first + second) / 2
    return (both - expected) / (most - expected) if most > expected else 1.0


def clustered(file, k, method):
    words = [BINARY, "cluster", file, "-k", k, "--json", "--quiet", "--method", method]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(seeds):
    table = csv.writer(sys.stdout)
    table.writerow(["family", *METHODS, "kept by slrmf"])
    means = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "views.npz"
        for name, family in FAMILIES.items():
            scores, kept = {method: [] for method in METHODS}, Counter()
            for seed in range(seeds):
                views, labels, k = family(seed)
                np.savez(file, **views)
                for method in METHODS:
                    run = clustered(file, k, method)
                    scores[method].append(adjusted_rand_index(np.array(run["labels"]), labels))
                    if "readings" in run["findings"]:
                        kept[run["findings"]["readings"]["kept"]] += 1
            row = [float(np.mean(scores[method])) for method in METHODS]
            means.append(row)
            table.writerow([name, *(f"{score:.2f}" for score in row), " ".join(f"{reading} {count}" for reading, count in kept.most_common())])
            sys.stdout.flush()
    table.writerow(["mean", *(f"{score:.2f}" for score in np.mean(means, 0)), ""])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
