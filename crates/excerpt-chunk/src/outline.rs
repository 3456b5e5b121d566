//! The structure of a document: every format is turned into an [`Outline`], a tree of spans.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::day::Day;
use crate::document::DocumentInfo;
use crate::split::is_grapheme_start;

/// What a part of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// The whole document.
    Document,
    /// A heading with everything under it.
    Section,
    /// A heading line.
    Heading,
    /// A paragraph of prose.
    Paragraph,
    /// A list.
    List,
    /// An item of a list.
    Item,
    /// A block quote.
    Quote,
    /// A code block, or a block of lines in source text.
    Code,
    /// A table.
    Table,
    /// A table row that spans whole lines.
    Row,
    /// A block of HTML.
    Html,
    /// A horizontal rule.
    Rule,
    /// A footnote's definition.
    Footnote,
    /// Link definitions.
    Definitions,
    /// Metadata at the start of a document.
    FrontMatter,
    /// The start of a document that is an overview of others.
    Overview,
    /// A mixture of these.
    Mixed,
    /// A function.
    Function,
    /// A function of a class, an object or an implementation.
    Method,
    /// A class.
    Class,
    /// A struct, a record, a union.
    Struct,
    /// An enumeration.
    Enum,
    /// A trait or protocol.
    Trait,
    /// An interface.
    Interface,
    /// An implementation of or extension to a type.
    Impl,
    /// A module or namespace.
    Module,
    /// A constant or variable at the level of definitions.
    Constant,
    /// An alias of a type.
    TypeAlias,
    /// A macro.
    Macro,
    /// A test.
    Test,
    /// Imports.
    Import,
    /// A comment that does not belong to what follows.
    Comment,
    /// A statement, or a member that is none of the above.
    Statement,
    /// A key with its value, in data.
    Key,
    /// An element of an array, in data.
    Element,
    /// A rule of a style sheet.
    Style,
}

impl Kind {
    /// Whether it is a part of source code or data, as read by a grammar.
    pub(crate) fn is_code(self) -> bool {
        self.is_definition() || matches!(self, Kind::Import | Kind::Comment | Kind::Statement)
    }

    /// Whether it is a part of source code or data that can be understood alone.
    pub(crate) fn is_definition(self) -> bool {
        self.is_code_definition() || matches!(self, Kind::Key | Kind::Element | Kind::Style)
    }

    /// Whether it is a definition in source code, which may have a name and a comment.
    #[must_use]
    pub fn is_code_definition(self) -> bool {
        matches!(
            self,
            Kind::Function
                | Kind::Method
                | Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Trait
                | Kind::Interface
                | Kind::Impl
                | Kind::Module
                | Kind::Constant
                | Kind::TypeAlias
                | Kind::Macro
                | Kind::Test
        )
    }

    /// The name of the kind in a sentence.
    fn noun(self) -> &'static str {
        match self {
            Kind::Document => "document",
            Kind::Section => "section",
            Kind::Heading => "heading",
            Kind::Paragraph => "paragraph",
            Kind::List => "list",
            Kind::Item => "list item",
            Kind::Quote => "quote",
            Kind::Code => "code block",
            Kind::Table => "table",
            Kind::Row => "table row",
            Kind::Html => "HTML block",
            Kind::Rule => "rule",
            Kind::Footnote => "footnote",
            Kind::Definitions => "link definition",
            Kind::FrontMatter => "front matter",
            Kind::Overview => "overview",
            Kind::Mixed => "block",
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Class => "class",
            Kind::Struct => "struct",
            Kind::Enum => "enum",
            Kind::Trait => "trait",
            Kind::Interface => "interface",
            Kind::Impl => "implementation",
            Kind::Module => "module",
            Kind::Constant => "constant",
            Kind::TypeAlias => "type alias",
            Kind::Macro => "macro",
            Kind::Test => "test",
            Kind::Import => "import",
            Kind::Comment => "comment",
            Kind::Statement => "statement",
            Kind::Key => "key",
            Kind::Element => "element",
            Kind::Style => "style rule",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

/// A part of a document, with its properties.
///
/// A node's children tile it: the first begins where the node begins, each one extends to the next
/// (blank lines belong to what they follow), and the last ends where the node ends.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
    /// The level of a section or heading, from 1; otherwise 0.
    pub(crate) level: u8,
    /// How many lines the header of a table has. Of one with nodes for its rows, the header is the
    /// first row, unless this is 0.
    pub(crate) header_lines: u8,
    /// What separates the cells of a row of a table, if that is one character; otherwise 0.
    pub(crate) cell_separator: u8,
    /// What the node adds to the trail of its contents: the title of a section, `fn name` for a
    /// definition, a key. For a code block, its language.
    pub(crate) label: Option<Arc<str>>,
    /// Whether it belongs to what comes before it: an item after its comment, a brace after the
    /// last member.
    pub(crate) glued: bool,
    // Small, because a text may consist of nothing but nodes.
    pub(crate) parent: u32,
    /// The index of the first node after this one's subtree.
    pub(crate) end: u32,
}

/// The structure of a document: its nodes in document order, parents before children. Node 0 is the
/// document.
#[derive(Clone, Debug)]
pub struct Outline {
    pub(crate) nodes: Vec<Node>,
    /// The named definitions, in order.
    pub(crate) definitions: Vec<Definition>,
    /// What the document imports, in order.
    pub(crate) imports: Vec<Import>,
    /// The language of source code or data.
    pub(crate) language: Option<Arc<str>>,
    /// The modules that the document's path stands for, outermost first.
    pub(crate) modules: Vec<Arc<str>>,
    /// The places where a split is mandatory because of a delimiter, in order, disjoint.
    pub(crate) delimiters: Vec<Range<usize>>,
    /// The days that parts of the text are from, as the header of a mail or the time of an entry
    /// says: where each begins, in order. It extends to the next.
    pub(crate) days: Vec<(usize, Option<Day>)>,
    pub(crate) info: DocumentInfo,
    pub(crate) terms: Terms,
    /// What could not be read as it was probably meant, and what was done instead.
    pub(crate) fallbacks: Vec<String>,
}

/// What the parts of a document are called in its format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// A section of each level, from level 1 on, where it has no heading, such as a message. Empty
    /// where sections have headings.
    pub(crate) sections: &'static [&'static str],
    /// Several items.
    pub(crate) items: &'static str,
}

impl Default for Terms {
    fn default() -> Self {
        Terms {
            sections: &[],
            items: "list items",
        }
    }
}

/// A definition of source code, in one of its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definition {
    /// The index of the node.
    pub node: usize,
    /// The name alone, without its scope.
    pub name: Arc<str>,
    /// The bytes of the signature: from the first word of the definition to before its body.
    pub signature: Range<usize>,
}

/// One import in source code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Import {
    /// The bytes of the import.
    pub span: Range<usize>,
    /// The names that it introduces. Empty if the import does not name any.
    pub names: Vec<Arc<str>>,
}

impl Node {
    /// Whether it adds to the trail of its contents.
    pub(crate) fn is_place(&self) -> bool {
        self.kind == Kind::Section || (self.kind.is_code() && self.label.is_some())
    }

    /// The days in its label; none if a version comes before them, as in the heading of a release.
    fn days(&self) -> impl Iterator<Item = Day> {
        let label = self.label.as_deref().unwrap_or_default();
        let before = Day::all_in(label).next().map(|(at, _)| &label[..at]);
        let is_version = |text: &[u8]| matches!(text, [one, b'.', other] if one.is_ascii_digit() && other.is_ascii_digit());
        let is_release = before.is_some_and(|before| before.as_bytes().windows(3).any(is_version));
        let days = Day::all_in(label).map(|(_, day)| day);
        days.filter(move |_| !is_release)
    }

    /// The bytes of the node.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The kind of the node.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The level of a section or heading: 1 to 6, and up to 24 in formats that have more; otherwise
    /// 0.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// What the node adds to the trail of its contents: the title of a section, `fn name` for a
    /// definition, a key. For a code block, its language.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Whether it belongs to what comes before it.
    #[must_use]
    pub fn is_glued(&self) -> bool {
        self.glued
    }

    /// The index of the parent node; the document is its own parent.
    #[must_use]
    pub fn parent(&self) -> usize {
        self.parent as usize
    }

    /// The index of the first node after this one's subtree.
    pub(crate) fn end(&self) -> usize {
        self.end as usize
    }
}

/// The index of a node in stored form.
fn kept(index: usize) -> u32 {
    u32::try_from(index).expect("an outline of 2^32 nodes would take 200 GB")
}

impl Outline {
    /// Whether the node at `index` is the first row of its table, which is the table's header.
    pub(crate) fn is_header(&self, index: usize) -> bool {
        let node = self.nodes.get(index);
        node.is_some_and(|node| {
            let table = node.parent();
            node.kind == Kind::Row && table + 1 == index && self.nodes[table].header_lines > 0
        })
    }

    /// Whether the node at `index` is a block of a comment.
    pub(crate) fn is_in_comment(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        node.kind == Kind::Comment && self.nodes[node.parent()].kind == Kind::Comment
    }

    /// Whether the node at `index` directly follows a heading.
    fn is_below_heading(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|at| self.nodes.get(at));
        before.is_some_and(|before| before.kind == Kind::Heading)
    }

    /// What a section of this level is called; `None` if it has a heading.
    pub(crate) fn section_name(&self, level: u8) -> Option<&'static str> {
        let names = self.terms.sections;
        let last = names.len().checked_sub(1)?;
        let at = usize::from(level).saturating_sub(1);
        Some(names[at.min(last)])
    }

    /// How many sections there are, in words: `9 headings`, `1 commit, 3 files`.
    pub(crate) fn sections_in_words(&self) -> String {
        let names = match self.terms.sections {
            [] => &["heading"],
            names => names,
        };
        let mut counts = vec![0; names.len()];
        for node in self.nodes.iter().filter(|node| node.kind == Kind::Section) {
            let at = usize::from(node.level).saturating_sub(1);
            counts[at.min(names.len() - 1)] += 1;
        }
        let counts = names.iter().zip(counts).filter(|(_, count)| *count > 0);
        let counts = counts.map(|(name, count)| match count {
            1 => format!("1 {name}"),
            _ => format!("{count} {name}s"),
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// The definition in the node at `index`.
    pub(crate) fn definition(&self, index: usize) -> Option<&Definition> {
        let found = self
            .definitions
            .binary_search_by_key(&index, |found| found.node);
        Some(&self.definitions[found.ok()?])
    }

    /// The code block that contains the node at `index`, or the node itself if there is none.
    pub(crate) fn block(&self, index: usize) -> usize {
        let mut around = index;
        while self.nodes[around].kind.is_code() {
            around = self.nodes[around].parent();
        }
        match self.nodes[around].kind {
            Kind::Code => around,
            _ => index,
        }
    }

    /// The days that the text in `bytes` is from.
    pub(crate) fn days_in(&self, bytes: Range<usize>) -> impl Iterator<Item = Day> {
        let after = self
            .days
            .partition_point(|(start, _)| *start <= bytes.start);
        let days = self.days[after.saturating_sub(1)..].iter();
        days.take_while(move |(start, _)| *start < bytes.end)
            .filter_map(|(_, day)| *day)
    }

    /// Whether two sections have different dates in their headings. The releases of a changelog do
    /// not count.
    pub(crate) fn is_journal(&self) -> bool {
        let sections = self.nodes.iter().filter(|node| node.kind == Kind::Section);
        let mut days = sections.flat_map(Node::days);
        days.next()
            .is_some_and(|first| days.any(|day| day != first))
    }

    /// Whether the node at `index` is a section that follows a day of a journal: a section with a
    /// date in its heading that is not its own.
    pub(crate) fn ends_day(&self, index: usize) -> bool {
        let node = &self.nodes[index];
        if node.kind != Kind::Section || index == node.parent() + 1 {
            return false;
        }
        let mut left = index - 1;
        while left > node.parent() {
            let before = &self.nodes[left];
            if before.kind == Kind::Section && before.days().next().is_some() {
                return !before.days().eq(node.days());
            }
            left = before.parent();
        }
        false
    }

    /// Inserts the nodes of other outlines below nodes of this one that have no children. `grafts`
    /// are in the order of these nodes. Imports of a graft are dropped: they are valid in no other
    /// block. What a graft has that is not code becomes a node of its [`Graft::kind`]: a heading of
    /// a page that is shown in a code block is not a heading of this document.
    pub(crate) fn graft(&mut self, grafts: Vec<Graft>) {
        if grafts.is_empty() {
            return;
        }
        let added: usize = grafts.iter().map(|graft| graft.outline.nodes.len()).sum();
        let nodes = std::mem::take(&mut self.nodes);
        let mut moved = Vec::with_capacity(nodes.len() + 1);
        let mut shift = 0;
        let mut next = grafts.iter().peekable();
        for index in 0..=nodes.len() {
            moved.push(index + shift);
            if let Some(graft) = next.next_if(|graft| graft.node == index) {
                shift += graft.outline.nodes.len() - 1;
            }
        }
        for found in &mut self.definitions {
            found.node = moved[found.node];
        }
        self.nodes.reserve_exact(nodes.len() + added);
        let mut grafts = grafts.into_iter().peekable();
        for (index, node) in nodes.into_iter().enumerate() {
            let stock = node.span.clone();
            self.nodes.push(Node {
                parent: kept(moved[node.parent()]),
                end: kept(moved[node.end()]),
                ..node
            });
            if let Some(graft) = grafts.next_if(|graft| graft.node == index) {
                self.add(graft, moved[index], &stock);
            }
        }
    }

    /// Adds the nodes of a graft. Its outermost node stands for the node at `root`, with the bytes
    /// `stock`.
    fn add(&mut self, graft: Graft, root: usize, stock: &Range<usize>) {
        let Graft {
            kind,
            lines,
            outline,
            ..
        } = graft;
        let all = outline.nodes[0].span.clone();
        let is_led: Vec<bool> = (1..outline.nodes.len())
            .map(|index| outline.is_header(index - 1) || outline.is_below_heading(index))
            .collect();
        for (node, is_led) in outline.nodes.into_iter().skip(1).zip(is_led) {
            let start = match node.span.start == all.start {
                true => stock.start,
                false => lines.at(node.span.start),
            };
            let end = match node.span.end == all.end {
                true => stock.end,
                false => lines.at(node.span.end),
            };
            let is_code = node.kind.is_code();
            self.nodes.push(Node {
                span: start..end,
                kind: if is_code { node.kind } else { kind },
                level: 0,
                header_lines: 0,
                cell_separator: 0,
                glued: node.glued || (!is_code && is_led),
                parent: kept(root + node.parent()),
                end: kept(root + node.end()),
                label: node.label.filter(|_| is_code || kind != Kind::Comment),
            });
        }
        let definitions = outline.definitions.into_iter();
        let definitions = definitions.map(|found| Definition {
            node: root + found.node,
            signature: lines.at(found.signature.start)..lines.at(found.signature.end),
            ..found
        });
        let after = self.definitions.partition_point(|found| found.node < root);
        self.definitions.splice(after..after, definitions);
    }

    /// The nodes in document order, parents before children. The first is the document.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The named definitions of source code, in order.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The imports of source code, in order.
    #[must_use]
    pub fn imports(&self) -> &[Import] {
        &self.imports
    }

    /// The language of source code or data.
    #[must_use]
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// Sets the language of the text, for a parser that does not know about languages.
    pub fn set_language(&mut self, language: impl Into<Arc<str>>) {
        self.language = Some(language.into());
    }

    /// Sets the modules that the document's path stands for, outermost first.
    pub fn set_module_path(&mut self, modules: impl IntoIterator<Item = impl Into<Arc<str>>>) {
        self.modules = modules.into_iter().map(Into::into).collect();
    }

    /// Records that the document could not be read as it was probably meant, and what was done
    /// instead.
    pub fn fall_back(&mut self, note: impl Into<String>) {
        self.fallbacks.push(note.into());
    }

    /// What could not be read as it was probably meant, and what was done instead.
    #[must_use]
    pub fn fallbacks(&self) -> &[String] {
        &self.fallbacks
    }

    /// What the document says about itself.
    #[must_use]
    pub fn info(&self) -> &DocumentInfo {
        &self.info
    }
}

/// The outline of a part of a document, to be inserted below one of its nodes.
pub(crate) struct Graft {
    pub(crate) node: usize,
    /// What a node of the part that is not code becomes.
    pub(crate) kind: Kind,
    /// Where its lines are in the document.
    pub(crate) lines: LineMap,
    pub(crate) outline: Outline,
}

/// Where the lines of a text are in the document of which it is a part. What precedes the text of a
/// line there, such as the marks of a comment, belongs to what begins with the line.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineMap {
    lines: Vec<MappedLine>,
}

#[derive(Clone, Copy, Debug)]
struct MappedLine {
    /// Where the line begins in the part.
    inside: usize,
    /// Where it begins in the document.
    start: usize,
    /// Where its text begins in the document.
    text: usize,
}

impl LineMap {
    /// That of a text that is in the document as it is, from `start` on.
    pub(crate) fn starting_at(start: usize) -> Self {
        let mut map = LineMap::default();
        map.line(0, start, start);
        map
    }

    /// Adds a line that begins at `inside` in the part. In the document it begins at `start`, and
    /// its text at `text`. Lines must be added in order.
    pub(crate) fn line(&mut self, inside: usize, start: usize, text: usize) {
        self.lines.push(MappedLine {
            inside,
            start,
            text,
        });
    }

    /// Where the byte `inside` of the part is in the document.
    pub(crate) fn at(&self, inside: usize) -> usize {
        let after = self.lines.partition_point(|line| line.inside <= inside);
        match after.checked_sub(1).map(|last| self.lines[last]) {
            Some(line) if line.inside == inside => line.start,
            Some(line) => line.text + (inside - line.inside),
            None => inside,
        }
    }
}

/// Builds an [`Outline`] from nodes that are opened and closed in document order.
///
/// ```
/// use excerpt_chunk::{Kind, OutlineBuilder};
///
/// let text = "fn a() {}\n\nfn b() {}\n";
/// let mut builder = OutlineBuilder::new(text, 0);
/// for (start, end, name) in [(0, 9, "a"), (11, 20, "b")] {
///     let function = builder.open(Kind::Function, start);
///     builder.label(function, format!("fn {name}"));
///     builder.define(function, name, start..end - 3);
///     builder.close(end);
/// }
/// let outline = builder.finish();
/// assert_eq!(outline.nodes()[1].span(), 0..11);
/// assert_eq!(&*outline.definitions()[1].name, "b");
/// ```
#[derive(Debug)]
pub struct OutlineBuilder<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    definitions: Vec<Definition>,
    imports: Vec<Import>,
    language: Option<Arc<str>>,
    open: Vec<usize>,
    /// Where the last closed node ended according to its parser.
    closed_at: usize,
}

impl<'a> OutlineBuilder<'a> {
    /// Starts the outline of `text` at byte `start`: after a byte order mark, if there is one.
    #[must_use]
    pub fn new(text: &'a str, start: usize) -> Self {
        let document = Node {
            span: start..text.len(),
            kind: Kind::Document,
            level: 0,
            header_lines: 0,
            cell_separator: 0,
            label: None,
            glued: false,
            parent: 0,
            end: 0,
        };
        // Real Markdown has about one node per 150 bytes.
        let mut nodes = Vec::with_capacity(text.len() / 128 + 1);
        nodes.push(document);
        OutlineBuilder {
            text,
            nodes,
            definitions: Vec::new(),
            imports: Vec::new(),
            language: None,
            open: vec![0],
            closed_at: start,
        }
    }

    /// The innermost open node.
    pub(crate) fn current(&self) -> &Node {
        &self.nodes[self.current_index()]
    }

    /// Opens a node at the start of the line of `start` if it has a previous sibling. See
    /// [`open`](Self::open).
    pub(crate) fn open_at_line(&mut self, kind: Kind, start: usize) -> usize {
        let parent = self.current_index();
        let line = if self.nodes.len() == parent + 1 {
            start
        } else {
            let floor = self.nodes[self.nodes.len() - 1].span.start;
            let line = memchr::memrchr(b'\n', &self.text.as_bytes()[floor..start]);
            line.map_or(start, |newline| floor + newline + 1)
        };
        self.open(kind, line)
    }

    /// Opens a node at `start`, inside the innermost open one, and returns its index. The first
    /// child of a node begins where the node begins, whatever `start` is: children tile their
    /// parents.
    pub fn open(&mut self, kind: Kind, start: usize) -> usize {
        let parent = self.current_index();
        let index = self.nodes.len();
        let start = if index == parent + 1 {
            self.nodes[parent].span.start
        } else {
            start
        };
        self.nodes.push(Node {
            span: start..start,
            kind,
            level: 0,
            header_lines: 0,
            cell_separator: 0,
            label: None,
            glued: false,
            parent: kept(parent),
            end: kept(index + 1),
        });
        self.open.push(index);
        index
    }

    /// The number of nodes so far.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The index of the innermost open node.
    pub(crate) fn current_index(&self) -> usize {
        self.open[self.open.len() - 1]
    }

    /// Sets the kind of a node, when it becomes known only after opening.
    pub fn kind(&mut self, node: usize, kind: Kind) {
        self.nodes[node].kind = kind;
    }

    /// Sets what a node adds to the trail of its contents.
    pub fn label(&mut self, node: usize, label: impl Into<Arc<str>>) {
        self.nodes[node].label = Some(label.into());
    }

    /// Sets the level of a section, from 1.
    pub fn level(&mut self, node: usize, level: u8) {
        self.nodes[node].level = level;
    }

    /// Sets how many lines the header of a table has; where its rows are nodes, whether there is
    /// one.
    pub(crate) fn header_lines(&mut self, node: usize, lines: usize) {
        self.nodes[node].header_lines = u8::try_from(lines).unwrap_or(0);
    }

    /// Sets what separates the cells of a row of a table.
    pub(crate) fn cell_separator(&mut self, node: usize, separator: u8) {
        self.nodes[node].cell_separator = separator;
    }

    /// Marks a node as belonging to what comes before it.
    pub fn glue(&mut self, node: usize) {
        self.nodes[node].glued = true;
    }

    /// Sets the name that a node defines. Definitions must be added in the order of their nodes.
    pub fn define(&mut self, node: usize, name: impl Into<Arc<str>>, signature: Range<usize>) {
        let name = name.into();
        self.definitions.push(Definition {
            node,
            name,
            signature,
        });
    }

    /// Adds an import and the names that it introduces. Imports must be added in order.
    pub fn import(&mut self, span: Range<usize>, names: Vec<Arc<str>>) {
        self.imports.push(Import { span, names });
    }

    /// Sets the language of the text.
    pub fn language(&mut self, language: impl Into<Arc<str>>) {
        self.language = Some(language.into());
    }

    /// Closes the innermost open node, which ends at `end` according to its parser; in the outline
    /// it extends to its next sibling.
    pub fn close(&mut self, end: usize) {
        if let Some(index) = self.open.pop() {
            self.nodes[index].end = kept(self.nodes.len());
            self.closed_at = self.closed_at.max(end);
        }
    }

    /// Opens and closes a node without children.
    pub fn leaf(&mut self, kind: Kind, span: Range<usize>) -> usize {
        let index = self.open(kind, span.start);
        self.close(span.end);
        index
    }

    /// Where the last closed node ended.
    pub(crate) fn closed_at(&self) -> usize {
        self.closed_at
    }

    /// Closes all open nodes and makes the children of each node tile it.
    #[must_use]
    pub fn finish(mut self) -> Outline {
        while self.open.len() > 1 {
            self.close(self.text.len());
        }
        self.nodes[0].end = kept(self.nodes.len());
        self.begin_at_graphemes();
        for index in 1..self.nodes.len() {
            let (parent, end) = (self.nodes[index].parent(), self.nodes[index].end());
            self.nodes[index].span.end = if end == self.nodes[parent].end() {
                self.nodes[parent].span.end
            } else {
                self.nodes[end].span.start
            };
        }
        Outline {
            nodes: self.nodes,
            definitions: self.definitions,
            imports: self.imports,
            language: self.language,
            modules: Vec::new(),
            delimiters: Vec::new(),
            days: Vec::new(),
            info: DocumentInfo::default(),
            terms: Terms::default(),
            fallbacks: Vec::new(),
        }
    }

    /// Moves the start of a node that begins inside a grapheme to the end of the grapheme: grammars
    /// know nothing of combining marks.
    fn begin_at_graphemes(&mut self) {
        let mut before = self.nodes[0].span.start;
        for node in &mut self.nodes {
            let mut start = node.span.start.max(before);
            while !is_grapheme_start(self.text, before, start) {
                start = self.text.ceil_char_boundary(start + 1);
            }
            node.span.start = start;
            before = start;
        }
        for Definition {
            node, signature, ..
        } in &mut self.definitions
        {
            signature.start = signature.start.max(self.nodes[*node].span.start);
            signature.end = signature.end.max(signature.start);
        }
    }
}
