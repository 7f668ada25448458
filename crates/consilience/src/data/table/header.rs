//! Whether the first row of a text table names the columns, and what counts as a number.

use crate::data::container::is_label_name;

/// A cell without a value.
pub(super) fn is_missing(cell: &str) -> bool {
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
    let customary = |cell: &String| is_label_name(cell) || matches!(cell.as_str(), "id" | "sample" | "sample_id");
    if first.iter().any(customary) {
        return true;
    }
    if following.is_empty() {
        return first.iter().all(|cell| number(cell).is_none());
    }
    let word_above_numbers = |(j, cell): (usize, &String)| {
        let mut below = following.iter().filter_map(|row| row.get(j));
        number(cell).is_none() && below.all(|cell| number(cell).is_some())
    };
    first.iter().enumerate().any(word_above_numbers) || is_numbered_by_pandas(first)
}

/// `,0,1,2`: the index without a name, the columns with their numbers.
fn is_numbered_by_pandas(first: &[String]) -> bool {
    let Some((corner, numbers)) = first.split_first() else { return false };
    corner.is_empty() && !numbers.is_empty() && numbers.iter().enumerate().all(|(j, cell)| *cell == j.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }

    #[test]
    fn numbers_and_missing_values() {
        assert_eq!(number(" 1e-3 "), Some(0.001));
        assert_eq!(number("-.5"), Some(-0.5));
        assert!(number("?").is_some_and(f64::is_nan));
        assert_eq!(number("-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!((number("infant"), number("abc"), number("1.2.3"), number("1,5")), (None, None, None, None));
    }
}
