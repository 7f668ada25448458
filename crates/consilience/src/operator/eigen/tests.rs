use super::*;
use crate::matrix::{Csr, gram};

/// A path of `n` vertices: eigenvalues of its adjacency matrix are 2 cos(pi j / (n + 1)).
fn path(n: usize) -> Csr<f64> {
    let edges = (0..n - 1).flat_map(|i| [(i, i as u32 + 1, 1.0), (i + 1, i as u32, 1.0)]).collect();
    Csr::from_entries(n, n, edges).unwrap()
}

/// `copies` rings of `size` vertices, each edge 1/2: the largest eigenvalue 1 is repeated `copies` times.
pub(super) fn rings(copies: usize, size: usize) -> Csr<f64> {
    let mut edges = Vec::new();
    for c in 0..copies {
        for i in 0..size {
            let (a, b) = (c * size + i, c * size + (i + 1) % size);
            edges.extend([(a, b as u32, 0.5), (b, a as u32, 0.5)]);
        }
    }
    Csr::from_entries(copies * size, copies * size, edges).unwrap()
}

fn check(operator: &dyn LinOp, pairs: &EigenPairs) {
    let mut image = Dense::zeros(pairs.vectors.rows(), pairs.vectors.cols());
    operator.apply(&pairs.vectors, &mut image);
    for i in 0..image.rows() {
        for (j, value) in pairs.values.iter().enumerate() {
            assert!((image.get(i, j) - value * pairs.vectors.get(i, j)).abs() < 1e-6);
        }
    }
    let overlap = gram(pairs.vectors.as_mat(), pairs.vectors.as_mat());
    assert!((overlap - Mat::<f64>::identity(pairs.values.len(), pairs.values.len())).norm_max() < 1e-9);
}

#[test]
fn a_path_has_known_eigenvalues_direct_and_iterated() {
    for n in [50, 400] {
        let operator = path(n);
        let pairs = TopEigen::new(6).solve(&operator, None, &Run::default()).unwrap();
        assert!(pairs.converged, "residual {}", pairs.residual);
        for (j, value) in pairs.values.iter().enumerate() {
            let exact = 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - exact).abs() < 1e-10, "{value} is not {exact}");
        }
        check(&operator, &pairs);
    }
}

#[test]
fn close_eigenvalues_of_many_pairs_are_left_to_a_search_space() {
    // the largest fourteen are within 0.0005 of each other
    let (n, count) = (2_000, 14);
    let operator = path(n);
    let pairs = TopEigen { tolerance: 1e-7, ..TopEigen::new(count) }.solve(&operator, None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.products > PATIENCE, "residual {} after {}", pairs.residual, pairs.products);
    for (j, value) in pairs.values.iter().enumerate() {
        let exact = 2.0 * (std::f64::consts::PI * (j + 1) as f64 / (n + 1) as f64).cos();
        assert!((value - exact).abs() < 1e-9, "{value} is not {exact}");
    }
}

#[test]
fn repeated_eigenvalues_are_all_found() {
    // 7 components and 10 wanted: 7 ones, then pairs of cos(2 pi / size)
    let operator = rings(7, 60);
    let pairs = TopEigen::new(10).solve(&operator, None, &Run::default()).unwrap();
    assert!(pairs.converged);
    assert!(pairs.values[..7].iter().all(|x| (x - 1.0).abs() < 1e-10), "{:?}", pairs.values);
    let second = (2.0 * std::f64::consts::PI / 60.0).cos();
    assert!(pairs.values[7..].iter().all(|x| (x - second).abs() < 1e-9), "{:?}", pairs.values);
    check(&operator, &pairs);
}

#[test]
fn many_pairs_are_found_through_the_filter() {
    // a path has a dense top of the spectrum, rings repeat every eigenvalue
    let pairs = TopEigen { tolerance: 1e-7, ..TopEigen::new(60) }.solve(&path(900), None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.values.len() == 60, "residual {}", pairs.residual);
    for (j, value) in pairs.values.iter().enumerate() {
        let exact = 2.0 * (std::f64::consts::PI * (j + 1) as f64 / 901.0).cos();
        assert!((value - exact).abs() < 1e-8, "{value} is not {exact}");
    }
    check(&path(900), &pairs);
    let pairs = TopEigen::new(45).solve(&rings(45, 20), None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.values.iter().all(|x| (x - 1.0).abs() < 1e-10));
    // a start that is nearly the answer is recognised at once
    let warm = TopEigen::new(45).solve(&rings(45, 20), Some(&pairs.vectors), &Run::default()).unwrap();
    assert!(warm.converged && warm.products < 30, "{}", warm.products);
}

/// Fewer directions than pairs wanted, an operator below zero, and one that is nothing at all.
#[test]
fn the_filter_survives_operators_without_a_spectrum_to_speak_of() {
    let blocks = crate::operator::LowRank::new(Dense::from_fn(600, 3, |i, j| if i / 200 == j { 0.07 } else { 0.0 }));
    let pairs = TopEigen::new(50).solve(&blocks, None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.values[..3].iter().all(|x| (x - 0.98).abs() < 1e-10), "{:?}", pairs.values);
    check(&blocks, &pairs);
    let diagonal =
        |f: fn(usize) -> f64| Csr::from_entries(600, 600, (0..600).map(|i| (i, i as u32, f(i))).collect()).unwrap();
    let below = diagonal(|i| -1.0 - i as f64 / 100.0);
    let pairs = TopEigen { tolerance: 1e-7, ..TopEigen::new(50) }.solve(&below, None, &Run::default()).unwrap();
    assert!(pairs.converged && (pairs.values[49] + 1.49).abs() < 1e-6, "{:?}", pairs.values);
    let nothing = TopEigen::new(50).solve(&diagonal(|_| 0.0), None, &Run::default()).unwrap();
    assert!(nothing.converged && nothing.values.iter().all(|x| *x == 0.0));
}

#[test]
fn more_components_than_wanted_converges() {
    let operator = rings(40, 12);
    let pairs = TopEigen::new(5).solve(&operator, None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.values.iter().all(|x| (x - 1.0).abs() < 1e-10));
}

#[test]
fn a_good_start_needs_fewer_products() {
    let operator = rings(3, 200);
    let cold = TopEigen::new(6).solve(&operator, None, &Run::default()).unwrap();
    let warm = TopEigen::new(6).solve(&operator, Some(&cold.vectors), &Run::default()).unwrap();
    assert!(warm.products < cold.products, "{} {}", warm.products, cold.products);
}

#[test]
fn not_converging_is_a_result() {
    let options = TopEigen { max_products: 3, ..TopEigen::new(4) };
    let pairs = options.solve(&path(900), None, &Run::default()).unwrap();
    assert!(!pairs.converged && pairs.residual > 1e-8 && pairs.values.len() == 4);
}

#[test]
fn threads_change_nothing() {
    let solve = || TopEigen::new(5).solve(&path(3000), None, &Run::default()).unwrap().vectors.data().to_vec();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    assert_eq!(pool(1).install(solve), pool(3).install(solve));
}

/// Three blocks of ones: eigenvalue 1 three times, then zeros, and every image is constant on the blocks, rounding
/// errors included. What rounding leaves of a known direction must not be taken for a new one.
#[test]
fn an_operator_of_low_rank_converges() {
    let root = (1.0_f64 / 100.0).sqrt();
    let blocks = crate::operator::LowRank::new(Dense::from_fn(300, 3, |i, j| if i / 100 == j { root } else { 0.0 }));
    for count in [3, 5] {
        let pairs = TopEigen::new(count).solve(&blocks, None, &Run::default()).unwrap();
        assert!(pairs.values[..3].iter().all(|x| (x - 1.0).abs() < 1e-10), "{:?}", pairs.values);
        assert!(pairs.values[3..].iter().all(|x| x.abs() < 1e-10), "{:?}", pairs.values);
        check(&blocks, &pairs);
    }
}

/// Most of what the operator makes of a direction is the direction itself, so that little is left of each block once the
/// others are taken out: where errors in the basis would grow if it were done once.
#[test]
fn the_basis_stays_orthogonal_when_blocks_are_nearly_dependent() {
    let n = 2000;
    let value = |i: usize| if i < 10 { 1.0 - 0.03 * i as f64 } else { 0.34 + 0.3 * (i as f64 / n as f64) };
    let operator = Csr::from_entries(n, n, (0..n).map(|i| (i, i as u32, value(i))).collect()).unwrap();
    for seed in 0..12 {
        let pairs = TopEigen { seed, ..TopEigen::new(10) }.solve(&operator, None, &Run::default()).unwrap();
        assert!(pairs.converged, "seed {seed}: residual {}", pairs.residual);
        let off = pairs.values.iter().enumerate().map(|(i, a)| (a - value(i)).abs()).fold(0.0, f64::max);
        assert!(off < 1e-10, "seed {seed}: {:?}", pairs.values);
        let overlap = gram(pairs.vectors.as_mat(), pairs.vectors.as_mat());
        assert!((overlap - Mat::<f64>::identity(10, 10)).norm_max() < 1e-10, "seed {seed}");
    }
}

#[test]
fn further_eigenvalues_are_those_that_follow() {
    // written out, by a search space, and by a filtered block
    for (n, count) in [(50, 6), (400, 6), (600, 45)] {
        let pairs = TopEigen::new(count).solve(&path(n), None, &Run::default()).unwrap();
        assert!(!pairs.further.is_empty() && pairs.further.len() <= MOST_FURTHER, "{n}: {}", pairs.further.len());
        assert_eq!(pairs.known_values().len(), count + pairs.further.len());
        for (place, value) in pairs.known_values().iter().enumerate() {
            let exact = 2.0 * (std::f64::consts::PI * (place + 1) as f64 / (n + 1) as f64).cos();
            assert!((value - exact).abs() < 2.0 * FURTHER_TOLERANCE, "{n}, {place}: {value} is not {exact}");
        }
    }
    let all = TopEigen::new(50).solve(&path(50), None, &Run::default()).unwrap();
    assert!(all.further.is_empty(), "there are no more");
}

/// A diagonal matrix.
fn diagonal(values: impl Iterator<Item = f64>) -> Csr<f64> {
    let entries: Vec<_> = values.enumerate().map(|(i, value)| (i, i as u32, value)).collect();
    Csr::from_entries(entries.len(), entries.len(), entries).unwrap()
}

#[test]
fn rough_pairs_do_not_hold_up_the_others() {
    // three apart from the others, which lie close together
    let values = |i: usize| if i < 3 { 1.0 - 0.1 * i as f64 } else { 0.6 - 1e-4 * i as f64 };
    let operator = diagonal((0..3000).map(values));
    let all = TopEigen { tolerance: 1e-6, ..TopEigen::new(8) }.solve(&operator, None, &Run::default()).unwrap();
    let request = TopEigen { tolerance: 1e-6, rough: 5, ..TopEigen::new(8) };
    let some = request.solve(&operator, None, &Run::default()).unwrap();
    assert!(all.converged && some.converged && some.residual <= 1e-6);
    assert!(2 * some.products < all.products, "{} and {} products", some.products, all.products);
    assert!((0..3).all(|i| (some.values[i] - values(i)).abs() < 1e-10), "{:?}", some.values);
    assert!((3..8).all(|i| (some.values[i] - values(i)).abs() < 1e-2), "{:?}", some.values);
}

#[test]
fn long_vectors_are_filtered_and_their_eigenvalues_found() {
    let values = |i: usize| if i < 4 { 1.0 } else { 0.8 * (1.0 - i as f64 / LONG as f64) };
    let operator = diagonal((0..LONG).map(values));
    let pairs = TopEigen { tolerance: 1e-6, ..TopEigen::new(4) }.solve(&operator, None, &Run::default()).unwrap();
    assert!(pairs.converged && pairs.values.iter().all(|x| (x - 1.0).abs() < 1e-9), "{:?}", pairs.values);
    check(&operator, &pairs);
}
