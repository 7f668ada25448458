//! Neighbours of neighbours are often neighbours: lists that improve each other (NN-descent, by pulling: every round reads the
//! old lists only, so that threads do not matter).

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::matrix::Real;
use crate::neighbours::shortlist::{Shortlist, nearer};
use crate::neighbours::sweep::{BLOCK, Sides};
use crate::{Result, Run};

/// How many neighbours of a sample, how many samples that it is a neighbour of, and how many neighbours of each are looked at.
const FORWARD: usize = 10;
const BACKWARD: usize = 6;
const THEIRS: usize = 10;
/// No more rounds than this, and none after one that changed fewer entries than this share.
const ROUNDS: usize = 2;
const LEAST_CHANGED: f64 = 0.005;

/// The nearest samples known so far, `width` of each, nearest first.
pub(super) struct Lists<T> {
    width: usize,
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Copy)]
struct Entry<T> {
    distance: T,
    sample: u32,
    /// Whether it came in the last round: who was already looked at by way of it is not looked at again.
    new: bool,
}

impl<T: Real> Lists<T> {
    /// From the short lists of blocks; rows of fewer than `width` are filled with nobody.
    pub(super) fn new(shortlists: Vec<Mutex<Shortlist<T>>>, samples: usize, width: usize) -> Self {
        let nobody = Entry { distance: T::INFINITY, sample: u32::MAX, new: false };
        let mut entries = vec![nobody; samples * width];
        entries.par_chunks_mut(BLOCK * width).zip(shortlists).for_each(|(rows, list)| {
            let list = list.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                let mut found = list.nearest(at);
                found.sort_unstable_by(nearer);
                row.iter_mut().zip(found).for_each(|(entry, (distance, sample))| {
                    *entry = Entry { distance, sample, new: true };
                });
            }
        });
        Self { width, entries }
    }

    /// The neighbours of sample `i`, nearest first.
    pub(super) fn of(&self, i: usize) -> impl Iterator<Item = u32> + '_ {
        self.row(i).iter().map(|entry| entry.sample).take_while(|&sample| sample != u32::MAX)
    }

    /// The largest distance in the list of sample `i`.
    pub(super) fn farthest(&self, i: usize) -> T {
        let known = self.row(i).iter().filter(|entry| entry.sample != u32::MAX);
        known.last().map_or(T::default(), |entry| entry.distance)
    }

    fn row(&self, i: usize) -> &[Entry<T>] {
        &self.entries[i * self.width..(i + 1) * self.width]
    }

    /// Rounds until hardly anything changes.
    pub(super) fn descend(&mut self, sides: &Sides<'_, T>, run: &Run) -> Result<()> {
        for round in 0..ROUNDS {
            run.check()?;
            let changed = self.round(sides, run)?;
            run.progress(round + 1, ROUNDS);
            if (changed as f64) < LEAST_CHANGED * self.entries.len() as f64 {
                break;
            }
        }
        Ok(())
    }

    /// Every sample looks at the neighbours of those beside it; how many entries are new.
    fn round(&mut self, sides: &Sides<'_, T>, run: &Run) -> Result<usize> {
        let backward = Backward::new(self);
        let mut next = self.entries.clone();
        let changed: Vec<usize> = next
            .par_chunks_mut(BLOCK * self.width)
            .enumerate()
            .map_init(<(Vec<u32>, Vec<u32>)>::default, |(candidates, known), (block, rows)| {
                run.check()?;
                let mut changed = 0;
                for (at, row) in rows.chunks_exact_mut(self.width).enumerate() {
                    let i = block * BLOCK + at;
                    self.candidates(i, &backward, candidates, known);
                    row.iter_mut().for_each(|entry| entry.new = false);
                    for &sample in candidates.iter() {
                        changed += usize::from(insert(row, sides.between(i, sample as usize), sample));
                    }
                }
                Ok(changed)
            })
            .collect::<Result<_>>()?;
        self.entries = next;
        Ok(changed.iter().sum())
    }

    /// Neighbours of neighbours of `i` that it has not been compared with by way of them, each once, and whoever has `i` as a
    /// new neighbour. `known` is scratch.
    fn candidates(&self, i: usize, backward: &Backward, out: &mut Vec<u32>, known: &mut Vec<u32>) {
        out.clear();
        let forward = self.row(i).iter().take(FORWARD).map(|entry| (entry.sample, entry.new));
        for (via, new) in forward.chain(backward.of(i)) {
            if via == u32::MAX {
                continue;
            }
            let theirs = self.row(via as usize).iter().take(THEIRS);
            out.extend(theirs.filter(|entry| new || entry.new).map(|entry| entry.sample));
        }
        out.extend(backward.of(i).filter(|&(_, new)| new).map(|(sample, _)| sample));
        out.sort_unstable();
        out.dedup();
        known.clear();
        known.extend(self.row(i).iter().map(|entry| entry.sample));
        known.sort_unstable();
        out.retain(|sample| *sample != i as u32 && *sample != u32::MAX && known.binary_search(sample).is_err());
    }
}

/// Puts a sample in its place, when it is nearer than the last and not there yet.
fn insert<T: Real>(row: &mut [Entry<T>], distance: T, sample: u32) -> bool {
    let before = |entry: &Entry<T>| nearer(&(entry.distance, entry.sample), &(distance, sample)).is_lt();
    let place = row.partition_point(before);
    if place == row.len() || row[place].sample == sample {
        return false;
    }
    row.copy_within(place..row.len() - 1, place + 1);
    row[place] = Entry { distance, sample, new: true };
    true
}

/// Of every sample the first few that have it among their nearest, by their numbers.
struct Backward {
    entries: Vec<(u32, bool)>,
}

impl Backward {
    fn new<T: Real>(lists: &Lists<T>) -> Self {
        let samples = lists.entries.len() / lists.width.max(1);
        let mut entries = vec![(u32::MAX, false); samples * BACKWARD];
        let mut filled = vec![0_u8; samples];
        for i in 0..samples {
            for entry in lists.row(i).iter().take(FORWARD).filter(|entry| entry.sample != u32::MAX) {
                let (to, at) = (entry.sample as usize, filled[entry.sample as usize] as usize);
                if at < BACKWARD {
                    entries[to * BACKWARD + at] = (i as u32, entry.new);
                    filled[to] += 1;
                }
            }
        }
        Self { entries }
    }

    fn of(&self, i: usize) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.entries[i * BACKWARD..(i + 1) * BACKWARD].iter().copied().take_while(|(sample, _)| *sample != u32::MAX)
    }
}
