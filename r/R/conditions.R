# Errors, warnings and notes of the library as R's conditions.

#' Conditions of this package
#'
#' Errors have the class `consilience_error`, and a second one that says what they are about: `consilience_error_data`,
#' `_parameter`, `_clusters`, `_unknown` (a name), `_file` or `_memory`. `hint` says what to do. Warnings have
#' the class `consilience_warning` and `consilience_warning_` with their `kind`, such as `no_structure`, `corrupted_view` or
#' `unsupported_view`; `view` is the table they are about, or NULL. What was decided while the tables were read and joined is a
#' `message` of the class `consilience_note`. So `tryCatch(.., consilience_warning_no_structure = ..)` catches one kind, and
#' `suppressMessages()` silences the notes.
#'
#' @name consilience-conditions
#' @examples
#' x <- list(a = matrix(rnorm(40), 20), b = matrix(rnorm(60), 20))
#' tryCatch(
#'   consilience(x, 3, method = "slrmff"),
#'   consilience_error_unknown = function(error) cat(conditionMessage(error), "\n")
#' )
NULL

# Stops in the words of the package.
refuse <- function(message, hint = NULL, kind = "data", ..., call = NULL) {
  text <- if (is.null(hint)) message else paste0(message, "\nhint: ", hint)
  classes <- c(paste0("consilience_error_", kind), "consilience_error", "error", "condition")
  stop(structure(class = classes, list(message = text, call = call, hint = hint, kind = kind, ...)))
}

refuse_parameter <- function(name, value, expected, hint = NULL) {
  shown <- paste(utils::head(format(value), 5), collapse = ", ")
  refuse(sprintf("parameter `%s` = `%s`: %s", name, shown, expected), hint, kind = "parameter", parameter = name)
}

# What the library answered, or the condition that it is.
answer <- function(value, ids = NULL) {
  if (!inherits(value, "consilience_failure")) {
    return(value)
  }
  message <- value$message
  if (!is.null(value$row) && !is.null(ids)) {
    message <- sprintf("%s: sample `%s`", message, ids[[value$row]])
  }
  refuse(message, value$hint, value$kind, row = value$row)
}

# Tells what the user should know: a condition for each.
tell <- function(notes, warnings = list()) {
  for (note in notes) {
    classes <- c(paste0("consilience_note_", note$kind), "consilience_note", "message", "condition")
    message(structure(class = classes, list(message = paste0("note: ", note$message, "\n"), call = NULL, kind = note$kind, view = note$view)))
  }
  for (warned in warnings) {
    classes <- c(paste0("consilience_warning_", warned$kind), "consilience_warning", "warning", "condition")
    warning(structure(class = classes, list(message = in_r(warned$message), call = NULL, kind = warned$kind, view = warned$view)))
  }
}

# Sentences of the library name parameters as `robust=never`; R writes robust = "never".
in_r <- function(text) gsub("\\(([a-z_]+)=([a-z_]+) ", "(\\1 = \"\\2\" ", text)
