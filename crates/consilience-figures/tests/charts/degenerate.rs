//! Names that attack the markup, and data that leave nothing to draw.

use consilience_figures::{
    AxisScale, Block, Class, ConfusionMatrix, GridMap, HeatMap, Legend, LineChart, RankPlot, Ranked, Scatter, Series,
    png,
};

use crate::{samples, texts};

const HOSTILE: &str = "</text><script>alert(\"1\")</script>&amp;'\u{0}\u{1b}\u{202e}\u{ffff}\r\n]]>";

/// Every chart with `name` wherever text can be given, and with the numbers `values`.
fn charts(name: &str, values: &[f64]) -> Vec<(&'static str, String)> {
    let names = || vec![name.to_owned(); values.len()];
    let points: Vec<[f64; 2]> = values.iter().zip(values.iter().rev()).map(|(&x, &y)| [x, y]).collect();
    let (title, description) = (name.to_owned(), name.to_owned());
    let blocks = vec![Block { label: name.into(), size: 1 }; values.len()];
    let heat_map = HeatMap {
        title: title.clone(),
        description: description.clone(),
        values: values.to_vec(),
        columns: values.len().div_ceil(2),
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        row_title: name.into(),
        column_title: name.into(),
        value_label: name.into(),
        clip_quantile: values.first().copied(),
        width: values.last().copied(),
    };
    let grid_map = GridMap {
        title: title.clone(),
        values: vec![values.to_vec(), Vec::new()],
        row_labels: names(),
        column_labels: names(),
        row_title: name.into(),
        column_title: name.into(),
        value_label: name.into(),
        ..GridMap::default()
    };
    let line_chart = |scale, legend| LineChart {
        title: title.clone(),
        series: vec![Series { name: name.into(), points: points.clone(), spread: values.to_vec() }; 3],
        x_label: name.into(),
        y_label: name.into(),
        x_scale: scale,
        y_scale: scale,
        legend,
        ..LineChart::default()
    };
    let rank_plot = RankPlot {
        title: title.clone(),
        methods: values.iter().map(|&rank| Ranked { name: name.into(), rank }).collect(),
        groups: vec![vec![0, 1, 7, usize::MAX], Vec::new()],
        critical_difference: values.first().copied(),
        ..RankPlot::default()
    };
    let scatter = Scatter {
        title: title.clone(),
        classes: vec![Class { name: name.into(), points: points.clone() }; 2],
        x_label: name.into(),
        y_label: name.into(),
        ..Scatter::default()
    };
    let matrix = ConfusionMatrix {
        title: title.clone(),
        counts: vec![values.iter().map(|&value| value as u64).collect(), Vec::new()],
        row_labels: names(),
        column_labels: names(),
        row_title: name.into(),
        column_title: name.into(),
        ..ConfusionMatrix::default()
    };
    vec![
        ("heat map", heat_map.svg()),
        ("grid map", grid_map.svg()),
        ("line chart", line_chart(AxisScale::Linear, Legend::LineEnds).svg()),
        ("log line chart", line_chart(AxisScale::Log, Legend::Right).svg()),
        ("rank plot", rank_plot.svg()),
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
        RankPlot::default().svg(),
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

#[test]
fn names_at_line_ends_do_not_overlap() {
    let mut chart = samples::line_chart();
    for series in &mut chart.series {
        series.points = vec![[0.0, 1.0], [1.0, 1.0]];
    }
    let svg = chart.svg();
    let document = resvg::usvg::roxmltree::Document::parse(&svg).expect("well-formed XML");
    let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let labels =
        document.descendants().filter(|node| node.has_tag_name("text") && names.contains(&node.text().unwrap_or("")));
    let mut heights: Vec<f64> = labels.map(|node| crate::number(&node, "y")).collect();
    heights.sort_by(f64::total_cmp);
    assert_eq!(heights.len(), 5);
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= 16.9), "{heights:?}");
}
