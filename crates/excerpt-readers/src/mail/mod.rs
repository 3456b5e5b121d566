//! Mail that cannot be read as it is, one message or a mailbox: MIME, RFC 2045 to 2047.
//!
//! Other mail is text, and not read here. Words and parts that are encoded are decoded, and of
//! parts, what people read is kept. What is written is mail again, in the language `mail`: the
//! fields that people read, and below an empty line the text. Of alternatives, the plain one is
//! kept; HTML becomes Markdown. Of an attachment that is no text, the name is kept, also of one
//! that stands in the text as `uuencode` writes it. Each message is a place.
//!
//! `mailbox` divides a file into messages, `decoding` tells whether they are read here, and `bounds`
//! refuses those that would take too much.

mod bounds;
mod decoding;
mod mailbox;
mod uuencode;
mod words;

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Addr, Address, ContentType, Encoding, Message, MessageParser, MessagePart, MessagePartId,
    MimeHeaders as _, PartType,
};

use crate::html::{Options, ParsedPage};
use crate::limits::ReadLimits;
use crate::markdown::{MarkdownWriter, one_line};
use crate::place::{FilePlace, FilePlaces};
use crate::reader::{ExtractedText, FileReader, ReadError};

use bounds::check;
use decoding::{header_in_utf8, in_western};
use mailbox::{Raw, begins_message, is_mailbox, lines, messages};
use uuencode::{after_file, file_name};
use words::joined;

pub(crate) use decoding::{is_encoded_mail, needs_decoding};

/// How deep messages within messages are written.
const DEEPEST: usize = 20;

/// Reads mail.
#[derive(Debug)]
pub(crate) struct Mail;

impl FileReader for Mail {
    fn version(&self) -> u32 {
        3
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut writer = MailWriter {
            parser: MessageParser::default(),
            text: String::new(),
            is_mailbox: is_mailbox(bytes),
            limits,
        };
        let mut places = FilePlaces::default();
        for (at, raw) in messages(bytes).enumerate() {
            limits.check()?;
            places.push(writer.text.len(), FilePlace::Message(at + 1));
            writer.message(&raw)?;
        }
        let text = writer.text;
        if text.trim().is_empty() {
            return Err(ReadError::NoText);
        }
        places.trim_to(text.len());
        Ok(ExtractedText {
            text,
            language: "mail",
            places,
        })
    }
}

/// Writes messages one after the other.
struct MailWriter<'l, 'a> {
    parser: MessageParser,
    text: String,
    /// Whether a line of a text may begin another message.
    is_mailbox: bool,
    limits: &'l ReadLimits<'a>,
}

/// What is written of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// What is attached to a text that another part has, too.
    Attachments,
}

impl MailWriter<'_, '_> {
    /// Writes a message of a file.
    fn message(&mut self, raw: &Raw<'_>) -> Result<(), ReadError> {
        if let Some(envelope) = raw.envelope {
            self.line(String::from_utf8_lossy(envelope).trim_end())?;
        }
        check(raw.message)?;
        let header = header_in_utf8(raw);
        let message = match (&header, joined(&header)) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => Cow::Borrowed(raw.message),
            (_, header) => Cow::Owned([&header, raw.body()].concat()),
        };
        match self.parse(&message) {
            Some(message) => self.content(&message, 0),
            None => self.body(&String::from_utf8_lossy(&message)),
        }
    }

    /// A message; `None` if it cannot be told what is in which part.
    fn parse<'m>(&self, raw: &'m [u8]) -> Option<Message<'m>> {
        self.parser.parse(raw).filter(is_tree)
    }

    /// Writes the fields and the parts of a message.
    fn content(&mut self, message: &Message<'_>, depth: usize) -> Result<(), ReadError> {
        self.limits.check()?;
        for (name, addresses) in [
            ("From", message.from()),
            ("To", message.to()),
            ("Cc", message.cc()),
        ] {
            if let Some(addresses) = addresses {
                self.field(name, &written(addresses))?;
            }
        }
        self.field("Date", message.header_raw("Date").unwrap_or_default())?;
        self.field("Subject", message.subject().unwrap_or_default())?;
        self.line("")?;
        let repaired = repaired(message);
        let repaired = repaired.as_deref().and_then(|raw| self.parse(raw));
        self.part(repaired.as_ref().unwrap_or(message), 0, Wanted::All, depth)
    }

    /// Writes a part of a message, with the parts in it.
    fn part(
        &mut self,
        message: &Message<'_>,
        id: MessagePartId,
        wanted: Wanted,
        depth: usize,
    ) -> Result<(), ReadError> {
        let Some(part) = message.part(id) else {
            return Ok(());
        };
        if let PartType::Multipart(parts) = &part.body {
            let is_alternative = part.is_content_type("multipart", "alternative");
            let shown = is_alternative.then(|| shown(message, parts)).flatten();
            for id in parts {
                let wanted = match shown {
                    Some(shown) if shown != *id => Wanted::Attachments,
                    _ => wanted,
                };
                self.part(message, *id, wanted, depth)?;
            }
            return Ok(());
        }
        let name = part.attachment_name();
        let disposition = part.content_disposition();
        let is_attached = disposition.is_some_and(ContentType::is_attachment);
        if wanted == Wanted::Attachments && !is_attached && is_text(part) {
            return Ok(());
        }
        if let Some(name) = name.filter(|_| id > 0 || is_attached) {
            self.field("Attachment", name)?;
            self.line("")?;
        }
        match &part.body {
            PartType::Message(inner) if depth < DEEPEST => self.content(inner, depth + 1),
            PartType::Binary(bytes) if is_read_as_text(part) => {
                self.body(&String::from_utf8_lossy(bytes))
            }
            PartType::Text(_) if is_damaged(part) => self.body(&decoded(message, part)),
            PartType::Text(text) => self.body(&in_utf8(text, message, part)),
            PartType::Html(html) => self.html(&in_utf8(html, message, part)),
            _ => Ok(()),
        }
    }

    /// Writes the text of a page.
    fn html(&mut self, html: &str) -> Result<(), ReadError> {
        // With a mark of UTF-8, whatever the page says that it is.
        let page = format!("\u{feff}{html}");
        let page = ParsedPage::parse(page.as_bytes(), self.limits)?;
        let mut writer = MarkdownWriter::new(self.limits);
        let options = Options {
            names: false,
            ..Options::PAGE
        };
        match page.write(&mut writer, None, options, self.limits)? {
            0 => Ok(()),
            _ => self.body(&writer.finish()?.text),
        }
    }

    /// Writes a field of the header on one line, unless it is empty.
    fn field(&mut self, name: &str, value: &str) -> Result<(), ReadError> {
        match one_line(value) {
            value if value.is_empty() => Ok(()),
            value => self.line(&format!("{name}: {value}")),
        }
    }

    /// Writes a text, and an empty line after it.
    fn body(&mut self, text: &str) -> Result<(), ReadError> {
        let text = text.trim_end().trim_start_matches(['\r', '\n']);
        if text.is_empty() {
            return Ok(());
        }
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = line.trim_end();
            if let Some(name) = file_name(line)
                && let Some(after) = after_file(lines.clone())
            {
                self.field("Attachment", name)?;
                lines = after;
                continue;
            }
            let below = lines.clone().next().map(str::as_bytes);
            match self.is_mailbox && begins_message(line.as_bytes(), below) {
                true => self.line(&format!(">{line}"))?,
                false => self.line(line)?,
            }
        }
        self.line("")
    }

    fn line(&mut self, line: &str) -> Result<(), ReadError> {
        self.text.extend(line.chars().filter(|c| *c != '\0'));
        self.text.push('\n');
        self.limits.check_text(self.text.len())
    }
}

/// Whether the parts of a message, and of the messages in it, form a tree. Where boundaries are
/// wrong, the parser may put a part into itself.
fn is_tree(message: &Message<'_>) -> bool {
    let mut is_taken = vec![false; message.parts.len()];
    message
        .parts
        .iter()
        .enumerate()
        .all(|(id, part)| match &part.body {
            PartType::Multipart(parts) => parts.iter().all(|part| {
                let part = *part as usize;
                let is_taken = is_taken.get_mut(part).filter(|_| part > id);
                is_taken.is_some_and(|is_taken| !std::mem::replace(is_taken, true))
            }),
            PartType::Message(inner) => is_tree(inner),
            _ => true,
        })
}

/// Which of some alternatives is shown: the plain text or, if that is empty, the last one with a
/// text, which is the richest (RFC 2046, 5.1.4).
fn shown(message: &Message<'_>, parts: &[MessagePartId]) -> Option<MessagePartId> {
    let mut found = None;
    for id in parts {
        let Some(part) = message.part(*id).filter(|part| has_text(message, part)) else {
            continue;
        };
        let is_plain = part.content_type().is_none() || part.is_content_type("text", "plain");
        if is_plain {
            return Some(*id);
        }
        let is_page = matches!(part.body, PartType::Html(_) | PartType::Multipart(_));
        // Text of another type is for programs, such as an entry of a calendar.
        if is_page || found.is_none() {
            found = Some(*id);
        }
    }
    found
}

/// Whether there is a text in a part. That of a page in it counts as one.
fn has_text(message: &Message<'_>, part: &MessagePart<'_>) -> bool {
    match &part.body {
        PartType::Text(text) | PartType::Html(text) => !text.trim().is_empty(),
        PartType::Multipart(parts) => parts.iter().any(|id| {
            let part = message.part(*id);
            part.is_some_and(|part| has_text(message, part))
        }),
        _ => false,
    }
}

fn is_text(part: &MessagePart<'_>) -> bool {
    matches!(part.body, PartType::Text(_) | PartType::Html(_))
}

/// Whether a part that is none by its type is read as a text: a report of what happened to a
/// message, in fields, and parts without a boundary between them.
fn is_read_as_text(part: &MessagePart<'_>) -> bool {
    let is_multipart = part
        .content_type()
        .is_some_and(|kind| kind.ctype() == "multipart");
    let is_report = |kind| part.is_content_type("message", kind);
    is_multipart || is_report("delivery-status") || is_report("disposition-notification")
}

/// The text of a part that names no character set and is in another one than UTF-8: in that of most
/// Western mail. Other texts are as the parser has decoded them.
fn in_utf8<'t>(text: &'t str, message: &Message<'_>, part: &MessagePart<'_>) -> Cow<'t, str> {
    let kind = part.content_type();
    let is_named = kind.is_some_and(|kind| kind.has_attribute("charset"));
    if is_named || part.is_encoding_problem || !text.contains(char::REPLACEMENT_CHARACTER) {
        return Cow::Borrowed(text);
    }
    let range = part.raw_body_offset() as usize..part.raw_end_offset() as usize;
    let raw = message.raw_message().get(range).unwrap_or_default();
    let bytes = match part.encoding {
        Encoding::None => Some(raw.to_vec()),
        Encoding::QuotedPrintable => quoted_printable_decode(raw),
        Encoding::Base64 => base64_decode(raw),
    };
    match bytes.filter(|bytes| str::from_utf8(bytes).is_err()) {
        Some(bytes) => Cow::Owned(in_western(&bytes)),
        None => Cow::Borrowed(text),
    }
}

/// Whether the contents of a part are not encoded as its header says.
fn is_damaged(part: &MessagePart<'_>) -> bool {
    let encoding = part.content_transfer_encoding();
    part.is_encoding_problem && encoding.is_some_and(|name| name.eq_ignore_ascii_case("base64"))
}

/// The text of a part in base64 that ends too early or has other characters in it, up to those. Of
/// what is no text, nothing.
fn decoded(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let kind = part.content_type();
    if kind.is_some_and(|kind| !kind.ctype().eq_ignore_ascii_case("text")) {
        return String::new();
    }
    let range = part.raw_body_offset() as usize..part.raw_end_offset() as usize;
    let raw = message.raw_message().get(range).unwrap_or_default();
    let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/= \t\r\n".contains(byte);
    let end = raw.iter().position(|byte| !is_code(byte));
    let bytes = base64_decode(&raw[..end.unwrap_or(raw.len())]).unwrap_or_default();
    let charset = kind.and_then(|kind| kind.attribute("charset"));
    match charset.and_then(|charset| charset_decoder(charset.as_bytes())) {
        Some(decoder) => decoder(&bytes),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// A message of parts whose header names no boundary, or another one than there is, with the one
/// that is there: the first line with two hyphens above a field that says what a part is.
fn repaired(message: &Message<'_>) -> Option<Vec<u8>> {
    let root = message.part(0)?;
    let kind = root.content_type()?;
    if kind.ctype() != "multipart" || matches!(root.body, PartType::Multipart(_)) {
        return None;
    }
    let body = root.raw_body_offset() as usize..root.raw_end_offset() as usize;
    let body = message.raw_message().get(body)?;
    let mut lines = lines(body).peekable();
    let boundary = loop {
        let boundary = lines.next()?.trim_ascii_end().strip_prefix(b"--");
        let below = lines.peek().copied().unwrap_or_default();
        if let Some(boundary) = boundary
            && !boundary.is_empty()
            && !boundary.contains(&b'"')
            && below
                .get(..8)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"content-"))
        {
            break boundary;
        }
    };
    let subtype = kind.subtype().unwrap_or("mixed");
    let mut repaired = format!("Content-Type: multipart/{subtype}; boundary=\"").into_bytes();
    repaired.extend_from_slice(boundary);
    repaired.extend_from_slice(b"\"\n\n");
    repaired.extend_from_slice(body);
    Some(repaired)
}

/// Addresses as a header has them.
fn written(addresses: &Address<'_>) -> String {
    let one = |address: &Addr<'_>| match (&address.name, &address.address) {
        (Some(name), Some(address)) => format!("{name} <{address}>"),
        (name, address) => {
            let either = name.as_ref().or(address.as_ref());
            either.map(Cow::to_string).unwrap_or_default()
        }
    };
    let all: Vec<String> = match addresses {
        Address::List(list) => list.iter().map(one).collect(),
        Address::Group(groups) => {
            let members = groups.iter().flat_map(|group| &group.addresses);
            members.map(one).collect()
        }
    };
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::bounds::{MOST_IN_PARTS, MOST_TYPES};
    use super::*;

    fn read(mail: &str) -> Result<ExtractedText, ReadError> {
        Mail.read(mail.as_bytes(), &ReadLimits::default())
    }

    #[test]
    fn of_a_file_in_the_text_the_name_is_kept() {
        let file = "begin 644 the plan.png\r\n#86)C\r\n`\r\nend\r\n";
        let mail = format!("Subject: a\r\n\r\nSee it.\r\n\r\n{file}\r\nAnn\r\n");
        assert!(needs_decoding(mail.as_bytes()));
        let text = "Subject: a\n\nSee it.\n\nAttachment: the plan.png\n\nAnn\n\n";
        assert_eq!(read(&mail).unwrap().text, text);
        // One that does not end may be text.
        for text in [
            "begin 644 a\n#86)C\n",
            "begin 644 a\nIt begins.\nend\n",
            "begin now\nend\n",
            "begin 644 a\n",
        ] {
            let mail = format!("Subject: a\n\n{text}");
            assert!(read(&mail).unwrap().text.contains(text), "{text}");
        }
        // What might be the beginnings of files is read once.
        let begun = "begin 644 a\n`\n".repeat(200_000);
        assert!(read(&format!("Subject: a\n\n{begun}")).is_ok());
    }

    #[test]
    fn characters_without_a_name_of_their_set_are_western() {
        let read = |mail: &[u8]| Mail.read(mail, &ReadLimits::default()).unwrap().text;
        let expected = "From: Ren\u{e9}\nSubject: Caf\u{e9}\n\nCaf\u{e9}.\n\n";
        for (kind, body) in [
            ("text/plain", &b"Caf\xe9."[..]),
            (
                "text/plain\nContent-Transfer-Encoding: quoted-printable",
                b"Caf=E9.",
            ),
            ("text/plain\nContent-Transfer-Encoding: base64", b"Q2Fm6S4="),
            ("text/html", b"<p>Caf\xe9.</p>"),
            ("text/plain; charset=iso-8859-1", b"Caf\xe9."),
        ] {
            let mut mail = b"From: Ren\xe9\nSubject: Caf\xe9\nContent-Type: ".to_vec();
            mail.extend([kind.as_bytes(), b"\n\n", body].concat());
            assert_eq!(read(&mail), expected, "{kind}");
        }
        let russian = b"Subject: \xc3\xc1\nContent-Type: text/plain; charset=KOI8-R\n\n\xc3\n";
        assert_eq!(read(russian), "Subject: \u{446}\u{430}\n\n\u{446}\n\n");
    }

    #[test]
    fn parts_without_a_boundary_in_the_header_are_found() {
        let part = "Content-Type: text/html\n\n<p>Tea</p>\n";
        for kind in [
            "multipart/mixed",
            "MULTIPART/Mixed; boundary=b",
            "multipart/x; boundary",
        ] {
            let mail = format!("Subject: a\nContent-Type: {kind}\n\n--a\n{part}--a--\n");
            assert_eq!(read(&mail).unwrap().text, "Subject: a\n\nTea\n\n", "{kind}");
        }
        let mail = "Subject: a\nContent-Type: multipart/mixed\n\nTea\n";
        assert_eq!(read(mail).unwrap().text, "Subject: a\n\nTea\n\n");
    }

    #[test]
    fn a_file_that_is_no_mail_is_its_text() {
        assert_eq!(read("\n\nOnly text.\n").unwrap().text, "Only text.\n\n");
        assert_eq!(read("\n \n"), Err(ReadError::NoText));
        let cut = "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nTea\n--b";
        assert!(read(cut).unwrap().text.contains("Tea"));
    }

    #[test]
    fn a_message_with_a_part_in_itself_is_read_as_text() {
        let part = |name, text| {
            format!(
                "--b\nContent-Type: message/rfc822\n\nContent-Type:(text/plain\nTo: a\n\nContent-Type: text{name}\nTo: a\nSubject: c\n\n{text}\n\n"
            )
        };
        let mail = format!(
            "Content-Type: multipart/digest; boundary=b\n\n--b\nContent-message 0\n\n{}{}--b--\n",
            part("\u{e8}", "Tea"),
            part("/plain", "Pot")
        );
        let text = read(&mail).unwrap().text;
        assert_eq!(text.matches("Tea").count(), 1, "{text}");
        assert_eq!(text.matches("Pot").count(), 1, "{text}");
    }

    #[test]
    fn messages_in_messages_in_messages_are_few() {
        let nested = |depth| {
            let within = "Subject: a\nContent-Type: message/rfc822\n\n";
            read(&format!("{}Subject: b\n\nTea.\n", within.repeat(depth)))
        };
        assert!(nested(3).unwrap().text.contains("Tea."));
        assert!(nested(MOST_TYPES).is_ok());
        assert!(matches!(nested(MOST_TYPES + 1), Err(ReadError::Damaged(_))));
    }

    #[test]
    fn what_takes_much_room_or_time_is_refused() {
        let parts = "Content-Type: multipart/mixed; boundary=a\n\n";
        for hostile in [
            format!("{parts}{}", format!("--a\n{parts}").repeat(500_000)),
            format!("Subject: a\n{}", "X: a\n".repeat(5_000_000)),
            format!("{parts}{}", "--a\n\nb\n".repeat(1_000_000)),
            // A field may go on in the next line, and follow what is none.
            "Content-Type :\n message/rfc822\n\n".repeat(500_000),
            format!(
                "Content-Type: message/rfc822\n\n{}",
                "X y: a\nb\n".repeat(2_000_000)
            ),
        ] {
            assert!(matches!(read(&hostile), Err(ReadError::Damaged(_))));
        }
        // Parts of parameters, on one line or on several, of one name or of many.
        let field = |parameter: fn(usize) -> String, count| {
            let all: String = (0..count).map(parameter).collect();
            let text = "Content-Transfer-Encoding: base64\n\nVGVh";
            [
                format!("Content-Type: text/plain{all}\n{text}"),
                format!("CONTENT-Disposition :\n\tattachment{all}\n{text}"),
            ]
        };
        for parameter in [
            (|at| format!("; name*{at}*=a")) as fn(usize) -> String,
            |at| format!(";\n n{at}*0=a"),
        ] {
            for mail in field(parameter, 5_000) {
                assert!(matches!(read(&mail), Err(ReadError::Damaged(_))));
            }
            for mail in field(parameter, 50) {
                assert!(read(&mail).is_ok());
            }
        }
        // As many as are read are read in linear time.
        let most = format!("--a\n{parts}").repeat(MOST_IN_PARTS - 1);
        let text = "Tea.\n".repeat(2_000_000);
        assert!(read(&format!("{parts}{most}--a\n\n{text}")).is_ok());
    }
}
