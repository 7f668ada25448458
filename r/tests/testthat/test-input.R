test_that("the forms of a table give the same clusters", {
  data <- groups()
  fit <- consilience(data$x, 3)
  expect_s3_class(fit, "consilience")
  expect_identical(names(fit$cluster), data$ids)
  expect_identical(levels(fit$cluster), c("0", "1", "2"))
  expect_identical(as.integer(fit$cluster[1]), 1L)
  expect_same_groups(fit, data$group)
  frames <- lapply(data$x, as.data.frame)
  expect_identical(consilience(frames, 3)$cluster, fit$cluster)
  whole <- data$x
  storage.mode(whole$rna) <- "integer"
  expect_same_groups(consilience(whole, 3), data$group)
})

test_that("sparse matrices are those of the same numbers", {
  skip_if_not_installed("Matrix")
  data <- groups()
  data$x <- lapply(data$x, function(table) pmax(round(abs(table)) - 3, 0))
  sparse <- lapply(data$x, function(table) methods::as(methods::as(table, "CsparseMatrix"), "generalMatrix"))
  expect_s4_class(sparse$rna, "dgCMatrix")
  # `auto` scales by how a table is stored; the same scaling has to be asked for
  dense <- suppressWarnings(consilience(data$x, 3, scale = "unit"))
  found <- suppressWarnings(consilience(sparse, 3, scale = "unit"))
  expect_identical(found$cluster, dense$cluster)
  by_row <- suppressWarnings(consilience(lapply(sparse, function(table) methods::as(table, "RsparseMatrix")), 3, scale = "unit"))
  expect_identical(by_row$cluster, dense$cluster)
})

test_that("one table is one view, and unnamed tables are numbered", {
  data <- groups()
  expect_identical(consilience(data$x$rna, 3)$views$name, "view1")
  expect_identical(consilience(unname(data$x), 3)$views$name, c("view1", "view2"))
})

test_that("row names decide which rows are the same sample", {
  data <- groups()
  fit <- consilience(data$x, 3)
  set.seed(2)
  order <- sample(length(data$ids))
  mixed <- list(rna = data$x$rna, protein = data$x$protein[order, ])
  said <- capture_messages(found <- consilience(mixed, 3))
  expect_identical(found$cluster, fit$cluster)
  expect_match(said, "protein", all = FALSE)
  # data frames without row names of their own go by the order of their rows
  plain <- lapply(data$x, function(table) data.frame(unname(table)))
  expect_null(names(consilience(plain, 3)$cluster))
})

test_that("tables of other samples are refused, joined or completed", {
  data <- groups()
  some <- list(rna = data$x$rna[-(1:4), ], protein = data$x$protein[-60, ])
  error <- error_of(consilience(some, 3))
  expect_s3_class(error, "consilience_error_data")
  expect_match(conditionMessage(error), "join = \"inner\"", fixed = TRUE)
  inner <- suppressMessages(consilience(some, 3, join = "inner"))
  expect_identical(names(inner$cluster), data$ids[5:59])
  outer <- suppressMessages(consilience(some, 3, join = "outer"))
  expect_setequal(names(outer$cluster), data$ids)
  expect_same_groups(outer, data$group[match(names(outer$cluster), data$ids)])
  expect_identical(outer$views$samples, c(56L, 59L))
  expect_match(conditionMessage(error_of(suppressMessages(consilience(some, 3, method = "mfmsc", join = "outer")))), "slrmf")
})

test_that("distances and affinities are tables of samples x samples", {
  data <- groups()
  fit <- consilience(list(rna = stats::dist(data$x$rna), protein = data$x$protein), 3)
  expect_same_groups(fit, data$group)
  alike <- exp(-as.matrix(stats::dist(data$x$rna)))
  found <- consilience(list(net = alike, protein = data$x$protein), 3, precomputed = c(net = "affinity"))
  expect_same_groups(found, data$group)
  order <- rev(data$ids)
  turned <- suppressMessages(consilience(list(protein = data$x$protein, net = alike[order, order]), 3, precomputed = c(net = "affinity")))
  expect_same_groups(turned, data$group)
  expect_error(consilience(list(net = alike[, order]), 3, precomputed = "affinity"), "not in the order of its rows")
  expect_error(consilience(list(net = alike), 3, precomputed = c(netz = "affinity")), "must name views")
})

test_that("missing values are refused with their place, filled in or left out", {
  data <- groups()
  holes <- data$x
  holes$rna[7, 2] <- NA
  error <- error_of(consilience(holes, 3))
  expect_match(conditionMessage(error), "rna")
  expect_match(conditionMessage(error), "missing = \"impute\"", fixed = TRUE)
  expect_same_groups(suppressMessages(consilience(holes, 3, missing = "impute")), data$group)
  dropped <- suppressMessages(consilience(holes, 3, missing = "drop-samples"))
  expect_identical(names(dropped$cluster), data$ids[-7])
  expect_identical(dropped$kept, setdiff(1:60, 7L))
})

test_that("what is no table of numbers is refused in words", {
  data <- groups()
  expect_error(consilience(list(), 3), "empty list", class = "consilience_error_data")
  expect_error(consilience(NULL, 3), "is NULL")
  expect_error(consilience("tumours.csv", 3), "read the file first")
  text <- cbind(as.data.frame(data$x$rna), stage = "II")
  expect_error(consilience(list(rna = text), 3), "column `stage` holds character")
  expect_error(consilience(list(a = 1:10), 3), "cbind")
  expect_error(consilience(list(a = array(0, c(2, 2, 2))), 3), "3 dimensions")
  expect_error(consilience(list(a = matrix("x", 3, 2)), 3), "character, not numbers")
  twice <- data$x
  rownames(twice$rna)[2] <- "s1"
  expect_error(consilience(twice, 3), "same id `s1`")
})
