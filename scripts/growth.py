"""How the time of a method grows with the number of samples, neighbour search excluded. Needs numpy.

    cargo build --release && python scripts/growth.py slrmf [PROGRAM]

Gaussian clusters, two views, n = 2,000 to 64,000; prints seconds of solving and assigning and the exponent between the ends.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BINARY = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent / "target/release/consilience")


def seconds(folder, n, method):
    rng = np.random.default_rng(0)
    truth = rng.integers(10, size=n)
    files = []
    for name, d in (("a", 20), ("b", 30)):
        files.append(folder / f"{name}.npy")
        np.save(files[-1], (rng.normal(size=(10, d))[truth] * 1.5 + rng.normal(size=(n, d))).astype(np.float32))
    command = [BINARY, "cluster", *files, "-k", 10, "--method", method, "--landmarks", "off", "--json"]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    spent = json.loads(done.stdout)["seconds"]
    return spent["solve"] + spent["assign"], spent["graph"]


with tempfile.TemporaryDirectory() as folder:
    times = {}
    for n in (2_000, 8_000, 32_000, 64_000):
        times[n], graph = seconds(Path(folder), n, sys.argv[1])
        print(f"n = {n:6d}: {times[n]:7.2f} s solving and assigning ({graph:.1f} s neighbours and graphs)", flush=True)
    print(f"exponent {math.log(times[64_000] / times[2_000]) / math.log(32):.2f}")
