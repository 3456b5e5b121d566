//! What the index of a clone starts with.

use std::fs;
use std::path::Path;

use excerpt_index::{Index, SyncOptions, locate, quiet};

use crate::fixture::{by_keywords, paths};

/// A folder that claims to be a clone of a repository.
fn clone(at: &Path, files: &[(&str, &str)]) {
    let git = [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (
            ".git/config",
            "[remote \"origin\"]\n\turl = https://host/tea.git\n",
        ),
    ];
    for (path, text) in git.iter().chain(files) {
        let path = at.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn a_folder_that_claims_to_be_a_clone_gets_nothing_that_it_does_not_contain() {
    let dir = tempfile::tempdir().unwrap();
    let (own, other) = (dir.path().join("own"), dir.path().join("other"));
    clone(
        &own,
        &[
            ("tea.md", "# Tea\n\nGreen tea.\n"),
            ("plan.md", "The secret plan.\n"),
            ("note.md", "A private note.\n"),
        ],
    );
    // Its own text with the same name and size, and a link in place of another file.
    clone(
        &other,
        &[
            ("tea.md", "# Tea\n\nGreen tea.\n"),
            ("plan.md", "The better plan.\n"),
        ],
    );
    std::os::unix::fs::symlink(own.join("note.md"), other.join("note.md")).unwrap();

    let data = dir.path().join("data");
    let open = |root: &Path| Index::open_at(&locate(root, &data, None).unwrap()).unwrap();
    let options = SyncOptions::default();
    let report = open(&own).sync(&own, &options, quiet).unwrap();
    assert_eq!(report.added, 3);

    let mut index = open(&other);
    let found = |index: &mut Index, query| {
        let answer = index.search(&by_keywords(query)).unwrap();
        paths(&answer)
            .into_iter()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    for query in ["secret", "plan", "private note"] {
        assert!(found(&mut index, query).is_empty(), "{query}");
    }
    assert_eq!(found(&mut index, "green tea"), ["tea.md"]);
    let report = index.sync(&other, &options, quiet).unwrap();
    assert_eq!((report.unchanged, report.added), (1, 1));
    assert_eq!(found(&mut index, "secret better plan"), ["plan.md"]);
}
