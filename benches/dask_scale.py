"""Many samples on Dask: beside one process, and beside dask-ml on the same arrays. Run by benches/python.sh.

    python benches/dask_scale.py [N ..]      250,000, 500,000 and 1,000,000 by default; needs target/release/consilience
    python benches/dask_scale.py peers       only the comparison with dask-ml

Three views of 50, 100 and 30 features in single precision (`consilience synthesize`), in .npy files. The cluster is a LocalCluster of two
workers with one thread and 2 GB each, in a process of its own, so that the memory of client and scheduler can be told apart.
Seconds are those of `fit`. The rows go to experiments/facts/dask.csv and dask-peers.csv.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from compare import save

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("CONSILIENCE", str(ROOT / "target/release/consilience"))
DIGITS = ROOT.parent / "shared/data/mfeat.npz"
CLUSTERS, FEATURES = 20, (50, 100, 30)
WORKERS, MEMORY = 2, "2GB"
# samples on which dask-ml is compared: its time must be bearable
FOR_PEERS = 60_000
PATIENCE = 300


def peak():
    """The most memory that this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def files(folder):
    return [str(Path(folder) / f"view{v}.npy") for v in (1, 2, 3)]


def score(truth, labels):
    from consilience import metrics

    return {"acc": 100 * metrics.accuracy(truth, labels), "nmi": 100 * metrics.nmi(truth, labels)}


def cluster():
    """Holds a cluster until the standard input ends."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, processes=True, memory_limit=MEMORY, dashboard_address=None
    ) as held:
        print(held.scheduler_address, flush=True)
        sys.stdin.read()


def single(folder):
    """One process with all cores."""
    from consilience import SLRMF

    views = [np.load(file, mmap_mode="r") for file in files(folder)]
    started = time.perf_counter()
    model = SLRMF(CLUSTERS, random_state=0).fit(views)
    seconds = time.perf_counter() - started
    np.save(Path(folder) / "single.npy", model.labels_)
    return {"seconds": seconds, "client_mb": peak(), **score(np.load(Path(folder) / "labels.npy"), model.labels_)}


def ours(folder, address):
    """The cluster, asked by a client that never sees the samples."""
    from distributed import Client

    from consilience.dask import SLRMF

    with Client(address) as client:
        started = time.perf_counter()
        model = SLRMF(CLUSTERS, random_state=0).fit(files(folder))
        seconds, client_mb = time.perf_counter() - started, peak()
        moved = client.run(lambda dask_worker: sum(one["total"] for one in dask_worker.transfer_incoming_log))
        found = {
            "seconds": seconds, "client_mb": client_mb, "scheduler_mb": client.run_on_scheduler(peak),
            "worker_mb": max(client.run(peak).values()), "moved_mb": max(moved.values()) / 1e6,
        }
        labels = model.labels_.compute()
    same = int((labels == np.load(Path(folder) / "single.npy")).sum())
    return {**found, **score(np.load(Path(folder) / "labels.npy"), labels), "same": same}


def dask_ml(name, folder, address):
    """A clusterer of dask-ml on the z-scored views side by side."""
    import dask
    import dask.array as da
    from dask_ml import cluster as peers
    from distributed import Client

    kinds = {
        "KMeans": lambda k, _: peers.KMeans(k, random_state=0),
        # its own width of the kernel, 1, makes nothing but zeros of so many features
        "SpectralClustering": lambda k, width: peers.SpectralClustering(
            k, n_components=100, gamma=1 / width, persist_embedding=True, random_state=0
        ),
    }
    # its graphs do not survive the optimisation of Dask 2026.8
    with Client(address), dask.config.set({"optimization.fuse.active": False}):
        views, truth = lazy(folder)
        together = da.concatenate([(view - view.mean(0)) / view.std(0) for view in views], axis=1)
        together = together.rechunk((together.chunks[0], -1)).persist()
        started = time.perf_counter()
        labels = kinds[name](len(np.unique(truth)), together.shape[1]).fit(together).labels_
        labels = np.asarray(labels)
        return {"seconds": time.perf_counter() - started, **score(truth, labels)}


def beside(folder, address):
    """Ours on the arrays of dask-ml."""
    from distributed import Client

    from consilience.dask import SLRMF

    with Client(address):
        views, truth = lazy(folder)
        started = time.perf_counter()
        labels = SLRMF(len(np.unique(truth)), random_state=0).fit_predict(views).compute()
        return {"seconds": time.perf_counter() - started, **score(truth, labels)}


def lazy(folder):
    """The views as dask arrays, and the classes: of synthesized files, or of the six-view digits."""
    import dask.array as da

    if folder == "digits":
        stored = np.load(DIGITS)
        views = [stored[name].astype(float) for name in stored.files if name != "labels"]
        return [da.from_array(view, chunks=(500, -1)) for view in views], stored["labels"]
    from consilience.dask._paths import opened

    return [table for _, table in opened(list(enumerate(files(folder))))], np.load(Path(folder) / "labels.npy")


@contextmanager
def started_cluster():
    with subprocess.Popen(
        [sys.executable, __file__, "--alone", "cluster"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


def alone(what, *arguments):
    """A part of this file in a process of its own, on a cluster of its own when it needs one."""

    def run(more):
        command = [sys.executable, __file__, "--alone", what, *map(str, arguments), *more]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return {"failed": f"not done after {PATIENCE} s"}
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            return {"failed": lines[-1] if lines else f"exit {done.returncode}"}
        return json.loads(done.stdout.strip().splitlines()[-1])

    if what == "single":
        return run([])
    with started_cluster() as address:
        return run([address])


@contextmanager
def synthesized(n):
    with tempfile.TemporaryDirectory(dir=os.environ.get("CONSILIENCE_SCRATCH")) as folder:
        subprocess.run([PROGRAM, "synthesize", folder, "-n", str(n), "-q", "--force"], check=True)
        yield folder


def measure(sizes):
    """Ours, on one machine and on the cluster."""
    rows = []
    for n in sizes:
        with synthesized(n) as folder:
            for name, what in (("one process, two threads", "single"), ("Dask, two workers of one thread", "ours")):
                rows.append({"n": n, "what": name, **alone(what, folder)})
                print(rows[-1], flush=True)
    return rows


def measure_peers():
    """Ours and dask-ml on the same arrays."""
    with synthesized(FOR_PEERS) as folder:
        rows = compared(f"synthesized, {FOR_PEERS} samples", folder)
    if DIGITS.exists():
        return rows + compared("digits, six views", "digits")
    print(f"{DIGITS} is not there: the digits are left out")
    return rows


def compared(title, folder):
    found = [{"data": title, "what": "consilience.dask SLRMF", **alone("beside", folder)}]
    for name in ("KMeans", "SpectralClustering"):
        found.append({"data": title, "what": f"dask-ml {name}", **alone("dask_ml", name, folder)})
    for row in found:
        print(row, flush=True)
    return found


def cells(row, forms):
    return [form.format(row[name]) if name in row else "" for name, form in forms.items()]


def write_peers(rows):
    forms = {"data": "{}", "what": "{}", "seconds": "{:.1f}", "acc": "{:.1f}", "nmi": "{:.1f}", "failed": "{}"}
    save("dask-peers", ["data", "what", "seconds", "ACC %", "NMI %", "failed"], [cells(row, forms) for row in rows])


def write(rows):
    forms = {"n": "{}", "what": "{}", "seconds": "{:.1f}", "client_mb": "{:.0f}", "scheduler_mb": "{:.0f}", "worker_mb": "{:.0f}",
             "moved_mb": "{:.1f}", "nmi": "{:.1f}", "same": "{}", "failed": "{}"}
    head = ["n", "what", "seconds of fit", "client MB", "scheduler MB", "largest worker MB", "MB that one worker received", "NMI %",
            "labels as in one process", "failed"]
    save("dask", head, [cells(row, forms) for row in rows])


def main():
    if sys.argv[1:2] == ["--alone"]:
        what, *arguments = sys.argv[2:]
        if what == "cluster":
            return cluster()
        warnings.simplefilter("ignore")
        return print(json.dumps({"single": single, "ours": ours, "dask_ml": dask_ml, "beside": beside}[what](*arguments)))
    if sys.argv[1:] != ["peers"]:
        sizes = [int(size.replace(",", "")) for size in sys.argv[1:]] or [250_000, 500_000, 1_000_000]
        write(measure(sizes))
    write_peers(measure_peers())


if __name__ == "__main__":
    main()
