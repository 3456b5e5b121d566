//! Writes a file of codes: those of another one, with what has changed since.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use twox_hash::XxHash3_64;

use super::compare::width;
use super::{Codes, MAGIC, Position, Stamp, UNSUMMED, WORD};
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

/// The place of the codes of a document until they are written.
enum Share<'a> {
    /// Among those in the old file.
    Before(&'a Codes, &'a Position),
    Changed(&'a Waiting),
}

/// One of the two bits for each number of a vector.
#[derive(Clone, Copy)]
enum Half {
    Signs,
    Large,
}

impl Share<'_> {
    /// The numbers of the group, if each half of a code takes that many `words`.
    fn group(&self, document: DocumentId, words: usize) -> [u64; 4] {
        let (rev, path_hash, chunks) = match self {
            Share::Before(_, place) => (place.rev, place.path_hash, place.codes.len()),
            Share::Changed(waiting) => {
                let chunks = waiting.bytes / (2 * words * WORD);
                (waiting.rev, waiting.path_hash, chunks)
            }
        };
        [document.0, rev.0, path_hash, chunks as u64]
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
            Share::Before(before, place) => {
                let from = match half {
                    Half::Signs => 0,
                    Half::Large => before.total,
                };
                let codes = from + place.codes.start..from + place.codes.end;
                file.put(before.all_signs(codes))
            }
            Share::Changed(waiting) => {
                let skipped = match half {
                    Half::Signs => 0,
                    Half::Large => 1,
                };
                let halves = changed.read(waiting)?.chunks(words * WORD);
                let mut halves = halves.skip(skipped).step_by(2);
                halves.try_for_each(|half| file.put(half))
            }
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

/// Writes the file at `path`: the codes `before`, with the `changes` since.
pub(crate) fn write(
    path: &Path,
    stamp: &Stamp,
    before: Option<&Codes>,
    changes: ChangedCodes,
) -> Result<(), StoreError> {
    let mut json = serde_json::to_vec(stamp)?;
    json.resize(json.len().next_multiple_of(WORD), b' ');
    let words = width(stamp.dimensions);
    let mut changed = Reader::of(changes.waiting)?;
    let documents = shares(before, &changes.documents);
    let written = disk::replace_derived_by(path, |file| {
        let mut file = Summed::new(file)?;
        file.put_number(json.len() as u64)?;
        file.put(&json)?;
        file.put_number(documents.len() as u64)?;
        for (document, share) in &documents {
            for number in share.group(*document, words) {
                file.put_number(number)?;
            }
        }
        for half in [Half::Signs, Half::Large] {
            for share in documents.values() {
                share.write_half(half, words, &mut changed, &mut file)?;
            }
        }
        file.end()
    });
    Ok(written?)
}

/// The places of the codes of all documents: those of `before`, with what was changed since.
fn shares<'a>(
    before: Option<&'a Codes>,
    changed: &'a BTreeMap<DocumentId, Option<Waiting>>,
) -> BTreeMap<DocumentId, Share<'a>> {
    let places = before.iter().flat_map(|codes| {
        let places = codes.groups.iter();
        places.map(|place| (place.document, Share::Before(codes, place)))
    });
    let mut documents: BTreeMap<DocumentId, Share<'_>> = places.collect();
    for (document, waiting) in changed {
        match waiting {
            Some(waiting) => documents.insert(*document, Share::Changed(waiting)),
            None => documents.remove(document),
        };
    }
    documents
}
