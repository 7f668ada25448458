//! Scaling of features before distances are taken: it decides more than most solvers do.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::{Csr, Dense, Matrix, ROW_CHUNK, Real, for_matrix};
use crate::{Error, Result, choice};

/// A view that is never negative and has more zeros than this is taken for counts (words, votes, links): [`Scale::Auto`]
/// then compares directions, not magnitudes.
const COUNTS_HAVE_ZEROS: f64 = 0.5;

choice! {
    /// How the columns or rows of a view are scaled.
    pub enum Scale {
        /// Unit rows for sparse non-negative data, z-score otherwise.
        Auto = "auto",
        /// Every column to mean 0 and standard deviation 1. A constant column becomes 0.
        Zscore = "zscore",
        /// Every row to Euclidean length 1. An all-zero row stays.
        Unit = "unit",
        /// Every column to the range from 0 to 1. A constant column becomes 0.
        Minmax = "minmax",
        /// As they are.
        None = "none",
    }
}

impl Scale {
    /// The mode that [`Scale::Auto`] stands for on this matrix; any other mode is itself.
    #[must_use]
    pub fn resolve(self, matrix: &Matrix) -> Self {
        match self {
            Self::Auto if looks_like_counts(matrix) => Self::Unit,
            Self::Auto => Self::Zscore,
            mode => mode,
        }
    }
}

/// Scaling with its statistics, learned from one matrix and applied to any other of the same features.
///
/// # Examples
/// ```
/// use consilience::{Scale, matrix::{Dense, Matrix}, views::Scaler};
///
/// let train = Matrix::from(Dense::new(2, 1, vec![1.0, 3.0])?);
/// let scaler = Scaler::fit(Scale::Zscore, &train);
/// let Matrix::DenseF64(new) = scaler.transform(&Dense::new(1, 1, vec![5.0])?.into())? else { unreachable!() };
/// assert_eq!(new.data(), [3.0], "(5 - 2) / 1");
/// # Ok::<(), consilience::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    mode: Scale,
    features: usize,
    /// What is subtracted from each column; empty when nothing is.
    shift: Vec<f64>,
    /// What then divides each column; empty when nothing does.
    divide: Vec<f64>,
}

impl Scaler {
    /// Learns the statistics of `matrix`. Sparse matrices are divided but never shifted: a shift would fill them, and no
    /// distance between samples would change by it.
    pub fn fit(scale: Scale, matrix: &Matrix) -> Self {
        let mode = scale.resolve(matrix);
        let columns = match mode {
            Scale::None | Scale::Unit => ColumnScale { shift: Vec::new(), divide: Vec::new() },
            Scale::Minmax => for_matrix!(matrix, dense m => range_of_dense(m), sparse m => range_of_sparse(m)),
            Scale::Auto | Scale::Zscore => {
                for_matrix!(matrix, dense m => moments_of_dense(m), sparse m => moments_of_sparse(m))
            }
        };
        Self { mode, features: matrix.cols(), shift: columns.shift, divide: columns.divide }
    }

    /// From what [`Scaler::columns`] gave.
    ///
    /// # Errors
    /// When the numbers are not those of a scaler.
    pub fn from_columns(mode: Scale, features: usize, shift: Vec<f64>, divide: Vec<f64>) -> Result<Self> {
        let by_columns = !matches!(mode, Scale::None | Scale::Unit | Scale::Auto);
        let fits = |list: &[f64], may_lack: bool| {
            if by_columns { list.len() == features || may_lack && list.is_empty() } else { list.is_empty() }
        };
        let sound = divide.iter().all(|x| x.is_finite() && *x != 0.0) && shift.iter().all(|x| x.is_finite());
        if mode == Scale::Auto || !fits(&shift, true) || !fits(&divide, false) || !sound {
            return Err(Error::data(format!("no scaling `{mode}` of {features} features")));
        }
        Ok(Self { mode, features, shift, divide })
    }

    /// What is subtracted from each column, and what then divides it; empty where nothing is or does.
    pub fn columns(&self) -> (&[f64], &[f64]) {
        (&self.shift, &self.divide)
    }

    /// The mode; never [`Scale::Auto`].
    pub fn mode(&self) -> Scale {
        self.mode
    }

    /// Number of columns it was fitted on.
    pub fn features(&self) -> usize {
        self.features
    }

    /// `matrix` scaled, in its own precision and form; [`Scale::None`] shares the memory.
    ///
    /// # Errors
    /// When it has another number of columns than the matrix that the scaler was fitted on.
    pub fn transform(&self, matrix: &Matrix) -> Result<Matrix> {
        if matrix.cols() != self.features {
            let what = format!("{} features are to be scaled as {} features were", matrix.cols(), self.features);
            return Err(Error::data_with_hint(what, "new samples need the features that the scaling was learned from"));
        }
        Ok(for_matrix!(matrix, dense m => self.dense(m).into(), sparse m => self.sparse(m).into()))
    }

    fn dense<T: Real>(&self, m: &Dense<T>) -> Dense<T> {
        match self.mode {
            Scale::None => m.clone(),
            Scale::Unit => map_rows(m, |row, out| {
                let divide = length(row).unwrap_or(1.0);
                out.iter_mut().zip(row).for_each(|(out, x)| *out = T::from_f64(x.to_f64() / divide));
            }),
            // learned from a sparse matrix: its scaled rows are not shifted, and those beside them must not be
            _ if self.shift.is_empty() => map_rows(m, |row, out| {
                let entries = out.iter_mut().zip(row).zip(&self.divide);
                entries.for_each(|((out, x), divide)| *out = T::from_f64(x.to_f64() / divide));
            }),
            _ => map_rows(m, |row, out| {
                let entries = out.iter_mut().zip(row).zip(&self.shift).zip(&self.divide);
                entries.for_each(|(((out, x), shift), divide)| *out = T::from_f64((x.to_f64() - shift) / divide));
            }),
        }
    }

    fn sparse<T: Real>(&self, m: &Csr<T>) -> Csr<T> {
        let mut scaled = m.clone();
        match self.mode {
            Scale::None => {}
            Scale::Unit => {
                for i in 0..m.rows() {
                    if let Some(length) = length(m.row(i).1) {
                        scaled.row_values_mut(i).iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length));
                    }
                }
            }
            _ => {
                let entries = scaled.values_mut().iter_mut().zip(m.indices());
                entries.for_each(|(x, &j)| *x = T::from_f64(x.to_f64() / self.divide[j as usize]));
            }
        }
        scaled
    }
}

/// The Euclidean length of a row; none when it is zero.
fn length<T: Real>(row: &[T]) -> Option<f64> {
    let squares = row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>();
    if ORDINARY_SQUARES.contains(&squares) {
        return Some(squares.sqrt());
    }
    // squares of very large or very small numbers are infinite or nothing; those of their ratios are neither
    let largest = row.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let length = largest * row.iter().map(|x| (x.to_f64() / largest).powi(2)).sum::<f64>().sqrt();
    (length > 0.0).then_some(length)
}

/// Sums of squares in which nothing can have been lost by overflow or underflow.
const ORDINARY_SQUARES: std::ops::RangeInclusive<f64> = 1e-200..=1e300;
/// Numbers whose squares are ordinary, for any number of samples.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-100..=1e140;

/// Powers of two that bring every column into a range where squares are ordinary; none when all are there already, and
/// then no number changes.
fn units<T: Real>(cols: usize, values: &[T], entries: impl Iterator<Item = (usize, f64)>) -> Option<Vec<f64>> {
    let ordinary = |x: &T| x.to_f64() == 0.0 || ORDINARY.contains(&x.to_f64().abs());
    if values.iter().all(ordinary) {
        return None;
    }
    let mut largest = vec![0.0_f64; cols];
    entries.for_each(|(j, x)| largest[j] = largest[j].max(x.abs()));
    let unit = |x: &f64| {
        if *x == 0.0 || ORDINARY.contains(x) { 1.0 } else { (-x.log2().round()).clamp(-1000.0, 1000.0).exp2() }
    };
    Some(largest.iter().map(unit).collect())
}

/// Whether [`Scale::Auto`] takes a view for counts: never negative, and mostly zeros. A single column never is: counts are
/// compared by how a sample's total is shared out among columns, and its zeros would be samples without any.
pub(crate) fn looks_like_counts(matrix: &Matrix) -> bool {
    if matrix.cols() < 2 {
        return false;
    }
    let (negative, zeros) = for_matrix!(
        matrix,
        dense m => count_signs(m.data()),
        sparse m => {
            let (negative, zeros) = count_signs(m.values());
            (negative, zeros + m.rows() * m.cols() - m.nnz())
        },
    );
    negative == 0 && zeros as f64 > COUNTS_HAVE_ZEROS * (matrix.rows() * matrix.cols()) as f64
}

fn count_signs<T: Real>(values: &[T]) -> (usize, usize) {
    let negative = values.iter().filter(|x| **x < T::default()).count();
    (negative, values.iter().filter(|x| **x == T::default()).count())
}

/// What is subtracted from and then divides every column.
pub(crate) struct ColumnScale {
    pub(crate) shift: Vec<f64>,
    pub(crate) divide: Vec<f64>,
}

fn map_rows<T: Real>(m: &Dense<T>, change: impl Fn(&[T], &mut [T]) + Sync) -> Dense<T> {
    let mut scaled = Dense::zeros(m.rows(), m.cols());
    let width = m.cols().max(1);
    let chunk = width * ROW_CHUNK;
    scaled.data_mut().par_chunks_mut(chunk).zip(m.data().par_chunks(chunk)).for_each(|(out, rows)| {
        out.chunks_exact_mut(width).zip(rows.chunks_exact(width)).for_each(|(out, row)| change(row, out));
    });
    scaled
}

/// Means and standard deviations, in two passes so that a large offset does not drown a small spread.
pub(crate) fn moments_of_dense<T: Real>(m: &Dense<T>) -> ColumnScale {
    let n = m.rows() as f64;
    let entries = m.iter_rows().flat_map(|row| row.iter().map(|x| x.to_f64()).enumerate());
    if let Some(units) = units(m.cols(), m.data(), entries) {
        let mean: Vec<f64> = sum_columns(m, |x, j| x * units[j]).into_iter().map(|sum| sum / n).collect();
        let variance = sum_columns(m, |x, j| (x * units[j] - mean[j]).powi(2));
        return in_units(&mean, variance.iter().map(|sum| sum / n), &units);
    }
    let mean: Vec<f64> = sum_columns(m, |x, _| x).into_iter().map(|sum| sum / n).collect();
    let variance = sum_columns(m, |x, j| (x - mean[j]).powi(2));
    let divide = variance.iter().zip(&mean).map(|(sum, mean)| usable((sum / n).sqrt(), *mean)).collect();
    ColumnScale { shift: mean, divide }
}

/// Moments of columns that were measured in units of their own.
fn in_units(mean: &[f64], variance: impl Iterator<Item = f64>, units: &[f64]) -> ColumnScale {
    let divide =
        variance.zip(mean).zip(units).map(|((variance, mean), unit)| usable(variance.max(0.0).sqrt(), *mean) / unit);
    let divide = divide.collect();
    ColumnScale { shift: mean.iter().zip(units).map(|(mean, unit)| mean / unit).collect(), divide }
}

fn moments_of_sparse<T: Real>(m: &Csr<T>) -> ColumnScale {
    let n = m.rows() as f64;
    let (mut mean, units) = (vec![0.0; m.cols()], units(m.cols(), m.values(), entries(m)));
    let unit = |j: usize| units.as_ref().map_or(1.0, |units| units[j]);
    entries(m).for_each(|(j, x)| mean[j] += x * unit(j) / n);
    let mut variance: Vec<f64> = mean.iter().map(|mean| mean * mean).collect();
    entries(m).for_each(|(j, x)| variance[j] += ((x * unit(j) - mean[j]).powi(2) - mean[j].powi(2)) / n);
    if let Some(units) = &units {
        return ColumnScale { shift: Vec::new(), ..in_units(&mean, variance.into_iter(), units) };
    }
    let divide = variance.iter().zip(&mean).map(|(v, mean)| usable(v.max(0.0).sqrt(), *mean)).collect();
    ColumnScale { shift: Vec::new(), divide }
}

/// Sums over fixed chunks of rows, added in order: the same for any number of threads.
fn sum_columns<T: Real>(m: &Dense<T>, term: impl Fn(f64, usize) -> f64 + Sync) -> Vec<f64> {
    let width = m.cols().max(1);
    let parts: Vec<Vec<f64>> = m
        .data()
        .par_chunks(width * ROW_CHUNK)
        .map(|chunk| {
            let mut sums = vec![0.0; m.cols()];
            for row in chunk.chunks_exact(width) {
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

/// Column and value of every stored entry.
fn entries<T: Real>(m: &Csr<T>) -> impl Iterator<Item = (usize, f64)> {
    m.indices().iter().zip(m.values()).map(|(&j, x)| (j as usize, x.to_f64()))
}

fn range_of_dense<T: Real>(m: &Dense<T>) -> ColumnScale {
    range_of_columns(m.cols(), m.iter_rows().flat_map(|row| row.iter().map(|x| x.to_f64()).enumerate()))
}

fn range_of_sparse<T: Real>(m: &Csr<T>) -> ColumnScale {
    let mut filled = vec![0; m.cols()];
    entries(m).for_each(|(j, _)| filled[j] += 1);
    // a column that is not full also holds zeros
    let zeros = filled.iter().enumerate().filter(|(_, count)| **count < m.rows()).map(|(j, _)| (j, 0.0));
    ColumnScale { shift: Vec::new(), ..range_of_columns(m.cols(), entries(m).chain(zeros)) }
}

fn range_of_columns(cols: usize, entries: impl Iterator<Item = (usize, f64)>) -> ColumnScale {
    let (mut low, mut high) = (vec![f64::INFINITY; cols], vec![f64::NEG_INFINITY; cols]);
    for (j, x) in entries {
        low[j] = low[j].min(x);
        high[j] = high[j].max(x);
    }
    let divide = low.iter().zip(&high).map(|(low, high)| if high > low { high - low } else { 1.0 }).collect();
    ColumnScale { shift: low, divide }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_at_both_ends_are_scaled_as_others_are() {
        let numbers = [1.0, 5.0, 2.0, -3.0, 7.0, 4.0];
        for mode in [Scale::Zscore, Scale::Unit, Scale::Minmax] {
            let expected = scaled(mode, numbers.to_vec());
            for size in [300, -300, 305, -305] {
                let sized = scaled(mode, numbers.iter().map(|x| x * 10_f64.powi(size)).collect());
                assert!(sized.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{mode} {size}: {sized:?}");
            }
        }
        // every column in its own units
        let sizes = [1e300, 1e-300];
        let mixed = numbers.iter().enumerate().map(|(at, x)| x * sizes[at % 2]).collect();
        let (mixed, expected) = (scaled(Scale::Zscore, mixed), scaled(Scale::Zscore, numbers.to_vec()));
        assert!(mixed.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{mixed:?}");
        assert!(scaled(Scale::Zscore, vec![1e300; 3]).iter().all(|x| x.abs() < 1e-9), "a constant column is one");
        let sparse = Csr::from_dense(&Dense::from_fn(4, 1, |i, _| i as f64 * 1e-300)).unwrap();
        assert!(moments_of_sparse(&sparse).divide[0] < 1e-299);
    }

    fn scaled(mode: Scale, data: Vec<f64>) -> Vec<f64> {
        let m = Dense::new(3, data.len() / 3, data).unwrap();
        let m = m.into();
        match Scaler::fit(mode, &m).transform(&m).unwrap() {
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
        let single = Dense::new(4, 1, vec![0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_ne!(Scale::Auto.resolve(&single.into()), Scale::Unit);
        let signed = Dense::new(2, 4, vec![0.0, 0.0, 0.0, -3.0, 1.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(Scale::Auto.resolve(&signed.into()), Scale::Zscore);
    }

    #[test]
    fn sparse_scaling_changes_distances_as_dense_scaling_does() {
        let dense = Dense::new(3, 2, vec![0.0_f64, 2.0, 4.0, 0.0, 1.0, 1.0]).unwrap();
        let sparse = Csr::from_dense(&dense).unwrap();
        for mode in [Scale::Zscore, Scale::Minmax, Scale::Unit, Scale::None] {
            let d = Scaler::fit(mode, &dense.clone().into()).dense(&dense);
            let s = Scaler::fit(mode, &sparse.clone().into()).sparse(&sparse);
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

    #[test]
    fn new_samples_are_scaled_by_the_statistics_of_the_old() {
        let old: Matrix = Dense::new(3, 2, vec![0.0, 10.0, 2.0, 10.0, 4.0, 40.0]).unwrap().into();
        let new: Matrix = Dense::new(1, 2, vec![6.0, 25.0]).unwrap().into();
        let scaler = Scaler::fit(Scale::Minmax, &old);
        let Matrix::DenseF64(scaled) = scaler.transform(&new).unwrap() else { panic!() };
        assert_eq!(scaled.data(), [1.5, 0.5]);
        let kept: Scaler = serde_json::from_str(&serde_json::to_string(&scaler).unwrap()).unwrap();
        assert_eq!(kept, scaler);
        assert!(scaler.transform(&Dense::<f64>::zeros(1, 3).into()).is_err());
        // learned from a sparse matrix, which is not shifted: a dense one beside it is not either
        let Matrix::DenseF64(old) = old else { panic!() };
        let scaler = Scaler::fit(Scale::Zscore, &Csr::from_dense(&old).unwrap().into());
        let Matrix::DenseF64(scaled) = scaler.transform(&Dense::<f64>::zeros(1, 2).into()).unwrap() else { panic!() };
        assert_eq!(scaled.data(), [0.0, 0.0]);
    }
}
