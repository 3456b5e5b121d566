//! `note`: writes a Markdown file with front matter into the inbox, a folder inside what is served.
//! It never overwrites a file.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use chrono::Local;
use excerpt_index::Target;
use excerpt_service::text::address::address;
use excerpt_service::text::{shown, thousands};
use excerpt_service::{VisibleSource, check_secrets, plain_path};
use rmcp::model::Tool;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::add::writes;
use super::arguments::Arguments;
use super::folder::Folder;
use super::reply::{Form, Reply, with_notes};
use super::shared::{Shared, object};
use super::told::told;

pub(super) const NAME: &str = "note";

/// The maximum length of a title in a file name, in characters.
const LONGEST: usize = 60;

/// The maximum number of notes with the same day and title.
const MOST: usize = 10_000;

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "content": {"type": "string", "description": "Markdown"},
            "path": {"type": "string", "description": "Folder or file name in the inbox"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "format": Form::schema(),
        },
        "required": ["title", "content"],
        "additionalProperties": false,
    });
    let description = "Write a note to the inbox as a new Markdown file. Never overwrites.";
    Tool::new(NAME, description, object(input))
        .with_title("Note")
        .with_annotations(writes())
}

/// A note to be written.
struct NewNote {
    title: String,
    content: String,
    tags: Vec<String>,
    /// The folder inside the inbox; empty for the inbox itself.
    folder: String,
    /// The name of the file without its extension, if one was requested.
    name: Option<String>,
}

impl Shared {
    pub(super) async fn note(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let title = arguments.text("title")?.unwrap_or_default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = title.replace(char::is_control, "");
        if title.is_empty() {
            bail!("`title` is empty: give a few words");
        }
        let path = arguments.text("path")?.unwrap_or_default();
        let (folder, name) = self.place_of(&path)?;
        let note = NewNote {
            title,
            content: arguments.text("content")?.unwrap_or_default(),
            tags: arguments.texts("tags")?,
            folder,
            name,
        };
        if note.content.contains('\0') {
            bail!("`content` contains a NUL character: remove it");
        }
        let form = arguments.form()?;
        let shared = Arc::clone(self);
        self.engine
            .write(move |writer| {
                let Some((seen, folder)) = shared.scope.writable()? else {
                    bail!("there is no folder to write a note to");
                };
                let root = seen.root.canonicalize()?;
                let bound = shared.bound(&seen, &root, &folder)?;
                let (file, lines) = shared.written(&seen, &folder, (&root, &bound), &note)?;
                let path = file.strip_prefix(&root)?.to_string_lossy();
                let path = path.replace(std::path::MAIN_SEPARATOR, "/");
                let mut notes = Vec::new();
                if let Err(error) = writer.sync(&seen, |_| false) {
                    notes.push(format!("not searchable yet: {}", told(&error)));
                }
                let index = writer.index()?;
                let read = index.get(&Target::document(&*path), &shared.scope.reading(&seen));
                let is_searchable = read.is_ok();
                if !is_searchable && notes.is_empty() {
                    notes.push(
                        "the folder's ignore rules exclude this file from the index: it is saved but not searchable"
                            .to_string(),
                    );
                }
                let path = shared.scope.outward(&path);
                let citation = format!("{path}:1-{lines}");
                let data = json!({
                    "path": path,
                    "citation": citation,
                    "searchable": is_searchable,
                    "notes": notes,
                });
                let text = format!("saved as {}:1-{lines}\n", address(path));
                Ok(Reply::of(form, with_notes(text, &notes), &data))
            })
            .await
    }

    /// The folder in the inbox and the name of the file without its extension, if any, that `path`
    /// specifies. A path as shown by `list` is accepted, too.
    fn place_of(&self, path: &str) -> anyhow::Result<(String, Option<String>)> {
        let Some(inside) = plain_path(path).filter(|path| !path.contains('\\')) else {
            bail!(
                "`{}` is not a path in the inbox: give a folder or file path without `..`",
                shown(path)
            );
        };
        let inbox = plain_path(&self.options.inbox).unwrap_or_default();
        let mut as_listed = inbox.clone();
        if let Some((seen, folder)) = self.scope.writable()? {
            let listed = folder.join(&inbox);
            let listed = listed.strip_prefix(&seen.root)?.to_string_lossy();
            let listed = listed.replace(std::path::MAIN_SEPARATOR, "/");
            as_listed = self.scope.outward(&listed).to_string();
        }
        let in_inbox = |inbox: &String| match inside.strip_prefix(&**inbox)? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        };
        let found = [&as_listed, &inbox].into_iter().find_map(in_inbox);
        let inside = found.unwrap_or(&inside);
        if inside.split('/').any(|name| name.starts_with('.')) {
            bail!(
                "`{}` has a name that starts with a dot, which the index ignores: choose another `path`",
                shown(path)
            );
        }
        let (folder, last) = inside.rsplit_once('/').unwrap_or(("", inside));
        Ok(match last.rsplit_once('.') {
            Some((name, ending)) if ending.eq_ignore_ascii_case("md") => {
                (folder.to_string(), Some(name.to_string()))
            }
            Some((_, ending)) if is_ending(ending) => bail!(
                "`{}` ends in `.{ending}`, but a note is a Markdown file: use a name that ends in `.md`, or a folder",
                shown(path)
            ),
            _ => (inside.to_string(), None),
        })
    }

    /// The folder below which notes may be written, with links resolved: the served part of the
    /// source at `root`. It is an error if a link has taken its place.
    fn bound(&self, seen: &VisibleSource, root: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
        let bound = root.join(folder.strip_prefix(&seen.root)?);
        // The root in the index contains no link.
        if root != seen.root || folder.canonicalize().ok().as_ref() != Some(&bound) {
            bail!(
                "the served folder is a symbolic link or reached through one: notes are not written there"
            );
        }
        Ok(bound)
    }

    /// Writes a note below `bound`, which is inside `root`, and returns its path and number of
    /// lines.
    fn written(
        &self,
        seen: &VisibleSource,
        folder: &Path,
        (root, bound): (&Path, &Path),
        note: &NewNote,
    ) -> anyhow::Result<(PathBuf, usize)> {
        let day = Local::now().format("%F").to_string();
        let text = text_of(note, &day);
        let configuration = self.scope.configuration(Some(&seen.root))?;
        let selection = seen.options(&configuration).selection;
        let most = selection.max_file_size();
        if text.len() as u64 > most {
            bail!(
                "the note takes {} bytes, and a file of more than {} is not indexed: write several notes",
                thousands(text.len()),
                thousands(usize::try_from(most)?)
            );
        }
        check_secrets("note.md", &text, &selection)?;
        let inbox = plain_path(&self.options.inbox)
            .context("`--inbox` is not a folder inside the served folder")?;
        let wanted = folder.join(inbox).join(&note.folder);
        // The part that exists must be inside after links are resolved; then so is what is created
        // in it.
        let mut there = wanted
            .ancestors()
            .filter(|part| part.symlink_metadata().is_ok());
        let outside = || {
            format!(
                "the inbox is outside the served folder: `{}`",
                self.options.inbox
            )
        };
        let inside = |path: &Path| {
            let path = path.canonicalize().ok()?;
            path.starts_with(bound).then_some(path)
        };
        let first = there.next().with_context(outside)?;
        let wanted = inside(first)
            .with_context(outside)?
            .join(wanted.strip_prefix(first)?);
        // From here on no link is followed, so a link created after the check has no effect.
        let made = Folder::made(root, wanted.strip_prefix(root)?);
        let made = made.context("cannot create the inbox")?;
        let name = match &note.name {
            Some(name) => name.clone(),
            None => format!("{day}-{}", slug(&note.title)),
        };
        for number in 1..MOST {
            let name = match number {
                1 => format!("{name}.md"),
                _ => format!("{name}-{number}.md"),
            };
            match made.new_file(&name) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())
                        .and_then(|()| file.sync_all())?;
                    return Ok((wanted.join(name), text.lines().count()));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).context("cannot write the note"),
            }
        }
        bail!("too many notes have this name: choose another `title`")
    }
}

/// Whether the text after the last dot of a name is a file extension, such as `txt`, and not, for
/// example, the `2` of a version.
fn is_ending(text: &str) -> bool {
    const LONGEST: usize = 8;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain && text.len() <= LONGEST && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The content of the file: front matter, then the text.
fn text_of(note: &NewNote, day: &str) -> String {
    // JSON is valid YAML, and a JSON string cannot end early.
    let mut text = format!("---\ntitle: {}\ndate: {day}\n", json!(note.title));
    if !note.tags.is_empty() {
        text += &format!("tags: {}\n", json!(note.tags));
    }
    text += "---\n\n";
    text += &note.content;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// A title as a part of a file name.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        match c {
            c if c.is_alphanumeric() => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let short: String = slug.chars().take(LONGEST).collect();
    match short.trim_end_matches('-') {
        "" => "note".to_string(),
        slug => slug.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_part_of_a_file_name() {
        assert_eq!(slug("How to: brew Tea?"), "how-to-brew-tea");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("!!!"), "note");
        assert_eq!(slug("Überraschung 語"), "überraschung-語");
    }

    #[test]
    fn front_matter_is_valid_with_any_title() {
        let note = NewNote {
            title: "a\": b\n---".to_string(),
            content: "Text.".to_string(),
            tags: vec!["x, y".to_string()],
            folder: String::new(),
            name: None,
        };
        assert_eq!(
            text_of(&note, "2026-01-31"),
            "---\ntitle: \"a\\\": b\\n---\"\ndate: 2026-01-31\ntags: [\"x, y\"]\n---\n\nText.\n"
        );
    }
}
