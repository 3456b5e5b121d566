//! A full disk: searches answer from what is indexed, the error is named, and once there is space,
//! everything is indexed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use excerpt_index::{Index, OpenOptions};
use serde_json::json;

use crate::fixture::Project;
use crate::serve_client::Server;

/// A file system in memory with a limited size. Only the user `root` can create one.
struct Disk(PathBuf);

impl Disk {
    /// `None` if this user cannot mount it.
    fn new(path: &Path) -> Option<Disk> {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64m", "tmpfs"]);
        let mounted = mount.arg(path).output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        is_mounted.then(|| Disk(path.to_path_buf()))
    }

    /// Fills the disk so that `bytes` are left.
    fn leave(&self, bytes: u64) {
        let mut df = Command::new("df");
        let output = df.args(["--output=avail", "-B1"]).arg(&self.0).output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        let free: u64 = output.lines().nth(1).unwrap().trim().parse().unwrap();
        let ballast = vec![0; usize::try_from(free - bytes).unwrap()];
        fs::write(self.0.join("ballast"), ballast).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.0.join("ballast")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn fill(project: &Project, version: usize) {
    for file in 0..60 {
        let line = format!("The kettle of file {file} sings in version{version}.\n\n");
        let text = format!("# File {file}\n\n{}", line.repeat(40));
        project.write(&format!("{file}.md"), text);
    }
}

/// A project with documents, and a disk with a folder for its index; `None`, with a message, if
/// this user cannot mount one.
#[expect(clippy::print_stdout, reason = "what was not tested is said")]
fn project_and_disk() -> Option<(Project, Disk, PathBuf)> {
    let project = Project::new();
    fill(&project, 0);
    let Some(disk) = Disk::new(&project.data().join("disk")) else {
        println!("not tested: this user may not mount a disk");
        return None;
    };
    let index = disk.0.join("index");
    Some((project, disk, index))
}

fn assert_like_fresh(project: &Project, index: &Path) {
    let fresh = project.data().join("fresh");
    let _ = fs::remove_dir_all(&fresh);
    project
        .run(&["sync", "--index", fresh.to_str().unwrap()])
        .ok();
    let open = |dir: &Path| Index::open(dir, OpenOptions::default()).unwrap();
    let (index, fresh) = (open(index), open(&fresh));
    assert!(index.check().unwrap().is_sound());
    assert_eq!(index.fingerprint().unwrap(), fresh.fingerprint().unwrap());
}

/// The free space in bytes, from none to almost enough.
const ROOMS: [u64; 9] = [0, 4, 16, 64, 128, 256, 512, 1_024, 1_536];

#[test]
fn a_first_sync_on_a_full_disk_reports_it_and_continues_once_there_is_space() {
    let Some((project, disk, index)) = project_and_disk() else {
        return;
    };
    let args = ["sync", "--index", index.to_str().unwrap()];
    let mut full = 0;
    for room in ROOMS {
        disk.leave(room << 10);
        let run = project.run(&args);
        if run.code == Some(2) {
            full += 1;
            let said = run.stderr.trim_end();
            assert!(
                !said.contains("damaged") && !said.contains("panicked"),
                "{room}: {said}"
            );
        }
        disk.make_room();
        project.run(&args).ok();
        assert_like_fresh(&project, &index);
        fs::remove_dir_all(&index).unwrap();
    }
    assert!(full > 3, "{full}");
}

#[test]
fn a_server_on_a_full_disk_answers_says_so_and_continues_once_there_is_space() {
    let Some((project, disk, index)) = project_and_disk() else {
        return;
    };
    let server = Server::ready(&project, &["--index", index.to_str().unwrap()]);
    disk.leave(0);
    fill(&project, 1);
    let text = json!({"name": "long", "text": "# Long\n\nMuch text.\n".repeat(20_000)});
    server.wait_until("the full disk is reported", |server| {
        let status = server.get("/v1/status").ok();
        status["sources"][0]["state"] == "failed"
    });
    let status = server.get("/v1/status").ok();
    let failure = status["sources"][0]["failure"].as_str().unwrap();
    assert!(failure.ends_with("is full"), "{failure}");
    let refused = server.send("POST", "/v1/collections", &text);
    assert_eq!(refused.status, 507, "{refused:?}");
    let found = server.get("/v1/search?query=kettle+sings").ok();
    assert!(!found["hits"].as_array().unwrap().is_empty(), "{found}");
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("excerpt_source_failed"), "{metrics}");
    disk.make_room();
    server.wait_until("everything is indexed", |server| {
        let found = server
            .get("/v1/search?query=version1&channels=keywords")
            .ok();
        found["matched"] == 60 && server.is_current()
    });
    assert_eq!(server.end().0, Some(0));
    assert_like_fresh(&project, &index);
}

#[test]
fn a_search_on_a_full_disk_answers_from_what_is_indexed() {
    let Some((project, disk, index)) = project_and_disk() else {
        return;
    };
    let index_args = ["--index", index.to_str().unwrap()];
    let run = |args: &[&str]| project.run(&[args, &index_args].concat());
    run(&["sync"]).ok();
    let mut full = 0;
    for (round, room) in ROOMS.into_iter().enumerate() {
        fill(&project, round + 1);
        disk.leave(room << 10);
        let synced = run(&["sync"]);
        if synced.code == Some(2) {
            full += 1;
            let said = synced.stderr.trim_end();
            assert!(
                !said.contains("damaged") && !said.contains("panicked"),
                "{room}: {said}"
            );
        }
        for mode in ["never", "auto"] {
            let found = run(&["search", "kettle sings", "--sync", mode]);
            // Documents that are written but not yet searchable are reported.
            let is_told = match found.code {
                Some(1) => found.stderr.contains("is out of date"),
                Some(2) => found.stderr.contains("is full: free some space"),
                _ => false,
            };
            let is_found = found.code == Some(0);
            assert!(is_found || is_told, "{room} {mode}: {}", found.stderr);
        }
        disk.make_room();
        run(&["sync"]).ok();
        assert_like_fresh(&project, &index);
    }
    assert!(full > 3, "{full}");
}
