# What a fit says of itself.

bar <- function(share, width = 24) {
  full <- round(share * width)
  paste0(strrep(if (l10n_info()$`UTF-8`) "\u2588" else "#", full), strrep(" ", width - full))
}

percent <- function(share) sprintf("%.0f %%", 100 * share)

#' Print a fit
#'
#' A card: the clusters with their sizes and how sure they are, the weights of the tables, the headline of the examination where there
#' is one, and what can be done next. `summary()` has the tables behind it.
#'
#' @param x,object What [consilience()] gave.
#' @param ... Not used.
#' @return `print()`: `x`, invisibly. `summary()`: a list of data frames: `clusters`, `views`, and `parameters` of the method; `verdict`
#'   where the fit has been examined.
#' @examples
#' set.seed(1)
#' group <- rep(1:2, each = 20)
#' x <- list(a = matrix(rnorm(200, 4 * group), 40), b = matrix(rnorm(80, 3 * group), 40))
#' print(consilience(x, 2))
#' @export
print.consilience <- function(x, ...) {
  n <- length(x$cluster)
  cat(sprintf("consilience: %d samples in %d cluster%s (%s)\n\n", n, x$k, if (x$k == 1) "" else "s", x$method))
  table <- cluster_table(x)
  most <- 20L
  shown <- utils::head(table, most)
  for (row in seq_len(nrow(shown))) {
    sure <- if (is.null(shown$confidence)) "" else sprintf("  confidence %.2f", shown$confidence[[row]])
    state <- if (is.null(shown$state) || is.na(shown$state[[row]])) "" else paste0("  ", shown$state[[row]])
    cat(sprintf("  %3s  %6d  %s%s%s\n", shown$cluster[[row]], shown$size[[row]], bar(shown$size[[row]] / max(table$size)), sure, state))
  }
  if (nrow(table) > most) cat(sprintf("  .. and %d more\n", nrow(table) - most))
  print_views(x$views, n)
  if (!is.null(x$choice)) print_choice(x)
  if (!is.null(x$examination)) cat("\n", paste(strwrap(x$examination$verdict$headline, 78), collapse = "\n"), "\n", sep = "")
  for (warned in x$warnings) cat("\n", paste(strwrap(paste0("! ", in_r(warned$message)), 78, exdent = 2), collapse = "\n"), "\n", sep = "")
  print_next(x)
  invisible(x)
}

print_views <- function(views, n) {
  cat("\n  weight of the tables\n")
  width <- max(nchar(views$name))
  for (row in seq_len(nrow(views))) {
    known <- if (is.null(views$samples) || views$samples[[row]] == n) "" else sprintf(", %d of %d samples", views$samples[[row]], n)
    name <- formatC(views$name[[row]], width = -width)
    cat(sprintf("  %s  %s  %.2f  (%d features%s)\n", name, bar(views$weight[[row]], 12), views$weight[[row]], views$features[[row]], known))
  }
}

print_choice <- function(x) {
  others <- vapply(x$choice$candidates, function(candidate) as.integer(candidate$k), 0L)
  cat(sprintf("\n  the data chose k = %d%s\n", x$k, if (length(others) > 1) sprintf("; candidates: %s", paste(others, collapse = ", ")) else ""))
  answer <- x$choice$answer
  if (is.list(answer) && !identical(answer$kind, "clusters")) cat(paste(strwrap(answer$message, 78, indent = 2, exdent = 2), collapse = "\n"), "\n", sep = "")
}

print_next <- function(x) {
  ask <- if (is.null(x$examination)) "examine(fit) asks how far it may be trusted; " else "summary(fit) has the details; "
  if (is.null(x$asked)) {
    cat("\npredict(fit, newdata) places new samples\n")
    return()
  }
  cat("\n", ask, "plot(fit), markers(fit), report(fit, \"report.html\")\n", sep = "")
}

# A row per cluster, with what is known of it.
cluster_table <- function(fit) {
  sizes <- tabulate(fit$cluster, nlevels(fit$cluster))
  table <- data.frame(cluster = levels(fit$cluster), size = sizes, stringsAsFactors = FALSE)
  if (!is.null(fit$confidence)) {
    table$confidence <- as.numeric(tapply(fit$confidence, fit$cluster, mean))
  }
  known <- fit$examination$clusters
  if (!is.null(known) && nrow(known) == nrow(table)) {
    for (name in setdiff(names(known), names(table))) table[[name]] <- known[[name]]
  }
  table
}

#' @rdname print.consilience
#' @export
summary.consilience <- function(object, ...) {
  parameters <- data.frame(
    parameter = names(object$parameters), value = vapply(object$parameters, format, ""), row.names = NULL, stringsAsFactors = FALSE
  )
  views <- object$views
  known <- object$examination$views
  if (!is.null(known)) {
    for (name in setdiff(names(known), names(views))) views[[name]] <- known[[name]]
  }
  structure(class = "summary.consilience", list(
    method = object$method, k = object$k, samples = length(object$cluster), clusters = cluster_table(object), views = views, parameters = parameters,
    verdict = object$examination$verdict, choice = object$choice, ended = object$ended, iterations = object$iterations,
    seconds = object$seconds, warnings = object$warnings, notes = object$notes
  ))
}

#' @export
print.summary.consilience <- function(x, digits = 3, ...) {
  cat(sprintf("%d samples, %d clusters, by %s", x$samples, x$k, x$method))
  if (!is.null(x$seconds)) cat(sprintf(" in %.2f s (%s)", x$seconds[["total"]], x$ended))
  cat("\n\nClusters\n")
  print(x$clusters, row.names = FALSE, digits = digits)
  cat("\nTables\n")
  print(x$views, row.names = FALSE, digits = digits)
  if (nrow(x$parameters) > 0) {
    cat("\nParameters of the method\n")
    print(x$parameters, row.names = FALSE)
  }
  for (candidate in x$choice$candidates) {
    cat(sprintf("\nk = %d\n", as.integer(candidate$k)))
    cat(strwrap(unlist(candidate$evidence), 78, indent = 2, exdent = 4), sep = "\n")
  }
  if (!is.null(x$verdict)) {
    cat("\nHow far it may be trusted\n")
    parts <- lapply(x$verdict$parts, `[[`, "sentence")
    cat(strwrap(unlist(c(x$verdict$headline, parts, x$verdict$sentences)), 78, indent = 2, exdent = 4), sep = "\n")
  }
  for (said in c(x$notes, x$warnings)) cat("\n", paste(strwrap(paste0("! ", in_r(said$message)), 78, exdent = 2), collapse = "\n"), "\n", sep = "")
  invisible(x)
}

#' @export
print.consilience_examination <- function(x, ...) {
  cat(strwrap(x$verdict$headline, 78), sep = "\n")
  cat("\n")
  print(x$clusters, row.names = FALSE, digits = 3)
  invisible(x)
}
