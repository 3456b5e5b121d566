//! The parts of archives that are XML: [`Xml`] walks one.
//!
//! Names are those without a prefix, since programs choose prefixes as they like. Of entities, the
//! five of XML itself and numbers are known; no others are, so that none can multiply the text.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesEnd, BytesStart, Event as XmlEvent};

use crate::limits::ReadLimits;
use crate::reader::ReadError;

/// How deep elements may be nested. Documents have some dozens of levels.
const DEEPEST: usize = 1_000;

/// How long a name is that other parts refer to, in bytes.
const KEY: usize = 255;

/// How many events pass between two checks that the text is still needed.
const STEP: usize = 4_096;

/// The text of a part: UTF-8, or UTF-16 with a mark of its byte order.
pub(crate) fn decoded(bytes: Vec<u8>) -> String {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2);
        let units = units.map(|pair| unit([pair[0], pair[1]]));
        let chars = char::decode_utf16(units);
        chars
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        },
    }
}

/// Walks the elements and texts of a part in their order.
pub(crate) struct Xml<'x> {
    reader: Reader<&'x [u8]>,
    limits: ReadLimits<'x>,
    depth: usize,
    events: usize,
}

/// What comes next in a part. An empty element begins and ends, too.
pub(crate) enum Event<'x> {
    Start(Element<'x>),
    End(End<'x>),
    Text(Cow<'x, str>),
}

impl<'x> Xml<'x> {
    /// The walk through a part.
    pub(crate) fn new(text: &'x str, limits: &ReadLimits<'x>) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_comments = false;
        config.allow_dangling_amp = true;
        Xml {
            reader,
            limits: *limits,
            depth: 0,
            events: 0,
        }
    }

    /// What comes next; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`ReadError::Damaged`] if it is no XML, ends too early, or is nested too deeply.
    pub(crate) fn next(&mut self) -> Result<Option<Event<'x>>, ReadError> {
        loop {
            self.events += 1;
            if self.events.is_multiple_of(STEP) {
                self.limits.check()?;
            }
            let event = self.reader.read_event();
            let event =
                event.map_err(|cause| ReadError::damaged(format!("invalid XML: {cause}")))?;
            return Ok(Some(match event {
                XmlEvent::Start(start) => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err(ReadError::damaged("its XML is nested too deeply"));
                    }
                    Event::Start(Element(start))
                }
                XmlEvent::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Event::End(End(end))
                }
                XmlEvent::Text(text) => match text.xml10_content() {
                    Ok(text) => Event::Text(text),
                    Err(_) => continue,
                },
                XmlEvent::CData(text) => match text.xml10_content() {
                    Ok(text) => Event::Text(text),
                    Err(_) => continue,
                },
                XmlEvent::GeneralRef(entity) => match entity.resolve_char_ref() {
                    Ok(Some(c)) => Event::Text(Cow::Owned(c.to_string())),
                    _ => {
                        let name = entity.decode().unwrap_or_default();
                        match resolve_xml_entity(&name) {
                            Some(text) => Event::Text(Cow::Borrowed(text)),
                            None => continue,
                        }
                    }
                },
                XmlEvent::Eof if self.depth > 0 => {
                    return Err(ReadError::damaged("its XML ends too early"));
                }
                XmlEvent::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// Leaves out the rest of the element that began last, with its end.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        self.within(&[], |_| ())
    }

    /// The text of the element that began last, with that of all elements in it, and its end.
    pub(crate) fn text(&mut self) -> Result<String, ReadError> {
        let mut text = String::new();
        let mut depth = 0_usize;
        while let Some(event) = self.next()? {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                Event::Text(part) => text.push_str(&part),
            }
        }
        Ok(text)
    }

    /// Visits every element in the one that began last, up to its end, without those that have a
    /// name in `left_out` and what is in them.
    pub(crate) fn within(
        &mut self,
        left_out: &[&str],
        mut visit: impl FnMut(&Element<'x>),
    ) -> Result<(), ReadError> {
        let mut depth = 0_usize;
        while let Some(event) = self.next()? {
            match event {
                Event::Start(element) if left_out.contains(&element.name()) => self.skip()?,
                Event::Start(element) => {
                    visit(&element);
                    depth += 1;
                }
                Event::End(_) if depth == 0 => break,
                Event::End(_) => depth -= 1,
                Event::Text(_) => (),
            }
        }
        Ok(())
    }
}

/// The beginning of an element.
#[derive(Debug)]
pub(crate) struct Element<'x>(BytesStart<'x>);

impl Element<'_> {
    /// Its name without a prefix.
    pub(crate) fn name(&self) -> &str {
        str::from_utf8(self.0.local_name().into_inner()).unwrap_or_default()
    }

    /// An attribute by its name without a prefix.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.find(|key| key.rsplit(':').next() == Some(name))
    }

    /// An attribute that names something. A name longer than programs write is ignored, since it is
    /// looked up for each paragraph.
    pub(crate) fn key(&self, name: &str) -> Option<String> {
        self.get(name).filter(|key| key.len() <= KEY)
    }

    /// An attribute that has any prefix, as references to other parts do: `r:id`, not `id`.
    pub(crate) fn prefixed(&self, name: &str) -> Option<String> {
        self.find(|key| key.split_once(':').is_some_and(|(_, local)| local == name))
    }

    /// An attribute that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.trim().parse().ok()
    }

    /// A switch: on, unless its attribute `val` says otherwise.
    pub(crate) fn is_on(&self) -> bool {
        let value = self.get("val");
        !matches!(value.as_deref(), Some("0" | "false" | "off" | "none"))
    }

    fn find(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let attributes = attributes.with_checks(false).flatten();
        for attribute in attributes {
            if str::from_utf8(attribute.key.0).is_ok_and(&is_wanted) {
                let value = String::from_utf8_lossy(&attribute.value);
                return Some(match unescape(&value) {
                    Ok(plain) => plain.into_owned(),
                    Err(_) => value.into_owned(),
                });
            }
        }
        None
    }
}

/// The end of an element.
pub(crate) struct End<'x>(BytesEnd<'x>);

impl End<'_> {
    /// Its name without a prefix.
    pub(crate) fn name(&self) -> &str {
        str::from_utf8(self.0.local_name().into_inner()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(text: &str) -> Result<String, ReadError> {
        let limits = ReadLimits::default();
        let mut xml = Xml::new(text, &limits);
        let mut walked = String::new();
        while let Some(event) = xml.next()? {
            match event {
                Event::Start(element) => {
                    let value = element.get("v").unwrap_or_default();
                    walked.push_str(&format!("<{}{value}>", element.name()));
                }
                Event::End(end) => walked.push_str(&format!("</{}>", end.name())),
                Event::Text(text) => walked.push_str(&text),
            }
        }
        Ok(walked)
    }

    #[test]
    fn names_have_no_prefix_and_entities_are_few() {
        for (text, events) in [
            ("<w:a x:v='1&lt;'>t<b/></w:a>", "<a1<>t<b></b></a>"),
            (
                "<a>&amp;&#65;&#x42;&other;<![CDATA[<&]]></a>",
                "<a>&AB<&</a>",
            ),
            (
                "<!DOCTYPE a [<!ENTITY b \"cc\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>",
                "<a></a>",
            ),
            ("<a v='&other;'>\r\n</a>", "<a&other;>\n</a>"),
        ] {
            assert_eq!(walked(text).as_deref(), Ok(events), "{text}");
        }
    }

    #[test]
    fn broken_and_deep_xml_is_damaged() {
        let deep = "<a>".repeat(100_000);
        for text in ["<a><b></a>", "<a>", "<a", &deep] {
            let error = walked(text);
            assert!(matches!(error, Err(ReadError::Damaged(_))), "{error:?}");
        }
    }

    #[test]
    fn parts_are_decoded_by_their_mark() {
        assert_eq!(decoded(b"\xff\xfea\0\xe4\0".to_vec()), "a\u{e4}");
        assert_eq!(decoded(b"\xfe\xff\0a\0\xe4".to_vec()), "a\u{e4}");
        assert_eq!(decoded(b"a\xffb".to_vec()), "a\u{fffd}b");
    }
}
