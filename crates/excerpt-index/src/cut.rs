//! Cutting one document within limits: what takes too long, or falls into too many chunks, is left out.

use std::sync::Arc;

use excerpt_chunk::{Chunker, CodeParser as _, Document, Hash};
use excerpt_grammars::Grammars;

use crate::error::Result;
use crate::model::{Attributes, Limits, Skip, SkipReason, SyncOptions};
use crate::patience::{Lost, wait_for};
use crate::store::{Fault, Record};

/// Cuts documents as the options of a sync say.
#[derive(Clone)]
pub(crate) struct Cutter(Arc<Settings>);

struct Settings {
    chunker: Chunker,
    attributes: Attributes,
    identity: Hash,
    limits: Limits,
}

impl Cutter {
    /// Cuts as `options` say; `identity` is theirs.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) when documents cannot be cut like that.
    pub(crate) fn new(options: &SyncOptions, identity: Hash) -> Result<Self> {
        Ok(Cutter(Arc::new(Settings {
            chunker: excerpt_grammars::chunker(options.chunking.clone())?,
            attributes: options.attributes.clone(),
            identity,
            limits: options.limits,
        })))
    }

    /// The record of the document at `path`, or why there is none. `hash` is that of `text`.
    pub(crate) fn cut(
        &self,
        path: &str,
        text: String,
        hash: Hash,
    ) -> Result<Result<Box<Record>, Skip>, Fault> {
        let (settings, own) = (Arc::clone(&self.0), path.to_string());
        let limit = self.0.limits.time;
        let quarantined = |detail: String| {
            let skip = Skip::new(path, SkipReason::Quarantined);
            Ok(Err(skip.with_detail(detail)))
        };
        match wait_for(limit, move || settings.cut(&own, &text, hash)) {
            Ok(cut) => cut,
            Err(Lost::Late) => quarantined(format!(
                "cutting it took more than {} seconds",
                limit.as_secs()
            )),
            Err(Lost::Failed) => quarantined("cutting it failed, by a fault of ours".into()),
        }
    }
}

impl Settings {
    fn cut(&self, path: &str, text: &str, hash: Hash) -> Result<Result<Box<Record>, Skip>, Fault> {
        let mut document = Document::new(text).with_path(path);
        if let Some(title) = &self.attributes.title {
            document = document.with_title(title);
        }
        let chunking = self.chunker.chunk(&document);
        let (chunks, most) = (chunking.chunks.len(), self.limits.chunks);
        if chunks > most {
            let skip = Skip::new(path, SkipReason::TooManyChunks);
            return Ok(Err(
                skip.with_detail(format!("{chunks} chunks, the limit is {most}"))
            ));
        }
        let detected = Grammars.detect(&document);
        let language = detected.map(|detected| detected.language);
        let (identity, attributes) = (self.identity, &self.attributes);
        let record = Record::new(&document, &chunking, hash, identity, attributes, language)?;
        Ok(Ok(Box::new(record)))
    }
}
