"""What an examination of a fit found, as values: everything that the page of `report` shows."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from . import _native


class Examination:
    """How sure a fit is and which view to trust; `examine` of a fitted estimator makes one.

    Tables are DataFrames where pandas is installed and dicts of columns where it is not.

    Attributes
    ----------
    verdict : Bunch
        ``state`` (separate, touching, pieces, unstable or untested), ``headline`` and ``sentences``: what the page says first.
        ``parts`` has a sentence for each question: stability, borders, agreement.
    clusters : list of Bunch
        For every cluster its ``size``, its ``state`` (solid, touching, fragile, or None where it was not tested), the clusters that
        it ``touches``, its ``stability`` and what else the page says of it.
    mean_stability : float or None
        Over all samples, the share of refits that put them into their cluster; None when there were none.
    silhouette : float
        Mean silhouette of the embedding, -1 to 1.
    agreement : array, (views, views)
        NMI between what each view finds alone.
    document : dict
        All of it, as in the ``report.json`` of a run folder.
    """

    def __init__(self, examined: _native.Examined, labels: NDArray[np.int64], ids: Optional[list[str]]) -> None:
        self._examined = examined
        self._labels, self._ids = labels, ids
        self.document: dict[str, Any] = json.loads(examined.document())
        self.verdict = Bunch(**self.document["verdict"])
        self.clusters = [Bunch(**cluster) for cluster in self.document["clusters"]]
        stability = self.document["stability"]
        self.mean_stability: Optional[float] = None if stability is None else stability["mean"]
        self.silhouette: float = self.document["silhouette"]
        self.agreement = np.array(self.document["agreement"]["before"])

    def samples(self) -> Any:
        """A row per sample: its cluster, its confidence (the share of its cluster in its memberships), its stability
        (share of refits on halves of the samples that put it there), its doubt and the share of views that would have put it elsewhere."""
        return _table({"cluster": self._labels, **self._examined.samples()}, "sample", self._ids)

    def stability(self) -> Any:
        """A row per cluster: its size, its state, the mean confidence of its samples, the share of their affinity that stays
        inside, and its stability (how far refits find it again: mean of the best Jaccard index; below 0.6 it is fragile)."""
        clusters = [_flat(cluster) for cluster in self.document["clusters"]]
        return _table(_columns(clusters), "cluster", range(len(clusters)))

    def view_report(self) -> Any:
        """A row per view: its width and weight, the NMI of what it finds alone with the consensus (``own_nmi``), and what
        the method finds without it (``without_nmi``, ``without_silhouette``); what its being there adds to the silhouette
        (``effect_change``, plus or minus ``effect_margin``, over resampled runs); scores where the classes were given."""
        views = [_flat(view) for view in self.document["views"]]
        names = [view.pop("name") for view in views]
        columns = _columns(views)
        for scores in ("own_scores", "without_scores"):
            # a record without values, where no classes were given
            columns.pop(scores, None)
        return _table(columns, "view", names)

    def report(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Write the page: one HTML file that opens anywhere, offline."""
        file = writable(path)
        self._examined.write_page(os.fspath(file))
        return file

    def __repr__(self) -> str:
        return f"Examination({self.verdict.state}: {self.verdict.headline})"


def writable(path: Union[str, os.PathLike[str]]) -> Path:
    """The path of a file that is to be written; what cannot be written is refused before any work is done for it."""
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"`{file}` is a folder: name a file in it")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"`{file}` cannot be written: there is no folder `{file.parent}`")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise PermissionError(f"`{file}` cannot be written: permission denied")
    return file


def _flat(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The plain values of a record; those of a record inside it under both names."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}_"))
        elif not isinstance(value, list):
            flat[prefix + name] = value
    return flat


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns; None where a row lacks one. A record that is missing as a whole in some rows is no column."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    records = {name for name in names if any(other.startswith(f"{name}_") for other in names)}
    return {name: [row.get(name) for row in rows] for name in names if name not in records}


def _table(columns: dict[str, Any], kind: str, index: Any) -> Any:
    """A DataFrame, or a dict of columns without pandas."""
    try:
        import pandas as pd
    except ImportError:
        return columns if index is None else {kind: list(index), **columns}
    return pd.DataFrame(columns, index=None if index is None else pd.Index(index, name=kind))
