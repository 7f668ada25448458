# New samples, and models as files.

# The model of a fit. After readRDS the pointer leads nowhere: the fit is made again from the tables that it keeps.
model_of <- function(fit) {
  if (.Call(wrap__model_is_there, fit$model)) {
    return(fit$model)
  }
  if (is.null(fit$data) || is.null(fit$asked)) {
    refuse(
      "the model of this fit is gone: R cannot keep it in its own files",
      "save it with save_model(), and load it with load_model()"
    )
  }
  found <- finished(.Call(wrap__fit, fit$data$views, asked_again(fit)), fit$data$ids, fit$method)
  if (!identical(found$labels, as.integer(fit$cluster))) {
    refuse("the fit cannot be made again as it was: another version of consilience gives other labels", "fit again")
  }
  found$model
}

#' Place new samples among the clusters
#'
#' @param object What [consilience()] or [load_model()] gave.
#' @param newdata The new samples, in any form that [consilience()] takes. Tables go by the names of the fit, columns by their
#'   names; a table may be left out, one is enough. Affinities and distances say nothing of new samples.
#' @param type What is wanted: `"cluster"`, `"confidence"` (from 0 to 1), `"memberships"` (the share of every cluster), `"embedding"`, or
#'   `"all"`: a data frame with `cluster`, `confidence`, `distance` to what the model knows (1 is as far as hardly any sample of the
#'   fit is from the others) and `unlike`: whether that is so far, 1.5, that the cluster means nothing.
#' @param missing As in [consilience()]; by default as the fit was asked.
#' @param ... Further arguments of [views()].
#' @return A named factor or vector, a matrix, or a data frame. NA for samples that `missing = "drop-samples"` leaves out.
#' @examples
#' set.seed(1)
#' group <- rep(1:3, each = 20)
#' x <- list(a = matrix(rnorm(300, 4 * group), 60), b = matrix(rnorm(180, -3 * group), 60))
#' fit <- consilience(x, 3)
#' predict(fit, list(b = matrix(c(-3, -6, -9), 3, 3)), type = "all")
#' @export
predict.consilience <- function(object, newdata, type = c("cluster", "confidence", "memberships", "embedding", "all"), missing = NULL, ...) {
  type <- match.arg(type)
  if (missing(newdata)) {
    return(switch(type,
      cluster = object$cluster, confidence = object$confidence, memberships = object$memberships, embedding = object$embedding,
      all = data.frame(cluster = object$cluster, confidence = object$confidence)
    ))
  }
  given <- views(newdata, ...)
  if (is.null(names(newdata)) && is.list(newdata) && !is.data.frame(newdata) && length(newdata) == nrow(object$views)) {
    names(given) <- object$views$name
  }
  kinds <- fit_kinds(object)
  asked <- intersect(names(given), names(kinds))
  if (length(asked) > 0) {
    refuse(sprintf("view `%s` was precomputed at fit, and says nothing of new samples", asked[[1]]), "leave it out of the list")
  }
  if (length(given) == 1 && nrow(object$views) == 1) names(given) <- object$views$name
  data <- joined_views(given, NULL)
  missing <- if (!is.null(missing)) missing else if (is.null(object$asked)) "refuse" else object$asked$missing
  answered <- finished(.Call(wrap__predict, model_of(object), data$views, list(missing = missing, threads = threads())), data$ids, "predict")
  tell(c(data$notes, answered$notes, lapply(answered$taken, function(text) list(kind = "taken_for", message = text))), answered$found$warnings)
  placed(answered$found, data$ids, type, nlevels(object$cluster))
}

placed <- function(found, ids, type, clusters) {
  named <- function(values) stats::setNames(values, ids)
  rows <- function(values) {
    rownames(values) <- ids
    values
  }
  columns <- function(values) {
    colnames(values) <- seq_len(ncol(values)) - 1L
    values
  }
  switch(type,
    cluster = clusters_of_samples(found$labels, clusters, ids),
    confidence = named(found$confidence),
    memberships = columns(rows(found$memberships)),
    embedding = rows(found$embedding),
    all = data.frame(
      cluster = clusters_of_samples(found$labels, clusters), confidence = found$confidence, distance = found$distance, unlike = found$unlike,
      row.names = ids
    )
  )
}

#' Keep a fit as a model file, and read one
#'
#' The model is all that is needed to place new samples, in one safetensors file that holds no code. The command line
#' (`consilience predict`) and Python (`consilience.load`) read it, and theirs are read here. [saveRDS()] works too: then the first
#' prediction makes the fit again from the tables that it keeps.
#'
#' @param fit What [consilience()] gave.
#' @param file The file; what is there is replaced. To read also the folder of a run of the command line.
#' @return `save_model()`: the file, invisibly. `load_model()`: an object of the class `consilience` that predicts; what a model does not
#'   hold (confidence, memberships, the tables) is NULL.
#' @examples
#' set.seed(1)
#' x <- list(a = matrix(rnorm(200, rep(1:2 * 4, each = 20)), 40))
#' fit <- consilience(x, 2)
#' file <- save_model(fit, tempfile(fileext = ".safetensors"))
#' again <- load_model(file)
#' all(predict(again, x) == fit$cluster)
#' @export
save_model <- function(fit, file) {
  check_fit(fit)
  file <- writable(file)
  finished(.Call(wrap__model_save, model_of(fit), list(ids = fit$ids, path = file, threads = threads())), fit$ids, "save_model")
  invisible(file)
}

#' @rdname save_model
#' @export
load_model <- function(file) {
  if (!is.character(file) || length(file) != 1 || is.na(file)) {
    refuse("the file of the model is needed", "load_model(\"model.safetensors\")", "parameter")
  }
  found <- finished(.Call(wrap__model_load, path.expand(file)), what = "load_model")
  ids <- found$ids
  rownames(found$embedding) <- ids
  settings <- found$settings
  field <- function(name, like) vapply(found$views, `[[`, like, name)
  structure(class = "consilience", list(
    cluster = clusters_of_samples(found$labels, found$clusters, ids),
    k = as.integer(found$clusters),
    method = settings$method,
    parameters = settings$parameters,
    confidence = NULL,
    memberships = NULL,
    views = data.frame(name = field("name", ""), features = as.integer(field("d", 0)), weight = field("weight", 0), stringsAsFactors = FALSE),
    embedding = found$embedding,
    ids = ids,
    record = list(version = found$version, n = length(found$labels)),
    model = found$model
  ))
}
