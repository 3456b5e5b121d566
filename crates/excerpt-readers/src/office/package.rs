//! The package of an Office document: its parts, and how they refer to each other.
//!
//! ECMA-376, part 2: a part `a/b.xml` names the parts that it needs in `a/_rels/b.xml.rels`.

use std::collections::HashMap;

use crate::archive::{Archive, resolved};
use crate::format::COMPOUND;
use crate::limits::ReadLimits;
use crate::metadata::Metadata;
use crate::office::properties::metadata_of;
use crate::reader::ReadError;
use crate::xml::{Event, Xml, decoded};

/// How long a key or a target is, in bytes. Longer ones are ignored, since they are copied
/// for each link.
const TARGET: usize = 4_000;

/// The folders of the main parts, and what they are.
const KINDS: [(&str, &str); 3] = [
    ("word/", "a Word document"),
    ("xl/", "a workbook"),
    ("ppt/", "a presentation"),
];

/// The parts of a document.
pub(crate) struct Package<'a> {
    archive: Archive<'a>,
    limits: ReadLimits<'a>,
}

/// What a part refers to, by the key that it uses.
pub(crate) type Relations = HashMap<String, Relation>;

/// What a part refers to.
pub(crate) struct Relation {
    /// The last word of its type, such as `styles`.
    pub(crate) kind: String,
    /// The name of a part, or an address.
    pub(crate) target: String,
    pub(crate) is_external: bool,
}

impl<'a> Package<'a> {
    /// # Errors
    ///
    /// [`ReadError::Protected`] if it is encrypted.
    pub(crate) fn open(bytes: &'a [u8], limits: &ReadLimits<'a>) -> Result<Self, ReadError> {
        if bytes.starts_with(COMPOUND) {
            return Err(match is_encrypted(bytes) {
                true => ReadError::Protected,
                false => ReadError::Unsupported(
                    "in the old Office format: save it as .docx, .xlsx or .pptx",
                ),
            });
        }
        Ok(Package {
            archive: Archive::open(bytes, limits)?,
            limits: *limits,
        })
    }

    /// The text of a part.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<String>, ReadError> {
        Ok(self.archive.read(name)?.map(decoded))
    }

    /// The main part, and its name: `usual`, if the package does not say it.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`] if there is none.
    pub(crate) fn main_part(&mut self, usual: &str) -> Result<(String, String), ReadError> {
        let relations = self.relations("")?;
        let name = first_of(&relations, "officeDocument").unwrap_or(usual);
        let name = name.to_string();
        let other = KINDS.iter().find(|(folder, _)| name.starts_with(folder));
        if let Some((folder, what)) = other
            && !usual.starts_with(folder)
        {
            return Err(ReadError::damaged(format!("it is {what}")));
        }
        match self.part(&name)? {
            Some(text) => Ok((name, text)),
            None => Err(ReadError::damaged(format!(
                "its main part `{name}` is missing"
            ))),
        }
    }

    /// What a part refers to; the whole package is the part without a name.
    pub(crate) fn relations(&mut self, part: &str) -> Result<Relations, ReadError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = match folder {
            "" => format!("_rels/{file}.rels"),
            folder => format!("{folder}/_rels/{file}.rels"),
        };
        let mut relations = Relations::new();
        let Some(text) = self.part(&name)? else {
            return Ok(relations);
        };
        let mut xml = Xml::new(&text, &self.limits);
        while let Some(event) = xml.next()? {
            let Event::Start(element) = event else {
                continue;
            };
            if element.name() != "Relationship" {
                continue;
            }
            let (Some(key), Some(target)) = (element.get("Id"), element.get("Target")) else {
                continue;
            };
            if key.len() > TARGET || target.len() > TARGET {
                continue;
            }
            let kind = element.get("Type").unwrap_or_default();
            let kind = kind.rsplit('/').next().unwrap_or_default().to_string();
            let is_external = element.get("TargetMode").as_deref() == Some("External");
            let target = match is_external {
                true => target,
                false => resolved(part, &target),
            };
            relations.insert(
                key,
                Relation {
                    kind,
                    target,
                    is_external,
                },
            );
        }
        Ok(relations)
    }

    /// What the document says about itself.
    pub(crate) fn metadata(&mut self) -> Result<Metadata, ReadError> {
        let relations = self.relations("")?;
        let name = first_of(&relations, "core-properties").unwrap_or("docProps/core.xml");
        let name = name.to_string();
        let Some(text) = self.part(&name)? else {
            return Ok(Metadata::default());
        };
        metadata_of(&text, &self.limits)
    }
}

/// The part that is the first of a kind.
pub(crate) fn first_of<'r>(relations: &'r Relations, kind: &str) -> Option<&'r str> {
    let is_wanted = |relation: &&Relation| relation.kind == kind && !relation.is_external;
    let targets = relations.values().filter(is_wanted);
    targets.map(|relation| relation.target.as_str()).min()
}

/// Whether a compound file has an entry `EncryptedPackage`, whose name is UTF-16.
fn is_encrypted(bytes: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    // Entries are aligned to 128 bytes.
    bytes.chunks(128).any(|entry| entry.starts_with(&name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::archive_of;

    #[test]
    fn an_encrypted_package_is_protected() {
        let mut bytes = COMPOUND.to_vec();
        bytes.resize(1024, 0);
        let open = |bytes: &[u8]| Package::open(bytes, &ReadLimits::default()).err();
        assert!(matches!(open(&bytes), Some(ReadError::Unsupported(_))));
        for unit in "EncryptedPackage".encode_utf16() {
            bytes.extend(unit.to_le_bytes());
        }
        assert_eq!(open(&bytes), Some(ReadError::Protected));
    }

    #[test]
    fn a_document_with_the_ending_of_another_program_says_what_it_is() {
        let part = ("word/document.xml", &b"<w:document/>"[..]);
        let relations = br#"<Relationships><Relationship Id="1" Type="a/officeDocument" Target="word/document.xml"/></Relationships>"#;
        let bytes = archive_of([("_rels/.rels", &relations[..]), part]);
        let mut package = Package::open(&bytes, &ReadLimits::default()).unwrap();
        let said = package.main_part("xl/workbook.xml").unwrap_err();
        assert_eq!(said, ReadError::damaged("it is a Word document"));
        assert!(package.main_part("word/document.xml").is_ok());
    }
}
