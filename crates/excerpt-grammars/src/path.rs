//! A way from one node of a syntax tree to another, as written in knowledge files: steps joined by
//! `.`, alternatives joined by `|`.
//!
//! | step | leads to |
//! | --- | --- |
//! | `name` | the child in the field `name` |
//! | `name*` | the same, repeated as long as there is one |
//! | `<kind>` | the first child of that kind; `<'*'>` is the character itself |
//! | `<<kind>>` | the first node of that kind below |
//! | `<*>`, `<$>` | the first, the last named child |

use std::num::NonZeroU16;

use tree_sitter::{Language, Node, TreeCursor};

/// How many nodes are searched for one of a kind below, and how often a field is followed: names
/// are near.
const NEAR: usize = 64;

/// Alternatives to try in order, until one leads somewhere.
#[derive(Debug)]
pub(crate) struct Path(Vec<Vec<Step>>);

#[derive(Debug)]
enum Step {
    Field(NonZeroU16),
    Fields(NonZeroU16),
    Child(u16),
    Below(u16),
    FirstNamed,
    LastNamed,
}

impl Path {
    /// Parses a path; `None` if the grammar does not know one of its words.
    pub(crate) fn read(written: &str, language: &Language) -> Option<Self> {
        let ways = written.split('|').map(|way| {
            let steps = way.split('.').map(|step| Step::read(step, language));
            steps.collect::<Option<Vec<_>>>()
        });
        Some(Path(ways.collect::<Option<Vec<_>>>()?))
    }

    /// The node to which the path leads from `node`.
    pub(crate) fn follow<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let mut ways = self.0.iter();
        ways.find_map(|steps| steps.iter().try_fold(node, |node, step| step.follow(node)))
    }

    /// Adds all children of `node` to which the last step of the first alternative leads, if that
    /// is a field.
    pub(crate) fn all<'tree>(
        &self,
        node: Node<'tree>,
        cursor: &mut TreeCursor<'tree>,
        found: &mut Vec<Node<'tree>>,
    ) {
        match self.0.first().map(Vec::as_slice) {
            Some([Step::Field(field)]) => {
                found.extend(node.children_by_field_id(*field, cursor));
            }
            _ => found.extend(self.follow(node)),
        }
    }
}

impl Step {
    fn read(step: &str, language: &Language) -> Option<Self> {
        let kind = |name: &str| match language.id_for_node_kind(name, true) {
            0 => Some(language.id_for_node_kind(name, false)).filter(|id| *id != 0),
            id => Some(id),
        };
        Some(match step {
            "<*>" => Step::FirstNamed,
            "<$>" => Step::LastNamed,
            _ => {
                if let Some(below) = step.strip_prefix("<<").and_then(|s| s.strip_suffix(">>")) {
                    Step::Below(kind(below)?)
                } else if let Some(child) = step.strip_prefix('<').and_then(|s| s.strip_suffix('>'))
                {
                    Step::Child(kind(child.trim_matches('\''))?)
                } else if let Some(field) = step.strip_suffix('*') {
                    Step::Fields(language.field_id_for_name(field)?)
                } else {
                    Step::Field(language.field_id_for_name(step)?)
                }
            }
        })
    }

    fn follow<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        match self {
            Step::Field(field) => node.child_by_field_id(field.get()),
            Step::Fields(field) => {
                let next = |node: &Node<'tree>| node.child_by_field_id(field.get());
                std::iter::successors(Some(node), next).take(NEAR).last()
            }
            Step::Child(kind) => {
                // By index: a cursor would be an allocation, and the child is usually near the
                // front.
                let mut children = (0..).map_while(|index| node.child(index)).take(NEAR);
                children.find(|child| child.kind_id() == *kind)
            }
            Step::Below(kind) => below(node, *kind),
            Step::FirstNamed => node.named_child(0),
            Step::LastNamed => {
                let last = u32::try_from(node.named_child_count())
                    .ok()?
                    .checked_sub(1)?;
                node.named_child(last)
            }
        }
    }
}

/// The first node of `kind` below `node`, in text order.
fn below(node: Node<'_>, kind: u16) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut depth = 0;
    for _ in 0..NEAR {
        if cursor.node().kind_id() == kind && depth > 0 {
            return Some(cursor.node());
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth <= 1 || !cursor.goto_parent() {
                return None;
            }
            depth -= 1;
        }
    }
    None
}
