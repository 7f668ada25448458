# The command line, Python and R give the same labels for the same data and seed. The program and the interpreter are named by
# environment variables; `make r` sets them.

named_by <- function(variable, what) {
  path <- Sys.getenv(variable)
  if (!nzchar(path)) {
    cat(sprintf("skipped: %s is not set, so nothing is compared with %s\n", variable, what))
    skip(sprintf("%s is not set", variable))
  }
  path
}

written <- function(tables, folder) {
  vapply(names(tables), function(name) {
    file <- file.path(folder, paste0(name, ".csv"))
    table <- tables[[name]]
    # 17 digits are the very numbers
    text <- rbind(c("id", colnames(table)), cbind(rownames(table), formatC(table, digits = 17, format = "g", width = 1)))
    writeLines(apply(text, 1, paste, collapse = ","), file)
    file
  }, "")
}

# of `sample,label,confidence`
numbers_of <- function(lines) as.integer(vapply(strsplit(lines, ","), `[[`, "", 2))

names_as_numbers <- function(clusters) as.integer(as.character(clusters))

cases <- function() {
  data <- groups(apart = 1.5)$x
  some <- list(rna = data$rna, protein = data$protein[sample(60, 50), ])
  list(
    list(x = data, k = 3, method = "slrmf", seed = 0, join = "strict"),
    list(x = data, k = 4, method = "snf", seed = 7, join = "strict"),
    list(x = data, k = 5, method = "kmeans", seed = 3, join = "strict"),
    list(x = some, k = 3, method = "slrmf", seed = 1, join = "outer")
  )
}

test_that("the program gives the same labels", {
  program <- named_by("CONSILIENCE_PROGRAM", "the program")
  for (case in cases()) {
    folder <- tempfile()
    dir.create(folder)
    files <- written(case$x, folder)
    asked <- c("cluster", files, "-k", case$k, "--method", case$method, "--seed", case$seed, "--join", case$join, "-q")
    lines <- system2(program, asked, stdout = TRUE, stderr = FALSE)
    fit <- suppressWarnings(suppressMessages(consilience(case$x, case$k, case$method, seed = case$seed, join = case$join)))
    expect_identical(gsub("^\"|\"$", "", sub(",.*", "", lines[-1])), names(fit$cluster))
    expect_identical(numbers_of(lines[-1]), names_as_numbers(fit$cluster))
  }
})

test_that("the program's model is read, and reads ours", {
  program <- named_by("CONSILIENCE_PROGRAM", "the program")
  data <- groups()$x
  folder <- tempfile()
  dir.create(folder)
  files <- written(data, folder)
  run <- file.path(folder, "run")
  system2(program, c("cluster", files, "-k", 3, "-q", "-o", run), stdout = FALSE, stderr = FALSE)
  theirs <- load_model(run)
  fit <- consilience(data, 3)
  expect_identical(theirs$cluster, fit$cluster)
  ours <- save_model(fit, file.path(folder, "ours.safetensors"))
  lines <- system2(program, c("predict", ours, files, "-q"), stdout = TRUE, stderr = FALSE)
  expect_identical(numbers_of(lines[-1]), names_as_numbers(predict(fit, data)))
})

test_that("Python gives the same labels, and reads the model", {
  python <- named_by("CONSILIENCE_PYTHON", "Python")
  data <- groups(apart = 1.5)$x
  folder <- tempfile()
  dir.create(folder)
  files <- written(data, folder)
  fit <- suppressWarnings(consilience(data, 4, seed = 11))
  model <- save_model(fit, file.path(folder, "model.safetensors"))
  script <- file.path(folder, "labels.py")
  writeLines(c(
    "import sys, pandas, consilience",
    "rna, protein, model = sys.argv[1:]",
    "X = {'rna': pandas.read_csv(rna, index_col=0, float_precision='round_trip'),",
    "     'protein': pandas.read_csv(protein, index_col=0, float_precision='round_trip')}",
    "print(*consilience.SLRMF(n_clusters=4, random_state=11).fit(X).labels_)",
    "print(*consilience.load(model).labels_)"
  ), script)
  lines <- system2(python, c("-P", "-W", "ignore", script, files, model), stdout = TRUE)
  theirs <- lapply(strsplit(lines, " "), as.integer)
  expect_identical(theirs[[1]], names_as_numbers(fit$cluster))
  expect_identical(theirs[[2]], names_as_numbers(fit$cluster))
})
