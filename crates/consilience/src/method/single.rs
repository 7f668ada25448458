//! Spectral clustering of one view: the floor under every multi-view method.

use serde_json::Value;

use super::{Consensus, Method, MethodInfo, Problem, configure};
use crate::graph::GraphSettings;
use crate::graph::neighbours::Distance;
use crate::parameters::{Bounds, Parameters, parameters};
use crate::{Error, Result, Stage};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "single",
    title: "spectral clustering of one view",
    summary: "Builds the neighbour graph of one view and ignores the others. What a multi-view method must beat.",
    citation: "A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001",
    time: "O(n^2 d) for exact neighbours, then O(n s k) per eigen-solver step",
    memory: "O(n (s + k))",
    quadratic: false,
    parameters: Single::table,
    build: configure::<Single>,
};

parameters! {
    /// Spectral clustering of one view.
    pub struct Single {
        /// Name of the view; empty for the first.
        view: String = String::new(), Bounds::ANY, "";
    }
    shares {
        /// How its graph is made.
        graph: GraphSettings;
    }
}

impl Method for Single {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> Vec<(&'static str, Value)> {
        self.values()
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let view = match self.view.as_str() {
            "" => problem.views.iter().next().ok_or_else(|| Error::data("there are no views"))?,
            name => problem.views.named(name)?,
        };
        problem.run.enter(Stage::Graph);
        let distance = Distance::within(view, self.graph.metric);
        let graph = self.graph.build(&distance, &format!("view `{}`", view.name), problem.run)?;
        let view_weights = problem.views.iter().map(|other| f64::from(other.name == view.name)).collect();
        Ok(Consensus::direct(graph.normalised(), view_weights))
    }
}
