//! A plan multiplied out: one job per run, complete in itself, with a key that says which run it is.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use consilience::method::Revision;
use consilience::{Corruption, Error, Result, Settings};
use consilience_io::Inputs;
use sha2::{Digest, Sha256};

use crate::data::{DataSetShape, hexadecimal};
use crate::plan::{DataSet, Limits, MethodPlan, NoisePlan, Plan};
use crate::row::Row;

/// One run, with everything needed to do it again.
#[derive(Clone)]
pub(crate) struct Job {
    /// What is asked, as its line in the results will say it, with its key and the code that makes it.
    pub(crate) row: Row,
    pub(crate) revision: Revision,
    pub(crate) inputs: Inputs,
    pub(crate) subset: Option<PathBuf>,
    /// What is asked; the seed of its corruption is the draw.
    pub(crate) settings: Settings,
    pub(crate) limits: Limits,
}

impl Job {
    pub(crate) fn key(&self) -> &str {
        self.row.get("key")
    }
}

/// A plan multiplied out.
#[derive(Default)]
pub(crate) struct Expanded {
    /// Every run, in the order of the tables.
    pub(crate) runs: Vec<Job>,
    /// What the results say of cells without a run: of sets that are not there, and of sets too large for a method.
    pub(crate) empty: Vec<Row>,
}

/// Every run of the plan, and what the results say where there is none.
///
/// # Errors
/// When two conditions of the plan are the same.
pub(crate) fn expand(plan: &Plan, opened: &[Option<DataSetShape>]) -> Result<Expanded> {
    let mut expanded = Expanded::default();
    for (set, opened) in plan.sets.iter().zip(opened) {
        for noise in plan.noise.iter().filter(|noise| meets(noise.data.as_ref(), &set.name)) {
            for method in plan.methods.iter().filter(|method| meets(method.data.as_ref(), &set.name)) {
                match opened {
                    None => expanded.empty.push(without_run(set, None, noise, method, "absent")),
                    Some(shape) if method.max_samples.is_some_and(|most| shape.n > most) => {
                        expanded.empty.push(without_run(set, Some(shape), noise, method, "left out"));
                    }
                    Some(shape) => expanded.runs.extend(repeats(set, shape, noise, method)),
                }
            }
        }
    }
    let mut keys = HashSet::new();
    match expanded.runs.iter().find(|job| !keys.insert(job.key())) {
        None => Ok(expanded),
        Some(job) => {
            let (label, set) = (job.row.get("label"), job.row.get("set"));
            let what = format!("the plan makes the same run twice: {label} on {set}");
            Err(Error::data_with_hint(what, "two [[noise]] tables have the same condition for the same data"))
        }
    }
}

/// Whether a condition or a method that names `data` has to do with `set`.
fn meets(data: Option<&Vec<String>>, set: &String) -> bool {
    data.is_none_or(|names| names.contains(set))
}

/// A count as people write it: 2,000.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// What is asked of a method on a set, as far as all repeats share it.
fn asked(set: &DataSet, shape: Option<&DataSetShape>, noise: &NoisePlan, method: &MethodPlan) -> Row {
    let mut row = Row::new();
    row.set("set", &set.name);
    if let Some(shape) = shape {
        row.set("n", shape.n);
        row.set("k", shape.classes);
        row.set("views", shape.views.join("+"));
    }
    row.set("scale", set.scale);
    row.set("method", method.method.info().id);
    row.set("label", &method.label);
    let parameters: Vec<String> = method.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
    row.set("parameters", parameters.join(" "));
    row.set_noise(noise.corruption);
    row.set("seed", 0);
    row
}

fn without_run(
    set: &DataSet,
    shape: Option<&DataSetShape>,
    noise: &NoisePlan,
    method: &MethodPlan,
    status: &str,
) -> Row {
    let mut row = asked(set, shape, noise, method);
    row.set("status", status);
    let too_large = method.max_samples.filter(|_| shape.is_some()).map(|most| format!("n > {}", grouped(most)));
    row.set("note", too_large.as_deref().unwrap_or("data not available"));
    row
}

fn repeats(set: &DataSet, shape: &DataSetShape, noise: &NoisePlan, method: &MethodPlan) -> Vec<Job> {
    // a method may be held to fewer repeats than the condition has, never to others
    let within = |all: &[u64], held: &Option<Vec<u64>>| -> Vec<u64> {
        all.iter().copied().filter(|number| held.as_ref().is_none_or(|held| held.contains(number))).collect()
    };
    let base = Settings::new(shape.classes).shared_method(Arc::clone(&method.method)).scale(set.scale);
    let revision = method.method.info().code();
    let mut jobs = Vec::new();
    for &draw in &within(&noise.draws, &method.draws) {
        let corruption = noise.corruption.map(|corruption| Corruption { seed: draw, ..corruption });
        for &seed in &within(&noise.seeds, &method.seeds) {
            let mut row = asked(set, Some(shape), noise, method);
            row.set_noise(corruption);
            row.set("seed", seed);
            row.set("revision", revision);
            row.set("key", key(&row, &shape.sha256));
            jobs.push(Job {
                row,
                revision,
                inputs: set.inputs.clone(),
                subset: set.subset.clone(),
                settings: base.clone().corruption(corruption).seed(seed),
                limits: method.limits,
            });
        }
    }
    jobs
}

/// Which run this is: a hash of what is asked as its line says it, of the SHA-256 of the data, and of the revision of the
/// code, so that results of older code are other runs. Defaults are not in it, for a default that changes labels raises a
/// revision; neither are paths, limits, threads, or the version, which changes with every release.
fn key(row: &Row, data: &str) -> String {
    let mut hash = Sha256::new();
    for part in row.asked().iter().map(String::as_str).chain([row.get("revision"), data]) {
        hash.update(part);
        hash.update("\n");
    }
    let mut key = hexadecimal(&hash.finalize());
    key.truncate(16);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!([7, 999, 2000, 1_234_567].map(grouped), ["7", "999", "2,000", "1,234,567"]);
    }

    /// Committed results are found by their keys: a release, or another field of the settings, leaves them as they are.
    #[test]
    fn a_key_is_what_sha256sum_says_of_the_line() {
        let mut row = Row::new();
        let asked = ["toy", "30", "3", "a+b", "auto", "mfmsc", "mfmsc", "", "0.2", "add", "5.0", "4", "1"];
        let columns =
            ["set", "n", "k", "views", "scale", "method", "label", "parameters", "noise", "mode", "amplitude"];
        columns.into_iter().chain(["draw", "seed"]).zip(asked).for_each(|(column, text)| row.set(column, text));
        row.set("revision", "1.2");
        // printf '%s\n' toy 30 3 a+b auto mfmsc mfmsc '' 0.2 add 5.0 4 1 1.2 embedded | sha256sum | cut -c-16
        assert_eq!(key(&row, "embedded"), "76e31856435ce235");
        for column in columns.into_iter().chain(["draw", "seed", "revision"]) {
            let mut other = row.clone();
            other.set(column, "9");
            assert_ne!(key(&other, "embedded"), key(&row, "embedded"), "{column}");
        }
        assert_ne!(key(&row, "other data"), key(&row, "embedded"));
        row.set("version", "9.9.9");
        assert_eq!(key(&row, "embedded"), "76e31856435ce235");
    }
}
