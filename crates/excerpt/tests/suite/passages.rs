//! The output of `excerpt search` can be read, copied, piped, and used as input.

use serde_json::{Value, json};

use crate::fixture::{Project, Run};
use crate::mcp_client::Client;
#[cfg(unix)]
use crate::terminal::shown_in;

const LONG: &str = "A kettle of one litre takes four minutes to boil at sea level and somewhat longer in the mountains, where water boils at a lower temperature and tea needs more time to draw.";

fn notes() -> Project {
    Project::new()
        .file(
            "tea/green.md",
            format!("---\ntitle: Green\ntags: [kettle]\n---\n# Green tea\n\n## The kettle\n\n{LONG}\n\n## Cups\n\nSmall cups.\n"),
        )
        .file("tea/black.md", "# Black tea\n\nA `kettle` **boils**, see [green](green.md#the-kettle).\n")
        .file("coffee.md", "# Coffee\n\nGround beans.\n")
        .file(
            "src/heat.rs",
            "/// Fills the kettle.\npub fn fill() {}\n\n/// Heats the kettle.\npub fn heat() {}\n\n/// Empties the kettle.\npub fn empty() {}\n\n/// Cleans the kettle.\npub fn clean() {}\n",
        )
        .repository()
}

fn in_folder(project: &Project, folder: &str, args: &[&str]) -> Run {
    project.outcome(project.command(args).current_dir(project.path(folder)))
}

const SEARCH: [&str; 4] = ["search", "kettle", "--channels", "keywords"];

fn search(project: &Project, args: &[&str]) -> Run {
    project.run(&[&SEARCH, args].concat())
}

#[test]
fn nothing_is_added_to_a_text() {
    let project = notes();
    let run = search(&project, &[]).ok();
    let files = ["tea/green.md", "tea/black.md", "src/heat.rs"];
    let texts = files.map(|file| std::fs::read_to_string(project.path(file)).unwrap());
    let lines = run
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("    "));
    let lines: Vec<&str> = lines
        .filter(|line| !line.starts_with("also here: "))
        .collect();
    assert!(lines.len() > 4, "{}", run.stdout);
    for line in lines {
        let line = line.trim_start_matches("… ").trim_end_matches(" …");
        assert!(texts.iter().any(|text| text.contains(line)), "{line}");
    }
    assert!(
        run.stdout.contains("A `kettle` **boils**, see"),
        "{}",
        run.stdout
    );
}

#[test]
fn color_is_chosen_by_flag_and_variable() {
    let project = notes();
    let is_colored = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = project.command(&[&SEARCH, args].concat());
        command
            .env_remove("NO_COLOR")
            .envs(variables.iter().copied());
        project.outcome(&mut command).ok().stdout.contains('\x1b')
    };
    assert!(!is_colored(&[], &[]));
    assert!(is_colored(&["--color", "always"], &[]));
    assert!(is_colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(is_colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(
        &[],
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
    assert!(!is_colored(
        &["--color", "never"],
        &[("CLICOLOR_FORCE", "1")]
    ));
}

/// All paths and citations in the JSON output of a command.
fn places(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| places(value, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(place) if ["path", "citation"].contains(&&**name) => {
                        found.push(place.to_string());
                    }
                    _ => places(value, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn printed_paths_are_accepted_as_arguments() {
    let project = notes();
    search(&project, &[]).ok();
    let above = project.path("tea");
    let above = above.to_str().unwrap();
    let cases: [(&str, Vec<&str>); 10] = [
        (".", vec!["search", "kettle"]),
        (".", vec!["search", "kettle", "tea"]),
        ("tea", vec!["search", "kettle"]),
        ("tea", vec!["search", "kettle", ".."]),
        ("tea", vec!["search", "kettle", "../src"]),
        ("src", vec!["search", "kettle", above]),
        (".", vec!["list", "tea", "--documents"]),
        ("src", vec!["list", "../tea", "--recent"]),
        ("src", vec!["get", "../tea/black.md", "--links"]),
        ("tea", vec!["get", "green.md", "--links"]),
    ];
    for (folder, args) in cases {
        let run = in_folder(&project, folder, &[&args[..], &["--json"]].concat());
        let mut found = Vec::new();
        run.json().iter().for_each(|line| places(line, &mut found));
        assert!(!found.is_empty(), "{folder} {args:?}");
        let text = in_folder(&project, folder, &args).stdout;
        let cited = text
            .lines()
            .filter(|_| args[0] == "search")
            .filter_map(|line| {
                let line = line.trim_start().trim_start_matches("also here: ");
                let (citation, _) = line.split_once(" · ")?;
                citation.contains(':').then(|| citation.to_string())
            });
        found.extend(cited);
        let root = project.path(".").canonicalize().unwrap();
        let root = root.parent().unwrap().to_str().unwrap().to_string();
        for place in found {
            let place = place.replace("[folder]", &root);
            in_folder(&project, folder, &["get", &place]).ok();
            if !place.contains(':') {
                assert!(project.path(folder).join(&place).exists(), "{place}");
                in_folder(&project, folder, &["chunk", &place]).ok();
            }
        }
    }
}

#[test]
fn every_heading_and_definition_of_a_trail_is_a_section() {
    let project = notes().file(
        "src/cup.rs",
        "/// A cup.\npub struct Cup(u8);\n\nimpl Cup {\n    /// Warms the kettle.\n    pub fn warm(&self) -> u8 {\n        self.0\n    }\n}\n",
    );
    let hits = search(&project, &["--json", "--all"]).ok().json();
    let mut tried = 0;
    for hit in &hits {
        let path = hit["path"].as_str().unwrap();
        let names = [&hit["context"]["trail"], &hit["sections"], &hit["defines"]];
        for name in names
            .into_iter()
            .flat_map(|names| names.as_array().unwrap())
        {
            project
                .run(&["get", &format!("{path}#{}", name.as_str().unwrap())])
                .ok();
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
}

#[test]
fn a_document_of_a_collection_is_shown_with_its_name() {
    let project = notes();
    project.run(&["add", "tea", "--name", "Teas"]).ok();
    let run = project
        .run(&["search", "kettle", "-c", "teas", "--channels", "keywords"])
        .ok();
    let (citation, _) = run.stdout.split_once(" · ").unwrap();
    assert!(citation.starts_with("Teas › "), "{citation}");
    project.run(&["get", citation]).ok();
    let path = citation.rsplit_once(':').unwrap().0;
    project.run(&["chunk", path]).ok();
    let hit = &project
        .run(&["search", "kettle", "-c", "TEAS", "--json"])
        .ok()
        .json()[0];
    assert!(project.path(hit["path"].as_str().unwrap()).exists());
    project
        .run(&["get", hit["citation"].as_str().unwrap()])
        .ok();
}

#[test]
fn chunk_shows_what_the_index_stores_from_any_folder() {
    let project = notes().file(
        "excerpt.toml",
        "[chunking]\ntarget = 30\nmax = 40\nmin = 1\n",
    );
    let stored = project.run(&["get", "tea/green.md", "--json"]);
    let stored = match stored.code {
        Some(0) => stored,
        _ => {
            project.run(&["sync"]).ok();
            project.run(&["get", "tea/green.md", "--json"]).ok()
        }
    };
    let ids = |chunks: &Value| -> Vec<String> {
        let chunks = chunks.as_array().unwrap().iter();
        chunks
            .map(|chunk| chunk["id"].as_str().unwrap().to_string())
            .collect()
    };
    let stored = ids(&stored.json()[0]["chunks"]);
    assert!(stored.len() > 2, "{stored:?}");
    for (folder, path) in [
        (".", "tea/green.md"),
        ("tea", "green.md"),
        ("src", "../tea/green.md"),
        ("src", "../tea"),
    ] {
        let run = in_folder(&project, folder, &["chunk", path, "--format", "json"]).ok();
        let output: Value = serde_json::from_str(&run.stdout).unwrap();
        let documents = output["documents"].as_array().unwrap();
        let green = documents
            .iter()
            .find(|document| document["source_path"] == "tea/green.md");
        assert_eq!(ids(&green.unwrap()["chunks"]), stored, "{folder} {path}");
    }
}

#[test]
fn weak_matches_are_counted_and_shown_on_request() {
    let project = Project::new()
        .file("a.md", "# Brewing tea\n\nHow long green tea brews.\n")
        .file("b.md", "# Tea\n\nOther words.\n")
        .file("c.md", "# More tea\n\nSome words.\n");
    let args = [
        "search",
        "how long does green tea brew",
        "--channels",
        "keywords",
    ];
    let run = project.run(&args).ok();
    assert!(
        run.stdout.ends_with("2 weaker matches: --all shows more\n"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("b.md"), "{}", run.stdout);
    let run = project.run(&[&args[..], &["--all"]].concat()).ok();
    assert!(
        run.stdout.contains("b.md:1-3 · Tea · weak match\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn passages_files_and_the_best_alone() {
    let project = notes();
    let run = search(&project, &["--full"]).ok();
    assert!(
        run.stdout.contains(&format!("\n{LONG}\n")),
        "{}",
        run.stdout
    );
    let run = search(&project, &["--files"]).ok();
    let mut files: Vec<&str> = run.stdout.lines().collect();
    files.sort_unstable();
    assert_eq!(files, ["src/heat.rs", "tea/black.md", "tea/green.md"]);
    assert_eq!(run.stderr, "");
    let run = search(&project, &["--min-score", "99"]);
    assert_eq!((run.code, &*run.stdout), (Some(1), ""));
}

#[test]
fn a_precise_answer_is_the_text_around_the_evidence() {
    let filler = "The garden is watered in the evening, when it is cool.\n".repeat(12);
    let text =
        format!("---\ntitle: Day\n---\n# Day\n\n{filler}\nThe kettle broke at noon.\n\n{filler}");
    let project = Project::new().file("day.md", &*text);
    let question = ["search", "when was it that the kettle broke"];
    let found = |more: &[&str]| {
        let run = project.run(&[&question, more].concat()).ok();
        serde_json::from_str::<Value>(run.stdout.lines().next().unwrap()).unwrap()
    };
    let whole = found(&["--json"]);
    let precise = found(&["--json", "--precise"]);
    let evidence = precise["text"].as_str().unwrap();
    assert!(evidence.contains("kettle broke at noon"), "{evidence}");
    assert!(evidence.len() < whole["text"].as_str().unwrap().len() / 2);
    assert_eq!(
        (&precise["id"], &precise["score"]),
        (&whole["id"], &whole["score"])
    );
    // Its place is that of the text.
    let bytes: Vec<usize> = serde_json::from_value(precise["span"]["bytes"].clone()).unwrap();
    assert_eq!(&text[bytes[0]..bytes[1]], evidence);
    let lines: Vec<usize> = serde_json::from_value(precise["span"]["lines"].clone()).unwrap();
    let before = text[..bytes[0]].matches('\n').count() + 1;
    assert_eq!(
        lines,
        [before, before + evidence.trim_end().matches('\n').count()]
    );
    assert_eq!(
        precise["citation"],
        format!("day.md:{}-{}", lines[0], lines[1])
    );
    let shown = project.run(&[&question[..], &["--precise"]].concat()).ok();
    assert!(shown.stdout.contains("kettle broke at noon"));
    // As a setting.
    let project = project.file("excerpt.toml", "[search]\nprecise = true\n");
    let run = project.run(&[&question[..], &["--json"]].concat()).ok();
    assert!(
        run.stdout
            .contains(&serde_json::to_string(evidence).unwrap()),
        "{}",
        run.stdout
    );
}

#[test]
fn hits_far_below_the_best_are_left_out_on_request() {
    let project = notes();
    let scores = |share: &str| -> Vec<f64> {
        let run = search(&project, &["--json", "--min-share", share]).ok();
        let lines = run.stdout.lines();
        let hits = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        hits.map(|hit| hit["score"].as_f64().unwrap()).collect()
    };
    let all = scores("0");
    let share = all[1] / all[0] - 0.001;
    assert_eq!(scores(&share.to_string()), all[..2]);
    assert_eq!(scores("1")[0], all[0]);
    search(&project, &["--min-share", "1.5"])
        .fails("excerpt: `min_share` is `1.5`, expected a share from 0 to 1");
}

#[test]
fn a_pattern_gets_every_document_that_it_matches() {
    let project = notes();
    project.run(&["sync"]).ok();
    let got = |folder: &str, pattern: &str| -> Vec<String> {
        let lines = in_folder(&project, folder, &["get", pattern, "--json"])
            .ok()
            .json();
        lines
            .iter()
            .map(|line| line["path"].as_str().unwrap().to_string())
            .collect()
    };
    assert_eq!(got(".", "tea/*.md"), ["tea/black.md", "tea/green.md"]);
    assert_eq!(got(".", "*.md"), ["coffee.md"]);
    assert_eq!(
        got(".", "**/{green,coffee}.md"),
        ["coffee.md", "tea/green.md"]
    );
    assert_eq!(got("src", "../tea/b*"), ["../tea/black.md"]);
    project
        .run(&["get", "no*.md"])
        .fails("excerpt: no indexed document matches `no*.md`");
}

#[test]
fn a_name_with_brackets_is_accepted_as_an_argument() {
    let project = Project::new().file("app/[id]/{a}.md", "# Pages\n\nThe kettle.\n");
    let run = project
        .run(&["search", "kettle", "--channels", "keywords"])
        .ok();
    let (citation, _) = run.stdout.split_once(" · ").unwrap();
    assert_eq!(citation, "app/[id]/{a}.md:1-3");
    for target in [citation, "app/[id]/{a}.md", "app/[id]/{a}.md#pages"] {
        project.run(&["get", target]).ok();
    }
    std::fs::remove_file(project.path("app/[id]/{a}.md")).unwrap();
    for target in [citation, "app/[id]/{a}.md"] {
        project.run(&["get", target]).ok();
    }
}

#[test]
fn a_question_without_a_command_is_searched() {
    let project = notes();
    let run = project
        .run(&["which kettle", "--channels", "keywords"])
        .ok();
    assert!(run.stdout.contains("tea/green.md:"), "{}", run.stdout);
    let run = project.run(&["kettel"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn the_passage_is_opened_at_its_line() {
    let project = notes();
    let mut command =
        project.command(&["search", "small cups", "--open", "--channels", "keywords"]);
    // `emacs` gets a line as `+N`; this one prints its arguments.
    let editor = project.path("emacs");
    project.write(
        "emacs",
        "#!/bin/sh\nprintf \'%s\' \"$*\" > \"$(dirname \"$0\")/asked\"\n",
    );
    std::process::Command::new("chmod")
        .arg("+x")
        .arg(&editor)
        .status()
        .unwrap();
    command.env_remove("VISUAL").env("EDITOR", &editor);
    project.outcome(&mut command).ok();
    let asked = std::fs::read_to_string(project.path("asked")).unwrap();
    let green = project.path("tea/green.md").canonicalize().unwrap();
    assert!(
        asked.starts_with('+') && asked.ends_with(green.to_str().unwrap()),
        "{asked}"
    );
}

#[test]
fn without_results_skipped_files_are_reported() {
    let project = Project::new()
        .file("papers/a.mp3", b"ID3\x03\0\0")
        .file("papers/b.mp3", b"ID3\x03\0\0")
        .file("papers/notes.txt", b"%PDF-1.7\nwarranty\n")
        .file("big.log", "warranty\n".repeat(300_000))
        .file("other.md", "# Other\n");
    let run = project.run(&["search", "warranty", "papers"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("note: not searched: 3 binary (such as `papers/a.mp3`); `excerpt status --skips` lists them all"),
        "{}",
        run.stderr
    );
    let run = project.run(&["search", "warranty", "big.log"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("`big.log` is not indexed: too large (2700000 bytes, the limit is 2097152): raise `max_file_size`"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_file_that_cannot_be_read_is_not_added() {
    let project = Project::new().file("a.pdf", b"%PDF-1.7\n1 0 obj << /Length 5 >>\n");
    let run = project.run(&["add", "a.pdf"]);
    run.fails("excerpt: `a.pdf` is not indexed: no text extracted (damaged: it has no pages)");
    project.write("a.mp3", b"ID3\x03\0\0");
    let run = project.run(&["add", "a.mp3"]);
    run.fails("excerpt: `a.mp3` is not indexed: binary: excerpt cannot read this format; to convert it, name a program in `[readers]` of your own excerpt.toml");
    assert_eq!(project.run(&["list"]).code, Some(1));
}

#[test]
fn the_rule_that_ignores_is_named_and_can_be_overridden() {
    let project = Project::new()
        .file("logs/.gitignore", "# generated\n*.log\n")
        .file("logs/run.log", "the kettle exploded\n");
    let run = project.run(&["search", "kettle", "logs"]);
    assert_eq!(run.code, Some(1));
    let rule = "not searched: 1 ignored (`logs/run.log`, by `*.log` in `.gitignore`)";
    assert!(run.stderr.contains(rule), "{}", run.stderr);
    assert!(
        run.stderr.contains("--no-ignore includes what is ignored"),
        "{}",
        run.stderr
    );
    let run = project
        .run(&["search", "kettle", "logs", "--no-ignore"])
        .ok();
    assert!(run.stdout.contains("logs/run.log:1-1"), "{}", run.stdout);
    let run = project.run(&["sync", "logs"]).ok();
    assert!(
        run.stderr.contains("--no-ignore includes them"),
        "{}",
        run.stderr
    );
    project.write("logs/excerpt.toml", "[files]\nignore_files = false\n");
    project.run(&["search", "kettle", "logs"]).ok();
    project
        .run(&["add", "logs", "--no-ignore", "--name", "all"])
        .ok();
    project.run(&["search", "kettle", "-c", "all"]).ok();
}

#[test]
fn a_very_large_page_is_written_by_force_alone() {
    let project = Project::new().file("large.txt", "word\n".repeat(1_000_000));
    let run = project.run(&["chunk", "large.txt", "--format", "html"]);
    run.fails("excerpt: the page of `large.txt` would take about 20.0 MB, and a browser shows that slowly: name a part of it, or write it with `--force`");
    let page = project
        .run(&["chunk", "large.txt", "--format", "html", "--force"])
        .ok();
    assert!(page.stdout.ends_with("</html>\n"));
}

#[test]
fn windows_1252_is_read_and_reported() {
    let project = Project::new().file("brief.txt", b"Die Gr\xfc\xdfe aus K\xf6ln.\n");
    let hit = &project
        .run(&["search", "gr\u{fc}\u{df}e", "--json"])
        .ok()
        .json()[0];
    assert_eq!(hit["document"]["encoding"], "windows-1252");
    assert_eq!(hit["text"], "Die Gr\u{fc}\u{df}e aus K\u{f6}ln.");
    let run = project.run(&["chunk", "brief.txt"]).ok();
    assert!(
        run.stderr.contains("`brief.txt` is read as windows-1252"),
        "{}",
        run.stderr
    );
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = project.run(&["completions", shell]).ok();
        assert!(run.stdout.contains("doctor"), "{shell}");
    }
    let page = project.run(&["man"]).ok().stdout;
    assert!(
        page.contains(".TH excerpt") && page.contains("doctor"),
        "{page}"
    );
    let page = project.run(&["man", "search"]).ok().stdout;
    assert!(page.contains(r"\-\-explain"), "{page}");
    project.run(&["man", "--out", "."]).ok();
    assert!(project.path("excerpt-search.1").exists());
    assert_eq!(project.run(&["man", "nosuch"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn an_answer_respects_the_width_of_the_terminal() {
    let project = notes();
    project.run(&["sync"]).ok();
    for columns in [60, 80, 120, 200] {
        let shown = shown_in(
            &project,
            &[&SEARCH[..], &["--sync", "never"]].concat(),
            columns,
        );
        let (answer, _) = shown.split_once("matched ").unwrap();
        let widest = answer
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= usize::from(columns), "{columns}: {answer}");
        insta::assert_snapshot!(format!("passages_{columns}"), answer);
    }
}

#[test]
fn errors_and_links_show_paths_from_the_working_directory() {
    let project = notes();
    project.run(&["sync"]).ok();
    for (target, message) in [
        ("green.md#watr", "`green.md` has no section `watr`"),
        ("green.md:90", "invalid line range `90` for `green.md`"),
        (
            "../coffee.md:90",
            "invalid line range `90` for `../coffee.md`",
        ),
    ] {
        let run = in_folder(&project, "tea", &["get", target]);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
    let run = in_folder(&project, "tea", &["get", "black.md", "--links"]).ok();
    let link = "#the-kettle → green.md:7-10";
    assert!(run.stdout.contains(link), "{}", run.stdout);
    assert!(!run.stdout.contains("tea/green.md"), "{}", run.stdout);
}

#[test]
fn the_advice_about_a_skipped_file_names_options_that_are_there() {
    let project = Project::new().file("big.log", "warranty\n".repeat(300_000));
    let told = "`big.log` is not indexed: too large (2700000 bytes, the limit is 2097152): ";
    project
        .run(&["add", "big.log"])
        .fails(&format!("excerpt: {told}raise it with `--max-file-size`"));
    let run = project.run(&["search", "warranty", "big.log"]);
    let advice = format!("{told}raise `max_file_size` in `[files]` of your excerpt.toml");
    assert!(run.stderr.contains(&advice), "{}", run.stderr);
    project.write("small.log", "warranty\n");
    project.run(&["add", "small.log"]).ok();
    project.write("small.log", "warranty\n".repeat(300_000));
    let run = project.run(&["search", "warranty", "-c", "small.log", "--sync", "always"]);
    let advice = "raise it with `excerpt edit small.log --max-file-size`";
    assert!(run.stderr.contains(advice), "{}", run.stderr);
    let mut client = Client::new(&project, &["--allow-write"]);
    client
        .call("add", json!({"path": "big.log"}))
        .fails(&format!(
            "{told}ask the user to raise `max_file_size` in `[files]` of their excerpt.toml"
        ));
}

/// Source code whose only definition with several methods is long.
fn code() -> Project {
    let mut text = String::from("/// Makes tea.\npub struct Maker;\n\nimpl Maker {\n");
    for name in ["fill", "heat", "steep", "pour"] {
        text += &format!(
            "    pub fn {name}(&self) {{\n        let mut level = 0;\n        while level < 10 {{\n            level += 1;\n        }}\n        report(\"{name}ing the samovar\", level);\n    }}\n\n"
        );
    }
    text += "}\n";
    Project::new().file("maker.rs", text)
}

#[test]
fn a_snippet_of_code_keeps_the_indentation_of_its_first_line() {
    let run = code().run(&["search", "heating the samovar"]).ok();
    let text = code();
    let text = std::fs::read_to_string(text.path("maker.rs")).unwrap();
    let lines = run.stdout.lines().skip(1);
    let shown = lines.take_while(|line| line.starts_with("    "));
    let mut count = 0;
    for line in shown {
        let line = line.trim_end_matches(" …").replacen("… ", "  ", 1);
        let is_there = text.lines().any(|known| format!("    {known}") == line);
        assert!(is_there, "{line:?} in\n{}", run.stdout);
        count += 1;
    }
    assert!(count > 1, "{}", run.stdout);
}

#[test]
fn a_label_has_the_names_in_the_chunk_after_those_around_it() {
    let project = code();
    project.write(
        "excerpt.toml",
        "[chunking]\nmax = 130\ntarget = 130\nmin = 10\n",
    );
    let run = project
        .run(&["search", "steeping the samovar", "--chunks", "--all"])
        .ok();
    assert!(run.stdout.contains("impl Maker > fn "), "{}", run.stdout);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let reply = client.call("search", json!({"query": "steeping the samovar"}));
    assert!(reply.text.contains("\"impl Maker > fn "), "{}", reply.text);
}
