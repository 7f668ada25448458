"""The Python package against scikit-learn, mvlearn, snfpy and imml on the digits (fou and fac). Run by `make bench`.

Every run is a process of its own, so that peak memory means something. Everybody gets z-scored views, k = 10, the
library's own defaults and two threads; time is that of `fit_predict` alone. mvlearn and snfpy live in `.venv-peers`,
which benches/run.sh makes. The rows go to experiments/facts/benchmarks-python.csv, and as a table to stdout and
docs/benchmarks-python.md.
"""

import datetime
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from compare import markdown, save

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / ".venv-peers/bin/python"
THREADS = "2"
ENV = dict(os.environ, OMP_NUM_THREADS=THREADS, OPENBLAS_NUM_THREADS=THREADS, RAYON_NUM_THREADS=THREADS)
# the peers' labels are scored here, by one measure
REPEATS = 3

START = """
import json, resource, sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
views = [np.load(path) for path in sys.argv[1:]]
def report(fit):
    start = time.perf_counter()
    labels = fit()
    wall = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(dict(wall=wall, peak=peak, labels=np.asarray(labels).tolist())))
"""

OURS = """
from consilience import SLRMF
report(lambda: SLRMF(10, random_state=0, n_jobs=2).fit_predict(views))
"""

SPECTRAL = """
from sklearn.cluster import SpectralClustering
spectral = SpectralClustering(10, affinity="nearest_neighbors", random_state=0, n_jobs=2)
report(lambda: spectral.fit_predict(np.hstack(views)))
"""

COTRAINING = """
from mvlearn.cluster import MultiviewSpectralClustering
report(lambda: MultiviewSpectralClustering(10, random_state=0).fit_predict(views))
"""

SNF = """
import snf
from sklearn.cluster import spectral_clustering
report(lambda: spectral_clustering(snf.snf(snf.make_affinity(views)), n_clusters=10, random_state=0))
"""

IMML = """
from imml.cluster import {name}
report(lambda: {name}(10, random_state=0).fit_predict(views))
"""

ROWS = [
    ("consilience SLRMF", sys.executable, OURS),
    ("scikit-learn SpectralClustering (kNN, concatenated)", sys.executable, SPECTRAL),
    ("mvlearn MultiviewSpectralClustering", PEERS, COTRAINING),
    ("snfpy, then spectral clustering", PEERS, SNF),
    ("imml NEMO", sys.executable, IMML.format(name="NEMO")),
    ("imml EEIMVC", sys.executable, IMML.format(name="EEIMVC")),
]

OVERHEAD = """
import json, time
import consilience
views = consilience.datasets.load_digits().views
shares = []
for _ in range(9):
    estimator = consilience.SLRMF(10, random_state=0, n_jobs=2)
    start = time.perf_counter()
    estimator.fit(views)
    wall = time.perf_counter() - start
    shares.append((wall - estimator.seconds_["total"], wall))
extra, wall = min(shares)
print(json.dumps(dict(extra=extra, wall=wall)))
"""


def run(interpreter, code, *arguments):
    command = [str(interpreter), "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=ENV, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def python_rows(folder):
    """A row per library: name, seconds, MB, ACC, NMI."""
    import numpy as np

    from consilience import datasets, metrics

    views, target = datasets.load_digits(return_X_y=True)
    paths = []
    for name, view in views.items():
        paths.append(Path(folder) / f"{name}.npy")
        np.save(paths[-1], (view - view.mean(0)) / view.std(0))
    for name, interpreter, code in ROWS:
        if not Path(interpreter).exists():
            raise SystemExit(f"{interpreter} is missing: run benches/run.sh first, which installs {name}")
        best = min((run(interpreter, START + code, *paths) for _ in range(REPEATS)), key=lambda found: found["wall"])
        scores = metrics.scores(target, best["labels"])
        yield name, best["wall"], best["peak"], scores["accuracy"], scores["nmi"]


def main():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rows = list(python_rows(folder))
    ours = rows[0][1]
    head = ("library", "fit_predict", "times ours", "peak memory", "ACC %", "NMI %")
    rows = [(name, f"{wall:.2f} s", f"{wall / ours:.2g}", f"{peak:.0f} MB", f"{100 * accuracy:.1f}", f"{100 * nmi:.1f}")
            for name, wall, peak, accuracy, nmi in rows]
    found = run(sys.executable, OVERHEAD)
    share = found["extra"] / (found["wall"] - found["extra"])
    overhead = [("`SLRMF.fit` on the digits", f"{found['wall'] * 1e3:.1f} ms"),
                ("of this not in the Rust call", f"{found['extra'] * 1e3:.2f} ms"),
                ("the same as a share of the Rust call (at most 5 %)", f"{100 * share:.2f} %")]
    print(markdown(head, rows), markdown(("what", "measured"), overhead), sep="\n\n")
    table = save("benchmarks-python", head, rows)
    versions = ", ".join(f"{name} {version(name)}" for name in ("consilience", "scikit-learn", "imml", "numpy"))
    (ROOT / "docs/benchmarks-python.md").write_text(f"""# Benchmarks of the Python package

Made by `make bench` on {datetime.date.today()}. Digits, views fou and fac, z-scored, n = 2000, k = 10; every library with
its defaults, two threads, the best time of {REPEATS} runs, a process each. Peak memory includes the interpreter and its imports.
Versions: {versions}; mvlearn and snfpy as in `benches/requirements-peers.txt`.

{table}

What calling from Python costs:

{save("overhead-python", ("what", "measured"), overhead)}
""")


if __name__ == "__main__":
    main()
