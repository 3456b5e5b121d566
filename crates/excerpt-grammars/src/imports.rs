//! The names that an import introduces.

use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use crate::knowledge::{Knowledge, Names};
use crate::label::unquoted;

/// How many nodes of one import are visited.
const MOST: usize = 2_000;
/// How many nodes around one of them are visited.
const NEAR: usize = 4;

/// The names that `import` introduces in the document: aliases rather than what they stand for.
/// `cursor` may be at any node.
pub(crate) fn names<'tree>(
    knowledge: &Knowledge,
    import: Node<'tree>,
    text: &str,
    cursor: &mut TreeCursor<'tree>,
) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut todo = vec![import];
    for _ in 0..MOST {
        let Some(node) = todo.pop() else { break };
        let mut at = Some(node);
        let (path, last) = match knowledge.names(node, text) {
            Some(Names::Nothing) => continue,
            Some(Names::In(path)) => {
                let before = todo.len();
                path.all(node, cursor, &mut todo);
                if todo.len() > before {
                    todo[before..].reverse();
                    continue;
                }
                (&None, true)
            }
            Some(Names::Around(path)) => {
                let around = std::iter::successors(node.parent(), Node::parent).take(NEAR);
                let mut inside =
                    around.take_while(|around| around.start_byte() >= import.start_byte());
                at = inside.find_map(|around| path.follow(around));
                (&None, true)
            }
            Some(Names::First(path)) => (path, false),
            Some(Names::Last(path)) => (path, true),
            None => {
                let before = todo.len();
                cursor.reset(node);
                let mut more = cursor.goto_first_child();
                while more && todo.len() - before < MOST {
                    let child = cursor.node();
                    if child.is_named() {
                        todo.push(child);
                    }
                    more = cursor.goto_next_sibling();
                }
                todo[before..].reverse();
                continue;
            }
        };
        if let Some(path) = path {
            at = path.follow(node);
        }
        let Some(written) = at.and_then(|at| text.get(at.byte_range())) else {
            continue;
        };
        let mut parts = unquoted(written).split(['.', ':', '/', '\\']);
        let part = if last {
            parts.next_back()
        } else {
            parts.next()
        };
        let part = part.unwrap_or_default().trim();
        let name = |character: char| {
            character.is_alphanumeric() || matches!(character, '_' | '$' | '-' | '@' | '#')
        };
        if !part.is_empty() && part != "_" && part.chars().all(name) {
            found.push(part.into());
        }
    }
    found
}
