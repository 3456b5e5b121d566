//! Runs the manual of chunking source code and data: each file in `tests/spec/` is prose with
//! examples, and every example is a test.

use std::path::Path;

use excerpt_grammars::chunker;

use crate::manual::examples_are_true;

#[test]
fn the_manual_is_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spec");
    let examples = examples_are_true(&folder, |config| chunker(config).unwrap());
    assert!(examples >= 12, "{examples} examples");
}
