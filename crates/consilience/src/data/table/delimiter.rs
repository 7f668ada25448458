//! What separates the cells of a text table.

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
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_LOOKED_AT).collect();
        let consistent = |delimiter: Self| {
            let first = lines.first().map_or(1, |line| delimiter.cells(line));
            if lines.iter().all(|line| delimiter.cells(line) == first) { first - 1 } else { 0 }
        };
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

#[cfg(test)]
mod tests {
    use super::Delimiter::{self, Blanks, Byte};

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
    }
}
