#![allow(warnings)]
use consilience::{Settings, View, Views, choose::KRange, cluster, matrix::Dense};
fn main() {
    let mut args = std::env::args().skip(1);
    let range: KRange = args.next().unwrap().parse().unwrap();
    let method = args.next().unwrap();
    let bytes = std::fs::read(args.next().unwrap()).unwrap();
    let u = |at: usize| u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().unwrap()) as usize;
    let (v, n) = (u(0), u(1));
    let mut at = 2 + v;
    let mut views = vec![];
    for i in 0..v {
        let d = u(2 + i);
        let data: Vec<f64> =
            (0..n * d).map(|j| f64::from_le_bytes(bytes[8 * (at + j)..8 * (at + j) + 8].try_into().unwrap())).collect();
        at += n * d;
        views.push(View::new(format!("view{i}"), Dense::new(n, d, data).unwrap()));
    }
    let views = Views::new(views).unwrap();
    let settings = match range {
        KRange::Between(a, b) if a == b => Settings::with_method(a, &method, &[]).unwrap(),
        _ => Settings::with_method(1, &method, &[]).unwrap().choose(range),
    }
    .threads(1);
    let mut record = cluster(&views, &settings).unwrap().record;
    println!(
        "{}",
        serde_json::json!({"k": record.settings.clusters, "labels": record.labels, "choice": record.choice, "warnings": record.warnings, "seconds": record.seconds, "weights": record.views.iter().map(|v| v.weight).collect::<Vec<_>>()})
    );
}
