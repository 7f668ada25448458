"""What the tests share. They run against the installed wheel; nothing of the tree is on the path."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import consilience

# a job in the background of a shell is started with Ctrl-C ignored, and hands that on to what it starts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[3]


def pytest_configure() -> None:
    home = Path(consilience.__file__).resolve()
    assert ROOT / "crates" not in home.parents, f"the tests must run on the installed wheel, not on {home}"


@pytest.fixture(params=consilience._names.ESTIMATORS)
def estimator_class(request):
    """Every estimator."""
    return getattr(consilience, request.param)


@pytest.fixture(scope="session")
def blobs():
    """Three clusters that every method finds."""
    return consilience.datasets.make_blobs(90, 3, (6, 9), separation=14.0, random_state=1)


@pytest.fixture(scope="session")
def views(blobs):
    return [np.ascontiguousarray(view) for view in blobs[0].values()]


@pytest.fixture(scope="session")
def binary():
    """The command line, for comparison."""
    path = Path(os.environ.get("CONSILIENCE", ROOT / "target/debug/consilience"))
    if not path.exists():
        pytest.fail(f"{path} is missing: run `cargo build`")
    return path
