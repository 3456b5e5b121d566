//! The numbers of the notes of a Word document: [`NoteNumbers`].

use std::collections::HashMap;

/// The numbers of notes, in the order in which the text refers to them.
#[derive(Debug, Default)]
pub(super) struct NoteNumbers {
    numbers: HashMap<String, usize>,
}

impl NoteNumbers {
    /// The number of the note with this key, and whether the text refers to it for the first time.
    pub(super) fn number(&mut self, key: String) -> (usize, bool) {
        let next = self.numbers.len() + 1;
        let number = *self.numbers.entry(key).or_insert(next);
        (number, number == next)
    }
}
