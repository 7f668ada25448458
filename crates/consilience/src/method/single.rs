//! Spectral clustering of one view: the floor under every multi-view method.

use super::{Consensus, Labelling, Method, MethodInfo, Problem, Property, Solved};
use crate::graph::GraphSettings;
use crate::labels::number_by_first_appearance;
use crate::operator::{LinOp, TopEigen};
use crate::parameters::{Bounds, ParameterValues, parameters};
use crate::spectral::nearest_centre;
use crate::spectral::{KMeans, embed};
use crate::{Error, Result, Stage, View, Views};

pub(super) const INFO: MethodInfo = MethodInfo::of::<Single>("single", "spectral clustering of one view")
    .summary("Builds the neighbour graph of one view and ignores the others. What a multi-view method must beat.")
    .citation("A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001")
    .cost("O(n^2 d) for exact neighbours, then O(n s k) per eigen-solver step", "O(n (s + k))")
    .properties(&[Property::Incomplete, Property::Affinities]);

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
        let graph = problem.view_graph_or_warn(&self.graph, view)?;
        let view_weights = problem.views.iter().map(|other| f64::from(other.name == view.name)).collect();
        let consensus = Consensus::direct(graph.normalised(), view_weights).with_graph(&self.graph);
        match view.absent() {
            Some(absent) => Ok(Consensus {
                solved: Solved::Labels(among_known(consensus.affinity.as_ref(), absent, problem)?),
                ..consensus
            }),
            None => Ok(consensus),
        }
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

/// The clusters of the samples that the view knows. The others, of which it says nothing, lie in the middle of the embedding
/// and go to the centre that is nearest to it.
fn among_known(affinity: &dyn LinOp, absent: &[bool], problem: &Problem<'_>) -> Result<Labelling> {
    let (n, k) = (absent.len(), problem.clusters);
    let known: Vec<usize> = (0..n).filter(|&i| !absent[i]).collect();
    if k > known.len() {
        return Err(Error::Clusters { k, why: format!("the view knows only {} of {n} samples", known.len()) });
    }
    problem.run.enter(Stage::Solve);
    let found = TopEigen::for_labels(k, problem.seed).solve_or_warn(affinity, None, problem.run)?;
    let eigenvalues = found.known_values();
    let embedding = embed(found.vectors);
    problem.run.enter(Stage::Assign);
    let kmeans = KMeans { restarts: problem.restarts, seed: problem.seed, ..KMeans::new(k) };
    let fit = kmeans.fit_observed(&embedding.select_rows(&known), problem.run)?;
    let middle = nearest_centre(&fit.centres, &vec![0.0; embedding.cols()]);
    let mut labels = vec![middle; n];
    known.iter().zip(fit.labels).for_each(|(&sample, label)| labels[sample] = label);
    let order = number_by_first_appearance(&mut labels);
    Ok(Labelling { labels, embedding, centres: fit.centres.select_rows(&order), eigenvalues })
}
