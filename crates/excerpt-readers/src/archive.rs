//! The parts of a file that is a zip archive: [`Archive`].
//!
//! What is unpacked is counted against [`ReadLimits::unpacked`], whatever sizes the archive claims,
//! and a part that is read twice is counted twice: time is bounded, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Cursor, Read};

use percent_encoding::percent_decode_str;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::limits::ReadLimits;
use crate::reader::ReadError;

/// How many entries an archive may have. Documents have a few, large books some thousands.
const ENTRIES: usize = 65_536;

/// How many bytes are unpacked between two checks that the text is still needed.
const STEP: u64 = 1 << 20;

/// An archive in memory.
pub(crate) struct Archive<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Where an entry is, by its name as [`key`] writes it.
    entries: HashMap<String, usize>,
    limits: ReadLimits<'a>,
    /// How many bytes may still be unpacked.
    left: usize,
}

impl<'a> Archive<'a> {
    /// The archive that a file is.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`] if it is none, or its list of entries is damaged or too long.
    pub(crate) fn open(bytes: &'a [u8], limits: &ReadLimits<'a>) -> Result<Self, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(error)?;
        if archive.len() > ENTRIES {
            return Err(ReadError::damaged(format!(
                "its archive has more than {ENTRIES} entries"
            )));
        }
        let mut entries = HashMap::with_capacity(archive.len());
        for (at, name) in archive.file_names().enumerate() {
            // Of names that differ only in their case, the first is the file that is meant.
            entries.entry(key(name)).or_insert(at);
        }
        // By ECMA-376, part 2, names keep the escapes of addresses, such as `%20`.
        let names = archive.file_names().enumerate();
        for (at, name) in names.filter(|(_, name)| name.contains('%')) {
            entries.entry(key(&unescaped(name))).or_insert(at);
        }
        Ok(Archive {
            archive,
            entries,
            limits: *limits,
            left: limits.unpacked,
        })
    }

    /// What an entry contains; `None` if there is no entry with this name. Upper and lower case
    /// are the same, as are `/` and `\`.
    ///
    /// # Errors
    ///
    /// When it is encrypted or damaged, or more is unpacked than the limit allows.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(&at) = self.entries.get(&key(name)) else {
            return Ok(None);
        };
        let mut entry = self.archive.by_index(at).map_err(error)?;
        let mut contents = Vec::new();
        loop {
            self.limits.check()?;
            // One byte more than may be read shows that the limit is exceeded.
            let step = STEP.min(self.left as u64 + 1);
            let read = entry.by_ref().take(step).read_to_end(&mut contents);
            let read = read.map_err(|cause| unpacking(name, &cause))?;
            self.left = match self.left.checked_sub(read) {
                Some(left) => left,
                None => {
                    return Err(ReadError::TooLarge {
                        what: "unpacked contents",
                        limit: self.limits.unpacked,
                    });
                }
            };
            if read == 0 {
                return Ok(Some(contents));
            }
        }
    }
}

/// The name of the entry that the entry `from` refers to: `reference` is an address relative to it,
/// or to the archive if it begins with `/`. However many `..` it has, what it names is in the
/// archive. An empty `from` is the archive itself.
pub(crate) fn resolved(from: &str, reference: &str) -> String {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let path = unescaped(path);
    let folder = match path.starts_with('/') {
        true => "",
        false => from.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let mut names = Vec::new();
    for name in folder.split('/').chain(path.split(['/', '\\'])) {
        match name {
            "" | "." => (),
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// A path without the escapes of an address, such as `%20`.
fn unescaped(path: &str) -> Cow<'_, str> {
    percent_decode_str(path).decode_utf8_lossy()
}

/// The name of an entry as it is looked up.
fn key(name: &str) -> String {
    let name = name.replace('\\', "/").to_lowercase();
    match name.strip_prefix('/') {
        Some(name) => name.to_string(),
        None => name,
    }
}

/// What is wrong with an archive.
fn error(cause: ZipError) -> ReadError {
    match cause {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ReadError::Protected
        }
        ZipError::CompressionMethodNotSupported(_) => {
            ReadError::Unsupported("compressed by a method that is not supported")
        }
        cause => ReadError::damaged(format!("the archive cannot be opened: {cause}")),
    }
}

/// What is wrong with an entry.
fn unpacking(name: &str, cause: &std::io::Error) -> ReadError {
    ReadError::damaged(format!("its part `{name}` cannot be unpacked: {cause}"))
}

/// An archive with these entries, for tests.
#[cfg(test)]
pub(crate) fn archive_of<'n>(entries: impl IntoIterator<Item = (&'n str, &'n [u8])>) -> Vec<u8> {
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;

    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in entries {
        let method = match name == "mimetype" {
            true => zip::CompressionMethod::Stored,
            false => zip::CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(name, options).unwrap();
        writer.write_all(contents).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_by_its_name_in_any_case() {
        let bytes = archive_of([("a/One.xml", &b"one"[..]), ("two", b"2")]);
        let mut archive = Archive::open(&bytes, &ReadLimits::default()).unwrap();
        for name in ["a/One.xml", "/A/one.XML", "a\\One.xml"] {
            assert_eq!(archive.read(name), Ok(Some(b"one".to_vec())), "{name}");
        }
        assert_eq!(archive.read("two"), Ok(Some(b"2".to_vec())));
        assert_eq!(archive.read("three"), Ok(None));
    }

    #[test]
    fn an_entry_is_found_by_its_name_with_and_without_escapes() {
        let bytes = archive_of([("a%20b", &b"1"[..]), ("c%20d", b"2"), ("c d", b"3")]);
        let mut archive = Archive::open(&bytes, &ReadLimits::default()).unwrap();
        for (name, contents) in [
            ("a b", b"1"),
            ("a%20b", b"1"),
            ("c%20d", b"2"),
            ("c d", b"3"),
        ] {
            assert_eq!(archive.read(name), Ok(Some(contents.to_vec())), "{name}");
        }
    }

    #[test]
    fn what_an_entry_refers_to_is_found() {
        for (from, reference, name) in [
            ("word/document.xml", "styles.xml", "word/styles.xml"),
            ("ppt/slides/a.xml", "../notes/n.xml", "ppt/notes/n.xml"),
            ("word/a.xml", "/word/./a.xml", "word/a.xml"),
            ("OPS/p.opf", "a%20b.xhtml#c", "OPS/a b.xhtml"),
            ("OPS/text/a.xhtml", "../b.xhtml?c", "OPS/b.xhtml"),
            ("OPS/p.opf", "%4", "OPS/%4"),
            ("OPS/p.opf", "/a", "a"),
            ("/OPS/p.opf", "a", "OPS/a"),
            ("", "é%C3%A9", "éé"),
        ] {
            assert_eq!(resolved(from, reference), name);
        }
    }

    #[test]
    fn what_an_entry_refers_to_is_in_the_archive() {
        for (from, reference) in [
            ("", "../../a"),
            ("p.opf", "../../a"),
            ("OPS/p.opf", "/../a"),
            ("OPS/p.opf", "..%2f..%2F..%2fa"),
            ("OPS/p.opf", "%2e%2e/%2E%2e/a"),
            ("OPS/p.opf", "..\\..\\a"),
            ("../../p.opf", "a"),
        ] {
            assert_eq!(resolved(from, reference), "a", "{from} {reference}");
        }
    }

    #[test]
    fn what_is_unpacked_is_counted_over_all_entries() {
        let zeros = vec![0; 4 << 20];
        let bytes = archive_of([("a", &zeros[..]), ("b", b"12345")]);
        let limits = |unpacked| ReadLimits {
            unpacked,
            ..ReadLimits::default()
        };
        let too_large = |limit| {
            Err(ReadError::TooLarge {
                what: "unpacked contents",
                limit,
            })
        };
        for limit in [0, 10, (4 << 20) - 1] {
            let mut archive = Archive::open(&bytes, &limits(limit)).unwrap();
            assert_eq!(archive.read("a"), too_large(limit));
        }
        let limit = (4 << 20) + 5;
        let mut archive = Archive::open(&bytes, &limits(limit)).unwrap();
        assert!(archive.read("a").unwrap().is_some());
        assert_eq!(archive.read("b"), Ok(Some(b"12345".to_vec())));
        assert_eq!(archive.read("b"), too_large(limit));
    }

    #[test]
    fn sizes_that_lie_are_not_believed() {
        let zeros = vec![0; 1 << 20];
        let bytes = archive_of([("a", &zeros[..])]);
        let size = (1_u32 << 20).to_le_bytes();
        for claimed in [1, 1000, u32::MAX - 1] {
            let mut lying = bytes.clone();
            while let Some(at) = lying.windows(4).position(|bytes| bytes == size) {
                lying[at..at + 4].copy_from_slice(&u32::to_le_bytes(claimed));
            }
            let limits = ReadLimits {
                unpacked: 2 << 20,
                ..ReadLimits::default()
            };
            let mut archive = Archive::open(&lying, &limits).unwrap();
            if let Ok(Some(contents)) = archive.read("a") {
                assert!(contents.len() <= 1 << 20, "{claimed}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let open = |bytes: &[u8]| Archive::open(bytes, &ReadLimits::default()).map(|_| ());
        for bytes in [&b""[..], b"PK\x03\x04", b"no archive at all"] {
            assert!(matches!(open(bytes), Err(ReadError::Damaged(_))));
        }
        let bytes = archive_of([("a", &b"some text, some text"[..])]);
        assert!(matches!(open(&bytes[..30]), Err(ReadError::Damaged(_))));

        // The flags and the method are 6 and 8 bytes into the header of an entry, 8 and 10 in the
        // list.
        let changed = |offset: usize, value: u8| {
            let mut bytes = bytes.clone();
            let at = |mark: &[u8; 4]| bytes.windows(4).position(|bytes| bytes == mark);
            let (local, listed) = (at(b"PK\x03\x04").unwrap(), at(b"PK\x01\x02").unwrap());
            bytes[local + 6 + offset] = value;
            bytes[listed + 8 + offset] = value;
            Archive::open(&bytes, &ReadLimits::default())
                .unwrap()
                .read("a")
        };
        assert_eq!(changed(0, 1), Err(ReadError::Protected));
        assert!(matches!(changed(2, 12), Err(ReadError::Unsupported(_))));

        let mut flipped = bytes.clone();
        flipped[40] ^= 0xff;
        let mut archive = Archive::open(&flipped, &ReadLimits::default()).unwrap();
        assert!(matches!(archive.read("a"), Err(ReadError::Damaged(_))));
    }
}
