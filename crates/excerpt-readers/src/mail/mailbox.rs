//! The messages of a file: those of a mailbox, or the only one.

/// How the line begins that precedes a message in a mailbox.
const ENVELOPE: &[u8] = b"From ";

/// Whether a file is a mailbox: a line precedes its first message.
pub(super) fn is_mailbox(bytes: &[u8]) -> bool {
    content(bytes).starts_with(ENVELOPE)
}

/// The messages of a file, each as it is there.
pub(super) fn messages(bytes: &[u8]) -> impl Iterator<Item = Raw<'_>> {
    let is_mailbox = is_mailbox(bytes);
    let mut rest = content(bytes);
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
        Some(Raw::of(message))
    })
}

/// A message as it is in a file.
pub(super) struct Raw<'a> {
    /// The line that precedes it in a mailbox.
    pub(super) envelope: Option<&'a [u8]>,
    /// Its header, an empty line and its body.
    pub(super) message: &'a [u8],
}

impl<'a> Raw<'a> {
    fn of(message: &'a [u8]) -> Self {
        let envelope = message.starts_with(ENVELOPE);
        let envelope = envelope.then(|| lines(message).next()).flatten();
        Raw {
            envelope,
            message: &message[envelope.map_or(0, <[u8]>::len)..],
        }
    }

    /// Its header.
    pub(super) fn header(&self) -> &'a [u8] {
        &self.message[..header_end(self.message)]
    }

    /// The fields of its header: names and values, which may have several lines.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        fields(self.header())
    }

    /// What is below its header.
    pub(super) fn body(&self) -> &'a [u8] {
        &self.message[header_end(self.message)..]
    }
}

/// The lines of a file, with their ends.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// Whether a line is a field of a header.
pub(super) fn is_field(line: &[u8]) -> bool {
    let name = line
        .iter()
        .position(|byte| !byte.is_ascii_graphic() || *byte == b':');
    name.is_some_and(|end| end > 0 && line[end] == b':')
}

/// Whether a line of a message would begin another one in a mailbox, with the line below it.
pub(super) fn begins_message(line: &[u8], below: Option<&[u8]>) -> bool {
    line.starts_with(ENVELOPE) && (has_time(line) || below.is_some_and(is_field))
}

/// A file without a byte order mark and the white space before its text.
fn content(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start()
}

/// Where the message after the first one begins.
fn next_message(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut after_blank = false;
    let mut lines = lines(bytes).peekable();
    while let Some(line) = lines.next() {
        if after_blank && begins_message(line, lines.peek().copied()) {
            return Some(at);
        }
        after_blank = is_blank(line);
        at += line.len();
    }
    None
}

/// Where the lines of a header end, and the empty line begins.
fn header_end(message: &[u8]) -> usize {
    let header = lines(message).take_while(|line| !is_blank(line));
    header.map(<[u8]>::len).sum()
}

/// The fields of a header. A line that is none is left out.
fn fields(header: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = header;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let first = lines(rest).next().unwrap_or_default();
            let folded = lines(&rest[first.len()..]);
            let folded = folded.take_while(|line| matches!(line, [b' ' | b'\t', ..]));
            let end = first.len() + folded.map(<[u8]>::len).sum::<usize>();
            let field;
            (field, rest) = rest.split_at(end);
            let colon = field.iter().position(|byte| *byte == b':');
            if let Some(colon) = colon {
                return Some((field[..colon].trim_ascii(), field[colon + 1..].trim_ascii()));
            }
        }
        None
    })
}

/// Whether a line has a time such as `03:04`, as that before a message has.
fn has_time(line: &[u8]) -> bool {
    let is_time =
        |part: &[u8]| part[2] == b':' && [0, 1, 3, 4].iter().all(|at| part[*at].is_ascii_digit());
    line.windows(5).any(is_time)
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}
