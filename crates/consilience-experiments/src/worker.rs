//! The child's side of a run: a job in, an outcome out. A run has a process of its own so that its memory is its own,
//! a crash is one failed run, and a limit can be kept by ending it.

use std::time::Instant;

use consilience::data::Labels;
use consilience::method::TraceRow;
use consilience::{Clustering, Result, Run, Settings, cluster_observed, metrics, peak_memory_mb};
use serde::{Deserialize, Serialize};

use crate::data;
use crate::job::Job;
use crate::record::{BlockAffinity, Done, Failed, Outcome, Seconds, Stop, TracePoint};

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
        Ok(done) => Outcome::Done(done),
        Err(error) => Outcome::Failed(Failed {
            failure: error.to_string(),
            elapsed: started.elapsed().as_secs_f64(),
            peak_mb: peak_memory_mb(),
        }),
    }
}

fn run(order: &Order, started: Instant) -> Result<Done> {
    let job = &order.job;
    let names: Vec<String> = job.data.views.iter().map(|(name, _)| name.clone()).collect();
    let (views, truth) = data::load(job.data.file.as_deref(), &names, job.data.subset.as_deref())?;
    let load = started.elapsed().as_secs_f64();
    let mut settings = Settings::with_method(job.data.k, &job.method, &job.set)?;
    settings.scale = job.data.scale.parse()?;
    settings.seed = job.seed;
    settings.threads = Some(order.threads);
    settings.memory = order.memory;
    settings.corruption = job.noise.as_ref().map(|noise| noise.corruption(job.draw)).transpose()?;
    let result = cluster_observed(&views, &settings, &Run::default())?;
    let scores = metrics::score(&result.labels, truth.codes())?;
    let seconds = result.seconds;
    Ok(Done {
        scores,
        seconds: Seconds {
            load: seconds.load + load,
            graph: seconds.graph,
            solve: seconds.solve,
            assign: seconds.assign,
            total: seconds.total + load,
        },
        stop: Stop { reason: result.stop.reason.to_owned(), iterations: result.stop.iterations },
        trace: if job.keep.trace { trace(&result.findings.trace) } else { Vec::new() },
        affinity: job.keep.affinity.then(|| picture(&result, &truth)),
        warnings: result.warnings,
        peak_mb: peak_memory_mb(),
    })
}

/// The rows of an iteration, one per view, taken together.
fn trace(rows: &[TraceRow]) -> Vec<TracePoint> {
    let mut points: Vec<TracePoint> = Vec::new();
    for row in rows {
        match points.last_mut().filter(|point| point.iteration == row.iteration) {
            Some(point) => {
                point.objective += row.objective;
                point.residual = point.residual.max(row.residual);
                point.change = point.change.max(row.change);
            }
            None => points.push(TracePoint {
                iteration: row.iteration,
                objective: row.objective,
                residual: row.residual,
                change: row.change,
            }),
        }
    }
    points
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
    fn rows_of_one_iteration_are_one_point() {
        let row = |iteration, view: &str, objective, change| TraceRow {
            iteration,
            view: view.to_owned(),
            objective,
            residual: 0.5,
            change,
        };
        let points = trace(&[row(1, "a", 2.0, 0.1), row(1, "b", 3.0, 0.4), row(2, "a", 1.0, 0.0)]);
        assert_eq!(points.len(), 2);
        assert_eq!((points[0].objective, points[0].change, points[1].objective), (5.0, 0.4, 1.0));
    }

    #[test]
    fn blocks_follow_the_classes() {
        let names: Vec<String> = (0..300).map(|i| (i % 2).to_string()).collect();
        let (blocks, counts) = class_blocks(&Labels::from_names(&names));
        assert_eq!((blocks.len(), counts), (100, vec![50, 50]));
        assert_eq!((&blocks[0][..], blocks[50][0]), (&[0, 2, 4][..], 1));
    }
}
