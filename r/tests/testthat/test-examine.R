test_that("an examination says how far a fit may be trusted", {
  data <- groups()
  fit <- consilience(data$x, 3)
  asked <- examine(fit, resamples = 4, truth = stats::setNames(letters[data$group], data$ids))
  found <- asked$examination
  expect_true(nzchar(found$verdict$headline))
  expect_output(print(asked), substr(found$verdict$headline, 1, 20), fixed = TRUE)
  expect_identical(found$clusters$size, as.numeric(table(fit$cluster)))
  expect_identical(found$views$name, c("rna", "protein"))
  expect_identical(rownames(found$samples), data$ids)
  expect_identical(found$samples$cluster, unname(fit$cluster))
  expect_equal(found$samples$confidence, unname(fit$confidence), tolerance = 0.003)
  expect_true(all(found$samples$silhouette > 0))
  expect_true(all(c("rna", "protein") %in% found$markers$view))
  table <- as.data.frame(asked)
  expect_identical(table$sample, data$ids)
  expect_true("stability" %in% names(table))
  expect_output(print(summary(asked)), "How far it may be trusted")
  expect_output(print(summary(fit)), "Parameters of the method")
  page <- report(asked, tempfile(fileext = ".html"))
  expect_match(readLines(page, 1, warn = FALSE), "<!doctype html>", fixed = TRUE)
  expect_error(report(fit, "/nowhere/page.html"), class = "consilience_error_file")
  expect_error(report(fit), "report.html")
  expect_error(examine(fit, truth = letters[1:3]), "3 classes for 60 samples")
  expect_error(examine(fit, share = 2), "between 0 and 1")
  expect_true(nzchar(examine(fit, resamples = 2, share = 0.6)$examination$verdict$headline))
})

test_that("an examination without kept tables asks for them, and refuses others", {
  data <- groups()
  fit <- consilience(data$x, 3, keep_data = FALSE)
  expect_error(examine(fit), "x =")
  expect_true(nzchar(examine(fit, resamples = 0, x = data$x)$examination$verdict$headline))
  other <- data$x
  mixed <- c(rbind(1:20, 21:40, 41:60))
  other <- lapply(other, function(table) `rownames<-`(table[mixed, ], data$ids))
  expect_error(examine(fit, resamples = 0, x = other), "other labels than the fit")
})

test_that("markers are those of the clusters", {
  data <- groups()
  data$x$rna <- cbind(data$x$rna, noise = rnorm(60))
  found <- markers(consilience(data$x, 3), features = 4)
  expect_true(all(c("cluster", "view", "feature", "auc", "p") %in% names(found)))
  expect_false("noise" %in% found$feature)
  expect_identical(levels(found$cluster), c("0", "1", "2"))
  # larger inside than outside, or smaller
  expect_gt(abs(found$auc[[1]] - 0.5), 0.45)
  expect_error(markers(consilience(data$x, 3), features = 0), "features")
})

test_that("every picture is drawn by both engines", {
  data <- groups()
  fit <- examine(consilience(data$x, 2:5), resamples = 0)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (type in c("map", "affinity", "silhouette", "markers", "k", "tree")) {
    table <- plot(fit, type, engine = "base")
    expect_gt(nrow(table), 2)
    if (requireNamespace("ggplot2", quietly = TRUE)) {
      drawing <- plot(fit, type, engine = "ggplot2")
      expect_s3_class(drawing, "ggplot")
      expect_gt(nrow(ggplot2::layer_data(drawing, length(drawing$layers))), 0)
    }
  }
  expect_identical(nlevels(plot(fit, "map", colour = letters[data$group], engine = "base")$colour), 3L)
  expect_error(plot(fit, "map", colour = 1:3), "each of 60 samples")
  expect_error(plot(consilience(data$x, 3), "k"), "k was given")
})

test_that("scores compare labels with classes", {
  expect_equal(unname(scores(c(1, 1, 2, 2), c("b", "b", "a", "a"))[[1]]), 1)
  expect_error(scores(1:2, 1:3), "2 labels and 3 classes")
})
