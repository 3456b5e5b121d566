//! `excerpt sync --watch`, as a process.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, ChildStdout};

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::Project;

/// A watch, the lines that it prints, and those to standard error.
struct Watch {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    said: std::io::Lines<BufReader<ChildStderr>>,
}

impl Watch {
    fn over(project: &Project, args: &[&str]) -> Watch {
        let args = [&["sync", "--watch"], args].concat();
        let mut child = project.command(&args).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = BufReader::new(child.stderr.take().unwrap()).lines();
        Watch { child, lines, said }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    /// Reads standard error up to a line that contains `text`.
    fn says(&mut self, text: &str) {
        let mut before = Vec::new();
        for line in self.said.by_ref() {
            let line = line.unwrap();
            if line.contains(text) {
                return;
            }
            before.push(line);
        }
        panic!("no `{text}` in {before:?}");
    }

    /// Ends it with `signal`. Returns its exit code and standard error.
    fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        assert!(self.lines.next().is_none());
        let said: Vec<String> = self.said.map(Result::unwrap).collect();
        let said = said.iter().map(|line| format!("{line}\n")).collect();
        (self.child.wait().unwrap().code(), said)
    }
}

#[test]
fn each_change_is_a_line_until_ctrl_c() {
    let project = Project::new().file("tea.md", "# Tea\n\nGreen tea.\n");
    let mut watch = Watch::over(&project, &[]);
    let first = watch.line();
    assert!(first.contains(": 1 added · 1 file read, "), "{first}");
    project.write("cups.md", "# Cups\n\nTwo cups.\n");
    let line = watch.line();
    assert!(line.starts_with("1 added, 1 unchanged · "), "{line}");
    let run = project.run(&["search", "cups", "--sync", "never"]).ok();
    assert!(run.stdout.starts_with("cups.md:1-3"), "{}", run.stdout);
    let (code, said) = watch.end(Signal::INT);
    assert_eq!(code, Some(0));
    assert_eq!(said, "watching for changes; press Ctrl-C to stop\n");
}

#[test]
fn each_change_is_an_object_until_the_process_is_to_end() {
    let project = Project::new()
        .file("tea.md", "# Tea\n\nGreen tea.\n")
        .file("milk.md", "# Milk\n\nOat milk.\n");
    let mut watch = Watch::over(&project, &["--json"]);
    let mut report = || serde_json::from_str::<serde_json::Value>(&watch.line()).unwrap();
    assert_eq!(report()["added"], 2);
    std::fs::remove_file(project.path("tea.md")).unwrap();
    let removal = report();
    assert_eq!(
        (&removal["removed"], &removal["complete"]),
        (&1.into(), &true.into())
    );
    assert_eq!(watch.end(Signal::TERM).0, Some(0));
}

#[test]
fn several_collections_are_watched_at_once() {
    let project = Project::new()
        .file("tea/green.md", "# Green\n\nGreen tea.\n")
        .file("cups/two.md", "# Two\n\nTwo cups.\n");
    for name in ["tea", "cups"] {
        project
            .run(&["add", project.path(name).to_str().unwrap()])
            .ok();
    }
    // One that is not there at first does not keep the others from being watched.
    project
        .run(&[
            "add",
            project.path("tea").join("green.md").to_str().unwrap(),
            "--name",
            "gone",
        ])
        .ok();
    std::fs::rename(project.path("tea/green.md"), project.path("tea/moved.md")).unwrap();
    let mut watch = Watch::over(&project, &["--library"]);
    let mut first = [watch.line(), watch.line()];
    first.sort();
    assert!(first[0].starts_with("cups: 1 unchanged"), "{first:?}");
    assert!(first[1].starts_with("tea: 1 added"), "{first:?}");
    project.write("cups/three.md", "# Three\n\nThree cups.\n");
    let line = watch.line();
    assert!(line.starts_with("cups: 1 added, 1 unchanged · "), "{line}");
    project.write("tea/black.md", "# Black\n\nBlack tea.\n");
    let line = watch.line();
    assert!(line.starts_with("tea: 1 added, 1 unchanged"), "{line}");
    watch.says("gone: waiting: cannot read");
    // One that is removed meanwhile does not come back with its next change.
    project.run(&["remove", "cups"]).ok();
    project.write("cups/four.md", "# Four\n\nFour cups.\n");
    watch.says("cups: waiting: unknown collection `cups`");
    let found = project.run(&["search", "cups", "--library", "--sync", "never"]);
    assert!(!found.stdout.contains("four.md"), "{}", found.stdout);
    let listed = project.run(&["status", "--library"]).ok().stdout;
    assert!(!listed.contains("cups"), "{listed}");
    project.write("tea/white.md", "# White\n\nWhite tea.\n");
    let line = watch.line();
    assert!(line.starts_with("tea: 1 added, 2 unchanged"), "{line}");
    assert_eq!(watch.end(Signal::INT).0, Some(0));
}
