//! `excerpt doctor`: checks everything that an answer depends on, and says how to fix what does not
//! work.

use std::path::{Path, PathBuf};
use std::time::Instant;

use excerpt_index::{
    Check, Embedder, Error, HttpEmbedder, Index, Keywords, Located, OpenOptions, StaticTable,
    Status, Vectors,
};
use excerpt_service::text::counted;
use excerpt_service::{Configuration, Embedding, Owner, ReadFile};
use serde::Serialize;

use crate::cli::choice::{EmbeddingArgs, IndexArgs};
use crate::cli::exit::Outcome;
use crate::cli::rebuild::rebuild;
use crate::cli::status;
use crate::cli::told::index_error;
use crate::output::{Output, SCHEMA};

/// A short text to measure the embedder with.
const SAMPLE: &str = "a short text";

/// Check the configuration, the embedder and the index, and say what to do
///
/// Exits with 0 when all is well, and with 1 when something needs attention.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder or file whose index is checked
    #[arg(default_value = ".")]
    path: PathBuf,
    /// Check the index of all added collections instead of that of a folder
    #[arg(long)]
    library: bool,
    /// Rebuild the index from its sources first: the old one is replaced when the new one is
    /// complete
    #[arg(long)]
    rebuild: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
    #[command(flatten)]
    embedding: EmbeddingArgs,
}

/// The findings.
#[derive(Serialize)]
struct Findings {
    schema: u32,
    /// The roots of the sources that the index was rebuilt from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rebuilt: Vec<PathBuf>,
    configuration: Vec<ReadFile>,
    embedder: Option<EmbedderReport>,
    index: Option<IndexReport>,
    attention: Vec<Attention>,
}

/// An embedder that works.
#[derive(Serialize)]
struct EmbedderReport {
    provider: &'static str,
    identity: String,
    dimensions: usize,
    /// How long it took to embed one short text.
    seconds: f64,
    /// The address of the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct IndexReport {
    path: PathBuf,
    #[serde(flatten)]
    status: Status,
    /// The configured embedder; `None` when vectors are switched off.
    configured_embedder: Option<String>,
    check: Check,
}

/// A problem.
#[derive(Serialize)]
struct Attention {
    what: String,
    /// How to fix it, unless `what` says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// Runs all checks and prints the report.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let place = match args.library {
        true => Located::of_index(args.index.choice().library()?),
        false => args.index.choice().locate(&args.path)?,
    };
    let rebuilt = match args.rebuild {
        true => rebuild(&place, &args.embedding)?,
        false => Vec::new(),
    };
    let mut report = Findings {
        schema: SCHEMA,
        rebuilt,
        configuration: Vec::new(),
        embedder: None,
        index: None,
        attention: Vec::new(),
    };
    let mut embedding = None;
    match Configuration::read(&place.root, &args.embedding.choice()) {
        Ok(read) => {
            report.configuration = read.files;
            for note in read.notes {
                report.needs(note, None);
            }
            embedding = Some(read.embedding);
        }
        Err(error) => report.needs(format!("{error:#}"), None),
    }
    if let Some(embedding) = &embedding {
        match embedder(embedding) {
            Ok(found) => report.embedder = found,
            Err(problem) => report.needs(problem, None),
        }
    }
    report.look_at(&place, embedding.as_ref())?;
    let mut output = Output::new();
    match args.json {
        true => output.json(&report)?,
        false => report.print(&mut output, embedding.as_ref())?,
    }
    output.flush()?;
    Ok(match report.attention.is_empty() {
        true => Outcome::Done,
        false => Outcome::Attention,
    })
}

/// Checks the embedder; `None` when vectors are switched off. The error says what is wrong and how
/// to fix it.
fn embedder(embedding: &Embedding) -> Result<Option<EmbedderReport>, String> {
    let provider = embedding.provider();
    match embedding {
        Embedding::None => Ok(None),
        Embedding::BuiltIn => {
            let table = StaticTable::built_in().map_err(|error| error.to_string())?;
            let started = Instant::now();
            let mut vectors = Vectors::new(table.dimensions());
            let made = table.embed_documents(&[SAMPLE], &mut vectors);
            made.map_err(|error| error.to_string())?;
            Ok(Some(EmbedderReport {
                provider,
                identity: table.identity().to_string(),
                dimensions: table.dimensions(),
                seconds: started.elapsed().as_secs_f64(),
                url: None,
            }))
        }
        Embedding::Http(options) => {
            let embedder = HttpEmbedder::new(options.as_ref().clone());
            let embedder = embedder.map_err(|error| error.to_string())?;
            let check = embedder.check().map_err(|error| error.to_string())?;
            Ok(Some(EmbedderReport {
                provider,
                identity: check.identity,
                dimensions: check.dimensions,
                seconds: check.time.as_secs_f64(),
                url: Some(check.url),
            }))
        }
    }
}

impl Findings {
    fn needs(&mut self, what: impl Into<String>, next: Option<&str>) {
        self.attention.push(Attention {
            what: what.into(),
            next: next.map(str::to_string),
        });
    }

    /// Checks the index, if there is one.
    fn look_at(&mut self, place: &Located, embedding: Option<&Embedding>) -> anyhow::Result<()> {
        const SYNC: Option<&str> = Some("run `excerpt sync`");
        for fault in Index::faults(&place.index) {
            self.needs(index_error(&fault), None);
        }
        let looked = Index::open(&place.index, OpenOptions::default()).and_then(|index| {
            let index = match embedding {
                Some(embedding) => embedding.given_to(index)?,
                None => index.with_embedder(None),
            };
            let embedder = index
                .embedder()
                .map(|embedder| embedder.identity().to_string());
            Ok((embedder, index.status()?, index.check()?))
        });
        let (embedder, status, check) = match looked {
            Ok(looked) => looked,
            Err(Error::NotFound { .. }) => return Ok(()),
            Err(error) => {
                let what = index_error(&error);
                if self.attention.iter().all(|told| told.what != what) {
                    self.needs(what, None);
                }
                return Ok(());
            }
        };
        // For the index as a whole, every source counts.
        let is_whole = place.root == place.index;
        let is_meant = |root: &Path| is_whole || root == place.root;
        let sources = status.sources.iter();
        let meant: Vec<_> = sources.filter(|source| is_meant(&source.root)).collect();
        for source in &meant {
            if source.last_sync.is_none_or(|last| last.finished.is_none()) {
                self.needs(status::synced(source.last_sync), None);
            }
        }
        if meant.is_empty() && !is_whole {
            self.needs(format!("`{}` is not indexed", place.root.display()), SYNC);
        }
        if status.keywords != Keywords::InStep {
            let state = match status.keywords {
                Keywords::Behind => "out of date",
                _ => "missing",
            };
            self.needs(format!("the keyword index is {state}"), SYNC);
        } else if !check.is_sound() {
            let what = format!(
                "the keyword index differs from the texts in {}",
                counted(check.differing + check.surplus, "document")
            );
            let folder = place.index.join("lexical");
            let next = format!("remove `{}`, and run `excerpt sync`", folder.display());
            self.needs(what, Some(&next));
        }
        if let Some(configured) = &embedder {
            self.look_at_vectors(&status, configured, SYNC);
        }
        self.index = Some(IndexReport {
            path: place.index.clone(),
            status,
            configured_embedder: embedder,
            check,
        });
        Ok(())
    }

    fn look_at_vectors(&mut self, status: &Status, configured: &str, sync: Option<&str>) {
        let vectors = &status.vectors;
        let others = vectors.embedder.as_deref();
        let others = others.filter(|held| *held != configured);
        if let Some(held) = others {
            let what = format!("the vectors are those of `{held}`, not of `{configured}`");
            self.needs(what, sync);
        } else if vectors.behind > 0 {
            let documents = counted(vectors.behind, "document");
            let what = format!("{documents} without vectors, found by keywords only");
            self.needs(what, sync);
        }
        if let Some(failure) = &vectors.failure {
            // The embedder check reports the same failure.
            let is_said = self.attention.iter().any(|said| said.what == *failure);
            if !is_said {
                self.needs(format!("the last sync got no vectors: {failure}"), None);
            }
        }
    }

    fn print(&self, output: &mut Output, embedding: Option<&Embedding>) -> anyhow::Result<()> {
        let mut rows: Vec<(&str, String)> = Vec::new();
        let rebuilt = self.rebuilt.iter();
        rows.extend(rebuilt.map(|root| ("rebuilt", format!("from {}", root.display()))));
        rows.extend(
            self.configuration
                .iter()
                .map(|file| ("configuration", set(file))),
        );
        if self.configuration.is_empty() && embedding.is_some() {
            rows.push(("configuration", "no file, all defaults".to_string()));
        }
        match (&self.embedder, embedding) {
            (Some(found), _) => rows.push(("embedder", found.shown())),
            (None, Some(Embedding::None)) => rows.push(("embedder", "switched off".to_string())),
            (None, Some(embedding)) => {
                rows.push(("embedder", format!("{}: see below", embedding.provider())));
            }
            (None, None) => {}
        }
        match &self.index {
            None => rows.push((
                "index",
                "none yet: run `excerpt sync` to create one".to_string(),
            )),
            Some(index) => rows.extend(index.rows(embedding.is_some())),
        }
        let mut before = "";
        for (name, text) in rows {
            let shown = if name == before { "" } else { name };
            output.line(output.safe(&format!("{shown:13}  {text}")))?;
            before = name;
        }
        match self.attention.len() {
            0 => output.line("all is well")?,
            1 => output.line("1 thing needs attention")?,
            count => output.line(format!("{count} things need attention"))?,
        }
        for attention in &self.attention {
            let next = attention.next.as_ref().map(|next| format!(": {next}"));
            let line = format!("- {}{}", attention.what, next.unwrap_or_default());
            output.line(output.safe(&line))?;
        }
        Ok(())
    }
}

impl EmbedderReport {
    fn shown(&self) -> String {
        let url = self.url.as_ref().map(|url| format!(" at {url}"));
        format!(
            "{}{}: `{}`, {} dimensions, a short text in {:.1} ms",
            self.provider,
            url.unwrap_or_default(),
            self.identity,
            self.dimensions,
            self.seconds * 1e3
        )
    }
}

impl IndexReport {
    /// The rows about the index; those about the vectors only when the configured embedder is
    /// known.
    fn rows(&self, vectors: bool) -> Vec<(&'static str, String)> {
        let (documents, chunks) = (
            counted(self.check.documents, "document"),
            counted(self.check.chunks, "chunk"),
        );
        let configured = self.configured_embedder.as_deref();
        let state = vectors.then(|| status::vectors(&self.status, configured));
        let refused = status::refused(&self.status.vectors);
        let rows = [
            ("index", self.path.display().to_string()),
            ("index", format!("{documents} in {chunks}")),
            (
                "keywords",
                status::keywords(self.status.keywords).to_string(),
            ),
        ];
        let vectors = state.into_iter().chain(refused);
        rows.into_iter()
            .chain(vectors.map(|line| ("vectors", line)))
            .collect()
    }
}

/// A configuration file and the fields that it sets.
fn set(file: &ReadFile) -> String {
    let owner = match file.owner {
        Owner::User => "yours",
        Owner::Named => "named by you",
        Owner::Project => "the project's",
    };
    let sets = match file.sets.is_empty() {
        true => "nothing".to_string(),
        false => file.sets.join(", "),
    };
    format!("{} ({owner}) sets {sets}", file.path.display())
}
