//! What a PDF says about itself: the information dictionary, and XMP where that is silent.

use super::cmap::utf16;
use super::file::File;
use super::object::{Dict, Object};
use crate::metadata::Metadata;
use crate::reader::ReadError;

/// How much of the XMP is read.
const MOST: usize = 1 << 20;

pub(super) fn read(file: &File<'_>, catalog: &Dict) -> Result<Metadata, ReadError> {
    let info = file.value(&file.trailer, "Info")?;
    let none = Dict::default();
    let info = info.dict().unwrap_or(&none);
    let text = |key: &str| -> Result<Option<String>, ReadError> {
        let value = file.value(info, key)?;
        let text = value.string().map(text_string).unwrap_or_default();
        Ok(Some(text.trim().to_string()).filter(|text| !text.is_empty() && text.len() < 10_000))
    };
    let mut metadata = Metadata {
        title: text("Title")?.filter(|title| is_title(title)),
        authors: text("Author")?.map_or_else(Vec::new, |authors| several(&authors)),
        date: None,
        description: text("Subject")?,
        keywords: text("Keywords")?.map_or_else(Vec::new, |keywords| several(&keywords)),
        language: None,
    };
    for key in ["CreationDate", "ModDate"] {
        let date = text(key)?.as_deref().and_then(date);
        metadata.date = metadata.date.or(date);
    }
    let language = file.value(catalog, "Lang")?;
    let language = language.string().map(text_string).unwrap_or_default();
    metadata.language = Some(language).filter(|language| (2..=12).contains(&language.len()));
    if let Object::Stream(stream) = file.value(catalog, "Metadata")?
        && let Some(xmp) = file.unpacked_up_to(&stream, MOST)?
    {
        let xmp = String::from_utf8_lossy(&xmp);
        if metadata.title.is_none() {
            metadata.title = values(&xmp, "dc:title")
                .into_iter()
                .next()
                .filter(|title| is_title(title));
        }
        if metadata.authors.is_empty() {
            metadata.authors = values(&xmp, "dc:creator");
        }
        if metadata.keywords.is_empty() {
            metadata.keywords = values(&xmp, "dc:subject");
        }
        if metadata.description.is_none() {
            metadata.description = values(&xmp, "dc:description").into_iter().next();
        }
        if metadata.date.is_none() {
            metadata.date = values(&xmp, "xmp:CreateDate").into_iter().next();
        }
    }
    Ok(metadata)
}

/// A string for people: ISO 32000-1, 7.9.2.2.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, rest @ ..] => without_language(&utf16(rest)),
        [0xff, 0xfe, rest @ ..] => {
            let swapped: Vec<u8> = rest
                .chunks_exact(2)
                .flat_map(|unit| [unit[1], unit[0]])
                .collect();
            utf16(&swapped)
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Many programs write UTF-8 where they should not.
        bytes if !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok() => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        bytes => bytes.iter().filter_map(|byte| of_byte(*byte)).collect(),
    }
}

/// The text without the marks of a language.
fn without_language(text: &str) -> String {
    let parts = text.split('\u{1b}').enumerate();
    parts
        .filter(|(at, _)| at % 2 == 0)
        .map(|(_, part)| part)
        .collect()
}

/// A character of the encoding for strings: ISO 32000-1, D.3.
fn of_byte(byte: u8) -> Option<char> {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 31] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚',
        '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž',
    ];
    match byte {
        0x18..=0x1f => LOW.get(usize::from(byte) - 0x18).copied(),
        b'\t' | b'\n' | b'\r' => Some(' '),
        0x80..=0x9e => HIGH.get(usize::from(byte) - 0x80).copied(),
        0xa0 => Some('€'),
        0..0x18 | 0x7f | 0x9f | 0xad => None,
        byte => Some(char::from(byte)),
    }
}

/// Whether a title is one, and not what a program made of the name of a file.
fn is_title(title: &str) -> bool {
    const ENDINGS: [&str; 24] = [
        "doc", "docx", "dvi", "eps", "fm", "htm", "html", "indd", "key", "md", "odt", "p65",
        "pages", "pdf", "ppt", "pptx", "ps", "pub", "qxd", "rtf", "tex", "txt", "xls", "xlsx",
    ];
    let lower = title.trim().to_lowercase();
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    let has_letter = title.chars().any(char::is_alphabetic);
    let is_file = ENDINGS.contains(&ending) || lower.starts_with("microsoft word - ");
    let is_path = !title.contains(' ') && title.contains(['/', '\\']);
    let is_default = [
        "untitled",
        "(anonymous)",
        "anonymous",
        "title",
        "unspecified",
        "(unspecified)",
    ];
    has_letter && !is_file && !is_path && !is_default.contains(&lower.as_str())
}

/// Names or words that are separated by semicolons or, if there are none, by commas.
fn several(text: &str) -> Vec<String> {
    let separator = if text.contains(';') { ';' } else { ',' };
    let parts = text.split(separator).map(str::trim);
    let is_default = |part: &&str| {
        matches!(
            *part,
            "" | "anonymous" | "(anonymous)" | "unspecified" | "(unspecified)"
        )
    };
    parts
        .filter(|part| !is_default(part))
        .take(100)
        .map(str::to_string)
        .collect()
}

/// `D:20240506…` as `2024-05-06`.
fn date(date: &str) -> Option<String> {
    let digits = date.strip_prefix("D:").unwrap_or(date);
    let number = |range: std::ops::Range<usize>| {
        let digits = digits.get(range)?;
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(digits)
    };
    let (year, month, day) = (number(0..4)?, number(4..6)?, number(6..8)?);
    let is_date = ("01"..="12").contains(&month) && ("01"..="31").contains(&day) && year > "1980";
    is_date.then(|| format!("{year}-{month}-{day}"))
}

/// The values of a property: the items of its list, or its text.
fn values(xmp: &str, property: &str) -> Vec<String> {
    let inside = |text: &str, name: &str| -> Option<(String, usize)> {
        let start = text.find(&format!("<{name}"))?;
        let rest = text.get(start..)?;
        let open = rest.find('>')?;
        if rest.get(..open)?.ends_with('/') {
            return None;
        }
        let length = rest.get(open + 1..)?.find(&format!("</{name}>"))?;
        let inner = rest.get(open + 1..open + 1 + length)?;
        Some((inner.to_string(), start + open + 1 + length))
    };
    let attribute = || {
        let mark = format!("{property}=\"");
        let rest = xmp.get(xmp.find(&mark)? + mark.len()..)?;
        rest.split('"').next().map(|value| vec![plain(value)])
    };
    let Some((inner, _)) = inside(xmp, property) else {
        return attribute().unwrap_or_default();
    };
    let mut values = Vec::new();
    let mut rest = inner.as_str();
    while let Some((item, end)) = inside(rest, "rdf:li") {
        values.push(plain(&item));
        rest = rest.get(end..).unwrap_or_default();
        if values.len() == 100 {
            break;
        }
    }
    if values.is_empty() && !inner.contains('<') {
        values.push(plain(&inner));
    }
    values.retain(|value| !value.is_empty() && value.len() < 10_000);
    values
}

fn plain(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    let text = text
        .replace("&apos;", "'")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
    text.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_decoded() {
        assert_eq!(text_string(b"\xfe\xff\x00A\x00\xe9"), "Aé");
        assert_eq!(text_string(b"\xff\xfeA\x00"), "A");
        assert_eq!(text_string(b"caf\xe9 \x84"), "café —");
        assert_eq!(text_string("café".as_bytes()), "café");
        assert_eq!(text_string(b"\xfe\xff\x00\x1b\x00e\x00n\x00\x1b\x00A"), "A");
    }

    #[test]
    fn the_name_of_a_file_is_no_title() {
        for title in [
            "Microsoft Word - x.doc",
            "thesis.dvi",
            "untitled",
            "C:\\a\\b",
            "12",
        ] {
            assert!(!is_title(title), "{title}");
        }
        for title in ["On Rivers", "Version 2.0", "A / B"] {
            assert!(is_title(title), "{title}");
        }
        assert_eq!(date("D:20240506070809Z").as_deref(), Some("2024-05-06"));
        assert_eq!(date("Monday"), None);
        assert_eq!(several("A, B; C"), ["A, B", "C"]);
    }

    #[test]
    fn properties_are_lists_or_texts() {
        let xmp = "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">A &amp; B</rdf:li></rdf:Alt></dc:title>\
            <dc:creator><rdf:Seq><rdf:li>C</rdf:li><rdf:li>D</rdf:li></rdf:Seq></dc:creator>\
            <rdf:Description xmp:CreateDate=\"2024-01-02T00:00:00Z\"/>";
        assert_eq!(values(xmp, "dc:title"), ["A & B"]);
        assert_eq!(values(xmp, "dc:creator"), ["C", "D"]);
        assert_eq!(values(xmp, "xmp:CreateDate"), ["2024-01-02T00:00:00Z"]);
        assert!(values(xmp, "dc:subject").is_empty());
    }
}
