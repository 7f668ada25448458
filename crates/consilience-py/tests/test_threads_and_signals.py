"""The interpreter is free while Rust works, fits run side by side, and Ctrl-C ends one at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from consilience import SLRMF, Average

INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from consilience import SLRMF
X = np.random.default_rng(0).normal(size=(40_000, 300))
estimator = SLRMF(20, random_state=0, verbose=1).fit(X[:50])
sent = []
def interrupt():
    time.sleep(2.0)
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    estimator.fit(X)
except KeyboardInterrupt:
    # the time until here is what the person waits
    print(time.monotonic() - sent[0], hasattr(estimator, "labels_"), hasattr(estimator, "n_features_in_"))
"""


def test_a_real_signal_stops_a_fit_and_leaves_nothing():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    seconds, fitted, counted = done.stdout.split()
    # half a second on a machine that does nothing else; a busy one holds every thread up
    assert float(seconds) < 0.5 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert (fitted, counted) == ("False", "False")


def test_python_runs_while_rust_works():
    X = np.random.default_rng(0).normal(size=(6_000, 100))
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    watcher = threading.Thread(target=tick)
    watcher.start()
    started = time.monotonic()
    Average(5, random_state=0).fit(X)
    ended = time.monotonic()
    done.set()
    watcher.join()
    during = [moment for moment in ticks if started < moment < ended]
    # with the interpreter held, no tick could fall between start and end but at the very edges
    assert len(during) >= 5


def test_many_threads_fit_at_once(views):
    expected = SLRMF(3, random_state=0).fit(views)

    def fit(jobs):
        return SLRMF(3, random_state=0, n_jobs=jobs).fit(views)

    with ThreadPoolExecutor(8) as pool:
        for estimator in pool.map(fit, [1, 2, None, 1, 2, None, 1, 2] * 3):
            assert np.array_equal(estimator.embedding_, expected.embedding_)


def test_an_exception_in_the_progress_stops_the_fit(monkeypatch):
    from consilience import _progress

    def broken(self, stage, done, total):
        raise RuntimeError("no more paper")

    monkeypatch.setattr(_progress.Progress, "__call__", broken)
    estimator = SLRMF(10, random_state=0, verbose=1)
    X = np.random.default_rng(0).normal(size=(20_000, 200))
    try:
        estimator.fit(X)
    except RuntimeError as error:
        assert str(error) == "no more paper"
    else:
        raise AssertionError("the fit ended before it showed any progress")
    assert not hasattr(estimator, "labels_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
