//! Do the rows of the views belong together? Views of the same samples share neighbours. Views whose rows are in different
//! orders share as many as chance would have it, and every method finds something in them all the same.
//!
//! Nearest neighbours are asked first, of few samples and then of more, which is quick and enough for most views. Views that they
//! do not show to agree are asked for all pairs of some samples (`likeness`) before they are warned of: with few samples, or
//! clusters that overlap, that sees more.

mod likeness;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use self::likeness::Likeness;
use crate::choose::{LEAST_DEVIATIONS, overlap};
use crate::graph::most_alike;
use crate::matrix::Csr;
use crate::method::{Method, Problem};
use crate::neighbours::{Distance, DistanceMetric, Exact, NeighbourSearch};
use crate::run::Warning;
use crate::views::{hellinger, looks_like_counts, zero_rows};
use crate::{Result, View};

/// More samples than these are represented by that many of them, drawn at random.
const MOST_SAMPLES: usize = 2000;
/// Most views that belong together are known by so few samples, at a sixteenth of the cost. They must agree plainly: a second chance
/// for views that do not belong together would be one more to be missed.
const FEW_SAMPLES: usize = 500;
const PLAIN_DEVIATIONS: f64 = 8.0;
/// Two clusters that two views of fewer samples share could not be told from chance.
const LEAST_SAMPLES: usize = 30;
/// Neighbours of each sample, and their least share of the samples: with few samples weak clusters need many of them.
const NEIGHBOURS: usize = 15;
const LARGEST_SHARE: f64 = 0.2;
/// The most samples of which all pairs are compared: of more, nearest neighbours show what there is.
const MOST_IN_PAIRS: usize = 500;

/// Warns of views that agree no more than permuted views would, by their neighbours and by all pairs.
pub(crate) fn warn_of_unrelated_views(problem: &Problem<'_>, method: &dyn Method) -> Result<()> {
    let views = method.views_used(problem.views)?;
    if views.len() < 2 || problem.views.samples() < LEAST_SAMPLES {
        return Ok(());
    }
    let mut open: Vec<(usize, usize)> = (1..views.len()).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    if problem.views.samples() > FEW_SAMPLES {
        let few = Look::new(&views, &open, FEW_SAMPLES, problem)?;
        open = few.not_shown(open, PLAIN_DEVIATIONS, problem)?;
    }
    let look = Look::new(&views, &open, MOST_SAMPLES, problem)?;
    let mut unrelated = look.not_shown(open, LEAST_DEVIATIONS, problem)?;
    unrelated.retain(|&(a, b)| {
        let samples = |both: Vec<usize>| both.into_iter().map(|place| look.drawn[place]).collect::<Vec<_>>();
        let common = look.pair(a, b).map(|(_, _, both)| samples(both));
        common.is_some_and(|samples| !alike_in_pairs(views[a], views[b], &samples, problem.seed))
    });
    for (view, others) in by_view(unrelated, views.len()) {
        let others = others.into_iter().map(|other| views[other].name.clone()).collect();
        problem.run.warn(Warning::UnrelatedView { view: views[view].name.clone(), others });
    }
    Ok(())
}

/// Neighbours among some of the samples, in the views that are asked.
struct Look {
    drawn: Vec<usize>,
    /// None for views that are in no pair.
    views: Vec<Option<SharedNeighbours>>,
}

impl Look {
    fn new(views: &[&View], pairs: &[(usize, usize)], most: usize, problem: &Problem<'_>) -> Result<Self> {
        let drawn = drawn(problem.views.samples(), most, problem.seed);
        let asked = |place: usize| pairs.iter().any(|&(a, b)| a == place || b == place);
        let near = |(place, view): (usize, &&View)| {
            asked(place).then(|| SharedNeighbours::new(view, &drawn, place, problem)).transpose()
        };
        let views = views.iter().enumerate().map(near).collect::<Result<_>>()?;
        Ok(Self { drawn, views })
    }

    /// Two views and the places of the samples that both know; none when these are too few to tell.
    fn pair(&self, a: usize, b: usize) -> Option<(&SharedNeighbours, &SharedNeighbours, Vec<usize>)> {
        let (a, b) = (self.views[a].as_ref()?, self.views[b].as_ref()?);
        let both = a.known_to_both(b);
        (both.len() >= LEAST_SAMPLES).then_some((a, b, both))
    }

    /// The pairs of which this look does not show that they share more neighbours than chance would have it.
    fn not_shown(
        &self,
        pairs: Vec<(usize, usize)>,
        deviations: f64,
        problem: &Problem<'_>,
    ) -> Result<Vec<(usize, usize)>> {
        let mut open = Vec::new();
        for (a, b) in pairs {
            problem.run.check()?;
            let shared = self.pair(a, b).map(|(one, other, both)| one.deviations_shared(other, &both, problem.seed));
            if shared.transpose()?.is_none_or(|shared| shared < deviations) {
                open.push((a, b));
            }
        }
        Ok(open)
    }
}

/// Some of `n` places, rising.
fn drawn(n: usize, most: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = rand::seq::index::sample(&mut rng, n, n.min(most)).into_vec();
    drawn.sort_unstable();
    drawn
}

/// Whether two views agree on which of these samples are alike.
fn alike_in_pairs(first: &View, second: &View, samples: &[usize], seed: u64) -> bool {
    let asked: Vec<usize> = drawn(samples.len(), MOST_IN_PAIRS, seed).into_iter().map(|at| samples[at]).collect();
    let likeness = |view: &View| Likeness::new(&comparable(view.select_rows(&asked)));
    likeness(first).agrees(&likeness(second), seed)
}

/// A view whose samples can be compared by their distance: counts by the angle of their roots.
fn comparable(mut view: View) -> View {
    if view.affinity().is_none() && looks_like_counts(&view.known().data) {
        view.data = hellinger(&view.data);
    }
    view
}

/// Pairs as few warnings: the view with most of them first; of two views the later one.
fn by_view(mut pairs: Vec<(usize, usize)>, views: usize) -> Vec<(usize, Vec<usize>)> {
    let mut found = Vec::new();
    while !pairs.is_empty() {
        let count = |view: &usize| pairs.iter().filter(|(a, b)| a == view || b == view).count();
        let worst = (0..views).max_by_key(count).unwrap_or(0);
        let others = pairs.iter().filter_map(|&(a, b)| match worst {
            worst if worst == a => Some(b),
            worst if worst == b => Some(a),
            _ => None,
        });
        found.push((worst, others.collect()));
        pairs.retain(|&(a, b)| a != worst && b != worst);
    }
    found
}

/// Who is near whom in a view, among the samples that are asked.
struct SharedNeighbours {
    graph: Csr<f64>,
    /// Whether the view knows each of them.
    known: Vec<bool>,
}

impl SharedNeighbours {
    /// `place` is the view's among the views: equal distances are broken by an order of its own, or views of many equal
    /// samples would agree by the order of the rows.
    fn new(view: &View, drawn: &[usize], place: usize, problem: &Problem<'_>) -> Result<Self> {
        let view = view.select_rows(drawn);
        let mut known: Vec<bool> = (0..drawn.len()).map(|i| !view.is_absent(i)).collect();
        if let Some(weights) = view.affinity() {
            known.iter_mut().enumerate().for_each(|(i, known)| *known &= !weights.row(i).0.is_empty());
            return Ok(Self { graph: strongest(weights, count(known.iter().filter(|known| **known).count()))?, known });
        }
        if looks_like_counts(&view.known().data) {
            known.iter_mut().zip(zero_rows(&view.data)).for_each(|(known, zero)| *known &= !zero);
        }
        let view = comparable(view);
        let mut order: Vec<usize> = (0..drawn.len()).filter(|&i| known[i]).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(problem.seed);
        rng.set_stream(1 + place as u64);
        order.shuffle(&mut rng);
        let view = view.select_rows(&order);
        if view.data.distinct_rows(1) == 1 {
            // nobody is near anybody, which is said elsewhere
            known.fill(false);
            return Ok(Self { graph: Csr::from_entries(drawn.len(), drawn.len(), Vec::new())?, known });
        }
        let count = count(order.len());
        let found = Exact.search(&Distance::within(&view, DistanceMetric::Euclidean), count, problem.run)?;
        let edges = order.iter().enumerate().flat_map(|(i, &a)| found.of(i).0.iter().map(move |&j| (a, j as usize)));
        let edges = edges.map(|(a, j)| (a, order[j])).flat_map(|(a, b)| [(a, b as u32, 1.0), (b, a as u32, 1.0)]);
        Ok(Self { graph: Csr::from_entries(drawn.len(), drawn.len(), edges.collect())?, known })
    }

    /// The samples that both views know.
    fn known_to_both(&self, other: &Self) -> Vec<usize> {
        (0..self.known.len()).filter(|&i| self.known[i] && other.known[i]).collect()
    }

    /// How much more neighbours two views share than by chance, judged by the samples in `both`.
    fn deviations_shared(&self, other: &Self, both: &[usize], seed: u64) -> Result<f64> {
        let found = overlap(&[&self.among(both)?, &other.among(both)?], seed);
        Ok(found.map_or(0.0, |found| found.deviations))
    }

    /// The graph of some of its samples.
    fn among(&self, samples: &[usize]) -> Result<Csr<f64>> {
        let mut places = vec![None; self.known.len()];
        samples.iter().enumerate().for_each(|(place, &sample)| places[sample] = Some(place));
        let edges = samples.iter().enumerate().flat_map(|(i, &sample)| {
            let (columns, weights) = self.graph.row(sample);
            let kept = columns.iter().zip(weights).filter_map(|(&j, &w)| places[j as usize].map(|j| (j as u32, w)));
            kept.map(move |(j, w)| (i, j, w)).collect::<Vec<_>>()
        });
        Csr::from_entries(samples.len(), samples.len(), edges.collect())
    }
}

/// Neighbours of each of so many samples.
fn count(samples: usize) -> usize {
    NEIGHBOURS.min((LARGEST_SHARE * samples as f64) as usize).max(1)
}

/// Edges of weight 1 to the `count` samples that each is most alike, in both directions.
fn strongest(weights: &Csr<f64>, count: usize) -> Result<Csr<f64>> {
    let mut edges = Vec::new();
    for i in 0..weights.rows() {
        let near = most_alike(weights, i, count);
        edges.extend(near.iter().flat_map(|&(j, _)| [(i, j, 1.0), (j as usize, i as u32, 1.0)]));
    }
    Csr::from_entries(weights.rows(), weights.rows(), edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::Dense;
    use crate::method::MethodInfo;
    use crate::{Run, Settings, Views, cluster};

    fn blobs(samples: usize, clusters: usize, separation: f64) -> Vec<View> {
        let blobs = Blobs { samples, clusters, features: vec![5, 6, 7], separation, seed: 3 };
        blobs.generate().unwrap().0.iter().cloned().collect()
    }

    /// The view with its rows in another order.
    fn shuffled(view: &View) -> View {
        let mut order: Vec<usize> = (0..view.data.rows()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(9));
        view.select_rows(&order)
    }

    fn warned(views: Vec<View>, method: &str) -> Vec<(String, Vec<String>)> {
        let views = Views::new(views).unwrap();
        let (run, method) = (Run::default(), MethodInfo::named(method).unwrap().from_text(&[]).unwrap());
        warn_of_unrelated_views(&Problem::new(&views, 3, &run), method.as_ref()).unwrap();
        let told = |warning| match warning {
            Warning::UnrelatedView { view, others } => (view, others),
            other => panic!("{other}"),
        };
        run.finish().1.into_iter().map(told).collect()
    }

    #[test]
    fn rows_in_another_order_are_noticed() {
        // of the last, few are asked first
        for samples in [30, 90, 400, 700] {
            let views = blobs(samples, 3, 10.0);
            assert_eq!(warned(views.clone(), "slrmf"), []);
            let [a, b, c] = views.try_into().unwrap();
            assert_eq!(warned(vec![a.clone(), shuffled(&b)], "slrmf"), [("view2".into(), vec!["view1".into()])]);
            let one = [("view2".to_owned(), vec!["view1".to_owned(), "view3".to_owned()])];
            assert_eq!(warned(vec![a.clone(), shuffled(&b), c], "snf"), one);
            assert_eq!(warned(vec![a, shuffled(&b)], "single"), [], "it looks at one view");
        }
        // the last are seen by all pairs only
        for weak in [blobs(200, 2, 3.0), blobs(100, 2, 4.0), blobs(60, 3, 4.0)] {
            assert_eq!(warned(weak, "slrmf"), [], "clusters that touch are shared too");
        }
    }

    #[test]
    fn equal_samples_are_no_agreement() {
        // every sample is one of three, so which of the equal ones are neighbours is a matter of order
        let of = |name: &str, step: usize| {
            View::new(name, Dense::from_fn(300, 2, |i, j| (i * step % 300 / 100 * (j + 1)) as f64))
        };
        // 7 * 43 = 301, so the second view is another order of the first
        assert_eq!(warned(vec![of("a", 1), of("b", 7)], "slrmf").len(), 1);
        assert_eq!(warned(vec![of("a", 1), of("b", 1)], "slrmf"), []);
    }

    #[test]
    fn only_samples_that_both_views_know_are_asked() {
        let views = blobs(120, 3, 10.0);
        let unknown: Vec<bool> = (0..120).map(|i| i % 2 == 0).collect();
        let [a, b, c]: [View; 3] = views.try_into().unwrap();
        let (half, other) = (a.with_absent(&unknown).unwrap(), b.with_absent(&unknown).unwrap());
        assert_eq!(warned(vec![half.clone(), other, c], "slrmf"), []);
        assert_eq!(warned(vec![half, shuffled(&b)], "slrmf").len(), 1);
        // nothing to compare, and nothing to compare by
        let rest: Vec<bool> = unknown.iter().map(|gone| !gone).collect();
        assert_eq!(warned(vec![a.with_absent(&unknown).unwrap(), b.with_absent(&rest).unwrap()], "slrmf"), []);
        let same = View::new("same", Dense::from_fn(120, 2, |_, _| 1.0));
        assert_eq!(warned(vec![a, same], "slrmf"), []);
    }

    #[test]
    fn a_run_says_it_once_and_runs_inside_it_are_silent() {
        let [a, b, _]: [View; 3] = blobs(90, 3, 10.0).try_into().unwrap();
        let views = Views::new(vec![a, shuffled(&b)]).unwrap();
        let found = cluster(&views, &Settings::new(3)).unwrap().record;
        let told: Vec<_> = found.warnings.iter().filter(|warning| warning.kind() == "unrelated_view").collect();
        assert_eq!(told.len(), 1);
        let inside = crate::cluster_observed(&views, &Settings::new(3), &Run::default().nested()).unwrap().record;
        assert!(inside.warnings.iter().all(|warning| warning.kind() != "unrelated_view"));
    }

    #[test]
    fn pairs_become_few_warnings() {
        assert_eq!(by_view(vec![(0, 1)], 2), [(1, vec![0])]);
        assert_eq!(by_view(vec![(0, 1), (1, 2), (1, 3)], 4), [(1, vec![0, 2, 3])]);
        assert_eq!(by_view(vec![(0, 1), (0, 2), (1, 2)], 3), [(2, vec![0, 1]), (1, vec![0])]);
        assert_eq!(by_view(Vec::new(), 3), []);
    }
}
