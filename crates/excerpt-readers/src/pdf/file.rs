//! The objects of a file by their numbers: [`File`].
//!
//! The table of objects is read as the file has it or, when it is wrong, rebuilt from all objects
//! that are in the file. Objects are read when they are needed. All that is unpacked counts, and
//! all bytes that are read as objects, so that no file takes more than the limits, however often
//! its objects refer to each other.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::crypt::Crypt;
use super::filter::unpack;
use super::object::{Dict, Lexer, Object, PdfToken, Stream, is_space};
use crate::format::{BEFORE_PDF, PDF};
use crate::limits::ReadLimits;
use crate::reader::ReadError;

/// How many references to references are followed.
const HOPS: usize = 16;

/// How many tokens are kept as objects, before all are forgotten and read again: some 100 MB.
const KEPT_TOKENS: usize = 1 << 20;

/// How many object streams are kept unpacked.
const KEPT_STREAMS: usize = 16;

#[derive(Debug)]
pub(super) struct File<'b> {
    bytes: &'b [u8],
    pub(super) limits: ReadLimits<'b>,
    entries: RefCell<HashMap<u32, FileEntry>>,
    pub(super) trailer: Dict,
    crypt: Option<Crypt>,
    is_rebuilt: Cell<bool>,
    /// How many bytes may still be unpacked.
    left: Cell<usize>,
    /// How many bytes may still be read as objects.
    work: Cell<usize>,
    objects: RefCell<HashMap<u32, Object>>,
    kept: Cell<usize>,
    object_streams: RefCell<Vec<(u32, Rc<ObjectStream>)>>,
}

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FileEntry {
    At(usize),
    /// In the object stream with this number.
    In(u32),
}

#[derive(Debug)]
struct ObjectStream {
    bytes: Vec<u8>,
    starts: HashMap<u32, usize>,
}

/// The table of objects while it is read.
#[derive(Default)]
struct Table {
    entries: HashMap<u32, FileEntry>,
    /// Objects that are no longer there, though an older table has them.
    free: HashSet<u32>,
    trailer: Dict,
}

impl<'b> File<'b> {
    pub(super) fn open(bytes: &'b [u8], limits: &ReadLimits<'b>) -> Result<File<'b>, ReadError> {
        let window = &bytes[..bytes.len().min(BEFORE_PDF + PDF.len())];
        let start = find(window, PDF).unwrap_or(0);
        let bytes = bytes.get(start..).unwrap_or_default();
        let mut file = File {
            bytes,
            limits: *limits,
            entries: RefCell::default(),
            trailer: Dict::default(),
            crypt: None,
            is_rebuilt: Cell::new(false),
            left: Cell::new(limits.unpacked),
            work: Cell::new(
                limits
                    .unpacked
                    .saturating_add(bytes.len().saturating_mul(8)),
            ),
            objects: RefCell::default(),
            kept: Cell::new(0),
            object_streams: RefCell::default(),
        };
        if let Some(table) = file.table()? {
            file.entries = RefCell::new(table.entries);
            file.trailer = table.trailer;
        }
        file.decrypt()?;
        if !file.has_pages()? {
            file.rebuild()?;
            file.decrypt()?;
        }
        Ok(file)
    }

    fn has_pages(&self) -> Result<bool, ReadError> {
        let root = self.get(self.trailer.get("Root"))?;
        let pages = root.dict().map(|root| root.get("Pages"));
        let pages = pages.map(|pages| self.get(pages)).transpose()?;
        Ok(pages.is_some_and(|pages| pages.dict().is_some()))
    }

    /// Prepares for an encrypted file.
    fn decrypt(&mut self) -> Result<(), ReadError> {
        self.crypt = None;
        let dict = self.get(self.trailer.get("Encrypt"))?;
        let Some(dict) = dict.dict() else {
            return Ok(());
        };
        let mut dict = dict.clone();
        for value in dict.values_mut() {
            *value = self.get(value)?;
        }
        let id = self.get(self.trailer.get("ID"))?;
        let id = match id.array().and_then(<[Object]>::first) {
            Some(id) => self.get(id)?,
            None => Object::Null,
        };
        let crypt = Crypt::new(&dict, id.string().unwrap_or_default());
        self.crypt = Some(crypt.ok_or(ReadError::Protected)?);
        // What was read until now was not decrypted.
        self.forget();
        Ok(())
    }

    fn forget(&self) {
        self.objects.borrow_mut().clear();
        self.object_streams.borrow_mut().clear();
        self.kept.set(0);
    }

    /// Counts memory that is taken for the file, like what is unpacked.
    pub(super) fn take(&self, bytes: usize) -> Result<(), ReadError> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| self.too_large())?);
        Ok(())
    }

    /// Counts work that grows with the file, so that no part of it is gone over too often.
    pub(super) fn spend(&self, work: usize) -> Result<(), ReadError> {
        self.limits.check()?;
        let left = self.work.get().checked_sub(work);
        self.work.set(left.ok_or_else(|| self.too_large())?);
        Ok(())
    }

    fn too_large(&self) -> ReadError {
        ReadError::TooLarge {
            what: "unpacked contents",
            limit: self.limits.unpacked,
        }
    }

    /// The table of objects as the file has it; `None` if it is damaged.
    fn table(&self) -> Result<Option<Table>, ReadError> {
        let tail = self.bytes.len().saturating_sub(2048);
        let end = self.bytes.get(tail..).unwrap_or_default();
        let Some(mark) = find_last(end, b"startxref") else {
            return Ok(None);
        };
        let mut lexer = Lexer::new(self.bytes, tail + mark + b"startxref".len());
        let Some(first) = lexer.object().as_ref().and_then(Object::index) else {
            return Ok(None);
        };
        let mut table = Table::default();
        let mut visited = HashSet::new();
        let mut next = vec![first];
        while let Some(at) = next.pop() {
            if !visited.insert(at) {
                continue;
            }
            let mut lexer = Lexer::new(self.bytes, at);
            lexer.skip_space();
            let is_table = self
                .bytes
                .get(lexer.at..)
                .is_some_and(|rest| rest.starts_with(b"xref"));
            let trailer = match is_table {
                true => {
                    lexer.at += b"xref".len();
                    self.plain_table(&mut lexer, &mut table)?
                }
                false => self.packed_table(at, &mut table)?,
            };
            let Some(trailer) = trailer else {
                return Ok(None);
            };
            let table_at = |key: &str| trailer.get(key).index();
            next.extend(table_at("Prev"));
            next.extend(table_at("XRefStm"));
            table.trailer.merge(&trailer);
        }
        Ok(Some(table))
    }

    fn plain_table(
        &self,
        lexer: &mut Lexer<'_>,
        table: &mut Table,
    ) -> Result<Option<Dict>, ReadError> {
        let start = lexer.at;
        let mut free = Vec::new();
        loop {
            match lexer.token() {
                Some(PdfToken::Word(b"trailer")) => break,
                Some(PdfToken::Number(first)) => {
                    let Some(PdfToken::Number(count)) = lexer.token() else {
                        return Ok(None);
                    };
                    let first = first as u32;
                    for at in 0..count as u32 {
                        let entry = (lexer.token(), lexer.token(), lexer.token());
                        let (Some(PdfToken::Number(offset)), Some(PdfToken::Number(_)), kind) =
                            entry
                        else {
                            return Ok(None);
                        };
                        let Some(number) = first.checked_add(at) else {
                            return Ok(None);
                        };
                        match kind {
                            Some(PdfToken::Word(b"n")) => {
                                table.add(number, FileEntry::At(offset as usize));
                            }
                            Some(PdfToken::Word(b"f")) => free.push(number),
                            _ => return Ok(None),
                        }
                    }
                }
                _ => return Ok(None),
            }
        }
        let trailer = lexer.object();
        self.spend(lexer.at - start)?;
        let trailer = trailer.and_then(|trailer| trailer.dict().cloned());
        // What is free here can be in the packed table that stands beside this one.
        if trailer
            .as_ref()
            .is_some_and(|trailer| trailer.get("XRefStm") == &Object::Null)
        {
            free.into_iter().for_each(|number| table.remove(number));
        }
        Ok(trailer)
    }

    fn packed_table(&self, at: usize, table: &mut Table) -> Result<Option<Dict>, ReadError> {
        let Some((_, Object::Stream(stream))) = self.object_at(at, None)? else {
            return Ok(None);
        };
        let dict = &stream.dict;
        let bytes = self.unpacked_plain(&stream)?;
        let widths = dict.get("W").array().unwrap_or_default();
        let widths: Vec<usize> = widths.iter().filter_map(Object::index).collect();
        let [kind, field, last] = widths[..] else {
            return Ok(None);
        };
        let row = kind.saturating_add(field).saturating_add(last);
        if row == 0 || row > 24 {
            return Ok(None);
        }
        let whole = [Object::Number(0.0), Object::Number(f64::from(u32::MAX))];
        let sections = dict.get("Index").array().unwrap_or(&whole);
        let mut rows = bytes.chunks_exact(row);
        for section in sections.chunks_exact(2) {
            let (Some(first), Some(count)) = (section[0].index(), section[1].index()) else {
                return Ok(None);
            };
            for (at, row) in rows.by_ref().take(count).enumerate() {
                // As long as the file; no entry is without at least a byte in it.
                if table.entries.len() + table.free.len() > self.bytes.len() {
                    return Ok(None);
                }
                let number = |range: std::ops::Range<usize>| {
                    let bytes = row.get(range).unwrap_or_default();
                    bytes
                        .iter()
                        .fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))
                };
                let Ok(object) = u32::try_from(first.saturating_add(at)) else {
                    break;
                };
                let value = number(kind..kind + field);
                match if kind == 0 { 1 } else { number(0..kind) } {
                    0 => table.remove(object),
                    1 => table.add(object, FileEntry::At(value as usize)),
                    2 => table.add(object, FileEntry::In(value as u32)),
                    _ => (),
                }
            }
        }
        Ok(Some(dict.clone()))
    }

    /// Rebuilds the table from all objects that are in the file.
    fn rebuild(&mut self) -> Result<(), ReadError> {
        let (entries, trailer) = self.rebuilt()?;
        self.entries = RefCell::new(entries);
        self.trailer = trailer;
        Ok(())
    }

    fn rebuilt(&self) -> Result<(HashMap<u32, FileEntry>, Dict), ReadError> {
        self.is_rebuilt.set(true);
        self.forget();
        self.spend(self.bytes.len())?;
        let mut entries = HashMap::new();
        let mut trailers = Vec::new();
        let mut at = 0;
        while let Some(found) = self
            .bytes
            .get(at..)
            .and_then(|rest| first_of_two(rest, b"obj", b"trailer"))
        {
            let (position, is_trailer) = found;
            let position = at + position;
            at = position + 3;
            if is_trailer {
                trailers.push(position + b"trailer".len());
            } else if let Some((number, start)) = self.header_before(position) {
                entries.insert(number, FileEntry::At(start));
            }
        }
        let mut trailer = Dict::default();
        for at in trailers.iter().rev() {
            let mut lexer = Lexer::new(self.bytes, *at);
            let found = lexer.object();
            self.spend(lexer.at - at)?;
            if let Some(found) = found.as_ref().and_then(Object::dict) {
                trailer.merge(found);
            }
        }
        // The objects in object streams, and what has a root where no trailer has.
        let mut starts: Vec<(u32, usize)> = Vec::new();
        for (number, entry) in &entries {
            if let FileEntry::At(start) = entry {
                starts.push((*number, *start));
            }
        }
        starts.sort_unstable_by_key(|(_, start)| *start);
        let mut packed = Vec::new();
        let mut catalog = None;
        for (number, start) in starts {
            let Some((_, object)) = self.object_at(start, None)? else {
                continue;
            };
            let Some(dict) = object.dict() else { continue };
            match dict.get("Type").name() {
                Some(b"ObjStm") => packed.push(number),
                Some(b"XRef") => trailer.merge(dict),
                Some(b"Catalog") => catalog = Some(number),
                _ => (),
            }
        }
        self.entries.replace(entries.clone());
        for number in packed {
            let Some(stream) = self.object_stream(number)? else {
                continue;
            };
            for inner in stream.starts.keys() {
                entries.entry(*inner).or_insert(FileEntry::In(number));
            }
        }
        if trailer.get("Root") == &Object::Null
            && let Some(catalog) = catalog
        {
            let source = format!("<</Root {catalog} 0 R>>");
            let made = Lexer::new(source.as_bytes(), 0).object();
            if let Some(made) = made.as_ref().and_then(Object::dict) {
                trailer.merge(made);
            }
        }
        Ok((entries, trailer))
    }

    /// The number of the object whose header `12 0 obj` ends at the keyword, and where it begins.
    fn header_before(&self, keyword: usize) -> Option<(u32, usize)> {
        let before = self.bytes.get(keyword.saturating_sub(32)..keyword)?;
        let start = keyword - before.len();
        let trimmed = |bytes: &[u8]| {
            bytes
                .iter()
                .rposition(|byte| !is_space(*byte))
                .map(|at| at + 1)
        };
        let digits = |end: usize| {
            let count = before[..end]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_digit());
            end - count.count()
        };
        let end = trimmed(before)?;
        let generation = digits(end);
        let end_of_number = trimmed(before.get(..generation)?)?;
        let number = digits(end_of_number);
        if generation == end || end_of_number == generation || number == end_of_number {
            return None;
        }
        let digits = std::str::from_utf8(before.get(number..end_of_number)?).ok()?;
        Some((digits.parse().ok()?, start + number))
    }

    /// The object at an offset, with its number; `None` if there is none, or not this one.
    fn object_at(
        &self,
        at: usize,
        wanted: Option<u32>,
    ) -> Result<Option<(u32, Object)>, ReadError> {
        let mut lexer = Lexer::new(self.bytes, at);
        let header = (lexer.token(), lexer.token(), lexer.token());
        let (Some(PdfToken::Number(number)), Some(PdfToken::Number(generation)), Some(word)) =
            header
        else {
            return Ok(None);
        };
        let number = number as u32;
        // `12 0 obj<<` is one word in some files.
        if word != PdfToken::Word(b"obj") || wanted.is_some_and(|wanted| wanted != number) {
            return Ok(None);
        }
        let object = lexer.object().unwrap_or_default();
        let id = (number, generation as u16);
        self.spend(lexer.at - at)?;
        self.kept.set(self.kept.get() + lexer.tokens);
        let dict = match &object {
            Object::Dict(dict) => dict,
            _ => return Ok(Some((number, self.decrypted(object, id)))),
        };
        lexer.skip_space();
        let rest = self.bytes.get(lexer.at..).unwrap_or_default();
        if !rest.starts_with(b"stream") {
            return Ok(Some((number, self.decrypted(object, id))));
        }
        let mut start = lexer.at + b"stream".len();
        start += match self.bytes.get(start..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([b'\r' | b'\n', ..]) => 1,
            _ => 0,
        };
        let length = match dict.get("Length") {
            // The length of a table of objects must be there itself: the others need the table.
            Object::Ref(number) => self.length(*number)?,
            length => length.index(),
        };
        let end = length.and_then(|length| start.checked_add(length));
        let end = end.filter(|end| {
            let mut after = Lexer::new(self.bytes, *end);
            after.skip_space();
            let rest = self.bytes.get(after.at..).unwrap_or_default();
            *end <= self.bytes.len()
                && (rest.starts_with(b"endstream") || rest.starts_with(b"endobj"))
        });
        let end = match end {
            Some(end) => end,
            None => {
                let rest = self.bytes.get(start..).unwrap_or_default();
                let length = find(rest, b"endstream").unwrap_or(rest.len());
                self.spend(length)?;
                start + length
            }
        };
        let dict = match self.decrypted(object, id) {
            Object::Dict(dict) => dict.as_ref().clone(),
            _ => Dict::default(),
        };
        let stream = Stream {
            dict,
            start,
            end,
            id,
        };
        Ok(Some((number, Object::Stream(Rc::new(stream)))))
    }

    /// The number in the object with this number, without following another reference.
    fn length(&self, number: u32) -> Result<Option<usize>, ReadError> {
        let entry = self.entries.borrow().get(&number).copied();
        let Some(FileEntry::At(at)) = entry else {
            return Ok(None);
        };
        let mut lexer = Lexer::new(self.bytes, at);
        let header = (lexer.token(), lexer.token(), lexer.token());
        self.spend(lexer.at.saturating_sub(at))?;
        match (header, lexer.token()) {
            (
                (Some(PdfToken::Number(found)), Some(_), Some(PdfToken::Word(b"obj"))),
                Some(PdfToken::Number(length)),
            ) if found == f64::from(number) && length >= 0.0 => Ok(Some(length as usize)),
            _ => Ok(None),
        }
    }

    /// The object with its strings decrypted.
    fn decrypted(&self, object: Object, id: (u32, u16)) -> Object {
        match &self.crypt {
            Some(crypt) => decrypted(object, crypt, id),
            None => object,
        }
    }

    /// The object that a value is or refers to.
    pub(super) fn get(&self, value: &Object) -> Result<Object, ReadError> {
        let mut value = value.clone();
        for _ in 0..HOPS {
            let Object::Ref(number) = value else {
                return Ok(value);
            };
            value = self.numbered(number)?;
        }
        Ok(Object::Null)
    }

    /// The value of a key, or what it refers to.
    pub(super) fn value(&self, dict: &Dict, key: &str) -> Result<Object, ReadError> {
        self.get(dict.get(key))
    }

    fn numbered(&self, number: u32) -> Result<Object, ReadError> {
        if let Some(object) = self.objects.borrow().get(&number) {
            return Ok(object.clone());
        }
        if self.kept.get() > KEPT_TOKENS {
            self.objects.borrow_mut().clear();
            self.kept.set(0);
        }
        let entry = self.entries.borrow().get(&number).copied();
        let mut object = self.at_entry(number, entry)?;
        if object.is_none() && entry.is_some() && !self.is_rebuilt.get() {
            // The table is wrong.
            let (entries, _) = self.rebuilt()?;
            let entry = entries.get(&number).copied();
            self.entries.replace(entries);
            object = self.at_entry(number, entry)?;
        }
        let object = object.unwrap_or_default();
        self.kept.set(self.kept.get() + 1);
        self.objects.borrow_mut().insert(number, object.clone());
        Ok(object)
    }

    fn at_entry(&self, number: u32, entry: Option<FileEntry>) -> Result<Option<Object>, ReadError> {
        match entry {
            None => Ok(None),
            Some(FileEntry::At(at)) => {
                let found = self.object_at(at, Some(number))?;
                Ok(found.map(|(_, object)| object))
            }
            Some(FileEntry::In(stream)) => {
                let Some(stream) = self.object_stream(stream)? else {
                    return Ok(None);
                };
                let Some(start) = stream.starts.get(&number) else {
                    return Ok(None);
                };
                let mut lexer = Lexer::new(&stream.bytes, *start);
                let object = lexer.object().unwrap_or_default();
                self.spend(lexer.at.saturating_sub(*start))?;
                self.kept.set(self.kept.get() + lexer.tokens);
                Ok(Some(object))
            }
        }
    }

    fn object_stream(&self, number: u32) -> Result<Option<Rc<ObjectStream>>, ReadError> {
        let mut kept = self.object_streams.borrow_mut();
        if let Some(at) = kept.iter().position(|(kept, _)| *kept == number) {
            let stream = kept.remove(at);
            kept.push(stream);
            return Ok(kept.last().map(|(_, stream)| stream.clone()));
        }
        drop(kept);
        // Only an object of the file itself can be an object stream: no recursion.
        let entry = self.entries.borrow().get(&number).copied();
        let Some(FileEntry::At(at)) = entry else {
            return Ok(None);
        };
        let Some((_, Object::Stream(stream))) = self.object_at(at, Some(number))? else {
            return Ok(None);
        };
        let bytes = self.unpacked_plain(&stream)?;
        let count = stream.dict.get("N").index().unwrap_or(0);
        let first = stream.dict.get("First").index().unwrap_or(0);
        let mut starts = HashMap::new();
        let mut lexer = Lexer::new(&bytes, 0);
        for _ in 0..count {
            let (Some(PdfToken::Number(number)), Some(PdfToken::Number(offset))) =
                (lexer.token(), lexer.token())
            else {
                break;
            };
            starts.insert(number as u32, first.saturating_add(offset as usize));
        }
        self.spend(lexer.at)?;
        let stream = Rc::new(ObjectStream { bytes, starts });
        let mut kept = self.object_streams.borrow_mut();
        if kept.len() == KEPT_STREAMS {
            kept.remove(0);
        }
        kept.push((number, stream.clone()));
        Ok(Some(stream))
    }

    /// Unpacks a stream whose filters and parameters are written in its dictionary itself.
    fn unpacked_plain(&self, stream: &Stream) -> Result<Vec<u8>, ReadError> {
        let list = |value: &Object| match value {
            Object::Array(values) => values.as_ref().clone(),
            Object::Null => Vec::new(),
            value => vec![value.clone()],
        };
        let filters = list(stream.dict.get("Filter"));
        let parameters = list(stream.dict.get("DecodeParms"));
        let unpacked = self.unpacked_with(stream, &filters, &parameters, self.left.get())?;
        Ok(unpacked.unwrap_or_default())
    }

    /// Unpacks a stream, `None` if it is an image.
    pub(super) fn unpacked(&self, stream: &Stream) -> Result<Option<Vec<u8>>, ReadError> {
        self.unpacked_up_to(stream, usize::MAX)
    }

    /// Unpacks about as much of a stream as is needed.
    pub(super) fn unpacked_up_to(
        &self,
        stream: &Stream,
        most: usize,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let list = |long: &str, short: &str| {
            let value = self.value(&stream.dict, long)?;
            let value = match value {
                Object::Null => self.value(&stream.dict, short)?,
                value => value,
            };
            match value {
                Object::Array(values) => {
                    values.iter().take(8).map(|value| self.get(value)).collect()
                }
                Object::Null => Ok(Vec::new()),
                value => Ok(vec![value]),
            }
        };
        let filters = list("Filter", "F")?;
        let parameters = list("DecodeParms", "DP")?;
        self.unpacked_with(stream, &filters, &parameters, most)
    }

    fn unpacked_with(
        &self,
        stream: &Stream,
        filters: &[Object],
        parameters: &[Object],
        most: usize,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let packed = self.bytes.get(stream.start..stream.end).unwrap_or_default();
        self.spend(packed.len())?;
        let is_plain = stream.dict.is_type("XRef")
            || stream.dict.is_type("Metadata")
                && self
                    .crypt
                    .as_ref()
                    .is_some_and(|crypt| !crypt.encrypts_metadata)
            || filters
                .first()
                .is_some_and(|filter| filter.name() == Some(b"Crypt"));
        let mut bytes = match &self.crypt {
            Some(crypt) if !is_plain => crypt.stream(packed, stream.id),
            _ => packed.to_vec(),
        };
        for (at, filter) in filters.iter().take(8).enumerate() {
            let none = Dict::default();
            let parameters = parameters.get(at).and_then(Object::dict).unwrap_or(&none);
            let most = most.min(self.left.get());
            let name = filter.name().unwrap_or_default();
            let Some(unpacked) = unpack(name, &bytes, parameters, most) else {
                return Ok(None);
            };
            self.take(unpacked.len())?;
            bytes = unpacked;
        }
        Ok(Some(bytes))
    }

    /// The numbers of all objects of a type, in their order.
    pub(super) fn all_of_type(&self, name: &str) -> Result<Vec<u32>, ReadError> {
        let mut numbers: Vec<u32> = self.entries.borrow().keys().copied().collect();
        numbers.sort_unstable();
        let mut found = Vec::new();
        for number in numbers {
            let object = self.numbered(number)?;
            if object.dict().is_some_and(|dict| dict.is_type(name)) {
                found.push(number);
            }
        }
        Ok(found)
    }
}

impl Table {
    /// Tables are read from the newest to the oldest: what is known already stays.
    fn add(&mut self, number: u32, entry: FileEntry) {
        if !self.free.contains(&number) && entry != FileEntry::At(0) {
            self.entries.entry(number).or_insert(entry);
        }
    }

    fn remove(&mut self, number: u32) {
        if !self.entries.contains_key(&number) {
            self.free.insert(number);
        }
    }
}

/// The object with its strings decrypted. Objects are nested no deeper than they are read.
fn decrypted(object: Object, crypt: &Crypt, id: (u32, u16)) -> Object {
    match object {
        Object::String(string) => Object::String(crypt.string(&string, id).into()),
        Object::Array(values) => {
            let values = values.iter().cloned();
            let values = values.map(|value| decrypted(value, crypt, id));
            Object::Array(Rc::new(values.collect()))
        }
        Object::Dict(dict) => {
            let mut dict = dict.as_ref().clone();
            for value in dict.values_mut() {
                *value = decrypted(std::mem::take(value), crypt, id);
            }
            Object::Dict(Rc::new(dict))
        }
        object => object,
    }
}

pub(super) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn find_last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .rposition(|window| window == wanted)
}

/// The first of two words, and whether it is the second one.
fn first_of_two(bytes: &[u8], first: &[u8], second: &[u8]) -> Option<(usize, bool)> {
    (0..bytes.len()).find_map(|at| {
        let rest = bytes.get(at..)?;
        match rest.first()? {
            byte if *byte == first[0] && rest.starts_with(first) => Some((at, false)),
            byte if *byte == second[0] && rest.starts_with(second) => Some((at, true)),
            _ => None,
        }
    })
}
