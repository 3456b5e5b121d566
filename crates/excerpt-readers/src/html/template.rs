//! Whether a file of HTML is a page: [`is_page`].
//!
//! A template, or a part of a page, is the source of a program, and is read as such.

use html5gum::emitters::callback::CallbackEvent;

use super::encoding::decode;
use super::tree::{Next, Tag, tokenize};
use crate::limits::ReadLimits;

/// How many bytes of a file are looked at.
const BEGIN: usize = 64 << 10;

/// How far into a file its first tag may be.
const FIRST: usize = 4 << 10;

/// How much text, in bytes, may have one mark of a template in it: pages about templates do.
const TEXT: usize = 8 << 10;

/// How long a tag of a template may be.
const LONGEST: usize = 200;

/// Whether a file is a page with text, and no template.
pub(crate) fn is_page(bytes: &[u8]) -> bool {
    let begin = &bytes[..bytes.len().min(BEGIN)];
    let is_whole = begin.len() == bytes.len();
    let page = decode(begin);
    if !is_complete(&page) {
        return false;
    }
    let mut look = Look::default();
    let mut tag = Tag::Other;
    let tokenized = tokenize(&page, &ReadLimits::default(), &mut |event| {
        let next = match event {
            CallbackEvent::OpenStartTag { name } => {
                tag = Tag::named(name);
                None
            }
            CallbackEvent::CloseStartTag { .. } => tag.state().map(Next::Content),
            _ => None,
        };
        look.event(event);
        next
    });
    if tokenized.is_err() {
        return false;
    }
    !look.is_template && look.marks <= look.text / TEXT && (look.text > 0 || !is_whole)
}

/// Whether the first tag is one that a page begins with.
fn is_complete(page: &str) -> bool {
    // Comments, the XML declaration, and what a server has said about the page may be before it.
    let mut rest = &page[page.find('<').unwrap_or(page.len())..];
    while page.len() - rest.len() < FIRST {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?xml") => "?>",
            _ => break,
        };
        let Some((_, after)) = rest.split_once(end) else {
            return false;
        };
        rest = &after[after.find('<').unwrap_or(after.len())..];
    }
    let begins = |name: &str| {
        let begin = rest.as_bytes().get(..name.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(name.as_bytes()))
    };
    ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|name| begins(name))
}

/// What the beginning of a file looks like.
#[derive(Debug, Default)]
struct Look {
    /// Whether something is in it that only a template has.
    is_template: bool,
    /// How many marks are in its text that templates have.
    marks: usize,
    /// How much text there is in bytes, without white space.
    text: usize,
    /// How many elements are open that contain code, or no text.
    code: usize,
    hidden: usize,
    /// Whether the title is open.
    is_title: bool,
}

impl Look {
    fn event(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.is_title = name == b"title";
                match name {
                    b"script" | b"style" | b"template" | b"noscript" | b"title" => self.hidden += 1,
                    b"code" | b"pre" | b"tt" | b"kbd" | b"samp" | b"textarea" => self.code += 1,
                    _ if self.hidden == 0 => self.is_template |= has_marks(name),
                    _ => (),
                }
            }
            CallbackEvent::EndTag { name } => {
                self.is_title = false;
                match name {
                    b"script" | b"style" | b"template" | b"noscript" | b"title" => {
                        self.hidden = self.hidden.saturating_sub(1);
                    }
                    b"code" | b"pre" | b"tt" | b"kbd" | b"samp" | b"textarea" => {
                        self.code = self.code.saturating_sub(1);
                    }
                    _ => (),
                }
            }
            CallbackEvent::AttributeName { name } if self.hidden == 0 => {
                self.is_template |= is_directive(name);
            }
            CallbackEvent::AttributeValue { value } if self.hidden == 0 => {
                self.is_template |= has_marks(value);
            }
            // `<?php` and `<%` are no text; what shows them is escaped.
            CallbackEvent::Comment { value } => {
                self.is_template |= value.starts_with(b"?php") || value.starts_with(b"?=");
            }
            CallbackEvent::String { value } if self.is_title => {
                self.is_template |= has_marks(value);
            }
            CallbackEvent::String { value } if self.hidden == 0 => {
                self.text += value
                    .iter()
                    .filter(|byte| !byte.is_ascii_whitespace())
                    .count();
                if self.code == 0 {
                    self.marks += marks(value);
                }
            }
            _ => (),
        }
    }
}

/// Whether an attribute is one of a framework of templates.
fn is_directive(name: &[u8]) -> bool {
    let prefixes: &[&[u8]] = &[
        b"*ng",
        b"[",
        b"(",
        b"#",
        b"@",
        b":",
        b"v-",
        b"ng-",
        b"th:",
        b"x-on:",
        b"x-bind:",
        b"asp-",
        b"wire:",
        b"hx-on:",
        b"tal:",
        b"data-ng-",
        b"{{",
        b"{%",
        b"<%",
    ];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a template engine would replace a part of a tag.
fn has_marks(value: &[u8]) -> bool {
    marks(value) > 0
}

/// How many marks of template engines are in a text: `{{ name }}`, `{% if %}`, `<%`.
fn marks(value: &[u8]) -> usize {
    let is_mark = |(at, pair): &(usize, &[u8])| match pair {
        [b'<', b'%'] => true,
        [b'{', last @ (b'{' | b'%')] => {
            let end: &[u8] = if *last == b'{' { b"}}" } else { b"%}" };
            is_tag(&value[at + 2..], end)
        }
        _ => false,
    };
    value.windows(2).enumerate().filter(is_mark).count()
}

/// Whether what follows the start of a tag is one, and no braces of a program.
fn is_tag(rest: &[u8], end: &[u8]) -> bool {
    let rest = &rest[..rest.len().min(LONGEST)];
    let Some(length) = rest.windows(2).position(|pair| pair == end) else {
        return false;
    };
    let begin = rest[..length].trim_ascii_start().first();
    begin.is_some_and(|begin| begin.is_ascii_alphabetic() || b"#/>^!&{-+_$@'".contains(begin))
        && !rest[..length].contains(&b'}')
}
