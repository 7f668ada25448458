//! Orthonormal factors U_i, nonnegative factors G_i and their agreement:
//!
//! min  sum_i w_i [ lambda2 Tr(U_i' (I - N_i) U_i) + gamma/2 |U_i - G_i|^2 + beta/2 |U_i - C|^2 ]
//!      U_i' U_i = I,  G_i >= 0,  C free
//!
//! It is Eq. `object` with the orthonormality that Algorithm 1 restores every iteration made a constraint. At its minimum
//! C = sum_i w_i U_i, and sum_i w_i |U_i - C|^2 = 1/2 sum_ij w_i w_j |U_i - U_j|^2: the paper's agreement term, weighted.
//! Every step minimises or majorises one block, so the objective never rises. Cost per iteration: O(nnz k + n k^2).

use std::sync::Arc;

use faer::Mat;
use rayon::prelude::*;

use super::Slrmf;
use super::candidates::{Mixture, SpectralSolver, trace_form};
use super::graphs::ViewGraphs;
use crate::graph::Graph;
use crate::matrix::{Csr, Dense, gram, multiply_small, symmetric_eigen};
use crate::method::TraceRow;
use crate::method::common::{orthonormal_indicator, weighted_hstack};
use crate::operator::LinOp;
use crate::run::Termination;
use crate::{Error, Result, Run};

/// Share of a view's own graph in its manifold term; the rest is the chosen graph.
const OWN_SHARE: f64 = 0.1;
/// Generalised power steps of each U_i per iteration.
const POWER_STEPS: usize = 3;
/// The iteration ends when the objective falls by less than this share.
const TOLERANCE: f64 = 1e-3;

/// Weights of the terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub(super) lambda2: f64,
    pub(super) beta: f64,
    pub(super) gamma: f64,
    pub(super) max_iterations: usize,
}

/// One view in the solver.
pub(super) struct Factor {
    name: String,
    /// w_i.
    weight: f64,
    /// N_i, n x n operator.
    graph: Arc<dyn LinOp>,
    /// U_i, n x k.
    pub(super) u: Dense<f64>,
    /// G_i, n x k.
    pub(super) g: Dense<f64>,
}

/// The factors at the end, and how the iteration went.
pub(super) struct Solution {
    pub(super) factors: Vec<Factor>,
    pub(super) objective: f64,
    pub(super) trace: Vec<TraceRow>,
    pub(super) termination: Termination,
}

/// Solves for the factors from the labels of the best mixtures; the lowest objective wins.
pub(super) fn factorise(
    method: &Slrmf,
    spectral: &SpectralSolver<'_>,
    graphs: &ViewGraphs,
    weights: &[f64],
    mixtures: &[Mixture],
) -> Result<Solution> {
    let &Slrmf { lambda2, beta, gamma, max_iterations, .. } = method;
    let terms = Terms { lambda2, beta, gamma, max_iterations };
    let chosen = &mixtures[0];
    let view = |own: &Arc<Csr<f64>>| {
        let mixed = own.merged(&chosen.graph, |own, joint| OWN_SHARE * own + (1.0 - OWN_SHARE) * joint)?;
        let graph = Graph::new(mixed).normalised();
        let eigen = spectral.eigenvectors(graph.as_ref(), Some(&chosen.candidate.eigenvectors))?;
        Ok((graph, eigen.vectors))
    };
    let views = graphs.per_view.par_iter().map(view).collect::<Result<Vec<_>>>()?;
    let mut best: Option<Solution> = None;
    for start in mixtures.iter().take(method.starts) {
        let target = orthonormal_indicator(&start.candidate.clusters.labels, spectral.clusters);
        let factors = views.iter().zip(&graphs.views).zip(weights).map(|(((graph, vectors), view), &weight)| {
            Factor::new(&view.name, weight, graph.clone(), vectors, &target)
        });
        let solution = solve(factors.collect::<Result<_>>()?, terms, spectral.run)?;
        if best.as_ref().is_none_or(|best| solution.objective < best.objective) {
            best = Some(solution);
        }
    }
    best.ok_or_else(|| Error::data("the factorisation was given no start"))
}

impl Factor {
    /// Starts from the view's own eigenvectors F_i (n x k), turned towards the indicator R (n x k).
    pub(super) fn new(name: &str, weight: f64, graph: Arc<dyn LinOp>, f: &Dense<f64>, r: &Dense<f64>) -> Result<Self> {
        let turn = polar_small(&gram(f.as_mat(), r.as_mat()))?;
        let mut u = Dense::zeros(f.rows(), f.cols());
        multiply_small(u.as_mat_mut(), f.as_mat(), turn.as_ref());
        let g = positive_part(&u);
        Ok(Self { name: name.to_owned(), weight, graph, u, g })
    }

    /// U <- polar(2 lambda2 (U + N U) + beta C + gamma G): the maximiser of a linear minorant, for N + I is never negative.
    fn power_step(&mut self, c: &Dense<f64>, terms: Terms) -> Result<()> {
        let mut target = Dense::zeros(self.u.rows(), self.u.cols());
        self.graph.apply(&self.u, &mut target);
        let entries = target.data_mut().iter_mut().zip(self.u.data()).zip(c.data()).zip(self.g.data());
        entries.for_each(|(((t, u), c), g)| *t = 2.0 * terms.lambda2 * (u + *t) + terms.beta * c + terms.gamma * g);
        self.u = polar(&target)?;
        Ok(())
    }

    /// A few power steps, then G = max(0, U). Gives the change of U, relative to its norm.
    fn update(&mut self, c: &Dense<f64>, terms: Terms) -> Result<f64> {
        let before = self.u.clone();
        for _ in 0..POWER_STEPS {
            self.power_step(c, terms)?;
        }
        self.g = positive_part(&self.u);
        Ok((square_distance(&before, &self.u) / before.cols() as f64).sqrt())
    }

    /// The view's term of the objective, without its weight.
    fn objective(&self, c: &Dense<f64>, terms: Terms) -> f64 {
        let manifold = self.u.cols() as f64 - trace_form(&self.u, self.graph.as_ref());
        terms.lambda2 * manifold
            + 0.5 * terms.gamma * square_distance(&self.u, &self.g)
            + 0.5 * terms.beta * square_distance(&self.u, c)
    }
}

pub(super) fn solve(mut factors: Vec<Factor>, terms: Terms, run: &Run) -> Result<Solution> {
    let mut c = consensus(&factors);
    let mut objective: f64 = factors.iter().map(|factor| factor.weight * factor.objective(&c, terms)).sum();
    let mut trace = Vec::new();
    for iteration in 1..=terms.max_iterations {
        run.check()?;
        // given C the views do not see each other
        let changes = factors.par_iter_mut().map(|factor| factor.update(&c, terms)).collect::<Result<Vec<_>>>()?;
        c = consensus(&factors);
        let objectives: Vec<f64> =
            factors.par_iter().map(|factor| factor.weight * factor.objective(&c, terms)).collect();
        let k = c.cols() as f64;
        let rows = factors.iter().zip(changes).zip(&objectives);
        trace.extend(rows.map(|((factor, change), &objective)| TraceRow {
            iteration,
            view: factor.name.clone(),
            objective,
            residual: (square_distance(&factor.u, &factor.g) / k).sqrt(),
            change,
        }));
        let decrease = objective - objectives.iter().sum::<f64>();
        objective -= decrease;
        if decrease < TOLERANCE * objective.abs() {
            return Ok(Solution {
                factors,
                objective,
                trace,
                termination: Termination::Converged { iterations: iteration },
            });
        }
    }
    let termination = Termination::IterationLimit { iterations: terms.max_iterations };
    Ok(Solution { factors, objective, trace, termination })
}

/// C = sum_i w_i U_i, n x k.
fn consensus(factors: &[Factor]) -> Dense<f64> {
    let Some(first) = factors.first() else { return Dense::zeros(0, 0) };
    let mut c = Dense::zeros(first.u.rows(), first.u.cols());
    for factor in factors {
        c.data_mut().iter_mut().zip(factor.u.data()).for_each(|(c, u)| *c += factor.weight * u);
    }
    c
}

/// B = [sqrt(w_1) G_1, .., sqrt(w_V) G_V], n x V k: the consensus affinity is W = B B'.
pub(super) fn consensus_factor(factors: &[Factor]) -> Dense<f64> {
    let g: Vec<&Dense<f64>> = factors.iter().map(|factor| &factor.g).collect();
    weighted_hstack(&g, |i| factors[i].weight.sqrt())
}

fn positive_part(u: &Dense<f64>) -> Dense<f64> {
    let mut g = u.clone();
    g.data_mut().iter_mut().for_each(|x| *x = x.max(0.0));
    g
}

fn square_distance(a: &Dense<f64>, b: &Dense<f64>) -> f64 {
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The nearest matrix with orthonormal columns, A (A'A)^-1/2, n x k.
fn polar(a: &Dense<f64>) -> Result<Dense<f64>> {
    let root = inverse_root(&gram(a.as_mat(), a.as_mat()))?;
    let mut out = Dense::zeros(a.rows(), a.cols());
    multiply_small(out.as_mat_mut(), a.as_mat(), root.as_ref());
    Ok(out)
}

/// The same for a small k x k matrix.
fn polar_small(a: &Mat<f64>) -> Result<Mat<f64>> {
    let root = inverse_root(&(a.transpose() * a))?;
    Ok(a * root)
}

/// S^-1/2 of a symmetric matrix; directions without length stay without.
fn inverse_root(s: &Mat<f64>) -> Result<Mat<f64>> {
    let eigen = symmetric_eigen(s.as_ref())?;
    let floor = 1e-14 * eigen.values.first().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let k = eigen.values.len();
    let scaled = Mat::from_fn(k, k, |i, j| eigen.vectors[(i, j)] / eigen.values[j].max(floor).sqrt());
    Ok(scaled * eigen.vectors.transpose())
}
