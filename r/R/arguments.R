# The arguments of a fit, checked in the words of R.

whole_number <- function(name, value, least, most = 2^53) {
  good <- is.numeric(value) && length(value) == 1 && !is.na(value) && value == round(value) && value >= least && value <= most
  if (!good) {
    limit <- if (most < 2^53) sprintf("from %g to %g", least, most) else sprintf("at least %g", least)
    refuse_parameter(name, value, paste0("must be a whole number, ", limit))
  }
  as.numeric(value)
}

one_of <- function(name, value, known) {
  if (is.character(value) && length(value) == 1 && value %in% known) {
    return(value)
  }
  refuse_parameter(name, value, paste("must be one of", paste0("\"", known, "\"", collapse = ", ")))
}

# How many clusters, or among how many the data choose: "auto", c(2, 10), 2:10.
clusters_of <- function(k) {
  if (identical(k, "auto")) {
    return(list(clusters = 1, choose = "auto"))
  }
  if (is.numeric(k) && length(k) == 1) {
    return(list(clusters = whole_number("k", k, 1), choose = NULL))
  }
  steps <- is.numeric(k) && length(k) >= 2 && !anyNA(k) && all(k == round(k)) && k[[1]] >= 2
  if (steps && (length(k) == 2 || all(diff(k) == 1)) && k[[length(k)]] > k[[1]]) {
    return(list(clusters = 1, choose = sprintf("%d-%d", as.integer(k[[1]]), as.integer(k[[length(k)]]))))
  }
  refuse_parameter("k", k, "must be a whole number, or a range such as c(2, 10) or 2:10, or \"auto\"")
}

# Weights that the user gives the views, by name or in their order.
weights_of <- function(weights, views) {
  if (is.null(weights)) {
    return(NULL)
  }
  if (!is.numeric(weights)) {
    refuse_parameter("weights", weights, "must be numbers, one for each view")
  }
  if (is.null(names(weights))) {
    if (length(weights) != length(views)) {
      refuse_parameter("weights", weights, sprintf("there are %d weights for %d views", length(weights), length(views)))
    }
    names(weights) <- views
  }
  storage.mode(weights) <- "double"
  weights
}

bytes_of <- function(memory) {
  if (is.null(memory)) {
    return(NULL)
  }
  if (!is.numeric(memory) || length(memory) != 1 || is.na(memory) || memory < 0.001 || memory > 1e6) {
    refuse_parameter("memory", memory, "must be a number of gigabytes, from 0.001 to 1000000")
  }
  memory * 1e9
}

# The parameters of a method, by their names in the registry.
parameters_of <- function(given, method) {
  if (length(given) == 0) {
    return(list())
  }
  if (is.null(names(given)) || any(names(given) == "")) {
    refuse(
      sprintf("the parameters of `%s` go by their names", method),
      "name them: consilience(x, k, neighbours = 10); help(\"consilience_methods\") lists them", "parameter"
    )
  }
  # what is meant for consilience() itself and misspelt would be called an unknown parameter of the method
  own <- setdiff(names(formals(consilience)), "...")
  for (name in setdiff(names(given), unlist(lapply(registry(), function(one) vapply(one$parameters, `[[`, "", "name"))))) {
    far <- utils::adist(name, own)[1, ]
    if (min(far) <= max(1, nchar(name) %/% 3)) {
      refuse(sprintf("unknown argument `%s`", name), sprintf("did you mean `%s`?", own[[which.min(far)]]), "unknown")
    }
  }
  given
}

# Everything that a fit is asked, as the library reads it.
asked_of <- function(k, method, parameters, weights, scale, landmarks, seed, restarts, memory, missing, views) {
  if (!is.character(method) || length(method) != 1 || is.na(method)) {
    refuse_parameter("method", method, "must be the name of a method; see methods_list()")
  }
  landmarks <- if (is.numeric(landmarks)) {
    sprintf("%.0f", whole_number("landmarks", landmarks, 1))
  } else {
    one_of("landmarks", landmarks, c("auto", "off"))
  }
  c(clusters_of(k), list(
    method = method,
    parameters = parameters_of(parameters, method),
    weights = weights_of(weights, views),
    scale = one_of("scale", scale, c("auto", "zscore", "unit", "minmax", "none")),
    landmarks = landmarks,
    seed = whole_number("seed", seed, 0),
    restarts = whole_number("restarts", restarts, 1, 10000),
    memory = bytes_of(memory),
    missing = one_of("missing", missing, c("refuse", "impute", "drop-samples", "drop-features"))
  ))
}

# How many threads may be used is asked when the work begins.
with_threads <- function(asked) {
  asked["threads"] <- list(threads())
  # a list drops what is set to NULL; the library looks for every name
  for (name in c("choose", "weights", "memory")) {
    if (is.null(asked[[name]])) asked[name] <- list(NULL)
  }
  asked
}
