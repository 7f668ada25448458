//! `consilience`: several feature matrices of the same samples in, one clustering out.
//!
//! Data go to stdout, talk to stderr. Exit codes: 0 done, 1 the output could not be written, 2 bad input or
//! usage, 130 interrupted.

mod args;
mod card;
mod closed;
mod commands;
mod hints;
mod interrupt;
mod output;
mod progress;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use consilience::{Error, printable};

use args::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    output::set_talk(arguments.quiet, arguments.verbose);
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn run(arguments: Arguments) -> consilience::Result<()> {
    match arguments.command {
        Command::Cluster(options) => commands::cluster::run(&options),
        Command::Cut(options) => commands::cut::run(&options),
        Command::Predict(options) => commands::predict::run(&options),
        Command::Evaluate(options) => commands::evaluate::run(&options),
        Command::Inspect(options) => commands::inspect::run(&options),
        Command::Methods(options) => commands::methods::run(&options),
        Command::Demo(options) => commands::demo::run(&options),
        Command::Synthesize(options) => commands::synthesize::run(&options),
        Command::Report(options) => commands::report::run(&options),
        Command::Plot(options) => commands::plot::run(&options),
    }
}

/// Says what went wrong, and what to do where that is known.
fn fail(error: &Error) -> ExitCode {
    // whoever closed our stdout (`| head`) has what they wanted
    if let Error::Io { source, .. } = error
        && source.kind() == std::io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let mut stderr = std::io::stderr().lock();
    // a message that cannot be shown must not hide the exit code
    let _ = writeln!(stderr, "error: {}", printable(&error.to_string()));
    if let Some(hint) = error.hint() {
        let _ = writeln!(stderr, "hint: {}", printable(&hints::worded(&hint)));
    }
    ExitCode::from(match error {
        Error::Cancelled => 130,
        Error::Io { action: "write", .. } => 1,
        _ => 2,
    })
}
