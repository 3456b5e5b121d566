//! `excerpt mcp` started by a user in a terminal, without a client.

use std::io::{Read as _, Write as _};
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};

use crate::fixture::Project;

#[test]
fn a_terminal_shows_how_to_configure_a_client() {
    let project = Project::new().file("docs/tea.md", "# Tea\n\nGreen tea.\n");
    let said = |args: &[&str]| {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        let terminal = rustix::fs::open(&*name, flags, Mode::empty()).unwrap();
        let mut command = project.command(args);
        let mut child = command.stdin(Stdio::from(terminal)).spawn().unwrap();
        // Ctrl-D ends the input.
        let mut controller = std::fs::File::from(controller);
        controller.write_all(b"\x04").unwrap();
        let mut said = String::new();
        let mut errors = child.stderr.take().unwrap();
        errors.read_to_string(&mut said).unwrap();
        let mut sent = String::new();
        let mut output = child.stdout.take().unwrap();
        output.read_to_string(&mut sent).unwrap();
        child.wait().unwrap();
        assert_eq!(sent, "");
        said
    };
    let folder = project.path("docs").canonicalize().unwrap();
    for args in [&["mcp", "docs"][..], &["mcp", "docs", "--sync", "never"]] {
        let said = said(args);
        let mut lines = said.lines();
        assert!(
            lines
                .next()
                .unwrap()
                .contains("Model Context Protocol server"),
            "{said}"
        );
        assert!(lines.next().unwrap().contains("configuration"), "{said}");
        // The entry starts the same server from anywhere.
        let entry = lines
            .next()
            .unwrap()
            .trim()
            .strip_prefix("\"excerpt\": ")
            .unwrap();
        let entry: Value = serde_json::from_str(entry).unwrap();
        let mut expected = json!(args);
        expected[1] = folder.to_str().unwrap().into();
        assert_eq!(entry["args"], expected);
        assert!(std::path::Path::new(entry["command"].as_str().unwrap()).is_absolute());
        assert!(
            lines.next().unwrap().starts_with("Waiting for a client"),
            "{said}"
        );
    }
    let refused = said(&["mcp", "nothing"]);
    assert!(
        refused.starts_with("excerpt: ") && !refused.contains("Waiting"),
        "{refused}"
    );
}
