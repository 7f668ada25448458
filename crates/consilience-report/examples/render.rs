//! Writes the page of the documents named on the command line: `render OUT.html DOCUMENT.json ...`.

use std::error::Error;
use std::fs;

use consilience_report::{Document, page};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("usage: render OUT.html DOCUMENT.json ...")?;
    let read = |path: String| -> Result<Document, Box<dyn Error>> { Ok(Document::read(&fs::read_to_string(path)?)?) };
    let documents = arguments.map(read).collect::<Result<Vec<_>, _>>()?;
    Ok(fs::write(out, page(&documents)?)?)
}
