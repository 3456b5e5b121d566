//! What a mirror is about to write and to remove: the [`Plan`].

use std::collections::BTreeSet;

use excerpt_chunk::{Document, Hash};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use super::compare::{Claim, There, compare};
use super::folder::UNFINISHED;
use super::manifest::{MANIFEST, Manifest, Written};
use super::{
    ConflictReason, MirrorConflict, MirrorOptions, MirrorReport, MirrorStep, MirrorTarget,
    ObjectMetadata, failed,
};
use crate::model::{DocumentId, Encoding, SourceId, is_at_or_below};
use crate::source::{AddedFrontMatter, encode};
use crate::store::catalog::Catalog;
use crate::store::{StoreError, StoredDocument};

/// The longest value in the metadata of an object, in bytes as it is sent. A longer one is left
/// out: S3 allows 2 kB for all of them.
const LONGEST_VALUE: usize = 400;

/// The syntaxes of the documents that get front matter: in any other it would be an error.
const WITH_FRONT_MATTER: [&str; 2] = ["markdown", "text"];

/// A document that is to be written.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) path: String,
    /// What its object is made of.
    pub(super) key: Hash,
    id: DocumentId,
}

/// What is to be done.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) source: SourceId,
    pub(super) writes: Vec<Planned>,
    pub(super) removals: Vec<String>,
    /// The stamps that the manifest is to have for what is there already, by path.
    pub(super) stamps: Vec<(String, String)>,
    /// What is known so far: the documents that are there already, and the paths that cannot be.
    pub(super) report: MirrorReport,
    front_matter: bool,
    /// Whether the objects have metadata.
    has_metadata: bool,
}

impl Plan {
    /// What differs between a source and the destination of its mirror.
    ///
    /// # Errors
    ///
    /// Those of the catalog, and [`Error::Mirror`](crate::Error::Mirror) when the destination does
    /// not tell what it has.
    pub(super) fn of(
        catalog: &dyn Catalog,
        source: &SourceId,
        (target, manifest): (&dyn MirrorTarget, &Manifest),
        options: MirrorOptions,
    ) -> Result<Plan, StoreError> {
        let mut plan = Plan {
            source: source.clone(),
            writes: Vec::new(),
            removals: Vec::new(),
            stamps: Vec::new(),
            report: MirrorReport::default(),
            front_matter: options.front_matter,
            has_metadata: target.keeps_metadata(),
        };
        let mut listed = Vec::new();
        catalog.each_listed(Some(source), "", None, &mut |document| {
            listed.push((document.id, document.path));
        })?;
        let mut claimed = Vec::new();
        for (id, path) in &listed {
            if let Some(planned) = plan.planned(catalog, *id, path)? {
                match Plan::claim(&planned, manifest, options.overwrites) {
                    Some(claim) => claimed.push((planned, claim)),
                    None => plan.writes.push(planned),
                }
            }
        }
        plan.compare(claimed, target, options.overwrites)?;
        if options.removes {
            let there: BTreeSet<&str> = listed.iter().map(|(_, path)| &**path).collect();
            let known: BTreeSet<&String> = manifest
                .documents
                .keys()
                .chain(manifest.pending.keys())
                .collect();
            let gone = known.into_iter().filter(|path| !there.contains(&***path));
            plan.removals = gone.cloned().collect();
        }
        Ok(plan)
    }

    /// A document that has or gets an object; `None` if there is none, or there can be none.
    fn planned(
        &mut self,
        catalog: &dyn Catalog,
        id: DocumentId,
        path: &str,
    ) -> Result<Option<Planned>, StoreError> {
        if path == MANIFEST || is_at_or_below(UNFINISHED, path) {
            let reason = ConflictReason::Unstorable("this name is reserved for the mirror".into());
            self.conflict(path, reason);
            return Ok(None);
        }
        let Some(document) = catalog.document(id)? else {
            return Ok(None);
        };
        if document.encoding == Encoding::Extracted {
            let reason = "its file is not text, and the index has only the text of it";
            self.conflict(path, ConflictReason::Unstorable(reason.into()));
            return Ok(None);
        }
        Ok(Some(Planned {
            path: path.to_string(),
            key: self.key(&document),
            id,
        }))
    }

    fn conflict(&mut self, path: &str, reason: ConflictReason) {
        let path = path.to_string();
        self.report.conflicts.push(MirrorConflict { path, reason });
    }

    /// What the manifest has about this version of a document; `None` if it is to be written.
    fn claim(planned: &Planned, manifest: &Manifest, overwrites: bool) -> Option<Written> {
        let written = manifest.documents.get(&planned.path)?;
        let is_interrupted = manifest.pending.contains_key(&planned.path);
        // What was there before the mirror becomes its own when that is asked for.
        let is_taken = written.found && overwrites;
        (written.key == planned.key && !is_interrupted && !is_taken).then(|| written.clone())
    }

    /// Compares what the manifest claims with what is there.
    fn compare(
        &mut self,
        claimed: Vec<(Planned, Written)>,
        target: &dyn MirrorTarget,
        overwrites: bool,
    ) -> Result<(), StoreError> {
        let claims: Vec<Claim<'_>> = claimed
            .iter()
            .map(|(planned, written)| Claim {
                path: &planned.path,
                written,
                is_read: overwrites,
            })
            .collect();
        let found = compare(target, &claims).map_err(|error| failed(target, error))?;
        drop(claims);
        for ((planned, written), there) in claimed.into_iter().zip(found) {
            match there {
                There::Same(stamp) => {
                    self.report.unchanged += 1;
                    let stamp = stamp.map(|stamp| (planned.path, stamp));
                    self.stamps.extend(stamp);
                }
                There::Nothing => self.writes.push(planned),
                There::Changed if overwrites => self.writes.push(planned),
                There::Changed if written.found => {
                    self.conflict(&planned.path, ConflictReason::Foreign);
                }
                There::Changed => self.conflict(&planned.path, ConflictReason::Changed),
                There::Unreadable(reason) => {
                    self.conflict(&planned.path, ConflictReason::Unstorable(reason));
                }
            }
        }
        self.writes.sort_by(|a, b| a.path.cmp(&b.path));
        self.report.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(())
    }

    fn key(&self, document: &StoredDocument) -> Hash {
        let metadata = self.has_metadata.then(|| metadata(document));
        let added = self
            .gets_front_matter(document)
            .then(|| front_matter(document).before(""));
        let parts = (
            document.text.to_string(),
            document.encoding,
            added,
            metadata,
        );
        Hash::of(&serde_json::to_vec(&parts).unwrap_or_default())
    }

    fn gets_front_matter(&self, document: &StoredDocument) -> bool {
        self.front_matter && WITH_FRONT_MATTER.contains(&&*document.syntax)
    }

    /// The bytes and the metadata of the object of a document; `None` if it is no longer there.
    ///
    /// # Errors
    ///
    /// Those of the catalog.
    pub(super) fn object(
        &self,
        catalog: &dyn Catalog,
        planned: &Planned,
    ) -> Result<Option<(Vec<u8>, ObjectMetadata)>, StoreError> {
        let Some(document) = catalog.document(planned.id)? else {
            return Ok(None);
        };
        let text = catalog.text(document.text)?;
        let encoding = document.encoding;
        let gets_front_matter =
            self.gets_front_matter(&document) && AddedFrontMatter::is_needed(&text);
        // Its encoding may lack a letter of the path.
        let with_front_matter = gets_front_matter
            .then(|| encode(&front_matter(&document).before(&text), encoding))
            .flatten();
        let bytes = with_front_matter.or_else(|| encode(&text, encoding));
        let bytes = bytes.ok_or(StoreError::Value("a text that its encoding does not have"))?;
        Ok(Some((bytes, metadata(&document))))
    }

    /// What would be done.
    pub(super) fn told(self, on_step: &mut dyn FnMut(MirrorStep)) -> MirrorReport {
        let mut report = self.report;
        report.written = self.writes.len();
        report.removed = self.removals.len();
        for write in self.writes {
            on_step(MirrorStep::Write(write.path));
        }
        for path in self.removals {
            on_step(MirrorStep::Remove(path));
        }
        report
    }
}

fn commit(document: &StoredDocument) -> Option<&str> {
    document.provenance.get("commit").and_then(Value::as_str)
}

fn front_matter(document: &StoredDocument) -> AddedFrontMatter<'_> {
    AddedFrontMatter {
        path: &document.path,
        domain: Document::new("").with_path(&document.path).domain(),
        title: document.title.as_deref(),
        commit: commit(document),
    }
}

/// A value as a header can have it: S3 allows ASCII only. What is not is percent-encoded.
fn header(value: &str) -> String {
    const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');
    let value = value.trim();
    match value.chars().all(|c| matches!(c, ' '..='~')) {
        true => value.to_string(),
        false => utf8_percent_encode(value, ESCAPED).to_string(),
    }
}

/// What is said about the object of a document besides its text.
fn metadata(document: &StoredDocument) -> ObjectMetadata {
    let AddedFrontMatter {
        path,
        domain,
        title,
        commit,
    } = front_matter(document);
    let values = [
        ("path", Some(path)),
        ("domain", domain),
        ("title", title),
        ("commit", commit),
    ];
    let values = values
        .into_iter()
        .filter_map(|(name, value)| Some((name, header(value?))));
    values
        .filter(|(_, value)| value.len() <= LONGEST_VALUE)
        .collect()
}
