//! One file of codes.

use std::fs::File;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tantivy::Directory as _;
use tantivy::directory::{MmapDirectory, OwnedBytes};
use twox_hash::XxHash3_64;

use super::Near;
use super::compare::width;
use crate::fs::disk;
use crate::model::{ChunkKey, DocumentId, Revision};
use crate::store::StoreError;

pub(super) const MAGIC: [u8; 8] = *b"EXCRPTV\x02";
pub(super) const WORD: usize = size_of::<u64>();
const GROUP: usize = 4 * WORD;
/// How many bytes at the start the checksum does not cover: those up to its end.
pub(super) const UNSUMMED: usize = 2 * WORD;
/// The `rev` of a document that was removed: none has it.
pub(super) const REMOVED: Revision = Revision(0);
const SHORT: StoreError = StoreError::Value("a truncated file of vectors");

/// What the codes are derived from, and up to which `rev`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The id of the database.
    pub(crate) store: String,
    /// The identity of the embedder.
    pub(crate) embedder: String,
    /// How many numbers its vectors have.
    pub(crate) dimensions: usize,
    /// The state of the index that they have caught up with.
    pub(crate) rev: Revision,
    /// The checksum of the file that they are newer than; `None` for the codes of all documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<u64>,
}

/// The position of the codes of a document.
pub(super) struct Position {
    pub(super) document: DocumentId,
    pub(super) rev: Revision,
    pub(super) path_hash: u64,
    pub(super) codes: Range<usize>,
}

impl Position {
    /// Whether the document is no longer there: only a file of newer codes says so.
    pub(super) fn is_removed(&self) -> bool {
        self.rev == REMOVED
    }

    /// A chunk of the document.
    pub(super) fn near(&self, ordinal: u64) -> Near {
        Near {
            key: ChunkKey {
                document: self.document,
                ordinal,
            },
            path_hash: self.path_hash,
            rev: self.rev,
        }
    }
}

/// Of documents in order, those before `document` and those after it, whether it is one of them or
/// not.
pub(super) fn around(groups: &[Position], document: DocumentId) -> (&[Position], &[Position]) {
    let at = groups.partition_point(|place| place.document < document);
    let (before, others) = groups.split_at(at);
    match others {
        [same, later @ ..] if same.document == document => (before, later),
        others => (before, others),
    }
}

/// A file of codes.
pub(super) struct CodeFile {
    /// The checksum, which identifies it.
    pub(super) sum: u64,
    /// What it is derived from, and up to which `rev`.
    pub(super) stamp: Stamp,
    bytes: OwnedBytes,
    /// The documents, in order.
    pub(super) groups: Vec<Position>,
    /// The number of all codes.
    pub(super) total: usize,
    /// The offset of the signs.
    from: usize,
}

impl CodeFile {
    /// Opens the file `name` in the index directory `dir`; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Anything that makes it unusable; a rebuild repairs it.
    pub(super) fn open(dir: &Path, name: &str) -> Result<Option<CodeFile>, StoreError> {
        if disk::is_regular(&dir.join(name))? != Some(true) {
            return Ok(None);
        }
        let directory = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        let file = directory
            .open_read(Path::new(name))
            .map_err(tantivy::TantivyError::from)?;
        CodeFile::read(file.read_bytes()?).map(Some)
    }

    pub(super) fn read(bytes: OwnedBytes) -> Result<CodeFile, StoreError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(StoreError::Value("a file of vectors in another format"));
        }
        let numbers = Numbers(&bytes);
        let sum = numbers.long(WORD)?;
        if bytes.get(UNSUMMED..).map(XxHash3_64::oneshot) != Some(sum) {
            return Err(StoreError::Value("a damaged file of vectors"));
        }
        let at = UNSUMMED + WORD;
        let end = at.checked_add(numbers.size(UNSUMMED)?).ok_or(SHORT)?;
        let stamp: Stamp = serde_json::from_slice(bytes.get(at..end).ok_or(SHORT)?)?;
        let (groups, total) = numbers.groups(end)?;
        let from = end + WORD + groups.len() * GROUP;
        let length = total.checked_mul(2 * width(stamp.dimensions) * WORD);
        if length.and_then(|length| length.checked_add(from)) != Some(bytes.len()) {
            return Err(SHORT);
        }
        Ok(CodeFile {
            sum,
            stamp,
            bytes,
            groups,
            total,
            from,
        })
    }

    pub(super) fn signs(&self, code: usize) -> &[u8] {
        self.all_signs(code..code + 1)
    }

    pub(super) fn all_signs(&self, codes: Range<usize>) -> &[u8] {
        let bytes = width(self.stamp.dimensions) * WORD;
        &self.bytes[self.from + codes.start * bytes..self.from + codes.end * bytes]
    }

    pub(super) fn large(&self, code: usize) -> &[u8] {
        self.signs(self.total + code)
    }
}

/// The numbers in a file of codes.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn long(&self, at: usize) -> Result<u64, StoreError> {
        let bytes = self.0.get(at..).and_then(<[u8]>::first_chunk);
        Ok(u64::from_le_bytes(*bytes.ok_or(SHORT)?))
    }

    fn size(&self, at: usize) -> Result<usize, StoreError> {
        usize::try_from(self.long(at)?).map_err(|_| SHORT)
    }

    /// The groups, whose number is `at`, and how many codes they have together.
    fn groups(&self, mut at: usize) -> Result<(Vec<Position>, usize), StoreError> {
        let count = self.size(at)?;
        at += WORD;
        let mut groups = Vec::with_capacity(count.min(self.0.len() / GROUP));
        let mut total: usize = 0;
        for _ in 0..count {
            let first = total;
            total = total.checked_add(self.size(at + 3 * WORD)?).ok_or(SHORT)?;
            groups.push(Position {
                document: DocumentId(self.long(at)?),
                rev: Revision(self.long(at + WORD)?),
                path_hash: self.long(at + 2 * WORD)?,
                codes: first..total,
            });
            at += GROUP;
        }
        Ok((groups, total))
    }
}

/// The [sum](CodeFile::sum) of the file of codes at `path`, if there is one, without reading it.
pub(super) fn sum_of(path: &Path) -> Option<u64> {
    let mut bytes = [0; UNSUMMED];
    disk::is_regular(path).ok()?.filter(|is| *is)?;
    File::open(path).ok()?.read_exact(&mut bytes).ok()?;
    let (words, _) = bytes.as_chunks();
    Some(u64::from_le_bytes(words[1]))
}
