//! PDF files from the contents of their pages: an example has no need of what every file has.

use crate::pdf_maker::PdfMaker;

/// The file with these parts: the contents of each `page`, the entries of its `info`, and its
/// `outline`, of which each line is the number of a page and a title.
pub(crate) fn file(parts: &[(String, String)]) -> Vec<u8> {
    let of = |wanted: &'static str| {
        let parts = parts.iter().filter(move |(name, _)| name == wanted);
        parts.map(|(_, contents)| &**contents)
    };
    let pages: Vec<&str> = of("page").collect();
    let mut maker = PdfMaker::pages(&pages);
    for info in of("info") {
        let number = maker.add(&format!("<<{info}>>"));
        maker.trailer += &format!("/Info {number} 0 R");
    }
    for outline in of("outline") {
        let entries: Vec<_> = outline
            .lines()
            .filter_map(|line| line.split_once(' '))
            .collect();
        let number = maker.add("<<>>");
        maker.replace(number, "<<", &format!("<</First {} 0 R", number + 1));
        maker.replace(1, ">>", &format!("/Outlines {number} 0 R>>"));
        for (at, (page, title)) in entries.iter().enumerate() {
            let page = 3 + 2 * page.parse::<usize>().unwrap_or(1);
            let next = match at + 1 < entries.len() {
                true => format!("/Next {} 0 R", number + at + 2),
                false => String::new(),
            };
            maker.add(&format!("<</Title({title})/Dest[{page} 0 R/Fit]{next}>>"));
        }
    }
    maker.bytes()
}
