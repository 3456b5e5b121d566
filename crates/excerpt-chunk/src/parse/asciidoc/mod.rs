//! AsciiDoc: sections by their titles, delimited blocks, tables and lists, as Asciidoctor reads
//! them.
//!
//! A block is known by its first line. The lines of attributes, anchors and a title above it belong
//! to it. Text is never looked at again for a delimiter: a block that is not closed takes the rest
//! of what it is in.
//!
//! `reader.rs` reads the blocks. What it asks of a line is in `line.rs`, `attributes.rs` and
//! `marker.rs`; tables, the header, links and titles are in files of their own.

mod attributes;
mod header;
mod line;
mod links;
mod marker;
mod reader;
mod table;
mod title;

pub(super) use line::title_in_one_line;

use crate::document::Document;
use crate::outline::Outline;
use crate::parse::Parser;
use crate::parse::asciidoc::links::add_links;
use crate::parse::asciidoc::reader::Reader;

/// Parses AsciiDoc.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsciiDoc;

impl Parser for AsciiDoc {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        let mut reader = Reader::new(document);
        reader.blocks(0..reader.base.lines.len(), 0);
        let mut outline = reader.base.finish(document, "AsciiDoc");
        add_links(&mut outline, document.text());
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::{Kind, Node};
    use crate::parse::{drawn, kinds_of_links, links_of};

    #[test]
    fn sections_nest_by_their_marks() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "= Guide\nAnn Author\n:toc:\n\nHello.\n\n== One ==\n\na\n\n=== Deep\n\nUnder it\n~~~~~~~~\n\nx\n\nTwo\n---\nb\n== no title\n"
        ));
    }

    #[test]
    fn what_stands_above_a_block_belongs_to_it() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "== A\n\ntext\n\n[[one]]\n// why\n\n.Not shown\n[#two]\n== B\n\n[discrete]\n=== Aside\n\n.Run it\n[source,sh]\n----\nmake\n\n== no title\n----\n\n[,rust]\n....\nx\n....\n\n```js\nx\n```\n"
        ));
    }

    #[test]
    fn containers_have_blocks_and_an_open_one_goes_on_to_the_end() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "====\na\n\n--\nb\n\n* c\n--\n====\n\n[verse]\n____\nx\n\ny\n____\n\n////\nout\n////\n\n****\n----\nnever closed\n\n****\nlast\n\n----\nx\n\n== no title\n"
        ));
    }

    #[test]
    fn a_discrete_heading_ends_at_the_next_one() {
        let text = "= Mill\n\n[float]\n= Aside\n\na\n\n== Sacks\n\n[discrete]\n== Rye\n\nb\n\n[discrete#oat]\n==== Oat\n\nc\n\n=== Old\n\nd\n";
        let outline = AsciiDoc.parse(&Document::new(text), 0);
        let sections = outline.nodes().iter();
        let sections = sections.filter(|node| node.kind() == Kind::Section);
        let found: Vec<_> = sections
            .map(|node| {
                let last = text[node.span()].trim_end().lines().last();
                (
                    node.label().unwrap_or_default(),
                    node.level(),
                    last.unwrap_or_default(),
                )
            })
            .collect();
        let expected = [
            ("Mill", 1, "d"),
            ("Aside", 2, "a"),
            ("Sacks", 2, "d"),
            ("Rye", 3, "b"),
            ("Oat", 4, "c"),
            ("Old", 3, "d"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_offset_changes_the_levels_of_the_titles_below_it() {
        let levels = |text: &str| -> Vec<u8> {
            let outline = AsciiDoc.parse(&Document::new(text), 0);
            let nodes = outline.nodes().iter();
            let sections = nodes.filter(|node| node.kind() == Kind::Section);
            sections.map(Node::level).collect()
        };
        let text = "= Book\n:leveloffset: 1\n\n= One\n\n== Sec\n\n:leveloffset: 0\n\n== Two\n";
        assert_eq!(levels(text), [1, 2, 3, 2]);
        assert_eq!(levels(&text.replace("\n\n", "\n")), [1, 2, 3, 2]);
        let text = "= Book\n\n:leveloffset: +1\n\n== A\n\n:leveloffset: +1\n\n== B\n\n:leveloffset: -1\n\n== C\n\n:leveloffset!:\n\n== D\n\n:!leveloffset:\n:leveloffset: x\n\n=== E\n";
        assert_eq!(levels(text), [1, 3, 4, 3, 2, 3]);
        let text = ":leveloffset: -9\n\n=== A\n\n:leveloffset: 127\n\n== B\n\n:leveloffset: +127\n\n== C\n";
        assert_eq!(levels(text), [1, 6, 6]);
    }

    #[test]
    fn a_title_has_the_values_of_attributes() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "= The {name}\n:name: *Mill*\n\n:old: a\n:!old:\n:Part: Sacks\n\n== {part} of {name} in {cpp}\n\n== {old} \\{part}\n\n[preface]\n= Words\n\n== Deep\n"
        ));
    }

    #[test]
    fn lines_that_are_kept_end_where_asciidoctor_ends_them() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "[verse]\na\nNo title\n--------\nb\n\n  kept\n----\ncode\n\nmore\n----\n\n* one\n\n  kept\n  - kept\n* two\n\n[[c]]\n////\n1\n2\n3\n4\n5\n6\n7\n8\n////\n== C\n\n[[d]]\n////\n1\n////\n== D\n"
        ));
    }

    #[test]
    fn lists_of_every_kind() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            "* a\n** b\n+\nmore\n+\n----\ncode\n----\n* c\n\n  literal\n\n. one\n.. two\n\n- x\n\nAfter.\n\nterm::\n\n  what it is\nother:: is\n<1> call\n\n1. first\na. second\ni) third\n\nNOTE: a b\n* no item\n"
        ));
    }

    #[test]
    fn tables_have_rows_that_begin_with_a_line() {
        insta::assert_snapshot!(drawn(
            &AsciiDoc,
            ".Sizes\n|===\n|a |b\n\n|1 |2\n|3\n|4\n\n.2+|5 |6\n|7\n2+|8\n|===\n\n[cols=\"1,1\"]\n|===\n|a\n|b\n\n|c\n|d\n|===\n\n,===\na,\"b\nc\"\nd,e\n,===\n"
        ));
    }

    #[test]
    fn links_to_other_files_labels_and_included_files_are_recorded() {
        let text = "= Guide\ninclude::top.adoc[]\n\nSee xref:a/b.adoc#c[that], <<d.adoc#,d>>, <<here>>, xref:e#f[], link:g.pdf[g].\n\n\
            * link:h[h] link:i xref:j[\n\n.About <<title>>\n|===\n|<<How to brew,brew>> |xref:#k[] \\<<no>> xref:{no}[] 1 << 2 >> 1\n|===\n\n\
            ----\n<<no>>\ninclude::code.rb[lines=1]\n----\n\n\\include::no.adoc[]\n";
        let links = links_of(&AsciiDoc, text);
        let links: Vec<_> = links.iter().map(|(to, by)| (&**to, &**by)).collect();
        assert_eq!(
            links,
            [
                ("top.adoc", "include::top.adoc[]"),
                ("a/b.adoc#c", "xref:a/b.adoc#c[that]"),
                ("d.adoc#", "<<d.adoc#,d>>"),
                ("here", "<<here>>"),
                ("e.adoc#f", "xref:e#f[]"),
                ("g.pdf", "link:g.pdf[g]"),
                ("h", "link:h[h]"),
                ("title", "<<title>>"),
                ("How to brew", "<<How to brew,brew>>"),
                ("k", "xref:#k[]"),
                ("code.rb", "include::code.rb[lines=1]"),
            ]
        );
        let kinds = kinds_of_links(&AsciiDoc, "<<a>> xref:b[] <<c.adoc#d>> link:e[]\n");
        assert_eq!(kinds, ["label", "label", "plain", "plain"]);
    }
}
