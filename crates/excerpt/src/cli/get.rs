//! `excerpt get`: a document from the index, whole or some lines of it.

use std::path::{Path, PathBuf};

use anyhow::bail;
use excerpt_index::{Index, OpenOptions};

use crate::cli::place::IndexArgs;
use crate::exit::Outcome;
use crate::output::Output;

/// Print a document from the index, or some lines of it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The document, with the lines wanted if not all: notes.md:10-20 or notes.md:7
    #[arg(value_name = "PATH[:LINES]")]
    document: String,
    /// Print the text with what is known of the document, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    index: IndexArgs,
}

/// Prints the document.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let (path, lines) = target(&args.document)?;
    let (folder, rest) = existing(&path)?;
    let place = args.index.locate(&folder)?;
    let index = Index::open(&place.index, OpenOptions::default())?;
    let inside = [place.path.clone(), rest]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("/");
    let inside = match inside.is_empty() {
        // The source is a single file: its name is its path.
        true => path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        false => inside,
    };
    let document = index.get(Some(&place.root), &inside, lines)?;
    let mut output = Output::new();
    match args.json {
        true => output.json(&document)?,
        false => output.raw(&output.safe(&document.text))?,
    }
    output.flush()?;
    Ok(Outcome::Done)
}

/// A path and the lines behind it. A file whose name ends like lines is meant itself.
fn target(document: &str) -> anyhow::Result<(PathBuf, Option<(usize, usize)>)> {
    let whole = PathBuf::from(document);
    let Some((path, lines)) = document.rsplit_once(':') else {
        return Ok((whole, None));
    };
    if whole.exists() {
        return Ok((whole, None));
    }
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first >= 1 && first <= last => {
            Ok((path.into(), Some((first, last))))
        }
        _ => bail!(
            "`{lines}` are no lines of `{path}`, expected one or a range from 1, such as `7` or `10-20`"
        ),
    }
}

/// The part of a path that exists, and the rest: a document may be in the index and no longer on disk.
fn existing(path: &Path) -> anyhow::Result<(PathBuf, Option<String>)> {
    let absolute = std::path::absolute(path)?;
    let folder = absolute
        .ancestors()
        .find(|folder| folder.exists())
        .unwrap_or(Path::new("/"));
    let rest = absolute.strip_prefix(folder)?;
    let rest = rest.to_str().filter(|rest| !rest.is_empty());
    Ok((folder.to_path_buf(), rest.map(str::to_string)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_behind_the_path() {
        assert_eq!(target("a.md").unwrap(), ("a.md".into(), None));
        assert_eq!(target("a:b.md:7").unwrap(), ("a:b.md".into(), Some((7, 7))));
        assert_eq!(
            target("a.md:10-20").unwrap(),
            ("a.md".into(), Some((10, 20)))
        );
        let error = target("a.md:20-10").unwrap_err().to_string();
        assert_eq!(
            error,
            "`20-10` are no lines of `a.md`, expected one or a range from 1, such as `7` or `10-20`"
        );
    }
}
