//! `consilience-lab tables` and `reproduction`: `experiments/pages.py` makes them from committed results. This program
//! tells it what only the registry knows: methods, their revisions and their parameters.

use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use consilience::method::{DEFAULT_METHOD, Property, REGISTRY};
use consilience::parameters::ParameterInfo;
use consilience::{Error, MethodInfo, Result};
use serde_json::{Value, json};

/// Runs the script with these arguments.
///
/// # Errors
/// When there is no Python, or no script. What the script finds wrong it says itself.
pub(crate) fn run(arguments: &[&Path]) -> Result<ExitCode> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/pages.py");
    let failed = |error: std::io::Error| {
        let what = format!("`python3 {}`: {error}", script.display());
        Error::data_with_hint(what, "this program is run from its repository, with Python 3.11 or later on the path")
    };
    let mut child =
        Command::new("python3").arg(&script).args(arguments).stdin(Stdio::piped()).spawn().map_err(failed)?;
    let methods = Value::from(REGISTRY.iter().map(described).collect::<Vec<_>>()).to_string();
    if let Some(mut input) = child.stdin.take() {
        // a script that does not listen has said why
        let _ = input.write_all(methods.as_bytes());
    }
    let status = child.wait().map_err(failed)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn described(info: &MethodInfo) -> Value {
    let row = |row: ParameterInfo| {
        json!([format!("`{}`", row.name), row.symbol, row.typed_default(), row.allowed(), row.doc])
    };
    json!({
        "id": info.id,
        "default": info.id == DEFAULT_METHOD,
        "study": info.has(Property::Study),
        "revision": info.code().to_string(),
        "parameters": (info.parameters)().into_iter().map(row).collect::<Vec<_>>(),
    })
}
