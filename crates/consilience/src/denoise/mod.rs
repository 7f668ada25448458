//! Is a view corrupted, and what was under the corruption?
//!
//! One sentence says the test (`outlier_test`): entries that were replaced stand off what similar samples have (`residuals`), as a flat
//! shelf under both tails of a body that falls off (`tails`), in all columns and samples alike. A view that is called corrupted is
//! split into X = A + E with A of low rank and E sparse (`rpca`; the paper's Eq. `tech1` with a clean dictionary), and how many of its
//! entries were replaced is read off a first split (`share`).

#[cfg(test)]
mod calibration;
mod column;
mod outlier_test;
mod residuals;
mod rpca;
mod share;
mod tails;
mod threshold;

pub(crate) use outlier_test::{Replaced, find_replaced};
pub(crate) use rpca::robust_pca;
pub(crate) use share::{ReplacedShare, replaced_share};
