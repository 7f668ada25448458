//! Which samples a view knows. A sample that it does not know is a row of zeros that nobody looks at: it is not measured,
//! not compared and not filled in.

use std::sync::Arc;

use super::View;
use super::missing::Holes;
use crate::matrix::{Csr, Dense, Matrix, Real, for_matrix};
use crate::{Error, Hint, Result};

impl View {
    /// The same view without some samples: their rows become zeros, and no method takes these for values.
    ///
    /// # Errors
    /// When there is not one mark for every row.
    pub fn with_absent(&self, absent: &[bool]) -> Result<Self> {
        let rows = self.data.rows();
        if absent.len() != rows {
            let what = format!("{} has {rows} rows, and {} marks say which it knows", self.describe(), absent.len());
            return Err(Error::data(what));
        }
        if !absent.contains(&true) {
            return Ok(self.clone());
        }
        let kept: Vec<Option<usize>> = absent.iter().enumerate().map(|(i, gone)| (!gone).then_some(i)).collect();
        let mut view = self.with_data(self.picked(&kept));
        view.absent = Some(absent.into());
        Ok(view)
    }

    /// Whether each sample is one that the view does not know; none when it knows all.
    pub fn absent(&self) -> Option<&[bool]> {
        self.absent.as_deref()
    }

    /// Whether the view does not know sample `i`.
    pub fn is_absent(&self, i: usize) -> bool {
        self.absent().is_some_and(|absent| absent.get(i).copied().unwrap_or(false))
    }

    /// How many samples the view does not know.
    pub fn absences(&self) -> usize {
        self.absent().map_or(0, |absent| absent.iter().filter(|gone| **gone).count())
    }

    /// The samples that the view knows, rising.
    pub fn present(&self) -> Vec<usize> {
        (0..self.data.rows()).filter(|&i| !self.is_absent(i)).collect()
    }

    /// The samples that the view knows, by themselves; memory is shared when it knows all.
    #[must_use]
    pub fn known(&self) -> Self {
        match &self.absent {
            Some(_) => self.select_rows(&self.present()),
            None => self.clone(),
        }
    }

    /// The numbers with missing values (NaN) for the samples that the view does not know: what [`Views::new`](crate::Views::new)
    /// reads back.
    ///
    /// # Errors
    /// When a sparse view with a full row for each of them is too large.
    pub fn marked(&self) -> Result<Matrix> {
        let Some(absent) = self.absent() else { return Ok(self.data.clone()) };
        fn dense<T: Real>(m: &Dense<T>, absent: &[bool]) -> Dense<T> {
            let mut marked = m.clone();
            let rows = marked.data_mut().chunks_exact_mut(m.cols().max(1)).zip(absent);
            rows.filter(|(_, gone)| **gone).for_each(|(row, _)| row.fill(T::from_f64(f64::NAN)));
            marked
        }
        fn sparse<T: Real>(m: &Csr<T>, absent: &[bool]) -> Result<Csr<T>> {
            let row = |(i, gone): (usize, &bool)| -> Vec<(u32, T)> {
                if *gone {
                    (0..m.cols() as u32).map(|j| (j, T::from_f64(f64::NAN))).collect()
                } else {
                    m.entries(i).map(|(j, x)| (j as u32, x)).collect()
                }
            };
            Csr::from_rows(m.cols(), absent.iter().enumerate().map(row))
        }
        Ok(for_matrix!(&self.data, dense m => dense(m, absent).into(), sparse m => sparse(m, absent)?.into()))
    }

    /// Other numbers for the samples that the view knows, in their order.
    #[must_use]
    pub(crate) fn with_known(&self, data: &Matrix) -> Self {
        let Some(absent) = self.absent() else { return self.with_data(data.clone()) };
        let mut known = 0..data.rows();
        let rows: Vec<Option<usize>> = absent.iter().map(|gone| if *gone { None } else { known.next() }).collect();
        self.with_data(data.pick_rows(&rows))
    }

    /// Some of the samples, in the order of `rows`.
    #[must_use]
    pub(crate) fn select_rows(&self, rows: &[usize]) -> Self {
        let mut view = self.with_data(self.picked(&rows.iter().map(|&row| Some(row)).collect::<Vec<_>>()));
        let absent: Option<Arc<[bool]>> = self.absent().map(|absent| rows.iter().map(|&row| absent[row]).collect());
        view.absent = absent.filter(|absent| absent.contains(&true));
        view
    }

    /// The samples of all `parts`, one under the other; name and features are those of the first.
    ///
    /// # Errors
    /// When there are none, or they are not of the same features.
    pub fn stacked(parts: &[&Self]) -> Result<Self> {
        let Some(first) = parts.first() else { return Err(Error::data("a view of no samples")) };
        let matrices: Vec<&Matrix> = parts.iter().map(|part| &part.data).collect();
        let absent = parts.iter().flat_map(|part| (0..part.data.rows()).map(|row| part.is_absent(row)));
        let absent: Vec<bool> = absent.collect();
        let view = Self { absent: None, ..(*first).clone() }.with_data(Matrix::stacked(&matrices)?);
        if absent.contains(&true) { view.with_absent(&absent) } else { Ok(view) }
    }

    /// Rows picked from a table that may lack samples; those it lacks are absent.
    ///
    /// # Errors
    /// When it has none of them.
    pub fn aligned(&self, rows: &[Option<usize>]) -> Result<Self> {
        let absent: Vec<bool> = rows.iter().map(|row| row.is_none_or(|row| self.is_absent(row))).collect();
        self.with_data(self.picked(rows)).with_absent(&absent)
    }

    /// The numbers of the samples named by `rows`, zeros where none is named; of affinities those with each other.
    fn picked(&self, rows: &[Option<usize>]) -> Matrix {
        match self.affinity() {
            Some(weights) => weights.pick(rows, rows).into(),
            None => self.data.pick_rows(rows),
        }
    }

    /// Zeros in the rows of samples that the view does not know, which scaling or noise may have filled.
    #[must_use]
    pub(crate) fn blanked(self) -> Self {
        let Some(absent) = self.absent.clone() else { return self };
        self.with_absent(&absent).unwrap_or(self)
    }

    /// With the rows that hold nothing but missing values (NaN) taken for samples that the view does not know.
    pub(super) fn without_empty_rows(self) -> Result<Self> {
        let (d, holes) = (self.data.cols(), Holes::of(&self.data));
        if holes.by_row.iter().all(|count| *count < d) {
            return Ok(self);
        }
        let gone = holes.by_row.iter().enumerate().map(|(i, count)| *count == d || self.is_absent(i));
        self.with_absent(&gone.collect::<Vec<bool>>())
    }
}

/// Every sample is known to some view.
pub(super) fn somewhere(views: &[View]) -> Result<()> {
    let samples = views.first().map_or(0, |view| view.data.rows());
    let nowhere: Vec<usize> = (0..samples).filter(|&i| views.iter().all(|view| view.is_absent(i))).collect();
    let Some(first) = nowhere.first() else { return Ok(()) };
    Err(Error::data_with_hint(
        match views {
            [only] => format!(
                "{}: {} of {samples} samples have no value at all; the first is in row {}",
                only.describe(),
                nowhere.len(),
                first + 1
            ),
            _ => format!(
                "{} of {samples} samples have no value in any view; the first is in row {}",
                nowhere.len(),
                first + 1
            ),
        },
        Hint::DropSamples,
    )
    .in_row(*first))
}

#[cfg(test)]
mod tests {
    use crate::matrix::{Csr, Dense, Matrix};
    use crate::{Scale, View, Views};

    const NAN: f64 = f64::NAN;

    fn two() -> Vec<View> {
        let a = Dense::new(4, 2, vec![1.0, 2.0, NAN, NAN, 3.0, 4.0, 5.0, 9.0]).unwrap();
        vec![View::new("a", a), View::new("b", Dense::from_fn(4, 1, |i, _| i as f64))]
    }

    #[test]
    fn a_row_without_any_value_is_a_sample_that_the_view_does_not_know() {
        let views = Views::new(two()).unwrap();
        let a = views.named("a").unwrap();
        assert_eq!(
            (a.absent().unwrap(), a.present(), a.absences()),
            (&[false, true, false, false][..], vec![0, 2, 3], 1)
        );
        assert!(views.named("b").unwrap().absent().is_none() && !views.is_complete());
        assert_eq!(a.known().data.rows(), 3);
        let chosen = views.select(&[1, 3]).unwrap();
        assert_eq!(chosen.named("a").unwrap().absent().unwrap(), [true, false]);
        assert!(views.select(&[0, 2]).unwrap().is_complete());
    }

    #[test]
    fn scaling_is_learned_from_the_samples_that_are_there_and_leaves_the_others_blank() {
        let views = Views::new(two()).unwrap().scaled(Scale::Zscore).unwrap();
        let Matrix::DenseF64(a) = &views.named("a").unwrap().data else { panic!() };
        assert_eq!(a.row(1), [0.0, 0.0]);
        let mean: f64 = [0, 2, 3].iter().map(|&i| a.get(i, 0)).sum();
        assert!(mean.abs() < 1e-12 && (a.get(0, 0) + (2.0_f64 / (8.0 / 3.0_f64).sqrt())).abs() < 1e-12);
    }

    #[test]
    fn a_view_of_few_samples_is_not_taken_for_counts_or_stored_sparse() {
        let data = Dense::from_fn(40, 3, |i, j| if i < 3 { (i + j + 1) as f64 } else { NAN });
        let views = Views::new(vec![View::new("few", data), View::new("all", Dense::from_fn(40, 1, |i, _| i as f64))]);
        let views = views.unwrap().compacted();
        assert!(!views.named("few").unwrap().data.is_sparse());
        assert_eq!(views.fit_scalers(Scale::Auto)[0].mode(), Scale::Zscore);
    }

    #[test]
    fn what_nobody_knows_is_refused() {
        let message = |views: Vec<View>| Views::new(views).unwrap_err().to_string();
        let only = two().remove(0);
        assert_eq!(message(vec![only.clone()]), "view `a`: 1 of 4 samples have no value at all; the first is in row 2");
        let again = only.renamed("c");
        assert!(message(vec![two().remove(0), again]).starts_with("1 of 4 samples have no value in any view"));
        assert!(two().remove(1).with_absent(&[true]).is_err());
        let part = View::new("p", Dense::new(4, 2, vec![1.0, NAN, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]).unwrap());
        assert!(message(vec![part, two().remove(1)]).contains("1 of 8 values are missing"));
    }

    #[test]
    fn sparse_views_lose_samples_too() {
        let sparse = Csr::from_entries(3, 2, vec![(0, 1, 2.0), (1, 0, 1.0), (2, 0, 3.0)]).unwrap();
        let view = View::new("s", sparse).with_absent(&[false, true, false]).unwrap();
        let Matrix::SparseF64(data) = &view.data else { panic!() };
        assert_eq!((data.nnz(), data.row(1).1.len()), (2, 0));
        let other = View::new("o", Dense::<f64>::zeros(3, 1));
        let again = Views::new(vec![View::new("s", view.marked().unwrap()), other]).unwrap();
        assert_eq!(again.named("s").unwrap().absent(), view.absent());
    }
}
