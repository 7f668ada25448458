//! Files in, files out: readers for every format users keep their views in, and the data the crate carries.

mod container;
mod detect;
mod digits;
mod guard;
mod hdf5;
mod labels;
mod limits;
mod matlab;
mod npy;
mod npz;
mod numbers;
mod sparse;
mod synthetic;
mod table;
mod write;

use std::path::Path;

pub use digits::digits;
pub use labels::Labels;
pub use synthetic::Blobs;
pub use write::{write_atomically, write_labels, write_labels_csv, write_npy};

use detect::Format;
use guard::guarded;

use crate::{Error, Result, View};

/// What one file held.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The feature matrices, in the order of the file.
    pub views: Vec<View>,
    /// Ground truth found beside them, for scoring only.
    pub labels: Option<Labels>,
    /// Sample ids found beside them.
    pub ids: Option<Vec<String>>,
}

/// What a file cannot say itself. Columns of text tables and Parquet go by name, or by number counted from 1.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The column that holds the samples' ids.
    pub id_column: Option<String>,
    /// The column that holds the labels.
    pub label_column: Option<String>,
}

/// Reads views, and labels and ids where there are some, from a file of any known format; its content decides which.
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
    match detect::detect(path)? {
        Format::Npy => {
            let name = stem(path);
            if container::is_label_name(&name) {
                return Ok(Loaded { labels: Some(npy::read_array(path)?.labels(path)?), ..Loaded::default() });
            }
            let view = View { name, data: npy::read_matrix(path)?, source: Some(path.to_owned()), features: None };
            Ok(Loaded { views: vec![view], ..Loaded::default() })
        }
        Format::Npz => guarded(path, || npz::read(path)),
        Format::MatlabV5 => matlab::read_v5(path),
        Format::Hdf5 => guarded(path, || hdf5::read(path)),
        Format::Parquet => guarded(path, || table::read_parquet(path, options)),
        Format::Text => table::read_text(path, options),
    }
}

/// Reads labels: a text file with one label per line, a table with a label column, an array, or any container that
/// holds labels under a customary name (`labels`, `y`, `Y`, `gt`, `gnd`, `truth`, `label`).
///
/// # Errors
/// When the file cannot be read or it is not clear what its labels are.
pub fn read_labels(path: &Path) -> Result<Labels> {
    match detect::detect(path)? {
        Format::Text => table::read_labels(path),
        Format::Npy => npy::read_array(path)?.labels(path),
        _ => read(path)?.labels.ok_or_else(|| {
            let what = "holds no labels: nothing in it is called labels, y, Y, gt, gnd, truth or label";
            Error::format(path, what)
        }),
    }
}

/// The name a file gives to its only view.
fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "view".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
