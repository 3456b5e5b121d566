//! Where source code is split, and how the parts are named.

use excerpt_chunk::{Config, Document, Kind};
use excerpt_grammars::chunker;

use crate::kept::kept;

#[test]
fn a_method_with_the_bracket_of_its_class_is_the_method() {
    let method = |name: &str| {
        let body: String = (0..9)
            .map(|at| format!("        total += compute({at});\n"))
            .collect();
        format!(
            "    int {name}() {{\n        int total = 0;\n{body}        return total;\n    }}\n"
        )
    };
    let methods = ["first", "second", "third"].map(method).join("\n");
    let text = format!("class Store {{\n    int size;\n\n{methods}}}\n");
    let config = Config {
        target: 100,
        max: 100,
        min: 10,
        ..Config::default()
    };
    let chunking = kept(
        &chunker(config).unwrap(),
        &Document::new(&text).with_path("Store.java"),
    );
    let last = chunking.chunks.last().unwrap();
    assert!(last.text.ends_with("    }\n}"), "{}", last.text);
    assert_eq!(last.name.as_deref(), Some("third"));
    assert_eq!(last.kind, Kind::Method);
    assert_eq!(
        &*chunking.chunks[0].context.trail,
        ["class Store".into()],
        "the header is of the class"
    );
}
