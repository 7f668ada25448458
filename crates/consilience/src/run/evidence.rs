//! What speaks for a warning, in numbers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a view is called corrupted: how many entries stand far off those of similar samples, on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorruptionEvidence {
    /// How far, in local spreads.
    pub spreads: f64,
    /// Share of the entries that are farther.
    pub beyond: f64,
    /// Share that would be if the tails were as the body of the distribution has them.
    pub expected: f64,
    /// Columns that have such entries on both sides.
    pub columns: usize,
    /// Columns that were looked at.
    pub tested: usize,
}

impl fmt::Display for CorruptionEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spreads, beyond, expected, columns, tested } = self;
        let (beyond, expected) = (100.0 * beyond, 100.0 * expected);
        write!(
            f,
            "{beyond:.1} % stand more than {spreads:.1} spreads off those of similar samples, on both sides in \
             {columns} of {tested} columns; clean tails would have {expected:.1} %"
        )
    }
}
