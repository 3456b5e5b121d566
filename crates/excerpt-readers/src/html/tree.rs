//! The elements and texts of a page, in the order of the page: [`Tree`].
//!
//! A list of nodes, each of which says where its content ends: what contains what is known without
//! pointers, and walking needs no recursion. End tags that are left out are implied as browsers do;
//! tags that are nested wrongly never take a block apart.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{State, Tokenizer};

use crate::limits::ReadLimits;
use crate::reader::ReadError;

/// How many elements and texts a page may have: each takes some 150 bytes of memory.
const MOST_NODES: usize = 2_000_000;

/// How deep elements are nested. Deeper ones are siblings, as in browsers.
const DEEPEST: usize = 256;

/// How many events pass between two checks that the text is still needed.
const STEP: usize = 1 << 14;

/// Names that are known, and one for all others.
macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($variant:ident $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $type {
            Other,
            $($variant),*
        }

        impl $type {
            /// How many there are, those that are not known as one.
            #[allow(dead_code, reason = "only names of elements are counted")]
            const COUNT: usize = [$($name),*].len() + 1;

            pub(super) fn named(name: &[u8]) -> $type {
                $(if name == $name.as_bytes() {
                    return $type::$variant;
                })*
                $type::Other
            }
        }
    };
}

names! {
    /// The name of an element.
    Tag {
        P "p", A "a", Span "span", Code "code", Div "div", Td "td", Tr "tr", Li "li", Em "em",
        Dt "dt", Dd "dd", Ul "ul", Strong "strong", B "b", I "i", Br "br", Pre "pre", Th "th",
        Dl "dl", Table "table", Img "img", H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6",
        Tt "tt", Kbd "kbd", Samp "samp", Sup "sup", Q "q", Section "section", Article "article",
        Address "address", Aside "aside", Audio "audio", Base "base", Blockquote "blockquote",
        Body "body", Button "button", Canvas "canvas", Caption "caption", Center "center",
        Col "col", Colgroup "colgroup", Datalist "datalist", Details "details", Dialog "dialog",
        Dir "dir", Embed "embed", Area "area", Fieldset "fieldset", Figcaption "figcaption",
        Figure "figure", Footer "footer", Form "form", Frame "frame", Head "head",
        Header "header", Hgroup "hgroup", Hr "hr", Html "html", Iframe "iframe", Input "input",
        Legend "legend", Link "link", Listing "listing", Main "main", Math "math", Menu "menu",
        Meta "meta", Nav "nav", Noembed "noembed", Noscript "noscript", Object "object", Ol "ol",
        Optgroup "optgroup", Option "option", Param "param", Plaintext "plaintext",
        Script "script", Search "search", Select "select", Source "source", Style "style",
        Summary "summary", Svg "svg", Tbody "tbody", Template "template", Textarea "textarea",
        Tfoot "tfoot", Thead "thead", Title "title", Track "track", Video "video", Wbr "wbr",
        Xmp "xmp", Annotation "annotation", Keygen "keygen",
    }
}

names! {
    /// The name of an attribute that says something about the text.
    Attribute {
        Class "class", Id "id", Href "href", Alt "alt", Role "role", Style "style",
        Hidden "hidden", AriaHidden "aria-hidden", Colspan "colspan", Rowspan "rowspan",
        Start "start", Name "name", Property "property", Content "content", Lang "lang",
        XmlLang "xml:lang", DataLang "data-lang", DataLanguage "data-language", Open "open",
        EpubType "epub:type", Encoding "encoding", Alttext "alttext", Itemprop "itemprop",
    }
}

impl Tag {
    /// The level of a heading.
    pub(super) fn level(self) -> Option<usize> {
        match self {
            Tag::H1 => Some(1),
            Tag::H2 => Some(2),
            Tag::H3 => Some(3),
            Tag::H4 => Some(4),
            Tag::H5 => Some(5),
            Tag::H6 => Some(6),
            _ => None,
        }
    }

    /// Whether it begins and ends a block of text.
    pub(super) fn is_block(self) -> bool {
        use Tag::*;
        matches!(
            self,
            P | Div
                | Td
                | Tr
                | Li
                | Dt
                | Dd
                | Ul
                | Pre
                | Th
                | Dl
                | Table
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Section
                | Article
                | Address
                | Aside
                | Blockquote
                | Body
                | Caption
                | Center
                | Details
                | Dialog
                | Dir
                | Fieldset
                | Figcaption
                | Figure
                | Footer
                | Form
                | Header
                | Hgroup
                | Hr
                | Html
                | Legend
                | Listing
                | Main
                | Menu
                | Nav
                | Ol
                | Plaintext
                | Search
                | Summary
                | Tbody
                | Tfoot
                | Thead
                | Xmp
                | Head
        )
    }

    /// Whether it ends a paragraph that is open.
    fn ends_paragraph(self) -> bool {
        use Tag::*;
        self.is_block()
            && !matches!(
                self,
                Td | Tr | Th | Caption | Tbody | Tfoot | Thead | Legend
            )
    }

    /// Whether it has no content.
    fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Area | Base
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// Whether a browser shows something else than text in its place, which parts the words around
    /// it.
    pub(super) fn is_replaced(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Audio | Button | Canvas | Iframe | Input | Select | Svg | Textarea | Video
        )
    }

    /// Whether it is part of the head of a page.
    fn is_in_head(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Title | Meta | Link | Style | Script | Base | Noscript | Template | Head | Html
        )
    }

    /// How its content is read, if it is not markup.
    pub(super) fn state(self) -> Option<State> {
        use Tag::*;
        match self {
            Title | Textarea => Some(State::RcData),
            Style | Xmp | Iframe | Noembed => Some(State::RawText),
            Script => Some(State::ScriptData),
            Plaintext => Some(State::PlainText),
            _ => None,
        }
    }

    /// What it adds to [`HtmlNode::holds`] of the elements around it.
    fn kind(self) -> u8 {
        use Tag::*;
        match self {
            H1 => holds::HEADING | holds::TITLE,
            H2 | H3 | H4 | H5 | H6 => holds::HEADING,
            Table => holds::TABLE,
            Pre | Listing | Xmp | Plaintext => holds::CODE,
            Th => holds::HEADER,
            A => holds::LINK,
            P | Ul | Ol | Dl | Menu | Dir | Blockquote | Hr | Section | Article | Details
            | Figure | Tr => holds::BLOCK,
            _ => 0,
        }
    }
}

/// What an element contains.
pub(super) mod holds {
    pub(in super::super) const HEADING: u8 = 1;
    pub(in super::super) const TABLE: u8 = 1 << 1;
    pub(in super::super) const CODE: u8 = 1 << 2;
    pub(in super::super) const HEADER: u8 = 1 << 3;
    pub(in super::super) const LINK: u8 = 1 << 4;
    /// A block other than these.
    pub(in super::super) const BLOCK: u8 = 1 << 5;
    /// A heading of the first level.
    pub(in super::super) const TITLE: u8 = 1 << 6;
}

/// An element or a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct HtmlNode {
    /// The name of an element; `None` for a text.
    pub(super) tag: Option<Tag>,
    /// What is in it, of [`holds`].
    pub(super) holds: u8,
    /// The node after its content.
    pub(super) end: usize,
    /// Its text, or its attributes.
    from: usize,
    count: usize,
}

/// A page.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<HtmlNode>,
    attributes: Vec<(Attribute, usize, usize)>,
    text: String,
}

impl Tree {
    /// The elements and texts of a page.
    pub(super) fn parse(page: &str, limits: &ReadLimits<'_>) -> Result<Tree, ReadError> {
        let mut builder = Builder::new(is_xml(page));
        tokenize(page, limits, &mut |event| builder.event(event))?;
        Ok(builder.finish())
    }

    /// The text of a node, empty for an element.
    pub(super) fn text(&self, at: usize) -> &str {
        let text = |node: &HtmlNode| self.text.get(node.from..node.from + node.count);
        let node = self.nodes.get(at).filter(|node| node.tag.is_none());
        node.and_then(text).unwrap_or_default()
    }

    /// An attribute of an element.
    pub(super) fn attribute(&self, at: usize, name: Attribute) -> Option<&str> {
        let node = self.nodes.get(at).filter(|node| node.tag.is_some())?;
        let attributes = self.attributes.get(node.from..node.from + node.count)?;
        let (_, from, count) = attributes.iter().find(|(known, ..)| *known == name)?;
        self.text.get(*from..from + count)
    }

    /// Whether an element has any attribute that is known.
    pub(super) fn has_attributes(&self, at: usize) -> bool {
        let node = self.nodes.get(at);
        node.is_some_and(|node| node.tag.is_some() && node.count > 0)
    }

    /// The classes of an element.
    pub(super) fn classes(&self, at: usize) -> impl Iterator<Item = &str> {
        let classes = self.attribute(at, Attribute::Class);
        classes.unwrap_or_default().split_ascii_whitespace()
    }

    /// All text of a node and what is in it, as it is.
    pub(super) fn raw_text(&self, at: usize) -> String {
        let end = self.nodes.get(at).map_or(at, |node| node.end);
        (at..end).map(|at| self.text(at)).collect()
    }
}

/// Hands the tags and texts of a page on. There is one tokenizer in the program, since it is large.
pub(super) fn tokenize(
    page: &str,
    limits: &ReadLimits<'_>,
    take: &mut dyn FnMut(CallbackEvent<'_>) -> Option<Next>,
) -> Result<(), ReadError> {
    let callback = |event: CallbackEvent<'_>, _| take(event);
    let emitter = CallbackEmitter::<_, Next, ()>::new(callback);
    let mut tokenizer = Tokenizer::new_with_emitter(page, emitter);
    while let Some(Ok(next)) = tokenizer.next() {
        match next {
            Next::Content(state) => tokenizer.set_state(state),
            Next::Check => limits.check()?,
            Next::TooMany => {
                return Err(ReadError::Unsupported(
                    "a page of more than two million elements and texts",
                ));
            }
        }
    }
    Ok(())
}

/// Whether the page is XHTML, where `<div/>` has no content.
fn is_xml(page: &str) -> bool {
    let mut begin = page.len().min(1024);
    while !page.is_char_boundary(begin) {
        begin -= 1;
    }
    let begin = page[..begin].trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    begin.starts_with("<?xml")
        || begin.contains("//DTD XHTML")
        || begin.contains("http://www.w3.org/1999/xhtml")
}

/// What the tokenizer has to do.
pub(super) enum Next {
    /// Read content that is not markup.
    Content(State),
    Check,
    /// The page is too large.
    TooMany,
}

/// Builds a [`Tree`].
struct Builder {
    tree: Tree,
    /// The elements that are open.
    stack: Vec<(usize, Tag)>,
    /// How many of each name are open.
    open: [usize; Tag::COUNT],
    is_xml: bool,
    /// The element whose attributes are being read.
    tag: Tag,
    first_attribute: usize,
    attribute: Attribute,
    /// Whether the last node is a text that goes on.
    goes_on: bool,
    events: usize,
}

impl Builder {
    fn new(is_xml: bool) -> Self {
        Builder {
            tree: Tree::default(),
            stack: Vec::new(),
            open: [0; Tag::COUNT],
            is_xml,
            tag: Tag::Other,
            first_attribute: 0,
            attribute: Attribute::Other,
            goes_on: false,
            events: 0,
        }
    }

    fn finish(mut self) -> Tree {
        self.close_from(0);
        self.tree
    }

    fn event(&mut self, event: CallbackEvent<'_>) -> Option<Next> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Tag::named(name);
                self.first_attribute = self.tree.attributes.len();
                self.attribute = Attribute::Other;
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute = Attribute::named(name);
                let known = &self.tree.attributes[self.first_attribute..];
                // The first of the same name counts, and an empty one, such as `hidden`, is one.
                match known.iter().any(|(known, ..)| *known == self.attribute) {
                    true => self.attribute = Attribute::Other,
                    false if self.attribute != Attribute::Other => {
                        let at = self.tree.text.len();
                        self.tree.attributes.push((self.attribute, at, 0));
                    }
                    false => (),
                }
            }
            CallbackEvent::AttributeValue { value } => {
                if self.attribute != Attribute::Other
                    && let Some((_, from, count)) = self.tree.attributes.last_mut()
                {
                    self.tree.text.push_str(&String::from_utf8_lossy(value));
                    *count = self.tree.text.len() - *from;
                }
                self.attribute = Attribute::Other;
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some(state) = self.start(self_closing) {
                    return Some(Next::Content(state));
                }
            }
            CallbackEvent::EndTag { name } => self.end(Tag::named(name)),
            CallbackEvent::String { value } => self.text(value),
            _ => (),
        }
        self.events += 1;
        match self.tree.nodes.len() > MOST_NODES {
            true => Some(Next::TooMany),
            false => self.events.is_multiple_of(STEP).then_some(Next::Check),
        }
    }

    /// A text.
    fn text(&mut self, value: &[u8]) {
        let is_open = |tag: Tag| self.open[tag as usize] > 0;
        if is_open(Tag::Script) || is_open(Tag::Style) {
            return;
        }
        let value = String::from_utf8_lossy(value);
        let top = self.stack.last().map(|(_, tag)| *tag);
        if top == Some(Tag::Head) && !value.trim().is_empty() {
            self.close_last();
        }
        let from = self.tree.text.len();
        self.tree.text.push_str(&value);
        match self.tree.nodes.last_mut() {
            Some(last) if self.goes_on => last.count = from + value.len() - last.from,
            _ => {
                let end = self.tree.nodes.len() + 1;
                self.tree.nodes.push(HtmlNode {
                    tag: None,
                    holds: 0,
                    end,
                    from,
                    count: value.len(),
                });
            }
        }
        self.goes_on = true;
    }

    /// The start of an element. How its content is read, if it is not markup.
    fn start(&mut self, self_closing: bool) -> Option<State> {
        self.goes_on = false;
        let tag = self.tag;
        let is_foreign = self.open[Tag::Svg as usize] + self.open[Tag::Math as usize] > 0;
        let is_again = matches!(tag, Tag::Html | Tag::Head | Tag::Body)
            && (self.open[tag as usize] > 0 || self.open[Tag::Body as usize] > 0);
        if is_again && tag != Tag::Html {
            return None;
        }
        if !is_foreign {
            self.imply_ends(tag);
        }
        if self.stack.len() >= DEEPEST {
            self.close_last();
        }
        let at = self.tree.nodes.len();
        self.tree.nodes.push(HtmlNode {
            tag: Some(tag),
            holds: 0,
            end: at + 1,
            from: self.first_attribute,
            count: self.tree.attributes.len() - self.first_attribute,
        });
        self.stack.push((at, tag));
        self.open[tag as usize] += 1;
        let is_closed = self_closing && (is_foreign || self.is_xml || tag == Tag::Svg);
        if tag.is_void() || is_closed || is_again {
            self.close_last();
            return None;
        }
        // There is no text of a script in the tree, but a `title` of a drawing is markup.
        match is_foreign {
            true => None,
            false => tag.state(),
        }
    }

    /// Ends the elements that end where this one starts.
    fn imply_ends(&mut self, tag: Tag) {
        use Tag::*;
        let is_open = |tag: Tag, open: &[usize; Tag::COUNT]| open[tag as usize] > 0;
        if is_open(Head, &self.open) && !tag.is_in_head() {
            let is_other = |tag| tag == Html;
            self.close_up_to(|tag| tag == Head, is_other);
        }
        if tag.ends_paragraph() && is_open(P, &self.open) {
            self.close_up_to(
                |tag| tag == P,
                |tag| matches!(tag, Table | Td | Th | Caption | Button | Object),
            );
        }
        if tag.level().is_some()
            && self
                .stack
                .last()
                .is_some_and(|(_, tag)| tag.level().is_some())
        {
            self.close_last();
        }
        let is_list = |tag| matches!(tag, Ul | Ol | Menu | Dir | Dl | Table | Td | Th | Caption);
        match tag {
            Li if is_open(Li, &self.open) => self.close_up_to(|tag| tag == Li, is_list),
            Dt | Dd if is_open(Dt, &self.open) || is_open(Dd, &self.open) => {
                self.close_up_to(|tag| matches!(tag, Dt | Dd), is_list);
            }
            Td | Th => self.close_up_to(
                |tag| matches!(tag, Td | Th),
                |tag| matches!(tag, Tr | Table),
            ),
            Tr => self.close_up_to(|tag| tag == Tr, |tag| tag == Table),
            Thead | Tbody | Tfoot => self.close_up_to(
                |tag| matches!(tag, Thead | Tbody | Tfoot | Tr),
                |tag| tag == Table,
            ),
            Option | Optgroup if self.stack.last().is_some_and(|(_, tag)| *tag == Option) => {
                self.close_last();
            }
            _ => (),
        }
    }

    /// The end of an element.
    fn end(&mut self, tag: Tag) {
        use Tag::*;
        if tag.level().is_some() {
            return self.close_up_to(
                |tag| tag.level().is_some(),
                |tag| matches!(tag, Table | Td | Th),
            );
        }
        match tag {
            Br => {
                self.tag = Br;
                self.first_attribute = self.tree.attributes.len();
                self.start(false);
            }
            Html | Body => (),
            tag if self.open[tag as usize] == 0 => (),
            Table => self.close_up_to(|tag| tag == Table, |_| false),
            Tr | Thead | Tbody | Tfoot | Td | Th | Caption => {
                self.close_up_to(|open| open == tag, |open| open == Table);
            }
            Li => self.close_up_to(
                |tag| tag == Li,
                |tag| matches!(tag, Ul | Ol | Table | Td | Th | Caption),
            ),
            tag if tag.is_block() => self.close_up_to(
                |open| open == tag,
                |open| matches!(open, Table | Td | Th | Caption),
            ),
            // A block that began in an inline element does not end with it.
            tag => self.close_up_to(|open| open == tag, Tag::is_block),
        }
    }

    /// Ends the innermost element that is wanted, unless another one is around it.
    fn close_up_to(&mut self, is_wanted: impl Fn(Tag) -> bool, is_around: impl Fn(Tag) -> bool) {
        for at in (0..self.stack.len()).rev() {
            let (_, tag) = self.stack[at];
            if is_wanted(tag) {
                return self.close_from(at);
            }
            if is_around(tag) {
                return;
            }
        }
    }

    fn close_from(&mut self, depth: usize) {
        while self.stack.len() > depth {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        self.goes_on = false;
        let Some((at, tag)) = self.stack.pop() else {
            return;
        };
        self.open[tag as usize] -= 1;
        let end = self.tree.nodes.len();
        let node = &mut self.tree.nodes[at];
        node.end = end;
        let holds = node.holds | tag.kind();
        if let Some((around, _)) = self.stack.last() {
            self.tree.nodes[*around].holds |= holds;
        }
    }
}
