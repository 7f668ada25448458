//! Robust low rank: is a view corrupted, and what was under the corruption? X = A + E with A of low rank and E sparse
//! (the paper's Eq. `tech1` with a clean dictionary).

mod spectrum;
mod split;
mod test;

pub use split::{Split, split};
pub use test::outlier_share;
