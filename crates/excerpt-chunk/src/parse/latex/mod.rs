//! LaTeX: sections by the commands that occur, environments, lists with their items, displayed
//! mathematics, and text that is kept as it is.
//!
//! The text is read command by command, without expanding any. What only TeX could know, such as
//! the commands that a document defines, is text.
//!
//! `reader.rs` reads the commands and tells `blocks.rs` where blocks begin and end. What names mean
//! is in `ranks.rs` and `kinds.rs`, what commands and arguments look like in `syntax.rs`. The links
//! are found by `links.rs`.

mod blocks;
mod kinds;
mod links;
mod ranks;
mod reader;
mod syntax;
mod title;

use crate::document::Document;
use crate::outline::Outline;
use crate::parse::Parser;
use crate::parse::latex::links::add_links;
use crate::parse::latex::ranks::likely_ranks;
use crate::parse::latex::reader::Reader;

/// Parses LaTeX.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Latex;

impl Parser for Latex {
    fn parse(&self, document: &Document<'_>, _: usize) -> Outline {
        // Which levels there are is certain only after reading.
        let ranks = likely_ranks(document.text());
        let mut reader = Reader::new(document, ranks);
        reader.document();
        if reader.found != ranks && !reader.blocks.base.is_full() {
            reader = Reader::new(document, reader.found);
            reader.document();
        }
        let mut outline = reader.blocks.base.finish(document, "LaTeX");
        add_links(&mut outline, document.text());
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::drawn;

    #[test]
    fn sections_and_environments() {
        insta::assert_snapshot!(drawn(
            &Latex,
            "\\documentclass{article}\n\\title{A guide}\n\n\\usepackage{x}\n\\begin{document}\n\\section{One}\\label{one}\nText.\n\n% \\section{no}\n\\subsubsection*{Deep\nand long} More.\n\\begin{itemize}\n\\item a\n\n  b\n\\item c\n\\begin{enumerate}\\item d\\end{enumerate}\n\\end{itemize}\n\\begin{quote}\nSaid.\n\n\\[ x \\]\n\\end{quote}\n\\begin{lstlisting}[language=Python]\n\\section{no}\n\\end{lstlisting}\n\\begin{table}\n\\begin{tabular}{l}a\\end{tabular}\n\\end{table}\n\\section{Two}\nEnd.\n\\end{document}\nrest\n"
        ));
    }
}
