"""Many samples: ours and what a user would pick instead, on the same files, one after the other on one machine.

    python benches/scale.py [N ..]      100,000 and 1,000,000 by default; needs target/release/consilience

Three views of 50, 100 and 30 features in single precision, 20 overlapping curved clusters (`consilience synthesize`). Every
row is a process of its own: seconds from its start to its labels, most memory, NMI. The rows go to experiments/facts/scale.csv.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("CONSILIENCE", str(ROOT / "target/release/consilience"))
CLUSTERS = 20
# seconds after which a peer is given up
PATIENCE = 180
# one of these as the only argument after the folder runs it
PEERS = {}


def peer(name, most):
    def keep(function):
        PEERS[name] = (function, most)
        return function

    return keep


def concatenated(folder):
    import numpy as np

    views = [np.load(folder / f"view{v}.npy") for v in (1, 2, 3)]
    return np.hstack([(view - view.mean(0)) / view.std(0) for view in views])


@peer("scikit-learn MiniBatchKMeans", 20_000_000)
def mini_batch(folder):
    from sklearn.cluster import MiniBatchKMeans

    return MiniBatchKMeans(CLUSTERS, n_init=3, random_state=0).fit_predict(concatenated(folder))


@peer("faiss k-means", 20_000_000)
def faiss_kmeans(folder):
    import faiss

    data = concatenated(folder)
    kmeans = faiss.Kmeans(data.shape[1], CLUSTERS, niter=50, nredo=3, seed=1)
    kmeans.train(data)
    return kmeans.index.search(data, 1)[1].ravel()


@peer("scikit-learn SpectralClustering, nearest_neighbors", 20_000)
def spectral(folder):
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(CLUSTERS, affinity="nearest_neighbors", n_jobs=-1, random_state=0, assign_labels="kmeans")
    return model.fit_predict(concatenated(folder))


@peer("pynndescent, then scikit-learn's spectral_clustering", 150_000)
def descent(folder):
    import numpy as np
    from pynndescent import NNDescent
    from scipy.sparse import csr_matrix
    from sklearn.cluster import spectral_clustering

    data = concatenated(folder)
    near, far = NNDescent(data, n_neighbors=15, random_state=0).neighbor_graph
    rows = np.repeat(np.arange(len(data)), near.shape[1])
    graph = csr_matrix((np.ones(near.size), (rows, near.ravel())), shape=(len(data), len(data)))
    return spectral_clustering(0.5 * (graph + graph.T), n_clusters=CLUSTERS, random_state=0, assign_labels="kmeans")


def alone(name, folder):
    """Runs a peer in this process and prints what it took."""
    import numpy as np

    started = time.time()
    labels = PEERS[name][0](Path(folder))
    np.save(Path(folder) / "found.npy", labels.astype("int32"))
    print(json.dumps({"seconds": time.time() - started, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def ours(folder, landmarks):
    files = [str(folder / f"view{v}.npy") for v in (1, 2, 3)]
    started = time.time()
    run = [PROGRAM, "cluster", *files, "-k", str(CLUSTERS), "--landmarks", landmarks, "--truth", str(folder / "labels.npy")]
    subprocess.run([*run, "-q", "-o", str(folder / "run"), "--force"], check=True)
    record = json.loads((folder / "run/run.json").read_text())
    return {"seconds": time.time() - started, "mb": record["peak_rss_mb"], "nmi": record["scores"]["nmi"]}


def theirs(name, folder):
    try:
        command = [sys.executable, __file__, "--alone", name, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {PATIENCE} s"}
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit {done.returncode}"}
    found = json.loads(done.stdout.strip().splitlines()[-1])
    scores = subprocess.run(
        [PROGRAM, "evaluate", str(folder / "found.npy"), str(folder / "labels.npy"), "--json"],
        check=True, capture_output=True, text=True,
    )
    return {**found, "nmi": json.loads(scores.stdout)["nmi"]}


def main():
    if sys.argv[1:2] == ["--alone"]:
        return alone(*sys.argv[2:])
    sizes = [int(size.replace(",", "")) for size in sys.argv[1:]] or [100_000, 1_000_000]
    rows = []
    for n in sizes:
        with tempfile.TemporaryDirectory(dir=os.environ.get("CONSILIENCE_SCRATCH")) as folder:
            folder = Path(folder)
            subprocess.run([PROGRAM, "synthesize", str(folder), "-n", str(n), "-q"], check=True)
            runs = [("consilience slrmf, landmarks", lambda: ours(folder, "auto" if n > 50_000 else "5000"))]
            if n <= 50_000:
                runs.append(("consilience slrmf, all samples", lambda: ours(folder, "off")))
            runs += [(name, lambda name=name: theirs(name, folder)) for name, (_, most) in PEERS.items() if n <= most]
            for name, run in runs:
                found = run()
                rows.append({"n": n, "what": name, **found})
                print(rows[-1], flush=True)
    columns = ("n", "what", "seconds", "mb", "nmi", "failed")
    form = {"seconds": "{:.1f}", "mb": "{:.0f}", "nmi": "{:.4f}"}
    lines = [",".join(columns)]
    for row in rows:
        cells = [form.get(c, "{}").format(row[c]) if c in row else "" for c in columns]
        lines.append(",".join(f'"{cell}"' if "," in cell else cell for cell in cells))
    (ROOT / "experiments/facts/scale.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
