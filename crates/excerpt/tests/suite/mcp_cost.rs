//! The cost of an answer for a model: everything in the result of a call, counted by a real
//! tokenizer, over folders that were not written for these tests.

use std::path::Path;

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::mcp_client::Client;

/// The maximum number of tokens of an answer with five hits, and of one without any.
const HITS: usize = 1_200;
const NOTHING: usize = 200;

const DOCS: [&str; 8] = [
    "what happens to a search when the embedding endpoint does not answer",
    "how do I add a folder as a collection",
    "filter a search by tags or front matter",
    "which chunking strategy keeps code blocks together",
    "what does an agent see of a folder",
    "citation",
    "measure the quality of a search",
    "read a section of a document by its heading",
];

const SOURCES: [&str; 8] = [
    "lock that lets only one process write the index",
    "how is a snippet chosen",
    "fuse keyword and vector results",
    "struct Hit",
    "parse front matter of markdown",
    "what happens when a file is removed during a sync",
    "fn search",
    "detect secrets in a file",
];

const UNANSWERABLE: [&str; 5] = [
    "zeppelin maintenance schedule",
    "recipe for sourdough bread with rye",
    "who won the football championship",
    "\"quarterly revenue forecast\"",
    "train from Lisbon to Porto",
];

/// A copy of the files of this repository below `folder`, outside of any repository.
fn copied(folder: &str) -> Project {
    fn copy(mut project: Project, from: &Path, to: &str) -> Project {
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let to = format!("{to}{}", entry.file_name().to_str().unwrap());
            project = match entry.file_type().unwrap().is_dir() {
                true => copy(project, &entry.path(), &format!("{to}/")),
                false => project.file(&to, std::fs::read(entry.path()).unwrap()),
            };
        }
        project
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = copy(Project::new(), &repository.join(folder), "");
    project.run(&["sync"]).ok();
    project
}

/// The text of an answer, and the tokens of everything that a client can pass to a model.
fn asked(client: &mut Client, arguments: Value) -> (String, usize) {
    let asked = json!({"name": "search", "arguments": arguments});
    let result = client.request("tools/call", asked)["result"].clone();
    let tokens = bpe_openai::o200k_base().count(&result.to_string());
    (
        result["content"][0]["text"].as_str().unwrap().to_string(),
        tokens,
    )
}

#[test]
fn an_answer_costs_little_and_keeps_its_citations() {
    for (folder, questions) in [("docs", DOCS), ("crates/excerpt-index/src", SOURCES)] {
        let project = copied(folder);
        let mut client = Client::new(&project, &["--sync", "never"]);
        let mut of_five = 0;
        for question in questions {
            let (text, tokens) = asked(&mut client, json!({"query": question}));
            println!("{tokens:>5} {folder}: {question}");
            assert!(tokens <= HITS, "{tokens} tokens: {text}");
            let data = json!({"query": question, "format": "json", "max_tokens": 50_000});
            let data = client.call("search", data).ok();
            let hits = data.data["hits"].as_array().unwrap().iter();
            let strong: Vec<&Value> = hits.filter(|hit| hit["weak"] == false).collect();
            of_five += usize::from(strong.len() == 5);
            for hit in &strong {
                let citation = hit["citation"].as_str().unwrap();
                assert!(text.contains(citation), "{citation}: {text}");
                // The citation can be read as it is.
                let read = json!({"targets": [citation], "format": "json", "max_tokens": 50_000});
                let read = client.call("get", read).ok().data["items"][0]["text"].clone();
                let (read, found) = (read.as_str().unwrap(), hit["text"].as_str().unwrap());
                // The place of a file that is not text may be a part of what was found.
                let is_part = citation.contains('#') && found.contains(read.trim_end());
                assert!(is_part || read.contains(found.trim_end()), "{citation}");
            }
            // The first hit has enough text to be useful.
            let first = strong.first().map(|_| text.lines().nth(1).unwrap());
            assert!(first.is_none_or(|line| !line.starts_with('@')), "{text}");
        }
        assert!(of_five >= 2, "{folder}: {of_five} answers of five hits");
        for question in UNANSWERABLE {
            let (text, tokens) = asked(&mut client, json!({"query": question}));
            println!("{tokens:>5} {folder}: {question}");
            assert!(tokens < NOTHING, "{tokens} tokens: {text}");
            let is_told = ["only weak matches", "no results"];
            assert!(is_told.iter().any(|told| text.contains(told)), "{text}");
        }
    }
}

#[test]
fn a_hit_that_ranks_above_a_good_one_is_shown() {
    let project = copied("examples");
    let mut client = Client::new(&project, &["--sync", "never"]);
    let mut are_between = 0;
    for question in [
        "how long is a reading kept",
        "what does the scheduler do at night",
        "how do I bake bread",
        "permission denied",
    ] {
        for documents in [false, true] {
            let call = json!({"query": question, "limit": 8, "documents": documents});
            let (text, _) = asked(&mut client, call.clone());
            let mut all = call;
            all["format"] = "json".into();
            all["max_tokens"] = 100_000.into();
            let data = client.call("search", all).ok().data;
            let name = if documents { "documents" } else { "hits" };
            let hits = data[name].as_array().unwrap();
            let is_weak: Vec<bool> = hits.iter().map(|hit| hit["weak"] == true).collect();
            let shown = is_weak.iter().rposition(|weak| !weak);
            let shown = shown.map_or(0, |last| last + 1);
            are_between += is_weak[..shown].iter().filter(|weak| **weak).count();
            for rank in 1..=hits.len() {
                let is_shown = text.contains(&format!(" [{rank}] "));
                assert_eq!(is_shown, rank <= shown, "{question}: {text}");
            }
        }
    }
    assert!(are_between > 0);
}

#[test]
fn twenty_hits_keep_their_citations() {
    let project = copied("docs");
    let mut client = Client::new(&project, &["--sync", "never"]);
    for question in DOCS {
        let mut call = json!({"query": question, "limit": 20, "weak": true});
        let (text, _) = asked(&mut client, call.clone());
        call["format"] = "json".into();
        call["max_tokens"] = 100_000.into();
        let hits = client.call("search", call).ok().hits("citation");
        assert_eq!(hits.len(), 20);
        for citation in hits {
            assert!(
                text.contains(citation.as_str().unwrap()),
                "{citation}: {text}"
            );
        }
    }
}

#[test]
fn weak_matches_and_copies_take_a_line() {
    let tea = "# Tea\n\nGreen tea wants water of eighty degrees, black tea wants boiling water.\n";
    let mut project = Project::new().file("a/tea.md", tea).file("b/tea.md", tea);
    for number in 0..30 {
        let text = format!("# Garden {number}\n\nThe garden grows {number} leeks.\n");
        project = project.file(&format!("garden/{number}.md"), text);
    }
    project.run(&["sync"]).ok();
    let mut client = Client::new(&project, &["--sync", "never"]);
    let question = json!({"query": "black tea boiling water"});
    let (text, _) = asked(&mut client, question);
    // Which of the two is first depends on what their folders' names mean.
    let is_pair = |first: &str, other: &str| {
        text.contains(&format!("[1] {first}/tea.md:1-3 "))
            && text.contains(&format!(" · also {other}/tea.md:1-3 · "))
    };
    assert!(is_pair("a", "b") || is_pair("b", "a"), "{text}");
    assert_eq!(text.matches("Green tea").count(), 1, "{text}");
    let is_folded = text.contains(" note: 4 weaker matches: ask with `weak: true`\n");
    assert!(is_folded && !text.contains("leeks"), "{text}");
    let (text, _) = asked(
        &mut client,
        json!({"query": "black tea boiling water", "weak": true}),
    );
    assert!(
        text.contains("leeks") && text.contains(" weak · "),
        "{text}"
    );
}
