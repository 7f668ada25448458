# A fit as other objects of R.

#' How sure the cluster of every sample is
#'
#' @param object What [consilience()] gave.
#' @param ... Not used.
#' @return `confidence()`: from 0 to 1, the share of the sample's own cluster in its memberships. `memberships()`: the share of every
#'   cluster in every sample, samples x clusters; rows sum to 1. A sparse matrix of the ten largest shares where there are very many.
#' @examples
#' x <- list(a = matrix(c(rnorm(40), rnorm(40, 6)), 40, byrow = TRUE))
#' fit <- consilience(x, 2)
#' head(confidence(fit))
#' head(memberships(fit))
#' @export
confidence <- function(object, ...) UseMethod("confidence")

#' @rdname confidence
#' @export
confidence.consilience <- function(object, ...) kept_in(object, "confidence")

#' @rdname confidence
#' @export
memberships <- function(object, ...) UseMethod("memberships")

#' @rdname confidence
#' @export
memberships.consilience <- function(object, ...) kept_in(object, "memberships")

kept_in <- function(fit, name) {
  if (is.null(fit[[name]])) {
    refuse(sprintf("a model that was loaded does not hold `%s`", name), "predict(fit, newdata, type = \"all\") says it of new samples")
  }
  fit[[name]]
}

#' A fit as a data frame, or in the column data of an object
#'
#' @param x What [consilience()] gave.
#' @param row.names,optional Not used: rows have the names of the samples where they have some.
#' @param ... Not used.
#' @return `as.data.frame()`: a row per sample: `sample`, `cluster` (a factor), `confidence`, and after [examine()] `stability`,
#'   `doubt`, `disagreement` and `silhouette`.
#' @examples
#' x <- list(a = matrix(c(rnorm(40), rnorm(40, 6)), 40, byrow = TRUE))
#' head(as.data.frame(consilience(x, 2)))
#' @export
as.data.frame.consilience <- function(x, row.names = NULL, optional = FALSE, ...) {
  n <- length(x$cluster)
  sample <- if (is.null(x$ids)) as.character(seq_len(n)) else x$ids
  found <- data.frame(sample = sample, cluster = unname(x$cluster), stringsAsFactors = FALSE)
  if (!is.null(x$confidence)) found$confidence <- unname(x$confidence)
  known <- x$examination$samples
  if (!is.null(known) && nrow(known) == n) {
    for (name in intersect(c("stability", "doubt", "disagreement", "silhouette"), names(known))) found[[name]] <- known[[name]]
  }
  found
}

#' Put clusters into an object's column data
#'
#' @param object A MultiAssayExperiment, SummarizedExperiment, SingleCellExperiment or Seurat object, whose samples have the names of
#'   the fit's.
#' @param fit What [consilience()] gave.
#' @param name Name of the column of clusters; that of the confidence is the same with `_confidence`.
#' @return The object. Samples that the fit does not have get NA.
#' @examples
#' if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
#'   numbers <- matrix(rnorm(80), 4, dimnames = list(NULL, paste0("s", 1:20)))
#'   se <- SummarizedExperiment::SummarizedExperiment(list(values = numbers))
#'   se <- add_clusters(se, consilience(se, 2))
#'   SummarizedExperiment::colData(se)
#' }
#' @export
add_clusters <- function(object, fit, name = "cluster") {
  check_fit(fit)
  if (is.null(fit$ids)) {
    refuse("the samples of this fit have no names, so they cannot be found in the object", "cluster tables with row names")
  }
  seurat <- inherits(object, "Seurat")
  mae <- inherits(object, "MultiAssayExperiment")
  if (!seurat && !mae && !inherits(object, "SummarizedExperiment")) {
    refuse(sprintf("a %s has no column data", class(object)[[1]]), "as.data.frame(fit) has the clusters as a table")
  }
  needs(if (seurat) "SeuratObject" else if (mae) "MultiAssayExperiment" else "SummarizedExperiment")
  samples <- if (mae) rownames(MultiAssayExperiment::colData(object)) else colnames(object)
  at <- match(samples, fit$ids)
  if (all(is.na(at))) {
    refuse("no sample of the object has the name of a sample of the fit")
  }
  columns <- list(unname(fit$cluster)[at])
  if (!is.null(fit$confidence)) columns <- c(columns, list(unname(fit$confidence)[at]))
  names(columns) <- c(name, paste0(name, "_confidence"))[seq_along(columns)]
  for (column in names(columns)) {
    if (seurat) {
      object[[column]] <- stats::setNames(columns[[column]], samples)
    } else if (mae) {
      data <- MultiAssayExperiment::colData(object)
      data[[column]] <- columns[[column]]
      MultiAssayExperiment::colData(object) <- data
    } else {
      data <- SummarizedExperiment::colData(object)
      data[[column]] <- columns[[column]]
      SummarizedExperiment::colData(object) <- data
    }
  }
  object
}

#' Fewer clusters of a fit
#'
#' Clusters are joined until `k` are left, the most strongly tied first; no new fit. `as.hclust()` gives the tree of the clusters,
#' whose leaves are the clusters of the fit.
#'
#' @param x What [consilience()] gave.
#' @param k How many clusters are to be left.
#' @param ... Not used.
#' @return `cut()`: the cluster of every sample, a named factor. `as.hclust()`: an object of the class `hclust`.
#' @examples
#' set.seed(1)
#' x <- list(a = matrix(rnorm(180, rep(c(0, 4, 20), each = 20)), 60))
#' fit <- consilience(x, 3)
#' table(fit$cluster, cut(fit, 2))
#' plot(as.hclust(fit))
#' @export
cut.consilience <- function(x, k, ...) {
  if (is.null(x$tree)) {
    refuse("a model that was loaded does not hold the tree of its clusters", "cut the fit itself")
  }
  joins <- x$tree
  clusters <- length(joins) + 1
  if (missing(k)) {
    refuse("how many clusters are to be left?", "cut(fit, 3)", "parameter")
  }
  k <- whole_number("k", k, 1, clusters)
  parts <- as.list(seq_len(clusters))
  for (at in seq_len(clusters - k)) {
    pair <- joins[[at]]$clusters + 1
    parts[[clusters + at]] <- c(parts[[pair[[1]]]], parts[[pair[[2]]]])
    parts[pair] <- list(integer())
  }
  parts <- Filter(length, parts)
  parts <- parts[order(vapply(parts, min, 0))]
  into <- integer(clusters)
  for (at in seq_along(parts)) into[parts[[at]]] <- at
  clusters_of_samples(into[x$cluster], k, names(x$cluster))
}

#' @rdname cut.consilience
#' @importFrom stats as.hclust
#' @export
as.hclust.consilience <- function(x, ...) {
  if (is.null(x$tree)) {
    refuse("a model that was loaded does not hold the tree of its clusters")
  }
  clusters <- length(x$tree) + 1
  if (clusters < 2) {
    refuse("there is one cluster, and no tree of it", NULL)
  }
  pairs <- vapply(x$tree, function(join) as.numeric(join$clusters), c(0, 0))
  heights <- vapply(x$tree, `[[`, 0, "height")
  merge <- t(ifelse(pairs < clusters, -(pairs + 1), pairs - clusters + 1))
  storage.mode(merge) <- "integer"
  leaves <- function(at) if (at < 0) -at else c(leaves(merge[at, 1]), leaves(merge[at, 2]))
  structure(class = "hclust", list(
    merge = merge, height = heights, order = as.integer(leaves(nrow(merge))), labels = levels(x$cluster),
    method = "ties between clusters", call = quote(consilience(x)), dist.method = "1 - share of ties"
  ))
}
