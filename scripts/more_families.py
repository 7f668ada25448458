"""Further made-up families beside families.py, for the number of clusters: `MORE[name](seed)` -> (views, labels, number of clusters).

`MORE_CLOUDS` are families without clusters; `OTHER_ANSWERS` names the kinds of answer of `-k auto` that are right besides the number. Needs numpy.
"""

import numpy as np

from families import _drawn, centres, clouds, even, seen, two_views


def spirals(rng):
    y, t = even(rng, 400, 2), np.sqrt(rng.random(400)) * 2.5 * np.pi + 0.5
    x = np.where(y == 0, 1, -1)[:, None] * t[:, None] * np.c_[np.cos(t), np.sin(t)] / 4 + 0.05 * rng.standard_normal((400, 2))
    return {"a": x, "b": seen(rng, 3 * x, 8)}, y


def joint_only(rng):
    """Each view is a smear; their difference has the clusters."""
    y = even(rng, 300, 3)
    smear = 3 * rng.standard_normal((300, 4))
    return {"a": smear + 0.05 * rng.standard_normal((300, 4)), "b": smear + clouds(rng, y, 4, 6, 0.3)}, y


def product(rng):
    y, w = even(rng, 300, 2), even(rng, 300, 2)
    return {"a": clouds(rng, y, 8, 8), "b": clouds(rng, w, 8, 8)}, 2 * y + w


def noise_view(rng):
    y = even(rng, 300, 4)
    return {**two_views(rng, y, (6, 9), 8), "c": rng.standard_normal((300, 12))}, y


def shuffled_third(rng):
    y = even(rng, 300, 4)
    return {**two_views(rng, y, (6, 9), 8), "c": rng.permutation(clouds(rng, y, 7, 8))}, y


def mixed(rng):
    """Measurements, answers and counts."""
    y = even(rng, 400, 5)
    rates = np.exp(0.8 * rng.standard_normal((5, 40)))[y]
    answers = rng.random((400, 30)) < 1 / (1 + np.exp(-2 * rng.standard_normal((5, 30))[y]))
    return {"a": clouds(rng, y, 8, 6), "b": answers.astype(float), "c": rng.poisson(rates).astype(float)}, y


def near_replicates(rng):
    """Every sample five times, not quite exactly."""
    y = even(rng, 60, 3)
    rows = np.repeat(np.arange(60), 5)
    return {name: view[rows] + 0.02 * rng.standard_normal((300, view.shape[1])) for name, view in two_views(rng, y, (6, 8), 8).items()}, y[rows]


def many(rng):
    y = even(rng, 600, 12)
    return two_views(rng, y, (14, 16), 8), y


def outliers(rng):
    """One sample in twenty is an outlier as a whole."""
    y = even(rng, 300, 4)
    views, rows = two_views(rng, y, (6, 9), 9), rng.permutation(300)[:15]
    for view in views.values():
        view[rows] = 12 * rng.standard_normal((15, view.shape[1]))
    return views, y


def one_of_three(rng):
    y = even(rng, 300, 4)
    return {"a": rng.standard_normal((300, 8)), "good": clouds(rng, y, 8, 8), "c": rng.random((300, 6))}, y


def batch_in_one_of_three(rng):
    y, half = even(rng, 400, 4), (np.arange(400) >= 200)[:, None]
    shift = half * 15 * rng.standard_normal((1, 10)) / np.sqrt(10)
    return {"a": clouds(rng, y, 10, 7) + shift, "b": clouds(rng, y, 12, 7), "c": clouds(rng, y, 9, 7)}, y


def rare_one(rng):
    y = rng.permutation(np.repeat(range(5), [150, 120, 100, 60, 8]))
    return two_views(rng, y, (8, 10), 8), y


def single(rng):
    y = even(rng, 250, 5)
    return {"a": clouds(rng, y, 10, 8)}, y


def elongated(rng):
    y = even(rng, 400, 4)
    along = lambda d: 2.5 * rng.standard_normal((400, 1)) * rng.standard_normal((4, d))[y] / np.sqrt(d)
    return {name: clouds(rng, y, d, 10) + along(d) for name, d in (("a", 6), ("b", 9))}, y


def two_far(rng):
    y = even(rng, 200, 2)
    return two_views(rng, y, (5, 7), 6), y


def gauss(rng):
    return {"a": rng.standard_normal((300, 8)), "b": rng.standard_normal((300, 12))}, None


def _shown(rng, points, noise, widths=(10, 14)):
    return {name: seen(rng, points, d, noise) for name, d in zip("ab", widths)}, None


def factor(rng):
    return _shown(rng, 3 * rng.standard_normal((300, 1)), 0.5)


def low_rank(rng):
    return _shown(rng, rng.standard_normal((300, 5)), 0.3, (20, 30))


def swiss_roll(rng):
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(400)), 10 * rng.random(400)
    return _shown(rng, np.c_[t * np.cos(t), height, t * np.sin(t)] / 5, 0.1, (8, 12))


def times(rng):
    t = np.linspace(0, 1, 300)[:, None]
    return _shown(rng, 4 * np.c_[np.cos(2 * t), np.sin(5 * t), t**2, np.cos(9 * t)], 0.3, (10, 12))


def likert(rng):
    z = rng.standard_normal((300, 2))
    answers = lambda d: np.clip(np.round(3 + z @ rng.standard_normal((2, d)) + 0.7 * rng.standard_normal((300, d))), 1, 5)
    return {"a": answers(10), "b": answers(14)}, None


def skewed(rng):
    return _shown(rng, np.exp(rng.standard_normal((300, 4))), 0.3, (10, 12))


def depth(rng):
    """Counts of one kind, measured to different depths."""
    rates, depths = np.exp(0.5 * rng.standard_normal(30)), np.exp(0.4 * rng.standard_normal((300, 1)))
    return {"a": rng.poisson(3 * rates * depths).astype(float), "b": rng.poisson(2 * rates[:20] * depths).astype(float)}, None


MORE = {
    make.__name__: _drawn(make)
    for make in (
        spirals, joint_only, product, noise_view, shuffled_third, mixed, near_replicates, many, outliers, one_of_three,
        batch_in_one_of_three, rare_one, single, elongated, two_far,
    )
}
MORE_CLOUDS = {make.__name__: _drawn(make) for make in (gauss, factor, low_rank, swiss_roll, times, likert, skewed, depth)}
OTHER_ANSWERS = {
    **dict.fromkeys(("conflict", "product", "batch", "batch_in_one_of_three", "shuffled_third"), "views_disagree"),
    **dict.fromkeys(("one_view", "one_of_three"), "one_view"),
    "replicates": "replicates",
}
