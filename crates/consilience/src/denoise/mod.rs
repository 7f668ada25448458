//! Robust low rank: is a view corrupted, and what was under the corruption? X = A + E with A of low rank and E sparse
//! (the paper's Eq. `tech1` with a clean dictionary).

#[cfg(test)]
mod calibration;
mod cells;
mod column;
mod outlier_test;
mod residuals;
mod rpca;
mod share;
mod shared_shelf;
mod shelf_tables;
mod tail_model;
mod threshold;

pub(crate) use outlier_test::{Replaced, find_replaced};
pub(crate) use rpca::robust_pca;
pub(crate) use share::{ReplacedShare, replaced_share};
