//! Views of counts (words, votes, links): compared by Hellinger distance, and a row of zeros is a sample that the view does
//! not know.

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
