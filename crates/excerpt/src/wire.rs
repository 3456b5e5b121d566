//! The JSON for programs, the same from the command line and the MCP server.

use std::path::Path;

use excerpt_chunk::{Chunking, Hash, Span, Summary};
use excerpt_index::{AlsoIn, DocumentHits, Encoding, Explanation, Snippet};
use excerpt_service::Paths;
use serde::Serialize;
use serde_json::{Map, Value};

/// A hit.
#[derive(Serialize)]
pub(crate) struct SearchHit<'a> {
    pub(crate) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collection: Option<&'a str>,
    /// The path of the file, relative to the working directory.
    pub(crate) path: String,
    /// The citation that `get` accepts: `path:first-last`, or `collection › path:first-last`.
    pub(crate) citation: String,
    /// The root of the source.
    pub(crate) source: &'a Path,
    /// The path inside the source, which is the document's name in the index.
    pub(crate) source_path: &'a str,
    pub(crate) span: &'a Span,
    pub(crate) context: HitContext<'a>,
    pub(crate) sections: &'a [String],
    pub(crate) defines: &'a [String],
    pub(crate) document: HitDocument<'a>,
    pub(crate) score: f32,
    /// The channel that found it: `keywords`, `vectors` or `both`.
    pub(crate) channel: &'static str,
    pub(crate) explanation: &'a Explanation,
    pub(crate) weak: bool,
    pub(crate) coverage: f32,
    pub(crate) cosine: Option<f32>,
    pub(crate) all_words: bool,
    pub(crate) kind: &'a str,
    pub(crate) language: Option<&'a str>,
    pub(crate) tokens: usize,
    pub(crate) id: Hash,
    pub(crate) text: &'a str,
    pub(crate) snippet: &'a Snippet,
}

/// A document with a hit, without its chunks.
#[derive(Serialize)]
pub(crate) struct DocumentHit<'a> {
    pub(crate) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) collection: Option<&'a str>,
    /// The path of the file, relative to the working directory.
    pub(crate) path: String,
    /// The root of the source.
    pub(crate) source: &'a Path,
    /// The path inside the source, which is the document's name in the index.
    pub(crate) source_path: &'a str,
    pub(crate) document: HitDocument<'a>,
    pub(crate) score: f32,
    /// Whether all its hits are weak.
    pub(crate) weak: bool,
}

impl<'a> DocumentHit<'a> {
    pub(crate) fn of(document: &'a DocumentHits, paths: &Paths) -> Self {
        DocumentHit {
            rank: document.rank,
            collection: document.collection.as_deref(),
            path: paths.shown(&document.source, &document.path),
            source: &document.source,
            source_path: &document.path,
            document: HitDocument::of(document),
            score: document.score,
            weak: document.chunks.iter().all(|hit| hit.weak),
        }
    }
}

/// The place of a chunk in its document.
#[derive(Serialize)]
pub(crate) struct HitContext<'a> {
    pub(crate) trail: &'a [String],
}

/// The document of a chunk.
#[derive(Serialize)]
pub(crate) struct HitDocument<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) first_heading: Option<&'a str>,
    pub(crate) metadata: &'a Map<String, Value>,
    /// The encoding of the file; spans refer to the text in UTF-8.
    pub(crate) encoding: Encoding,
}

impl<'a> HitDocument<'a> {
    fn of(document: &'a DocumentHits) -> Self {
        HitDocument {
            title: document.title.as_deref(),
            first_heading: document.first_heading.as_deref(),
            metadata: &document.metadata,
            encoding: document.encoding,
        }
    }
}

impl<'a> SearchHit<'a> {
    /// A hit at `rank`.
    pub(crate) fn of(
        rank: usize,
        document: &'a DocumentHits,
        hit: &'a excerpt_index::Hit,
        paths: &Paths,
    ) -> Self {
        SearchHit {
            rank,
            collection: document.collection.as_deref(),
            path: paths.shown(&document.source, &document.path),
            citation: citation(paths, document, hit),
            source: &document.source,
            source_path: &document.path,
            span: &hit.span,
            context: HitContext { trail: &hit.trail },
            sections: &hit.sections,
            defines: &hit.defines,
            document: HitDocument::of(document),
            score: hit.score,
            channel: channel(&hit.explanation),
            explanation: &hit.explanation,
            weak: hit.weak,
            coverage: hit.coverage,
            cosine: hit.cosine,
            all_words: hit.all_words,
            kind: &hit.kind,
            language: hit.language.as_deref(),
            tokens: hit.tokens,
            id: hit.id,
            text: &hit.text,
            snippet: &hit.snippet,
        }
    }
}

/// The target with which `get` prints the lines of a hit.
pub(crate) fn citation(paths: &Paths, document: &DocumentHits, hit: &excerpt_index::Hit) -> String {
    let collection = document.collection.as_deref();
    let path = paths.address(collection, &document.source, &document.path);
    let (first, last) = hit.span.lines;
    format!("{path}:{first}-{last}")
}

/// The same for a hit that was folded.
pub(crate) fn citation_of_copy(paths: &Paths, copy: &AlsoIn) -> String {
    let path = paths.address(copy.collection.as_deref(), &copy.source, &copy.path);
    let (first, last) = copy.lines;
    format!("{path}:{first}-{last}")
}

/// The channel that found a chunk.
pub(crate) fn channel(explanation: &Explanation) -> &'static str {
    match (&explanation.keywords, &explanation.vectors) {
        (Some(_), Some(_)) => "both",
        (None, Some(_)) => "vectors",
        _ => "keywords",
    }
}

/// A document that was split.
#[derive(Serialize)]
pub(crate) struct SplitDocument<'a> {
    pub(crate) path: Option<&'a str>,
    /// The path in the index.
    pub(crate) source_path: Option<&'a str>,
    /// The encoding of the file; spans refer to the text in UTF-8.
    pub(crate) encoding: Encoding,
    #[serde(flatten)]
    pub(crate) chunking: &'a Chunking<'a>,
    pub(crate) summary: Summary,
}
