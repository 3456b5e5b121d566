//! A mirror has each document of the index, and nothing that something else wrote is lost.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use excerpt_index::{
    ConflictReason, Creation, Error, MirrorFolder, MirrorOptions, MirrorReport, MirrorStep,
    MirrorTarget, ObjectMetadata, ObjectStamp,
};

use crate::fixture::World;

/// The manifest of a mirror, and the folder for unfinished files.
const OF_MIRROR: [&str; 2] = [".excerpt-mirror.json", ".excerpt-mirror"];

fn place(world: &World) -> PathBuf {
    world.root().with_file_name("mirror")
}

fn options(change: impl FnOnce(&mut MirrorOptions)) -> MirrorOptions {
    let mut options = MirrorOptions::default();
    options.removes = true;
    change(&mut options);
    options
}

fn mirrored_to(
    world: &World,
    target: &dyn MirrorTarget,
    options: MirrorOptions,
) -> Result<MirrorReport, Error> {
    world.open().mirror(&world.root(), target, options, |_| {})
}

/// Syncs and mirrors to the folder.
fn mirrored(world: &World, change: impl FnOnce(&mut MirrorOptions)) -> MirrorReport {
    world.sync();
    let folder = MirrorFolder::new(&place(world));
    mirrored_to(world, &folder, options(change)).unwrap()
}

fn counts(report: &MirrorReport) -> (usize, usize, usize) {
    (report.written, report.removed, report.unchanged)
}

/// The files below a folder, apart from those of the mirror itself.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_string();
            match path.is_dir() {
                _ if OF_MIRROR.contains(&&*name) => {}
                true => folders.push(path),
                false => drop(files.insert(name, fs::read(path).unwrap())),
            }
        }
    }
    files
}

fn notes() -> World {
    World::new()
        .file(
            "domains/family/swim-team.md",
            "# Swim team\r\n\r\nOwen's first 50 free.\n",
        )
        .file("inbox/clip.md", "---\ntitle: A clip\n---\n\nText.\n")
        .file("code/main.rs", "fn main() {}\n")
        .file("empty.md", "")
        .file(
            "latin.md",
            b"# caf\xe9\n\nA caf\xe9 in the old town of K\xf6ln.\n",
        )
        .file("mark.md", "\u{feff}# Mark\n")
}

#[test]
fn each_document_is_written_byte_for_byte_and_once() {
    let world = notes();
    let report = mirrored(&world, |_| {});
    assert_eq!(counts(&report), (6, 0, 0));
    assert_eq!(files(&place(&world)), files(&world.root()));
    let manifest = fs::metadata(place(&world).join(OF_MIRROR[0]))
        .unwrap()
        .modified()
        .unwrap();
    let report = mirrored(&world, |_| {});
    assert_eq!((counts(&report), report.bytes_written), ((0, 0, 6), 0));
    let same = fs::metadata(place(&world).join(OF_MIRROR[0]))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(manifest, same, "nothing at all is written");
    assert!(!place(&world).join(OF_MIRROR[1]).exists());
}

#[test]
fn only_what_has_changed_is_written_and_only_what_was_mirrored_is_removed() {
    let world = notes();
    mirrored(&world, |_| {});
    fs::write(place(&world).join("inbox/other.txt"), "not ours").unwrap();
    world.write("code/main.rs", "fn main() { run() }\n");
    world.write("new.md", "# New\n");
    world.remove("inbox/clip.md");
    world.remove("domains/family/swim-team.md");
    let report = mirrored(&world, |_| {});
    assert_eq!(counts(&report), (2, 2, 3));
    let there = files(&place(&world));
    assert_eq!(there["code/main.rs"], b"fn main() { run() }\n");
    assert_eq!(there["inbox/other.txt"], b"not ours");
    assert!(!there.contains_key("inbox/clip.md"));
    assert_eq!(there["mark.md"], files(&world.root())["mark.md"]);
    assert!(
        !place(&world).join("domains").exists(),
        "no empty folder stays"
    );
}

#[test]
fn front_matter_is_added_where_there_is_none_and_is_no_part_of_the_document() {
    let world = notes();
    mirrored(&world, |options| options.front_matter = true);
    let there = files(&place(&world));
    let text = |path: &str| String::from_utf8_lossy(&there[path]).into_owned();
    assert_eq!(
        text("domains/family/swim-team.md"),
        "---\n# Added by excerpt mirror\npath: domains/family/swim-team.md\ndomain: family\n\
         title: Swim team\n---\n# Swim team\r\n\r\nOwen's first 50 free.\n"
    );
    assert!(text("mark.md").starts_with("\u{feff}---\n"));
    let own = files(&world.root());
    for path in ["inbox/clip.md", "code/main.rs"] {
        assert_eq!(there[path], own[path], "{path}");
    }
    assert!(
        there["latin.md"].ends_with(&own["latin.md"]),
        "in its own encoding"
    );
    assert_eq!(
        counts(&mirrored(&world, |options| options.front_matter = true)),
        (0, 0, 6)
    );

    // As a source, the mirror has the same documents.
    let copy = World::new();
    for (path, bytes) in &there {
        copy.write(path, bytes);
    }
    copy.sync();
    let fields = |world: &World| {
        let documents = world
            .open()
            .documents(&excerpt_index::ListOptions::default())
            .unwrap();
        let listed = documents.into_iter().map(|document| {
            let target = excerpt_index::Target::document(&document.path);
            let text = world
                .open()
                .get(&target, &excerpt_index::ReadOptions::default())
                .unwrap();
            (document.path, document.title, text.text)
        });
        listed.collect::<Vec<_>>()
    };
    assert_eq!(fields(&copy), fields(&world));
    // And a mirror of it is the same again.
    mirrored(&copy, |options| options.front_matter = true);
    assert_eq!(files(&place(&copy)), there);
}

#[test]
fn what_something_else_wrote_or_changed_stays() {
    let world = notes();
    fs::create_dir_all(place(&world).join("code")).unwrap();
    fs::write(place(&world).join("code/main.rs"), "theirs").unwrap();
    fs::write(place(&world).join("empty.md"), "").unwrap();
    let reasons = |report: &MirrorReport| {
        let conflicts = report.conflicts.iter();
        conflicts
            .map(|it| (it.path.clone(), it.reason.clone()))
            .collect::<Vec<_>>()
    };
    let report = mirrored(&world, |_| {});
    assert_eq!(counts(&report), (4, 0, 1), "what is the same is taken over");
    assert_eq!(
        reasons(&report),
        [("code/main.rs".to_string(), ConflictReason::Foreign)]
    );

    for path in ["inbox/clip.md", "latin.md"] {
        fs::write(place(&world).join(path), "edited there").unwrap();
    }
    world.remove("inbox/clip.md");
    world.write("latin.md", "# Other\n");
    let report = mirrored(&world, |_| {});
    let changed = |path: &str| (path.to_string(), ConflictReason::Changed);
    let foreign = ("code/main.rs".to_string(), ConflictReason::Foreign);
    assert_eq!(
        reasons(&report),
        [foreign, changed("inbox/clip.md"), changed("latin.md")]
    );
    let there = files(&place(&world));
    assert_eq!(
        (&*there["latin.md"], &*there["code/main.rs"]),
        (&b"edited there"[..], &b"theirs"[..])
    );

    // As long as nobody decides, the conflicts stay.
    let again = mirrored(&world, |_| {});
    assert_eq!(reasons(&again), reasons(&report));
    // What was the same before the mirror is not the mirror's.
    world.remove("empty.md");
    mirrored(&world, |_| {});
    assert!(place(&world).join("empty.md").exists());

    fs::write(
        place(&world).join("mark.md"),
        "edited there, and the same here",
    )
    .unwrap();
    let report = mirrored(&world, |options| options.overwrites = true);
    assert!(report.conflicts.is_empty(), "{report:?}");
    let there = files(&place(&world));
    assert_eq!(there["latin.md"], b"# Other\n");
    assert!(!there.contains_key("inbox/clip.md"));
    assert_eq!(there["mark.md"], files(&world.root())["mark.md"]);
}

#[test]
fn a_document_takes_the_place_of_a_folder_and_a_folder_that_of_a_document() {
    let world = World::new()
        .file("a", "# A\n")
        .file("b/c.md", "# C\n")
        .file("x/only.md", "# Only\n");
    mirrored(&world, |_| {});
    for path in ["a", "b/c.md", "x/only.md"] {
        world.remove(path);
    }
    fs::remove_dir(world.root().join("b")).unwrap();
    world.write("a/b.md", "# B\n");
    world.write("b", "# B\n");
    world.write("x/renamed.md", "# Only\n");
    let report = mirrored(&world, |_| {});
    assert_eq!((counts(&report), report.conflicts.len()), ((3, 3, 0), 0));
    assert_eq!(files(&place(&world)), files(&world.root()));
}

#[test]
fn a_folder_for_unfinished_files_that_has_others_keeps_them() {
    let world = notes();
    let folder = place(&world).join(OF_MIRROR[1]);
    fs::create_dir_all(&folder).unwrap();
    for name in ["keep.txt", "unfinished-x1"] {
        fs::write(folder.join(name), "text").unwrap();
    }
    mirrored(&world, |_| {});
    let left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["keep.txt"]);
}

#[test]
fn two_mirrors_do_not_write_to_one_folder_at_once() {
    let world = notes();
    world.sync();
    let first = MirrorFolder::new(&place(&world));
    first.begin().unwrap();
    let second = MirrorFolder::new(&place(&world));
    let error = mirrored_to(&world, &second, options(|_| {})).unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    first.end().unwrap();
    mirrored_to(&world, &second, options(|_| {})).unwrap();
}

#[test]
fn what_is_missing_at_the_destination_is_written_again() {
    let world = notes();
    mirrored(&world, |_| {});
    fs::remove_file(place(&world).join("mark.md")).unwrap();
    assert_eq!(counts(&mirrored(&world, |_| {})), (1, 0, 5));
    assert_eq!(files(&place(&world)), files(&world.root()));
}

#[test]
fn nothing_is_removed_when_that_was_not_asked_for() {
    let world = notes();
    mirrored(&world, |_| {});
    world.remove("empty.md");
    assert_eq!(
        counts(&mirrored(&world, |options| options.removes = false)),
        (0, 0, 5)
    );
    assert!(place(&world).join("empty.md").exists());
    assert_eq!(counts(&mirrored(&world, |_| {})), (0, 1, 5));
}

#[test]
fn a_dry_run_tells_everything_and_changes_nothing() {
    let world = notes();
    mirrored(&world, |_| {});
    let before = files(&place(&world));
    world.write("new.md", "# New\n");
    world.remove("empty.md");
    world.sync();
    let mut steps = Vec::new();
    let folder = MirrorFolder::new(&place(&world));
    let dry = options(|options| options.is_dry_run = true);
    let report = world
        .open()
        .mirror(&world.root(), &folder, dry, |step| steps.push(step))
        .unwrap();
    assert_eq!(counts(&report), (1, 1, 5));
    assert_eq!(
        steps,
        [
            MirrorStep::Write("new.md".into()),
            MirrorStep::Remove("empty.md".into())
        ]
    );
    assert_eq!(files(&place(&world)), before);
}

#[test]
fn a_place_is_the_mirror_of_one_source() {
    let (world, other) = (notes(), World::new().file("a.md", "# A\n"));
    mirrored(&world, |_| {});
    other.sync();
    let folder = MirrorFolder::new(&place(&world));
    let error = mirrored_to(&other, &folder, options(|_| {})).unwrap_err();
    assert!(matches!(error, Error::OtherMirror { .. }), "{error}");
    fs::write(place(&world).join(OF_MIRROR[0]), "{").unwrap();
    let error = mirrored_to(&world, &folder, options(|_| {})).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_or_a_file_in_the_way_is_not_followed() {
    let world = World::new()
        .file("a/b.md", "# B\n")
        .file("c/d.md", "# D\n")
        .file("e.md", "# E\n");
    let elsewhere = world.root().with_file_name("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(place(&world).join("e.md")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place(&world).join("a")).unwrap();
    fs::write(place(&world).join("c"), "a file").unwrap();
    let report = mirrored(&world, |_| {});
    let paths: Vec<&str> = report
        .conflicts
        .iter()
        .map(|conflict| &*conflict.path)
        .collect();
    assert_eq!(paths, ["a/b.md", "c/d.md", "e.md"]);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(fs::read(place(&world).join("c")).unwrap(), b"a file");
}

/// A folder that is gone after some changes.
struct Vanishing {
    folder: MirrorFolder,
    left: AtomicUsize,
}

impl Vanishing {
    fn step(&self) -> io::Result<()> {
        let less = |left: usize| left.checked_sub(1);
        let left = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less);
        left.map(drop).map_err(|_| io::Error::other("it is gone"))
    }
}

impl MirrorTarget for Vanishing {
    fn name(&self) -> String {
        self.folder.name()
    }

    fn read(&self, path: &str, part: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        self.folder.read(path, part)
    }

    fn keeps_metadata(&self) -> bool {
        self.folder.keeps_metadata()
    }

    fn begin(&self) -> io::Result<()> {
        self.folder.begin()
    }

    fn end(&self) -> io::Result<()> {
        self.folder.end()
    }

    fn stamps(&self, paths: &[&str]) -> io::Result<HashMap<String, ObjectStamp>> {
        self.folder.stamps(paths)
    }

    fn create(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<Creation> {
        self.step()?;
        self.folder.create(path, bytes, metadata)
    }

    fn replace(
        &self,
        path: &str,
        bytes: &[u8],
        metadata: &ObjectMetadata,
    ) -> io::Result<ObjectStamp> {
        self.step()?;
        self.folder.replace(path, bytes, metadata)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.step()?;
        self.folder.remove(path)
    }
}

#[test]
fn a_mirror_that_broke_off_anywhere_goes_on() {
    for changes in 0.. {
        let world = notes();
        mirrored(&world, |_| {});
        let vanishing = Vanishing {
            folder: MirrorFolder::new(&place(&world)),
            left: AtomicUsize::new(changes),
        };
        world.write("code/main.rs", "fn main() { run() }\n");
        world.write("new.md", "# New\n");
        world.remove("inbox/clip.md");
        world.sync();
        let broken = mirrored_to(&world, &vanishing, options(|_| {}));
        // Meanwhile, everything is different again.
        world.write("code/main.rs", "fn main() { stop() }\n");
        world.write("new.md", "# Newer\n");
        world.write(
            "inbox/clip.md",
            "---\ntitle: A clip\n---\n\nAnother text.\n",
        );
        world.remove("empty.md");
        let report = mirrored(&world, |_| {});
        assert!(report.conflicts.is_empty(), "after {changes}: {report:?}");
        assert_eq!(
            files(&place(&world)),
            files(&world.root()),
            "after {changes}"
        );
        if broken.is_ok() {
            assert_eq!(
                changes, 5,
                "the manifest twice, two files, and one that is removed"
            );
            return;
        }
    }
}

/// What was done to a [`Bucket`], by path, and the objects.
#[derive(Default)]
struct Objects {
    all: BTreeMap<String, Vec<u8>>,
    reads: Vec<String>,
    writes: Vec<String>,
    listings: usize,
    is_unlisted: bool,
}

type Mirrored = (
    (usize, usize, usize),
    Vec<(String, ConflictReason)>,
    [String; 3],
);

/// Objects in memory, whose stamps are those of an object store: the same for the same bytes.
#[derive(Default)]
struct Bucket(Mutex<Objects>);

impl Bucket {
    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap()
    }

    fn put(&self, path: &str, text: &str) {
        self.objects().all.insert(path.to_string(), text.into());
    }

    fn text(&self, path: &str) -> Option<String> {
        let objects = self.objects();
        let bytes = objects.all.get(path);
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Syncs and mirrors to it. Returns the counts, the conflicts, how often it was listed, and the
    /// objects that were read and written, without the manifest.
    fn mirrored(&self, world: &World, change: impl FnOnce(&mut MirrorOptions)) -> Mirrored {
        world.sync();
        let report = mirrored_to(world, self, options(change)).unwrap();
        let conflicts = report.conflicts.iter();
        let conflicts = conflicts.map(|it| (it.path.clone(), it.reason.clone()));
        let mut objects = self.objects();
        let named = |paths: Vec<String>| {
            let mut paths: Vec<_> = paths.into_iter().filter(|it| it != OF_MIRROR[0]).collect();
            paths.sort();
            paths.join(" ")
        };
        let listings = std::mem::take(&mut objects.listings).to_string();
        let reads = named(std::mem::take(&mut objects.reads));
        let writes = named(std::mem::take(&mut objects.writes));
        (
            counts(&report),
            conflicts.collect(),
            [listings, reads, writes],
        )
    }
}

fn tag(bytes: &[u8]) -> ObjectStamp {
    Some(format!("tag {}", excerpt_chunk::Hash::of(bytes)))
}

impl MirrorTarget for Bucket {
    fn name(&self) -> String {
        "s3://bucket".to_string()
    }

    fn read(&self, path: &str, part: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let mut objects = self.objects();
        objects.reads.push(path.to_string());
        let bytes = objects.all.get(path);
        bytes.iter().for_each(|bytes| part(bytes));
        Ok(bytes.is_some())
    }

    fn stamps(&self, paths: &[&str]) -> io::Result<HashMap<String, ObjectStamp>> {
        let mut objects = self.objects();
        objects.listings += 1;
        if objects.is_unlisted {
            return Err(io::Error::other("the store returned an incomplete listing"));
        }
        let found = paths.iter().filter_map(|path| {
            let bytes = objects.all.get(*path)?;
            Some(((*path).to_string(), tag(bytes)))
        });
        Ok(found.collect())
    }

    fn create(&self, path: &str, bytes: &[u8], metadata: &ObjectMetadata) -> io::Result<Creation> {
        if self.objects().all.contains_key(path) {
            return Ok(Creation::Exists);
        }
        self.replace(path, bytes, metadata).map(Creation::Created)
    }

    fn replace(&self, path: &str, bytes: &[u8], _: &ObjectMetadata) -> io::Result<ObjectStamp> {
        let mut objects = self.objects();
        objects.all.insert(path.to_string(), bytes.to_vec());
        objects.writes.push(path.to_string());
        Ok(tag(bytes))
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        self.objects().all.remove(path);
        Ok(())
    }
}

#[test]
fn a_listing_is_enough_to_see_that_all_objects_are_as_they_were_written() {
    let (world, bucket) = (notes(), Bucket::default());
    let all = "code/main.rs domains/family/swim-team.md empty.md inbox/clip.md latin.md mark.md";
    let (counts, _, done) = bucket.mirrored(&world, |_| {});
    assert_eq!(
        (counts, done),
        ((6, 0, 0), ["0", "", all].map(String::from))
    );
    let (counts, _, done) = bucket.mirrored(&world, |_| {});
    assert_eq!((counts, done), ((0, 0, 6), ["1", "", ""].map(String::from)));
    // An object with another stamp is read, and its stamp is kept if it has the same bytes.
    let manifest = bucket.text(OF_MIRROR[0]).unwrap();
    let stamp = tag(b"# Note\n").unwrap();
    let other = manifest.replace(&tag(b"fn main() {}\n").unwrap(), &stamp);
    assert_ne!(manifest, other);
    bucket.put(OF_MIRROR[0], &other);
    for reads in ["code/main.rs", ""] {
        let (counts, conflicts, done) = bucket.mirrored(&world, |_| {});
        assert_eq!((counts, conflicts.len()), ((0, 0, 6), 0));
        assert_eq!(done, ["1", reads, ""].map(String::from));
    }
    assert_eq!(bucket.text(OF_MIRROR[0]).unwrap(), manifest);
    let (counts, _, done) = bucket.mirrored(&world, |options| options.overwrites = true);
    assert_eq!(
        (counts, done),
        ((0, 0, 6), ["1", all, ""].map(String::from))
    );
}

#[test]
fn an_object_that_was_removed_or_changed_at_the_destination_is_noticed() {
    let (world, bucket) = (notes(), Bucket::default());
    bucket.mirrored(&world, |_| {});
    bucket.objects().all.remove("mark.md");
    bucket.put("code/main.rs", "fn main() []\n");
    bucket.put("theirs.md", "# Theirs\n");
    let told = {
        world.sync();
        let dry = options(|options| options.is_dry_run = true);
        mirrored_to(&world, &bucket, dry).unwrap()
    };
    let changed = ("code/main.rs".to_string(), ConflictReason::Changed);
    for (expected, done) in [((1, 0, 4), "mark.md"), ((0, 0, 5), "")] {
        bucket.objects().writes.clear();
        let (counts, conflicts, [.., writes]) = bucket.mirrored(&world, |_| {});
        assert_eq!((counts, &*writes), (expected, done));
        assert_eq!(
            conflicts,
            std::slice::from_ref(&changed),
            "until somebody decides"
        );
    }
    assert_eq!((counts(&told), told.conflicts.len()), ((1, 0, 4), 1));
    assert_eq!(bucket.text("mark.md").unwrap(), "\u{feff}# Mark\n");
    assert_eq!(bucket.text("code/main.rs").unwrap(), "fn main() []\n");
    let (counts, conflicts, _) = bucket.mirrored(&world, |options| options.overwrites = true);
    assert_eq!((counts, conflicts.len()), ((1, 0, 5), 0));
    assert_eq!(bucket.text("code/main.rs").unwrap(), "fn main() {}\n");
    assert_eq!(bucket.text("theirs.md").unwrap(), "# Theirs\n");
}

#[test]
fn a_destination_that_does_not_tell_what_it_has_is_not_changed() {
    let (world, bucket) = (notes(), Bucket::default());
    bucket.mirrored(&world, |_| {});
    let before = bucket.objects().all.clone();
    world.remove("empty.md");
    world.write("new.md", "# New\n");
    world.sync();
    bucket.objects().is_unlisted = true;
    let error = mirrored_to(&world, &bucket, options(|_| {})).unwrap_err();
    assert!(matches!(error, Error::Mirror { .. }), "{error}");
    assert!(error.to_string().contains("incomplete listing"), "{error}");
    assert_eq!(bucket.objects().all, before);
}

#[test]
fn a_file_that_was_changed_at_the_destination_is_noticed_whatever_its_size_and_time() {
    let world = notes();
    mirrored(&world, |_| {});
    let file = place(&world).join("code/main.rs");
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "fn main() []\n").unwrap();
    let changed = fs::File::options().write(true).open(&file).unwrap();
    changed.set_modified(written).unwrap();
    let report = mirrored(&world, |_| {});
    assert_eq!(counts(&report), (0, 0, 5));
    let [conflict] = &report.conflicts[..] else {
        panic!("{report:?}");
    };
    assert_eq!(
        (&*conflict.path, &conflict.reason),
        ("code/main.rs", &ConflictReason::Changed)
    );
    assert_eq!(fs::read(&file).unwrap(), b"fn main() []\n");
    // What has only another time is the same.
    fs::write(&file, "fn main() {}\n").unwrap();
    let report = mirrored(&world, |_| {});
    assert_eq!((counts(&report), report.conflicts.len()), ((0, 0, 6), 0));
}

#[test]
fn a_folder_in_place_of_a_file_that_is_no_longer_mirrored_is_left_alone() {
    let world = notes();
    mirrored(&world, |_| {});
    let folder = place(&world).join("mark.md");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    let report = mirrored(&world, |_| {});
    assert_eq!((counts(&report), report.conflicts.len()), ((0, 0, 5), 1));
    world.remove("mark.md");
    let report = mirrored(&world, |_| {});
    assert_eq!((counts(&report), report.conflicts.len()), ((0, 0, 5), 0));
    assert!(folder.is_dir());
}
