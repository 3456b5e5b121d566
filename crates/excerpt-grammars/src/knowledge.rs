//! What is known about a language, as data: the meaning of the node kinds in its syntax tree. There
//! is one file per language, `languages/*/outline.kinds`, with one entry per line; `#` begins a
//! comment.
//!
//! ```text
//! comment line_comment block_comment         these kinds have this role
//! import call{target=require|use}            … if the condition in braces holds
//! method+ constructor = new {name}           these are definitions, with a label
//! names import_specifier last alias|name     what an import makes known; with conditions, the first that hold
//! @test-marks #[test]                        what else is to be known
//! ```
//!
//! The roles are those of [`Role`]. A definition is written as its kind (`function`, `class` …) and
//! the [`Template`] of its label. A `+` after the kind means that it is always searched for further
//! definitions, a `-` that it is not; by default classes and the like are, functions are not. What
//! is too large to form a chunk is searched in any case.
//!
//! Conditions are joined by `;`: `path=word|word` requires a text, `path:kind|kind` a kind, `path?`
//! a node at the end of the path, `^kind|kind` the kind of the node around, `alone` a node that is
//! the whole text; a `!` in front negates one.

use excerpt_chunk::{Kind, without_byte_order_mark};
use tree_sitter::{Language, Node};

use crate::hazard::Wary;
use crate::label::{Template, unquoted};
use crate::path::Path;

/// A kind that no node has, for an unknown parent.
const NOWHERE: u16 = u16::MAX;

/// The role of a kind of node in an outline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// A statement, an expression or a part of one.
    #[default]
    Plain,
    /// A comment.
    Comment,
    /// A string that documents what it stands in, if it is in triple quotes.
    Documentation,
    /// An attribute or decorator, which belongs to what follows.
    Attribute,
    /// Words before a definition, which may begin with attributes.
    Modifiers,
    /// An import.
    Import,
    /// A node that contains members or statements, between brackets if it has them.
    Body,
    /// A node that is replaced by its children.
    Splice,
    /// A node around a definition that belongs to it.
    Wrapper,
    /// The end of the node around it.
    Closer,
    /// Text in another language.
    Inner,
}

/// A definition.
#[derive(Debug)]
pub(crate) struct DefinitionNode {
    pub(crate) kind: Kind,
    /// Whether it is always searched for further definitions.
    pub(crate) container: bool,
    /// Its label; `None` for a definition without a name.
    pub(crate) template: Option<Template>,
}

#[derive(Debug)]
enum Meaning {
    Role(Role),
    Definition(DefinitionNode),
}

/// A meaning that applies under conditions.
#[derive(Debug)]
struct RoleRule {
    conditions: Vec<Condition>,
    meaning: Meaning,
}

#[derive(Debug)]
struct Condition {
    negated: bool,
    test: Test,
}

#[derive(Debug)]
enum Test {
    Text(Path, Vec<String>),
    Kinds(Path, Vec<u16>),
    Present(Path),
    Parent(Vec<u16>),
    Alone,
}

/// Which part of a path of names an import introduces.
#[derive(Debug)]
pub(crate) enum Names {
    /// None.
    Nothing,
    First(Option<Path>),
    Last(Option<Path>),
    /// The node there; the last part if there is none.
    In(Path),
    /// The last part of the node there, from the nearest node around.
    Around(Path),
}

/// How elements of data are named: by which keys of which pairs.
#[derive(Debug)]
pub(crate) struct KeyNames {
    pub(crate) pair: u16,
    pub(crate) key: Path,
    pub(crate) value: Path,
    pub(crate) names: Vec<String>,
}

/// What is known about one kind of node.
#[derive(Debug, Default)]
struct KindRules {
    role: Role,
    rules: Vec<RoleRule>,
    /// The names that it introduces in an import: the first whose conditions hold.
    names: Vec<(Vec<Condition>, Names)>,
}

/// What is known about a language.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    /// By the grammar's number for the kind.
    entries: Vec<KindRules>,
    /// The beginnings of comments that do not belong to what follows.
    pub(crate) apart: Vec<String>,
    /// The beginnings of the names of test functions.
    pub(crate) test_names: Vec<String>,
    /// The marks before tests.
    pub(crate) test_marks: Vec<String>,
    pub(crate) key_names: Option<KeyNames>,
    /// Whether names are not paths: `main.o` is one name.
    pub(crate) whole_names: bool,
    /// Inputs that the grammar's scanner cannot handle; see [`Wary`].
    pub(crate) wary: Vec<Wary>,
    /// The languages of inner text: the beginning of its tag or opening, and the language.
    pub(crate) inner: Vec<(String, String)>,
    /// Lines that could not be parsed.
    pub(crate) faults: Vec<String>,
}

/// The meaning of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meant<'a> {
    Role(Role),
    Definition(&'a DefinitionNode),
}

impl Knowledge {
    /// Parses a knowledge file. A line that cannot be parsed is skipped and recorded.
    pub(crate) fn read(written: &str, language: &Language) -> Self {
        let mut knowledge = Knowledge::default();
        let kinds = language.node_kind_count();
        knowledge.entries.resize_with(kinds, KindRules::default);
        for line in written.lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if knowledge.line(line, language).is_none() {
                knowledge.faults.push(line.to_string());
            }
        }
        knowledge
    }

    fn line(&mut self, line: &str, language: &Language) -> Option<()> {
        let (word, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim();
        if let Some(directive) = word.strip_prefix('@') {
            return self.directive(directive, rest, language);
        }
        if word == "names" {
            let (kind, how) = rest.split_once(' ')?;
            let names = read_names(how.trim(), language)?;
            let (kind, conditions) = conditional(kind, language)?;
            self.entry(kind, language)?.names.push((conditions, names));
            return Some(());
        }
        let (kinds, template) = match rest.split_once(" = ") {
            Some((kinds, template)) => (kinds, Some(template.trim())),
            None => (rest, None),
        };
        for kind in kinds.split_whitespace() {
            let (name, conditions) = conditional(kind, language)?;
            let meaning = match role(word) {
                Some(role) => Meaning::Role(role),
                None => Meaning::Definition(read_definition(word, template, language)?),
            };
            let entry = self.entry(name, language)?;
            match meaning {
                Meaning::Role(role) if conditions.is_empty() => entry.role = role,
                meaning => entry.rules.push(RoleRule {
                    conditions,
                    meaning,
                }),
            }
        }
        Some(())
    }

    fn directive(&mut self, directive: &str, rest: &str, language: &Language) -> Option<()> {
        let words = || rest.split_whitespace().map(str::to_string);
        match directive {
            "apart" => self.apart.extend(words()),
            "test-names" => self.test_names.extend(words()),
            "test-marks" => self.test_marks.extend(words()),
            "wary" => self.wary.push(match rest {
                "depths" => Wary::Depths,
                "documents" => Wary::Documents,
                "rows" => Wary::Rows,
                "braces" => Wary::Braces,
                "elements" => Wary::Elements,
                _ => return None,
            }),
            "names" => self.whole_names = rest == "whole",
            "inner" => {
                let (opening, language) = rest.split_once(char::is_whitespace)?;
                self.inner
                    .push((opening.to_string(), language.trim().to_string()));
            }
            "key-names" => {
                let mut words = words();
                self.key_names = Some(KeyNames {
                    pair: language.id_for_node_kind(&words.next()?, true),
                    key: Path::read(&words.next()?, language)?,
                    value: Path::read(&words.next()?, language)?,
                    names: words.collect(),
                });
            }
            _ => return None,
        }
        Some(())
    }

    fn entry(&mut self, kind: &str, language: &Language) -> Option<&mut KindRules> {
        let id = match language.id_for_node_kind(kind, true) {
            0 => language.id_for_node_kind(kind, false),
            id => id,
        };
        if id == 0 {
            return None;
        }
        self.entries.get_mut(usize::from(id))
    }

    /// The meaning of `node`, whose parent has the kind `parent`.
    pub(crate) fn meaning(&self, node: Node<'_>, parent: u16, text: &str) -> Meant<'_> {
        let Some(entry) = self.entries.get(usize::from(node.kind_id())) else {
            // An error is replaced by its contents.
            return Meant::Role(Role::Splice);
        };
        for rule in &entry.rules {
            let mut conditions = rule.conditions.iter();
            if conditions.all(|condition| condition.holds(node, parent, text)) {
                return match &rule.meaning {
                    Meaning::Role(role) => Meant::Role(*role),
                    Meaning::Definition(definition) => Meant::Definition(definition),
                };
            }
        }
        Meant::Role(entry.role)
    }

    /// The role of `node` if it is not a definition.
    pub(crate) fn role(&self, node: Node<'_>) -> Role {
        let entry = self.entries.get(usize::from(node.kind_id()));
        entry.map_or(Role::Splice, |entry| entry.role)
    }

    /// The names that an import with `node` in it introduces.
    pub(crate) fn names(&self, node: Node<'_>, text: &str) -> Option<&Names> {
        let mut names = self.entries.get(usize::from(node.kind_id()))?.names.iter();
        let holds = |condition: &Condition| condition.holds(node, NOWHERE, text);
        let (_, names) = names.find(|(conditions, _)| conditions.iter().all(holds))?;
        Some(names)
    }
}

impl Condition {
    fn read(written: &str, language: &Language) -> Option<Self> {
        let (negated, written) = match written.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, written),
        };
        let kinds = |kinds: &str| -> Option<Vec<u16>> {
            let ids = kinds.split('|').map(|kind| {
                let named = language.id_for_node_kind(kind, true);
                let id = match named {
                    0 => language.id_for_node_kind(kind, false),
                    named => named,
                };
                (id != 0).then_some(id)
            });
            ids.collect()
        };
        let test = if written == "alone" {
            Test::Alone
        } else if let Some(parents) = written.strip_prefix('^') {
            Test::Parent(kinds(parents)?)
        } else if let Some(path) = written.strip_suffix('?') {
            Test::Present(Path::read(path, language)?)
        } else if let Some((path, words)) = written.split_once('=') {
            let words = words.split('|').map(str::to_string).collect();
            Test::Text(Path::read(path, language)?, words)
        } else {
            let (path, named) = written.split_once(':')?;
            Test::Kinds(Path::read(path, language)?, kinds(named)?)
        };
        Some(Condition { negated, test })
    }

    fn holds(&self, node: Node<'_>, parent: u16, text: &str) -> bool {
        let holds = match &self.test {
            Test::Text(path, words) => {
                let found = path
                    .follow(node)
                    .and_then(|node| text.get(node.byte_range()));
                found.is_some_and(|found| words.iter().any(|word| word == unquoted(found)))
            }
            Test::Kinds(path, kinds) => {
                let found = path.follow(node);
                found.is_some_and(|found| kinds.contains(&found.kind_id()))
            }
            Test::Present(path) => path.follow(node).is_some(),
            Test::Parent(kinds) => kinds.contains(&parent),
            Test::Alone => alone(node, text),
        };
        holds != self.negated
    }
}

/// Whether only comments come before `node`, and nothing after it.
fn alone(node: Node<'_>, text: &str) -> bool {
    let behind = text.get(node.end_byte()..).unwrap_or_default();
    let before = text.get(..node.start_byte()).unwrap_or_default();
    let before = without_byte_order_mark(before).trim_start_matches([' ', '\t', '\r', '\n']);
    behind.trim_start().is_empty() && (before.is_empty() || before.starts_with('/'))
}

/// A kind, and the conditions in braces after it.
fn conditional<'a>(written: &'a str, language: &Language) -> Option<(&'a str, Vec<Condition>)> {
    let (kind, conditions) = match written.split_once('{') {
        Some((kind, conditions)) => (kind, conditions.strip_suffix('}')?),
        None => (written, ""),
    };
    let conditions = conditions.split(';').filter(|written| !written.is_empty());
    let conditions = conditions.map(|written| Condition::read(written, language));
    Some((kind, conditions.collect::<Option<Vec<_>>>()?))
}

fn read_names(how: &str, language: &Language) -> Option<Names> {
    let (word, path) = match how.split_once(' ') {
        Some((word, path)) => (word, Some(Path::read(path.trim(), language)?)),
        None => (how, None),
    };
    match (word, path) {
        ("nothing", _) => Some(Names::Nothing),
        ("first", path) => Some(Names::First(path)),
        ("last", path) => Some(Names::Last(path)),
        ("in", Some(path)) => Some(Names::In(path)),
        ("around", Some(path)) => Some(Names::Around(path)),
        _ => None,
    }
}

fn role(word: &str) -> Option<Role> {
    Some(match word {
        "plain" => Role::Plain,
        "comment" => Role::Comment,
        "documentation" => Role::Documentation,
        "attribute" => Role::Attribute,
        "modifiers" => Role::Modifiers,
        "import" => Role::Import,
        "body" => Role::Body,
        "splice" => Role::Splice,
        "wrapper" => Role::Wrapper,
        "closer" => Role::Closer,
        "inner" => Role::Inner,
        _ => return None,
    })
}

fn read_definition(
    word: &str,
    template: Option<&str>,
    language: &Language,
) -> Option<DefinitionNode> {
    let bare = word.trim_end_matches(['+', '-']);
    let (kind, container) = match bare {
        "function" => (Kind::Function, false),
        "method" => (Kind::Method, false),
        "class" => (Kind::Class, true),
        "struct" => (Kind::Struct, true),
        "enum" => (Kind::Enum, true),
        "trait" => (Kind::Trait, true),
        "interface" => (Kind::Interface, true),
        "impl" => (Kind::Impl, true),
        "module" => (Kind::Module, true),
        "constant" => (Kind::Constant, false),
        "type" => (Kind::TypeAlias, false),
        "macro" => (Kind::Macro, false),
        "test" => (Kind::Test, false),
        "key" => (Kind::Key, false),
        "element" => (Kind::Element, false),
        "style" => (Kind::Style, false),
        "section" => (Kind::Section, false),
        "group" => (Kind::Statement, true),
        _ => return None,
    };
    let container = match &word[bare.len()..] {
        "" => container,
        "+" => true,
        "-" => false,
        _ => return None,
    };
    let template = match template {
        Some(written) => Some(Template::read(written, language)?),
        None => None,
    };
    Some(DefinitionNode {
        kind,
        container,
        template,
    })
}
