//! Words on the command line, as what they mean.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use consilience::choose::KRange;
use consilience::{Error, Result};
use consilience_io::{DIGITS, STDIN, formats};

/// What a file may be, from the library's own table of formats.
pub(super) fn files() -> String {
    let formats: Vec<&str> = formats().collect();
    let formats = formats.join(", ");
    format!(
        "Files with views: {formats}, plain or packed by gzip or zstd; `{STDIN}` is standard input, `{DIGITS}` are those inside the program"
    )
}

/// One of the words of a choice.
pub(super) fn one_of<T>(
    all: &[T],
    word: fn(T) -> &'static str,
    doc: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + FromStr<Err = Error> + Send + Sync + 'static,
{
    let values = all.iter().map(|&choice| PossibleValue::new(word(choice)).help(doc(choice).trim_end_matches('.')));
    PossibleValuesParser::new(values).try_map(|word| word.parse::<T>())
}

pub(super) fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("write it as key=value, for example neighbours=15".to_owned()),
    }
}

/// Names that were separated by commas. One that holds a comma itself is written in double quotes: `"a,b",c` came here as three
/// pieces and leaves as two names.
pub(super) fn names(pieces: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut open = false;
    for piece in pieces {
        match names.last_mut().filter(|_| open) {
            Some(name) => name.extend([",", piece.as_str()]),
            None => names.push(piece.clone()),
        }
        open ^= piece.matches('"').count() % 2 == 1;
    }
    let plain = |name: String| match name.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some((quoted, rest)) => format!("{quoted}{rest}"),
        None => name,
    };
    names.into_iter().map(plain).collect()
}

/// `view=number` each.
pub(super) fn weights(pieces: &[String]) -> consilience::Result<Vec<(String, f64)>> {
    let weight = |text: String| {
        // names of views may hold any character, numbers no `=`
        let parts = text.rsplit_once('=').filter(|(view, _)| !view.is_empty());
        let number = |(view, weight): (&str, &str)| Some((view.trim().to_owned(), weight.trim().parse().ok()?));
        parts.and_then(number).ok_or_else(|| {
            let hint = "write them as view=number, for example --weights rna=2,prot=1";
            consilience::Error::data_with_hint(format!("`{text}` is no weight of a view"), hint)
        })
    };
    names(pieces).into_iter().map(weight).collect()
}

/// How many clusters, or among how many to choose.
#[derive(Clone, Copy)]
pub(crate) enum Clusters {
    Given(usize),
    Chosen(KRange),
}

pub(super) fn clusters(text: &str) -> Result<Clusters, String> {
    let given = text.parse().map(Clusters::Given).ok();
    let chosen = || text.parse().map(Clusters::Chosen).ok();
    given.or_else(chosen).ok_or_else(|| "a whole number, at least 1; a range such as 2-12; or auto".to_owned())
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=1024) => Ok(count),
        _ => Err("a whole number from 1 to 1024".to_owned()),
    }
}

/// Gigabytes, or a number with its unit, as bytes.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let unit = |letter: char| match letter.to_ascii_uppercase() {
        'K' => Some(1e3),
        'M' => Some(1e6),
        'G' => Some(1e9),
        'T' => Some(1e12),
        _ => None,
    };
    let plain = text.strip_suffix(['B', 'b']).unwrap_or(text);
    let (number, unit) = match plain.chars().last().and_then(unit) {
        Some(unit) => (&plain[..plain.len() - 1], unit),
        None => (text, 1e9),
    };
    match number.trim().parse::<f64>().map(|number| number * unit) {
        Ok(bytes) if (1e6..=1e15).contains(&bytes) => Ok(bytes as u64),
        _ => Err("a size such as 4G, 500M or 1.5 (gigabytes), from 1M on".to_owned()),
    }
}

pub(super) fn resamples(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 0..=1000) => Ok(count),
        _ => Err("a whole number from 0 to 1000".to_owned()),
    }
}

pub(super) fn resample_share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("a number above 0 and below 1".to_owned()),
    }
}
