//! What must hold of views before anything is computed from them.

use std::collections::HashSet;

use super::View;
use crate::matrix::{Real, for_matrix};
use crate::{Error, Result};

/// The agreement of all pairs of views is a part of every account, and more views than this are a mistake about what is a
/// view.
const MOST_VIEWS: usize = 1000;

/// At least one view and not too many, distinct names, no view without rows or columns, equal numbers of rows.
pub(super) fn shapes(views: &[View]) -> Result<()> {
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
            return Err(Error::data_with_hint(
                format!("two views are called `{}`", view.name),
                "rename one of the files or arrays: messages, weights and --views go by the name",
            ));
        }
        let (rows, cols) = (view.data.rows(), view.data.cols());
        if rows == 0 || cols == 0 {
            return Err(Error::data(format!("{} is empty: {rows} rows x {cols} columns", view.describe())));
        }
        if rows != first.data.rows() {
            return Err(Error::data_with_hint(
                format!("{} has {rows} rows, {} has {}", view.describe(), first.describe(), first.data.rows()),
                "views must describe the same samples, in the same order; rows are samples",
            ));
        }
    }
    Ok(())
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
    let column = match view.features.as_ref().and_then(|names| names.get(col)) {
        Some(name) => format!("column {} (`{name}`)", col + 1),
        None => format!("column {}", col + 1),
    };
    let what = if value.is_nan() { "a missing value (NaN)".to_owned() } else { format!("an infinite value ({value})") };
    Err(Error::data_with_hint(
        format!("{}: row {}, {column} holds {what}", view.describe(), row + 1),
        "fill in or drop missing entries first; `consilience inspect FILE` counts them",
    ))
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
        assert_eq!(message(vec![view.clone()]), "view `a`: row 2, column 2 holds a missing value (NaN)");
        view.features = Some(vec!["x".into(), "height".into()]);
        assert_eq!(message(vec![view]), "view `a`: row 2, column 2 (`height`) holds a missing value (NaN)");
        let sparse = Csr::from_entries(3, 4, vec![(0, 1, 1.0_f32), (2, 3, f32::INFINITY)]).unwrap();
        assert_eq!(message(vec![View::new("s", sparse)]), "view `s`: row 3, column 4 holds an infinite value (inf)");
    }
}
