//! User errors: each message names the problem and the next step, and nothing is lost.

use crate::fixture::Project;

#[test]
fn a_path_that_does_not_exist_is_named() {
    let project = Project::new();
    project
        .run(&["search", "x", "nowhere"])
        .fails("excerpt: cannot read `nowhere`: no such file or directory");
    project
        .run(&["chunk", "nowhere.md"])
        .fails("excerpt: cannot read `nowhere.md`: no such file or directory");
}

#[test]
fn contradicting_sizes_are_named() {
    let project = Project::new().file("a.md", "# A\n");
    let cases = [
        (
            &["--min", "400"][..],
            "excerpt: `min` is `400`, expected a size below `target` (400)",
        ),
        (
            &["--target", "300", "--max", "200"],
            "excerpt: `target` is `300`, expected a size from 1 to `max` (200)",
        ),
        (
            &["--overlap", "400"],
            "excerpt: `overlap` is `400`, expected a size below `target` (400)",
        ),
        (
            &["--max", "0"],
            "excerpt: `max` is `0`, expected a size of at least 1",
        ),
        (
            &["--max", "9223372036854775807"],
            "excerpt: `max` is `9223372036854775807`, expected a size of at most 4000000000",
        ),
        (
            &["--delimiter", "("],
            "excerpt: `delimiter` is `(`, expected a regular expression: unclosed group",
        ),
    ];
    for (flags, message) in cases {
        let args: Vec<&str> = ["chunk", "a.md"].iter().chain(flags).copied().collect();
        project.run(&args).fails(message);
    }
}

#[test]
fn an_unknown_value_is_named() {
    let project = Project::new().file("a.md", "# A\n");
    let run = project.run(&["chunk", "a.md", "--strategy", "semantic"]);
    insta::assert_snapshot!(run.stderr, @r"
    error: invalid value 'semantic' for '--strategy <NAME>': `strategy` is `semantic`, expected one of auto, markdown, headers, delimiter, fixed, code, whole, naive

    For more information, try '--help'.
    ");
    assert_eq!(run.code, Some(2));
    let run = project.run(&["chunk", "a.md", "--overlap", "120%"]);
    insta::assert_snapshot!(run.stderr, @r"
    error: invalid value '120%' for '--overlap <SIZE>': `overlap` is `120%`, expected a size such as `80`, or a share of `target` from `0%` to `99%`

    For more information, try '--help'.
    ");
}

#[test]
fn an_unknown_channel_or_fusion_is_named() {
    let project = Project::new().file("a.md", "# A\n");
    let run = project.run(&["search", "a", "--channels", "words"]);
    insta::assert_snapshot!(run.stderr, @r"
    error: invalid value 'words' for '--channels <WHAT>': expected one of both, keywords, vectors

    For more information, try '--help'.
    ");
    assert_eq!(run.code, Some(2));
    let run = project.run(&["search", "a", "--fusion", "RRF"]);
    insta::assert_snapshot!(run.stderr, @r"
    error: invalid value 'RRF' for '--fusion <HOW>': expected convex or rrf

    For more information, try '--help'.
    ");
}

#[test]
fn a_number_that_an_option_cannot_have_is_an_error_that_says_what_is_expected() {
    let project = Project::new().file("a.md", "# A\n");
    let wrong = [
        (
            "search a --wait",
            "soon -1 inf NaN 1e9",
            "a number of seconds up to 3600",
        ),
        (
            "search a --limit",
            "0 -1 many 2.5",
            "a whole number of at least 1",
        ),
        ("search a --min-score", "high 1,5", "a number, such as 0.5"),
        ("search a --min-share", "half 50%", "a number, such as 0.5"),
        ("list --recent", "0 -1", "a whole number of at least 1"),
        (
            "list --recent",
            ". notes all",
            "a whole number of at least 1; a folder comes first, as in `list FOLDER --recent`",
        ),
        ("add . --max-file-size", "-1 1k", "a whole number of bytes"),
    ];
    for (command, values, expected) in wrong {
        for value in values.split(' ') {
            let whole = format!("{command}={value}");
            let run = project.run(&whole.split(' ').collect::<Vec<_>>());
            let told = format!(": expected {expected}\n");
            assert!(run.stderr.contains(&told), "{whole}: {}", run.stderr);
            assert_eq!(run.code, Some(2), "{whole}");
        }
    }
}

#[test]
fn a_pattern_that_can_match_nothing_is_an_error() {
    let project = Project::new().file("a.md", "# A\n");
    for option in ["--include", "--ignore"] {
        let run = project.run(&["add", ".", "--name", "tea", option, "*.[md"]);
        assert!(run.stderr.contains("`*.[md`"), "{}", run.stderr);
        assert_eq!(run.code, Some(2));
    }
    assert_eq!(project.run(&["list", "-c", "tea"]).code, Some(2));
}

#[test]
fn an_error_in_the_configuration_file_is_shown_with_its_position() {
    let project = Project::new().file("a.md", "# A\n").file(
        "excerpt.toml",
        "[chunking]\nmax = 100\nmin_chunk_size = 200\n",
    );
    let message = "excerpt: [folder]/project/excerpt.toml:3:1: `min` is `200`, expected a size below `target` (100)\n3 | min_chunk_size = 200\n  | ^^^^^^^^^^^^^^";
    project.run(&["chunk", "a.md"]).fails(message);
    project.run(&["search", "a"]).fails(message);
}

#[test]
fn a_question_without_a_word_is_an_error() {
    let project = Project::new().file("a.md", "# A\n");
    project
        .run(&["search", "?!"])
        .fails("excerpt: the query `?!` contains no words: give at least one letter or digit");
}

#[test]
fn without_an_index_there_is_a_next_step() {
    let project = Project::new().file("a.md", "# A\n");
    let run = project.run(&["search", "a", "--sync", "never"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .starts_with("excerpt: no index in `[folder]/data/excerpt/indexes/project-"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .trim_end()
            .ends_with("`: run `excerpt sync` to create one"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let project = Project::new()
        .file("a.md", "# A\n")
        .file("other/file.txt", "x");
    let index = project.path("other");
    project.run(&["search", "a", "--index", index.to_str().unwrap()]).fails("excerpt: `[folder]/project/other` is not empty and contains no index: choose an empty folder or an existing index");
    assert_eq!(std::fs::read_dir(index).unwrap().count(), 1);
}

#[test]
fn a_database_that_is_not_ours_is_left_alone() {
    let project = Project::new()
        .file("a.md", "# A\n")
        .file("other/excerpt.db", "not a database");
    let index = project.path("other");
    let run = project.run(&["search", "a", "--index", index.to_str().unwrap()]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("`[folder]/project/other/excerpt.db`"),
        "{}",
        run.stderr
    );
    assert_eq!(
        std::fs::read(index.join("excerpt.db")).unwrap(),
        b"not a database"
    );
}

#[test]
fn the_error_for_an_unknown_document_suggests_the_closest() {
    let project = Project::new().file("notes/tea.md", "# Tea\n");
    project.run(&["sync"]).ok();
    project
        .run(&["get", "notes/tee.md"])
        .fails("excerpt: `notes/tee.md` is not in the index, did you mean `notes/tea.md`?");
    project
        .run(&["get", "notes/tea.md:7"])
        .fails("excerpt: invalid line range `7` for `notes/tea.md`: it has 1 line");
}

#[test]
fn an_unreadable_file_does_not_stop_a_sync() {
    let project = Project::new()
        .file("good.md", "# Good\n")
        .file("bad.md", b"\xff\x81 broken")
        .file("link-target.md", "# T\n");
    std::os::unix::fs::symlink("nowhere", project.path("dangling.md")).unwrap();
    let report = &project.run(&["sync", "--json"]).ok().json()[0];
    assert_eq!(report["added"], 2);
    assert_eq!(report["skipped"]["not_utf8"], 1);
    assert_eq!(report["skipped"]["link"], 1);
}

#[test]
fn flags_of_other_tools_work_or_are_answered_with_ours() {
    let project = Project::new().file("a.md", "# A\n\n## B\n\nText.\n");
    let run = project.run(&["chunk", "a.md", "--strategy", "none"]).ok();
    assert!(run.stdout.contains(" · whole ("), "{}", run.stdout);
    let tip = |args: &[&str]| {
        let run = project.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stdout);
        let lines: Vec<&str> = run.stderr.lines().collect();
        let mut tips = lines.iter().filter_map(|line| line.strip_prefix("  tip: "));
        let tip = tips
            .next()
            .unwrap_or_else(|| panic!("{args:?}: {}", run.stderr));
        assert_eq!(tips.next(), None, "{}", run.stderr);
        tip.to_string()
    };
    for (theirs, ours) in [
        ("--chunk-strategy", "--strategy"),
        ("--chunk-min-size", "--min"),
        ("--min-chunk-size", "--min"),
        ("--chunk-max-size", "--max"),
        ("--max-chunk-size", "--max"),
        ("--chunk-header-levels", "--levels"),
        ("--chunk-delimiter", "--delimiter"),
        ("--fixed-overlap", "--overlap"),
    ] {
        for command in ["chunk", "add"] {
            let flag = tip(&[command, "a.md", theirs, "3"]);
            assert_eq!(flag, format!("`{theirs}` is `{ours}` here"));
        }
    }
    for (args, expected) in [
        (
            &["chunk", "a.md", "--tokens", "400"][..],
            "`--tokens` is `--target` and `--max` here",
        ),
        (
            &["chunk", "a.md", "--preview"],
            "`excerpt chunk` only previews: omit `--preview`",
        ),
        (
            &["add", "--type", "doc", "--path", "a.md"],
            "pass it without a flag: `excerpt add FOLDER|FILE|ADDRESS|-`",
        ),
        (
            &["search", "x", "--max-num-results", "3"],
            "`--max-num-results` is `--limit` here",
        ),
        (
            &["--color", "never", "search", "x", "--folder=docs"],
            "pass it without a flag: `excerpt search PATH`",
        ),
        (
            &["add-resource", "--type", "doc"],
            "`add-resource` is `excerpt add` here",
        ),
    ] {
        assert_eq!(tip(args), expected);
    }
    // What nobody calls so is answered as ever.
    assert_eq!(
        tip(&["search", "x", "--limitt", "3"]),
        "a similar argument exists: '--limit'"
    );
}

#[test]
fn a_flag_without_effect_is_an_error() {
    let project = Project::new().file("a.md", "# A\n\nTea.\n");
    for (args, flag) in [
        (
            &["search", "tea", "--documents", "--explain"][..],
            "--explain",
        ),
        (&["search", "tea", "--files", "--explain"], "--explain"),
        (&["status", "--config", "--skips"], "--skips"),
    ] {
        let run = project.run(args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(
            run.stderr.contains(flag) && run.stderr.contains("cannot be used with"),
            "{}",
            run.stderr
        );
    }
    project
        .run(&["search", "tea", "--no-ignore", "--sync", "never"])
        .fails("excerpt: `--no-ignore` selects what is indexed, and `--sync never` indexes nothing: leave one out");
    project
        .run(&["list", "--indexes", "--index", "x"])
        .fails("excerpt: `--indexes` lists all indexes, and `--index` names one: leave one out");
    project.run(&["sync"]).ok();
    let mut listed = project.command(&["list", "--indexes"]);
    project.outcome(listed.env("EXCERPT_INDEX", "x")).ok();
}

#[test]
fn a_word_in_the_place_of_a_command_is_answered_with_a_search() {
    let project = Project::new();
    let tip = |word: &str| {
        let run = project.run(&[word]);
        assert_eq!(run.code, Some(2));
        let mut lines = run.stderr.lines().map(str::to_string);
        lines.find(|line| line.starts_with("  tip: ")).unwrap()
    };
    assert_eq!(
        tip("bread"),
        "  tip: to search for it: `excerpt search bread`"
    );
    assert!(tip("serch").contains("'search'"));
}
