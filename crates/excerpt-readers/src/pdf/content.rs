//! What a page shows: the operators of its content, up to pieces of text with their positions.
//! ISO 32000-1, 8.4, 9.4 and 14.6.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::file::File;
use super::font::Font;
use super::matrix::{Matrix, length};
use super::metadata::text_string;
use super::object::{Dict, Lexer, Object, PdfToken, Stream, is_space};
use super::piece::{Piece, accent_over, push_plain};
use crate::reader::ReadError;

/// How deep forms may be nested.
const DEEPEST_FORM: usize = 12;

/// How often forms may be shown on a page, and in a file: some thousand times more than real pages
/// do. Forms that show others would multiply without end.
const MOST_FORMS: usize = 10_000;
const MOST_FORMS_OF_FILE: usize = 30 * MOST_FORMS;

/// How many graphics states may be saved, as in the limits of the specification.
const MOST_STATES: usize = 512;

/// How many operands of an operator are kept.
const MOST_OPERANDS: usize = 64;

/// How many fonts are kept.
const KEPT_FONTS: usize = 256;

/// How many glyphs a page may have: some hundred dense pages.
const MOST_GLYPHS: usize = 1 << 20;

/// From this part of the size of the letters, a gap separates words.
const WORD_GAP: f64 = 0.13;

/// From this part of the size of the letters, a gap separates pieces: cells or columns.
const PIECE_GAP: f64 = 0.9;

/// The most that letters are spaced, as a part of their size; more is a gap.
const MOST_SPACING: f64 = 0.5;

/// How many glyphs of a string are spaced for it to be letters and not words: programs that know
/// only where each glyph is write a gap as the spacing between two.
const SPACED_GLYPHS: usize = 3;

/// What an annotation looks like: the value of a field, or a note on the page.
#[derive(Debug)]
pub(super) struct Appearance {
    pub(super) form: Rc<Stream>,
    /// Where its form is put.
    pub(super) offset: [f64; 2],
}

#[derive(Clone, Debug)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    spacing: f64,
    word_spacing: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

/// What a mark of content began.
#[derive(Debug)]
enum Mark {
    Other,
    /// A header or a footer, which is not shown.
    Pagination,
    /// What follows stands for this text.
    Text {
        text: String,
        shown: bool,
    },
}

/// A content stream that is being run.
struct Frame {
    bytes: Rc<Vec<u8>>,
    at: usize,
    resources: Rc<Dict>,
    /// How many states were saved outside.
    states: usize,
    marks: usize,
    is_form: bool,
    form: Option<u32>,
}

impl Frame {
    /// How many states it must leave: those outside, and the one it begins with.
    fn floor(&self) -> usize {
        self.states + usize::from(self.is_form)
    }
}

/// Runs the contents of pages.
#[derive(Debug)]
pub(super) struct Interpreter<'f, 'b> {
    file: &'f File<'b>,
    fonts: HashMap<u32, Rc<Font>>,
    /// Forms without text and without forms.
    textless: HashSet<u32>,
    pieces: Vec<Piece>,
    glyphs: usize,
    /// How often forms were shown on the page, and on all pages before it.
    forms: usize,
    forms_before: usize,
    /// The area that is seen: left, bottom, right, top.
    area: [f64; 4],
    state: State,
    states: Vec<State>,
    /// How many of them a form must leave.
    floor: usize,
    text_matrix: Matrix,
    line_matrix: Matrix,
    marks: Vec<Mark>,
    hidden: usize,
    /// Which of the marks is the one of a text, if there is one.
    text_mark: Option<usize>,
    /// The piece that may go on.
    open: Option<Piece>,
    /// Whether a space was shown after it.
    is_spaced: bool,
    /// How many spaces were shown.
    spaces: usize,
    /// Where the last accent or letter began, to put one on the other.
    last_start: f64,
    /// The spacing of letters (operator `Tc`) in the string that is shown, in units of text.
    letter_spacing: f64,
    /// The same after the last letter, on the page.
    last_spacing: f64,
}

impl Default for State {
    fn default() -> Self {
        State {
            matrix: Matrix::UNIT,
            font: None,
            size: 1.0,
            spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

impl<'f, 'b> Interpreter<'f, 'b> {
    pub(super) fn new(file: &'f File<'b>) -> Self {
        Interpreter {
            file,
            fonts: HashMap::new(),
            textless: HashSet::new(),
            pieces: Vec::new(),
            glyphs: 0,
            forms: 0,
            forms_before: 0,
            area: [0.0; 4],
            state: State::default(),
            states: Vec::new(),
            floor: 0,
            text_matrix: Matrix::UNIT,
            line_matrix: Matrix::UNIT,
            marks: Vec::new(),
            hidden: 0,
            text_mark: None,
            open: None,
            is_spaced: false,
            spaces: 0,
            last_start: 0.0,
            letter_spacing: 0.0,
            last_spacing: 0.0,
        }
    }

    /// The pieces of text that a page shows.
    pub(super) fn pieces(
        &mut self,
        content: Vec<u8>,
        resources: &Dict,
        area: [f64; 4],
        annotations: Vec<Appearance>,
    ) -> Result<Vec<Piece>, ReadError> {
        self.area = area;
        self.state = State::default();
        self.states.clear();
        self.marks.clear();
        self.hidden = 0;
        self.text_mark = None;
        self.glyphs = 0;
        self.forms_before += std::mem::take(&mut self.forms);
        let resources = Rc::new(resources.clone());
        self.run_all(vec![Frame {
            bytes: Rc::new(content),
            at: 0,
            resources: resources.clone(),
            states: 0,
            marks: 0,
            is_form: false,
            form: None,
        }])?;
        for annotation in annotations {
            self.states.clear();
            self.marks.clear();
            self.hidden = 0;
            self.text_mark = None;
            self.state = State::default();
            let [x, y] = annotation.offset;
            self.state.matrix = Matrix([1.0, 0.0, 0.0, 1.0, x, y]);
            let frame = self.frame_of(None, &annotation.form, &resources)?;
            self.run_all(frame.into_iter().collect())?;
        }
        self.flush();
        Ok(std::mem::take(&mut self.pieces))
    }

    /// Runs content, and the forms that it shows.
    fn run_all(&mut self, mut frames: Vec<Frame>) -> Result<(), ReadError> {
        while let Some(frame) = frames.last_mut() {
            let bytes = frame.bytes.clone();
            let mut lexer = Lexer::new(&bytes, frame.at);
            let resources = frame.resources.clone();
            let outer = (frame.states, frame.marks);
            self.floor = frame.floor();
            let form = self.run(&mut lexer, &resources)?;
            frame.at = lexer.at;
            match form {
                Some((number, form)) => {
                    let is_running = frames
                        .iter()
                        .any(|frame| frame.form == number && number.is_some());
                    if frames.len() < DEEPEST_FORM && !is_running {
                        frames.extend(self.frame_of(number, &form, &resources)?);
                    }
                }
                None => {
                    if frames.pop().is_some_and(|frame| frame.is_form) {
                        self.states.truncate(outer.0 + 1);
                        self.restore();
                        while self.marks.len() > outer.1 {
                            self.end_mark();
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn frame_of(
        &mut self,
        number: Option<u32>,
        form: &Stream,
        outer: &Rc<Dict>,
    ) -> Result<Option<Frame>, ReadError> {
        if number.is_some_and(|number| self.textless.contains(&number)) {
            return Ok(None);
        }
        if self.forms >= MOST_FORMS || self.forms_before + self.forms >= MOST_FORMS_OF_FILE {
            return Ok(None);
        }
        self.forms += 1;
        let Some(bytes) = self.file.unpacked(form)? else {
            return Ok(None);
        };
        if !has_text(&bytes) {
            self.textless.extend(number);
            return Ok(None);
        }
        let resources = match self.file.value(&form.dict, "Resources")? {
            Object::Dict(resources) => resources,
            _ => outer.clone(),
        };
        let states = self.states.len();
        let marks = self.marks.len();
        self.states.push(self.state.clone());
        let matrix = self.file.value(&form.dict, "Matrix")?;
        if let Some(matrix) = matrix.array().and_then(Matrix::read) {
            self.state.matrix = matrix.then(self.state.matrix);
        }
        Ok(Some(Frame {
            bytes: Rc::new(bytes),
            at: 0,
            resources,
            states,
            marks,
            is_form: true,
            form: number,
        }))
    }

    fn restore(&mut self) {
        if let Some(state) = self.states.pop() {
            self.state = state;
        }
    }

    /// Runs operators up to one that shows a form, or to the end.
    #[expect(clippy::type_complexity, reason = "a form and its number, once")]
    fn run(
        &mut self,
        lexer: &mut Lexer<'_>,
        resources: &Dict,
    ) -> Result<Option<(Option<u32>, Rc<Stream>)>, ReadError> {
        let mut operands: Vec<Object> = Vec::new();
        let mut fonts: HashMap<Rc<[u8]>, Rc<Font>> = HashMap::new();
        let mut count = 0_usize;
        while let Some(token) = lexer.token() {
            let operator = match token {
                PdfToken::Word(b"true" | b"false" | b"null") => continue,
                PdfToken::Word(operator) => operator,
                token => {
                    // Too many operands, or a mark that closes nothing, are skipped.
                    if let Some(operand) = lexer.object_from(token)
                        && operands.len() < MOST_OPERANDS
                    {
                        operands.push(operand);
                    }
                    continue;
                }
            };
            count += 1;
            if count.is_multiple_of(4096) {
                self.file.limits.check()?;
            }
            match operator {
                b"Do" => {
                    let objects = self.file.value(resources, "XObject")?;
                    let name = operands.last().and_then(Object::name);
                    let form = match (objects.dict(), name) {
                        (Some(objects), Some(name)) => objects.named(name).clone(),
                        _ => Object::Null,
                    };
                    let number = match form {
                        Object::Ref(number) => Some(number),
                        _ => None,
                    };
                    if number.is_none_or(|number| !self.textless.contains(&number))
                        && let Object::Stream(form) = self.file.get(&form)?
                    {
                        let kind = self.file.value(&form.dict, "Subtype")?;
                        if kind.name() == Some(b"Form") {
                            return Ok(Some((number, form)));
                        }
                    }
                }
                b"Tf" => {
                    if let [.., Object::Name(name), Object::Number(size)] = &operands[..] {
                        self.state.size = *size;
                        self.state.font = match fonts.get(name) {
                            Some(font) => Some(font.clone()),
                            None => {
                                let font = self.font(resources, name)?;
                                if let Some(font) = &font
                                    && fonts.len() < KEPT_FONTS
                                {
                                    fonts.insert(name.clone(), font.clone());
                                }
                                font
                            }
                        };
                    }
                }
                b"BI" => skip_image(lexer),
                b"BDC" | b"BMC" => self.begin_mark(&operands, resources)?,
                b"EMC" => self.end_mark(),
                _ => self.operator(operator, &operands)?,
            }
            operands.clear();
        }
        Ok(None)
    }

    fn operator(&mut self, operator: &[u8], operands: &[Object]) -> Result<(), ReadError> {
        let number = |at: usize| operands.get(at).and_then(Object::number).unwrap_or(0.0);
        match operator {
            b"q" if self.states.len() < MOST_STATES => self.states.push(self.state.clone()),
            b"Q" if self.states.len() > self.floor => self.restore(),
            b"cm" => {
                if let Some(matrix) = Matrix::read(operands) {
                    self.state.matrix = matrix.then(self.state.matrix);
                }
            }
            b"BT" => {
                self.text_matrix = Matrix::UNIT;
                self.line_matrix = Matrix::UNIT;
            }
            b"Tm" => {
                if let Some(matrix) = Matrix::read(operands) {
                    self.text_matrix = matrix;
                    self.line_matrix = matrix;
                }
            }
            b"Td" => self.next_line(number(0), number(1)),
            b"TD" => {
                self.state.leading = -number(1);
                self.next_line(number(0), number(1));
            }
            b"T*" => self.next_line(0.0, -self.state.leading),
            b"Tc" => self.state.spacing = number(0),
            b"Tw" => self.state.word_spacing = number(0),
            b"Tz" => self.state.scale = number(0) / 100.0,
            b"TL" => self.state.leading = number(0),
            b"Ts" => self.state.rise = number(0),
            b"Tj" => self.show(operands.last())?,
            b"'" => {
                self.next_line(0.0, -self.state.leading);
                self.show(operands.last())?;
            }
            b"\"" => {
                self.state.word_spacing = number(0);
                self.state.spacing = number(1);
                self.next_line(0.0, -self.state.leading);
                self.show(operands.last())?;
            }
            b"TJ" => {
                for item in operands.last().and_then(Object::array).unwrap_or_default() {
                    match item {
                        Object::Number(back) => {
                            let back = -back / 1000.0 * self.state.size;
                            self.advance(back);
                        }
                        item => self.show(Some(item))?,
                    }
                }
            }
            _ => (),
        }
        Ok(())
    }

    fn next_line(&mut self, x: f64, y: f64) {
        let offset = Matrix([1.0, 0.0, 0.0, 1.0, x, y]);
        self.line_matrix = offset.then(self.line_matrix);
        self.text_matrix = self.line_matrix;
    }

    fn advance(&mut self, by: f64) {
        let is_vertical = self
            .state
            .font
            .as_ref()
            .is_some_and(|font| font.is_vertical);
        let (x, y) = match is_vertical {
            true => (0.0, by),
            false => (by * self.state.scale, 0.0),
        };
        self.text_matrix = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.text_matrix);
    }

    fn font(&mut self, resources: &Dict, name: &[u8]) -> Result<Option<Rc<Font>>, ReadError> {
        let fonts = self.file.value(resources, "Font")?;
        let font = match fonts.dict() {
            Some(fonts) => fonts.named(name).clone(),
            None => return Ok(None),
        };
        if let Object::Ref(number) = font
            && let Some(font) = self.fonts.get(&number)
        {
            return Ok(Some(font.clone()));
        }
        let Object::Dict(dict) = self.file.get(&font)? else {
            return Ok(None);
        };
        let read = Rc::new(Font::read(self.file, &dict)?);
        if let Object::Ref(number) = font {
            if self.fonts.len() == KEPT_FONTS {
                self.fonts.clear();
            }
            self.fonts.insert(number, read.clone());
        }
        Ok(Some(read))
    }

    fn begin_mark(&mut self, operands: &[Object], resources: &Dict) -> Result<(), ReadError> {
        let mut mark = Mark::Other;
        if let [Object::Name(tag), properties] = operands {
            let properties = match properties {
                Object::Name(name) => {
                    let all = self.file.value(resources, "Properties")?;
                    let named = all
                        .dict()
                        .map(|all| self.file.value(all, &String::from_utf8_lossy(name)));
                    named.transpose()?.unwrap_or_default()
                }
                properties => properties.clone(),
            };
            if let Some(properties) = properties.dict() {
                let kind = properties.get("Type").name();
                if tag.as_ref() == b"Artifact" && kind == Some(b"Pagination") {
                    mark = Mark::Pagination;
                } else if let Object::String(text) = self.file.value(properties, "ActualText")?
                    && self.text_mark.is_none()
                {
                    self.flush();
                    let text = text_string(&text);
                    mark = Mark::Text { text, shown: false };
                }
            }
        }
        if self.marks.len() < MOST_STATES {
            match mark {
                Mark::Pagination => self.hidden += 1,
                Mark::Text { .. } => self.text_mark = Some(self.marks.len()),
                Mark::Other => (),
            }
            self.marks.push(mark);
        }
        Ok(())
    }

    fn end_mark(&mut self) {
        match self.marks.pop() {
            Some(Mark::Pagination) => self.hidden = self.hidden.saturating_sub(1),
            Some(Mark::Text { shown, .. }) => {
                self.text_mark = None;
                if shown {
                    self.flush();
                }
            }
            _ => (),
        }
    }

    fn show(&mut self, string: Option<&Object>) -> Result<(), ReadError> {
        let Some(Object::String(string)) = string else {
            return Ok(());
        };
        let Some(font) = self.state.font.clone() else {
            return Ok(());
        };
        let mut rest = &string[..];
        let mut text = String::new();
        let is_spaced = self.state.spacing > 0.0 && font.has_glyphs(rest, SPACED_GLYPHS);
        self.letter_spacing = if is_spaced { self.state.spacing } else { 0.0 };
        while !rest.is_empty() {
            text.clear();
            let (glyph, length) = font.next(rest, &mut text);
            rest = rest.get(length..).unwrap_or_default();
            self.glyphs += 1;
            if self.glyphs > MOST_GLYPHS {
                return Err(ReadError::TooLarge {
                    what: "text of a page",
                    limit: MOST_GLYPHS,
                });
            }
            let mut by = glyph.width * self.state.size + self.state.spacing;
            if glyph.is_space {
                by += self.state.word_spacing;
            }
            if self.hidden == 0 {
                self.place(&font, &text, glyph.width * self.state.size);
            }
            self.advance(by);
        }
        Ok(())
    }

    /// Puts a glyph on the page.
    fn place(&mut self, font: &Font, text: &str, width: f64) {
        let state = &self.state;
        let rise = Matrix([state.scale, 0.0, 0.0, 1.0, 0.0, state.rise]);
        let Matrix([a, b, c, d, e, f]) = rise.then(self.text_matrix).then(state.matrix);
        let along = if font.is_vertical { (-c, -d) } else { (a, b) };
        let stretch = length(along);
        let height = if font.is_vertical {
            length((a, b))
        } else {
            length((c, d))
        };
        let size = (state.size * font.em * height).abs();
        let is_fine = |number: f64| number.is_finite() && number.abs() < 1e6;
        if !(is_fine(e) && is_fine(f) && is_fine(size) && is_fine(stretch * width))
            || size < 1e-3
            || stretch < 1e-9
        {
            return;
        }
        let [left, bottom, right, top] = self.area;
        if e < left - size || e > right + size || f < bottom - size || f > top + size {
            return;
        }
        // Text that is written backwards by a negative size goes on to the left.
        let sign = if state.size < 0.0 { -1.0 } else { 1.0 };
        let (ux, uy) = (sign * along.0 / stretch, sign * along.1 / stretch);
        let angle = uy.atan2(ux).to_degrees().round() as i16;
        let angle = if angle == -180 { 180 } else { angle };
        let start = e * ux + f * uy;
        let glyph = Piece {
            text: String::new(),
            left: start,
            right: start + (width * stretch).abs(),
            baseline: f * ux - e * uy,
            size,
            angle,
            is_bold: font.is_bold,
            is_monospaced: font.is_monospaced,
        };
        let spacing = (self.letter_spacing * stretch).clamp(0.0, MOST_SPACING * size);
        self.add(glyph, text);
        self.last_spacing = spacing;
    }

    fn add(&mut self, glyph: Piece, text: &str) {
        let mark = self.text_mark.and_then(|at| self.marks.get_mut(at));
        if let Some(Mark::Text { text: whole, shown }) = mark {
            // All of the text stands where its first glyph is, and reaches to the last one.
            match (*shown, &mut self.open) {
                (true, Some(open)) => {
                    if (open.baseline - glyph.baseline).abs() < open.size
                        && glyph.right > open.right
                    {
                        open.right = glyph.right;
                    }
                    return;
                }
                (true, None) => return,
                (false, _) => {
                    *shown = true;
                    let whole = whole.clone();
                    self.append(glyph, &whole);
                    return;
                }
            }
        }
        self.append(glyph, text);
    }

    fn append(&mut self, mut glyph: Piece, text: &str) {
        let is_blank = text.chars().all(|c| c.is_whitespace() || c == '\u{200b}');
        if is_blank {
            self.is_spaced |= !text.is_empty();
            self.spaces += text.chars().count();
            return;
        }
        if let Some(open) = &mut self.open {
            let gap = glyph.left - open.right;
            let size = open.size.max(glyph.size);
            let is_same_line = open.angle == glyph.angle
                && (open.baseline - glyph.baseline).abs() < 0.05 * size
                && open.size.min(glyph.size) > 0.8 * size;
            if is_same_line && accent_over(open, &glyph, text, self.last_start) {
                self.last_start = glyph.left;
                return;
            }
            let most = match (self.is_spaced, open.is_monospaced && glyph.is_monospaced) {
                (true, true) => 60.0 * size,
                (true, false) => 1.5 * size,
                (false, _) => PIECE_GAP * size,
            };
            // The size of a piece is that of its letters: a smaller bullet does not give its own.
            let is_apart = gap - self.last_spacing > WORD_GAP * size;
            let is_word = is_apart || (self.is_spaced && gap > 0.0);
            let is_same_size = (open.size - glyph.size).abs() < 0.05 * size;
            if is_same_line
                && gap > -0.4 * size
                && gap < most
                && (is_same_size || !is_word)
                && open.text.len() < 1 << 16
            {
                if open.is_monospaced && self.spaces > 1 {
                    open.text
                        .extend(std::iter::repeat_n(' ', self.spaces.min(80)));
                } else if is_word {
                    open.text.push(' ');
                }
                push_plain(&mut open.text, text);
                open.right = open.right.max(glyph.right);
                open.is_bold &= glyph.is_bold;
                open.is_monospaced &= glyph.is_monospaced;
                self.last_start = glyph.left;
                self.is_spaced = false;
                self.spaces = 0;
                return;
            }
        }
        self.flush();
        self.last_start = glyph.left;
        push_plain(&mut glyph.text, text);
        self.open = Some(glyph);
    }

    fn flush(&mut self) {
        self.is_spaced = false;
        self.spaces = 0;
        if let Some(piece) = self.open.take()
            && !piece.text.is_empty()
        {
            self.pieces.push(piece);
        }
    }
}

/// Whether content shows text or forms.
fn has_text(content: &[u8]) -> bool {
    let ends = |at: usize| {
        content
            .get(at)
            .is_none_or(|byte| !byte.is_ascii_alphabetic())
    };
    (0..content.len()).any(|at| match content.get(at..at + 2) {
        Some(b"Tj" | b"TJ" | b"Do") => ends(at + 2),
        _ => matches!(content.get(at), Some(b'\'' | b'"')),
    })
}

/// Skips an image that is in the content itself.
fn skip_image(lexer: &mut Lexer<'_>) {
    while let Some(token) = lexer.token() {
        if token == PdfToken::Word(b"ID") {
            break;
        }
    }
    let mut at = lexer.at + 1;
    while let Some(rest) = lexer.bytes.get(at..) {
        let Some(found) = super::file::find(rest, b"EI") else {
            lexer.at = lexer.bytes.len();
            return;
        };
        let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
        let before = rest
            .get(found.wrapping_sub(1))
            .is_none_or(|byte| is_space(*byte));
        let after = rest.get(found + 2..).unwrap_or_default();
        if before
            && after.first().is_none_or(|byte| is_space(*byte))
            && after.iter().take(8).all(is_text)
        {
            lexer.at = at + found + 2;
            return;
        }
        at += found + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_in_the_content_is_skipped() {
        for (content, rest) in [
            (&b"/W 1 ID \x00EI\xff\x01EI \x80 EI Q"[..], &b" Q"[..]),
            (b"/W 1 ID \n EI Q", b" Q"),
            (b"/W 1 ID abc", b""),
        ] {
            let mut lexer = Lexer::new(content, 0);
            skip_image(&mut lexer);
            assert_eq!(&content[lexer.at..], rest);
        }
    }
}
