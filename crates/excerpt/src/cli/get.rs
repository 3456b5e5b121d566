//! `excerpt get`: documents from the index, whole or in part, with neighbouring chunks and links.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use excerpt_index::{
    Collection, DocumentText, Error, Index, Links, ListOptions, OpenOptions, Outgoing, ReadOptions,
    Target,
};
use excerpt_service::{Changed, Fragment, Paths, in_collection, is_id, parsed};
use globset::GlobBuilder;
use owo_colors::Style;
use serde::Serialize;

use crate::cli::choice::IndexArgs;
use crate::cli::exit::Outcome;
use crate::cli::told::{changed, message};
use crate::output::{Output, SCHEMA, complain, say};

/// Print documents from the index, or parts of them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Documents (notes.md, 'docs/**/*.md'), lines (notes.md:10-20 or notes.md:7), sections
    /// (notes.md#how-it-works) or ids of chunks
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// Print the chunks that contain the target, and this many before and after them
    #[arg(long, value_name = "N")]
    neighbours: Option<usize>,
    /// List the links in the printed text, and the links that lead to it
    #[arg(long)]
    links: bool,
    /// Print each text with its metadata as a line of JSON
    #[arg(long)]
    json: bool,
    /// The collection that the targets are in; they are then paths inside it
    #[arg(long, short = 'c', value_name = "NAME")]
    collection: Option<String>,
    #[command(flatten)]
    index: IndexArgs,
}

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    target: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<&'a str>,
    /// The path inside the source, which is the document's name in the index.
    source_path: &'a str,
    #[serde(flatten)]
    document: &'a DocumentText,
}

/// A document or a part of one, with paths as shown to the user.
struct Read {
    document: DocumentText,
    /// The path inside the source.
    source_path: String,
    collection: Option<String>,
}

/// Prints the targets. An error in one is reported and does not affect the others.
pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let mut reader = Reader {
        args,
        indexes: HashMap::new(),
    };
    let mut output = Output::new();
    let (mut printed, mut failure) = (0, None);
    let mut notes = Vec::new();
    let mut targets = Vec::new();
    for target in &args.targets {
        match reader.matching(target)? {
            Some(matching) => targets.extend(matching),
            None => targets.push(target.clone()),
        }
    }
    for target in &targets {
        match reader.read(target) {
            Ok(read) => {
                print(&mut output, args, targets.len(), target, &read, printed)?;
                let document = &read.document;
                let (size, modified) = (document.size, document.modified);
                let since = Changed::since(&document.source, &read.source_path, size, modified);
                let name = format!("`{}`", document.path);
                notes.extend(since.map(|since| changed(since, &name)));
                printed += 1;
            }
            Err(error) => {
                // The last error is printed by the caller.
                if let Some(earlier) = failure.replace(error) {
                    complain(&message(&earlier));
                }
            }
        }
    }
    output.flush()?;
    notes.dedup();
    notes.iter().for_each(|note| say(&format!("note: {note}")));
    match failure {
        None => Ok(Outcome::Done),
        Some(error) if printed == 0 => Err(error),
        Some(error) => {
            complain(&message(&error));
            Ok(Outcome::Attention)
        }
    }
}

/// Reads targets, each from the index that serves it.
struct Reader<'a> {
    args: &'a Args,
    indexes: HashMap<PathBuf, Index>,
}

impl Reader<'_> {
    /// The documents that a pattern matches, as shown to the user; `None` if `given` is not a
    /// pattern. File names can contain brackets and braces, too.
    fn matching(&mut self, given: &str) -> anyhow::Result<Option<Vec<String>>> {
        let exists = |path: &str| Path::new(path).exists();
        let names_one = match parsed(given, exists) {
            Ok((path, part)) => exists(path) || part != Fragment::Whole,
            Err(_) => true,
        };
        let is_pattern = given.contains(['*', '?', '[', '{']);
        if names_one || !is_pattern || self.args.collection.is_some() {
            return Ok(None);
        }
        let pattern = GlobBuilder::new(given).literal_separator(true).build();
        let pattern = pattern.with_context(|| format!("invalid pattern `{given}`"))?;
        let pattern = pattern.compile_matcher();
        let plain = given.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let folder = plain.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let folder = Path::new(if folder.is_empty() { "/" } else { folder });
        let place = self.args.index.choice().locate(folder)?;
        let paths = Paths::from_here(Some(folder));
        let mut options = ListOptions::default();
        options.source = Some(place.root.clone());
        options.path = place.path;
        let documents = self.index(place.index)?.documents(&options)?.into_iter();
        let shown = documents.map(|document| paths.shown(&place.root, &document.path));
        let matching: Vec<String> = shown.filter(|path| pattern.is_match(path)).collect();
        match matching.is_empty() {
            true if given.contains(['*', '?']) => bail!("no indexed document matches `{given}`"),
            true => Ok(None),
            false => Ok(Some(matching)),
        }
    }

    fn index(&mut self, dir: PathBuf) -> anyhow::Result<&mut Index> {
        Ok(match self.indexes.entry(dir) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let index = Index::open(entry.key(), OpenOptions::default())?;
                entry.insert(index)
            }
        })
    }

    fn read(&mut self, given: &str) -> anyhow::Result<Read> {
        let (path, part) = parsed(given, |path| Path::new(path).exists())?;
        let named = self.args.collection.as_deref().map(|name| (name, path));
        let named = named.or_else(|| in_collection(path).filter(|_| !Path::new(path).exists()));
        let path = Path::new(path);
        let mut collection = None;
        let (index, root, inside) = match named {
            Some((name, inside)) => {
                let library = self.args.index.choice().library()?;
                let found = Collection::named_in(&library, name)?;
                collection = Some(found.name);
                (library, found.root, inside.to_string())
            }
            None => {
                let (folder, rest) = existing(path)?;
                let place = self.args.index.choice().locate(&folder)?;
                let inside = [place.path, rest].into_iter().flatten();
                let inside = inside.collect::<Vec<_>>().join("/");
                let name = path.file_name().unwrap_or_default();
                let inside = match inside.is_empty() {
                    // The source is a single file, whose path is its name.
                    true => name.to_string_lossy().into_owned(),
                    false => inside,
                };
                (place.index, place.root, inside)
            }
        };
        let target = match part {
            Fragment::Whole => Target::document(inside),
            Fragment::Lines(first, last) => Target::lines_from(inside, first, last),
            Fragment::Section(section) => Target::section(inside, section),
        };
        let (here, anywhere) = (self.options().source(&root), self.options());
        let index = self.index(index)?;
        let paths = Paths::from_here(None);
        let document = match index.get(&target, &here) {
            Err(Error::UnknownDocument { .. }) if is_id(given) => {
                let chunk = Target::chunk(given);
                match index.get(&chunk, &here) {
                    Err(Error::UnknownChunk { .. }) => index.get(&chunk, &anywhere)?,
                    found => found?,
                }
            }
            Err(Error::UnknownDocument { closest, .. }) => {
                return Err(Error::UnknownDocument {
                    path: path.display().to_string(),
                    closest: closest
                        .map(|closest| paths.address(collection.as_deref(), &root, &closest)),
                }
                .into());
            }
            found => found.map_err(|error| {
                error.with_paths(|path| paths.address(collection.as_deref(), &root, path))
            })?,
        };
        Ok(read_as(document, collection, &paths))
    }

    fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.neighbours = self.args.neighbours;
        options.links = self.args.links;
        options
    }
}

/// The part of a path that exists, and the rest: a document may be in the index and no longer on
/// disk.
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

/// `document` with paths as shown to the user, which `get` accepts.
fn read_as(mut document: DocumentText, collection: Option<String>, paths: &Paths) -> Read {
    let root = document.source.clone();
    let shown = |path: &str| paths.address(collection.as_deref(), &root, path);
    let cited = |citation: &str, path: &str| match citation.strip_prefix(path) {
        Some(lines) => format!("{}{lines}", shown(path)),
        None => citation.to_string(),
    };
    let source_path = document.path.clone();
    document.citation = cited(&document.citation, &source_path);
    document.path = shown(&source_path);
    if let Some(links) = &mut document.links {
        for link in &mut links.outgoing {
            if let Some(path) = &mut link.path {
                let citation = link.citation.as_deref();
                link.citation = citation.map(|citation| cited(citation, path));
                if link.target == *path {
                    link.target = shown(path);
                }
                *path = shown(path);
            }
        }
        for link in &mut links.incoming {
            link.path = shown(&link.path);
        }
    }
    Read {
        document,
        source_path,
        collection,
    }
}

/// Prints one of several targets after `printed` others. A single text is printed unchanged.
fn print(
    output: &mut Output,
    args: &Args,
    targets: usize,
    target: &str,
    read: &Read,
    printed: usize,
) -> anyhow::Result<()> {
    let document = &read.document;
    if args.json {
        return Ok(output.json(&Line {
            schema: SCHEMA,
            target,
            collection: read.collection.as_deref(),
            source_path: &read.source_path,
            document,
        })?);
    }
    let text = output.safe_text(&document.text);
    if targets == 1 && !args.links {
        return Ok(output.raw(&text)?);
    }
    if printed > 0 {
        output.line("")?;
    }
    let citation = output.styled(&document.citation, Style::new().bold());
    let title = document.title.as_deref();
    let title = title.map(|title| format!(" · {}", output.safe(title)));
    output.line(format!("{citation}{}", title.unwrap_or_default()))?;
    output.raw(&text)?;
    if !text.ends_with('\n') && !text.is_empty() {
        output.line("")?;
    }
    match &document.links {
        Some(links) => print_links(output, links),
        None => Ok(()),
    }
}

fn print_links(output: &mut Output, links: &Links) -> anyhow::Result<()> {
    output.line("")?;
    if links.outgoing.is_empty() && links.incoming.is_empty() {
        output.line("no links")?;
    }
    if !links.outgoing.is_empty() {
        output.line("links")?;
    }
    for link in &links.outgoing {
        let line = format!("    :{} {}", link.line, outgoing(link));
        output.line(output.safe(&line))?;
    }
    if !links.incoming.is_empty() {
        output.line("linked from")?;
    }
    for link in &links.incoming {
        let section = link
            .section
            .as_ref()
            .map(|section| format!(" to #{section}"));
        let title = link.title.as_ref().map(|title| format!(" · {title}"));
        let (section, title) = (section.unwrap_or_default(), title.unwrap_or_default());
        let line = format!("    {}:{}{section}{title}", link.path, link.line);
        output.line(output.safe(&line))?;
    }
    Ok(())
}

/// A link and where it leads.
fn outgoing(link: &Outgoing) -> String {
    let section = link.section.as_ref().map(|section| format!("#{section}"));
    // The citation already contains the path.
    let target = match link.path.as_ref() == Some(&link.target) {
        true => "",
        false => &link.target,
    };
    let written = format!("{target}{}", section.unwrap_or_default());
    match (&link.citation, &link.path) {
        (Some(citation), _) => {
            let title = link.title.as_ref().map(|title| format!(" · {title}"));
            let arrow = if written.is_empty() { "→" } else { " →" };
            format!("{written}{arrow} {citation}{}", title.unwrap_or_default())
        }
        (None, Some(path)) => format!("{written} → {path}, which has no such section"),
        (None, None) => format!("{written} → nothing yet"),
    }
}
