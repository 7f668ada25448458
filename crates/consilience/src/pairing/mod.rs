//! Do the rows of the views belong together? Views of the same samples agree which samples are alike. Views whose rows are in
//! different orders agree as much as chance would have it, and every method finds something in them all the same.
//!
//! One statistic, of all pairs of some samples ([`Likeness`]), and one test, by permutations of the samples.

mod likeness;

use self::likeness::Likeness;
use crate::method::{Method, Problem};
use crate::null::{drawn, stream};
use crate::run::Warning;
use crate::views::{looks_like_counts, zero_rows};
use crate::{Result, View};

/// More samples than these are represented by that many of them, drawn at random.
const MOST_SAMPLES: usize = 500;
/// Pairs of views that are compared at most: all of 64 views.
const MOST_PAIRS: usize = 2_016;
/// Two clusters that two views of fewer samples share could not be told from chance.
const LEAST_SAMPLES: usize = 30;

/// Warns of views that agree no more than permuted views would.
pub(crate) fn warn_of_unrelated_views(problem: &Problem<'_>, method: &dyn Method) -> Result<()> {
    let mut views: Vec<Asked<'_>> = method.views_used(problem.views)?.into_iter().map(Asked::new).collect();
    let mut unrelated = Vec::new();
    for (a, b) in compared(views.len()) {
        problem.run.check()?;
        let (before, after) = views.split_at_mut(b);
        if !agree(&mut before[a], &mut after[0], problem.seed) {
            unrelated.push((a, b));
        }
    }
    for (view, others) in by_view(unrelated, views.len()) {
        let others = others.into_iter().map(|other| views[other].view.name.clone()).collect();
        problem.run.warn(Warning::UnrelatedView { view: views[view].view.name.clone(), others });
    }
    Ok(())
}

/// The pairs of views that are compared: all of them; of very many views each with some that follow it.
fn compared(views: usize) -> Vec<(usize, usize)> {
    let all = || (1..views).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    if views * views.saturating_sub(1) / 2 <= MOST_PAIRS {
        return all();
    }
    let each = (MOST_PAIRS / views).max(2);
    let pair = |a: usize, b: usize| (a.min(b), a.max(b));
    (0..views).flat_map(|a| (1..=each).map(move |step| pair(a, (a + step) % views))).collect()
}

/// Whether two views agree; where there is nothing to compare, or nothing to compare by, nobody is warned.
fn agree(first: &mut Asked<'_>, second: &mut Asked<'_>, seed: u64) -> bool {
    let both: Vec<usize> = (0..first.known.len()).filter(|&i| first.known[i] && second.known[i]).collect();
    if both.len() < LEAST_SAMPLES {
        return true;
    }
    let places = drawn(both.len(), MOST_SAMPLES, &mut stream(seed, 0));
    let samples: Vec<usize> = places.into_iter().map(|place| both[place]).collect();
    match (first.likeness(&samples), second.likeness(&samples)) {
        (Some(first), Some(second)) => first.agrees(second, seed),
        _ => true,
    }
}

/// A view that is compared with others.
struct Asked<'a> {
    view: &'a View,
    counts: bool,
    /// Whether the view knows each of the samples.
    known: Vec<bool>,
    /// The samples that were compared last: of complete views they are always the same.
    compared: Vec<usize>,
    likeness: Option<Likeness>,
}

impl<'a> Asked<'a> {
    fn new(view: &'a View) -> Self {
        let weights = view.affinity();
        let counts = weights.is_none() && looks_like_counts(&view.known().data);
        let zero = if counts { zero_rows(&view.data) } else { vec![false; view.data.rows()] };
        let tied = |i: usize| weights.is_none_or(|weights| !weights.row(i).0.is_empty());
        let known = (0..view.data.rows()).map(|i| !view.is_absent(i) && !zero[i] && tied(i)).collect();
        Self { view, counts, known, compared: Vec::new(), likeness: None }
    }

    /// None of samples that the view does not tell apart.
    fn likeness(&mut self, samples: &[usize]) -> Option<&Likeness> {
        if self.compared != samples {
            self.likeness = Likeness::new(&self.view.select_rows(samples), self.counts);
            self.compared = samples.to_vec();
        }
        self.likeness.as_ref()
    }
}

/// Pairs as few warnings: the view with most of them first; of two views the later one.
fn by_view(mut pairs: Vec<(usize, usize)>, views: usize) -> Vec<(usize, Vec<usize>)> {
    let mut found = Vec::new();
    while !pairs.is_empty() {
        let mut counts = vec![0_usize; views];
        for &(a, b) in &pairs {
            counts[a] += 1;
            counts[b] += 1;
        }
        let worst = (0..views).max_by_key(|view| counts[*view]).unwrap_or(0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::Blobs;
    use crate::matrix::Dense;
    use crate::method::MethodInfo;
    use crate::null::permuted;
    use crate::{Run, Settings, Views, cluster};

    fn blobs(samples: usize, clusters: usize, separation: f64) -> Vec<View> {
        let blobs = Blobs { samples, clusters, features: vec![5, 6, 7], separation, seed: 3 };
        blobs.generate().unwrap().0.iter().cloned().collect()
    }

    #[test]
    fn all_pairs_of_many_views_are_compared_and_some_of_very_many() {
        assert_eq!(compared(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!((compared(64).len(), compared(1).len()), (2_016, 0));
        let some = compared(999);
        assert!(some.len() == 1_998 && some.iter().all(|(a, b)| a < b));
        assert!((0..999).all(|view| some.iter().filter(|(a, b)| *a == view || *b == view).count() == 4));
    }

    /// The view with its rows in another order.
    fn shuffled(view: &View) -> View {
        view.select_rows(&permuted(view.data.rows(), &mut stream(9, 0)))
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
