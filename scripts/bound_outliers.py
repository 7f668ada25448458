"""What could be found of replaced entries in small views: the power of a likelihood ratio that is told nearly everything.

    python3 scripts/bound_outliers.py > bound.csv        # numpy only; a minute or two

Structureless views: n x d independent entries of one distribution of unit variance, of which a share is replaced, as
`outlier_table` of the crate does it (U[-5, 5], or normal with 5 standard deviations). The test knows that all entries have the
same distribution, that its middle is 0, which noise there may be, its exact width, and which share was replaced. It does not
know the body: normal, Laplace's or Student's t with 2 degrees of freedom and more, of any scale. It takes the ratio of the best
likelihood with the noise to the best without. Its limit is the one that at most 1 % of clean views of every family pass
(normal, Laplace's, t with 3 and 5 degrees): that it keeps for all of them is what a real test must do too.

A real test knows less: columns differ, clusters have to be found, the noise is unknown. So these are for comparison, not aims; nor is a ratio of best
likelihoods proved to be the strongest test. Prints CSV:
view, then per share and noise the mean over the four families in %, in brackets the worst family.
"""

import numpy as np

SIZES = [(100, 5), (100, 10), (300, 10), (1000, 5)]
SOUGHT = [("U", 0.05), ("U", 0.1), ("U", 0.2), ("N", 0.05), ("N", 0.1), ("N", 0.2)]
FAMILIES = ["normal", "laplace", 3.0, 5.0]
BODIES = ["normal", "laplace", 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 20.0]
SCALES = np.geomspace(0.3, 2.0, 60)
# sizes are counted in narrow bins, so that a likelihood is one product
EDGES = np.concatenate([np.linspace(0.0, 6.0, 241), np.geomspace(6.2, 200.0, 60)])
CLEAN, NOISY = 1000, 400


def density(body, x):
    if body == "normal":
        return np.exp(-0.5 * x * x)
    if body == "laplace":
        return np.exp(-np.sqrt(2.0) * x)
    return (1.0 + x * x / body) ** (-0.5 * (body + 1.0))


def bins(values):
    """Probabilities of the bins of a density that is known up to a factor, by the trapezoid rule."""
    grid = np.concatenate([np.linspace(a, b, 9)[:-1] for a, b in zip(EDGES[:-1], EDGES[1:])] + [EDGES[-1:]])
    y = values(grid)
    pieces = 0.5 * (y[1:] + y[:-1]) * np.diff(grid)
    sums = pieces.reshape(len(EDGES) - 1, -1).sum(axis=1)
    return sums / sums.sum()


def draw(rng, family, count):
    if family == "normal":
        return rng.standard_normal(count)
    if family == "laplace":
        return rng.laplace(scale=np.sqrt(0.5), size=count)
    return rng.standard_t(family, size=count) / np.sqrt(family / (family - 2.0))


def counted(x):
    return np.histogram(np.minimum(np.abs(x), EDGES[-1]), EDGES)[0]


def noisy(rng, family, count, noise, share):
    x = draw(rng, family, count)
    at = rng.choice(count, round(share * count), replace=False)
    x[at] = rng.uniform(-5.0, 5.0, len(at)) if noise == "U" else 5.0 * rng.standard_normal(len(at))
    return counted(x)


def main():
    rng = np.random.default_rng(0)
    bodies = np.array([bins(lambda x: density(body, x / scale)) for body in BODIES for scale in SCALES])
    noises = {"U": bins(lambda x: (x < 5.0).astype(float)), "N": bins(lambda x: density("normal", x / 5.0))}
    log = lambda table: np.log(np.maximum(table, 1e-12))
    without = log(bodies)
    names = {"U": "U[-5 5]", "N": "5 times the spread"}
    print("view," + ",".join(f"{100 * share:.0f} % {names[noise]}" for noise, share in SOUGHT))
    for n, d in SIZES:
        clean = {family: np.array([counted(draw(rng, family, n * d)) for _ in range(CLEAN)]) for family in FAMILIES}
        cells = []
        for noise, share in SOUGHT:
            beside = log((1.0 - share) * bodies + share * noises[noise])
            ratio = lambda counts: (counts @ beside.T).max(axis=1) - (counts @ without.T).max(axis=1)
            limit = max(np.quantile(ratio(counts), 0.99) for counts in clean.values())
            views = lambda family: np.array([noisy(rng, family, n * d, noise, share) for _ in range(NOISY)])
            power = [100.0 * np.mean(ratio(views(family)) > limit) for family in FAMILIES]
            cells.append(f"{np.mean(power):.0f} ({min(power):.0f})")
        print(f"{n} x {d}," + ",".join(cells), flush=True)


if __name__ == "__main__":
    main()
