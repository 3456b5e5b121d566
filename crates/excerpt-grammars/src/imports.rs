//! The names that an import makes known.

use std::sync::Arc;

use tree_sitter::Node;

use crate::knowledge::{Knowledge, Names};
use crate::label::unquoted;

/// How many nodes of one import are looked at.
const MOST: usize = 2_000;

/// The names that `import` makes known in the document, aliases instead of what they stand for.
pub(crate) fn names(knowledge: &Knowledge, import: Node<'_>, text: &str) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut todo = vec![import];
    for _ in 0..MOST {
        let Some(node) = todo.pop() else { break };
        let (path, last) = match knowledge.names(node.kind_id()) {
            Some(Names::Nothing) => continue,
            Some(Names::In(path)) => {
                let inside = path.all(node);
                if inside.is_empty() {
                    (&None, true)
                } else {
                    todo.extend(inside.into_iter().rev());
                    continue;
                }
            }
            Some(Names::First(path)) => (path, false),
            Some(Names::Last(path)) => (path, true),
            None => {
                let mut cursor = node.walk();
                let before = todo.len();
                todo.extend(node.named_children(&mut cursor).take(MOST));
                todo[before..].reverse();
                continue;
            }
        };
        let at = match path {
            Some(path) => path.follow(node),
            None => Some(node),
        };
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
