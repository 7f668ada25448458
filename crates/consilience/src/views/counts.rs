//! Views of counts (words, votes, links): compared by Hellinger distance, and a row of zeros is a sample that the view does
//! not know. In other views a row of zeros is suspicious.

use super::scale::looks_like_counts;
use crate::matrix::{Matrix, Real, for_matrix};

/// Square roots, then unit rows: Euclidean distance is then Hellinger's, in which a frequent word cannot drown the others.
pub(crate) fn hellinger(data: &Matrix) -> Matrix {
    let mut roots = data.clone();
    fn root<T: Real>(values: &mut [T]) {
        values.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64().max(0.0).sqrt()));
    }
    fn unit<T: Real>(row: &mut [T]) {
        let length = row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
        }
    }
    for_matrix!(
        &mut roots,
        dense m => {
            root(m.data_mut());
            let width = m.cols().max(1);
            m.data_mut().chunks_exact_mut(width).for_each(unit);
        },
        sparse m => {
            root(m.values_mut());
            (0..m.rows()).for_each(|i| unit(m.row_values_mut(i)));
        },
    );
    roots
}

/// Which rows are all zero.
pub(crate) fn zero_rows(data: &Matrix) -> Vec<bool> {
    for_matrix!(
        data,
        dense m => m.iter_rows().map(|row| row.iter().all(|x| x.to_f64() == 0.0)).collect(),
        sparse m => (0..m.rows()).map(|i| m.row(i).1.iter().all(|x| x.to_f64() == 0.0)).collect(),
    )
}

/// Rows of zeros are suspicious from this share of the rows on, and from two rows on.
const MANY_ZERO_ROWS: f64 = 0.01;
/// Where a larger share of the entries of the other rows is zero, a row of zeros is nothing special.
const FEW_ZEROS: f64 = 0.1;

/// How many rows are nothing but zeros although zeros are rare in the others; none when they are few.
pub(crate) fn suspicious_zero_rows(data: &Matrix) -> usize {
    let zero = zero_rows(data).into_iter().filter(|zero| *zero).count();
    let entries = (data.rows() - zero) * data.cols();
    if data.cols() < 2 || zero < 2 || entries == 0 || (zero as f64) < MANY_ZERO_ROWS * data.rows() as f64 {
        return 0;
    }
    fn nonzero<T: Real>(values: &[T]) -> usize {
        values.iter().filter(|x| x.to_f64() != 0.0).count()
    }
    let nonzero = for_matrix!(data, dense m => nonzero(m.data()), sparse m => nonzero(m.values()),);
    let zeros = 1.0 - nonzero as f64 / entries as f64;
    if zeros < FEW_ZEROS { zero } else { 0 }
}

/// Whole numbers up to less than this are grades and answers, not counts.
const COUNTS_REACH: f64 = 10.0;
/// Sums of counts differ this many times between the first and the ninth decile of the samples, where depth was not controlled.
const SUMS_DIFFER: f64 = 2.0;

/// How many times as large a sample's sum is at the ninth decile as at the first, of counts that are compared as measurements:
/// whole numbers, never negative, not mostly zero.
pub(crate) fn raw_counts(data: &Matrix) -> Option<f64> {
    if data.cols() < 2 || looks_like_counts(data) {
        return None;
    }
    fn reach<T: Real>(values: &[T]) -> Option<f64> {
        let whole = |x: f64| x >= 0.0 && x.fract() == 0.0;
        values.iter().map(|x| x.to_f64()).try_fold(0.0_f64, |most, x| whole(x).then_some(most.max(x)))
    }
    let reach = for_matrix!(data, dense m => reach(m.data()), sparse m => reach(m.values()),)?;
    if reach < COUNTS_REACH {
        return None;
    }
    let mut sums: Vec<f64> = for_matrix!(
        data,
        dense m => m.iter_rows().map(|row| row.iter().map(|x| x.to_f64()).sum()).collect(),
        sparse m => (0..m.rows()).map(|i| m.row(i).1.iter().map(|x| x.to_f64()).sum()).collect(),
    );
    sums.sort_unstable_by(f64::total_cmp);
    let decile = |tenths: usize| sums[tenths * (sums.len() - 1) / 10];
    let spread = decile(9) / decile(1).max(1.0);
    (spread >= SUMS_DIFFER).then_some(spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    #[test]
    fn rows_of_zeros_are_suspicious_where_zeros_are_rare() {
        let gaps = |n: usize, every: usize, least: i32| -> Matrix {
            Dense::from_fn(n, 3, |i, j| if i % every == 0 { 0.0 } else { f64::from((i + j) as i32 % 7 + least) }).into()
        };
        assert_eq!(suspicious_zero_rows(&gaps(60, 3, 1)), 20, "never zero but there");
        assert_eq!(suspicious_zero_rows(&gaps(60, 3, -3)), 0, "a seventh of the others is zero");
        assert_eq!(suspicious_zero_rows(&gaps(60, 60, 1)), 0, "one row");
        assert_eq!(suspicious_zero_rows(&gaps(400, 200, 1)), 0, "half of a percent");
        let column: Matrix = Dense::from_fn(60, 1, |i, _| (i % 3) as f64).into();
        assert_eq!(suspicious_zero_rows(&column), 0, "a value of one feature");
        assert_eq!(suspicious_zero_rows(&Dense::<f64>::zeros(9, 2).into()), 0, "nothing but zeros");
    }

    #[test]
    fn raw_counts_are_whole_and_their_sums_differ() {
        let table = |of: &dyn Fn(usize, usize) -> f64| -> Matrix { Dense::from_fn(21, 4, of).into() };
        // sums rise from 40 to 840: 120 at place 2 of 20, 760 at place 18
        let spread = raw_counts(&table(&|i, _| 10.0 * (i + 1) as f64)).unwrap();
        assert!((spread - 190.0 / 30.0).abs() < 1e-12, "{spread}");
        assert!(raw_counts(&table(&|i, j| (100 + (i * 7 + j) % 9) as f64)).is_none(), "one depth");
        assert!(raw_counts(&table(&|i, _| 10.0 * (i + 1) as f64 + 0.5)).is_none(), "measurements");
        assert!(raw_counts(&table(&|i, _| 10.0 * i as f64 - 30.0)).is_none(), "negative");
        assert!(raw_counts(&table(&|i, _| (i % 5 + 1) as f64)).is_none(), "grades");
        assert!(raw_counts(&table(&|i, j| if j == 0 { 10.0 * i as f64 } else { 0.0 })).is_none(), "compared as counts");
    }
}
