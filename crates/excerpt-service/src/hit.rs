//! What every face shows of a hit, and its JSON for programs. [`SearchHit`] has everything; a
//! [`BriefHit`](crate::BriefHit) is its view within a budget.

use std::path::Path;

use excerpt_chunk::{Chunking, Hash, Span, Summary};
use excerpt_index::{AlsoIn, DocumentHits, Encoding, Explanation, Origin, Snippet};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::target::Paths;

/// How a face shows the paths of documents.
pub trait ShowPaths {
    /// The root of a source, if it may be shown.
    fn root<'r>(&self, root: &'r Path) -> Option<&'r Path>;

    /// The path of a document inside its source, if it may be shown besides the path as shown.
    fn source_path<'p>(&self, path: &'p str) -> Option<&'p str>;

    /// The document at `path` in the source at `root`.
    fn path(&self, root: &Path, path: &str) -> String;

    /// The same as a target that `get` accepts.
    fn target(&self, collection: Option<&str>, root: &Path, path: &str) -> String;
}

impl ShowPaths for Paths {
    fn root<'r>(&self, root: &'r Path) -> Option<&'r Path> {
        Some(root)
    }

    fn source_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        Some(path)
    }

    fn path(&self, root: &Path, path: &str) -> String {
        self.shown(root, path)
    }

    fn target(&self, collection: Option<&str>, root: &Path, path: &str) -> String {
        self.address(collection, root, path)
    }
}

/// A hit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchHit<'a> {
    /// Its position in the answer, from 1.
    pub rank: usize,
    /// The name of the collection, if the source is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<&'a str>,
    /// The path of the document as shown: to a user, relative to the working directory; to an
    /// agent, to what is served.
    pub path: String,
    /// A target that `get` accepts: the path as shown, and the lines as `:first-last`.
    pub citation: String,
    /// A web page that will always show these lines, where the host of the repository is known to
    /// have such pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The root of the source; only for the user of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a Path>,
    /// The path inside the source, which is the document's name in the index; only for the user of
    /// the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_path: Option<&'a str>,
    /// The place in the document.
    pub span: &'a Span,
    /// Where it is in a file that is not text, such as `page=12`; absent for text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'a str>,
    /// The headings or scopes around it.
    pub context: HitContext<'a>,
    /// The headings or definitions in it.
    pub sections: &'a [String],
    /// In source code, the names that it defines.
    pub defines: &'a [String],
    /// The document.
    pub document: HitDocument<'a>,
    /// Higher is better. Comparable only within one answer.
    pub score: f32,
    /// The channel that found it: `keywords`, `vectors` or `both`.
    pub channel: &'static str,
    /// How the score is made up, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<&'a Explanation>,
    /// Whether it is probably not an answer.
    pub weak: bool,
    /// How much of the words of the question it contains, from 0 to 1; rarer words count more.
    pub coverage: f32,
    /// The cosine of its vector and that of the question; `None` without vectors.
    pub cosine: Option<f32>,
    /// Whether it contains every word of the question.
    pub all_words: bool,
    /// The kind of its content.
    pub kind: &'a str,
    /// The language of a chunk that is one code block.
    pub language: Option<&'a str>,
    /// Its size with its context, in the unit of the configuration.
    pub tokens: usize,
    /// The id of the chunk.
    pub id: Hash,
    /// The text, byte for byte.
    pub text: &'a str,
    /// The best matching lines of the text.
    pub snippet: &'a Snippet,
    /// The lower hits that were folded into it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<HitCopy<'a>>,
}

/// A near-copy or a translation that was folded into a hit.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HitCopy<'a> {
    /// The name of the collection, if the source is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<&'a str>,
    /// The path of the document as shown.
    pub path: String,
    /// The first and the last line of its best chunk.
    #[schemars(with = "[usize; 2]")]
    pub lines: (usize, usize),
}

/// A document with a hit, without its chunks.
#[derive(Debug, Serialize)]
pub struct DocumentHit<'a> {
    /// Its position in the answer, from 1.
    pub rank: usize,
    /// The name of the collection, if the source is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<&'a str>,
    /// The path of the document as shown: to a user, relative to the working directory; to an
    /// agent, to what is served.
    pub path: String,
    /// The root of the source; only for the user of the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'a Path>,
    /// The path inside the source, which is the document's name in the index; only for the user of
    /// the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_path: Option<&'a str>,
    /// The document.
    pub document: HitDocument<'a>,
    /// Higher is better. Comparable only within one answer.
    pub score: f32,
    /// Whether all its hits are weak.
    pub weak: bool,
}

impl<'a> DocumentHit<'a> {
    /// The document of an answer, with its path as `paths` shows it.
    pub fn of(document: &'a DocumentHits, paths: &impl ShowPaths) -> Self {
        DocumentHit {
            rank: document.rank,
            collection: document.collection.as_deref(),
            path: path_of(paths, document),
            source: paths.root(&document.source),
            source_path: paths.source_path(&document.path),
            document: HitDocument::of(document),
            score: document.score,
            weak: document.chunks.iter().all(|hit| hit.weak),
        }
    }
}

/// How many of some hits, best first, are shown unless all of them are asked for: those up to the
/// last that is not weak, so that what ranks higher is never hidden and ranks have no gaps. None if
/// all are weak.
pub fn shown_count<T>(found: &[T], is_weak: impl Fn(&T) -> bool) -> usize {
    let last = found.iter().rposition(|hit| !is_weak(hit));
    last.map_or(0, |last| last + 1)
}

/// The place of a chunk in its document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitContext<'a> {
    /// The headings or scopes that enclose it, outermost first.
    pub trail: &'a [String],
}

/// The document of a chunk.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitDocument<'a> {
    /// Its title.
    pub title: Option<&'a str>,
    /// Its first heading.
    pub first_heading: Option<&'a str>,
    /// Its front matter, and the attributes that the user gave it.
    pub metadata: &'a Map<String, Value>,
    /// What its source knows about it, such as its last commit.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub provenance: &'a Map<String, Value>,
    /// The encoding of the file; spans refer to the text in UTF-8.
    pub encoding: Encoding,
}

impl<'a> HitDocument<'a> {
    fn of(document: &'a DocumentHits) -> Self {
        HitDocument {
            title: document.title.as_deref(),
            first_heading: document.first_heading.as_deref(),
            metadata: &document.metadata,
            provenance: &document.provenance,
            encoding: document.encoding,
        }
    }
}

impl<'a> SearchHit<'a> {
    /// A hit at `rank`.
    pub fn of(
        rank: usize,
        document: &'a DocumentHits,
        hit: &'a excerpt_index::Hit,
        paths: &impl ShowPaths,
    ) -> Self {
        let copied = |copy: &'a AlsoIn| HitCopy {
            collection: copy.collection.as_deref(),
            path: paths.path(&copy.source, &copy.path),
            lines: copy.lines,
        };
        SearchHit {
            rank,
            collection: document.collection.as_deref(),
            path: path_of(paths, document),
            citation: citation(paths, document, hit),
            link: web_page(document, hit),
            source: paths.root(&document.source),
            source_path: paths.source_path(&document.path),
            span: &hit.span,
            place: hit.place.as_deref(),
            context: HitContext { trail: &hit.trail },
            sections: &hit.sections,
            defines: &hit.defines,
            document: HitDocument::of(document),
            score: hit.score,
            channel: channel(&hit.explanation),
            explanation: Some(&hit.explanation),
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
            also_in: document.also_in.iter().map(copied).collect(),
        }
    }
}

/// The path of a document as shown: of what is not on this disk, a target for `get`.
fn path_of(paths: &impl ShowPaths, document: &DocumentHits) -> String {
    let (source, path) = (&document.source, &document.path);
    match Origin::of(source).is_remote() {
        true => paths.target(document.collection.as_deref(), source, path),
        false => paths.path(source, path),
    }
}

/// The address of a web page that shows the lines of a hit as they were in its last commit.
#[must_use]
pub fn web_page(document: &DocumentHits, hit: &excerpt_index::Hit) -> Option<String> {
    let Origin::Git(origin) = Origin::of(&document.source) else {
        return None;
    };
    let commit = document.provenance.get("commit")?.as_str()?;
    let mut address = origin.permalink(commit, &document.path, hit.span.lines)?;
    // A file that is not text has no lines.
    if hit.place.is_some() {
        address.truncate(address.find('#').unwrap_or(address.len()));
    }
    Some(address)
}

/// The target with which `get` prints the lines of a hit.
pub fn citation(
    paths: &impl ShowPaths,
    document: &DocumentHits,
    hit: &excerpt_index::Hit,
) -> String {
    let collection = document.collection.as_deref();
    let path = paths.target(collection, &document.source, &document.path);
    let (first, last) = hit.span.lines;
    match &hit.place {
        Some(place) => format!("{path}#{place}"),
        None => format!("{path}:{first}-{last}"),
    }
}

/// The same for a hit that was folded.
pub fn citation_of_copy(paths: &impl ShowPaths, copy: &AlsoIn) -> String {
    let path = paths.target(copy.collection.as_deref(), &copy.source, &copy.path);
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct SplitDocument<'a> {
    /// The path as shown.
    pub path: Option<&'a str>,
    /// The path in the index.
    pub source_path: Option<&'a str>,
    /// The encoding of the file; spans refer to the text in UTF-8.
    pub encoding: Encoding,
    /// How it was split.
    #[serde(flatten)]
    pub chunking: &'a Chunking<'a>,
    /// The sizes of its chunks.
    pub summary: Summary,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ranks_above_a_good_hit_is_shown() {
        let count = |weak: &[bool]| shown_count(weak, |weak| *weak);
        assert_eq!(count(&[true, false, true, false, true]), 4);
        assert_eq!(count(&[false, true, true]), 1);
        assert_eq!((count(&[true, true]), count(&[])), (0, 0));
    }
}
