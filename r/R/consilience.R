#' Cluster samples that several tables describe
#'
#' Several tables of the same samples in, one clustering out. The same data and seed give the same labels, for any number of threads,
#' as on the command line and in Python; R's own random numbers ([set.seed()]) have no say.
#'
#' @param x The tables, with **samples in rows**: a named list of matrices, data frames, sparse matrices of the package Matrix, or
#'   `dist` objects. Or one object that holds several: a MultiAssayExperiment (a table per assay, patients matched by its
#'   `sampleMap`; patients may lack assays), a SummarizedExperiment, a SingleCellExperiment (with its `altExps`), or a Seurat object.
#'   These have samples in columns and are turned. One matrix or data frame is one table. See [views()].
#' @param k The number of clusters, or a range such as `c(2, 10)` or `2:10`, or `"auto"`: then the data choose, and `$choice` says why.
#' @param method The method; [methods_list()] has them all, [consilience_methods] describes them.
#' @param ... Parameters of the method by name, such as `neighbours = 15`: see [consilience_methods]. `assays` chooses among the
#'   assays of Bioconductor's and Seurat's objects.
#' @param weights Weights of the tables, by name or in their order, for methods that weigh them; only ratios count. NULL: the
#'   method finds them.
#' @param precomputed Tables that are not features but `"affinity"` (how alike two samples are; 0 is not at all) or `"distance"` of
#'   samples x samples, by name: `c(network = "affinity")`. A `dist` object is a distance without being named.
#' @param join Which samples are kept when the tables do not have the same row names: `"strict"` refuses that, `"inner"` keeps
#'   those that every table has, `"outer"` all of them, for methods that can use incomplete tables. NULL is `"outer"` for a
#'   MultiAssayExperiment and `"strict"` for anything else. Tables without row names are matched by the order of their rows.
#' @param missing What becomes of missing values: `"refuse"`, or `"impute"` by the mean of the most similar samples, or
#'   `"drop-samples"`, `"drop-features"`. A sample that is NA throughout a table is no missing value: the table does not know it.
#' @param scale How features are scaled: `"auto"` is unit rows for sparse non-negative tables and z-scores otherwise; or `"zscore"`,
#'   `"unit"`, `"minmax"`, `"none"`.
#' @param seed Seed of everything random.
#' @param restarts Restarts of k-means; the best is kept.
#' @param landmarks Cluster only so many samples in full and place all among them; `"auto"` does so above 50,000 samples, `"off"` never.
#' @param memory Gigabytes to keep to; NULL: only methods that are n x n by definition ask what is free.
#' @param keep_data Whether the tables are kept in the result, for [examine()], [markers()], [report()] and for [predict()] after
#'   [readRDS()]. Matrices of doubles and sparse ones cost no memory until you change yours.
#'
#' @return An object of the class `consilience`, a list of
#' \describe{
#'   \item{cluster}{the cluster of every sample, a named factor; its levels 0, 1, .. are the names that the clusters have on the page, on the
#'     command line and in Python too, by first appearance}
#'   \item{k}{the number of clusters; 1 where the data were to choose and have no structure}
#'   \item{confidence}{how sure each sample's cluster is, from 0 to 1: see [confidence()]}
#'   \item{memberships}{the share of every cluster in every sample; a sparse matrix of the ten largest where there are very many}
#'   \item{views}{a data frame of the tables: `name`, `features`, `samples` (how many it knows), `weight`}
#'   \item{embedding}{what k-means saw}
#'   \item{choice}{how k was chosen, or NULL}
#'   \item{tree}{how the clusters join: see [cut.consilience()] and `as.hclust()`}
#'   \item{record}{everything else that is known of the run, as `run.json` of the command line has it}
#'   \item{examination}{what [examine()] found, or NULL}
#' }
#' @seealso [examine()] and [report()] for how far it may be trusted; [plot.consilience()], [predict.consilience()],
#'   [cut.consilience()], [markers()], [save_model()].
#' @examples
#' set.seed(1)
#' group <- rep(1:3, each = 20)
#' rna <- matrix(rnorm(60 * 5, mean = 4 * group), 60, dimnames = list(paste0("s", 1:60), NULL))
#' protein <- matrix(rnorm(60 * 3, mean = -3 * group), 60, dimnames = list(paste0("s", 1:60), NULL))
#' fit <- consilience(list(rna = rna, protein = protein), k = 3)
#' fit
#' table(fit$cluster, group)
#' @export
consilience <- function(x, k, method = "slrmf", ..., weights = NULL, precomputed = NULL, join = NULL, missing = "refuse",
                        scale = "auto", seed = 0, restarts = 10, landmarks = "auto", memory = NULL, keep_data = TRUE) {
  if (missing(x) || missing(k)) {
    refuse("`x` and `k` are needed", "consilience(list(rna = .., protein = ..), k = 3), or k = \"auto\"", "parameter")
  }
  given <- list(...)
  assays <- given[["assays"]]
  given[["assays"]] <- NULL
  join <- if (!is.null(join)) join else if (inherits(x, "MultiAssayExperiment")) "outer" else "strict"
  # the settings do not wait for the tables, but for their names
  asked <- asked_of(k, method, given, NULL, scale, landmarks, seed, restarts, memory, missing, NULL)
  data <- joined_views(x, join, precomputed, assays = assays)
  asked["weights"] <- list(weights_of(weights, vapply(data$views, `[[`, "", "name")))
  found <- finished(.Call(wrap__fit, data$views, with_threads(asked)), data$ids, method)
  fit <- new_fit(found, data, asked)
  if (!isTRUE(keep_data)) {
    fit["data"] <- list(NULL)
  }
  tell(c(data$notes, found$notes), found$warnings)
  fit
}

new_fit <- function(found, data, asked) {
  record <- found$record
  kept <- found$kept
  ids <- if (is.null(kept) || is.null(data$ids)) data$ids else data$ids[kept]
  named <- function(values) stats::setNames(values, ids)
  clusters <- max(record$k, found$labels)
  memberships <- r_matrix(found$memberships)
  dimnames(memberships) <- list(ids, seq_len(ncol(memberships)) - 1L)
  rownames(found$embedding) <- ids
  structure(class = "consilience", list(
    cluster = clusters_of_samples(found$labels, clusters, ids),
    k = as.integer(record$k),
    method = record$method,
    parameters = record$parameters,
    confidence = named(found$confidence),
    memberships = memberships,
    views = views_frame(record$views, data$views, length(found$labels)),
    embedding = found$embedding,
    choice = record$choice,
    tree = record$tree,
    warnings = found$warnings,
    notes = c(data$notes, found$notes),
    iterations = found$iterations,
    ended = found$ended,
    seconds = unlist(record$seconds),
    record = record,
    examination = NULL,
    ids = ids,
    kept = kept,
    asked = asked,
    data = data,
    model = found$model
  ))
}

# Clusters as a factor whose levels are their names everywhere, 0, 1, ..; as integers they count from 1, as R does.
clusters_of_samples <- function(numbers, clusters, ids = NULL) {
  stats::setNames(factor(numbers - 1L, seq_len(clusters) - 1L), ids)
}

views_frame <- function(recorded, given, samples) {
  known <- vapply(given, function(view) if (is.null(view$rows)) sum(!empty_rows(view)) else sum(!is.na(view$rows)), 0)
  data.frame(
    name = vapply(recorded, `[[`, "", "name"),
    features = vapply(recorded, function(view) as.integer(view$d), 0L),
    samples = pmin(as.integer(known), samples),
    weight = vapply(recorded, `[[`, 0, "weight"),
    stringsAsFactors = FALSE
  )
}

# Rows of a dense table that hold nothing but missing values: samples that it does not know.
empty_rows <- function(view) {
  if (is.list(view$numbers) || !anyNA(view$numbers)) {
    return(rep(FALSE, view$dim[[1]]))
  }
  rowSums(is.na(matrix(view$numbers, view$dim[[1]], view$dim[[2]]))) == view$dim[[2]]
}

# A matrix from Rust: as it is, or a sparse one from its slots.
r_matrix <- function(given) {
  if (is.matrix(given)) {
    return(given)
  }
  needs("Matrix")
  methods::new("dgCMatrix", p = given$p, i = given$i, x = given$x, Dim = given$dim)
}

#' The methods
#'
#' @return A data frame: `id`, `title`, `summary`, whether a method can take `weights`, `incomplete` tables and `affinities`,
#'   whether it is `quadratic` (n x n by definition), and the `citation`. [consilience_methods] has their parameters.
#' @examples
#' methods_list()[, c("id", "title", "incomplete")]
#' @export
methods_list <- function() {
  found <- registry()
  column <- function(name, like) vapply(found, `[[`, like, name)
  data.frame(
    id = column("id", ""), title = column("title", ""), summary = column("summary", ""), weights = column("weighted", NA),
    incomplete = column("incomplete", NA), affinities = column("affinities", NA), quadratic = column("quadratic", NA),
    citation = column("citation", ""), stringsAsFactors = FALSE
  )
}

registry <- function() answer(.Call(wrap__methods))

#' Handwritten digits in two tables
#'
#' 2000 digits, 200 of each, of UCI Multiple Features (CC BY 4.0, R. Duin): `fou`, 76 Fourier coefficients of the shape, and
#' `fac`, 216 profile correlations.
#'
#' @return A list: `views`, a named list of two matrices with samples in rows, and `digit`, a factor.
#' @examples
#' str(digits())
#' @export
digits <- function() {
  found <- answer(.Call(wrap__digits))
  ids <- sprintf("digit%04d", seq_along(found$digit))
  views <- lapply(found$views, `rownames<-`, ids)
  list(views = views, digit = stats::setNames(factor(found$digit), ids))
}
