//! What must hold of views before anything is computed from them.

use std::collections::HashSet;

use super::View;
use super::missing::Holes;
use crate::matrix::{Real, for_matrix};
use crate::{Error, Hint, Result};

/// The agreement of all pairs of views is a part of every account, and more views than this are a mistake about what is a
/// view.
const MOST_VIEWS: usize = 500;

/// That there is at least one view and not too many, that names differ, no view is without rows or columns, and all have equally
/// many rows.
///
/// # Errors
/// Names what is wrong.
pub fn shapes(views: &[View]) -> Result<()> {
    let Some(first) = views.first() else {
        return Err(Error::data_with_hint("there are no views", "give at least one feature matrix"));
    };
    if views.len() > MOST_VIEWS {
        return Err(Error::data_with_hint(
            format!("there are {} views; at most {MOST_VIEWS} are clustered together", views.len()),
            "put features that belong together into one matrix, or choose some of the views",
        ));
    }
    let mut names = HashSet::new();
    for view in views {
        if !names.insert(view.name.as_str()) {
            return Err(Error::data_with_hint(format!("two views are called `{}`", view.name), Hint::RenameView));
        }
        let (rows, cols) = (view.data.rows(), view.data.cols());
        if rows == 0 || cols == 0 {
            return Err(Error::data(format!("{} is empty: {rows} rows x {cols} columns", view.describe())));
        }
        if rows != first.data.rows() {
            return Err(Error::data_with_hint(
                format!("{} has {rows} rows, {} has {}", view.describe(), first.describe(), first.data.rows()),
                match is_turned(view, first) || is_turned(first, view) {
                    true => Hint::Transpose,
                    false => Hint::JoinInner,
                },
            ));
        }
    }
    Ok(())
}

/// Whether a view has as many columns as another has rows, and so many that it is hardly chance.
fn is_turned(view: &View, other: &View) -> bool {
    view.data.cols() == other.data.rows() && other.data.rows() >= 10
}

/// Every number is finite; the first that is not is named by row and column, counted from 1.
pub(super) fn finite(view: &View) -> Result<()> {
    let found = for_matrix!(
        &view.data,
        dense m => m.data().iter().position(|x| !x.to_f64().is_finite())
            .map(|at| (at / m.cols(), at % m.cols(), m.data()[at].to_f64())),
        sparse m => m.values().iter().position(|x| !x.to_f64().is_finite()).map(|at| {
            let row = m.indptr().partition_point(|&start| start <= at) - 1;
            (row, m.indices()[at] as usize, m.values()[at].to_f64())
        }),
    );
    let Some((row, col, value)) = found else { return Ok(()) };
    let place = format!("row {}, {}", row + 1, column_title(view, col));
    if !value.is_nan() {
        return Err(Error::data_with_hint(
            format!("{}: {place} holds an infinite value ({value})", view.describe()),
            "infinite values cannot be compared; replace or drop them first",
        )
        .in_row(row));
    }
    let holes = Holes::of(&view.data);
    let (n, d) = (view.data.rows(), view.data.cols());
    let counts = format!("{} of {} values are missing (NaN)", holes.count, n * d);
    let spread = format!("in {} of {n} samples and {} of {d} features", holes.rows(), holes.columns());
    Err(Error::data_with_hint(
        format!("{}: {counts}, {spread}; the first is in {place}", view.describe()),
        Hint::ChooseMissing,
    )
    .in_row(row))
}

/// How messages call a column of a view.
pub(super) fn column_title(view: &View, col: usize) -> String {
    match view.features.as_ref().and_then(|names| names.get(col)) {
        Some(name) => format!("column {} (`{name}`)", col + 1),
        None => format!("column {}", col + 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::matrix::{Csr, Dense};
    use crate::{View, Views};

    fn message(views: Vec<View>) -> String {
        Views::new(views).unwrap_err().to_string()
    }

    fn zeros(name: &str, rows: usize, cols: usize) -> View {
        View::new(name, Dense::<f64>::zeros(rows, cols))
    }

    #[test]
    fn unequal_empty_and_repeated_views_are_named() {
        assert_eq!(message(vec![]), "there are no views");
        assert_eq!(message(vec![zeros("a", 3, 2), zeros("b", 4, 2)]), "view `b` has 4 rows, view `a` has 3");
        assert_eq!(message(vec![zeros("a", 3, 0)]), "view `a` is empty: 3 rows x 0 columns");
        assert_eq!(message(vec![zeros("a", 3, 1), zeros("a", 3, 1)]), "two views are called `a`");
    }

    #[test]
    fn the_place_of_a_bad_number_is_named() {
        let mut dense = Dense::<f64>::zeros(3, 2);
        dense.data_mut()[3] = f64::NAN;
        let mut view = View::new("a", dense);
        assert_eq!(
            message(vec![view.clone()]),
            "view `a`: 1 of 6 values are missing (NaN), in 1 of 3 samples and 1 of 2 features; the first is in row 2, column 2"
        );
        view.features = Some(vec!["x".into(), "height".into()]);
        assert!(message(vec![view]).ends_with("the first is in row 2, column 2 (`height`)"));
        let sparse = Csr::from_entries(3, 4, vec![(0, 1, 1.0_f32), (2, 3, f32::INFINITY)]).unwrap();
        assert_eq!(message(vec![View::new("s", sparse)]), "view `s`: row 3, column 4 holds an infinite value (inf)");
    }
}
