"""Ours against scikit-learn, faiss, mvlearn and snfpy on the same arrays in one run. Run by `make bench`, never by the tests.

Every measurement is a process of its own, so that peak memory means something; rows that are compared run back to
back, several times in turn, and the smallest time of each counts. The rows go to experiments/facts/benchmarks.csv,
and as a table to stdout and docs/benchmarks.md.
"""

import csv
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BINARY = ROOT / "target/release/consilience"
NEIGHBOURS = ROOT / "target/release/examples/neighbours"
PEERS = ROOT / ".venv-peers/bin/python"
THREADS = 2
ENV = dict(os.environ, OMP_NUM_THREADS=str(THREADS), OPENBLAS_NUM_THREADS=str(THREADS))

SKLEARN_SPECTRAL = """
import json, resource, sys, time
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import normalized_mutual_info_score
z = np.load(sys.argv[1])
views = [z[name].astype(float) for name in ("fou", "fac")]
X = np.hstack([(v - v.mean(0)) / v.std(0) for v in views])
start, cpu = time.perf_counter(), time.process_time()
p = SpectralClustering(10, affinity="nearest_neighbors", n_neighbors=10, random_state=0, n_jobs=2).fit_predict(X)
wall, cpu = time.perf_counter() - start, time.process_time() - cpu
nmi = normalized_mutual_info_score(z["labels"], p, average_method="geometric")
print(json.dumps(dict(wall=wall, cpu=cpu, nmi=nmi, peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
"""

SKLEARN_NEIGHBOURS = """
import json, resource, sys, time
import numpy as np
from sklearn.neighbors import NearestNeighbors
X = np.load(sys.argv[1])
start, cpu = time.perf_counter(), time.process_time()
i = NearestNeighbors(n_neighbors=20, algorithm="brute", n_jobs=2).fit(X).kneighbors(return_distance=False)
wall, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps(dict(wall=wall, cpu=cpu, checksum=float(i.sum()))))
"""

FAISS_NEIGHBOURS = """
import json, sys, time
import numpy as np, faiss
faiss.omp_set_num_threads(2)
X = np.load(sys.argv[1])
start, cpu = time.perf_counter(), time.process_time()
index = faiss.IndexFlatL2(X.shape[1])
index.add(X)
i = index.search(X, 21)[1][:, 1:]
wall, cpu = time.perf_counter() - start, time.process_time() - cpu
print(json.dumps(dict(wall=wall, cpu=cpu, checksum=float(i.sum()))))
"""

# the digits as every peer below gets them, and what each of them prints
PEER_DIGITS = """
import json, resource, sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
z = np.load(sys.argv[1])
views = [z[name].astype(float) for name in ("fou", "fac")]
views = [(v - v.mean(0)) / v.std(0) for v in views]
def report(fit):
    from sklearn.metrics import normalized_mutual_info_score
    start = time.perf_counter()
    labels = fit()
    wall = time.perf_counter() - start
    nmi = normalized_mutual_info_score(z["labels"], labels, average_method="geometric")
    print(json.dumps(dict(wall=wall, nmi=nmi, peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)))
"""

MVLEARN_COREGULARISED = PEER_DIGITS + """
from mvlearn.cluster import MultiviewCoRegSpectralClustering
report(lambda: MultiviewCoRegSpectralClustering(10, v_lambda=0.05, max_iter=10, random_state=0).fit_predict(views))
"""

MVLEARN_COTRAINING = PEER_DIGITS + """
from mvlearn.cluster import MultiviewSpectralClustering
report(lambda: MultiviewSpectralClustering(10, max_iter=10, random_state=0).fit_predict(views))
"""

SNFPY = PEER_DIGITS + """
import snf
from sklearn.cluster import spectral_clustering
def fit():
    fused = snf.snf(snf.make_affinity(views, K=20, mu=0.5, normalize=False), K=20, t=20)
    return spectral_clustering(fused, n_clusters=10, n_init=10, random_state=0)
report(fit)
"""


def run(command):
    done = subprocess.run([str(word) for word in command], env=ENV, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def ours_on_digits(path, method, *settings):
    command = [BINARY, "cluster", path, "-k", 10, "--views", "fou,fac", "--scale", "zscore", "--method", method]
    for setting in settings:
        command += ["--set", setting]
    record = run(command + ["--threads", THREADS, "--json"])
    seconds = record["seconds"]
    fit = seconds["graph"] + seconds["solve"] + seconds["assign"]
    return dict(wall=fit, nmi=record["scores"]["nmi"], peak=record["peak_rss_mb"])


def python(code, path, interpreter=sys.executable):
    return run([interpreter, "-c", code, path])


def in_turn(repeats, **rows):
    """The run with the smallest wall time of each row; rows take turns, so that a busy moment hits all of them."""
    runs = {name: [] for name in rows}
    for _ in range(repeats):
        for name, measure in rows.items():
            runs[name].append(measure())
    best = {name: min(found, key=lambda r: r["wall"]) for name, found in runs.items()}
    for name, found in runs.items():
        if "cpu" in found[0]:
            best[name]["cpu"] = min(r["cpu"] for r in found)
    return best


def digits_file(folder):
    """The digits that the program carries."""
    path = folder / "digits.npz"
    subprocess.run([sys.executable, str(ROOT / "scripts/unpack_digits.py"), str(path)], check=True)
    return path


def spectral_rows(folder):
    path = digits_file(folder)
    best = in_turn(7, ours=lambda: ours_on_digits(path, "mfmsc", "neighbours=10", "weights=binary"),
                   sklearn=lambda: python(SKLEARN_SPECTRAL, path))
    ours, peer = best["ours"], best["sklearn"]
    yield ("digits fou+fac, kNN spectral, n = 2000: fit time", f"{ours['wall'] * 1e3:.0f} ms",
           "scikit-learn SpectralClustering", f"{peer['wall'] * 1e3:.0f} ms", ours["wall"] / peer["wall"], 0.35)
    yield ("the same: peak memory", f"{ours['peak']:.0f} MB", "scikit-learn", f"{peer['peak']:.0f} MB",
           ours["peak"] / peer["peak"], None)
    yield ("the same: NMI", f"{100 * ours['nmi']:.1f}", "scikit-learn", f"{100 * peer['nmi']:.1f}",
           ours["nmi"] / peer["nmi"], None)


def with_cpu(measure):
    """What `measure` gives, and the processor seconds of the processes it ran."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = measure()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return dict(found, cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def slrmf_rows(folder):
    """The default method: digits, noisy neighbourhoods, many clusters. Processor seconds of the whole program."""
    path = digits_file(folder)
    best = in_turn(5, ours=lambda: with_cpu(lambda: ours_on_digits(path, "slrmf")),
                   sklearn=lambda: python(SKLEARN_SPECTRAL, path))
    ours, peer = best["ours"], best["sklearn"]
    yield ("digits fou+fac, `slrmf`, n = 2000: CPU time", f"{ours['cpu']:.2f} s", "limit", "0.35 s", ours["cpu"] / 0.35, 1.0)
    yield ("the same: fit time", f"{ours['wall'] * 1e3:.0f} ms", "scikit-learn SpectralClustering",
           f"{peer['wall'] * 1e3:.0f} ms", ours["wall"] / peer["wall"], 2.5)
    yield ("the same: NMI", f"{100 * ours['nmi']:.1f}", "scikit-learn", f"{100 * peer['nmi']:.1f}",
           ours["nmi"] / peer["nmi"], None)
    for what, n, k, features, distance, limit in (
            ("n = 6,800, three views of 20 features, k = 20, noisy", 6800, 20, (20, 20, 20), 2.0, 5.0),
            ("n = 1,350, two views of 100 features, k = 150", 1350, 150, (100, 100), 8.0, 2.5)):
        rng = np.random.default_rng(3)
        labels = rng.integers(k, size=n)
        arrays = {f"view{v}": (rng.normal(size=(k, d)) * distance / np.sqrt(2 * d))[labels] + rng.normal(size=(n, d))
                  for v, d in enumerate(features)}
        path = folder / "mixture.npz"
        np.savez(path, labels=labels, **arrays)
        command = [BINARY, "cluster", path, "-k", k, "--threads", THREADS, "--json"]
        found = with_cpu(lambda: dict(nmi=run(command)["scores"]["nmi"]))
        yield (f"`slrmf`, {what}: CPU time", f"{found['cpu']:.1f} s", "limit", f"{limit} s", found["cpu"] / limit, 1.0)


def slrmf_limit_rows(folder):
    """The default method on large corrupted views, where these are at hand, and how its time grows with the samples."""
    awa = ROOT.parent / "shared/data/awa50_5view.npz"
    if awa.exists():
        command = [BINARY, "cluster", awa, "-k", 50, "--scale", "zscore", "--corrupt", 0.2, "--corrupt-mode", "add",
                   "--threads", THREADS, "--json"]
        found = with_cpu(lambda: dict(nmi=run(command)["scores"]["nmi"]))
        yield ("`slrmf`, AwA (4,000 x 8,252, five views) with 20 % added noise: CPU time", f"{found['cpu']:.0f} s", "limit", "120 s",
               found["cpu"] / 120, 1.0)
    else:
        print(f"no row of AwA: there is no file {awa}", file=sys.stderr)
    few, many = 2_000, 64_000
    best = {n: min(after_the_graphs(folder, n) for _ in range(3)) for n in (few, many)}
    exponent = np.log(best[many] / best[few]) / np.log(many / few)
    yield (f"`slrmf`, growth of factors and labels from n = {few:,} to {many:,}: exponent", f"{exponent:.2f}", "limit", "1.08",
           exponent / 1.08, 1.0)


def after_the_graphs(folder, n):
    """Seconds of a fit of generated data, without reading, neighbours and graphs."""
    data = folder / f"curves-{n}"
    if not data.exists():
        subprocess.run([BINARY, "synthesize", data, "-n", str(n)], check=True, capture_output=True)
    command = [BINARY, "cluster", *sorted(data.glob("view*.npy")), "-k", 20, "--landmarks", "off", "--threads", THREADS, "--json"]
    seconds = run(command)["seconds"]
    return seconds["solve"] + seconds["assign"]


def neighbour_rows(folder):
    rng = np.random.default_rng(0)
    path = folder / "points.npy"
    centres = rng.normal(size=(50, 200)) * 2
    np.save(path, (centres[rng.integers(50, size=20_000)] + rng.normal(size=(20_000, 200))).astype(np.float32))
    best = in_turn(3, ours=lambda: run([NEIGHBOURS, path, 20, THREADS]), sklearn=lambda: python(SKLEARN_NEIGHBOURS, path),
                   faiss=lambda: python(FAISS_NEIGHBOURS, path))
    ours, sklearn, faiss = best["ours"], best["sklearn"], best["faiss"]
    assert abs(ours["checksum"] / sklearn["checksum"] - 1) < 1e-4, "the neighbours differ from scikit-learn's"
    yield ("exact neighbours n = 20,000, d = 200, k = 20, f32: CPU time", f"{ours['cpu']:.2f} s", "scikit-learn brute",
           f"{sklearn['cpu']:.2f} s", ours["cpu"] / sklearn["cpu"], 0.45)
    yield ("the same: wall time", f"{ours['wall']:.2f} s", "faiss IndexFlatL2", f"{faiss['wall']:.2f} s",
           ours["wall"] / faiss["wall"], 0.85)


def peer_row(what, path, method, settings, peer, code, goal, turns=2):
    """Time of a whole fit, k-means included, against the peer's; slow peers get few turns."""
    best = in_turn(turns, ours=lambda: ours_on_digits(path, method, *settings), peer=lambda: python(code, path, PEERS))
    ours, theirs = best["ours"], best["peer"]
    yield (f"digits fou+fac, {what}, n = 2000: fit time", f"{ours['wall'] * 1e3:.0f} ms", peer,
           f"{theirs['wall'] * 1e3:.0f} ms", ours["wall"] / theirs["wall"], goal)
    yield ("the same: peak memory", f"{ours['peak']:.0f} MB", peer, f"{theirs['peak']:.0f} MB",
           ours["peak"] / theirs["peak"], None)
    yield ("the same: NMI", f"{100 * ours['nmi']:.1f}", peer, f"{100 * theirs['nmi']:.1f}",
           ours["nmi"] / theirs["nmi"], None)


def baseline_rows(folder):
    path = digits_file(folder)
    coregularised = "mvlearn MultiviewCoRegSpectralClustering"
    yield from peer_row("`comvsc`", path, "comvsc", [], coregularised, MVLEARN_COREGULARISED, 1 / 30, turns=6)
    # mvlearn counts its start as the first of its ten iterations
    yield from peer_row("`comvsc`, nine iterations as in mvlearn", path, "comvsc", ["max_iterations=9", "tolerance=0"],
                        coregularised, MVLEARN_COREGULARISED, None, turns=6)
    yield from peer_row("`cotraining`, 10 iterations", path, "cotraining", ["iterations=10"],
                        "mvlearn MultiviewSpectralClustering", MVLEARN_COTRAINING, 1 / 50)
    yield from peer_row("`snf`, 20 iterations", path, "snf", ["neighbours=20", "iterations=20"], "snfpy", SNFPY, 1 / 20)
    seconds = ours_on_digits(path, "lrrgl")["wall"]
    yield ("lrrgl n = 2000, two views: time", f"{seconds:.1f} s", "limit", "60 s", seconds / 60, 1.0)


def large_rows(folder):
    rng = np.random.default_rng(1)
    path = folder / "large.npy"
    centres = rng.normal(size=(10, 784)).astype(np.float32)
    block = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(70_000, 784))
    for start in range(0, 70_000, 10_000):
        noise = rng.normal(size=(10_000, 784)).astype(np.float32) * 2
        block[start:start + 10_000] = centres[rng.integers(10, size=10_000)] + noise
    block.flush()
    record = run([BINARY, "cluster", path, "-k", 10, "--method", "mfmsc", "--threads", THREADS, "--json"])
    peak = record["peak_rss_mb"]
    yield ("mfmsc n = 70,000, d = 784, f32: peak memory", f"{peak:.0f} MB", "limit", "1500 MB", peak / 1500, 1.0)
    yield ("the same: time", f"{record['seconds']['total']:.0f} s", "", "", None, None)


def huge_rows(folder):
    """Methods that form no n x n matrix, on 100,000 samples of ten clusters in two views of 20 and 30 features."""
    rng = np.random.default_rng(2)
    labels = rng.integers(10, size=100_000)
    paths = []
    for view, features in enumerate((20, 30)):
        centres = 2 * rng.normal(size=(10, features))
        paths.append(folder / f"huge{view}.npy")
        np.save(paths[-1], (centres[labels] + rng.normal(size=(100_000, features))).astype(np.float32))
    for method in ("slrmf", "mfmsc", "maasc", "ccamsc", "comvsc", "cotraining", "snf", "average", "kmeans"):
        record = run([BINARY, "cluster", *paths, "-k", 10, "--method", method, "--threads", THREADS, "--json"])
        yield (f"`{method}`, n = 100,000, two views: time, peak memory",
               f"{record['seconds']['total']:.0f} s, {record['peak_rss_mb']:.0f} MB", "", "", None, None)


def program_rows(_folder):
    start = min(startup_seconds() for _ in range(20))
    size = BINARY.stat().st_size / 1e6
    yield ("start-up (`consilience --help`)", f"{start * 1e3:.1f} ms", "limit", "30 ms", start / 0.030, 1.0)
    yield ("release binary", f"{size:.1f} MB", "limit", "30 MB", size / 30, 1.0)


def startup_seconds():
    import time
    start = time.perf_counter()
    subprocess.run([str(BINARY), "--help"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} x {model}, {memory:.0f} GiB, {platform.system()} {platform.release()}, Python {platform.python_version()}"


PARTS = (spectral_rows, slrmf_rows, slrmf_limit_rows, baseline_rows, neighbour_rows, large_rows, huge_rows, program_rows)
HEAD = ("what", "ours", "against", "theirs", "ratio", "at most")


def markdown(head, rows):
    ruler = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join(["| " + " | ".join(head) + " |", ruler, *("| " + " | ".join(row) + " |" for row in rows)])


def save(name, head, rows):
    """Rows as committed facts, and the block that a page shows them in (filled by `make reproduction` too)."""
    with open(ROOT / f"experiments/facts/{name}.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return f"<!-- results: facts {name} -->\n{markdown(head, rows)}\n<!-- end -->"


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for part in PARTS for row in part(Path(folder))]
    rows = [(*texts, *("" if number is None else f"{number:.3g}" for number in (ratio, goal)))
            for *texts, ratio, goal in rows]
    print(markdown(HEAD, rows))
    table = save("benchmarks", HEAD, rows)
    versions = ", ".join((ROOT / "benches/requirements.txt").read_text().split())
    (ROOT / "docs/benchmarks.md").write_text(f"""# Benchmarks

Made by `make bench` on {datetime.date.today()}; rerun it on your machine. Ratios of one run count, not seconds: the
machine is shared. Two threads for everybody; rows that are compared took turns and the best of each counts.

Machine: {machine()}.
Peers: {versions}. mvlearn 0.5.0 and snfpy 0.2.2 run beside them with scikit-learn 1.7.2.

{table}

Fit time is graph, eigenvectors and k-means; reading and scaling are excluded on both sides.
Neighbour rows compare the search alone, in one process each, on the same array.
mvlearn gets the same z-scored views, number of clusters, lambda = 0.05, iterations and ten k-means restarts, and its own
default otherwise: a dense Gaussian kernel, where ours is a graph of 20 neighbours. `comvsc` stops when its objective does;
mvlearn has no such rule, so a second row makes ours go on as long. snfpy is make_affinity (K = 20, mu = 0.5), snf (t = 20) and scikit-learn's
spectral_clustering of the result; ours is the whole method. The spectral step is included on both sides.
""")


if __name__ == "__main__":
    main()
