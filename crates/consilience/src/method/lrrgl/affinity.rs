//! From the views' representations to one affinity.

use rayon::prelude::*;

use crate::matrix::{Dense, Real};
use crate::operator::DenseSymmetric;

/// The mean over the views of `(|Z| + |Z|')/2` with every sample's entries scaled to unit length and those below `tau`
/// dropped; no sample is near itself; normalised. In the memory of the first table.
pub(super) fn of_representations<F: Real>(Z: Vec<Dense<F>>, tau: f64) -> DenseSymmetric<F> {
    let n = Z.first().map_or(1, Dense::rows).max(1);
    let share = 1.0 / Z.len() as f64;
    let shares = |row: &mut [F]| {
        let length = row.iter().map(|z| z.to_f64().powi(2)).sum::<f64>().sqrt();
        let unit = if length > 0.0 { 1.0 / length } else { 0.0 };
        row.iter_mut().for_each(|z| {
            let size = z.to_f64().abs() * unit;
            *z = F::from_f64(if size < tau { 0.0 } else { share * size });
        });
    };
    let mut sum: Option<Dense<F>> = None;
    for mut Z in Z {
        Z.data_mut().par_chunks_mut(n).for_each(shares);
        match &mut sum {
            None => sum = Some(Z),
            Some(sum) => sum.data_mut().iter_mut().zip(Z.data()).for_each(|(sum, z)| *sum += *z),
        }
    }
    let mut sum = sum.unwrap_or_else(|| Dense::zeros(0, 0));
    (0..sum.rows()).for_each(|i| sum.data_mut()[i * n + i] = F::default());
    DenseSymmetric::symmetrised(sum).normalised()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_views_by_hand() {
        // unit rows (.6, .8) and (1, 0); the second view knows nothing of the second sample. Off the diagonal the mean
        // is (.8 + 0)/2 and its mirror (1 + 0)/2: .45 both, and all of the degree
        let first = Dense::new(2, 2, vec![3.0_f64, 4.0, 2.0, 1e-9]).unwrap();
        let second = Dense::new(2, 2, vec![-1.0, 1e-4, 0.0, 0.0]).unwrap();
        let affinity = of_representations(vec![first, second], 1e-3);
        assert!((affinity.table().get(0, 1) - 1.0).abs() < 1e-12 && affinity.table().get(0, 0) == 0.0);
        assert_eq!(affinity.table().get(0, 1), affinity.table().get(1, 0));
    }
}
