//! The parts of a definition in a syntax tree: its wrappers, its first word, its signature, its
//! body, and its kind in its context.

use std::ops::Range;

use excerpt_chunk::Kind;
use tree_sitter::{Node, TreeCursor};

use crate::draft::Waiting;
use crate::knowledge::{DefinitionNode, KeyNames, Knowledge, Meant, Role};
use crate::label::unquoted;

/// How many wrappers a definition may have, and how deep its body is searched for.
const WRAPPED: usize = 8;
/// How many children of a wrapper are searched for its definition.
const IN_WRAPPER: u32 = 16;
/// Up to this many children are accessed by index: for so few, a cursor step costs ten times as
/// much.
const FEW: u32 = 8;
/// The maximum size of a signature in bytes. Anything longer is data before a body.
pub(crate) const LONGEST_SIGNATURE: usize = 2_000;

/// The maximum length of the value of a key in its signature, in bytes.
const LONGEST_VALUE: usize = 200;

/// Several definitions in one wrapper, each on lines of its own.
static SEVERAL: DefinitionNode = DefinitionNode {
    kind: Kind::Statement,
    container: true,
    template: None,
};

/// The body of a definition.
pub(crate) struct Body<'tree> {
    pub(crate) node: Node<'tree>,
    /// Where the text before it ends, not counting comments.
    pub(crate) header: usize,
}

/// Finds the parts of the definitions in one tree.
pub(crate) struct DefinitionParts<'a, 'text, 'tree> {
    text: &'text str,
    knowledge: &'a Knowledge,
    /// Shared by all nodes with many children, because creating one costs an allocation.
    cursor: TreeCursor<'tree>,
}

impl<'a, 'text, 'tree> DefinitionParts<'a, 'text, 'tree> {
    /// For the tree below `root`.
    pub(crate) fn new(text: &'text str, knowledge: &'a Knowledge, root: Node<'tree>) -> Self {
        DefinitionParts {
            text,
            knowledge,
            cursor: root.walk(),
        }
    }

    /// A cursor, at any node.
    pub(crate) fn cursor(&mut self) -> &mut TreeCursor<'tree> {
        &mut self.cursor
    }

    /// The definition inside a wrapper.
    pub(crate) fn wrapped(
        &self,
        wrapper: Node<'tree>,
    ) -> Option<(Node<'tree>, &'a DefinitionNode)> {
        let knowledge = self.knowledge;
        let mut around = wrapper;
        for _ in 0..WRAPPED {
            let mut next = None;
            let mut inside: Option<(Node<'tree>, &DefinitionNode)> = None;
            for child in named_children(around) {
                match knowledge.meaning(child, around.kind_id(), self.text) {
                    Meant::Definition(definition) => match inside {
                        None => inside = Some((child, definition)),
                        Some((first, _)) => {
                            if first.start_position().row != child.start_position().row {
                                return Some((around, &SEVERAL));
                            }
                        }
                    },
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

    /// The body of a definition: one of its children or, if `deep`, in the largest of them.
    pub(crate) fn body(&mut self, definition: Node<'tree>, deep: bool) -> Option<Body<'tree>> {
        let mut node = definition;
        let mut header = node.start_byte();
        for _ in 0..WRAPPED {
            if self.knowledge.role(node) == Role::Body {
                return Some(Body { node, header });
            }
            let mut largest: Option<(Node<'tree>, usize)> = None;
            let mut before = node.start_byte();
            let mut index = 0;
            let few = node.child_count() <= FEW;
            if !few {
                self.cursor.reset(node);
                self.cursor.goto_first_child();
            }
            while let Some(child) = match few {
                true => node.child(index),
                false => {
                    (index == 0 || self.cursor.goto_next_sibling()).then(|| self.cursor.node())
                }
            } {
                index += 1;
                let end = child.end_byte();
                match self.knowledge.role(child) {
                    Role::Body => {
                        return Some(Body {
                            node: child,
                            header: before,
                        });
                    }
                    Role::Comment => {}
                    _ => before = end,
                }
                let size = end - child.start_byte();
                if largest.is_none_or(|(_, largest)| largest <= size) {
                    largest = Some((child, size));
                }
            }
            if !deep {
                return None;
            }
            node = largest?.0;
            header = node.start_byte();
        }
        None
    }

    /// Where the first word of a definition begins: after its comments and attributes.
    fn first_word(&self, definition: Node<'tree>) -> usize {
        for child in (0..IN_WRAPPER).map_while(|index| definition.child(index)) {
            match self.knowledge.role(child) {
                Role::Comment | Role::Attribute => {}
                Role::Modifiers => {
                    let mut words = (0..).map_while(|index| child.child(index));
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

    /// Where the value of a key begins, if it is a long one: it is no part of the signature.
    pub(crate) fn long_value(&self, key: Node<'tree>) -> Option<usize> {
        let last = key.child_count().checked_sub(1)?;
        let value = key.child(last)?;
        (value.byte_range().len() > LONGEST_VALUE).then(|| value.start_byte())
    }

    /// The bytes from the first word of a definition to before its body, where the header ends.
    pub(crate) fn signature(&self, whole: Node<'tree>, header: Option<usize>) -> Range<usize> {
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

    /// The kind of a definition in its context: a method in a class, a test by its name or its
    /// marks.
    pub(crate) fn refined(
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

    /// The obvious name of an element of data: its value for `name`, `id` or the like, or its
    /// number.
    pub(crate) fn obvious(&self, element: Node<'tree>, index: usize) -> String {
        let keys = self.knowledge.key_names.as_ref();
        let said = keys.and_then(|keys| self.said(keys, element));
        said.unwrap_or_else(|| format!("[{}]", index.saturating_sub(1)))
    }

    /// The value of an element of data for one of the keys that name elements.
    fn said(&self, keys: &KeyNames, element: Node<'tree>) -> Option<String> {
        let mut node = element;
        for _ in 0..WRAPPED {
            let child = node.named_child(0)?;
            if child.kind_id() == keys.pair {
                break;
            }
            node = child;
        }
        named_children(node).find_map(|pair| {
            let text = |node: Node<'_>| self.text.get(node.byte_range());
            let key = unquoted(keys.key.follow(pair).and_then(text)?);
            if !keys.names.iter().any(|name| name == key) {
                return None;
            }
            let value = keys.value.follow(pair).and_then(text)?;
            let value = unquoted(value.trim());
            let simple =
                !value.is_empty() && value.len() <= 80 && !value.contains(['\n', '{', '[']);
            simple.then(|| value.to_string())
        })
    }
}

/// The first named children of a node, by index: they are few.
fn named_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..IN_WRAPPER).map_while(move |index| node.named_child(index))
}
