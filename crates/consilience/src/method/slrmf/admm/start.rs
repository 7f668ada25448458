//! Where the iteration starts: both initialisations of the text, from a spectral clustering of each view's own graph.

use super::{Start, Variant};
use crate::graph::Graph;
use crate::matrix::{Dense, column_sums, frobenius, update_entries};
use crate::operator::TopEigen;
use crate::spectral::{KMeans, embed};
use crate::views::samples::Samples;
use crate::{Error, Result, Run, Views};

/// The matrices of the size of the views together must not take more than this.
const MOST_BYTES: usize = 8 << 30;

/// Refuses views for which E and its like would not fit.
pub(super) fn check_memory(views: &Views) -> Result<()> {
    let entries = views.iter().map(|view| view.data.rows().saturating_mul(view.data.cols()));
    let bytes = entries.fold(0_usize, usize::saturating_add).saturating_mul(3 * 8);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
    Err(Error::data_with_hint(
        format!(
            "the paper's iteration keeps X, E and K1 of every view, all dense: {:.1} GiB for these views, and at most \
             {:.0} GiB are allowed",
            gib(bytes),
            gib(MOST_BYTES)
        ),
        "use the variant `structured`, or views with fewer features",
    ))
}

/// The clusters of a view by itself: "we adopt the spectral clustering outcome with the clustering number to be d".
pub(super) fn own_labels(graph: &Graph, k: usize, seed: u64, run: &Run) -> Result<Vec<usize>> {
    if k >= graph.len() {
        return Ok((0..graph.len()).collect());
    }
    let eigen = TopEigen { seed, ..TopEigen::new(k) }.solve(graph.normalised().as_ref(), None, run)?;
    Ok(KMeans { seed, ..KMeans::new(k) }.fit_observed(&embed(&eigen.vectors), run)?.labels)
}

/// `U[0]`, n x k.
pub(super) fn factor(start: Start, variant: Variant, X: &Samples, labels: &[usize], k: usize) -> Dense<f64> {
    match (start, variant) {
        // N6: the columns of 1 / |C_k| are orthogonal but not of unit length
        (Start::Indicator, Variant::Printed) => indicator(labels, k, 1.0),
        (Start::Indicator, Variant::Derived) => indicator(labels, k, 0.5),
        (Start::Anchors, Variant::Printed) => anchor_similarity(X, labels, k),
        (Start::Anchors, Variant::Derived) => unit_columns(anchor_similarity(X, labels, k)),
    }
}

/// `1 / |C_j|^power` where sample l is in cluster j, n x k. The columns are orthonormal for a power of 1/2. An empty
/// cluster has a zero column.
pub(super) fn indicator(labels: &[usize], k: usize, power: f64) -> Dense<f64> {
    let mut sizes = vec![0_usize; k];
    labels.iter().for_each(|&label| sizes[label] += 1);
    let heights: Vec<f64> = sizes.iter().map(|&size| (size.max(1) as f64).powf(-power)).collect();
    Dense::from_fn(labels.len(), k, |l, j| if labels[l] == j { heights[j] } else { 0.0 })
}

/// Eq. `gaussian` between samples and cluster centres, n x k. The text names no sigma for it; ours is the median
/// distance of a sample to the centre of its own cluster, so that the similarity is free of scale.
fn anchor_similarity(X: &Samples, labels: &[usize], k: usize) -> Dense<f64> {
    let centres = X.transposed_times(&indicator(labels, k, 1.0));
    let centre_squares = column_sums(&centres, &centres, |x, y| x * y);
    let mut S = Dense::zeros(labels.len(), k);
    X.add_times(&mut S, &centres, -2.0);
    let squares = X.row_squares();
    for (l, row) in S.data_mut().chunks_exact_mut(k.max(1)).enumerate() {
        row.iter_mut().zip(&centre_squares).for_each(|(x, c)| *x = (*x + squares[l] + c).max(0.0));
    }
    let mut own: Vec<f64> = labels.iter().enumerate().map(|(l, &j)| S.get(l, j)).collect();
    let middle = own.len() / 2;
    let sigma_square = if own.is_empty() { 1.0 } else { *own.select_nth_unstable_by(middle, f64::total_cmp).1 };
    let width = 2.0 * sigma_square.max(f64::MIN_POSITIVE);
    S.data_mut().iter_mut().for_each(|x| *x = if *x > 0.0 { (-*x / width).exp() } else { 1.0 });
    S
}

/// Every column to length 1, "within the same magnitude so as to perform the agreement minimization".
fn unit_columns(mut S: Dense<f64>) -> Dense<f64> {
    if frobenius(&S) > 0.0 {
        let squares = column_sums(&S, &S, |x, y| x * y);
        let copy = S.clone();
        update_entries(&mut S, &copy, |x, _, j| if squares[j] > 0.0 { x / squares[j].sqrt() } else { 0.0 });
    }
    S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_of_the_size_makes_orthonormal_columns() {
        let labels = [0, 0, 0, 0, 1];
        let length = |power: f64| frobenius(&indicator(&labels, 2, power).first_columns(1));
        assert_eq!((length(0.5), length(1.0)), (1.0, 0.5), "N6");
        assert_eq!(indicator(&labels, 3, 0.5).row(4), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn anchors_by_hand() {
        // one feature; centres 1 and 10; own squared distances 1, 1, 0: sigma = 1
        let X = Samples::unscaled(&Dense::new(3, 1, vec![0.0, 2.0, 10.0]).unwrap().into());
        let S = anchor_similarity(&X, &[0, 0, 1], 2);
        let expected =
            [(-0.5_f64).exp(), (-50.0_f64).exp(), (-0.5_f64).exp(), (-32.0_f64).exp(), (-40.5_f64).exp(), 1.0];
        assert!(S.data().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14));
        let unit = unit_columns(S);
        assert!((frobenius(&unit.first_columns(1)) - 1.0).abs() < 1e-14);
    }
}
