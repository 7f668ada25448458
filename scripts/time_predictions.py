"""Whether 100,000 new samples are placed in less time than a fit of 10,000 takes.

    python3 scripts/time_predictions.py [REPEATS]      needs numpy, target/release/consilience (or $CONSILIENCE)

Three made-up views (50, 100 and 30 features), 20 clusters, two threads. Prints the seconds of a fit as it counts them itself,
those of a whole `predict` (loading the model, reading, writing), and the ratio of the best of each.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ.get("CONSILIENCE", os.path.join(ROOT, "target/release/consilience"))
WIDTHS, CLUSTERS = (50, 100, 30), 20
TWO_THREADS = {**os.environ, "RAYON_NUM_THREADS": "2"}


def run(*arguments):
    subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, env=TWO_THREADS)


def write(folder, name, samples, seed):
    """Clusters with ten directions of spread of their own, and noise."""
    shape, draw = np.random.default_rng(1), np.random.default_rng(seed)
    classes = draw.integers(CLUSTERS, size=samples)
    for view, width in enumerate(WIDTHS):
        centres, spread = shape.normal(size=(CLUSTERS, width)) * 1.3, shape.normal(size=(10, width)) * 0.6
        data = centres[classes] + draw.normal(size=(samples, 10)) @ spread + draw.normal(size=(samples, width))
        np.save(f"{folder}/{name}{view}.npy", data.astype(np.float32))
    return [f"{folder}/{name}{view}.npy" for view in range(len(WIDTHS))]


def main():
    fits, predictions = [], []
    with tempfile.TemporaryDirectory() as folder:
        old, new = write(folder, "old", 10_000, 2), write(folder, "new", 100_000, 3)
        for _ in range(int((sys.argv[1:] or ["3"])[0])):
            run("cluster", *old, "-k", str(CLUSTERS), "-o", f"{folder}/run", "--force")
            with open(f"{folder}/run/run.json") as file:
                fits.append(json.load(file)["seconds"]["total"])
            begin = time.monotonic()
            run("predict", f"{folder}/run", *new, "-o", f"{folder}/labels.csv", "--force")
            predictions.append(time.monotonic() - begin)
            print(f"fit of 10,000: {fits[-1]:.2f} s; 100,000 predicted: {predictions[-1]:.2f} s", flush=True)
    print(f"ratio of the best: {min(predictions) / min(fits):.2f}")


if __name__ == "__main__":
    main()
