//! The parts of a file in OpenDocument: an archive, or one flat part.

use crate::archive::Archive;
use crate::limits::ReadLimits;
use crate::metadata::Metadata;
use crate::office::properties::metadata_of;
use crate::reader::ReadError;
use crate::xml::{Event, Xml, decoded};

/// What is read of a file.
pub(crate) struct File {
    pub(crate) content: String,
    #[cfg_attr(
        not(feature = "odt"),
        allow(dead_code, reason = "sheets have none to read")
    )]
    pub(crate) styles: String,
    pub(crate) metadata: Metadata,
}

impl File {
    /// # Errors
    ///
    /// [`ReadError::Protected`] if it is encrypted.
    pub(crate) fn open(bytes: &[u8], limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        if !bytes.starts_with(b"PK") {
            let content = decoded(bytes.to_vec());
            let metadata = metadata_of(&content, limits)?;
            return Ok(File {
                content,
                styles: String::new(),
                metadata,
            });
        }
        let mut archive = Archive::open(bytes, limits)?;
        let mut part = |name: &str| Ok(archive.read(name)?.map(decoded));
        if let Some(manifest) = part("META-INF/manifest.xml")?
            && is_encrypted(&manifest, limits)?
        {
            return Err(ReadError::Protected);
        }
        let Some(content) = part("content.xml")? else {
            return Err(ReadError::damaged("its part `content.xml` is missing"));
        };
        let about = part("meta.xml")?.unwrap_or_default();
        Ok(File {
            content,
            styles: part("styles.xml")?.unwrap_or_default(),
            metadata: metadata_of(&about, limits)?,
        })
    }
}

/// Whether the list of parts says that the contents are encrypted.
fn is_encrypted(manifest: &str, limits: &ReadLimits<'_>) -> Result<bool, ReadError> {
    let mut xml = Xml::new(manifest, limits);
    let mut is_content = false;
    while let Some(event) = xml.next()? {
        let Event::Start(element) = event else {
            continue;
        };
        match element.name() {
            "file-entry" => {
                let path = element.get("full-path");
                is_content = matches!(path.as_deref(), Some("content.xml" | "encrypted-package"));
            }
            "encryption-data" if is_content => return Ok(true),
            _ => (),
        }
    }
    Ok(false)
}
