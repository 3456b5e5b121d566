//! The formats that are read: the [`FileFormat`] of a file, by its name and its first bytes.

use excerpt_chunk::file_ending;

use crate::reader::FileReader;

/// A format of files that are not plain text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FileFormat {
    /// Its name for users, such as `PDF`.
    pub name: &'static str,
    /// The feature of this crate that reads it; `None` for a format that only a converter of the
    /// user's reads.
    pub feature: Option<&'static str>,
    /// What reads it; `None` if this build does not.
    pub reader: Option<&'static dyn FileReader>,
    /// The endings of its files, in lower case; empty for a file without one.
    endings: &'static [&'static str],
    /// How its files begin. Empty for a format that is text itself.
    marks: &'static [&'static [u8]],
    /// How many bytes may stand before a mark.
    before: usize,
    /// What else is looked at in a file that is text itself.
    check: Option<fn(&[u8]) -> bool>,
}

/// How an archive begins.
const ZIP: &[u8] = b"PK\x03\x04";

/// How a compound file begins: the old Office formats, and Office documents with a password.
pub(crate) const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0";

/// How a PDF begins.
pub(crate) const PDF: &[u8] = b"%PDF-";

/// How many bytes may stand before that: viewers look for it in the first 1,024 (PDF 1.7, appendix
/// H, note 13).
pub(crate) const BEFORE_PDF: usize = 1024 - PDF.len();

/// What reads a format: a constant, if the feature is there.
macro_rules! reader {
    ($feature:literal, $reader:path) => {{
        #[cfg(feature = $feature)]
        const READER: Option<&'static dyn FileReader> = Some(&$reader);
        #[cfg(not(feature = $feature))]
        const READER: Option<&'static dyn FileReader> = None;
        READER
    }};
}

/// Whether a file of HTML is a page, and no template.
#[cfg(feature = "html")]
const IS_PAGE: Option<fn(&[u8]) -> bool> = Some(crate::html::is_page);
#[cfg(not(feature = "html"))]
const IS_PAGE: Option<fn(&[u8]) -> bool> = None;

/// Whether mail cannot be read as it is.
#[cfg(feature = "mail")]
const NEEDS_DECODING: Option<fn(&[u8]) -> bool> = Some(crate::mail::needs_decoding);
#[cfg(not(feature = "mail"))]
const NEEDS_DECODING: Option<fn(&[u8]) -> bool> = None;

/// Whether a file of any kind is such mail.
#[cfg(feature = "mail")]
const IS_ENCODED_MAIL: Option<fn(&[u8]) -> bool> = Some(crate::mail::is_encoded_mail);
#[cfg(not(feature = "mail"))]
const IS_ENCODED_MAIL: Option<fn(&[u8]) -> bool> = None;

/// A format that nothing reads, and that is text itself.
const UNREAD: FileFormat = FileFormat {
    name: "",
    feature: None,
    reader: None,
    endings: &[],
    marks: &[],
    before: 0,
    check: None,
};

/// Every format.
static FORMATS: &[FileFormat] = &[
    FileFormat {
        name: "Jupyter notebook",
        feature: Some("notebook"),
        reader: reader!("notebook", crate::notebook::Notebook),
        endings: &["ipynb"],
        ..UNREAD
    },
    FileFormat {
        name: "EPUB book",
        feature: Some("epub"),
        reader: reader!("epub", crate::epub::Epub),
        endings: &["epub"],
        marks: &[ZIP],
        ..UNREAD
    },
    FileFormat {
        name: "web page",
        feature: Some("html"),
        reader: reader!("html", crate::html::Html),
        endings: &["htm", "html", "xhtml"],
        check: IS_PAGE,
        ..UNREAD
    },
    FileFormat {
        name: "encoded mail",
        feature: Some("mail"),
        reader: reader!("mail", crate::mail::Mail),
        endings: &["eml", "mbox"],
        check: NEEDS_DECODING,
        ..UNREAD
    },
    // Mailboxes, and the messages in a folder of mail.
    FileFormat {
        name: "encoded mail",
        feature: Some("mail"),
        reader: reader!("mail", crate::mail::Mail),
        endings: &[""],
        check: IS_ENCODED_MAIL,
        ..UNREAD
    },
    FileFormat {
        name: "PDF",
        feature: Some("pdf"),
        reader: reader!("pdf", crate::pdf::Pdf),
        endings: &["pdf"],
        marks: &[PDF],
        before: BEFORE_PDF,
        ..UNREAD
    },
    FileFormat {
        name: "Word document",
        feature: Some("docx"),
        reader: reader!("docx", crate::office::Docx),
        endings: &["docx", "docm", "dotm", "dotx"],
        marks: &[ZIP, COMPOUND],
        ..UNREAD
    },
    FileFormat {
        name: "PowerPoint presentation",
        feature: Some("pptx"),
        reader: reader!("pptx", crate::office::Pptx),
        endings: &["pptx", "pptm", "potx", "ppsx"],
        marks: &[ZIP, COMPOUND],
        ..UNREAD
    },
    FileFormat {
        name: "Excel workbook",
        feature: Some("xlsx"),
        reader: reader!("xlsx", crate::office::Xlsx),
        endings: &["xlsx", "xlsm", "xltx"],
        marks: &[ZIP, COMPOUND],
        ..UNREAD
    },
    FileFormat {
        name: "OpenDocument text or presentation",
        feature: Some("odt"),
        reader: reader!("odt", crate::office::Odt),
        endings: &["odt", "ott", "odp", "otp"],
        marks: &[ZIP],
        ..UNREAD
    },
    FileFormat {
        name: "flat OpenDocument text or presentation",
        feature: Some("odt"),
        reader: reader!("odt", crate::office::Odt),
        endings: &["fodt", "fodp"],
        ..UNREAD
    },
    FileFormat {
        name: "OpenDocument spreadsheet",
        feature: Some("xlsx"),
        reader: reader!("xlsx", crate::office::Ods),
        endings: &["ods", "ots"],
        marks: &[ZIP],
        ..UNREAD
    },
    FileFormat {
        name: "flat OpenDocument spreadsheet",
        feature: Some("xlsx"),
        reader: reader!("xlsx", crate::office::Ods),
        endings: &["fods"],
        ..UNREAD
    },
    FileFormat {
        name: "old Office document",
        endings: &[
            "doc", "dot", "msg", "pot", "pps", "ppt", "xls", "xlsb", "xlt",
        ],
        marks: &[COMPOUND, ZIP],
        ..UNREAD
    },
    FileFormat {
        name: "Rich Text document",
        endings: &["rtf"],
        marks: &[b"{\\rtf"],
        ..UNREAD
    },
    FileFormat {
        name: "PostScript document",
        endings: &["eps", "ps"],
        marks: &[b"%!PS-Adobe"],
        ..UNREAD
    },
];

/// Every format.
pub(crate) fn formats() -> impl Iterator<Item = &'static FileFormat> {
    FORMATS.iter()
}

/// The format of the file at `path`, by the ending of its name.
#[must_use]
pub fn format_of(path: &str) -> Option<&'static FileFormat> {
    let ending = file_ending(path).unwrap_or_default();
    let has = |known: &str| known.eq_ignore_ascii_case(ending);
    FORMATS
        .iter()
        .find(|format| format.endings.iter().any(|known| has(known)))
}

impl FileFormat {
    /// What is missing to read it, for the end of a message.
    #[must_use]
    pub fn missing_reader(&self) -> String {
        let name = self.name;
        match self.feature {
            Some(feature) => format!("{name}: this build lacks the feature `{feature}`"),
            None => format!(
                "{name}: only a converter in `[readers]` of your own excerpt.toml can read it"
            ),
        }
    }

    /// Whether what is unpacked of a file may be much larger than the file.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Whether a file with these bytes begins as only files of this format do.
    #[must_use]
    pub fn has_signature(&self, bytes: &[u8]) -> bool {
        !self.marks.is_empty() && self.accepts(bytes)
    }

    /// Whether a file with these bytes is of this format: its name may promise what it is not, and
    /// the source of a program may have the name of a page.
    #[must_use]
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        let begins = |mark: &&[u8]| {
            let window = &bytes[..bytes.len().min(self.before + mark.len())];
            window.windows(mark.len()).any(|part| part == *mark)
        };
        let is_marked = self.marks.is_empty() || self.marks.iter().any(begins);
        is_marked && self.check.is_none_or(|check| check(bytes))
    }
}
