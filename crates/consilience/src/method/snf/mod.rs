//! SNF, similarity network fusion (Wang et al., Nature Methods 2014), kept sparse.
//!
//! The published iteration works on n x n networks. Here a network is kept on one fixed set of pairs, those that share
//! most neighbours over all views; `docs/methods/snf.md` says what that changes, and with `entries` at n or more it
//! changes nothing.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod diffuse;
mod kernel;
mod pattern;
#[cfg(test)]
mod tests;

use serde_json::Value;

use self::diffuse::Fusion;
use self::kernel::Kernel;
use self::pattern::Pattern;
use super::{Consensus, Findings, Method, MethodInfo, Problem, Stop, TraceRow, configure};
use crate::graph::Graph;
use crate::matrix::Csr;
use crate::parameters::{Bounds, Parameters, parameters};
use crate::{Result, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "snf",
    title: "similarity network fusion, kept sparse",
    summary: "Diffuses each view's similarity network through its own neighbours, starting from the mean of the other \
              views' networks, again and again until the networks agree; clusters their mean.",
    citation: "B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg. Similarity \
               network fusion for aggregating data types on a genomic scale. Nature Methods 11, 2014",
    time: "O(n^2 sum d) for exact neighbours, then O(V n K m) per iteration",
    memory: "O(n m V)",
    quadratic: false,
    parameters: Snf::table,
    build: configure::<Snf>,
};

/// Networks that move by less than this, relative to their size, count as settled.
const SETTLED: f64 = 1e-3;
/// A full pattern is n x n; asked for before it is made: the networks, three lists of the same length, and the pattern.
const FULL_LISTS: usize = 5;

parameters! {
    /// Similarity network fusion.
    pub struct Snf {
        /// Neighbours of each sample in its local kernel; at most one fewer than there are samples (both programs of the authors: 20).
        neighbours: usize = 20, Bounds::between(1.0, 10_000.0), "K";
        /// Width of the similarity, in units of the local scale (the paper: 0.3 to 0.8; both programs: 0.5).
        spread: f64 = 0.5, Bounds::between(0.05, 100.0), "mu";
        /// Iterations of the fusion (both programs: 20).
        iterations: usize = 20, Bounds::between(0.0, 10_000.0), "t";
        /// Others with whom a sample has an entry in the networks, besides those that chose it; the published method has all.
        entries: usize = 100, Bounds::between(1.0, 1e9), "m";
    }
}

impl Method for Snf {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let (views, run) = (problem.views, problem.run);
        run.enter(Stage::Graph);
        let kernels = views.iter().map(|view| Kernel::new(view, self.neighbours, self.spread, run));
        let (kernels, locals): (Vec<Kernel<'_>>, Vec<Csr<f64>>) =
            kernels.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let pattern = self.pattern(&locals, problem)?;
        let similarities = kernels.iter().map(|kernel| kernel.on(&pattern, run)).collect::<Result<_>>()?;

        run.enter(Stage::Solve);
        let mut fusion = Fusion::new(&pattern, &locals, similarities);
        let trace = self.fuse(&mut fusion, problem)?;
        let fused = Graph::new(fusion.finish()?);
        let parts = fused.components();
        if parts > 1 {
            run.warn(format!("the fused network falls into {parts} parts that share no edge"));
        }
        let reason = if settled(&trace) { "converged" } else { "iteration limit" };
        Ok(Consensus {
            stop: Stop { reason, iterations: self.iterations },
            findings: Findings { trace, ..Findings::default() },
            ..Consensus::direct(fused.normalised(), vec![1.0 / views.len() as f64; views.len()])
        })
    }
}

impl Snf {
    fn pattern(&self, locals: &[Csr<f64>], problem: &Problem<'_>) -> Result<Pattern> {
        let n = problem.views.samples();
        if self.entries < n {
            return Pattern::of_shared_neighbours(locals, self.entries, problem.run);
        }
        let hint = "ask for fewer `entries` than there are samples";
        problem.memory.require(FULL_LISTS + locals.len(), n, n, size_of::<f64>(), hint)?;
        Ok(Pattern::full(n))
    }

    /// All iterations, with what they changed.
    fn fuse(&self, fusion: &mut Fusion<'_>, problem: &Problem<'_>) -> Result<Vec<TraceRow>> {
        let mut trace = Vec::with_capacity(self.iterations * problem.views.len());
        for iteration in 1..=self.iterations {
            problem.run.progress(iteration - 1, self.iterations);
            let updates = fusion.iterate(problem.run)?;
            let rows = problem.views.iter().zip(updates).zip(fusion.disagreement());
            trace.extend(rows.map(|((view, update), objective)| TraceRow {
                iteration,
                view: view.name.clone(),
                objective,
                residual: update.excess,
                change: update.change(),
            }));
        }
        if !settled(&trace) {
            problem.run.warn(format!("the networks still moved after {} iterations", self.iterations));
        }
        Ok(trace)
    }
}

/// Whether no view's network moved much in the last iteration.
fn settled(trace: &[TraceRow]) -> bool {
    let last = trace.last().map_or(0, |row| row.iteration);
    last > 0 && trace.iter().rev().take_while(|row| row.iteration == last).all(|row| row.change < SETTLED)
}
