//! A method in a crate of somebody else's: edges that every view has count fully, the others a little.
//!
//! Everything it needs is public: parameters that check themselves, the views' graphs with the run's own neighbour
//! search, warnings, and the rest of the pipeline (embedding, k-means, record). Run it with
//! `cargo run -p own-method --release`.

use std::error::Error;

use consilience::graph::{Graph, GraphSettings};
use consilience::method::{Consensus, Method, MethodInfo, Problem};
use consilience::metrics::{Metric, score};
use consilience::parameters::{Bounds, ParameterValues, parameters};
use consilience::{Settings, Views, cluster};

const INFO: MethodInfo = MethodInfo::of::<Intersection>("intersection", "edges that every view has")
    .summary("The geometric mean of the views' normalised graphs plus a share of their arithmetic mean.")
    .citation("an example")
    .cost("O(n^2 sum d) for exact neighbours, then O(n s k) per eigen-solver step", "O(n (V s + k))");

parameters! {
    /// Edges that every view has.
    pub struct Intersection {
        /// What an edge counts that only some views have, against one that all have.
        union: f64 = 0.1, Bounds::between(0.0, 1.0), "";
    }
    shares {
        /// How each view's graph is made.
        graph: GraphSettings;
    }
}

impl Method for Intersection {
    fn info(&self) -> &'static MethodInfo {
        &INFO
    }

    fn parameters(&self) -> &dyn ParameterValues {
        self
    }

    fn solve(&self, problem: &Problem<'_>) -> consilience::Result<Consensus> {
        let views = problem.views.len() as f64;
        let mut graphs = problem.view_graphs_or_warn(&self.graph)?.into_iter();
        let Some(first) = graphs.next() else { return Err(consilience::Error::data("there are no views")) };
        let first = first.normalised();
        let (mut product, mut sum) = (first.as_ref().clone(), first.as_ref().clone());
        for graph in graphs {
            let other = graph.normalised();
            product = product.merged(&other, |a, b| a * b)?;
            sum = sum.merged(&other, |a, b| a + b)?;
        }
        let edges = product.merged(&sum, |product, sum| product.powf(1.0 / views) + self.union * sum / views)?;
        let affinity = Graph::from_weights(edges)?.normalised();
        Ok(Consensus::direct(affinity, vec![1.0 / views; problem.views.len()]).with_graph(&self.graph))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let digits = consilience_io::digits()?;
    let truth = digits.labels.ok_or("the digits have labels")?;
    let views = Views::new(digits.views)?;
    let found = cluster(&views, &Settings::new(10).method(Intersection::default()).seed(1))?;
    let scores = score(&found.record.labels, truth.codes())?;
    let mut out = std::io::stdout().lock();
    use std::io::Write;
    writeln!(out, "{}: ACC {:.3}, NMI {:.3}", INFO.id, scores[Metric::Acc], scores[Metric::Nmi])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_clusters_and_its_parameters_are_checked() {
        let blobs =
            consilience::datasets::Blobs { samples: 120, clusters: 3, features: vec![4, 6], separation: 12.0, seed: 3 };
        let (views, truth) = blobs.generate().unwrap();
        let found = cluster(&views, &Settings::new(3).method(Intersection::default())).unwrap();
        assert_eq!(score(&found.record.labels, &truth).unwrap()[Metric::Acc], 1.0);
        assert_eq!(found.record.settings.method.info().id, "intersection");
        let wrong = Intersection { union: 2.0, ..Intersection::default() };
        let error = cluster(&views, &Settings::new(3).method(wrong)).err().unwrap();
        assert_eq!(error.to_string(), "parameter `union` = `2.0`: must be a number from 0 to 1");
        let text = INFO.from_text(&[("union".to_owned(), "2".to_owned())]).err().unwrap();
        assert!(text.to_string().starts_with("parameter `union` = `2`: must be a number from 0 to 1"));
    }
}
