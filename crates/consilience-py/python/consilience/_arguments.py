"""The arguments that every estimator has, checked with the words of the command line."""

from __future__ import annotations

import functools
import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np


def whole_number(name: str, value: Any, least: int, most: int = 2**63 - 1) -> int:
    """`value` as an int; bools and floats are no whole numbers."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and least <= int(value) <= most:
        return int(value)
    limit = f"from {least} to {most}" if most < 2**63 - 1 else f"at least {least}"
    raise ValueError(f"parameter `{name}` = `{value}`: must be a whole number, {limit}")


def clusters_of(n_clusters: Any) -> dict[str, Any]:
    """How many clusters, or among how many the data choose: ``"auto"``, ``(2, 12)`` or ``range(2, 13)``."""
    if isinstance(n_clusters, str) and n_clusters == "auto":
        return {"clusters": 1, "choose": "auto"}
    if isinstance(n_clusters, range) and n_clusters.step == 1 and len(n_clusters) > 0:
        n_clusters = (n_clusters[0], n_clusters[-1])
    if isinstance(n_clusters, (tuple, list)) and len(n_clusters) == 2:
        least, most = (whole_number("n_clusters", end, 2) for end in n_clusters)
        return {"clusters": 1, "choose": f"{least}-{most}"}
    if isinstance(n_clusters, numbers.Integral):
        return {"clusters": whole_number("n_clusters", n_clusters, 0), "choose": None}
    raise ValueError(
        f"parameter `n_clusters` = `{n_clusters}`: must be a whole number, at least 0, or `auto`, or a range such as (2, 12)"
    )


def seed_of(random_state: Any) -> int:
    """The seed: an int is itself (the command line's ``--seed``), anything else is asked for a number."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return whole_number("random_state", random_state, 0, 2**64 - 1)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs: int | None) -> int | None:
    """The number of threads: what joblib and threadpoolctl leave for None, all cores for -1, all but one for -2, and so on."""
    if n_jobs is None:
        return _threads_left()
    if isinstance(n_jobs, numbers.Integral) and n_jobs == -1:
        return None
    if isinstance(n_jobs, numbers.Integral) and n_jobs < -1:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    if isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool) and 1 <= n_jobs <= 1024:
        return int(n_jobs)
    raise ValueError(f"parameter `n_jobs` = `{n_jobs}`: must be a whole number, from 1 to 1024, or -1 for all cores, or None")


def _threads_left() -> int | None:
    """One inside a worker of joblib, or the workers would fight for the cores; as many as a ``parallel_config`` around or
    threadpoolctl's limits allow; None, which is all cores, when nobody has limited anything."""
    import joblib

    backend, jobs = joblib.parallel.get_active_backend()
    if getattr(backend, "nesting_level", 0):
        return 1
    cores = joblib.cpu_count()
    pools = [int(pool["num_threads"]) for pool in _pools().info()]
    least = min(cores, max(pools, default=cores))
    # before joblib 1.3, which brought `parallel_config`, 1 was the default and nobody's wish
    if jobs is not None and hasattr(joblib, "parallel_config"):
        least = min(least, joblib.effective_n_jobs(jobs))
    return least if least < cores else None


@functools.lru_cache(maxsize=None)
def _pools() -> Any:
    """The libraries with threads of their own. Finding them takes longer than a small fit, so it is done once; how many threads
    they may use is asked every time."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def bytes_of(memory_limit: float | None) -> int | None:
    """Gigabytes as bytes; None stays None, which is what the machine has free."""
    if memory_limit is None:
        return None
    if isinstance(memory_limit, numbers.Real) and 0.001 <= memory_limit <= 1e6:
        return int(memory_limit * 1e9)
    raise ValueError(f"parameter `memory_limit` = `{memory_limit}`: a number of gigabytes from 0.001 to 1000000")


def weights_of(given: Any, views: list[str]) -> list[tuple[str, float]] | None:
    """Weights that the user gives the views, by name or in their order; None when a method is to find them."""
    if given is None or isinstance(given, str):
        return None
    if not isinstance(given, Mapping):
        values = list(given)
        if len(values) != len(views):
            raise ValueError(f"parameter `view_weights`: {len(values)} weights for {len(views)} views")
        given = dict(zip(views, values))
    weights = []
    for name, weight in given.items():
        if not isinstance(weight, numbers.Real) or isinstance(weight, bool):
            raise ValueError(f"parameter `view_weights`: the weight of view `{name}` is {weight!r}, not a number")
        weights.append((str(name), float(weight)))
    return weights


def refuse_weights(function: str, unknown: Mapping[str, Any]) -> None:
    """Refuses arguments that `fit` does not have. Weights of samples are asked for often enough to be told what to do instead."""
    if unknown.get("sample_weight") is not None:
        raise ValueError(
            "sample_weight is not supported: neighbours are counted, and every sample counts once. Leave out samples of weight 0; "
            "weigh the last step yourself, sklearn.cluster.KMeans(n_clusters).fit(estimator.embedding_, sample_weight=..); or weigh "
            "the views instead: view_weights"
        )
    others = [name for name in unknown if name != "sample_weight"]
    if others:
        raise TypeError(f"{function}() got an unexpected keyword argument '{others[0]}'")


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's; anything else as it is, for the library to check."""
    return value.item() if isinstance(value, np.generic) else value
