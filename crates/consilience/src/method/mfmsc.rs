//! MFMSC: concatenated features, then one graph. The first of the paper's seven baselines.

use super::{Consensus, Method, MethodInfo, Problem, Property};
use crate::graph::GraphSettings;
use crate::neighbours::{Distance, DistanceMetric, Term, Weighting};
use crate::parameters::{ParameterValues, parameters};
use crate::{Result, View};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Mfmsc>("mfmsc", "concatenated features")
    .summary(
        "Puts the scaled features of all views side by side and clusters one neighbour graph of them: views \
              with more features count more.",
    )
    .citation(
        "MFMSC in the paper's tables (its reference `cvpr10`); spectral step of A. Ng, M. Jordan, Y. Weiss. NIPS 2001",
    )
    .cost(
        "O(n^2 sum d) for exact neighbours, then O(n s k) per eigen-solver step",
        "O(n (s + k)), and the features once more in single precision while neighbours are searched",
    )
    .properties(&[Property::Weighted]);

parameters! {
    /// Spectral clustering of the concatenated features.
    pub struct Mfmsc {
    }
    shares {
        /// How the graph of the concatenated features is made.
        graph: GraphSettings;
    }
}

impl Method for Mfmsc {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        // squared distances of concatenated features are the sum of the views' squared distances
        let distance = match problem.weights {
            None => Distance::sum(problem.views, self.graph.metric),
            Some(_) => weighted(problem, self.graph.metric),
        };
        let graph = problem.graph_or_warn(&self.graph, &distance, "the graph of the concatenated views")?;
        let features: usize = problem.views.iter().map(|view| view.data.cols()).sum();
        let share = |view: &View| view.data.cols() as f64 / features as f64;
        let view_weights = match problem.weights {
            None => problem.views.iter().map(share).collect(),
            Some(weights) => weights.to_vec(),
        };
        Ok(Consensus::direct(graph.normalised(), view_weights).with_graph(&self.graph))
    }
}

/// The views' squared distances, each times its weight; one of weight 0 is not measured.
fn weighted<'a>(problem: &Problem<'a>, metric: DistanceMetric) -> Distance<'a> {
    let views = problem.views.iter().zip(problem.relative_weights()).filter(|(_, weight)| *weight > 0.0);
    let term = |(view, weight)| Term { view, metric, weighting: Weighting::Uniform(weight), missing: None };
    Distance::of(views.map(term).collect())
}
