//! The child's side of a run: a job in, an outcome out. A run has a process of its own so that its memory is its own,
//! a crash is one failed run, and a limit can be kept by ending it.

use std::time::Instant;

use consilience::record::peak_memory_mb;
use consilience::{Clustering, Error, Result, cluster};
use consilience_io::Labels;
use serde::{Deserialize, Serialize};

use crate::data;
use crate::job::Job;
use crate::store::{BlockAffinity, Done, Outcome};

/// About this many blocks make a picture of an affinity: enough to see classes, few enough to keep.
const PICTURE_BLOCKS: usize = 100;

/// What a child is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// The run.
    pub job: Job,
    /// Threads to use; the result does not depend on it.
    pub threads: usize,
    /// Most memory in bytes.
    pub memory: Option<u64>,
}

/// Does the run. What goes wrong in it is its outcome.
pub fn execute(order: &Order) -> Outcome {
    let started = Instant::now();
    match run(order, started) {
        Ok(done) => Outcome::Done(Box::new(done)),
        Err(error) => Outcome::failed(&order.job, error.to_string(), started.elapsed().as_secs_f64(), peak_memory_mb()),
    }
}

fn run(Order { job, threads, memory }: &Order, started: Instant) -> Result<Done> {
    let code = job.settings.method.info().code();
    if code != job.revision {
        // the program was built again under a running bench: its results would be kept as those of the old code
        let what = format!("the program is of revision {code}, the bench that started it of {}", job.revision);
        return Err(Error::data_with_hint(what, "start the bench again"));
    }
    let (views, truth) = data::load(&job.data.inputs, job.data.subset.as_deref())?;
    let load = started.elapsed().as_secs_f64();
    let found = cluster(&views, &job.settings.clone().threads(*threads).memory(*memory))?;
    let affinity = job.keep.affinity.then(|| picture(&found, &truth));
    let mut run = found.record.with_source(None, Vec::new(), load).with_truth(truth.codes())?;
    // a bench makes thousands of runs: what has a number per sample, feature or iteration goes
    run.labels.clear();
    for found in &mut run.findings.corruption {
        found.by_feature.clear();
        found.by_sample.clear();
    }
    run.findings.disagreements.iter_mut().for_each(|view| view.samples.clear());
    if !job.keep.trace {
        run.findings.trace.clear();
    }
    Ok(Done { run, affinity })
}

fn picture(result: &Clustering, truth: &Labels) -> BlockAffinity {
    let (blocks, counts) = class_blocks(truth);
    let averages = result.block_averages(&blocks);
    let rows = averages.iter_rows().map(|row| row.iter().map(|&entry| shortened(entry)).collect()).collect();
    BlockAffinity { rows, blocks: counts }
}

/// The samples of each class, cut into blocks of about equal size; and how many blocks each class has.
fn class_blocks(truth: &Labels) -> (Vec<Vec<usize>>, Vec<usize>) {
    let size = truth.len().div_ceil(PICTURE_BLOCKS).max(1);
    let (mut blocks, mut counts) = (Vec::new(), Vec::new());
    for class in 0..truth.names().len() {
        let members: Vec<usize> = (0..truth.len()).filter(|&i| truth.codes()[i] as usize == class).collect();
        let parts: Vec<Vec<usize>> = members.chunks(size).map(<[usize]>::to_vec).collect();
        counts.push(parts.len());
        blocks.extend(parts);
    }
    (blocks, counts)
}

/// Four digits: a picture shows no more.
fn shortened(entry: f64) -> f64 {
    if entry == 0.0 || !entry.is_finite() {
        return 0.0;
    }
    let unit = 10_f64.powf(entry.abs().log10().floor() - 3.0);
    (entry / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_the_classes() {
        let names: Vec<String> = (0..300).map(|i| (i % 2).to_string()).collect();
        let (blocks, counts) = class_blocks(&Labels::from_names(&names));
        assert_eq!((blocks.len(), counts), (100, vec![50, 50]));
        assert_eq!((&blocks[0][..], blocks[50][0]), (&[0, 2, 4][..], 1));
    }
}
