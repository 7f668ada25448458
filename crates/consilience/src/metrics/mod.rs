//! How well predicted clusters match known classes. Every score is read from one [`Contingency`] table; labels are
//! names, so no score changes when they are renamed or the samples reordered.

mod accuracy;
mod adjusted;
mod assignment;
mod contingency;
mod information;
mod metric;
mod pairs;

pub use accuracy::{accuracy, purity};
pub use adjusted::ami;
pub(crate) use assignment::pairing;
pub use contingency::{Cell, Contingency};
pub use information::nmi;
pub use metric::{Metric, Scores};
pub use pairs::{ari, fscore};

use crate::labels::number_by_first_appearance;
use crate::{Error, Result};

/// All scores of `predicted` labels against the `truth`, sample by sample.
///
/// # Errors
/// When there are no labels, or not as many of one as of the other.
///
/// # Examples
/// ```
/// let scores = consilience::metrics::score(&[1_usize, 1, 0, 0], &[0_u32, 0, 1, 1])?;
/// assert_eq!(scores[consilience::metrics::Metric::Acc], 1.0);
/// # Ok::<(), consilience::Error>(())
/// ```
pub fn score<P: Copy + Ord, T: Copy + Ord>(predicted: &[P], truth: &[T]) -> Result<Scores> {
    let table = Contingency::new(predicted, truth)?;
    if table.samples() == 0 {
        return Err(Error::data("there are 0 predicted labels and 0 true ones: nothing to score"));
    }
    Ok(Scores::from(&table))
}

/// The labels `found`, renamed to those of `expected` that they share most samples with, each name used once; a cluster
/// for which no name is left has none.
///
/// # Errors
/// When there are not as many of one as of the other.
pub fn matched(found: &[usize], expected: &[usize]) -> Result<Vec<Option<usize>>> {
    let (mut rows, mut columns) = (found.to_vec(), expected.to_vec());
    number_by_first_appearance(&mut rows);
    let names = number_by_first_appearance(&mut columns);
    let table = Contingency::new(&rows, &columns)?;
    let pairs = pairing(table.row_sums().len(), table.column_sums().len(), table.cells());
    Ok(rows.iter().map(|&row| pairs[row].map(|column| names[column])).collect())
}

/// Normalised mutual information between every two clusterings of the same samples: a square table, 1 on the diagonal.
///
/// # Errors
/// When they are not of equally many samples.
pub fn pairwise_nmi(clusterings: &[Vec<usize>]) -> Result<Vec<Vec<f64>>> {
    let row = |a: &Vec<usize>| clusterings.iter().map(|b| Ok(nmi(&Contingency::new(a, b)?))).collect();
    clusterings.iter().map(row).collect()
}

/// The same for clusterings that do not know every sample, over the samples that both know; 0 when these are none.
pub(crate) fn pairwise_nmi_of_known(clusterings: &[Vec<Option<usize>>]) -> Result<Vec<Vec<f64>>> {
    let pair = |a: &Vec<Option<usize>>, b: &Vec<Option<usize>>| {
        let (a, b): (Vec<usize>, Vec<usize>) = a.iter().zip(b).filter_map(|(&a, &b)| a.zip(b)).unzip();
        if a.is_empty() { Ok(0.0) } else { Ok(nmi(&Contingency::new(&a, &b)?)) }
    };
    clusterings.iter().map(|a| clusterings.iter().map(|b| pair(a, b)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_shared_samples() {
        assert_eq!(matched(&[0, 0, 1, 1], &[5, 5, 3, 3]).unwrap(), [Some(5), Some(5), Some(3), Some(3)]);
        // a third cluster finds no name
        assert_eq!(matched(&[2, 2, 0, 1], &[1, 1, 0, 0]).unwrap()[..3], [Some(1), Some(1), Some(0)]);
        assert_eq!(matched(&[2, 2, 0, 1], &[1, 1, 0, 0]).unwrap()[3], None);
    }

    #[test]
    fn unequal_and_empty_input_are_refused() {
        assert!(score(&[0_usize], &[0_u32, 1]).unwrap_err().to_string().contains("1 predicted labels and 2 true"));
        assert!(score::<usize, u32>(&[], &[]).unwrap_err().to_string().contains("0 predicted labels and 0 true"));
    }
}
