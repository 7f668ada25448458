//! `consilience bench-worker`: one run of a bench, in a process of its own.

use std::io::{BufRead, Read};

use consilience::{Error, Result};
use consilience_experiments::worker::{Order, execute};

use crate::output::print;

pub(crate) fn run() -> Result<()> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|source| Error::reading(std::path::Path::new("stdin"), source))?;
    let order: Order = serde_json::from_str(&line).map_err(|error| {
        Error::data_with_hint(
            format!("stdin holds no job: {error}"),
            "this command is for `consilience bench`, not for people",
        )
    })?;
    std::thread::spawn(leave_with_parent);
    let outcome = execute(&order);
    let text = serde_json::to_string(&outcome)
        .map_err(|error| Error::data(format!("the outcome cannot be written as JSON: {error}")))?;
    print(&(text + "\n"))
}

/// The parent holds stdin open as long as it lives. When it is gone, nobody wants the result, and the bench that goes on
/// in its place needs the cores.
fn leave_with_parent() {
    let mut rest = Vec::new();
    // an error is an end, too
    let _ = std::io::stdin().lock().read_to_end(&mut rest);
    std::process::exit(130);
}
