library(testthat)
library(consilience)

test_check("consilience")
