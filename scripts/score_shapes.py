"""Clusters that are long or rings, seen in two views: are they kept whole?

    python3 scripts/score_shapes.py CONSILIENCE > experiments/facts/shapes.csv

CONSILIENCE is the program. Two moons, a ring in a ring, and sticks of random directions in ten dimensions, ten draws each; the second view is
a turned one with noise of its own (the sticks': other directions, the same places along them). Prints the adjusted Rand index of the methods,
mean over draws. Standard library only.
"""

import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

METHODS = {
    "slrmf": ["slrmf"],
    "slrmf with k columns": ["slrmf", "--set", "extra_rank=0"],
    "mfmsc": ["mfmsc"],
    "snf": ["snf"],
    "average": ["average"],
    "kmeans": ["kmeans"],
}
DRAWS, SAMPLES = 10, 400


def turned(rng, points, noise, columns=4):
    turn = [[rng.gauss(0, 1) for _ in range(columns)] for _ in points[0]]
    return [[sum(x * t[j] for x, t in zip(p, turn)) + rng.gauss(0, noise) for j in range(columns)] for p in points]


def moons(rng, noise=0.05):
    points = []
    for i in range(SAMPLES):
        angle = rng.uniform(0, math.pi)
        x, y = (math.cos(angle), math.sin(angle)) if i % 2 else (1 - math.cos(angle), 0.5 - math.sin(angle))
        points.append([x + rng.gauss(0, noise), y + rng.gauss(0, noise)])
    return [points, turned(rng, points, 0.03)], 2


def rings(rng):
    points = []
    for i in range(SAMPLES):
        angle, radius = rng.uniform(0, 2 * math.pi), 1.0 if i % 2 else 0.5
        points.append([radius * math.cos(angle) + rng.gauss(0, 0.04), radius * math.sin(angle) + rng.gauss(0, 0.04)])
    return [points, turned(rng, points, 0.02)], 2


def sticks(rng, k, columns=10):
    places = [rng.uniform(-6, 6) for _ in range(SAMPLES)]
    views = []
    for _ in range(2):
        unit = lambda length: (lambda v: [length * x / math.hypot(*v) for x in v])([rng.gauss(0, 1) for _ in range(columns)])
        centres, directions = [unit(8) for _ in range(k)], [unit(1) for _ in range(k)]
        row = lambda i: [c + places[i] * u + rng.gauss(0, 0.5) for c, u in zip(centres[i % k], directions[i % k])]
        views.append([row(i) for i in range(SAMPLES)])
    return views, k


SHAPES = {
    "two moons": moons,
    "two moons that nearly touch": lambda rng: moons(rng, 0.08),
    "a ring in a ring": rings,
    "two sticks": lambda rng: sticks(rng, 2),
    "four sticks": lambda rng: sticks(rng, 4),
}


def adjusted_rand(labels, k):
    pairs = lambda counts: sum(n * (n - 1) // 2 for n in counts)
    truth = [i % k for i in range(len(labels))]
    count = lambda keys: [list(keys).count(key) for key in set(keys)]
    both, ours, theirs = pairs(count(list(zip(labels, truth)))), pairs(count(labels)), pairs(count(truth))
    expected = ours * theirs / pairs([len(labels)])
    largest = 0.5 * (ours + theirs)
    return (both - expected) / (largest - expected) if largest > expected else 0.0


def score(program, files, k, method):
    line = [program, "cluster", *files, "-k", str(k), "--json", "--quiet", "--method", *method]
    return adjusted_rand(json.loads(subprocess.run(line, check=True, capture_output=True).stdout)["labels"], k)


def main():
    program = sys.argv[1]
    print("shape," + ",".join(METHODS))
    for shape, make in SHAPES.items():
        sums = dict.fromkeys(METHODS, 0.0)
        for draw in range(DRAWS):
            views, k = make(random.Random(draw))
            with tempfile.TemporaryDirectory() as folder:
                files = [str(Path(folder, f"{name}.csv")) for name in ("first", "second")]
                for file, view in zip(files, views):
                    with open(file, "w", newline="") as out:
                        csv.writer(out).writerows([[f"f{j}" for j in range(len(view[0]))], *view])
                for name, method in METHODS.items():
                    sums[name] += score(program, files, k, method) / DRAWS
        print(f"{shape}," + ",".join(f"{sums[name]:.2f}" for name in METHODS), flush=True)


if __name__ == "__main__":
    main()
