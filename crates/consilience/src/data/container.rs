//! Files that hold several arrays under names (`.npz`, plain HDF5): which are views, which the labels.

use std::path::Path;

use super::labels::{LABEL_NAMES, is_label_name};
use super::numbers::Numbers;
use super::{Labels, Loaded, view_from};
use crate::{Error, Result, View};

/// What an array holds.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Numbers(Numbers),
    Text(Vec<String>),
    /// Something that cannot be a view or labels, and why.
    Unreadable(String),
}

/// One array of a container.
#[derive(Debug, Clone)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) shape: Vec<usize>,
    pub(super) fortran_order: bool,
    pub(super) content: Content,
}

impl Array {
    /// Whether all its elements lie along one dimension.
    pub(super) fn is_vector(&self) -> bool {
        match *self.shape.as_slice() {
            [_] => true,
            [rows, cols] => rows == 1 || cols == 1,
            _ => false,
        }
    }

    /// The array as labels.
    pub(super) fn labels(&self, path: &Path) -> Result<Labels> {
        if !self.is_vector() {
            let what =
                format!("`{}` has the name of labels but the shape {:?}, not one per sample", self.name, self.shape);
            return Err(Error::format(path, format!("{what}; rename it if it is a view")));
        }
        match &self.content {
            Content::Numbers(numbers) => Labels::from_numbers(&numbers.to_f64())
                .ok_or_else(|| Error::format(path, format!("the labels `{}` hold a missing value (NaN)", self.name))),
            Content::Text(names) => Ok(Labels::from_names(names)),
            Content::Unreadable(why) => Err(Error::format(path, format!("the labels `{}`: {why}", self.name))),
        }
    }

    fn into_view(self, path: &Path) -> Result<View> {
        let problem = match (self.content, self.shape.as_slice()) {
            (Content::Numbers(numbers), &[rows, cols]) => {
                let matrix = match self.fortran_order {
                    true => numbers.into_column_major(rows, cols)?,
                    false => numbers.into_row_major(rows, cols)?,
                };
                return Ok(view_from(path, self.name, matrix));
            }
            (Content::Numbers(_), shape) => format!("has the shape {shape:?}; a view has 2 dimensions"),
            (Content::Text(_), _) => "holds text; a view is a matrix of numbers".to_owned(),
            (Content::Unreadable(why), _) => format!("{why}; it cannot be a view"),
        };
        Err(Error::format(path, format!("array `{}` {problem}", self.name)))
    }
}

/// Sorts arrays into views and labels. Arrays of less than two dimensions are remarks about the data and left out;
/// anything else that is neither is an error, because a view must not vanish silently.
pub(super) fn assemble(path: &Path, arrays: Vec<Array>) -> Result<Loaded> {
    let (named_as_labels, others): (Vec<_>, Vec<_>) =
        arrays.into_iter().partition(|a| is_label_name(last_part(&a.name)));
    let rank = |array: &Array| LABEL_NAMES.iter().position(|name| *name == last_part(&array.name));
    let labels = named_as_labels.iter().min_by_key(|array| rank(array)).map(|array| array.labels(path)).transpose()?;
    let (matrices, remarks): (Vec<_>, Vec<_>) = others.into_iter().partition(|array| array.shape.len() >= 2);
    let views = matrices.into_iter().map(|array| array.into_view(path)).collect::<Result<Vec<_>>>()?;
    if views.is_empty() && labels.is_none() {
        let names: Vec<String> = remarks.iter().take(20).map(|a| format!("`{}` {:?}", a.name, a.shape)).collect();
        let held = if names.is_empty() { String::new() } else { format!("; it holds {}", names.join(", ")) };
        return Err(Error::format(path, format!("holds neither a matrix (a 2-D array of numbers) nor labels{held}")));
    }
    Ok(Loaded { views, labels, ..Loaded::default() })
}

/// The name without the groups it lies in.
fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
