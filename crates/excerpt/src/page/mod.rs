//! HTML pages: one file each, with nothing to fetch. What came from outside is text on them and nothing else.

mod html;
mod marks;
mod preview;

pub(crate) use preview::Preview;
