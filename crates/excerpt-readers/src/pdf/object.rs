//! The objects of a PDF: ISO 32000-1, 7.2 and 7.3.

use std::collections::HashMap;
use std::rc::Rc;

/// How deep arrays and dictionaries may be nested; a deeper one makes its object unreadable.
const DEEPEST: usize = 64;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Object {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Name(Rc<[u8]>),
    String(Rc<[u8]>),
    Array(Rc<Vec<Object>>),
    Dict(Rc<Dict>),
    Stream(Rc<Stream>),
    /// The number of another object.
    Ref(u32),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Dict(HashMap<Rc<[u8]>, Object>);

/// A stream as it is in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stream {
    pub(super) dict: Dict,
    /// Where its packed bytes are in the file.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number and the generation of its object, which its encryption depends on.
    pub(super) id: (u32, u16),
}

impl Object {
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Object::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn integer(&self) -> Option<i64> {
        self.number().map(|number| number as i64)
    }

    pub(super) fn index(&self) -> Option<usize> {
        let number = self.number()?;
        (number >= 0.0).then_some(number as usize)
    }

    pub(super) fn name(&self) -> Option<&[u8]> {
        match self {
            Object::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn string(&self) -> Option<&[u8]> {
        match self {
            Object::String(string) => Some(string),
            _ => None,
        }
    }

    pub(super) fn array(&self) -> Option<&[Object]> {
        match self {
            Object::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The dictionary, also of a stream.
    pub(super) fn dict(&self) -> Option<&Dict> {
        match self {
            Object::Dict(dict) => Some(dict),
            Object::Stream(stream) => Some(&stream.dict),
            _ => None,
        }
    }
}

impl Dict {
    /// The value as it is written here: it can be a reference.
    pub(super) fn get(&self, key: &str) -> &Object {
        self.0.get(key.as_bytes()).unwrap_or(&Object::Null)
    }

    pub(super) fn named(&self, key: &[u8]) -> &Object {
        self.0.get(key).unwrap_or(&Object::Null)
    }

    pub(super) fn is_type(&self, name: &str) -> bool {
        self.get("Type").name() == Some(name.as_bytes())
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&Rc<[u8]>, &Object)> {
        self.0.iter()
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Object> {
        self.0.values_mut()
    }

    /// Adds what is missing here.
    pub(super) fn merge(&mut self, other: &Dict) {
        for (key, value) in other.values() {
            self.0.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }

    fn from_pairs(values: Vec<Object>) -> Dict {
        let mut dict = HashMap::new();
        let mut values = values.into_iter();
        while let Some(key) = values.next() {
            // A value without a key is skipped.
            let Object::Name(key) = key else { continue };
            let Some(value) = values.next() else { break };
            dict.insert(key, value);
        }
        Dict(dict)
    }
}

/// What the bytes of a file or of a content stream consist of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PdfToken<'b> {
    Number(f64),
    Name(Rc<[u8]>),
    String(Rc<[u8]>),
    OpenArray,
    CloseArray,
    OpenDict,
    CloseDict,
    /// A keyword or an operator.
    Word(&'b [u8]),
}

/// Reads tokens and objects, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    /// How many tokens were read.
    pub(super) tokens: usize,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 12 | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

impl<'b> Lexer<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize) -> Self {
        let at = at.min(bytes.len());
        Lexer {
            bytes,
            at,
            tokens: 0,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, offset: usize) -> Option<u8> {
        self.bytes.get(self.at + offset).copied()
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    while self
                        .peek()
                        .is_some_and(|byte| byte != b'\n' && byte != b'\r')
                    {
                        self.at += 1;
                    }
                }
                byte if is_space(byte) => self.at += 1,
                _ => break,
            }
        }
    }

    pub(super) fn token(&mut self) -> Option<PdfToken<'b>> {
        self.skip_space();
        self.tokens += 1;
        let byte = self.peek()?;
        Some(match byte {
            b'+' | b'-' | b'.' | b'0'..=b'9' => return Some(self.number_or_word()),
            b'/' => {
                self.at += 1;
                PdfToken::Name(self.name())
            }
            b'(' => {
                self.at += 1;
                PdfToken::String(self.literal_string())
            }
            b'<' if self.peek_at(1) == Some(b'<') => {
                self.at += 2;
                PdfToken::OpenDict
            }
            b'<' => {
                self.at += 1;
                PdfToken::String(self.hex_string())
            }
            b'>' if self.peek_at(1) == Some(b'>') => {
                self.at += 2;
                PdfToken::CloseDict
            }
            b'[' => {
                self.at += 1;
                PdfToken::OpenArray
            }
            b']' => {
                self.at += 1;
                PdfToken::CloseArray
            }
            _ => PdfToken::Word(self.word()),
        })
    }

    /// What is regular, or one delimiter.
    fn word(&mut self) -> &'b [u8] {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        if self.at == start {
            self.at += 1;
        }
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    fn number_or_word(&mut self) -> PdfToken<'b> {
        let start = self.at;
        let mut negative = false;
        while let Some(sign @ (b'+' | b'-')) = self.peek() {
            negative |= sign == b'-';
            self.at += 1;
        }
        let digits = self.at;
        let (mut value, mut scale) = (0.0_f64, 0.0_f64);
        let mut any = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {
                    any = true;
                    let digit = f64::from(byte - b'0');
                    if scale == 0.0 {
                        value = value * 10.0 + digit;
                    } else {
                        value += digit * scale;
                        scale /= 10.0;
                    }
                }
                b'.' if scale == 0.0 => scale = 0.1,
                // Some programs write `12-34` for 12, and `1.2.3` for 1.2.
                b'-' | b'.' if any => {
                    while self.peek().is_some_and(is_regular) {
                        self.at += 1;
                    }
                    break;
                }
                _ => break,
            }
            self.at += 1;
        }
        let is_word = self.peek().is_some_and(is_regular) || (!any && self.at == digits);
        if is_word && !(any && self.peek().is_some_and(|byte| byte.is_ascii_alphabetic())) {
            self.at = start;
            return PdfToken::Word(self.word());
        }
        let value = if value.is_finite() { value } else { 0.0 };
        PdfToken::Number(if negative { -value } else { value })
    }

    fn name(&mut self) -> Rc<[u8]> {
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|byte| is_regular(*byte)) {
            self.at += 1;
            let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
            match (byte, digit(self.peek()), digit(self.peek_at(1))) {
                (b'#', Some(high), Some(low)) => {
                    name.push((high * 16 + low) as u8);
                    self.at += 2;
                }
                _ => name.push(byte),
            }
        }
        name.into()
    }

    fn literal_string(&mut self) -> Rc<[u8]> {
        let mut string = Vec::new();
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                b'\\' => {
                    self.escape(&mut string);
                    continue;
                }
                b'\r' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    string.push(b'\n');
                    continue;
                }
                _ => (),
            }
            string.push(byte);
        }
        string.into()
    }

    fn escape(&mut self, string: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => string.push(b'\n'),
            b'r' => string.push(b'\r'),
            b't' => string.push(b'\t'),
            b'b' => string.push(8),
            b'f' => string.push(12),
            b'\n' => (),
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else {
                        break;
                    };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                string.push((code & 255) as u8);
            }
            _ => string.push(byte),
        }
    }

    fn hex_string(&mut self) -> Rc<[u8]> {
        let mut string = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = char::from(byte).to_digit(16) else {
                continue;
            };
            match high.take() {
                None => high = Some(digit),
                Some(high) => string.push((high * 16 + digit) as u8),
            }
        }
        if let Some(high) = high {
            string.push((high * 16) as u8);
        }
        string.into()
    }

    /// The next object. `None` at a keyword, which is not read, and at the end.
    pub(super) fn object(&mut self) -> Option<Object> {
        let first = self.token_or_nothing()?;
        self.object_from(first)
    }

    fn token_or_nothing(&mut self) -> Option<PdfToken<'b>> {
        let start = self.at;
        let token = self.token()?;
        if let PdfToken::Word(word) = token
            && !matches!(word, b"true" | b"false" | b"null")
        {
            self.at = start;
            return None;
        }
        Some(token)
    }

    /// The object that begins with a token that was read already.
    pub(super) fn object_from(&mut self, first: PdfToken<'b>) -> Option<Object> {
        // The open arrays and dictionaries. No recursion, since the file chooses their depth.
        let mut open: Vec<(PdfToken<'b>, Vec<Object>)> = Vec::new();
        let mut next = Some(first);
        loop {
            let token = match next.take() {
                Some(token) => token,
                None => {
                    let start = self.at;
                    match self.token() {
                        // What ends an object ends all that is open in it.
                        None
                        | Some(PdfToken::Word(b"endobj" | b"stream" | b"endstream" | b"obj")) => {
                            self.at = start;
                            return closed(open);
                        }
                        Some(token) => token,
                    }
                }
            };
            let object = match token {
                PdfToken::OpenArray | PdfToken::OpenDict => {
                    if open.len() == DEEPEST {
                        return None;
                    }
                    open.push((token, Vec::new()));
                    continue;
                }
                PdfToken::CloseArray | PdfToken::CloseDict => {
                    // Of the wrong kind: a closing mark is missing, or this one is too many.
                    while open.last().is_some_and(|(kind, _)| !closes(kind, &token))
                        && open.iter().any(|(kind, _)| closes(kind, &token))
                    {
                        let inner = open.pop().map(close);
                        if let (Some(inner), Some((_, values))) = (inner, open.last_mut()) {
                            values.push(inner);
                        }
                    }
                    match open.last().is_some_and(|(kind, _)| closes(kind, &token)) {
                        true => open.pop().map(close)?,
                        false if open.is_empty() => return None,
                        false => continue,
                    }
                }
                PdfToken::Number(number) => Object::Number(number),
                PdfToken::Name(name) => Object::Name(name),
                PdfToken::String(string) => Object::String(string),
                PdfToken::Word(b"true") => Object::Bool(true),
                PdfToken::Word(b"false") => Object::Bool(false),
                PdfToken::Word(b"R") => {
                    if let Some((_, values)) = open.last_mut()
                        && let [.., Object::Number(number), Object::Number(_)] = values[..]
                    {
                        values.truncate(values.len() - 2);
                        values.push(reference(number));
                    }
                    continue;
                }
                PdfToken::Word(b"null") => Object::Null,
                PdfToken::Word(_) => continue,
            };
            match open.last_mut() {
                Some((_, values)) => values.push(object),
                None => return Some(self.followed(object)),
            }
        }
    }

    /// An object that is not in another one: a number can begin a reference.
    fn followed(&mut self, object: Object) -> Object {
        if let Object::Number(number) = object {
            let mut ahead = self.clone();
            if let Some(PdfToken::Number(_)) = ahead.token()
                && let Some(PdfToken::Word(b"R")) = ahead.token()
            {
                self.at = ahead.at;
                return reference(number);
            }
        }
        object
    }
}

fn reference(number: f64) -> Object {
    match (0.0..=f64::from(u32::MAX)).contains(&number) {
        true => Object::Ref(number as u32),
        false => Object::Null,
    }
}

fn closes(open: &PdfToken<'_>, close: &PdfToken<'_>) -> bool {
    matches!(
        (open, close),
        (PdfToken::OpenArray, PdfToken::CloseArray) | (PdfToken::OpenDict, PdfToken::CloseDict)
    )
}

fn close((kind, values): (PdfToken<'_>, Vec<Object>)) -> Object {
    match kind {
        PdfToken::OpenArray => Object::Array(Rc::new(values)),
        _ => Object::Dict(Rc::new(Dict::from_pairs(values))),
    }
}

/// The outermost object, whose closing marks are missing.
fn closed(mut open: Vec<(PdfToken<'_>, Vec<Object>)>) -> Option<Object> {
    loop {
        let inner = close(open.pop()?);
        match open.last_mut() {
            Some((_, values)) => values.push(inner),
            None => return Some(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(source: &str) -> Option<Object> {
        Lexer::new(source.as_bytes(), 0).object()
    }

    fn string(string: &str) -> Option<Object> {
        Some(Object::String(string.as_bytes().into()))
    }

    #[test]
    fn each_kind_of_object_is_read() {
        assert_eq!(object(" % comment\n -1.5"), Some(Object::Number(-1.5)));
        assert_eq!(object("--3"), Some(Object::Number(-3.0)));
        assert_eq!(object("1.2.3"), Some(Object::Number(1.2)));
        assert_eq!(object(".5"), Some(Object::Number(0.5)));
        assert_eq!(object("12 0 R"), Some(Object::Ref(12)));
        assert_eq!(object("12 0 obj"), Some(Object::Number(12.0)));
        assert_eq!(object("(a\\(b(c)\\)\\n\\101\\\nd)"), string("a(b(c))\nAd"));
        assert_eq!(object("<41 4 2>"), string("AB"));
        assert_eq!(object("<414>"), string("A@"));
        assert_eq!(object("/A#20b"), Some(Object::Name((*b"A b").into())));
        assert_eq!(object("endobj"), None);
        let dict = object("<</A [1 2 0 R] /B <</C true>> /D null>>").unwrap();
        let dict = dict.dict().unwrap();
        let array = vec![Object::Number(1.0), Object::Ref(2)];
        assert_eq!(dict.get("A"), &Object::Array(Rc::new(array)));
        assert_eq!(dict.get("B").dict().unwrap().get("C"), &Object::Bool(true));
        assert_eq!(dict.get("E"), &Object::Null);
    }

    #[test]
    fn what_is_not_closed_ends_with_its_object() {
        let dict = object("<</A [1 2 /B 3 endobj").unwrap();
        assert_eq!(dict.dict().unwrap().get("A").array().unwrap().len(), 4);
        let dict = object("<</A [1 2 >> 7").unwrap();
        assert_eq!(dict.dict().unwrap().get("A").array().unwrap().len(), 2);
        assert_eq!(object("]"), None);
    }

    #[test]
    fn what_is_nested_too_deep_is_no_object() {
        for open in ["[", "<</A ", "[<<"] {
            assert_eq!(object(&open.repeat(100_000)), None);
        }
        assert!(object(&("[".repeat(60) + &"]".repeat(60))).is_some());
    }
}
