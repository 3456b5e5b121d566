//! From a syntax tree to an outline: one walk with a cursor, without recursion, guided by what is known of the language.
//!
//! Each node is asked once what it means. What is small enough is a leaf; a definition that holds others, and whatever is larger than
//! what may stand alone, is opened. What has been opened is a [`Sequence`] of children in the outline; a [`Level`] is a node of the tree whose
//! children are being walked. Many levels may feed one sequence: what stands around a body is of no interest.
//!
//! Why tables and no queries, in milliseconds:
//!
//! | | parse | query of a dozen patterns | walk over all nodes | walk that leaves out what is small |
//! | --- | --- | --- | --- | --- |
//! | 8 MB of Rust | 710 | 360 | 170 | 30 |
//! | 8 MB of Python | 730 | 280 | 160 | 10 |
//! | 4.3 MB of TypeScript | 170 | 90 | 40 | 10 |

use std::ops::Range;

use excerpt_chunk::{Kind, OutlineBuilder};
use tree_sitter::{Node, Tree};

use crate::gap::{Gap, Lines};
use crate::imports;
use crate::knowledge::{Definition, Knowledge, Meant, Role};
use crate::label::{self, Facts};

/// How deep nodes of the tree are opened. Deeper ones are leaves, however large.
const DEEPEST: usize = 200;
/// How many wrappers may stand around a definition, and how far its body is looked for.
const WRAPPED: usize = 8;
/// How many children of a wrapper are looked at for the definition in it.
const IN_WRAPPER: usize = 16;
/// A line is long if it has more bytes than this, and than what may stand alone: it is parted inside.
const LONG_LINE: usize = 200;
/// How large a signature may be, in bytes. What is longer is not one, but data before a body.
const LONGEST_SIGNATURE: usize = 2_000;

/// A text in another language inside the one that is walked.
pub(crate) struct Inner<'a> {
    pub(crate) tree: Tree,
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) line_comment: &'a str,
}

/// Parses a part of the text in the language that is named.
pub(crate) type ReadInner<'a> = &'a dyn Fn(&str, Range<usize>) -> Option<Inner<'a>>;

/// Fills `builder` from a tree.
pub(crate) struct Walk<'a, 'b, 'text> {
    pub(crate) text: &'text str,
    /// Where the text begins: behind a byte order mark.
    pub(crate) start: usize,
    pub(crate) detail: usize,
    pub(crate) knowledge: &'a Knowledge,
    /// What begins a comment that ends with its line; empty if there is none.
    pub(crate) line_comment: &'a str,
    pub(crate) inner: ReadInner<'a>,
    pub(crate) builder: &'b mut OutlineBuilder<'text>,
}

/// A node of the tree whose children are walked.
#[derive(Clone, Copy)]
struct Level {
    /// The number of its kind.
    kind: u16,
    bytes: (usize, usize),
    /// Whether its named children are members or statements, each a node of its own.
    members: bool,
    /// How many nodes of the outline end with it: a definition behind its comments is a node in a node.
    closes: u8,
    /// Where the body begins: what stands before is the header, and one piece. 0 without.
    header_until: usize,
    /// The definition that has already been opened with a wrapper around it.
    defined: usize,
    /// Whether it is inside a function, where variables are no definitions.
    local: bool,
    /// What the innermost definition around is.
    scope: Kind,
    /// Whether no child has been seen.
    first: bool,
    /// How many named children have been seen.
    index: usize,
}

/// The children of an opened node of the outline.
#[derive(Default)]
struct Sequence {
    /// How many bytes it is over.
    size: usize,
    /// Whether it has a child.
    begun: bool,
    /// Whether the last child is a piece that goes on until its line ends.
    piece: bool,
    /// Whether the last child is a run of imports.
    imports: bool,
    /// Whether the next child belongs to the last.
    glue: bool,
    /// Comments and attributes that wait for what they belong to.
    waiting: Vec<Waiting>,
    /// The levels of the sections that are open in it.
    sections: Vec<u8>,
}

/// A comment or an attribute.
struct Waiting {
    /// From the start of its line, if nothing stands before it.
    bytes: Range<usize>,
    /// How many line feeds stand before it.
    newlines: usize,
    attribute: bool,
    /// Whether it belongs to nothing that follows.
    apart: bool,
}

/// A node of the tree with where it stands.
#[derive(Clone, Copy)]
struct Found<'tree> {
    node: Node<'tree>,
    start: usize,
    end: usize,
    gap: Gap,
}

/// The body of a definition.
struct Body<'tree> {
    node: Node<'tree>,
    /// Where what is written before it ends, comments aside.
    header: usize,
}

/// What the walk remembers.
struct State {
    levels: Vec<Level>,
    sequences: Vec<Sequence>,
    lines: Lines,
    /// The gap last asked for.
    gap: (usize, Gap),
    /// The line of a closing bracket with more behind it, such as `} else {`: the start of what follows, and whether that is glued.
    held: Option<(usize, bool)>,
}

impl State {
    fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn sequence(&mut self) -> &mut Sequence {
        let last = self.sequences.len() - 1;
        &mut self.sequences[last]
    }
}

impl<'a> Walk<'a, '_, '_> {
    /// Walks all below `root`.
    pub(crate) fn run(&mut self, root: Node<'_>) {
        let mut state = State {
            levels: vec![Level {
                kind: root.kind_id(),
                bytes: (root.start_byte(), root.end_byte()),
                members: true,
                closes: 1,
                header_until: 0,
                defined: 0,
                local: false,
                scope: Kind::Document,
                first: true,
                index: 0,
            }],
            sequences: vec![Sequence {
                size: self.text.len(),
                ..Sequence::default()
            }],
            lines: Lines::default(),
            gap: (usize::MAX, Gap::before(self.text, self.start, self.start)),
            held: None,
        };
        let mut cursor = root.walk();
        let mut below = cursor.goto_first_child();
        while below {
            if self.node(&mut state, cursor.node()) {
                if cursor.goto_first_child() {
                    continue;
                }
                self.leave(&mut state);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || state.levels.len() == 1 {
                    below = false;
                    break;
                }
                self.leave(&mut state);
            }
        }
        while !state.levels.is_empty() {
            let document = state.levels.len() == 1;
            self.flush(&mut state);
            self.end_run(&mut state);
            if document {
                while state.sequence().sections.pop().is_some() {
                    self.builder.close(self.text.len());
                }
                break;
            }
            self.leave(&mut state);
        }
    }

    /// Takes in a node; whether its children are to be walked, for which a level has been pushed.
    fn node(&mut self, state: &mut State, node: Node<'_>) -> bool {
        let start = node.start_byte().max(self.start);
        let end = node.end_byte();
        if end <= start {
            return false;
        }
        let first = std::mem::replace(&mut state.level().first, false);
        let named = node.is_named();
        let level = *state.level();
        if named {
            state.level().index += 1;
        }
        if state.gap.0 != start {
            state.gap = (start, Gap::before(self.text, self.start, start));
        }
        let found = Found {
            node,
            start,
            end,
            gap: state.gap.1,
        };
        let meaning = match node.id() == level.defined {
            true => Meant::Role(Role::Splice),
            false => self.knowledge.meaning(node, level.kind, self.text),
        };
        match meaning {
            Meant::Role(Role::Comment) => {
                self.comment(state, found);
                return false;
            }
            Meant::Role(Role::Attribute) => {
                self.wait(state, found, true);
                return false;
            }
            _ => {}
        }
        if start < level.header_until {
            if end > level.header_until {
                return self.splice(state, found, false);
            }
            self.content(state, found, true);
            return false;
        }
        match meaning {
            Meant::Definition(definition) => self.define(state, found, node, definition),
            Meant::Role(Role::Wrapper) => match self.wrapped(node) {
                Some((inner, definition)) => self.define(state, found, inner, definition),
                None => self.plain(state, found, Role::Plain),
            },
            Meant::Role(Role::Import) if level.members => self.import(state, found),
            Meant::Role(Role::Splice) => self.splice(state, found, level.members),
            Meant::Role(Role::Body) => {
                let sequence = state.sequence();
                sequence.glue = sequence.begun;
                self.splice(state, found, true)
            }
            Meant::Role(Role::Inner) => self.inner_text(state, found),
            Meant::Role(Role::Closer) if found.gap.newlines > 0 && !first => {
                self.closer(state, found);
                false
            }
            Meant::Role(role) if named => self.plain(state, found, role),
            Meant::Role(_) => {
                self.token(state, found, first);
                false
            }
        }
    }

    /// Keeps a comment for what follows, unless it belongs to what stands before it on its line.
    fn comment(&mut self, state: &mut State, found: Found<'_>) {
        if found.gap.newlines > 0 {
            self.wait(state, found, false);
        }
    }

    fn wait(&mut self, state: &mut State, found: Found<'_>, attribute: bool) {
        let text = &self.text[found.start..found.end];
        let apart = self.knowledge.apart.iter();
        let apart = !attribute && apart.clone().any(|prefix| text.starts_with(&**prefix));
        state.sequence().waiting.push(Waiting {
            bytes: found.gap.line..found.end,
            newlines: found.gap.newlines,
            attribute,
            apart,
        });
    }

    /// A bracket, a keyword, a separator.
    fn token(&mut self, state: &mut State, found: Found<'_>, first: bool) {
        let word = &self.text[found.start..found.end];
        let level = *state.level();
        let opens = first
            && matches!(
                word,
                "{" | "(" | "[" | "do" | "then" | "begin" | "{|" | "do |"
            );
        if opens {
            let joined = matches!(word, "{" | "do" | "then" | "begin");
            let joined = joined && state.sequence().piece;
            self.content(state, found, joined);
            state.sequence().glue = true;
            return;
        }
        let closes = !first
            && found.gap.newlines > 0
            && found.end == level.bytes.1
            && !matches!(word, "," | ";");
        if closes {
            self.closer(state, found);
        } else {
            self.content(state, found, false);
        }
    }

    /// The end of an opened node, on a line of its own.
    fn closer(&mut self, state: &mut State, found: Found<'_>) {
        self.flush(state);
        self.end_run(state);
        let rest = self.text[found.end..].trim_start_matches([' ', '\t', ')', ']', '}', ';', ',']);
        let comment = !self.line_comment.is_empty() && rest.starts_with(self.line_comment);
        if rest.is_empty() || rest.starts_with(['\n', '\r']) || comment || rest.starts_with("/*") {
            let leaf = self
                .builder
                .leaf(Kind::Statement, found.gap.line..found.end);
            if state.sequence().begun {
                self.builder.glue(leaf);
            }
            state.sequence().begun = true;
        } else {
            // `} else {` begins an arm; `}, [a, b]);` goes on.
            let arm = rest.starts_with(char::is_alphabetic);
            state.held = Some((found.gap.line, !arm));
        }
    }

    /// A part of a line: goes on with the piece that is open, or begins one.
    fn content(&mut self, state: &mut State, found: Found<'_>, header: bool) {
        if header && !state.sequence().waiting.is_empty() {
            let waiting = std::mem::take(&mut state.sequence().waiting);
            self.lead(state, waiting);
        }
        let named = found.node.is_named();
        let newline = found.gap.newlines > 0;
        let parts = |walk: &Self, state: &mut State| named && walk.long_line(state, found.start);
        let sequence = state.sequence();
        let begins = !sequence.begun
            || !sequence.waiting.is_empty()
            || (sequence.glue && !sequence.piece && header)
            || state.held.is_some()
            || match header && state.sequence().piece {
                true => false,
                false => newline || parts(self, state),
            };
        if begins {
            self.open(state, Kind::Statement, found.gap.line, found.gap.newlines);
            state.sequence().piece = true;
        } else if named {
            state.sequence().glue = false;
        }
    }

    fn long_line(&self, state: &mut State, at: usize) -> bool {
        state.lines.length_at(self.text, at) > self.detail.max(LONG_LINE)
    }

    /// Opens a node of the outline in the current sequence, from `line` or from the comments and attributes that belong to it, which are
    /// returned.
    fn open(
        &mut self,
        state: &mut State,
        kind: Kind,
        line: usize,
        newlines: usize,
    ) -> (usize, usize, Vec<Waiting>) {
        let sequence = state.sequence();
        let mut waiting = std::mem::take(&mut sequence.waiting);
        let attached = waiting.split_off(attached_from(&waiting, newlines));
        self.end_run(state);
        self.comments(state, &waiting);
        let mut start = attached.first().map_or(line, |first| first.bytes.start);
        let mut glue = std::mem::take(&mut state.sequence().glue);
        if let Some((held, held_glue)) = state.held.take()
            && newlines == 0
        {
            start = held;
            glue |= held_glue;
        }
        // A line that fits is not to be cut.
        let inside = newlines == 0 && state.sequence().begun;
        glue |= inside && start == line && !self.long_line(state, line);
        let index = self.builder.open(kind, start);
        if glue {
            self.builder.glue(index);
        }
        state.sequence().begun = true;
        (index, start, attached)
    }

    /// Writes comments that belong to nothing that follows, each group of lines one node.
    fn comments(&mut self, state: &mut State, comments: &[Waiting]) {
        let groups = comments.chunk_by(|_, next| next.newlines < 2);
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let leaf = self
                .builder
                .leaf(Kind::Comment, first.bytes.start..last.bytes.end);
            let sequence = state.sequence();
            if std::mem::take(&mut sequence.glue) {
                self.builder.glue(leaf);
            }
            sequence.begun = true;
        }
    }

    /// Writes the comments and attributes of a definition as its first children.
    fn lead(&mut self, state: &mut State, attached: Vec<Waiting>) {
        let groups = attached.chunk_by(|one, next| !one.attribute && !next.attribute);
        for group in groups {
            let (Some(first), Some(last)) = (group.first(), group.last()) else {
                continue;
            };
            let kind = match first.attribute {
                true => Kind::Statement,
                false => Kind::Comment,
            };
            let leaf = self.builder.leaf(kind, first.bytes.start..last.bytes.end);
            if state.sequence().begun {
                self.builder.glue(leaf);
            }
            state.sequence().begun = true;
            state.sequence().glue = true;
        }
    }

    /// Writes what waits as comments.
    fn flush(&mut self, state: &mut State) {
        let waiting = std::mem::take(&mut state.sequence().waiting);
        if !waiting.is_empty() {
            self.end_run(state);
            self.comments(state, &waiting);
        }
    }

    /// Closes the piece or the imports that are open.
    fn end_run(&mut self, state: &mut State) {
        let sequence = state.sequence();
        let open = std::mem::take(&mut sequence.piece) | std::mem::take(&mut sequence.imports);
        if open {
            self.builder.close(0);
        }
    }

    /// Leaves the innermost level, and with it the sequence that it owns.
    fn leave(&mut self, state: &mut State) {
        let Some(level) = state.levels.pop() else {
            return;
        };
        if level.closes > 0 && state.sequences.len() > 1 {
            self.flush(state);
            self.end_run(state);
            while state.sequence().sections.pop().is_some() {
                self.builder.close(level.bytes.1);
            }
            for _ in 0..level.closes {
                self.builder.close(level.bytes.1);
            }
            state.sequences.pop();
        }
    }

    /// Goes on with the children of a node in its place.
    fn splice(&mut self, state: &mut State, found: Found<'_>, members: bool) -> bool {
        if state.levels.len() >= DEEPEST || found.node.child_count() == 0 {
            self.leaf(state, found);
            return false;
        }
        let around = *state.level();
        state.levels.push(Level {
            kind: found.node.kind_id(),
            bytes: (found.start, found.end),
            members,
            closes: 0,
            first: true,
            index: 0,
            ..around
        });
        true
    }

    /// A node without children in the outline.
    fn leaf(&mut self, state: &mut State, found: Found<'_>) {
        let alone = state.level().members
            && (found.gap.newlines > 0
                || state.held.is_some()
                || !state.sequence().begun
                || !state.sequence().waiting.is_empty()
                || (!state.sequence().piece && self.parted(found.start))
                || self.long_line(state, found.start));
        if !alone {
            return self.content(state, found, false);
        }
        self.open(state, Kind::Statement, found.gap.line, found.gap.newlines);
        self.builder.close(found.end);
    }

    /// Whether a statement ends before `at` on its line. In what is broken, words follow each other without.
    fn parted(&self, at: usize) -> bool {
        self.text[..at].trim_end().ends_with([';', '}'])
    }

    /// A statement, or a part of one.
    fn plain(&mut self, state: &mut State, found: Found<'_>, role: Role) -> bool {
        let level = *state.level();
        let size = found.end - found.start;
        let shut = state.levels.len() >= DEEPEST || found.node.child_count() == 0;
        if size <= self.detail || shut {
            self.leaf(state, found);
            return false;
        }
        // A part that is most of the whole has no node of its own: its parts stand for it.
        if !level.members && size > state.sequence().size / 2 {
            return self.splice(state, found, false);
        }
        self.open(state, Kind::Statement, found.gap.line, found.gap.newlines);
        self.enter(state, found, level, role == Role::Body);
        true
    }

    /// Begins the children of the node of the outline that has just been opened.
    fn enter(&mut self, state: &mut State, found: Found<'_>, around: Level, members: bool) {
        state.sequences.push(Sequence {
            size: found.end - found.start,
            ..Sequence::default()
        });
        state.levels.push(Level {
            kind: found.node.kind_id(),
            bytes: (found.start, found.end),
            members,
            closes: 1,
            header_until: 0,
            defined: 0,
            first: true,
            index: 0,
            ..around
        });
    }

    fn import(&mut self, state: &mut State, found: Found<'_>) -> bool {
        if state.sequence().imports {
            let waiting = std::mem::take(&mut state.sequence().waiting);
            let first = waiting.first().map(|first| first.bytes.start);
            self.builder
                .open(Kind::Statement, first.unwrap_or(found.gap.line));
        } else {
            self.open(state, Kind::Import, found.gap.line, found.gap.newlines);
            state.sequence().imports = true;
            self.builder.open(Kind::Statement, found.gap.line);
        }
        let names = imports::names(self.knowledge, found.node, self.text);
        let written = self.text[found.start..found.end].trim_end().len();
        self.builder
            .import(found.start..found.start + written, names);
        if found.end - found.start > self.detail && found.node.child_count() > 0 {
            let level = *state.level();
            self.enter(state, found, level, false);
            return true;
        }
        self.builder.close(found.end);
        false
    }

    /// A text in another language.
    fn inner_text(&mut self, state: &mut State, found: Found<'_>) -> bool {
        let opening = &self.text[state.level().bytes.0..found.start];
        let opening = opening.to_ascii_lowercase();
        let mut known = self.knowledge.inner.iter();
        let language = known.find(|(written, _)| opening.contains(&**written));
        let inner = match language {
            Some((_, language)) if found.end - found.start > self.detail => {
                (self.inner)(language, found.start..found.end)
            }
            _ => None,
        };
        let Some(inner) = inner else {
            self.leaf(state, found);
            return false;
        };
        self.open(state, Kind::Code, found.gap.line, found.gap.newlines);
        Walk {
            text: self.text,
            start: found.start,
            detail: self.detail,
            knowledge: inner.knowledge,
            line_comment: inner.line_comment,
            inner: self.inner,
            builder: &mut *self.builder,
        }
        .run(inner.tree.root_node());
        self.builder.close(found.end);
        false
    }

    /// The definition inside a wrapper.
    fn wrapped<'tree>(&self, wrapper: Node<'tree>) -> Option<(Node<'tree>, &'a Definition)> {
        static SEVERAL: Definition = Definition {
            kind: Kind::Statement,
            container: true,
            template: None,
        };
        let knowledge = self.knowledge;
        let mut around = wrapper;
        for _ in 0..WRAPPED {
            let mut cursor = around.walk();
            let mut next = None;
            let mut inside = None;
            for child in around.named_children(&mut cursor).take(IN_WRAPPER) {
                match knowledge.meaning(child, around.kind_id(), self.text) {
                    Meant::Definition(_) if inside.is_some() => {
                        let row = |node: Node<'_>| node.start_position().row;
                        if inside.is_some_and(|(first, _)| row(first) != row(child)) {
                            return Some((around, &SEVERAL));
                        }
                    }
                    Meant::Definition(definition) => inside = Some((child, definition)),
                    Meant::Role(Role::Wrapper) => next = next.or(Some(child)),
                    Meant::Role(_) => {}
                }
            }
            if inside.is_some() {
                return inside;
            }
            around = next?;
        }
        None
    }

    /// The body of a definition, among its children or, if `deep`, in the largest of them.
    fn body<'tree>(&self, definition: Node<'tree>, deep: bool) -> Option<Body<'tree>> {
        let mut node = definition;
        let mut header = node.start_byte();
        for _ in 0..WRAPPED {
            if self.knowledge.role(node) == Role::Body {
                return Some(Body { node, header });
            }
            let mut cursor = node.walk();
            let mut largest: Option<Node<'tree>> = None;
            let mut end = node.start_byte();
            for child in node.children(&mut cursor) {
                match self.knowledge.role(child) {
                    Role::Body => {
                        return Some(Body {
                            node: child,
                            header: end,
                        });
                    }
                    Role::Comment => {}
                    _ => end = child.end_byte(),
                }
                let size = |node: &Node<'_>| node.end_byte() - node.start_byte();
                if largest
                    .as_ref()
                    .is_none_or(|node| size(node) <= size(&child))
                {
                    largest = Some(child);
                }
            }
            if !deep {
                return None;
            }
            node = largest?;
            header = node.start_byte();
        }
        None
    }

    /// Where the first word of a definition stands: behind its comments and attributes.
    fn first_word(&self, definition: Node<'_>) -> usize {
        let mut cursor = definition.walk();
        for child in definition.children(&mut cursor).take(IN_WRAPPER) {
            match self.knowledge.role(child) {
                Role::Comment | Role::Attribute => {}
                Role::Modifiers => {
                    let mut cursor = child.walk();
                    let mut words = child.children(&mut cursor);
                    let word = words.find(|word| self.knowledge.role(*word) != Role::Attribute);
                    if let Some(word) = word {
                        return word.start_byte();
                    }
                }
                _ => return child.start_byte(),
            }
        }
        definition.start_byte()
    }

    /// The bytes from the first word of a definition to before its body.
    fn signature(&self, whole: Node<'_>, header: Option<usize>) -> Range<usize> {
        let start = self.first_word(whole);
        let end = match header {
            Some(end) if end > start => end,
            _ => {
                let text = &self.text[start..whole.end_byte().max(start)];
                start + text.find('\n').unwrap_or(text.len())
            }
        };
        let mut end = end.min(start + LONGEST_SIGNATURE);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let written = self.text[start..end].trim_end();
        let written = written
            .trim_end_matches(['{', '=', ':', ';', ','])
            .trim_end();
        start..start + written.len()
    }

    /// Opens a definition; `inner` is what defines it, `found` what stands for it.
    fn define(
        &mut self,
        state: &mut State,
        found: Found<'_>,
        inner: Node<'_>,
        definition: &Definition,
    ) -> bool {
        let level = *state.level();
        let heads = definition.kind == Kind::Section;
        if level.local
            && matches!(
                definition.kind,
                Kind::Constant | Kind::TypeAlias | Kind::Statement
            )
        {
            return self.plain(state, found, Role::Plain);
        }
        // Data may hold functions, but they are not what follows its header.
        let data = matches!(
            definition.kind,
            Kind::Constant | Kind::Key | Kind::Element | Kind::Style
        );
        let body = self.body(inner, !data);
        // In a function, what looks like a declaration of another is most often a variable.
        let bodiless = matches!(definition.kind, Kind::Function | Kind::Method) && body.is_none();
        if level.local && bodiless {
            return self.plain(state, found, Role::Plain);
        }
        let signature = self.signature(found.node, body.as_ref().map(|body| body.header));
        let obvious = || self.obvious(inner, level.index);
        let facts = Facts {
            text: self.text,
            node: inner,
            header: &self.text[signature.clone()],
            obvious: &obvious,
        };
        let called = match &definition.template {
            Some(template) => match template.fill(&facts) {
                Some(called) => Some(called),
                None => return self.plain(state, found, Role::Plain),
            },
            None => None,
        };
        if heads {
            self.section(state, found, called);
            return false;
        }
        let (node, start, attached) =
            self.open(state, definition.kind, found.gap.line, found.gap.newlines);
        let mut kind = definition.kind;
        if let Some((label, name)) = called {
            self.builder.label(node, label);
            if let Some(name) = name {
                let name = match kind {
                    _ if self.knowledge.whole_names => &name,
                    Kind::Test | Kind::Key | Kind::Element | Kind::Style => &name,
                    _ => label::last_name(&name),
                };
                kind = self.refined(
                    kind,
                    level.scope,
                    name,
                    &attached,
                    found.start..signature.end,
                );
                self.builder.define(node, name, signature.clone());
            }
        }
        self.builder.kind(node, kind);
        let opened = (definition.container && (body.is_some() || definition.template.is_none()))
            || found.end - start > self.detail;
        if !opened || state.levels.len() >= DEEPEST || found.node.child_count() == 0 {
            self.builder.close(found.end);
            return false;
        }
        let function = matches!(
            kind,
            Kind::Function | Kind::Method | Kind::Test | Kind::Constant | Kind::Macro
        );
        let around = Level {
            local: function && !definition.container
                || level.local && definition.kind == Kind::Statement,
            scope: match kind {
                Kind::Statement => level.scope,
                kind => kind,
            },
            ..level
        };
        let members =
            definition.kind == Kind::Statement || self.knowledge.role(found.node) == Role::Body;
        self.enter(state, found, around, members);
        let led = !attached.is_empty();
        self.lead(state, attached);
        if led {
            // What its comments make too large may itself still be small enough.
            let core = self.builder.open(kind, found.gap.line);
            self.builder.glue(core);
            let sequence = state.sequence();
            sequence.begun = false;
            sequence.glue = false;
            state.level().closes += 1;
            if !definition.container && found.end - found.start <= self.detail {
                self.leave(state);
                return false;
            }
        }
        let header = body.map_or(0, |body| body.node.start_byte());
        let level = state.level();
        if header > start && (header - start <= self.detail || header - start <= LONGEST_SIGNATURE)
        {
            level.header_until = header;
        }
        if inner.id() != found.node.id() {
            level.defined = inner.id();
        }
        true
    }

    /// What a definition is where it stands: a method in a class, a test by its name or its marks.
    fn refined(
        &self,
        kind: Kind,
        scope: Kind,
        name: &str,
        attached: &[Waiting],
        header: Range<usize>,
    ) -> Kind {
        if !matches!(kind, Kind::Function | Kind::Method) {
            return kind;
        }
        let known = self.knowledge;
        let marked = |text: &str| known.test_marks.iter().any(|mark| text.contains(&**mark));
        let mut attributes = attached.iter().filter(|waiting| waiting.attribute);
        let test = known
            .test_names
            .iter()
            .any(|start| name.starts_with(&**start))
            || attributes.any(|waiting| marked(&self.text[waiting.bytes.clone()]))
            || marked(&self.text[header]);
        if test {
            return Kind::Test;
        }
        match scope {
            Kind::Class
            | Kind::Struct
            | Kind::Enum
            | Kind::Trait
            | Kind::Interface
            | Kind::Impl => Kind::Method,
            _ => kind,
        }
    }

    /// A heading, or what else begins a part that reaches up to the next of its like.
    fn section(
        &mut self,
        state: &mut State,
        found: Found<'_>,
        called: Option<(String, Option<String>)>,
    ) {
        let mut start = self.text[found.start..found.end].bytes().take(4);
        let digit = start.find(u8::is_ascii_digit);
        let rank = digit.map_or(1, |digit| (digit - b'0').clamp(1, 6));
        self.end_run(state);
        let sequence = state.sequence();
        while sequence.sections.last().is_some_and(|open| *open >= rank) {
            sequence.sections.pop();
            self.builder.close(found.start);
        }
        let (node, _, _) = self.open(state, Kind::Section, found.gap.line, found.gap.newlines);
        self.builder.level(node, rank);
        if let Some((label, _)) = called {
            self.builder.label(node, label);
        }
        state.sequence().sections.push(rank);
        let heading = self.builder.leaf(Kind::Heading, found.start..found.end);
        self.builder.level(heading, rank);
    }

    /// The obvious name of an element of data: what it says under `name`, `id` or the like; else its number.
    fn obvious(&self, element: Node<'_>, index: usize) -> String {
        let number = || format!("[{}]", index.saturating_sub(1));
        let Some(keys) = &self.knowledge.key_names else {
            return number();
        };
        let mut node = element;
        for _ in 0..WRAPPED {
            let Some(child) = node.named_child(0) else {
                return number();
            };
            if child.kind_id() == keys.pair {
                break;
            }
            node = child;
        }
        let mut cursor = node.walk();
        for pair in node.named_children(&mut cursor).take(IN_WRAPPER) {
            let text = |node: Node<'_>| self.text.get(node.byte_range());
            let key = keys.key.follow(pair).and_then(text);
            let named =
                key.is_some_and(|key| keys.names.iter().any(|name| name == label::unquoted(key)));
            if !named {
                continue;
            }
            let value = keys.value.follow(pair).and_then(text).unwrap_or_default();
            let value = label::unquoted(value.trim());
            let simple =
                !value.is_empty() && value.len() <= 80 && !value.contains(['\n', '{', '[']);
            if simple {
                return value.to_string();
            }
        }
        number()
    }
}

/// From where on comments and attributes belong to what follows behind `newlines` line feeds: no blank line is between, or one
/// of them is an attribute.
fn attached_from(waiting: &[Waiting], newlines: usize) -> usize {
    let attribute = waiting.iter().position(|waiting| waiting.attribute);
    let attribute = attribute.unwrap_or(waiting.len());
    let mut from = waiting.len();
    let mut behind = newlines;
    while let Some(before) = from.checked_sub(1) {
        let joined = before >= attribute || (behind < 2 && !waiting[before].apart);
        if !joined {
            break;
        }
        behind = waiting[before].newlines;
        from = before;
    }
    from
}
