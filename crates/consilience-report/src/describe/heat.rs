//! The affinity as a picture: samples sorted by group, averaged over blocks.

use consilience::Clustering;
use serde_json::{Value, json};

use super::columns::bytes;

/// About as many blocks along a side.
const SIDE: usize = 150;
/// Brighter than this share of the blocks is as bright as can be: a few strong pairs must not darken the rest.
const BRIGHT: f64 = 0.995;

/// The picture with the samples sorted by `groups`; no block holds two groups.
pub(super) fn by_groups(clustering: &Clustering, groups: &[usize]) -> Value {
    let blocks = blocks(groups);
    let table = clustering.block_averages(&blocks.samples);
    let mut sorted: Vec<f64> = table.data().iter().map(|x| x.max(0.0)).collect();
    sorted.sort_by(f64::total_cmp);
    let max = sorted.get(((sorted.len() as f64 - 1.0) * BRIGHT) as usize).copied().unwrap_or(0.0);
    let scale = if max > 0.0 { 255.0 / max } else { 0.0 };
    let values: Vec<u8> = table.data().iter().map(|x| (x * scale).round().clamp(0.0, 255.0) as u8).collect();
    json!({ "size": blocks.samples.len(), "values": bytes(&values), "max": max, "bounds": blocks.bounds })
}

struct Blocks {
    samples: Vec<Vec<usize>>,
    /// The block at which every group begins, and their number.
    bounds: Vec<usize>,
}

/// Samples of a group keep their order: the page finds sample j of s of a group in its block `floor(j w / s)` of w.
fn blocks(groups: &[usize]) -> Blocks {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    let mut members = vec![Vec::new(); count];
    groups.iter().enumerate().for_each(|(sample, &group)| members[group].push(sample));
    let (mut samples, mut bounds) = (Vec::new(), Vec::new());
    for members in members {
        bounds.push(samples.len());
        let size = members.len();
        let width = (size * SIDE / groups.len().max(1)).clamp(1, size.max(1));
        let mut parts = vec![Vec::new(); if size > 0 { width } else { 0 }];
        members.into_iter().enumerate().for_each(|(j, sample)| parts[j * width / size].push(sample));
        samples.extend(parts);
    }
    bounds.push(samples.len());
    Blocks { samples, bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_cross_groups() {
        let groups: Vec<usize> = (0..1000).map(|i| i % 3).collect();
        let blocks = blocks(&groups);
        assert_eq!(blocks.bounds, [0, 50, 99, 148]);
        assert!(blocks.samples.iter().all(|block| !block.is_empty() && block.iter().all(|&i| i % 3 == block[0] % 3)));
        assert_eq!(blocks.samples.iter().map(Vec::len).sum::<usize>(), 1000);
    }
    #[test]
    fn few_samples_and_an_empty_group() {
        let blocks = blocks(&[0, 2, 2]);
        assert_eq!(blocks.bounds, [0, 1, 1, 3]);
        assert_eq!(blocks.samples, [vec![0], vec![1], vec![2]]);
    }
}
