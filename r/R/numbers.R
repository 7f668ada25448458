# A table as the numbers that Rust reads.

view_from <- function(name, table, kind = "features") {
  if (inherits(table, "dist")) {
    return(view_from(name, as.matrix(table), if (kind == "features") "distance" else kind))
  }
  if (inherits(table, "Matrix")) {
    return(sparse_view(name, table, kind))
  }
  if (is.data.frame(table)) {
    return(frame_view(name, table, kind))
  }
  if (!is.matrix(table) && length(dim(table)) == 2) {
    # DelayedArray, big.matrix and the like
    table <- as.matrix(table)
  }
  if (!is.matrix(table)) {
    what <- if (is.null(dim(table))) "a vector" else sprintf("an array of %d dimensions", length(dim(table)))
    refuse(sprintf("view `%s` is %s, not a table of samples x features", name, what), "if it is one feature: cbind(x)")
  }
  if (!is.numeric(table) && !is.logical(table)) {
    refuse(sprintf("view `%s` holds %s, not numbers", name, typeof(table)), "leave such columns out, or code their values as 0 and 1: model.matrix(~ . - 1, x)")
  }
  # a matrix of doubles stays where it lies: a fit that keeps it costs no memory
  numbers <- table
  storage.mode(numbers) <- "double"
  check_square(name, rownames(table), colnames(table), kind)
  view_of(name, numbers, dim(table), rownames(table), colnames(table), kind)
}

frame_view <- function(name, table, kind) {
  good <- vapply(table, function(column) (is.numeric(column) || is.logical(column)) && is.null(dim(column)), NA)
  if (!all(good)) {
    bad <- names(table)[!good]
    column <- table[[bad[[1]]]]
    refuse(
      sprintf("view `%s`: column `%s` holds %s, which are no numbers%s", name, bad[[1]], class(column)[[1]], if (length(bad) > 1) sprintf(" (and %d other columns)", length(bad) - 1) else ""),
      "leave such columns out, or code their values as 0 and 1: model.matrix(~ . - 1, x); the samples' names belong into the row names"
    )
  }
  # row names that R made up are no names of samples
  ids <- if (.row_names_info(table) > 0) rownames(table) else NULL
  numbers <- as.double(unlist(table, use.names = FALSE))
  check_square(name, ids, names(table), kind)
  view_of(name, numbers, dim(table), ids, names(table), kind)
}

sparse_view <- function(name, table, kind) {
  needs("Matrix")
  ids <- rownames(table)
  features <- colnames(table)
  check_square(name, ids, features, kind)
  if (inherits(table, "denseMatrix")) {
    return(view_from(name, as.matrix(table), kind))
  }
  table <- methods_as(table)
  view_of(name, list(p = table@p, i = table@i, x = as.double(table@x)), dim(table), ids, features, kind)
}

# As columns of doubles, whatever its symmetry and storage.
methods_as <- function(table) {
  for (class in c("dMatrix", "generalMatrix", "CsparseMatrix")) {
    table <- methods::as(table, class)
  }
  table
}

# A square table whose rows and columns name the same samples in different orders would be read wrongly.
check_square <- function(name, rows, columns, kind) {
  if (kind == "features" || is.null(rows) || is.null(columns) || identical(rows, columns) || !setequal(rows, columns)) {
    return()
  }
  refuse(sprintf("view `%s` is of samples x samples, and its columns are not in the order of its rows", name), "x[names, names] puts them in one order")
}

# What the views are: features, or affinities or distances of the samples, by name.
kinds_of <- function(precomputed, views) {
  kinds <- stats::setNames(rep("features", length(views)), views)
  if (is.null(precomputed)) {
    return(kinds)
  }
  if (is.null(names(precomputed)) && length(precomputed) == 1) {
    precomputed <- stats::setNames(rep(precomputed, length(views)), views)
  }
  unknown <- setdiff(names(precomputed), views)
  if (is.null(names(precomputed)) || length(unknown) > 0) {
    refuse_parameter("precomputed", precomputed, sprintf("must name views, which are %s", paste(views, collapse = ", ")), "precomputed = c(network = \"affinity\")")
  }
  for (name in names(precomputed)) {
    kinds[[name]] <- one_of("precomputed", precomputed[[name]], c("affinity", "distance"))
  }
  kinds
}

# The views of `x`, their samples matched by name. Of `join` NULL is all samples where every table has names, and the order of the rows
# where one has none.
joined_views <- function(x, join = "strict", precomputed = NULL, ...) {
  tables <- views(x, ...)
  kinds <- kinds_of(precomputed, names(tables))
  given <- lapply(seq_along(tables), function(at) view_from(names(tables)[[at]], tables[[at]], kinds[[at]]))
  if (is.null(join)) {
    named <- !any(vapply(given, function(view) is.null(view$ids), NA))
    join <- if (named) "outer" else "strict"
  }
  matched <- answer(.Call(wrap__join, given, one_of("join", join, c("strict", "inner", "outer"))))
  for (at in seq_along(given)) {
    given[[at]]["rows"] <- list(matched$rows[[at]])
    # the names of a square table's columns are those of samples, no features
    if (given[[at]]$kind != "features") given[[at]]["features"] <- list(NULL)
  }
  list(views = given, ids = matched$ids, notes = matched$notes, join = join)
}
