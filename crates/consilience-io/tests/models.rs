//! Models in files: the same fit gives the same bytes, they predict the same, and a damaged file is refused.

// a test says what is wrong by failing
#![allow(clippy::expect_used, clippy::unwrap_used)]

use consilience::datasets::Blobs;
use consilience::matrix::{Dense, Matrix};
use consilience::metrics::{Metric, score};
use consilience::model::Model;
use consilience::{Clustering, Run, Settings, View, Views, cluster};
use consilience_io::digits;
use consilience_io::model::{from_bytes, to_bytes};
use proptest::prelude::*;

fn blobs(samples: usize, seed: u64) -> (Views, Vec<usize>) {
    Blobs { samples, clusters: 3, features: vec![5, 8], separation: 10.0, seed }.generate().unwrap()
}

fn fitted(views: &Views, settings: &Settings) -> (Clustering, Model) {
    let found = cluster(views, settings).unwrap();
    let model = Model::new(views, &found, &Run::default()).unwrap();
    (found, model)
}

#[test]
fn the_same_fit_gives_the_same_bytes_and_they_predict_the_same() {
    let (views, _) = blobs(90, 4);
    let ((found, first), (_, second)) = (fitted(&views, &Settings::new(3)), fitted(&views, &Settings::new(3)));
    let bytes = to_bytes(&first).unwrap();
    assert_eq!(bytes, to_bytes(&second).unwrap());
    let read = from_bytes(&bytes).unwrap();
    assert_eq!(to_bytes(&read).unwrap(), bytes);
    assert_eq!(read.labels(), found.record.labels);
    let (new, _) = blobs(40, 9);
    let (a, b) = (first.predict(&new, &Run::default()).unwrap(), read.predict(&new, &Run::default()).unwrap());
    assert_eq!((a.labels, a.positions), (b.labels, b.positions));
}

#[test]
fn sparse_counts_and_ids_survive_the_file() {
    let counts = Dense::from_fn(40, 30, |i, j| if j / 10 == i % 2 && (i + j) % 4 == 0 { 2.0 } else { 0.0 });
    let views = Views::new(vec![View::new("words", counts)]).unwrap();
    let (mut found, _) = fitted(&views, &Settings::new(2));
    found.record.ids = Some((0..40).map(|i| format!("säule {i}")).collect());
    let model = Model::new(&views, &found, &Run::default()).unwrap();
    assert!(matches!(model.parts().views[0].view.data, Matrix::SparseF32(_)));
    let read = from_bytes(&to_bytes(&model).unwrap()).unwrap();
    assert_eq!(read.ids(), found.record.ids.as_deref());
    assert_eq!(read.predict(&views, &Run::default()).unwrap().labels, found.record.labels);
}

#[test]
fn other_formats_are_refused_with_a_word() {
    let (views, _) = blobs(30, 5);
    let bytes = to_bytes(&fitted(&views, &Settings::new(3)).1).unwrap();
    let key = br#"\"format\":"#;
    let at = bytes.windows(key.len()).position(|part| part == key).unwrap() + key.len();
    let mut newer = bytes.clone();
    newer[at] = b'9';
    let refused = from_bytes(&newer).unwrap_err().to_string();
    assert!(refused.contains("format 9") && refused.contains("reads formats 1 and 2"), "{refused}");
    // the first format was the same without a checksum
    let mut older = bytes.clone();
    older[at] = b'1';
    assert_eq!(from_bytes(&older).unwrap().samples(), 30);
    assert!(from_bytes(b"PK\x03\x04").unwrap_err().to_string().contains("not a model"));
    assert!(from_bytes(&[]).is_err());
}

/// Every bit of the header, and some of every array.
#[test]
fn a_single_bit_that_flips_is_seen() {
    let bytes = to_bytes(&fitted(&blobs(30, 6).0, &Settings::new(3)).1).unwrap();
    assert_eq!(to_bytes(&from_bytes(&bytes).unwrap()).unwrap(), bytes);
    for at in (0..bytes.len()).filter(|at| *at < 64 || at % 29 == 0) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(from_bytes(&damaged).is_err(), "bit {} of byte {at}", at % 8);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_are_refused_or_harmless(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>(), short in any::<bool>()) {
        thread_local! {
            static VALID: Vec<u8> = to_bytes(&fitted(&blobs(30, 6).0, &Settings::new(3)).1).unwrap();
        }
        let mut bytes = VALID.with(Clone::clone);
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if short {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(model) = from_bytes(&bytes) {
            let _ = model.predict(&blobs(5, 7).0, &Run::default());
        }
    }
}

/// Every row of `views` that is named.
fn rows(views: &Views, rows: &[usize]) -> Views {
    Views::new(views.iter().map(|view| view.with_data(view.data.select_rows(rows))).collect()).unwrap()
}

#[test]
fn other_samples_of_the_digits_go_where_they_belong() {
    let views = Views::new(digits().unwrap().views).unwrap();
    let truth: Vec<usize> = (0..2000).map(|i| i / 200).collect();
    let (train, test): (Vec<usize>, Vec<usize>) = (0..2000).partition(|i| i % 5 != 0);
    let (_, model) = fitted(&rows(&views, &train), &Settings::new(10));
    let found = model.predict(&rows(&views, &test), &Run::default()).unwrap();
    let truth: Vec<usize> = test.iter().map(|&i| truth[i]).collect();
    let nmi = score(&found.labels, &truth).unwrap()[Metric::Nmi];
    assert!(nmi > 0.9, "{nmi}");
    let unlike = found.unlike.iter().filter(|x| **x).count();
    assert!(unlike <= 8, "{unlike} of 400 digits are called unlike digits");
    // one view alone is enough to go by
    let only = Views::new(rows(&views, &test).iter().filter(|v| v.name == "fac").cloned().collect()).unwrap();
    let found = model.predict(&only, &Run::default()).unwrap();
    assert!(score(&found.labels, &truth).unwrap()[Metric::Nmi] > 0.7);
}
