//! MATLAB v7.3: HDF5 with marks of MATLAB's own.
//!
//! The attribute `MATLAB_class` names an object's class, the members of a cell array are references, and columns are
//! written one after the other, so HDF5's dimensions come in reverse.

use std::collections::HashMap;

use hdf5_pure::{AttrValue, Dataset, Group, Object};

use super::{Store, attribute_text, extent, is_numeric, words};
use crate::matlab::{Variable, assemble};
use crate::numbers::Numbers;
use crate::source::Source;
use crate::{Loaded, sparse};
use consilience::{Error, Result};

/// Whether anything at the top carries MATLAB's mark.
pub(crate) fn is_matlab(root: &Group) -> Result<bool, String> {
    for (_, dataset) in root.iter_datasets().map_err(words)? {
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

/// Views and labels below `root`.
pub(crate) fn read(source: &Source, root: &Group, store: &mut Store) -> Result<Loaded> {
    let variables = Walk { store }.members(root, 0).map_err(|what| Error::format(source.path(), what))?;
    assemble(source, variables)
}

/// The class that MATLAB gave to an object.
fn class(attributes: &HashMap<String, AttrValue>) -> Option<&str> {
    attributes.get("MATLAB_class").and_then(attribute_text)
}

/// A walk over the objects of a file.
struct Walk<'a, 's> {
    store: &'a mut Store<'s>,
}

impl Walk<'_, '_> {
    /// The variables in a group: the file's root, or a struct.
    fn members(&mut self, group: &Group, depth: usize) -> Result<Vec<(String, Variable)>, String> {
        self.store.count(depth)?;
        let named = |name: &str, what: String| format!("`{name}`: {what}");
        let mut found = Vec::new();
        for (name, dataset) in group.iter_datasets().map_err(words)? {
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
    fn group(&mut self, group: &Group, depth: usize) -> Result<Variable, String> {
        let attributes = group.attrs().map_err(words)?;
        let Some(rows) = attributes.get("MATLAB_sparse") else {
            return Ok(Variable::Struct(self.members(group, depth + 1)?));
        };
        let rows = match *rows {
            AttrValue::U64(rows) => extent(rows),
            AttrValue::I64(rows) => usize::try_from(rows).map_err(|_| "its number of rows is negative")?,
            AttrValue::U32(rows) => rows as usize,
            AttrValue::I32(rows) => usize::try_from(rows).map_err(|_| "its number of rows is negative")?,
            _ => return Err("its number of rows is not a number".to_owned()),
        };
        let mut part = |name: &str| -> Result<Numbers, String> {
            // an all-zero matrix has neither `data` nor `ir`
            match group.dataset(name) {
                Ok(dataset) => self.store.numbers(&dataset),
                Err(_) if name != "jc" => Ok(Numbers::F64(Vec::new())),
                Err(error) => Err(words(error)),
            }
        };
        let (indptr, indices, values) = (part("jc")?, part("ir")?, part("data")?);
        let index = |numbers: &Numbers| sparse::whole(&numbers.to_f64()).ok_or("its indices are damaged".to_owned());
        let indptr = index(&indptr)?;
        let shape = sparse::Shape::new(indptr.len().saturating_sub(1), rows, self.store.file_len)?;
        Ok(Variable::Sparse { turned: sparse::from_rows(shape, &indptr, &index(&indices)?, &values)? })
    }

    fn dataset(&mut self, dataset: &Dataset, depth: usize) -> Result<Variable, String> {
        self.store.count(depth)?;
        let attributes = dataset.attrs().map_err(words)?;
        if attributes.contains_key("MATLAB_empty") {
            return Ok(Variable::Nothing);
        }
        let shape = dataset.shape().map_err(words)?;
        match class(&attributes) {
            Some("cell") => {
                self.store.claim(dataset)?;
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
                let codes: Vec<u16> = self.store.numbers(dataset)?.to_f64().iter().map(|&code| code as u16).collect();
                Ok(Variable::Text(char_rows(&codes, extent(rows), extent(cols))))
            }
            Some("function_handle" | "string" | "table") => Ok(Variable::Nothing),
            _ => self.dense(dataset, &shape),
        }
    }

    fn dense(&mut self, dataset: &Dataset, shape: &[u64]) -> Result<Variable, String> {
        if !is_numeric(&dataset.dtype().map_err(words)?) {
            return Ok(Variable::Nothing);
        }
        match *shape {
            [cols, rows] => {
                // once more, to turn it so that samples are rows
                self.store.reserve(rows.saturating_mul(cols).saturating_mul(8))?;
                let numbers = self.store.numbers(dataset)?;
                let (rows, cols) = (extent(rows), extent(cols));
                if rows.checked_mul(cols) != Some(numbers.len()) {
                    return Err(format!("it claims to be {rows} x {cols} but holds {} numbers", numbers.len()));
                }
                Ok(if numbers.len() == 0 { Variable::Nothing } else { Variable::Dense { rows, cols, numbers } })
            }
            [] | [_] => Ok(Variable::Nothing),
            _ => Ok(Variable::Unreadable(format!("has the size {shape:?}; a view has 2 dimensions"))),
        }
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
