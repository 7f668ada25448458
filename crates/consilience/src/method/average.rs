//! The mean of the views' normalised graphs.

use std::sync::Arc;

use super::common::equal_weights;
use super::{Consensus, Method, MethodInfo, Problem, Property};
use crate::Result;
use crate::graph::{Graph, GraphSettings};
use crate::matrix::Csr;
use crate::operator::{LinOp, WeightedSum};
use crate::parameters::{ParameterValues, parameters};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Average>("average", "mean of the views' graphs")
    .summary(
        "Builds a neighbour graph per view and averages the normalised graphs: every view has one vote, \
              whatever its number of features.",
    )
    .citation("D. Zhou, C. Burges. Spectral clustering and transductive learning with multiple views. ICML 2007")
    .cost("O(n^2 sum d) for exact neighbours, then O(V n s k) per eigen-solver step", "O(n (V s + k))")
    .properties(&[Property::Weighted, Property::Incomplete, Property::Affinities]);

parameters! {
    /// Spectral clustering of the mean of the views' normalised graphs.
    pub struct Average {
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Average {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let weights = problem.weights.map_or_else(|| equal_weights(problem.views.len()), <[f64]>::to_vec);
        let graphs = problem.view_graphs_or_warn(&self.graph)?;
        if !problem.views.is_complete() {
            return Ok(Consensus::direct(over_known(&graphs, &weights)?, weights).with_graph(&self.graph));
        }
        let terms = graphs.iter().zip(&weights).map(|(graph, &weight)| (weight, graph.normalised() as Arc<dyn LinOp>));
        let affinity = Arc::new(WeightedSum::new(terms.collect()));
        Ok(Consensus::direct(affinity, weights).with_graph(&self.graph))
    }
}

/// The mean over the views that know a sample: with the sum normalised once more, a sample that few views know is tied as
/// firmly as one that all know.
fn over_known(graphs: &[Graph], weights: &[f64]) -> Result<Arc<Csr<f64>>> {
    let normalised: Vec<Graph> = graphs.iter().map(|graph| Graph::new(graph.normalised().as_ref().clone())).collect();
    Ok(Graph::weighted_sum(weights.iter().copied().zip(&normalised))?.normalised())
}
