//! Damaged files of an index: truncated, with flipped bits, deleted, or replaced by something else.
//! Nothing panics and no answer is silently wrong. Derived files are rebuilt, damage to others is
//! reported, and a rebuild repairs everything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use excerpt_index::{
    Answer, Collection, Error, Filter, Index, ListOptions, Note, OpenOptions, Query, ReadOptions,
    Settings, SyncOptions, Target, quiet,
};

use crate::fixture::{World, by_keywords, paths, set_time};

/// Enough documents for a database of many pages.
const DOCUMENTS: usize = 40;

fn many() -> World {
    let world = World::new();
    for number in 0..DOCUMENTS {
        let paragraph = format!("Green tea number {number} wants water and patience.\n\n");
        let text = format!("# Tea {number}\n\n{}", paragraph.repeat(5 + number));
        world.write(&format!("folder{}/{number}.md", number % 3), text);
    }
    world
}

/// How a file is damaged.
#[derive(Clone, Copy, Debug)]
enum Damage {
    /// Some bits are flipped, at this fraction of the file.
    Flip(f64, u8),
    /// Only this fraction of the file is left.
    Cut(f64),
    /// A part of a page is zero.
    Blank(f64),
}

impl Damage {
    fn seeded(random: &mut fastrand::Rng) -> Damage {
        match random.u8(0..10) {
            0..6 => Damage::Flip(random.f64(), 1 << random.u8(0..8)),
            6..8 => Damage::Cut(random.f64()),
            _ => Damage::Blank(random.f64()),
        }
    }

    /// Damages a file, and restores its modification time.
    fn hit(self, file: &Path) {
        let time = fs::metadata(file).unwrap().modified().unwrap();
        let mut bytes = fs::read(file).unwrap();
        let at = |share: f64| (bytes.len() as f64 * share) as usize;
        match self {
            Damage::Flip(share, bits) => {
                let at = at(share);
                bytes[at] ^= bits;
            }
            Damage::Cut(share) => bytes.truncate(at(share)),
            Damage::Blank(share) => {
                let at = at(share);
                let end = bytes.len().min(at + 512);
                bytes[at..end].fill(0);
            }
        }
        fs::write(file, bytes).unwrap();
        set_time(file, time);
    }
}

/// An index that is damaged repeatedly, and the files of an undamaged copy.
struct Patient {
    world: World,
    sound: tempfile::TempDir,
}

impl Patient {
    fn new() -> Self {
        let world = many();
        world.sync();
        let sound = tempfile::tempdir().unwrap();
        copy(&world.index_dir(), sound.path());
        Patient { world, sound }
    }

    /// The files of the index that are not empty, by their paths.
    fn files(&self, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.sound.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if fs::metadata(&path).unwrap().len() > 0 {
                    let inside = path.strip_prefix(self.sound.path()).unwrap();
                    found.push(inside.to_path_buf());
                }
            }
        }
        found.retain(|path| wanted(path.to_str().unwrap()));
        found.sort();
        found
    }

    fn restore(&self) {
        fs::remove_dir_all(self.world.index_dir()).unwrap();
        copy(self.sound.path(), &self.world.index_dir());
    }

    fn open(&self) -> Result<Index, Error> {
        Index::open(&self.world.index_dir(), OpenOptions::default())
    }
}

/// Copies a folder, with the times of its files.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
            continue;
        }
        fs::copy(entry.path(), &to).unwrap();
        set_time(&to, entry.metadata().unwrap().modified().unwrap());
    }
}

fn tea() -> Query {
    by_keywords("green tea").limit(DOCUMENTS * 2)
}

#[test]
fn a_damaged_derived_file_is_always_rebuilt() {
    let patient = Patient::new();
    let fresh = patient.open().unwrap().fingerprint().unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let files = patient.files(|path| path.starts_with("lexical") || path == "vectors");
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        for _ in 0..4 {
            let damage = Damage::seeded(&mut random);
            let seen = format!("{damage:?} of {}", file.display());
            patient.restore();
            let hit = patient.world.index_dir().join(&file);
            damage.hit(&hit);
            // In half of the cases, the file keeps its time.
            if random.bool() {
                set_time(&hit, SystemTime::now());
            }
            let index = patient.open().unwrap();
            index.search(&tea()).unwrap();
            drop(index);
            // Damage that reading did not notice is not written to.
            patient
                .world
                .write("folder0/new.md", "# New\n\nGreen tea.\n");
            let mut index = patient.open().unwrap();
            index
                .sync(&patient.world.root(), &patient.world.options, quiet)
                .expect(&seen);
            let answer = index.search(&tea()).unwrap();
            assert_eq!(answer.documents.len(), DOCUMENTS + 1, "{seen}");
            patient.world.remove("folder0/new.md");
            index
                .sync(&patient.world.root(), &patient.world.options, quiet)
                .expect(&seen);
            assert!(index.check().unwrap().is_sound(), "{seen}");
            assert_eq!(index.fingerprint().unwrap(), fresh, "{seen}");
            let status = index.status().unwrap();
            assert_eq!(status.vectors.behind, 0, "{seen}");
        }
    }
}

#[test]
fn a_damaged_file_of_vectors_is_rebuilt_and_reported() {
    let patient = Patient::new();
    let before = patient.open().unwrap().search(&Query::new("tea")).unwrap();
    Damage::Flip(0.5, 1).hit(&patient.world.index_dir().join("vectors"));
    let mut index = patient.open().unwrap();
    let answer = index.search(&Query::new("tea")).unwrap();
    assert_eq!(answer.notes, [Note::NoVectors]);
    let (root, options) = (patient.world.root(), &patient.world.options);
    index.sync(&root, options, quiet).unwrap();
    let answer = index.search(&Query::new("tea")).unwrap();
    assert_eq!(answer.notes, [Note::Rebuilt]);
    assert_eq!(paths(&answer), paths(&before));
}

#[test]
fn with_a_damaged_database_nothing_panics_and_no_answer_is_silently_wrong() {
    let patient = Patient::new();
    let mut random = fastrand::Rng::with_seed(2);
    let database = patient.world.index_dir().join("excerpt.db");
    let length = fs::metadata(&database).unwrap().len() as f64;
    let mut damages: Vec<Damage> = (0..150).map(|_| Damage::seeded(&mut random)).collect();
    // Each byte of the header, and the ends of pages.
    damages.extend((0..100).map(|byte| Damage::Flip((f64::from(byte) + 0.5) / length, 0x41)));
    damages.extend([0.0, 1.0, 4095.5, 4096.5].map(|bytes| Damage::Cut(bytes / length)));
    damages.extend([0.0, 4096.5].map(|bytes| Damage::Blank(bytes / length)));
    let mut told = 0;
    let sound = Said::of(&patient.world.ask(&tea())).shown;
    for damage in damages {
        patient.restore();
        damage.hit(&database);
        let found = patient.open().and_then(|index| {
            let answer = index.search(&tea())?;
            index.status()?;
            Ok(answer)
        });
        let says = |error: &Error| {
            let text = error.to_string();
            text.ends_with("is damaged")
        };
        match found {
            Ok(answer) => assert_eq!(Said::of(&answer).shown, sound, "{damage:?}"),
            Err(error) => {
                assert!(says(&error), "{damage:?}: {error}");
                told += 1;
            }
        }
        // A writer reads other pages.
        let world = &patient.world;
        let synced = Index::open(&world.index_dir(), OpenOptions::create())
            .and_then(|mut index| index.sync(&world.root(), &world.options, quiet));
        if let Err(error) = synced {
            assert!(says(&error), "{damage:?}: {error}");
        }
    }
    assert!(told > 60, "{told}");
}

#[test]
fn a_rebuilt_index_equals_a_new_one_and_open_indexes_see_it() {
    let patient = Patient::new();
    let (world, dir) = (&patient.world, patient.world.index_dir());
    let reader = patient.open().unwrap();
    world.write("folder0/new.md", "# New\n\nOolong.\n");
    let refill = |mut index: Index, roots: &[PathBuf]| {
        assert_eq!(roots, [world.root()]);
        index.sync(&roots[0], &world.options, quiet)?;
        Ok::<_, Error>(index)
    };
    Index::rebuild(&dir, refill).unwrap();
    world.assert_like_fresh();
    let answer = reader.search(&by_keywords("oolong")).unwrap();
    assert_eq!(paths(&answer), ["folder0/new.md"]);
    assert_eq!(answer.notes, []);
    assert!(!dir.join("anew").exists());
}

#[test]
fn a_failed_rebuild_leaves_the_old_index() {
    let patient = Patient::new();
    let (world, dir) = (&patient.world, patient.world.index_dir());
    let fail = |index: Index, _: &[PathBuf]| {
        drop(index);
        Err(Error::Full { path: dir.clone() })
    };
    Index::rebuild(&dir, fail).unwrap_err();
    assert_eq!(world.ask(&tea()).documents.len(), DOCUMENTS);
    // The files that it left are not part of the index, and do not prevent the next rebuild.
    let database = dir.join("excerpt.db");
    Damage::Blank(0.0).hit(&database);
    assert!(matches!(patient.open(), Err(Error::Damaged { .. })));
    // The roots are also stored next to the database.
    let refill = |mut index: Index, roots: &[PathBuf]| {
        assert_eq!(roots, [world.root()]);
        index.sync(&world.root(), &world.options, quiet)?;
        Ok::<_, Error>(index)
    };
    Index::rebuild(&dir, refill).unwrap();
    world.assert_like_fresh();
    assert_eq!(world.ask(&tea()).documents.len(), DOCUMENTS);
}

#[test]
fn what_is_not_an_index_is_not_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let never = |_: Index, _: &[PathBuf]| -> Result<Index, Error> { unreachable!() };
    let rebuild = |name: &str| Index::rebuild(&dir.path().join(name), never).unwrap_err();
    assert!(matches!(rebuild("none"), Error::NotFound { .. }));
    fs::create_dir(dir.path().join("foreign")).unwrap();
    let foreign = dir.path().join("foreign/excerpt.db");
    fs::write(&foreign, "x".repeat(5000)).unwrap();
    assert!(matches!(rebuild("foreign"), Error::Foreign { .. }));
    assert_eq!(fs::read(&foreign).unwrap(), [b'x'; 5000]);
}

/// The number and the seed of the random damages: `EXCERPT_DAMAGES` and `EXCERPT_SEED`.
fn setting(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |value| value.parse().unwrap())
}

/// What happens to a file, or replaces it.
#[derive(Clone, Debug)]
enum Accident {
    Damage(Damage),
    Gone,
    Empty,
    Nonsense,
    /// It is replaced by another file of the index.
    Swapped(PathBuf),
    Folder,
    #[cfg(unix)]
    Link,
    #[cfg(unix)]
    Fifo,
}

impl Accident {
    fn seeded(random: &mut fastrand::Rng, files: &[PathBuf]) -> Accident {
        match random.u8(0..20) {
            0 => Accident::Gone,
            1 => Accident::Empty,
            2 => Accident::Nonsense,
            3 => Accident::Swapped(files[random.usize(..files.len())].clone()),
            4 => Accident::Folder,
            #[cfg(unix)]
            5 => Accident::Link,
            #[cfg(unix)]
            6 => Accident::Fifo,
            _ => Accident::Damage(Damage::seeded(random)),
        }
    }

    fn hit(&self, index: &Path, file: &Path) {
        let path = index.join(file);
        match self {
            Accident::Damage(damage) => return damage.hit(&path),
            Accident::Swapped(other) => {
                let bytes = fs::read(index.join(other)).unwrap();
                return fs::write(&path, bytes).unwrap();
            }
            Accident::Empty => return fs::write(&path, "").unwrap(),
            Accident::Nonsense => return fs::write(&path, "{]\n~".repeat(500)).unwrap(),
            _ => fs::remove_file(&path).unwrap(),
        }
        match self {
            Accident::Folder => fs::create_dir_all(path.join("with")).unwrap(),
            #[cfg(unix)]
            Accident::Link => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            #[cfg(unix)]
            Accident::Fifo => {
                let made = std::process::Command::new("mkfifo").arg(&path).status();
                assert!(made.unwrap().success());
            }
            _ => {}
        }
    }
}

/// An index with everything that one can have: collections, an added text, a second generation and
/// a log that is not yet in the database.
struct Full {
    patient: Patient,
    /// The collections to sync.
    collections: Vec<Collection>,
    given: String,
}

impl Full {
    fn new() -> Self {
        let mut world = World::new();
        for number in 0..24 {
            let paragraph = format!("Green tea number {number} wants water and patience.\n\n");
            let link = format!(
                "See [the next](../folder{}/{}.md).\n",
                (number + 1) % 3,
                number + 1
            );
            let text = format!(
                "---\ntags: [kind{}]\n---\n# Tea {number}\n\n{}{link}",
                number % 2,
                paragraph.repeat(3 + number)
            );
            world.write(&format!("folder{}/{number}.md", number % 3), text);
        }
        world.sync();
        world.options.chunking.target = 120;
        world.sync();
        assert!(world.index_dir().join("generation-2").is_dir());
        let more = world.root().with_file_name("more");
        fs::create_dir(&more).unwrap();
        fs::write(more.join("black.md"), "# Black\n\nBlack tea, not green.\n").unwrap();
        let mut index = world.open();
        let mut collection = Collection::new("more", &more);
        collection.attributes.tags = vec!["kind1".to_string()];
        index.add(collection).unwrap();
        let given = Collection::new("said", "");
        index
            .add_text(
                given,
                "said.md",
                "# Said\n\nGreen tea was said to be good.\n",
            )
            .unwrap();
        let full = |patient, collections: Vec<Collection>| {
            let given = collections.iter().find(|known| known.given).unwrap();
            Full {
                given: fs::read_to_string(&given.root).unwrap(),
                patient,
                collections,
            }
        };
        let collections = Collection::all_in(&world.index_dir()).unwrap();
        for collection in &collections {
            index
                .sync(&collection.root, &options(collection), quiet)
                .unwrap();
        }
        drop(index);
        // While there is a reader, the log stays next to the database.
        let _reader =
            rusqlite::Connection::open(world.index_dir().join("generation-2/excerpt.db")).unwrap();
        _reader
            .query_row("SELECT count(*) FROM document", [], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap();
        world.write("folder0/late.md", "# Late\n\nGreen tea, late.\n");
        world.sync();
        let sound = tempfile::tempdir().unwrap();
        copy(&world.index_dir(), sound.path());
        assert!(
            fs::metadata(sound.path().join("generation-2/excerpt.db-wal"))
                .unwrap()
                .len()
                > 0
        );
        full(Patient { world, sound }, collections)
    }

    fn dir(&self) -> PathBuf {
        self.patient.world.index_dir()
    }

    /// Rebuilds the index.
    fn rebuild(&self) -> Result<(), Error> {
        let dir = self.dir();
        Index::rebuild(&dir, |mut index, _| {
            let all = Collection::all_in(&dir)?;
            assert_eq!(all, self.collections);
            let world = &self.patient.world;
            index.sync(&world.root(), &world.options, quiet)?;
            for collection in &all {
                index.sync(&collection.root, &options(collection), quiet)?;
            }
            Ok(index)
        })
    }

    /// Syncs all sources.
    fn sync(&self) -> Result<(), Error> {
        let mut index = Index::open(&self.dir(), OpenOptions::create())?;
        let world = &self.patient.world;
        index.sync(&world.root(), &world.options, quiet)?;
        for collection in Collection::all_in(&self.dir())? {
            index.sync(&collection.root, &options(&collection), quiet)?;
        }
        Ok(())
    }

    /// The answers of an index to several questions.
    fn said(&self) -> BTreeMap<&'static str, Result<Said, Error>> {
        let filtered = |filter| Query::new("green tea").limit(80).within(filter);
        let mut tagged = Filter::default();
        tagged.tags = vec!["kind1".to_string()];
        let root = self.patient.world.root();
        let get = |index: &Index| {
            let options = ReadOptions::default().source(&root).links();
            let text = index.get(&Target::document("folder2/5.md"), &options)?;
            Ok(Said {
                shown: format!("{text:?}"),
                notes: Vec::new(),
            })
        };
        let list = |index: &Index| {
            let documents = index.documents(&ListOptions::default())?.into_iter();
            // A text that is written again has another time.
            let shown = documents.map(|it| {
                format!(
                    "{:?}\n",
                    (it.source, it.path, it.title, it.size, it.chunks, it.syntax)
                )
            });
            Ok(Said {
                shown: shown.collect(),
                notes: Vec::new(),
            })
        };
        let ask = |query: Query| {
            let index = Index::open(&self.dir(), OpenOptions::default())?;
            Ok(Said::of(&index.search(&query)?))
        };
        let open = || Index::open(&self.dir(), OpenOptions::default());
        [
            ("search", ask(Query::new("green tea").limit(80))),
            ("words", ask(by_keywords("patience number").limit(80))),
            ("folder", ask(filtered(Filter::default().path("folder1")))),
            ("tag", ask(filtered(tagged))),
            ("get", open().and_then(|index| get(&index))),
            ("list", open().and_then(|index| list(&index))),
        ]
        .into()
    }
}

/// The visible part of an answer.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    shown: String,
    notes: Vec<Note>,
}

impl Said {
    fn of(answer: &Answer) -> Said {
        let documents = answer.documents.iter().map(|document| {
            let chunks = document.chunks.iter();
            let chunks = chunks.map(|hit| {
                (
                    hit.citation.clone(),
                    hit.id,
                    hit.text.clone(),
                    hit.trail.clone(),
                )
            });
            let name = (
                &document.source,
                &document.collection,
                &document.path,
                &document.title,
            );
            format!(
                "{name:?} {:?} {:?}\n",
                document.metadata,
                chunks.collect::<Vec<_>>()
            )
        });
        Said {
            shown: documents.collect(),
            notes: answer.notes.clone(),
        }
    }
}

fn options(collection: &Collection) -> SyncOptions {
    collection.options(Settings::default(), Default::default())
}

/// Hits the index of `full`, and asserts that each answer is right or the damage is reported.
fn assert_noticed(full: &Full, expected: &BTreeMap<&'static str, Said>, hit: impl FnOnce(&Path)) {
    full.patient.restore();
    hit(&full.dir());
    for (question, said) in full.said() {
        match said {
            Ok(said) => assert_eq!(said.shown, expected[question].shown, "{question}"),
            Err(error) => assert!(
                matches!(error, Error::Damaged { .. }),
                "{question}: {error}"
            ),
        }
    }
}

fn sound_answers(full: &Full) -> BTreeMap<&'static str, Said> {
    full.patient.restore();
    let said = full.said().into_iter();
    said.map(|(name, said)| (name, said.unwrap())).collect()
}

#[test]
fn no_page_of_the_database_can_hide_a_row() {
    let full = Full::new();
    let expected = sound_answers(&full);
    let database = Path::new("generation-2/excerpt.db");
    let length = fs::metadata(full.dir().join(database)).unwrap().len();
    for page in 0..length / 4096 {
        for part in [512, 2048, 3584] {
            let share = (page * 4096 + part) as f64 / length as f64;
            assert_noticed(&full, &expected, |dir| {
                Damage::Blank(share).hit(&dir.join(database));
            });
        }
    }
}

#[test]
fn a_file_of_the_keyword_index_cannot_replace_another() {
    let full = Full::new();
    let expected = sound_answers(&full);
    let files = full.patient.files(|path| path.contains("lexical/"));
    let segments = files.iter().filter(|file| {
        let ending = file.extension().and_then(|it| it.to_str());
        ending.is_some_and(|it| !["json", "lock"].contains(&it))
    });
    let segments: Vec<_> = segments.collect();
    for (number, one) in segments.iter().enumerate() {
        // Of the same segment and of others.
        for other in [1, 2, 9].map(|step| segments[(number + step) % segments.len()]) {
            assert_noticed(&full, &expected, |dir| {
                fs::write(dir.join(one), fs::read(dir.join(other)).unwrap()).unwrap();
            });
        }
    }
}

#[test]
fn no_random_damage_of_an_index_is_silent_and_a_rebuild_repairs_it() {
    let (count, seed) = (setting("EXCERPT_DAMAGES", 40), setting("EXCERPT_SEED", 7));
    let full = Full::new();
    let expected = sound_answers(&full);
    let files = full.patient.files(|path| !path.ends_with(".lock"));
    let databases = full.patient.files(|path| path.contains("excerpt.db"));
    let mut random = fastrand::Rng::with_seed(seed);
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for number in 0..count {
        let among = if random.bool() { &databases } else { &files };
        let file = among[random.usize(..among.len())].clone();
        let accident = Accident::seeded(&mut random, &files);
        let seen = format!("{number}: {accident:?} of {}", file.display());
        full.patient.restore();
        accident.hit(&full.dir(), &file);
        if random.bool()
            && fs::symlink_metadata(full.dir().join(&file)).is_ok_and(|it| it.is_file())
        {
            set_time(&full.dir().join(&file), SystemTime::now());
        }
        let faults = Index::faults(&full.dir());
        let mut is_told = !faults.is_empty();
        for (question, said) in full.said() {
            match said {
                Ok(said) if said == expected[question] => {}
                Ok(said) if said.notes != expected[question].notes => is_told = true,
                Err(Error::Damaged { .. }) => is_told = true,
                // An older state is updated by the next sync, and the first answer reports it.
                Ok(_) if is_told => {}
                other => wrong.push(format!("{seen}: {question}: {other:?}")),
            }
        }
        *tally
            .entry(if is_told {
                "reported or repaired"
            } else {
                "without consequence"
            })
            .or_default() += 1;
        match full.sync() {
            Ok(()) => {
                for (question, said) in full.said() {
                    match said {
                        Ok(said) if said.shown == expected[question].shown => {}
                        Err(Error::Damaged { .. }) => {}
                        other => wrong.push(format!("{seen}: {question} after a sync: {other:?}")),
                    }
                }
            }
            Err(Error::Damaged { .. }) => {}
            Err(error) => wrong.push(format!("{seen}: sync: {error}")),
        }
        if let Err(error) = full.rebuild() {
            wrong.push(format!("{seen}: rebuild: {error}"));
            continue;
        }
        for (question, said) in full.said() {
            if said.as_ref().ok() != Some(&expected[question]) {
                wrong.push(format!("{seen}: {question} after a rebuild: {said:?}"));
            }
        }
        let given = full.collections.iter().find(|known| known.given).unwrap();
        assert_eq!(
            fs::read_to_string(&given.root).unwrap(),
            full.given,
            "{seen}"
        );
        let faults = Index::faults(&full.dir());
        assert!(faults.is_empty(), "{seen}: {faults:?}");
        let check = full.patient.open().unwrap().check();
        assert!(
            check.as_ref().is_ok_and(excerpt_index::Check::is_sound),
            "{seen}: {check:?}"
        );
    }
    println!("seed {seed}: {count} damages, {tally:?}");
    let shortened = wrong
        .iter()
        .map(|it| it.chars().take(400).collect::<String>());
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        shortened.collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn documents_that_a_database_has_lost_come_back_with_the_next_sync() {
    let world = World::new()
        .file("a.md", "# Tea\n\nGreen tea.\n")
        .file("b.md", "# Milk\n\nCold milk.\n");
    world.sync();
    let database = rusqlite::Connection::open(world.index_dir().join("excerpt.db")).unwrap();
    let lose = "PRAGMA foreign_keys = ON; DELETE FROM document WHERE path = 'b.md'";
    database.execute_batch(lose).unwrap();
    drop(database);
    assert_eq!(world.sync().added, 1);
    assert_eq!(world.sync().unchanged, 2);
}
