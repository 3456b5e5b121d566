//! Rows in aligned columns.

use std::io;

use owo_colors::Style;

use crate::output::{Output, columns};

/// The space before a column.
const GAP: &str = "  ";

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table, built column by column.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    head: String,
    align: Align,
    cells: Vec<String>,
}

impl Table {
    /// Adds a column; all columns have as many cells.
    pub(crate) fn column(
        mut self,
        head: &str,
        align: Align,
        cells: impl IntoIterator<Item = String>,
    ) -> Self {
        self.columns.push(Column {
            head: head.to_string(),
            align,
            cells: cells.into_iter().collect(),
        });
        self
    }

    /// Adds the columns of another table.
    pub(crate) fn beside(mut self, other: Table) -> Self {
        self.columns.extend(other.columns);
        self
    }

    /// The width of the table in terminal columns.
    pub(crate) fn width(&self) -> usize {
        let widths = self.columns.iter().map(|column| GAP.len() + column.width());
        widths.sum()
    }

    /// Prints the table. If it is too wide, the last columns are omitted.
    pub(crate) fn print(&self, output: &mut Output) -> io::Result<()> {
        let lines = self.lines(output.width());
        let mut lines = lines.iter().map(|line| line.trim_end());
        let head = lines.next().unwrap_or_default();
        if !head.is_empty() {
            output.line(output.styled(head, Style::new().dimmed()))?;
        }
        lines.try_for_each(|line| output.line(output.safe(line)))
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        let mut lines = vec![String::new(); 1 + rows];
        let mut taken = 0;
        for (index, column) in self.columns.iter().enumerate() {
            taken += GAP.len() + column.width();
            if taken > width && index > 1 {
                break;
            }
            let cells = std::iter::once(&column.head).chain(&column.cells);
            for (line, cell) in lines.iter_mut().zip(cells) {
                let space = " ".repeat(column.width() - columns(cell));
                *line += GAP;
                *line += &match column.align {
                    Align::Left => format!("{cell}{space}"),
                    Align::Right => format!("{space}{cell}"),
                };
            }
        }
        lines
    }
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.cells.iter().chain([&self.head]);
        cells.map(|cell| columns(cell)).max().unwrap_or(0)
    }
}

/// A bar for a share from 0 to 1, `width` columns wide for 1, with a resolution of an eighth of a
/// column.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (8 * width) as f64).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::default()
            .column("tea", Align::Left, ["green".into(), "漢".into()])
            .column("min", Align::Right, ["2".into(), "10".into()])
            .column("cups", Align::Right, ["1".into(), "3".into()])
    }

    #[test]
    fn cells_are_below_their_heads() {
        assert_eq!(
            table().lines(80),
            [
                "  tea    min  cups",
                "  green    2     1",
                "  漢      10     3"
            ]
        );
        assert_eq!(table().width(), 18);
    }

    #[test]
    fn columns_that_do_not_fit_are_omitted_from_the_end() {
        assert_eq!(table().lines(17)[1], "  green    2");
        assert_eq!(table().lines(3)[1], "  green    2");
    }

    #[test]
    fn a_bar_has_a_resolution_of_an_eighth() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.6, 4), "██▍");
        assert_eq!(bar(1.5, 2), "██");
        assert_eq!(bar(0.0, 4), "");
    }
}
