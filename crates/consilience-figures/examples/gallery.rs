//! Writes one picture of each kind, as SVG and PNG: `cargo run --example gallery -- FOLDER`.

#[path = "../tests/charts/samples.rs"]
mod samples;

use std::error::Error;
use std::path::PathBuf;

use consilience_figures::png;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: gallery FOLDER")?);
    std::fs::create_dir_all(&folder)?;
    let large =
        [("heat-map-500", samples::heat_map(5, 100).svg()), ("scatter-100000", samples::scatter(10, 10_000).svg())];
    for (name, svg) in samples::all().into_iter().chain(large) {
        std::fs::write(folder.join(format!("{name}.svg")), &svg)?;
        std::fs::write(folder.join(format!("{name}.png")), png(&svg, 2.0)?)?;
    }
    Ok(())
}
