//! `consilience methods`: what the registry knows.

use consilience::method::{DEFAULT_METHOD, REGISTRY};
use consilience::{MethodInfo, Result};

use crate::args::MethodsOptions;
use crate::output::{print, print_json};

pub(crate) fn run(options: &MethodsOptions) -> Result<()> {
    match (&options.id, options.json) {
        (Some(id), true) => print_json(&MethodInfo::named(id)?.describe()),
        (Some(id), false) => print(&page(MethodInfo::named(id)?)),
        (None, true) => print_json(&REGISTRY.iter().map(MethodInfo::describe).collect::<Vec<_>>()),
        (None, false) => print(&list()),
    }
}

fn list() -> String {
    let width = REGISTRY.iter().map(|info| info.id.len()).max().unwrap_or(0);
    let lines = REGISTRY.iter().map(|info| {
        let mark = if info.id == DEFAULT_METHOD { " (default)" } else { "" };
        format!("{:width$}  {}{mark}\n", info.id, info.title)
    });
    lines.collect::<String>() + "\n`consilience methods ID` shows a method's parameters.\n"
}

fn page(info: &MethodInfo) -> String {
    let mut text = format!(
        "{}: {}\n\n{}\n\nsource  {}\ntime    {}\nmemory  {}\n\nparameters (--set name=value):\n",
        info.id, info.title, info.summary, info.citation, info.time, info.memory
    );
    for row in (info.parameters)() {
        let symbol = if row.symbol.is_empty() { String::new() } else { format!(", the paper's {}", row.symbol) };
        text +=
            &format!("  {} = {}{symbol}\n      {}\n      {}\n", row.name, row.typed_default(), row.doc, row.allowed());
    }
    text
}
