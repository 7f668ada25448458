//! How a run will be made, and what it will take, before it is begun.
//!
//! ```
//! use consilience::plan::{Plan, Size, Way};
//! use consilience::Settings;
//!
//! let size = Size { samples: 1_000_000, views: 3, features: 180, held: 0 };
//! let plan = Plan::new(&size, &Settings::new(20))?;
//! assert_eq!(plan.way, Way::Landmarks);
//! # Ok::<(), consilience::Error>(())
//! ```

use std::fmt;

use serde::Serialize;

use crate::landmarks::{means, most_landmarks};
use crate::method::{Property, Slrmf};
use crate::settings::Landmarks;
use crate::{Error, Hint, MethodInfo, Result, Settings, View, Views};

/// The ways in which a run can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Every sample is compared with every other.
    Exact,
    /// Some samples are clustered in full, and all find their places among them.
    Landmarks,
}

/// What the cost of a run depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Samples.
    pub samples: usize,
    /// Views.
    pub views: usize,
    /// Features of all views together; of sparse ones those of a usual sample that are not zero.
    pub features: usize,
    /// Bytes of the views that are held in memory whatever is done; none when files are read a piece at a time.
    pub held: u64,
}

impl Size {
    /// Of views in memory.
    pub fn of(views: &Views) -> Self {
        let features = |view: &View| view.data.features_per_row();
        Self {
            samples: views.samples(),
            views: views.len(),
            features: views.iter().map(features).sum(),
            held: views.iter().map(|view| view.data.memory()).sum(),
        }
    }
}

/// How a run will be made, and what it is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// How.
    pub way: Way,
    /// Bytes of memory at most.
    pub memory: u64,
    /// Seconds of one processor; none for methods whose time was not measured.
    pub processor_seconds: Option<f64>,
    /// The number of landmarks that memory has room for, where it has not for all that would be tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<usize>,
}

/// Measured with `scripts/score_plan.py` (facts `plan`), in seconds of one processor and in bytes. They are for planning: another
/// processor may be two or three times as fast.
mod measured {
    /// To compare two samples, for each feature, over all searches of a run; and besides the features.
    pub(super) const PAIR: f64 = 1.3e-10;
    pub(super) const PAIR_FEATURES: f64 = 20.0;
    /// To solve for a sample, for each view and column of its factor.
    pub(super) const SOLVE: f64 = 6.0e-6;
    pub(super) const SOLVE_LARGE: f64 = 4.0e-6;
    /// To compare a sample with a mean of landmarks, for each feature and besides them.
    pub(super) const PLACE: f64 = 3.9e-11;
    pub(super) const PLACE_FEATURES: f64 = 870.0;
    /// How often the largest number of landmarks is clustered, counting smaller ones that are tried before it.
    pub(super) const TRIALS: f64 = 2.5;
    /// The share of the work that one thread does alone.
    pub(super) const ALONE: f64 = 0.15;
    /// Memory of a run before it has any sample.
    pub(super) const START: f64 = 40e6;
    /// The program and its threads: few samples take no more.
    pub(super) const PROGRAM: f64 = 30e6;
    /// Samples from which on a run takes all of [`START`].
    pub(super) const MANY: f64 = 2_000.0;
    /// For each sample and view: lists of neighbours and graphs.
    pub(super) const GRAPHS: f64 = 1_200.0;
    /// For each sample and column of a factor: search spaces of eigenvectors and factors.
    pub(super) const COLUMNS: f64 = 100.0;
    /// Copies of the features, as bytes of each.
    pub(super) const FEATURES: f64 = 20.0;
    /// Pieces of files and blocks of comparisons while samples are placed: of each sample, and of many.
    pub(super) const PLACING_EACH: f64 = 1_500.0;
    pub(super) const PLACING: f64 = 110e6;
    /// Matrices of n x n doubles that a method by definition has at least.
    pub(super) const MATRICES: f64 = 3.0;
}

/// Fewer landmarks than this are no picture of the samples.
const LEAST_LANDMARKS: usize = 1_000;
/// Clusters to reckon with where their number is to be chosen.
const UNKNOWN_CLUSTERS: usize = 20;

impl Plan {
    /// How these views will be clustered.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn of(views: &Views, settings: &Settings) -> Result<Self> {
        let size = Size::of(views);
        if settings.landmarks.is_auto() && views.has_affinities() {
            // without features there is nothing by which other samples could be placed among landmarks, and no memory is saved
            return Self::new(&size, &settings.clone().landmarks(Landmarks::Off).memory(None));
        }
        Self::new(&size, settings)
    }

    /// Seconds of the clock on so many threads, where they are known.
    pub fn seconds(&self, threads: usize) -> Option<f64> {
        let share = measured::ALONE + (1.0 - measured::ALONE) / threads.max(1) as f64;
        self.processor_seconds.map(|seconds| seconds * share)
    }

    /// How samples of this size will be clustered. Memory that was given ([`Settings::memory`]) is kept to: where comparing all
    /// samples would not, and nothing else was asked for, the run is made by landmarks.
    ///
    /// # Errors
    /// [`Error::Memory`] when a run would not keep to the memory that was given.
    pub fn new(size: &Size, settings: &Settings) -> Result<Self> {
        let plan = Self::by(usual_way(size.samples, settings), size, settings);
        let Some(most) = settings.memory.filter(|most| plan.memory > *most) else { return Ok(plan) };
        let possible = settings.landmarks.is_auto() && settings.corruption.is_none();
        // as many as there is room for: halves of the number that is tried otherwise
        let counts = std::iter::successors(Some(most_landmarks(size.features)), |count| Some(count / 2));
        let counts = counts.take_while(|count| possible && *count >= LEAST_LANDMARKS);
        for count in counts.filter(|count| *count <= size.samples / 2) {
            let fewer = Self::by(Way::Landmarks, size, &settings.clone().landmarks(Landmarks::Count(count)));
            if fewer.memory <= most {
                return Ok(Self { landmarks: (count < most_landmarks(size.features)).then_some(count), ..fewer });
            }
        }
        if settings.method.info().has(Property::Quadratic) && plan.way != Way::Landmarks {
            // the method knows its matrices, and refuses with their number
            return Ok(plan);
        }
        Err(Error::Memory {
            what: format!("{} samples, {},", size.samples, plan.way),
            needed: plan.memory,
            available: most,
            hint: match plan.way {
                Way::Landmarks => Hint::MemoryOrFewerLandmarks,
                _ if possible => "give more memory, or fewer samples".into(),
                _ => Hint::MemoryOrLandmarks,
            },
        })
    }

    /// The settings of a run that is made so.
    pub fn apply(&self, settings: &Settings) -> Settings {
        match self.landmarks {
            Some(count) => settings.clone().landmarks(Landmarks::Count(count)),
            None => settings.clone(),
        }
    }

    /// What it takes in this way.
    fn by(way: Way, size: &Size, settings: &Settings) -> Self {
        let (memory, processor_seconds) = match way {
            Way::Landmarks => {
                let most = most_landmarks(size.features);
                let count = if let Landmarks::Count(count) = settings.landmarks { count } else { most };
                let some = Size { samples: count.min(size.samples), held: 0, ..*size };
                let (memory, seconds) = in_full(&some, settings);
                let (n, columns) = (size.samples as f64, columns(settings) as f64);
                let compared = n * means(clusters(settings)) as f64;
                let placing = compared * measured::PLACE * (size.features as f64 + measured::PLACE_FEATURES);
                let placed = n * 8.0 * (columns + 3.0) + measured::PLACING.min(n * measured::PLACING_EACH);
                (memory + placed, seconds.map(|seconds| measured::TRIALS * seconds + placing))
            }
            Way::Exact => in_full(size, settings),
        };
        Self { way, memory: memory as u64 + size.held, processor_seconds, landmarks: None }
    }
}

/// How it is done where memory does not matter.
fn usual_way(samples: usize, settings: &Settings) -> Way {
    let possible = settings.corruption.is_none() || !settings.landmarks.is_auto();
    if possible && settings.landmarks.apply(samples) { Way::Landmarks } else { Way::Exact }
}

/// Clusters to reckon with.
fn clusters(settings: &Settings) -> usize {
    settings.choose.map_or(settings.clusters, |_| UNKNOWN_CLUSTERS)
}

/// Columns of a factor.
fn columns(settings: &Settings) -> usize {
    Slrmf::default().extra_rank + clusters(settings)
}

/// Bytes and seconds of a run that clusters all samples at once.
fn in_full(size: &Size, settings: &Settings) -> (f64, Option<f64>) {
    let (n, features) = (size.samples as f64, size.features as f64);
    let (views, columns) = (size.views as f64, columns(settings) as f64);
    let info: &MethodInfo = settings.method.info();
    let quadratic = if info.has(Property::Quadratic) { measured::MATRICES * 8.0 * n * n } else { 0.0 };
    let solve = if size.samples > Slrmf::LARGE { measured::SOLVE_LARGE } else { measured::SOLVE };
    let held = measured::FEATURES * features + measured::GRAPHS * views + measured::COLUMNS * columns;
    let share = (n / measured::MANY).min(1.0);
    let start = measured::PROGRAM + (measured::START - measured::PROGRAM) * share;
    let memory = start + n * held + quadratic;
    let searching = n * n * measured::PAIR * (features + measured::PAIR_FEATURES);
    // other methods and choosing k take times of their own
    let timed = info.id == Settings::new(1).method.info().id && settings.choose.is_none();
    (memory, timed.then_some(searching + n * views * columns * solve))
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "all compared with each other",
            Self::Landmarks => "by landmarks",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: Size = Size { samples: 1_000_000, views: 3, features: 180, held: 0 };
    const SOME: Size = Size { samples: 40_000, ..MANY };

    #[test]
    fn the_way_is_the_one_that_is_asked_for() {
        let way = |size: &Size, settings: Settings| Plan::new(size, &settings).unwrap().way;
        let asked = || Settings::new(20);
        assert_eq!(way(&SOME, asked()), Way::Exact);
        assert_eq!(way(&SOME, asked().landmarks(Landmarks::Count(5000))), Way::Landmarks);
        assert_eq!(way(&MANY, asked()), Way::Landmarks);
        assert_eq!(way(&MANY, asked().landmarks(Landmarks::Off)), Way::Exact);
    }

    #[test]
    fn too_little_memory_leads_to_landmarks_or_is_refused_with_numbers() {
        let exact = Plan::new(&SOME, &Settings::new(20)).unwrap();
        let little = Settings::new(20).memory(exact.memory - 1);
        let fewer = Plan::new(&SOME, &little).unwrap();
        assert_eq!((fewer.way, fewer.landmarks), (Way::Landmarks, None));
        let least = Plan::new(&SOME, &little.clone().memory(fewer.memory - 1)).unwrap();
        assert_eq!((least.way, least.landmarks), (Way::Landmarks, Some(10_000)));
        assert!(least.memory < fewer.memory);
        assert_eq!(Plan::new(&SOME, &Settings::new(20).memory(exact.memory)).unwrap(), exact);
        let refused = |settings: &Settings| Plan::new(&SOME, settings).unwrap_err();
        let off = refused(&little.clone().landmarks(Landmarks::Off));
        assert!(off.to_string().starts_with("40000 samples, all compared with each other, need "), "{off}");
        assert_eq!(off.hint(), Some(Hint::MemoryOrLandmarks));
        assert!(refused(&little.memory(20_000_000)).to_string().ends_with("but only 20 MB may be used"));
        let few = Size { samples: 2_000, ..MANY };
        let told = Plan::new(&few, &Settings::new(20).memory(1_000_000)).unwrap_err().to_string();
        assert!(told.ends_with(" MB of memory, but only 1 MB may be used"), "{told}");
    }

    #[test]
    fn more_samples_take_more_and_landmarks_least() {
        let plan = |samples: usize, landmarks: Landmarks| {
            Plan::new(&Size { samples, ..MANY }, &Settings::new(20).landmarks(landmarks)).unwrap()
        };
        let (full, few) = (plan(1_000_000, Landmarks::Off), plan(1_000_000, Landmarks::Auto));
        assert!(few.memory < full.memory / 4 && few.processor_seconds < full.processor_seconds);
        assert!(plan(500_000, Landmarks::Off).memory < full.memory);
        // what has n x n numbers says so
        let quadratic = Settings::with_method(20, "rlrr", &[]).unwrap().landmarks(Landmarks::Off);
        assert!(Plan::new(&SOME, &quadratic).unwrap().memory > 30_000_000_000);
    }

    #[test]
    fn affinities_are_clustered_whole_whatever_the_memory() {
        // a path of more samples than are compared where there are features, as sparse affinities
        let n = crate::settings::MOST_COMPARED + 1;
        let edges = (0..n - 1).flat_map(|i| [(i, i as u32 + 1, 1.0), (i + 1, i as u32, 1.0)]).collect();
        let path = View::new("path", crate::matrix::Csr::from_entries(n, n, edges).unwrap());
        let views = Views::new(vec![path.precomputed(crate::views::Precomputed::Affinity).unwrap()]).unwrap();
        let settings = Settings::new(3).memory(1_000_000);
        assert_eq!(Plan::of(&views, &settings).unwrap().way, Way::Exact);
    }

    #[test]
    fn threads_share_most_of_the_work() {
        let plan = Plan { way: Way::Exact, memory: 0, processor_seconds: Some(100.0), landmarks: None };
        assert_eq!(plan.seconds(1), Some(100.0));
        assert!(plan.seconds(2).is_some_and(|seconds| seconds > 50.0 && seconds < 60.0));
        assert_eq!(Plan { processor_seconds: None, ..plan }.seconds(2), None);
    }
}
