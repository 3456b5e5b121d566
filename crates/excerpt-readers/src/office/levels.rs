//! The levels of the headings of a document: [`HeadingLevels`].

/// The levels of headings: those below a title are one deeper.
#[derive(Debug, Default)]
pub(crate) struct HeadingLevels {
    has_title: bool,
    has_heading: bool,
}

impl HeadingLevels {
    /// The level of a title. Only one that comes before all headings is above them.
    pub(crate) fn title(&mut self) -> usize {
        self.has_title |= !self.has_heading;
        1
    }

    pub(crate) fn heading(&mut self, level: usize) -> usize {
        self.has_heading = true;
        level + usize::from(self.has_title)
    }
}
