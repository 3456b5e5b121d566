//! A [`Grammar`] is the parser's table of a language together with what is known of its nodes. It is made once, when it is first wanted.

use tree_sitter::Language as Table;

use crate::knowledge::Knowledge;

/// What reads a language.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) table: Table,
    pub(crate) knowledge: Knowledge,
}

impl Grammar {
    /// Joins a parser's table and a knowledge file.
    pub(crate) fn new(table: Table, knowledge: &str) -> Self {
        let knowledge = Knowledge::read(knowledge, &table);
        Grammar { table, knowledge }
    }
}
