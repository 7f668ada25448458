//! How a text table is written: what separates its cells, what counts as a number, whether its first row is a header. And its bytes as characters: UTF-8, or UTF-16 as Excel and PowerShell write it.

use consilience::{Error, Result};

use super::marks;
use super::roles::is_customary_name;
use crate::signature::is_utf16;
use crate::source::Source;

/// A separator of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Byte(u8),
    /// Any number of spaces and tabs, also before the first cell.
    Blanks,
}

const LINES_LOOKED_AT: usize = 20;

impl Delimiter {
    /// The separator that cuts the first lines into equally many cells: the one with most cells if several do, and
    /// blanks only if none does, because blanks also stand inside cells.
    pub(super) fn decide(text: &str) -> Self {
        let lines: Vec<&str> = marks::rows(text, marks::comment(text)).take(LINES_LOOKED_AT).collect();
        let consistent = |delimiter: Self| {
            let first = lines.first().map_or(1, |line| delimiter.cells(line));
            if lines.iter().all(|line| delimiter.cells(line) == first) { first - 1 } else { 0 }
        };
        // `1,5;2,5` is cut into equally many cells by its commas too
        let decimal = |&byte: &u8| {
            let cells =
                lines.iter().skip(1).flat_map(|line| line.split(byte as char)).filter(|cell| cell.contains(','));
            consistent(Self::Byte(byte)) > 0 && cells.clone().count() > 0 && cells.clone().all(marks::is_decimal_comma)
        };
        if let Some(byte) = [b';', b'\t'].into_iter().find(decimal) {
            return Self::Byte(byte);
        }
        let frequent = |delimiter: Self| lines.iter().map(|line| delimiter.cells(line) - 1).sum::<usize>();
        if let Some(delimiter) = best(&consistent) {
            return delimiter;
        }
        if consistent(Self::Blanks) > 0 {
            return Self::Blanks;
        }
        // lines that disagree are an error later, which is told best with the separator that was probably meant
        best(&frequent).unwrap_or(if numeric_blanks(&lines) { Self::Blanks } else { Self::Byte(b',') })
    }

    /// The cells of a line without quotes.
    pub(super) fn split(self, line: &str) -> Vec<String> {
        match self {
            Self::Blanks => line.split_ascii_whitespace().map(str::to_owned).collect(),
            Self::Byte(byte) => line.split(byte as char).map(str::to_owned).collect(),
        }
    }

    /// Cells in a line; at least one.
    fn cells(self, line: &str) -> usize {
        match self {
            Self::Blanks => line.split_ascii_whitespace().count().max(1),
            Self::Byte(byte) => {
                let mut quoted = false;
                let separates = |&b: &u8| {
                    quoted ^= b == b'"';
                    b == byte && !quoted
                };
                1 + line.bytes().filter(separates).count()
            }
        }
    }
}

/// The character with the highest score above zero; commas before tabs before semicolons.
fn best(score: &dyn Fn(Delimiter) -> usize) -> Option<Delimiter> {
    let candidates = [b';', b'\t', b','].map(Delimiter::Byte);
    // the last of equals wins
    candidates.into_iter().max_by_key(|&delimiter| score(delimiter)).filter(|&delimiter| score(delimiter) > 0)
}

/// Whether lines that blanks cut into unequal pieces are still rows of numbers, not labels of several words.
fn numeric_blanks(lines: &[&str]) -> bool {
    lines.iter().skip(1).all(|line| line.split_ascii_whitespace().all(|cell| cell.parse::<f64>().is_ok()))
}

/// A cell without a value.
pub(crate) fn is_missing(cell: &str) -> bool {
    matches!(cell, "" | "NA" | "N/A" | "NaN" | "nan" | "NAN" | "null" | "NULL" | "None" | "?" | "#N/A")
}

/// The number in a cell, NaN where the value is missing.
pub(super) fn number(cell: &str) -> Option<f64> {
    let cell = cell.trim();
    if is_missing(cell) {
        return Some(f64::NAN);
    }
    // Rust reads more words than any table means by them
    let starts_like_a_number = |cell: &str| {
        let unsigned = cell.trim_start_matches(['+', '-']);
        unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            || unsigned.to_ascii_lowercase().starts_with("inf")
    };
    if starts_like_a_number(cell) { cell.parse().ok() } else { None }
}

/// Whether `first` names columns, judged by the rows that follow it.
pub(super) fn is_header(first: &[String], following: &[Vec<String>]) -> bool {
    let below = |j: usize| following.iter().filter_map(move |row| row.get(j));
    // a word that comes again below is a value
    let customary = |(j, cell): (usize, &String)| {
        !cell.is_empty() && is_customary_name(cell) && !below(j).any(|other| other == cell)
    };
    if first.iter().enumerate().any(customary) {
        return true;
    }
    if following.is_empty() {
        return first.iter().all(|cell| number(cell).is_none());
    }
    let word_above_numbers =
        |(j, cell): (usize, &String)| number(cell).is_none() && below(j).all(|cell| number(cell).is_some());
    first.iter().enumerate().any(word_above_numbers) || is_numbered(first, following)
}

/// `0,1,2`, as pandas numbers columns; with or without a name of the index before them.
fn is_numbered(first: &[String], following: &[Vec<String>]) -> bool {
    let counts =
        |cells: &[String], from: usize| cells.iter().enumerate().all(|(j, cell)| *cell == (j + from).to_string());
    let Some((corner, numbers)) = first.split_first() else { return false };
    if !numbers.is_empty() && counts(numbers, 0) && (corner.is_empty() || number(corner).is_none()) {
        return true;
    }
    let fraction = |cell: &String| number(cell).is_some_and(|x| x.is_finite() && x.fract() != 0.0);
    let fractions = following.iter().any(|row| row.iter().any(fraction));
    // two whole numbers above whole numbers may well be a sample, and so may 1, 2, 3
    (counts(first, 0) && (first.len() > 2 || (first.len() == 2 && fractions)))
        || (counts(first, 1) && first.len() > 2 && fractions)
}

/// All characters of `source`, without the mark of byte order.
pub(super) fn text(source: &Source) -> Result<String> {
    let bytes = source.bytes()?;
    if is_utf16(&bytes) {
        // a pair of bytes can become three
        source.budget.take(bytes.len() as u64 * 3 / 2).map_err(|what| Error::format(source.path(), what))?;
        return from_utf16(&bytes).map_err(|what| Error::format(source.path(), what));
    }
    from_utf8(source, bytes, 0)
}

/// Characters of `source` that start at byte `first`.
pub(super) fn from_utf8(source: &Source, bytes: Vec<u8>, first: u64) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let place = first + error.utf8_error().valid_up_to() as u64;
        let what = format!("is neither a known binary format nor UTF-8 text (byte {place})");
        Error::format(source.path(), what)
    })?;
    // Excel starts its UTF-8 files with a mark of byte order
    Ok(match text.strip_prefix('\u{feff}') {
        Some(unmarked) if first == 0 => unmarked.to_owned(),
        _ => text,
    })
}

fn from_utf16(bytes: &[u8]) -> Result<String, String> {
    let big_endian = bytes[0] == 0xfe;
    let (pairs, odd) = bytes[2..].as_chunks::<2>();
    if !odd.is_empty() {
        return Err("is UTF-16 text of an odd number of bytes: it is cut short".to_owned());
    }
    let unit = |pair: &[u8; 2]| if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
    let characters: Result<String, _> = char::decode_utf16(pairs.iter().map(unit)).collect();
    characters.map_err(|error| format!("is UTF-16 text with half of a character in it ({error})"))
}

#[cfg(test)]
mod tests {
    use super::Delimiter::{Blanks, Byte};
    use super::*;

    #[test]
    fn the_consistent_one_wins() {
        assert_eq!(Delimiter::decide("a,b\n1,2\n"), Byte(b','));
        assert_eq!(Delimiter::decide("a\tb c\n1\t2 3\n"), Byte(b'\t'));
        assert_eq!(Delimiter::decide("a;b, c;d\n1;2;3\n"), Byte(b';'));
        assert_eq!(Delimiter::decide("  0.1  0.2\n  0.3  0.4\n"), Blanks);
        assert_eq!(Delimiter::decide("\"a;b\",c\n\"d\",e\n"), Byte(b','));
        assert_eq!(Delimiter::decide("red\nblue\n"), Byte(b','));
        assert_eq!(Delimiter::decide("light red\nblue\n"), Byte(b','));
        assert_eq!(Delimiter::decide("1,2,3\n1,2\n"), Byte(b','), "ragged, but meant");
        assert_eq!(Delimiter::decide("a;b\n1,5;2,5\n"), Byte(b';'), "decimal commas");
        assert_eq!(Delimiter::decide("1,5\t2,5\n1,5\t2,5\n"), Byte(b'\t'));
        assert_eq!(Delimiter::decide("# x;y\na,b\n\"1\n2\",3\n"), Byte(b','), "a comment, and a cell of two lines");
    }

    fn judge(rows: &[&str]) -> bool {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.split(',').map(str::to_owned).collect()).collect();
        is_header(&rows[0], &rows[1..])
    }

    #[test]
    fn words_above_numbers_are_a_header() {
        assert!(judge(&["a,b", "1,2", "3,NA"]));
        assert!(!judge(&["1,2", "3,4"]));
        assert!(!judge(&["x,1", "y,2"]), "an id column");
        assert!(judge(&["name,v", "x,1"]));
        assert!(judge(&[",0,1", "0,5.5,6"]));
        assert!(!judge(&["NA,1", "2,3"]), "a missing value is not a name");
        assert!(judge(&["sample,label", "s1,cat"]));
        assert!(!judge(&["y,label", "n,label", "y,label"]), "words that come again are values");
    }

    #[test]
    fn numbered_columns_are_a_header() {
        assert!(judge(&["0,1,2", "5,6,7"]) && judge(&["0,1", "5.5,6"]) && judge(&["1,2,3", "5.5,6,7"]));
        assert!(judge(&["PatientNr,0,1", "p1,5,6"]) && judge(&["who,0,1", "p1,5,6"]));
        assert!(!judge(&["0,1", "1,0"]) && !judge(&["0", "0.5"]) && !judge(&["0,1,3", "1,0,2"]));
        assert!(!judge(&["1,2,3", "4,5,6"]));
    }

    #[test]
    fn numbers_and_missing_values() {
        assert_eq!(number(" 1e-3 "), Some(0.001));
        assert_eq!(number("-.5"), Some(-0.5));
        assert!(number("?").is_some_and(f64::is_nan));
        assert_eq!(number("-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!((number("infant"), number("abc"), number("1.2.3"), number("1,5")), (None, None, None, None));
    }

    #[test]
    fn both_byte_orders() {
        let le: Vec<u8> = "\u{feff}a,ä\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}a,ä\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(is_utf16(&le) && is_utf16(&be) && !is_utf16(b"a,b") && !is_utf16(&[0xff, 0xfe, 0, 0]));
        assert_eq!([from_utf16(&le), from_utf16(&be)].map(Result::unwrap), ["a,ä\n"; 2]);
        assert!(from_utf16(&le[..5]).unwrap_err().contains("odd"));
        assert!(from_utf16(&[0xff, 0xfe, 0, 0xd8]).unwrap_err().contains("half of a character"));
    }
}
