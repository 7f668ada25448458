//! One small chart of each kind, as it would be used.

use consilience_figures::{AxisScale, Block, Class, ConfusionMatrix, GridMap, HeatMap, LineChart, Scatter, Series};

pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Numbers in [0, 1) that look random and are the same everywhere.
pub(crate) fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    })
}

/// Affinities of `classes` classes of `size` samples: strong inside, weak between, 1 on the diagonal.
pub(crate) fn heat_map(classes: usize, size: usize) -> HeatMap {
    let n = classes * size;
    let cells = (0..n * n).zip(noise(7));
    let value = |(at, noise): (usize, f64)| match (at / n, at % n) {
        (row, column) if row == column => 1.0,
        (row, column) if row / size == column / size => 0.15 + 0.2 * noise,
        _ => 0.05 * noise,
    };
    let blocks: Vec<Block> = (0..classes).map(|class| Block { label: format!("class {class}"), size }).collect();
    HeatMap {
        title: "Consensus affinity, samples ordered by class".into(),
        values: cells.map(value).collect(),
        columns: n,
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        value_label: "affinity".into(),
        ..HeatMap::default()
    }
}

pub(crate) fn grid_map() -> GridMap {
    let settings = ["0.001", "0.01", "0.1", "1", "10"];
    let value =
        |row: usize, column: usize| 0.93 - 0.03 * (row as f64 - 2.0).powi(2) - 0.02 * (column as f64 - 3.0).powi(2);
    let mut values: Vec<Vec<f64>> = (0..5).map(|row| (0..5).map(|column| value(row, column)).collect()).collect();
    values[4][0] = f64::NAN;
    GridMap {
        title: "Accuracy by regularisation".into(),
        values,
        row_labels: names(&settings),
        column_labels: names(&settings),
        value_label: "accuracy".into(),
        ..GridMap::default()
    }
}

pub(crate) fn line_chart() -> LineChart {
    let levels = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
    let series = |(at, name): (usize, &&str)| {
        let height = |x: f64| 0.95 - 0.02 * at as f64 - x * x * (0.4 + 0.25 * at as f64);
        Series { name: (*name).to_owned(), points: levels.iter().map(|&x| [x, height(x)]).collect() }
    };
    LineChart {
        title: "Accuracy under corruption".into(),
        series: ["slrmf", "average", "concatenate", "single", "structured"].iter().enumerate().map(series).collect(),
        x_label: "share of corrupted features".into(),
        y_label: "accuracy".into(),
        ..LineChart::default()
    }
}

pub(crate) fn convergence() -> LineChart {
    let series = |name: &str, rate: f64| Series {
        name: name.into(),
        points: (1..=60).map(|step| [f64::from(step), 10_f64.powf(-rate * f64::from(step))]).collect(),
    };
    LineChart {
        title: "Convergence".into(),
        series: vec![series("primal residual", 0.1), series("dual residual", 0.13), series("objective", 0.02)],
        x_label: "iteration".into(),
        y_label: "residual".into(),
        y_scale: AxisScale::Log,
    }
}

pub(crate) fn scatter(classes: usize, size: usize) -> Scatter {
    let mut noise = noise(3);
    let mut spread = move || (0..4).filter_map(|_| noise.next()).sum::<f64>() - 2.0;
    let class = |at: usize| {
        let angle = std::f64::consts::TAU * at as f64 / classes as f64;
        let centre = [3.0 * angle.cos(), 3.0 * angle.sin()];
        Class {
            name: format!("class {at}"),
            points: (0..size).map(|_| centre.map(|middle| middle + spread())).collect(),
        }
    };
    Scatter { title: "Spectral embedding".into(), classes: (0..classes).map(class).collect() }
}

pub(crate) fn confusion_matrix() -> ConfusionMatrix {
    ConfusionMatrix {
        title: "Classes and clusters".into(),
        counts: vec![vec![182, 3, 0, 15], vec![0, 1_200, 4, 6], vec![11, 2, 98, 87], vec![0, 0, 0, 0]],
        row_labels: names(&["zero", "one", "a class with a very long name that must be cut", "empty"]),
        column_labels: names(&["cluster 1", "cluster 2", "cluster 3", "cluster 4"]),
        row_title: "class".into(),
        column_title: "cluster".into(),
    }
}

/// Every chart, by the name of its golden file.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    vec![
        ("heat-map-cells", heat_map(3, 5).svg()),
        ("heat-map-pixels", heat_map(4, 20).svg()),
        ("grid-map", grid_map().svg()),
        ("line-chart", line_chart().svg()),
        ("line-chart-log", convergence().svg()),
        ("scatter", scatter(10, 12).svg()),
        ("scatter-dots", scatter(4, 1_000).svg()),
        ("confusion-matrix", confusion_matrix().svg()),
    ]
}
