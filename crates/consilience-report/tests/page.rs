//! The document and the page of a run: what is inside comes out again, and what is broken is refused.

// a test says what is wrong by failing
#![allow(clippy::expect_used, clippy::unwrap_used)]

use consilience::datasets::Blobs;
use consilience::examine::Examine;
use consilience::matrix::Dense;
use consilience::{Run, Settings, View, Views, cluster};
use consilience_io::Labels;
use consilience_report::{Document, Error, Subject, describe, page};
use serde_json::{Value, json};

fn described(name: &str, views: &Views, settings: &Settings, truth: Option<&Labels>) -> Document {
    let clustering = cluster(views, settings).unwrap();
    let asked = Examine { resamples: 2, ..Examine::default() };
    let examination = asked.examine(views, settings, &clustering, &Run::default()).unwrap();
    describe(&Subject {
        name,
        views,
        clustering: &clustering,
        examination: &examination,
        truth,
        metadata: None,
        origin: None,
    })
    .unwrap()
}

/// Twelve samples in two clusters.
fn document(name: &str) -> Document {
    let blobs = Blobs { samples: 12, clusters: 2, features: vec![3, 4], separation: 9.0, seed: 1 };
    let (views, truth) = blobs.generate().unwrap();
    let truth = Labels::from_names(&truth.iter().map(usize::to_string).collect::<Vec<_>>());
    described(name, &views, &Settings::new(2), Some(&truth))
}

/// The JSON inside the page.
fn embedded(page: &str) -> &str {
    let (_, rest) = page.split_once("id=\"documents\">").expect("the data's element");
    rest.split_once("</script>").expect("its end").0
}

fn message(document: &Value) -> String {
    Document::read(&document.to_string()).expect_err("a broken document").to_string()
}

#[test]
fn a_document_is_read_back_as_it_was_written() {
    let made = document("run");
    assert!(Document::read(&made.to_json().unwrap()).unwrap() == made);
    let truth = made.truth.as_ref().unwrap();
    assert_eq!(truth.confusion.iter().map(|row| row.iter().sum()).collect::<Vec<usize>>(), [6, 6]);
    assert_eq!(made.clusters.iter().map(|cluster| cluster.size).collect::<Vec<_>>(), [6, 6]);
    assert_eq!((made.samples.cluster.0.len(), made.views.len(), made.stability.unwrap().runs), (12, 2, 16));
}

#[test]
fn clusters_without_samples_are_shown_as_such() {
    // two different rows, four clusters
    let views = Views::new(vec![View::new("a", Dense::from_fn(20, 2, |i, _| (i % 2) as f64))]).unwrap();
    let settings = Settings::with_method(4, "kmeans", &[]).unwrap();
    let truth = Labels::from_names(&[["a"; 10], ["b"; 10]].concat());
    let made = described("few", &views, &settings, Some(&truth));
    assert_eq!(made.clusters.iter().map(|cluster| cluster.size).collect::<Vec<_>>(), [10, 10, 0, 0]);
    assert_eq!(made.truth.as_ref().unwrap().matched[2..], [None, None]);
    assert!(page(&[made]).is_ok());
}

#[test]
fn hostile_names_stand_in_the_page_as_text() {
    let mut made = document("<!-- & -->");
    let ids = ["</script><script>alert(1)</script>", "\u{2028}&\u{2029}"].into_iter().cycle().take(12);
    made.samples.ids = Some(ids.map(str::to_owned).collect());
    let page = page(std::slice::from_ref(&made)).expect("a page");
    let inside = embedded(&page);
    for letter in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
        assert!(!inside.contains(letter), "{letter:?} stands bare in the page");
    }
    let again: Vec<Value> = serde_json::from_str(inside).expect("JSON");
    assert!(Document::read(&again[0].to_string()).unwrap() == made);
}

#[test]
fn several_documents_keep_their_order() {
    let page = page(&["first", "second", "third"].map(document)).expect("a page");
    let inside: Vec<Document> = serde_json::from_str(embedded(&page)).expect("JSON");
    assert_eq!(inside.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["first", "second", "third"]);
}

#[test]
fn the_policy_allows_nothing_but_the_page_itself() {
    let page = page(&[document("run")]).expect("a page");
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn a_page_needs_documents_that_are_sound() {
    assert!(matches!(page(&[]), Err(Error::Empty)));
    let mut broken = document("broken");
    broken.samples.x.0.pop();
    let error = page(&[document("run"), broken]).expect_err("a broken document").to_string();
    assert_eq!(error, "document 2 of the report: `samples.x` has 11 entries for 12 samples");
}

#[test]
fn damaged_texts_are_refused_with_the_place_of_the_damage() {
    let text = document("run").to_json().unwrap();
    assert!(matches!(Document::read(&text[..text.len() / 2]), Err(Error::Json(error)) if error.is_eof()));
    let mut made = serde_json::to_value(document("run")).unwrap();
    made["run"].as_object_mut().expect("an object").remove("k");
    assert!(message(&made).contains("missing field `k` at line 1 column"));
}

#[test]
fn documents_that_contradict_themselves_are_refused() {
    let made = serde_json::to_value(document("run")).unwrap();
    let broken: [(&str, Value, &str); 17] = [
        ("/format", json!(1), "format 1 is not known; this version reads format 4"),
        ("/run/n", json!(4), "the clusters hold 12 samples, the run has 4"),
        ("/run/k", json!(3), "k = 3, but 2 clusters"),
        ("/samples/ids", json!(["a"]), "`samples.ids` has 1 entries for 12 samples"),
        ("/samples/x/data", json!("AAAB"), "a column is not base64 of `u16`"),
        ("/samples/x/data", json!("AAABAAAA"), "`samples.x` has 3 entries for 12 samples"),
        ("/samples/y/data", json!("AAABAA!!"), "a column is not base64 of `u16`"),
        ("/samples/cluster/data", json!("BwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), "names cluster 7, but there are 2"),
        ("/samples/confidence/type", json!("f32"), "a column is packed as `f32`, not as `u8`"),
        ("/samples/truth", json!(null), "`truth` and `samples.truth` must both be there"),
        ("/truth/confusion", json!([[1, 2]]), "`truth` does not describe 2 clusters and 2 classes"),
        ("/heat/bounds", json!([0, 2, 1]), "blocks into 2 groups"),
        ("/agreement/before", json!([[1.0]]), "`agreement` does not compare 2 views"),
        ("/agreement/after", json!([[null]]), "`agreement` does not compare 2 views"),
        ("/samples/doubt/data", json!("AAAB"), "`samples.doubt` has 3 entries for 12 samples"),
        (
            "/marker_picture",
            json!({"markers": [0], "means": [[1.0]]}),
            "`marker_picture` does not show 1 markers of 2 clusters",
        ),
        (
            "/metadata",
            json!([{"name": "age", "effect": 0.5, "values": {"kind": "numbers", "range": [0, 1], "codes": {"type": "u16", "data": ""}, "means": []}}]),
            "`metadata` column `age` does not describe 12 samples and 2 clusters",
        ),
    ];
    for (place, value, expected) in broken {
        let mut made = made.clone();
        *made.pointer_mut(place).expect("a place in the document") = value;
        assert!(message(&made).contains(expected), "{place}: {}", message(&made));
    }
}
