//! Scaling of features before distances are taken: it decides more than most solvers do.

use rayon::prelude::*;

use crate::matrix::{Csr, Dense, Matrix, ROW_CHUNK, Real, for_matrix};
use crate::{Error, Result};

/// A view that is never negative and has more zeros than this is taken for counts (words, votes, links): [`Scale::Auto`]
/// then compares directions, not magnitudes.
const COUNTS_HAVE_ZEROS: f64 = 0.5;

/// How the columns or rows of a view are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Unit rows for sparse non-negative data, z-score otherwise.
    #[default]
    Auto,
    /// Every column to mean 0 and standard deviation 1. A constant column becomes 0.
    Zscore,
    /// Every row to Euclidean length 1. An all-zero row stays.
    Unit,
    /// Every column to the range from 0 to 1. A constant column becomes 0.
    Minmax,
    /// As they are.
    None,
}

impl Scale {
    /// Every mode, by the name that the command line and files use.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("zscore", Self::Zscore),
        ("unit", Self::Unit),
        ("minmax", Self::Minmax),
        ("none", Self::None),
    ];

    /// The name that the command line and files use.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("auto", |(name, _)| name)
    }

    /// The mode that [`Scale::Auto`] stands for on this matrix; any other mode is itself.
    #[must_use]
    pub fn resolve(self, matrix: &Matrix) -> Self {
        match self {
            Self::Auto if looks_like_counts(matrix) => Self::Unit,
            Self::Auto => Self::Zscore,
            mode => mode,
        }
    }

    /// A scaled copy (`None` shares the memory). Sparse matrices are divided but never shifted: a shift would fill
    /// them, and no distance between samples would change by it.
    pub(super) fn apply(self, matrix: &Matrix) -> Result<Matrix> {
        let mode = self.resolve(matrix);
        Ok(match matrix {
            Matrix::DenseF32(m) => scale_dense(m, mode).into(),
            Matrix::DenseF64(m) => scale_dense(m, mode).into(),
            Matrix::SparseF32(m) => scale_sparse(m, mode).into(),
            Matrix::SparseF64(m) => scale_sparse(m, mode).into(),
        })
    }
}

impl std::str::FromStr for Scale {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode).ok_or_else(|| Error::Unknown {
            kind: "scaling",
            name: name.to_owned(),
            known: Self::NAMES.iter().map(|(known, _)| (*known).to_owned()).collect(),
        })
    }
}

/// Whether [`Scale::Auto`] takes a view for counts: never negative, and mostly zeros.
pub(crate) fn looks_like_counts(matrix: &Matrix) -> bool {
    let (negative, zeros) = for_matrix!(
        matrix,
        dense m => count_signs(m.data()),
        sparse m => {
            let (negative, zeros) = count_signs(m.values());
            (negative, zeros + m.rows() * m.cols() - m.stored())
        },
    );
    negative == 0 && zeros as f64 > COUNTS_HAVE_ZEROS * (matrix.rows() * matrix.cols()) as f64
}

fn count_signs<T: Real>(values: &[T]) -> (usize, usize) {
    let negative = values.iter().filter(|x| **x < T::default()).count();
    (negative, values.iter().filter(|x| **x == T::default()).count())
}

/// What is subtracted from and then divides every column.
struct ColumnScale {
    shift: Vec<f64>,
    divide: Vec<f64>,
}

/// Every column to mean 0 and standard deviation 1.
pub(super) fn zscored<T: Real>(m: &Dense<T>) -> Dense<T> {
    scale_dense(m, Scale::Zscore)
}

fn scale_dense<T: Real>(m: &Dense<T>, mode: Scale) -> Dense<T> {
    let columns = match mode {
        Scale::None => return m.clone(),
        Scale::Unit => {
            return map_rows(m, |row, out| {
                let length = row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
                let divide = if length > 0.0 { length } else { 1.0 };
                out.extend(row.iter().map(|x| T::from_f64(x.to_f64() / divide)));
            });
        }
        Scale::Minmax => {
            range_of_columns(m.cols(), m.iter_rows().map(|row| row.iter().map(|x| x.to_f64()).enumerate()))
        }
        Scale::Auto | Scale::Zscore => moments_of_columns(m),
    };
    map_rows(m, |row, out| {
        let scaled = row.iter().zip(&columns.shift).zip(&columns.divide);
        out.extend(scaled.map(|((x, shift), divide)| T::from_f64((x.to_f64() - shift) / divide)));
    })
}

fn map_rows<T: Real>(m: &Dense<T>, change: impl Fn(&[T], &mut Vec<T>) + Sync) -> Dense<T> {
    let mut scaled = Dense::zeros(m.rows(), m.cols());
    let width = m.cols() * ROW_CHUNK;
    scaled.data_mut().par_chunks_mut(width).zip(m.data().par_chunks(width)).for_each(|(out, chunk)| {
        let mut row_out = Vec::with_capacity(m.cols());
        for (out, row) in out.chunks_exact_mut(m.cols()).zip(chunk.chunks_exact(m.cols())) {
            row_out.clear();
            change(row, &mut row_out);
            out.copy_from_slice(&row_out);
        }
    });
    scaled
}

/// Means and standard deviations, in two passes so that a large offset does not drown a small spread.
fn moments_of_columns<T: Real>(m: &Dense<T>) -> ColumnScale {
    let n = m.rows() as f64;
    let mean: Vec<f64> = sum_columns(m, |x, _| x).into_iter().map(|sum| sum / n).collect();
    let variance = sum_columns(m, |x, j| (x - mean[j]).powi(2));
    let divide = variance.iter().zip(&mean).map(|(sum, mean)| usable((sum / n).sqrt(), *mean)).collect();
    ColumnScale { shift: mean, divide }
}

/// Sums over fixed chunks of rows, added in order: the same for any number of threads.
fn sum_columns<T: Real>(m: &Dense<T>, term: impl Fn(f64, usize) -> f64 + Sync) -> Vec<f64> {
    let parts: Vec<Vec<f64>> = m
        .data()
        .par_chunks(m.cols() * ROW_CHUNK)
        .map(|chunk| {
            let mut sums = vec![0.0; m.cols()];
            for row in chunk.chunks_exact(m.cols()) {
                for (j, x) in row.iter().enumerate() {
                    sums[j] += term(x.to_f64(), j);
                }
            }
            sums
        })
        .collect();
    let mut total = vec![0.0; m.cols()];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
    }
    total
}

/// A divisor that is no rounding dust: the spread of a constant column is taken for zero, and zero divides as one.
fn usable(spread: f64, offset: f64) -> f64 {
    if spread > 1e-12 * offset.abs() { spread } else { 1.0 }
}

fn range_of_columns<R: Iterator<Item = (usize, f64)>>(cols: usize, rows: impl Iterator<Item = R>) -> ColumnScale {
    let (mut low, mut high) = (vec![f64::INFINITY; cols], vec![f64::NEG_INFINITY; cols]);
    for (j, x) in rows.flatten() {
        low[j] = low[j].min(x);
        high[j] = high[j].max(x);
    }
    let divide = low.iter().zip(&high).map(|(low, high)| if high > low { high - low } else { 1.0 }).collect();
    ColumnScale { shift: low, divide }
}

fn scale_sparse<T: Real>(m: &Csr<T>, mode: Scale) -> Csr<T> {
    let mut scaled = m.clone();
    if mode == Scale::Unit {
        for i in 0..m.rows() {
            let length = m.row(i).1.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
            if length > 0.0 {
                scaled.row_values_mut(i).iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
            }
        }
        return scaled;
    }
    let entries = || m.columns().iter().zip(m.values()).map(|(&j, x)| (j as usize, x.to_f64()));
    let divide = match mode {
        Scale::None | Scale::Unit => return scaled,
        Scale::Minmax => {
            let mut filled = vec![0; m.cols()];
            entries().for_each(|(j, _)| filled[j] += 1);
            // a column that is not full also holds zeros
            let zeros = filled.iter().enumerate().filter(|(_, count)| **count < m.rows()).map(|(j, _)| (j, 0.0));
            range_of_columns(m.cols(), std::iter::once(entries().chain(zeros))).divide
        }
        Scale::Auto | Scale::Zscore => {
            let n = m.rows() as f64;
            let mut mean = vec![0.0; m.cols()];
            entries().for_each(|(j, x)| mean[j] += x / n);
            let mut variance: Vec<f64> = mean.iter().map(|mean| mean * mean).collect();
            entries().for_each(|(j, x)| variance[j] += ((x - mean[j]).powi(2) - mean[j].powi(2)) / n);
            variance.iter().zip(&mean).map(|(v, mean)| usable(v.max(0.0).sqrt(), *mean)).collect()
        }
    };
    let columns = m.columns();
    scaled.values_mut().iter_mut().zip(columns).for_each(|(x, &j)| *x = T::from_f64(x.to_f64() / divide[j as usize]));
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(mode: Scale, data: Vec<f64>) -> Vec<f64> {
        let m = Dense::new(3, data.len() / 3, data).unwrap();
        match mode.apply(&m.into()).unwrap() {
            Matrix::DenseF64(m) => m.data().to_vec(),
            _ => panic!("precision and form must be kept"),
        }
    }

    #[test]
    fn by_hand_with_a_constant_column_and_a_zero_row() {
        let z = 1.5_f64.sqrt();
        assert_eq!(scaled(Scale::Zscore, vec![1.0, 7.0, 2.0, 7.0, 3.0, 7.0]), [-z, 0.0, 0.0, 0.0, z, 0.0]);
        assert_eq!(scaled(Scale::Minmax, vec![1.0, 7.0, 2.0, 7.0, 3.0, 7.0]), [0.0, 0.0, 0.5, 0.0, 1.0, 0.0]);
        assert_eq!(scaled(Scale::Unit, vec![3.0, 4.0, 0.0, 0.0, 0.0, 2.0]), [0.6, 0.8, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_constant_column_of_any_size_is_constant() {
        let column = vec![0.1 + 0.2; 3];
        assert!(scaled(Scale::Zscore, column).iter().all(|x| x.abs() < 1e-10));
    }

    #[test]
    fn auto_takes_sparse_counts_for_counts() {
        let counts = Dense::new(2, 4, vec![0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(Scale::Auto.resolve(&counts.into()), Scale::Unit);
        let signed = Dense::new(2, 4, vec![0.0, 0.0, 0.0, -3.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(Scale::Auto.resolve(&signed.into()), Scale::Zscore);
    }

    #[test]
    fn sparse_scaling_changes_distances_as_dense_scaling_does() {
        let dense = Dense::new(3, 2, vec![0.0_f64, 2.0, 4.0, 0.0, 1.0, 1.0]).unwrap();
        let sparse = Csr::from_dense(&dense).unwrap();
        for mode in [Scale::Zscore, Scale::Minmax, Scale::Unit, Scale::None] {
            let (d, s) = (scale_dense(&dense, mode), scale_sparse(&sparse, mode));
            let dense_gap =
                |i: usize, j: usize| -> f64 { d.row(i).iter().zip(d.row(j)).map(|(a, b)| (a - b).powi(2)).sum() };
            let spread = |i: usize| {
                let mut row = [0.0; 2];
                s.row(i).0.iter().zip(s.row(i).1).for_each(|(&c, &x)| row[c as usize] = x);
                row
            };
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let gap: f64 = spread(i).iter().zip(spread(j)).map(|(a, b)| (a - b).powi(2)).sum();
                assert!((gap - dense_gap(i, j)).abs() < 1e-12, "{mode:?} {i} {j}");
            }
        }
    }
}
