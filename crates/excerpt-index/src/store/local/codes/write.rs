//! Writes codes: those of other files, with what has changed since.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::slice;

use twox_hash::XxHash3_64;

use super::compare::width;
use super::file::{CodeFile, MAGIC, Position, REMOVED, Stamp, UNSUMMED, WORD, around};
use super::{Codes, newer_name};
use crate::fs::disk;
use crate::model::{DocumentId, Revision};
use crate::store::StoreError;

/// What has changed since a file of codes was written. The codes wait in another file, since they
/// would take as much memory as there is to index.
pub(crate) struct ChangedCodes {
    /// A file without a name, which is gone when it is closed.
    waiting: BufWriter<File>,
    /// How many bytes it has.
    bytes: usize,
    /// The places of the codes of the changed documents; `None` for removed ones.
    documents: BTreeMap<DocumentId, Option<Waiting>>,
}

/// The place of the codes of a document among those that wait.
struct Waiting {
    rev: Revision,
    path_hash: u64,
    from: usize,
    bytes: usize,
}

impl ChangedCodes {
    /// None, apart from documents that were removed. Codes wait in the folder `dir`.
    pub(crate) fn new(
        dir: &Path,
        removed: impl IntoIterator<Item = DocumentId>,
    ) -> io::Result<Self> {
        Ok(ChangedCodes {
            waiting: BufWriter::new(tempfile::tempfile_in(dir)?),
            bytes: 0,
            documents: removed.into_iter().map(|id| (id, None)).collect(),
        })
    }

    /// Adds a document in a state: the hash of its path, and the [code](super::code) of each chunk.
    pub(crate) fn put(
        &mut self,
        document: DocumentId,
        rev: Revision,
        path_hash: u64,
        codes: &[&[u64]],
    ) -> io::Result<()> {
        let from = self.bytes;
        for word in codes.iter().copied().flatten() {
            self.waiting.write_all(&word.to_le_bytes())?;
            self.bytes += WORD;
        }
        let waiting = Waiting {
            rev,
            path_hash,
            from,
            bytes: self.bytes - from,
        };
        self.documents.insert(document, Some(waiting));
        Ok(())
    }

    /// Whether the file with what has changed since that of all `codes` stays small with them.
    /// `width` is the number of bytes of a code.
    fn are_few(&self, codes: &Codes, width: usize) -> bool {
        /// The part of all codes that may be in that file: a change writes it as a whole.
        const SHARE: usize = 32;
        let before = codes.newer.as_ref();
        let documents = before.map_or(0, |newer| newer.groups.len()) + self.documents.len();
        let chunks = before.map_or(0, |newer| newer.total) + self.bytes / width;
        documents * SHARE <= codes.all.groups.len() && chunks * SHARE <= codes.all.total
    }

    /// The last state of a document that was added.
    pub(crate) fn last(&self) -> Option<Revision> {
        let added = self.documents.values().flatten();
        added.map(|waiting| waiting.rev).max()
    }
}

/// Reads codes that wait, fastest in the order in which they were added.
struct Reader {
    file: BufReader<File>,
    at: usize,
    read: Vec<u8>,
}

impl Reader {
    fn of(waiting: BufWriter<File>) -> io::Result<Self> {
        let mut file = waiting.into_inner()?;
        file.rewind()?;
        Ok(Reader {
            file: BufReader::with_capacity(1 << 16, file),
            at: 0,
            read: Vec::new(),
        })
    }

    fn read(&mut self, waiting: &Waiting) -> io::Result<&[u8]> {
        let distance = waiting.from as i64 - self.at as i64;
        self.file.seek_relative(distance)?;
        self.read.resize(waiting.bytes, 0);
        self.file.read_exact(&mut self.read)?;
        self.at = waiting.from + waiting.bytes;
        Ok(&self.read)
    }
}

/// The places of codes until they are written.
enum Share<'a> {
    /// Those of consecutive documents, next to each other in a file.
    Kept(&'a CodeFile, &'a [Position]),
    Changed(DocumentId, &'a Waiting),
    /// A document that was removed.
    Removed(DocumentId),
}

/// One of the two bits for each number of a vector.
#[derive(Clone, Copy)]
enum Half {
    Signs,
    Large,
}

impl Share<'_> {
    /// How many documents it has.
    fn len(&self) -> usize {
        match self {
            Share::Kept(_, places) => places.len(),
            Share::Changed(..) | Share::Removed(_) => 1,
        }
    }

    /// Writes the group of each document, if each half of a code takes that many `words`.
    fn write_groups(&self, words: usize, file: &mut Summed<'_>) -> io::Result<()> {
        let mut put = |document: DocumentId, rev: Revision, path_hash, chunks| {
            let numbers = [document.0, rev.0, path_hash, chunks as u64];
            numbers
                .iter()
                .try_for_each(|number| file.put_number(*number))
        };
        match self {
            Share::Kept(_, places) => places.iter().try_for_each(|place| {
                let chunks = place.codes.len();
                put(place.document, place.rev, place.path_hash, chunks)
            }),
            Share::Changed(document, waiting) => {
                let chunks = waiting.bytes / (2 * words * WORD);
                put(*document, waiting.rev, waiting.path_hash, chunks)
            }
            Share::Removed(document) => put(*document, REMOVED, 0, 0),
        }
    }

    /// Writes one half of each code.
    fn write_half(
        &self,
        half: Half,
        words: usize,
        changed: &mut Reader,
        file: &mut Summed<'_>,
    ) -> io::Result<()> {
        match self {
            Share::Kept(before, places) => {
                let from = match half {
                    Half::Signs => 0,
                    Half::Large => before.total,
                };
                let (Some(first), Some(last)) = (places.first(), places.last()) else {
                    return Ok(());
                };
                file.put(before.all_signs(from + first.codes.start..from + last.codes.end))
            }
            Share::Changed(_, waiting) => {
                let skipped = match half {
                    Half::Signs => 0,
                    Half::Large => 1,
                };
                let halves = changed.read(waiting)?.chunks(words * WORD);
                let mut halves = halves.skip(skipped).step_by(2);
                halves.try_for_each(|half| file.put(half))
            }
            Share::Removed(_) => Ok(()),
        }
    }
}

/// A file that is being written, and the checksum of what was written.
struct Summed<'f> {
    file: BufWriter<&'f mut File>,
    sum: XxHash3_64,
}

impl<'f> Summed<'f> {
    /// The start of a file: what the checksum does not cover. The checksum itself is written last.
    fn new(file: &'f mut File) -> io::Result<Self> {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&MAGIC)?;
        file.write_all(&[0; UNSUMMED - MAGIC.len()])?;
        let sum = XxHash3_64::new();
        Ok(Summed { file, sum })
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.write(bytes);
        self.file.write_all(bytes)
    }

    fn put_number(&mut self, number: u64) -> io::Result<()> {
        self.put(&number.to_le_bytes())
    }

    fn end(self) -> io::Result<()> {
        let file = self.file.into_inner()?;
        file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        file.write_all(&self.sum.finish().to_le_bytes())
    }
}

/// Writes the codes `name` in the index directory `dir`: those `before`, with the `changes` since.
/// If there are few, only the file with what has changed is written again.
pub(crate) fn write(
    dir: &Path,
    name: &str,
    stamp: &Stamp,
    before: Option<&Codes>,
    changes: ChangedCodes,
) -> Result<(), StoreError> {
    let width = 2 * width(stamp.dimensions) * WORD;
    let kept = before.filter(|before| before.name == name);
    let kept = kept.filter(|before| changes.are_few(before, width));
    let mut changed = Reader::of(changes.waiting)?;
    let newer = before.and_then(|before| before.newer.as_ref());
    let latest = latest(newer, &changes.documents);
    if let Some(before) = kept
        && let Some(name) = newer_name(name)
    {
        let stamp = Stamp {
            since: Some(before.all.sum),
            ..stamp.clone()
        };
        let shares: Vec<Share<'_>> = latest.into_values().collect();
        return write_file(&dir.join(name), &stamp, &shares, &mut changed);
    }
    let mut shares = merged(before.map(|before| &*before.all), latest);
    shares.retain(|share| !matches!(share, Share::Removed(_)));
    write_file(&dir.join(name), stamp, &shares, &mut changed)?;
    if let Some(name) = newer_name(name) {
        // If it stays, it is newer than a file that is gone, and not used.
        let _ = disk::remove(&dir.join(name));
    }
    Ok(())
}

fn write_file(
    path: &Path,
    stamp: &Stamp,
    shares: &[Share<'_>],
    changed: &mut Reader,
) -> Result<(), StoreError> {
    let mut json = serde_json::to_vec(stamp)?;
    json.resize(json.len().next_multiple_of(WORD), b' ');
    let words = width(stamp.dimensions);
    let written = disk::replace_derived_by(path, |file| {
        let mut file = Summed::new(file)?;
        file.put_number(json.len() as u64)?;
        file.put(&json)?;
        let documents: usize = shares.iter().map(Share::len).sum();
        file.put_number(documents as u64)?;
        for share in shares {
            share.write_groups(words, &mut file)?;
        }
        for half in [Half::Signs, Half::Large] {
            for share in shares {
                share.write_half(half, words, changed, &mut file)?;
            }
        }
        file.end()
    });
    Ok(written?)
}

/// The places of the codes of the documents that have changed since the file of all, in order.
fn latest<'a>(
    newer: Option<&'a CodeFile>,
    changed: &'a BTreeMap<DocumentId, Option<Waiting>>,
) -> BTreeMap<DocumentId, Share<'a>> {
    let newer = newer.into_iter().flat_map(|newer| {
        newer
            .groups
            .iter()
            .map(move |place| match place.is_removed() {
                true => (place.document, Share::Removed(place.document)),
                false => (place.document, Share::Kept(newer, slice::from_ref(place))),
            })
    });
    let changed = changed.iter().map(|(document, waiting)| match waiting {
        Some(waiting) => (*document, Share::Changed(*document, waiting)),
        None => (*document, Share::Removed(*document)),
    });
    // Of two of the same document, the last one stays.
    newer.chain(changed).collect()
}

/// The places of the codes of all documents, in order: those of `all`, with the `latest` ones.
fn merged<'a>(
    all: Option<&'a CodeFile>,
    latest: BTreeMap<DocumentId, Share<'a>>,
) -> Vec<Share<'a>> {
    let mut shares = Vec::new();
    let mut left = all.map_or(&[][..], |all| &all.groups);
    for (document, share) in latest {
        let (kept, later) = around(left, document);
        shares.extend(all.map(|all| Share::Kept(all, kept)));
        shares.push(share);
        left = later;
    }
    shares.extend(all.map(|all| Share::Kept(all, left)));
    shares
}
