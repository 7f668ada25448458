//! What a method is asked.

use crate::graph::{Graph, GraphSettings};
use crate::memory::MemoryLimit;
use crate::neighbours::{Distance, Exact, NeighbourSearch};
use crate::run::Warning;
use crate::{Result, Run, Stage, View, Views};

/// What a method is asked: all that it may read of the world.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Problem<'a> {
    /// Checked and scaled views.
    pub views: &'a Views,
    /// Number of clusters.
    pub clusters: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// k-means restarts.
    pub restarts: usize,
    /// How often every sample occurs, where some are copies of which the views have one.
    pub counts: Option<&'a [f64]>,
    /// Weights of the views that the user gave, which sum to 1; only methods that weigh views are asked with some.
    pub weights: Option<&'a [f64]>,
    /// How nearest neighbours are found.
    pub neighbours: &'a dyn NeighbourSearch,
    /// The most memory that may be taken; methods that are n x n by definition ask it first.
    pub memory: MemoryLimit,
    /// Progress, cancelling, warnings.
    pub run: &'a Run,
}

impl<'a> Problem<'a> {
    /// `clusters` clusters in `views`, with everything else as [`Settings`](crate::Settings) have it by default.
    pub fn new(views: &'a Views, clusters: usize, run: &'a Run) -> Self {
        let memory = MemoryLimit::new(None);
        Self { views, clusters, seed: 0, restarts: 10, counts: None, weights: None, neighbours: &Exact, memory, run }
    }

    /// How much every sample counts.
    pub fn sample_weights(&self) -> Vec<f64> {
        self.counts.map_or_else(|| vec![1.0; self.views.samples()], <[f64]>::to_vec)
    }

    /// How much more or less than their equal share the views count: the given weights times the number of views, or 1s.
    pub fn relative_weights(&self) -> Vec<f64> {
        let views = self.views.len();
        self.weights.map_or_else(|| vec![1.0; views], |weights| weights.iter().map(|w| w * views as f64).collect())
    }

    /// The graph of `distance`, with a warning when it falls apart, which calls it `name`: "the graph of the concatenated views".
    ///
    /// # Errors
    /// When the neighbour search fails or is cancelled.
    pub fn graph_or_warn(&self, settings: &GraphSettings, distance: &Distance<'_>, name: &str) -> Result<Graph> {
        self.named_graph(settings, distance, name, None)
    }

    /// The graph of one view: made of its features, or the affinities that it is. Samples that it does not know have no edges.
    ///
    /// # Errors
    /// When the neighbour search fails or is cancelled.
    pub fn view_graph_or_warn(&self, settings: &GraphSettings, view: &View) -> Result<Graph> {
        let known = view.known();
        let name = format!("the graph of view `{}`", view.name);
        let graph = match known.affinity() {
            Some(weights) => self.looked_over(Graph::new(weights.clone()), &name, Some(&view.name)),
            None => {
                let distance = Distance::within(&known, settings.metric);
                self.named_graph(settings, &distance, &name, Some(&view.name))?
            }
        };
        if view.absent().is_none() {
            return Ok(graph);
        }
        Ok(Graph::new(graph.weights().spread(&view.present(), view.data.rows())?))
    }

    /// One graph per view, in their order.
    ///
    /// # Errors
    /// When a neighbour search fails or is cancelled.
    pub fn view_graphs_or_warn(&self, settings: &GraphSettings) -> Result<Vec<Graph>> {
        self.run.enter(Stage::Graph);
        self.views.iter().map(|view| self.view_graph_or_warn(settings, view)).collect()
    }

    fn named_graph(
        &self,
        settings: &GraphSettings,
        distance: &Distance<'_>,
        name: &str,
        view: Option<&str>,
    ) -> Result<Graph> {
        self.run.enter(Stage::Graph);
        let graph = settings.build(distance, self.neighbours, self.run)?;
        Ok(self.looked_over(graph, name, view))
    }

    /// The graph, with a word when it falls apart.
    fn looked_over(&self, graph: Graph, name: &str, view: Option<&str>) -> Graph {
        let components = graph.components();
        if components > 1 {
            let view = view.map(str::to_owned);
            self.run.warn(Warning::DisconnectedGraph { graph: name.to_owned(), view, components });
        }
        graph
    }
}
