//! Mail whose parts are encoded, one message or a mailbox: MIME, RFC 2045 to 2047.
//!
//! Mail that is written as it is, is text, and not read here. The parts of other mail are decoded.
//! What is written is mail again, in the language `mail`: the fields that people read, and below an
//! empty line the text. HTML without a plain alternative becomes Markdown. Of an attachment that is
//! no text, the name is kept, also of one that stands in the text as `uuencode` writes it. Each
//! message is a place.

use std::borrow::Cow;
use std::str::Lines;

use mail_parser::{Addr, Address, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};

use crate::html::{Options, ParsedPage};
use crate::limits::ReadLimits;
use crate::markdown::{MarkdownWriter, one_line};
use crate::place::{FilePlace, FilePlaces};
use crate::reader::{ExtractedText, FileReader, ReadError};

/// The name of the field that says what a part is.
const CONTENT_TYPE: &[u8] = b"content-type";

/// How the line begins that precedes a message in a mailbox.
const ENVELOPE: &[u8] = b"From ";

/// How many parts of a message may say what they are: one may be a message within it, and each that
/// is within another takes room on the stack.
const MOST_TYPES: usize = 500;

/// How many parts of a message may consist of parts: the end of each is looked for.
const MOST_IN_PARTS: usize = 200;

/// How many fields and parts a message may have: each takes much more room than its bytes.
const MOST_FIELDS: usize = 200_000;

/// How long a field with parameters may be, in bytes, and how many parts of parameters it may have:
/// each part is looked up among the parameters before it. Only a field beyond both is too much.
const LONGEST_FIELD: usize = 8 << 10;
const MOST_PARTS_OF_PARAMETERS: usize = 100;

/// How deep messages within messages are written.
const DEEPEST: usize = 20;

/// Reads mail.
#[derive(Debug)]
pub(crate) struct Mail;

impl FileReader for Mail {
    fn version(&self) -> u32 {
        2
    }

    fn read(&self, bytes: &[u8], limits: &ReadLimits<'_>) -> Result<ExtractedText, ReadError> {
        let mut writer = MailWriter {
            parser: MessageParser::default(),
            text: String::new(),
            limits,
        };
        let mut places = FilePlaces::default();
        for (at, message) in messages(bytes).enumerate() {
            limits.check()?;
            places.push(writer.text.len(), FilePlace::Message(at + 1));
            writer.message(message)?;
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

/// Whether a part of the mail is encoded, or a file in its text.
pub(crate) fn is_encoded(bytes: &[u8]) -> bool {
    const FIELD: &[u8] = b"content-transfer-encoding:";
    let encoding = |line: &[u8]| {
        let (name, value) = line.split_at_checked(FIELD.len())?;
        let value = value.trim_ascii();
        let is = |known: &[u8]| value.eq_ignore_ascii_case(known);
        Some(name.eq_ignore_ascii_case(FIELD) && (is(b"base64") || is(b"quoted-printable")))
    };
    let mut lines = lines(bytes).peekable();
    while let Some(line) = lines.next() {
        let mut begins_file = || {
            line.starts_with(BEGIN.as_bytes())
                && str::from_utf8(line).is_ok_and(|line| encoded_name(line.trim_end()).is_some())
                && lines.peek().is_some_and(|line| is_encoded_line(line))
        };
        if encoding(line) == Some(true) || begins_file() {
            return true;
        }
    }
    false
}

/// How the line before a file begins that `uuencode` has written.
const BEGIN: &str = "begin ";

/// The name of the file that begins after this line as `uuencode` writes it: `begin 644 a.png`.
fn encoded_name(line: &str) -> Option<&str> {
    let (mode, name) = line.strip_prefix(BEGIN)?.split_once(' ')?;
    let is_mode = matches!(mode.len(), 3 | 4) && mode.bytes().all(|b| matches!(b, b'0'..=b'7'));
    let name = name.trim();
    (is_mode && !name.is_empty()).then_some(name)
}

/// Whether a line may be one of a file as `uuencode` writes it: a character for the number of bytes
/// in it, at most 45, and four for each three of them. Spaces at the end are often lost.
fn is_encoded_line(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let bytes = line
        .first()
        .map_or(0, |count| usize::from((count.wrapping_sub(b' ')) & 63));
    bytes <= 45
        && line.len() <= 2 + bytes.div_ceil(3) * 4
        && line.iter().all(|byte| (b' '..=b'`').contains(byte))
}

/// What follows a file in the text that ends as `uuencode` does.
fn after_encoded(mut lines: Lines<'_>) -> Option<Lines<'_>> {
    loop {
        match lines.next()?.trim_end() {
            "end" => return Some(lines),
            line if is_encoded_line(line.as_bytes()) => {}
            _ => return None,
        }
    }
}

/// The lines of a file, with their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The messages of a mailbox, each with the line that precedes its header, or the only message.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_mailbox = bytes.trim_ascii_start().starts_with(ENVELOPE);
    let mut rest = bytes.trim_ascii_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = match is_mailbox {
            true => next_message(rest).unwrap_or(rest.len()),
            false => rest.len(),
        };
        let message;
        (message, rest) = rest.split_at(end);
        Some(message)
    })
}

/// Where the message after the first one begins.
fn next_message(bytes: &[u8]) -> Option<usize> {
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    let mut at = 0;
    let mut after_blank = false;
    let mut lines = lines(bytes).peekable();
    while let Some(line) = lines.next() {
        let mut begins = || has_time(line) || lines.peek().is_some_and(|next| is_field(next));
        if after_blank && line.starts_with(ENVELOPE) && begins() {
            return Some(at);
        }
        after_blank = is_blank(line);
        at += line.len();
    }
    None
}

/// Whether a line has a time such as `03:04`, as that before a message has.
fn has_time(line: &[u8]) -> bool {
    let is_time =
        |part: &[u8]| part[2] == b':' && [0, 1, 3, 4].iter().all(|at| part[*at].is_ascii_digit());
    line.windows(5).any(is_time)
}

/// Whether a line is a field of a header.
fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .position(|byte| !byte.is_ascii_graphic() || *byte == b':');
    name.is_some_and(|end| end > 0 && line[end] == b':')
}

/// Writes messages one after the other.
struct MailWriter<'l, 'a> {
    parser: MessageParser,
    text: String,
    limits: &'l ReadLimits<'a>,
}

impl MailWriter<'_, '_> {
    /// Writes a message of a file.
    fn message(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let mut raw = bytes;
        if bytes.starts_with(ENVELOPE) {
            let line = lines(bytes).next().unwrap_or_default();
            raw = &bytes[line.len()..];
            self.line(String::from_utf8_lossy(line).trim_end())?;
        }
        check(raw)?;
        match self.parser.parse(raw) {
            Some(message) => self.content(&message, 0),
            None => self.body(&String::from_utf8_lossy(raw)),
        }
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
        for part in message.text_bodies() {
            self.part(part)?;
        }
        for part in message.attachments() {
            if let Some(name) = part.attachment_name() {
                self.field("Attachment", name)?;
                self.line("")?;
            }
            match &part.body {
                PartType::Message(inner) if depth < DEEPEST => self.content(inner, depth + 1)?,
                _ => self.part(part)?,
            }
        }
        Ok(())
    }

    /// Writes the text of a part, if it is one.
    fn part(&mut self, part: &MessagePart<'_>) -> Result<(), ReadError> {
        match &part.body {
            PartType::Text(text) => self.body(text),
            PartType::Html(html) => {
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
            _ => Ok(()),
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
            if let Some(name) = encoded_name(line)
                && let Some(after) = after_encoded(lines.clone())
            {
                self.field("Attachment", name)?;
                lines = after;
                continue;
            }
            // It would begin another message.
            match line.as_bytes().starts_with(ENVELOPE) {
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

/// An error for a message that would take much more room than its bytes, or much time: with very
/// many fields, parts or parts of parameters, or with parts in parts. What may be one counts,
/// however it is written.
fn check(message: &[u8]) -> Result<(), ReadError> {
    let (mut types, mut in_parts, mut fields) = (0, 0, 0);
    // The field with parameters that goes on, and the marks of parts in it.
    let (mut length, mut marks) = (0, 0);
    for line in lines(message) {
        let goes_on = matches!(line, [b' ' | b'\t', ..]) && length > 0;
        if !goes_on {
            (length, marks) = (0, 0);
        }
        if goes_on || has_parameters(line) {
            length += line.len();
            marks += line.iter().filter(|byte| **byte == b'*').count();
        }
        if length > LONGEST_FIELD && marks > MOST_PARTS_OF_PARAMETERS {
            return Err(ReadError::damaged(format!(
                "a field of it has more than {MOST_PARTS_OF_PARAMETERS} parts of parameters"
            )));
        }
        fields += usize::from(line.starts_with(b"--") || line.contains(&b':'));
        let (name, value) = line
            .trim_ascii_start()
            .split_at_checked(CONTENT_TYPE.len())
            .unwrap_or_default();
        if name.eq_ignore_ascii_case(CONTENT_TYPE) {
            types += 1;
            let kind = value.to_ascii_lowercase();
            in_parts += usize::from(kind.windows(10).any(|part| part == b"multipart/"));
        }
    }
    for (count, most, what) in [
        (types, MOST_TYPES, "parts and messages within it"),
        (in_parts, MOST_IN_PARTS, "parts with parts"),
        (fields, MOST_FIELDS, "fields or parts"),
    ] {
        if count > most {
            return Err(ReadError::damaged(format!(
                "it has more than {most} {what}"
            )));
        }
    }
    Ok(())
}

/// Whether a line may begin a field with parameters.
fn has_parameters(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let is = |name: &[u8]| {
        let given = line.get(..name.len());
        given.is_some_and(|given| given.eq_ignore_ascii_case(name))
    };
    is(CONTENT_TYPE) || is(b"content-disposition")
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
    use super::*;

    fn read(mail: &str) -> Result<ExtractedText, ReadError> {
        Mail.read(mail.as_bytes(), &ReadLimits::default())
    }

    #[test]
    fn mail_is_encoded_if_a_part_is() {
        for encoded in [
            "Subject: a\nContent-Transfer-Encoding: base64\n\nYQ==\n",
            "content-transfer-encoding:QUOTED-PRINTABLE\r\n\r\n=41\r\n",
        ] {
            assert!(is_encoded(encoded.as_bytes()), "{encoded}");
        }
        for plain in [
            "",
            "Content-Transfer-Encoding: 8bit\n\nbase64\n",
            "Subject: quoted-printable\n\na\n",
        ] {
            assert!(!is_encoded(plain.as_bytes()), "{plain}");
        }
    }

    #[test]
    fn of_a_file_in_the_text_the_name_is_kept() {
        let file = "begin 644 the plan.png\r\n#86)C\r\n`\r\nend\r\n";
        let mail = format!("Subject: a\r\n\r\nSee it.\r\n\r\n{file}\r\nAnn\r\n");
        assert!(is_encoded(mail.as_bytes()));
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
        assert!(!is_encoded(b"Subject: a\n\nbegin 644 words\nof a text.\n"));
        // What might be the beginnings of files is read once.
        let begun = "begin 644 a\n`\n".repeat(200_000);
        assert!(read(&format!("Subject: a\n\n{begun}")).is_ok());
    }

    #[test]
    fn a_file_that_is_no_mail_is_its_text() {
        assert_eq!(read("\n\nOnly text.\n").unwrap().text, "Only text.\n\n");
        assert_eq!(read("\n \n"), Err(ReadError::NoText));
        let cut = "Content-Type: multipart/mixed; boundary=a\n\n--a\n\nTea\n--b";
        assert!(read(cut).unwrap().text.contains("Tea"));
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
