//! What configuration files say: the `excerpt.toml` of the user, and that of the project, which goes before it field by field. A project's file comes
//! from whoever wrote the project: it is data, names no command and no path, and sends nothing anywhere.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context as _, anyhow};
use etcetera::BaseStrategy as _;
use excerpt_chunk::{Settings, settings_from_toml};
use excerpt_index::{Collection, Error, Ranking, Selection, SyncOptions};
use serde::Deserialize as _;

use super::embedding::{self, Embedding};
use super::fields::{Entry, Fields, File, Kind, Table, check_names};

/// The name of the file.
const FILE: &str = "excerpt.toml";

/// The tables that a file may have.
const TABLES: [&str; 4] = ["chunking", FILES, SEARCH, embedding::TABLE];

const SEARCH: &str = "search";

const FILES: &str = "files";

/// The fields of `[files]`: those of [`Selection`].
const SELECTION: &Fields = &[
    ("include", Kind::Texts),
    ("ignore", Kind::Texts),
    ("max_file_size", Kind::Whole(1 << 40)),
];

/// The fields of `[search]`: those of [`Ranking`].
const RANKING: &Fields = &[
    ("channels", Kind::OneOf(&["both", "keywords", "vectors"])),
    ("fusion", Kind::OneOf(&["convex", "rrf"])),
    ("vectors_in_prose", Kind::Number),
    ("vectors_in_code", Kind::Number),
    ("rrf_k", Kind::Number),
    ("signals", Kind::Table(SIGNALS)),
];

const SIGNALS: &Fields = &[
    ("all_words", Kind::Number),
    ("index_document", Kind::Number),
    ("path_word", Kind::Number),
    ("definition", Kind::Number),
    ("prose_for_a_name", Kind::Number),
    ("prose_among_code", Kind::Number),
    ("coherence", Kind::Number),
    ("saturation_in_prose", Kind::Number),
    ("saturation_in_code", Kind::Number),
    ("test", Kind::Number),
    ("generated", Kind::Number),
    ("vendored", Kind::Number),
    ("recency", Kind::Number),
    ("half_life", Kind::Number),
    ("most_ranks", Kind::Whole(1_000_000)),
];

/// Where the choice of an embedder comes from, besides the files that are found.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EmbeddingArgs {
    /// A file whose table [embedding] takes the place of that in your own excerpt.toml
    #[arg(
        long,
        value_name = "FILE",
        env = "EXCERPT_EMBEDDING_CONFIG",
        hide_env_values = true,
        hide_short_help = true
    )]
    pub(crate) embedding_config: Option<PathBuf>,
}

/// What all files say together.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    pub(crate) chunking: Settings,
    pub(crate) selection: Selection,
    pub(crate) ranking: Ranking,
    pub(crate) embedding: Embedding,
    /// The files that were read.
    pub(crate) files: Vec<ReadFile>,
}

/// A file that was read, and what it says.
#[derive(Debug, serde::Serialize)]
pub(crate) struct ReadFile {
    pub(crate) path: PathBuf,
    /// Whose it is.
    pub(crate) owner: Owner,
    /// The fields that it sets, as `table.field`.
    pub(crate) sets: Vec<String>,
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Owner {
    /// The user's own.
    User,
    /// Named by a flag or variable.
    Named,
    /// The project's.
    Project,
}

impl Configuration {
    /// What the files say of the folder (or file) `root`.
    pub(crate) fn read(root: &Path, args: &EmbeddingArgs) -> anyhow::Result<Configuration> {
        let own = own_path();
        let user = own.as_deref().map(read).transpose()?.flatten();
        let named = args.embedding_config.as_deref().map(read_named);
        let path = folder(root).join(FILE);
        // Whoever searches the folder of their own configuration is no stranger there.
        let is_own = own.as_deref().is_some_and(|own| is_same(own, &path));
        let project = if is_own { None } else { read(&path)? };
        let mut all = Configuration::default();
        let mut search = Table::default();
        let mut selection = Table::default();
        let mut vectors = Table::default();
        let files = [
            (Owner::User, user),
            (Owner::Named, named.transpose()?),
            (Owner::Project, project),
        ];
        for (owner, file) in files {
            let Some(file) = file else { continue };
            check_names(&file, &TABLES)?;
            let table = Table::read(&file, embedding::TABLE, embedding::FIELDS)?;
            let mut sets = names(embedding::TABLE, table.0.keys());
            match owner {
                Owner::User => vectors = table,
                Owner::Named => vectors = table,
                Owner::Project => {
                    embedding::check_project(&table, &shown(own.as_deref()))?;
                    vectors = table.or(vectors);
                }
            }
            if owner != Owner::Named {
                let table = Table::read(&file, SEARCH, RANKING)?;
                sets.extend(names(SEARCH, table.0.keys()));
                search = table.or(search);
                let table = Table::read(&file, FILES, SELECTION)?;
                sets.extend(names(FILES, table.0.keys()));
                selection = table.or(selection);
                let chunking = chunking(&file)?;
                sets.extend(names("chunking", said(&chunking).iter()));
                all.chunking = chunking.or(all.chunking);
            }
            sets.sort();
            all.files.push(ReadFile {
                path: file.path.clone(),
                owner,
                sets,
            });
        }
        all.ranking = ranking(&search)?;
        all.selection = self::selection(&selection)?;
        all.embedding = Embedding::of(&vectors)?;
        Ok(all)
    }
}

impl Configuration {
    /// What the user's own files say.
    pub(crate) fn of_user(args: &EmbeddingArgs) -> anyhow::Result<Configuration> {
        match own_path().as_deref().and_then(Path::parent) {
            // Searched from where the user's own file is, there is no project.
            Some(folder) => Configuration::read(folder, args),
            None => Ok(Configuration::default()),
        }
    }

    /// How a folder is brought in step.
    pub(crate) fn options(&self) -> SyncOptions {
        SyncOptions::default()
            .chunking(self.chunking.config())
            .selection(self.selection.clone())
    }

    /// How a collection is brought in step.
    pub(crate) fn options_of(&self, collection: &Collection) -> SyncOptions {
        collection.options(self.chunking.clone(), self.selection.clone())
    }
}

/// What the files say of the cut of what is at `path`: the nearest one around it, up to the root of the git repository, and the user's.
pub(crate) fn chunking_around(path: &Path) -> anyhow::Result<Settings> {
    let path = std::path::absolute(path)?;
    let mut settings = Settings::default();
    for folder in path.ancestors().filter(|folder| folder.is_dir()) {
        if let Some(file) = read(&folder.join(FILE))? {
            settings = chunking(&file)?;
            break;
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    let own = own_path().as_deref().map(read).transpose()?.flatten();
    let own = own.as_deref().map(chunking).transpose()?;
    Ok(settings.or(own.unwrap_or_default()))
}

/// The user's own file, whether it is there or not.
pub(crate) fn own_path() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.config_dir().join("excerpt").join(FILE))
}

fn shown(own: Option<&Path>) -> String {
    own.map_or_else(|| FILE.to_string(), |own| own.display().to_string())
}

fn folder(root: &Path) -> &Path {
    match root.is_dir() {
        true => root,
        false => root.parent().unwrap_or(root),
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    a.canonicalize()
        .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// The file at `path`; none when there is none.
fn read(path: &Path) -> anyhow::Result<Option<Rc<File>>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(Rc::new(File {
            path: path.to_path_buf(),
            text,
        }))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    }
}

/// The file that the user named.
fn read_named(path: &Path) -> anyhow::Result<Rc<File>> {
    let missing = || {
        anyhow!(
            "`{}` does not exist: name a file with a table `[{}]`",
            path.display(),
            embedding::TABLE
        )
    };
    read(path)?.ok_or_else(missing)
}

fn chunking(file: &File) -> anyhow::Result<Settings> {
    settings_from_toml(&file.text).map_err(|error| anyhow!("{}:{error}", file.path.display()))
}

fn ranking(table: &Table) -> anyhow::Result<Ranking> {
    let ranking = Ranking::deserialize(table.json())?;
    if let Err(error) = ranking.check() {
        let entry = match &error {
            Error::Ranking { setting, .. } => table.entry(setting),
            _ => None,
        };
        return Err(match entry {
            Some(entry) => entry.fault(error),
            None => error.into(),
        });
    }
    Ok(ranking)
}

fn selection(table: &Table) -> anyhow::Result<Selection> {
    let selection = Selection::deserialize(table.json())?;
    if let Err(error) = selection.check() {
        let entries = [table.entry("ignore"), table.entry("include")];
        let named = |entry: &&Entry| match &error {
            Error::Pattern { pattern, .. } => entry.value.to_string().contains(&**pattern),
            _ => false,
        };
        return Err(match entries.into_iter().flatten().find(named) {
            Some(entry) => entry.fault(error),
            None => error.into(),
        });
    }
    Ok(selection)
}

/// The fields of the cut that are said.
pub(crate) fn said(settings: &Settings) -> Vec<String> {
    let fields = serde_json::to_value(settings).unwrap_or_default();
    let fields = fields.as_object().into_iter().flatten();
    let said = fields.filter(|(_, value)| !value.is_null());
    said.map(|(name, _)| name.clone()).collect()
}

fn names<'n>(table: &str, fields: impl Iterator<Item = &'n String>) -> Vec<String> {
    fields.map(|field| format!("{table}.{field}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_ranking_is_known() {
        let names = |fields: &Fields| -> Vec<String> {
            let mut names: Vec<_> = fields.iter().map(|(name, _)| name.to_string()).collect();
            names.sort();
            names
        };
        let ranking = serde_json::to_value(Ranking::default()).unwrap();
        let keys = |value: &serde_json::Value| -> Vec<String> {
            let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(names(RANKING), keys(&ranking));
        assert_eq!(names(SIGNALS), keys(&ranking["signals"]));
    }
}
