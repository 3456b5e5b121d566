//! Where there is nothing to search, and questions that nothing answers: every face says why.

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;
#[cfg(unix)]
use crate::terminal::shown_in;

/// A folder with nothing but a file that is not text.
fn binary() -> Project {
    Project::new().file("logo.bin", b"\0\x01\x02\0logo\0")
}

#[test]
fn a_search_says_that_there_are_no_documents_and_what_was_skipped() {
    let run = Project::new().run(&["search", "tea"]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
    assert!(
        run.stderr.ends_with("note: there are no documents here\n"),
        "{}",
        run.stderr
    );
    let run = binary().run(&["search", "tea"]);
    assert!(
        run.stderr.contains("note: there are no documents here\n"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("note: not searched: 1 binary (`logo.bin`)"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("not found"), "{}", run.stderr);
    // Elsewhere in the index there are some.
    let project = Project::new().file("a.md", "# Tea\n").repository();
    std::fs::create_dir(project.path("empty")).unwrap();
    let run = project.run(&["search", "tea", "empty"]);
    assert!(
        run.stderr.contains("note: there are no documents here\n"),
        "{}",
        run.stderr
    );
    let run = project.run(&["search", "tea"]).ok();
    assert!(!run.stderr.contains("no documents"), "{}", run.stderr);
}

#[test]
fn a_library_without_collections_says_so() {
    let project = Project::new().file("a.md", "# Tea\n");
    project.run(&["add", "a.md"]).ok();
    project.run(&["remove", "a.md"]).ok();
    let run = project.run(&["search", "tea", "--library"]);
    assert!(
        run.stderr
            .ends_with("note: there are no collections: `excerpt add` makes one\n"),
        "{}",
        run.stderr
    );
}

#[test]
fn list_chunk_and_doctor_say_that_there_are_no_documents() {
    let project = binary();
    project.run(&["sync"]).ok();
    let run = project.run(&["list", "."]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
    assert!(
        run.stderr
            .starts_with("there are no documents here\nnote: not searched: 1 binary (`logo.bin`)"),
        "{}",
        run.stderr
    );
    let run = project.run(&["chunk", "."]).ok();
    assert_eq!(
        run.stderr,
        "there are no documents here\nskipped 1 file or folder that an index would skip too: 1 binary\n"
    );
    let run = project.run(&["doctor"]).ok();
    assert!(
        run.stdout
            .ends_with("\nall is well, but there are no documents\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("skipped 1 binary; "), "{}", run.stdout);
}

#[test]
fn an_agent_is_told_what_was_skipped() {
    let project = binary();
    project.run(&["sync"]).ok();
    let mut client = Client::new(&project, &["--sync", "never"]);
    let reply = client.call("search", json!({"query": "tea", "format": "json"}));
    assert_eq!(
        reply.data["notes"],
        json!([
            "no results: there are no documents here",
            "not searched: 1 binary"
        ])
    );
}

#[test]
fn a_filter_by_dates_says_that_no_document_has_one() {
    let project = Project::new()
        .file("a.md", "# Tea\n\nGreen tea.\n")
        .file("b.md", "# Cups\n\nSmall cups.\n");
    let told = "none of the 2 documents here has a date: `since` and `until` compare dates in names of files, headings and front matter, and days of commits, but not the times of files";
    let run = project.run(&["search", "tea", "--since", "7d"]);
    assert!(
        run.stderr.ends_with(&format!("note: {told}\n")),
        "{}",
        run.stderr
    );
    let mut client = Client::new(&project, &["--sync", "never"]);
    let asked = json!({"query": "tea", "since": "7d", "format": "json"});
    let reply = client.call("search", asked);
    assert_eq!(reply.data["notes"], json!(["no results", told]));
    project.write("2020-01-31.md", "# Journal\n\nTea.\n");
    let run = project.run(&["search", "tea", "--since", "7d"]);
    let told = "note: no document here has a date in this period; 1 of 3 has a date: ";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    project
        .run(&["search", "tea", "--until", "soon"])
        .fails("excerpt: invalid `until` filter `soon`, expected YYYY-MM-DD, YYYY-MM, YYYY, or a day such as yesterday, 7d or last week");
}

#[test]
fn filters_are_named_as_the_user_writes_them() {
    let project = Project::new().file("a.md", "---\nowner: ann\n---\n# Tea\n");
    let run = project.run(&["search", "tea", "--field", "owner=bob"]);
    assert!(
        run.stderr.contains(
            "note: no document here has the front matter field `owner` with the value `bob`; the values in use include `ann`\n"
        ),
        "{}",
        run.stderr
    );
    let mut client = Client::new(&project, &["--sync", "never"]);
    let mut notes = |arguments| client.call("search", arguments).data["notes"][1].clone();
    assert_eq!(
        notes(json!({"query": "tea", "fields": {"owner": "bob"}, "format": "json"})),
        "no document here has the front matter field `owner` with the value `bob`: they have `ann`"
    );
    assert_eq!(
        notes(json!({"query": "tea", "kind": "script", "format": "json"})),
        "no document here has the kind `script`: no document has one"
    );
}

#[test]
fn a_question_without_a_word_to_search_for_says_why() {
    let project = Project::new().file("a.md", "# Tea\n");
    let excluded =
        "the query `-tea` contains only excluded words: give at least one word without `-`";
    project
        .run(&["search", "--", "-tea"])
        .fails(&format!("excerpt: {excluded}"));
    let long = "x".repeat(5_000);
    let run = project.run(&["search", &long]);
    assert!(
        run.stderr.ends_with(
            "…` contains only words that are too long to search for: give a shorter one\n"
        ),
        "{}",
        run.stderr
    );
    assert!(run.stderr.len() < 200, "{}", run.stderr);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let mut asked = |query: &str| client.call("search", json!({ "query": query }));
    asked("-tea").fails(excluded);
    assert!(asked(&long).text.len() < 200);
}

#[test]
fn a_minimum_score_that_no_hit_has_is_named() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.\n");
    let run = project.run(&["search", "tea", "--min-score", "99"]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
    assert!(
        run.stderr
            .contains("note: no hit has a score of at least 99: the best one has "),
        "{}",
        run.stderr
    );
    let run = project.run(&["search", "tea", "--min-score", "0"]).ok();
    assert!(!run.stderr.contains("score"), "{}", run.stderr);
}

#[test]
fn a_document_is_read_by_each_form_of_its_citation() {
    let project = Project::new()
        .file("docs/tea.md", "# Tea\n\nGreen tea.\n")
        .repository();
    project.run(&["sync"]).ok();
    for lines in ["L1-L3", "L1-3", "1-3", "1-3 (3 shown)", "1-3 (not shown)"] {
        let run = project.run(&["get", &format!("docs/tea.md:{lines}")]).ok();
        assert_eq!(run.stdout, "# Tea\n\nGreen tea.\n", "{lines}");
    }
    project.run(&["get", "docs"]).fails(
        "excerpt: `docs` is a folder: `excerpt list --documents 'docs'` shows its documents",
    );
}

#[cfg(unix)]
#[test]
fn a_text_ends_with_a_line_feed_on_a_terminal() {
    let project = Project::new().file("a.md", "# Tea\n\nGreen tea.");
    project.run(&["sync"]).ok();
    let run = project.run(&["get", "a.md"]).ok();
    assert_eq!(run.stdout, "# Tea\n\nGreen tea.");
    let shown = shown_in(&project, &["get", "a.md"], 80);
    assert!(shown.ends_with("Green tea.\n"), "{shown:?}");
}

#[test]
fn a_number_outside_of_its_range_names_one_range() {
    let project = Project::new().file("a.md", "# Tea\n");
    project.run(&["sync"]).ok();
    let mut client = Client::new(&project, &["--sync", "never"]);
    for number in [json!(-5), json!(10), json!("10"), json!(1_000_000)] {
        let asked = json!({"query": "tea", "max_tokens": number});
        let reply = client.call("search", asked);
        let expected = "expected a whole number from 100 to 100000";
        assert!(
            reply.is_error && reply.text.contains(expected),
            "{}",
            reply.text
        );
    }
    for method in ["prompts/list", "prompts/get"] {
        let error = client.request(method, json!({"name": "x"}));
        let expected = format!("unknown method `{method}`: this server has tools and resources");
        assert_eq!(error["error"]["message"], *expected, "{error}");
    }
}
