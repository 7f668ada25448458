//! `consilience-lab`: plans in TOML, runs in processes of their own, committed results, and the pages made from them.
//!
//! Run from the tree, not installed. Data go to stdout, messages to stderr. Exit codes: 0 done, 1 the output could not be
//! written or runs failed, 2 bad input or usage, 130 interrupted.

mod args;
mod bench;
mod child;
mod data;
mod job;
mod pages;
mod plan;
mod row;
mod runner;
mod selection;
mod store;
mod talk;
#[cfg(test)]
mod tests;
mod worker;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use consilience::{Error, Hint, Result};

use args::{Arguments, Command};

fn main() -> ExitCode {
    run(Arguments::parse().command).unwrap_or_else(|error| fail(&error))
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Bench(options) => bench::run(&options),
        Command::Tables { results } => pages::run(&[Path::new("--tables"), &results]),
        Command::Reproduction { check, fresh } => {
            let options = [check.then_some(Path::new("--check")), fresh.then_some(Path::new("--fresh"))];
            pages::run(&options.into_iter().flatten().collect::<Vec<_>>())
        }
        Command::BenchWorker => worker::serve().map(|()| ExitCode::SUCCESS),
    }
}

/// Says what went wrong, and what to do where that is known.
fn fail(error: &Error) -> ExitCode {
    talk::say(&format!("error: {error}"));
    if let Some(hint) = error.hint().as_ref().and_then(Hint::text) {
        talk::say(&format!("hint: {hint}"));
    }
    ExitCode::from(match error {
        Error::Cancelled => 130,
        Error::Io { action: "write", .. } => 1,
        _ => 2,
    })
}
