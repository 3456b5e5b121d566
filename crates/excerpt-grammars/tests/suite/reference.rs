//! The code chunks of an earlier design, and the operations of its service, mapped from ours. The
//! field names are those of the earlier design.

use std::ops::Range;

use excerpt_chunk::{Chunk, Chunking, CodeParser, Document, Kind, Preset, Unit};
use excerpt_grammars::{Grammars, chunker, module_path};

/// A code chunk of the earlier design.
#[derive(Debug)]
struct CodeChunk {
    content: String,
    context: ChunkContext,
    span: Range<usize>,
    unit_kind: CodeUnitKind,
    unit_name: Option<String>,
    language: String,
}

/// Its place.
#[derive(Debug)]
struct ChunkContext {
    file_path: Option<String>,
    module_path: Vec<String>,
    parent_name: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum CodeUnitKind {
    Function,
    Class,
    Module,
    Constant,
    Import,
    Other,
}

/// The mapping: `text`, `span` and `name` are the same; the module path is that of the file and the
/// modules in the trail; the parent is the last entry of the trail that is neither a module nor the
/// unit itself.
fn code_chunk(chunk: &Chunk<'_>) -> CodeChunk {
    let path = chunk.context.path.as_deref();
    let language = chunk.language.as_deref().unwrap_or_default();
    let own = chunk.name.is_some();
    let around = chunk.context.trail.len().saturating_sub(usize::from(own));
    let (modules, scopes): (Vec<&str>, Vec<&str>) = chunk.context.trail[..around]
        .iter()
        .map(|label| &**label)
        .partition(|label| label.starts_with("mod "));
    let file = path.map(|path| module_path(language, path));
    let inner = modules
        .iter()
        .map(|label| label["mod ".len()..].to_string());
    CodeChunk {
        content: chunk.text.to_string(),
        span: chunk.span.bytes.clone(),
        unit_kind: match chunk.kind {
            Kind::Function | Kind::Method | Kind::Test | Kind::Macro => CodeUnitKind::Function,
            Kind::Class
            | Kind::Struct
            | Kind::Enum
            | Kind::Trait
            | Kind::Interface
            | Kind::Impl => CodeUnitKind::Class,
            Kind::Module => CodeUnitKind::Module,
            Kind::Constant | Kind::TypeAlias => CodeUnitKind::Constant,
            Kind::Import => CodeUnitKind::Import,
            _ => CodeUnitKind::Other,
        },
        unit_name: chunk.name.as_deref().map(str::to_string),
        language: language.to_string(),
        context: ChunkContext {
            file_path: path.map(str::to_string),
            module_path: file.into_iter().flatten().chain(inner).collect(),
            parent_name: scopes.last().map(|scope| scope.to_string()),
        },
    }
}

const TEXT: &str = "//! Shelves.

use std::collections::BTreeMap;

/// A shelf of books, by their titles.
pub struct Shelf {
    books: BTreeMap<String, u32>,
}

impl Shelf {
    /// Puts a book where its title belongs, and says how many of it stand there now, so that
    /// everyone who adds one knows.
    pub fn put(&mut self, title: &str) -> u32 {
        let count = self.books.entry(title.to_string()).or_default();
        *count += 1;
        *count
    }

    /// How many books stand here under all titles together, counted one by one, because nobody has
    /// written the sum down yet; callers who ask often should remember what it said, or ask for
    /// the number of titles, which is known without counting at all.
    pub fn count(&self) -> u32 {
        self.books.values().sum()
    }

    /// Takes a book away, if there is one.
    pub fn take(&mut self, title: &str) -> Option<u32> {
        self.books.remove(title)
    }
}

mod labels {
    /// The label of a shelf, in the letters that everybody can read from the other side of the room
    /// without glasses.
    pub fn label(name: &str) -> String {
        name.to_uppercase().chars().filter(|char| !char.is_whitespace()).collect::<String>()
    }

    /// No label.
    pub const NONE: &str = \"this shelf has no label, and people who need one have to write it by hand, in pencil\";
}
";

fn cut() -> Chunking<'static> {
    let config = excerpt_chunk::Config {
        target: 400,
        max: 400,
        min: 40,
        ..Preset::Code.config(Unit::Chars)
    };
    let document = Document::new(TEXT).with_path("crates/library/src/shelf.rs");
    chunker(config).unwrap().chunk(&document)
}

#[test]
fn a_chunk_fills_the_reference_s_code_chunk() {
    let chunks: Vec<CodeChunk> = cut().chunks.iter().map(code_chunk).collect();
    let count = chunks
        .iter()
        .find(|chunk| chunk.content.contains("pub fn count"))
        .unwrap();
    assert_eq!(&TEXT[count.span.clone()], count.content);
    assert_eq!(count.unit_name.as_deref(), Some("count"));
    assert_eq!(count.unit_kind, CodeUnitKind::Function);
    assert_eq!(count.language, "rust");
    assert_eq!(count.context.parent_name.as_deref(), Some("impl Shelf"));
    assert_eq!(count.context.module_path, ["library", "shelf"]);
    let file = count.context.file_path.as_deref();
    assert_eq!(file, Some("crates/library/src/shelf.rs"));
    let label = chunks
        .iter()
        .find(|chunk| chunk.content.contains("pub fn label"))
        .unwrap();
    assert_eq!(label.unit_kind, CodeUnitKind::Module);
    assert_eq!(label.unit_name.as_deref(), Some("labels"));
    assert_eq!(label.context.module_path, ["library", "shelf"]);
    assert_eq!(label.context.parent_name, None);
}

#[test]
fn the_strategy_is_detected_from_the_content_and_the_path() {
    let chunking = cut();
    assert_eq!(chunking.strategy.name(), "code");
    let auto = chunker(Preset::Auto.config(Unit::Chars)).unwrap();
    let document = Document::new(TEXT).with_path("shelf.rs");
    assert_eq!(auto.chunk(&document).reason, "detected: rust by its ending");
    assert_eq!(Grammars.detect(&document).unwrap().language, "rust");
}

#[test]
fn a_chunk_lists_the_imports_that_it_uses_and_no_others() {
    let filler = "    // Nothing of note happens on this line of the function.\n".repeat(9);
    let text = format!(
        "use std::fmt::Display;\nuse std::io::{{Read, Write as Sink}};\n\nfn show(it: impl Display) {{\n{filler}}}\n\nfn fill(it: impl Sink) {{\n{filler}}}\n"
    );
    let config = excerpt_chunk::Config {
        target: 600,
        max: 600,
        ..Preset::Code.config(Unit::Chars)
    };
    let chunking = chunker(config).unwrap();
    let chunking = chunking.chunk(&Document::new(&text).with_path("show.rs"));
    let imports = |part: &str| {
        let mut chunks = chunking.chunks.iter();
        let chunk = chunks.find(|chunk| chunk.text.contains(part)).unwrap();
        assert!(!chunk.text.contains("use std"));
        chunk.context.imports.clone()
    };
    let parts = chunking.chunks.iter().map(|chunk| chunk.part.count);
    assert!(
        parts.into_iter().all(|count| count == 1),
        "no function is a part of another"
    );
    assert_eq!(imports("fn show").len(), 1);
    assert_eq!(&*imports("fn show")[0], "use std::fmt::Display;");
    assert_eq!(
        &*imports("fn fill")[0],
        "use std::io::{Read, Write as Sink};"
    );
}

#[test]
fn a_later_part_has_the_signature_of_its_definition() {
    let body = "    let total = total + weigh(books, shelves, readers);\n".repeat(30);
    let text =
        format!("fn count(books: &[Book]) -> usize {{\n    let total = 0;\n{body}    total\n}}\n");
    let config = excerpt_chunk::Config {
        target: 600,
        max: 600,
        ..Preset::Code.config(Unit::Chars)
    };
    let chunking = chunker(config).unwrap();
    let chunking = chunking.chunk(&Document::new(&text).with_path("count.rs"));
    let later = &chunking.chunks[1];
    assert_eq!(
        later.context.signature.as_deref(),
        Some("fn count(books: &[Book]) -> usize")
    );
    assert_eq!(later.name.as_deref(), Some("count"));
    assert_eq!(later.part.index, 2);
    assert_eq!(later.part.count, chunking.chunks.len());
    assert!(
        later
            .context
            .header
            .contains("fn count(books: &[Book]) -> usize")
    );
}
