//! Any bytes as a model, which then predicts, and as a run's record: an answer or an error.

#![no_main]

use std::sync::LazyLock;

use consilience::datasets::Blobs;
use consilience::record::RunRecord;
use consilience::{Run, Views};
use consilience_io::model::from_bytes;
use libfuzzer_sys::fuzz_target;

static VIEWS: LazyLock<Views> = LazyLock::new(|| {
    let blobs = Blobs { samples: 20, clusters: 3, features: vec![5, 4], separation: 9.0, seed: 1 };
    blobs.generate().expect("views").0
});

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = from_bytes(bytes) {
        let _ = model.predict(&VIEWS, &Run::default());
    }
    if let Ok(record) = serde_json::from_slice::<RunRecord>(bytes) {
        let _ = record.check();
        let _ = (1..=record.n.min(8)).map(|k| record.cut(k).is_ok()).count();
    }
});
