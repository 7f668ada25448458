//! The whole of it: check -> scale -> graphs -> solve -> embed -> assign. Read this file first.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::choose::{KChoice, choose_k};
use crate::copies::Copies;
use crate::matrix::Dense;
use crate::memberships::Memberships;
use crate::memory::MemoryLimit;
use crate::method::{Labelling, Problem, Property, Solved};
use crate::model::{Clustering, Fitted};
use crate::operator::{EigenPairs, LinOp, TopEigen};
use crate::pairing::warn_of_unrelated_views;
use crate::parameters::Value;
use crate::record::{RunRecord, ViewRecord, peak_memory_mb};
use crate::run::Warning;
use crate::spectral::{KMeans, embed};
use crate::states::VerdictRecord;
use crate::tree::{Tree, centre_distances, rather_one, ties};
use crate::views::{raw_counts, suspicious_zero_rows};
use crate::{CorruptionMode, Error, Hint, Result, Run, Settings, Stage, Termination, Views};

/// The embedding and the eigen-solver's search space together must not take more than this.
const MOST_EMBEDDING_BYTES: u64 = 8 << 30;

/// The number of clusters is not chosen among fewer samples that differ.
const LEAST_TO_CHOOSE: usize = 20;

/// Pairs of clusters that would rather be one are named up to this number.
const MOST_PAIRS: usize = 3;

/// From this share of copies on each kind is one point: a few fill no neighbour lists.
const MANY_COPIES: f64 = 0.02;

/// What methods that stop by themselves call the parameter that stops them earlier.
const LIMIT: &str = "max_iterations";

/// Does `work` on as many threads as were asked for.
pub(crate) fn in_pool<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    // a browser has one thread, and that one is there
    let Some(threads) = threads.filter(|_| cfg!(not(target_family = "wasm"))) else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::data(format!("{threads} threads could not be started: {error}")))?;
    pool.install(work)
}

/// Clusters `views`, all samples at once.
pub(crate) fn cluster_all(views: &Views, settings: &Settings, run: &Run) -> Result<Clustering> {
    match settings.choose {
        Some(range) => range.of(views.samples()).map(|_| ()),
        None => check_clusters(settings.clusters, views.samples()),
    }?;
    let lossy = settings.corruption.filter(|corruption| corruption.mode == CorruptionMode::Lose);
    let reduced = lossy.map(|loss| views.corrupted(&loss)).transpose()?;
    let views = reduced.as_ref().unwrap_or(views);
    settings.method.info().check_complete(views)?;
    settings.method.info().check_features(views)?;
    let weights = settings.weights.as_ref().map(|given| given.of(views, settings.method.info())).transpose()?;
    steps(views, settings, weights.as_deref(), run)
}

fn check_clusters(k: usize, n: usize) -> Result<()> {
    let why = if k < 1 {
        "at least 1 is needed".to_owned()
    } else if k > n {
        format!("there are only {n} samples")
    } else if (k as u64).saturating_mul(n as u64) > MOST_EMBEDDING_BYTES / 48 {
        format!("the embedding of {n} samples would then take {} GB", k as u64 * n as u64 * 48 / 1_000_000_000)
    } else {
        return Ok(());
    };
    Err(Error::Clusters { k, why })
}

fn steps(views: &Views, settings: &Settings, weights: Option<&[f64]>, run: &Run) -> Result<Clustering> {
    run.enter(Stage::Prepare);
    for view in views.iter().filter(|view| view.absent().is_some()) {
        run.warn(Warning::MissingSamples { view: view.name.clone(), samples: view.absences() });
    }
    for view in views.iter().filter(|view| view.was_averaged()) {
        run.warn(Warning::AveragedAffinity { view: view.name.clone() });
    }
    let compact = views.compacted();
    let scalers = compact.fit_scalers(settings.scale);
    let mut prepared = compact.transformed(&scalers)?;
    drop(compact);
    check_sizes(&prepared)?;
    // samples are lost before scaling, noise comes after it
    if let Some(corruption) = settings.corruption.as_ref().filter(|corruption| corruption.mode != CorruptionMode::Lose)
    {
        prepared = prepared.corrupted(corruption)?;
    }

    let copies = copies(&prepared, settings);
    if let Some(copies) = &copies {
        prepared = prepared.select(&copies.firsts)?;
    }
    let mut problem = Problem {
        views: &prepared,
        clusters: settings.clusters,
        seed: settings.seed,
        restarts: settings.restarts,
        counts: copies.as_ref().map(|copies| copies.counts.as_slice()),
        weights,
        neighbours: settings.neighbour_search(),
        memory: MemoryLimit::new(settings.memory),
        run,
    };
    let choice = settings.choose.map(|range| choose_k(&problem, settings.method.as_ref(), range)).transpose()?;
    let clusters = choice.as_ref().map_or(settings.clusters, KChoice::clusters);
    let settings = &Settings { clusters, choose: None, ..settings.clone() };
    problem.clusters = clusters;
    warn_of_equal_samples(views, clusters, run);
    if clusters > 1 && !run.is_nested() {
        warn_of_values(views, run);
        warn_of_unrelated_views(&problem, settings.method.as_ref())?;
    }
    let made_graphs = settings.method.views_used(&prepared)?.iter().any(|view| !view.is_affinity());
    let mut consensus = settings.method.solve(&problem)?;
    consensus.termination = judged(consensus.termination, settings, run);
    let solved = std::mem::replace(&mut consensus.solved, Solved::Affinity);
    let mut found = finish(solved, &consensus.affinity, settings, &problem)?;
    let k = found.centres.rows();
    let distances = centre_distances(&prepared, &found.labels, k);
    drop(prepared);
    let mut memberships = match &consensus.memberships {
        Some(shares) => Memberships::new(shares, &found.labels),
        None => Memberships::by_ties(consensus.affinity.as_ref(), &found.labels, k),
    };
    if let Some(copies) = &copies {
        run.warn(copies.warning());
        found.labels = copies.of.iter().map(|&place| found.labels[place]).collect();
        found.embedding = found.embedding.select_rows(&copies.of);
        memberships = memberships.copied(&copies.of, &found.labels)?;
        copies.spread_findings(&mut consensus.findings);
        consensus.affinity = copies.spread_affinity(consensus.affinity);
        consensus.spreads.clear();
    }
    let mut sizes = vec![0; k];
    found.labels.iter().for_each(|&label| sizes[label] += 1);
    let ties = ties(consensus.affinity.as_ref(), &found.labels, k);
    let stability = consensus.findings.readings.as_ref().and_then(|readings| readings.stability.as_ref());
    let pairs = rather_one(&ties, stability.map_or(&[], |stability| &stability.by_cluster));
    pairs
        .into_iter()
        .take(MOST_PAIRS)
        .for_each(|(a, b, share)| run.warn(Warning::RatherOne { clusters: (a, b), share }));
    let tree = Tree::new(&ties, &distances, sizes);

    let (seconds, warnings) = run.finish();
    let view_weights = &consensus.view_weights;
    let record = RunRecord {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: settings.clone(),
        n: views.samples(),
        views: views.iter().zip(view_weights).map(|(view, weight)| ViewRecord::new(view, *weight)).collect(),
        ids: None,
        notes: Vec::new(),
        choice,
        by_landmarks: None,
        labels: found.labels,
        tree,
        splits: Vec::new(),
        scores: None,
        eigenvalues: found.eigenvalues,
        // of given affinities no graph was made
        graph: consensus.graph.filter(|_| made_graphs),
        termination: consensus.termination,
        findings: consensus.findings,
        markers: Vec::new(),
        verdict: VerdictRecord::default(),
        clusters: Vec::new(),
        seconds,
        peak_rss_mb: peak_memory_mb(),
        warnings,
    };
    // noise is on what was compared, and on no other samples
    let spreads = if settings.corruption.is_some() { BTreeMap::new() } else { consensus.spreads };
    let fitted = Fitted { scalers, embedding: found.embedding, centres: found.centres, spreads };
    Ok(Clustering { record, fitted, affinity: consensus.affinity, memberships, landmarks: None })
}

/// Samples that are the same in every view, where enough are left for the clusters without them.
fn copies(views: &Views, settings: &Settings) -> Option<Copies> {
    let least = settings.choose.as_ref().map_or(settings.clusters, |_| LEAST_TO_CHOOSE);
    let many = |copies: &Copies| (views.samples() - copies.firsts.len()) as f64 >= MANY_COPIES * views.samples() as f64;
    Copies::of(views).filter(|copies| copies.firsts.len() > least && many(copies))
}

/// What nothing can tell apart is not clustered in silence.
fn warn_of_equal_samples(views: &Views, clusters: usize, run: &Run) {
    if clusters == 1 {
        return;
    }
    for view in views.iter().filter(|view| view.known().data.distinct_rows(1) == 1) {
        run.warn(Warning::ConstantView { view: view.name.clone() });
    }
    let distinct = views.distinct_samples(clusters);
    if distinct < clusters {
        run.warn(Warning::IndistinctSamples { distinct, asked: clusters });
    }
}

/// Samples that were not measured are often written as zeros, and would be a cluster of their own; raw counts tell how much was
/// measured.
fn warn_of_values(views: &Views, run: &Run) {
    for view in views.iter().filter(|view| !view.is_affinity()) {
        let known = view.known();
        let samples = suspicious_zero_rows(&known.data);
        if samples > 0 {
            run.warn(Warning::ZeroRows { view: view.name.clone(), samples });
        }
        if let Some(spread) = raw_counts(&known.data) {
            run.warn(Warning::RawCounts { view: view.name.clone(), spread });
        }
    }
}

/// Methods tell themselves when they are far from their stopping rule. A limit that ended one earlier is told all the same, unless
/// it is the default, or more, of a method that is known to need no more ([`Property::Budget`]): then it is an early stop by design.
/// Methods that make a number of iterations without a stopping rule call it otherwise.
fn judged(end: Termination, settings: &Settings, run: &Run) -> Termination {
    let Termination::IterationLimit { iterations } = end else { return end };
    let info = settings.method.info();
    let parameters = (info.parameters)();
    let Some(limit) = parameters.iter().find(|parameter| parameter.name == LIMIT) else { return end };
    let is_enough = matches!(limit.default, Value::Integer(enough) if iterations as i64 >= enough);
    if info.has(Property::Budget) && is_enough {
        return Termination::EarlyStop { iterations };
    }
    if !run.warned("not_converged") {
        let told = format!("`{}` was ended by {LIMIT} = {iterations} before its stopping rule was met", info.id);
        run.warn(Warning::not_converged(told));
    }
    end
}

/// Squared distances must be numbers: scaling sees to it, unless it was switched off.
fn check_sizes(views: &Views) -> Result<()> {
    const COMPARABLE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;
    for view in views.iter().filter(|view| !view.is_affinity()) {
        let largest = view.data.largest();
        if largest > 0.0 && !COMPARABLE.contains(&largest) {
            return Err(Error::data_with_hint(
                format!("{}: its largest value is {largest:e}, whose square is no ordinary number", view.describe()),
                Hint::Scale,
            ));
        }
    }
    Ok(())
}

/// The rest of the way from what the method has to labels.
fn finish(solved: Solved, affinity: &Arc<dyn LinOp>, settings: &Settings, problem: &Problem<'_>) -> Result<Labelling> {
    let run = problem.run;
    run.enter(Stage::Solve);
    let (embedding, eigenvalues) = match solved {
        Solved::Labels(labelling) => {
            warn_of_empty_clusters(&labelling.labels, settings.clusters, run);
            return Ok(labelling);
        }
        Solved::Embedding { points, eigenvalues } => (points, eigenvalues),
        Solved::Eigenvectors(found) => with_values(found),
        Solved::Affinity => {
            let request = TopEigen::for_labels(settings.clusters, settings.seed);
            with_values(request.solve_or_warn(affinity.as_ref(), None, run)?)
        }
    };
    run.enter(Stage::Assign);
    assign(embedding, eigenvalues, settings, problem)
}

/// The points of eigenvectors, and the eigenvalues that are known: a drop after the k-th is seen from beyond it.
fn with_values(found: EigenPairs) -> (Dense<f64>, Vec<f64>) {
    let values = found.known_values();
    (embed(found.vectors), values)
}

fn assign(
    embedding: Dense<f64>,
    eigenvalues: Vec<f64>,
    settings: &Settings,
    problem: &Problem<'_>,
) -> Result<Labelling> {
    let run = problem.run;
    run.check()?;
    if settings.clusters == embedding.rows() {
        let labels = (0..embedding.rows()).collect();
        return Ok(Labelling { labels, centres: embedding.clone(), embedding, eigenvalues });
    }
    let kmeans = KMeans { restarts: settings.restarts, seed: settings.seed, ..KMeans::new(settings.clusters) };
    let fit = kmeans.fit_weighted(&embedding, &problem.sample_weights(), run)?;
    warn_of_empty_clusters(&fit.labels, settings.clusters, run);
    Ok(Labelling { labels: fit.labels, centres: fit.centres, embedding, eigenvalues })
}

fn warn_of_empty_clusters(labels: &[usize], asked: usize, run: &Run) {
    let found = labels.iter().max().map_or(0, |last| last + 1);
    if found < asked {
        run.warn(Warning::EmptyClusters { found, asked });
    }
}
