//! The charts from outside: golden pictures, hostile names, degenerate and random data.

#![allow(clippy::expect_used, clippy::panic)]

mod degenerate;
mod golden;
mod random;
mod samples;

use consilience_figures::png;
use resvg::usvg::roxmltree;

/// All texts of a chart, after checking that it is well-formed, described for screen readers, set in readable sizes, and all inside.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    for name in ["title", "desc"] {
        let text = root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
        assert!(text.is_some_and(|text| !text.is_empty()), "<{name}> is empty");
    }
    let [width, height] = ["width", "height"].map(|name| number(&root, name));
    let elements = || document.descendants().filter(roxmltree::Node::is_element);
    assert!(elements().all(|node| node.attribute("id").is_none()), "ids clash when charts share a page");
    let words = elements().filter(|node| node.has_tag_name("text"));
    let check = |node: roxmltree::Node<'_, '_>| {
        assert!(number(&node, "font-size") >= 11.0);
        if node.attribute("transform").is_none() {
            assert!((0.0..=width).contains(&number(&node, "x")) && (0.0..=height).contains(&number(&node, "y")));
        }
        node.text().unwrap_or_default().to_owned()
    };
    words.map(check).collect()
}

fn number(node: &roxmltree::Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name} of {node:?}"))
}

/// Width, height and RGBA bytes of a chart drawn at `scale`.
fn pixels(svg: &str, scale: f32) -> (u32, u32, Vec<u8>) {
    let file = png(svg, scale).expect("a PNG");
    let picture = resvg::tiny_skia::Pixmap::decode_png(&file).expect("a PNG that can be read");
    (picture.width(), picture.height(), picture.data().to_vec())
}
