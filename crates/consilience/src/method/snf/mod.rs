//! SNF, similarity network fusion (Wang et al., Nature Methods 2014), kept sparse.
//!
//! The published iteration works on n x n networks. Here a network is kept on one fixed set of pairs, those that share
//! most neighbours over all views; `docs/methods/snf.md` says what that changes, and with `entries` at n or more it
//! changes nothing.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod fusion;
mod network;
mod pattern;
#[cfg(test)]
mod tests;

use self::fusion::Fusion;
use self::network::Network;
use self::pattern::Pattern;
use super::common::equal_weights;
use super::{Consensus, Findings, Method, MethodInfo, Problem, Property, TraceRow};
use crate::graph::GraphRecord;
use crate::graph::{Graph, Weights};
use crate::matrix::Csr;
use crate::neighbours::DistanceMetric;
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::run::{Termination, Warning};
use crate::{Result, Stage, View};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Snf>("snf", "similarity network fusion, kept sparse")
    .summary(
        "Diffuses each view's similarity network through its own neighbours, starting from the mean of the other \
              views' networks, again and again until the networks agree; clusters their mean.",
    )
    .citation(
        "B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg. Similarity \
               network fusion for aggregating data types on a genomic scale. Nature Methods 11, 2014",
    )
    .cost("O(n^2 sum d) for exact neighbours, then O(V n K m) per iteration", "O(n m V)")
    .properties(&[Property::Incomplete, Property::Affinities]);

/// Networks that change by less than this, relative to their norm, have converged.
const CHANGE_TOLERANCE: f64 = 1e-3;
/// Lists of n x n numbers besides the networks when all pairs are kept: three of the fusion, and the pattern.
const DENSE_LISTS: usize = 5;

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

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let (views, run) = (problem.views, problem.run);
        run.enter(Stage::Graph);
        let known: Vec<View> = views.iter().map(View::known).collect();
        let networks =
            known.iter().map(|view| Network::of(view, self.neighbours, self.spread, problem.neighbours, run));
        let (networks, locals): (Vec<Network<'_>>, Vec<Csr<f64>>) =
            networks.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let locals = pattern::spread_locals(locals, views)?;
        let pattern = self.pattern(&locals, problem)?;
        let places: Vec<Vec<Option<usize>>> = views.iter().map(pattern::places).collect();
        let similarities = networks.iter().zip(&places).map(|(network, places)| network.on(&pattern, places, run));
        let mut similarities = similarities.collect::<Result<Vec<_>>>()?;
        pattern::fill_similarities(&mut similarities, &pattern, &places);

        run.enter(Stage::Solve);
        let mut fusion = Fusion::new(&pattern, &locals, similarities);
        let trace = self.fuse(&mut fusion, problem)?;
        let fused = Graph::new(fusion.finish()?);
        let components = fused.components();
        if components > 1 {
            run.warn(Warning::DisconnectedGraph { graph: "the fused network".to_owned(), view: None, components });
        }
        let graph = GraphRecord {
            neighbours: vec![self.neighbours],
            weights: Weights::Gaussian,
            metric: DistanceMetric::Euclidean,
        };
        Ok(Consensus {
            graph: Some(graph),
            termination: Termination::after(self.iterations, converged(&trace)),
            findings: Findings { trace, ..Findings::default() },
            ..Consensus::direct(fused.normalised(), equal_weights(views.len()))
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
        problem.memory.require(DENSE_LISTS + locals.len(), n, n, size_of::<f64>(), hint)?;
        Ok(Pattern::full(n))
    }

    /// All iterations, and their trace.
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
                residual: update.row_sum_error,
                change: update.change(),
            }));
        }
        if !converged(&trace) {
            let detail = format!("the networks still moved after {} iterations", self.iterations);
            problem.run.warn(Warning::not_converged(detail));
        }
        Ok(trace)
    }
}

/// Whether no view's network changed by more than the tolerance in the last iteration.
fn converged(trace: &[TraceRow]) -> bool {
    let last = trace.last().map_or(0, |row| row.iteration);
    last > 0 && trace.iter().rev().take_while(|row| row.iteration == last).all(|row| row.change < CHANGE_TOLERANCE)
}
