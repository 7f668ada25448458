//! Experiments: plans in TOML, runs in processes of their own, tables, ranks, and the ledger of the paper's numbers.

pub mod blocks;
mod blocks_render;
mod child;
pub mod condition;
pub mod data;
pub mod figures;
pub mod job;
pub mod known;
pub mod leaderboard;
pub mod ledger;
pub mod noise_curves;
pub mod paper;
pub mod plan;
pub mod revisions;
pub mod rows;
pub mod runner;
pub mod selection;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod tables;
pub mod worker;

pub use plan::Plan;
