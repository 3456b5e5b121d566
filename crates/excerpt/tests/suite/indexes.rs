//! `excerpt list --indexes` and `excerpt remove --index`: the indexes on this machine, and their
//! removal.

use crate::fixture::Project;

fn indexed() -> Project {
    let project = Project::new()
        .file("tea/a.md", "# Tea\n\nGreen.\n")
        .file("coffee/b.md", "# Coffee\n\nBlack.\n");
    project.run(&["sync", "tea"]).ok();
    project.run(&["sync", "coffee"]).ok();
    project
}

#[test]
fn indexes_are_listed_with_their_folders_size_and_last_use() {
    let project = indexed();
    std::fs::remove_dir_all(project.path("tea")).unwrap();
    let shown = project.run(&["list", "--indexes"]).ok().stdout;
    assert!(
        shown.contains("[folder]/project/coffee\n    1 document, "),
        "{shown}"
    );
    assert!(
        shown.contains("[folder]/project/tea (gone)\n    1 document, "),
        "{shown}"
    );
    assert_eq!(shown.matches("last used just now").count(), 2, "{shown}");
    let entries = project.run(&["list", "--indexes", "--json"]).ok().json();
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        assert!(entry["disk_bytes"].as_u64().unwrap() > 1000, "{entry}");
        assert_eq!(entry["documents"], 1);
    }
    let run = Project::new().run(&["list", "--indexes"]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
}

#[test]
fn an_index_is_removed_by_its_folder_or_by_its_directory() {
    let project = indexed();
    std::fs::remove_dir_all(project.path("tea")).unwrap();
    let gone = project.path("tea").canonicalize();
    assert!(gone.is_err());
    let run = project.run(&["remove", "--index", "tea"]).ok();
    assert!(run.stdout.contains(": removed, "), "{}", run.stdout);
    let entries = project.run(&["list", "--indexes", "--json"]).ok().json();
    let index = std::path::Path::new(&project.data()).join("excerpt/indexes");
    let name = std::fs::read_dir(index).unwrap().next().unwrap().unwrap();
    assert_eq!(entries.len(), 1);
    project
        .run(&["remove", "--index", name.path().to_str().unwrap()])
        .ok();
    assert!(!name.path().exists());
    assert!(project.path("coffee/b.md").exists());
    let run = project.run(&["remove", "--index", "coffee"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("there is no index of `coffee`"),
        "{}",
        run.stderr
    );
}

#[test]
fn texts_that_exist_only_in_an_index_are_not_removed() {
    let project = indexed();
    project
        .run_with(
            &["add", "-", "--name", "word"],
            b"# Word\n\nKept here alone.\n",
        )
        .ok();
    let library = project.data().join("excerpt/library");
    let run = project.run(&["remove", "--index", library.to_str().unwrap()]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("remove `word` by name first"),
        "{}",
        run.stderr
    );
    let run = project.run(&["search", "kept here", "-c", "word"]).ok();
    assert!(run.stdout.contains("Kept here alone"), "{}", run.stdout);
    // A folder with other files keeps them.
    let own = project.path("own");
    project.run(&["sync", "coffee", "--index", "own"]).ok();
    project.write("own/notes.txt", "mine");
    project.run(&["remove", "--index", "own"]).ok();
    let left: Vec<_> = std::fs::read_dir(own)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["notes.txt"]);
}

#[test]
fn the_variable_never_selects_an_index_to_remove() {
    let project = indexed();
    let mut command = project.command(&["remove"]);
    command.env("EXCERPT_INDEX", project.data().join("excerpt/indexes"));
    let run = project.outcome(&mut command);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("name a collection"), "{}", run.stderr);
}

#[test]
fn a_folder_that_is_a_collection_does_not_stand_for_the_library() {
    let project = indexed();
    project.run(&["remove", "--index", "tea"]).ok();
    project.run(&["add", "tea", "--name", "leaves"]).ok();
    project
        .run(&["remove", "--index", "tea"])
        .fails("excerpt: `tea` is a collection: `excerpt remove leaves`");
    assert!(project.run(&["list"]).ok().stdout.contains("leaves"));
    // A folder with an index of its own means that index.
    project.run(&["add", "coffee"]).ok();
    project.run(&["remove", "--index", "coffee"]).ok();
    assert!(project.run(&["list"]).ok().stdout.contains("coffee"));
}

#[test]
fn a_folder_called_library_does_not_stand_for_the_library() {
    let project = indexed().file("library/c.md", "# Books\n");
    project.run(&["add", "tea"]).ok();
    project
        .run(&["remove", "--index", "library"])
        .fails("excerpt: there is no index of `library`: `excerpt list --indexes` shows all");
    std::fs::remove_dir_all(project.path("library")).unwrap();
    project.run(&["remove", "--index", "library"]).ok();
    assert_eq!(project.run(&["list"]).code, Some(1));
}

#[test]
fn a_collection_in_the_index_of_a_folder_does_not_stand_for_it() {
    let project = indexed();
    let index = project.data().join("excerpt/indexes");
    let mut indexes = std::fs::read_dir(&index).unwrap();
    let tea = indexes.find_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("tea-").then(|| path.clone())
    });
    let tea = tea.unwrap();
    project.write("more/d.md", "# More\n");
    let tea = tea.to_str().unwrap();
    project.run(&["add", "more", "--index", tea]).ok();
    let run = project.run(&["remove", "--index", "more"]);
    let told = "excerpt: `more` is a collection: `excerpt remove more --index [folder]/";
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
    project.run(&["remove", "--index", "tea"]).ok();
}
