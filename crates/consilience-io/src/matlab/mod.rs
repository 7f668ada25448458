//! MATLAB files of both kinds, v5 and v7.3: variables in, views and labels out.
//!
//! Samples may be the rows of a MATLAB matrix or its columns, and nothing in the file says which; how this is decided is
//! below.

#[cfg(feature = "mat")]
mod stream;
#[cfg(feature = "mat")]
mod v5;

#[cfg(feature = "mat")]
pub(crate) use v5::read as read_v5;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use consilience::matrix::Matrix;
use consilience::{Error, Result};

use super::numbers::Numbers;
use super::sparse;
use crate::labels::{LABEL_NAMES, is_label_name};
use crate::source::Source;
use crate::{Labels, Loaded, view_from};

/// How deep cells, structs and groups may lie inside each other.
pub(crate) const MAX_NESTING: usize = 16;

/// A MATLAB variable, as far as views and labels need it.
#[derive(Debug)]
pub(crate) enum Variable {
    /// Numbers, column after column.
    Dense { rows: usize, cols: usize, numbers: Numbers },
    /// A sparse matrix, already turned: its rows are MATLAB's columns.
    Sparse { turned: Matrix },
    /// The rows of a char array.
    Text(Vec<String>),
    /// A cell array, column after column.
    Cell(Vec<Variable>),
    /// The fields of a struct; those of a struct array follow each other.
    Struct(Vec<(String, Variable)>),
    /// Numbers that cannot be a view, and why.
    Unreadable(String),
    /// Functions, objects, empty arrays.
    Nothing,
}

impl Variable {
    /// Rows and columns as MATLAB counts them.
    fn size(&self) -> Option<(usize, usize)> {
        match self {
            Self::Dense { rows, cols, .. } => Some((*rows, *cols)),
            Self::Sparse { turned } => Some((turned.cols(), turned.rows())),
            _ => None,
        }
    }

    /// More than one row and more than one column of numbers. What is less is a list or a remark.
    fn is_matrix(&self) -> bool {
        self.size().is_some_and(|(rows, cols)| rows > 1 && cols > 1)
    }

    /// One row or one column of numbers.
    fn is_vector(&self) -> bool {
        self.size().is_some_and(|(rows, cols)| rows.min(cols) == 1)
    }
}

/// For every size (rows, columns), whether the columns are the samples.
///
/// The number of samples is the number of labels where there are labels, else the one dimension that all matrices
/// share. What stays undecided (a single matrix, square ones) goes with the matrices that are decided, else rows are
/// samples.
fn columns_are_samples(sizes: &[(usize, usize)], labels: Option<usize>) -> Vec<bool> {
    let shared = || {
        let in_all = |n: usize| sizes.iter().all(|&(rows, cols)| rows == n || cols == n);
        let &(rows, cols) = sizes.first()?;
        match (in_all(rows), in_all(cols)) {
            (true, false) => Some(rows),
            (false, true) => Some(cols),
            _ => None,
        }
    };
    let known = labels.filter(|&n| sizes.iter().any(|&(rows, cols)| rows == n || cols == n));
    let Some(n) = known.or_else(shared) else { return vec![false; sizes.len()] };
    let by_columns = |&(rows, cols): &(usize, usize)| rows != n && cols == n;
    let by_rows = |&(rows, cols): &(usize, usize)| rows == n && cols != n;
    let square_follows_columns = sizes.iter().any(by_columns) && !sizes.iter().any(by_rows);
    sizes.iter().map(|size| by_columns(size) || (*size == (n, n) && square_follows_columns)).collect()
}

/// The matrix with samples as rows. MATLAB keeps columns together, so samples that are columns need no copying.
fn samples_as_rows(variable: Variable, columns_are_samples: bool) -> Result<Option<Matrix>> {
    Ok(match (variable, columns_are_samples) {
        (Variable::Dense { rows, cols, numbers }, true) => Some(numbers.into_row_major(cols, rows)?),
        (Variable::Dense { rows, cols, numbers }, false) => Some(numbers.into_column_major(rows, cols)?),
        (Variable::Sparse { turned }, true) => Some(turned),
        (Variable::Sparse { turned }, false) => Some(sparse::transposed(&turned)),
        _ => None,
    })
}

type Named = (String, Variable);

/// Views and labels among `variables`.
pub(crate) fn assemble(source: &Source, variables: Vec<Named>) -> Result<Loaded> {
    let path = source.path();
    let mut flat = Vec::new();
    variables.into_iter().for_each(|variable| flatten(variable, &mut flat));
    let (named_as_labels, others): (Vec<Named>, Vec<Named>) =
        flat.into_iter().partition(|(name, _)| is_label_name(name));
    let labels = pick_labels(path, &named_as_labels)?;
    let name_lists: Vec<Vec<String>> = others.iter().filter_map(list_of_view_names).collect();
    let mut matrices = Vec::new();
    for (name, variable) in others {
        collect_matrices(path, name, variable, &name_lists, &mut matrices)?;
    }
    if matrices.is_empty() && labels.is_none() {
        return Err(Error::format(path, "holds neither a numeric matrix, nor a cell array of them, nor labels"));
    }
    tell_apart(&mut matrices);
    let sizes: Vec<_> = matrices.iter().filter_map(|(_, matrix)| matrix.size()).collect();
    let turned = columns_are_samples(&sizes, labels.as_ref().map(Labels::len));
    let mut views = Vec::new();
    for ((name, matrix), turn) in matrices.into_iter().zip(turned) {
        let wrong = |error: Error| Error::format(path, format!("variable `{name}` {error}"));
        if let Some(data) = samples_as_rows(matrix, turn).map_err(wrong)? {
            views.push(view_from(source, name, data));
        }
    }
    Ok(Loaded { views, labels, ..Loaded::default() })
}

/// Fields of structs count as variables. Readers bound the depth.
fn flatten((name, variable): Named, flat: &mut Vec<Named>) {
    match variable {
        Variable::Struct(fields) => fields.into_iter().for_each(|field| flatten(field, flat)),
        other => flat.push((name, other)),
    }
}

/// Matrices stand for themselves, those in cells are numbered or named by a list beside them. Vectors are left out
/// (a list of indices is not a view), unless they lie among matrices in a cell.
fn collect_matrices(
    path: &Path,
    name: String,
    variable: Variable,
    name_lists: &[Vec<String>],
    matrices: &mut Vec<Named>,
) -> Result<()> {
    match variable {
        Variable::Cell(members) => {
            let numeric = members.iter().filter(|member| member.size().is_some()).count();
            let any_matrix = members.iter().any(Variable::is_matrix);
            let names = name_lists.iter().find(|names| names.len() == numeric && numeric == members.len());
            for (index, member) in members.into_iter().enumerate() {
                let numbered = format!("{name}{}", index + 1);
                let member_name = names.and_then(|names| names.get(index).cloned()).unwrap_or(numbered);
                match member {
                    Variable::Cell(_) | Variable::Struct(_) | Variable::Unreadable(_) => {
                        collect_matrices(path, member_name, member, name_lists, matrices)?;
                    }
                    member if any_matrix && member.size().is_some() => matrices.push((member_name, member)),
                    _ => {}
                }
            }
        }
        // only structs inside cells are left here
        Variable::Struct(fields) => {
            for (field, member) in fields.into_iter().filter(|(field, _)| !is_label_name(field)) {
                collect_matrices(path, format!("{name}.{field}"), member, name_lists, matrices)?;
            }
        }
        Variable::Unreadable(why) => return Err(Error::format(path, format!("variable `{name}` {why}"))),
        matrix if matrix.is_matrix() => matrices.push((name, matrix)),
        _ => {}
    }
    Ok(())
}

/// Numbers views of the same name, as struct arrays and structs with equal fields give them.
fn tell_apart(matrices: &mut [Named]) {
    let mut uses: HashMap<String, (usize, usize)> = HashMap::new();
    matrices.iter().for_each(|(name, _)| uses.entry(name.clone()).or_default().0 += 1);
    for (name, _) in matrices {
        if let Some((_, seen)) = uses.get_mut(name).filter(|(all, _)| *all > 1) {
            *seen += 1;
            *name = format!("{name}{seen}");
        }
    }
}

/// A cell array of distinct strings whose variable says that it names views.
fn list_of_view_names((name, variable): &Named) -> Option<Vec<String>> {
    let lower = name.to_lowercase();
    let Variable::Cell(members) = variable else { return None };
    if !(lower.contains("name") || lower.contains("view")) {
        return None;
    }
    let text = |member: &Variable| match member {
        Variable::Text(rows) if rows.len() == 1 && !rows[0].trim().is_empty() => Some(rows[0].trim().to_owned()),
        _ => None,
    };
    let names: Vec<String> = members.iter().map(text).collect::<Option<_>>()?;
    let distinct: HashSet<&String> = names.iter().collect();
    (distinct.len() == names.len()).then_some(names)
}

fn pick_labels(path: &Path, candidates: &[Named]) -> Result<Option<Labels>> {
    let rank = |(name, _): &&Named| LABEL_NAMES.iter().position(|label_name| label_name == name);
    let Some(best) = candidates.iter().min_by_key(rank) else { return Ok(None) };
    let of = |(name, variable): &Named| {
        as_labels(variable).map(Some).map_err(|why| Error::format(path, format!("the labels `{name}` {why}")))
    };
    // one-hot labels may say again what these say; any other matrix would be a view that vanishes
    let is_view = |(_, variable): &&Named| {
        variable.is_matrix() && matches!(variable, Variable::Dense { numbers, .. } if !numbers.are_zeros_and_ones())
    };
    candidates.iter().find(is_view).map_or_else(|| of(best), of)
}

/// A vector of numbers, a cell array of strings, a char array, or a cell array that repeats the labels per view.
fn as_labels(variable: &Variable) -> Result<Labels, String> {
    match variable {
        Variable::Dense { numbers, .. } if variable.is_vector() => {
            numbers.labels().ok_or_else(|| "hold a missing value (NaN)".to_owned())
        }
        Variable::Sparse { .. } => Err("are a sparse matrix, not one label per sample".to_owned()),
        Variable::Dense { rows, cols, .. } => {
            Err(format!("are {rows} x {cols}, not one per sample; rename the variable if it is a view"))
        }
        Variable::Text(rows) => Ok(Labels::from_names(rows)),
        Variable::Cell(members) if members.iter().all(|member| matches!(member, Variable::Text(_))) => {
            let names: Vec<&str> = members.iter().map(first_row).collect();
            Ok(Labels::from_names(&names))
        }
        Variable::Cell(members) => match members.first() {
            Some(first @ Variable::Dense { .. }) => as_labels(first),
            _ => Err("are a cell array without labels in it".to_owned()),
        },
        Variable::Unreadable(why) => Err(why.clone()),
        Variable::Struct(_) | Variable::Nothing => Err("hold no labels".to_owned()),
    }
}

fn first_row(variable: &Variable) -> &str {
    match variable {
        Variable::Text(rows) => rows.first().map_or("", String::as_str),
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;

    #[test]
    fn labels_decide_first() {
        assert_eq!(columns_are_samples(&[(5, 20), (20, 7)], Some(20)), [true, false]);
        assert_eq!(columns_are_samples(&[(20, 20), (5, 20)], Some(20)), [true, true], "the square one follows");
        assert_eq!(columns_are_samples(&[(20, 20), (20, 5)], Some(20)), [false, false]);
    }

    #[test]
    fn then_the_shared_dimension_then_rows() {
        assert_eq!(columns_are_samples(&[(1703, 203), (230, 203)], None), [true, true]);
        assert_eq!(columns_are_samples(&[(203, 1703), (203, 230)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(10, 4)], None), [false]);
        assert_eq!(columns_are_samples(&[(6, 4), (6, 4)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(6, 4), (3, 2)], None), [false, false]);
        assert_eq!(columns_are_samples(&[(6, 4)], Some(9)), [false], "labels of other samples decide nothing");
    }

    fn zeros(rows: usize, cols: usize) -> Variable {
        Variable::Dense { rows, cols, numbers: Numbers::F64(vec![0.0; rows * cols]) }
    }

    fn names(variables: Vec<(&str, Variable)>) -> Result<Vec<String>> {
        let named = variables.into_iter().map(|(name, variable)| (name.to_owned(), variable)).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "x").unwrap();
        Ok(assemble(&Source::open(file.path(), None)?, named)?.views.into_iter().map(|view| view.name).collect())
    }

    #[test]
    fn nested_and_repeated_names_are_told_apart() {
        let cell = Variable::Cell(vec![zeros(3, 2), Variable::Cell(vec![zeros(3, 4)])]);
        assert_eq!(names(vec![("X", cell)]).unwrap(), ["X1", "X21"]);
        let fields = vec![("fea".to_owned(), zeros(3, 2)), ("fea".to_owned(), zeros(3, 4))];
        assert_eq!(names(vec![("s", Variable::Struct(fields))]).unwrap(), ["fea1", "fea2"]);
        let inside = Variable::Struct(vec![("fea".to_owned(), zeros(3, 2)), ("gt".to_owned(), zeros(3, 1))]);
        assert_eq!(names(vec![("c", Variable::Cell(vec![inside]))]).unwrap(), ["c1.fea"]);
    }

    #[test]
    fn vectors_scalars_and_labels_are_no_views() {
        let variables = vec![("X", zeros(4, 3)), ("index", zeros(4, 1)), ("k", zeros(1, 1)), ("gt", zeros(1, 4))];
        assert_eq!(names(variables).unwrap(), ["X"]);
        let message = names(vec![("X", zeros(4, 3)), ("Y", zeros(4, 2))]).unwrap_err().to_string();
        assert!(message.contains("the labels `Y` are 4 x 2, not one per sample"), "{message}");
        // beside labels, one-hot ones are labels again and counts would be a view that vanishes
        let beside = |y: Variable| names(vec![("X", zeros(4, 3)), ("y", zeros(4, 1)), ("Y", y)]);
        assert_eq!(beside(zeros(4, 2)).unwrap(), ["X"]);
        let counts = Variable::Dense { rows: 4, cols: 2, numbers: Numbers::F64(vec![2.0; 8]) };
        assert!(beside(counts).unwrap_err().to_string().contains("the labels `Y` are 4 x 2"));
        assert!(names(vec![("k", zeros(1, 1))]).is_err());
    }
}
