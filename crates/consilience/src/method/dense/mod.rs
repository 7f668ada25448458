//! What the methods share that are n x n by definition: in which precision their tables are kept, and the step that makes
//! a table of low rank.

mod shrink;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use shrink::{Gram, Shrink, Shrunk};

use crate::parameters::choice;

/// What to do when the tables do not fit.
pub(crate) const MEMORY_HINT: &str = "use slrmf or comvsc, precision=single, or fewer samples";

/// n x n tables in double precision that solving one of them whole takes besides it: its Gram matrix, the eigenvectors
/// as found, as returned and as used, and faer's own. Measured: 11 at n = 2000, with what the allocator keeps.
pub(crate) const WORKING_TABLES: usize = 12;

choice! {
    /// Precision of n x n tables.
    pub enum Precision {
        /// 8 bytes a number.
        #[default]
        Double = "double",
        /// 4 bytes a number; sums that decide something are still made in double precision.
        Single = "single",
    }
}

impl Precision {
    /// Bytes of a number.
    pub(crate) fn width(self) -> usize {
        match self {
            Self::Double => 8,
            Self::Single => 4,
        }
    }
}

/// Runs the same generic code in the precision that was asked for.
macro_rules! in_precision {
    ($precision:expr, $float:ident => $run:expr) => {
        match $precision {
            $crate::method::Precision::Double => {
                type $float = f64;
                $run
            }
            $crate::method::Precision::Single => {
                type $float = f32;
                $run
            }
        }
    };
}
pub(crate) use in_precision;
