//! `excerpt remove`: removes collections from the library, or an index.

use std::path::{Path, PathBuf};

use anyhow::bail;
use excerpt_service::text::counted;
use excerpt_service::{IndexChoice, RemoveRequest, remove_index};

use crate::cli::exit::Outcome;
use crate::cli::status::size;
use crate::output::Output;

/// Remove a collection from the library, or an index; files stay
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The collections
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// With names, the index that contains the collections [default: the library]. Without a name,
    /// the index to remove: its directory, or a folder that it indexes
    #[arg(long, value_name = "FOLDER")]
    index: Option<PathBuf>,
}

/// Removes the collections or the index.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut output = Output::new();
    match (&args.index, args.names.is_empty()) {
        (None, true) => bail!(
            "name a collection, which `excerpt list` shows, or `--index` and an index, which `excerpt list --indexes` shows"
        ),
        (Some(index), true) => removed_index(&mut output, index)?,
        (index, false) => {
            // The environment variable can select the library here, but never an index to remove.
            let index = index.clone();
            let index = index.map_or_else(IndexChoice::of_environment, IndexChoice::of);
            remove_collections(&mut output, &args.names, &index)?;
        }
    }
    output.flush()?;
    Ok(Outcome::Done)
}

fn removed_index(output: &mut Output, named: &Path) -> anyhow::Result<()> {
    let removed = remove_index(named)?;
    let place = removed.index.display().to_string();
    output.line(format!(
        "{}: removed, {} freed",
        output.safe(&place),
        size(removed.disk_bytes)
    ))?;
    Ok(())
}

fn remove_collections(
    output: &mut Output,
    names: &[String],
    index: &IndexChoice,
) -> anyhow::Result<()> {
    let request = RemoveRequest {
        names: names.to_vec(),
    };
    request.remove(index, |removed| {
        output.line(format!(
            "{}: removed, {}",
            output.safe(&removed.name),
            counted(removed.documents, "document")
        ))?;
        Ok(())
    })
}
