//! Electronic books: the pages of an EPUB in the order in which they are read.
//!
//! The package says what is in the book and in which order; its navigation says how the chapters
//! are nested, and has titles for those without a heading.
//!
//! <https://www.w3.org/TR/epub-33/>

use std::collections::{HashMap, HashSet};

use crate::archive::{Archive, resolved};
use crate::html::{InlineLinks, Options, ParsedPage, decode};
use crate::limits::ReadLimits;
use crate::markdown::{MarkdownWriter, one_line};
use crate::metadata::Metadata;
use crate::reader::{ExtractedText, FileReader, ReadError};
use crate::xml::{Element, Event, Xml};

/// Methods that make fonts unreadable outside of the book. They encrypt nothing else.
const FONTS: &[&str] = &[
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#RC",
];

/// How much text of an element is kept, in bytes.
const TEXT: usize = 64 << 10;

/// Reads electronic books.
#[derive(Debug)]
pub(crate) struct Epub;

impl FileReader for Epub {
    fn version(&self) -> u32 {
        2
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut archive = Archive::open(bytes, limits)?;
        let path = package_path(&mut archive, limits)?;
        let Some(package) = archive.read(&path)? else {
            return Err(ReadError::damaged(format!(
                "its package `{path}` is missing"
            )));
        };
        let package = Package::parse(&decode(&package), &path, limits)?;
        if is_protected(&mut archive, &package, limits)? {
            return Err(ReadError::Protected);
        }
        let navigation = package.navigation(&mut archive, limits)?;
        let mut writer = MarkdownWriter::new(limits);
        writer.front_matter(&package.metadata);
        let mut chapters = Chapters {
            navigation: &navigation,
            written: 0,
            levels: [1, 2, 3, 4, 5, 6],
        };
        let mut read = HashSet::new();
        let mut is_any = false;
        for path in &package.spine {
            limits.check()?;
            let is_contents = package.contents.contains(path);
            if is_contents || !read.insert(path) {
                continue;
            }
            // A book may list what is not in it.
            if let Some(page) = archive.read(path)? {
                is_any = true;
                chapters.write(path, &page, &mut writer, limits)?;
            }
        }
        match (is_any, chapters.written) {
            (false, _) => Err(ReadError::damaged("none of its chapters is in the archive")),
            (true, 0) => Err(ReadError::NoText),
            (true, _) => writer.finish(),
        }
    }
}

/// The chapters of a book, one after the other.
struct Chapters<'n> {
    navigation: &'n HashMap<String, NavigationEntry>,
    /// How many blocks were written.
    written: usize,
    /// The levels of the headings of the last chapter of the navigation.
    levels: [usize; 6],
}

impl Chapters<'_> {
    fn write<'a>(
        &mut self,
        path: &str,
        page: &[u8],
        writer: &mut MarkdownWriter<'a>,
        limits: &ReadLimits<'a>,
    ) -> Result<(), ReadError> {
        let page = ParsedPage::parse(page, limits)?;
        let headings = page.headings();
        let mut title = None;
        // A page that is not in the navigation goes on with the chapter before it.
        if let Some(entry) = self.navigation.get(path) {
            self.levels = levels(entry.depth, headings);
            let is_titled = headings.contains(&true);
            if !is_titled && !entry.title.is_empty() && page.has_text() {
                writer.heading(entry.depth, &entry.title)?;
                title = Some(&*entry.title);
            }
        }
        let options = Options {
            links: InlineLinks::Outward,
            levels: self.levels,
            // Chapters may use a name twice.
            names: false,
        };
        self.written += page.write(writer, title, options, limits)?;
        Ok(())
    }
}

/// The levels of the headings of a chapter, without a gap: the highest one is as deep as the
/// chapter.
fn levels(depth: usize, headings: [bool; 6]) -> [usize; 6] {
    let mut next = depth;
    headings.map(|is_there| {
        let level = next.clamp(1, 6);
        next += usize::from(is_there);
        level
    })
}

/// A chapter in the navigation of a book.
#[derive(Debug)]
struct NavigationEntry {
    title: String,
    /// How deep it is, from 1.
    depth: usize,
}

/// What a book consists of.
#[derive(Debug, Default)]
struct Package {
    metadata: Metadata,
    /// The pages in their order.
    spine: Vec<String>,
    /// Pages that only list the chapters.
    contents: HashSet<String>,
    /// The navigation of EPUB 3, and of EPUB 2.
    page: Option<String>,
    list: Option<String>,
}

/// A file of the book.
#[derive(Debug)]
struct Item {
    path: String,
    kind: String,
}

impl Package {
    fn parse(package: &str, path: &str, limits: &ReadLimits<'_>) -> Result<Self, ReadError> {
        let mut parsed = Package::default();
        let mut items: HashMap<String, Item> = HashMap::new();
        let mut spine = Vec::new();
        let mut list = None;
        elements(package, limits, |element, around| {
            let value = |name| element.attribute(name);
            match &*element.name {
                "item" => {
                    let (Some(id), Some(href)) = (value("id"), value("href")) else {
                        return;
                    };
                    let path = resolved(path, &href);
                    let properties = value("properties").unwrap_or_default();
                    if properties
                        .split_whitespace()
                        .any(|property| property == "nav")
                    {
                        parsed.contents.insert(path.clone());
                        parsed.page = Some(path.clone());
                    }
                    let kind = value("media-type").unwrap_or_default();
                    items.insert(id, Item { path, kind });
                }
                "itemref" => spine.extend(value("idref")),
                "spine" => list = value("toc"),
                "reference" if value("type").as_deref() == Some("toc") => {
                    parsed
                        .contents
                        .extend(value("href").map(|href| resolved(path, &href)));
                }
                name if around
                    .last()
                    .is_some_and(|around| around.name.ends_with("metadata")) =>
                {
                    parsed.metadata(name, element);
                }
                _ => (),
            }
        })?;
        let is_list = |item: &&Item| item.kind == "application/x-dtbncx+xml";
        let list = list
            .and_then(|id| items.get(&id))
            .or_else(|| items.values().find(is_list));
        parsed.list = list.map(|item| item.path.clone());
        let pages = spine.iter().filter_map(|id| items.get(id));
        let pages = pages.filter(|item| item.is_page());
        parsed.spine = pages.map(|item| item.path.clone()).collect();
        match parsed.spine.is_empty() {
            true => Err(ReadError::damaged("its package lists no chapters")),
            false => Ok(parsed),
        }
    }

    /// Something that the book says about itself.
    fn metadata(&mut self, name: &str, element: &BookElement<'_>) {
        let text = one_line(&element.text);
        if text.is_empty() {
            return;
        }
        let metadata = &mut self.metadata;
        match name {
            "title" if metadata.title.is_none() => metadata.title = Some(text),
            "creator" if metadata.authors.len() < 100 => metadata.authors.push(text),
            "date" if metadata.date.is_none() => {
                let is_change = element
                    .attribute("event")
                    .is_some_and(|event| event == "modification");
                if !is_change {
                    metadata.date = Some(text);
                }
            }
            "language" if metadata.language.is_none() => metadata.language = Some(text),
            "description" if metadata.description.is_none() => {
                metadata.description = Some(without_tags(&text));
            }
            "subject" if metadata.keywords.len() < 50 => metadata.keywords.push(text),
            _ => (),
        }
    }

    /// The chapters by the pages they begin with.
    fn navigation(
        &self,
        archive: &mut Archive<'_>,
        limits: &ReadLimits<'_>,
    ) -> Result<HashMap<String, NavigationEntry>, ReadError> {
        let mut entries = HashMap::new();
        for (path, item, label, link) in [
            (&self.page, "li", "a", ("a", "href")),
            (&self.list, "navpoint", "text", ("content", "src")),
        ] {
            let Some(path) = path else {
                continue;
            };
            let Some(navigation) = archive.read(path)? else {
                continue;
            };
            let mut titles: Vec<String> = Vec::new();
            let mut is_read = false;
            let navigation = decode(&navigation);
            let parsed = elements(&navigation, limits, |element, around| {
                // Other lists, such as that of the pages, come after the chapters.
                is_read |= element.name == "nav" && !entries.is_empty();
                let depth = around.iter().filter(|around| around.name == item).count();
                if depth == 0 || is_read {
                    return;
                }
                if element.name == label {
                    titles.truncate(depth);
                    titles.resize(depth, String::new());
                    titles[depth - 1] = one_line(&element.text);
                }
                if element.name == link.0
                    && let Some(target) = element.attribute(link.1)
                {
                    let target = resolved(path, &target);
                    let title = titles.get(depth - 1).cloned().unwrap_or_default();
                    entries
                        .entry(target)
                        .or_insert(NavigationEntry { title, depth });
                }
            });
            // A damaged navigation is none.
            match parsed {
                Err(ReadError::Damaged(_)) | Ok(()) => (),
                Err(error) => return Err(error),
            }
            if !entries.is_empty() {
                break;
            }
        }
        Ok(entries)
    }
}

impl Item {
    fn is_page(&self) -> bool {
        let ending = self.path.rsplit('.').next().unwrap_or_default();
        let is_ending = |known: &str| known.eq_ignore_ascii_case(ending);
        matches!(
            &*self.kind,
            "application/xhtml+xml" | "text/html" | "text/x-oeb1-document"
        ) || ["xhtml", "html", "htm"]
            .iter()
            .any(|known| is_ending(known))
    }
}

/// Where the package is in the archive.
fn package_path(archive: &mut Archive<'_>, limits: &ReadLimits<'_>) -> Result<String, ReadError> {
    let Some(container) = archive.read("META-INF/container.xml")? else {
        return Err(ReadError::damaged("META-INF/container.xml is missing"));
    };
    let mut path = None;
    elements(&decode(&container), limits, |element, _| {
        if element.name == "rootfile" && path.is_none() {
            path = element.attribute("full-path");
        }
    })?;
    path.ok_or_else(|| ReadError::damaged("META-INF/container.xml names no package"))
}

/// Whether a page of the book is encrypted.
fn is_protected(
    archive: &mut Archive<'_>,
    package: &Package,
    limits: &ReadLimits<'_>,
) -> Result<bool, ReadError> {
    let Some(encryption) = archive.read("META-INF/encryption.xml")? else {
        return Ok(false);
    };
    let pages: HashSet<&str> = package.spine.iter().map(|path| &**path).collect();
    let mut is_font = false;
    let mut is_protected = false;
    elements(
        &decode(&encryption),
        limits,
        |element, around| match &*element.name {
            "encryptionmethod" => {
                let method = element.attribute("Algorithm").unwrap_or_default();
                // The method of the key is another one.
                if around
                    .last()
                    .is_some_and(|around| around.name == "encrypteddata")
                {
                    is_font = FONTS.contains(&&*method);
                }
            }
            "cipherreference" if !is_font => {
                let target = element.attribute("URI").map(|target| resolved("", &target));
                is_protected |= target.is_some_and(|target| pages.contains(&*target));
            }
            _ => (),
        },
    )?;
    Ok(is_protected)
}

/// An element of a file of XML.
#[derive(Debug)]
struct BookElement<'x> {
    /// Its name without its namespace, in lower case.
    name: String,
    start: Element<'x>,
    /// Its text, that of the elements in it included.
    text: String,
}

impl<'x> BookElement<'x> {
    fn new(start: Element<'x>) -> Self {
        BookElement {
            name: start.name().to_lowercase(),
            start,
            text: String::new(),
        }
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.start.get(name)
    }

    /// Adds a text, as long as there is not too much.
    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= TEXT {
            self.text.push_str(text);
        }
    }
}

/// Visits every element of a file of XML when it ends, with those around it.
fn elements(
    xml: &str,
    limits: &ReadLimits<'_>,
    mut ended: impl FnMut(&BookElement<'_>, &[BookElement<'_>]),
) -> Result<(), ReadError> {
    let mut xml = Xml::new(xml, limits);
    let mut open: Vec<BookElement<'_>> = Vec::new();
    while let Some(event) = xml.next()? {
        match event {
            Event::Start(start) => open.push(BookElement::new(start)),
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    ended(&element, &open);
                    if let Some(around) = open.last_mut() {
                        around.push(&element.text);
                    }
                }
            }
            Event::Text(text) => {
                if let Some(element) = open.last_mut() {
                    element.push(&text);
                }
            }
        }
    }
    Ok(())
}

/// A description without the tags that it may have.
fn without_tags(text: &str) -> String {
    if !text.contains('<') {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        kept.push(' ');
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    one_line(&kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::archive::archive_of;

    const CONTAINER: &str =
        "<container><rootfiles><rootfile full-path='p.opf'/></rootfiles></container>";

    const PACKAGE: &str = "<package><metadata><dc:title>A book</dc:title></metadata><manifest>\
        <item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>\
        <item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>\
        <item id='n' href='n.ncx' media-type='application/x-dtbncx+xml'/>\
        <item id='f' href='f.otf' media-type='font/otf'/>\
        </manifest><spine toc='n'><itemref idref='a'/><itemref idref='a'/><itemref idref='gone'/>\
        <itemref idref='b'/></spine></package>";

    const NAVIGATION: &str = "<ncx><navMap><navPoint><navLabel><text>One</text></navLabel>\
        <content src='a.xhtml'/><navPoint><navLabel><text>Two</text></navLabel>\
        <content src='b.xhtml#x'/></navPoint></navPoint></navMap></ncx>";

    const A: &str = "<html><body><p>first</p></body></html>";
    const B: &str = "<html><body><h1>B</h1><h2>C</h2><p>second</p></body></html>";

    const TEXT: &str = "---\ntitle: \"A book\"\n---\n\n# One\n\nfirst\n\n## B\n\n### C\n\nsecond\n";

    /// A book, with other entries in place of, or after, its own.
    fn book(other: &[(&str, &str)]) -> Vec<u8> {
        let entries = [
            ("mimetype", "application/epub+zip"),
            ("META-INF/container.xml", CONTAINER),
            ("p.opf", PACKAGE),
            ("n.ncx", NAVIGATION),
            ("a.xhtml", A),
            ("b.xhtml", B),
        ];
        let contents = |name: &str, own| {
            let other = other.iter().find(|(other, _)| *other == name);
            other.map_or(own, |(_, contents)| *contents)
        };
        let is_new = |name: &str| entries.iter().all(|(own, _)| *own != name);
        let own = entries
            .iter()
            .map(|(name, own)| (*name, contents(name, *own).as_bytes()));
        let new = other.iter().filter(|(name, _)| is_new(name));
        archive_of(own.chain(new.map(|(name, contents)| (*name, contents.as_bytes()))))
    }

    fn read(other: &[(&str, &str)]) -> Result<String, ReadError> {
        let read = Epub.read(&book(other), &ReadLimits::default())?;
        Ok(read.text)
    }

    #[test]
    fn chapters_are_nested_as_the_navigation_has_them() {
        assert_eq!(read(&[]).as_deref(), Ok(TEXT));
        // Without it, each page begins at the first level.
        let text = read(&[("n.ncx", "")]).unwrap();
        assert!(
            text.ends_with("\n\nfirst\n\n# B\n\n## C\n\nsecond\n"),
            "{text}"
        );
    }

    #[test]
    fn fonts_may_be_encrypted_and_pages_may_not() {
        let data = |method: &str, path: &str| {
            format!(
                "<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm='{method}'/>\
                 <enc:CipherData><enc:CipherReference URI='{path}'/></enc:CipherData>\
                 </enc:EncryptedData></encryption>"
            )
        };
        let encrypted =
            |method: &str, path: &str| read(&[("META-INF/encryption.xml", &data(method, path))]);
        let aes = "http://www.w3.org/2001/04/xmlenc#aes256-cbc";
        assert_eq!(encrypted(aes, "b.xhtml"), Err(ReadError::Protected));
        assert_eq!(encrypted(aes, "f.otf").as_deref(), Ok(TEXT));
        assert_eq!(encrypted(FONTS[0], "b.xhtml").as_deref(), Ok(TEXT));
    }

    #[test]
    fn a_damaged_book_says_what_is_missing() {
        for other in [
            &[("META-INF/container.xml", "<container/>")][..],
            &[(
                "META-INF/container.xml",
                "<container><rootfile full-path='q'/></container>",
            )],
            &[("p.opf", "<package/>")],
            &[("p.opf", "<package><")],
            &[("p.opf", &"<a>".repeat(100_000))],
        ] {
            assert!(
                matches!(read(other), Err(ReadError::Damaged(_))),
                "{other:?}"
            );
        }
        let empty = "<html><body><img src='a.png'/></body></html>";
        let read = read(&[("a.xhtml", empty), ("b.xhtml", empty)]);
        assert_eq!(read, Err(ReadError::NoText));
    }

    #[test]
    fn entities_are_not_expanded_and_pages_are_read_once() {
        let bomb = "<!DOCTYPE package [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>";
        let title = "<dc:title>A&b; &amp; book</dc:title>";
        let package = PACKAGE.replace("<dc:title>A book</dc:title>", title);
        let package = format!("{bomb}{package}");
        let text = read(&[("p.opf", &package)]).unwrap();
        assert!(text.contains("title: \"A & book\""), "{text}");
        assert_eq!(text.matches("first").count(), 1);
    }

    #[test]
    fn a_book_keeps_to_its_limits() {
        let page = "<p>some text of a page</p>".repeat(10_000);
        let book = book(&[("a.xhtml", &page)]);
        let limits = ReadLimits::default();
        let texts = ReadLimits {
            text: 10_000,
            ..limits
        };
        let unpacked = ReadLimits {
            unpacked: 10_000,
            ..limits
        };
        for limits in [texts, unpacked] {
            let read = Epub.read(&book, &limits);
            assert!(matches!(
                read,
                Err(ReadError::TooLarge { limit: 10_000, .. })
            ));
        }
    }

    #[test]
    fn a_description_has_no_tags() {
        assert_eq!(without_tags("<p>a <b>b</b></p> c < d"), "a b c");
    }

    proptest! {
        #[test]
        fn whatever_a_book_is_it_is_read_within_the_limits(
            name in prop::sample::select(vec!["META-INF/container.xml", "p.opf", "n.ncx", "a.xhtml"]),
            at in any::<prop::sample::Index>(),
            length in 0..60_usize,
            new in "[<>/'=&;a-z #x0-9\"\u{0}é]{0,12}",
            flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
            limit in 0..400_usize,
        ) {
            let own = match name {
                "p.opf" => PACKAGE,
                "n.ncx" => NAVIGATION,
                "a.xhtml" => A,
                _ => CONTAINER,
            };
            let at = at.index(own.len());
            let end = own.len().min(at + length);
            let changed = format!("{}{new}{}", &own[..at], &own[end..]);
            let mut bytes = book(&[(name, &changed)]);
            for (at, value) in flips {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            let limits = ReadLimits { text: limit, unpacked: 100_000, ..ReadLimits::default() };
            if let Ok(read) = Epub.read(&bytes, &limits) {
                prop_assert!(read.text.len() <= limit);
            }
        }
    }
}
