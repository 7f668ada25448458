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
    /// The separator that cuts the first lines into equally many cells; the one with most cells if several do.
    pub(super) fn decide(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES_LOOKED_AT).collect();
        let candidates = [Self::Byte(b','), Self::Byte(b'\t'), Self::Byte(b';'), Self::Blanks];
        let consistent = |delimiter: &Self| {
            let first = delimiter.cells(lines.first()?);
            (first > 1 && lines.iter().all(|line| delimiter.cells(line) == first)).then_some(first)
        };
        // lines that disagree are an error later; it is told best with the separator that was probably meant
        let frequent = |delimiter: &Self| lines.iter().map(|line| delimiter.cells(line) - 1).sum::<usize>();
        let best = |score: &dyn Fn(&Self) -> usize| {
            // reversed, because the last of equals wins and the first candidate is to be preferred
            candidates.iter().rev().copied().max_by_key(score).filter(|delimiter| score(delimiter) > 0)
        };
        best(&|delimiter| consistent(delimiter).unwrap_or(0))
            .or_else(|| best(&|delimiter| if *delimiter == Self::Blanks { 0 } else { frequent(delimiter) }))
            .or_else(|| best(&|delimiter| if numeric_blanks(&lines) { frequent(delimiter) } else { 0 }))
            .unwrap_or(Self::Byte(b','))
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
        assert_eq!(Delimiter::decide("1,5;2,5;3\n1;2,5;3,1\n"), Byte(b';'));
        assert_eq!(Delimiter::decide("  0.1  0.2\n  0.3  0.4\n"), Blanks);
        assert_eq!(Delimiter::decide("\"a;b\",c\n\"d\",e\n"), Byte(b','));
        assert_eq!(Delimiter::decide("red\nblue\n"), Byte(b','));
        assert_eq!(Delimiter::decide("light red\nblue\n"), Byte(b','));
        assert_eq!(Delimiter::decide("1,2,3\n1,2\n"), Byte(b','), "ragged, but meant");
    }
}
