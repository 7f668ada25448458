#' Multi-view clustering of samples described by several tables
#'
#' [consilience()] clusters samples that several tables describe. What it gives is printed, plotted ([plot.consilience()]), examined
#' ([examine()]), shown as a page ([report()]), asked for new samples ([predict.consilience()]), cut to fewer clusters
#' ([cut.consilience()]), and kept as a file that the command line and Python read too ([save_model()]). [methods_list()] and
#' [consilience_methods] say which methods there are.
#'
#' @section Options:
#' * `consilience.threads`: the most threads that are used; all cores when it is not set, two inside `R CMD check`. Labels do not
#'   depend on it.
#' * `consilience.progress`: whether work of more than a second shows how far it is; by default where R is used interactively.
#'
#' @name consilience-package
#' @docType package
#' @keywords internal
#' @useDynLib consilience, .registration = TRUE
#' @importFrom stats predict
#' @importFrom graphics plot
NULL

# ggplot2's pronoun for columns
utils::globalVariables(".data")
