test_that("Ctrl-C stops a fit within a second, and R goes on", {
  skip_on_os("windows")
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "library(consilience)",
    "set.seed(1)",
    "x <- list(a = matrix(rnorm(12000 * 60), 12000), b = matrix(rnorm(12000 * 40), 12000))",
    "cat('begun\\n')",
    "at <- proc.time()[['elapsed']]",
    "stopped <- tryCatch({ consilience(x, 10); FALSE }, interrupt = function(i) TRUE)",
    "cat('stopped', stopped, proc.time()[['elapsed']] - at, '\\n')",
    "cat('alive', consilience(list(a = matrix(c(rnorm(20), rnorm(20, 9)), 20, byrow = TRUE)), 2)$k, '\\n')"
  ), script)
  out <- tempfile()
  rscript <- file.path(R.home("bin"), "Rscript")
  system2("sh", c("-c", shQuote(sprintf("%s %s > %s 2>&1 & echo $!", rscript, script, out))), stdout = TRUE) -> pid
  deadline <- Sys.time() + 60
  while (!any(grepl("begun", readLines(out, warn = FALSE))) && Sys.time() < deadline) Sys.sleep(0.1)
  Sys.sleep(1)
  sent <- Sys.time()
  tools::pskill(as.integer(pid), tools::SIGINT)
  while (!any(grepl("alive", readLines(out, warn = FALSE))) && Sys.time() < sent + 30) Sys.sleep(0.05)
  lines <- readLines(out, warn = FALSE)
  expect_match(lines, "stopped TRUE", all = FALSE)
  expect_match(lines, "alive 2", all = FALSE)
})
