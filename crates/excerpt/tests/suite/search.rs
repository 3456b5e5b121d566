//! `excerpt search`, `sync`, `status` and `get`.

use crate::fixture::Project;

fn notes() -> Project {
    Project::new()
        .file("tea/green.md", "---\ntags: [drinks]\n---\n# Green tea\n\n## Water\n\nThe water should have 80 degrees.\n\n## Time\n\nTwo minutes are enough.\n")
        .file("tea/black.md", "# Black tea\n\nBoiling water, four minutes.\n")
        .file("coffee.md", "# Coffee\n\nGround beans and water of 94 degrees.\n")
        .file("src/brew.rs", "/// Heats the water.\nfn heat_water(degrees: u32) {}\n")
}

#[test]
fn the_answer_is_grouped_by_document_with_a_place_to_open() {
    let run = notes()
        .run(&[
            "search",
            "how hot is the water for green tea",
            ".",
            "--channels",
            "keywords",
        ])
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    tea/green.md:1-12 · Green tea, Water +1
        … ## Water
        The water should have 80 degrees. …

    tea/black.md:1-3 · Black tea
        # Black tea
        Boiling water, four minutes.

    2 weaker matches: --all shows more
    ");
}

#[test]
fn the_first_search_indexes_and_a_later_one_sees_changes() {
    let project = notes();
    let search = |args: &[&str]| {
        let all = ["search", "chamomile", "--channels", "keywords"];
        project.run(&[&all, args].concat())
    };
    assert_eq!(search(&[]).code, Some(1));
    project.write("tea/herbs.md", "# Herbs\n\nChamomile helps.\n");
    let hits = search(&["--json"]).ok().json();
    assert_eq!(hits[0]["path"], "tea/herbs.md");
    std::fs::remove_file(project.path("tea/herbs.md")).unwrap();
    let run = search(&["--sync", "never", "--json"]).ok();
    assert_eq!(run.json().len(), 1, "not asked to look");
    assert_eq!(search(&[]).code, Some(1));
}

/// The last column of the lines of an explanation, in thousandths.
fn thousandths(line: &str) -> i64 {
    let number = line.rsplit(' ').next().unwrap();
    number.replace('.', "").parse().unwrap()
}

#[test]
fn a_score_is_explained_by_lines_that_add_up() {
    let project = notes();
    let run = project
        .run(&["search", "water of 80 degrees", "--explain", "-n", "1"])
        .ok();
    insta::assert_snapshot!(run.stdout, @r"
    tea/green.md:1-12 · Green tea, Water +1 · score 1.22
            keywords   rank 1, BM25 1.80    0.700
            vectors    rank 3, cosine 0.36  0.237
            all words  × 1.30               0.282
            score                           1.219
        … The water should have 80 degrees.
        ## Time …
    ");
    let run = project
        .run(&["search", "water of 80 degrees", "--explain", "--all"])
        .ok();
    let mut sum = 0;
    let mut scores = 0;
    for line in run.stdout.lines() {
        let Some(line) = line.strip_prefix("        ") else {
            continue;
        };
        if line.starts_with("score") {
            assert_eq!(sum, thousandths(line), "{}", run.stdout);
            sum = 0;
            scores += 1;
        } else {
            sum += thousandths(line);
        }
    }
    assert!(scores >= 4, "{}", run.stdout);
}

#[test]
fn json_explains_every_score() {
    let project = notes();
    for fusion in ["convex", "rrf"] {
        for channels in ["both", "keywords", "vectors"] {
            let args = [
                "search",
                "water of 80 degrees",
                "--json",
                "--fusion",
                fusion,
                "--channels",
                channels,
            ];
            for hit in project.run(&args).ok().json() {
                let explanation = &hit["explanation"];
                let share = |value: &serde_json::Value| value["share"].as_f64().unwrap_or(0.0);
                let signals = explanation["signals"].as_array().unwrap().iter();
                let sum = share(&explanation["keywords"])
                    + share(&explanation["vectors"])
                    + signals.map(share).sum::<f64>();
                let score = hit["score"].as_f64().unwrap();
                assert!((sum - score).abs() < 1e-5, "{sum} {hit}");
                assert!(explanation["keywords"].is_null() || channels != "vectors");
                assert!(explanation["vectors"].is_null() || channels != "keywords");
            }
        }
    }
}

#[test]
fn the_footer_names_the_channels() {
    let project = notes();
    for (channels, said) in [
        ("both", "keywords and vectors"),
        ("keywords", "keywords"),
        ("vectors", "vectors"),
    ] {
        let run = project
            .run(&["search", "water", "--channels", channels])
            .ok();
        let last = run.stderr.trim_end().rsplit(" · ").next().unwrap();
        assert_eq!(last, said);
    }
}

#[test]
fn json_is_one_ranked_chunk_per_line() {
    let project = notes();
    let run = project.run(&["search", "water degrees", "--json"]).ok();
    let hits = run.json();
    for (index, hit) in hits.iter().enumerate() {
        assert_eq!(hit["rank"], index + 1);
        assert_eq!(hit["schema"], 1);
        assert!(hit["score"].as_f64().unwrap() > 0.0);
        let file = std::fs::read_to_string(project.path(hit["path"].as_str().unwrap())).unwrap();
        let [start, end] = [0, 1].map(|at| hit["span"]["bytes"][at].as_u64().unwrap() as usize);
        assert_eq!(hit["text"], file[start..end]);
    }
    let green = hits
        .iter()
        .find(|hit| hit["path"] == "tea/green.md")
        .unwrap();
    assert_eq!(green["document"]["metadata"]["tags"][0], "drinks");
    assert_eq!(green["document"]["first_heading"], "Green tea");
    assert_eq!(green["document"]["title"], "Green tea");
    assert_eq!(green["sections"][1], "Water");
}

#[test]
fn a_limit_counts_documents_or_chunks() {
    let long = format!(
        "# Long\n\n{}",
        "Water is wet. Every sentence here speaks of water.\n\n".repeat(200)
    );
    let project = notes().file("long.md", long);
    let documents = project
        .run(&["search", "water", "--json", "-n", "1"])
        .ok()
        .json();
    let paths: std::collections::HashSet<_> = documents
        .iter()
        .map(|hit| hit["path"].to_string())
        .collect();
    assert_eq!(paths.len(), 1);
    let chunks = project
        .run(&["search", "water", "--json", "--chunks", "--limit", "4"])
        .ok()
        .json();
    assert_eq!(chunks.len(), 4);
}

#[test]
fn a_path_in_a_repository_is_a_part_of_its_index() {
    let project = notes().repository();
    let hits = project
        .run(&["search", "water", "tea", "--json"])
        .ok()
        .json();
    let paths: Vec<_> = hits
        .iter()
        .map(|hit| hit["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["tea/green.md", "tea/black.md"]);
    let run = project.run(&["search", "water", "tea/black.md"]).ok();
    assert!(run.stdout.starts_with("tea/black.md:1-3"), "{}", run.stdout);
    let indexes = std::fs::read_dir(project.data().join("excerpt/indexes")).unwrap();
    assert_eq!(indexes.count(), 1);
}

#[test]
fn nothing_is_written_into_the_searched_folder() {
    let project = notes();
    let listing = |project: &Project| {
        let mut paths: Vec<_> = std::fs::read_dir(project.path(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        paths.sort();
        paths
    };
    let before = listing(&project);
    project.run(&["search", "water"]).ok();
    assert_eq!(listing(&project), before);
}

#[test]
fn a_shared_index_is_named_by_flag_or_variable() {
    let project = notes();
    let index = project.data().join("mine");
    project
        .run(&["sync", "--index", index.to_str().unwrap()])
        .ok();
    assert!(index.join("excerpt.db").is_file());
    let output = project
        .command(&["search", "water", "--sync", "never"])
        .env("EXCERPT_INDEX", &index)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn sync_reports_its_result_and_reads_only_what_changed() {
    let project = notes()
        .file("logo.png", b"\x89PNG\0\0")
        .file(".env", "SECRET=1\n");
    let run = project.run(&["sync", "--json"]).ok();
    let report = &run.json()[0];
    assert_eq!(report["added"], 4);
    assert_eq!(report["skipped"]["binary"], 1);
    assert_eq!(report["skipped"]["secret"], 1);
    project.write("coffee.md", "# Coffee\n\nAnother text.\n");
    let report = &project.run(&["sync", "--json"]).ok().json()[0];
    assert_eq!(
        (&report["changed"], &report["unchanged"]),
        (&1.into(), &3.into())
    );
}

#[test]
fn a_project_sets_how_it_is_split() {
    let project = notes().repository().file(
        "people.md",
        "# People\n\n## Ann\n\nSings.\n\n## Bo\n\nPaints.\n",
    );
    let chunks = |project: &Project| {
        project
            .run(&["search", "ann bo sings paints", "people.md", "--json"])
            .ok()
            .json()
            .len()
    };
    assert_eq!(chunks(&project), 1);
    project.write("excerpt.toml", "[chunking]\npreset = \"memory\"\n");
    let report = &project.run(&["sync", "--json"]).ok().json()[0];
    assert_eq!(report["recut"], 5);
    assert_eq!(chunks(&project), 2);
    let table = project
        .run(&["chunk", "people.md", "--format", "jsonl"])
        .ok();
    assert_eq!(table.json().len(), 2);
}

#[test]
fn status_summarises_an_index_and_lists_skipped_files() {
    let project = notes()
        .file(".env", "SECRET=1\n")
        .file("big.txt", "x".repeat(3 << 20));
    project.run(&["sync"]).ok();
    let run = project.run(&["status", "--skips"]).ok();
    let stable: Vec<_> = run
        .stdout
        .lines()
        .filter(|line| {
            let name = line.trim_start().split(' ').next().unwrap();
            !["index", "contains", "vectors", "newest:"].contains(&name)
        })
        .collect();
    insta::assert_snapshot!(stable.join("\n"), @r"
    keywords  up to date
    [folder]/project: 4 documents in 4 chunks, synced just now
        domains: tea (2) · src (1)
        skipped: 1 may contain secrets, 1 too large
        .env: may contain secrets (by its name)
        big.txt: too large (3145728 bytes, the limit is 2097152)
    ");
    let json = &project.run(&["status", "--json"]).ok().json()[0];
    assert_eq!(json["documents"], 4);
    assert_eq!(json["keywords"], "in_step");
    assert_eq!(json["vectors"]["behind"], 0);
    assert_eq!(json["vectors"]["embedder"], json["configured_embedder"]);
    let vectors = run.stdout.lines().find(|line| line.starts_with("vectors"));
    assert!(
        vectors
            .unwrap()
            .starts_with("vectors   up to date, by `static-")
    );
}

#[test]
fn get_prints_a_document_or_some_of_its_lines() {
    let project = notes();
    project.run(&["sync"]).ok();
    let run = project.run(&["get", "tea/black.md:3"]).ok();
    assert_eq!(run.stdout, "Boiling water, four minutes.\n");
    let run = project.run(&["get", "coffee.md"]).ok();
    assert_eq!(
        run.stdout,
        "# Coffee\n\nGround beans and water of 94 degrees.\n"
    );
    let value = &project
        .run(&["get", "tea/green.md:4-6", "--json"])
        .ok()
        .json()[0];
    assert_eq!(value["span"]["lines"], serde_json::json!([4, 6]));
    assert_eq!(value["metadata"]["tags"][0], "drinks");
    std::fs::remove_file(project.path("coffee.md")).unwrap();
    project.run(&["get", "coffee.md"]).ok();
}

#[test]
fn only_weak_matches_count_as_no_result() {
    let project = notes();
    let search = |query: &str| project.run(&["search", query, "."]);
    let run = search("invoice for the quarterly taxes");
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains(" · weak match\n"), "{}", run.stdout);
    assert!(
        run.stderr
            .contains("note: only weak matches: probably nothing here answers this"),
        "{}",
        run.stderr
    );
    let run = search("how hot is the water for green tea");
    assert_eq!(run.code, Some(0));
    let best = run.stdout.lines().next().unwrap_or_default();
    assert!(
        best.starts_with("tea/green.md") && !best.contains("weak"),
        "{best}"
    );
}

#[test]
fn documents_without_chunks() {
    let project = Project::new()
        .file(
            "green.md",
            "---\ntitle: On green tea\n---\n# Tea\n\nTea water has 80 degrees.\n",
        )
        .file("milk.md", "# Milk\n\nMilk is for black tea.\n");
    let run = project.run(&["search", "tea water", "--documents"]).ok();
    let first = run.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("green.md · On green tea · score "),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("degrees"), "{}", run.stdout);
    let lines = project
        .run(&["search", "tea water", "--documents", "--json"])
        .ok()
        .json();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["rank"], &lines[0]["path"]),
        (&1.into(), &"green.md".into())
    );
    assert_eq!(lines[0]["document"]["title"], "On green tea");
    assert!(lines[0]["score"].as_f64() >= lines[1]["score"].as_f64());
    assert!(lines[0]["text"].is_null() && lines[0]["snippet"].is_null());
}

#[test]
fn the_status_of_one_thing_is_found_in_a_larger_plan() {
    let things = [
        ("Harbour crane", "waiting for the permit"),
        ("Outer mole", "finished"),
        ("Fish quay", "not begun"),
    ];
    let work = "The work goes on as the weather allows, with two people and a boat.\n\n".repeat(4);
    let mut plan = "# Plan\n\n".to_string();
    for (thing, status) in things {
        plan += &format!("## {thing}\n\n{work}- Status: {status}.\n\n");
    }
    let settings = "[chunking]\npreset = \"brain\"\ntarget = 60\nmax = 60\nmin = 5\noverlap = 0\n[files]\nignore = [\"*.toml\"]\n";
    let project = Project::new()
        .file("plan.md", plan)
        .file("excerpt.toml", settings);
    for (thing, status) in things {
        let question = format!("status of the {thing}");
        let hits = project.run(&["search", &question, "--json"]).ok().json();
        let mut texts = hits.iter().map(|hit| hit["text"].as_str().unwrap());
        // Its name is in the heading, which is in another chunk.
        let first = texts.find(|text| text.contains("Status: ")).unwrap();
        assert!(first.ends_with(&format!("Status: {status}.")), "{first}");
        assert!(!first.contains(thing), "{first}");
    }
}

#[test]
fn a_document_without_front_matter_or_heading_has_no_title() {
    let project = Project::new().file("bare.txt", "Words about tea.\n");
    let hit = &project.run(&["search", "tea", "--json"]).ok().json()[0];
    let document = &hit["document"];
    assert!(document["title"].is_null() && document["first_heading"].is_null());
    assert_eq!(document["metadata"], serde_json::json!({}));
    let run = project.run(&["search", "tea"]).ok();
    assert!(run.stdout.starts_with("bare.txt:1-1\n"), "{}", run.stdout);
}

#[test]
fn the_scores_of_documents_are_as_fine_as_the_fusion_needs() {
    let project = notes();
    let args = ["search", "tea", "--documents", "--all", "--fusion"];
    let scores = |fusion: &str| {
        let run = project.run(&[&args[..], &[fusion]].concat()).ok();
        let scores = run.stdout.lines().map(|line| {
            let (_, score) = line.split_once(" · score ").unwrap();
            score.split(' ').next().unwrap().to_string()
        });
        scores.collect::<Vec<_>>()
    };
    let decimals = |score: &str| score.split_once('.').unwrap().1.len();
    let rrf = scores("rrf");
    assert!(
        rrf.len() > 1 && rrf.iter().all(|score| decimals(score) == 4),
        "{rrf:?}"
    );
    assert!(rrf[0] != rrf[1], "{rrf:?}");
    assert!(scores("convex").iter().all(|score| decimals(score) == 2));
}
