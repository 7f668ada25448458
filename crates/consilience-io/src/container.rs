//! Files that hold several arrays under names (`.npz`, plain HDF5): which are views, which the labels.

use std::path::Path;

use super::labels::{LABEL_NAMES, is_label_name};
use super::numbers::Numbers;
use super::source::Source;
use super::{Labels, Loaded, view_from};
use consilience::{Error, Result, View};

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
            return Err(Error::format_with_hint(
                path,
                what,
                "rename it if it is a view, or name it among the views that you want",
            ));
        }
        match &self.content {
            Content::Numbers(numbers) => numbers
                .labels()
                .ok_or_else(|| Error::format(path, format!("the labels `{}` hold a missing value (NaN)", self.name))),
            Content::Text(names) => Ok(Labels::from_names(names)),
            Content::Unreadable(why) => Err(Error::format(path, format!("the labels `{}`: {why}", self.name))),
        }
    }

    /// Whether an array with the name of labels is a view all the same: several columns of numbers that are not all whole.
    /// Whole ones may be one-hot labels, which must never become features.
    fn is_surely_a_view(&self) -> bool {
        let whole = |x: f64| x.fract() == 0.0;
        !self.is_vector()
            && match &self.content {
                Content::Numbers(Numbers::F32(numbers)) => numbers.iter().any(|&x| !whole(f64::from(x))),
                Content::Numbers(Numbers::F64(numbers)) => numbers.iter().any(|&x| !whole(x)),
                _ => false,
            }
    }

    /// Whether it may say again, as rows of zeros and ones, what other labels say.
    fn may_be_one_hot(&self) -> bool {
        match &self.content {
            Content::Numbers(numbers) => numbers.are_zeros_and_ones(),
            Content::Text(_) | Content::Unreadable(_) => true,
        }
    }

    fn into_view(self, source: &Source) -> Result<View> {
        let named = |problem: String| Error::format(source.path(), format!("array `{}` {problem}", self.name));
        let problem = match (self.content, self.shape.as_slice()) {
            (Content::Numbers(numbers), &[rows, cols]) => {
                let matrix = match self.fortran_order {
                    true => numbers.into_column_major(rows, cols),
                    false => numbers.into_row_major(rows, cols),
                };
                return matrix
                    .map(|matrix| view_from(source, self.name.as_str(), matrix))
                    .map_err(|error| named(error.to_string()));
            }
            (Content::Numbers(_), shape) => format!("has the shape {shape:?}; a view has 2 dimensions"),
            (Content::Text(_), _) => "holds text; a view is a matrix of numbers".to_owned(),
            (Content::Unreadable(why), _) => format!("{why}; it cannot be a view"),
        };
        Err(named(problem))
    }
}

/// Sorts arrays into views and labels. Arrays of less than two dimensions are remarks about the data and left out;
/// anything else that is neither is an error, because a view must not vanish silently. What the caller `wanted` as a view
/// is one, whatever its name.
pub(super) fn assemble(source: &Source, arrays: Vec<Array>, wanted: &[String]) -> Result<Loaded> {
    let means_labels =
        |a: &Array| is_label_name(last_part(&a.name)) && !wanted.contains(&a.name) && !a.is_surely_a_view();
    let (named_as_labels, others): (Vec<_>, Vec<_>) = arrays.into_iter().partition(means_labels);
    let rank = |array: &Array| LABEL_NAMES.iter().position(|name| *name == last_part(&array.name));
    let best = named_as_labels.iter().min_by_key(|array| rank(array));
    let labels = best.map(|array| array.labels(source.path())).transpose()?;
    if let Some(view) = named_as_labels.iter().find(|array| !array.is_vector() && !array.may_be_one_hot()) {
        view.labels(source.path())?;
    }
    let (matrices, remarks): (Vec<_>, Vec<_>) = others.into_iter().partition(|array| array.shape.len() >= 2);
    let views = matrices.into_iter().map(|array| array.into_view(source)).collect::<Result<Vec<_>>>()?;
    if views.is_empty() && labels.is_none() {
        let names: Vec<String> = remarks.iter().take(20).map(|a| format!("`{}` {:?}", a.name, a.shape)).collect();
        let held = if names.is_empty() { String::new() } else { format!("; it holds {}", names.join(", ")) };
        let what = format!("holds neither a matrix (a 2-D array of numbers) nor labels{held}");
        return Err(Error::format(source.path(), what));
    }
    Ok(Loaded { views, labels, ..Loaded::default() })
}

/// The name without the groups it lies in.
fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
