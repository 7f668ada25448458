//! What a page can ask, as JSON.

use std::path::PathBuf;

use consilience::choose::KRange;
use consilience::settings::{GivenWeights, Landmarks};
use consilience::{Result, Scale, Settings};
use consilience_io::Inputs;
use serde::Deserialize;

/// A question.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Asked {
    /// What there is to choose from: methods, ways to join, formats.
    About,
    /// The files of the made-up example.
    Example,
    /// What each of these files holds.
    Look {
        /// The files, and how they are read.
        inputs: Inputs,
    },
    /// To cluster.
    Fit(Box<Fit>),
    /// To examine what was clustered last, and make the report of it.
    Examine {
        /// A table about the samples, shown beside them.
        about: Option<PathBuf>,
    },
    /// Which clusters are one at another level of the tree.
    Cut {
        /// Clusters that are left.
        clusters: usize,
    },
    /// The places of new samples.
    Place {
        /// The files, and how they are read.
        inputs: Inputs,
        /// The file of a model; that of the last run when there is none.
        model: Option<PathBuf>,
    },
    /// One of the files that came out.
    File {
        /// Its name: as in a run's folder, `run.zip`, or `predictions.csv`.
        name: String,
    },
}

/// What to cluster, and how.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fit {
    /// The files, and how they are read.
    pub(crate) inputs: Inputs,
    /// A number, a range, or `auto`.
    clusters: String,
    method: String,
    /// Parameters of the method that are not its defaults, as they are typed.
    #[serde(default)]
    parameters: Vec<(String, String)>,
    #[serde(default)]
    weights: Vec<(String, f64)>,
    scale: Scale,
    seed: u64,
    #[serde(default)]
    landmarks: Landmarks,
}

impl Fit {
    /// What is asked of the run.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let weights = (!self.weights.is_empty()).then(|| GivenWeights::new(self.weights.clone())).transpose()?;
        let words = self.clusters.trim();
        let (clusters, choose) = match words.parse::<usize>() {
            Ok(clusters) => (clusters, None),
            Err(_) => (1, Some(words.parse::<KRange>()?)),
        };
        Ok(Settings::with_method(clusters, &self.method, &self.parameters)?
            .choose(choose)
            .weights(weights)
            .scale(self.scale)
            .landmarks(self.landmarks)
            .seed(self.seed))
    }
}
