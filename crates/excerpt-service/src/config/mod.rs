//! The configuration files: the user's `excerpt.toml`, and that of the project, which overrides it
//! field by field. A project's file comes from the author of the project: it is data, contains no
//! command and no path, sends nothing anywhere, and cannot raise the user's limits.

mod embedding;
mod fields;
pub mod names;
mod rerank;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy as _;
use excerpt_chunk::{Preset, Settings, settings_from_toml};
use excerpt_index::{
    CONFIGURATION_LIMIT, Collection, Error, Origin, Ranking, RankingPreset, Refused, Selection,
    SyncOptions, read_below, read_named,
};
use excerpt_readers::{Converter, Readers};
use serde::Deserialize as _;
use serde_json::Value;

pub use embedding::Embedding;
use fields::{FieldType, FieldValue, Fields, File, Table, check_names};
pub use rerank::Reranking;

use crate::error::{ServiceError, ServiceResult};

/// The name of the file.
const FILE: &str = "excerpt.toml";

/// The tables that a file may have.
const TABLES: [&str; 6] = [
    "chunking",
    FILES,
    READERS,
    SEARCH,
    embedding::TABLE,
    rerank::TABLE,
];

/// The table with a program for each pattern of file names.
const READERS: &str = "readers";

const SEARCH: &str = "search";

const FILES: &str = "files";

/// The fields of `[files]`: those of [`Selection`].
const SELECTION: &Fields<'_> = &[
    ("include", FieldType::Texts),
    ("ignore", FieldType::Texts),
    ("max_file_size", FieldType::Whole(1 << 40)),
    ("ignore_files", FieldType::Truth),
    ("secrets", FieldType::OneOf(&["skip", "index"])),
];

/// The field of `[search]` that names a ranking, which the others start from.
const PRESET: &str = "preset";

/// The fields of `[search]`: a [`RankingPreset`] and those of [`Ranking`].
const RANKING: &Fields<'_> = &[
    (PRESET, FieldType::OneOf(&RankingPreset::NAMES)),
    (
        "channels",
        FieldType::OneOf(&["both", "keywords", "vectors"]),
    ),
    ("fusion", FieldType::OneOf(&["convex", "rrf"])),
    ("vectors_in_prose", FieldType::Number),
    ("vectors_in_code", FieldType::Number),
    ("rrf_k", FieldType::Number),
    ("min_share", FieldType::Number),
    ("precise", FieldType::Truth),
    ("fields", FieldType::Table(FIELDS)),
    ("signals", FieldType::Table(SIGNALS)),
];

const FIELDS: &Fields<'_> = &[
    ("text", FieldType::Number),
    ("headings", FieldType::Number),
    ("names", FieldType::Number),
    ("path", FieldType::Number),
    ("defined", FieldType::Number),
];

const SIGNALS: &Fields<'_> = &[
    ("all_words", FieldType::Number),
    ("sequence", FieldType::Number),
    ("heading", FieldType::Number),
    ("file_name", FieldType::Number),
    ("index_document", FieldType::Number),
    ("path_word", FieldType::Number),
    ("definition", FieldType::Number),
    ("prose_for_a_name", FieldType::Number),
    ("prose_among_code", FieldType::Number),
    ("prose_for_a_question", FieldType::Number),
    ("neighbours", FieldType::Number),
    ("coherence_in_prose", FieldType::Number),
    ("coherence_in_code", FieldType::Number),
    ("saturation_in_prose", FieldType::Number),
    ("saturation_in_code", FieldType::Number),
    ("test", FieldType::Number),
    ("generated", FieldType::Number),
    ("vendored", FieldType::Number),
    ("recency", FieldType::Number),
    ("half_life", FieldType::Number),
    ("date", FieldType::Number),
];

/// The choice of the embedder for a request.
#[derive(Clone, Debug, Default)]
pub struct EmbeddingChoice {
    /// A file whose table `[embedding]` replaces the one in the user's own `excerpt.toml`, and so
    /// does its table `[rerank]` if it has one. Default: none.
    pub file: Option<PathBuf>,
}

/// The merged configuration of all files.
#[derive(Debug, Default)]
pub struct Configuration {
    /// How documents are split.
    pub chunking: Settings,
    /// Which files are documents.
    pub selection: Selection,
    /// How hits are ranked.
    pub ranking: Ranking,
    /// The ranking that the fields of `[search]` start from.
    pub ranking_preset: RankingPreset,
    /// The table `[search]`.
    search: Table,
    /// Where vectors come from.
    pub embedding: Embedding,
    /// What reorders hits.
    pub rerank: Reranking,
    /// The files that were read.
    pub files: Vec<ReadFile>,
    /// Messages about settings that were ignored.
    pub notes: Vec<String>,
}

/// A file that was read, and its fields.
#[derive(Debug, serde::Serialize)]
pub struct ReadFile {
    /// Its path.
    pub path: PathBuf,
    /// Its owner.
    pub owner: Owner,
    /// The fields that it sets, as `table.field`.
    pub sets: Vec<String>,
}

/// The owner of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The user's own.
    User,
    /// Named by a flag or variable.
    Named,
    /// The project's.
    Project,
}

impl Configuration {
    /// The configuration for the folder or file `root`.
    pub fn read(root: &Path, choice: &EmbeddingChoice) -> ServiceResult<Configuration> {
        if Origin::of(root).is_remote() {
            return Configuration::of_user(choice);
        }
        let own = own_path();
        let user = own.as_deref().map(of_user).transpose()?.flatten();
        let named = choice.file.as_deref().map(chosen);
        let path = folder(root).join(FILE);
        // In the user's configuration folder, the user's own file is not a project's.
        let is_own = own.as_deref().is_some_and(|own| is_same(own, &path));
        let project = match is_own {
            true => None,
            false => of_project(folder(root))?,
        };
        let mut all = Configuration::default();
        let mut search = Table::default();
        let mut selection = Table::default();
        let mut vectors = Table::default();
        let mut reranked = Table::default();
        let mut converters = Table::default();
        let files = [
            (Owner::User, user),
            (Owner::Named, named.transpose()?),
            (Owner::Project, project),
        ];
        for (owner, file) in files {
            let Some(file) = file else { continue };
            // All of a file is checked, also where only one table of it counts.
            let Said {
                chunking,
                readers,
                files,
                search: ranking,
                embedding,
                rerank,
            } = Said::of(&file)?;
            let mut sets = names(embedding::TABLE, embedding.0.keys());
            sets.extend(names(rerank::TABLE, rerank.0.keys()));
            match owner {
                Owner::User => (vectors, reranked) = (embedding, rerank),
                Owner::Named => {
                    vectors = embedding;
                    if !rerank.0.is_empty() {
                        reranked = rerank;
                    }
                }
                Owner::Project => {
                    let own = shown(own.as_deref());
                    embedding::check_project(&embedding, &[], embedding::ALLOWED, &own)?;
                    embedding::check_project(&rerank, &rerank::HARMLESS, rerank::ALLOWED, &own)?;
                    vectors = embedding.or(vectors);
                    reranked = rerank.or(reranked);
                }
            }
            match owner {
                Owner::User => {
                    sets.extend(names(READERS, readers.0.keys()));
                    converters = readers;
                }
                Owner::Named => (),
                Owner::Project => check_no_readers(&readers, &shown(own.as_deref()))?,
            }
            if owner != Owner::Named {
                sets.extend(names(SEARCH, ranking.0.keys()));
                search = ranking.or(search);
                let mut table = files;
                if owner == Owner::Project {
                    check_project(&table, &shown(own.as_deref()))?;
                    all.notes
                        .extend(raised(&mut table, &selection, own.as_deref()));
                    ignoring_still(&mut table, &selection);
                }
                sets.extend(names(FILES, table.0.keys()));
                selection = table.or(selection);
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
        all.search = search;
        all.rank_for(all.chunking.preset)?;
        all.selection = self::selection(&selection)?;
        all.selection.readers = readers(&converters)?;
        all.embedding = Embedding::of(&vectors)?;
        all.rerank = Reranking::of(&reranked)?;
        Ok(all)
    }
}

/// What one file says.
struct Said {
    chunking: Settings,
    files: Table,
    readers: Table,
    search: Table,
    embedding: Table,
    rerank: Table,
}

impl Said {
    fn of(file: &Arc<File>) -> ServiceResult<Said> {
        check_names(file, &TABLES)?;
        let files = Table::read(file, FILES, SELECTION)?;
        selection(&files)?;
        let chunking = settings_from_toml(&file.text).map_err(|fault| {
            let path = file.path.clone();
            ServiceError::Configuration { path, fault }
        })?;
        let readers = Table::read_texts(file, READERS)?;
        self::readers(&readers)?;
        Ok(Said {
            chunking,
            files,
            readers,
            search: Table::read(file, SEARCH, RANKING)?,
            embedding: Table::read(file, embedding::TABLE, embedding::FIELDS)?,
            rerank: Table::read(file, rerank::TABLE, rerank::FIELDS)?,
        })
    }
}

/// Removes a limit from a project's table that is above the user's, and returns a note: a cloned
/// project must not choose how much is read.
fn raised(project: &mut Table, user: &Table, own: Option<&Path>) -> Option<String> {
    const LIMIT: &str = "max_file_size";
    let said = |table: &Table| table.entry(LIMIT).and_then(|entry| entry.value.as_u64());
    let limit = said(user).unwrap_or_else(|| Selection::default().max_file_size());
    let wanted = said(project).filter(|wanted| *wanted > limit)?;
    let entry = project.0.remove(LIMIT)?;
    Some(
        entry
            .fault(format!(
                "`{LIMIT}` is {wanted}, above your limit of {limit}, which a project's file can only lower: {limit} applies; to raise it, set it in `{}`",
                shown(own)
            ))
            .to_string(),
    )
}

/// Adds the user's `ignore` patterns after those of a project, so that no `!` pattern of the
/// project overrides them.
fn ignoring_still(project: &mut Table, user: &Table) {
    let own = user
        .entry("ignore")
        .and_then(|entry| entry.value.as_array());
    let patterns = project.0.get_mut("ignore").map(|entry| &mut entry.value);
    if let (Some(Value::Array(patterns)), Some(own)) = (patterns, own) {
        patterns.extend_from_slice(own);
    }
}

impl Configuration {
    /// Ranks documents that are split by the preset `chunking`: those of `docs` by the ranking of
    /// that name, unless the files name another.
    ///
    /// # Errors
    ///
    /// When a field of `[search]` has a value that cannot be used.
    pub fn rank_for(&mut self, chunking: Option<Preset>) -> ServiceResult<()> {
        let named = self.search.entry(PRESET).map(|entry| &entry.value);
        self.ranking_preset = match named {
            Some(name) => RankingPreset::deserialize(name)?,
            None if chunking == Some(Preset::Docs) => RankingPreset::Docs,
            None => RankingPreset::Default,
        };
        self.ranking = ranking(self.ranking_preset, &self.search)?;
        Ok(())
    }

    /// The configuration of a source that is searched with the ranking and the vectors of
    /// `search`.
    pub fn searched_with(mut self, search: &Configuration) -> Configuration {
        self.ranking = search.ranking.clone();
        self.ranking_preset = search.ranking_preset;
        self.search = search.search.clone();
        self.embedding = search.embedding.clone();
        self.rerank = search.rerank.clone();
        // Of the other files, only what they say about splitting and files applies.
        for file in &mut self.files {
            let applies = search.files.iter().any(|known| known.path == file.path);
            let tables = [SEARCH, embedding::TABLE, rerank::TABLE];
            file.sets.retain(|name| {
                let table = name.split('.').next().unwrap_or_default();
                applies || !tables.contains(&table)
            });
        }
        self
    }

    /// The configuration to search the source at `root`, which is the collection `known` if it is
    /// one.
    pub fn of_source(
        root: &Path,
        known: Option<&Collection>,
        choice: &EmbeddingChoice,
    ) -> ServiceResult<Configuration> {
        let mut configuration = Configuration::read(root, choice)?;
        if let Some(preset) = known.and_then(|known| known.chunking.preset) {
            configuration.rank_for(Some(preset))?;
        }
        Ok(configuration)
    }

    /// The configuration to search collections that are split by these presets. What a project's
    /// file says about ranking and vectors applies to its own index only.
    pub fn of_collections(
        presets: &[Option<Preset>],
        choice: &EmbeddingChoice,
    ) -> ServiceResult<Configuration> {
        let mut configuration = Configuration::of_user(choice)?;
        if let Some(first) = presets.first()
            && presets.iter().all(|preset| preset == first)
        {
            configuration.rank_for(*first)?;
        }
        Ok(configuration)
    }

    /// The preset that a collection is split by.
    pub fn preset_of(&self, collection: &Collection) -> Option<Preset> {
        collection.chunking.preset.or(self.chunking.preset)
    }

    /// The configuration of the user alone.
    pub fn of_user(choice: &EmbeddingChoice) -> ServiceResult<Configuration> {
        match own_path().as_deref().and_then(Path::parent) {
            // There is no project in the folder of the user's own file.
            Some(folder) => Configuration::read(folder, choice),
            None => Ok(Configuration::default()),
        }
    }

    /// The options to sync a folder.
    pub fn options(&self) -> SyncOptions {
        SyncOptions::default()
            .chunking(self.chunking.config())
            .selection(self.selection.clone())
    }

    /// The options to sync a collection.
    pub fn options_of(&self, collection: &Collection) -> SyncOptions {
        collection.options(self.chunking.clone(), self.selection.clone())
    }
}

/// Checks that the table `[files]` of a project does not include secrets: a cloned project must not
/// choose which of the user's secrets are indexed. `own` is the file where such a choice belongs.
fn check_project(table: &Table, own: &str) -> ServiceResult<()> {
    match table.entry("secrets") {
        Some(entry) if entry.value != "skip" => Err(entry.fault(format!(
            "a project's file cannot set `secrets = \"index\"`, only `\"skip\"`: its author would choose which of your secrets are indexed; to use \
             it, set it in `{own}`"
        ))),
        _ => Ok(()),
    }
}

/// The converters in the table `[readers]`. They are tried in the order of their patterns, the
/// longest first, so that a pattern for fewer files precedes one for more.
fn readers(table: &Table) -> ServiceResult<Readers> {
    let mut converters = Vec::new();
    for (pattern, command) in &table.0 {
        let line = command.value.as_str().unwrap_or_default();
        let converter = Converter::new(pattern, line).map_err(|error| command.fault(error))?;
        converters.push((pattern.len(), converter));
    }
    converters.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
    let converters = converters.into_iter().map(|(_, converter)| converter);
    Ok(Readers::with(converters.collect()))
}

/// Checks that a project's file names no programs to run. `own` is the file where they belong.
fn check_no_readers(table: &Table, own: &str) -> ServiceResult<()> {
    match table.0.values().next() {
        Some(entry) => Err(entry.fault(format!(
            "a project's file cannot have `[{READERS}]`: its author would choose which programs run on your machine; move it to `{own}`"
        ))),
        None => Ok(()),
    }
}

/// The chunking settings for `path`: those of the nearest file in a parent folder, up to the root
/// of the git repository, and those of the user.
pub fn chunking_around(path: &Path) -> ServiceResult<Settings> {
    let path = std::path::absolute(path)?;
    let mut settings = Settings::default();
    for folder in path.ancestors().filter(|folder| folder.is_dir()) {
        if let Some(file) = of_project(folder)? {
            settings = Said::of(&file)?.chunking;
            break;
        }
        if folder.join(".git").symlink_metadata().is_ok() {
            break;
        }
    }
    let own = own_path().as_deref().map(of_user).transpose()?.flatten();
    let own = own.as_ref().map(Said::of).transpose()?;
    Ok(settings.or(own.map(|said| said.chunking).unwrap_or_default()))
}

/// A note about the project's file nearest to `path` that does not apply there, because it is in a
/// folder below `root`, which is indexed as a whole; `None` if there is no such file.
pub(crate) fn unused(root: &Path, path: &Path) -> Option<String> {
    let root = folder(root);
    let inside = folder(path).strip_prefix(root).ok()?;
    let mut folders = inside
        .ancestors()
        .filter(|inside| !inside.as_os_str().is_empty());
    let file = folders.find_map(|inside| {
        let file = root.join(inside).join(FILE);
        file.symlink_metadata().is_ok().then_some(file)
    })?;
    Some(format!(
        "`{}` is not used: the index covers `{}`, whose settings apply; move them there, or add this folder as a collection",
        file.display(),
        root.display()
    ))
}

/// The path of the user's own file, whether or not it exists.
pub fn own_path() -> Option<PathBuf> {
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

/// The file of the project in `folder`, without following links; `None` if it does not exist.
fn of_project(folder: &Path) -> ServiceResult<Option<Arc<File>>> {
    let read = read_below(folder, FILE, CONFIGURATION_LIMIT);
    file(folder.join(FILE), read)
}

/// The user's own file at `path`, following links; `None` if it does not exist.
fn of_user(path: &Path) -> ServiceResult<Option<Arc<File>>> {
    file(path.to_path_buf(), read_named(path, CONFIGURATION_LIMIT))
}

/// The file that the user named.
fn chosen(path: &Path) -> ServiceResult<Arc<File>> {
    let missing = || ServiceError::NoEmbeddingFile {
        path: path.to_path_buf(),
        table: embedding::TABLE,
    };
    of_user(path)?.ok_or_else(missing)
}

fn file(path: PathBuf, read: Result<Vec<u8>, Refused>) -> ServiceResult<Option<Arc<File>>> {
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(Refused::Missing) => return Ok(None),
        Err(refused) => return Err(ServiceError::UnreadableFile { path, refused }),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(Arc::new(File { path, text }))),
        Err(_) => Err(ServiceError::NotUtf8 { path }),
    }
}

/// The ranking of this name, changed by the other fields of the table.
fn ranking(preset: RankingPreset, table: &Table) -> ServiceResult<Ranking> {
    let mut fields = serde_json::to_value(preset.ranking())?;
    merge(&mut fields, table.json());
    if let Some(fields) = fields.as_object_mut() {
        fields.remove(PRESET);
    }
    let ranking = Ranking::deserialize(fields)?;
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

/// Replaces the fields of `own` by those of `other`, and those of a nested object one by one.
fn merge(own: &mut Value, other: Value) {
    match (own, other) {
        (Value::Object(own), Value::Object(other)) => {
            for (name, value) in other {
                merge(own.entry(name).or_insert(Value::Null), value);
            }
        }
        (own, other) => *own = other,
    }
}

fn selection(table: &Table) -> ServiceResult<Selection> {
    let selection = Selection::deserialize(table.json())?;
    if let Err(error) = selection.check() {
        let entries = [table.entry("ignore"), table.entry("include")];
        let named = |entry: &&FieldValue| match &error {
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

/// The names of the chunking fields that are set.
pub fn said(settings: &Settings) -> Vec<String> {
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
        let names = |fields: &Fields<'_>| -> Vec<String> {
            let mut names: Vec<_> = fields.iter().map(|(name, _)| name.to_string()).collect();
            names.sort();
            names
        };
        let ranking = serde_json::to_value(Ranking::default()).unwrap();
        let keys = |value: &Value| -> Vec<String> {
            let mut keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        let mut fields = names(RANKING);
        fields.retain(|field| field != PRESET);
        assert_eq!(fields, keys(&ranking));
        assert_eq!(names(FIELDS), keys(&ranking["fields"]));
        assert_eq!(names(SIGNALS), keys(&ranking["signals"]));
    }
}
