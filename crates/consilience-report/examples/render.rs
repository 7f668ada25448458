//! Writes the page of the documents named on the command line: `render OUT.html DOCUMENT.json ...`.

use std::error::Error;
use std::fs;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("usage: render OUT.html DOCUMENT.json ...")?;
    let texts = arguments.map(fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    let documents: Vec<&str> = texts.iter().map(String::as_str).collect();
    fs::write(out, consilience_report::page(&documents)?)?;
    Ok(())
}
