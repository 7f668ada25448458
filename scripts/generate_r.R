# Writes r/R/methods.R, the documentation of the methods and their parameters, from the registry of the installed package:
#
#     Rscript scripts/generate_r.R && Rscript -e 'roxygen2::roxygenise("r")'
#
# A test of the package compares the page with the registry.

escaped <- function(text) gsub("%", "\\\\%", gsub("[", "\\[", gsub("\\", "\\\\", text, fixed = TRUE), fixed = TRUE))
wrapped <- function(text, lead = "#' ", width = 130) paste(strwrap(text, width - nchar(lead), prefix = lead), collapse = "\n")

described <- function(parameter) {
  value <- parameter$default
  default <- if (is.character(value)) dQuote(value, FALSE) else if (is.logical(value)) toString(value) else format(value, digits = 15)
  of <- unlist(parameter$of)
  words <- if (length(of) > 0) paste0(" One of ", paste0("`\"", of, "\"`", collapse = ", "), ".") else ""
  bounds <- parameter$bounds
  range <- if (is.null(bounds)) "" else if (is.null(bounds$max)) sprintf(" At least %g.", bounds$min) else sprintf(" From %g to %g.", bounds$min, bounds$max)
  symbol <- if (is.character(parameter$symbol) && nzchar(parameter$symbol)) sprintf(" The paper's %s.", parameter$symbol) else ""
  text <- escaped(paste0("* `", parameter$name, "` (`", default, "`): ", parameter$doc, words, range, symbol))
  paste(strwrap(text, 126, prefix = "#' ", initial = "#' ", exdent = 2), collapse = "\n")
}

section <- function(method) {
  takes <- c(if (method$weighted) "weights", if (method$incomplete) "incomplete tables", if (method$affinities) "affinities and distances")
  paste(c(
    sprintf("#' @section `%s`: %s:", method$id, escaped(method$title)),
    wrapped(escaped(method$summary)),
    if (length(takes) > 0) wrapped(sprintf("Takes %s.", paste(takes, collapse = ", "))),
    wrapped(escaped(sprintf("Time: %s. Memory: %s.", method$time, method$memory))),
    if (nzchar(method$citation)) wrapped(escaped(paste0("Source: ", method$citation))),
    "#'",
    vapply(method$parameters, described, ""),
    "#'"
  ), collapse = "\n")
}

methods <- consilience:::registry()
head <- "# Made by scripts/generate_r.R from the registry of methods: change that, not this.

#' The methods and their parameters
#'
#' Parameters are given to [consilience()] by name: `consilience(x, 5, method = \"average\", neighbours = 15)`. They are checked by the
#' library; in brackets are their defaults.
#'
#' @name consilience_methods
#' @examples
#' methods_list()$id
#'"
writeLines(c(head, vapply(methods, section, ""), "NULL"), "r/R/methods.R")
