//! HTML pages: one file each, which fetches nothing. Text from outside appears on them only as
//! text.

mod html;
mod marks;
mod preview;

pub(crate) use html::Attribute;
pub(crate) use preview::Preview;
