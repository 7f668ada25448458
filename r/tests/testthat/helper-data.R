# Three groups in two tables; `apart` standard deviations between them.
groups <- function(n = 20, apart = 6, seed = 1) {
  set.seed(seed)
  group <- rep(1:3, each = n)
  ids <- paste0("s", seq_along(group))
  table <- function(width, sign) {
    values <- matrix(rnorm(3 * n * width), 3 * n) + sign * apart * outer(group, seq_len(width) %% 2 + 0.5)
    dimnames(values) <- list(ids, paste0("f", seq_len(width)))
    values
  }
  list(x = list(rna = table(5, 1), protein = table(3, -1)), group = group, ids = ids)
}

# The same groups, whatever their numbers.
expect_same_groups <- function(found, truth) {
  testthat::expect_equal(unname(consilience::scores(found, truth))[[1]], 1)
}

# What a failing call says.
error_of <- function(code) tryCatch({ code; NULL }, consilience_error = identity)
