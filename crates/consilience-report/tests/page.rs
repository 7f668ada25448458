//! The page made from documents: what is inside comes out again, and what is broken is refused.

// a test says what is wrong by failing
#![allow(clippy::expect_used)]

use consilience_report::{Error, page};
use serde_json::{Value, json};

fn document(name: &str) -> Value {
    json!({
        "format": 1,
        "name": name,
        "run": {"n": 3, "k": 2, "method": "average"},
        "samples": {
            "ids": ["a", "</script><script>alert(1)</script>", "\u{2028}&\u{2029}"],
            "cluster": {"type": "u16", "data": "AAABAAAA"},
            "confidence": {"type": "u8", "data": "AAEC"},
            "disagreement": null, "stability": null, "corruption": null, "truth": null,
            "x": {"type": "u16", "data": "AAABAAAA"},
            "y": {"type": "u16", "data": "AAABAAAA"}
        },
        "truth": null,
        "clusters": [{"size": 2}, {"size": 1}],
        "heat": {"size": 2, "values": {"type": "u8", "data": "AAECAw=="}, "max": 1.0, "bounds": [0, 1, 2]},
        "heat_by_class": null,
        "views": [{"name": "<b>"}]
    })
}

/// The JSON inside the page.
fn embedded(page: &str) -> &str {
    let (_, rest) = page.split_once("id=\"documents\">").expect("the data's element");
    rest.split_once("</script>").expect("its end").0
}

fn message(document: &Value) -> String {
    page(&[&document.to_string()]).expect_err("a broken document").to_string()
}

#[test]
fn hostile_names_come_back_as_they_were() {
    let made = document("<!-- & -->");
    let page = page(&[&made.to_string()]).expect("a page");
    let inside = embedded(&page);
    for letter in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
        assert!(!inside.contains(letter), "{letter:?} stands bare in the page");
    }
    assert_eq!(serde_json::from_str::<Value>(inside).expect("JSON"), json!([made]));
}

#[test]
fn several_documents_keep_their_order() {
    let texts: Vec<String> = ["first", "second", "third"].iter().map(|name| document(name).to_string()).collect();
    let page = page(&texts.iter().map(String::as_str).collect::<Vec<_>>()).expect("a page");
    let inside: Vec<Value> = serde_json::from_str(embedded(&page)).expect("JSON");
    let names: Vec<&str> = inside.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
}

#[test]
fn the_policy_allows_nothing_but_the_page_itself() {
    let page = page(&[&document("run").to_string()]).expect("a page");
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn no_document_is_an_error() {
    assert!(matches!(page(&[]), Err(Error::Empty)));
}

#[test]
fn text_that_is_not_json_is_an_error_with_its_number() {
    let good = document("run").to_string();
    let error = page(&[&good, "{\"format\": 1"]).expect_err("a broken document");
    assert!(error.to_string().starts_with("document 2 of the report: EOF"), "{error}");
}

#[test]
fn a_missing_field_is_named() {
    let mut made = document("run");
    made["run"].as_object_mut().expect("an object").remove("k");
    assert!(message(&made).contains("missing field `k`"));
}

#[test]
fn documents_that_contradict_themselves_are_refused() {
    let broken: [(&str, Value, &str); 9] = [
        ("/format", json!(2), "format 2 is not known"),
        ("/run/n", json!(4), "the clusters hold 3 samples, the run has 4"),
        ("/run/k", json!(3), "k = 3, but 2 clusters"),
        ("/samples/ids", json!(["a"]), "`samples.ids` has 1 entries for 3 samples"),
        ("/samples/x/data", json!("AAAB"), "`samples.x` has 4 letters; 3 values need 8"),
        ("/samples/y/data", json!("AAABAA!!"), "`samples.y` is not base64"),
        ("/samples/cluster/data", json!("AAAHAAAA"), "`samples.cluster` names cluster 7, but there are 2"),
        ("/samples/confidence/type", json!("f32"), "`samples.confidence` is packed as `f32`"),
        ("/heat/bounds", json!([0, 2, 1]), "`heat.bounds` does not cut 2 blocks into 2 groups"),
    ];
    for (place, value, expected) in broken {
        let mut made = document("run");
        *made.pointer_mut(place).expect("a place in the document") = value;
        assert!(message(&made).contains(expected), "{place}: {}", message(&made));
    }
}
