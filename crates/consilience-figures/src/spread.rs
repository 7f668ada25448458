//! Labels along a line without overlaps.

/// Moves `wanted` (ascending) as little as possible, in the sense of least squares, so that neighbours are `gap` apart and all lie in
/// [low, high]. Where they cannot, the gap shrinks.
pub(crate) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let steps = wanted.len().saturating_sub(1) as f64;
    let gap = if steps > 0.0 { gap.min((high - low).max(0.0) / steps) } else { gap };
    // with the gaps taken out, "apart" means "ascending": isotonic regression by pooling (sum, count)
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (at, place) in wanted.iter().enumerate() {
        let mut pool = (place - gap * at as f64, 1);
        while let Some(&(sum, count)) = pools.last() {
            if sum / count as f64 <= pool.0 / pool.1 as f64 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    let top = (high - gap * steps).max(low);
    let ascending = pools.iter().flat_map(|&(sum, count)| std::iter::repeat_n(sum / count as f64, count));
    ascending.enumerate().map(|(at, place)| place.clamp(low, top) + gap * at as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn distant_labels_stay() {
        assert_eq!(spread(&[10.0, 30.0, 50.0], 15.0, 0.0, 100.0), [10.0, 30.0, 50.0]);
    }

    #[test]
    fn close_labels_part_about_their_mean() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], 10.0, 0.0, 100.0), [40.0, 50.0, 60.0]);
    }

    #[test]
    fn labels_stay_inside_and_shrink_their_gap_if_they_must() {
        assert_eq!(spread(&[99.0, 100.0], 10.0, 0.0, 100.0), [90.0, 100.0]);
        assert_eq!(spread(&[1.0, 1.0, 1.0], 100.0, 0.0, 10.0), [0.0, 5.0, 10.0]);
        assert!(spread(&[], 10.0, 0.0, 1.0).is_empty());
    }
}
