//! Random data of any size and sign never stop a chart.

use consilience_figures::{AxisScale, Class, ConfusionMatrix, GridMap, HeatMap, LineChart, Scatter, Series};
use proptest::prelude::*;

use crate::texts;

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-10.0..10.0, any::<f64>()], 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn maps(values in numbers(), columns in 0_usize..90, name in ".{0,40}") {
        let labels = vec![name.clone(); 3];
        texts(&HeatMap { title: name.clone(), values: values.clone(), columns, ..HeatMap::default() }.svg());
        let counts = vec![values.iter().map(|value| value.to_bits()).collect()];
        let rows: Vec<Vec<f64>> = values.chunks(columns + 1).map(<[f64]>::to_vec).collect();
        texts(&GridMap { values: rows, row_labels: labels.clone(), column_labels: labels.clone(), ..GridMap::default() }.svg());
        texts(&ConfusionMatrix { counts, row_labels: labels.clone(), column_labels: labels, row_title: name, ..ConfusionMatrix::default() }.svg());
    }

    #[test]
    fn lines_and_points(xs in numbers(), ys in numbers(), log in any::<bool>(), name in ".{0,40}") {
        let points: Vec<[f64; 2]> = xs.iter().zip(&ys).map(|(&x, &y)| [x, y]).collect();
        let scale = if log { AxisScale::Log } else { AxisScale::Linear };
        let series = vec![Series { name: name.clone(), points: points.clone() }; 2];
        texts(&LineChart { series, y_scale: scale, y_label: name.clone(), ..LineChart::default() }.svg());
        texts(&Scatter { classes: vec![Class { name, points }; 3], ..Scatter::default() }.svg());
    }
}
