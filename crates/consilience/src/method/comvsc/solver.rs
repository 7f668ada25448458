//! Block ascent on (Kumar, Rai, Daume 2011, sections 2.1 to 2.3)
//!
//! pairwise:  max  sum_v Tr(U_v' A_v U_v) + lambda sum_{v<w} |U_v' U_w|^2,           U_v' U_v = I
//! centroid:  max  sum_v Tr(U_v' A_v U_v) + lambda sum_v |U_v' U*|^2,                U_v' U_v = I, U*' U* = I
//!
//! With everything else fixed, the best U_v are the top k eigenvectors of A_v + lambda (the sum of the projectors U_v is
//! drawn to), and the best U* are those of sum_v U_v U_v'. So the objective never falls. Projectors are kept as factors.

use std::sync::Arc;

use super::Scheme;
use crate::matrix::{Csr, Dense};
use crate::method::joint::{mean_projector, moved, overlap, shared_directions};
use crate::method::{Stop, TraceRow};
use crate::operator::{LinOp, LowRank, TopEigen, WeightedSum};
use crate::{Result, Run};

/// A last gain above this share of the objective means that the answer would still have changed.
const LARGE_GAIN: f64 = 1e-4;
/// An eigenproblem on the way is solved to this share of what the views still move its operator by. The subspace there was
/// lies in the one searched, so the objective rises all the same.
const LOOSENESS: f64 = 0.02;
/// No eigenproblem is solved less exactly than this.
const LOOSEST: f64 = 1e-3;
/// And none more exactly, before the last.
const TIGHTEST: f64 = 1e-6;

/// What to maximise, and how far to go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solver {
    pub(super) scheme: Scheme,
    pub(super) lambda: f64,
    pub(super) max_iterations: usize,
    pub(super) tolerance: f64,
    /// k.
    pub(super) clusters: usize,
    pub(super) seed: u64,
}

/// One view in the solver.
pub(super) struct Spectrum {
    name: String,
    /// A_v = D^-1/2 W D^-1/2, n x n.
    A: Arc<Csr<f64>>,
    /// U_v U_v', kept as U_v, n x k.
    projector: Arc<LowRank>,
    /// Tr(U_v' A_v U_v).
    own: f64,
    /// Of the last eigenproblem: |A x - a x|, relative to the largest eigenvalue.
    residual: f64,
    /// How far the subspace moved in the last iteration.
    change: f64,
}

/// The views at the end, with the account of how they came about.
pub(super) struct Solution {
    pub(super) views: Vec<Spectrum>,
    pub(super) trace: Vec<TraceRow>,
    pub(super) stop: Stop,
}

impl Spectrum {
    /// U_v, n x k.
    pub(super) fn U(&self) -> &Dense<f64> {
        self.projector.factor()
    }

    /// The top k eigenvectors of A_v + lambda sum `drawn_to`, from the ones there are.
    fn update(&mut self, drawn_to: &[Arc<LowRank>], tolerance: f64, solver: &Solver, run: &Run) -> Result<()> {
        let request = TopEigen { tolerance, ..solver.request() };
        let found = request.solve(&self.operator(drawn_to, solver.lambda), Some(self.U()), run)?;
        let agreement: f64 = drawn_to.iter().map(|other| overlap(&found.vectors, other.factor())).sum();
        self.own = found.values.iter().sum::<f64>() - solver.lambda * agreement;
        self.change = moved(self.U(), &found.vectors);
        self.residual = found.residual;
        self.projector = Arc::new(LowRank::new(found.vectors));
        Ok(())
    }

    /// A_v + lambda sum `drawn_to`; no n x n matrix.
    pub(super) fn operator(&self, drawn_to: &[Arc<LowRank>], lambda: f64) -> WeightedSum {
        let own = (1.0, Arc::clone(&self.A) as Arc<dyn LinOp>);
        let others = drawn_to.iter().map(|other| (lambda, Arc::clone(other) as Arc<dyn LinOp>));
        WeightedSum::new(std::iter::once(own).chain(others).collect())
    }
}

fn worst_residual(views: &[Spectrum]) -> f64 {
    views.iter().map(|view| view.residual).fold(0.0, f64::max)
}

impl Solver {
    /// To 1e-8: the error of the objective is of the order of its square, far below what the stop rule looks at.
    pub(super) fn request(&self) -> TopEigen {
        TopEigen { seed: self.seed, ..TopEigen::new(self.clusters) }
    }

    /// How exactly to solve while the views move by `moves` (of at most 1) in an iteration.
    fn loose(&self, moves: f64) -> f64 {
        // views that are not drawn to each other have nothing to wait for
        let alone = self.lambda == 0.0 || self.max_iterations == 0;
        if alone { self.request().tolerance } else { (LOOSENESS * self.lambda * moves).clamp(TIGHTEST, LOOSEST) }
    }

    pub(super) fn solve(&self, graphs: Vec<(String, Arc<Csr<f64>>)>, run: &Run) -> Result<Solution> {
        let mut views = graphs.into_iter().map(|graph| self.alone(graph, run)).collect::<Result<Vec<_>>>()?;
        let mut centre = self.centre(&views)?;
        let mut objective: f64 = self.parts(&views, centre.as_ref()).iter().sum();
        let (mut trace, mut gain, mut moves) = (Vec::new(), f64::INFINITY, 1.0);
        let mut stop = Stop { reason: "iteration limit", iterations: self.max_iterations };
        for iteration in 1..=self.max_iterations {
            // what is answered is exact
            let last = iteration == self.max_iterations || gain < self.tolerance;
            let tolerance = if last { self.request().tolerance } else { self.loose(moves) };
            let parts = self.sweep(&mut views, &mut centre, tolerance, run)?;
            let now: f64 = parts.iter().sum();
            gain = (now - objective) / now.abs().max(f64::MIN_POSITIVE);
            objective = now;
            moves = views.iter().map(|view| view.change).fold(0.0, f64::max);
            trace.extend(views.iter().zip(parts).map(|(view, objective)| view.row(iteration, objective)));
            run.progress(iteration, self.max_iterations);
            if gain < self.tolerance && worst_residual(&views) <= self.request().tolerance {
                stop = Stop { reason: "converged", iterations: iteration };
                break;
            }
        }
        self.account(&views, &stop, gain, run);
        Ok(Solution { views, trace, stop })
    }

    /// Every view's eigenproblem once, in turn. Gives the parts of the objective.
    fn sweep(
        &self,
        views: &mut [Spectrum],
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
        Ok(self.parts(views, centre.as_ref()))
    }

    /// A view before it knows of the others.
    pub(super) fn alone(&self, (name, A): (String, Arc<Csr<f64>>), run: &Run) -> Result<Spectrum> {
        let found = TopEigen { tolerance: self.loose(1.0), ..self.request() }.solve(A.as_ref(), None, run)?;
        let (own, residual) = (found.values.iter().sum(), found.residual);
        let projector = Arc::new(LowRank::new(found.vectors));
        Ok(Spectrum { name, A, projector, own, residual, change: 0.0 })
    }

    /// The projectors that view `v` is drawn to: the other views' as they are now (Gauss-Seidel), or the centre.
    pub(super) fn drawn_to(&self, v: usize, views: &[Spectrum], centre: Option<&Arc<LowRank>>) -> Vec<Arc<LowRank>> {
        match centre {
            _ if self.lambda == 0.0 => Vec::new(),
            Some(centre) => vec![Arc::clone(centre)],
            None => views.iter().enumerate().filter(|&(w, _)| w != v).map(|(_, w)| Arc::clone(&w.projector)).collect(),
        }
    }

    /// U* U*', kept as U*, n x k; only the centroid scheme has one.
    fn centre(&self, views: &[Spectrum]) -> Result<Option<Arc<LowRank>>> {
        if self.scheme == Scheme::Pairwise {
            return Ok(None);
        }
        let U: Vec<_> = views.iter().map(Spectrum::U).collect();
        let shared = shared_directions(&mean_projector(&U), self.clusters)?;
        Ok(Some(Arc::new(LowRank::new(shared.vectors))))
    }

    /// Every view's part of the objective; a pair of views shares what it adds.
    fn parts(&self, views: &[Spectrum], centre: Option<&Arc<LowRank>>) -> Vec<f64> {
        let share = if centre.is_some() { 1.0 } else { 0.5 };
        let agreement = |v: usize| -> f64 {
            let drawn_to = self.drawn_to(v, views, centre);
            drawn_to.iter().map(|other| overlap(views[v].U(), other.factor())).sum()
        };
        (0..views.len()).map(|v| views[v].own + share * self.lambda * agreement(v)).collect()
    }

    /// Warns of an answer that is not what was asked for.
    fn account(&self, views: &[Spectrum], stop: &Stop, gain: f64, run: &Run) {
        if stop.reason != "converged" && gain.is_finite() && gain > LARGE_GAIN {
            run.warn(format!(
                "co-regularisation has not converged: its objective still grew by {gain:.1e} in iteration {}",
                stop.iterations
            ));
        }
        let worst = worst_residual(views);
        if worst > self.request().tolerance {
            run.warn(format!("the views' eigenvectors are not exact: residual {worst:.1e}"));
        }
    }
}

impl Spectrum {
    fn row(&self, iteration: usize, objective: f64) -> TraceRow {
        TraceRow { iteration, view: self.name.clone(), objective, residual: self.residual, change: self.change }
    }
}
