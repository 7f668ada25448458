"""One estimator per method. Made by scripts/generate_python.py from the registry: change that, not this.

The parameters and attributes that all of them share are described in `_common.py`, and are put into each class's
docstring when the class is made.
"""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

from ._base import MultiViewClusterer

__all__ = [
    "Average",
    "CCAMSC",
    "CoMVSC",
    "CoTraining",
    "KMeans",
    "LRRGL",
    "MAASC",
    "MFMSC",
    "RLRR",
    "SLRMF",
    "SLRMFADMM",
    "SNF",
    "Single",
]


class SLRMF(MultiViewClusterer):
    """Structured low-rank matrix factorisation (the paper's method).

    Splits off sparse corruption where it finds some, builds graphs per view and over all views, weights views by how
    far they support the joint graph, and factorises: low-rank factors per view that are smooth on the view's graph
    and agree with a consensus subspace. Labels are read from factors and graphs in several ways; the one that comes
    back best when half of the samples are left out is kept.

    Parameters
    ----------
    own_share : float, default=0.7
        Share of a view's own graph in its manifold term, the rest is the joint graph; 0 leaves the views' own
        manifolds out. From 0 to 1. The paper's lambda_2.
    beta : float, default=4.0
        Weight of the agreement of views; 0 leaves the idea out. From 0 to 1e+06. The paper's beta.
    joint_share : float, default=0.3
        Weight of the joint graph as a factor of its own beside those of the views; 0 leaves it out. From 0 to 1.
    extra_rank : int, default=4
        Columns of the factors beyond the number of clusters. From 0 to 1000.
    exponent : float, default=3.0
        Columns of the consensus are multiplied by their eigenvalue to this power before k-means. From 0 to 100.
    robust : {"auto", "always", "never"}, default="auto"
        When a view's sparse corruption is split off; never leaves the idea out. The paper's E.
    max_iterations : int, default=10
        Most iterations of the factorisation. From 1 to 100000.
    reading : {"auto", "factors", "rank", "cut", "joint", "plain"}, default="auto"
        How labels are read from the graphs.
    neighbours : int, default=0
        Neighbours of each sample, of which at least 3 and at most 40 are used; 0 lets the contrast of the distances
        decide. From 0 to 10000. The paper's s.
    view_weights : {"quality", "equal"}, dict or list, default="quality"
        How views are weighted. Or the weights: a dict by name, or a list in the order of the views; only ratios
        count.
    smoothing : float, default=0.5
        How far samples of dense views move towards their joint neighbours before the graphs are made; 0 is not at
        all. From 0 to 1.
    hellinger : bool, default=True
        Compare sparse non-negative views by Hellinger's distance.
    local_neighbour : int, default=20
        The neighbour whose distance is a sample's own scale. From 1 to 40.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(n (V s k + V k^2)) per iteration. Memory: O(n (V s + V k + sum
    d)); no n x n matrix.

    References
    ----------
    .. [1] Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017
    """

    _method = "slrmf"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        own_share: float = 0.7, beta: float = 4.0, joint_share: float = 0.3, extra_rank: int = 4,
        exponent: float = 3.0, robust: Literal["auto", "always", "never"] = "auto", max_iterations: int = 10,
        reading: Literal["auto", "factors", "rank", "cut", "joint", "plain"] = "auto", neighbours: int = 0,
        view_weights: Any = "quality", smoothing: float = 0.5, hellinger: bool = True, local_neighbour: int = 20,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.own_share = own_share
        self.beta = beta
        self.joint_share = joint_share
        self.extra_rank = extra_rank
        self.exponent = exponent
        self.robust = robust
        self.max_iterations = max_iterations
        self.reading = reading
        self.neighbours = neighbours
        self.view_weights = view_weights
        self.smoothing = smoothing
        self.hellinger = hellinger
        self.local_neighbour = local_neighbour


class SLRMFADMM(MultiViewClusterer):
    """The paper's iteration of `slrmf`, as derived and as printed.

    Factorises every view by the paper's alternating directions, with sparse corruption, a manifold term and agreement
    of views; `updates` chooses between its algebra put right and Algorithm 1 to the letter. Kept to study the paper:
    `slrmf` is the method to use.

    Parameters
    ----------
    updates : {"derived", "printed"}, default="derived"
        The paper's algebra put right, or Algorithm 1 to the letter.
    lambda1 : float, default=2.0
        Weight of the sparse corruption; the derived updates divide it by the root of the larger of n and d. At least
        0. The paper's lambda_1.
    lambda2 : float, default=0.7
        Weight of the manifold term; 0 leaves the idea out. At least 0. The paper's lambda_2.
    beta : float, default=0.2
        Weight of the agreement of views; 0 leaves the idea out. At least 0. The paper's beta.
    robust : bool, default=True
        Whether there is a sparse corruption at all; false leaves the idea out. The paper's E.
    max_iterations : int, default=100
        Most iterations. From 0 to 100000.
    neighbours : int, default=20
        Neighbours of each sample in the view's graph. From 1 to 10000. The paper's s.
    start : {"indicator", "anchors"}, default="indicator"
        What the factors start from. The paper's U[0].
    tau : float, default=0.01
        Entries of a factor below this share of their column's largest are dropped at the end. From 0 to 1. The
        paper's tau.
    mu0 : float, default=0.001
        First penalty; the derived updates take it in units of a typical squared spectral norm. At least 1e-12. The
        paper's mu[0].
    mu_max : float, default=1000000.0
        Largest penalty, in the units of `mu0`. At least 1e-12.
    rho : float, default=1.1
        Growth of the penalty when little has changed. At least 1. The paper's rho.
    xi : float, default=1.0
        Weight of the factor's change in the stop rule. At least 0. The paper's xi.
    epsilon1 : float, default=0.001
        A view has converged when its residual, relative to the data, is below this and its changes are below
        `epsilon2`. At least 0. The paper's epsilon_1.
    epsilon2 : float, default=0.1
        Largest change of a view that has converged. At least 0. The paper's epsilon_2.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(n k (sum d + V s)) per step of conjugate gradients in each
    iteration. Memory: O(n (V s + V k + sum d)), three dense matrices of the size of every view; no n x n matrix.

    References
    ----------
    .. [1] Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017
    """

    _method = "slrmf_admm"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        updates: Literal["derived", "printed"] = "derived", lambda1: float = 2.0, lambda2: float = 0.7,
        beta: float = 0.2, robust: bool = True, max_iterations: int = 100, neighbours: int = 20,
        start: Literal["indicator", "anchors"] = "indicator", tau: float = 0.01, mu0: float = 0.001,
        mu_max: float = 1000000.0, rho: float = 1.1, xi: float = 1.0, epsilon1: float = 0.001, epsilon2: float = 0.1,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.updates = updates
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.beta = beta
        self.robust = robust
        self.max_iterations = max_iterations
        self.neighbours = neighbours
        self.start = start
        self.tau = tau
        self.mu0 = mu0
        self.mu_max = mu_max
        self.rho = rho
        self.xi = xi
        self.epsilon1 = epsilon1
        self.epsilon2 = epsilon2


class MFMSC(MultiViewClusterer):
    """Concatenated features.

    Puts the scaled features of all views side by side and clusters one neighbour graph of them: views with more
    features count more.

    Parameters
    ----------
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(n s k) per eigen-solver step. Memory: O(n (s + k)), and the
    features once more in single precision while neighbours are searched.

    References
    ----------
    .. [1] MFMSC in the paper's tables (its reference `cvpr10`); spectral step of A. Ng, M. Jordan, Y. Weiss. NIPS
       2001
    """

    _method = "mfmsc"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean", view_weights: Any = None,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric
        self.view_weights = view_weights


class MAASC(MultiViewClusterer):
    """Affinity aggregation.

    Adds the views' graphs with weights and alternates two steps: the eigenvectors of the sum, and the weights under
    which these eigenvectors cut the sum least. Views whose graph disagrees lose weight.

    Parameters
    ----------
    traces : {"all", "second"}, default="all"
        Which eigenvectors the weights are judged by. The paper's f.
    max_iterations : int, default=20
        Most rounds of eigenvectors and weights. From 1 to 10000.
    tolerance : float, default=1e-05
        The rounds end when no weight v changes by this much. At least 0.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step, up to `max_iterations` times.
    Memory: O(n (V s + k)).

    References
    ----------
    .. [1] H. Huang, Y. Chuang, C. Chen. Affinity aggregation for spectral clustering. CVPR 2012
    """

    _method = "maasc"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        traces: Literal["all", "second"] = "all", max_iterations: int = 20, tolerance: float = 1e-05,
        neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.traces = traces
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class CCAMSC(MultiViewClusterer):
    """Canonical correlations.

    Finds the directions in which the views correlate most (generalised canonical correlation analysis), projects the
    samples on them and clusters one neighbour graph of the projections.

    Parameters
    ----------
    dimensions : int, default=0
        Dimensions of the common subspace; 0 is one fewer than clusters. From 0 to 10000.
    ridge : float, default=0.0001
        Ridge of each view, in units of the mean variance of its features. 0 is allowed, but lets small views overfit.
        At least 0. The paper's r.
    by_correlation : bool, default=False
        Multiply each direction by its correlation instead of giving all the same spread. The paper's rho.
    projection : str, default=""
        Name of a view: its projection is clustered instead of the common subspace; empty for the common one.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n d^2 + d^3) for each view of d features (n for d where n < d), then O(n^2 k) for exact neighbours.
    Memory: O(n (sum d + s + k)) and d^2 for each view; sparse views stay sparse.

    References
    ----------
    .. [1] K. Chaudhuri, S. Kakade, K. Livescu, K. Sridharan. Multi-view clustering via canonical correlation
       analysis. ICML 2009
    """

    _method = "ccamsc"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        dimensions: int = 0, ridge: float = 0.0001, by_correlation: bool = False, projection: str = "",
        neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.dimensions = dimensions
        self.ridge = ridge
        self.by_correlation = by_correlation
        self.projection = projection
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class CoMVSC(MultiViewClusterer):
    """Co-regularised spectral clustering.

    Computes eigenvectors of every view's graph while a term rewards subspaces that agree: with each other (pairwise),
    or with a common one (centroid).

    Parameters
    ----------
    scheme : {"pairwise", "centroid"}, default="pairwise"
        What the views' eigenvectors are drawn to.
    lambda_ : float, default=0.05
        Weight of the agreement; 0 leaves every view to itself. From 0 to 1e+06. The paper's lambda.
    max_iterations : int, default=30
        Most iterations; each solves one eigenproblem per view. From 0 to 10000.
    tolerance : float, default=1e-06
        The iteration ends when the objective grows by less than this share of itself. From 0 to 1.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(V n (s k + V k^2)) per eigen-solver step, V solves per iteration.
    Memory: O(n (V s + V k)); no n x n matrix.

    References
    ----------
    .. [1] A. Kumar, P. Rai, H. Daume III. Co-regularized multi-view spectral clustering. NIPS 2011
    """

    _method = "comvsc"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        scheme: Literal["pairwise", "centroid"] = "pairwise", lambda_: float = 0.05, max_iterations: int = 30,
        tolerance: float = 1e-06, neighbours: int = 20,
        weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.scheme = scheme
        self.lambda_ = lambda_
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class CoTraining(MultiViewClusterer):
    """Co-training of spectral clusterings.

    Projects every view's similarities on the other views' eigenvectors and takes eigenvectors again, a fixed number
    of times.

    Parameters
    ----------
    iterations : int, default=10
        How often the views learn from each other. With two views even and odd numbers differ: see the method's page.
        From 0 to 10000. The paper's iter.
    projection : float, default=1.0
        Eigenvectors on which similarities are projected, as a multiple of the number of clusters. From 1 to 10.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(V^2 n k (s + V k)) per iteration. Memory: O(n (V s + V k)); no n x
    n matrix.

    References
    ----------
    .. [1] A. Kumar, H. Daume III. A co-training approach for multi-view spectral clustering. ICML 2011
    """

    _method = "cotraining"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        iterations: int = 10, projection: float = 1.0, neighbours: int = 20,
        weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.iterations = iterations
        self.projection = projection
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class RLRR(MultiViewClusterer):
    """Low-rank and sparse decomposition of random walks (RMSC).

    Takes every view's graph for a random walk, and the walks for one walk of low rank plus sparse errors: edges that
    only one view has are errors. The common walk is clustered. n x n by definition.

    Parameters
    ----------
    lambda_ : float, default=10.0
        Weight of the sparse errors, divided by the number of samples: 10 is .005 at 2000 samples. Less of it gives a
        walk of lower rank. At least 0. The paper's lambda n.
    mu0 : float, default=0.001
        First penalty. The schedule of penalties decides the result, not only the speed. From 1e-12 to 1e+12. The
        paper's mu.
    rho : float, default=1.9
        Growth of the penalty from iteration to iteration. From 1 to 100. The paper's rho.
    mu_max : float, default=10000000000.0
        Largest penalty. From 1e-12 to 1e+15. The paper's max_mu.
    max_iterations : int, default=100
        Most iterations. From 1 to 100000.
    tolerance : float, default=1e-07
        Converged when no entry violates a constraint by more than this. At least 0. The paper's epsilon.
    precision : {"double", "single"}, default="double"
        Precision of the n x n matrices.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 (V + r)) per iteration of about 35 while the rank r is small, else O(n^3). Memory: O(n^2 (V + 3)).

    References
    ----------
    .. [1] R. Xia, Y. Pan, L. Du, J. Yin. Robust Multi-View Spectral Clustering via Low-Rank and Sparse Decomposition.
       AAAI 2014
    """

    _method = "rlrr"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        lambda_: float = 10.0, mu0: float = 0.001, rho: float = 1.9, mu_max: float = 10000000000.0,
        max_iterations: int = 100, tolerance: float = 1e-07, precision: Literal["double", "single"] = "double",
        neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.lambda_ = lambda_
        self.mu0 = mu0
        self.rho = rho
        self.mu_max = mu_max
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.precision = precision
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class LRRGL(MultiViewClusterer):
    """Low-rank representation with graph Laplacian and views that agree.

    Every view represents its samples by each other, with low rank, smoothly on its own graph and without sparse
    errors; the representations are drawn towards each other, and their mean is clustered. n x n by definition.

    Parameters
    ----------
    lambda1 : float, default=4.0
        Weight of the sparse errors, divided by the number of samples: 4 is .002 at 2000 samples. At least 0. The
        paper's lambda_1 n.
    lambda2 : float, default=0.7
        Weight of smoothness on the view's graph. At least 0. The paper's lambda_2.
    beta : float, default=0.2
        Weight of the agreement of views. At least 0. The paper's beta.
    tau : float, default=0.001
        Entries below this share of their sample's length are no affinity. From 0 to 1. The paper's tau.
    max_iterations : int, default=30
        Most iterations; the default stops near the optimum, where clusters no longer change much. From 1 to 100000.
    tolerance : float, default=0.001
        Converged when every constraint is violated, and every matrix changed, by less than this share of its norm. At
        least 0. The paper's epsilon.
    mu_x : float, default=10.0
        Penalty of the errors' constraint, in units of lambda_1: an entry is an error once it is off by 1 / mu_x. From
        1e-09 to 1e+09.
    mu_z : float, default=2.0
        Penalty of the copies of Z. From 1e-09 to 1e+09.
    precision : {"double", "single"}, default="double"
        Precision of the n x n matrices.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(V n^3) per iteration of 30. Memory: O(V n^2): 5 V matrices, and 24 in double precision during the
    eigendecompositions of two views.

    References
    ----------
    .. [1] Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang, S. Pan. Iterative Views Agreement: An Iterative Low-Rank Based
       Structured Optimization Method to Multi-View Spectral Clustering. IJCAI 2016
    """

    _method = "lrrgl"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        lambda1: float = 4.0, lambda2: float = 0.7, beta: float = 0.2, tau: float = 0.001, max_iterations: int = 30,
        tolerance: float = 0.001, mu_x: float = 10.0, mu_z: float = 2.0,
        precision: Literal["double", "single"] = "double", neighbours: int = 20,
        weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.lambda1 = lambda1
        self.lambda2 = lambda2
        self.beta = beta
        self.tau = tau
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.mu_x = mu_x
        self.mu_z = mu_z
        self.precision = precision
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric


class SNF(MultiViewClusterer):
    """Similarity network fusion, kept sparse.

    Diffuses each view's similarity network through its own neighbours, starting from the mean of the other views'
    networks, again and again until the networks agree; clusters their mean.

    Parameters
    ----------
    neighbours : int, default=20
        Neighbours of each sample in its local kernel; at most one fewer than there are samples (both programs of the
        authors: 20). From 1 to 10000. The paper's K.
    spread : float, default=0.5
        Width of the similarity, in units of the local scale (the paper: 0.3 to 0.8; both programs: 0.5). From 0.05 to
        100. The paper's mu.
    iterations : int, default=20
        Iterations of the fusion (both programs: 20). From 0 to 10000. The paper's t.
    entries : int, default=100
        Others with whom a sample has an entry in the networks, besides those that chose it; the published method has
        all. From 1 to 1e+09. The paper's m.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(V n K m) per iteration. Memory: O(n m V).

    References
    ----------
    .. [1] B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg. Similarity
       network fusion for aggregating data types on a genomic scale. Nature Methods 11, 2014
    """

    _method = "snf"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        neighbours: int = 20, spread: float = 0.5, iterations: int = 20, entries: int = 100,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.neighbours = neighbours
        self.spread = spread
        self.iterations = iterations
        self.entries = entries


class Average(MultiViewClusterer):
    """Mean of the views' graphs.

    Builds a neighbour graph per view and averages the normalised graphs: every view has one vote, whatever its number
    of features.

    Parameters
    ----------
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step. Memory: O(n (V s + k)).

    References
    ----------
    .. [1] D. Zhou, C. Burges. Spectral clustering and transductive learning with multiple views. ICML 2007
    """

    _method = "average"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean", view_weights: Any = None,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric
        self.view_weights = view_weights


class KMeans(MultiViewClusterer):
    """K-means on the concatenated features.

    Puts the scaled features of all views side by side and clusters these points by k-means, without a graph: the
    floor under every spectral method.

    Notes
    -----
    Time: O(n k sum d) per iteration and restart. Memory: O(n sum d): the features of all views, written out, twice.

    References
    ----------
    .. [1] S. Lloyd. Least squares quantization in PCM. IEEE Transactions on Information Theory, 1982; seeding of D.
       Arthur, S. Vassilvitskii. k-means++. SODA 2007
    """

    _method = "kmeans"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        view_weights: Any = None,
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.view_weights = view_weights


class Single(MultiViewClusterer):
    """Spectral clustering of one view.

    Builds the neighbour graph of one view and ignores the others. What a multi-view method must beat.

    Parameters
    ----------
    view : str, default=""
        Name of the view; empty for the first.
    neighbours : int, default=20
        Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000. The paper's
        s.
    weights : {"gaussian", "adaptive", "binary"}, default="gaussian"
        Edge weights. The paper's W.
    bandwidth : {"self_tuning", "median"}, default="self_tuning"
        Width of the Gaussian weights. The paper's sigma.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How samples are compared.

    Notes
    -----
    Time: O(n^2 d) for exact neighbours, then O(n s k) per eigen-solver step. Memory: O(n (s + k)).

    References
    ----------
    .. [1] A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001
    """

    _method = "single"

    def __init__(
        self, n_clusters: Union[int, Literal["auto"], tuple[int, int], range] = 8, *,
        view: str = "", neighbours: int = 20, weights: Literal["gaussian", "adaptive", "binary"] = "gaussian",
        bandwidth: Literal["self_tuning", "median"] = "self_tuning",
        metric: Literal["euclidean", "cosine"] = "euclidean",
        scale: Literal["auto", "zscore", "unit", "minmax", "none"] = "auto",
        landmarks: Union[Literal["auto", "off"], int] = "auto", n_init: int = 10, random_state: Any = None,
        n_jobs: Optional[int] = None, memory_limit: Optional[float] = None, view_columns: Any = None,
        precomputed: Any = None, join: Literal["strict", "inner", "outer"] = "strict",
        missing: Literal["refuse", "impute", "drop-samples", "drop-features"] = "refuse", verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters=n_clusters, scale=scale, landmarks=landmarks, n_init=n_init, random_state=random_state,
            n_jobs=n_jobs, memory_limit=memory_limit, view_columns=view_columns, precomputed=precomputed, join=join,
            missing=missing, verbose=verbose,
        )
        self.view = view
        self.neighbours = neighbours
        self.weights = weights
        self.bandwidth = bandwidth
        self.metric = metric
