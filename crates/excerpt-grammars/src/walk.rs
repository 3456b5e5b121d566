//! From a syntax tree to an outline: one walk with a cursor, without recursion, guided by what is
//! known about the language.
//!
//! The walk looks up the meaning of each node once. Small nodes are leaves. A definition that
//! contains others, and any node larger than may form a chunk, is opened in the [`Draft`]. The
//! parts of a definition come from its [`DefinitionParts`].
//!
//! Why tables and not queries, in milliseconds:
//!
//! | | parse | query of a dozen patterns | walk over all nodes | walk that skips small nodes |
//! | --- | --- | --- | --- | --- |
//! | 8 MB of Rust | 710 | 360 | 170 | 30 |
//! | 8 MB of Python | 730 | 280 | 160 | 10 |
//! | 4.3 MB of TypeScript | 170 | 90 | 40 | 10 |

use std::ops::Range;

use excerpt_chunk::{Kind, OutlineBuilder};
use tree_sitter::Node;

use crate::anatomy::{DefinitionParts, LONGEST_SIGNATURE};
use crate::bounded::Parsed;
use crate::draft::{Draft, Found, Level, Waiting, is_text};
use crate::gap::Gap;
use crate::imports;
use crate::knowledge::{DefinitionNode, Knowledge, Meant, Role};
use crate::label::{self, Facts};

/// How deep nodes of the tree are opened. Deeper ones are leaves, however large.
const DEEPEST: usize = 200;

/// A text in another language inside the one being walked.
pub(crate) struct Inner<'a> {
    pub(crate) tree: Parsed,
    pub(crate) knowledge: &'a Knowledge,
    pub(crate) line_comment: &'a str,
}

/// Parses a part of the text in the named language.
pub(crate) type ReadInner<'a> = &'a dyn Fn(&str, Range<usize>) -> Option<Inner<'a>>;

/// The input of a walk.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a, 'text> {
    pub(crate) text: &'text str,
    /// Where the text begins: after a byte order mark.
    pub(crate) start: usize,
    /// How large a node may be without being opened.
    pub(crate) detail: usize,
    pub(crate) knowledge: &'a Knowledge,
    /// The start of a comment that ends with its line; empty if there is none.
    pub(crate) line_comment: &'a str,
    pub(crate) inner: ReadInner<'a>,
}

/// Fills `builder` from the tree below `root`.
pub(crate) fn walk<'text>(
    task: Task<'_, 'text>,
    root: Node<'_>,
    builder: &mut OutlineBuilder<'text>,
) {
    let Task {
        text,
        start,
        detail,
        knowledge,
        ..
    } = task;
    let mut walk = Walk {
        task,
        text,
        detail,
        knowledge,
        anatomy: DefinitionParts::new(text, knowledge, root),
        draft: Draft::new(text, detail, builder, root),
        gap: (usize::MAX, Gap::before(text, start, start)),
    };
    let mut cursor = root.walk();
    let mut below = cursor.goto_first_child();
    while below {
        if walk.node(cursor.node()) {
            if cursor.goto_first_child() {
                continue;
            }
            walk.draft.leave();
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || walk.draft.levels.len() == 1 {
                below = false;
                break;
            }
            walk.draft.leave();
        }
    }
    walk.draft.finish();
}

/// Handles one node after the other.
struct Walk<'a, 'b, 'text, 'tree> {
    task: Task<'a, 'text>,
    text: &'text str,
    detail: usize,
    knowledge: &'a Knowledge,
    anatomy: DefinitionParts<'a, 'text, 'tree>,
    draft: Draft<'b, 'text>,
    /// The last gap looked up.
    gap: (usize, Gap),
}

impl<'tree> Walk<'_, '_, '_, 'tree> {
    /// Handles a node. Returns whether to walk its children, for which a level has been pushed.
    fn node(&mut self, node: Node<'tree>) -> bool {
        let start = node.start_byte().max(self.task.start);
        let end = node.end_byte();
        if end <= start {
            return false;
        }
        let first = std::mem::replace(&mut self.draft.level().first, false);
        let named = node.is_named();
        let level = *self.draft.level();
        if named {
            self.draft.level().index += 1;
        }
        if self.gap.0 != start {
            self.gap = (start, Gap::before(self.text, self.task.start, start));
        }
        let found = Found {
            node,
            start,
            end,
            gap: self.gap.1,
        };
        let meaning = match node.id() == level.defined {
            true => Meant::Role(Role::Splice),
            false => self.knowledge.meaning(node, level.kind, self.text),
        };
        match meaning {
            Meant::Role(Role::Comment) => {
                self.comment(found);
                return false;
            }
            Meant::Role(Role::Attribute) => {
                self.wait(found, true);
                return false;
            }
            _ => {}
        }
        if start < level.header_until {
            if end > level.header_until {
                return self.splice(found, false);
            }
            self.content(found, true);
            return false;
        }
        match meaning {
            Meant::Definition(definition) => self.define(found, node, definition),
            Meant::Role(Role::Wrapper) => match self.anatomy.wrapped(node) {
                Some((inner, definition)) => self.define(found, inner, definition),
                None => self.plain(found, Role::Plain),
            },
            Meant::Role(Role::Documentation) if level.members && is_text(self.text_of(found)) => {
                self.documentation(found);
                false
            }
            Meant::Role(Role::Import) if level.members => self.import(found),
            Meant::Role(Role::Splice) => self.splice(found, level.members),
            Meant::Role(Role::Body) => {
                let sequence = self.draft.sequence();
                sequence.glue = sequence.begun;
                self.splice(found, true)
            }
            Meant::Role(Role::Inner) => self.inner_text(found),
            Meant::Role(Role::Closer) if found.gap.newlines > 0 && !first => {
                self.closer(found);
                false
            }
            Meant::Role(role) if named => self.plain(found, role),
            Meant::Role(_) => {
                self.token(found, first);
                false
            }
        }
    }

    /// Keeps a comment for what follows, unless it belongs to what comes before it on its line.
    fn comment(&mut self, found: Found<'tree>) {
        if found.gap.newlines > 0 {
            self.wait(found, false);
        }
    }

    fn text_of(&self, found: Found<'tree>) -> &str {
        &self.text[found.start..found.end]
    }

    /// A documentation string: a comment that belongs to what it stands in.
    fn documentation(&mut self, found: Found<'tree>) {
        self.draft
            .open(Kind::Comment, found.gap.line, found.gap.newlines);
        self.draft.builder.close(found.end);
    }

    fn wait(&mut self, found: Found<'tree>, attribute: bool) {
        let text = self.text_of(found);
        let apart = self.knowledge.apart.iter();
        let apart = !attribute && apart.clone().any(|prefix| text.starts_with(&**prefix));
        self.draft.sequence().waiting.push(Waiting {
            bytes: found.gap.line..found.end,
            newlines: found.gap.newlines,
            attribute,
            apart,
        });
    }

    /// A bracket, a keyword, a separator.
    fn token(&mut self, found: Found<'tree>, first: bool) {
        let word = &self.text[found.start..found.end];
        let level = *self.draft.level();
        let opens = first
            && matches!(
                word,
                "{" | "(" | "[" | "do" | "then" | "begin" | "{|" | "do |"
            );
        if opens {
            let joined = matches!(word, "{" | "do" | "then" | "begin");
            let joined = joined && self.draft.sequence().piece;
            self.content(found, joined);
            self.draft.sequence().glue = true;
            return;
        }
        let closes = !first
            && found.gap.newlines > 0
            && found.end == level.bytes.1
            && !matches!(word, "," | ";");
        if closes {
            self.closer(found);
        } else {
            self.content(found, false);
        }
    }

    /// The end of an opened node, on a line of its own.
    fn closer(&mut self, found: Found<'tree>) {
        self.draft.flush();
        self.draft.end_run();
        let rest = self.text[found.end..].trim_start_matches([' ', '\t', ')', ']', '}', ';', ',']);
        let comment =
            !self.task.line_comment.is_empty() && rest.starts_with(self.task.line_comment);
        if rest.is_empty() || rest.starts_with(['\n', '\r']) || comment || rest.starts_with("/*") {
            let leaf = self
                .draft
                .builder
                .leaf(Kind::Statement, found.gap.line..found.end);
            if self.draft.sequence().begun {
                self.draft.builder.glue(leaf);
            }
            self.draft.sequence().begun = true;
        } else {
            // `} else {` begins an arm; `}, [a, b]);` continues.
            let arm = rest.starts_with(char::is_alphabetic);
            self.draft.held = Some((found.gap.line, !arm));
        }
    }

    /// A part of a line: continues the open statement, or begins one.
    fn content(&mut self, found: Found<'tree>, header: bool) {
        if header && !self.draft.sequence().waiting.is_empty() {
            let waiting = std::mem::take(&mut self.draft.sequence().waiting);
            self.draft.lead(waiting);
        }
        let named = found.node.is_named();
        let newline = found.gap.newlines > 0;
        let sequence = self.draft.sequence();
        let begins = !sequence.begun
            || !sequence.waiting.is_empty()
            || (sequence.glue && !sequence.piece && header)
            || self.draft.held.is_some()
            || match header && self.draft.sequence().piece {
                true => false,
                false => newline || (named && self.draft.parts_line(found.start)),
            };
        if begins {
            self.draft
                .open(Kind::Statement, found.gap.line, found.gap.newlines);
            self.draft.sequence().piece = true;
        } else if named {
            self.draft.sequence().glue = false;
        }
    }

    /// Continues with the children of a node in its place.
    fn splice(&mut self, found: Found<'tree>, members: bool) -> bool {
        if self.draft.levels.len() >= DEEPEST || found.node.child_count() == 0 {
            self.leaf(found);
            return false;
        }
        let around = *self.draft.level();
        self.draft.levels.push(Level {
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
    fn leaf(&mut self, found: Found<'tree>) {
        let alone = self.draft.level().members
            && (found.gap.newlines > 0
                || self.draft.held.is_some()
                || !self.draft.sequence().begun
                || !self.draft.sequence().waiting.is_empty()
                || (!self.draft.sequence().piece && self.parted(found.start))
                || self.draft.parts_line(found.start));
        if !alone {
            return self.content(found, false);
        }
        self.draft
            .open(Kind::Statement, found.gap.line, found.gap.newlines);
        self.draft.builder.close(found.end);
    }

    /// Whether a statement ends before `at` on its line. In broken code, words follow each other
    /// without a separator.
    fn parted(&self, at: usize) -> bool {
        self.text[..at].trim_end().ends_with([';', '}'])
    }

    /// A statement, or a part of one.
    fn plain(&mut self, found: Found<'tree>, role: Role) -> bool {
        let level = *self.draft.level();
        let size = found.end - found.start;
        let shut = self.draft.levels.len() >= DEEPEST || found.node.child_count() == 0;
        if size <= self.detail || shut {
            self.leaf(found);
            return false;
        }
        // A part that makes up most of the whole has no node of its own: its own parts replace it.
        if !level.members && size > self.draft.sequence().size / 2 {
            return self.splice(found, false);
        }
        self.draft
            .open(Kind::Statement, found.gap.line, found.gap.newlines);
        self.draft.enter(found, level, role == Role::Body);
        true
    }

    fn import(&mut self, found: Found<'tree>) -> bool {
        if self.draft.sequence().imports {
            let waiting = std::mem::take(&mut self.draft.sequence().waiting);
            let first = waiting.first().map(|first| first.bytes.start);
            self.draft
                .builder
                .open(Kind::Statement, first.unwrap_or(found.gap.line));
        } else {
            self.draft
                .open(Kind::Import, found.gap.line, found.gap.newlines);
            self.draft.sequence().imports = true;
            self.draft.builder.open(Kind::Statement, found.gap.line);
        }
        let names = imports::names(self.knowledge, found.node, self.text, self.anatomy.cursor());
        let written = self.text[found.start..found.end].trim_end().len();
        self.draft
            .builder
            .import(found.start..found.start + written, names);
        if found.end - found.start > self.detail && found.node.child_count() > 0 {
            let level = *self.draft.level();
            self.draft.enter(found, level, false);
            return true;
        }
        self.draft.builder.close(found.end);
        false
    }

    /// A text in another language.
    fn inner_text(&mut self, found: Found<'tree>) -> bool {
        let opening = &self.text[self.draft.level().bytes.0..found.start];
        let opening = opening.to_ascii_lowercase();
        let mut known = self.knowledge.inner.iter();
        let language = known.find(|(written, _)| opening.contains(&**written));
        let inner = match language {
            Some((_, language)) if found.end - found.start > self.detail => {
                (self.task.inner)(language, found.start..found.end)
            }
            _ => None,
        };
        let Some(inner) = inner else {
            self.leaf(found);
            return false;
        };
        self.draft
            .open(Kind::Code, found.gap.line, found.gap.newlines);
        let task = Task {
            start: found.start,
            knowledge: inner.knowledge,
            line_comment: inner.line_comment,
            ..self.task
        };
        walk(task, inner.tree.root(), &mut *self.draft.builder);
        self.draft.builder.close(found.end);
        false
    }

    /// Opens a definition. `inner` is the defining node, `found` the outermost node that belongs to
    /// it.
    fn define(
        &mut self,
        found: Found<'tree>,
        inner: Node<'tree>,
        definition: &DefinitionNode,
    ) -> bool {
        let level = *self.draft.level();
        let heads = definition.kind == Kind::Section;
        if level.local
            && matches!(
                definition.kind,
                Kind::Constant | Kind::TypeAlias | Kind::Statement
            )
        {
            return self.plain(found, Role::Plain);
        }
        // Data may contain functions, but they are not what follows its header.
        let data = matches!(
            definition.kind,
            Kind::Constant | Kind::Key | Kind::Element | Kind::Style
        );
        let body = self.anatomy.body(inner, !data);
        // In a function, what looks like a declaration of another one is usually a variable.
        let bodiless = matches!(definition.kind, Kind::Function | Kind::Method) && body.is_none();
        if level.local && bodiless {
            return self.plain(found, Role::Plain);
        }
        let header = body.as_ref().map(|body| body.header);
        let header = header.or_else(|| match definition.kind {
            Kind::Key => self.anatomy.long_value(inner),
            _ => None,
        });
        let signature = self.anatomy.signature(found.node, header);
        let obvious = || self.anatomy.obvious(inner, level.index);
        let facts = Facts {
            text: self.text,
            node: inner,
            header: &self.text[signature.clone()],
            obvious: &obvious,
        };
        let called = match &definition.template {
            Some(template) => match template.fill(&facts) {
                Some(called) => Some(called),
                None => return self.plain(found, Role::Plain),
            },
            None => None,
        };
        if heads {
            self.section(found, called);
            return false;
        }
        let (node, start, attached) =
            self.draft
                .open(definition.kind, found.gap.line, found.gap.newlines);
        let header = found.start..signature.end;
        let kind = match called {
            Some(called) => self.name(node, definition, called, &attached, (signature, header)),
            None => definition.kind,
        };
        self.draft.builder.kind(node, kind);
        let opened = (definition.container && (body.is_some() || definition.template.is_none()))
            || found.end - start > self.detail;
        if !opened || self.draft.levels.len() >= DEEPEST || found.node.child_count() == 0 {
            self.draft.builder.close(found.end);
            return false;
        }
        let body = body.map_or(0, |body| body.node.start_byte());
        let found_id = found.node.id();
        let enters = self.descend(found, definition, kind, attached, start..body);
        if enters && inner.id() != found_id {
            self.draft.level().defined = inner.id();
        }
        enters
    }

    /// Enters a definition of this `kind`, with its `attached` comments and attributes. `head` are
    /// the bytes before its body, which end before they begin if it has none. Returns whether what
    /// is in it is to be walked.
    fn descend(
        &mut self,
        found: Found<'tree>,
        definition: &DefinitionNode,
        kind: Kind,
        attached: Vec<Waiting>,
        head: Range<usize>,
    ) -> bool {
        let level = *self.draft.level();
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
        self.draft.enter(found, around, members);
        let led = !attached.is_empty();
        self.draft.lead(attached);
        if led {
            self.open_without_comments(kind, found.gap.line);
            if !definition.container && found.end - found.start <= self.detail {
                self.draft.leave();
                return false;
            }
        }
        let level = self.draft.level();
        if head.end > head.start && (head.len() <= self.detail || head.len() <= LONGEST_SIGNATURE) {
            level.header_until = head.end;
        }
        true
    }

    /// Labels the node of a definition and names it, and returns its kind as its name and its
    /// `attached` attributes show it. `signature` and `header` are bytes of the text: the header
    /// begins before the signature where something belongs to both.
    fn name(
        &mut self,
        node: usize,
        definition: &DefinitionNode,
        (label, name): (String, Option<String>),
        attached: &[Waiting],
        (signature, header): (Range<usize>, Range<usize>),
    ) -> Kind {
        let kind = definition.kind;
        self.draft.builder.label(node, label);
        let Some(name) = name else {
            return kind;
        };
        let name = match kind {
            _ if self.knowledge.whole_names => &name,
            Kind::Test | Kind::Key | Kind::Element | Kind::Style => &name,
            _ => label::last_name(&name),
        };
        let scope = self.draft.level().scope;
        let refined = self.anatomy.refined(kind, scope, name, attached, header);
        self.draft.builder.define(node, name, signature);
        refined
    }

    /// Opens a node for a definition after its comments: one that is too large because of them may
    /// be small enough without them.
    fn open_without_comments(&mut self, kind: Kind, line: usize) {
        let core = self.draft.builder.open(kind, line);
        self.draft.builder.glue(core);
        let sequence = self.draft.sequence();
        sequence.begun = false;
        sequence.glue = false;
        self.draft.level().closes += 1;
    }

    /// A heading, or anything else that begins a part extending to the next of its kind.
    fn section(&mut self, found: Found<'tree>, called: Option<(String, Option<String>)>) {
        let mut start = self.text[found.start..found.end].bytes().take(4);
        let digit = start.find(u8::is_ascii_digit);
        let rank = digit.map_or(1, |digit| (digit - b'0').clamp(1, 6));
        self.draft.end_run();
        let behind = |open: &mut u8| *open >= rank;
        while self.draft.sequence().sections.pop_if(behind).is_some() {
            self.draft.builder.close(found.start);
        }
        let (node, _, _) = self
            .draft
            .open(Kind::Section, found.gap.line, found.gap.newlines);
        self.draft.builder.level(node, rank);
        if let Some((label, _)) = called {
            self.draft.builder.label(node, label);
        }
        self.draft.sequence().sections.push(rank);
        let heading = self
            .draft
            .builder
            .leaf(Kind::Heading, found.start..found.end);
        self.draft.builder.level(heading, rank);
    }
}
