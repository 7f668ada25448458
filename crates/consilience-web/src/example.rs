//! Made-up tumours, as the files that somebody could have: three views that do not have all samples, and a table about them.

use std::fmt::Write as _;

use consilience::datasets::Blobs;
use consilience::{Result, View};
use serde::Serialize;

/// A text file.
#[derive(Serialize)]
pub(crate) struct ExampleFile {
    name: &'static str,
    /// What it is for: a view, or a table about the samples.
    role: &'static str,
    text: String,
}

const TYPES: usize = 4;
const SAMPLES: usize = 240;
/// The files, what their features are called, and how many there are.
const VIEWS: [(&str, &str, usize); 3] =
    [("expression.csv", "gene", 120), ("methylation.csv", "site", 80), ("protein.csv", "protein", 40)];
/// Every so many samples were not measured in the second view.
const LACKING: usize = 12;

/// The files of the example.
pub(crate) fn files() -> Result<Vec<ExampleFile>> {
    let features = VIEWS.iter().map(|(_, _, width)| *width).collect();
    let (views, types) = Blobs { samples: SAMPLES, clusters: TYPES, features, separation: 6.0, seed: 7 }.generate()?;
    let mut files: Vec<ExampleFile> = views.iter().enumerate().map(|(at, view)| table(at, view)).collect();
    files.push(ExampleFile { name: "clinic.csv", role: "about", text: clinic(&types) });
    Ok(files)
}

fn id(sample: usize) -> String {
    format!("tumour-{:03}", sample + 1)
}

fn table(at: usize, view: &View) -> ExampleFile {
    let (name, feature, width) = VIEWS[at];
    let mut text = (1..=width).fold("sample".to_owned(), |mut head, number| {
        let _ = write!(head, ",{feature}-{number:03}");
        head
    });
    text.push('\n');
    for sample in (0..SAMPLES).filter(|sample| at != 1 || sample % LACKING != 0) {
        text += &id(sample);
        let (_, values) = view.data.row_entries(sample);
        values.iter().for_each(|value| {
            let _ = write!(text, ",{value:.3}");
        });
        text.push('\n');
    }
    ExampleFile { name, role: "view", text }
}

/// A grade that goes with the type, and an age that goes with nothing.
fn clinic(types: &[usize]) -> String {
    let mut text = "sample,age,grade\n".to_owned();
    for (sample, kind) in types.iter().enumerate() {
        let (age, grade) = (35 + (sample * 37) % 45, ["low", "low", "middle", "high"][*kind]);
        let _ = writeln!(text, "{},{age},{grade}", id(sample));
    }
    text
}
