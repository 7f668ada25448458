//! The digits that the crate carries: UCI Multiple Features, views `fou` and `fac`. See `assets/README.md` for origin,
//! licence (CC BY 4.0) and layout.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::{Labels, Loaded};
use consilience::matrix::Dense;
use consilience::{Error, Result, View};

static PACKED: &[u8] = include_bytes!("../assets/digits.bin");

const SAMPLES: usize = 2000;
const PER_CLASS: usize = 200;
const FOU: usize = 76;
const FAC: usize = 216;

/// 2000 handwritten digits, 200 of each class in order: `fou` (76 Fourier coefficients of the shape) and `fac` (216
/// profile correlations), as published.
///
/// # Errors
/// Only when the program itself is damaged.
pub fn digits() -> Result<Loaded> {
    let damaged = || Error::data("the digits inside this program are damaged; install it again");
    let mut bytes = Vec::with_capacity(SAMPLES * (4 * FOU + 2 * FAC));
    ZlibDecoder::new(PACKED).read_to_end(&mut bytes).map_err(|_| damaged())?;
    let (fou, fac) = bytes.split_at_checked(4 * SAMPLES * FOU).ok_or_else(damaged)?;
    if fac.len() != 2 * SAMPLES * FAC {
        return Err(damaged());
    }
    let views = vec![
        View::new("fou", row_major(FOU, |at| joined(fou, SAMPLES * FOU, at) as f64 / 1e8)),
        View::new("fac", row_major(FAC, undo_differences(fac))),
    ];
    let labels: Vec<f64> = (0..SAMPLES).map(|i| (i / PER_CLASS) as f64).collect();
    Ok(Loaded { views, labels: Labels::from_numbers(&labels), ..Loaded::default() })
}

/// The whole number at place `at`, put together from its byte in every plane.
fn joined(planes: &[u8], plane_len: usize, at: usize) -> i64 {
    planes.chunks_exact(plane_len).rev().fold(0, |number, plane| number << 8 | i64::from(plane[at]))
}

/// The numbers of `fac` by place: zigzag codes of the differences to the row before, summed down each column.
fn undo_differences(planes: &[u8]) -> impl Fn(usize) -> f64 {
    let mut numbers = vec![0.0; SAMPLES * FAC];
    for (column, start) in numbers.chunks_exact_mut(SAMPLES).zip((0..).step_by(SAMPLES)) {
        let mut sum = 0;
        for (i, number) in column.iter_mut().enumerate() {
            let code = joined(planes, SAMPLES * FAC, start + i);
            sum += (code >> 1) ^ -(code & 1);
            *number = sum as f64;
        }
    }
    move |at| numbers[at]
}

/// A matrix from numbers that are kept column after column.
fn row_major(cols: usize, number: impl Fn(usize) -> f64) -> Dense<f64> {
    Dense::from_fn(SAMPLES, cols, |i, j| number(j * SAMPLES + i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilience::matrix::Matrix;

    fn dense(view: &View) -> &Dense<f64> {
        let Matrix::DenseF64(dense) = &view.data else { unreachable!("{} is not f64", view.name) };
        dense
    }

    #[test]
    fn first_and_last_numbers_are_those_of_the_text() {
        let digits = digits().unwrap();
        let (fou, fac) = (dense(&digits.views[0]), dense(&digits.views[1]));
        assert_eq!((fou.rows(), fou.cols(), fac.rows(), fac.cols()), (2000, 76, 2000, 216));
        assert_eq!(fou.row(0)[..3], [0.06588172, 0.19731169, 0.10382563]);
        assert_eq!(fou.row(1999)[73..], [0.27576948, 0.02107437, 0.08524072]);
        assert_eq!(fac.row(0)[..3], [98.0, 236.0, 531.0]);
        assert_eq!(fac.row(1999)[213..], [12.0, 12.0, 20.0]);
        let labels = digits.labels.unwrap();
        assert_eq!((labels.codes()[199], labels.codes()[200], labels.codes()[1999]), (0, 1, 9));
    }

    #[test]
    #[allow(clippy::print_stderr)]
    fn every_number_equals_numpys() {
        // the shared folder lies beside the checkout, or beside the folder of worktrees
        let above = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
        let Some(path) = above.map(|folder| folder.join("shared/data/mfeat.npz")).find(|path| path.exists()) else {
            eprintln!("skipped: there is no ../shared/data/mfeat.npz beside this checkout");
            return;
        };
        let (ours, theirs) = (digits().unwrap(), crate::read(&path).unwrap());
        for view in &ours.views {
            let other = theirs.views.iter().find(|other| other.name == view.name).unwrap();
            let Matrix::DenseF64(other) = (match &other.data {
                Matrix::DenseF32(single) => single.cast::<f64>().into(),
                same => same.clone(),
            }) else {
                unreachable!()
            };
            assert_eq!(dense(view).data(), other.data(), "{}", view.name);
        }
        assert_eq!(ours.labels, theirs.labels);
    }
}
