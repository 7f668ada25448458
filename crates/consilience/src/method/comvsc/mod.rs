//! Co-regularised spectral clustering: every view's eigenvectors are drawn towards those of the others.
//!
//! Block ascent on (Kumar, Rai, Daume 2011, sections 2.1 to 2.3)
//!
//! pairwise:  max  sum_v Tr(U_v' A_v U_v) + lambda sum_{v<w} |U_v' U_w|^2,           U_v' U_v = I
//! centroid:  max  sum_v Tr(U_v' A_v U_v) + lambda sum_v |U_v' U*|^2,                U_v' U_v = I, U*' U* = I
//!
//! With everything else fixed, the best U_v are the top k eigenvectors of A_v + lambda (the sum of the projectors U_v is
//! drawn to), and the best U* are those of sum_v U_v U_v'. So the objective never falls. Projectors are kept as factors.

// the paper's letters, capitals for matrices
#![allow(non_snake_case)]

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::common::{equal_weights, hstack, mean_projector, overlap, shared_directions, subspace_distance};
use super::{Consensus, Findings, Method, MethodInfo, Problem, Property, Solved, TraceRow};
use crate::graph::GraphSettings;
use crate::matrix::{Csr, Dense};
use crate::operator::{LinOp, LowRank, TopEigen, WeightedSum};
use crate::parameters::{Bounds, ParameterValues, choice, parameters};
use crate::run::{Termination, Warning};
use crate::spectral::embed;
use crate::{Result, Run, Stage};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Comvsc>("comvsc", "co-regularised spectral clustering")
    .summary(
        "Computes eigenvectors of every view's graph while a term rewards subspaces that agree: with each other \
              (pairwise), or with a common one (centroid).",
    )
    .citation("A. Kumar, P. Rai, H. Daume III. Co-regularized multi-view spectral clustering. NIPS 2011")
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(V n (s k + V k^2)) per eigen-solver step, V solves per iteration",
        "O(n (V s + V k)); no n x n matrix",
    )
    .revision(2)
    .properties(&[Property::Affinities]);

choice! {
    /// What the views' eigenvectors are drawn to.
    pub enum ComvscScheme {
        /// To each other; the points are the rows of all of them side by side.
        Pairwise = "pairwise",
        /// To a common subspace, whose rows are the points.
        Centroid = "centroid",
    }
}

parameters! {
    /// Co-regularised spectral clustering.
    pub struct Comvsc {
        /// What the views' eigenvectors are drawn to.
        scheme: ComvscScheme = ComvscScheme::Pairwise, Bounds::ANY, "";
        /// Weight of the agreement; 0 leaves every view to itself.
        lambda: f64 = 0.05, Bounds::between(0.0, 1e6), "lambda";
        /// Most iterations; each solves one eigenproblem per view.
        max_iterations: usize = 30, Bounds::between(0.0, 10_000.0), "";
        /// The iteration ends when the objective grows by less than this share of itself.
        tolerance: f64 = 1e-6, Bounds::between(0.0, 1.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Comvsc {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        problem.run.enter(Stage::Solve);
        let ascent = BlockAscent {
            scheme: self.scheme,
            lambda: self.lambda,
            max_iterations: self.max_iterations,
            tolerance: self.tolerance,
            clusters: problem.clusters,
            seed: problem.seed,
        };
        let named = problem.views.iter().zip(graphs).map(|(view, graph)| (view.name.clone(), graph.normalised()));
        let solution = ascent.solve(named.collect(), problem.run)?;
        let U: Vec<_> = solution.views.iter().map(ViewSpectrum::U).collect();
        let affinity = Arc::new(mean_projector(&U));
        let shared = shared_directions(&affinity, problem.clusters)?;
        let solved = match self.scheme {
            ComvscScheme::Pairwise => {
                Solved::Embedding { points: embed(hstack(&U)), eigenvalues: shared.known_values() }
            }
            // the centroid U* is these very directions: the pipeline takes them as it takes eigenvectors
            ComvscScheme::Centroid => Solved::Eigenvectors(shared),
        };
        Ok(Consensus {
            solved,
            termination: solution.termination,
            findings: Findings { trace: solution.trace, ..Findings::default() },
            ..Consensus::direct(affinity, equal_weights(U.len())).with_graph(&self.graph)
        })
    }
}

/// A last gain above this share of the objective means that the answer would still have changed.
const LARGE_GAIN: f64 = 1e-4;
/// An eigenproblem before the last iteration is solved to this share of what the views still change its operator by. The
/// last subspace lies in the one searched, so the objective rises all the same.
const INEXACTNESS: f64 = 0.02;
/// No eigenproblem is solved less exactly than this.
const MAX_TOLERANCE: f64 = 1e-3;
/// And none more exactly, before the last iteration.
const MIN_TOLERANCE: f64 = 1e-6;

/// What to maximise, and how far to go.
#[derive(Debug, Clone, Copy)]
struct BlockAscent {
    scheme: ComvscScheme,
    lambda: f64,
    max_iterations: usize,
    tolerance: f64,
    /// k.
    clusters: usize,
    seed: u64,
}

/// One view in the iteration.
struct ViewSpectrum {
    name: String,
    /// A_v = D^-1/2 W D^-1/2, n x n.
    A: Arc<Csr<f64>>,
    /// U_v U_v', kept as U_v, n x k.
    projector: Arc<LowRank>,
    /// Tr(U_v' A_v U_v).
    own: f64,
    /// Of the last eigenproblem: |A x - a x|, relative to the largest eigenvalue.
    residual: f64,
    /// Distance of the subspace from that of the iteration before.
    change: f64,
}

/// The views at the end, and how the iteration went.
struct Solution {
    views: Vec<ViewSpectrum>,
    trace: Vec<TraceRow>,
    termination: Termination,
}

impl ViewSpectrum {
    /// U_v, n x k.
    fn U(&self) -> &Dense<f64> {
        self.projector.factor()
    }

    /// The top k eigenvectors of A_v + lambda sum `drawn_to`, from the ones there are.
    fn update(&mut self, drawn_to: &[Arc<LowRank>], tolerance: f64, ascent: &BlockAscent, run: &Run) -> Result<()> {
        let request = TopEigen { tolerance, ..ascent.request() };
        let found = request.solve(&self.operator(drawn_to, ascent.lambda), Some(self.U()), run)?;
        let agreement: f64 = drawn_to.iter().map(|other| overlap(&found.vectors, other.factor())).sum();
        self.own = found.values.iter().sum::<f64>() - ascent.lambda * agreement;
        self.change = subspace_distance(self.U(), &found.vectors);
        self.residual = found.residual;
        self.projector = Arc::new(LowRank::new(found.vectors));
        Ok(())
    }

    /// A_v + lambda sum `drawn_to`; no n x n matrix.
    fn operator(&self, drawn_to: &[Arc<LowRank>], lambda: f64) -> WeightedSum {
        let own = (1.0, Arc::clone(&self.A) as Arc<dyn LinOp>);
        let others = drawn_to.iter().map(|other| (lambda, Arc::clone(other) as Arc<dyn LinOp>));
        WeightedSum::new(std::iter::once(own).chain(others).collect())
    }

    fn trace_row(&self, iteration: usize, objective: f64) -> TraceRow {
        TraceRow { iteration, view: self.name.clone(), objective, residual: self.residual, change: self.change }
    }
}

fn worst_residual(views: &[ViewSpectrum]) -> f64 {
    views.iter().map(|view| view.residual).fold(0.0, f64::max)
}

impl BlockAscent {
    /// To 1e-8: the error of the objective is of the order of its square, far below what the stop rule looks at.
    fn request(&self) -> TopEigen {
        TopEigen { seed: self.seed, ..TopEigen::new(self.clusters) }
    }

    /// Tolerance of the eigenproblems while the subspaces change by `change` (at most 1) in an iteration.
    fn inexact_tolerance(&self, change: f64) -> f64 {
        // without agreement or iterations the first solution is the last
        let exact = self.lambda == 0.0 || self.max_iterations == 0;
        if exact {
            self.request().tolerance
        } else {
            (INEXACTNESS * self.lambda * change).clamp(MIN_TOLERANCE, MAX_TOLERANCE)
        }
    }

    fn solve(&self, graphs: Vec<(String, Arc<Csr<f64>>)>, run: &Run) -> Result<Solution> {
        let mut views = graphs.into_iter().map(|graph| self.initial(graph, run)).collect::<Result<Vec<_>>>()?;
        let mut centre = self.centre(&views)?;
        let mut objective: f64 = self.objectives(&views, centre.as_ref()).iter().sum();
        let (mut trace, mut gain, mut change) = (Vec::new(), f64::INFINITY, 1.0);
        let mut termination = Termination::IterationLimit { iterations: self.max_iterations };
        for iteration in 1..=self.max_iterations {
            // the last iteration solves exactly
            let last = iteration == self.max_iterations || gain < self.tolerance;
            let tolerance = if last { self.request().tolerance } else { self.inexact_tolerance(change) };
            let objectives = self.sweep(&mut views, &mut centre, tolerance, run)?;
            let now: f64 = objectives.iter().sum();
            gain = (now - objective) / now.abs().max(f64::MIN_POSITIVE);
            objective = now;
            change = views.iter().map(|view| view.change).fold(0.0, f64::max);
            trace.extend(views.iter().zip(objectives).map(|(view, objective)| view.trace_row(iteration, objective)));
            run.progress(iteration, self.max_iterations);
            if gain < self.tolerance && worst_residual(&views) <= self.request().tolerance {
                termination = Termination::Converged { iterations: iteration };
                break;
            }
        }
        self.warn_if_inexact(&views, termination, gain, run);
        Ok(Solution { views, trace, termination })
    }

    /// Every view's eigenproblem once, in turn. Gives every view's term of the objective.
    fn sweep(
        &self,
        views: &mut [ViewSpectrum],
        centre: &mut Option<Arc<LowRank>>,
        tolerance: f64,
        run: &Run,
    ) -> Result<Vec<f64>> {
        for v in 0..views.len() {
            run.check()?;
            let drawn_to = self.drawn_to(v, views, centre.as_ref());
            views[v].update(&drawn_to, tolerance, self, run)?;
        }
        *centre = self.centre(views)?;
        Ok(self.objectives(views, centre.as_ref()))
    }

    /// A view's own eigenvectors, before the first iteration.
    fn initial(&self, (name, A): (String, Arc<Csr<f64>>), run: &Run) -> Result<ViewSpectrum> {
        let found =
            TopEigen { tolerance: self.inexact_tolerance(1.0), ..self.request() }.solve(A.as_ref(), None, run)?;
        let (own, residual) = (found.values.iter().sum(), found.residual);
        let projector = Arc::new(LowRank::new(found.vectors));
        Ok(ViewSpectrum { name, A, projector, own, residual, change: 0.0 })
    }

    /// The projectors that view `v` is drawn to: the other views' as they are now (Gauss-Seidel), or the centre.
    fn drawn_to(&self, v: usize, views: &[ViewSpectrum], centre: Option<&Arc<LowRank>>) -> Vec<Arc<LowRank>> {
        match centre {
            _ if self.lambda == 0.0 => Vec::new(),
            Some(centre) => vec![Arc::clone(centre)],
            None => views.iter().enumerate().filter(|&(w, _)| w != v).map(|(_, w)| Arc::clone(&w.projector)).collect(),
        }
    }

    /// U* U*', kept as U*, n x k; only the centroid scheme has one.
    fn centre(&self, views: &[ViewSpectrum]) -> Result<Option<Arc<LowRank>>> {
        if self.scheme == ComvscScheme::Pairwise {
            return Ok(None);
        }
        let U: Vec<_> = views.iter().map(ViewSpectrum::U).collect();
        let shared = shared_directions(&mean_projector(&U), self.clusters)?;
        Ok(Some(Arc::new(LowRank::new(shared.vectors))))
    }

    /// Every view's term of the objective; a pair of views shares what it adds.
    fn objectives(&self, views: &[ViewSpectrum], centre: Option<&Arc<LowRank>>) -> Vec<f64> {
        let share = if centre.is_some() { 1.0 } else { 0.5 };
        let agreement = |v: usize| -> f64 {
            let drawn_to = self.drawn_to(v, views, centre);
            drawn_to.iter().map(|other| overlap(views[v].U(), other.factor())).sum()
        };
        (0..views.len()).map(|v| views[v].own + share * self.lambda * agreement(v)).collect()
    }

    /// Warns of a result that is not within the tolerances.
    fn warn_if_inexact(&self, views: &[ViewSpectrum], termination: Termination, gain: f64, run: &Run) {
        if !termination.is_converged() && gain.is_finite() && gain > LARGE_GAIN {
            run.warn(Warning::not_converged(format!(
                "co-regularisation has not converged: its objective still grew by {gain:.1e} in iteration {}",
                termination.iterations()
            )));
        }
        let worst = worst_residual(views);
        if worst > self.request().tolerance {
            run.warn(Warning::not_converged(format!("the views' eigenvectors are not exact: residual {worst:.1e}")));
        }
    }
}
