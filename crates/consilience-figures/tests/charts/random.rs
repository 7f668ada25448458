//! Random data of any size and sign never stop a chart.

use consilience_figures::{
    AxisScale, Class, ConfusionMatrix, GridMap, HeatMap, LineChart, RankPlot, Ranked, Scatter, Series,
};
use proptest::prelude::*;

use crate::texts;

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![-10.0..10.0, any::<f64>()], 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn maps(values in numbers(), columns in 0_usize..90, name in ".{0,40}", clip in prop::option::of(any::<f64>())) {
        let (labels, width) = (vec![name.clone(); 3], values.first().copied());
        texts(&HeatMap { title: name.clone(), values: values.clone(), columns, clip_quantile: clip, width, ..HeatMap::default() }.svg());
        let counts = vec![values.iter().map(|value| value.to_bits()).collect()];
        let rows: Vec<Vec<f64>> = values.chunks(columns + 1).map(<[f64]>::to_vec).collect();
        texts(&GridMap { values: rows, row_labels: labels.clone(), column_labels: labels.clone(), width, ..GridMap::default() }.svg());
        texts(&ConfusionMatrix { counts, row_labels: labels.clone(), column_labels: labels, row_title: name, ..ConfusionMatrix::default() }.svg());
    }

    #[test]
    fn lines_and_points(xs in numbers(), ys in numbers(), spread in numbers(), log in any::<bool>(), name in ".{0,40}") {
        let points: Vec<[f64; 2]> = xs.iter().zip(&ys).map(|(&x, &y)| [x, y]).collect();
        let scale = if log { AxisScale::Log } else { AxisScale::Linear };
        let series = vec![Series { name: name.clone(), points: points.clone(), spread }; 2];
        texts(&LineChart { series, x_scale: scale, y_scale: scale, y_label: name.clone(), ..LineChart::default() }.svg());
        texts(&Scatter { classes: vec![Class { name, points }; 3], width: xs.first().copied(), ..Scatter::default() }.svg());
    }

    #[test]
    fn ranks(values in numbers(), name in ".{0,40}", group in prop::collection::vec(0_usize..50, 0..5)) {
        let methods = values.iter().map(|&rank| Ranked { name: name.clone(), rank }).collect();
        let difference = values.last().copied();
        texts(&RankPlot { methods, groups: vec![group], critical_difference: difference, ..RankPlot::default() }.svg());
    }
}
