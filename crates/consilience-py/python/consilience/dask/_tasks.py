"""What workers do: functions without state, each of a block or of what came of blocks. Dask may run any of them again, anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from dask.system import CPU_COUNT
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.utils.validation import check_array

import consilience
import dask

from .. import _native
from .._arguments import threads_of
from .._views import ACCEPT, for_rust

if TYPE_CHECKING:
    from ._input import LazyViews


@dataclass(frozen=True)
class About:
    """What every task of a run is told, beside its block."""

    # names of the views, and of their columns where they have some
    names: list[str]
    features: list[Optional[list[str]]]
    # the first sample of every block, and the end of the last one
    firsts: NDArray[np.int64]
    # the samples that are read first, rising; None when all samples are clustered in full, or none
    rows: Optional[NDArray[np.int64]]
    # of the client's package
    version: str
    n_jobs: Optional[int]

    @classmethod
    def of(cls, views: LazyViews, n_jobs: Optional[int], rows: Optional[NDArray[np.int64]]) -> About:
        """What is told by this client."""
        firsts = np.concatenate([[0], np.cumsum(views.sizes)]).astype(np.int64)
        names, features = [view.name for view in views.views], [view.features for view in views.views]
        return cls(names, features, firsts, rows, consilience.__version__, n_jobs)


def pick(block: Any, view: int, about: About, block_id: tuple[int, ...]) -> Any:
    """The samples of a view's block that are read first, or all of them."""
    check_version(about.version)
    numbers = table(block, about.names[view])
    first, end = about.firsts[block_id[0]], about.firsts[block_id[0] + 1]
    rows = np.arange(first, end)
    if about.rows is not None:
        rows = about.rows[slice(*np.searchsorted(about.rows, [first, end]))]
        numbers = numbers[rows - first]
    check_values(numbers, rows, about.names[view])
    return numbers


def stack(parts: Sequence[Any]) -> Any:
    """Samples of a view, one part under the other."""
    return vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(list(parts))


def fit_first(parts: Sequence[Any], about: About, asked: dict[str, Any]) -> dict[str, Any]:
    """The landmarks among the samples that are read first, clustered in full: the bytes of a model, and what was found."""
    check_version(about.version)
    found = _native.fit_first(int(about.firsts[-1]), _given(parts, about), here(asked, about))
    return _kept(found)


def fit_all(parts: Sequence[Any], about: About, asked: dict[str, Any]) -> dict[str, Any]:
    """All samples clustered in full, where they are few: as `fit_first`, and their labels."""
    check_version(about.version)
    asked = here(asked, about)
    found = _native.fit(_given(parts, about), asked, None)
    found["model"] = found["model"].to_bytes(None, asked["threads"])
    return {**_kept(found), "labels": found["labels"]}


def _kept(found: dict[str, Any]) -> dict[str, Any]:
    """What was found without what is as long as the samples, or cannot be sent."""
    large = ("labels", "confidence", "memberships", "embedding", "affinity", "kept")
    return {name: value for name, value in found.items() if name not in large}


def small(found: dict[str, Any]) -> dict[str, Any]:
    """What the client is told of a fit: nothing that grows with the samples."""
    return {name: value for name, value in found.items() if name != "labels"}


def cut(found: dict[str, Any], first: int, end: int) -> NDArray[np.int64]:
    """The labels of a block, where all samples were clustered in full."""
    labels: NDArray[np.int64] = found["labels"][first:end]
    return labels


def place(*blocks: Any, model: bytes, about: About, wanted: Sequence[str], block_id: tuple[int, ...]) -> dict[str, Any]:
    """Where the samples of a block belong: of `labels`, `embedding`, `confidence`, `distance` and `unlike` those that are wanted,
    and how many samples each view does not know."""
    check_version(about.version)
    tables = [table(block, name) for block, name in zip(blocks, about.names)]
    rows = np.arange(about.firsts[block_id[0]], about.firsts[block_id[0] + 1])
    if rows.size == 0:
        return {**{name: nobody(name, model) for name in wanted}, "absent": [0] * len(tables)}
    for numbers, name in zip(tables, about.names):
        check_values(numbers, rows, name)
    placed = _native.place(model, _given(tables, about), _threads(about))
    return {name: placed[name] for name in (*wanted, "absent")}


def nobody(name: str, model: bytes) -> NDArray[Any]:
    """What is said of no samples."""
    if name in ("embedding", "memberships"):
        facts = _native.Model.from_bytes(model).facts()
        return np.empty((0, facts["embedding"].shape[1] if name == "embedding" else facts["clusters"]))
    return np.empty(0, dtype={"labels": np.int64, "unlike": np.bool_}.get(name, np.float64))


def account(placed: dict[str, Any]) -> dict[str, Any]:
    """What the whole has to know of a block: the clusters in the order in which they appear, and the samples that views lack."""
    clusters, first = np.unique(placed["labels"], return_index=True)
    return {"order": clusters[np.argsort(first)].tolist(), "absent": placed["absent"]}


def merge(accounts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The account of several blocks, in their order."""
    listed = list(accounts)
    order = list(dict.fromkeys(cluster for one in listed for cluster in one["order"]))
    return {"order": order, "absent": [sum(counts) for counts in zip(*(one["absent"] for one in listed))]}


def number(placed: dict[str, Any], whole: dict[str, Any]) -> NDArray[np.int64]:
    """The labels of a block, numbered by first appearance among all samples."""
    numbers = np.zeros(1 + max(whole["order"], default=0), dtype=np.int64)
    numbers[whole["order"]] = np.arange(len(whole["order"]))
    labels: NDArray[np.int64] = numbers[placed["labels"]]
    return labels


def table(block: Any, name: str) -> Any:
    """A block as rows of floats, dense or sparse."""
    return check_array(block, input_name=f"view `{name}`", **ACCEPT)


def check_values(numbers: Any, rows: NDArray[np.int64], name: str) -> None:
    """Refuses values that are no numbers, with the sample's row in the whole. A row of nothing but NaN is a sample that the view
    does not know."""
    bad = ~np.isfinite(numbers.data if issparse(numbers) else numbers)
    if not bad.any():
        return
    if issparse(numbers):
        entries = numbers.tocoo()
        at, columns, values = entries.row[bad], entries.col[bad], entries.data[bad]
    else:
        at, columns = np.nonzero(bad)
        values = numbers[at, columns]
    lacking = np.bincount(at[np.isnan(values)], minlength=numbers.shape[0]) == numbers.shape[1]
    left = np.flatnonzero(~lacking[at])
    if left.size:
        place = left[0]
        raise ValueError(
            f"view `{name}`: sample {rows[at[place]]}, counted from 0, has the value {values[place]} in column {columns[place]}\n"
            "hint: fill missing values in before the fit; a row of nothing but NaN is a sample that the view does not know"
        )


def here(asked: dict[str, Any], about: About) -> dict[str, Any]:
    """What is asked, with the threads of this worker and its memory where nobody has set other limits."""
    memory = asked["memory"]
    worker = _worker()
    if memory is None and worker is not None:
        memory = worker.memory_manager.memory_limit
    return {**asked, "threads": _threads(about), "memory": memory}


def check_version(version: str) -> None:
    """Refuses to work for a client with another version: its numbers would not be ours."""
    if consilience.__version__ != version:
        worker = _worker()
        where = "this process" if worker is None else f"the worker {worker.address}"
        raise RuntimeError(
            f"{where} has consilience {consilience.__version__}, and the client has {version}: install the same version everywhere"
        )


def _given(parts: Sequence[Any], about: About) -> list[_native.GivenView]:
    return [(name, for_rust(part), features) for name, part, features in zip(about.names, parts, about.features)]


def _threads(about: About) -> int:
    """The threads of this worker, or of the threaded scheduler; 0 is all cores."""
    if about.n_jobs is not None:
        return threads_of(about.n_jobs) or 0
    worker = _worker()
    return int(worker.state.nthreads if worker is not None else dask.config.get("num_workers", None) or CPU_COUNT)


def _worker() -> Any:
    """The worker that runs this task; None without a cluster."""
    try:
        from distributed import get_worker

        return get_worker()
    except (ImportError, ValueError):
        return None
