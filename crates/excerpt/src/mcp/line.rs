//! Reads an input line by line, each line a message of limited length. Finds the id of a message
//! that is too long or not JSON, so that its sender gets an error.

use rmcp::model::RequestId;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// The longest message in bytes, on every transport.
pub(crate) const MESSAGE_LIMIT: usize = 4 << 20;

/// A line that was read.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line that was too long and was dropped, with the id of its request if there is one.
    TooLong(Option<RequestId>),
}

/// Reads lines. A partially read line is stored here, so that a read can be cancelled.
pub(super) struct LineReader<R> {
    input: R,
    longest: usize,
    /// The beginning of the current line.
    begun: Vec<u8>,
    /// What is known about a line that is too long.
    dropped: Option<Envelope>,
}

impl<R: AsyncBufRead + Unpin> LineReader<R> {
    /// Reads lines of at most `longest` bytes.
    pub(super) fn new(input: R, longest: usize) -> Self {
        LineReader {
            input,
            longest,
            begun: Vec::new(),
            dropped: None,
        }
    }

    /// The next line; `None` when the input has ended or cannot be read. Text after the last line
    /// end is an incomplete message and is ignored.
    pub(super) async fn next(&mut self) -> Option<Line> {
        loop {
            let input = self.input.fill_buf().await.ok()?;
            if input.is_empty() {
                return None;
            }
            let end = input.iter().position(|byte| *byte == b'\n');
            let part = &input[..end.unwrap_or(input.len())];
            if self.dropped.is_none() && self.begun.len() + part.len() > self.longest {
                let mut envelope = Envelope::default();
                envelope.read(&std::mem::take(&mut self.begun));
                self.dropped = Some(envelope);
            }
            match &mut self.dropped {
                Some(envelope) => envelope.read(part),
                None => self.begun.extend_from_slice(part),
            }
            let read = part.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Some(match self.dropped.take() {
                    Some(envelope) => Line::TooLong(envelope.id()),
                    None => Line::Whole(std::mem::take(&mut self.begun)),
                });
            }
        }
    }
}

/// The id of a request in text that may not be valid JSON; `None` if it has no id or two, or is not
/// a request.
pub(super) fn id_in(message: &[u8]) -> Option<RequestId> {
    let mut envelope = Envelope::default();
    envelope.read(message);
    envelope.id()
}

/// Finds the id of a request among the fields of an object, byte by byte and in bounded memory. It
/// distinguishes only strings, names, values and depths, so that it reads broken JSON as far as
/// possible.
#[derive(Debug, Default)]
struct Envelope {
    depth: usize,
    /// Whether the outermost value is an object.
    is_object: bool,
    is_in_string: bool,
    is_escaped: bool,
    /// The name of the field whose value is being read.
    field: Option<Field>,
    /// The name or the value that is being read; `None` if it is longer than an id, or nested.
    part: Option<Vec<u8>>,
    is_request: bool,
    ids: Vec<Option<RequestId>>,
}

/// The fields that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Id,
    Method,
    Other,
}

impl Envelope {
    /// The maximum length of an id in bytes.
    const LONGEST: usize = 1024;

    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.next(*byte);
        }
    }

    fn next(&mut self, byte: u8) {
        if self.is_in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.is_in_string = false,
                _ => {}
            }
            return self.keep(byte);
        }
        // Only the fields of the outermost object matter.
        let is_field = self.is_object && self.depth == 1;
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.is_object = byte == b'{';
                    self.part = Some(Vec::new());
                } else if is_field {
                    self.part = None;
                }
                self.depth += 1;
            }
            b'}' | b']' => {
                if is_field {
                    self.end();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if is_field => self.end(),
            b':' if is_field && self.field.is_none() => {
                let name = self.part.replace(Vec::new()).unwrap_or_default();
                let name: Option<String> = serde_json::from_slice(&name).ok();
                self.field = Some(match name.as_deref() {
                    Some("id") => Field::Id,
                    Some("method") => Field::Method,
                    _ => Field::Other,
                });
            }
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth != 1 {
            return;
        }
        match &mut self.part {
            Some(part) if part.len() < Self::LONGEST => part.push(byte),
            part => *part = None,
        }
    }

    /// Ends a field.
    fn end(&mut self) {
        let value = self.part.replace(Vec::new());
        match self.field.take() {
            Some(Field::Id) if self.ids.len() < 2 => {
                let id = value.and_then(|value| serde_json::from_slice(&value).ok());
                self.ids.push(id);
            }
            Some(Field::Method) => self.is_request = true,
            _ => {}
        }
    }

    fn id(self) -> Option<RequestId> {
        // The message may end in the middle of its method.
        let is_request = self.is_request || self.field == Some(Field::Method);
        match <[_; 1]>::try_from(self.ids) {
            Ok([id]) if is_request => id,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;
    use tokio::runtime::Builder;

    use super::*;

    /// The lines of `input`, of at most 64 bytes, and the reader after its end.
    fn lines(input: &[u8]) -> (Vec<Line>, LineReader<BufReader<&[u8]>>) {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut lines = LineReader::new(BufReader::with_capacity(16, input), 64);
            let mut all = Vec::new();
            while let Some(line) = lines.next().await {
                all.push(line);
            }
            (all, lines)
        })
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_its_id_read() {
        let long = format!(r#"{{"text":"{}","id":7,"method":"a"}}"#, "x".repeat(10_000));
        let input = format!("a\r\n{long}\n\n{}\nhalf", "b".repeat(64));
        let (lines, _) = lines(input.as_bytes());
        assert_eq!(
            lines,
            [
                Line::Whole(b"a\r".to_vec()),
                Line::TooLong(Some(RequestId::Number(7))),
                Line::Whole(Vec::new()),
                Line::Whole(vec![b'b'; 64]),
            ]
        );
    }

    #[test]
    fn a_line_without_an_end_takes_little_memory() {
        for begin in ["", r#"{"id":""#, r#"{"method":""#, r#"{"a":{"#, "[["] {
            let input = format!("{begin}{}", "x".repeat(100_000));
            let (lines, kept) = lines(input.as_bytes());
            assert!(lines.is_empty());
            let part = kept.dropped.and_then(|envelope| envelope.part);
            let part = part.map_or(0, |part| part.capacity());
            assert!(kept.begun.capacity() <= 128 && part <= 2_048, "{begin}");
        }
    }

    #[test]
    fn an_id_is_read_at_any_position() {
        let number = |id| Some(RequestId::Number(id));
        let text = |id: &str| Some(RequestId::String(id.into()));
        for (message, id) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":8}}"#,
                number(7),
            ),
            (
                r#"{"method":"a","params":{"id":8,"x":[{"id":9}]}, "id" : "a\"},b" }"#,
                text("a\"},b"),
            ),
            (r#"{"\u0069d":-3,"method":"a"}"#, number(-3)),
            (
                r#" {"id":1,"method":"tools/call","params":{"q":"\ud800"}}"#,
                number(1),
            ),
            (r#"{"id":1,"method":"a","params":{"q":"broken"#, number(1)),
        ] {
            assert_eq!(id_in(message.as_bytes()), id, "{message}");
        }
    }

    #[test]
    fn invalid_ids_are_ignored() {
        let long = format!(r#"{{"method":"a","id":"{}"}}"#, "x".repeat(2_000));
        let disguised = format!(
            r#"{{"method":"a","{}\"id":7}}"#,
            "x".repeat(Envelope::LONGEST)
        );
        for message in [
            "",
            "no json",
            r#"{"method":"a"}"#,
            r#"{"id":7,"result":{}}"#,
            r#"{"id":7,"method":"a","id":8}"#,
            r#"{"id":null,"method":"a"}"#,
            r#"{"id":{"id":7},"method":"a"}"#,
            r#"{"id":[7],"method":"a"}"#,
            r#"{"id":1.5,"method":"a"}"#,
            r#"{"method":"a","id":7"#,
            r#"[{"id":7,"method":"a"}]"#,
            r#"{"x":{"id":7,"method":"a"}}"#,
            r#""{\"id\":7,\"method\":\"a\"}""#,
            &long,
            &disguised,
        ] {
            assert_eq!(id_in(message.as_bytes()), None, "{message}");
        }
    }
}
