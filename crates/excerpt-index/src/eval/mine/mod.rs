//! Question sets made from any folder: what its authors wrote about a part of it is taken out of a
//! copy, and becomes the question that leads to that part.
//!
//! The documents are read as [`Page`]s (`page.rs`). Each kind of question has a file that finds its
//! candidates (`candidate.rs`): documentation comments (`definition.rs`), links (`link.rs`),
//! sections (`section.rs`) and commits (`commit.rs`). Those with one answer are chosen
//! (`choice.rs`), what they say is taken out (`edit.rs`), and the set is written (`write.rs`).

mod candidate;
mod choice;
mod commit;
mod definition;
mod edit;
mod link;
mod page;
mod section;
mod text;
mod write;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use serde::Serialize;

use crate::model::{Encoding, Error, Selection, SkipReason, counted, plain};
use crate::source::commits::History;
use crate::source::{FileText, Files, Reading, Source as _};
use page::Page;

/// How long the history may take to read.
const HISTORY: Duration = Duration::from_secs(120);

/// A request for a question set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mine {
    /// The folder with the documents.
    pub folder: PathBuf,
    /// The folder for the set, which does not exist or is empty.
    pub out: PathBuf,
    /// The name of the set. Default: the name of the folder.
    pub name: Option<String>,
    /// The maximum number of questions of each kind. Default: 100.
    pub limit: usize,
}

/// A question set that was made.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Mined {
    /// Its name.
    pub name: String,
    /// How many documents it has.
    pub files: usize,
    /// How many files of the folder were skipped, by reason.
    pub skipped: BTreeMap<String, usize>,
    /// Whether the folder is in a git repository whose history was read. Without one, there are no
    /// questions from commits.
    pub has_history: bool,
    /// How many questions there are, by kind and by the language of the answer.
    pub questions: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Why no question set was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MineError {
    /// The folder does not exist.
    #[error("`{}` does not exist: give a folder with documents or source code", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// It is not a folder.
    #[error("`{}` is not a folder: give a folder with documents or source code", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder for the set contains something.
    #[error("`{}` is not empty: name a folder that does not exist yet", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder for the set is in the folder with the documents.
    #[error("`{}` is inside `{}`, whose documents would then include the questions: name a folder outside of it", path.display(), folder.display())]
    Inside {
        /// The folder for the set.
        path: PathBuf,
        /// The folder with the documents.
        folder: PathBuf,
    },
    /// There is nothing to ask.
    #[error("found no questions in the {} of `{}`: looked for documentation comments above definitions, links between documents, sections that begin with a sentence, and the subjects of commits", of_documents(*files), path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
        /// How many documents it has.
        files: usize,
    },
    /// A file or folder cannot be read or written.
    #[error("cannot write `{}`: {}", path.display(), plain(source))]
    Io {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The documents cannot be listed.
    #[error(transparent)]
    Source(#[from] Error),
}

impl Mine {
    /// A set for the documents in `folder`, to be written to `out`.
    pub fn new(folder: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Mine {
            folder: folder.into(),
            out: out.into(),
            name: None,
            limit: 100,
        }
    }

    /// Makes the set. All documents are in memory meanwhile. The same folder gives the same set.
    ///
    /// # Errors
    ///
    /// [`MineError`]; nothing is overwritten.
    pub fn run(&self) -> Result<Mined, MineError> {
        let folder = self.checked_folder()?;
        self.check_out(&folder)?;
        let (pages, skipped) = read(&folder)?;
        let history = History::of(&folder, Instant::now() + HISTORY);
        let found: Vec<definition::Found> = pages
            .par_iter()
            .enumerate()
            .map(|(number, page)| definition::candidates(number, page))
            .collect();
        let (mut candidates, mut twins) = (Vec::new(), Vec::new());
        for found in found {
            candidates.extend(found.candidates);
            twins.extend(found.twins);
        }
        definition::add_twins(&mut candidates, twins);
        let numbered = pages.iter().enumerate();
        candidates.extend(numbered.flat_map(|(number, page)| section::candidates(number, page)));
        candidates.extend(link::candidates(&pages));
        if let Some(history) = &history {
            candidates.extend(commit::candidates(&pages, &history.changes));
        }
        let questions = choice::chosen(candidates, &pages, self.limit);
        if questions.is_empty() {
            return Err(MineError::Nothing {
                path: self.folder.clone(),
                files: pages.len(),
            });
        }
        let own = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let mut mined = Mined {
            name: self.name.clone().or(own).unwrap_or_default(),
            files: pages.len(),
            skipped,
            has_history: history.is_some(),
            questions: BTreeMap::new(),
        };
        for question in &questions {
            let kind = mined.questions.entry(question.kind.name().to_string());
            let languages = kind.or_default();
            *languages.entry(question.language.clone()).or_default() += 1;
        }
        let set = write::Set {
            mined: &mined,
            revision: history.as_ref().map(|history| &*history.head),
            limit: self.limit,
            pages: &pages,
            questions: &questions,
        };
        set.write(&self.out)?;
        Ok(mined)
    }

    /// The folder with the documents, by its absolute path.
    fn checked_folder(&self) -> Result<PathBuf, MineError> {
        let path = || self.folder.clone();
        let folder = self.folder.canonicalize();
        let folder = folder.map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => MineError::Missing { path: path() },
            _ => Error::Source {
                path: path(),
                source,
            }
            .into(),
        })?;
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(MineError::NoFolder { path: path() }),
        }
    }

    fn check_out(&self, folder: &Path) -> Result<(), MineError> {
        let unwritable = |source| MineError::Io {
            path: self.out.clone(),
            source,
        };
        if self.out.symlink_metadata().is_ok() {
            let mut entries = match self.out.read_dir() {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    return Err(MineError::NotEmpty {
                        path: self.out.clone(),
                    });
                }
                Err(error) => return Err(unwritable(error)),
            };
            if entries.next().is_some() {
                return Err(MineError::NotEmpty {
                    path: self.out.clone(),
                });
            }
        }
        let absolute = std::path::absolute(&self.out).map_err(unwritable)?;
        let existing = absolute.ancestors().find_map(|above| {
            let real = above.canonicalize().ok()?;
            Some(real.join(absolute.strip_prefix(above).ok()?))
        });
        match existing.is_some_and(|out| out.starts_with(folder)) {
            true => Err(MineError::Inside {
                path: self.out.clone(),
                folder: self.folder.clone(),
            }),
            false => Ok(()),
        }
    }
}

fn of_documents(files: usize) -> String {
    match files {
        1 => "one document".to_string(),
        files => counted(files, "document"),
    }
}

/// The documents of a folder that an index would have, and how many files are skipped for which
/// reason.
fn read(folder: &Path) -> Result<(Vec<Page>, BTreeMap<String, usize>), MineError> {
    let files = Files::selected(folder, &Selection::default())?;
    let listing = files.list()?;
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    let mut skip = |reason: SkipReason| *skipped.entry(reason.to_string()).or_default() += 1;
    listing.skips.iter().for_each(|it| skip(it.reason));
    let mut pages = Vec::new();
    for entry in &listing.entries {
        let text = match files.read(entry) {
            Reading::Bytes { bytes, .. } => Selection::default().text(&entry.path, bytes),
            Reading::Skip { skip, .. } => Err(skip),
            Reading::Gone => continue,
        };
        match text {
            // A question must not be in the corpus, so that its file must be written again.
            Ok(FileText {
                text,
                encoding: Encoding::Utf8,
                ..
            }) => pages.push(Page::new(entry.path.clone(), text)),
            Ok(FileText {
                extraction: Some(_),
                ..
            }) => skip(SkipReason::Binary),
            Ok(_) => skip(SkipReason::NotUtf8),
            Err(it) => skip(it.reason),
        }
    }
    Ok((pages, skipped))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;
    use crate::eval::QuestionSet;

    const GUIDE: &str = "# Guide\n\nSee [how hot the water gets](water.md#heat).\n\n## Pots\n\nA pot of clay keeps green tea warm for an hour. ";

    fn write(folder: &Path, path: &str, bytes: impl AsRef<[u8]>) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// A folder with questions of each kind but commits.
    fn tea(folder: &Path) {
        let long = "Iron is heavier, and copper needs care. ".repeat(8);
        write(folder, "docs/guide.md", format!("{GUIDE}{long}\n"));
        write(
            folder,
            "docs/water.md",
            "# Water\n\nClear.\n\n## Heat\n\nEighty.\n",
        );
        write(
            folder,
            "src/brew.rs",
            "/// Draws leaves until nobody can wait.\npub fn brew(leaves: u8) -> u8 {\n    leaves\n}\n",
        );
        write(
            folder,
            "src/brew.py",
            "def pour(cup):\n    \"\"\"Fill a cup up to its rim.\"\"\"\n    return cup + 1 - cup.holes\n",
        );
        write(folder, "latin.txt", b"caf\xe9");
        write(folder, ".env", "A=1");
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(folder)
            .status();
        assert!(status.unwrap().success());
    }

    /// The answers of a set: category, question, path and text.
    fn answers(out: &Path) -> Vec<[String; 4]> {
        let lines = fs::read_to_string(out.join("queries.jsonl")).unwrap();
        let mut found = Vec::new();
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            for answer in line["relevant"].as_array().unwrap() {
                let path = answer["path"].as_str().unwrap();
                let text = fs::read_to_string(out.join("corpus").join(path)).unwrap();
                let at = |name: &str| answer[name].as_u64().map(|at| usize::try_from(at).unwrap());
                let text = match (at("start_byte"), at("end_byte")) {
                    (Some(start), Some(end)) => &text[start..end],
                    _ => "",
                };
                let said = |name: &str| line[name].as_str().unwrap().to_string();
                found.push([said("category"), said("query"), path.into(), text.into()]);
            }
        }
        found
    }

    #[test]
    fn a_folder_asks_about_itself() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, out) = (dir.path().join("tea"), dir.path().join("set"));
        tea(&folder);
        git(&folder, &["init", "--quiet"]);
        git(&folder, &["add", "docs"]);
        git(
            &folder,
            &[
                "commit",
                "--quiet",
                "-m",
                "docs: explain clay and its warmth",
            ],
        );
        let mined = Mine::new(&folder, &out).run().unwrap();
        assert_eq!((&*mined.name, mined.files), ("tea", 4));
        assert!(mined.has_history);
        assert_eq!(mined.skipped["not UTF-8"], 1);
        let mut answers = answers(&out);
        answers.sort();
        let brief: Vec<String> = answers
            .iter()
            .map(|[kind, query, path, text]| {
                format!(
                    "{kind}: {query} {path}: {}",
                    text.lines().next().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(
            brief,
            [
                "commit: explain clay and its warmth docs/guide.md: ",
                "commit: explain clay and its warmth docs/water.md: ",
                "definition: Draws leaves until nobody can wait. src/brew.rs: pub fn brew(leaves: u8) -> u8 {",
                "definition: Fill a cup up to its rim. src/brew.py: def pour(cup):",
                "link: how hot the water gets docs/water.md: ## Heat",
                "section: A pot of clay keeps green tea warm for an hour. docs/guide.md: ## Pots",
            ]
        );
        let guide = fs::read_to_string(out.join("corpus/docs/guide.md")).unwrap();
        assert!(
            guide
                .starts_with("# Guide\n\nSee [here](water.md#heat).\n\n## Pots\n\nIron is heavier")
        );
        let set = QuestionSet::read(&out, None).unwrap();
        assert_eq!((set.questions.len(), set.left_out.len()), (5, 0));
    }

    #[test]
    fn the_same_folder_gives_the_same_set() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tea");
        tea(&folder);
        let mut sets = Vec::new();
        for name in ["a", "b"] {
            let out = dir.path().join(name);
            let mut mine = Mine::new(&folder, &out);
            mine.limit = 1;
            assert!(!mine.run().unwrap().has_history);
            let read = |file: &str| fs::read(out.join(file)).unwrap();
            sets.push((
                read("queries.jsonl"),
                read("meta.json"),
                read("corpus/docs/guide.md"),
            ));
        }
        assert_eq!(sets[0], sets[1]);
        assert_eq!(answers(&dir.path().join("a")).len(), 3);
    }

    #[test]
    fn what_cannot_be_mined_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        write(root, "full/a.md", "tea");
        fs::create_dir(root.join("empty")).unwrap();
        let message = |folder: &str, out: &str| {
            let error = Mine::new(root.join(folder), root.join(out))
                .run()
                .unwrap_err();
            error.to_string().replace(root.to_str().unwrap(), "ROOT")
        };
        assert_eq!(
            message("none", "set"),
            "`ROOT/none` does not exist: give a folder with documents or source code"
        );
        assert_eq!(
            message("full/a.md", "set"),
            "`ROOT/full/a.md` is not a folder: give a folder with documents or source code"
        );
        for out in ["full", "full/a.md"] {
            assert_eq!(
                message("empty", out),
                format!("`ROOT/{out}` is not empty: name a folder that does not exist yet")
            );
        }
        assert_eq!(
            message("full", "full/new/set"),
            "`ROOT/full/new/set` is inside `ROOT/full`, whose documents would then include the questions: name a folder outside of it"
        );
        assert_eq!(
            message("full", "set"),
            "found no questions in the one document of `ROOT/full`: looked for documentation comments above definitions, links between documents, sections that begin with a sentence, and the subjects of commits"
        );
        assert!(!root.join("set").exists());
    }
}
