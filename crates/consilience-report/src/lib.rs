//! One or several report documents (the `report.json` of run folders) in, one HTML page out that opens anywhere, offline.
//!
//! The page is assembled from the files under `page/` at compile time: plain HTML, CSS and JavaScript, no bundler and no
//! library. The documents travel inside it as JSON; nothing is fetched, and a strict content security policy (scripts and
//! styles by their hash, everything else forbidden) makes the browser see to that.

mod base64;
mod describe;
mod document;
mod sha256;
mod template;

pub use describe::unpack;
pub use describe::{Subject, describe};
pub use document::Error;

/// The page for these documents: the report of the run when there is one, a comparison followed by the report of each
/// run when there are several.
///
/// # Errors
///
/// When there is no document, when one is not JSON, or when one contradicts itself (a packed array of the wrong length,
/// a missing field): the page would show nonsense or nothing.
pub fn page(documents: &[&str]) -> Result<String, Error> {
    if documents.is_empty() {
        return Err(Error::Empty);
    }
    for (number, text) in documents.iter().enumerate() {
        document::check(number + 1, text)?;
    }
    Ok(template::fill(&embed(documents)))
}

/// The documents as one JSON array that may stand inside a `script` element. In JSON these five characters occur only
/// inside strings, so they can be replaced in the text: `<`, `>` and `&` could end the element or start a comment, the
/// two separators end a line in older JavaScript.
fn embed(documents: &[&str]) -> String {
    let mut array = String::with_capacity(documents.iter().map(|text| text.len() + 1).sum::<usize>() + 2);
    for (number, text) in documents.iter().enumerate() {
        array.push(if number == 0 { '[' } else { ',' });
        for letter in text.trim().chars() {
            match letter {
                '<' => array.push_str("\\u003c"),
                '>' => array.push_str("\\u003e"),
                '&' => array.push_str("\\u0026"),
                '\u{2028}' => array.push_str("\\u2028"),
                '\u{2029}' => array.push_str("\\u2029"),
                letter => array.push(letter),
            }
        }
    }
    array.push(']');
    array
}
