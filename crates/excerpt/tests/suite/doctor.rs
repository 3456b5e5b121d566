//! `excerpt doctor`: what works, what does not, and how to fix it.

use crate::endpoint::Endpoint;
use crate::fixture::Project;

fn tea() -> Project {
    Project::new().file("tea.md", "# Tea\n\nGreen tea.\n")
}

/// The output with the varying parts replaced by `N`.
fn stable(text: &str) -> String {
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let end = word.len() - word.trim_end().len();
        let (bare, end) = word.split_at(word.len() - end);
        match bare.parse::<f64>().is_ok() && bare.contains('.') {
            true => format!("N{end}"),
            false => word.to_string(),
        }
    });
    words.collect()
}

#[test]
fn all_is_well_in_a_folder_that_is_up_to_date() {
    let project = tea();
    project.run(&["sync"]).ok();
    let run = project.run(&["doctor"]).ok();
    let lines: Vec<_> = run.stdout.lines().collect();
    assert_eq!(lines[0], "configuration  no file, all defaults");
    assert!(stable(lines[1]).starts_with("embedder       built-in: `static-"));
    assert!(
        stable(lines[1]).ends_with(" dimensions, a short text in N ms"),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("index          [folder]/data/excerpt/indexes/project-"));
    assert_eq!(lines[3], "               1 document in 1 chunk");
    assert_eq!(lines[4], "keywords       up to date");
    assert!(lines[5].starts_with("vectors        up to date, by `static-"));
    assert_eq!(lines[6], "all is well");
    let report = &project.run(&["doctor", "--json"]).ok().json()[0];
    assert_eq!(report["attention"], serde_json::json!([]));
    assert_eq!(report["index"]["check"]["documents"], 1);
    assert_eq!(report["embedder"]["provider"], "built-in");
}

#[test]
fn a_folder_without_an_index_is_not_a_problem() {
    let run = tea().run(&["doctor"]).ok();
    assert!(
        run.stdout
            .ends_with("index          none yet: run `excerpt sync` to create one\nall is well\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_endpoint_is_tested_and_shown() {
    let endpoint = Endpoint::new();
    let project = tea().own_file(&endpoint.table());
    let report = &project.run(&["doctor", "--json"]).ok().json()[0];
    assert_eq!(
        report["embedder"]["url"],
        format!("{}/embeddings", endpoint.url)
    );
    assert_eq!(endpoint.asked(), ["a short text"]);
}

#[test]
fn vectors_of_another_embedder_need_a_sync() {
    let endpoint = Endpoint::new();
    let project = tea();
    project.run(&["sync"]).ok();
    let project = project.own_file(&endpoint.table());
    let run = project.run(&["doctor"]);
    assert_eq!(run.code, Some(1));
    let last = run.stdout.lines().last().unwrap();
    assert!(
        last.starts_with("- the vectors are those of `static-"),
        "{last}"
    );
    assert!(last.ends_with("`: run `excerpt sync`"), "{last}");
    project.run(&["sync"]).ok();
    project.run(&["doctor"]).ok();
}

#[test]
fn an_invalid_file_is_one_of_the_findings() {
    let project = tea().file("excerpt.toml", "[search]\nfusion = 1\n");
    let run = project.run(&["doctor"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains("1 thing needs attention\n- [folder]/project/excerpt.toml:2:10: `fusion` is `1`, expected one of convex, rrf\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_damaged_database_is_named() {
    let project = tea().file("mine/excerpt.db", "not a database");
    let index = project.path("mine");
    let run = project.run(&["doctor", "--index", index.to_str().unwrap()]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stdout.contains(
            "- `[folder]/project/mine/excerpt.db` was not created by excerpt: choose another folder\n"
        ),
        "{}",
        run.stdout
    );
}

#[test]
fn a_damaged_index_is_named_and_rebuilt() {
    let project = tea();
    project.run(&["sync"]).ok();
    let indexes = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    let index = indexes.map(|entry| entry.unwrap().path()).next().unwrap();
    let told = "is damaged: run `excerpt doctor --rebuild` to rebuild the index from its sources";
    for (from, folder) in [(0, ""), (4096, "generation-2")] {
        let database = index.join(folder).join("excerpt.db");
        let mut bytes = std::fs::read(&database).unwrap();
        bytes[from..].fill(0);
        std::fs::write(&database, bytes).unwrap();
        for args in [
            &["search", "tea"][..],
            &["search", "tea", "--sync", "never"],
            &["sync"],
            &["status"],
        ] {
            let run = project.run(args);
            assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{args:?}");
            assert!(run.stderr.contains(told), "{args:?}: {}", run.stderr);
        }
        let run = project.run(&["doctor"]);
        assert_eq!(run.code, Some(1));
        assert!(run.stdout.contains(told), "{}", run.stdout);
        let run = project.run(&["doctor", "--rebuild"]).ok();
        assert!(
            run.stdout
                .starts_with("rebuilt        from [folder]/project\n"),
            "{}",
            run.stdout
        );
        assert!(run.stdout.ends_with("all is well\n"), "{}", run.stdout);
        let run = project.run(&["search", "tea", "--sync", "never"]).ok();
        assert!(run.stdout.starts_with("tea.md:1-3"), "{}", run.stdout);
    }
}

#[test]
fn a_rebuild_includes_all_sources_and_waits_for_no_writer() {
    let project = tea().file("other/milk.md", "# Milk\n\nFresh milk.\n");
    let index = project.data().join("both");
    let index = index.to_str().unwrap();
    project.run(&["sync", "tea.md", "--index", index]).ok();
    project.run(&["sync", "other", "--index", index]).ok();
    project.write("other/milk.md", "# Milk\n\nSour milk.\n");
    let report = &project
        .run(&["doctor", "other", "--rebuild", "--json", "--index", index])
        .ok()
        .json()[0];
    assert_eq!(report["rebuilt"].as_array().unwrap().len(), 2);
    assert_eq!(report["index"]["check"]["documents"], 2);
    let lock = std::fs::File::options()
        .write(true)
        .open(project.data().join("both/lock"))
        .unwrap();
    lock.lock().unwrap();
    let run = project.run(&["doctor", "other", "--rebuild", "--index", index]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("is being written by"), "{}", run.stderr);
}

/// Replaces a file of an index with something else.
#[cfg(unix)]
fn obstruct(path: &std::path::Path, with: &str) {
    use std::fs;
    if let Ok(metadata) = fs::symlink_metadata(path) {
        match metadata.is_dir() {
            true => fs::remove_dir_all(path).unwrap(),
            false => fs::remove_file(path).unwrap(),
        }
    }
    match with {
        "a folder" => fs::create_dir_all(path.join("with")).unwrap(),
        "a link" => std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        "a FIFO" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }
        "nothing" => {}
        text => fs::write(path, text).unwrap(),
    }
}

#[cfg(unix)]
#[test]
fn whatever_replaces_a_file_is_named_and_repaired() {
    let project = tea();
    let index = project.data().join("index");
    let library = index.to_str().unwrap();
    let with = |args: &[&'static str]| [args, &["--index"]].concat();
    let run = |args: &[&'static str]| project.run(&[&with(args)[..], &[library]].concat());
    run(&["sync"]).ok();
    project
        .run_with(
            &["add", "-", "--title", "Cocoa", "--index", library],
            b"Hot cocoa.\n",
        )
        .ok();
    run(&["doctor", "--rebuild"]).ok();
    assert!(index.join("generation-2/excerpt.db").is_file());
    let told = "is damaged: run `excerpt doctor --rebuild` to rebuild the index from its sources";
    let names = [
        "cutting",
        "excerpt.generation",
        "excerpt.db",
        "excerpt.db-wal",
        "excerpt.db-shm",
        "lexical",
        "vectors",
        "lock",
        "sources.json",
        "collections.json",
        "collections.copy.json",
        "given",
        "given/Cocoa/Cocoa.md",
        "aside",
        "anew",
        "vectors.next",
    ];
    for name in names {
        for with in ["a folder", "a link", "a FIFO", "", "nonsense", "nothing"] {
            let is_folder = ["lexical", "given", "aside", "anew"].contains(&name);
            let is_of_generation = name.starts_with("excerpt.db")
                || name.starts_with("lexical")
                || name.starts_with("vectors");
            let pointer = std::fs::read_to_string(index.join("excerpt.generation")).unwrap();
            let path = match is_of_generation {
                true => index.join(pointer).join(name),
                false => index.join(name),
            };
            let seen = format!("{name}: {with}");
            obstruct(&path, with);
            let run = |args: &[&'static str]| {
                let run = run(args);
                assert!(!run.stderr.contains("panicked"), "{seen}: {}", run.stderr);
                run
            };
            let doctor = run(&["doctor"]);
            let is_other = !matches!(with, "" | "nonsense" | "nothing");
            // Derived data is rebuilt by any command, and reported at most once, by the first.
            if is_other && !(is_folder && with == "a folder") {
                assert_eq!(doctor.code, Some(1), "{seen}: {}", doctor.stdout);
                assert!(doctor.stdout.contains(told), "{seen}: {}", doctor.stdout);
            }
            if name == "excerpt.generation" {
                assert!(doctor.stdout.contains(told), "{seen}: {}", doctor.stdout);
            }
            let searches = |is_right: &dyn Fn(&str, &crate::fixture::Run)| {
                let tea = run(&["search", "green tea", "--sync", "never"]);
                let cocoa = run(&["search", "hot cocoa", "--library", "--sync", "never"]);
                is_right("Green tea", &tea);
                is_right("Hot cocoa", &cocoa);
            };
            searches(&|text, found| {
                let is_right =
                    found.code == Some(0) && found.stdout.replace('*', "").contains(text);
                assert!(
                    is_right || found.stderr.contains(told),
                    "{seen}: {}{}",
                    found.stdout,
                    found.stderr
                );
            });
            let rebuilt = run(&["doctor", "--rebuild"]);
            assert_eq!(
                rebuilt.code,
                Some(0),
                "{seen}: {}{}",
                rebuilt.stdout,
                rebuilt.stderr
            );
            assert!(
                rebuilt.stdout.ends_with("all is well\n"),
                "{seen}: {}",
                rebuilt.stdout
            );
            searches(&|text, found| {
                assert!(
                    found.stdout.replace('*', "").contains(text),
                    "{seen}: {}",
                    found.stderr
                );
            });
        }
    }
}

#[test]
fn a_list_of_collections_that_is_lost_twice_is_recovered_by_name() {
    let project = tea();
    let library = project.data().join("excerpt/library");
    project.run(&["add", "tea.md", "--tags", "green"]).ok();
    project
        .run_with(&["add", "-", "--title", "Cocoa"], b"Hot cocoa.\n")
        .ok();
    for name in ["collections.json", "collections.copy.json"] {
        std::fs::write(library.join(name), "{").unwrap();
    }
    let run = project.run(&["search", "tea", "--library"]);
    assert_eq!(
        run.stderr.trim_end(),
        "excerpt: `[folder]/data/excerpt/library/collections.json` is damaged: run `excerpt doctor --rebuild` to rebuild the index from its sources"
    );
    let run = project.run(&["doctor", "--library", "--rebuild"]).ok();
    assert_eq!(
        run.stderr.trim_end(),
        "note: the list of collections was damaged: 2 collections recovered by name, without their settings and attributes"
    );
    let found = project
        .run(&["search", "cocoa", "--library", "--sync", "never"])
        .ok();
    let text = found.stdout.replace('*', "");
    assert!(text.contains("Hot cocoa"), "{text}");
    assert!(library.join("collections.json.damaged").is_file());
}

#[test]
fn a_library_without_collections_is_rebuilt_as_nothing() {
    let project = tea();
    project.run(&["add", "tea.md"]).ok();
    project.run(&["remove", "tea.md"]).ok();
    project.run(&["doctor", "--library", "--rebuild"]).ok();
    let listed = project.run(&["list", "--library", "--documents"]);
    assert_eq!(listed.stdout, "", "{listed:?}");
}
