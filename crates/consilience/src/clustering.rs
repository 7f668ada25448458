//! What a run found, and its record for `run.json`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::matrix::Dense;
use crate::method::Findings;
use crate::metrics::Scores;
use crate::operator::LinOp;
use crate::{Scale, Seconds, Stop, View};

/// A finished clustering.
pub struct Clustering {
    /// The method's id.
    pub method: &'static str,
    /// Its parameters as they were set.
    pub parameters: Vec<(&'static str, Value)>,
    /// The views it saw, with the weight each had.
    pub views: Vec<ViewRecord>,
    /// Number of clusters asked for.
    pub clusters: usize,
    /// Seed.
    pub seed: u64,
    /// Scaling asked for.
    pub scale: Scale,
    /// The cluster of every sample, 0.. in the order of first appearance.
    pub labels: Vec<usize>,
    /// What k-means saw: eigenvectors with rows of unit length (n x clusters), or the method's own points (n x any).
    pub embedding: Dense<f64>,
    /// The affinity's largest eigenvalues; a drop after the k-th speaks for k clusters. Empty for methods that need none.
    pub eigenvalues: Vec<f64>,
    /// The normalised affinity the views agreed on.
    pub affinity: Arc<dyn LinOp>,
    /// How the method ended.
    pub stop: Stop,
    /// What else the method found: trace, agreement, corruption.
    pub findings: Findings,
    /// Where the time went.
    pub seconds: Seconds,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A view as a run saw it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ViewRecord {
    /// Its name.
    pub name: String,
    /// Number of features.
    pub d: usize,
    /// Its weight in the consensus; the weights sum to 1.
    pub weight: f64,
}

impl ViewRecord {
    pub(crate) fn new(view: &View, weight: f64) -> Self {
        Self { name: view.name.clone(), d: view.data.cols(), weight }
    }
}

/// The account of a run that `--json` prints and `run.json` keeps.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// Version of consilience.
    pub version: &'static str,
    /// The method's id.
    pub method: &'static str,
    /// Number of samples.
    pub n: usize,
    /// Number of clusters asked for.
    pub k: usize,
    /// Seed.
    pub seed: u64,
    /// Scaling asked for.
    pub scale: &'static str,
    /// The views.
    pub views: Vec<ViewRecord>,
    /// The method's parameters.
    pub parameters: Map<String, Value>,
    /// The cluster of every sample.
    pub labels: Vec<usize>,
    /// Scores against the truth, when there was one.
    pub scores: Option<Scores>,
    /// The affinity's largest eigenvalues.
    pub eigenvalues: Vec<f64>,
    /// How the method ended.
    pub stop: Stop,
    /// Trace, agreement of the views, corruption found.
    pub findings: Findings,
    /// Where the time went.
    pub seconds: Seconds,
    /// Most memory the process held, in MB; unknown outside Linux.
    pub peak_rss_mb: Option<f64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Clustering {
    /// The affinity averaged over blocks of samples: entry `(a, b)` is the mean affinity between the samples of
    /// `blocks[a]` and those of `blocks[b]`. It is what a heat map of any number of samples is drawn from; samples
    /// sorted by label and cut into equal blocks show the clusters.
    pub fn block_averages(&self, blocks: &[Vec<usize>]) -> Dense<f64> {
        // a few blocks at a time: the memory stays small for any number of them
        const AT_ONCE: usize = 32;
        let n = self.labels.len();
        let mut averages = Dense::zeros(blocks.len(), blocks.len());
        for (group, some) in blocks.chunks(AT_ONCE).enumerate() {
            let mut inside = Dense::zeros(n, some.len());
            for (b, block) in some.iter().enumerate() {
                for &sample in block.iter().filter(|&&sample| sample < n) {
                    inside.data_mut()[sample * some.len() + b] = 1.0 / block.len() as f64;
                }
            }
            let mut image = Dense::zeros(n, some.len());
            self.affinity.apply(&inside, &mut image);
            for (a, block) in blocks.iter().enumerate() {
                let row = &mut averages.data_mut()[a * blocks.len() + group * AT_ONCE..][..some.len()];
                for &sample in block.iter().filter(|&&sample| sample < n) {
                    row.iter_mut().zip(image.row(sample)).for_each(|(sum, x)| *sum += x / block.len() as f64);
                }
            }
        }
        averages
    }

    /// The account of this run. `load` is the time spent reading files before it.
    pub fn record(&self, scores: Option<Scores>, load: f64) -> Record {
        let seconds = Seconds { load: self.seconds.load + load, total: self.seconds.total + load, ..self.seconds };
        Record {
            version: env!("CARGO_PKG_VERSION"),
            method: self.method,
            n: self.labels.len(),
            k: self.clusters,
            seed: self.seed,
            scale: self.scale.name(),
            views: self.views.clone(),
            parameters: self.parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
            labels: self.labels.clone(),
            scores,
            eigenvalues: self.eigenvalues.clone(),
            stop: self.stop.clone(),
            findings: self.findings.clone(),
            seconds,
            peak_rss_mb: peak_memory_mb(),
            warnings: self.warnings.clone(),
        }
    }
}

/// The high-water mark of the process's memory, as Linux keeps it.
pub fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use crate::data::Blobs;
    use crate::{Settings, cluster};

    #[test]
    fn blocks_of_clusters_are_bright_on_the_diagonal() {
        let blobs = Blobs { samples: 90, clusters: 3, features: vec![5, 6], separation: 12.0, seed: 1 };
        let result = cluster(&blobs.generate().unwrap().0, &Settings::new(3).unwrap()).unwrap();
        let of = |label| (0..90).filter(|&i| result.labels[i] == label).collect();
        let averages = result.block_averages(&[of(0), of(1), of(2)]);
        for a in 0..3 {
            for b in (0..3).filter(|&b| b != a) {
                assert!(averages.get(a, a) > 10.0 * averages.get(a, b).abs());
            }
        }
    }
}
