//! MATLAB v7.3 and other HDF5 files.
//!
//! MATLAB marks its objects with the attribute `MATLAB_class`, keeps the members of a cell array as references, and
//! writes column after column, so HDF5's dimensions come in reverse. A file without such marks (h5py) is taken as it is.

use std::path::Path;

use hdf5_pure::{AttrValue, DType, Dataset, File, Group, Layout, Object};

use super::Variable;
use super::assemble::assemble;
use super::stream::Told;
use crate::data::container::{self, Array, Content};
use crate::data::limits::{DEEPEST, MOST_INFLATED};
use crate::data::numbers::{Numbers, Precision};
use crate::data::{Loaded, sparse};
use crate::{Error, Result};

/// Groups can be linked in circles; no honest file of views has this many objects.
const MOST_OBJECTS: usize = 100_000;

/// Everything in the file at `path`.
pub(in crate::data) fn read(path: &Path) -> Result<Loaded> {
    let damaged = |error: hdf5_pure::Error| Error::format(path, format!("the HDF5 file is damaged: {error}"));
    let file = File::open(path).map_err(damaged)?;
    let mut walk = Walk { file_len: file.file_size(), seen: 0 };
    let root = file.root();
    let told = |what: String| Error::format(path, what);
    if walk.is_matlab(&root).map_err(told)? {
        assemble(path, walk.members(&root, 0).map_err(told)?)
    } else {
        let mut arrays = Vec::new();
        walk.plain(&root, "", 0, &mut arrays).map_err(told)?;
        container::assemble(path, arrays)
    }
}

/// A walk over the objects of a file.
struct Walk {
    file_len: u64,
    seen: usize,
}

fn words(error: hdf5_pure::Error) -> String {
    format!("it is damaged ({error})")
}

/// The class that MATLAB gave to an object.
fn class(attributes: &std::collections::HashMap<String, AttrValue>) -> Option<&str> {
    match attributes.get("MATLAB_class")? {
        AttrValue::String(class) | AttrValue::AsciiString(class) => Some(class.trim_end_matches('\0')),
        AttrValue::StringSized { value, .. } | AttrValue::AsciiStringSized { value, .. } => {
            Some(value.trim_end_matches('\0'))
        }
        _ => None,
    }
}

impl Walk {
    /// Whether anything at the top carries MATLAB's mark.
    fn is_matlab(&self, root: &Group) -> Told<bool> {
        for name in root.datasets().map_err(words)? {
            let dataset = root.dataset(&name).map_err(words)?;
            if class(&dataset.attrs().map_err(words)?).is_some() {
                return Ok(true);
            }
        }
        for name in root.groups().map_err(words)? {
            let group = root.group(&name).map_err(words)?;
            if name == "#refs#" || class(&group.attrs().map_err(words)?).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Counts an object, so that circles end.
    fn count(&mut self, depth: usize) -> Told<()> {
        self.seen += 1;
        if depth > DEEPEST {
            return Err(format!("groups and cells lie more than {DEEPEST} deep inside each other"));
        }
        if self.seen > MOST_OBJECTS {
            return Err(format!("it holds more than {MOST_OBJECTS} objects"));
        }
        Ok(())
    }

    /// The variables in a group: the file's root, or a struct.
    fn members(&mut self, group: &Group, depth: usize) -> Told<Vec<(String, Variable)>> {
        self.count(depth)?;
        let named = |name: &str, what: String| format!("`{name}`: {what}");
        let mut found = Vec::new();
        for name in group.datasets().map_err(words)? {
            let dataset = group.dataset(&name).map_err(words)?;
            let variable = self.dataset(&dataset, depth).map_err(|what| named(&name, what))?;
            found.push((name, variable));
        }
        for name in group.groups().map_err(words)? {
            // `#refs#` holds the members of cells, `#subsystem#` MATLAB's objects
            if name.starts_with('#') {
                continue;
            }
            let inner = group.group(&name).map_err(words)?;
            let variable = self.group(&inner, depth).map_err(|what| named(&name, what))?;
            found.push((name, variable));
        }
        Ok(found)
    }

    /// A sparse matrix or a struct.
    fn group(&mut self, group: &Group, depth: usize) -> Told<Variable> {
        let attributes = group.attrs().map_err(words)?;
        let Some(rows) = attributes.get("MATLAB_sparse") else {
            return Ok(Variable::Struct(self.members(group, depth + 1)?));
        };
        let rows = match *rows {
            AttrValue::U64(rows) => rows as usize,
            AttrValue::I64(rows) => usize::try_from(rows).map_err(|_| "its number of rows is negative")?,
            AttrValue::U32(rows) => rows as usize,
            AttrValue::I32(rows) => usize::try_from(rows).map_err(|_| "its number of rows is negative")?,
            _ => return Err("its number of rows is not a number".to_owned()),
        };
        let part = |name: &str| -> Told<Numbers> {
            // an all-zero matrix has neither `data` nor `ir`
            match group.dataset(name) {
                Ok(dataset) => self.numbers(&dataset),
                Err(_) if name != "jc" => Ok(Numbers::F64(Vec::new())),
                Err(error) => Err(words(error)),
            }
        };
        let (starts, row_of_entry, values) = (part("jc")?, part("ir")?, part("data")?);
        let index = |numbers: &Numbers| sparse::whole(&numbers.to_f64()).ok_or("its indices are damaged".to_owned());
        let starts = index(&starts)?;
        let shape = sparse::Shape::new(starts.len().saturating_sub(1), rows, self.file_len)?;
        Ok(Variable::Sparse { turned: sparse::from_rows(shape, &starts, &index(&row_of_entry)?, &values)? })
    }

    fn dataset(&mut self, dataset: &Dataset, depth: usize) -> Told<Variable> {
        self.count(depth)?;
        let attributes = dataset.attrs().map_err(words)?;
        if attributes.contains_key("MATLAB_empty") {
            return Ok(Variable::Nothing);
        }
        let shape = dataset.shape().map_err(words)?;
        match class(&attributes) {
            Some("cell") => {
                self.check_extent(dataset)?;
                let objects = dataset.dereference().map_err(words)?;
                let mut members = Vec::new();
                for object in &objects {
                    members.push(match object {
                        Object::Dataset(member) => self.dataset(member, depth + 1)?,
                        Object::Group(member) => self.group(member, depth + 1)?,
                        _ => Variable::Nothing,
                    });
                }
                Ok(Variable::Cell(members))
            }
            Some("char") => {
                let &[cols, rows] = shape.as_slice() else { return Ok(Variable::Nothing) };
                let codes: Vec<u16> = self.numbers(dataset)?.to_f64().iter().map(|&code| code as u16).collect();
                Ok(Variable::Text(char_rows(&codes, rows as usize, cols as usize)))
            }
            Some("function_handle" | "string" | "table") => Ok(Variable::Nothing),
            _ => self.dense(dataset, &shape),
        }
    }

    fn dense(&self, dataset: &Dataset, shape: &[u64]) -> Told<Variable> {
        if !is_numeric(&dataset.dtype().map_err(words)?) {
            return Ok(Variable::Nothing);
        }
        match *shape {
            [cols, rows] => {
                let numbers = self.numbers(dataset)?;
                let (rows, cols) = (rows as usize, cols as usize);
                if rows.checked_mul(cols) != Some(numbers.len()) {
                    return Err(format!("it claims to be {rows} x {cols} but holds {} numbers", numbers.len()));
                }
                Ok(if numbers.len() == 0 { Variable::Nothing } else { Variable::Dense { rows, cols, numbers } })
            }
            [] | [_] => Ok(Variable::Nothing),
            _ => Ok(Variable::Unreadable(format!("has the size {shape:?}; a view has 2 dimensions"))),
        }
    }

    /// The arrays of a file without MATLAB's marks, with the groups they lie in as part of their names.
    fn plain(&mut self, group: &Group, prefix: &str, depth: usize, arrays: &mut Vec<Array>) -> Told<()> {
        self.count(depth)?;
        for name in group.datasets().map_err(words)? {
            self.count(depth)?;
            let dataset = group.dataset(&name).map_err(words)?;
            let shape: Vec<usize> = dataset.shape().map_err(words)?.iter().map(|&n| n as usize).collect();
            let full_name = format!("{prefix}{name}");
            let content = match dataset.dtype().map_err(words)? {
                dtype if is_numeric(&dtype) && shape.len() <= 2 => {
                    Content::Numbers(self.numbers(&dataset).map_err(|what| format!("dataset `{full_name}`: {what}"))?)
                }
                DType::String | DType::VariableLengthString if shape.len() == 1 => {
                    self.check_extent(&dataset)?;
                    Content::Text(dataset.read_string().map_err(words)?)
                }
                dtype => Content::Unreadable(format!("elements of type {dtype} in the shape {shape:?}")),
            };
            arrays.push(Array { name: full_name, shape, fortran_order: false, content });
        }
        for name in group.groups().map_err(words)? {
            let inner = group.group(&name).map_err(words)?;
            self.plain(&inner, &format!("{prefix}{name}/"), depth + 1, arrays)?;
        }
        Ok(())
    }

    fn numbers(&self, dataset: &Dataset) -> Told<Numbers> {
        self.check_extent(dataset)?;
        let dtype = dataset.dtype().map_err(words)?;
        let precision = match dtype {
            DType::F32 | DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::Enum(_) => Precision::Single,
            _ => Precision::Double,
        };
        match precision {
            Precision::Single => dataset.read_f32().map(Numbers::F32).map_err(words),
            Precision::Double => dataset.read_f64().map(Numbers::F64).map_err(words),
        }
    }

    /// The parser takes memory for the whole dataset and for whole chunks, so their sizes are checked first.
    fn check_extent(&self, dataset: &Dataset) -> Told<()> {
        let element = dataset.element_size().map_err(words)?;
        let bytes = |shape: &[u64]| shape.iter().try_fold(element, |product, &n| product.checked_mul(n));
        let shape = dataset.shape().map_err(words)?;
        let (most, chunk) = match dataset.layout().map_err(words)? {
            Layout::Chunked { chunk_shape, .. } => (self.file_len.saturating_mul(MOST_INFLATED), chunk_shape),
            _ => (self.file_len, Vec::new()),
        };
        for extent in [bytes(&shape), bytes(&chunk)] {
            if extent.is_none_or(|bytes| bytes > most) {
                let what = format!("it claims the shape {shape:?} in chunks of {chunk:?}");
                return Err(format!("{what}, which a file of {} bytes cannot hold", self.file_len));
            }
        }
        Ok(())
    }
}

fn is_numeric(dtype: &DType) -> bool {
    match dtype {
        DType::F32 | DType::F64 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => true,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => true,
        // how h5py stores booleans
        DType::Enum(names) => names.len() == 2,
        _ => false,
    }
}

/// The rows of a char array whose columns follow each other.
fn char_rows(codes: &[u16], rows: usize, cols: usize) -> Vec<String> {
    if rows.checked_mul(cols) != Some(codes.len()) {
        return Vec::new();
    }
    let row = |i: usize| codes.iter().skip(i).step_by(rows).copied().collect::<Vec<u16>>();
    (0..rows).map(|i| String::from_utf16_lossy(&row(i))).collect()
}
