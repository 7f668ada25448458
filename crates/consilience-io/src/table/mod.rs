//! Tables: rows are samples; columns are features, an id or a label. Text files and Parquet share the rules by which the id
//! and the label are found ([`roles`]) and what becomes of the columns ([`assemble`]).

mod assemble;
#[cfg(feature = "parquet")]
mod column;
mod dialect;
mod encoding;
#[cfg(feature = "parquet")]
mod groups;
#[cfg(feature = "parquet")]
mod logical;
mod marks;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod roles;
mod stream;
mod text;

pub(super) use dialect::is_missing;
pub(super) use encoding::is_utf16;
#[cfg(feature = "parquet")]
pub(super) use groups::stream as stream_parquet;
#[cfg(feature = "parquet")]
pub(super) use parquet::read as read_parquet;
pub use roles::Columns;
pub(super) use stream::stream as stream_text;
pub(super) use text::{read as read_text, read_cells, read_labels};
