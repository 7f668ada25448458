"""Pictures of a fitted estimator. Matplotlib is imported here and nowhere else.

Every function draws on `ax`, or on a new figure, and returns the axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# more clusters than these are told apart by the squares alone: lines would cover them
_MOST_BOUNDS = 30
# more clusters than these would make a legend larger than the picture
_MOST_NAMED = 60

__all__ = ["affinity", "agreement", "convergence", "embedding", "k"]


def affinity(estimator: Any, ax: Axes | None = None, *, blocks: int = 200) -> Axes:
    """Heat map of the affinity, samples sorted by cluster: bright squares on the diagonal are clusters.

    More samples than `blocks` are averaged in that many groups of neighbours in the sorted order.
    """
    check_is_fitted(estimator)
    order = np.argsort(estimator.labels_, kind="stable")
    groups = np.array_split(order, min(blocks, order.size))
    # column b averages over the samples of group b
    averages = np.zeros((order.size, len(groups)))
    for place, group in enumerate(groups):
        averages[group, place] = 1.0 / group.size
    means = averages.T @ (estimator.affinity_ @ averages)
    ax = _axes(ax)
    # the diagonal of single samples would drown the rest
    brightest = np.quantile(means, 0.99) if means.size > 1 else None
    image = ax.imshow(means, cmap="magma", vmin=0.0, vmax=brightest, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="mean affinity")
    sizes = np.bincount(estimator.labels_)
    if len(sizes) <= _MOST_BOUNDS:
        for bound in np.cumsum(sizes)[:-1] * (len(groups) / order.size) - 0.5:
            ax.axhline(bound, color="white", linewidth=0.5)
            ax.axvline(bound, color="white", linewidth=0.5)
    ax.set(title="affinity, samples sorted by cluster", xticks=[], yticks=[])
    return ax


def convergence(estimator: Any, ax: Axes | None = None, *, quantity: str = "objective") -> Axes:
    """`objective`, `residual` or `change` by iteration, of every view and of the joint graph where it has a factor."""
    check_is_fitted(estimator)
    trace = estimator.trace_
    if quantity not in ("objective", "residual", "change"):
        raise ValueError(f"quantity = {quantity!r}: must be objective, residual or change")
    if len(trace["iteration"]) == 0:
        raise ValueError(f"{type(estimator).__name__} has no trace to draw: it stopped by `{estimator.stop_reason_}`")
    ax = _axes(ax)
    views = np.array(trace["view"])
    for view in dict.fromkeys(trace["view"]):
        chosen = views == view
        ax.plot(trace["iteration"][chosen], trace[quantity][chosen], label=view)
    if quantity != "objective" and np.all(trace[quantity] > 0):
        ax.set_yscale("log")
    ax.set(xlabel="iteration", ylabel=quantity, title=f"convergence ({estimator.stop_reason_})")
    ax.legend()
    return ax


def k(estimator: Any, ax: Axes | None = None) -> Axes:
    """What spoke for which number of clusters, beside clouds without clusters; for fits that chose it."""
    check_is_fitted(estimator)
    if estimator.choice_ is None or len(estimator.choice_["curves"]["n_clusters"]) == 0:
        raise ValueError(f"{type(estimator).__name__} did not choose the number of clusters: set n_clusters='auto'")
    curves = estimator.choice_["curves"]
    ax = _axes(ax)
    lines = [("stability", "null_stability", "halves agree"), ("eigenvalue", "null_eigenvalue", "eigenvalue")]
    for place, (name, null, words) in enumerate(lines):
        ax.plot(curves["n_clusters"], curves[name], color=f"C{place}", marker="o", markersize=3, label=words)
        ax.plot(curves["n_clusters"], curves[null], color=f"C{place}", linestyle="--", label=f"{words}, no clusters")
    if not np.isnan(curves["agreement"]).any():
        ax.plot(curves["n_clusters"], curves["agreement"], color="C2", marker="o", markersize=3, label="views agree")
    found = "no structure found" if estimator.n_clusters_ == 1 else f"{estimator.n_clusters_} clusters"
    ax.set(xlabel="number of clusters", ylabel="agreement, eigenvalue", title=found)
    ax.legend()
    return ax


def embedding(estimator: Any, ax: Axes | None = None, *, labels: ArrayLike | None = None) -> Axes:
    """The two directions in which the embedding varies most, coloured by cluster, or by `labels`."""
    check_is_fitted(estimator)
    points = _two_directions(estimator.embedding_)
    names, groups = np.unique(estimator.labels_ if labels is None else np.asarray(labels), return_inverse=True)
    if groups.size != len(points):
        raise ValueError(f"there are {groups.size} labels for {len(points)} samples")
    ax = _axes(ax)
    colours = _colours(len(names))
    for place, name in enumerate(names):
        chosen = points[groups == place]
        ax.scatter(chosen[:, 0], chosen[:, 1], color=colours[place], s=8, linewidths=0, label=str(name))
    ax.set(title="embedding", xlabel="first direction", ylabel="second direction")
    if len(names) <= _MOST_NAMED:
        title = "cluster" if labels is None else None
        columns = 1 + (len(names) - 1) // 20
        ax.legend(title=title, ncols=columns, markerscale=2, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return ax


def agreement(estimator: Any, ax: Axes | None = None, *, when: str = "after") -> Axes:
    """How far the views' own clusterings agree (NMI), `before` or `after` they learned from each other."""
    check_is_fitted(estimator)
    if when not in ("before", "after"):
        raise ValueError(f"when = {when!r}: must be before or after")
    if estimator.agreement_ is None:
        raise ValueError(f"{type(estimator).__name__} gives no account of the views' agreement")
    table = estimator.agreement_[when]
    ax = _axes(ax)
    image = ax.imshow(table, cmap="viridis", vmin=0.0, vmax=1.0)
    ax.figure.colorbar(image, ax=ax, label="NMI")
    for (row, column), value in np.ndenumerate(table):
        ax.text(column, row, f"{value:.2f}", ha="center", va="center", color="white" if value < 0.6 else "black")
    places = range(len(table))
    ax.set_xticks(places, estimator.view_names_)
    ax.set_yticks(places, estimator.view_names_)
    ax.set_title(f"agreement of the views, {when}")
    return ax


def _colours(count: int) -> list[Any]:
    """As many colours, no two alike: Matplotlib's own for few, the whole circle in three lightnesses for many."""
    from matplotlib import colormaps
    from matplotlib.colors import hsv_to_rgb

    if count <= 20:
        return [colormaps["tab10" if count <= 10 else "tab20"](place) for place in range(count)]
    # neighbours in number are far apart in hue
    return [hsv_to_rgb(((place * 0.618034) % 1.0, 0.85, (0.95, 0.7, 0.5)[place % 3])) for place in range(count)]


def _two_directions(points: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = points - points.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:2]
    flat = centred @ directions.T
    return np.pad(flat, ((0, 0), (0, 2 - flat.shape[1])))


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('consilience.plot needs Matplotlib: pip install "consilience[plot]"') from error
    return plt.subplots(layout="constrained")[1]
