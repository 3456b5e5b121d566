//! From the lines of all pages to headings, paragraphs, lists, tables and code.
//!
//! Running lines are removed; what the rest looks like is its [`Style`]. Lines that belong together
//! become blocks, and some of these headings.

mod blocks;
mod headings;
mod mark;
mod running;
mod shape;
mod style;
mod table;
mod text_block;
mod words;

use super::layout::Line;
use super::outline::OutlineEntry;
use crate::markdown::MarkdownWriter;
use crate::place::FilePlace;
use crate::reader::ReadError;
use blocks::blocks;
use headings::find_headings;
use running::remove_running;
use style::Style;
use text_block::{TextBlock, TextKind};
use words::Words;

/// Writes all pages.
pub(super) fn write(
    mut pages: Vec<Vec<Line>>,
    outline: &[OutlineEntry],
    writer: &mut MarkdownWriter<'_>,
) -> Result<(), ReadError> {
    remove_running(&mut pages);
    let style = Style::of(&pages);
    let words = Words::of(&pages);
    let pages = pages
        .into_iter()
        .map(|lines| blocks(&lines, &style, &words));
    let mut pages: Vec<Vec<TextBlock>> = pages.collect();
    find_headings(&mut pages, &style, outline);
    for (at, blocks) in pages.iter().enumerate() {
        if !blocks.is_empty() {
            writer.place(FilePlace::Page(at + 1));
            write_page(blocks, writer)?;
        }
    }
    Ok(())
}

fn write_page(blocks: &[TextBlock], writer: &mut MarkdownWriter<'_>) -> Result<(), ReadError> {
    // Where the items of the open lists begin.
    let mut lists: Vec<f64> = Vec::new();
    let close = |lists: &mut Vec<f64>, writer: &mut MarkdownWriter<'_>| {
        if lists.pop().is_some() {
            writer.close();
            writer.close();
        }
    };
    for block in blocks {
        if let TextKind::Item(number) = block.kind {
            while lists
                .last()
                .is_some_and(|left| block.left < left - 0.5 * block.size)
            {
                close(&mut lists, writer);
            }
            if lists
                .last()
                .is_some_and(|left| block.left < left + 0.8 * block.size)
            {
                close(&mut lists, writer);
            }
            lists.push(block.left);
            writer.open_list(number);
            writer.open_item();
            writer.paragraph(&block.text)?;
            continue;
        }
        while !lists.is_empty() {
            close(&mut lists, writer);
        }
        match &block.kind {
            TextKind::Heading(level) => writer.heading(*level, &block.text)?,
            TextKind::Code => writer.code(None, &block.text)?,
            TextKind::Table(rows) => {
                if let Some((header, rows)) = rows.split_first() {
                    writer.open_table(header)?;
                    for row in rows {
                        writer.row(row)?;
                    }
                    writer.close_table();
                }
            }
            _ => writer.paragraph(&block.text)?,
        }
    }
    while !lists.is_empty() {
        close(&mut lists, writer);
    }
    Ok(())
}
