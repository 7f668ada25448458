//! Spectral clustering of one view: the floor under every multi-view method.

use super::{Consensus, Method, MethodInfo, Problem, configure};
use crate::graph::GraphSettings;
use crate::parameters::{Bounds, ParameterValues, Parameters, parameters};
use crate::{Error, Result, View, Views};

pub(super) const INFO: MethodInfo = MethodInfo {
    id: "single",
    title: "spectral clustering of one view",
    summary: "Builds the neighbour graph of one view and ignores the others. What a multi-view method must beat.",
    citation: "A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001",
    time: "O(n^2 d) for exact neighbours, then O(n s k) per eigen-solver step",
    memory: "O(n (s + k))",
    revision: 1,
    quadratic: false,
    study: false,
    weighted: false,
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

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn views_used<'v>(&self, views: &'v Views) -> Result<Vec<&'v View>> {
        self.view(views).map(|view| vec![view])
    }

    fn solve(&self, problem: &Problem<'_>) -> Result<Consensus> {
        let view = self.view(problem.views)?;
        let graph = problem.view_graph(&self.graph, view)?;
        let view_weights = problem.views.iter().map(|other| f64::from(other.name == view.name)).collect();
        Ok(Consensus::direct(graph.normalised(), view_weights).with_graph(&self.graph))
    }
}

impl Single {
    fn view<'v>(&self, views: &'v Views) -> Result<&'v View> {
        match self.view.as_str() {
            "" => views.iter().next().ok_or_else(|| Error::data("there are no views")),
            name => views.named(name),
        }
    }
}
