//! What a page about a run needs, and the page: one or several [`Document`]s in, one HTML file out that opens anywhere,
//! offline.
//!
//! The page is assembled from the files under `page/` at compile time: plain HTML, CSS and JavaScript, no bundler and no
//! library. The documents travel inside it as JSON; nothing is fetched, and a strict content security policy (scripts and
//! styles by their hash, everything else forbidden) makes the browser see to that.
//!
//! ```
//! use consilience::datasets::Blobs;
//! use consilience::examine::Examine;
//! use consilience::{Run, Settings, cluster};
//! use consilience_report::{Document, Subject, describe, page};
//!
//! let blobs = Blobs { samples: 40, clusters: 2, features: vec![3, 4], separation: 9.0, seed: 1 };
//! let (views, _) = blobs.generate()?;
//! let settings = Settings::new(2);
//! let clustering = cluster(&views, &settings)?;
//! let examination = Examine::default().examine(&views, &settings, &clustering, &Run::default())?;
//!
//! let (clustering, examination) = (&clustering, &examination);
//! let subject = Subject { name: "blobs", views: &views, clustering, examination, truth: None, metadata: None, origin: None };
//! let document = describe(&subject)?;
//! assert_eq!(Document::read(&document.to_json()?)?, document);
//! assert!(page(&[document])?.starts_with("<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod describe;
mod document;
mod metadata;
mod packed;
mod template;
mod verdict;

pub use describe::{Subject, describe};
pub use document::{
    AffinityPicture, AgreementSummary, ClusterSummary, CorruptedFeature, CorruptedSample, Document, LeftOut,
    MarkerPicture, MetadataColumn, MetadataValues, RunSummary, SampleColumns, StabilitySummary, TruthSummary,
    ViewCorruption, ViewReport,
};
pub use packed::Packed;
#[doc(hidden)]
pub use template::content_policy;
pub use verdict::{Question, VerdictPart, VerdictSummary};

/// Why a document could not be read or no page be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There was nothing to show.
    #[error("a report needs at least one document")]
    Empty,
    /// A document is not JSON, or a field is missing or of the wrong kind; with line and column.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A document contradicts itself, or is of another version.
    #[error("{0}")]
    Content(String),
}

/// The page for these documents: the report of the run when there is one, a comparison followed by the report of each
/// run when there are several.
///
/// # Errors
/// When there is no document, or one contradicts itself: the page would show nonsense or nothing.
pub fn page(documents: &[Document]) -> Result<String, Error> {
    if documents.is_empty() {
        return Err(Error::Empty);
    }
    for (place, document) in documents.iter().enumerate() {
        let numbered = |what| Error::Content(format!("document {} of the report: {what}", place + 1));
        document.check().map_err(numbered)?;
    }
    Ok(template::fill(&escaped(&serde_json::to_string(documents)?)))
}

/// JSON that may stand inside a `script` element. In JSON these five characters occur only inside strings, so they can be
/// replaced in the text: `<`, `>` and `&` could end the element or start a comment, the two separators end a line in older
/// JavaScript.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            letter => text.push(letter),
        }
    }
    text
}
