//! CCAMSC: canonical correlation analysis, then spectral clustering of what the views have in common.

// the papers' letters, capitals for matrices
#![allow(non_snake_case)]

mod regression;
#[cfg(test)]
mod tests;

use super::{Consensus, Method, MethodInfo, Problem};
use crate::graph::GraphSettings;
use crate::matrix::{Dense, column_sums};
use crate::neighbours::Distance;
use crate::operator::{EigenPairs, LinOp, TopEigen};
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::{Result, Stage, View};
use regression::{Centred, MAX_FACTORISED, Projection, Regressions};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Ccamsc>("ccamsc", "canonical correlations")
    .summary(
        "Finds the directions in which the views correlate most (generalised canonical correlation analysis), \
              projects the samples on them and clusters one neighbour graph of the projections.",
    )
    .citation(
        "K. Chaudhuri, S. Kakade, K. Livescu, K. Sridharan. Multi-view clustering via canonical correlation \
               analysis. ICML 2009",
    )
    .cost(
        "O(n d^2 + d^3) for each view of d features (n for d where n < d), then O(n^2 k) for exact neighbours",
        "O(n (sum d + s + k)) and d^2 for each view; sparse views stay sparse",
    );

parameters! {
    /// Spectral clustering of the views' common subspace.
    pub struct Ccamsc {
        /// Dimensions of the common subspace; 0 is one fewer than clusters.
        dimensions: usize = 0, Bounds::between(0.0, 10_000.0), "";
        /// Ridge of each view, in units of the mean variance of its features. 0 is allowed, but lets small views overfit.
        ridge: f64 = 1e-4, Bounds::at_least(0.0), "r";
        /// Multiply each direction by its correlation instead of giving all the same spread.
        by_correlation: bool = false, Bounds::ANY, "rho";
        /// Name of a view: its projection is clustered instead of the common subspace; empty for the common one.
        projection: String = String::new(), Bounds::ANY, "";
    }
    shares {
        /// How the graph of the projected samples is made.
        graph: GraphSettings;
    }
}

/// A direction whose eigenvalue is below this share of the largest is none of the views' own. The solver's tolerance.
const MIN_EIGENVALUE_SHARE: f64 = 1e-8;
/// With conjugate gradients inside, a product costs hundreds of others: no more than this many.
const MAX_ITERATED_PRODUCTS: usize = 200;

impl Method for Ccamsc {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let name = self.projection.as_str();
        if !name.is_empty() {
            problem.views.named(name)?;
        }
        let chosen = problem.views.iter().position(|view| view.name == name && !name.is_empty());
        problem.run.enter(Stage::Solve);
        let common = self.common_subspace(problem, MAX_FACTORISED)?;
        let points = View::new("the common subspace", common.points(chosen, self.by_correlation));
        let distance = Distance::within(&points, self.graph.metric);
        let graph = problem.graph_or_warn(&self.graph, &distance, "the graph of the common subspace")?;
        Ok(Consensus::direct(graph.normalised(), common.view_weights()).with_graph(&self.graph))
    }
}

impl Ccamsc {
    /// `factorised` is the most features or samples of a view whose products are written out.
    fn common_subspace<'a>(&self, problem: &Problem<'a>, factorised: usize) -> Result<Common<'a>> {
        let mut projections = Vec::with_capacity(problem.views.len());
        for view in problem.views {
            problem.run.check()?;
            let X = Centred::new(&view.data);
            projections.push(Projection::new(X, self.ridge, factorised, &view.name, problem.run)?);
        }
        let most = problem.views.samples().saturating_sub(1);
        let rank = projections.iter().map(|projection| projection.X.features().min(most)).sum();
        let wanted = if self.dimensions == 0 { problem.clusters - 1 } else { self.dimensions };
        let mut request = TopEigen { seed: problem.seed, ..TopEigen::new(wanted.min(most).min(rank).max(1)) };
        if projections.iter().any(Projection::is_iterated) {
            // as exactly as labels need it
            request =
                TopEigen { max_products: MAX_ITERATED_PRODUCTS, ..TopEigen::for_labels(request.count, request.seed) };
        }
        let regressions = Regressions(projections);
        let eigen = match regressions.0.as_slice() {
            // P and XX' have the same eigenvectors, but those of P have nearly the same eigenvalues
            [only] => request.solve_or_warn(&only.X, None, problem.run)?,
            _ => request.solve_or_warn(&regressions, None, problem.run)?,
        };
        problem.run.check()?;
        Ok(Common::new(regressions, &eigen))
    }
}

/// What the views share.
struct Common<'a> {
    regressions: Regressions<'a>,
    /// `G` (n x q), orthonormal and centred: the samples along the common directions.
    G: Dense<f64>,
    /// `g_j' P_i g_j`, views x q: the share of direction j that view i explains.
    explained: Vec<Vec<f64>>,
}

impl<'a> Common<'a> {
    fn new(regressions: Regressions<'a>, eigen: &EigenPairs) -> Self {
        let largest = eigen.values.first().copied().unwrap_or(0.0);
        let kept = eigen.values.iter().filter(|value| **value > MIN_EIGENVALUE_SHARE * largest).count();
        // views that are all constant have no direction: every sample is at the origin of one
        let G = if kept > 0 { eigen.vectors.first_columns(kept) } else { Dense::zeros(eigen.vectors.rows(), 1) };
        let explained = regressions.0.iter().map(|P| column_sums(&G, &product(P, &G), |g, y| g * y)).collect();
        Self { regressions, G, explained }
    }

    /// Canonical correlations, 0 to 1: what the eigenvalues `sum_i g_j' P_i g_j` exceed 1 by, per further view.
    fn correlations(&self) -> Vec<f64> {
        let further = (self.explained.len() as f64 - 1.0).max(1.0);
        let own = if self.explained.len() > 1 { 1.0 } else { 0.0 };
        let value = |j: usize| self.explained.iter().map(|shares| shares[j]).sum::<f64>();
        (0..self.G.cols()).map(|j| ((value(j) - own) / further).max(0.0)).collect()
    }

    /// The points whose graph is clustered (n x q): every column of spread 1, or of its correlation.
    fn points(&self, view: Option<usize>, by_correlation: bool) -> Dense<f64> {
        let mut Y = view.map_or_else(|| self.G.clone(), |view| product(&self.regressions.0[view], &self.G));
        let n = Y.rows() as f64;
        let spread = column_sums(&Y, &Y, |x, y| x * y).into_iter().map(|square| (square / n).sqrt());
        let mut factors: Vec<f64> = spread.map(|spread| if spread > 0.0 { 1.0 / spread } else { 0.0 }).collect();
        if by_correlation {
            factors.iter_mut().zip(self.correlations()).for_each(|(factor, rho)| *factor *= rho);
        }
        let width = Y.cols().max(1);
        for row in Y.data_mut().chunks_exact_mut(width) {
            row.iter_mut().zip(&factors).for_each(|(y, factor)| *y *= factor);
        }
        Y
    }

    /// How much of the common subspace each view explains, as shares of 1.
    fn view_weights(&self) -> Vec<f64> {
        let sums: Vec<f64> = self.explained.iter().map(|shares| shares.iter().sum::<f64>().max(0.0)).collect();
        let total: f64 = sums.iter().sum();
        let equal = 1.0 / sums.len() as f64;
        sums.iter().map(|sum| if total > 0.0 { sum / total } else { equal }).collect()
    }
}

fn product(operator: &dyn LinOp, x: &Dense<f64>) -> Dense<f64> {
    let mut out = Dense::zeros(x.rows(), x.cols());
    operator.apply(x, &mut out);
    out
}
