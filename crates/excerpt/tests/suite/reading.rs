//! `excerpt get` and `list`, and the summary in `status`.

use crate::fixture::{Project, Run};

fn notes() -> Project {
    let project = Project::new()
        .file(
            "tea/green.md",
            "# Green tea\n\n## Water\n\nThe water has 80 degrees.\n\n## Time\n\nTwo minutes.\n",
        )
        .file("tea/README.md", "# All teas\n\n[green](green.md#water)\n")
        .file("index.md", "# Start\n\n[teas](tea/) and [[coffee]]\n");
    project.run(&["sync"]).ok();
    project
}

/// Checks that some of the targets were printed, and the errors of the others.
#[track_caller]
fn partly(run: &Run, stdout: &str, stderr: &str) {
    assert_eq!(run.code, Some(1));
    assert_eq!((&*run.stdout, &*run.stderr), (stdout, stderr));
}

#[test]
fn get_prints_a_single_section() {
    let run = notes().run(&["get", "tea/green.md#water"]).ok();
    assert_eq!(run.stdout, "## Water\n\nThe water has 80 degrees.\n\n");
}

#[test]
fn get_prints_several_targets_each_with_its_place() {
    let run = notes()
        .run(&["get", "tea/green.md:5", "index.md#start"])
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    tea/green.md:5-5 · Green tea
    The water has 80 degrees.

    index.md:1-3 · Start
    # Start

    [teas](tea/) and [[coffee]]
    ");
}

#[test]
fn an_error_in_one_target_does_not_affect_the_others() {
    let run = notes().run(&[
        "get",
        "tea/gren.md",
        "tea/green.md:5",
        "tea/green.md#watr",
        "index.md:9-12",
        "tea/green.md:x",
        "0000beef",
    ]);
    partly(
        &run,
        "tea/green.md:5-5 · Green tea\nThe water has 80 degrees.\n",
        "excerpt: `tea/gren.md` is not in the index, did you mean `tea/green.md`?\n\
         excerpt: `tea/green.md` has no section `watr`, did you mean `water`?\n\
         excerpt: invalid line range `9-12` for `index.md`: it has 3 lines\n\
         excerpt: invalid line range `x`, expected a line or a range from 1, such as `7` or `10-20`\n\
         excerpt: no chunk id starts with `0000beef`: use an id from `excerpt search --json`\n",
    );
}

#[test]
fn when_nothing_can_be_read_get_fails() {
    let project = notes();
    project
        .run(&["get", "tea/green.md#watr"])
        .fails("excerpt: `tea/green.md` has no section `watr`, did you mean `water`?");
    project.run(&["get", "tee.md", "tee.md#a"]).fails(
        "excerpt: `tee.md` is not in the index: run `excerpt sync`, or see what was skipped with `excerpt status --skips`\n\
         excerpt: `tee.md` is not in the index: run `excerpt sync`, or see what was skipped with `excerpt status --skips`",
    );
    let outside = project.run(&["get", "../../outside.md"]);
    assert_eq!(outside.code, Some(2));
    assert!(outside.stderr.contains("no index in"), "{}", outside.stderr);
}

#[test]
fn get_takes_the_id_of_a_chunk_that_search_showed() {
    let project = notes();
    let hits = project.run(&["search", "water", ".", "--json"]).ok().json();
    let id = hits[0]["id"].as_str().unwrap();
    let run = project.run(&["get", &id[..8]]).ok();
    assert_eq!(run.stdout, hits[0]["text"].as_str().unwrap());
    let value = &project
        .run(&["get", id, "--neighbours", "1", "--json"])
        .ok()
        .json()[0];
    assert_eq!(
        (&value["schema"], &value["target"]),
        (&1.into(), &id.into())
    );
    assert_eq!(value["chunks"][0]["id"], id);
    assert_eq!(value["citation"], "tea/green.md:1-9");
}

#[test]
fn get_shows_links_with_their_targets() {
    let project = notes();
    let run = project.run(&["get", "index.md", "--links"]).ok();
    insta::assert_snapshot!(run.stdout, @r"
    index.md:1-3 · Start
    # Start

    [teas](tea/) and [[coffee]]

    links
        :3 tea → tea/README.md:1-3 · All teas
        :3 coffee → nothing yet
    ");
    let run = project.run(&["get", "tea/green.md#water", "--links"]).ok();
    insta::assert_snapshot!(run.stdout, @r"
    tea/green.md:3-6 · Green tea
    ## Water

    The water has 80 degrees.


    linked from
        tea/README.md:3 to #water · All teas
    ");
    let run = project.run(&["get", "tea/README.md", "--links"]).ok();
    assert!(
        run.stdout
            .contains("    :3 #water → tea/green.md:3-6 · Green tea\n"),
        "{}",
        run.stdout
    );
    let value = &project
        .run(&["get", "index.md", "tea/green.md", "--links", "--json"])
        .ok()
        .json();
    assert_eq!(value[0]["links"]["outgoing"][0]["path"], "tea/README.md");
    assert_eq!(value[0]["links"]["outgoing"][1]["is_dangling"], true);
    assert_eq!(value[1]["links"]["incoming"][0]["line"], 3);
}

#[test]
fn get_reports_a_file_that_changed_after_it_was_indexed() {
    let project = notes();
    assert_eq!(project.run(&["get", "index.md"]).ok().stderr, "");
    project.write("index.md", "# Another start\n");
    std::fs::remove_file(project.path("tea/README.md")).unwrap();
    let run = project.run(&["get", "index.md:1", "tea/README.md:1"]).ok();
    assert!(run.stdout.contains("# Start\n") && run.stdout.contains("# All teas\n"));
    assert_eq!(
        run.stderr,
        "note: `index.md` has changed since it was indexed: run `excerpt sync`\n\
         note: `tea/README.md` no longer exists: this is its indexed text\n"
    );
}

#[test]
fn list_shows_folders_and_documents() {
    let project = notes();
    let folders = project.run(&["list", "--folders"]).ok().stdout;
    insta::assert_snapshot!(folders, @r"
    documents  with those under it  folder
            1                    3  .
            2                    2  tea
    ");
    assert_eq!(project.run(&["list", "."]).ok().stdout, folders);
    insta::assert_snapshot!(project.run(&["list", "tea", "--documents"]).ok().stdout, @r"
    chunks        size  changed         document
         1        36 B  just now        tea/README.md · All teas
         1        72 B  just now        tea/green.md · Green tea
    ");
    let recent = project
        .run(&["list", "--recent", "2", "--json"])
        .ok()
        .json();
    assert_eq!(recent.len(), 2);
    assert_eq!(recent[0]["syntax"], "markdown");
    assert_eq!(
        project
            .run(&["list", "--recent"])
            .ok()
            .stdout
            .lines()
            .count(),
        4
    );
    let folders = project.run(&["list", "tea", "--json"]).ok().json();
    assert_eq!(folders.len(), 1);
    assert_eq!(
        (&folders[0]["path"], &folders[0]["documents"]),
        (&"tea".into(), &2.into())
    );
}

#[test]
fn a_list_of_nothing_is_empty() {
    let project = notes();
    std::fs::create_dir(project.path("empty")).unwrap();
    let run = project.run(&["list", "empty", "--documents"]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
    let run = project.run(&["list", "--documents", "--folders"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn status_sums_up_what_a_source_is_about() {
    let project = notes();
    let run = project.run(&["status"]).ok();
    let named = |name: &str| {
        let line = run
            .stdout
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        line.unwrap().to_string()
    };
    assert_eq!(named("domains:"), "    domains: tea (2)");
    assert_eq!(
        named("topics:"),
        "    topics: Start (index.md) · All teas (tea/README.md)"
    );
    assert!(named("newest:").contains("tea/green.md (just now)"));
    let status = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(status["sources"][0]["summary"]["documents"], 3);
}

#[test]
fn recent_follows_commits_then_dates_then_times() {
    let project = Project::new()
        .repository()
        .file("old.md", "# Old\n")
        .file("new.md", "# New\n")
        .file("edited.md", "# Edited\n");
    let commit = |files: &[&str], day: &str| {
        for command in [&["add"][..], &["commit", "--quiet", "-m", "x"]] {
            let files: &[&str] = if command[0] == "add" { files } else { &[] };
            let status = std::process::Command::new("git")
                .args(["-c", "user.name=a", "-c", "user.email=a@b"])
                .args(command)
                .args(files)
                .env("GIT_COMMITTER_DATE", format!("{day}T12:00:00Z"))
                .current_dir(project.path(""))
                .status();
            assert!(status.unwrap().success());
        }
    };
    commit(&["new.md"], "2026-03-01");
    commit(&["old.md", "edited.md"], "2025-01-01");
    project.write("days/2025-06-01.md", "# A day\n");
    project.write("dated.md", "---\ndate: 2025-09-01\n---\n# Dated\n");
    // All files have the time of now, as in a fresh clone; this one was changed after it.
    project.write("edited.md", "# Edited and not committed\n");
    project.run(&["sync"]).ok();
    let recent = ["list", "--recent", "5", "--json"];
    let lines = project.run(&recent).ok().json();
    let listed: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            (
                line["path"].as_str().unwrap(),
                line["changed"]["from"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("edited.md", "file"),
            ("new.md", "commit"),
            ("dated.md", "document"),
            ("days/2025-06-01.md", "document"),
            ("old.md", "commit"),
        ]
    );
    assert_eq!(lines[1]["changed"]["at"], 1_772_366_400);
    let run = project.run(&["list", "--recent", "2"]).ok();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines[1].contains("just now") && lines[1].contains(" file "),
        "{}",
        run.stdout
    );
    assert!(
        lines[2].contains(" commit ") && lines[2].ends_with("new.md · New"),
        "{}",
        run.stdout
    );
    let mut client = crate::mcp_client::Client::new(&project, &["--sync", "never"]);
    let listed = client.call("list", serde_json::json!({"limit": 2})).ok();
    assert_eq!(listed.data["total"], 5);
    assert_eq!(listed.data["entries"][1]["changed"]["from"], "commit");
    assert!(listed.text.contains("(commit): new.md"), "{}", listed.text);
}
