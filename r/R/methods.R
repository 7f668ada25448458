# Made by scripts/generate_r.R from the registry of methods: change that, not this.

#' The methods and their parameters
#'
#' Parameters are given to [consilience()] by name: `consilience(x, 5, method = "average", neighbours = 15)`. They are checked by the
#' library; in brackets are their defaults.
#'
#' @name consilience_methods
#' @examples
#' methods_list()$id
#'
#' @section `slrmf`: structured low-rank matrix factorisation (the paper's method):
#' Splits off sparse corruption where it finds some, builds graphs per view and over all views, weights views by how far they
#' support the joint graph, and factorises: low-rank factors per view that are smooth on the view's graph and agree with a
#' consensus subspace. Labels are read from factors and graphs in several ways; the one that comes back best when half of the
#' samples are left out is kept.
#' Takes weights, incomplete tables, affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(n (V s k + V k^2)) per iteration. Memory: O(n (V s + V k + sum d)); no n x
#' n matrix.
#' Source: Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017
#'
#' * `own_share` (`0.7`): Share of a view's own graph in its manifold term, the rest is the joint graph; 0 leaves the views'
#'   own manifolds out. From 0 to 1. The paper's lambda_2.
#' * `beta` (`4`): Weight of the agreement of views; 0 leaves the idea out. From 0 to 1e+06. The paper's beta.
#' * `joint_share` (`0.3`): Weight of the joint graph as a factor of its own beside those of the views; 0 leaves it out. From
#'   0 to 1.
#' * `extra_rank` (`4`): Columns of the factors beyond the number of clusters. From 0 to 1000.
#' * `exponent` (`3`): Columns of the consensus are multiplied by their eigenvalue to this power before k-means. From 0 to
#'   100.
#' * `robust` (`"auto"`): When a view's sparse corruption is split off; never leaves the idea out. One of `"auto"`,
#'   `"always"`, `"never"`. The paper's E.
#' * `max_iterations` (`10`): Most iterations of the factorisation. From 1 to 100000.
#' * `reading` (`"auto"`): How labels are read from the graphs. One of `"auto"`, `"factors"`, `"rank"`, `"cut"`, `"joint"`,
#'   `"plain"`.
#' * `neighbours` (`0`): Neighbours of each sample, of which at least 3 and at most 40 are used; 0 lets the contrast of the
#'   distances decide. From 0 to 10000. The paper's s.
#' * `view_weights` (`"quality"`): How views are weighted. One of `"quality"`, `"equal"`.
#' * `smoothing` (`0.5`): How far samples of dense views move towards their joint neighbours before the graphs are made; 0 is
#'   not at all. From 0 to 1.
#' * `hellinger` (`TRUE`): Compare sparse non-negative views by Hellinger's distance.
#' * `local_neighbour` (`20`): The neighbour whose distance is a sample's own scale. From 1 to 40.
#'
#' @section `slrmf_admm`: the paper's iteration of `slrmf`, as derived and as printed:
#' Factorises every view by the paper's alternating directions, with sparse corruption, a manifold term and agreement of
#' views; `updates` chooses between its algebra put right and Algorithm 1 to the letter. Kept to study the paper: `slrmf` is
#' the method to use.
#' Time: O(n^2 sum d) for exact neighbours, then O(n k (sum d + V s)) per step of conjugate gradients in each iteration.
#' Memory: O(n (V s + V k + sum d)), three dense matrices of the size of every view; no n x n matrix.
#' Source: Y. Wang, L. Wu. Multi-View Spectral Clustering via Structured Low-Rank Matrix Factorization. 2017
#'
#' * `updates` (`"derived"`): The paper's algebra put right, or Algorithm 1 to the letter. One of `"derived"`, `"printed"`.
#' * `lambda1` (`2`): Weight of the sparse corruption; the derived updates divide it by the root of the larger of n and d. At
#'   least 0. The paper's lambda_1.
#' * `lambda2` (`0.7`): Weight of the manifold term; 0 leaves the idea out. At least 0. The paper's lambda_2.
#' * `beta` (`0.2`): Weight of the agreement of views; 0 leaves the idea out. At least 0. The paper's beta.
#' * `robust` (`TRUE`): Whether there is a sparse corruption at all; false leaves the idea out. The paper's E.
#' * `max_iterations` (`100`): Most iterations. From 0 to 100000.
#' * `neighbours` (`20`): Neighbours of each sample in the view's graph. From 1 to 10000. The paper's s.
#' * `start` (`"indicator"`): What the factors start from. One of `"indicator"`, `"anchors"`. The paper's U\[0].
#' * `tau` (`0.01`): Entries of a factor below this share of their column's largest are dropped at the end. From 0 to 1. The
#'   paper's tau.
#' * `mu0` (`0.001`): First penalty; the derived updates take it in units of a typical squared spectral norm. At least 1e-12.
#'   The paper's mu\[0].
#' * `mu_max` (`1e+06`): Largest penalty, in the units of `mu0`. At least 1e-12.
#' * `rho` (`1.1`): Growth of the penalty when little has changed. At least 1. The paper's rho.
#' * `xi` (`1`): Weight of the factor's change in the stop rule. At least 0. The paper's xi.
#' * `epsilon1` (`0.001`): A view has converged when its residual, relative to the data, is below this and its changes are
#'   below `epsilon2`. At least 0. The paper's epsilon_1.
#' * `epsilon2` (`0.1`): Largest change of a view that has converged. At least 0. The paper's epsilon_2.
#'
#' @section `mfmsc`: concatenated features:
#' Puts the scaled features of all views side by side and clusters one neighbour graph of them: views with more features count
#' more.
#' Takes weights.
#' Time: O(n^2 sum d) for exact neighbours, then O(n s k) per eigen-solver step. Memory: O(n (s + k)), and the features once
#' more in single precision while neighbours are searched.
#' Source: MFMSC in the paper's tables (its reference `cvpr10`); spectral step of A. Ng, M. Jordan, Y. Weiss. NIPS 2001
#'
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `maasc`: affinity aggregation:
#' Adds the views' graphs with weights and alternates two steps: the eigenvectors of the sum, and the weights under which
#' these eigenvectors cut the sum least. Views whose graph disagrees lose weight.
#' Takes affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step, up to `max_iterations` times. Memory: O(n
#' (V s + k)).
#' Source: H. Huang, Y. Chuang, C. Chen. Affinity aggregation for spectral clustering. CVPR 2012
#'
#' * `traces` (`"all"`): Which eigenvectors the weights are judged by. One of `"all"`, `"second"`. The paper's f.
#' * `max_iterations` (`20`): Most rounds of eigenvectors and weights. From 1 to 10000.
#' * `tolerance` (`1e-05`): The rounds end when no weight v changes by this much. At least 0.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `ccamsc`: canonical correlations:
#' Finds the directions in which the views correlate most (generalised canonical correlation analysis), projects the samples
#' on them and clusters one neighbour graph of the projections.
#' Time: O(n d^2 + d^3) for each view of d features (n for d where n < d), then O(n^2 k) for exact neighbours. Memory: O(n
#' (sum d + s + k)) and d^2 for each view; sparse views stay sparse.
#' Source: K. Chaudhuri, S. Kakade, K. Livescu, K. Sridharan. Multi-view clustering via canonical correlation analysis. ICML
#' 2009
#'
#' * `dimensions` (`0`): Dimensions of the common subspace; 0 is one fewer than clusters. From 0 to 10000.
#' * `ridge` (`1e-04`): Ridge of each view, in units of the mean variance of its features. 0 is allowed, but lets small views
#'   overfit. At least 0. The paper's r.
#' * `by_correlation` (`FALSE`): Multiply each direction by its correlation instead of giving all the same spread. The
#'   paper's rho.
#' * `projection` (`""`): Name of a view: its projection is clustered instead of the common subspace; empty for the common
#'   one.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `comvsc`: co-regularised spectral clustering:
#' Computes eigenvectors of every view's graph while a term rewards subspaces that agree: with each other (pairwise), or with
#' a common one (centroid).
#' Takes affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(V n (s k + V k^2)) per eigen-solver step, V solves per iteration. Memory:
#' O(n (V s + V k)); no n x n matrix.
#' Source: A. Kumar, P. Rai, H. Daume III. Co-regularized multi-view spectral clustering. NIPS 2011
#'
#' * `scheme` (`"pairwise"`): What the views' eigenvectors are drawn to. One of `"pairwise"`, `"centroid"`.
#' * `lambda` (`0.05`): Weight of the agreement; 0 leaves every view to itself. From 0 to 1e+06. The paper's lambda.
#' * `max_iterations` (`30`): Most iterations; each solves one eigenproblem per view. From 0 to 10000.
#' * `tolerance` (`1e-06`): The iteration ends when the objective grows by less than this share of itself. From 0 to 1.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `cotraining`: co-training of spectral clusterings:
#' Projects every view's similarities on the other views' eigenvectors and takes eigenvectors again, a fixed number of times.
#' Takes affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(V^2 n k (s + V k)) per iteration. Memory: O(n (V s + V k)); no n x n
#' matrix.
#' Source: A. Kumar, H. Daume III. A co-training approach for multi-view spectral clustering. ICML 2011
#'
#' * `iterations` (`10`): How often the views learn from each other. With two views even and odd numbers differ: see the
#'   method's page. From 0 to 10000. The paper's iter.
#' * `projection` (`1`): Eigenvectors on which similarities are projected, as a multiple of the number of clusters. From 1 to
#'   10.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `rlrr`: low-rank and sparse decomposition of random walks (RMSC):
#' Takes every view's graph for a random walk, and the walks for one walk of low rank plus sparse errors: edges that only one
#' view has are errors. The common walk is clustered. n x n by definition.
#' Time: O(n^2 (V + r)) per iteration of about 35 while the rank r is small, else O(n^3). Memory: O(n^2 (V + 3)).
#' Source: R. Xia, Y. Pan, L. Du, J. Yin. Robust Multi-View Spectral Clustering via Low-Rank and Sparse Decomposition. AAAI
#' 2014
#'
#' * `lambda` (`10`): Weight of the sparse errors, divided by the number of samples: 10 is .005 at 2000 samples. Less of it
#'   gives a walk of lower rank. At least 0. The paper's lambda n.
#' * `mu0` (`0.001`): First penalty. The schedule of penalties decides the result, not only the speed. From 1e-12 to 1e+12.
#'   The paper's mu.
#' * `rho` (`1.9`): Growth of the penalty from iteration to iteration. From 1 to 100. The paper's rho.
#' * `mu_max` (`1e+10`): Largest penalty. From 1e-12 to 1e+15. The paper's max_mu.
#' * `max_iterations` (`100`): Most iterations. From 1 to 100000.
#' * `tolerance` (`1e-07`): Converged when no entry violates a constraint by more than this. At least 0. The paper's epsilon.
#' * `precision` (`"double"`): Precision of the n x n matrices. One of `"double"`, `"single"`.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `lrrgl`: low-rank representation with graph Laplacian and views that agree:
#' Every view represents its samples by each other, with low rank, smoothly on its own graph and without sparse errors; the
#' representations are drawn towards each other, and their mean is clustered. n x n by definition.
#' Time: O(V n^3) per iteration of 30. Memory: O(V n^2): 5 V matrices, and 24 in double precision during the
#' eigendecompositions of two views.
#' Source: Y. Wang, W. Zhang, L. Wu, X. Lin, M. Fang, S. Pan. Iterative Views Agreement: An Iterative Low-Rank Based
#' Structured Optimization Method to Multi-View Spectral Clustering. IJCAI 2016
#'
#' * `lambda1` (`4`): Weight of the sparse errors, divided by the number of samples: 4 is .002 at 2000 samples. At least 0.
#'   The paper's lambda_1 n.
#' * `lambda2` (`0.7`): Weight of smoothness on the view's graph. At least 0. The paper's lambda_2.
#' * `beta` (`0.2`): Weight of the agreement of views. At least 0. The paper's beta.
#' * `tau` (`0.001`): Entries below this share of their sample's length are no affinity. From 0 to 1. The paper's tau.
#' * `max_iterations` (`30`): Most iterations; the default stops near the optimum, where clusters no longer change much. From
#'   1 to 100000.
#' * `tolerance` (`0.001`): Converged when every constraint is violated, and every matrix changed, by less than this share of
#'   its norm. At least 0. The paper's epsilon.
#' * `mu_x` (`10`): Penalty of the errors' constraint, in units of lambda_1: an entry is an error once it is off by 1 / mu_x.
#'   From 1e-09 to 1e+09.
#' * `mu_z` (`2`): Penalty of the copies of Z. From 1e-09 to 1e+09.
#' * `precision` (`"double"`): Precision of the n x n matrices. One of `"double"`, `"single"`.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `snf`: similarity network fusion, kept sparse:
#' Diffuses each view's similarity network through its own neighbours, starting from the mean of the other views' networks,
#' again and again until the networks agree; clusters their mean.
#' Takes incomplete tables, affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(V n K m) per iteration. Memory: O(n m V).
#' Source: B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg. Similarity network fusion
#' for aggregating data types on a genomic scale. Nature Methods 11, 2014
#'
#' * `neighbours` (`20`): Neighbours of each sample in its local kernel; at most one fewer than there are samples (both
#'   programs of the authors: 20). From 1 to 10000. The paper's K.
#' * `spread` (`0.5`): Width of the similarity, in units of the local scale (the paper: 0.3 to 0.8; both programs: 0.5). From
#'   0.05 to 100. The paper's mu.
#' * `iterations` (`20`): Iterations of the fusion (both programs: 20). From 0 to 10000. The paper's t.
#' * `entries` (`100`): Others with whom a sample has an entry in the networks, besides those that chose it; the published
#'   method has all. From 1 to 1e+09. The paper's m.
#'
#' @section `average`: mean of the views' graphs:
#' Builds a neighbour graph per view and averages the normalised graphs: every view has one vote, whatever its number of
#' features.
#' Takes weights, incomplete tables, affinities and distances.
#' Time: O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step. Memory: O(n (V s + k)).
#' Source: D. Zhou, C. Burges. Spectral clustering and transductive learning with multiple views. ICML 2007
#'
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
#' @section `kmeans`: k-means on the concatenated features:
#' Puts the scaled features of all views side by side and clusters these points by k-means, without a graph: the floor under
#' every spectral method.
#' Takes weights, incomplete tables.
#' Time: O(n k sum d) per iteration and restart. Memory: O(n sum d): the features of all views, written out, twice.
#' Source: S. Lloyd. Least squares quantization in PCM. IEEE Transactions on Information Theory, 1982; seeding of D. Arthur,
#' S. Vassilvitskii. k-means++. SODA 2007
#'
#'
#' @section `single`: spectral clustering of one view:
#' Builds the neighbour graph of one view and ignores the others. What a multi-view method must beat.
#' Takes incomplete tables, affinities and distances.
#' Time: O(n^2 d) for exact neighbours, then O(n s k) per eigen-solver step. Memory: O(n (s + k)).
#' Source: A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001
#'
#' * `view` (`""`): Name of the view; empty for the first.
#' * `neighbours` (`20`): Neighbours of each sample in the graph; at most one fewer than there are samples. From 1 to 10000.
#'   The paper's s.
#' * `weights` (`"gaussian"`): Edge weights. One of `"gaussian"`, `"adaptive"`, `"binary"`. The paper's W.
#' * `bandwidth` (`"self_tuning"`): Width of the Gaussian weights. One of `"self_tuning"`, `"median"`. The paper's sigma.
#' * `metric` (`"euclidean"`): How samples are compared. One of `"euclidean"`, `"cosine"`.
#'
NULL
