//! `doctor`: checks everything that an answer depends on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use excerpt_index::{
    ActiveWriter, Check, Embedder, Error, HttpEmbedder, Index, Keywords, LastSync, Located,
    OpenOptions, StaticTable, Status, Vectors,
};
use serde::Serialize;

use crate::config::{Configuration, Embedding, EmbeddingChoice, ReadFile, Reranking};
use crate::error::ServiceError;
use crate::target::unused_in;

/// A short text to measure the embedder with.
const SAMPLE: &str = "a short text";

/// The state of everything that the answers of an index depend on.
#[derive(Debug, Serialize)]
pub struct Diagnosis {
    /// The configuration files that were read.
    pub configuration: Vec<ReadFile>,
    /// The embedder; `None` when it does not work or is switched off.
    pub embedder: Option<EmbedderReport>,
    /// The model that reorders hits; `None` when it does not work or there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranker: Option<RerankerReport>,
    /// The index; `None` when there is none or it cannot be read.
    pub index: Option<IndexReport>,
    /// The configured embedding; `None` when the configuration is invalid.
    #[serde(skip)]
    pub embedding: Option<Embedding>,
    /// What needs attention.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

/// An embedder that works.
#[derive(Debug, Serialize)]
pub struct EmbedderReport {
    /// Where its vectors come from.
    pub provider: &'static str,
    /// Its identity.
    pub identity: String,
    /// The length of its vectors.
    pub dimensions: usize,
    /// How long it took to embed one short text.
    pub seconds: f64,
    /// The address of the endpoint, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The folder of the model, if it is one on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// A model that reorders hits and works.
#[derive(Debug, Serialize)]
pub struct RerankerReport {
    /// Where its scores come from.
    pub provider: &'static str,
    /// How many hits it compares with a question.
    pub candidates: usize,
    /// How long it took for two short texts, loading included.
    pub seconds: f64,
}

/// An index that can be read.
#[derive(Debug, Serialize)]
pub struct IndexReport {
    /// The index directory.
    pub path: PathBuf,
    /// What it contains.
    #[serde(flatten)]
    pub status: Status,
    /// The process that is writing it now. What is not indexed yet is then no problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<ActiveWriter>,
    /// The configured embedder; `None` when vectors are switched off.
    pub configured_embedder: Option<String>,
    /// How its keyword index compares with its texts.
    pub check: Check,
    /// The folder of its keyword index.
    #[serde(skip)]
    keywords_folder: PathBuf,
}

/// Something that needs attention.
#[derive(Debug)]
pub enum Problem {
    /// The configuration is invalid.
    InvalidConfiguration(ServiceError),
    /// A setting is ignored.
    IgnoredSetting(String),
    /// The configured embedder returns no vectors.
    Embedder(String),
    /// The model that should reorder hits does not work.
    Reranker(String),
    /// The index, or a file of it, is damaged or cannot be read.
    Index(Error),
    /// A source was never synced completely.
    NotSynced(Option<LastSync>),
    /// The source at this root is not in the index.
    NotIndexed(PathBuf),
    /// The keyword index is not up to date.
    Keywords(Keywords),
    /// The keyword index differs from the texts.
    KeywordsDiffer {
        /// In how many documents.
        documents: usize,
        /// Its folder, which can be removed: a sync builds it again.
        folder: PathBuf,
    },
    /// The vectors are those of another embedder.
    OtherVectors {
        /// The one they are from.
        held: String,
        /// The configured one.
        configured: String,
    },
    /// So many documents have no vectors.
    MissingVectors(usize),
    /// The last sync got no vectors, for this reason.
    NoVectors(String),
}

/// Checks the configuration, the embedder and the index at `place`. What cannot be checked is a
/// [`Problem`].
pub fn diagnose(place: &Located, choice: &EmbeddingChoice) -> Diagnosis {
    let mut diagnosis = Diagnosis {
        configuration: Vec::new(),
        embedder: None,
        reranker: None,
        index: None,
        embedding: None,
        problems: Vec::new(),
    };
    match Configuration::read(&place.root, choice) {
        Ok(read) => {
            diagnosis.configuration = read.files;
            let notes = read.notes.into_iter().chain(unused_in(place));
            let notes = notes.map(Problem::IgnoredSetting);
            diagnosis.problems.extend(notes);
            match check_embedder(&read.embedding) {
                Ok(found) => diagnosis.embedder = found,
                Err(problem) => diagnosis.problems.push(Problem::Embedder(problem)),
            }
            match check_reranker(&read.rerank) {
                Ok(found) => diagnosis.reranker = found,
                Err(problem) => diagnosis.problems.push(Problem::Reranker(problem)),
            }
            diagnosis.embedding = Some(read.embedding);
        }
        Err(error) => diagnosis
            .problems
            .push(Problem::InvalidConfiguration(error)),
    }
    diagnosis.check_index(place);
    diagnosis
}

/// Checks the embedder; `None` when vectors are switched off. The error says what is wrong and how
/// to fix it.
fn check_embedder(embedding: &Embedding) -> Result<Option<EmbedderReport>, String> {
    match embedding {
        Embedding::None => Ok(None),
        Embedding::BuiltIn => {
            let table = StaticTable::built_in().map_err(|error| error.to_string())?;
            check_local(embedding.provider(), &table, None).map(Some)
        }
        #[cfg(feature = "onnx")]
        Embedding::Onnx(model) => {
            let embedder = model.loaded().map_err(|error| error.to_string())?;
            check_local(embedding.provider(), &*embedder, Some(model.folder())).map(Some)
        }
        Embedding::Http(options) => {
            let embedder = HttpEmbedder::new(options.as_ref().clone());
            let embedder = embedder.map_err(|error| error.to_string())?;
            let check = embedder.check().map_err(|error| error.to_string())?;
            Ok(Some(EmbedderReport {
                provider: embedding.provider(),
                identity: check.identity,
                dimensions: check.dimensions,
                seconds: check.time.as_secs_f64(),
                url: Some(check.url),
                path: None,
            }))
        }
    }
}

/// Checks the model that reorders hits; `None` when there is none. The error says what is wrong and
/// how to fix it.
fn check_reranker(rerank: &Reranking) -> Result<Option<RerankerReport>, String> {
    let Some(reranker) = rerank.reranker() else {
        return Ok(None);
    };
    Ok(Some(RerankerReport {
        provider: rerank.provider(),
        candidates: reranker.options().candidates,
        seconds: reranker.check()?.as_secs_f64(),
    }))
}

/// Checks an embedder that computes the vectors itself.
fn check_local(
    provider: &'static str,
    embedder: &dyn Embedder,
    path: Option<&Path>,
) -> Result<EmbedderReport, String> {
    let started = Instant::now();
    let mut vectors = Vectors::new(embedder.dimensions());
    let made = embedder.embed_documents(&[SAMPLE], &mut vectors);
    made.map_err(|error| error.to_string())?;
    Ok(EmbedderReport {
        provider,
        identity: embedder.identity().to_string(),
        dimensions: embedder.dimensions(),
        seconds: started.elapsed().as_secs_f64(),
        url: None,
        path: path.map(Path::to_path_buf),
    })
}

impl Diagnosis {
    /// Checks the index, if there is one.
    fn check_index(&mut self, place: &Located) {
        let faults = Index::faults(&place.index).into_iter();
        self.problems.extend(faults.map(Problem::Index));
        match self.read_index(place) {
            Ok(report) => {
                if report.writer.is_none() {
                    self.check_sources(place, &report.status);
                    self.check_keywords(&report);
                }
                if let Some(configured) = &report.configured_embedder {
                    self.check_vectors(&report, configured);
                }
                self.index = Some(report);
            }
            Err(Error::NotFound { .. }) => {}
            Err(error) => {
                let is_known = |known: &Problem| match known {
                    Problem::Index(known) => known.to_string() == error.to_string(),
                    _ => false,
                };
                if !self.problems.iter().any(is_known) {
                    self.problems.push(Problem::Index(error));
                }
            }
        }
    }

    fn read_index(&self, place: &Located) -> Result<IndexReport, Error> {
        let index = Index::open(&place.index, OpenOptions::default())?;
        // The check of the embedder has reported a model that cannot be loaded.
        let embedding = self.embedding.as_ref();
        let index = match embedding.filter(|embedding| embedding.is_known()) {
            Some(embedding) => embedding.given_to(index)?,
            None => index.with_embedder(None),
        };
        let configured = index.embedder().map(Embedder::identity);
        Ok(IndexReport {
            path: place.index.clone(),
            // Before the status: what it has finished is then in there.
            writer: index.writer(),
            configured_embedder: configured.map(str::to_string),
            status: index.status()?,
            check: index.check()?,
            keywords_folder: index.keywords_folder()?,
        })
    }

    fn check_sources(&mut self, place: &Located, status: &Status) {
        // For the index as a whole, every source counts.
        let is_whole = place.root == place.index;
        let is_meant = |root: &Path| is_whole || root == place.root;
        let sources = status.sources.iter();
        let meant: Vec<_> = sources.filter(|source| is_meant(&source.root)).collect();
        for source in &meant {
            if source.last_sync.is_none_or(|last| last.finished.is_none()) {
                self.problems.push(Problem::NotSynced(source.last_sync));
            }
        }
        if meant.is_empty() && !is_whole {
            self.problems.push(Problem::NotIndexed(place.root.clone()));
        }
    }

    fn check_keywords(&mut self, report: &IndexReport) {
        let (keywords, check) = (report.status.keywords, &report.check);
        if keywords != Keywords::InStep {
            self.problems.push(Problem::Keywords(keywords));
        } else if !check.is_sound() {
            self.problems.push(Problem::KeywordsDiffer {
                documents: check.differing + check.surplus,
                folder: report.keywords_folder.clone(),
            });
        }
    }

    fn check_vectors(&mut self, report: &IndexReport, configured: &str) {
        let vectors = &report.status.vectors;
        let held = vectors.embedder.as_deref();
        if report.writer.is_some() {
            // They are perhaps just being computed.
        } else if let Some(held) = held.filter(|held| *held != configured) {
            self.problems.push(Problem::OtherVectors {
                held: held.to_string(),
                configured: configured.to_string(),
            });
        } else if vectors.behind > 0 {
            self.problems.push(Problem::MissingVectors(vectors.behind));
        }
        if let Some(failure) = &vectors.failure {
            // The check of the embedder finds the same failure.
            let is_known =
                |known: &Problem| matches!(known, Problem::Embedder(known) if known == failure);
            if !self.problems.iter().any(is_known) {
                self.problems.push(Problem::NoVectors(failure.clone()));
            }
        }
    }
}
