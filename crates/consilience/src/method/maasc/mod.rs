//! MAASC: affinity aggregation. The views' graphs are added with weights that are learned together with the eigenvectors.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

#[cfg(test)]
mod tests;
mod weights;

use std::ops::Range;
use std::sync::Arc;

use super::{Consensus, Findings, Method, MethodInfo, Problem, Property, Solved, TraceRow};
use crate::graph::{Graph, GraphSettings};
use crate::matrix::{Csr, Dense, column_sums};
use crate::operator::{EigenPairs, LinOp, TopEigen};
use crate::parameters::{Bounds, ParameterValues, choice, parameters};
use crate::run::{Termination, Warning};
use crate::{Result, Run, Stage};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Maasc>("maasc", "affinity aggregation")
    .summary(
        "Adds the views' graphs with weights and alternates two steps: the eigenvectors of the sum, and the weights \
              under which these eigenvectors cut the sum least. Views whose graph disagrees lose weight.",
    )
    .citation("H. Huang, Y. Chuang, C. Chen. Affinity aggregation for spectral clustering. CVPR 2012")
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step, up to `max_iterations` times",
        "O(n (V s + k))",
    )
    .properties(&[Property::Affinities]);

choice! {
    /// Which eigenvectors the weights are judged by.
    pub enum MaascTraces {
        /// All k: what is clustered is what is selected.
        All = "all",
        /// The second only, as the paper's formulas and the public code have it.
        Second = "second",
    }
}

parameters! {
    /// Spectral clustering of a learned sum of the views' graphs.
    pub struct Maasc {
        /// Which eigenvectors the weights are judged by.
        traces: MaascTraces = MaascTraces::All, Bounds::ANY, "f";
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

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        problem.run.enter(Stage::Solve);
        let names: Vec<&str> = problem.views.iter().map(|view| view.name.as_str()).collect();
        let Aggregation { v, sum, termination, trace } = self.aggregate(&graphs, &names, problem)?;
        let squares: f64 = v.iter().map(|v| v * v).sum();
        Ok(Consensus {
            // the second eigenvector was needed also where one cluster was asked for
            solved: match sum.eigen.values.len() {
                count if count == problem.clusters => Solved::Eigenvectors(sum.eigen),
                _ => Solved::Affinity,
            },
            termination,
            findings: Findings { trace, ..Findings::default() },
            ..Consensus::direct(sum.affinity, v.iter().map(|v| v * v / squares).collect()).with_graph(&self.graph)
        })
    }
}

/// Where the alternation ended.
struct Aggregation {
    /// One per view, none negative, of sum 1.
    v: Vec<f64>,
    sum: WeightedGraph,
    termination: Termination,
    trace: Vec<TraceRow>,
}

impl Maasc {
    fn aggregate(&self, graphs: &[Graph], names: &[&str], problem: &Problem<'_>) -> Result<Aggregation> {
        let (selected, wanted) = match self.traces {
            MaascTraces::All => (0..problem.clusters, problem.clusters),
            MaascTraces::Second => (1..2, problem.clusters.max(2)),
        };
        let request = TopEigen { seed: problem.seed, ..TopEigen::new(wanted) };
        let mut v = vec![1.0 / graphs.len() as f64; graphs.len()];
        let mut sum = WeightedGraph::new(graphs, &v, &request, None, problem.run)?;
        let mut trace = Vec::new();
        for iteration in 1..=self.max_iterations {
            problem.run.check()?;
            problem.run.progress(iteration, self.max_iterations);
            let (alpha, beta): (Vec<f64>, Vec<f64>) = sum.traces(graphs, &selected).into_iter().unzip();
            let new = weights::optimal(&alpha, &beta, &v);
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
                sum = WeightedGraph::new(graphs, &v, &request, Some(&sum.eigen.vectors), problem.run)?;
            }
            if change <= self.tolerance {
                let termination = Termination::Converged { iterations: iteration };
                return Ok(Aggregation { v, sum, termination, trace });
            }
        }
        let detail = format!("the weights of the views still change after {} rounds", self.max_iterations);
        problem.run.warn(Warning::not_converged(detail));
        let termination = Termination::IterationLimit { iterations: self.max_iterations };
        Ok(Aggregation { v, sum, termination, trace })
    }
}

/// `W(v) = sum_i v_i^2 W_i` and its eigenvectors.
struct WeightedGraph {
    graph: Graph,
    /// `D(v)^-1/2 W(v) D(v)^-1/2`, n x n.
    affinity: Arc<Csr<f64>>,
    eigen: EigenPairs,
}

impl WeightedGraph {
    fn new(graphs: &[Graph], v: &[f64], request: &TopEigen, start: Option<&Dense<f64>>, run: &Run) -> Result<Self> {
        let graph = Graph::weighted_sum(v.iter().map(|v| v * v).zip(graphs))?;
        let affinity = graph.normalised();
        let eigen = request.solve_or_warn(affinity.as_ref(), start, run)?;
        Ok(Self { graph, affinity, eigen })
    }

    /// `alpha_i = tr(F' D_i F) / m` and `beta_i = tr(F' L_i F) / m` of every view, with `F` (n x m) the `selected`
    /// generalised eigenvectors: `L(v) F = D(v) F Lambda`, `F' D(v) F = I`.
    fn traces(&self, graphs: &[Graph], selected: &Range<usize>) -> Vec<(f64, f64)> {
        let U = &self.eigen.vectors;
        // a single sample has a first eigenvector only
        let selected = selected.start.min(U.cols().saturating_sub(1))..selected.end.min(U.cols());
        let root: Vec<f64> = self.graph.degrees().iter().map(|d| if *d > 0.0 { d.sqrt() } else { 1.0 }).collect();
        let F = Dense::from_fn(U.rows(), selected.len(), |i, j| U.get(i, selected.start + j) / root[i]);
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
