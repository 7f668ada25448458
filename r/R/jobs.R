# Long work: Rust does it in threads of its own, and R asks whether it is done. Between two questions R sees Ctrl-C itself.

# How many threads are asked for; 0 are all cores.
threads <- function() {
  asked <- getOption("consilience.threads")
  checked <- tolower(Sys.getenv("_R_CHECK_LIMIT_CORES_", ""))
  limited <- nzchar(checked) && checked != "false"
  if (is.null(asked)) {
    return(if (limited) 2L else 0L)
  }
  asked <- whole_number("options(consilience.threads =)", asked, 1, 1024)
  if (limited) min(asked, 2L) else asked
}

# Waits for a job, shows how far it is, and stops it where the user stops R.
finished <- function(job, ids = NULL, what = "consilience") {
  job <- answer(job)
  done <- FALSE
  on.exit(if (!done) .Call(wrap__job_cancel, job))
  shown <- progress_line(what)
  on.exit(shown$clear(), add = TRUE)
  repeat {
    found <- .Call(wrap__job_wait, job, 0.05)
    if (!is.null(found)) {
      break
    }
    shown$update(job)
    # where R looks whether the user wants it to stop
    Sys.sleep(0)
  }
  done <- TRUE
  answer(found, ids)
}

# One line on stderr for what takes longer than a second.
progress_line <- function(what) {
  wanted <- isTRUE(getOption("consilience.progress", interactive()))
  begin <- proc.time()[["elapsed"]]
  width <- 0L
  list(
    update = function(job) {
      if (!wanted || proc.time()[["elapsed"]] - begin < 1) {
        return()
      }
      at <- .Call(wrap__job_position, job)
      far <- if (at$total > 0) sprintf(" %d of %d", as.integer(at$done), as.integer(at$total)) else ""
      line <- sprintf("%s: %s%s, %.0f s", what, at$stage, far, proc.time()[["elapsed"]] - begin)
      cat("\r", formatC(line, width = -width), sep = "", file = stderr())
      width <<- max(width, nchar(line))
    },
    clear = function() if (width > 0L) cat("\r", strrep(" ", width), "\r", sep = "", file = stderr())
  )
}
