//! What experiments do to data: the paper's feature noise (a share of the entries replaced by, or added to, uniform noise), and
//! samples that views lose.

use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use serde::{Deserialize, Serialize};

use crate::matrix::{Csr, Dense, Matrix, Real, for_matrix};
use crate::{Error, Result, View, choice};

choice! {
    /// What happens to a chosen entry.
    pub enum CorruptionMode {
        /// The noise takes the entry's place.
        Replace = "replace",
        /// The noise is added to the entry.
        Add = "add",
        /// No noise: views lose whole samples, each the share of its own, and every sample stays in one view at least.
        Lose = "lose",
    }
}

/// Noise on exactly `round(fraction * n * d)` entries of every view, chosen without repetition, uniform on
/// `[-amplitude, amplitude]`. It belongs after scaling, where entries are of the order of 1. Or samples lost
/// ([`CorruptionMode::Lose`]), which belongs before it: what is lost cannot be measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Corruption {
    /// Share of the entries, 0 to 1.
    pub fraction: f64,
    /// What happens to them.
    pub mode: CorruptionMode,
    /// Seed of the draw.
    pub seed: u64,
    /// Half the width of the noise; the paper's is 5.
    pub amplitude: f64,
}

impl Default for Corruption {
    fn default() -> Self {
        Self { fraction: 0.2, mode: CorruptionMode::Replace, seed: 0, amplitude: 5.0 }
    }
}

impl Corruption {
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |name: &str, value: f64, expected: &str| Error::Parameter {
            name: name.to_owned(),
            value: value.to_string(),
            expected: expected.to_owned(),
        };
        if !(0.0..=1.0).contains(&self.fraction) {
            return Err(wrong("corrupt", self.fraction, "a share of the entries, from 0 to 1"));
        }
        if !(self.amplitude.is_finite() && self.amplitude >= 0.0) {
            return Err(wrong("amplitude", self.amplitude, "a finite number, at least 0"));
        }
        Ok(())
    }

    pub(super) fn apply(&self, view: &str, matrix: &Matrix) -> Result<Matrix> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ hash_of(view));
        Ok(for_matrix!(matrix, dense m => self.dense(m, &mut rng).into(), sparse m => self.sparse(m, &mut rng)?.into()))
    }

    /// Which samples each view loses: each with the same chance, and one view keeps a sample that all would lose.
    pub(super) fn lost(&self, views: &[View]) -> Vec<Vec<bool>> {
        let samples = views.first().map_or(0, |view| view.data.rows());
        let draw = |view: &View| -> Vec<bool> {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ hash_of(&view.name));
            (0..samples).map(|_| rng.random::<f64>() < self.fraction).collect()
        };
        let mut lost: Vec<Vec<bool>> = views.iter().map(draw).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        for i in 0..samples {
            let keeper = rng.random_range(0..views.len().max(1));
            let knowing: Vec<usize> = (0..views.len()).filter(|&v| !views[v].is_absent(i)).collect();
            if knowing.iter().all(|&v| lost[v][i])
                && let Some(&v) = knowing.get(keeper % knowing.len().max(1))
            {
                lost[v][i] = false;
            }
        }
        lost
    }

    fn draw(&self, entries: usize, rng: &mut ChaCha8Rng) -> Vec<(usize, f64)> {
        let count = (self.fraction * entries as f64).round() as usize;
        let mut places = sample(rng, entries, count).into_vec();
        places.sort_unstable();
        places.into_iter().map(|at| (at, self.amplitude * rng.random_range(-1.0..=1.0))).collect()
    }

    fn dense<T: Real>(&self, m: &Dense<T>, rng: &mut ChaCha8Rng) -> Dense<T> {
        let mut noisy = m.clone();
        let data = noisy.data_mut();
        for (at, noise) in self.draw(data.len(), rng) {
            let kept = if self.mode == CorruptionMode::Add { data[at].to_f64() } else { 0.0 };
            data[at] = T::from_f64(kept + noise);
        }
        noisy
    }

    fn sparse<T: Real>(&self, m: &Csr<T>, rng: &mut ChaCha8Rng) -> Result<Csr<T>> {
        let noise = self.draw(m.rows() * m.cols(), rng);
        let mut entries = Vec::with_capacity(m.nnz() + noise.len());
        let mut coming = noise.iter().map(|&(at, x)| ((at / m.cols(), (at % m.cols()) as u32), x)).peekable();
        for i in 0..m.rows() {
            for (j, x) in m.entries(i).map(|(j, x)| (j as u32, x)) {
                while let Some(&(place, noise)) = coming.peek().filter(|(place, _)| *place < (i, j)) {
                    entries.push((place.0, place.1, T::from_f64(noise)));
                    coming.next();
                }
                let hit = coming.next_if(|(place, _)| *place == (i, j)).map(|(_, noise)| noise);
                let kept = if hit.is_some() && self.mode == CorruptionMode::Replace { 0.0 } else { x.to_f64() };
                entries.push((i, j, T::from_f64(kept + hit.unwrap_or(0.0))));
            }
        }
        entries.extend(coming.map(|((i, j), noise)| (i, j, T::from_f64(noise))));
        Csr::from_entries(m.rows(), m.cols(), entries)
    }
}

/// FNV-1a: a stable number from a view's name, the same on every machine and in every version.
fn hash_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Views;

    #[test]
    fn exactly_the_share_is_hit_and_the_noise_is_in_range() {
        let clean: Matrix = Dense::<f64>::zeros(50, 40).into();
        let Matrix::DenseF64(noisy) = Corruption::default().apply("a", &clean).unwrap() else { panic!() };
        let hit: Vec<f64> = noisy.data().iter().copied().filter(|x| *x != 0.0).collect();
        assert_eq!(hit.len(), 400);
        assert!(hit.iter().all(|x| x.abs() <= 5.0) && hit.iter().any(|x| x.abs() > 4.0));
    }

    #[test]
    fn sparse_and_dense_get_the_same_noise() {
        let dense = Dense::from_fn(20, 10, |i, j| if (i + j) % 4 == 0 { 1.0 } else { 0.0 });
        let sparse = Csr::from_dense(&dense).unwrap();
        for mode in [CorruptionMode::Replace, CorruptionMode::Add] {
            let corruption = Corruption { mode, seed: 3, ..Corruption::default() };
            let Matrix::DenseF64(d) = corruption.apply("v", &dense.clone().into()).unwrap() else { panic!() };
            let Matrix::SparseF64(s) = corruption.apply("v", &sparse.clone().into()).unwrap() else { panic!() };
            assert_eq!(Csr::from_dense(&d).unwrap().values(), s.values());
        }
    }

    #[test]
    fn views_lose_samples_and_every_sample_stays_somewhere() {
        let view = |name: &str| View::new(name, Dense::from_fn(400, 2, |i, j| (i + j) as f64));
        let views = Views::new(vec![view("a"), view("b"), view("c")]).unwrap();
        let loss = Corruption { fraction: 0.7, mode: CorruptionMode::Lose, seed: 4, ..Corruption::default() };
        let found = views.corrupted(&loss).unwrap();
        assert!((0..400).all(|i| found.iter().any(|view| !view.is_absent(i))));
        // 0.7 less the third of 0.7^3 that is kept
        assert!(found.iter().all(|view| (view.absences() as f64 / 400.0 - 0.59).abs() < 0.08));
        let again = views.corrupted(&loss).unwrap();
        assert!(found.iter().zip(&again).all(|(a, b)| a.absent() == b.absent()));
        let more = found.corrupted(&Corruption { seed: 5, ..loss }).unwrap();
        assert!((0..400).all(|i| more.iter().any(|view| !view.is_absent(i))));
        let single = Views::new(vec![view("a")]).unwrap().corrupted(&loss).unwrap();
        assert!(single.is_complete());
    }

    #[test]
    fn views_have_streams_of_their_own() {
        let clean: Matrix = Dense::<f32>::zeros(30, 30).into();
        let draw = |name: &str, seed| match (Corruption { seed, ..Corruption::default() }).apply(name, &clean).unwrap()
        {
            Matrix::DenseF32(m) => m.data().to_vec(),
            _ => panic!(),
        };
        assert_eq!(draw("a", 1), draw("a", 1));
        assert_ne!(draw("a", 1), draw("b", 1));
        assert_ne!(draw("a", 1), draw("a", 2));
    }

    #[test]
    fn a_share_above_one_is_refused() {
        assert!(Corruption { fraction: 1.5, ..Corruption::default() }.check().is_err());
        assert!(Corruption { fraction: f64::NAN, ..Corruption::default() }.check().is_err());
    }
}
