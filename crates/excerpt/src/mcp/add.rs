//! `add`: makes a file, a folder or a text a collection of the served index. It reads only below
//! the folders that are allowed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use excerpt_chunk::Document;
use excerpt_index::{
    Collection, Error, Files, Index, Reading, Source as _, SyncOptions, includes, read_named,
};
use excerpt_service::text::address::address;
use excerpt_service::text::{budget, counted, shown};
use excerpt_service::{Addition, Contents, DocumentType, Scope, VisibleSource, check_file};
use rmcp::model::{Tool, ToolAnnotations};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::chunk::{Room, described};
use super::reply::{Form, Reply, with_notes};
use super::{Shared, object};

pub(super) const NAME: &str = "add";

/// The maximum number of documents in a preview.
const SHOWN: usize = 20;

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "A file or folder; or give `content`"},
            "content": {"type": "string"},
            "type": {"enum": ["doc", "script"]},
            "title": {"type": "string"},
            "versions": {"type": "array", "items": {"type": "string"}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "name": {"type": "string", "description": "Of the collection"},
            "chunking": {"type": "object", "description": "As in `chunk`"},
            "preview": {"type": "boolean", "description": "Only show what would be stored"},
            "replace": {"type": "boolean", "description": "Replace what has the same path or name"},
            "max_tokens": {"type": "integer", "default": budget::DEFAULT},
            "format": Form::schema(),
        },
        "additionalProperties": false,
    });
    let description = "Add a file, a folder or a text to the index as a collection, which can be searched at once.";
    Tool::new(NAME, description, object(input))
        .with_title("Add")
        .with_annotations(writes().destructive(true))
}

/// The annotations of a tool that writes.
pub(super) fn writes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(false)
        .idempotent(false)
        .open_world(false)
}

/// What is added.
enum Given {
    File(PathBuf),
    Text(String),
}

impl Shared {
    pub(super) async fn add(
        self: &Arc<Self>,
        arguments: &mut Arguments,
        _context: &RequestContext<RoleServer>,
    ) -> anyhow::Result<Reply> {
        let path = arguments.text("path")?;
        let content = arguments.text("content")?;
        let kind = arguments.word("type", &["doc", "script"])?;
        let addition = Addition {
            name: arguments.text("name")?,
            kind: kind.map(|kind| match kind {
                "script" => DocumentType::Script,
                _ => DocumentType::Doc,
            }),
            title: arguments.text("title")?,
            versions: arguments.texts("versions")?,
            tags: arguments.texts("tags")?,
            chunking: arguments.chunking()?,
            ..Addition::default()
        };
        let is_preview = arguments.truth("preview")?;
        let replaces = arguments.truth("replace")?;
        let form = arguments.form()?;
        let most = arguments
            .whole("max_tokens", budget::LEAST, budget::MOST)?
            .unwrap_or(budget::DEFAULT);
        if let Some(name) = &addition.name {
            check_name(name)?;
        }
        let given = match (path, content) {
            (Some(_), Some(_)) => bail!("`path` and `content` are both given: omit one"),
            (None, None) => {
                bail!("`path` or `content` is missing, expected a file or folder, or a text")
            }
            (Some(path), None) => Given::File(self.allowed(&path)?),
            (None, Some(content)) => Given::Text(content),
        };
        if let Given::Text(_) = &given
            && addition.name.is_none()
            && addition.title().is_none()
        {
            bail!("a text has no name: give `name` or `title`");
        }
        if let Given::File(root) = &given {
            addition.check_title(root, &root.display().to_string())?;
        }
        let root = match &given {
            Given::File(root) => Some(&**root),
            Given::Text(_) => None,
        };
        let is_named = addition.name.is_some();
        let mut collection = addition.collection(root)?;
        let dir = self.scope.index.clone();
        if replaces && let Some(known) = replaced(&dir, &collection, &given)? {
            collection = in_place_of(&known, collection);
        }
        let configuration = self.scope.configuration(root)?;
        let options = configuration.options_of(&collection);
        let file = addition.file_name(&collection);
        if let Given::Text(text) = &given {
            Addition::check_text(&file, text, &options.selection)?;
        }
        if let Given::File(root) = &given
            && root.is_file()
        {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            check_file(&name, root, &options.selection)?;
        }
        if is_preview {
            let cut = move || {
                let (collection, is_kept) = match replaced(&dir, &collection, &given)? {
                    Some(_) if replaces => (collection, false),
                    _ => expected(&dir, collection, &given, is_named || replaces)?,
                };
                let room = Room {
                    offset: 0,
                    tokens: most,
                    form,
                };
                preview(&collection, is_kept, &given, &file, &options, room)
            };
            return tokio::task::spawn_blocking(cut).await?;
        }
        self.engine
            .write(move |writer| {
                let index = writer.index()?;
                let known = match replaces {
                    true => replaced(&dir, &collection, &given)?,
                    false => None,
                };
                let collection = match &given {
                    Given::Text(text) if replaces => {
                        let added = match known {
                            Some(known) => index.edit_text(&known.name, text, |known| {
                                *known = in_place_of(known, collection);
                            }),
                            None => index.replace_text(collection, &file, text),
                        };
                        match added {
                            Err(Error::NameTaken { name, .. }) => return Err(name_taken(&name)),
                            added => added?,
                        }
                    }
                    Given::Text(text) => {
                        let all = Collection::all_in(&dir)?;
                        if let Some(known) = kept(&all, &collection, text) {
                            return already(form, index, known, &collection);
                        }
                        if is_named && all.iter().any(|known| known.name == collection.name) {
                            return Err(name_taken(&collection.name));
                        }
                        index.add_text(collection, &file, text)?
                    }
                    Given::File(_) => {
                        let added = match known {
                            Some(known) => index.edit(&known.name, |known| {
                                *known = in_place_of(known, collection);
                            }),
                            None => index.add(collection.clone()).map(|()| collection),
                        };
                        match added {
                            Err(Error::NameTaken { name, .. }) => return Err(name_taken(&name)),
                            Err(Error::RootTaken { name, .. }) => return Err(root_taken(&name)),
                            added => added?,
                        }
                    }
                };
                let seen = VisibleSource {
                    name: collection.name.clone(),
                    root: collection.root.clone(),
                    collection: Some(collection),
                };
                let report = writer.sync(&seen, |_| false)?;
                let contents = Contents::of(writer.index()?, &seen.root)?;
                let Contents {
                    documents, chunks, ..
                } = contents;
                let mut notes = shown_warnings(&contents);
                if let Some(reason) = report.without_vectors {
                    notes.push(format!("without vectors: {reason}"));
                }
                let skipped: usize = report.skipped.values().sum();
                if skipped > 0 {
                    notes.push(format!("{} skipped", counted(skipped, "file")));
                }
                let text = format!(
                    "added `{}`: {} in {}; search it with `collection`\n",
                    seen.name,
                    counted(documents, "document"),
                    counted(chunks, "chunk")
                );
                let data = json!({
                    "collection": seen.name,
                    "stored": true,
                    "documents": documents,
                    "chunks": chunks,
                    "notes": notes,
                });
                Ok(Reply::of(form, with_notes(text, &notes), &data))
            })
            .await
    }

    /// The file or folder at `path`, if it is below a folder that may be read after links are
    /// resolved.
    fn allowed(&self, path: &str) -> anyhow::Result<PathBuf> {
        let roots = &self.scope.readable;
        if roots.is_empty() {
            bail!(
                "no folder may be read from here: give the text as `content`, or start the server with `--allow-root FOLDER`"
            );
        }
        let mut places = roots.iter().map(|root| (root, root.join(path)));
        // Only the owner may add what the rules of the folder exclude, such as a file with keys.
        let found = places.find_map(|(root, place)| {
            let found = Scope::real(root, &place)?;
            includes(root, &found).then_some(found)
        });
        // The error does not reveal whether the file exists elsewhere.
        found.with_context(|| {
            format!(
                "no `{}` in the folders that may be read: give a path inside one of them, or the text as `content`",
                shown(path)
            )
        })
    }
}

/// Rejects a name that is not valid for a collection as it is.
fn check_name(name: &str) -> anyhow::Result<()> {
    if name.trim().is_empty() {
        bail!("`name` is empty, expected the name of a collection: omit it to have one chosen");
    }
    let close = Collection::name_for(Path::new(&name.replace(['/', '\\'], "-")));
    if close != name {
        bail!(
            "`{}` cannot be a collection's name: try `{close}`",
            shown(name)
        );
    }
    Ok(())
}

/// The warnings about documents, as notes.
fn shown_warnings(contents: &Contents) -> Vec<String> {
    /// How many are shown.
    const MOST: usize = 3;
    let (mut notes, more) = contents.first_warnings(MOST, |path| address(path).into_owned());
    if more > 0 {
        notes.push(format!("{} more", counted(more, "warning")));
    }
    notes
}

/// What adding `wanted` would replace: the collection of the same file or folder, or the text of
/// the same name.
fn replaced(dir: &Path, wanted: &Collection, given: &Given) -> anyhow::Result<Option<Collection>> {
    let all = Collection::all_in(dir)?.into_iter();
    let mut same = all.filter(|known| match given {
        Given::File(root) => known.root == *root,
        Given::Text(_) => known.given && known.name == wanted.name,
    });
    Ok(same.next())
}

/// The collection that an agent adds in the place of `known`: only the owner decides which files
/// are left out.
fn in_place_of(known: &Collection, mut added: Collection) -> Collection {
    added.selection = known.selection.clone();
    added
}

/// The error for a name that another collection has.
fn name_taken(name: &str) -> anyhow::Error {
    anyhow!("collection `{name}` already exists: choose another `name`")
}

/// The error for a file or folder that is already a collection.
fn root_taken(name: &str) -> anyhow::Error {
    anyhow!(
        "this file or folder is already the collection `{name}`: search it with `collection`, or set `replace`"
    )
}

/// The collection that contains `text` already, with the same title and the name that `wanted` has
/// or would get.
fn kept<'c>(all: &'c [Collection], wanted: &Collection, text: &str) -> Option<&'c Collection> {
    let is_name = |name: &str| match name.strip_prefix(&*wanted.name) {
        Some("") => true,
        Some(rest) => {
            let number = rest.strip_prefix('-');
            number.is_some_and(|number| number.parse::<usize>().is_ok())
        }
        None => false,
    };
    let mut given = all.iter().filter(|known| known.given);
    given.find(|known| {
        is_name(&known.name)
            && known.attributes.title == wanted.attributes.title
            && read_named(&known.root, text.len() as u64).is_ok_and(|kept| kept == text.as_bytes())
    })
}

/// The answer when the text was added before.
fn already(
    form: Form,
    index: &Index,
    known: &Collection,
    wanted: &Collection,
) -> anyhow::Result<Reply> {
    let Contents {
        documents, chunks, ..
    } = Contents::of(index, &known.root)?;
    let is_same = known.attributes == wanted.attributes && known.chunking == wanted.chunking;
    let mut notes = Vec::new();
    if !is_same {
        notes.push(
            "its type, versions, tags and chunking stay as they are: to change them, set `replace`"
                .to_string(),
        );
    }
    let text = format!(
        "`{}` already has this text; nothing was added; search it with `collection`\n",
        known.name
    );
    let data = json!({
        "collection": known.name,
        "stored": false,
        "documents": documents,
        "chunks": chunks,
        "notes": notes,
    });
    Ok(Reply::of(form, with_notes(text, &notes), &data))
}

/// The collection that adding `wanted` would result in, and whether it already exists with the same
/// text; an error if adding it would fail.
fn expected(
    dir: &Path,
    mut wanted: Collection,
    given: &Given,
    is_named: bool,
) -> anyhow::Result<(Collection, bool)> {
    let all = Collection::all_in(dir)?;
    if let Given::Text(text) = given
        && let Some(known) = kept(&all, &wanted, text)
    {
        return Ok((known.clone(), true));
    }
    if let Given::File(root) = given
        && let Some(known) = all.iter().find(|known| known.root == *root)
    {
        return Err(root_taken(&known.name));
    }
    // A text that is added without a name gets a free one.
    let needs_its_name = matches!(given, Given::File(_)) || is_named;
    if needs_its_name && all.iter().any(|known| known.name == wanted.name) {
        return Err(name_taken(&wanted.name));
    }
    if let Given::Text(_) = given {
        wanted.name = Collection::free_in(dir, &wanted.name)?;
    }
    Ok((wanted, false))
}

/// What would be stored, and how it would be split.
fn preview(
    collection: &Collection,
    is_kept: bool,
    given: &Given,
    file: &str,
    options: &SyncOptions,
    room: Room,
) -> anyhow::Result<Reply> {
    /// The room for the lines about the whole.
    const UNDER: usize = 60;
    let chunker = excerpt_grammars::chunker(options.chunking.clone())?;
    let (mut documents, mut chunks) = (0, 0);
    let mut text = String::new();
    let mut cuts: Vec<Value> = Vec::new();
    let form = room.form;
    let mut left = room.tokens.saturating_sub(UNDER);
    let mut is_full = false;
    let mut cut = |path: &str, content: &str, documents_left: usize| {
        let document = Document::new(content).with_path(path);
        let title = collection.attributes.title.as_deref();
        let document = match title {
            Some(title) => document.with_title(title),
            None => document,
        };
        let chunking = chunker.chunk(&document);
        documents += 1;
        chunks += chunking.chunks.len();
        is_full |= !cuts.is_empty() && left < budget::LEAST;
        if cuts.len() < SHOWN && !is_full {
            // Each document gets a share of the room, and at least enough to be useful.
            let share = left / documents_left.clamp(1, SHOWN - cuts.len());
            let (said, data) = described(
                Some(path),
                &chunking,
                Room {
                    tokens: share.max(2 * budget::LEAST),
                    ..room
                },
            );
            left = left.saturating_sub(form.tokens(&said, &data));
            text += &said;
            text.push('\n');
            cuts.push(data);
        }
    };
    let mut notes = Vec::new();
    match given {
        Given::Text(content) => cut(file, content, 1),
        Given::File(root) => {
            let files = Files::selected(root, &options.selection)?;
            let listing = files.list()?;
            let mut skipped = listing.skips.len();
            for (at, entry) in listing.entries.iter().enumerate() {
                match files.read(entry) {
                    Reading::Text { text, .. } => {
                        cut(&entry.path, &text, listing.entries.len() - at);
                    }
                    _ => skipped += 1,
                }
            }
            if skipped > 0 {
                notes.push(format!(
                    "{} would be skipped",
                    counted(skipped, "file or folder")
                ));
            }
        }
    }
    if documents > cuts.len() {
        notes.push(format!(
            "the first {} of {} are shown",
            cuts.len(),
            counted(documents, "document")
        ));
    }
    if is_kept {
        notes.push(format!(
            "`{}` already has this text: nothing would be added",
            collection.name
        ));
    }
    text += &format!(
        "nothing was stored; `{}` would have {} in {}\n",
        collection.name,
        counted(documents, "document"),
        counted(chunks, "chunk")
    );
    let data = json!({
        "collection": collection.name,
        "stored": false,
        "documents": documents,
        "chunks": chunks,
        "preview": cuts,
        "notes": notes,
    });
    Ok(Reply::of(form, with_notes(text, &notes), &data))
}
