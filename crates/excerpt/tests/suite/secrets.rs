//! How files with secrets are reported to users and agents, and who can include them.

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

const ADVICE: &str =
    "to index such files, set `secrets = \"index\"` in `[files]` of your own excerpt.toml";

/// A fake token that is as random as a real one.
fn token() -> String {
    format!("gh{}_{}", "p", "R7mK2xQ9vLc4TzW8nBf3YhJ6sDp1Ga7e5XoV")
}

fn tea() -> Project {
    Project::new()
        .file(
            "green.md",
            "# Green tea\n\nThe water should have 80 degrees.\n",
        )
        .file("login.md", format!("# Login\n\ntea with {}\n", token()))
        .file("prod.env", "TEA=green\n")
}

#[test]
fn secrets_are_counted_listed_and_not_found() {
    let project = tea();
    let run = project.run(&["sync"]).ok();
    assert!(
        run.stdout
            .contains("skipped 2 may contain secrets; `excerpt status --skips` lists them"),
        "{}",
        run.stdout
    );
    let run = project.run(&["status", "--skips"]).ok();
    for line in [
        "    login.md: may contain secrets (GitHub token on line 3)\n",
        "    prod.env: may contain secrets (by its name)\n",
    ] {
        assert!(run.stdout.contains(line), "{}", run.stdout);
    }
    let hits = project.run(&["search", "tea", "--json"]).ok().json();
    assert_eq!(hits.len(), 1, "{hits:?}");
    project.run(&["get", "login.md"]).fails(&format!(
        "excerpt: `login.md` is not in the index because it may contain secrets (GitHub token on line 3): {ADVICE}"
    ));
    let run = project.run(&["chunk", "login.md"]).ok();
    assert_eq!(
        run.stderr.trim_end(),
        format!(
            "note: an index skips this text because it may contain secrets (GitHub token on line 3): {ADVICE}"
        )
    );
}

#[test]
fn a_user_can_include_secrets_and_a_project_cannot() {
    let project = tea().file("excerpt.toml", "[files]\nsecrets = \"index\"\n");
    project.run(&["search", "tea"]).fails(
        "excerpt: [folder]/project/excerpt.toml:2:1: a project's file cannot set `secrets = \"index\"`, only `\"skip\"`: its author would choose which of your secrets are indexed; to use it, set it in `[folder]/config/excerpt/excerpt.toml`\n2 | secrets = \"index\"\n  | ^^^^^^^",
    );
    project.write("excerpt.toml", "");
    let project = project.own_file("[files]\nsecrets = \"index\"\n");
    let found = |project: &Project| {
        let hits = project.run(&["search", "tea", "--json"]).ok().json();
        let documents = hits.iter().filter(|hit| hit["path"] != "excerpt.toml");
        documents.count()
    };
    assert_eq!(found(&project), 3);
    assert_eq!(project.run(&["chunk", "login.md"]).ok().stderr, "");
    project.write("excerpt.toml", "[files]\nsecrets = \"skip\"\n");
    assert_eq!(found(&project), 1);
}

#[test]
fn a_text_with_a_secret_is_added_only_on_request() {
    let project = tea();
    let text = format!("The token is {}\n", token());
    project
        .run_with(&["add", "-", "--name", "login"], text.as_bytes())
        .fails(&format!(
            "excerpt: the text is not kept because it may contain secrets (GitHub token on line 1): {ADVICE}"
        ));
    let args = ["add", "-", "--name", "login", "--secrets", "index"];
    let run = project.run_with(&args, text.as_bytes()).ok();
    assert!(run.stdout.starts_with("login: 1 added"), "{}", run.stdout);
    let run = project.run(&["sync", "-c", "login"]).ok();
    assert!(
        run.stdout.starts_with("login: 1 unchanged"),
        "{}",
        run.stdout
    );
    let run = project.run(&["add", "prod.env"]);
    run.fails(&format!(
        "excerpt: `prod.env` may contain secrets (by its name): {ADVICE}"
    ));
    let run = project.run(&["add", "green.md", "--secrets", "all"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("expected skip or index"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_agent_neither_reads_nor_keeps_a_secret() {
    let project = tea();
    let mut client = Client::new(&project, &["--allow-write"]);
    for (tool, arguments) in [
        ("get", json!({"targets": ["login.md"]})),
        ("chunk", json!({"path": "login.md"})),
    ] {
        let reply = client.call(tool, arguments);
        assert!(
            reply.is_error && reply.text.contains(&format!("`login.md` is not in the index because it may contain secrets (GitHub token on line 3): {ADVICE}")),
            "{}",
            reply.text
        );
        assert!(!reply.text.contains(&token()[4..]));
    }
    let refused = "the text is not kept because it may contain secrets (GitHub token on line";
    for (tool, arguments) in [
        ("add", json!({"content": token(), "name": "login"})),
        (
            "add",
            json!({"content": token(), "name": "login", "preview": true}),
        ),
        ("note", json!({"title": "Login", "content": token()})),
    ] {
        let reply = client.call(tool, arguments);
        assert!(
            reply.is_error && reply.text.starts_with(refused),
            "{}",
            reply.text
        );
    }
    assert!(!project.path("inbox").exists());
}

#[test]
fn a_folder_that_is_suddenly_empty_is_reported() {
    let project = Project::new()
        .file("a/green.md", "# Green tea\n")
        .file("a/black.md", "# Black tea\n");
    project.run(&["sync"]).ok();
    let aside = project.path("../aside");
    std::fs::rename(project.path("a"), &aside).unwrap();
    const WHY: &str = "all 2 documents of `[folder]/project` no longer exist, so the index was left unchanged: if this is intended, run `excerpt sync --accept-removals`";
    project.run(&["sync"]).fails(&format!("excerpt: {WHY}"));
    let run = project.run(&["search", "tea"]).ok();
    assert!(run.stdout.contains("a/green.md"), "{}", run.stdout);
    assert!(
        run.stderr
            .contains(&format!("note: answered from an older state: {WHY}\n")),
        "{}",
        run.stderr
    );
    project
        .run(&["search", "tea", "--sync", "always"])
        .fails(&format!("excerpt: {WHY}"));
    let mut client = Client::new(&project, &[]);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let noted = loop {
        let reply = client.call("search", json!({"query": "tea"})).ok();
        assert_eq!(reply.hits("path").len(), 2);
        let notes = reply.data["notes"].to_string();
        if notes.contains("older state") || std::time::Instant::now() > deadline {
            break notes;
        }
    };
    assert!(
        noted.contains("answered from an older state: all 2 documents of "),
        "{noted}"
    );
    drop(client);
    let run = project.run(&["sync", "--accept-removals"]).ok();
    assert!(run.stdout.contains("2 removed"), "{}", run.stdout);
    let run = project.run(&["sync", "--watch", "--accept-removals"]);
    assert_eq!(run.code, Some(2));
}
