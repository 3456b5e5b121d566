//! A read-only index, on a read-only disk or by its permissions, answers from its current state.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::fixture::{Project, Run};
use crate::unreadable::Someone;

fn project() -> Project {
    Project::new()
        .repository()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("milk.md", "# Milk\n\nFresh milk.\n")
}

/// Checks that every command that reads works, and that commands that write report why they cannot.
fn reads(run: &dyn Fn(&[&str]) -> Run, index: &str, words: &[&str]) {
    for word in words {
        for mode in ["never", "auto"] {
            let args = ["search", word, "--json", "--sync", mode, "--index", index];
            let found = run(&args).ok();
            assert!(!found.json().is_empty(), "{word} {mode}: {}", found.stderr);
        }
    }
    run(&["get", "tea.md", "--index", index]).ok();
    run(&["status", "--index", index]).ok();
    let sync = run(&["sync", "--index", index]);
    assert_eq!(sync.code, Some(2), "{}", sync.stdout);
    assert!(sync.stderr.contains("/lock`: "), "{}", sync.stderr);
}

/// Removes or restores write permission for everything at and below a path.
fn permit_writing(path: &Path, is_permitted: bool) {
    let metadata = fs::symlink_metadata(path).unwrap();
    let permit = |mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    match (metadata.is_dir(), is_permitted) {
        (true, true) => permit(0o700),
        (false, true) => permit(0o600),
        (false, false) => permit(0o400),
        (true, false) => {}
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            permit_writing(&entry.unwrap().path(), is_permitted);
        }
        if !is_permitted {
            permit(0o500);
        }
    }
}

#[test]
fn an_index_without_permission_to_write_answers() {
    let someone = Someone::new(project());
    let index = someone.project.data().join("index");
    let index = index.to_str().unwrap();
    someone.run(&["sync", "--index", index]).ok();
    permit_writing(Path::new(index), false);
    let run = |args: &[&str]| someone.run(args);
    reads(&run, index, &["tea", "milk"]);
    permit_writing(Path::new(index), true);
    someone.run(&["sync", "--index", index]).ok();
}

#[test]
fn an_index_with_a_log_and_without_permission_to_write_answers_from_both() {
    let project = project();
    let index = project.data().join("index");
    project
        .run(&["sync", "--index", index.to_str().unwrap()])
        .ok();
    let copied = project.data().join("copied");
    {
        let reader = rusqlite::Connection::open(index.join("excerpt.db")).unwrap();
        let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        reader
            .query_row("SELECT count(*) FROM document", [], count)
            .unwrap();
        project.write("cocoa.md", "# Cocoa\n\nHot cocoa.\n");
        project
            .run(&["sync", "--index", index.to_str().unwrap()])
            .ok();
        let copy = Command::new("cp")
            .arg("-a")
            .arg(&index)
            .arg(&copied)
            .status();
        assert!(copy.unwrap().success());
    }
    assert!(fs::metadata(copied.join("excerpt.db-wal")).unwrap().len() > 0);
    fs::remove_file(copied.join("excerpt.db-shm")).unwrap();
    let someone = Someone::new(project);
    permit_writing(&copied, false);
    let run = |args: &[&str]| someone.run(args);
    reads(&run, copied.to_str().unwrap(), &["tea", "cocoa"]);
    permit_writing(&copied, true);
}

/// A file system in memory that can be remounted read-only. Only the user `root` can mount one.
struct Disk(std::path::PathBuf);

impl Disk {
    fn new(path: &Path) -> Option<Disk> {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "tmpfs"]).arg(path).output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        is_mounted.then(|| Disk(path.to_path_buf()))
    }

    fn remount(&self, how: &str) {
        let mut mount = Command::new("mount");
        let status = mount
            .args(["-o", &format!("remount,{how}")])
            .arg(&self.0)
            .status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn an_index_on_a_read_only_disk_answers() {
    let project = project();
    let Some(disk) = Disk::new(&project.data().join("disk")) else {
        println!("not tested: this user may not mount a disk");
        return;
    };
    let index = disk.0.join("index");
    let index = index.to_str().unwrap();
    project.run(&["sync", "--index", index]).ok();
    disk.remount("ro");
    project.write("cocoa.md", "# Cocoa\n\nHot cocoa.\n");
    let run = |args: &[&str]| project.run(args);
    reads(&run, index, &["tea", "milk"]);
    disk.remount("rw");
    project.run(&["sync", "--index", index]).ok();
    let found = project.run(&["search", "cocoa", "--sync", "never", "--index", index]);
    assert!(found.ok().stdout.contains("cocoa.md"));
}
