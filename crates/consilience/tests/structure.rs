//! Reproducible is not good: data without clusters are never called good, and clear clusters are never called doubtful.

mod structure_kinds;

use consilience::examine::{Examine, Level, Verdict};
use consilience::{Run, Settings, Views, cluster};
use structure_kinds::{CLUSTERED, STRUCTURELESS};

#[test]
#[ignore = "prints"]
fn explore() {
    let seeds: u64 = std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    for (kind, make) in STRUCTURELESS {
        for n in [100, 400] {
            for k in [2, 3, 5] {
                show(kind, n, k, seeds, |seed| make(n, seed));
            }
        }
    }
    for (kind, make) in CLUSTERED {
        for n in [100, 400] {
            for k in [2, 4, 7] {
                show(kind, n, k, seeds, |seed| make(n, k, seed));
            }
        }
    }
}

fn show(kind: &str, n: usize, k: usize, seeds: u64, make: impl Fn(u64) -> Views) {
    let mut line = String::new();
    for seed in 0..seeds {
        let views = make(seed);
        let settings = Settings::new(k);
        let found = cluster(&views, &settings).unwrap();
        let asked = Examine { resamples: 5, leave_out: false, ..Examine::default() };
        let answers = asked.examine(&views, &settings, &found, &Run::default()).unwrap();
        let s = answers.structure.as_ref().unwrap();
        let mut leaks: Vec<f64> = s.leaks.iter().flatten().copied().collect();
        leaks.sort_by(f64::total_cmp);
        let level = Verdict::new(&found, &answers).level;
        line += &format!(
            " [{:.2}..{:.2} {:.2}/{:.2} st{:.2} ov{:.0} {level:?}]",
            leaks[0],
            leaks[leaks.len() - 1],
            s.apart,
            s.null_apart,
            answers.stability.as_ref().unwrap().mean,
            s.overlap.map_or(-1.0, |o| o.deviations)
        );
    }
    eprintln!("{kind:24} n {n} k {k}:{line}");
}
