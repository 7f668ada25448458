"""The paper's noise."""

from __future__ import annotations

from typing import Any

from . import _native
from ._arguments import seed_of
from ._files import as_tables
from ._views import is_several, views_of


def corrupt(
    views: Any,
    fraction: float = 0.2,
    *,
    mode: str = "replace",
    amplitude: float = 5.0,
    scale: str = "none",
    random_state: Any = 0,
) -> Any:
    """Put uniform noise on a share of the entries of every view, as the paper's experiments do.

    Parameters
    ----------
    views : list, tuple or dict of arrays, or one array
        The views. They are not changed.
    fraction : float, default=0.2
        Share of the entries, from 0 to 1. Exactly ``round(fraction * n * d)`` entries of each view are hit.
    mode : {"replace", "add"}, default="replace"
        Whether the noise replaces entries or is added to them.
    amplitude : float, default=5.0
        The noise is uniform from ``-amplitude`` to ``amplitude``.
    scale : {"none", "auto", "zscore", "unit", "minmax"}, default="none"
        Scaling before the noise, which belongs on entries of the order of 1. With ``scale="auto"``, an estimator with
        ``scale="none"`` then sees what the command line's ``--corrupt`` makes.
    random_state : int, RandomState instance or None, default=0
        Seed of the noise. Each view has a stream of its own that follows from its name.

    Returns
    -------
    dict, list or array
        The noisy views in the form that they were given in.
    """
    given, seed = views_of(views).views, seed_of(random_state)
    noisy = as_tables(_native.corrupt(given, str(scale), float(fraction), str(mode), float(amplitude), seed))
    if not is_several(views):
        return noisy["view1"]
    return list(noisy.values()) if isinstance(views, (list, tuple)) else noisy
