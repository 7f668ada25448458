//! A plan multiplied out: one job per run, complete in itself, with a key that says which run it is.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use consilience::method::Revision;
use consilience::{Corruption, Error, Result, Scale, Settings};
use consilience_io::Inputs;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::{DataSetShape, Opened, hexadecimal};
use crate::plan::{DataSet, Keep, Limits, MethodPlan, NoisePlan, Plan};

/// One run, with everything needed to do it again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// Which run this is: see [`key`].
    pub key: String,
    /// The code that makes it.
    pub revision: Revision,
    /// The method's name in tables.
    pub label: String,
    /// The data.
    pub data: JobData,
    /// The parameters that the plan sets, for tables; the method of the settings has them all.
    pub set: Vec<(String, String)>,
    /// What is asked; the seed of its corruption is the draw.
    pub settings: Settings,
    /// What to keep besides scores.
    pub keep: Keep,
}

/// The data of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobData {
    /// Its name in tables.
    pub name: String,
    /// Its files.
    pub inputs: Inputs,
    /// File with the samples to use.
    pub subset: Option<PathBuf>,
    /// What the files hold.
    #[serde(flatten)]
    pub shape: DataSetShape,
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
    pub scale: Scale,
    /// What is missing.
    pub why: String,
}

/// A cell that the plan leaves empty: a set that is too large for a method.
#[derive(Debug, Clone)]
pub struct LeftOut {
    /// The first of the runs that would have filled it.
    pub job: Job,
    /// Why there are none: `n > 2,000`.
    pub why: String,
}

/// A plan multiplied out.
#[derive(Debug, Clone, Default)]
pub struct Expanded {
    /// Every run, in the order of the tables.
    pub runs: Vec<Planned>,
    /// The sets that are not there.
    pub absent: Vec<Absent>,
    /// The cells that are not wanted.
    pub left_out: Vec<LeftOut>,
}

/// Every run of the plan, and what the tables say where there is none.
///
/// # Errors
/// When two conditions of the plan are the same.
pub fn expand(plan: &Plan, opened: &[Opened]) -> Result<Expanded> {
    let mut expanded = Expanded::default();
    for (set, opened) in plan.sets.iter().zip(opened) {
        let shape = match opened {
            Opened::Ready(shape) => shape,
            Opened::Absent(why) => {
                expanded.absent.push(Absent { set: set.name.clone(), scale: set.scale, why: why.clone() });
                continue;
            }
        };
        for noise in plan.noise.iter().filter(|noise| meets(noise.data.as_ref(), &set.name)) {
            for method in plan.methods.iter().filter(|method| meets(method.data.as_ref(), &set.name)) {
                let runs = repeats(plan.keep, set, shape, noise, method)?;
                match method.max_samples.filter(|most| shape.n > *most) {
                    None => expanded.runs.extend(runs),
                    Some(most) => {
                        let why = format!("n > {}", grouped(most));
                        let first = runs.into_iter().next();
                        expanded.left_out.extend(first.map(|planned| LeftOut { job: planned.job, why }));
                    }
                }
            }
        }
    }
    let mut keys = HashSet::new();
    match expanded.runs.iter().find(|planned| !keys.insert(planned.job.key.clone())) {
        None => Ok(expanded),
        Some(Planned { job, .. }) => {
            let what = format!("the plan makes the same run twice: {} on {}", job.label, job.data.name);
            Err(Error::data_with_hint(what, "two [[noise]] tables have the same condition for the same data"))
        }
    }
}

/// A count as people write it: 2,000.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Whether a condition or a method that names `data` has to do with `set`.
pub(crate) fn meets(data: Option<&Vec<String>>, set: &String) -> bool {
    data.is_none_or(|names| names.contains(set))
}

fn repeats(
    keep: Keep,
    set: &DataSet,
    shape: &DataSetShape,
    noise: &NoisePlan,
    method: &MethodPlan,
) -> Result<Vec<Planned>> {
    // a method may be held to fewer repeats than the condition has, never to others
    let within = |all: &[u64], held: &Option<Vec<u64>>| -> Vec<u64> {
        all.iter().copied().filter(|number| held.as_ref().is_none_or(|held| held.contains(number))).collect()
    };
    let data = JobData {
        name: set.name.clone(),
        inputs: set.inputs.clone(),
        subset: set.subset.clone(),
        shape: shape.clone(),
    };
    let base = Settings::new(set.clusters_in(shape)).shared_method(Arc::clone(&method.method)).scale(set.scale);
    let mut jobs = Vec::new();
    for &draw in &within(&noise.draws, &method.draws) {
        let corruption = noise.corruption.map(|corruption| Corruption { seed: draw, ..corruption });
        for &seed in &within(&noise.seeds, &method.seeds) {
            let mut job = Job {
                key: String::new(),
                revision: method.method.info().code(),
                label: method.label.clone(),
                data: data.clone(),
                set: method.set.clone(),
                settings: base.clone().corruption(corruption).seed(seed),
                keep,
            };
            job.key = key(&job)?;
            jobs.push(Planned { job, limits: method.limits });
        }
    }
    Ok(jobs)
}

/// Which run a job is. It hashes all that decides the result: the version of the program and the revision of the code
/// between views and labels, so that results of older code are other runs; the set's name, the SHA-256 of its
/// files and the views used; the settings as a record has them (k, method, every parameter, scaling, noise with its draw,
/// seed, restarts), where a default counts as much as what the plan sets, so that a changed default is another run. And
/// what decides where the result is shown: the method's name in tables and what is kept. Paths, limits and threads do not
/// count.
///
/// # Errors
/// When the job cannot be written as JSON, which the job of a plan can.
pub fn key(job: &Job) -> Result<String> {
    let JobData { name, shape, .. } = &job.data;
    let version = env!("CARGO_PKG_VERSION");
    let all = (version, job.revision, name, &shape.sha256, &shape.views, &job.settings, &job.label, job.keep);
    let text = serde_json::to_vec(&all).map_err(|error| Error::data(format!("a job has no JSON: {error}")))?;
    let mut key = hexadecimal(&Sha256::digest(text));
    key.truncate(16);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!([7, 999, 2000, 1_234_567].map(grouped), ["7", "999", "2,000", "1,234,567"]);
    }
}
