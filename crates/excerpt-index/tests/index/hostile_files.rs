//! Links, pipes, devices and folders in place of files, either from the start or after a swap
//! between listing and reading. Nothing outside is ever read, nothing blocks, and each skipped file
//! has a reason. The test runner ends a test that hangs.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use excerpt_index::{
    CONFIGURATION_LIMIT, Entries, Entry, Files, Index, Listing, OpenOptions, Reading, Refused,
    SkipReason, Source, SyncOptions, quiet, read_below, read_named,
};

use crate::fixture::{by_keywords, paths};

/// A text that must not be read: a document, and valid as an ignore file, a configuration or a file
/// of git.
const OUTSIDE: &str = "OUTSIDE *.md\n*.md\n";

/// A folder `inside` that is a source, and one next to it that is not.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ground = Ground { dir };
        for path in ["a.md", "docs/a.md", "docs/deep/a.md"] {
            ground.write("inside", path, "tea");
            ground.write("outside", path, OUTSIDE);
        }
        for path in ["config", "exclude", "HEAD", "info/exclude", ".gitignore"] {
            ground.write("outside", path, OUTSIDE);
        }
        ground
    }

    fn write(&self, root: &str, path: &str, text: &str) {
        let path = self.at(root).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.at("inside").join(path)
    }

    fn source(&self) -> Files {
        Files::new(&self.at("inside"), 1 << 20).unwrap()
    }

    /// Replaces whatever is at `path`.
    fn swap(&self, path: &Path, intruder: Intruder) {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path).unwrap(),
            Ok(_) => fs::remove_file(path).unwrap(),
            Err(_) => {}
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let link = |target: &Path| symlink(target, path).unwrap();
        match intruder {
            Intruder::LinkToFile => link(&self.at("outside/a.md")),
            Intruder::LinkToFolder => link(&self.at("outside")),
            Intruder::DanglingLink => link(&self.at("nowhere")),
            Intruder::LinkToItself => link(path),
            Intruder::LinkToDevice => link(Path::new("/dev/zero")),
            Intruder::LinkToPipe => {
                self.swap(&self.at("pipe"), Intruder::Pipe);
                link(&self.at("pipe"));
            }
            Intruder::Pipe => {
                let made = Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }
            Intruder::Folder => fs::create_dir(path).unwrap(),
            // The path of a socket must be short, so it is created elsewhere.
            Intruder::Socket => {
                let short = self.at("s");
                let _ = fs::remove_file(&short);
                drop(UnixListener::bind(&short).unwrap());
                fs::rename(short, path).unwrap();
            }
            Intruder::Nothing => {}
        }
    }
}

/// What replaces a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intruder {
    LinkToFile,
    LinkToFolder,
    DanglingLink,
    LinkToItself,
    LinkToDevice,
    LinkToPipe,
    Pipe,
    Folder,
    Socket,
    Nothing,
}

impl Intruder {
    fn is_link(self) -> bool {
        use Intruder::{
            DanglingLink, LinkToDevice, LinkToFile, LinkToFolder, LinkToItself, LinkToPipe,
        };
        matches!(
            self,
            LinkToFile | LinkToFolder | DanglingLink | LinkToItself | LinkToDevice | LinkToPipe
        )
    }

    /// Why it is skipped in place of a file.
    fn reason(self) -> SkipReason {
        match self.is_link() {
            true => SkipReason::Link,
            false => SkipReason::Special,
        }
    }
}

/// The reasons for which `path` is skipped.
fn reasons(listing: &Listing, path: &str) -> Vec<SkipReason> {
    let skips = listing.skips.iter().filter(|skip| skip.path == path);
    skips.map(|skip| skip.reason).collect()
}

/// Reads every entry, asserts that nothing is from outside, and returns the paths that were read.
#[track_caller]
fn read(source: &dyn Source, listing: &Listing) -> Vec<String> {
    let entries = listing.entries.iter();
    let read = entries.filter_map(|entry| match source.read(entry) {
        Reading::Bytes { bytes, .. } => {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("OUTSIDE"), "{}", entry.path);
            Some(entry.path.clone())
        }
        _ => None,
    });
    read.collect()
}

/// Tests with everything that can be in place of a file from the start, for one check.
macro_rules! lies_there {
    ($($place:ident => $check:expr;)*) => {$(
        mod $place {
            use super::*;

            #[test]
            fn a_link_to_a_file_outside() {
                $check(Intruder::LinkToFile);
            }

            #[test]
            fn a_link_to_a_folder_outside() {
                $check(Intruder::LinkToFolder);
            }

            #[test]
            fn a_dangling_link() {
                $check(Intruder::DanglingLink);
            }

            #[test]
            fn a_link_to_itself() {
                $check(Intruder::LinkToItself);
            }

            #[test]
            fn a_link_to_a_device() {
                $check(Intruder::LinkToDevice);
            }

            #[test]
            fn a_link_to_a_named_pipe() {
                $check(Intruder::LinkToPipe);
            }

            #[test]
            fn a_named_pipe() {
                $check(Intruder::Pipe);
            }

            #[test]
            fn a_folder() {
                $check(Intruder::Folder);
            }

            #[test]
            fn a_socket() {
                $check(Intruder::Socket);
            }
        }
    )*};
}

lies_there! {
    in_the_place_of_a_document => document;
    in_the_place_of_a_folder => folder;
    in_the_place_of_excerpt_toml => excerpt_toml;
    in_the_place_of_gitignore => |intruder| ignore_file(intruder, ".gitignore");
    in_the_place_of_ignore => |intruder| ignore_file(intruder, ".ignore");
    in_the_place_of_a_gitignore_in_a_folder => |intruder| ignore_file(intruder, "docs/.gitignore");
    in_the_place_of_git => git;
    in_the_place_of_git_config => |intruder| in_git(intruder, "config");
    in_the_place_of_git_info_exclude => |intruder| in_git(intruder, "info/exclude");
    in_the_place_of_git_commondir => |intruder| in_git(intruder, "commondir");
    in_the_place_of_git_head => head;
}

fn document(intruder: Intruder) {
    let ground = Ground::new();
    ground.swap(&ground.inside("a.md"), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    // A folder is valid here: it is empty.
    let expected = (intruder != Intruder::Folder).then(|| intruder.reason());
    assert_eq!(reasons(&listing, "a.md"), Vec::from_iter(expected));
    assert_eq!(read(&source, &listing), ["docs/a.md", "docs/deep/a.md"]);
}

fn folder(intruder: Intruder) {
    let ground = Ground::new();
    ground.swap(&ground.inside("docs"), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    let expected = (intruder != Intruder::Folder).then(|| intruder.reason());
    assert_eq!(reasons(&listing, "docs"), Vec::from_iter(expected));
    assert_eq!(read(&source, &listing), ["a.md"]);
}

fn excerpt_toml(intruder: Intruder) {
    let ground = Ground::new();
    ground.swap(&ground.inside("excerpt.toml"), intruder);
    let read = read_below(&ground.at("inside"), "excerpt.toml", CONFIGURATION_LIMIT);
    let error = read.unwrap_err();
    assert!(matches!(error, Refused::Kind(_)), "{error}");
    let kind = match intruder {
        Intruder::Pipe => "a named pipe",
        Intruder::Folder => "a folder",
        Intruder::Socket => "a socket",
        _ => "a symbolic link",
    };
    assert_eq!(
        error.to_string(),
        format!("it is {kind}, expected a regular file")
    );
}

fn ignore_file(intruder: Intruder, path: &str) {
    let ground = Ground::new();
    ground.swap(&ground.inside(path), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    assert_eq!(reasons(&listing, path), [intruder.reason()]);
    // Lines from outside do not exclude anything.
    let all = ["a.md", "docs/a.md", "docs/deep/a.md"];
    assert_eq!(read(&source, &listing), all);
}

fn git(intruder: Intruder) {
    let ground = Ground::new();
    ground.swap(&ground.inside(".git"), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    let expected = match intruder {
        Intruder::Folder => SkipReason::Hidden,
        other => other.reason(),
    };
    assert_eq!(reasons(&listing, ".git"), [expected]);
    let all = ["a.md", "docs/a.md", "docs/deep/a.md"];
    assert_eq!(read(&source, &listing), all);
    let place = excerpt_index::locate(&ground.inside("docs"), &ground.at("data"), None).unwrap();
    assert_eq!(place.root, ground.inside("docs"));
}

fn in_git(intruder: Intruder, file: &str) {
    let ground = Ground::new();
    ground.write("inside", ".git/HEAD", "ref: refs/heads/main\n");
    ground.swap(&ground.inside(".git").join(file), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    let skips = listing.skips.iter().filter(|skip| skip.path == ".git");
    let told: Vec<_> = skips
        .map(|skip| (skip.reason, skip.detail.clone()))
        .collect();
    let detail = match intruder {
        Intruder::Folder => format!("`{file}`: a folder"),
        _ => format!("`{file}`"),
    };
    assert_eq!(told, [(intruder.reason(), Some(detail))]);
    let all = ["a.md", "docs/a.md", "docs/deep/a.md"];
    assert_eq!(read(&source, &listing), all);
    let place = excerpt_index::locate(&ground.inside("docs"), &ground.at("data"), None).unwrap();
    let named = place.repository.unwrap_or_default();
    assert!(!named.contains("OUTSIDE"), "{named}");
}

fn head(intruder: Intruder) {
    let ground = Ground::new();
    ground.write("inside", ".git/info/exclude", "a.md\n");
    ground.swap(&ground.inside(".git/HEAD"), intruder);
    let source = ground.source();
    let listing = source.list().unwrap();
    // Old repositories have a link there, which is not followed either. With anything else, the
    // folder is not a repository.
    let entries: Vec<&str> = listing.entries.iter().map(|entry| &*entry.path).collect();
    match intruder.is_link() {
        true => assert!(entries.is_empty(), "{entries:?}"),
        false => assert_eq!(entries.len(), 3),
    }
}

/// The result of reading the entry `path` after a change between listing and reading.
fn read_after(ground: &Ground, path: &str, change: impl FnOnce()) -> Reading {
    let source = ground.source();
    let listing = source.list().unwrap();
    let mut entries = listing.entries.iter();
    let entry: &Entry = entries.find(|entry| entry.path == path).unwrap();
    change();
    let reading = source.read(entry);
    if let Reading::Bytes { bytes, .. } = &reading {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("OUTSIDE"));
    }
    reading
}

/// The reason and the detail for which the entry `path` is skipped after a change between listing
/// and reading.
#[track_caller]
fn left_out_after(
    ground: &Ground,
    path: &str,
    change: impl FnOnce(),
) -> (SkipReason, Option<String>) {
    match read_after(ground, path, change) {
        Reading::Skip { skip, version, .. } => {
            assert_eq!((&*skip.path, version), (path, None));
            (skip.reason, skip.detail)
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn swapped(intruder: Intruder) {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.inside("docs/a.md"), intruder);
    let detail = (intruder == Intruder::Folder).then(|| "a folder".to_string());
    assert_eq!(
        left_out_after(&ground, "docs/a.md", swap),
        (intruder.reason(), detail)
    );
}

#[test]
fn a_file_becomes_a_link_to_a_file_outside() {
    swapped(Intruder::LinkToFile);
}

#[test]
fn a_file_becomes_a_link_to_a_folder() {
    swapped(Intruder::LinkToFolder);
}

#[test]
fn a_file_becomes_a_dangling_link() {
    swapped(Intruder::DanglingLink);
}

#[test]
fn a_file_becomes_a_link_to_itself() {
    swapped(Intruder::LinkToItself);
}

#[test]
fn a_file_becomes_a_link_to_a_device() {
    swapped(Intruder::LinkToDevice);
}

#[test]
fn a_file_becomes_a_link_to_a_named_pipe() {
    swapped(Intruder::LinkToPipe);
}

#[test]
fn a_file_becomes_a_named_pipe() {
    swapped(Intruder::Pipe);
}

#[test]
fn a_file_becomes_a_folder() {
    swapped(Intruder::Folder);
}

#[test]
fn a_file_becomes_a_socket() {
    swapped(Intruder::Socket);
}

#[test]
fn a_file_is_deleted() {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.inside("docs/a.md"), Intruder::Nothing);
    assert_eq!(read_after(&ground, "docs/a.md", swap), Reading::Gone);
}

#[test]
fn a_file_becomes_a_large_one() {
    let ground = Ground::new();
    let change = || ground.write("inside", "a.md", &"x".repeat((1 << 20) + 9));
    match read_after(&ground, "a.md", change) {
        Reading::Skip { skip, bytes, .. } => {
            let detail = "1048585 bytes, the limit is 1048576";
            assert_eq!(skip.reason, SkipReason::TooLarge);
            assert_eq!(skip.detail.as_deref(), Some(detail));
            assert_eq!(bytes, (1 << 20) + 1, "no more is read than tells it");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_folder_of_a_file_becomes_a_link_to_one_outside_with_a_file_of_that_name() {
    let ground = Ground::new();
    let swap = || {
        ground.swap(&ground.inside("docs"), Intruder::Nothing);
        symlink(ground.at("outside/docs"), ground.inside("docs")).unwrap();
    };
    assert_eq!(
        left_out_after(&ground, "docs/a.md", swap),
        (SkipReason::Link, Some("`docs` is a symbolic link".into()))
    );
}

#[test]
fn a_folder_far_above_a_file_becomes_a_link_to_one_outside() {
    let ground = Ground::new();
    let swap = || {
        ground.swap(&ground.inside("docs"), Intruder::Nothing);
        symlink(ground.at("outside/docs"), ground.inside("docs")).unwrap();
    };
    assert_eq!(
        left_out_after(&ground, "docs/deep/a.md", swap),
        (SkipReason::Link, Some("`docs` is a symbolic link".into()))
    );
}

#[test]
fn the_folder_of_a_file_becomes_a_link_to_another_one_inside() {
    let ground = Ground::new();
    let swap = || {
        fs::rename(ground.inside("docs/deep"), ground.inside("moved")).unwrap();
        symlink(ground.inside("moved"), ground.inside("docs/deep")).unwrap();
    };
    let detail = "`docs/deep` is a symbolic link".to_string();
    assert_eq!(
        left_out_after(&ground, "docs/deep/a.md", swap),
        (SkipReason::Link, Some(detail))
    );
}

#[test]
fn the_folder_of_a_file_becomes_a_dangling_link() {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.inside("docs"), Intruder::DanglingLink);
    assert_eq!(
        left_out_after(&ground, "docs/a.md", swap),
        (SkipReason::Link, Some("`docs` is a symbolic link".into()))
    );
}

#[test]
fn the_folder_of_a_file_becomes_a_named_pipe() {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.inside("docs"), Intruder::Pipe);
    assert_eq!(read_after(&ground, "docs/a.md", swap), Reading::Gone);
}

#[test]
fn the_folder_of_a_file_becomes_a_file() {
    let ground = Ground::new();
    let swap = || {
        ground.swap(&ground.inside("docs"), Intruder::Nothing);
        ground.write("inside", "docs", "a file");
    };
    assert_eq!(read_after(&ground, "docs/a.md", swap), Reading::Gone);
}

#[test]
fn the_folder_of_a_file_is_deleted() {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.inside("docs"), Intruder::Nothing);
    assert_eq!(read_after(&ground, "docs/a.md", swap), Reading::Gone);
}

#[test]
fn the_root_becomes_a_link_to_a_folder_outside() {
    let ground = Ground::new();
    let swap = || {
        ground.swap(&ground.at("inside"), Intruder::Nothing);
        symlink(ground.at("outside"), ground.at("inside")).unwrap();
    };
    let (reason, _) = left_out_after(&ground, "a.md", swap);
    assert_eq!(reason, SkipReason::Unreadable, "what is known of it stays");
}

#[test]
fn the_root_becomes_another_folder() {
    let ground = Ground::new();
    let swap = || {
        fs::rename(ground.at("inside"), ground.at("before")).unwrap();
        fs::rename(ground.at("outside"), ground.at("inside")).unwrap();
    };
    let detail = "the folder was replaced after it was listed".to_string();
    assert_eq!(
        left_out_after(&ground, "a.md", swap),
        (SkipReason::Unreadable, Some(detail))
    );
}

#[test]
fn the_root_is_deleted() {
    let ground = Ground::new();
    let swap = || ground.swap(&ground.at("inside"), Intruder::Nothing);
    let detail = "no such file or directory".to_string();
    assert_eq!(
        left_out_after(&ground, "a.md", swap),
        (SkipReason::Unreadable, Some(detail))
    );
}

#[test]
fn a_folder_above_the_root_becomes_a_link_to_a_place_outside() {
    let ground = Ground::new();
    ground.write("around", "root/a.md", "tea");
    ground.write("elsewhere", "root/a.md", OUTSIDE);
    let source = Files::new(&ground.at("around/root"), 100).unwrap();
    let listing = source.list().unwrap();
    ground.swap(&ground.at("around"), Intruder::Nothing);
    symlink(ground.at("elsewhere"), ground.at("around")).unwrap();
    let Reading::Skip { skip, .. } = source.read(&listing.entries[0]) else {
        panic!("it is another folder");
    };
    assert_eq!(skip.reason, SkipReason::Unreadable);
}

/// Swaps a file that is itself a source.
#[track_caller]
fn single_file(intruder: Intruder) {
    let ground = Ground::new();
    let source = Files::new(&ground.inside("a.md"), 100).unwrap();
    let listing = source.list().unwrap();
    ground.swap(&ground.inside("a.md"), intruder);
    let Reading::Skip { skip, .. } = source.read(&listing.entries[0]) else {
        panic!("it is no file");
    };
    assert_eq!((&*skip.path, skip.reason), ("a.md", intruder.reason()));
}

#[test]
fn a_file_that_is_a_source_becomes_a_link() {
    single_file(Intruder::LinkToFile);
}

#[test]
fn a_file_that_is_a_source_becomes_a_link_to_a_folder() {
    single_file(Intruder::LinkToFolder);
}

#[test]
fn a_file_that_is_a_source_becomes_a_named_pipe() {
    single_file(Intruder::Pipe);
}

#[test]
fn a_file_that_is_a_source_becomes_a_folder() {
    single_file(Intruder::Folder);
}

#[test]
fn a_device_is_not_read_even_when_it_is_named() {
    let error = read_below(Path::new("/dev"), "zero", 100).unwrap_err();
    assert_eq!(error.to_string(), "it is a device, expected a regular file");
    let error = read_named(Path::new("/dev/zero"), 100).unwrap_err();
    assert_eq!(error.to_string(), "it is a device, expected a regular file");
}

#[test]
fn a_file_that_is_named_may_be_a_link() {
    let ground = Ground::new();
    symlink(ground.inside("a.md"), ground.at("link")).unwrap();
    assert_eq!(read_named(&ground.at("link"), 3).unwrap(), b"tea");
    let error = read_named(&ground.at("link"), 2).unwrap_err();
    assert_eq!(error.to_string(), "it has 3 bytes, but the limit is 2");
    let error = read_named(&ground.at("nowhere"), 2).unwrap_err();
    assert_eq!(error.to_string(), "no such file or directory");
}

#[test]
fn a_path_that_leads_up_is_not_found() {
    let ground = Ground::new();
    for path in [
        "../outside/a.md",
        "docs/../a.md",
        "./a.md",
        "docs//a.md",
        "",
        "/a.md",
    ] {
        let read = read_below(&ground.at("inside"), path, 100);
        assert!(matches!(read, Err(Refused::Missing)), "{path}");
    }
}

#[test]
fn a_link_in_the_path_of_a_file_is_named() {
    let ground = Ground::new();
    symlink(ground.at("outside"), ground.inside("docs/away")).unwrap();
    let error = read_below(&ground.at("inside"), "docs/away/a.md", 100).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`docs/away` is a symbolic link, expected a folder"
    );
}

#[test]
fn an_ignore_file_of_more_than_a_mebibyte_is_not_read_and_reported() {
    let ground = Ground::new();
    ground.write("inside", ".gitignore", &"*.md\n".repeat(1 << 18));
    let listing = ground.source().list().unwrap();
    assert_eq!(listing.entries.len(), 3);
    let skip = &listing.skips[0];
    assert_eq!(
        (&*skip.path, skip.reason),
        (".gitignore", SkipReason::TooLarge)
    );
    let detail = "1310720 bytes, the limit is 1048576";
    assert_eq!(skip.detail.as_deref(), Some(detail));
}

#[test]
fn an_ignore_file_with_too_many_patterns_is_not_read_and_reported() {
    let ground = Ground::new();
    for patterns in ["a\n".repeat(10_001), "*a?b*[c-d]*{e,f}*\n".repeat(10_000)] {
        ground.write("inside", ".gitignore", &patterns);
        let listing = ground.source().list().unwrap();
        assert_eq!(reasons(&listing, ".gitignore"), [SkipReason::TooLarge]);
        assert_eq!(listing.entries.len(), 3);
    }
    ground.write("inside", ".gitignore", &"# a\n\n".repeat(10_001));
    let listing = ground.source().list().unwrap();
    assert_eq!(reasons(&listing, ".gitignore"), [SkipReason::Hidden]);
}

#[test]
fn a_folder_whose_ignore_files_have_too_many_patterns_in_all_is_an_error() {
    let ground = Ground::new();
    let patterns = "a\n".repeat(10_000);
    for number in 0..20 {
        ground.write("inside", &format!("{number}/.gitignore"), &patterns);
    }
    assert_eq!(ground.source().list().unwrap().entries.len(), 3);
    ground.write("inside", "docs/.ignore", "a\n");
    let error = ground.source().list().unwrap_err().to_string();
    assert!(error.contains("more than 200000 patterns"), "{error}");
}

#[test]
fn a_git_file_that_names_another_machine_is_not_a_repository() {
    let ground = Ground::new();
    for target in ["//host/share", r"\\host\share"] {
        ground.write("inside", ".git", &format!("gitdir: {target}\n"));
        let listing = ground.source().list().unwrap();
        assert_eq!(reasons(&listing, ".git"), [SkipReason::Hidden]);
    }
}

/// A source whose files change between each listing and the reading after it.
struct Swapping<'a> {
    files: Files,
    swap: &'a (dyn Fn() + Sync),
}

impl Source for Swapping<'_> {
    fn id(&self) -> &excerpt_index::SourceId {
        self.files.id()
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let listing = self.files.list();
        (self.swap)();
        Ok(listing?.into_entries())
    }

    fn read(&self, entry: &Entry) -> Reading {
        self.files.read(entry)
    }
}

/// Syncs a folder whose `a.md` is swapped after each listing, and asserts that nothing from outside
/// is found and that the index can be written again.
#[track_caller]
fn synced(intruder: Intruder) {
    let ground = Ground::new();
    let source = Swapping {
        files: ground.source(),
        swap: &|| ground.swap(&ground.inside("a.md"), intruder),
    };
    let mut index = Index::open(&ground.at("index"), OpenOptions::create()).unwrap();
    let options = SyncOptions::default();
    let report = index.sync_source(&source, &options, quiet).unwrap();
    assert!(report.complete);
    assert_eq!((report.added, report.skipped[&intruder.reason()]), (2, 1));
    let answer = index.search(&by_keywords("OUTSIDE")).unwrap();
    assert!(paths(&answer).is_empty());
    let report = index.sync(&ground.at("inside"), &options, quiet).unwrap();
    assert_eq!((report.complete, report.unchanged), (true, 2));
}

#[test]
fn a_sync_does_not_follow_a_link_created_after_the_listing() {
    synced(Intruder::LinkToFile);
}

#[test]
fn a_sync_does_not_wait_for_a_named_pipe_created_after_the_listing() {
    synced(Intruder::Pipe);
}
