//! Experiments: plans in TOML, runs in processes of their own, tables, ranks, and the ledger of the paper's numbers.

mod child;
pub mod data;
pub mod job;
mod metric;
pub mod plan;
pub mod record;
pub mod rows;
pub mod runner;
pub mod statistics;
pub mod store;
pub mod worker;

pub use metric::{Metric, Scores};
pub use plan::Plan;
