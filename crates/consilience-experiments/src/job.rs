//! A plan multiplied out: one job per run, complete in itself, with a key that says which run it is.

use std::collections::HashSet;
use std::path::PathBuf;

use consilience::{Corruption, Error, MethodInfo, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::{Facts, Opened, hexadecimal};
use crate::plan::{DataSet, Keep, Limits, MethodPlan, Noise, Plan, mode};

/// One run, with everything needed to do it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Which run this is: a hash of all that decides its result.
    pub key: String,
    /// The data.
    pub data: SetJob,
    /// The method's id.
    pub method: String,
    /// The method's name in tables.
    pub label: String,
    /// The parameters that the plan sets.
    pub set: Vec<(String, String)>,
    /// The noise; none on clean data.
    pub noise: Option<NoiseJob>,
    /// Draw of the noise.
    pub draw: u64,
    /// Seed of the method.
    pub seed: u64,
    /// What to keep besides scores.
    pub keep: Keep,
}

/// The data of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetJob {
    /// Its name in tables.
    pub name: String,
    /// Its file; none for the digits inside the program.
    pub file: Option<PathBuf>,
    /// SHA-256 of the file.
    pub sha256: String,
    /// File with the samples to use.
    pub subset: Option<PathBuf>,
    /// Number of samples.
    pub n: usize,
    /// Clusters to find.
    pub k: usize,
    /// The views by name, with their numbers of features.
    pub views: Vec<(String, usize)>,
    /// Scaling.
    pub scale: String,
}

/// The noise of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseJob {
    /// Share of the entries.
    pub share: f64,
    /// `add` or `replace`.
    pub mode: String,
    /// Half the width.
    pub amplitude: f64,
}

impl NoiseJob {
    /// For the library, at a draw.
    pub(crate) fn corruption(&self, draw: u64) -> Result<Corruption> {
        Ok(Corruption { fraction: self.share, mode: mode(&self.mode)?, seed: draw, amplitude: self.amplitude })
    }
}

/// A job and what it may take.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The run.
    pub job: Job,
    /// Its limits.
    pub limits: Limits,
}

/// A set that is not there, as the tables will show it.
#[derive(Debug, Clone)]
pub struct Absent {
    /// The set.
    pub set: String,
    /// Scaling that it would have had.
    pub scale: String,
    /// What is missing.
    pub why: String,
}

/// Every run of the plan, in the order of its tables, and the sets that are absent.
///
/// # Errors
/// When two conditions of the plan are the same.
pub fn expand(plan: &Plan, opened: &[Opened]) -> Result<(Vec<Planned>, Vec<Absent>)> {
    let (mut jobs, mut absent) = (Vec::new(), Vec::new());
    for (set, opened) in plan.sets.iter().zip(opened) {
        let facts = match opened {
            Opened::Ready(facts) => facts,
            Opened::Absent(why) => {
                let scale = set.scale.name().to_owned();
                absent.push(Absent { set: set.name.clone(), scale, why: why.clone() });
                continue;
            }
        };
        for noise in plan.noise.iter().filter(|noise| meets(noise.data.as_ref(), &set.name)) {
            for method in plan.methods.iter().filter(|method| meets(method.data.as_ref(), &set.name)) {
                jobs.extend(repeats(plan, set, facts, noise, method)?);
            }
        }
    }
    let mut keys = HashSet::new();
    match jobs.iter().find(|planned: &&Planned| !keys.insert(planned.job.key.clone())) {
        None => Ok((jobs, absent)),
        Some(Planned { job, .. }) => {
            let what = format!("the plan makes the same run twice: {} on {}", job.label, job.data.name);
            Err(Error::data_with_hint(what, "two [[noise]] tables have the same condition for the same data"))
        }
    }
}

/// Whether a condition or a method that names `data` has to do with `set`.
pub(crate) fn meets(data: Option<&Vec<String>>, set: &String) -> bool {
    data.is_none_or(|names| names.contains(set))
}

fn repeats(plan: &Plan, set: &DataSet, facts: &Facts, noise: &Noise, method: &MethodPlan) -> Result<Vec<Planned>> {
    // a method may be held to fewer repeats than the condition has, never to others
    let within = |all: &[u64], held: &Option<Vec<u64>>| -> Vec<u64> {
        all.iter().copied().filter(|number| held.as_ref().is_none_or(|held| held.contains(number))).collect()
    };
    let data = SetJob {
        name: set.name.clone(),
        file: set.file.clone(),
        sha256: facts.sha256.clone(),
        subset: set.subset.clone(),
        n: facts.n,
        k: facts.clusters,
        views: facts.views.clone(),
        scale: set.scale.name().to_owned(),
    };
    let mut jobs = Vec::new();
    for &draw in &within(&noise.draws, &method.draws) {
        for &seed in &within(&noise.seeds, &method.seeds) {
            let mut job = Job {
                key: String::new(),
                data: data.clone(),
                method: method.id.clone(),
                label: method.label.clone(),
                set: method.set.clone(),
                noise: (noise.share > 0.0).then(|| NoiseJob {
                    share: noise.share,
                    mode: noise.mode.name().to_owned(),
                    amplitude: noise.amplitude,
                }),
                draw,
                seed,
                keep: plan.keep,
            };
            job.key = key(&job)?;
            jobs.push(Planned { job, limits: method.limits });
        }
    }
    Ok(jobs)
}

/// A hash of all that decides a result: version, data, every parameter (defaults too: a changed default is another run),
/// noise, draw, seed; and of the name under which tables show it. Not of paths, limits and threads.
fn key(job: &Job) -> Result<String> {
    let parameters = (MethodInfo::named(&job.method)?.build)(&job.set)?.parameters();
    let data = &job.data;
    let all = serde_json::json!([
        env!("CARGO_PKG_VERSION"),
        [&data.name, &data.sha256, &data.scale],
        data.views,
        data.k,
        [&job.method, &job.label],
        parameters,
        job.noise,
        [job.draw, job.seed],
        job.keep,
    ]);
    let mut name = hexadecimal(&Sha256::digest(all.to_string().as_bytes()));
    name.truncate(16);
    Ok(name)
}
