//! Everything made from the views before a graph is chosen.

use std::sync::Arc;

use super::graphs::{joint_graph, scales_around, view_graph, view_quality};
use super::lists::{Lists, smooth};
use super::prepare::{Preparation, Prepared};
use super::{Slrmf, ViewWeights};
use crate::matrix::{Csr, Dense};
use crate::method::Problem;
use crate::{Result, Run};

/// A view with less than this share of its fair weight is pointed out.
const HARDLY_HEARD: f64 = 0.05;

/// Prepared views and their graphs.
pub(super) struct Ground {
    pub(super) prepared: Vec<Prepared>,
    /// Numbers of neighbours at which the graphs are made.
    pub(super) counts: Vec<usize>,
    /// N_i before smoothing, n x n: for the quality of views only, since smoothing plants the consensus in every view.
    pub(super) raw: Vec<Csr<f64>>,
    /// N_i, n x n.
    pub(super) own: Vec<Arc<Csr<f64>>>,
    /// J, n x n.
    pub(super) joint: Arc<Csr<f64>>,
}

impl Ground {
    pub(super) fn build(method: &Slrmf, problem: &Problem<'_>) -> Result<Self> {
        let preparation =
            Preparation { robust: method.robust, hellinger: method.hellinger, missing_rows: method.missing_rows };
        let mut prepared = preparation.apply(problem.views, problem.run)?;
        let n = problem.views.samples();
        let mut lists = Lists::find(&prepared, method.local_neighbour, problem.run)?;
        let count = if method.neighbours == 0 { lists.neighbour_count() } else { method.neighbours as f64 };
        let counts = scales_around(count, method.multi_scale);
        let graphs = |lists: &Lists| -> Result<Vec<Csr<f64>>> {
            lists.own.iter().map(|own| view_graph(own.as_ref(), &counts, n)).collect()
        };
        let raw = graphs(&lists)?;
        if method.smoothing > 0.0 && prepared.iter().any(|view| !view.is_counts) {
            smooth(&mut prepared, &lists, method.smoothing)?;
            lists = Lists::find(&prepared, method.local_neighbour, problem.run)?;
        }
        let own = graphs(&lists)?.into_iter().map(Arc::new).collect();
        let joint = Arc::new(joint_graph(&lists, &counts)?);
        Ok(Self { prepared, counts, raw, own, joint })
    }

    /// w, by the quality of the views in the light of the joint eigenvectors (n x k); they sum to 1.
    pub(super) fn view_weights(&self, rule: ViewWeights, joint: &Dense<f64>) -> Vec<f64> {
        let equal = vec![1.0 / self.raw.len() as f64; self.raw.len()];
        if rule == ViewWeights::Equal {
            return equal;
        }
        let views = self.raw.iter().zip(&self.prepared);
        let quality: Vec<f64> = views.map(|(graph, view)| view_quality(joint, graph, &view.missing)).collect();
        let total: f64 = quality.iter().sum();
        if total > 0.0 { quality.iter().map(|q| q / total).collect() } else { equal }
    }

    /// Says in plain words what is wrong with a view.
    pub(super) fn warn(&self, weights: &[f64], run: &Run) {
        for (prepared, weight) in self.prepared.iter().zip(weights) {
            let name = &prepared.view.name;
            if prepared.found.share > 0.0 {
                let percent = 100.0 * prepared.found.share;
                run.warn(format!(
                    "view `{name}` looks corrupted: {percent:.0} % of its entries were split off as noise"
                ));
            }
            let missing = prepared.missing.iter().filter(|missing| **missing).count();
            if missing > 0 {
                run.warn(format!(
                    "view `{name}` knows nothing of {missing} samples (all-zero rows); the other views decide"
                ));
            }
            if weights.len() > 1 && *weight < HARDLY_HEARD / weights.len() as f64 {
                run.warn(format!("view `{name}` does not support what the views agree on: its weight is {weight:.3}"));
            }
        }
    }
}
