//! One run in a process of its own, watched: it is ended when it takes too long, too much memory, or is not wanted.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use consilience::{Error, Result};

use crate::plan::Limits;
use crate::worker::{Order, Outcome};

/// How often a child is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// Why a child was ended.
enum Reason {
    Halted,
    Time,
    Memory,
}

/// How the run went; nothing when it was not wanted any more.
pub(crate) fn run(program: &Path, order: &Order, limits: Limits, halted: &dyn Fn() -> bool) -> Result<Option<Outcome>> {
    let started = Instant::now();
    let failed = |error| Error::data(format!("`{} bench-worker` cannot be started: {error}", program.display()));
    let mut child = command(program).spawn().map_err(failed)?;
    let text = serde_json::to_string(order)
        .map_err(|error| Error::data(format!("the job cannot be written as JSON: {error}")))?;
    // held open until the child has ended: its end tells the child that this process is gone
    let mut input = child.stdin.take();
    if let Some(pipe) = &mut input {
        // a child that cannot be told has died, and its status says how
        let _ = writeln!(pipe, "{text}").and_then(|()| pipe.flush());
    }
    let (output, errors) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let (reason, peak_mb) = watch(&mut child, limits, started, halted);
    if reason.is_some() {
        // it may have ended meanwhile, which is just as well
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    drop(input);
    let (output, errors) = (joined(output), joined(errors));
    let failure = match reason {
        Some(Reason::Halted) => return Ok(None),
        Some(Reason::Time) => format!("time limit of {} s", limits.seconds.unwrap_or(0.0)),
        Some(Reason::Memory) => format!("memory limit of {} GB", limits.memory.unwrap_or(0) as f64 / 1e9),
        None => match serde_json::from_str(output.trim()) {
            Ok(outcome) => return Ok(Some(outcome)),
            Err(_) => death(status, &errors),
        },
    };
    let seconds = started.elapsed().as_secs_f64();
    Ok(Some(Outcome { note: failure, seconds, peak_mb, ..Outcome::default() }))
}

fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg("bench-worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // Ctrl-C is for the parent alone: a child that died of it would be taken for a failed run
        command.process_group(0);
    }
    command
}

/// Waits for the child; says why it must be ended when it must, and the most memory that was seen.
fn watch(
    child: &mut Child,
    limits: Limits,
    started: Instant,
    halted: &dyn Fn() -> bool,
) -> (Option<Reason>, Option<f64>) {
    let mut peak: Option<f64> = None;
    loop {
        if !matches!(child.try_wait(), Ok(None)) {
            return (None, peak);
        }
        let held = resident_bytes(child.id());
        peak = held.map(|bytes| bytes as f64 / (1 << 20) as f64).into_iter().chain(peak).reduce(f64::max);
        if halted() {
            return (Some(Reason::Halted), peak);
        }
        if limits.seconds.is_some_and(|most| started.elapsed().as_secs_f64() > most) {
            return (Some(Reason::Time), peak);
        }
        if limits.memory.zip(held).is_some_and(|(most, held)| held > most) {
            return (Some(Reason::Memory), peak);
        }
        thread::sleep(LOOK);
    }
}

/// The memory that a process holds now, as Linux says; unknown elsewhere.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Reads a pipe to its end beside everything else: a full pipe would stop the child.
fn reader(pipe: Option<impl Read + Send + 'static>) -> Option<JoinHandle<String>> {
    pipe.map(|mut pipe| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // what could be read counts; the status says the rest
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    })
}

fn joined(reader: Option<JoinHandle<String>>) -> String {
    reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
}

/// How a process died that left no outcome.
fn death(status: ExitStatus, errors: &str) -> String {
    let last = errors.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("it said nothing");
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("killed by signal {signal}");
        }
    }
    format!("ended without a result ({status}): {last}")
}
