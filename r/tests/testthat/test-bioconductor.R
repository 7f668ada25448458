test_that("a MultiAssayExperiment is a table per assay, patients matched by its sampleMap", {
  skip_if_not_installed("MultiAssayExperiment")
  data <- groups()
  library_of <- function(table, suffix) {
    turned <- t(table)
    colnames(turned) <- paste0(colnames(turned), suffix)
    turned
  }
  rna <- library_of(data$x$rna, "-R")
  protein <- library_of(data$x$protein[c(60:31, 1:20), ], "-P")
  map <- rbind(
    data.frame(assay = "rna", primary = sub("-R", "", colnames(rna)), colname = colnames(rna)),
    data.frame(assay = "protein", primary = sub("-P", "", colnames(protein)), colname = colnames(protein))
  )
  map$assay <- factor(map$assay)
  mae <- MultiAssayExperiment::MultiAssayExperiment(
    list(rna = rna, protein = protein), data.frame(row.names = data$ids, group = data$group), S4Vectors::DataFrame(map)
  )
  tables <- views(mae)
  expect_identical(rownames(tables$protein), data$ids[c(60:31, 1:20)])
  fit <- suppressMessages(consilience(mae, 3))
  expect_same_groups(fit, data$group[match(names(fit$cluster), data$ids)])
  expect_identical(fit$views$samples, c(60L, 50L))
  plain <- suppressMessages(consilience(list(rna = data$x$rna, protein = data$x$protein[c(60:31, 1:20), ]), 3, join = "outer"))
  expect_identical(fit$cluster, plain$cluster)
  one <- consilience(mae, 3, assays = "rna")
  expect_identical(one$views$name, "rna")
  expect_error(consilience(mae, 3, assays = "dna"), "no assay `dna`")
  labelled <- add_clusters(mae, fit)
  found <- MultiAssayExperiment::colData(labelled)
  expect_identical(found[names(fit$cluster), "cluster"], unname(fit$cluster))
  expect_error(add_clusters(data$x, fit), "no column data")
})

test_that("a SingleCellExperiment is its own table and those of its altExps", {
  skip_if_not_installed("SingleCellExperiment")
  data <- groups()
  proteins <- SummarizedExperiment::SummarizedExperiment(list(values = t(data$x$protein)))
  sce <- SingleCellExperiment::SingleCellExperiment(
    list(counts = t(round(abs(data$x$rna))), logcounts = t(data$x$rna)), altExps = list(ADT = proteins)
  )
  tables <- views(sce)
  expect_identical(names(tables), c("main", "ADT"))
  expect_identical(unname(tables$main), unname(data$x$rna))
  fit <- consilience(sce, 3)
  expect_identical(fit$cluster, consilience(stats::setNames(data$x, c("main", "ADT")), 3)$cluster)
  labelled <- add_clusters(sce, fit, "multi")
  expect_identical(SummarizedExperiment::colData(labelled)$multi, unname(fit$cluster))
  expect_error(consilience(sce, 3, assays = "none"), "known: counts, logcounts")
  counts <- consilience(sce, 3, assays = c("counts", "logcounts"))
  expect_identical(counts$views$name, c("counts", "logcounts"))
})
