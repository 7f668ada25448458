//! Blocks of rows and columns of a heat map: their borders, and places for their labels.

use crate::text::spread;

/// Consecutive rows or columns that belong together.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// Name of the class; cut where it is long.
    pub label: String,
    /// Number of rows or columns.
    pub size: usize,
}

/// Blocks along one side of the map, in pixels.
pub(crate) struct Blocks<'a> {
    pub(crate) borders: Vec<f64>,
    centres: Vec<(f64, &'a str)>,
    pub(crate) narrowest: f64,
    side: [f64; 2],
}

impl<'a> Blocks<'a> {
    /// Blocks beyond the `count` rows or columns are cut off; empty blocks are left out.
    pub(crate) fn new(blocks: &'a [Block], count: usize, [start, length]: [f64; 2]) -> Self {
        let place = |at: usize| start + length * at as f64 / count.max(1) as f64;
        let mut all =
            Self { borders: Vec::new(), centres: Vec::new(), narrowest: f64::INFINITY, side: [start, start + length] };
        let mut from = 0;
        for block in blocks {
            let to = from + block.size.min(count - from);
            if to == from {
                continue;
            }
            if to < count {
                all.borders.push(place(to));
            }
            all.centres.push(((place(from) + place(to)) / 2.0, block.label.as_str()));
            all.narrowest = all.narrowest.min(place(to) - place(from));
            from = to;
        }
        all
    }

    /// Centre of each block, place of its label at least `gap` from the next, and the label. Where not all have room, only every
    /// so many are given.
    pub(crate) fn labels(&self, gap: f64) -> impl Iterator<Item = (f64, f64, &'a str)> {
        let [start, end] = self.side;
        let room = ((end - start) / gap).floor().max(1.0);
        let every = (self.centres.len() as f64 / room).ceil().max(1.0) as usize;
        let shown: Vec<_> = self.centres.iter().copied().step_by(every).collect();
        let wanted: Vec<f64> = shown.iter().map(|(centre, _)| *centre).collect();
        let places = spread(&wanted, gap, start + gap / 2.0, end - gap / 2.0);
        shown
            .into_iter()
            .zip(places)
            .map(|((centre, label), place)| (centre, place, label))
            .filter(|(.., label)| !label.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(sizes: &[usize]) -> Vec<Block> {
        sizes.iter().map(|&size| Block { label: size.to_string(), size }).collect()
    }

    #[test]
    fn borders_lie_between_blocks_that_fit() {
        let blocks = sizes(&[2, 0, 3, 5, 7]);
        let placed = Blocks::new(&blocks, 10, [100.0, 50.0]);
        assert_eq!(placed.borders, [110.0, 125.0]);
        assert_eq!(placed.narrowest, 10.0);
        let labels: Vec<_> = placed.labels(10.0).collect();
        assert_eq!(labels, [(105.0, 105.0, "2"), (117.5, 117.5, "3"), (137.5, 137.5, "5")]);
    }

    #[test]
    fn labels_without_room_are_thinned() {
        let blocks = sizes(&[1; 100]);
        let placed = Blocks::new(&blocks, 100, [0.0, 50.0]);
        assert_eq!(placed.labels(10.0).count(), 5);
    }
}
