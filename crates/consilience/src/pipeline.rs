//! The whole of it: check -> scale -> graphs -> solve -> embed -> assign. Read this file first.

use std::sync::Arc;

use crate::clustering::{Clustering, ViewRecord};
use crate::method::{Consensus, DEFAULT_METHOD, Method, MethodInfo, Problem};
use crate::operator::{EigenPairs, TopEigen};
use crate::spectral::{KMeans, embed};
use crate::{Corruption, Error, MemoryLimit, Result, Run, Scale, Stage, Views};

/// The embedding and the eigen-solver's search space together must not take more than this.
const MOST_EMBEDDING_BYTES: usize = 8 << 30;

/// Everything about a run that is not the data: which method, how many clusters, how the views are prepared.
#[derive(Clone)]
pub struct Settings {
    /// Number of clusters.
    pub clusters: usize,
    /// The method with its parameters.
    pub method: Arc<dyn Method>,
    /// How the views are scaled.
    pub scale: Scale,
    /// Noise put on the scaled views, for experiments.
    pub corruption: Option<Corruption>,
    /// Seed of everything random.
    pub seed: u64,
    /// k-means restarts; the best is kept.
    pub restarts: usize,
    /// Threads; all cores when `None`. The result does not depend on it.
    pub threads: Option<usize>,
    /// The most memory in bytes that a method which is n x n by definition may take; what is free when `None`.
    pub memory: Option<u64>,
}

impl Settings {
    /// The default method, to find `clusters` clusters.
    ///
    /// # Errors
    /// Never for the shipped registry: the default method builds without settings.
    pub fn new(clusters: usize) -> Result<Self> {
        Self::with_method(clusters, DEFAULT_METHOD, &[])
    }

    /// The method called `id`, with `name, value` pairs set.
    ///
    /// # Errors
    /// When the method or a parameter is unknown, or a value not allowed.
    pub fn with_method(clusters: usize, id: &str, parameters: &[(String, String)]) -> Result<Self> {
        let method = Arc::from((MethodInfo::named(id)?.build)(parameters)?);
        let scale = Scale::Auto;
        Ok(Self { clusters, method, scale, corruption: None, seed: 0, restarts: 10, threads: None, memory: None })
    }
}

/// Clusters `views`.
///
/// # Errors
/// When the settings do not fit the data. Not converging is no error: see [`Clustering::warnings`].
pub fn cluster(views: &Views, settings: &Settings) -> Result<Clustering> {
    cluster_observed(views, settings, &Run::default())
}

/// Clusters `views` while `run` watches and can stop it.
///
/// # Errors
/// As [`cluster`], and [`Error::Cancelled`].
pub fn cluster_observed(views: &Views, settings: &Settings, run: &Run) -> Result<Clustering> {
    check_clusters(settings.clusters, views.samples())?;
    let threads = settings.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::data(format!("{threads} threads could not be started: {error}")))?;
    pool.install(|| steps(views, settings, run))
}

fn check_clusters(k: usize, n: usize) -> Result<()> {
    let why = if k < 1 {
        "at least 1 is needed".to_owned()
    } else if k > n {
        format!("there are only {n} samples")
    } else if k.saturating_mul(n) > MOST_EMBEDDING_BYTES / 48 {
        format!("the embedding of {n} samples would then take {} GB", k * n * 48 / 1_000_000_000)
    } else {
        return Ok(());
    };
    Err(Error::Clusters { k, why })
}

fn steps(views: &Views, settings: &Settings, run: &Run) -> Result<Clustering> {
    run.enter(Stage::Prepare);
    let mut prepared = views.compacted()?.scaled(settings.scale)?;
    if let Some(corruption) = &settings.corruption {
        prepared = prepared.corrupted(corruption)?;
    }

    let memory = MemoryLimit::new(settings.memory);
    let problem = Problem { views: &prepared, clusters: settings.clusters, seed: settings.seed, memory, run };
    let consensus = settings.method.solve(&problem)?;

    run.enter(Stage::Solve);
    let (embedding, eigenvalues) = match &consensus {
        Consensus { embedding: Some(points), eigen, .. } => {
            (points.clone(), eigen.as_ref().map(|eigen| eigen.values.clone()).unwrap_or_default())
        }
        _ => {
            let eigen = eigenvectors(&consensus, settings, run)?;
            (embed(&eigen.vectors), eigen.values)
        }
    };

    run.enter(Stage::Assign);
    let labels = assign(&embedding, settings, run)?;

    let (seconds, warnings) = run.finish();
    Ok(Clustering {
        method: settings.method.info().id,
        parameters: settings.method.parameters(),
        views: views.iter().zip(&consensus.view_weights).map(|(view, weight)| ViewRecord::new(view, *weight)).collect(),
        clusters: settings.clusters,
        seed: settings.seed,
        scale: settings.scale,
        labels,
        embedding,
        eigenvalues,
        affinity: Arc::clone(&consensus.affinity),
        stop: consensus.stop,
        findings: consensus.findings,
        seconds,
        warnings,
    })
}

fn eigenvectors(consensus: &Consensus, settings: &Settings, run: &Run) -> Result<EigenPairs> {
    if let Some(eigen) = &consensus.eigen {
        return Ok(eigen.clone());
    }
    let request = TopEigen::for_labels(settings.clusters, settings.seed);
    request.solve_telling(consensus.affinity.as_ref(), None, run)
}

fn assign(embedding: &crate::matrix::Dense<f64>, settings: &Settings, run: &Run) -> Result<Vec<usize>> {
    run.check()?;
    if settings.clusters == embedding.rows() {
        return Ok((0..embedding.rows()).collect());
    }
    let kmeans = KMeans { restarts: settings.restarts, seed: settings.seed, ..KMeans::new(settings.clusters) };
    let labels = kmeans.fit_observed(embedding, run)?.labels;
    let found = labels.iter().max().map_or(0, |last| last + 1);
    if found < settings.clusters {
        run.warn(format!(
            "only {found} of {} clusters are not empty: too many samples look the same",
            settings.clusters
        ));
    }
    Ok(labels)
}
