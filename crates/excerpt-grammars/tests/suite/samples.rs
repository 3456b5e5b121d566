//! Each language has a folder with a sample of ours, and its outline as a snapshot.

use std::path::{Path, PathBuf};

use excerpt_chunk::{CodeParser, Document};
use excerpt_grammars::{Grammars, languages};

use crate::outlines::{drawn, kept};

/// The size up to which a piece is not descended into: so small that the pieces of the samples are.
const DETAIL: usize = 200;

/// The folder of a language.
fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("languages")
        .join(language)
}

/// The sample of a language: its path and its text.
pub(crate) fn sample(language: &str) -> (String, String) {
    let files = std::fs::read_dir(folder(language)).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    let path = files
        .find(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.to_lowercase().starts_with("sample.") && !name.contains(".snap")
        })
        .unwrap_or_else(|| panic!("{language} has a sample"));
    let text = std::fs::read_to_string(&path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    (name.to_string(), text)
}

#[test]
fn the_outlines_of_samples_match_their_snapshots() {
    for language in languages() {
        let (path, text) = sample(language);
        let document = Document::new(&text).with_path(&path);
        let detected = Grammars.detect(&document).unwrap();
        assert_eq!(detected.language, language);
        let outline = kept(&document, DETAIL);
        assert_eq!(outline.language(), Some(language));
        assert_eq!(outline.fallbacks(), [""; 0], "{language} is read");
        insta::with_settings!({
            snapshot_path => folder(language),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!("sample", drawn(&text, &outline));
        });
        assert!(folder(language).join("sample.snap").is_file());
        assert!(folder(language).join("outline.kinds").is_file());
    }
}

#[test]
fn samples_are_outlined_at_every_detail() {
    for language in languages() {
        let (path, text) = sample(language);
        for detail in [0, 1, 40, 400, 100_000] {
            kept(&Document::new(&text).with_path(&path), detail);
        }
    }
}

#[test]
fn crlf_and_byte_order_marks_change_only_offsets() {
    for language in languages() {
        let (path, text) = sample(language);
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let names = |text: &str| -> Vec<String> {
            let outline = kept(&Document::new(text).with_path(&path), DETAIL);
            let definitions = outline.definitions().iter();
            definitions
                .map(|definition| definition.name.to_string())
                .collect()
        };
        assert_eq!(names(&text), names(&windows), "{language}");
    }
}
