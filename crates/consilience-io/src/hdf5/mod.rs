//! HDF5: MATLAB v7.3 or AnnData when it carries their marks, else datasets as h5py writes them.

mod anndata;
mod mat73;

use hdf5_pure::{AttrValue, DType, Dataset, File, Group, Layout, ReadSeekSource};

use self::anndata::{Blocks, Rows};
use super::container::{self, Array, Content};
use super::guard::{Budget, MAX_INFLATION, guarded};
use super::matlab::MAX_NESTING;
use super::numbers::Numbers;
use super::source::{Source, Stream};
use super::{Loaded, ReadOptions};
use consilience::{Error, Result};

/// Groups can be linked in circles; no honest file of views has this many objects.
const MAX_OBJECTS: usize = 100_000;

/// Everything in `source`.
pub(super) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    guarded(source.path(), || walk(source, options))
}

/// The file some rows at a time, where it is AnnData or MuData and stored so.
pub(super) fn stream(source: Source, options: &ReadOptions) -> Result<Option<Box<dyn Stream>>> {
    let opened = guarded(source.path(), || {
        let damaged = |what: String| Error::format(source.path(), what);
        let file = open(&source)?;
        let root = file.root();
        if mat73::is_matlab(&root).map_err(damaged)? {
            return Ok(None);
        }
        let Some(kind) = anndata::kind(&root).map_err(damaged)? else { return Ok(None) };
        let rows = Rows::of(&source, &root, kind, &mut Store::new(&source), options).map_err(damaged)?;
        Ok(rows.map(|rows| (file, rows)))
    })?;
    let Some((file, rows)) = opened else { return Ok(None) };
    Ok(Some(Box::new(Blocks { source, _file: file, rows, position: 0 })))
}

/// The file is read where it lies, piece by piece: one of many gigabytes may be asked for one small matrix.
pub(super) fn open(source: &Source) -> Result<File> {
    let damaged = |what: String| Error::format(source.path(), what);
    let pieces = ReadSeekSource::new(source.reader_at(0)).map_err(|error| damaged(error.to_string()))?;
    File::from_source(pieces).map_err(|error| damaged(words(error)))
}

fn walk(source: &Source, options: &ReadOptions) -> Result<Loaded> {
    let damaged = |what: String| Error::format(source.path(), what);
    let file = open(source)?;
    let mut store = Store::new(source);
    let root = file.root();
    if mat73::is_matlab(&root).map_err(damaged)? {
        return mat73::read(source, &root, &mut store);
    }
    if let Some(kind) = anndata::kind(&root).map_err(damaged)? {
        return anndata::read(source, &root, kind, &mut store, options);
    }
    let mut arrays = Vec::new();
    store.collect(&root, "", 0, &mut arrays).map_err(damaged)?;
    container::assemble(source, arrays, &options.views)
}

/// The parser's errors, in words.
#[allow(clippy::needless_pass_by_value)]
pub(super) fn words(error: hdf5_pure::Error) -> String {
    format!("the HDF5 file is damaged or of a kind not supported ({error})")
}

/// A size that a file claims; one that no memory has room for stays too large.
pub(super) fn extent(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// The text in an attribute, whichever of HDF5's many ways it was written in.
pub(super) fn attribute_text(value: &AttrValue) -> Option<&str> {
    match value {
        AttrValue::String(text) | AttrValue::AsciiString(text) => Some(text),
        AttrValue::VarLenString(text) | AttrValue::VarLenAsciiString(text) => Some(text),
        AttrValue::StringSized { value, .. } | AttrValue::AsciiStringSized { value, .. } => Some(value),
        _ => None,
    }
    .map(|text| text.trim_end_matches('\0'))
}

/// Keeps account of what has been taken out of a file: objects can be referred to any number of times, so each being
/// small enough says nothing about all of them.
pub(super) struct Store<'a> {
    pub(super) file_len: u64,
    objects: usize,
    bytes: u64,
    budget: &'a Budget,
}

impl<'a> Store<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self { file_len: source.len(), objects: 0, bytes: 0, budget: &source.budget }
    }

    /// Counts an object, so that circles end.
    pub(super) fn count(&mut self, depth: usize) -> Result<(), String> {
        self.objects += 1;
        if depth > MAX_NESTING {
            return Err(format!("groups and cells lie more than {MAX_NESTING} deep inside each other"));
        }
        if self.objects > MAX_OBJECTS {
            return Err(format!("it holds more than {MAX_OBJECTS} objects"));
        }
        Ok(())
    }

    /// Counts all of a dataset as taken.
    pub(super) fn claim(&mut self, dataset: &Dataset) -> Result<(), String> {
        let bytes = self.check(dataset)?;
        self.spend(bytes)
    }

    /// Checks what a dataset claims to hold, and says how many bytes that is. The parser takes memory for all that is asked of
    /// it and for whole chunks.
    pub(super) fn check(&self, dataset: &Dataset) -> Result<u64, String> {
        let element = dataset.element_size().map_err(words)?;
        let bytes = |shape: &[u64]| shape.iter().try_fold(element, |product, &n| product.checked_mul(n));
        let shape = dataset.shape().map_err(words)?;
        let (most, chunk) = match dataset.layout().map_err(words)? {
            Layout::Chunked { chunk_shape, .. } => (self.file_len.saturating_mul(MAX_INFLATION), chunk_shape),
            _ => (self.file_len, Vec::new()),
        };
        if [bytes(&shape), bytes(&chunk)].iter().any(|extent| extent.is_none_or(|bytes| bytes > most)) {
            let what = format!("it claims the shape {shape:?} in chunks of {chunk:?}");
            return Err(format!("{what}, which a file of {} bytes cannot hold", self.file_len));
        }
        // the parser takes memory for what a chunk says of itself before it looks whether the file has so many bytes
        if !chunk.is_empty() {
            let stored = dataset.chunks().map_err(words)?;
            if let Some(chunk) = stored.iter().find(|chunk| chunk.storage_size > self.file_len) {
                return Err(format!("a chunk claims {} bytes of a file of {}", chunk.storage_size, self.file_len));
            }
        }
        Ok(bytes(&shape).unwrap_or(u64::MAX))
    }

    /// Counts some rows of a dataset, which has been checked, as taken: the parser holds them and a chunk.
    fn claim_rows(&self, dataset: &Dataset, count: usize) -> Result<(), String> {
        let element = dataset.element_size().map_err(words)?;
        let bytes = |shape: &[u64]| shape.iter().fold(element, |product, &n| product.saturating_mul(n));
        let row = bytes(dataset.shape().map_err(words)?.get(1..).unwrap_or_default());
        let chunk = match dataset.layout().map_err(words)? {
            Layout::Chunked { chunk_shape, .. } => bytes(&chunk_shape),
            _ => 0,
        };
        // as bytes, then as numbers of up to eight
        let numbers = (row / element.max(1)).saturating_mul(8).saturating_add(row);
        self.budget.take(numbers.saturating_mul(count as u64).saturating_add(chunk))
    }

    fn spend(&mut self, bytes: u64) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.file_len.saturating_mul(MAX_INFLATION) {
            return Err(format!("its objects claim {} bytes, which {} cannot hold", self.bytes, self.file_len));
        }
        self.budget.take(bytes)
    }

    /// Counts memory that is taken for something made from the file.
    pub(super) fn reserve(&self, bytes: u64) -> Result<(), String> {
        self.budget.take(bytes)
    }

    /// All numbers of a dataset.
    pub(super) fn numbers(&mut self, dataset: &Dataset) -> Result<Numbers, String> {
        self.claim(dataset)?;
        match dataset.dtype().map_err(words)? {
            DType::F32 | DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::Enum(_) => {
                dataset.read_f32().map(Numbers::F32).map_err(words)
            }
            DType::I64 => dataset.read_i64().map(Numbers::I64).map_err(words),
            DType::U64 => dataset.read_u64().map(Numbers::U64).map_err(words),
            _ => dataset.read_f64().map(Numbers::F64).map_err(words),
        }
    }

    /// The numbers of `count` rows of a dataset that has been checked.
    pub(super) fn numbers_of(&mut self, dataset: &Dataset, first: usize, count: usize) -> Result<Numbers, String> {
        self.claim_rows(dataset, count)?;
        let (first, count) = (first as u64, count as u64);
        match dataset.dtype().map_err(words)? {
            DType::F32 | DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::Enum(_) => {
                dataset.read_f32_rows(first, count).map(Numbers::F32).map_err(words)
            }
            DType::I64 => dataset.read_i64_rows(first, count).map(Numbers::I64).map_err(words),
            DType::U64 => dataset.read_u64_rows(first, count).map(Numbers::U64).map_err(words),
            _ => dataset.read_f64_rows(first, count).map(Numbers::F64).map_err(words),
        }
    }

    /// The same of a dataset of counts or places.
    pub(super) fn integers_of(&mut self, dataset: &Dataset, first: usize, count: usize) -> Result<Vec<usize>, String> {
        self.claim_rows(dataset, count)?;
        whole(dataset.read_i64_rows(first as u64, count as u64).map_err(words)?)
    }

    /// All numbers of a dataset of counts or places.
    pub(super) fn integers(&mut self, dataset: &Dataset) -> Result<Vec<usize>, String> {
        self.claim(dataset)?;
        // 32 bits in the file, 64 in memory
        self.reserve(dataset.shape().map_err(words)?.iter().product::<u64>().saturating_mul(4))?;
        whole(dataset.read_i64().map_err(words)?)
    }

    /// All strings of a dataset.
    pub(super) fn strings(&mut self, dataset: &Dataset) -> Result<Vec<String>, String> {
        self.claim(dataset)?;
        if dataset.dtype().map_err(words)? == DType::VariableLengthString {
            let bytes = dataset.vlen_string_payload_size().map_err(words)?;
            self.spend(bytes)?;
        }
        dataset.read_string().map_err(words)
    }

    /// The datasets of a group and of the groups in it, which become part of their names.
    fn collect(&mut self, group: &Group, prefix: &str, depth: usize, arrays: &mut Vec<Array>) -> Result<(), String> {
        self.count(depth)?;
        for (name, dataset) in group.iter_datasets().map_err(words)? {
            self.count(depth)?;
            let shape: Vec<usize> = dataset.shape().map_err(words)?.iter().map(|&n| extent(n)).collect();
            let name = format!("{prefix}{name}");
            let named = |what: String| format!("dataset `{name}`: {what}");
            let content = match dataset.dtype().map_err(words)? {
                dtype if is_numeric(&dtype) && shape.len() <= 2 => {
                    Content::Numbers(self.numbers(&dataset).map_err(named)?)
                }
                DType::String | DType::VariableLengthString if shape.len() == 1 => {
                    Content::Text(self.strings(&dataset).map_err(named)?)
                }
                dtype => Content::Unreadable(format!("holds elements of type {dtype} in the shape {shape:?}")),
            };
            arrays.push(Array { name, shape, fortran_order: false, content });
        }
        for name in group.groups().map_err(words)? {
            let inner = group.group(&name).map_err(words)?;
            self.collect(&inner, &format!("{prefix}{name}/"), depth + 1, arrays)?;
        }
        Ok(())
    }
}

fn whole(integers: Vec<i64>) -> Result<Vec<usize>, String> {
    let whole: Result<Vec<usize>, _> = integers.into_iter().map(usize::try_from).collect();
    whole.map_err(|_| "a place or a count is negative".to_owned())
}

/// Whether elements are numbers; booleans of h5py are an enumeration of two names.
pub(super) fn is_numeric(dtype: &DType) -> bool {
    match dtype {
        DType::F32 | DType::F64 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => true,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => true,
        DType::Enum(names) => names.len() == 2,
        _ => false,
    }
}
