//! Co-training for spectral clustering: every view's similarities are projected on the eigenvectors of the others.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

mod project;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use super::joint::{mean_projector, moved, shared_directions, side_by_side, view_graphs};
use super::{Consensus, Findings, Method, MethodInfo, Problem, Stop, TraceRow, configure};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::Dense;
use crate::operator::TopEigen;
use crate::parameters::{Bounds, Parameters, parameters};
use crate::spectral::embed;
use crate::{Result, Run, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "cotraining",
    title: "co-training of spectral clusterings",
    summary: "Projects every view's similarities on the other views' eigenvectors and takes eigenvectors again, a fixed \
              number of times.",
    citation: "A. Kumar, H. Daume III. A co-training approach for multi-view spectral clustering. ICML 2011",
    time: "O(n^2 sum d) for exact neighbours, then O(V^2 n k (s + V k)) per iteration",
    memory: "O(n (V s + V k)); no n x n matrix",
    quadratic: false,
    parameters: Cotraining::table,
    build: configure::<Cotraining>,
};

parameters! {
    /// Co-training of spectral clusterings.
    pub struct Cotraining {
        /// How often the views learn from each other. With two views even and odd numbers differ: see the method's page.
        iterations: usize = 10, Bounds::between(0.0, 10_000.0), "iter";
        /// Eigenvectors on which similarities are projected, as a multiple of the number of clusters.
        projection: f64 = 1.0, Bounds::between(1.0, 10.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Cotraining {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = view_graphs(&self.graph, problem)?;
        if let [only] = graphs.as_slice() {
            // there is nobody to learn from: plain spectral clustering
            return Ok(Consensus::direct(only.normalised(), vec![1.0]));
        }
        problem.run.enter(Stage::Solve);
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let (U, trace) = self.train(&graphs, &names, problem)?;
        let U: Vec<_> = U.iter().map(|U| U.first_columns(problem.clusters)).collect();
        let U: Vec<_> = U.iter().collect();
        let affinity = Arc::new(mean_projector(&U));
        Ok(Consensus {
            eigen: Some(shared_directions(&affinity, problem.clusters)?),
            affinity,
            embedding: Some(embed(&side_by_side(&U))),
            view_weights: vec![1.0 / U.len() as f64; U.len()],
            stop: Stop { reason: "iteration limit", iterations: self.iterations },
            findings: Findings { trace, ..Findings::default() },
        })
    }
}

impl Cotraining {
    /// m, the columns of every U_v: ceil(projection k), n at most.
    fn columns(&self, k: usize, n: usize) -> usize {
        ((self.projection * k as f64).ceil() as usize).min(n)
    }

    /// Every view's U_v (n x m) after the last iteration.
    fn train(
        &self,
        graphs: &[Graph],
        names: &[&str],
        problem: &Problem<'_>,
    ) -> Result<(Vec<Dense<f64>>, Vec<TraceRow>)> {
        let run = problem.run;
        let m = self.columns(problem.clusters, graphs.first().map_or(0, Graph::len));
        let alone = |graph| alone(graph, m, problem.seed, run);
        let mut U = graphs.iter().map(alone).collect::<Result<Vec<_>>>()?;
        let mut trace = Vec::new();
        for iteration in 1..=self.iterations {
            // all views at once (Jacobi), always from the original similarities K_v
            let mut new = Vec::with_capacity(U.len());
            for (v, graph) in graphs.iter().enumerate() {
                run.check()?;
                let others: Vec<_> = (0..U.len()).filter(|&w| w != v).map(|w| &U[w]).collect();
                let found = project::eigenvectors(graph.weights(), &side_by_side(&others), m)?;
                // similarities without a positive eigenvalue say nothing: the view stays where it is
                let (vectors, objective) = found.unwrap_or_else(|| (U[v].clone(), 0.0));
                let change = moved(&U[v], &vectors);
                trace.push(TraceRow { iteration, view: names[v].to_owned(), objective, residual: 0.0, change });
                new.push(vectors);
            }
            U = new;
            run.progress(iteration, self.iterations);
        }
        Ok((U, trace))
    }
}

/// The top m eigenvectors of a view's own normalised graph, n x m.
fn alone(graph: &Graph, m: usize, seed: u64, run: &Run) -> Result<Dense<f64>> {
    let request = TopEigen { seed, ..TopEigen::new(m) };
    let found = request.solve(graph.normalised().as_ref(), None, run)?;
    if !found.converged {
        run.warn(format!("a view's eigenvectors are not exact: residual {:.1e}", found.residual));
    }
    Ok(found.vectors)
}
