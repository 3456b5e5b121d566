//! What formats with headings have in common: sections that nest by level, and their titles.

use std::borrow::Cow;
use std::sync::Arc;

use crate::day::dates;
use crate::document::DocumentInfo;
use crate::outline::{Kind, OutlineBuilder};
use crate::parse::limits::DEEPEST;

/// The maximum length of a title in characters: longer than any intended heading.
const LONGEST_TITLE: usize = 300;

/// The level of a section below as many others, at most the [deepest](DEEPEST).
pub(super) fn level(above: usize) -> u8 {
    u8::try_from((above + 1).min(DEEPEST)).unwrap_or(u8::MAX)
}

/// Opens a section of this level at `start`, and its heading. Sections of the same or a deeper
/// level end before it. A heading inside of other blocks opens none.
pub(super) fn open(builder: &mut OutlineBuilder<'_>, level: u8, start: usize) {
    while builder.current().kind == Kind::Section && builder.current().level >= level {
        builder.close(start);
    }
    if matches!(builder.current().kind, Kind::Document | Kind::Section) {
        let section = builder.open_at_line(Kind::Section, start);
        builder.level(section, level);
    }
    let heading = builder.open_at_line(Kind::Heading, start);
    builder.level(heading, level);
}

/// Closes the heading, which ends at `end`, and gives its section the title.
pub(super) fn close_heading(
    builder: &mut OutlineBuilder<'_>,
    info: &mut DocumentInfo,
    title: &str,
    end: usize,
) {
    builder.close(end);
    let title = title.trim();
    if builder.current().kind != Kind::Section || title.is_empty() {
        return;
    }
    let title: Arc<str> = shortened(title).into();
    let level = builder.current().level;
    let section = builder.current_index();
    builder.label(section, title.clone());
    if level == 1 && info.title.is_none() {
        info.title = Some(title.clone());
    }
    info.dates.extend(dates(&title));
    info.first_heading.get_or_insert(title);
}

/// A title of at most [`LONGEST_TITLE`] characters, since every chunk of its section repeats it.
fn shortened(title: &str) -> Cow<'_, str> {
    match title.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]).into(),
        None => title.into(),
    }
}
