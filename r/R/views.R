# Input in its many forms, as named views of one kind: numbers with samples in rows, names of samples and of features.

view_of <- function(name, numbers, dim, ids = NULL, features = NULL, kind = "features") {
  list(name = name, numbers = numbers, dim = as.integer(dim), ids = ids, features = features, kind = kind, rows = NULL)
}

#' The tables in an object, with samples in rows
#'
#' What [consilience()] makes of its `x`: useful to see what it will be given, and to change it. A method for another class makes
#' [consilience()] take that class.
#'
#' @param x See [consilience()].
#' @param ... Arguments of methods; `assays` for Bioconductor's and Seurat's objects.
#' @return A named list of tables with samples in rows: matrices, data frames, sparse matrices or `dist` objects.
#' @examples
#' str(views(list(a = matrix(1:6, 3), b = data.frame(u = 1:3))))
#' @export
views <- function(x, ...) UseMethod("views")

#' @rdname views
#' @export
views.list <- function(x, ...) {
  if (length(x) == 0) {
    refuse("`x` is an empty list: there is no view", "give a named list of matrices with samples in rows")
  }
  names <- if (is.null(names(x))) rep("", length(x)) else names(x)
  unnamed <- is.na(names) | names == ""
  names[unnamed] <- paste0("view", which(unnamed))
  stats::setNames(x, names)
}

#' @rdname views
#' @export
views.default <- function(x, ...) {
  if (is.function(x) || is.null(x) || is.atomic(x) && is.null(dim(x)) && !inherits(x, "dist")) {
    what <- if (is.null(x)) "NULL" else if (is.function(x)) "a function" else "a vector"
    hint <- if (is.character(x)) "read the file first: consilience(list(rna = read.csv(..)), k)" else "give a named list of matrices with samples in rows"
    refuse(sprintf("`x` is %s, not tables of samples", what), hint)
  }
  list(view1 = x)
}

#' @rdname views
#' @export
views.data.frame <- function(x, ...) list(view1 = x)

#' @rdname views
#' @param assays Names of the assays to take; all by default. For Seurat the default is each assay's `data` layer.
#' @export
views.MultiAssayExperiment <- function(x, assays = NULL, ...) {
  needs("MultiAssayExperiment")
  experiments <- as.list(MultiAssayExperiment::experiments(x))
  experiments <- chosen(experiments, assays, "MultiAssayExperiment")
  map <- as.data.frame(MultiAssayExperiment::sampleMap(x))
  tables <- lapply(stats::setNames(nm = names(experiments)), function(name) {
    own <- map[as.character(map$assay) == name, ]
    table <- matrix_of_assay(experiments[[name]], name)
    patients <- as.character(own$primary)[match(colnames(table), as.character(own$colname))]
    twice <- unique(patients[duplicated(patients) & !is.na(patients)])
    if (length(twice) > 0) {
      refuse(
        sprintf("assay `%s` has several columns of the patient `%s`%s", name, twice[[1]], if (length(twice) > 1) sprintf(" and of %d others", length(twice) - 1) else ""),
        "keep one of each: MultiAssayExperiment::mergeReplicates(x), or take the columns that you mean"
      )
    }
    table <- table[, !is.na(patients), drop = FALSE]
    turned(table, patients[!is.na(patients)])
  })
  tables
}

#' @rdname views
#' @export
views.SummarizedExperiment <- function(x, assays = NULL, ...) {
  needs("SummarizedExperiment")
  found <- SummarizedExperiment::assayNames(x)
  if (is.null(found) || any(found == "")) {
    found <- paste0("assay", seq_along(SummarizedExperiment::assays(x)))
  }
  # several assays of one experiment are the same numbers in other forms: the last one that is known to be normalised, else the first
  wanted <- if (is.null(assays)) c(intersect(c("logcounts", "normcounts"), found), found)[[1]] else assays
  unknown <- setdiff(wanted, found)
  if (length(unknown) > 0) {
    refuse(sprintf("there is no assay `%s`", unknown[[1]]), paste("known:", paste(found, collapse = ", ")), "unknown")
  }
  tables <- lapply(stats::setNames(match(wanted, found), wanted), function(at) {
    turned(SummarizedExperiment::assay(x, at, withDimnames = TRUE), colnames(x))
  })
  tables
}

#' @rdname views
#' @export
views.SingleCellExperiment <- function(x, assays = NULL, ...) {
  needs("SingleCellExperiment")
  main <- SingleCellExperiment::mainExpName(x)
  main <- if (is.null(main)) "main" else main
  others <- SingleCellExperiment::altExpNames(x)
  wanted <- if (is.null(assays)) c(main, others) else assays
  unknown <- setdiff(wanted, c(main, others))
  if (length(unknown) > 0) {
    # of the main experiment, then
    return(views.SummarizedExperiment(x, assays))
  }
  lapply(stats::setNames(nm = wanted), function(name) {
    experiment <- if (name == main) x else SingleCellExperiment::altExp(x, name)
    table <- views.SummarizedExperiment(experiment)[[1]]
    rownames(table) <- colnames(x)
    table
  })
}

#' @rdname views
#' @export
views.Seurat <- function(x, assays = NULL, ...) {
  needs("SeuratObject")
  found <- SeuratObject::Assays(x)
  wanted <- if (is.null(assays)) found else assays
  unknown <- setdiff(wanted, found)
  if (length(unknown) > 0) {
    refuse(sprintf("there is no assay `%s`", unknown[[1]]), paste("known:", paste(found, collapse = ", ")), "unknown")
  }
  lapply(stats::setNames(nm = wanted), function(name) {
    # `slot` became `layer` in SeuratObject 5
    asked <- list(object = x, assay = name, "data")
    names(asked)[[3]] <- if ("layer" %in% names(formals(utils::getS3method("GetAssayData", "Seurat", envir = asNamespace("SeuratObject"))))) "layer" else "slot"
    table <- do.call(SeuratObject::GetAssayData, asked)
    turned(table, colnames(x))
  })
}

needs <- function(package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    refuse(sprintf("package `%s` is needed for such an object and is not installed", package), sprintf("install it: BiocManager::install(\"%s\")", package))
  }
}

chosen <- function(tables, names, what) {
  unknown <- setdiff(names, names(tables))
  if (length(unknown) > 0) {
    refuse(sprintf("the %s has no assay `%s`", what, unknown[[1]]), paste("known:", paste(names(tables), collapse = ", ")), "unknown")
  }
  if (is.null(names)) tables else tables[names]
}

# The numbers of one experiment, features in rows.
matrix_of_assay <- function(experiment, name) {
  if (inherits(experiment, "SummarizedExperiment")) {
    return(SummarizedExperiment::assay(experiment, 1))
  }
  if (inherits(experiment, "RaggedExperiment")) {
    refuse(
      sprintf("assay `%s` is of ranges, which are no table of numbers", name),
      "summarise it first: RaggedExperiment::qreduceAssay(..), or name the assays to take: assays = c(..)"
    )
  }
  if (is.data.frame(experiment)) as.matrix(experiment) else experiment
}

# Samples in rows, under these names.
turned <- function(table, ids) {
  table <- if (inherits(table, "Matrix")) Matrix::t(table) else t(as.matrix(table))
  rownames(table) <- ids
  table
}
