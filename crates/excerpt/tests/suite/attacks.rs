//! A freshly cloned folder may contain files that attack the parser. Each command works within
//! limited memory and time: every run here has a limit on its address space, which a few kilobytes
//! of such a text once exceeded several times over.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::fixture::{Project, Run};

/// The limit on the address space of a run, in kilobytes.
const MOST: &str = "2000000";

/// A document among texts that exhaust a parser's memory, its time, or both.
fn project() -> Project {
    let attack = |pattern: &str| pattern.repeat(40_000 / pattern.len());
    Project::new()
        .file("tea.md", "# Tea\n\nGreen tea wants water of 80 degrees.\n")
        .file("arrows.c", attack("a=>"))
        .file("arrows.h", attack("a=>"))
        .file("Arrows.java", attack("a=>"))
        .file("words.rs", attack("%w("))
        .file("Words.java", attack("%w("))
        .file("Types.cs", attack("a<"))
        .file("page.html", attack("<div>"))
        .file("large.html", "<div>".repeat(300_000))
        .file("errors.cs", "a::".repeat(500_000))
        .file(
            "fences.md",
            format!("```c\n{}\n```\n", attack("a=>")).repeat(20),
        )
}

/// A command with that limit.
fn bounded(project: &Project, args: &[&str]) -> Command {
    let inner = project.command(args);
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MOST}; exec \"$0\" \"$@\"");
    command
        .args(["-c", &script])
        .arg(inner.get_program())
        .args(inner.get_args());
    command.current_dir(project.path(""));
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(project: &Project, args: &[&str]) -> Run {
    project.outcome(&mut bounded(project, args)).ok()
}

#[test]
fn a_first_search_answers() {
    let project = project();
    let found = run(&project, &["search", "green tea"]);
    assert!(found.stdout.starts_with("tea.md:1-3"), "{}", found.stdout);
}

#[test]
fn a_sync_splits_them_by_lines_and_completes() {
    let project = project();
    run(&project, &["sync"]);
    let again = run(&project, &["sync"]);
    assert!(again.stdout.contains("unchanged"), "{}", again.stdout);
    let skipped = run(&project, &["status", "--skips"]);
    assert!(
        !skipped.stdout.contains("quarantined"),
        "{}",
        skipped.stdout
    );
    let found = run(&project, &["search", "--sync", "never", "div"]);
    assert!(found.stdout.contains(".html:"), "{}", found.stdout);
}

#[test]
fn chunk_notes_that_it_split_by_lines() {
    let project = project();
    for (file, language) in [
        ("arrows.c", "c"),
        ("Words.java", "java"),
        ("Types.cs", "csharp"),
    ] {
        let cut = run(&project, &["chunk", file]);
        let note = format!("as {language}: read as lines");
        assert!(cut.stdout.contains(&note), "{}", cut.stdout);
    }
}

#[test]
fn a_notebook_of_empty_parts_is_read() {
    // Each part is a few bytes of the file, and many more as a value.
    let empty = |part: &str| vec![part; 6_000_000].join(",");
    let (cells, lines) = (empty("{}"), empty("\"\""));
    let notebook = format!(
        r#"{{"cells":[{{"cell_type":"code","source":[{lines}],"outputs":[{cells}]}},
            {{"cell_type":"markdown","source":"Green tea"}},{cells}]}}"#
    );
    let project = Project::new().file("empty.ipynb", notebook);
    let cut = run(&project, &["chunk", "empty.ipynb"]);
    assert!(cut.stdout.contains("1 chunk"), "{}", cut.stdout);
}

#[test]
fn an_mcp_server_answers() {
    let project = project();
    let mut server = bounded(&project, &["mcp", ".", "--sync", "always"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    for request in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"green tea"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"chunk","arguments":{"path":"arrows.c"}}}"#,
    ] {
        writeln!(input, "{request}").unwrap();
    }
    drop(input);
    let output = server.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{answers}");
    assert!(
        answers.contains("tea.md:1-3") && answers.contains("as c: read as lines"),
        "{answers}"
    );
}
