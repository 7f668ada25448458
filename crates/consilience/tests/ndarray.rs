//! Arrays of the crate `ndarray` as views.

// a test says what is wrong by failing
#![allow(clippy::unwrap_used)]

use consilience::matrix::{Dense, Matrix};
use consilience::{Settings, View, Views, cluster};
use ndarray::{Array2, array, s};

#[test]
fn arrays_of_any_layout_are_matrices() {
    let rows = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let address = rows.as_ptr();
    let columns = rows.t().as_standard_layout().into_owned().reversed_axes();
    assert!(!columns.is_standard_layout());
    assert_eq!(Dense::from(columns.view()).data(), numbers);
    assert_eq!(Dense::from(columns).data(), numbers);
    assert_eq!(Dense::from(rows.slice(s![1.., 1..])).data(), [5.0, 6.0]);
    assert_eq!(Dense::from(rows.clone().slice_move(s![1.., ..])).data(), [4.0, 5.0, 6.0]);
    let taken = Dense::from(rows);
    assert_eq!((taken.rows(), taken.cols(), taken.data()), (2, 3, &numbers[..]));
    assert_eq!(taken.data().as_ptr(), address, "rows that lie one after the other are not copied");
    assert!(matches!(Matrix::from(array![[1.0_f32]]), Matrix::DenseF32(_)));
}

#[test]
fn views_are_made_of_arrays() {
    let height = Array2::from_shape_fn((60, 2), |(i, j)| (i % 3 * 10) as f64 + ((i * 7 + j) % 5) as f64 * 0.1);
    let weight = Array2::from_shape_fn((60, 3), |(i, j)| (i % 3 * 4) as f32 - ((i * 3 + j) % 7) as f32 * 0.1);
    let views = Views::new(vec![View::new("height", height), View::new("weight", weight.view())]).unwrap();
    let found = cluster(&views, &Settings::new(3)).unwrap();
    assert_eq!(found.record.labels[..6], [0, 1, 2, 0, 1, 2]);
}
