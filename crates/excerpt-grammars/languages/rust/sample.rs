//! A shelf of books, as a sample of Rust.
//!
//! Comments of the file stand alone.

use std::collections::{BTreeMap, btree_map as map};
use std::fmt::{self, Display};
// The one from outside.
use shelf_core::Book as Volume;

mod cover;

/// How many books a shelf holds.
pub const CAPACITY: usize = 40;

static EMPTY: &str = "nothing here"; // said by an empty shelf

/// What can go wrong.
#[derive(Debug)]

#[non_exhaustive]
pub enum Error {
    Full,
    /// The title is known.
    Known { title: String },
}

/// A shelf.
#[derive(Clone, Debug, Default)]
pub struct Shelf<T> {
    books: BTreeMap<String, T>,
}

pub trait Lend {
    type Reader: Display;

    /// Lends a book.
    fn lend(&mut self, title: &str) -> Option<Self::Reader>;
}

impl<T: Clone> Shelf<T> {
    // A comment before nothing in particular.

    /// Puts a book on the shelf.
    #[must_use]
    pub fn put(&mut self, title: &str, book: T) -> Result<(), Error> {
        if self.books.len() >= CAPACITY {
            return Err(Error::Full);
        } else if let map::Entry::Vacant(place) = self.books.entry(title.to_string()) {
            // Nobody stood here.
            place.insert(book);
        } else {
            let title = title.to_string();
            return Err(Error::Known { title });
        }
        Ok(())
    }

    fn len(&self) -> usize { self.books.len() }
}

impl<T> fmt::Display for Shelf<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.books.len() {
            0 => out.write_str(EMPTY),
            count => write!(out, "{count} books"),
        }
    }
}

macro_rules! shelf {
    ($($title:expr => $book:expr),*) => { todo!() };
}

pub type Shelves = Vec<Shelf<Volume>>;

fn broken(a: u8 -> u8 {
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_is_put_once() {
        let mut shelf = Shelf::default();
        assert!(shelf.put("a", 1).is_ok());
    }
}
