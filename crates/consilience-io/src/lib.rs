//! Files in, files out: readers for every format users keep their views in, and the data the crate carries.
//!
//! [`read`] takes any file of a known format ([`formats`] names them) and decides by its content which it is. What comes
//! back is [`Loaded`]: views, and labels and ids where the file holds some. Labels stay beside the views, so that they
//! cannot reach a method.
//!
//! ```
//! use consilience_io::{read, read_labels, write_labels_csv};
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
//! write_labels_csv(&found, loaded.ids.as_deref(), &[0, 0, 1], None)?;
//! assert_eq!(std::fs::read_to_string(&found)?, "sample,label\na,0\nb,0\nc,1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are not trusted: what they claim is checked before memory is taken, and a parser that panics is an error of that
//! file. The readers of Parquet, HDF5 (with MATLAB v7.3, AnnData and MuData) and MATLAB v5 sit behind the features
//! `parquet`, `hdf5` and `mat`, unpacking of zstd behind `zstd`, all on by default.

mod container;
mod curves_files;
mod digits;
#[doc(hidden)]
pub mod disk;
pub mod folder;
mod formats;
mod guard;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(target_family = "wasm")]
pub mod held;
mod inputs;
mod join;
mod labels;
#[cfg(any(feature = "hdf5", feature = "mat"))]
mod matlab;
mod metadata;
pub mod model;
mod npy;
mod npz;
mod numbers;
mod origin;
mod outputs;
mod pieces;
mod signature;
mod source;
mod sparse;
mod table;
mod write;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use curves_files::{curves_files, write_curves};
pub use digits::digits;
pub use folder::SavedRun;
#[doc(hidden)]
pub use inputs::chosen;
pub use inputs::{DIGITS, Input, Inputs};
pub use join::Join;
#[doc(hidden)]
pub use join::{Alignment, JoinFile, Joined, join};
pub use labels::{Labels, MatchedLabels, Truth, match_labels};
pub use metadata::{AboutSamples, Metadata, MetadataColumn};
pub use origin::{Origin, SourceFile};
pub use outputs::{check_stdout, check_writable};
pub use pieces::{Piece, Pieces, Streamed};
pub use signature::formats;
pub use source::STDIN;
pub use table::Columns;
#[doc(hidden)]
pub use write::write_atomically;
pub use write::{PredictionTable, plain_cell, safe_cell, write_labels, write_labels_csv, write_npy};

use source::Source;

use consilience::matrix::Matrix;
use consilience::run::Note;
use consilience::{Result, View};

/// What one file held.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Loaded {
    /// The feature matrices, in the order of the file.
    pub views: Vec<View>,
    /// Ground truth found beside them, for scoring only.
    pub labels: Option<Labels>,
    /// Sample ids found beside them.
    pub ids: Option<Vec<String>>,
    /// Everything that [`ReadOptions::views`] may name, where a file holds more than it gives by itself (AnnData).
    pub entries: Vec<String>,
    /// The columns, where the file is a table.
    pub columns: Option<Columns>,
    /// What was decided that the file does not say.
    pub notes: Vec<Note>,
    /// The reader has exchanged rows and columns itself.
    turned: bool,
}

/// Labels of samples, with the samples' ids where the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The labels.
    pub labels: Labels,
    /// The ids.
    pub ids: Option<Vec<String>>,
}

/// What a file cannot say itself. Columns of text tables and Parquet go by name, or by number counted from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptions {
    /// The column that holds the samples' ids; [`ReadOptions::NO_COLUMN`] for none.
    pub id_column: Option<String>,
    /// The column that holds the labels.
    pub label_column: Option<String>,
    /// The views that are wanted, where a file leaves open what is one; empty for those that it would give by itself.
    #[serde(skip)]
    pub views: Vec<String>,
    /// The most bytes of memory that reading a file may take; by default what the machine has free.
    #[serde(skip)]
    pub memory: Option<u64>,
    /// Columns that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop_columns: Vec<String>,
    /// Columns that become a column of 0 and 1 for each of their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_hot: Vec<String>,
    /// Files whose rows are features and whose columns are samples.
    #[serde(skip_serializing_if = "Transpose::is_none")]
    pub transpose: Transpose,
}

/// Which files have their samples in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transpose {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those of these names, with or without folder and extension.
    Files(Vec<String>),
}

impl Transpose {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl ReadOptions {
    /// As an id column: there is none.
    pub const NO_COLUMN: &'static str = "none";

    /// Every column that is named, and what for.
    fn named_columns(&self) -> impl Iterator<Item = &String> {
        let id = self.id_column.iter().filter(|name| *name != Self::NO_COLUMN);
        id.chain(&self.label_column).chain(&self.drop_columns).chain(&self.one_hot)
    }

    /// Whether rows and columns of the file at `path` are to be exchanged.
    fn turns(&self, path: &Path) -> bool {
        match &self.transpose {
            Transpose::None => false,
            Transpose::All => true,
            Transpose::Files(names) => names.iter().any(|name| is_called(path, name)),
        }
    }
}

/// Whether `name` means the file at `path`.
fn is_called(path: &Path, name: &str) -> bool {
    path == Path::new(name) || path.file_name().is_some_and(|file| file == name) || source::name_of(path) == name
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
    let loaded = read_one(path, options)?;
    inputs::check_columns(options, &[(path.to_owned(), &loaded)])?;
    Ok(loaded)
}

/// [`read_with`], for a file that need not have every named column: another may have it.
fn read_one(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    let source = Source::open(path, options.memory)?;
    let loaded = formats::detect(&source)?.read(&source, options)?;
    let mut loaded = if options.turns(path) && !loaded.turned { loaded.transposed(path) } else { loaded };
    let told = loaded.views.iter_mut().filter_map(View::tell_columns_apart);
    loaded.notes.extend(told);
    Ok(loaded)
}

/// Reads labels: a text file with one label per line, a table with a label column, an array, or any container that
/// holds labels under a customary name (`labels`, `y`, `Y`, `gt`, `gnd`, `truth`, `label`).
///
/// # Errors
/// When the file cannot be read or it is not clear what its labels are.
pub fn read_labels(path: &Path) -> Result<Labels> {
    Ok(read_labelled(path)?.labels)
}

/// [`read_labels`], with the ids of the samples where the file has them.
///
/// # Errors
/// As [`read_labels`].
pub fn read_labelled(path: &Path) -> Result<Labelled> {
    let source = Source::open(path, None)?;
    let mut read = formats::detect(&source)?.read_labels(&source)?;
    // as they were before this program wrote them
    read.ids.iter_mut().flatten().for_each(|id| *id = write::plain_cell(id).to_owned());
    Ok(read)
}

impl Loaded {
    /// Rows and columns exchanged, and with them ids and names of features.
    fn transposed(mut self, path: &Path) -> Self {
        let ids = self.ids.take();
        for view in &mut self.views {
            let features = std::mem::replace(&mut view.features, ids.clone());
            // several views of one file have the same samples
            self.ids = self.ids.take().or(features);
            view.data = view.data.transposed();
        }
        let file = path.display().to_string();
        self.notes.retain(|note| !matches!(note, Note::IdColumn { file: other, .. } if *other == file));
        self
    }
}

/// A view that was read from `source`.
fn view_from(source: &Source, name: impl Into<String>, data: Matrix) -> View {
    let mut view = View::new(name, data);
    view.source = Some(source.path().to_owned());
    view
}

/// The crate's page; its example is tested with the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
