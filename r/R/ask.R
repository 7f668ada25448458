# Questions to a fit: examination, markers, scores, page.

# The views that were fitted: those that the fit keeps, or those that are given.
data_of <- function(fit, x, ...) {
  if (!is.null(x)) {
    return(joined_views(x, fit_join(fit), fit_kinds(fit), ...))
  }
  if (is.null(fit$data)) {
    what <- if (is.null(fit$asked)) "this was loaded from a model, which does not hold the tables" else "the fit did not keep its tables (keep_data = FALSE)"
    refuse(what, "give them as x =")
  }
  fit$data
}

fit_join <- function(fit) if (is.null(fit$data$join)) "outer" else fit$data$join

fit_kinds <- function(fit) {
  if (is.null(fit$data)) {
    return(NULL)
  }
  kinds <- vapply(fit$data$views, `[[`, "", "kind")
  names(kinds) <- vapply(fit$data$views, `[[`, "", "name")
  kinds <- kinds[kinds != "features"]
  if (length(kinds) > 0) kinds else NULL
}

check_fit <- function(fit) {
  if (!inherits(fit, "consilience")) {
    refuse(sprintf("this is a %s, no fit", class(fit)[[1]]), "give what consilience() gives")
  }
}

# The settings that make the fit again: the number of clusters is asked for as it was.
asked_again <- function(fit) {
  if (is.null(fit$asked)) {
    refuse("a fit that was loaded from a model is no account of its run, and cannot be made again", "fit again")
  }
  with_threads(fit$asked)
}

#' Ask how far a fit may be trusted
#'
#' The fit is made again with the same seed and examined: runs on random parts of the samples, each table alone and left out, the
#' features that set the clusters apart. That costs about as much as so many fits.
#'
#' @param fit What [consilience()] gave.
#' @param resamples Runs on random parts of the samples, which measure stability; 0 for none.
#' @param share The share of samples in each of them, between 0 and 1; NULL is the library's own.
#' @param truth True classes of the samples, where they are known: only ever used to score. By name where it has names.
#' @param leave_out Whether every table is left out in turn.
#' @param x The tables that were fitted, where the fit did not keep them.
#' @param ... Further arguments of [views()].
#' @return The fit, with `$examination`: a list of `verdict` (its `headline`, its `level` or `state`, and the sentences behind it),
#'   `clusters` (a data frame), `views` (a data frame), `samples` (a data frame), `markers` (a data frame), and the whole `document` that
#'   the page is drawn from. [print()] says the headline, [summary()] the tables, [report()] writes the page.
#' @examples
#' set.seed(1)
#' group <- rep(1:3, each = 20)
#' x <- list(a = matrix(rnorm(300, 4 * group), 60), b = matrix(rnorm(180, -3 * group), 60))
#' fit <- examine(consilience(x, 3), resamples = 4)
#' fit$examination$verdict$headline
#' fit$examination$clusters
#' @export
examine <- function(fit, resamples = 10, share = NULL, truth = NULL, leave_out = TRUE, x = NULL, ...) {
  check_fit(fit)
  data <- data_of(fit, x, ...)
  options <- list(
    name = fit$method, ids = fit$ids, truth = truth_of(truth, fit), resamples = whole_number("resamples", resamples, 0, 1000),
    share = share_of(share), leave_out = isTRUE(leave_out), labels = as.integer(fit$cluster)
  )
  found <- finished(.Call(wrap__examine, data$views, asked_again(fit), options), fit$ids, "examine")
  fit$examination <- examination_of(found, fit)
  fit
}

share_of <- function(share) {
  if (!is.null(share) && !(is.numeric(share) && length(share) == 1 && !is.na(share) && share > 0 && share < 1)) {
    refuse_parameter("share", share, "must be a number between 0 and 1")
  }
  share
}

# Classes of the samples, as text in the order of the fit.
truth_of <- function(truth, fit) {
  if (is.null(truth)) {
    return(NULL)
  }
  n <- length(fit$cluster)
  if (!is.null(names(truth)) && !is.null(fit$ids)) {
    absent <- setdiff(fit$ids, names(truth))
    if (length(absent) > 0) {
      refuse(sprintf("`truth` has no class of the sample `%s`%s", absent[[1]], if (length(absent) > 1) sprintf(" and of %d others", length(absent) - 1) else ""))
    }
    truth <- truth[match(fit$ids, names(truth))]
  } else if (length(truth) != n) {
    refuse(sprintf("there are %d classes for %d samples", length(truth), n))
  }
  if (anyNA(truth)) {
    refuse("`truth` holds NA: every sample needs a class to be scored", "cluster those that have one, or leave truth out")
  }
  as.character(truth)
}

examination_of <- function(found, fit) {
  document <- found$document
  ids <- fit$ids
  rows <- found$rows
  columns <- document$samples
  share <- function(column) if (is.null(column)) NULL else column / 255
  samples <- list(
    cluster = clusters_of_samples(as.integer(columns$cluster) + 1L, nlevels(fit$cluster)), confidence = share(columns$confidence), stability = share(columns$stability),
    doubt = share(columns$doubt), disagreement = share(columns$disagreement), silhouette = 2 * columns$silhouette / 255 - 1,
    x = columns$x / 65535, y = 1 - columns$y / 65535
  )
  samples <- as.data.frame(samples[!vapply(samples, is.null, NA)])
  if (!is.null(ids)) rownames(samples) <- if (is.null(rows)) ids else ids[rows]
  views <- rows_of(document$views, c("name", "d", "weight", "own_nmi", "influence"))
  names(views)[names(views) == "d"] <- "features"
  clusters <- rows_of(document$clusters, names(document$clusters[[1]]))
  clusters <- cbind(cluster = seq_len(nrow(clusters)) - 1L, clusters)
  structure(class = "consilience_examination", list(
    verdict = document$verdict, clusters = clusters, views = views, samples = samples,
    markers = markers_frame(document$markers, fit), document = document, json = found$json
  ))
}

# Objects of one kind as a data frame; of several values in one field a text.
rows_of <- function(objects, fields) {
  column <- function(name) {
    values <- lapply(objects, `[[`, name)
    if (any(lengths(values) > 1) || any(vapply(values, is.list, NA))) {
      values <- lapply(values, function(several) paste(unlist(several), collapse = ", "))
    }
    values[lengths(values) == 0] <- NA
    unlist(values)
  }
  columns <- stats::setNames(lapply(fields, column), fields)
  columns <- columns[!vapply(columns, is.null, NA) & !vapply(columns, function(c) all(is.na(c)), NA)]
  as.data.frame(columns, stringsAsFactors = FALSE)
}

markers_frame <- function(found, fit) {
  empty <- data.frame(cluster = fit$cluster[0], view = character(), feature = character(), auc = numeric(), inside = numeric(), outside = numeric(), p = numeric(), stringsAsFactors = FALSE)
  if (length(found) == 0) {
    return(empty)
  }
  field <- function(name, like) vapply(found, function(marker) if (is.null(marker[[name]])) like[NA] else marker[[name]], like)
  data.frame(
    cluster = clusters_of_samples(as.integer(field("cluster", 0)) + 1L, nlevels(fit$cluster)), view = field("view", ""), feature = field("feature", ""), auc = field("auc", 0),
    inside = field("inside", 0), outside = field("outside", 0), p = field("p", 0), stringsAsFactors = FALSE
  )
}

#' The features that set each cluster apart
#'
#' A feature is compared by ranks (Wilcoxon, Mann and Whitney). The clusters were made from these features, so the p-values rank
#' them and prove nothing.
#'
#' @inheritParams examine
#' @param features The most features of each cluster.
#' @param x The tables that were fitted, where the fit did not keep them, or others of the same samples in the same order: raw
#'   counts where the fit had components of them.
#' @return A data frame: `cluster`, `view`, `feature`, `auc` (the chance that a sample inside has a larger value than one outside),
#'   `inside` and `outside` (means), `p` (adjusted; at most 0.05); the clearest first.
#' @examples
#' set.seed(1)
#' group <- rep(1:2, each = 20)
#' a <- cbind(up = rnorm(40, 5 * group), noise = rnorm(40))
#' x <- list(a = a, b = cbind(down = rnorm(40, -5 * group)))
#' markers(consilience(x, 2))
#' @export
markers <- function(fit, features = 20, x = NULL, ...) {
  check_fit(fit)
  data <- data_of(fit, x, ...)
  if (!is.null(x) && !is.null(data$ids) && !is.null(fit$ids) && !identical(data$ids, fit$ids) && is.null(fit$kept)) {
    refuse("these are not the samples that were fitted, or they are in another order", "give the tables in the order of the fit")
  }
  arguments <- list(missing = if (is.null(fit$asked)) "refuse" else fit$asked$missing, features = whole_number("features", features, 1, 1e5), threads = threads())
  markers_frame(finished(.Call(wrap__markers, data$views, as.integer(fit$cluster), arguments), fit$ids, "markers"), fit)
}

#' Write a fit as one HTML page
#'
#' The page that the command line and Python write: a verdict in words, stability over resampled runs, a map of the samples, the
#' affinity, each table alone and left out, markers, a table of the samples. It works offline.
#'
#' @inheritParams examine
#' @param file The file to write; what is there is replaced.
#' @param ... Arguments of [examine()], which is asked where the fit has not been examined.
#' @return The file, invisibly.
#' @examples
#' x <- list(a = matrix(rnorm(200), 40), b = matrix(rnorm(120), 40))
#' page <- report(consilience(x, 2), tempfile(fileext = ".html"), resamples = 2)
#' @export
report <- function(fit, file, ...) {
  check_fit(fit)
  if (missing(file) || !is.character(file) || length(file) != 1) {
    refuse("the file of the page is needed", "report(fit, \"report.html\")", "parameter")
  }
  file <- writable(file)
  if (is.null(fit$examination) || ...length() > 0) {
    fit <- examine(fit, ...)
  }
  answer(.Call(wrap__write_page, fit$examination$json, file))
  invisible(file)
}

# The path of a file that is to be written, in full; refused before the work where it cannot be.
writable <- function(file) {
  folder <- dirname(file)
  if (!dir.exists(folder)) {
    refuse(sprintf("cannot write `%s`: there is no folder `%s`", file, folder), kind = "file")
  }
  if (dir.exists(file)) {
    refuse(sprintf("cannot write `%s`: it is a folder", file), kind = "file")
  }
  normalizePath(file, mustWork = FALSE)
}

#' How far labels agree with known classes
#'
#' @param labels What [consilience()] gave, or any labels.
#' @param truth The classes, in the same order; by name where both have names.
#' @return Accuracy (of the best matching), NMI, ARI, purity and more, as a named vector.
#' @examples
#' scores(c(1, 1, 2, 2), c("a", "a", "b", "a"))
#' @export
scores <- function(labels, truth) {
  if (inherits(labels, "consilience")) {
    truth <- truth_of(truth, labels)
    labels <- labels$cluster
  }
  if (length(labels) != length(truth) || anyNA(labels) || anyNA(truth)) {
    refuse(sprintf("there are %d labels and %d classes, and none of them may be NA", length(labels), length(truth)))
  }
  answer(.Call(wrap__scores, match(labels, unique(labels)), as.character(truth)))
}
