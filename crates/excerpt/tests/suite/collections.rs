//! Collections from the command line: adding, listing, searching by name, syncing and removing;
//! filters; and the origin of each setting.

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

fn library() -> Project {
    let project = Project::new()
        .file(
            "guides/deploy.md",
            "---\ntags: ops\n---\n# Deploy\n\nDeploy on Fridays.\n",
        )
        .file("guides/drafts/x.md", "Deploy never.\n")
        .file("api.md", "# API\n\nDeploy by POST.\n");
    let add = [
        "add",
        "guides",
        "--ignore",
        "drafts/",
        "--tags",
        "team, ops",
        "--type",
        "doc",
    ];
    let run = project.run(&add).ok();
    assert!(run.stdout.starts_with("guides: 1 added"), "{}", run.stdout);
    let add = [
        "add",
        "api.md",
        "--name",
        "api",
        "--title",
        "The API",
        "--version",
        "2.x",
    ];
    project.run(&add).ok();
    project
}

fn found(project: &Project, args: &[&str]) -> Vec<String> {
    let args = [&["search", "deploy", "--json"], args].concat();
    let lines = project.run(&args).json();
    let path = |line: &serde_json::Value| {
        format!(
            "{}:{}",
            line["collection"].as_str().unwrap(),
            line["source_path"].as_str().unwrap()
        )
    };
    let mut found: Vec<String> = lines.iter().map(path).collect();
    found.sort();
    found
}

#[test]
fn collections_are_searched_from_anywhere() {
    let project = library();
    assert_eq!(
        found(&project, &["--library"]),
        ["api:api.md", "guides:deploy.md"]
    );
    assert_eq!(found(&project, &["-c", "guides"]), ["guides:deploy.md"]);
    assert_eq!(found(&project, &["-c", "guides", "-c", "api"]).len(), 2);
    assert_eq!(
        found(&project, &["--library", "--tag", "ops"]),
        ["guides:deploy.md"]
    );
    assert_eq!(
        found(&project, &["--library", "--type", "doc"]),
        ["guides:deploy.md"]
    );
    assert_eq!(
        found(&project, &["--library", "--version", "3"]),
        ["guides:deploy.md"]
    );
    let mut elsewhere = project.command(&["search", "deploy", "-c", "guides"]);
    let run = project.outcome(elsewhere.current_dir("/")).ok();
    let path = "guides › deploy.md:";
    assert!(run.stdout.contains(path), "{}", run.stdout);
    // A given title is searchable, and shown if there is no heading.
    let lines = project
        .run(&["search", "API", "-c", "api", "--json"])
        .ok()
        .json();
    assert_eq!(lines[0]["document"]["title"], "The API");
}

#[test]
fn a_target_may_name_its_collection_in_each_form() {
    let project = library();
    let whole = project.run(&["get", "guides › deploy.md"]).ok().stdout;
    for target in [
        "guides: deploy.md",
        "excerpt://guides/deploy.md",
        "guides: \"deploy.md\"",
    ] {
        assert_eq!(project.run(&["get", target]).ok().stdout, whole, "{target}");
    }
    let line = project.run(&["get", "guides: deploy.md:1"]).ok().stdout;
    assert_eq!(line, whole.split_inclusive('\n').next().unwrap());
}

#[test]
fn a_sync_by_name_indexes_changes() {
    let project = library();
    project.write("guides/rollback.md", "Deploy the old one.\n");
    assert_eq!(found(&project, &["-c", "guides"]).len(), 2);
    std::fs::remove_file(project.path("guides/rollback.md")).unwrap();
    let run = project.run(&["sync", "--library"]).ok();
    assert!(
        run.stdout.contains("guides: 1 removed, 1 unchanged"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("api: 1 unchanged"), "{}", run.stdout);
    // A collection that cannot be read keeps its documents, and the others are synced.
    std::fs::rename(project.path("guides"), project.path("away")).unwrap();
    let run = project.run(&["sync", "--library"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("cannot read `[folder]/project/guides`"),
        "{}",
        run.stderr
    );
    assert_eq!(found(&project, &["--library", "--sync", "never"]).len(), 2);
}

#[test]
fn collections_are_listed_and_removed() {
    let project = library();
    let run = project.run(&["list"]).ok();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "api: 1 document in 1 chunk, synced just now");
    assert_eq!(
        lines[1],
        "    [folder]/project/api.md · “The API” · version 2.x"
    );
    assert_eq!(lines[3], "    [folder]/project/guides · doc · #team · #ops");
    let lines = project.run(&["list", "--json"]).ok().json();
    assert_eq!(lines[1]["name"], "guides");
    assert_eq!(lines[1]["attributes"]["tags"][1], "ops");
    assert_eq!(lines[1]["documents"], 1);
    let run = project.run(&["remove", "guides"]).ok();
    assert_eq!(run.stdout, "guides: removed, 1 document\n");
    assert_eq!(found(&project, &["--library"]), ["api:api.md"]);
    assert!(project.path("guides/deploy.md").exists());
    project
        .run(&["remove", "guides"])
        .fails("excerpt: unknown collection `guides`, expected `api`");
    project
        .run(&["search", "x", "-c", "guide"])
        .fails("excerpt: unknown collection `guide`, expected `api`");
}

#[test]
fn a_document_of_a_collection_is_read_by_its_path_there() {
    let project = library();
    let run = project
        .run(&["get", "deploy.md#deploy", "-c", "guides"])
        .ok();
    assert_eq!(run.stdout, "# Deploy\n\nDeploy on Fridays.\n");
    let line = &project
        .run(&["search", "fridays", "-c", "guides", "--json"])
        .ok()
        .json()[0];
    let id = line["id"].as_str().unwrap();
    let run = project.run(&["get", id, "-c", "guides"]).ok();
    assert!(run.stdout.contains("Fridays"), "{}", run.stdout);
    let run = project.run(&["list", "-c", "guides", "--documents"]).ok();
    assert!(
        run.stdout.contains("guides › deploy.md · Deploy"),
        "{}",
        run.stdout
    );
    let run = project
        .run(&["list", "--library", "--recent", "1", "--json"])
        .ok();
    assert_eq!(run.json().len(), 1);
    project
        .run(&["get", "deploy.md", "-c", "guide"])
        .fails("excerpt: unknown collection `guide`, expected one of `api`, `guides`");
}

#[test]
fn a_library_without_its_database_is_rebuilt() {
    let project = library();
    let run = project.run_with(&["add", "-", "--name", "note"], b"Deploy quietly.\n");
    run.ok();
    let run = project.run(&["doctor", "--library"]).ok();
    assert!(run.stdout.contains("3 documents"), "{}", run.stdout);
    let database = project.data().join("excerpt/library/excerpt.db");
    std::fs::write(&database, "nothing of a database".repeat(1000)).unwrap();
    let run = project.run(&["search", "deploy", "--library"]);
    assert!(
        run.stderr.contains("excerpt doctor --rebuild"),
        "{}",
        run.stderr
    );
    project.run(&["doctor", "--library", "--rebuild"]).ok();
    assert_eq!(
        found(&project, &["--library"]),
        ["api:api.md", "guides:deploy.md", "note:note.md"]
    );
    assert_eq!(
        found(&project, &["--library", "--type", "doc"]),
        ["guides:deploy.md"]
    );
}

#[test]
fn a_text_is_added_from_standard_input() {
    let project = Project::new();
    let add = ["add", "-", "--title", "Lesson: tea"];
    let run = project
        .run_with(&add, b"# Water\n\nDeploy at 80 degrees.\n")
        .ok();
    assert!(
        run.stdout.starts_with("Lesson-tea: 1 added"),
        "{}",
        run.stdout
    );
    assert_eq!(
        found(&project, &["--library"]),
        ["Lesson-tea:Lesson-tea.md"]
    );
    project.run(&["remove", "Lesson-tea"]).ok();
    project
        .run(&["add", "-"])
        .fails("excerpt: a text has no name: give `--name` or `--title`");
}

#[test]
fn a_preview_stores_nothing() {
    let project = Project::new()
        .file("guides/a.md", "# A\n\nText.\n")
        .file("guides/drafts/x.md", "Draft.\n");
    let run = project
        .run(&["add", "guides", "--ignore", "drafts/", "--preview"])
        .ok();
    assert!(run.stdout.starts_with("a.md · "), "{}", run.stdout);
    assert!(!run.stdout.contains("x.md"), "{}", run.stdout);
    assert_eq!(project.run(&["list"]).code, Some(1));
    let run = project
        .run(&["add", "guides/a.md", "--title", "T", "--preview", "--json"])
        .ok();
    let cut: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(cut["documents"][0]["document"]["title"], "T");
    let stored = ["chunk", "guides/a.md", "--format", "json"];
    let plain: serde_json::Value = serde_json::from_str(&project.run(&stored).ok().stdout).unwrap();
    assert_eq!(
        cut["documents"][0]["chunks"][0]["text"],
        plain["documents"][0]["chunks"][0]["text"]
    );
}

#[test]
fn what_cannot_be_added_is_reported() {
    let project = library();
    project
        .run(&["add", "nowhere"])
        .fails("excerpt: cannot read `nowhere`: no such file or directory");
    for again in [
        &["add", "guides"][..],
        &["add", "guides", "--name", "other"],
    ] {
        project.run(again).fails(
            "excerpt: `[folder]/project/guides` is already the collection `guides`: search it with `-c guides`, change it with `excerpt edit guides`, or add it again with `--replace`",
        );
    }
    project.run(&["add", ".", "--name", "guides"]).fails(
        "excerpt: collection `guides` already exists for `[folder]/project/guides`: choose another name with `--name`, or run `excerpt remove guides` first",
    );
    project
        .run(&["add", ".", "--title", "All"])
        .fails("excerpt: `--title` names one document, and `.` is a folder: leave it out");
    project
        .run(&["add", ".", "--ignore", "a{b"])
        .fails("excerpt: invalid file pattern `a{b`: error parsing glob 'a{b': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
}

#[test]
fn each_setting_is_shown_with_its_origin() {
    let project = Project::new()
        .own_file("[chunking]\ntarget = 300\n[search]\nvectors_in_code = 0.5\n")
        .file(
            "excerpt.toml",
            "[chunking]\npreset = \"docs\"\n[files]\nignore = [\"drafts/\"]\n",
        )
        .file("drafts/x.md", "Tea.\n")
        .file("a.md", "Tea.\n");
    let lines = project.run(&["status", "--config", "--json"]).ok().json();
    let of = |name: &str| {
        let mut lines = lines.iter();
        let line = lines.find(|line| line["name"] == name).unwrap();
        (
            line["value"].to_string(),
            line["from"].as_str().unwrap().to_string(),
        )
    };
    let (own, project_file) = (
        "[folder]/config/excerpt/excerpt.toml",
        "[folder]/project/excerpt.toml",
    );
    assert_eq!(of("chunking.target"), ("300".to_string(), own.to_string()));
    assert_eq!(
        of("chunking.preset"),
        ("\"docs\"".to_string(), project_file.to_string())
    );
    assert_eq!(
        of("files.ignore"),
        ("[\"drafts/\"]".to_string(), project_file.to_string())
    );
    assert_eq!(
        of("search.vectors_in_code"),
        ("0.5".to_string(), own.to_string())
    );
    assert_eq!(
        of("search.fusion"),
        ("\"rrf\"".to_string(), "ranking docs".to_string())
    );
    assert_eq!(
        of("embedding.provider"),
        ("\"built-in\"".to_string(), "default".to_string())
    );
    let run = project.run(&["status", "--config"]).ok();
    assert!(run.stdout.contains("chunking.target"), "{}", run.stdout);
    // Files that the configuration excludes are skipped and listed.
    let run = project.run(&["search", "tea", "--json"]).ok();
    assert!(!run.stdout.contains("drafts/x.md"), "{}", run.stdout);
    let run = project.run(&["status", "--skips"]).ok();
    assert!(
        run.stdout.contains("drafts: excluded by a pattern"),
        "{}",
        run.stdout
    );
    project.write("excerpt.toml", "[files]\nignore = [\"a{b\"]\n");
    let run = project.run(&["search", "tea"]);
    assert!(
        run.stderr
            .contains("excerpt.toml:2:1: invalid file pattern `a{b`"),
        "{}",
        run.stderr
    );
}

#[test]
fn changed_settings_are_reported_and_the_old_state_answers() {
    let project = Project::new().file("a.md", "# Tea\n\n".to_string() + &"Tea grows. ".repeat(400));
    project.run(&["sync"]).ok();
    project.write("excerpt.toml", "[chunking]\ntarget = 100\nmax = 100\n");
    let run = project.run(&["status"]).ok();
    assert!(
        run.stdout
            .contains("settings  1 document split with other settings: run `excerpt sync`"),
        "{}",
        run.stdout
    );
    let before = project
        .run(&["search", "tea", "--sync", "never", "--json", "--chunks"])
        .ok();
    assert!(before.json()[0]["tokens"].as_u64() > Some(100));
    project.run(&["sync"]).ok();
    let after = project
        .run(&["search", "tea", "--sync", "never", "--json", "--chunks"])
        .ok();
    assert!(after.json()[0]["tokens"].as_u64() <= Some(100));
    let run = project.run(&["status"]).ok();
    assert!(!run.stdout.contains("settings"), "{}", run.stdout);
}

#[test]
fn a_collection_is_replaced_and_edited_in_one_step() {
    let project = library();
    let listed = |project: &Project, name: &str| {
        let lines = project.run(&["list", "--json"]).ok().json();
        let mut lines = lines.into_iter();
        lines.find(|line| line["name"] == name).unwrap()
    };
    // Settings and attributes change together; what is not given stays.
    let edit = [
        "edit", "guides", "--tags", "harbour", "--type", "script", "--preset", "docs",
    ];
    let run = project.run(&edit).ok();
    assert!(
        run.stdout.starts_with("guides: 1 split again"),
        "{}",
        run.stdout
    );
    assert_eq!(
        found(&project, &["--library", "--tag", "harbour"]),
        ["guides:deploy.md"]
    );
    assert_eq!(found(&project, &["--library", "--tag", "team"]).len(), 0);
    assert_eq!(
        found(&project, &["--library", "--type", "script"]),
        ["guides:deploy.md"]
    );
    let guides = listed(&project, "guides");
    assert_eq!(guides["chunking"]["preset"], "docs");
    assert_eq!(guides["selection"]["ignore"][0], "drafts/");
    let run = project.run(&["edit", "api", "--title", "The new API", "--version", "3.x"]);
    run.ok();
    let lines = project
        .run(&["search", "deploy", "-c", "api", "--json"])
        .ok()
        .json();
    assert_eq!(lines[0]["document"]["title"], "The new API");
    assert_eq!(lines[0]["document"]["metadata"]["versions"][0], "3.x");
    project
        .run(&["edit", "api", "--title", "", "--version", ""])
        .ok();
    assert_eq!(listed(&project, "api")["attributes"], serde_json::json!({}));

    // Replaced as a whole: what is not given is not kept.
    let run = project
        .run(&["add", "guides", "--replace", "--tags", "new"])
        .ok();
    assert!(
        run.stdout.starts_with("guides: 1 added, 1 split again"),
        "{}",
        run.stdout
    );
    let guides = listed(&project, "guides");
    assert_eq!(
        (&guides["documents"], &guides["chunking"]["preset"]),
        (&2.into(), &serde_json::Value::Null)
    );
    let run = project
        .run(&["add", "guides", "--replace", "--name", "manual"])
        .ok();
    assert!(run.stdout.starts_with("manual: "), "{}", run.stdout);
    assert_eq!(found(&project, &["-c", "manual"]).len(), 2);
    project.run(&["add", "api.md", "--replace", "--name", "manual"]).fails(
        "excerpt: collection `manual` already exists for `[folder]/project/guides`: choose another name with `--name`, or run `excerpt remove manual` first",
    );

    // A text is replaced by its name.
    let add = ["add", "-", "--title", "Lesson", "--replace"];
    project.run_with(&add, b"Deploy quietly.\n").ok();
    project.run_with(&add, b"Deploy loudly.\n").ok();
    let lines = project
        .run(&["search", "deploy", "-c", "Lesson", "--json"])
        .ok()
        .json();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["text"], "Deploy loudly.");
    let run = project.run_with(&["add", "-", "--name", "manual", "--replace"], b"x");
    assert!(
        run.stderr.contains("collection `manual` already exists"),
        "{}",
        run.stderr
    );

    // A mistake changes nothing.
    project
        .run(&["edit", "manual"])
        .fails("excerpt: nothing to change in `manual`: give a new setting, such as `--tags` or `--preset`");
    project
        .run(&["edit", "manual", "--min", "900"])
        .fails("excerpt: `min` is `900`, expected a size below `target` (400)");
    project
        .run(&["edit", "manuel", "--tags", "x"])
        .fails("excerpt: unknown collection `manuel`, expected one of `Lesson`, `api`, `manual`");
    assert_eq!(
        listed(&project, "manual")["chunking"]["min"],
        serde_json::Value::Null
    );
}

#[test]
fn what_was_added_is_reported_with_chunks_and_warnings() {
    let text = "# One\n\nText.\n\n## Two\n\n".to_string()
        + "```\n"
        + &"line of code\n".repeat(300)
        + "```\n";
    let project = Project::new().file("guides/a.md", text);
    let add = ["add", "guides", "--preset", "memory"];
    let run = project.run(&add).ok();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("guides: 1 added · "), "{}", run.stdout);
    assert!(
        lines[1].starts_with("1 document in ")
            && lines[1].ends_with(" chunks: search with `-c guides`"),
        "{}",
        run.stdout
    );
    assert!(
        lines[2..]
            .iter()
            .any(|line| line.starts_with("warning: a.md:") && line.contains(": oversized: ")),
        "{}",
        run.stdout
    );
    let run = project
        .run(&["add", "guides", "--preset", "memory", "--replace", "--json"])
        .ok();
    let report = &run.json()[0];
    assert_eq!(
        (&report["collection"], &report["documents"]),
        (&"guides".into(), &1.into())
    );
    assert!(report["chunks"].as_u64() > Some(1));
    let mut warnings = report["warnings"].as_array().unwrap().iter();
    let oversized =
        |warned: &serde_json::Value| warned["warning"].as_str().unwrap().starts_with("oversized");
    let warned = warnings.find(|warned| oversized(warned)).unwrap();
    assert_eq!(warned["path"], "a.md");
    assert!(warned["lines"][1].as_u64() > Some(300), "{warned}");
}

#[test]
fn a_given_title_is_shown() {
    let project = library();
    let run = project.run(&["search", "deploy", "-c", "api"]).ok();
    assert!(
        run.stdout.starts_with("api › api.md:1-3 · The API · API\n"),
        "{}",
        run.stdout
    );
    // One that is only the first heading is not repeated.
    let run = project.run(&["search", "deploy", "-c", "guides"]).ok();
    assert!(
        run.stdout.lines().next().unwrap().ends_with(" · Deploy"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_filter_by_date_selects_the_entries_of_a_memory_file() {
    for preset in ["", "[chunking]\npreset = \"memory\"\n"] {
        let project = Project::new()
            .file(
                "MEMORY.md",
                "# Memory\n\n## 2026-01-30\n\nThe gauge reads too high.\n\n## 2026-02-15\n\nThe gauge was levelled.\n",
            )
            .file("excerpt.toml", format!("{preset}[files]\nignore = [\"*.toml\"]\n"));
        let found = |args: &[&str]| {
            let run = project
                .run(&[&["search", "gauge", "--json"], args].concat())
                .ok();
            let hits = run.json();
            hits.iter()
                .map(|hit| hit["citation"].as_str().unwrap().to_string())
                .collect::<Vec<_>>()
        };
        for args in [&[][..], &["--chunks"]] {
            assert_eq!(
                found(&[args, &["--since", "2026-02-01"]].concat()),
                ["MEMORY.md:7-9"]
            );
            assert_eq!(
                found(&[args, &["--until", "2026-01-30"]].concat()),
                ["MEMORY.md:1-5"]
            );
        }
        let mut client = Client::new(&project, &[]);
        let asked = json!({"query": "gauge", "since": "2026-02-01", "format": "json"});
        let reply = client.call("search", asked).ok();
        assert_eq!(reply.hits("citation"), ["MEMORY.md:7-9"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_edit_keeps_what_another_process_changed_meanwhile() {
    let project = library();
    let dir = project.data().join("excerpt/library");
    let lock = std::fs::File::options()
        .read(true)
        .write(true)
        .open(dir.join("lock"))
        .unwrap();
    lock.lock().unwrap();
    let mut edit = project.command(&["edit", "api", "--tags", "http"]);
    let mut edit = edit.spawn().unwrap();
    // It reads the collection, opens the index, and waits for the lock.
    let open_files = format!("/proc/{}/fd", edit.id());
    let has_opened = || {
        let files = std::fs::read_dir(&open_files).unwrap();
        let mut opened = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        opened.any(|file| file.starts_with(&dir) && file.extension().is_some_and(|it| it == "db"))
    };
    while !has_opened() {
        assert!(edit.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let path = dir.join("collections.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    kept["collections"][0]["attributes"]["title"] = "The new API".into();
    kept["sum"] = serde_json::Value::Null;
    std::fs::write(&path, kept.to_string()).unwrap();
    drop(lock);
    assert!(edit.wait_with_output().unwrap().status.success());
    let api = &project.run(&["list", "--json"]).ok().json()[0];
    assert_eq!(
        api["attributes"],
        json!({"title": "The new API", "versions": ["2.x"], "tags": ["http"]})
    );
}

#[test]
fn each_option_of_a_collection_can_be_undone() {
    let project = Project::new()
        .file("in/.ignore", "hidden.md\n")
        .file("in/hidden.md", "Deploy never.\n")
        .file("in/a.md", "Deploy on Fridays.\n")
        .file("in/drafts/b.md", "Deploy later.\n");
    let listed = || project.run(&["list", "--json"]).ok().json()[0].clone();
    let add = ["add", "in", "--no-ignore", "--ignore", "drafts/"];
    project
        .run(&[&add[..], &["--include", "a.md", "--per-entry"]].concat())
        .ok();
    assert_eq!(listed()["documents"], 1);
    project.run(&["edit", "in", "--include", ""]).ok();
    assert_eq!(listed()["documents"], 2);
    project.run(&["edit", "in", "--no-ignore=false"]).ok();
    assert_eq!(listed()["documents"], 1);
    project.run(&["edit", "in", "--ignore", ""]).ok();
    assert_eq!(listed()["documents"], 2);
    project.run(&["edit", "in", "--per-entry=false"]).ok();
    assert_eq!(listed()["chunking"]["per_entry"], false);
}

#[test]
fn an_empty_option_is_as_if_it_were_not_given() {
    let project = Project::new().file("a.md", "Deploy on Fridays.\n");
    let mut add = vec!["add", "a.md"];
    for flag in ["--version", "--title", "--include", "--ignore", "--tags"] {
        add.extend([flag, ""]);
    }
    project.run(&add).ok();
    let listed = &project.run(&["list", "--json"]).ok().json()[0];
    assert_eq!(
        (&listed["documents"], &listed["attributes"]),
        (&1.into(), &json!({}))
    );
    assert_eq!(
        (
            &listed["selection"]["include"],
            &listed["selection"]["ignore"]
        ),
        (&json!([]), &json!([]))
    );
}

#[test]
fn the_status_of_a_collection_is_about_it_alone() {
    let project = library();
    let status = |args: &[&str]| {
        let run = project.run(&[&["status", "--json"], args].concat()).ok();
        let reply = &run.json()[0];
        let sources = reply["sources"].as_array().unwrap().iter();
        let names: Vec<String> = sources
            .map(|source| source["name"].as_str().unwrap().to_string())
            .collect();
        (names, reply["documents"].clone(), reply["chunks"].clone())
    };
    let one = (vec!["api".to_string()], json!(1), json!(1));
    assert_eq!(status(&["-c", "api"]), one);
    assert_eq!(status(&["--library"]).1, json!(2));
    let told = project.run(&["status", "-c", "api"]).ok().stdout;
    let told = told.lines().nth(1).unwrap();
    let begin = "contains  1 document in 1 chunk, ";
    let is_of_one = told.starts_with(begin) && told.contains(" in files; the whole index takes ");
    assert!(is_of_one, "{told}");
}

#[test]
fn the_commands_in_messages_about_a_collection_name_it() {
    let project = Project::new()
        .file("notes/a.md", "# Green tea\n")
        .file("notes/b.md", "# Black tea\n")
        .file("notes/c.bin", "\0\0");
    let hint = "`excerpt status -c notes --skips` lists them";
    let added = project.run(&["add", "notes"]).ok();
    assert!(added.stdout.contains(hint), "{}", added.stdout);
    let synced = project.run(&["sync", "-c", "notes"]).ok();
    assert!(synced.stdout.contains(hint), "{}", synced.stdout);
    std::fs::rename(project.path("notes/a.md"), project.path("../a.md")).unwrap();
    std::fs::rename(project.path("notes/b.md"), project.path("../b.md")).unwrap();
    let run = project.run(&["sync", "-c", "notes"]);
    assert_eq!(run.code, Some(2));
    let hint = "run `excerpt sync -c notes --accept-removals`";
    assert!(run.stderr.contains(hint), "{}", run.stderr);
    let found = project.run(&["search", "green", "-c", "notes"]).ok();
    assert!(found.stderr.contains(hint), "{}", found.stderr);
    let accepting = ["sync", "-c", "notes", "--accept-removals"];
    project.run(&accepting).ok();
}

#[test]
fn a_collection_whose_folder_is_gone_is_searched_as_it_was_indexed() {
    let project = Project::new()
        .file("notes/a.md", "# Green tea\n")
        .file("maps/b.md", "# The coast\n");
    project.run(&["add", "notes"]).ok();
    project.run(&["add", "maps"]).ok();
    std::fs::rename(project.path("notes"), project.path("../away")).unwrap();
    let found = project.run(&["search", "green", "-c", "notes", "--files"]);
    let older = "note: answered from an older state: cannot read `";
    assert!(found.stderr.starts_with(older), "{}", found.stderr);
    assert_eq!(found.ok().stdout, "notes › a.md\n");
    let both = ["search", "coast", "-c", "notes", "-c", "maps", "--files"];
    let found = project.run(&both);
    let note = "note: cannot read `";
    assert!(found.stderr.starts_with(note), "{}", found.stderr);
    assert_eq!(found.ok().stdout, "maps › b.md\n");
    // A sync that was asked for fails.
    for asked in [
        ["sync", "-c", "notes"].as_slice(),
        &["search", "green", "-c", "notes", "--sync", "always"],
    ] {
        assert_eq!(project.run(asked).code, Some(2), "{asked:?}");
    }
}
