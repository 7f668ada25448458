"""Made-up families of multi-view data on which a default must not fail: `FAMILIES[name](seed)` -> (views, labels, number of clusters).

`CLOUDS` are families without clusters. Needs numpy.
"""

import numpy as np


def centres(rng, k, d, distance):
    """k points, each `distance` from the others, turned at random."""
    turn, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return np.eye(k, d) * distance / np.sqrt(2) @ turn


def clouds(rng, labels, d, distance, sd=1.0):
    return centres(rng, labels.max() + 1, d, distance)[labels] + sd * rng.standard_normal((len(labels), d))


def seen(rng, points, d, noise=0.2):
    """The points through a random matrix, with noise."""
    return points @ rng.standard_normal((points.shape[1], d)) / np.sqrt(d) + noise * rng.standard_normal((len(points), d))


def even(rng, n, k):
    return rng.permutation(np.arange(n) % k)


def two_views(rng, labels, widths, distance, sd=1.0):
    return {name: clouds(rng, labels, d, distance, sd) for name, d in zip("ab", widths)}


def easy(rng):
    y = even(rng, 300, 4)
    return two_views(rng, y, (6, 9), 8), y


def sizes(rng):
    """90 %, 9 % and four samples, 12 standard deviations apart."""
    y = rng.permutation(np.repeat([0, 1, 2], [360, 36, 4]))
    return two_views(rng, y, (6, 8), 12), y


def rare_types(rng):
    """Nine Gaussians of 800 to 10 samples."""
    y = rng.permutation(np.repeat(range(9), [800, 400, 300, 200, 120, 60, 40, 20, 10]))
    return {name: 2.2 * rng.standard_normal((9, d))[y] + rng.standard_normal((len(y), d)) for name, d in (("a", 20), ("b", 30))}, y


def replicates(rng):
    """Every sample ten times, exactly."""
    y = even(rng, 30, 3)
    rows = np.repeat(np.arange(30), 10)
    return {name: view[rows] for name, view in two_views(rng, y, (6, 8), 8).items()}, y[rows]


def few_features(rng):
    """8 features of 208 and of 308 know the clusters."""
    y = even(rng, 300, 4)
    return {name: np.c_[clouds(rng, y, 8, 8), rng.standard_normal((300, d))] for name, d in (("a", 200), ("b", 300))}, y


def overlapping(rng, shares=(1 / 3, 1 / 3, 1 / 3), distance=2.0):
    y = rng.choice(len(shares), 600, p=shares)
    return two_views(rng, y, (6, 10), distance), y


def overlapping_unequal(rng):
    return overlapping(rng, (0.7, 0.2, 0.1))


def touching(rng):
    return overlapping(rng, distance=3.0)


def touching_unequal(rng):
    return overlapping(rng, (0.7, 0.2, 0.1), 3.0)


def spreads(rng):
    y = even(rng, 300, 3)
    return two_views(rng, y, (6, 8), 10, np.array([0.5, 1, 2.5])[y][:, None]), y


def heavy_tails(rng):
    y = even(rng, 300, 4)
    return {name: centres(rng, 4, d, 8)[y] + rng.standard_t(3, (300, d)) for name, d in (("a", 8), ("b", 10))}, y


def counts(rng):
    y = even(rng, 300, 4)
    rates = {name: np.exp(0.8 * rng.standard_normal((4, d)))[y] for name, d in (("a", 30), ("b", 40))}
    return {name: rng.poisson(rate).astype(float) for name, rate in rates.items()}, y


def conflict(rng):
    """Two views that cluster differently: 3 x 3 clusters in all."""
    y, w = even(rng, 300, 3), even(rng, 300, 3)
    return {"a": clouds(rng, y, 8, 8), "b": clouds(rng, w, 8, 8)}, 3 * y + w


def one_view(rng):
    y = even(rng, 300, 3)
    return {"good": clouds(rng, y, 8, 8), "blob": rng.standard_normal((300, 10)) @ rng.standard_normal((10, 10))}, y


def batch(rng):
    """Half of the samples are shifted in one view by more than the clusters are apart."""
    y, half = even(rng, 300, 3), (np.arange(300) >= 150)[:, None]
    shift = half * 15 * rng.standard_normal((1, 10)) / np.sqrt(10)
    return {"a": clouds(rng, y, 10, 7) + shift, "b": clouds(rng, y, 12, 7)}, y


def nested(rng):
    y = even(rng, 400, 6)
    groups = np.array([0, 0, 0, 1, 1, 2])[y]
    return {name: clouds(rng, groups, 8, 20) + clouds(rng, y, 8, 7) for name in "ab"}, y


def moons(rng):
    y, t = even(rng, 300, 2), np.pi * rng.random(300)
    x = np.where((y == 0)[:, None], np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.5 - np.sin(t)])
    x += 0.06 * rng.standard_normal(x.shape)
    return {"a": x, "b": seen(rng, 6 * x, 8)}, y


def rings(rng):
    y, t = even(rng, 300, 2), 2 * np.pi * rng.random(300)
    x = np.where(y == 0, 1, 2.2)[:, None] * np.c_[np.cos(t), np.sin(t)] + 0.08 * rng.standard_normal((300, 2))
    return {"a": x, "b": seen(rng, 3 * x, 8)}, y


def blob(rng):
    """One population with heavy tails."""
    z = rng.standard_normal((300, 6)) / np.sqrt(rng.chisquare(3, (300, 1)) / 3)
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def branches(rng):
    """A trajectory that forks."""
    arm, t = rng.integers(0, 3, 300), 10 * rng.random(300)
    z = t[:, None] * np.linalg.qr(rng.standard_normal((8, 8)))[0][:3][arm] + 0.3 * rng.standard_normal((300, 8))
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def gradient(rng):
    """One continuous factor that both views share."""
    t = 10 * rng.random((300, 1))
    z = np.c_[t, np.sin(t / 3), 0.3 * rng.standard_normal((300, 3))]
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def swiss_roll(rng):
    t = 1.5 * np.pi * (1 + 2 * rng.random(300))
    z = np.c_[t * np.cos(t), t * np.sin(t), 10 * rng.random(300)] / 3
    return {"a": seen(rng, z, 12), "b": seen(rng, z, 20)}, None


def sphere(rng):
    z = rng.standard_normal((300, 3))
    z *= 4 / np.linalg.norm(z, axis=1)[:, None]
    return {"a": seen(rng, z, 12), "b": seen(rng, z, 20)}, None


def time_points(rng):
    """Eight slow waves, measured at even steps."""
    t, speed, phase = np.linspace(0, 1, 300)[:, None], rng.uniform(0.3, 2.5, (1, 8)), rng.uniform(0, 6.3, (1, 8))
    z = 4 * np.sin(np.pi * speed * t + phase)
    return {"a": seen(rng, z, 12, 0.5), "b": seen(rng, z, 20, 0.5)}, None


def low_rank(rng):
    z = 3 * rng.standard_normal((300, 3))
    return {"a": seen(rng, z, 12, 0.5), "b": seen(rng, z, 20, 0.5)}, None


def skewed(rng):
    z = np.exp(rng.standard_normal((300, 4)))
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def likert(rng):
    """Answers from 1 to 5 that two attitudes explain."""
    z = rng.standard_normal((300, 2))
    answers = lambda d: np.clip(np.round(z @ rng.standard_normal((2, d)) + rng.standard_normal((300, d)) + 3), 1, 5)
    return {"a": answers(12), "b": answers(20)}, None


def count_gradient(rng):
    z = rng.standard_normal((300, 2))
    counted = lambda d: rng.poisson(np.exp(1 + 0.4 * z @ rng.standard_normal((2, d)))).astype(float)
    return {"a": counted(30), "b": counted(40)}, None


def one_factor(rng):
    z = rng.standard_normal((300, 1))
    return {name: z @ rng.uniform(0.5, 1.5, (1, d)) + rng.standard_normal((300, d)) for name, d in (("a", 12), ("b", 20))}, None


def long_gaussian(rng):
    z = rng.standard_normal((300, 5)) * [8, 1, 1, 1, 1]
    return {"a": seen(rng, z, 12, 0.5), "b": seen(rng, z, 20, 0.5)}, None


def images(rng):
    """A spot somewhere in a picture of 8 by 8."""
    at, grid = 8 * rng.random((300, 2)), np.arange(8) + 0.5
    along = [np.exp(-((at[:, [axis]] - grid) ** 2) / 4) for axis in (0, 1)]
    x = (along[0][:, :, None] * along[1][:, None, :]).reshape(300, 64) + 0.05 * rng.standard_normal((300, 64))
    return {"a": x[:, ::2], "b": x[:, 1::2]}, None


def ring(rng):
    t = 2 * np.pi * rng.random(300)
    z = 5 * np.c_[np.cos(t), np.sin(t)]
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def sheet(rng):
    z = np.c_[10 * rng.random(300), 4 * rng.random(300)]
    return {"a": seen(rng, z, 12, 0.3), "b": seen(rng, z, 20, 0.3)}, None


def _drawn(make):
    def draw(seed):
        views, labels = make(np.random.default_rng(seed))
        return views, labels, 0 if labels is None else int(labels.max()) + 1

    return draw


FAMILIES = {
    make.__name__: _drawn(make)
    for make in (
        easy, sizes, rare_types, replicates, few_features, overlapping, overlapping_unequal, touching, touching_unequal, spreads, heavy_tails,
        counts, conflict, one_view, batch, nested, moons, rings,
    )
}
CLOUDS = {
    make.__name__: _drawn(make)
    for make in (
        blob, branches, gradient, swiss_roll, sphere, time_points, low_rank, skewed, likert, count_gradient, one_factor, long_gaussian,
        images, ring, sheet,
    )
}
