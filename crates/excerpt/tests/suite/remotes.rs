//! Git repositories as collections, as a user adds and updates them.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::fixture::{Project, Run};
use crate::serve_client::Server;

/// A repository that others push to, and a working tree that pushes to it.
struct Remote {
    project: Project,
}

impl Remote {
    /// With these files in a first commit.
    fn with(files: &[(&str, &str)]) -> Remote {
        let remote = Remote {
            project: Project::new(),
        };
        remote.git(&["init", "-q", "-b", "main", "."]);
        remote.push(files, "2026-03-01T10:00:00Z");
        let bare = remote.bare();
        let bare = bare.to_str().unwrap();
        remote.git(&["clone", "-q", "--bare", ".", bare]);
        remote.git(&["remote", "add", "origin", bare]);
        remote
    }

    fn bare(&self) -> PathBuf {
        self.project.data().with_file_name("brain.git")
    }

    fn address(&self) -> String {
        format!("file://{}", self.bare().display())
    }

    fn git(&self, args: &[&str]) -> String {
        self.git_at(args, "2026-11-20T10:00:00Z")
    }

    fn git_at(&self, args: &[&str], time: &str) -> String {
        let output = Command::new("git")
            .current_dir(self.project.path(""))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "a@a")])
            .envs([
                ("GIT_COMMITTER_NAME", "Ada"),
                ("GIT_COMMITTER_EMAIL", "a@a"),
            ])
            .envs([("GIT_COMMITTER_DATE", time), ("GIT_AUTHOR_DATE", time)])
            .args(args)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    /// Commits these files, and all other changes of the working tree.
    fn push(&self, files: &[(&str, &str)], time: &str) {
        for (path, text) in files {
            self.project.write(path, text);
        }
        self.git(&["add", "-A"]);
        self.git_at(&["commit", "-q", "-m", "state"], time);
        if self.bare().exists() {
            self.git(&["push", "-q", "--force", "origin", "HEAD"]);
        }
    }

    fn run(&self, args: &[&str]) -> Run {
        self.project.run(args)
    }

    /// The first JSON object that a command prints.
    fn json(&self, args: &[&str]) -> Value {
        let run = self.run(&[args, &["--json"]].concat()).ok();
        serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap()
    }

    /// The best hit.
    fn hit(&self, question: &str, collection: &str) -> Value {
        self.json(&["search", question, "-c", collection])
    }
}

/// The notes of a family, as in `docs/guide/remotes.md`.
fn brain() -> Remote {
    Remote::with(&[
        (
            "domains/family/swim-team.md",
            "# Swim team\n\nOwen's first 50 free is on Saturday.\n",
        ),
        ("domains/car.md", "# Car\n\nThe car needs oil.\n"),
        ("inbox/boat.md", "# Boat\n\nA boat with red sails.\n"),
        ("README.md", "# Notes\n\nHow we keep notes.\n"),
    ])
}

#[test]
fn a_repository_is_added_and_each_hit_knows_its_document() {
    let remote = brain();
    let first = remote.git(&["rev-parse", "HEAD"]);
    let run = remote
        .run(&["add", &remote.address(), "--preset", "brain"])
        .ok();
    assert!(run.stdout.starts_with("brain: 4 added"), "{}", run.stdout);
    let hit = remote.hit("first 50 free", "brain");
    assert_eq!(hit["source_path"], "domains/family/swim-team.md");
    assert_eq!(hit["path"], "brain › domains/family/swim-team.md");
    let document = &hit["document"];
    assert_eq!(document["title"], "Swim team");
    let provenance = &document["provenance"];
    assert_eq!(provenance["commit"], first.as_str());
    assert_eq!(provenance["author"], "Ada");
    assert_eq!(provenance["committed"], "2026-03-01T10:00:00Z");
    let read = remote.run(&["get", hit["citation"].as_str().unwrap()]).ok();
    assert!(
        read.stdout.contains("Owen's first 50 free"),
        "{}",
        read.stdout
    );
    let folders = remote.run(&["list", "-c", "brain", "--folders"]).ok();
    assert!(
        folders.stdout.contains("domains/family"),
        "{}",
        folders.stdout
    );
    let status = remote.run(&["status", "-c", "brain"]).ok().stdout;
    for line in ["brain.git", "topics: Notes", "serves ", "reached just now"] {
        assert!(status.contains(line), "{line}: {status}");
    }
}

#[test]
fn a_push_changes_what_it_names_and_reads_nothing_else() {
    let remote = brain();
    remote.run(&["add", &remote.address()]).ok();
    fs::remove_file(remote.project.path("inbox/boat.md")).unwrap();
    let car = (
        remote.project.path("domains/car.md"),
        remote.project.path("garage.md"),
    );
    fs::rename(car.0, car.1).unwrap();
    remote.push(
        &[
            (
                "domains/family/swim-team.md",
                "# Swim team\n\nOwen won in 31 seconds.\n",
            ),
            ("domains/garden.md", "# Garden\n\nBeans need water.\n"),
        ],
        "2026-11-20T10:00:00Z",
    );
    let report = remote.json(&["sync", "-c", "brain"]);
    assert_eq!(
        (&report["added"], &report["changed"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        (&report["removed"], &report["read"]),
        (&2.into(), &3.into())
    );
    let report = remote.json(&["sync", "-c", "brain"]);
    assert_eq!(
        (&report["read"], &report["unchanged"]),
        (&0.into(), &4.into())
    );
    // By the dates of the commits.
    let recent = remote.run(&["list", "-c", "brain", "--recent"]).ok().stdout;
    assert!(
        recent.lines().next_back().unwrap().contains("README.md"),
        "{recent}"
    );
    let since = [
        "search",
        "notes beans",
        "-c",
        "brain",
        "--since",
        "2026-11-01",
    ];
    let since = remote.run(&[&since[..], &["--all"]].concat()).ok().stdout;
    assert!(
        since.contains("garden.md") && !since.contains("README.md"),
        "{since}"
    );
    let author = remote.json(&["search", "beans", "-c", "brain", "--field", "author=Ada"]);
    assert_eq!(author["source_path"], "domains/garden.md");
}

/// What an index shows of its documents, in the order of their paths.
fn contents(remote: &Remote, collection: &str) -> Vec<Value> {
    let run = remote.run(&["list", "-c", collection, "--json", "--documents"]);
    let run = run.ok();
    let listed = run.stdout.lines().map(|line| {
        let mut listed: Value = serde_json::from_str(line).unwrap();
        let path = listed["source_path"].as_str().unwrap().to_string();
        let target = format!("{collection} › {path}");
        let text = remote.json(&["get", &target]);
        listed["provenance"] = text["provenance"].clone();
        listed["text"] = text["text"].clone();
        for key in ["collection", "path", "source"] {
            listed.as_object_mut().unwrap().remove(key);
        }
        listed
    });
    listed.collect()
}

#[test]
fn a_rewritten_history_gives_the_index_of_a_fresh_clone() {
    let remote = brain();
    remote.run(&["add", &remote.address()]).ok();
    remote.push(&[("a.md", "# A\n\nOne.\n")], "2026-04-01T10:00:00Z");
    remote.run(&["sync", "-c", "brain"]).ok();
    // The last commit is replaced by one from before, with another file.
    remote.git(&["reset", "-q", "--hard", "HEAD~1"]);
    remote.push(&[("b.md", "# B\n\nTwo.\n")], "2026-02-01T10:00:00Z");
    remote.run(&["sync", "-c", "brain"]).ok();
    // A side branch is merged, which was begun earlier.
    remote.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    remote.push(
        &[("domains/car.md", "# Car\n\nNew tyres.\n")],
        "2026-01-01T10:00:00Z",
    );
    remote.git(&["checkout", "-q", "main"]);
    remote.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    remote.git(&["push", "-q", "origin", "main"]);
    remote.run(&["sync", "-c", "brain"]).ok();
    // A file goes back to what it was.
    remote.push(
        &[("domains/car.md", "# Car\n\nThe car needs oil.\n")],
        "2026-05-01T10:00:00Z",
    );
    remote.run(&["sync", "-c", "brain"]).ok();
    remote
        .run(&[
            "add",
            &remote.address(),
            "--branch",
            "main",
            "--name",
            "fresh",
        ])
        .ok();
    let synced = contents(&remote, "brain");
    assert_eq!(synced.len(), 5);
    assert_eq!(synced, contents(&remote, "fresh"));
}

#[test]
fn branches_and_tags_are_versions_and_a_folder_may_be_chosen() {
    let remote = brain();
    remote.git(&["tag", "v1.0"]);
    remote.git(&["push", "-q", "origin", "v1.0"]);
    remote.push(
        &[("inbox/boat.md", "# Boat\n\nA boat with blue sails.\n")],
        "2026-11-20T10:00:00Z",
    );
    remote
        .run(&["add", &remote.address(), "--tag", "v1.0"])
        .ok();
    remote
        .run(&["add", &remote.address(), "--under", "inbox"])
        .ok();
    let boat = |collection: &str| remote.hit("boat sails", collection);
    assert!(boat("brain-v1.0")["text"].as_str().unwrap().contains("red"));
    assert!(
        boat("brain-inbox")["text"]
            .as_str()
            .unwrap()
            .contains("blue")
    );
    assert_eq!(boat("brain-inbox")["source_path"], "boat.md");
    let old = remote.json(&["search", "boat sails", "--library", "--version", "v1.0"]);
    assert_eq!(old["collection"], "brain-v1.0");
    let missing = remote.run(&["add", &remote.address(), "--branch", "nowhere"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
    assert!(
        missing.stderr.contains("refs/heads/nowhere"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_remote_that_is_gone_answers_from_what_is_indexed() {
    let remote = brain();
    remote.run(&["add", &remote.address()]).ok();
    fs::rename(remote.bare(), remote.bare().with_extension("away")).unwrap();
    let run = remote.run(&["sync", "-c", "brain"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(
        remote.hit("red sails", "brain")["source_path"],
        "inbox/boat.md"
    );
    let status = remote.run(&["status", "-c", "brain"]).ok().stdout;
    assert!(status.contains("failed just now"), "{status}");
    assert!(status.contains("4 documents"), "{status}");
    // What is added must be reachable.
    let gone = remote.run(&["add", &remote.address(), "--name", "other"]);
    assert_eq!(gone.code, Some(2));
    let unknown = remote.run(&["search", "x", "-c", "other"]);
    assert!(
        unknown.stderr.contains("unknown collection `other`"),
        "{}",
        unknown.stderr
    );
    fs::rename(remote.bare().with_extension("away"), remote.bare()).unwrap();
    remote.run(&["sync", "-c", "brain"]).ok();
    let status = remote.run(&["status", "-c", "brain"]).ok().stdout;
    assert!(!status.contains("failed"), "{status}");
}

#[test]
fn a_push_of_another_branch_fetches_nothing() {
    let remote = brain();
    remote
        .run(&["add", &remote.address(), "--branch", "main"])
        .ok();
    remote.push(&[("a.md", "# A\n\nOne.\n")], "2026-04-01T10:00:00Z");
    let push = |branch: &str| {
        let body = format!("{{\"ref\":\"refs/heads/{branch}\",\"forced\":false}}");
        remote.project.write("push.json", body);
        let run = remote.run(&["sync", "-c", "brain-main", "--from-push", "push.json"]);
        (run.code, run.stdout, run.stderr)
    };
    let other = push("side");
    assert_eq!(other.0, Some(0));
    assert!(other.2.contains("nothing to fetch"), "{}", other.2);
    let main = push("main");
    assert!(main.1.contains("1 added, 4 unchanged"), "{main:?}");
    remote.project.write("push.json", "hello");
    let none = remote.run(&["sync", "-c", "brain-main", "--from-push", "push.json"]);
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr.contains("not the body of a push"),
        "{}",
        none.stderr
    );
}

#[test]
fn what_git_must_not_get_is_refused() {
    let remote = brain();
    for address in [
        "ext::sh -c touch% ran",
        "fd::17/x",
        "--upload-pack=touch ran",
        "ssh://-oProxyCommand=touch%20ran/x",
        "https://me:word@127.0.0.1/x",
    ] {
        let run = remote.run(&["add", "--", address]);
        assert_eq!(run.code, Some(2), "{address}: {run:?}");
        assert!(!run.stderr.contains("word@"), "{}", run.stderr);
    }
    assert!(!remote.project.path("ran").exists());
    let folder = remote.run(&["add", "domains", "--branch", "main"]);
    assert!(
        folder.stderr.contains("not a git repository"),
        "{}",
        folder.stderr
    );
    let option = remote.run(&["add", &remote.address(), "--branch", "--upload-pack=x"]);
    assert_eq!(option.code, Some(2));
    let title = remote.run(&["add", &remote.address(), "--title", "T"]);
    assert_eq!(title.code, Some(2));
}

#[test]
fn a_clone_stays_as_long_as_a_collection_uses_it() {
    let remote = brain();
    remote.run(&["add", &remote.address()]).ok();
    remote
        .run(&["add", &remote.address(), "--branch", "main"])
        .ok();
    let folder = remote.project.data().join("excerpt/library/remotes");
    let count = || fs::read_dir(&folder).unwrap().count();
    // One clone with its lock, and a state for each.
    assert_eq!(count(), 4);
    remote.run(&["remove", "brain"]).ok();
    assert_eq!(count(), 3);
    remote.run(&["sync", "-c", "brain-main"]).ok();
    remote.run(&["remove", "brain-main"]).ok();
    assert_eq!(count(), 0);
}

#[test]
fn an_index_is_rebuilt_from_its_repository() {
    let remote = brain();
    remote.run(&["add", &remote.address()]).ok();
    let before = contents(&remote, "brain");
    let library = remote.project.data().join("excerpt/library");
    let library = library.to_str().unwrap();
    let run = remote.run(&["doctor", "--rebuild", "--index", library]);
    assert!(run.stdout.contains("keywords       up to date"), "{run:?}");
    assert_eq!(contents(&remote, "brain"), before);
    remote.run(&["edit", "brain", "--target", "100"]).ok();
    assert_eq!(contents(&remote, "brain"), before, "split again");
}

#[test]
fn a_second_branch_is_not_split_again() {
    let remote = brain();
    for number in 0..100 {
        let text =
            format!("---\ntags: [n{number}]\n---\n# Note {number}\n\nIt is about {number}.\n");
        remote.project.write(&format!("notes/{number}.md"), text);
    }
    remote.push(&[], "2026-03-02T10:00:00Z");
    let added = remote.json(&["add", &remote.address(), "--branch", "main"]);
    assert_eq!(added["shared"], 0);
    remote.git(&["checkout", "-q", "-b", "next"]);
    remote.push(
        &[("notes/7.md", "# Note 7\n\nIt is about seven.\n")],
        "2026-03-03T10:00:00Z",
    );
    let added = remote.json(&["add", &remote.address(), "--branch", "next"]);
    assert_eq!(
        (&added["added"], &added["shared"]),
        (&104.into(), &103.into())
    );
    // As if it had been split: another library has no other branch.
    let alone = remote.project.path("../alone");
    let alone = ["--index", alone.to_str().unwrap()];
    let add = ["add", &remote.address(), "--branch", "next"];
    remote.run(&[&add[..], &alone[..]].concat()).ok();
    let question = [
        "search",
        "note about 12",
        "-c",
        "brain-next",
        "--json",
        "--all",
        "--version",
        "next",
        "--tag",
        "n12",
    ];
    let strip = |run: Run| -> Vec<Value> {
        let hits = run.ok().stdout;
        let hits = hits.lines().map(|line| {
            let mut hit: Value = serde_json::from_str(line).unwrap();
            hit.as_object_mut().unwrap().remove("score");
            hit.as_object_mut().unwrap().remove("signals");
            hit
        });
        hits.collect()
    };
    let shared = strip(remote.run(&question));
    assert_eq!(shared.len(), 1, "{shared:?}");
    assert_eq!(shared[0]["source_path"], "notes/12.md");
    let own = strip(remote.run(&[&question[..], &alone[..]].concat()));
    assert_eq!(shared[0]["document"], own[0]["document"]);
    assert_eq!(shared[0]["text"], own[0]["text"]);
    let old = remote.run(&["get", "notes/7.md", "-c", "brain-main"]).ok();
    assert!(old.stdout.contains("It is about 7."), "{}", old.stdout);
}

/// The files below a folder, without those whose names start with a dot.
fn files(folder: &std::path::Path) -> std::collections::BTreeMap<String, String> {
    let mut files = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_string();
            match path.is_dir() {
                _ if name.starts_with('.') => {}
                true => folders.push(path),
                false => drop(files.insert(name, fs::read_to_string(path).unwrap())),
            }
        }
    }
    files
}

/// The whole of a service over notes: a repository, its index, a mirror with front matter, a push,
/// and an answer that says where it comes from.
#[test]
fn notes_are_indexed_mirrored_pushed_and_found() {
    let remote = brain();
    remote
        .run(&["add", &remote.address(), "--preset", "brain"])
        .ok();
    let mirror = remote.project.path("../mirror");
    let place = mirror.to_str().unwrap();
    let args = ["mirror", "-c", "brain", place, "--front-matter"];
    let dry = remote
        .run(&[&args[..], &["--dry-run"]].concat())
        .ok()
        .stdout;
    assert!(
        dry.contains("write  domains/family/swim-team.md") && dry.contains("4 to be written"),
        "{dry}"
    );
    assert!(!mirror.exists());
    let first = remote.json(&args);
    assert_eq!(
        (&first["written"], &first["outdated"]),
        (&4.into(), &Value::Null)
    );
    let commit = remote.git(&["rev-parse", "HEAD"]);
    let swim = files(&mirror)["domains/family/swim-team.md"].clone();
    let front = "---\n# Added by excerpt mirror\npath: domains/family/swim-team.md\ndomain: family\ntitle: Swim team\n";
    assert!(swim.starts_with(front) && swim.contains(&commit), "{swim}");
    assert!(
        swim.ends_with("---\n# Swim team\n\nOwen's first 50 free is on Saturday.\n"),
        "{swim}"
    );
    assert_eq!(remote.json(&args)["written"], 0);

    let body = r#"{"ref":"refs/heads/main","repository":{"full_name":"ada/brain"}}"#;
    let new = (
        "domains/family/swim-team.md",
        "# Swim team\n\nOwen won in 31 seconds.\n",
    );
    fs::remove_file(remote.project.path("inbox/boat.md")).unwrap();
    remote.push(&[new], "2026-11-20T10:00:00Z");
    let pushed = remote.project.run_with(
        &["sync", "-c", "brain", "--from-push", "-", "--json"],
        body.as_bytes(),
    );
    let report: Value = serde_json::from_str(&pushed.ok().stdout).unwrap();
    assert_eq!(
        (&report["changed"], &report["removed"]),
        (&1.into(), &1.into())
    );
    let second = remote.json(&args);
    assert_eq!(
        (&second["written"], &second["removed"], &second["unchanged"]),
        (&1.into(), &1.into(), &2.into())
    );
    assert!(!mirror.join("inbox").exists());

    // What an agent asks: a hit with its document, what is new, the folders, the summary.
    let hit = remote.hit("how fast was Owen", "brain");
    assert_eq!(hit["document"]["title"], "Swim team");
    assert!(
        hit["text"].as_str().unwrap().contains("31 seconds"),
        "{hit}"
    );
    let recent = remote.run(&["list", "-c", "brain", "--recent"]).ok().stdout;
    assert!(
        recent.lines().nth(1).unwrap().contains("swim-team"),
        "{recent}"
    );
    let folders = remote
        .run(&["list", "-c", "brain", "--folders"])
        .ok()
        .stdout;
    assert!(
        folders.contains("domains/family") && !folders.contains("inbox"),
        "{folders}"
    );
    let status = remote.run(&["status", "-c", "brain"]).ok().stdout;
    assert!(status.contains("topics: Notes"), "{status}");

    // The mirror as a source has the documents without what was added, in the same order.
    remote
        .run(&["add", place, "--name", "copy", "--preset", "brain"])
        .ok();
    let copied = remote.hit("how fast was Owen", "copy");
    assert_eq!(copied["text"], hit["text"]);
    assert_eq!(copied["document"]["metadata"], hit["document"]["metadata"]);

    // While the source cannot be reached, nothing is removed, and the error says so.
    fs::rename(remote.bare(), remote.bare().with_file_name("away")).unwrap();
    let before = files(&mirror);
    let run = remote.run(&args);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stderr.contains("removed nothing"), "{}", run.stderr);
    assert_eq!(files(&mirror), before);
}

#[test]
fn a_mirror_is_refused_where_it_would_harm() {
    let remote = brain();
    let notes = remote.project.path("");
    remote
        .run(&["add", notes.to_str().unwrap(), "--name", "notes"])
        .ok();
    for (place, said) in [
        ("mirror", "is inside the collection"),
        ("..", "contains it"),
        ("https://host/x", "expected a folder, or an object store"),
        ("s3://me:word@bucket/x", "contains a user name"),
    ] {
        let run = remote.run(&["mirror", "-c", "notes", place]);
        assert_eq!(run.code, Some(2));
        assert!(
            run.stderr.contains(said) && !run.stderr.contains("word@"),
            "{}",
            run.stderr
        );
    }
    let run = remote.run(&["mirror", "-c", "nothing", "../mirror"]);
    assert!(
        run.stderr.contains("unknown collection `nothing`"),
        "{}",
        run.stderr
    );
}

/// The names of what an index keeps of remote sources.
fn kept(remote: &Remote) -> Vec<String> {
    let kept = fs::read_dir(remote.project.data().join("excerpt/library/remotes"));
    let names = kept.into_iter().flatten();
    let mut names: Vec<String> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn of_a_repository_that_was_not_added_nothing_stays() {
    let remote = brain();
    let nowhere = ["add", &remote.address(), "--branch", "nowhere"];
    assert_eq!(remote.run(&nowhere).code, Some(2));
    assert_eq!(kept(&remote), [""; 0]);
    let notes = remote.project.path("inbox");
    remote
        .run(&["add", notes.to_str().unwrap(), "--name", "taken"])
        .ok();
    let taken = ["add", &remote.address(), "--name", "taken"];
    assert_eq!(remote.run(&taken).code, Some(2));
    assert_eq!(kept(&remote), [""; 0]);
    // The clone of a collection stays.
    remote.run(&["add", &remote.address()]).ok();
    let before = kept(&remote);
    assert_eq!(before.len(), 3, "{before:?}");
    assert_eq!(remote.run(&nowhere).code, Some(2));
    assert_eq!(kept(&remote), before);
    remote.run(&["search", "boat", "-c", "brain"]).ok();
}

#[test]
fn all_collections_of_a_repository_are_synced_when_requested() {
    let remote = brain();
    let (address, main) = (remote.address(), ["-q", "origin", "HEAD:trunk"]);
    remote.git(&[&["push"], &main[..]].concat());
    remote.run(&["add", &address, "--name", "a"]).ok();
    remote
        .run(&["add", &address, "--branch", "trunk", "--name", "b"])
        .ok();
    let server = Server::ready(&remote.project, &["--library"]);
    for word in ["oolong", "sencha", "matcha"] {
        let file = format!("inbox/{word}.md");
        let text = format!("# Tea\n\nA cup of {word}.\n");
        remote.push(&[(&*file, &*text)], "2026-11-21T10:00:00Z");
        remote.git(&[&["push"], &main[..]].concat());
        let synced = server.send("POST", "/v1/sync", &serde_json::json!({"wait": 50}));
        let synced = synced.ok();
        for collection in ["a", "b"] {
            let found = server.get(&format!(
                "/v1/search?query={word}&channels=keywords&collections={collection}"
            ));
            let found = found.ok();
            assert_eq!(
                found["hits"].as_array().unwrap().len(),
                1,
                "{synced} {found}"
            );
            assert_eq!(found["notes"], serde_json::json!([]), "{found}");
        }
    }
}

#[test]
fn a_failure_is_noted_where_it_concerns_what_was_searched() {
    let remote = brain();
    remote
        .run(&["add", &remote.address(), "--name", "brain"])
        .ok();
    let tea = remote.project.data().with_file_name("tea");
    fs::create_dir(&tea).unwrap();
    fs::write(tea.join("green.md"), "# Tea\n\nGreen tea and a boat.\n").unwrap();
    remote
        .run(&["add", tea.to_str().unwrap(), "--name", "tea"])
        .ok();
    let server = Server::ready(&remote.project, &["--library"]);
    fs::rename(remote.bare(), remote.bare().with_extension("aside")).unwrap();
    let wait = serde_json::json!({"wait": 50, "collections": ["brain"]});
    server.send("POST", "/v1/sync", &wait).ok();
    let notes = |rest: &str| {
        let found = server.get(&format!("/v1/search?query=boat&channels=keywords{rest}"));
        found.ok()["notes"].to_string()
    };
    for (rest, is_concerned) in [
        ("", true),
        ("&collections=brain", true),
        ("&collections=tea", false),
    ] {
        let noted = notes(rest);
        assert_eq!(
            noted.contains("older state"),
            is_concerned,
            "{rest}: {noted}"
        );
        assert_eq!(noted == "[]", !is_concerned, "{rest}: {noted}");
    }
    for (tool, arguments) in [
        ("search", serde_json::json!({"query": "boat"})),
        ("list", serde_json::json!({"what": "documents"})),
        ("get", serde_json::json!({"targets": ["green.md"]})),
    ] {
        for (collection, is_concerned) in [("brain", true), ("tea", false)] {
            let mut arguments = arguments.clone();
            arguments["collection"] = serde_json::json!([collection]);
            let text = server.tool(&server.token, tool, &arguments);
            assert_eq!(text.contains("older state"), is_concerned, "{tool}: {text}");
        }
    }
}
