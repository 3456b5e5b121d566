//! `note`: writes a Markdown file with front matter into the inbox, a folder inside what is served.
//! It never overwrites a file.

use std::io::{ErrorKind, Write as _};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use excerpt_index::Target;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::addition::check_secrets;
use crate::engine::EngineWriter;
use crate::error::{ServiceError, ServiceResult};
use crate::folder::OpenFolder;
use crate::scope::{Scope, VisibleSource};
use crate::target::plain_path;

/// The maximum length of a title in a file name, in characters.
const LONGEST: usize = 60;

/// The maximum number of notes with the same day and title.
const MOST: usize = 10_000;

/// A request to write a note.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NoteRequest {
    /// Its title, of which white space and control characters are reduced to single spaces.
    pub title: String,
    /// Its text, in Markdown.
    pub content: String,
    /// The folder or the name of the file in the inbox, also as `list` shows it. Default: the
    /// inbox, and a name made of the day and the title.
    pub path: String,
    /// Its tags.
    pub tags: Vec<String>,
}

/// What was written.
#[derive(Debug, Serialize)]
pub struct NoteReply {
    /// The path of the file, as shown.
    pub path: String,
    /// The citation of the whole note.
    pub citation: String,
    /// Whether a search finds it now.
    #[serde(rename = "searchable")]
    pub is_searchable: bool,
    /// Why the index could not be updated.
    #[serde(skip)]
    pub unsynced: Option<ServiceError>,
}

/// Where a note goes.
struct NotePath {
    /// The folder inside the inbox; empty for the inbox itself.
    folder: String,
    /// The name of the file without its extension, if one was requested.
    name: Option<String>,
}

/// A folder that may be written to.
struct ServedFolder<'a> {
    seen: &'a VisibleSource,
    /// The root of the source, with links resolved.
    root: &'a Path,
    /// The part of it that is served.
    folder: &'a Path,
}

impl NoteRequest {
    /// Writes the note on `day` (`YYYY-MM-DD`) below the folder `inbox` of what `scope` serves, and
    /// updates the index.
    ///
    /// # Errors
    ///
    /// When the note would not be indexed, the path leads out of the inbox or of what is served, or
    /// the file cannot be written.
    pub fn write(
        &self,
        scope: &Scope,
        inbox: &str,
        day: &str,
        writer: &mut EngineWriter,
    ) -> ServiceResult<NoteReply> {
        let Some((seen, folder)) = scope.writable()? else {
            return Err(ServiceError::NowhereToWrite);
        };
        let note = self.plain()?;
        let root = seen.root.canonicalize()?;
        let served = ServedFolder {
            seen: &seen,
            root: &root,
            folder: &folder,
        };
        let path = note.path_in(scope, inbox, &served)?;
        let text = note.text(day);
        check_text(scope, &seen, &text)?;
        let name = match &path.name {
            Some(name) => name.clone(),
            None => format!("{day}-{}", slug(&note.title)),
        };
        let file = served.write(inbox, &path.folder, &name, &text)?;
        let path = slashed(file.strip_prefix(&root).unwrap_or(&file));
        let unsynced = writer.sync(&seen, |_| false).err();
        let read = writer
            .index()?
            .get(&Target::document(&*path), &scope.reading(&seen));
        let path = scope.outward(&path).to_string();
        Ok(NoteReply {
            citation: format!("{path}:1-{}", text.lines().count()),
            path,
            is_searchable: read.is_ok(),
            unsynced,
        })
    }

    /// The note with its title on one line.
    fn plain(&self) -> ServiceResult<NoteRequest> {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = title.replace(char::is_control, "");
        if title.is_empty() {
            return Err(ServiceError::UntitledNote);
        }
        if self.content.contains('\0') {
            return Err(ServiceError::NotText);
        }
        Ok(NoteRequest {
            title,
            ..self.clone()
        })
    }

    /// Where the note goes.
    fn path_in(
        &self,
        scope: &Scope,
        inbox: &str,
        served: &ServedFolder<'_>,
    ) -> ServiceResult<NotePath> {
        let path = || self.path.clone();
        let Some(inside) = plain_path(&self.path).filter(|path| !path.contains('\\')) else {
            return Err(ServiceError::NotInInbox { path: path() });
        };
        let inbox = plain_path(inbox).unwrap_or_default();
        let listed = served.folder.join(&inbox);
        let listed = listed.strip_prefix(&served.seen.root);
        let as_listed = listed.map_or_else(
            |_| inbox.clone(),
            |listed| scope.outward(&slashed(listed)).to_string(),
        );
        let in_inbox = |inbox: &String| match inside.strip_prefix(&**inbox)? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        };
        let found = [&as_listed, &inbox].into_iter().find_map(in_inbox);
        let inside = found.unwrap_or(&inside);
        if inside.split('/').any(|name| name.starts_with('.')) {
            return Err(ServiceError::HiddenNote { path: path() });
        }
        let (folder, last) = inside.rsplit_once('/').unwrap_or(("", inside));
        match last.rsplit_once('.') {
            Some((name, ending)) if ending.eq_ignore_ascii_case("md") => Ok(NotePath {
                folder: folder.to_string(),
                name: Some(name.to_string()),
            }),
            Some((_, ending)) if is_ending(ending) => Err(ServiceError::NotMarkdown {
                path: path(),
                ending: ending.to_string(),
            }),
            _ => Ok(NotePath {
                folder: inside.to_string(),
                name: None,
            }),
        }
    }

    /// The content of the file: front matter, then the text.
    fn text(&self, day: &str) -> String {
        // JSON is valid YAML, and a JSON string cannot end early.
        let mut text = format!("---\ntitle: {}\ndate: {day}\n", json!(self.title));
        if !self.tags.is_empty() {
            text += &format!("tags: {}\n", json!(self.tags));
        }
        text += "---\n\n";
        text += &self.content;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

impl ServedFolder<'_> {
    /// Writes a new file below the inbox, under `name` or the next free name like it, and returns
    /// its path.
    fn write(&self, inbox: &str, folder: &str, name: &str, text: &str) -> ServiceResult<PathBuf> {
        let bound = self.bound()?;
        let outside = || ServiceError::InboxOutside {
            inbox: inbox.to_string(),
        };
        let inside = plain_path(inbox).ok_or_else(outside)?;
        let wanted = self.folder.join(inside).join(folder);
        // The part that exists must be inside after links are resolved; then so is what is created
        // in it.
        let mut there = wanted
            .ancestors()
            .filter(|part| part.symlink_metadata().is_ok());
        let first = there.next().ok_or_else(outside)?;
        let resolved = first.canonicalize().ok();
        let resolved = resolved.filter(|path| path.starts_with(&bound));
        let rest = wanted.strip_prefix(first).map_err(|_| outside())?;
        let wanted = resolved.ok_or_else(outside)?.join(rest);
        let below = wanted.strip_prefix(self.root).map_err(|_| outside())?;
        // From here on no link is followed, so a link created after the check has no effect.
        let made = OpenFolder::made(self.root, below).map_err(ServiceError::InboxNotMade)?;
        for number in 1..MOST {
            let name = match number {
                1 => format!("{name}.md"),
                _ => format!("{name}-{number}.md"),
            };
            match made.new_file(&name) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())
                        .and_then(|()| file.sync_all())
                        .map_err(ServiceError::NoteNotWritten)?;
                    return Ok(wanted.join(name));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(ServiceError::NoteNotWritten(error)),
            }
        }
        Err(ServiceError::TooManyNotes)
    }

    /// The folder below which notes may be written, with links resolved. It is an error if a link
    /// has taken its place.
    fn bound(&self) -> ServiceResult<PathBuf> {
        let inside = self.folder.strip_prefix(&self.seen.root);
        let bound = self.root.join(inside.unwrap_or(self.folder));
        // The root in the index contains no link.
        match self.root == self.seen.root
            && self.folder.canonicalize().ok().as_ref() == Some(&bound)
        {
            true => Ok(bound),
            false => Err(ServiceError::ServedThroughLink),
        }
    }
}

/// Checks that the index of a source would contain a note with this text.
fn check_text(scope: &Scope, seen: &VisibleSource, text: &str) -> ServiceResult<()> {
    let configuration = scope.configuration(Some(&seen.root))?;
    let selection = seen.options(&configuration).selection;
    let limit = selection.max_file_size();
    if text.len() as u64 > limit {
        return Err(ServiceError::NoteTooLarge {
            bytes: text.len(),
            limit,
        });
    }
    check_secrets("note.md", text, &selection)
}

/// A path inside a source, with `/` between its segments.
fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

/// Whether the text after the last dot of a name is a file extension, such as `txt`, and not, for
/// example, the `2` of a version.
fn is_ending(text: &str) -> bool {
    const LONGEST: usize = 8;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_plain && text.len() <= LONGEST && text.bytes().any(|byte| byte.is_ascii_alphabetic())
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
        let note = NoteRequest {
            title: "a\": b\n---".to_string(),
            content: "Text.".to_string(),
            tags: vec!["x, y".to_string()],
            path: String::new(),
        };
        assert_eq!(
            note.text("2026-01-31"),
            "---\ntitle: \"a\\\": b\\n---\"\ndate: 2026-01-31\ntags: [\"x, y\"]\n---\n\nText.\n"
        );
    }
}
