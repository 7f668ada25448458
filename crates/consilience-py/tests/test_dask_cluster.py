"""Estimators on Dask, on a real cluster: processes of their own, which come and go."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time

import anndata
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster

import consilience
from consilience.dask import SLRMF

N, BLOCK = 1_600, 100

# the names of phases: what a worker holds or does when it is killed
PHASES = ["consilience-pick", "consilience-landmarks", "consilience-place"]


@pytest.fixture(scope="module")
def data():
    """Clusters that overlap, so that the smallest difference changes labels."""
    views, _ = consilience.datasets.make_blobs(N, 4, (6, 9), separation=4.0, random_state=3)
    return views


@pytest.fixture(scope="module")
def labels(data):
    return consilience.SLRMF(4, random_state=0, landmarks=400).fit_predict(data)


@pytest.fixture(scope="module")
def client():
    # a killed worker is not called for half a minute, as it would be over a network
    with dask.config.set({"distributed.comm.timeouts.connect": "2s"}):
        cluster = LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="1GB"
        )
        with cluster, Client(cluster) as client:
            yield client


def scaled(client, workers):
    """Waits for so many workers; those that were killed count until somebody calls them."""
    client.cluster.scale(workers)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if len(everywhere(client, os.getpid)) == workers:
                return
        except OSError:
            pass
        time.sleep(0.05)
    pytest.fail(f"there were no {workers} workers after a minute")


def everywhere(client, function, *arguments):
    """What a function gives on every worker, by address."""
    return client.run(function, *arguments)


def lazy(data, wait=0.0):
    def slow(block):
        time.sleep(wait)
        return block

    arrays = {name: da.from_array(view, chunks=(BLOCK, -1)) for name, view in data.items()}
    return {name: array.map_blocks(slow, dtype=array.dtype) for name, array in arrays.items()}


def model():
    return SLRMF(4, random_state=0, landmarks=400)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_labels_do_not_depend_on_the_number_of_workers(client, data, labels, workers):
    scaled(client, workers)
    fitted = model().fit(lazy(data))
    assert np.array_equal(fitted.labels_.compute(), labels)
    held = client.who_has(fitted.labels_)
    assert len(held) == N // BLOCK and all(held.values()), "labels are with the workers"
    assert np.array_equal(fitted.predict(lazy(data)).compute(), labels)


def test_workers_without_data(client, data, labels):
    scaled(client, 2)
    views = {name: array.rechunk((N, -1)) for name, array in lazy(data).items()}
    assert np.array_equal(model().fit(views).labels_.compute(), labels)


class Killer(threading.Thread):
    """Kills the first worker that does or holds something of a phase."""

    def __init__(self, client, phase):
        super().__init__(daemon=True)
        self.pids = everywhere(client, os.getpid)
        self.scheduler, self.phase, self.killed, self.done = client.cluster.scheduler, phase, None, False

    def run(self):
        while not self.done:
            try:
                for address, worker in list(self.scheduler.workers.items()):
                    keys = [task.key for task in [*worker.processing, *worker.has_what]]
                    names = [key[0] if isinstance(key, tuple) else key for key in keys]
                    if any(name.startswith(self.phase) for name in names):
                        os.kill(self.pids[address], signal.SIGKILL)
                        self.killed = address
                        return
            except RuntimeError:
                # the scheduler changed what was looked at
                pass
            time.sleep(0.002)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.filterwarnings("ignore:Removing worker")
def test_a_worker_is_killed(client, data, labels, phase):
    scaled(client, 2)
    killer = Killer(client, phase)
    killer.start()
    fitted = model().fit(lazy(data, wait=0.01))
    killer.done = True
    killer.join()
    assert killer.killed, f"nobody was seen at {phase}"
    assert np.array_equal(fitted.labels_.compute(), labels)


def test_labels_that_are_lost_are_made_again(client, data, labels):
    scaled(client, 2)
    fitted = model().fit(lazy(data))
    pids = everywhere(client, os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert np.array_equal(fitted.labels_.compute(), labels)


def test_workers_with_another_version_are_refused(client, data):
    scaled(client, 2)

    def pretend(version):
        import consilience

        consilience.__version__ = version

    everywhere(client, pretend, "0.0.7")
    try:
        words = f"the worker tcp://.* has consilience 0.0.7, and the client has {consilience.__version__}: install the same version"
        with pytest.raises(RuntimeError, match=words):
            model().fit(lazy(data))
    finally:
        everywhere(client, pretend, consilience.__version__)


def test_threads_are_those_of_the_worker(client, data):
    from consilience.dask._tasks import About, here

    about = About(["a"], [None], np.array([0, 1]), None, consilience.__version__, None)
    found = client.submit(here, {"memory": None}, about, pure=False).result()
    assert found == {"memory": 10**9, "threads": 1}
    two = dataclasses.replace(about, n_jobs=2)
    assert client.submit(here, {"memory": 5}, two, pure=False).result() == {"memory": 5, "threads": 2}
    assert here({"memory": None}, about)["threads"] == os.cpu_count(), "no worker: all of the scheduler's threads"


@pytest.mark.filterwarnings("ignore:.*was counted:consilience.ConsilienceWarning", "ignore:views were joined")
def test_frames_are_joined_on_a_cluster(client, data, labels):
    scaled(client, 2)
    ids = pd.Index([f"s{row}" for row in range(N)], name="sample")
    frames = [pd.DataFrame(view, index=ids).rename(columns=str) for view in data.values()]
    frames[1] = frames[1].sample(frac=1.0, random_state=0)
    lazily = {name: dd.from_pandas(frame, npartitions=5, sort=False) for name, frame in zip(data, frames)}
    fitted = model().set_params(join="inner").fit(lazily)
    found = pd.Series(fitted.labels_.compute(), fitted.ids_.compute())
    order = found.index
    rows = {name: frame.loc[order].to_numpy() for name, frame in zip(data, frames)}
    assert np.array_equal(consilience.SLRMF(4, random_state=0, landmarks=400).fit_predict(rows), found.to_numpy())


@pytest.mark.filterwarnings("ignore")
def test_files_are_read_by_the_workers(client, data, labels, tmp_path):
    scaled(client, 2)
    counts = np.random.default_rng(0).poisson(0.2 + (np.arange(40) % 4 == labels[:, None]), size=(N, 40)).astype(np.float32)
    names = pd.DataFrame(index=[f"cell{row}" for row in range(N)])
    dense, sparse = next(iter(data.values())), sp.csr_matrix(counts)
    anndata.AnnData(dense, obs=names).write_zarr(tmp_path / "dense.zarr")
    # sparse numbers arrive at any byte, which Rust does not read
    anndata.AnnData(sparse, obs=names).write_h5ad(tmp_path / "sparse.h5ad")
    expected = consilience.SLRMF(4, random_state=0, landmarks=400).fit_predict({"dense": dense, "sparse": sparse})
    fitted = model().fit([tmp_path / "dense.zarr", tmp_path / "sparse.h5ad"])
    assert np.array_equal(fitted.labels_.compute(), expected)
    np.save(tmp_path / "plain.npy", dense)
    fitted = model().fit({"dense": tmp_path / "plain.npy", "sparse": tmp_path / "sparse.h5ad"})
    assert np.array_equal(fitted.labels_.compute(), expected)


def test_tasks_that_fail_tell_why(client, data):
    scaled(client, 2)
    holes = {name: view.copy() for name, view in data.items()}
    holes["view2"][777, 3] = np.inf
    with pytest.raises(ValueError, match="view `view2`: sample 777, counted from 0, has the value inf in column 3"):
        model().fit(lazy(holes))
