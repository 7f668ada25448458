//! Names that attack the markup, and data that leave nothing to draw.

use consilience_figures::{
    AxisScale, Block, Class, ConfusionMatrix, GridMap, HeatMap, LineChart, Scatter, Series, png,
};

use crate::texts;

const HOSTILE: &str = "</text><script>alert(\"1\")</script>&amp;'\u{0}\u{1b}\u{202e}\u{ffff}\r\n]]>";

/// Every chart with `name` wherever text can be given, and with the numbers `values`.
fn charts(name: &str, values: &[f64]) -> Vec<(&'static str, String)> {
    let names = || vec![name.to_owned(); values.len()];
    let points: Vec<[f64; 2]> = values.iter().zip(values.iter().rev()).map(|(&x, &y)| [x, y]).collect();
    let title = name.to_owned();
    let blocks = vec![Block { label: name.into(), size: 1 }; values.len()];
    let heat_map = HeatMap {
        title: title.clone(),
        values: values.to_vec(),
        columns: values.len().div_ceil(2),
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        row_title: name.into(),
        column_title: name.into(),
        value_label: name.into(),
    };
    let grid_map = GridMap {
        title: title.clone(),
        values: vec![values.to_vec(), Vec::new()],
        row_labels: names(),
        column_labels: names(),
        value_label: name.into(),
        ..GridMap::default()
    };
    let line_chart = |y_scale| LineChart {
        title: title.clone(),
        series: vec![Series { name: name.into(), points: points.clone() }; 3],
        x_label: name.into(),
        y_label: name.into(),
        y_scale,
    };
    let scatter =
        Scatter { title: title.clone(), classes: vec![Class { name: name.into(), points: points.clone() }; 2] };
    let matrix = ConfusionMatrix {
        title: title.clone(),
        counts: vec![values.iter().map(|&value| value as u64).collect(), Vec::new()],
        row_labels: names(),
        column_labels: names(),
        row_title: name.into(),
        column_title: name.into(),
    };
    vec![
        ("heat map", heat_map.svg()),
        ("grid map", grid_map.svg()),
        ("line chart", line_chart(AxisScale::Linear).svg()),
        ("log line chart", line_chart(AxisScale::Log).svg()),
        ("scatter", scatter.svg()),
        ("matrix", matrix.svg()),
    ]
}

#[test]
fn hostile_names_stay_text() {
    for (chart, svg) in charts(HOSTILE, &[1.0, 2.0]) {
        assert!(!svg.contains("<script"), "{chart}");
        assert!(texts(&svg).iter().any(|text| text.starts_with("</te")), "{chart} lost the name");
    }
}

#[test]
fn long_names_are_cut() {
    let long = "very long name ".repeat(5_000);
    for (chart, svg) in charts(&long, &[1.0, 2.0, 3.0]) {
        let longest = texts(&svg).iter().map(|text| text.chars().count()).max().unwrap_or(0);
        assert!(longest < 150, "{chart}: a text of {longest} characters");
    }
}

#[test]
fn degenerate_numbers_give_valid_pictures() {
    let infinite = f64::INFINITY;
    let cases: [&[f64]; 9] = [
        &[],
        &[0.0],
        &[1.0],
        &[f64::NAN],
        &[3.0, 3.0, 3.0],
        &[f64::NAN, infinite, -infinite],
        &[f64::MAX, f64::MIN, 1.0],
        &[5e-324, -5e-324, 0.0, -0.0],
        &[1e16, 1e16 + 2.0, f64::NAN],
    ];
    for values in cases {
        for name in ["name", ""] {
            for (chart, svg) in charts(name, values) {
                texts(&svg);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{chart} of {values:?}");
                assert!(png(&svg, 0.25).is_ok(), "{chart} of {values:?}");
            }
        }
    }
}

#[test]
fn defaults_say_that_there_is_no_data() {
    let empty = [
        HeatMap::default().svg(),
        GridMap::default().svg(),
        LineChart::default().svg(),
        Scatter::default().svg(),
        ConfusionMatrix::default().svg(),
    ];
    for svg in empty {
        assert!(texts(&svg).contains(&"no data".to_owned()), "{svg}");
    }
}

#[test]
fn tables_beyond_reason_are_cut_and_say_so() {
    let wide = ConfusionMatrix { counts: vec![vec![1; 1_000], Vec::new()], ..ConfusionMatrix::default() };
    assert!(texts(&wide.svg()).contains(&"shown: 2 of 2 rows, 200 of 1000 columns".to_owned()));
    let heat_map = HeatMap { columns: usize::MAX, values: vec![1.0, 2.0], ..HeatMap::default() };
    texts(&heat_map.svg());
}
