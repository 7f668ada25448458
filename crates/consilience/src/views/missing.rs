//! Missing values (NaN), before anything is computed: refused, filled in from similar samples, or left out.

use rayon::prelude::*;

use super::View;
use super::check;
use crate::matrix::evenly;
use crate::matrix::{Matrix, Real, for_matrix};
use crate::parameters::choice;
use crate::run::Note;
use crate::{Error, Hint, Result};

/// Samples whose mean fills in a value.
const NEIGHBOURS: usize = 5;
/// Most samples that are compared with one that lacks values; of more, as many evenly spread ones.
const MOST_COMPARED: usize = 5000;

choice! {
    /// What becomes of missing values.
    pub enum Missing {
        /// Refuse them.
        Refuse = "refuse",
        /// Fill them in: the mean of the most similar samples, compared by the values that both have.
        Impute = "impute",
        /// Leave out samples that lack values.
        DropSamples = "drop-samples",
        /// Leave out features that lack values.
        DropFeatures = "drop-features",
    }
}

/// Views without missing values.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Resolved {
    /// The views.
    pub views: Vec<View>,
    /// The samples that are left, when some are not.
    pub kept: Option<Vec<usize>>,
    /// What was done, for the user.
    pub notes: Vec<Note>,
}

impl Missing {
    /// Deals with the missing values of views that have the same samples. Infinite values are not missing; whatever is
    /// wrong with the views otherwise is left to [`Views::new`](crate::Views::new).
    ///
    /// # Errors
    /// When values are missing and are to be refused; when nothing would be left; when a sample that is to be filled in
    /// has no value at all in a view, or a feature none.
    pub fn resolve(self, views: Vec<View>) -> Result<Resolved> {
        if self == Self::DropSamples {
            return drop_samples(views);
        }
        // a sample of which a view knows nothing lacks the view, not values
        let views = views.into_iter().map(View::without_empty_rows).collect::<Result<Vec<View>>>()?;
        let holes: Vec<Holes> = views.iter().map(|view| Holes::of(&view.data)).collect();
        if self == Self::Refuse || holes.iter().all(|holes| holes.count == 0) {
            views.iter().try_for_each(check::finite)?;
            return Ok(Resolved { views, kept: None, notes: Vec::new() });
        }
        match self {
            Self::Refuse | Self::DropSamples => Ok(Resolved { views, kept: None, notes: Vec::new() }),
            Self::Impute => impute_all(views, &holes),
            Self::DropFeatures => drop_features(views, &holes),
        }
    }
}

/// Where values are missing in a matrix.
pub(super) struct Holes {
    pub(super) count: usize,
    /// Missing values of every row.
    pub(super) by_row: Vec<usize>,
    /// Missing values of every column.
    pub(super) by_column: Vec<usize>,
}

impl Holes {
    pub(super) fn of(data: &Matrix) -> Self {
        let mut holes = Self { count: 0, by_row: vec![0; data.rows()], by_column: vec![0; data.cols()] };
        let mut add = |i: usize, j: usize| {
            holes.count += 1;
            holes.by_row[i] += 1;
            holes.by_column[j] += 1;
        };
        for_matrix!(
            data,
            dense m => for (i, row) in m.iter_rows().enumerate() {
                row.iter().enumerate().filter(|(_, x)| x.to_f64().is_nan()).for_each(|(j, _)| add(i, j));
            },
            sparse m => for i in 0..m.rows() {
                m.entries(i).filter(|(_, x)| x.to_f64().is_nan()).for_each(|(j, _)| add(i, j));
            },
        );
        holes
    }

    pub(super) fn rows(&self) -> usize {
        self.by_row.iter().filter(|count| **count > 0).count()
    }

    pub(super) fn columns(&self) -> usize {
        self.by_column.iter().filter(|count| **count > 0).count()
    }
}

fn drop_samples(views: Vec<View>) -> Result<Resolved> {
    let n = views.first().map_or(0, |view| view.data.rows());
    let holes: Vec<Holes> = views.iter().map(|view| Holes::of(&view.data)).collect();
    let lacks =
        |view: &View, holes: &Holes, i: usize| view.is_absent(i) || holes.by_row.get(i).is_some_and(|count| *count > 0);
    let whole = |&i: &usize| views.iter().zip(&holes).all(|(view, holes)| !lacks(view, holes, i));
    let kept: Vec<usize> = (0..n).filter(whole).collect();
    if kept.len() == n {
        return Ok(Resolved { views, kept: None, notes: Vec::new() });
    }
    if kept.is_empty() {
        return Err(Error::data_with_hint(
            format!("every one of the {n} samples lacks a value"),
            Hint::MissingInstead { ways: ["impute", "drop-features"] },
        ));
    }
    let incomplete = views.iter().zip(&holes).filter(|(view, holes)| holes.count > 0 || view.absences() > 0);
    let note = Note::DroppedSamples {
        dropped: n - kept.len(),
        of: n,
        views: incomplete.map(|(view, _)| view.name.clone()).collect(),
    };
    let views = views.iter().map(|view| view.select_rows(&kept)).collect();
    Ok(Resolved { views, kept: Some(kept), notes: vec![note] })
}

fn drop_features(views: Vec<View>, holes: &[Holes]) -> Result<Resolved> {
    let mut notes = Vec::new();
    let mut left = Vec::with_capacity(views.len());
    for (view, holes) in views.into_iter().zip(holes) {
        if holes.count == 0 {
            left.push(view);
            continue;
        }
        let of = view.data.cols();
        let kept: Vec<usize> = (0..of).filter(|&j| holes.by_column[j] == 0).collect();
        if kept.is_empty() {
            return Err(Error::data_with_hint(
                format!("{}: every one of its {of} features lacks a value", view.describe()),
                Hint::MissingInstead { ways: ["drop-samples", "impute"] },
            ));
        }
        notes.push(Note::DroppedFeatures { view: view.name.clone(), dropped: of - kept.len(), of });
        let features = view.features.as_ref().map(|names| kept.iter().filter_map(|&j| names.get(j).cloned()).collect());
        left.push(view.with_data(view.data.select_columns(&kept)?).with_features(features));
    }
    Ok(Resolved { views: left, kept: None, notes })
}

fn impute_all(views: Vec<View>, holes: &[Holes]) -> Result<Resolved> {
    let mut notes = Vec::new();
    let mut filled = Vec::with_capacity(views.len());
    for (view, holes) in views.into_iter().zip(holes) {
        if holes.count == 0 {
            filled.push(view);
            continue;
        }
        let known = view.known().data;
        let holes = Holes::of(&known);
        let (n, d) = (known.rows(), known.cols());
        if let Some(j) = holes.by_column.iter().position(|count| *count == n) {
            let column = check::column_title(&view, j);
            return Err(Error::data_with_hint(
                format!("{}: {column} has no value at all, so none can be filled in", view.describe()),
                Hint::DropFeaturesOrColumn,
            ));
        }
        let (samples, features) = (holes.rows(), holes.columns());
        let name = view.name.clone();
        notes.push(Note::Imputed { view: name, values: holes.count, of: n * d, samples, features });
        filled.push(view.with_known(&imputed(&known, &holes)));
    }
    Ok(Resolved { views: filled, kept: None, notes })
}

/// Every missing value replaced by the mean over the most similar samples that have it. Samples are compared by the
/// features that both have, each in units of its own spread.
fn imputed(data: &Matrix, holes: &Holes) -> Matrix {
    let columns = ColumnStatistics::of(data, holes);
    let compared = evenly(data.rows(), MOST_COMPARED);
    let reference: Vec<Vec<f64>> = compared.iter().map(|&i| dense_row(data, i)).collect();
    let incomplete: Vec<usize> = (0..data.rows()).filter(|&i| holes.by_row[i] > 0).collect();
    let values: Vec<(usize, Vec<(usize, f64)>)> = incomplete
        .into_par_iter()
        .map(|i| {
            let row = dense_row(data, i);
            let mut order: Vec<(f64, usize)> = (0..compared.len())
                .filter(|&at| compared[at] != i)
                .filter_map(|at| Some((columns.distance(&row, &reference[at])?, at)))
                .collect();
            // of equally near ones the first, so that the result does not depend on threads
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let value = |j: usize| {
                let near = order.iter().map(|&(_, at)| reference[at][j]).filter(|x| x.is_finite()).take(NEIGHBOURS);
                let (sum, count) = near.fold((0.0, 0_usize), |(sum, count), x| (sum + x, count + 1));
                if count > 0 { sum / count as f64 } else { columns.mean[j] }
            };
            (i, (0..row.len()).filter(|&j| row[j].is_nan()).map(|j| (j, value(j))).collect())
        })
        .collect();
    written(data, &values)
}

fn written(data: &Matrix, values: &[(usize, Vec<(usize, f64)>)]) -> Matrix {
    let mut data = data.clone();
    for_matrix!(
        &mut data,
        dense m => {
            let width = m.cols();
            let cells = m.data_mut();
            for (i, row) in values {
                row.iter().for_each(|&(j, x)| cells[i * width + j] = Real::from_f64(x));
            }
        },
        sparse m => for (i, row) in values {
            // a missing value is stored, in the order of its column, as those to write are
            let stored = m.row_values_mut(*i).iter_mut().filter(|x| x.to_f64().is_nan());
            stored.zip(row).for_each(|(x, &(_, value))| *x = Real::from_f64(value));
        },
    );
    data
}

fn dense_row(data: &Matrix, i: usize) -> Vec<f64> {
    let mut row = vec![0.0; data.cols()];
    let (columns, values) = data.row_entries(i);
    columns.iter().zip(values).for_each(|(&j, x)| row[j as usize] = x);
    row
}

/// Mean and spread of every column, over the values that are there.
struct ColumnStatistics {
    mean: Vec<f64>,
    /// One over the variance; 0 for a column that does not vary.
    weight: Vec<f64>,
}

impl ColumnStatistics {
    fn of(data: &Matrix, holes: &Holes) -> Self {
        let (n, d) = (data.rows(), data.cols());
        let count: Vec<f64> = holes.by_column.iter().map(|missing| (n - missing) as f64).collect();
        let (mut mean, mut variance) = (vec![0.0; d], vec![0.0; d]);
        for i in 0..n {
            let row = dense_row(data, i);
            (0..d).filter(|&j| row[j].is_finite()).for_each(|j| mean[j] += row[j] / count[j]);
        }
        for i in 0..n {
            let row = dense_row(data, i);
            (0..d).filter(|&j| row[j].is_finite()).for_each(|j| variance[j] += (row[j] - mean[j]).powi(2) / count[j]);
        }
        let weight = variance.iter().map(|v| if *v > 0.0 && (1.0 / v).is_finite() { 1.0 / v } else { 0.0 }).collect();
        Self { mean, weight }
    }

    /// The mean squared difference over the features that both samples have; none when there are none.
    fn distance(&self, a: &[f64], b: &[f64]) -> Option<f64> {
        let both = a.iter().zip(b).zip(&self.weight).filter(|((a, b), _)| a.is_finite() && b.is_finite());
        let (sum, count) =
            both.fold((0.0, 0_usize), |(sum, count), ((a, b), weight)| (sum + weight * (a - b).powi(2), count + 1));
        (count > 0).then(|| sum / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Dense};

    const NAN: f64 = f64::NAN;

    /// Two groups of six samples, far apart in three features.
    fn groups() -> Dense<f64> {
        Dense::from_fn(12, 3, |i, j| if i < 6 { 1.0 } else { 100.0 } + (i % 3) as f64 + j as f64 * 10.0)
    }

    fn with_holes(holes: &[(usize, usize)]) -> View {
        let mut data = groups();
        holes.iter().for_each(|&(i, j)| data.data_mut()[i * 3 + j] = NAN);
        View::new("a", data)
    }

    fn dense(view: &View) -> &Dense<f64> {
        let Matrix::DenseF64(m) = &view.data else { panic!() };
        m
    }

    #[test]
    fn values_are_filled_in_from_similar_samples() {
        let resolved = Missing::Impute.resolve(vec![with_holes(&[(0, 1), (8, 0), (8, 2)])]).unwrap();
        let filled = dense(&resolved.views[0]);
        assert!((filled.get(0, 1) - groups().get(0, 1)).abs() < 3.0, "{}", filled.get(0, 1));
        assert!((filled.get(8, 0) - groups().get(8, 0)).abs() < 3.0);
        let expected = Note::Imputed { view: "a".into(), values: 3, of: 36, samples: 2, features: 3 };
        assert_eq!((resolved.notes, resolved.kept), (vec![expected], None));
        // by hand: the five others of its group that have the feature
        let mean = [1, 2, 3, 4, 5].map(|i| groups().get(i, 1)).iter().sum::<f64>() / 5.0;
        assert_eq!(filled.get(0, 1), mean);
    }

    #[test]
    fn sparse_views_are_filled_in_where_they_lie() {
        let sparse =
            Csr::from_entries(4, 3, vec![(0, 0, 1.0), (0, 2, NAN), (1, 2, 5.0), (2, 2, 7.0), (3, 1, 9.0)]).unwrap();
        let resolved = Missing::Impute.resolve(vec![View::new("s", sparse)]).unwrap();
        let Matrix::SparseF64(filled) = &resolved.views[0].data else { panic!() };
        assert_eq!(filled.nnz(), 5);
        // a zero of a sparse view is a value like any other
        assert_eq!(filled.row(0).1, [1.0, 4.0]);
    }

    #[test]
    fn samples_or_features_are_left_out() {
        let view = || vec![with_holes(&[(0, 1), (8, 1)]), View::new("b", groups())];
        let resolved = Missing::DropSamples.resolve(view()).unwrap();
        assert_eq!(resolved.kept.unwrap(), [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
        assert!(resolved.views.iter().all(|view| view.data.rows() == 10));
        assert_eq!(resolved.notes, [Note::DroppedSamples { dropped: 2, of: 12, views: vec!["a".into()] }]);
        let mut named = view();
        named[0].features = Some(["p", "q", "r"].map(str::to_owned).to_vec());
        let resolved = Missing::DropFeatures.resolve(named).unwrap();
        assert_eq!(resolved.views[0].features.as_ref().unwrap(), &["p", "r"]);
        assert_eq!((resolved.views[0].data.cols(), resolved.views[1].data.cols()), (2, 3));
        assert_eq!(dense(&resolved.views[0]).get(3, 1), groups().get(3, 2));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let message = |missing: Missing, view: View| missing.resolve(vec![view]).unwrap_err().to_string();
        let empty_row = with_holes(&[(2, 0), (2, 1), (2, 2)]);
        // what the view does not know is left to the methods, and the rest is filled in
        let mut part = with_holes(&[(2, 0), (2, 1), (2, 2), (5, 1)]);
        part = Missing::Impute.resolve(vec![part]).unwrap().views.remove(0);
        assert_eq!((part.absences(), part.is_absent(2)), (1, true));
        assert!(dense(&part).data().iter().all(|x| x.is_finite()));
        assert!(Missing::DropSamples.resolve(vec![empty_row]).is_ok());
        let everywhere = with_holes(&[(2, 0), (3, 1), (4, 2)]);
        assert!(message(Missing::DropFeatures, everywhere).contains("every one of its 3 features lacks a value"));
        let all: Vec<(usize, usize)> = (0..12).map(|i| (i, 1)).collect();
        assert!(message(Missing::Impute, with_holes(&all)).contains("column 2 has no value at all"));
        assert!(message(Missing::DropSamples, with_holes(&all)).contains("every one of the 12 samples"));
        assert!(message(Missing::Refuse, with_holes(&all)).contains("12 of 36 values are missing"));
    }

    #[test]
    fn complete_views_are_not_touched() {
        let view = View::new("a", groups());
        for missing in Missing::ALL {
            let resolved = missing.resolve(vec![view.clone()]).unwrap();
            assert!(resolved.notes.is_empty() && resolved.kept.is_none());
            assert_eq!(dense(&resolved.views[0]).data().as_ptr(), dense(&view).data().as_ptr());
        }
    }
}
