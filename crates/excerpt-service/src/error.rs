//! The errors of the service, by what the caller can do about them. Their texts say what is wrong;
//! how a user or an agent can fix it, each face says in its own words.

use std::io;
use std::path::PathBuf;

use excerpt_chunk::{ConfigError, FileError};
use excerpt_index::eval::{MineError, SetError};
use excerpt_index::{GitAddressError, ObjectAddressError, Refused, Secret, Skip, plain_error};

use crate::text::{not_indexed, reason, shown, thousands, without_root};

/// The result of every operation of the service.
pub type ServiceResult<T, E = ServiceError> = Result<T, E>;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The index failed.
    #[error(transparent)]
    Index(#[from] excerpt_index::Error),
    /// A set of questions cannot be used.
    #[error(transparent)]
    QuestionSet(#[from] SetError),
    /// A set of questions cannot be made.
    #[error(transparent)]
    Mine(#[from] MineError),
    /// The chunking configuration of a request is invalid.
    #[error(transparent)]
    Chunking(#[from] ConfigError),
    /// The operating system failed to resolve or read a path of a request.
    #[error("{}", plain_error(.0))]
    Io(#[from] io::Error),
    /// A value could not be read or written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A configuration file is invalid.
    #[error("{}:{fault}", path.display())]
    Configuration {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        fault: FileError,
    },
    /// A configuration file cannot be read.
    #[error("cannot read `{}`: {refused}", path.display())]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// Why.
        refused: Refused,
    },
    /// A configuration file is not UTF-8.
    #[error("cannot read `{}`: it is not UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// The file that was named for the embedder does not exist.
    #[error("`{}` does not exist: name a file with a table `[{table}]`", path.display())]
    NoEmbeddingFile {
        /// The file.
        path: PathBuf,
        /// The table that it should have.
        table: &'static str,
    },
    /// A configuration file is invalid, and must not be quoted: it may lie outside of what is
    /// visible.
    #[error("an `excerpt.toml` is invalid")]
    InvalidConfiguration,
    /// No temporary folder can be made.
    #[error("cannot make a temporary folder: {}", plain_error(.0))]
    NoTemporaryFolder(io::Error),
    /// The user's data folder is unknown.
    #[error("cannot find the user's data folder")]
    NoDataFolder(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// An index to remove was named by a collection.
    #[error("`{}` is a collection", named.display())]
    IsCollection {
        /// What was named.
        named: PathBuf,
        /// The name of the collection.
        collection: String,
        /// The index that has it, unless it is the library.
        index: Option<PathBuf>,
    },
    /// An address is none of a git repository, or one that git must not get.
    #[error("`{address}` cannot be added: {error}")]
    Address {
        /// The address.
        address: String,
        /// Why not.
        error: GitAddressError,
    },
    /// An address is none of an object store.
    #[error("`{address}` cannot be added: {error}")]
    ObjectAddress {
        /// The address.
        address: String,
        /// Why not.
        error: ObjectAddressError,
    },
    /// An endpoint was named of what is no object store.
    #[error("`{path}` is not an object store such as `s3://bucket/prefix`, so it has no endpoint")]
    NotAnObjectStore {
        /// The folder or address as it was given.
        path: String,
    },
    /// The destination of a mirror is neither a folder nor an object store.
    #[error(
        "cannot mirror to `{address}`: expected a folder, or an object store such as `s3://bucket/prefix`"
    )]
    NotADestination {
        /// The address as it was given.
        address: String,
    },
    /// The destination of a mirror is a part of its source, or contains it.
    #[error("cannot mirror to `{destination}`: it is inside the collection, or contains it")]
    MirrorInSource {
        /// The destination.
        destination: String,
    },
    /// Another process mirrors to the same place.
    #[error("another process is mirroring to `{destination}`: try again when it has finished")]
    MirrorLocked {
        /// The destination.
        destination: String,
    },
    /// An address contains a password, or what may be one, which is never kept.
    #[error(
        "the address of `{address}` contains a user name, a password or a token, which are never kept: leave it out, and let a credential helper of git or the environment keep it"
    )]
    PasswordInAddress {
        /// The address, without the password.
        address: String,
    },
    /// The body of a push has no known form.
    #[error("this is not the body of a push from GitHub, GitLab, Gitea, Forgejo or Bitbucket: {0}")]
    NotAPush(String),
    /// A branch, tag or commit was named of what is no git repository.
    #[error(
        "`{path}` is not a git repository, so it has no branch, tag, commit or folder to choose"
    )]
    NotARepository {
        /// The folder or file as it was given.
        path: String,
    },
    /// Git would not accept this name of a branch or tag, or id of a commit.
    #[error(
        "`{name}` names no branch, tag or commit: expected a name that git allows, or the complete id of a commit"
    )]
    Reference {
        /// The name.
        name: String,
    },
    /// There is no index of a folder.
    #[error("there is no index of `{}`", named.display())]
    NoIndexOf {
        /// The folder, or the name of an index directory.
        named: PathBuf,
    },
    /// A folder is in several indexes.
    #[error("`{}` is in several indexes: name one of {}", named.display(), quoted(indexes))]
    SeveralIndexes {
        /// The folder.
        named: PathBuf,
        /// The index directories.
        indexes: Vec<PathBuf>,
    },
    /// An index covers several folders, so that a path does not identify a document.
    #[error("the index in `{}` covers several folders: open one of {} with this index", index.display(), quoted(folders))]
    SeveralFolders {
        /// The directory of the index.
        index: PathBuf,
        /// The folders.
        folders: Vec<PathBuf>,
    },
    /// A file to split cannot be read.
    #[error("cannot read `{}`: {refused}", path.display())]
    UnreadableText {
        /// The file.
        path: PathBuf,
        /// Why.
        refused: Refused,
    },
    /// A file to split is not text.
    #[error("`{name}` cannot be split: {}", reason(skip))]
    NotSplit {
        /// The file as it was given.
        name: String,
        /// Why it is not text.
        skip: Skip,
    },
    /// A text to split is larger than a server splits.
    #[error("a text of more than {limit} bytes is not split here")]
    SplitTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A text to split would have more chunks than a server shows.
    #[error("this would give more than {limit} chunks: raise `target`")]
    SplitTooFine {
        /// The limit.
        limit: usize,
    },
    /// A text was not split in time.
    #[error("not split within {seconds} seconds")]
    NotSplitInTime {
        /// The limit.
        seconds: u64,
    },
    /// Nobody waits for the answer any longer.
    #[error("the request was cancelled")]
    Cancelled,
    /// The file or folder of a request cannot be read.
    #[error("cannot read `{path}`: {}", plain_error(error))]
    Unreadable {
        /// The file or folder as it was given.
        path: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// No folder may be added from.
    #[error("no folder may be read from here")]
    NothingReadable,
    /// The folders that may be added from have no such file or folder.
    #[error(
        "`{}` is not a file or folder in the folders that may be read",
        shown(path)
    )]
    NotReadable {
        /// The path as it was given.
        path: String,
    },
    /// The name of a collection is empty.
    #[error("the name of a collection is empty")]
    EmptyName,
    /// A collection cannot have this name.
    #[error("`{name}` cannot be a collection's name: try `{closest}`")]
    InvalidName {
        /// The beginning of the name.
        name: String,
        /// A similar valid name.
        closest: String,
    },
    /// A request to edit a collection says what is so already.
    #[error("nothing to change in `{name}`")]
    NothingToChange {
        /// The collection.
        name: String,
    },
    /// A text to add has neither a name nor a title.
    #[error("a text has no name")]
    NamelessText,
    /// A title was given to a folder.
    #[error("a title names one document, and `{folder}` is a folder: leave it out")]
    TitleOfFolder {
        /// The folder as it was given.
        folder: String,
    },
    /// A text to add may contain secrets.
    #[error(
        "the text is not kept because it may contain secrets ({secret}): {}",
        Secret::ADVICE
    )]
    SecretText {
        /// What was found.
        secret: Secret,
    },
    /// A text to add is larger than a document may be.
    #[error(
        "the text takes {} bytes, and one of more than {} is not indexed: add it in parts",
        thousands(*bytes),
        thousands(usize::try_from(*limit).unwrap_or(usize::MAX))
    )]
    TextTooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: u64,
    },
    /// A text to add is not text.
    #[error("not text: contains a NUL byte")]
    NotText,
    /// A note has no title.
    #[error("the title of a note is empty")]
    UntitledNote,
    /// There is no folder to write a note to.
    #[error("there is no folder to write a note to")]
    NowhereToWrite,
    /// The path of a note leads out of the inbox, or is none.
    #[error(
        "`{}` is not a path in the inbox: give a folder or file path without `..`",
        shown(path)
    )]
    NotInInbox {
        /// The path as it was given.
        path: String,
    },
    /// An index would ignore a note because of its name.
    #[error(
        "`{}` has a name that starts with a dot, which the index ignores: choose another path",
        shown(path)
    )]
    HiddenNote {
        /// The path as it was given.
        path: String,
    },
    /// The name of a note is that of a file in another format.
    #[error(
        "`{}` ends in `.{ending}`, but a note is a Markdown file: use a name that ends in `.md`, or a folder",
        shown(path)
    )]
    NotMarkdown {
        /// The path as it was given.
        path: String,
        /// The extension.
        ending: String,
    },
    /// A note is larger than a document may be.
    #[error(
        "the note takes {} bytes, and a file of more than {} is not indexed: write several notes",
        thousands(*bytes),
        thousands(usize::try_from(*limit).unwrap_or(usize::MAX))
    )]
    NoteTooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: u64,
    },
    /// The folder that is served was replaced by a link.
    #[error(
        "the served folder is a symbolic link or reached through one: notes are not written there"
    )]
    ServedThroughLink,
    /// The inbox is not inside what is served.
    #[error("the inbox is outside the served folder: `{inbox}`")]
    InboxOutside {
        /// The inbox.
        inbox: String,
    },
    /// The inbox does not exist and cannot be created.
    #[error("cannot create the inbox: {}", plain_error(.0))]
    InboxNotMade(#[source] io::Error),
    /// A note cannot be written.
    #[error("cannot write the note: {}", plain_error(.0))]
    NoteNotWritten(#[source] io::Error),
    /// There are ten thousand notes of that name.
    #[error("too many notes have this name: choose another title")]
    TooManyNotes,
    /// A file to add would be skipped.
    #[error("{}", not_indexed(file, skip))]
    NotIndexed {
        /// The file as it was given.
        file: String,
        /// Why.
        skip: Skip,
    },
    /// A range of lines ends before it starts.
    #[error("invalid line range `{range}`: start is after end")]
    ReversedLines {
        /// The range.
        range: String,
    },
    /// A range of lines is invalid.
    #[error(
        "invalid line range `{range}`, expected a line or a range from 1, such as `7` or `10-20`"
    )]
    InvalidLines {
        /// The range.
        range: String,
    },
    /// A target is longer than any path with a part of its document.
    #[error(
        "a target of {} bytes, expected at most {}: give a path, and a part of it",
        thousands(*length),
        thousands(*most)
    )]
    TargetTooLong {
        /// Its length in bytes.
        length: usize,
        /// The maximum.
        most: usize,
    },
    /// The bound of a scope is not a path inside what it shows.
    #[error("`{under}` is not a folder inside what is served: give its path from there")]
    InvalidBound {
        /// The bound.
        under: String,
    },
    /// The part of a repository to add is not a folder of it.
    #[error(
        "`{under}` is not a folder of the repository: give its path from the top, without `..`"
    )]
    InvalidSubfolder {
        /// The folder.
        under: String,
    },
    /// There is nothing at the bound of a scope.
    #[error("no `{under}` inside what is served: give the path of a folder from there")]
    EmptyBound {
        /// The bound.
        under: String,
    },
    /// No visible collection has that name.
    #[error("no collection `{name}`")]
    NoCollection {
        /// The beginning of the name.
        name: String,
        /// The visible collections.
        names: Vec<String>,
    },
    /// The path leads out of what is visible, or is none.
    #[error("`{path}` is not a path here")]
    NotAPath {
        /// The path as it was given.
        path: String,
    },
    /// Nothing that is visible is indexed.
    #[error("nothing that is visible is indexed")]
    NothingIndexed,
    /// There are no documents at the path of a question.
    #[error("no documents at that `path`")]
    NoDocumentsThere,
    /// There is nothing to list at a path.
    #[error("nothing at that `path`")]
    NothingThere,
    /// No visible document has that path.
    #[error("`{}` was not found", shown(path))]
    NoDocument {
        /// The path as it was given.
        path: String,
        /// The most similar path.
        closest: Option<String>,
    },
    /// The path of a document is that of a folder.
    #[error("`{}` is a folder", shown(path))]
    IsFolder {
        /// The path as it was given.
        path: String,
    },
    /// More than one visible source has a document at that path.
    #[error("`{}` is in {}", shown(path), listed(collections))]
    InSeveral {
        /// The path as it was given.
        path: String,
        /// The collections that have it; `None` for the folder that is served.
        collections: Vec<Option<String>>,
    },
    /// A pattern of documents is invalid.
    #[error("invalid pattern `{pattern}`: {error}")]
    InvalidPattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        error: String,
    },
    /// No document matches a pattern.
    #[error("no indexed document matches `{pattern}`")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A link has taken the place of a source.
    #[error("`{name}` was moved and a symbolic link took its place")]
    Replaced {
        /// The name of the source.
        name: String,
    },
    /// A source could not be synced. The message does not contain its root.
    #[error("{}", without_root(&error.to_string(), root, name))]
    NotSynced {
        /// The name of the source.
        name: String,
        /// Its root.
        root: PathBuf,
        /// Why.
        #[source]
        error: Box<ServiceError>,
    },
    /// The operating system has no random bytes for a secret.
    #[error("no random bytes for a secret: {0}")]
    NoRandomBytes(String),
    /// A file with tokens or hooks is not what this program writes.
    #[error("`{}` is not a file of tokens or hooks: {reason}", path.display())]
    InvalidAccessFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Others than its user can read a file with tokens or secrets.
    #[error("`{0}` can be read by other users: run `chmod 600 {0}`", path.display())]
    NotPrivate {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: {}", path.display(), plain_error(error))]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The time after which a token ends is invalid.
    #[error(
        "`{given}` is not a time: expected a number of minutes, hours, days or weeks, such as `30d`"
    )]
    InvalidExpiry {
        /// What was given.
        given: String,
    },
    /// A token cannot have this name.
    #[error(
        "`{name}` cannot be a token's name: expected 1 to 100 characters, without control characters"
    )]
    InvalidTokenName {
        /// The beginning of the name.
        name: String,
    },
    /// Another token has this name.
    #[error("there is a token `{name}` already")]
    TokenNameTaken {
        /// The name.
        name: String,
    },
    /// No token has this name.
    #[error("no token `{name}`")]
    NoToken {
        /// The name.
        name: String,
    },
    /// A hook cannot have this name.
    #[error("`{name}` cannot be a hook's name: expected letters, digits, `-`, `_` and `.`")]
    InvalidHookName {
        /// The beginning of the name.
        name: String,
    },
    /// A hook is for a collection that is not a git repository.
    #[error("the collection `{name}` is not a git repository: only those have hooks")]
    HookOfNoRepository {
        /// Its name.
        name: String,
    },
    /// Another hook has this name.
    #[error("there is a hook `{name}` already")]
    HookNameTaken {
        /// The name.
        name: String,
    },
    /// No hook has this name.
    #[error("no hook `{name}`")]
    NoHook {
        /// The name.
        name: String,
    },
    /// The engine has ended.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// A fault of the program, which has reported it on standard error.
    #[error("internal error: standard error says more")]
    Panicked,
    /// An answer was not finished.
    #[error("no answer: {0}")]
    NoAnswer(#[from] tokio::task::JoinError),
}

fn listed(collections: &[Option<String>]) -> String {
    let names = collections.iter().map(|name| match name {
        Some(name) => format!("`{name}`"),
        None => "the folder itself".to_string(),
    });
    names.collect::<Vec<_>>().join(" and ")
}

fn quoted(paths: &[PathBuf]) -> String {
    let paths = paths.iter().map(|path| format!("`{}`", path.display()));
    paths.collect::<Vec<_>>().join(", ")
}
