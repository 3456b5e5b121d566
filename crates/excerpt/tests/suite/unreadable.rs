//! A folder without read permission: its documents are kept, and the error is reported.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fixture::{Project, Run};

/// A user other than `root`, who can read every folder.
const NOBODY: u32 = 65534;

/// A project whose files belong to an unprivileged user.
pub(crate) struct Someone {
    pub(crate) project: Project,
    /// The binary, in a place where that user can run it.
    binary: PathBuf,
}

impl Someone {
    pub(crate) fn new(project: Project) -> Someone {
        let folder = project.data();
        let folder = folder.parent().unwrap();
        let binary = folder.join("excerpt");
        let built = Path::new(env!("CARGO_BIN_EXE_excerpt"));
        if fs::hard_link(built, &binary).is_err() {
            fs::copy(built, &binary).unwrap();
        }
        if rustix::process::geteuid().is_root() {
            let owned = Command::new("chown")
                .args(["-R", &NOBODY.to_string()])
                .arg(folder)
                .status();
            assert!(owned.unwrap().success());
        }
        Someone { project, binary }
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        let like = self.project.command(args);
        let mut command = Command::new(&self.binary);
        command.args(args).current_dir(self.project.path(""));
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY);
        }
        self.project.outcome(&mut command)
    }

    fn permit(&self, path: &str, mode: u32) {
        fs::set_permissions(self.project.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[test]
fn documents_in_an_unreadable_folder_are_kept_and_reported() {
    let project = Project::new()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("private/milk.md", "# Milk\n\nFresh milk.\n")
        .file("private/deep/cocoa.md", "# Cocoa\n\nHot cocoa.\n");
    let someone = Someone::new(project);
    someone.run(&["sync"]).ok();
    someone.permit("private", 0o000);
    fs::remove_file(someone.project.path("tea.md")).unwrap();
    let report = &someone.run(&["sync", "--json"]).ok().json()[0];
    assert_eq!(report["removed"], 1);
    assert_eq!(report["skipped"]["unreadable"], 1);
    let skips = someone.run(&["status", "--skips"]).ok().stdout;
    assert!(
        skips.contains("private") && skips.contains("ermission denied"),
        "{skips}"
    );
    for word in ["milk", "cocoa"] {
        let found = someone
            .run(&["search", word, "--json", "--channels", "keywords"])
            .ok();
        assert_eq!(found.json().len(), 1, "{word}");
    }
    // Once it is readable again, the changes made meanwhile are indexed.
    someone.permit("private", 0o755);
    fs::remove_file(someone.project.path("private/milk.md")).unwrap();
    let report = &someone.run(&["sync", "--json"]).ok().json()[0];
    assert_eq!(
        (&report["removed"], &report["unchanged"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["skipped"], serde_json::json!({}));
}

#[test]
fn an_unreadable_root_deletes_nothing() {
    let project = Project::new().file("tea.md", "# Tea\n\nGreen tea.\n");
    let someone = Someone::new(project);
    someone.run(&["sync"]).ok();
    someone.permit("", 0o300);
    let run = someone.run(&["sync"]);
    someone.permit("", 0o755);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let found = someone
        .run(&["search", "tea", "--json", "--sync", "never"])
        .ok();
    assert_eq!(found.json().len(), 1);
}
