//! The names that imports introduce, and definitions inside conditions and unclosed elements.

use excerpt_chunk::Document;

use crate::outlines::kept;

/// The names that each import in `text` introduces.
fn names(path: &str, text: &str) -> Vec<String> {
    let outline = kept(&Document::new(text).with_path(path), 1_000);
    let imports = outline.imports().iter();
    imports.map(|import| import.names.join(" ")).collect()
}

#[test]
fn self_in_a_list_is_the_module_around() {
    let text = "use a::{self, b};\nuse x::{y::{self}, z};\nuse p::q::{self as r, s::*};\n";
    assert_eq!(names("a.rs", text), ["a b", "y z", "r"]);
}

#[test]
fn a_wildcard_import_introduces_no_names() {
    let java = "import a.b.*;\nimport static a.B.*;\nimport a.b.C;\n";
    assert_eq!(names("A.java", java), ["", "", "C"]);
    let kotlin = "import a.b.*\nimport a.b.C\nimport a.b.D as E\n";
    assert_eq!(names("a.kt", kotlin), ["", "C", "E"]);
    assert_eq!(
        names("a.py", "from x import *\nfrom .z import w as v\n"),
        ["", "v"]
    );
    assert_eq!(names("a.rs", "use a::b::*;\n"), [""]);
}

#[test]
fn rules_under_conditions_are_definitions() {
    let text = "ifdef A\nall: b\n\techo\nelse ifdef B\nother: c\n\techo\nelse\nthird: d\n\techo\nX = 1\nifdef C\nnested: e\n\techo\nendif\nendif\nlast: f\n\techo\n";
    let outline = kept(&Document::new(text).with_path("Makefile"), 1_000);
    let defined = outline.definitions().iter();
    let defined: Vec<&str> = defined.map(|definition| &*definition.name).collect();
    assert_eq!(defined, ["all", "other", "third", "X", "nested", "last"]);
}

#[test]
fn headings_in_unclosed_elements_open_sections() {
    let text = "<div>\n<h1>One</h1>\n<p>a\n<section>\n<h2>Two</h2>\n<p>b\n";
    let outline = kept(&Document::new(text).with_path("a.html"), 10);
    let labels = outline.nodes().iter().filter_map(|node| node.label());
    assert_eq!(labels.collect::<Vec<_>>(), ["One", "Two"]);
}
