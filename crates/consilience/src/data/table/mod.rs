//! Tables: rows are samples, columns are features, an id or a label. Text files and Parquet share these rules.

mod columns;
mod delimiter;
mod header;
mod pages;
mod parquet;
mod text;

pub(super) use parquet::read as read_parquet;
pub(super) use text::{read as read_text, read_labels};
