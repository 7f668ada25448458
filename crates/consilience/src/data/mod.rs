//! Files in, files out: readers for every format users keep their views in, and the data the crate carries.
//!
//! [`read`] takes any file of a known format ([`formats`] names them) and decides by its content which it is. What comes
//! back is [`Loaded`]: views, and labels and ids where the file holds some. Labels stay beside the views, so that they
//! cannot reach a method.
//!
//! ```
//! use consilience::data::{read, read_labels, write_labels_csv};
//!
//! let folder = tempfile::tempdir()?;
//! let table = folder.path().join("leaves.csv");
//! std::fs::write(&table, "id,length,width,label\na,5.1,3.5,oak\nb,4.9,3.0,oak\nc,6.3,3.3,elm\n")?;
//!
//! let loaded = read(&table)?;
//! assert_eq!((loaded.views[0].name.as_str(), loaded.views[0].data.rows(), loaded.views[0].data.cols()), ("leaves", 3, 2));
//! assert_eq!(loaded.ids.as_deref().unwrap_or_default(), ["a", "b", "c"]);
//! assert_eq!(read_labels(&table)?.names(), ["elm", "oak"]);
//!
//! let found = folder.path().join("labels.csv");
//! write_labels_csv(&found, loaded.ids.as_deref(), &[0, 0, 1])?;
//! assert_eq!(std::fs::read_to_string(&found)?, "sample,label\na,0\nb,0\nc,1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are not trusted: what they claim is checked before memory is taken, and a parser that panics is an error of that
//! file. The readers of Parquet, HDF5 (with MATLAB v7.3, AnnData and MuData) and MATLAB v5 sit behind the features
//! `parquet`, `hdf5` and `mat`, unpacking of zstd behind `zstd`, all on by default.

#[cfg(feature = "hdf5")]
mod anndata;
mod budget;
mod container;
mod digits;
mod formats;
mod guard;
#[cfg(feature = "hdf5")]
mod hdf5;
mod inputs;
mod labels;
#[cfg(any(feature = "hdf5", feature = "mat"))]
mod matlab;
mod npy;
mod npz;
mod numbers;
mod packed;
mod refused;
mod source;
mod sparse;
mod synthetic;
mod table;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use digits::digits;
pub use formats::formats;
pub use inputs::{DIGITS, Input, Inputs, Truth, chosen};
pub use labels::Labels;
pub use source::STDIN;
pub use synthetic::Blobs;
pub use write::{write_atomically, write_labels, write_labels_csv, write_npy};

use source::Source;

use crate::matrix::Matrix;
use crate::{Result, View};

/// What one file held.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The feature matrices, in the order of the file.
    pub views: Vec<View>,
    /// Ground truth found beside them, for scoring only.
    pub labels: Option<Labels>,
    /// Sample ids found beside them.
    pub ids: Option<Vec<String>>,
    /// Everything that [`ReadOptions::views`] may name, where a file holds more than it gives by itself (AnnData).
    pub entries: Vec<String>,
}

/// What a file cannot say itself. Columns of text tables and Parquet go by name, or by number counted from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// The column that holds the samples' ids.
    #[serde(default)]
    pub id_column: Option<String>,
    /// The column that holds the labels.
    #[serde(default)]
    pub label_column: Option<String>,
    /// The views that are wanted, where a file leaves open what is one; empty for those that it would give by itself.
    #[serde(skip)]
    pub views: Vec<String>,
    /// The most bytes of memory that reading a file may take; by default what the machine has free.
    #[serde(skip)]
    pub memory: Option<u64>,
}

/// Reads views, and labels and ids where there are some, from a file of any known format; its content decides which.
/// Pipes and FIFOs are read like files, and [`STDIN`] is standard input.
///
/// # Errors
/// When the file cannot be opened, is damaged, or holds nothing that could be a view or labels.
pub fn read(path: &Path) -> Result<Loaded> {
    read_with(path, &ReadOptions::default())
}

/// [`read`], told what the file does not say.
///
/// # Errors
/// As [`read`], and when a named column does not exist.
pub fn read_with(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let source = Source::open(path, options.memory)?;
    formats::detect(&source)?.read(&source, options)
}

/// Reads labels: a text file with one label per line, a table with a label column, an array, or any container that
/// holds labels under a customary name (`labels`, `y`, `Y`, `gt`, `gnd`, `truth`, `label`).
///
/// # Errors
/// When the file cannot be read or it is not clear what its labels are.
pub fn read_labels(path: &Path) -> Result<Labels> {
    let source = Source::open(path, None)?;
    formats::detect(&source)?.read_labels(&source)
}

/// A view that was read from `source`.
fn view_from(source: &Source, name: impl Into<String>, data: Matrix) -> View {
    View { source: Some(source.path().to_owned()), ..View::new(name, data) }
}
