//! MAASC: affinity aggregation. The views' graphs are added with weights that are learned together with the eigenvectors.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

mod weights;

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::joint::view_graphs;
use super::{Consensus, Findings, Method, MethodInfo, Problem, Stop, TraceRow, configure};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Csr, Dense, column_sums};
use crate::operator::{EigenPairs, LinOp, TopEigen};
use crate::parameters::{Bounds, Parameters, choice, parameters};
use crate::{Result, Run, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "maasc",
    title: "affinity aggregation",
    summary: "Adds the views' graphs with weights and alternates two steps: the eigenvectors of the sum, and the weights \
              under which these eigenvectors cut the sum least. Views whose graph disagrees lose weight.",
    citation: "H. Huang, Y. Chuang, C. Chen. Affinity aggregation for spectral clustering. CVPR 2012",
    time: "O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step, up to `max_iterations` times",
    memory: "O(n (V s + k))",
    quadratic: false,
    parameters: Maasc::table,
    build: configure::<Maasc>,
};

choice! {
    /// Which eigenvectors the weights are judged by.
    pub enum Traces {
        /// All k: what is clustered is what is judged.
        #[default]
        All = "all",
        /// The second only, as the paper's formulas and the public code have it.
        Second = "second",
    }
}

parameters! {
    /// Spectral clustering of a learned sum of the views' graphs.
    pub struct Maasc {
        /// Which eigenvectors the weights are judged by.
        traces: Traces = Traces::All, Bounds::ANY, "f";
        /// Most rounds of eigenvectors and weights.
        max_iterations: usize = 20, Bounds::between(1.0, 10_000.0), "";
        /// The rounds end when no weight v changes by this much.
        tolerance: f64 = 1e-5, Bounds::at_least(0.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Maasc {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = view_graphs(&self.graph, problem)?;
        problem.run.enter(Stage::Solve);
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let Aggregation { v, sum, stop, trace } = self.aggregate(&graphs, &names, problem)?;
        let squares: f64 = v.iter().map(|v| v * v).sum();
        Ok(Consensus {
            affinity: sum.affinity,
            // the second eigenvector was needed also where one cluster was asked for
            eigen: Some(sum.eigen).filter(|eigen| eigen.values.len() == problem.clusters),
            embedding: None,
            view_weights: v.iter().map(|v| v * v / squares).collect(),
            stop,
            findings: Findings { trace, ..Findings::default() },
        })
    }
}

/// Where the alternation ended.
struct Aggregation {
    /// One per view, none negative, of sum 1.
    v: Vec<f64>,
    sum: Sum,
    stop: Stop,
    trace: Vec<TraceRow>,
}

impl Maasc {
    fn aggregate(&self, graphs: &[Graph], names: &[&str], problem: &Problem<'_>) -> Result<Aggregation> {
        let (judged, wanted) = match self.traces {
            Traces::All => (0..problem.clusters, problem.clusters),
            Traces::Second => (1..2, problem.clusters.max(2)),
        };
        let request = TopEigen { seed: problem.seed, ..TopEigen::new(wanted) };
        let mut v = vec![1.0 / graphs.len() as f64; graphs.len()];
        let mut sum = Sum::new(graphs, &v, &request, None, problem.run)?;
        let mut trace = Vec::new();
        for iteration in 1..=self.max_iterations {
            problem.run.check()?;
            problem.run.progress(iteration, self.max_iterations);
            let (alpha, beta): (Vec<f64>, Vec<f64>) = sum.traces(graphs, &judged).into_iter().unzip();
            let new = weights::best(&alpha, &beta, &v);
            let residual = (alpha.iter().zip(&new).map(|(a, v)| a * v * v).sum::<f64>() - 1.0).abs();
            trace.extend(names.iter().enumerate().map(|(i, name)| TraceRow {
                iteration,
                view: (*name).to_owned(),
                objective: beta[i] * new[i] * new[i],
                residual,
                change: (new[i] - v[i]).abs(),
            }));
            let change = new.iter().zip(&v).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
            v = new;
            if change > 0.0 {
                sum = Sum::new(graphs, &v, &request, Some(&sum.eigen.vectors), problem.run)?;
            }
            if change <= self.tolerance {
                return Ok(Aggregation { v, sum, stop: Stop { reason: "converged", iterations: iteration }, trace });
            }
        }
        problem.run.warn(format!("the weights of the views still change after {} rounds", self.max_iterations));
        let stop = Stop { reason: "iteration limit", iterations: self.max_iterations };
        Ok(Aggregation { v, sum, stop, trace })
    }
}

/// `W(v) = sum_i v_i^2 W_i` and its eigenvectors.
struct Sum {
    graph: Graph,
    /// `D(v)^-1/2 W(v) D(v)^-1/2`, n x n.
    affinity: Arc<Csr<f64>>,
    eigen: EigenPairs,
}

impl Sum {
    fn new(graphs: &[Graph], v: &[f64], request: &TopEigen, start: Option<&Dense<f64>>, run: &Run) -> Result<Self> {
        let graph = Graph::weighted_sum(v.iter().map(|v| v * v).zip(graphs))?;
        let affinity = graph.normalised();
        let eigen = request.solve_telling(affinity.as_ref(), start, run)?;
        Ok(Self { graph, affinity, eigen })
    }

    /// `alpha_i = tr(F' D_i F) / m` and `beta_i = tr(F' L_i F) / m` of every view, with `F` (n x m) the `judged`
    /// generalised eigenvectors: `L(v) F = D(v) F Lambda`, `F' D(v) F = I`.
    fn traces(&self, graphs: &[Graph], judged: &Range<usize>) -> Vec<(f64, f64)> {
        let U = &self.eigen.vectors;
        // a single sample has a first eigenvector only
        let judged = judged.start.min(U.cols().saturating_sub(1))..judged.end.min(U.cols());
        let root: Vec<f64> = self.graph.degrees().iter().map(|d| if *d > 0.0 { d.sqrt() } else { 1.0 }).collect();
        let F = Dense::from_fn(U.rows(), judged.len(), |i, j| U.get(i, judged.start + j) / root[i]);
        let per_vector = 1.0 / F.cols().max(1) as f64;
        let mean_product = |other: &Dense<f64>| column_sums(&F, other, |x, y| x * y).iter().sum::<f64>() * per_vector;
        let of_view = |graph: &Graph| {
            let DF = Dense::from_fn(F.rows(), F.cols(), |i, j| graph.degrees()[i] * F.get(i, j));
            let mut LF = Dense::zeros(F.rows(), F.cols());
            graph.laplacian().apply(&F, &mut LF);
            (mean_product(&DF), mean_product(&LF).max(0.0))
        };
        graphs.iter().map(of_view).collect()
    }
}

#[cfg(test)]
mod tests;
