//! What the page asks, asked without a browser.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use consilience::Observer;
use consilience_web::{Answer, Session};
use serde_json::{Value, json};

struct Nobody;

impl Observer for Nobody {}

fn ask(session: &mut Session, question: &Value) -> Result<Value, Value> {
    match session.answer(&question.to_string(), Arc::new(Nobody)) {
        Answer::Json(text) => Ok(serde_json::from_str(&text).unwrap()),
        Answer::Error(text) => Err(serde_json::from_str(&text).unwrap()),
        Answer::File(bytes) => Ok(json!(bytes.len())),
    }
}

fn fit(files: &[&Path], clusters: &str) -> Value {
    json!({ "ask": "fit", "inputs": { "files": files }, "clusters": clusters, "method": "slrmf", "scale": "auto", "seed": 0 })
}

#[test]
fn the_page_is_told_what_there_is_to_choose_from() {
    let about = ask(&mut Session::default(), &json!({ "ask": "about" })).unwrap();
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    assert!(about["methods"].as_array().unwrap().iter().any(|method| method["default"] == true));
    assert_eq!(about["join"][1]["name"], "inner");
}

#[test]
fn the_example_is_a_run_from_its_files_to_its_folder() {
    let (mut session, place) = (Session::default(), tempfile::tempdir().unwrap());
    let files = ask(&mut session, &json!({ "ask": "example" })).unwrap();
    let written = files.as_array().unwrap().iter().map(|file| {
        let path = place.path().join(file["name"].as_str().unwrap());
        std::fs::write(&path, file["text"].as_str().unwrap()).unwrap();
        path
    });
    let paths: Vec<_> = written.collect();
    let views: Vec<&Path> = paths[..3].iter().map(std::path::PathBuf::as_path).collect();

    let refused = ask(&mut session, &fit(&views, "4")).unwrap_err();
    assert!(refused["hint"].as_str().unwrap().contains("\u{201c}Samples\u{201d}"), "{refused}");
    let mut question = fit(&views, "4");
    question["inputs"]["join"] = "outer".into();
    let told = ask(&mut session, &question).unwrap();
    assert_eq!((&told["n"], &told["k"], told["labels"].as_array().unwrap().len()), (&240.into(), &4.into(), 240));
    assert!(ask(&mut session, &json!({ "ask": "file", "name": "report.html" })).is_err(), "it is not examined yet");
    ask(&mut session, &json!({ "ask": "examine", "about": paths[3] })).unwrap();
    for name in ["report.html", "report.json", "labels.csv", "model.safetensors", "run.zip"] {
        assert!(ask(&mut session, &json!({ "ask": "file", "name": name })).unwrap().as_u64().unwrap() > 1000, "{name}");
    }
    assert_eq!(ask(&mut session, &json!({ "ask": "cut", "clusters": 1 })).unwrap(), json!([0, 0, 0, 0]));
    let placed =
        ask(&mut session, &json!({ "ask": "place", "inputs": { "files": [views[0]] }, "model": null })).unwrap();
    assert_eq!(placed["labels"].as_array().unwrap().len(), 240);

    let looked = ask(&mut session, &json!({ "ask": "look", "inputs": { "files": paths } })).unwrap();
    assert_eq!((&looked[0]["views"][0]["d"], &looked[0]["ids"][0]), (&120.into(), &"tumour-001".into()));
    assert_eq!((looked[3]["error"].is_object(), &looked[3]["table"]), (true, &true.into()), "{}", looked[3]);
    let inputs = json!({ "files": paths, "label_column": "grade", "drop_columns": ["age"], "id_column": "sample" });
    let looked = ask(&mut session, &json!({ "ask": "look", "inputs": inputs })).unwrap();
    assert!(looked[0]["error"].is_null(), "a column of another file: {}", looked[0]);
}

#[test]
fn what_is_not_understood_is_refused() {
    let mut session = Session::default();
    for (question, said) in [
        (json!({ "ask": "dance" }), "what is not understood"),
        (json!({ "ask": "cut", "clusters": 2 }), "nothing has been clustered"),
        (json!({ "ask": "file", "name": "../secret" }), "there is no file"),
        (fit(&[], "2-"), "no range"),
    ] {
        let refused = ask(&mut session, &question).unwrap_err();
        assert!(refused["text"].as_str().unwrap().contains(said), "{refused}");
    }
}
