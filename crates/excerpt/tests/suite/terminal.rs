//! How text from files that others wrote appears on a terminal.

use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::fixture::Project;

const NAME: &str = "a\nexcerpt: all is well\u{202e}dm.\u{e0041}\u{9b}2J.md";

fn project() -> Project {
    let title = "Tea \u{202e}\u{2066}\u{200b}\u{1b}[2J\u{7f}";
    let text = format!("# {title}\n\nGreen\ttea {title}\r\n\n## {title}\n\nMore tea.\n");
    let project = Project::new()
        .file(NAME, text)
        .file("b.md", "[tea](<a\u{202e}.md>) tea\n")
        .file(".env\u{202e}\n", "KEY=1\n");
    project.run(&["sync"]).ok();
    project
}

/// Standard output and standard error of a run on a terminal.
fn shown(project: &Project, args: &[&str]) -> String {
    shown_in(project, args, 0)
}

/// The same on a terminal of this width.
pub(crate) fn shown_in(project: &Project, args: &[&str], columns: u16) -> String {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY;
    let terminal = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
    if columns > 0 {
        let size = Winsize {
            ws_col: columns,
            ws_row: 24,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).unwrap();
    }
    let mut command = project.command(args);
    command
        .env("NO_COLOR", "1")
        .env("TERM", "dumb")
        .stdout(Stdio::from(terminal.try_clone().unwrap()))
        .stderr(Stdio::from(terminal));
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut bytes = Vec::new();
    // Some systems report an error when the other end of a terminal is closed.
    let _ = File::from(controller).read_to_end(&mut bytes);
    child.wait().unwrap();
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

fn misleads(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\t'))
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn no_command_shows_hidden_characters() {
    let project = project();
    for args in [
        &["search", "tea"][..],
        &["search", "tea", "--explain"],
        &["search", "tea", "--json"],
        &["list", "--documents"],
        &["list", "--documents", "--json"],
        &["list", ".", "--folders"],
        &["list", "--recent"],
        &["status", "--skips"],
        &["status", "--skips", "--json"],
        &["status", "--config"],
        &["get", NAME],
        &["get", NAME, "b.md", "--links"],
        &["get", NAME, "--json"],
        &["get", "no\n\u{202e}such.md"],
        &["chunk", NAME],
        &["chunk", "."],
        &["chunk", NAME, "--format", "json"],
        &["chunk", NAME, "--format", "jsonl"],
        &["chunk", NAME, "--format", "text"],
        &["chunk", NAME, "--format", "html"],
        &["doctor"],
        &["sync"],
        &["search", "tea", "no\n\u{202e}such"],
        &["search", "tea", ".", "\nexcerpt: well\u{1b}[2J"],
        &["search", "tea", "--fusion", "\u{202e}\u{9b}"],
    ] {
        let text = shown(&project, args);
        assert!(!text.is_empty(), "{args:?}");
        assert!(!text.contains(misleads), "{args:?}: {text:?}");
        let is_forged = text
            .lines()
            .any(|line| line.starts_with("excerpt: all is well"));
        let is_page = args.contains(&"html");
        assert!(is_page || !is_forged, "{args:?}: {text}");
    }
}

#[test]
fn a_name_takes_one_line() {
    let project = project();
    let listed = shown(&project, &["list", "--documents"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(
        lines[1].ends_with(
            r"a\u{a}excerpt: all is well\u{202e}dm.\u{e0041}\u{9b}2J.md · Tea \u{202e}\u{2066}\u{200b}\u{1b}[2J\u{7f}"
        ),
        "{listed}"
    );
    let wrong = shown(&project, &["get", "no\nexcerpt: all is well"]);
    assert!(wrong.starts_with("excerpt: "), "{wrong}");
    assert!(
        wrong.lines().skip(1).all(|line| line.starts_with("  ")),
        "{wrong}"
    );
    let unknown = shown(
        &project,
        &["search", "tea", ".", "\nexcerpt: well\u{1b}[2J"],
    );
    assert!(
        unknown.starts_with(r"error: unexpected argument '\u{a}excerpt: well\u{1b}[2J' found"),
        "{unknown}"
    );
}

#[test]
fn json_is_the_same_on_a_terminal_as_in_a_pipe() {
    let project = project();
    for args in [
        &["list", "--documents", "--json"][..],
        &["get", NAME, "--json"],
        &["chunk", NAME, "--format", "jsonl"],
    ] {
        let folder = project.path("").canonicalize().unwrap();
        let folder = folder.parent().unwrap().to_str().unwrap();
        let shown = shown(&project, args).replace(folder, "[folder]");
        let values: Vec<Value> = shown
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let piped = project.run(args).ok();
        assert_eq!(values, piped.json());
        assert!(piped.stdout.contains('\u{202e}'), "a pipe has it verbatim");
    }
}
