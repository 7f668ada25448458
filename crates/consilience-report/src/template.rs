//! Puts the page together from the files under `page/`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("../page/page.html");
const STYLE: &str = concat!(
    include_str!("../page/style/base.css"),
    include_str!("../page/style/panels.css"),
    include_str!("../page/style/print.css"),
);

/// The script in the order of use: what a file needs stands before it. All share one scope.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../page/script/dom.js"),
    include_str!("../page/script/run.js"),
    include_str!("../page/script/palette.js"),
    include_str!("../page/script/theme.js"),
    include_str!("../page/script/selection.js"),
    include_str!("../page/script/chart.js"),
    include_str!("../page/script/header.js"),
    include_str!("../page/script/clusters.js"),
    include_str!("../page/script/metadata.js"),
    include_str!("../page/script/heat.js"),
    include_str!("../page/script/map.js"),
    include_str!("../page/script/map_draw.js"),
    include_str!("../page/script/map_input.js"),
    include_str!("../page/script/views.js"),
    include_str!("../page/script/choice.js"),
    include_str!("../page/script/scores.js"),
    include_str!("../page/script/sure.js"),
    include_str!("../page/script/downloads.js"),
    include_str!("../page/script/table.js"),
    include_str!("../page/script/samples.js"),
    include_str!("../page/script/features.js"),
    include_str!("../page/script/flow.js"),
    include_str!("../page/script/compare.js"),
    include_str!("../page/script/main.js"),
    "})();\n",
);

/// The page with `documents` (JSON that may stand in a `script` element) inside. The template is cut at its marks first,
/// so a mark inside the documents stays what it is.
pub(crate) fn fill(documents: &str) -> String {
    let policy = content_policy();
    let parts =
        [("{{policy}}", policy.as_str()), ("{{style}}", STYLE), ("{{documents}}", documents), ("{{script}}", SCRIPT)];
    let mut page = String::with_capacity(TEMPLATE.len() + STYLE.len() + SCRIPT.len() + documents.len() + policy.len());
    let mut rest = TEMPLATE;
    for (mark, content) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(content);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// The content security policy of every page: what a page around it has to allow.
pub fn content_policy() -> String {
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE),
    )
}

/// As a content security policy names a script or a style.
fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_filled_once_and_marks_in_the_data_stay() {
        let page = fill("[\"{{script}}\"]");
        assert_eq!(page.matches("{{script}}").count(), 1);
        assert!(["{{policy}}", "{{style}}", "{{documents}}"].iter().all(|mark| !page.contains(mark)));
        assert!(page.contains(">[\"{{script}}\"]</script>"));
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn script_and_style_cannot_end_their_element() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style"));
    }

    #[test]
    fn the_script_never_writes_markup() {
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }

    #[test]
    fn the_page_names_no_other_place() {
        let bare = fill("[]").replace("http://www.w3.org/2000/svg", "");
        assert!(!bare.contains("http:") && !bare.contains("https:"));
    }
}
