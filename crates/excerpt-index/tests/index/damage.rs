//! Files of an index that are not what was written: cut short, or with bits the other way round, anywhere. Nothing panics; what is derived is made again,
//! and what is not is told, with the way out.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use excerpt_index::{Error, Index, Note, OpenOptions, Query, quiet};

use crate::fixture::{World, by_keywords, paths, set_time};

/// Documents enough for a database of many pages.
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
    /// Some bits are flipped, at a place of so much of the file.
    Flip(f64, u8),
    /// Only so much of the file is left.
    Cut(f64),
    /// A part of a page is nought.
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

    /// Damages a file, and gives it back the time it had.
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

/// An index that is damaged again and again, and the files of one that is not.
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

    /// The files of the index that are not empty, by their paths in it.
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

    fn heal(&self) {
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
fn whatever_happens_to_a_derived_file_it_is_made_again() {
    let patient = Patient::new();
    let fresh = patient.open().unwrap().fingerprint().unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    let files = patient.files(|path| path.starts_with("lexical") || path == "vectors");
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        for _ in 0..4 {
            let damage = Damage::seeded(&mut random);
            let seen = format!("{damage:?} of {}", file.display());
            patient.heal();
            let hit = patient.world.index_dir().join(&file);
            damage.hit(&hit);
            // Half of the time, the file looks as it did.
            if random.bool() {
                set_time(&hit, SystemTime::now());
            }
            let mut index = patient.open().unwrap();
            index.search(&tea()).unwrap();
            drop(index);
            // Whatever was not noticed by reading is not written on.
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
fn a_damaged_file_of_vectors_is_made_again_and_said_so() {
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
fn whatever_happens_to_the_database_nothing_panics_and_no_answer_is_silently_short() {
    let patient = Patient::new();
    let mut random = fastrand::Rng::with_seed(2);
    let database = patient.world.index_dir().join("excerpt.db");
    let length = fs::metadata(&database).unwrap().len() as f64;
    let mut damages: Vec<Damage> = (0..150).map(|_| Damage::seeded(&mut random)).collect();
    // Each byte of the head, and the ends of pages.
    damages.extend((0..100).map(|byte| Damage::Flip((f64::from(byte) + 0.5) / length, 0x41)));
    damages.extend([0.0, 1.0, 4095.5, 4096.5].map(|bytes| Damage::Cut(bytes / length)));
    damages.extend([0.0, 4096.5].map(|bytes| Damage::Blank(bytes / length)));
    let mut told = 0;
    for damage in damages {
        patient.heal();
        damage.hit(&database);
        let found = patient.open().and_then(|mut index| {
            let answer = index.search(&tea())?;
            index.status()?;
            Ok(answer)
        });
        let says = |error: &Error| {
            let text = error.to_string();
            text.contains("is damaged: run `excerpt doctor --rebuild`")
                || matches!(error, Error::Newer { .. })
        };
        match found {
            Ok(answer) => assert_eq!(answer.documents.len(), DOCUMENTS, "{damage:?}"),
            Err(error) => {
                assert!(says(&error), "{damage:?}: {error}");
                told += 1;
            }
        }
        // A writer meets other pages.
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
fn an_index_that_is_made_again_is_like_a_new_one_and_those_who_have_it_open_see_it() {
    let patient = Patient::new();
    let (world, dir) = (&patient.world, patient.world.index_dir());
    let mut reader = patient.open().unwrap();
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
fn a_rebuild_that_fails_leaves_what_was_there() {
    let patient = Patient::new();
    let (world, dir) = (&patient.world, patient.world.index_dir());
    let fail = |index: Index, _: &[PathBuf]| {
        drop(index);
        Err(Error::Full { path: dir.clone() })
    };
    Index::rebuild(&dir, fail).unwrap_err();
    assert_eq!(world.ask(&tea()).documents.len(), DOCUMENTS);
    // What it left is no part of the index, and no obstacle to the next one.
    let database = dir.join("excerpt.db");
    Damage::Blank(0.0).hit(&database);
    assert!(matches!(patient.open(), Err(Error::Damaged { .. })));
    let refill = |mut index: Index, roots: &[PathBuf]| {
        assert!(roots.is_empty(), "{roots:?}");
        index.sync(&world.root(), &world.options, quiet)?;
        Ok::<_, Error>(index)
    };
    Index::rebuild(&dir, refill).unwrap();
    world.assert_like_fresh();
    assert_eq!(world.ask(&tea()).documents.len(), DOCUMENTS);
}

#[test]
fn what_is_no_index_is_not_made_again() {
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
