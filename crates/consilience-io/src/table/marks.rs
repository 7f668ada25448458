//! What stands in text tables beside the cells: comment lines, line breaks inside quotes, and commas that are decimal
//! points.

use std::borrow::Cow;

use super::dialect::number;

/// Lines that a quoted cell may go over, for the look at the first lines; a quote that never ends is damage.
const LONGEST_CELL: usize = 100;

/// The character that starts comment lines, if there are some: `#`, or `%` as MATLAB writes it. Where half of all lines
/// start with it they are rows (of colours, say), and `#N/A` is a missing value.
pub(super) fn comment(text: &str) -> Option<u8> {
    let starts = |mark: char| text.lines().filter(move |line| line.trim_start().starts_with(mark));
    ['#', '%'].into_iter().find_map(|mark| {
        let comments = starts(mark).count();
        let is_mark = comments > 0
            && starts(mark).all(|line| !line.trim_start().starts_with("#N/A"))
            && 2 * comments < text.lines().filter(|line| !line.trim().is_empty()).count();
        is_mark.then_some(mark as u8)
    })
}

/// Whether a line is a comment.
pub(super) fn is_comment(line: &str, comment: Option<u8>) -> bool {
    comment.is_some_and(|mark| line.trim_start().as_bytes().first() == Some(&mark))
}

/// The rows of a table as they are written: lines, where a quoted cell may go over several of them. Comments and empty
/// lines are left out.
pub(super) fn rows(text: &str, comment: Option<u8>) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let first = line_length(rest);
            if rest[..first].trim().is_empty() || is_comment(&rest[..first], comment) {
                rest = &rest[first..];
                continue;
            }
            let (row, after) = rest.split_at(row_length(rest, first));
            rest = after;
            return Some(row.trim_end_matches(['\r', '\n']));
        }
    })
}

/// Bytes up to the end of the first line.
fn line_length(text: &str) -> usize {
    text.find('\n').map_or(text.len(), |at| at + 1)
}

/// Bytes of the first row, whose first line has `first` bytes.
fn row_length(text: &str, first: usize) -> usize {
    let quotes = |part: &str| part.bytes().filter(|&byte| byte == b'"').count();
    let (mut end, mut open) = (first, quotes(&text[..first]) % 2 == 1);
    for _ in 0..LONGEST_CELL {
        if !open {
            return end;
        }
        if end == text.len() {
            break;
        }
        let next = end + line_length(&text[end..]);
        open ^= quotes(&text[end..next]) % 2 == 1;
        end = next;
    }
    if open { first } else { end }
}

/// `1,5`: digits on both sides of one comma, which is how numbers are written where commas are decimal.
pub(super) fn is_decimal_comma(cell: &str) -> bool {
    let cell = cell.trim();
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    cell.split_once(',').is_some_and(|(whole, fraction)| {
        let fraction = fraction.split(['e', 'E']).next().unwrap_or_default();
        let whole = whole.strip_prefix(['+', '-']).unwrap_or(whole);
        !fraction.is_empty() && digits(whole) && digits(fraction) && number(&cell.replacen(',', ".", 1)).is_some()
    })
}

/// Whether commas are decimal in a table whose cells `separator` keeps apart: some are, and no number has a point.
pub(super) fn has_decimal_commas(text: &str, comment: Option<u8>, separator: u8) -> bool {
    if separator == b',' || !text.contains(',') {
        return false;
    }
    let mut some = false;
    for cell in rows(text, comment).flat_map(|row| row.split(separator as char)) {
        if cell.contains('.') && number(cell).is_some() {
            return false;
        }
        some |= is_decimal_comma(cell);
    }
    some
}

/// The cell with a decimal point, where it is a number with a decimal comma.
pub(super) fn with_point(cell: &str) -> Cow<'_, str> {
    if is_decimal_comma(cell) { Cow::Owned(cell.replacen(',', ".", 1)) } else { Cow::Borrowed(cell) }
}

/// Turns a comment into the header it is: numpy's `savetxt` and tools of biology write `# a,b,c` above the rows. It counts
/// as one when it is the last comment before the rows, has as many cells as the first row, none of them a number, and
/// the first row has numbers in it.
pub(super) fn uncomment_header(text: &mut String, comment: Option<u8>, cells: impl Fn(&str) -> Vec<String>) {
    let mut at = 0;
    let mut last = None;
    while at < text.len() {
        let length = line_length(&text[at..]);
        let line = &text[at..at + length];
        if is_comment(line, comment) {
            last = Some((at, length));
        } else if !line.trim().is_empty() {
            break;
        }
        at += length;
    }
    let (Some((start, length)), Some(row)) = (last, rows(&text[at..], comment).next()) else { return };
    let mark = start + text[start..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
    let (names, row) = (cells(text[mark + 1..start + length].trim()), cells(row));
    let is_header = names.len() > 1
        && names.len() == row.len()
        && names.iter().all(|name| !name.trim().is_empty() && number(name).is_none())
        && row.iter().any(|cell| number(&with_point(cell)).is_some());
    if is_header {
        text.replace_range(mark..=mark, " ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_few_and_mean_nothing_else() {
        assert_eq!(comment("# a\n1\n2\n"), Some(b'#'));
        assert_eq!(comment("% a\n1\n2\n"), Some(b'%'));
        assert_eq!(comment("#ff0000,1\n#00ff00,2\n"), None, "colours");
        assert_eq!(comment("#N/A,1\n2,3\n4,5\n"), None, "a missing value");
        assert_eq!(comment("1\n2\n"), None);
    }

    #[test]
    fn a_row_goes_on_inside_quotes() {
        let text = "a,b\n\n# no\n\"x\n# y\",2\n3,4";
        assert_eq!(rows(text, Some(b'#')).collect::<Vec<_>>(), ["a,b", "\"x\n# y\",2", "3,4"]);
        assert_eq!(rows("5\" pipe\n1\n", None).collect::<Vec<_>>(), ["5\" pipe", "1"], "a quote that never ends");
    }

    #[test]
    fn decimal_commas() {
        for cell in ["1,5", "-0,25", ",5", "1,5e-3"] {
            assert!(is_decimal_comma(cell), "{cell}");
        }
        for cell in ["1,", "a,5", "1,5,2", "1.000,5", "1,x", "1,5ex"] {
            assert!(!is_decimal_comma(cell), "{cell}");
        }
        assert!(has_decimal_commas("a;b\n1,5;2\n", None, b';'));
        assert!(!has_decimal_commas("a;b\n1,5;2.5\n", None, b';'), "both ways: points win, and `1,5` is an error");
        assert_eq!(with_point("1,5"), "1.5");
    }

    #[test]
    fn a_header_in_a_comment() {
        let cells = |row: &str| row.split(',').map(str::to_owned).collect::<Vec<_>>();
        let uncommented = |text: &str| {
            let mut text = text.to_owned();
            let mark = comment(&text);
            uncomment_header(&mut text, mark, cells);
            text
        };
        assert_eq!(uncommented("# by me\n# a,b\n1,2\n3,4\n5,6\n"), "# by me\n  a,b\n1,2\n3,4\n5,6\n");
        assert_eq!(uncommented("#id,b\ns1,2\ns2,4\n"), " id,b\ns1,2\ns2,4\n");
        for same in ["# by me, now\na,b\n1,2\n3,4\n", "# a,b,c\n1,2\n3,4\n", "# 1,2\n3,4\n5,6\n"] {
            assert_eq!(uncommented(same), same);
        }
    }
}
