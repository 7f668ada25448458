"""The interpreter is free while Rust works, fits run side by side, and Ctrl-C ends one at once."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import joblib
import numpy as np
import threadpoolctl
import tqdm.auto

from consilience import SLRMF, Average, _arguments
from consilience._progress import Progress

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


def _threads(_=None):
    return _arguments.threads_of(None), _arguments.threads_of(1), _arguments.threads_of(-1)


def test_threads_are_those_that_joblib_and_threadpoolctl_leave(monkeypatch):
    monkeypatch.setattr(joblib, "cpu_count", lambda: 8)
    # as if nobody had limited the pools of this very process
    pools = [{"num_threads": 8}, {"num_threads": 1}]
    monkeypatch.setattr(_arguments, "_pools", lambda: SimpleNamespace(info=lambda: pools))
    assert _threads() == (None, 1, None)
    assert joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(_threads)() for _ in range(2)) == [(1, 1, None)] * 2
    with joblib.parallel_config(n_jobs=3):
        assert _threads() == (3, 1, None)
    pools[0]["num_threads"] = 2
    assert _threads() == (2, 1, None)


def test_real_limits_are_seen():
    before = _threads()[0]
    with threadpoolctl.threadpool_limits(1):
        assert _threads()[0] == (1 if joblib.cpu_count() > 1 else None)
    assert _threads()[0] == before, "limits that were lifted are forgotten"
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(_threads)() for _ in range(2)) == [(1, 1, None)] * 2


class Notebook(io.StringIO):
    """What ipykernel puts in the place of stderr: a stream, but no terminal."""


Notebook.__module__ = "ipykernel.iostream"

CALLS = [("scaling", 0, 0), ("neighbours", 1, 2), ("solving", 1, 2), ("neighbours", 0, 4), ("solving", 2, 2), ("assigning", 0, 0)]


def test_progress_in_a_notebook_is_one_bar_that_only_moves_forward(monkeypatch):
    shown = []

    class Bar:
        def __init__(self, **options):
            self.n, self.closed = 0, False
            shown.append(self)
            self.seen = []

        def set_description(self, words, refresh):
            self.words = words

        def refresh(self):
            self.seen.append(self.n)

        def close(self):
            self.closed = True

    monkeypatch.setattr(sys, "stderr", Notebook())
    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    progress = Progress("slrmf")
    for call in CALLS:
        progress(*call)
    progress.finish("done")
    [bar] = shown
    assert bar.seen == sorted(bar.seen) and bar.seen[-1] == 100 and len(set(bar.seen)) > 3
    assert bar.closed and sys.stderr.getvalue() == "done\n"


def test_progress_without_tqdm_is_a_line_per_stage(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Notebook())
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    progress = Progress("slrmf")
    for call in CALLS[:3] * 50:
        progress(*call)
    progress.finish("done")
    assert sys.stderr.getvalue() == "slrmf: scaling\nslrmf: neighbours\nslrmf: solving\ndone\n"


def test_progress_in_a_terminal_never_goes_back(monkeypatch):
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    progress = Progress("slrmf")
    for call in CALLS:
        progress(*call)
    progress.finish("")
    shares = [int(share) for share in re.findall(r"(\d+) %", stream.getvalue())]
    assert shares == sorted(shares) and len(shares) == len(CALLS)
