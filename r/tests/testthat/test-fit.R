test_that("parameters are checked by the registry", {
  data <- groups()
  expect_error(consilience(data$x, 3, method = "slrmff"), "did you mean `slrmf`", class = "consilience_error_unknown")
  expect_error(consilience(data$x, 3, method = "average", neighbour = 5), "neighbour", class = "consilience_error_unknown")
  expect_error(consilience(data$x, 3, method = "average", neighbours = -5), "neighbours", class = "consilience_error_parameter")
  expect_error(consilience(data$x, 3, method = "average", neighbours = NA), "neighbours", class = "consilience_error_parameter")
  expect_error(consilience(data$x, 3, "average", 5), "go by their names")
  expect_error(consilience(data$x, 3, mehtod = "snf"), "did you mean `method`", class = "consilience_error_unknown")
  expect_error(consilience(data$x, 3, wieghts = 1:2), "did you mean `weights`")
  expect_error(consilience(data$x, 3, entries = 5), "unknown parameter `entries`")
  fit <- suppressWarnings(consilience(data$x, 3, method = "average", neighbours = 7))
  expect_equal(fit$parameters$neighbours, 7)
  expect_error(consilience(data$x, 3, scale = "huge"), "must be one of", class = "consilience_error_parameter")
  expect_error(consilience(data$x, 61), "61", class = "consilience_error_clusters")
  expect_error(consilience(data$x, 2.5), "whole number", class = "consilience_error_parameter")
  expect_error(consilience(data$x), "are needed")
  expect_error(consilience(data$x, 3, seed = -1), "seed")
})

test_that("every method that is not n x n runs by its name", {
  data <- groups()
  known <- methods_list()
  expect_true("slrmf" %in% known$id)
  for (id in known$id[!known$quadratic]) {
    fit <- suppressWarnings(consilience(data$x, 3, method = id))
    expect_identical(fit$method, id)
    expect_length(fit$cluster, 60)
  }
})

test_that("the data choose k from a range", {
  data <- groups()
  fit <- consilience(data$x, 2:6)
  expect_identical(fit$k, 3L)
  expect_identical(consilience(data$x, c(2, 6))$cluster, fit$cluster)
  expect_identical(fit$choice$candidates[[1]]$k, 3)
  expect_output(print(fit), "the data chose k = 3")
  expect_error(consilience(data$x, c(6, 2)), "range")
})

test_that("weights count, by name or in order", {
  data <- groups()
  fit <- consilience(data$x, 3, weights = c(protein = 3, rna = 1))
  expect_equal(fit$views$weight, c(0.25, 0.75))
  expect_equal(consilience(data$x, 3, weights = c(1, 3))$views$weight, c(0.25, 0.75))
  expect_error(consilience(data$x, 3, weights = 1), "1 weights for 2 views")
  expect_error(consilience(data$x, 3, weights = c(rna = 1, dna = 2)), "dna")
})

test_that("labels depend on data and seed alone, not on R's random numbers or threads", {
  data <- groups(apart = 1)
  set.seed(1)
  fit <- suppressWarnings(consilience(data$x, 3))
  before <- .Random.seed
  set.seed(2)
  old <- options(consilience.threads = 1)
  on.exit(options(old))
  expect_identical(suppressWarnings(consilience(data$x, 3))$cluster, fit$cluster)
  set.seed(1)
  suppressWarnings(consilience(data$x, 3, seed = 5))
  expect_identical(.Random.seed, before)
  options(consilience.threads = 0)
  expect_error(consilience(data$x, 3), "consilience.threads")
})

test_that("confidence and memberships go with the clusters", {
  data <- groups()
  fit <- consilience(data$x, 3)
  shares <- memberships(fit)
  expect_equal(dim(shares), c(60L, 3L))
  expect_equal(unname(rowSums(shares)), rep(1, 60))
  expect_identical(max.col(shares, "first"), as.integer(fit$cluster))
  expect_identical(colnames(shares), levels(fit$cluster))
  expect_equal(unname(confidence(fit)), unname(apply(shares, 1, max)))
  expect_equal(sum(fit$views$weight), 1)
})

test_that("a fit is cut to fewer clusters", {
  data <- groups()
  fit <- consilience(data$x, 3)
  expect_identical(cut(fit, 3), fit$cluster)
  two <- cut(fit, 2)
  expect_identical(levels(two), c("0", "1"))
  expect_identical(rowSums(table(fit$cluster, two) > 0), c(`0` = 1, `1` = 1, `2` = 1))
  tree <- as.hclust(fit)
  expect_identical(unname(stats::cutree(tree, 2)[fit$cluster]), as.integer(two))
  expect_identical(tree$labels, levels(fit$cluster))
  expect_true(all(cut(fit, 1) == "0"))
  expect_error(cut(fit, 4), "from 1 to 3")
})

test_that("warnings and notes are conditions with classes", {
  set.seed(3)
  noise <- list(a = matrix(rnorm(400), 100), b = matrix(rnorm(300), 100))
  caught <- NULL
  fit <- withCallingHandlers(consilience(noise, "auto"), consilience_warning = function(w) {
    caught <<- c(caught, w$kind)
    invokeRestart("muffleWarning")
  })
  expect_true("no_structure" %in% caught)
  expect_identical(fit$k, 1L)
  expect_identical(vapply(fit$warnings, `[[`, "", "kind"), caught)
})

test_that("the registry is documented as it is", {
  page <- tools::Rd_db("consilience")[["consilience_methods.Rd"]]
  text <- gsub("[[:space:]]+", " ", paste(utils::capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE))), collapse = " "))
  flat <- function(words) gsub("[[:space:]\u2018\u2019'`\"\u201c\u201d_\b]+", "", words)
  for (method in consilience:::registry()) {
    expect_match(flat(text), flat(method$title), fixed = TRUE, info = method$id)
    for (parameter in method$parameters) {
      value <- parameter$default
      shown <- if (is.logical(value)) toString(value) else if (is.character(value)) value else format(value, digits = 15)
      expect_match(flat(text), flat(paste0(parameter$name, " (", shown, "): ", parameter$doc)), fixed = TRUE, info = paste(method$id, parameter$name, "run scripts/generate_r.R"))
    }
  }
})
