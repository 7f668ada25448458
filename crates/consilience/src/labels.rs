//! Labels numbered so that equal clusterings have equal labels.

use std::collections::HashMap;

/// Renumbers labels by first appearance: the first sample is in cluster 0, the first that is not with it in cluster 1.
/// Returns the old number of every new one, for whatever else is kept per cluster.
pub(crate) fn number_by_first_appearance(labels: &mut [usize]) -> Vec<usize> {
    let (mut order, mut numbers) = (Vec::new(), HashMap::new());
    for label in labels {
        *label = *numbers.entry(*label).or_insert_with(|| {
            order.push(*label);
            order.len() - 1
        });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_by_first_appearance() {
        let mut labels = [5, 2, 5, usize::MAX, 2];
        assert_eq!(number_by_first_appearance(&mut labels), [5, 2, usize::MAX]);
        assert_eq!(labels, [0, 1, 0, 2, 1]);
        assert_eq!(number_by_first_appearance(&mut labels), [0, 1, 2]);
        assert!(number_by_first_appearance(&mut []).is_empty());
    }
}
