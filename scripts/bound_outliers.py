"""What no test can find of replaced entries in small views: a bound, by the lemma of Neyman and Pearson.

    python3 scripts/bound_outliers.py > bound.csv        # numpy and scipy; half an hour on one core

Views without structure: n x d independent entries, all columns of one kind (normal, Laplace's, Student's t), of which a share is
replaced by U[-5, 5] or by normal noise of 5 times the spread, in standard deviations of the clean column. A test of such a view may not depend on the units of its columns,
and may call at most 1 % of the clean views of each kind replaced. Whatever such a test is, the mean share that it finds over the
replaced kinds is at most what the likelihood ratio of two mixtures finds: of the replaced kinds, equally likely, against the clean
kinds in any proportions, with the columns' scales drawn from the invariant measure. So every choice of proportions gives a bound; the smallest one found is
printed, a simulation of some thousand views (errors of about a point).

The bound is told the middle of the columns, that all are of one kind, that there are no clusters, the noise, its reach and its share.
The first number of a cell is for a test that must leave normal and t3 views alone, the second for one that spares Laplace's and t with
2.5, 4, 5 and 8 degrees of freedom too: tails of any weight, as real views have. Replaced kinds are the normal one and t with 3
degrees. Prints CSV, in %.
"""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm, t

SIZES = [(100, 5), (100, 10), (300, 5), (300, 10)]
SHARES = (0.05, 0.1, 0.2)
REPLACED = ("normal", 3.0)
CLEAN = (("normal", 3.0), ("normal", "laplace", 2.5, 3.0, 4.0, 5.0, 8.0))
LEVEL, ROUNDS = 0.01, 80
REACH = 5.0
NOISES = {
    "U[-5 5]": (lambda rng, size: rng.uniform(-REACH, REACH, size), lambda x: 0.5 / REACH * (x < REACH)),
    "5 times the spread": (lambda rng, size: rng.normal(0.0, REACH, size), lambda x: norm.pdf(x, scale=REACH)),
}
# likelihoods are looked up in narrow steps of size and scale
SCALES = np.geomspace(0.4, 2.5, 45)
LARGEST, STEPS = 25.0, 5000


def deviation(kind):
    return {"normal": 1.0, "laplace": np.sqrt(2.0)}.get(kind) or np.sqrt(kind / (kind - 2.0))


def draw(rng, kind, size):
    if kind == "normal":
        return rng.standard_normal(size)
    x = rng.laplace(size=size) if kind == "laplace" else rng.standard_t(kind, size)
    return x / deviation(kind)


def density(kind, x):
    if kind == "normal":
        return norm.pdf(x)
    x = x * deviation(kind)
    return deviation(kind) * (0.5 * np.exp(-x) if kind == "laplace" else t.pdf(x, kind))


def table(kind, share=0.0, noise=np.zeros_like):
    """Log-densities of sizes, a row per scale of the column."""
    sizes = np.linspace(0.0, LARGEST, STEPS + 1)[None] / SCALES[:, None]
    densities = (1.0 - share) * density(kind, sizes) + share * noise(sizes)
    return np.log(np.maximum(densities, 1e-300) / SCALES[:, None])


def likelihood(places, logs):
    """Of views, each column at all scales alike."""
    columns = (logsumexp(logs[:, places[:, :, j]].sum(axis=2), axis=0) for j in range(places.shape[2]))
    return sum(columns)


def places(x):
    return np.minimum(np.abs(x) / LARGEST * STEPS, STEPS).astype(np.int32)


def replaced(rng, kind, noise, views, n, d, share):
    x = draw(rng, kind, (views, n * d))
    count = round(share * n * d)
    at = np.argpartition(rng.random(x.shape), count, axis=1)[:, :count]
    np.put_along_axis(x, at, noise(rng, at.shape), axis=1)
    return places(x.reshape(views, n, d))


def smallest(clean, noisy, views):
    """The smallest bound over proportions of the clean kinds; `clean` has log-likelihoods under the replaced kinds together and under
    every clean kind, for views of every clean kind, `noisy` for views of every replaced one."""
    weights = np.full(len(clean), 1.0 / len(clean))
    bound = 1.0
    for _ in range(ROUNDS):
        ratio = lambda found: found[0] - logsumexp(found[1] + np.log(np.maximum(weights, 1e-12))[:, None], axis=0)
        ratios = [ratio(found) for found in clean]
        everything, mass = np.concatenate(ratios), np.repeat(weights / views, views)
        order = np.argsort(-everything)
        limit = everything[order][np.searchsorted(np.cumsum(mass[order]), LEVEL)]
        bound = min(bound, np.mean([np.mean(ratio(found) > limit) for found in noisy]))
        # a kind that is called too often must count more
        weights = weights * np.exp(20.0 * (np.array([np.mean(found > limit) for found in ratios]) - LEVEL))
        weights /= weights.sum()
    return bound


def bounds(rng, n, d, noise, share):
    views = max(300, min(2000, 1_500_000 // (n * d)))
    with_noise = [table(kind, share, noise[1]) for kind in REPLACED]
    noisy = [replaced(rng, kind, noise[0], views, n, d, share) for kind in REPLACED]
    for kinds in CLEAN:
        without = [table(kind) for kind in kinds]
        found = lambda x: (
            logsumexp([likelihood(x, logs) for logs in with_noise], axis=0),
            np.array([likelihood(x, logs) for logs in without]),
        )
        clean = [found(places(draw(rng, kind, (views, n, d)))) for kind in kinds]
        yield 100.0 * smallest(clean, [found(x) for x in noisy], views)


def main():
    rng = np.random.default_rng(0)
    cells = [(name, share) for name in NOISES for share in SHARES]
    print("view," + ",".join(f"{100 * share:.0f} % {name}" for name, share in cells))
    for n, d in SIZES:
        found = (bounds(rng, n, d, NOISES[name], share) for name, share in cells)
        print(f"{n} x {d}," + ",".join(" / ".join(f"{bound:.0f}" for bound in cell) for cell in found), flush=True)


if __name__ == "__main__":
    main()
