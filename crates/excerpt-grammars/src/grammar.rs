//! A [`Grammar`] is the parser's table for a language together with what is known about its nodes.
//! It is created once, on first use.

use tree_sitter::Language as Table;

use crate::knowledge::Knowledge;

/// Everything needed to read a language.
#[derive(Debug)]
pub(crate) struct Grammar {
    pub(crate) table: Table,
    pub(crate) knowledge: Knowledge,
}

impl Grammar {
    /// Combines a parser's table and a knowledge file.
    pub(crate) fn new(table: Table, knowledge: &str) -> Self {
        let knowledge = Knowledge::read(knowledge, &table);
        Grammar { table, knowledge }
    }
}
