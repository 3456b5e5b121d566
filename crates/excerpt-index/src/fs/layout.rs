//! The names of the files in an index directory.

use std::fs;
use std::path::Path;

use super::disk;

/// The database. SQLite puts its own files next to it, under this name with an ending.
pub(crate) const DATABASE: &str = "excerpt.db";

/// The folder of the keyword index.
pub(crate) const LEXICAL: &str = "lexical";

/// The codes of the vectors.
pub(crate) const CODES: &str = "vectors";

/// The codes of what has changed since [`CODES`] was written.
pub(crate) const NEWER_CODES: &str = "vectors.newer";

/// The codes of another embedder, while its vectors are computed.
pub(crate) const NEXT_CODES: &str = "vectors.next";

/// The roots of the sources, so that the index can be rebuilt when its database cannot be read.
pub(crate) const ROOTS: &str = "sources.json";

/// The lock of the writer.
pub(crate) const LOCK: &str = "lock";

/// The documents that are being split.
pub(crate) const JOURNAL: &str = "cutting";

/// The name of the folder of the generation that is served.
pub(crate) const POINTER: &str = "excerpt.generation";

/// The folder of a generation that is being built.
pub(crate) const ASIDE: &str = "aside";

/// What the generation in [`ASIDE`] is built from. It is written last: without it the copy is
/// incomplete.
pub(crate) const BASE: &str = "base.json";

/// The folder of an index that is being rebuilt from its sources.
pub(crate) const ANEW: &str = "anew";

/// The prefix of the names of the other folders of generations.
pub(crate) const GENERATION: &str = "generation-";

/// The collections of the index.
pub(crate) const COLLECTIONS: &str = "collections.json";

/// A copy, for when the first is lost.
pub(crate) const COLLECTIONS_COPY: &str = "collections.copy.json";

/// The name that a list of collections which cannot be repaired is renamed to.
pub(crate) const DAMAGED_COLLECTIONS: &str = "collections.json.damaged";

/// The folder of the texts that were added without a file.
pub(crate) const TEXTS: &str = "given";

/// The folder of the clones of remote repositories, and of what is known about each remote source.
pub(crate) const REMOTES: &str = "remotes";

/// The repository of which the index contains a working tree or a clone.
pub(crate) const REPOSITORY: &str = "repository";

/// The contents of an index directory besides its database and the folders of generations.
const PARTS: [&str; 15] = [
    REMOTES,
    LEXICAL,
    CODES,
    NEWER_CODES,
    NEXT_CODES,
    LOCK,
    ROOTS,
    POINTER,
    ASIDE,
    ANEW,
    COLLECTIONS,
    COLLECTIONS_COPY,
    TEXTS,
    REPOSITORY,
    JOURNAL,
];

/// Whether that name is one of a folder with a generation, or of the keyword index.
pub(crate) fn is_folder(name: &str) -> bool {
    [LEXICAL, ASIDE, ANEW].contains(&name) || name.starts_with(GENERATION)
}

/// Whether a folder contains only parts of an index.
pub(crate) fn holds_index_alone(home: &Path) -> bool {
    let mut entries = fs::read_dir(home).into_iter().flatten().flatten();
    entries.all(|entry| entry.file_name().to_str().is_some_and(is_ours))
}

/// Whether an index directory, or a folder in it, has an entry of this name.
pub(crate) fn is_ours(name: &str) -> bool {
    PARTS.contains(&disk::finished(name))
        || name.starts_with(GENERATION)
        || name.starts_with(DATABASE)
        || name == DAMAGED_COLLECTIONS
        || disk::is_temporary(name)
}
