//! Where the marks are next that close something: a comment, a tag, an environment.

use memchr::memmem;

/// Where marks are next. What was found once is remembered, so that a text of beginnings without an
/// end is not searched for each of them.
#[derive(Default)]
pub(super) struct Closings {
    /// Where the next mark of a name begins, if there is one.
    next: Vec<(&'static str, Option<usize>)>,
}

impl Closings {
    /// What follows the next `mark` from `from` on.
    pub(super) fn after(&mut self, text: &str, mark: &'static str, from: usize) -> Option<usize> {
        let start = self.next(mark, from, || {
            memmem::find(&text.as_bytes()[from..], mark.as_bytes()).map(|found| from + found)
        });
        start.map(|start| start + mark.len())
    }

    /// Where the next mark of this name begins, from `from` on. `find` searches the text from there
    /// and is called only if the last mark that was found is before `from`.
    pub(super) fn next(
        &mut self,
        name: &'static str,
        from: usize,
        find: impl FnOnce() -> Option<usize>,
    ) -> Option<usize> {
        match self.next.iter_mut().find(|(known, _)| *known == name) {
            Some((_, next)) => {
                if next.is_some_and(|next| next < from) {
                    *next = find();
                }
                *next
            }
            None => {
                let next = find();
                self.next.push((name, next));
                next
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_that_was_found_is_not_searched_for_again() {
        let mut closings = Closings::default();
        assert_eq!(closings.after("a]b]", "]", 0), Some(2));
        let unread = || -> Option<usize> { unreachable!("it is known") };
        assert_eq!(closings.next("]", 1, unread), Some(1));
        assert_eq!(closings.after("a]b]", "]", 2), Some(4));
        assert_eq!(closings.after("a]b]", "]", 4), None);
        assert_eq!(closings.next("]", 4, unread), None);
    }
}
