//! An answer stays within `max_tokens` and names what it omits.

use serde_json::{Value, json};

use crate::fixture::Project;
use crate::mcp_client::{Client, Reply};

/// Asserts that neither form of an answer takes more than `most` tokens (an estimate), unless that
/// is too little for any answer.
#[track_caller]
fn assert_within(reply: &Reply, most: usize) {
    for form in [&reply.sent, &reply.data.to_string()] {
        let tokens = bpe_openai::o200k_base().count(form);
        assert!(
            tokens <= most.max(200) * 21 / 20,
            "{tokens} of {most}: {form}"
        );
    }
}

fn synced(project: Project) -> Project {
    project.run(&["sync"]).ok();
    project
}

#[test]
fn omissions_are_reported() {
    let mut project = Project::new();
    for number in 0..6 {
        let text = format!(
            "# Tea {number}\n\n{}",
            "Tea and more tea is served in the garden.\n".repeat(25)
        );
        project = project.file(&format!("{number}.md"), text);
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let whole = client
        .call(
            "search",
            json!({"query": "tea garden", "limit": 6, "weak": true, "max_tokens": 20000}),
        )
        .ok();
    assert!(whole.data["truncated"].is_null());
    for most in [100, 300, 700, 1500] {
        let found = client
            .call(
                "search",
                json!({"query": "tea garden", "limit": 6, "weak": true, "max_tokens": most}),
            )
            .ok();
        let (ids, all) = (found.hits("id"), whole.hits("id"));
        assert_eq!(ids, all[..ids.len()]);
        assert_within(&found, most);
        let left_out = &found.data["truncated"];
        assert_eq!(left_out["omitted"], all.len() - ids.len());
        let count = |name: &str| left_out[name].as_array().unwrap().len();
        let (texts, whole) = (found.hits("text"), whole.hits("text"));
        let mut sizes = Vec::new();
        for (text, whole) in texts.iter().zip(&whole) {
            let (text, whole) = (text.as_str().unwrap_or_default(), whole.as_str().unwrap());
            assert!(whole.contains(text));
            sizes.push(text.len());
        }
        // The lower a hit ranks, the shorter its text, within a tolerance of a line.
        assert!(
            sizes.is_sorted_by(|above, below| above + 60 >= *below),
            "{sizes:?}"
        );
        let is_cut = |(text, whole): &(&Value, &Value)| !text.is_null() && text != whole;
        assert_eq!(
            count("cut"),
            texts.iter().zip(&whole).filter(is_cut).count()
        );
        assert_eq!(
            count("without_text"),
            texts.iter().filter(|text| text.is_null()).count()
        );
        // As text, more fits into an answer.
        assert!(
            found
                .text
                .contains("@ note: texts cut: `get` by citation or id"),
            "{}",
            found.text
        );
        let is_here = |citation: &Value| found.text.contains(citation.as_str().unwrap());
        assert!(found.hits("citation").iter().all(is_here));
    }
    let read = client
        .call(
            "get",
            json!({"targets": ["0.md", "1.md"], "max_tokens": 300}),
        )
        .ok();
    let items = read.data["items"].as_array().unwrap();
    for item in items {
        let rest = item["rest"].as_str().unwrap();
        let more = client
            .call("get", json!({"targets": [rest], "max_tokens": 9000}))
            .ok();
        let text = format!(
            "{}{}",
            item["text"].as_str().unwrap(),
            more.data["items"][0]["text"].as_str().unwrap()
        );
        let path = item["path"].as_str().unwrap();
        assert_eq!(text, std::fs::read_to_string(project.path(path)).unwrap());
    }
}

#[test]
fn a_preview_of_chunks_stays_within_its_room() {
    let text: String = (0..120)
        .map(|number| {
            format!(
                "## Tea {number}\n\nTea is \"served\" in the garden.\n{}\n\n",
                "More tea. ".repeat(20)
            )
        })
        .collect();
    let project = synced(Project::new().file("a.md", &text));
    let mut client = Client::new(&project, &["--sync", "never"]);
    let chunking = json!({"strategy": "headers", "max": 200, "min": 1});
    for most in [100, 500, 4000, 12000] {
        let call = json!({"path": "a.md", "chunking": chunking, "max_tokens": most});
        let cut = client.call("chunk", call).ok();
        assert_within(&cut, most);
        let chunks = cut.data["chunks"].as_array().unwrap();
        let left_out = &cut.data["truncated"];
        assert_eq!(left_out["omitted"], 120 - chunks.len());
        assert!(left_out["how"].as_str().unwrap().contains("`max_tokens`"));
        assert_eq!(cut.data["summary"]["chunks"], 120);
        for (number, chunk) in chunks.iter().enumerate() {
            assert_eq!(chunk["ordinal"], number);
            assert!(text.contains(chunk["text"].as_str().unwrap_or_default()));
        }
        assert!(
            most < 12000
                || chunks[0]["text"]
                    .as_str()
                    .unwrap()
                    .starts_with("## Tea 0\n")
        );
    }
    let mut seen = 0;
    while seen < 120 {
        let call = json!({"path": "a.md", "chunking": chunking, "offset": seen, "max_tokens": 900});
        let part = client.call("chunk", call).ok();
        assert_eq!(part.data["chunks"][0]["ordinal"], seen);
        seen += part.data["chunks"].as_array().unwrap().len();
        let how = part.data["truncated"]["how"].as_str().unwrap();
        assert!(
            seen == 120 || how.ends_with(&format!("`offset` {seen}")),
            "{how}"
        );
    }
    let call = json!({"path": "a.md", "chunking": chunking, "max_tokens": 50000});
    let cut = client.call("chunk", call).ok();
    assert!(cut.data["truncated"].is_null());
    let chunks = cut.data["chunks"].as_array().unwrap();
    let last = chunks[119]["text"].as_str().unwrap();
    assert_eq!(chunks.len(), 120);
    assert!(
        last.contains("Tea 119") && last.trim_end().ends_with("More tea."),
        "{last}"
    );
}

#[test]
fn a_list_stays_within_its_room() {
    let mut project = Project::new();
    for number in 0..200 {
        let title = format!("# A {} title {number}\n", "long and longer ".repeat(20));
        project = project.file(&format!("d{}/{number}.md", number % 9), title);
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    for (what, total, most) in [
        ("documents", 200, 100),
        ("recent", 200, 1500),
        ("documents", 200, 4000),
        ("folders", 10, 100),
    ] {
        let (mut next, mut found) = (json!(0), 0);
        while !next.is_null() {
            let call = json!({"what": what, "limit": 1000, "offset": next, "max_tokens": most});
            let page = client.call("list", call).ok();
            assert_within(&page, most);
            let entries = page.data["entries"].as_array().unwrap().len();
            assert!(entries > 0);
            found += entries;
            next = page.data["next"].clone();
            // As text, a page ends elsewhere.
            let lines = page
                .text
                .lines()
                .filter(|line| line.starts_with("- "))
                .count();
            let end = found - entries + lines;
            assert!(end == total || page.text.contains(&format!("`offset` {end}\n")));
        }
        assert_eq!(found, total, "{what}");
    }
    let listed = client.call("list", json!({"limit": 1})).ok();
    let line = listed.text.lines().next().unwrap();
    assert!(
        line.ends_with("…\"") && line.chars().count() < 150,
        "{line}"
    );
}

#[test]
fn a_preview_stays_within_its_room() {
    let mut project = Project::new();
    for number in 0..30 {
        let text = "## Tea\n\nMore tea is served in the garden.\n\n".repeat(40);
        project = project.file(&format!("in/{number}.md"), text);
    }
    let mut client = Client::new(&project, &["--allow-write"]);
    for most in [300, 1500, 4000] {
        let call = json!({"path": "in", "preview": true, "max_tokens": most,
            "chunking": {"strategy": "headers", "max": 40, "min": 1, "target": 20}});
        let shown = client.call("add", call).ok();
        assert_within(&shown, most);
        assert_eq!(shown.data["documents"], 30);
        let (one, several) = (
            "the first of 30 documents is shown",
            " of 30 documents are shown",
        );
        let count = [one, several].map(|note| shown.text.matches(note).count());
        assert_eq!(count.iter().sum::<usize>(), 1, "{}", shown.text);
    }
}

/// Texts whose length is hard to estimate: short lines, one long line, data, another script.
fn odd() -> Vec<(&'static str, String)> {
    let digits = |n: u64| format!("{:016x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    vec![
        ("short.md", "tea\n".repeat(20_000)),
        ("long.md", "tea and more tea ".repeat(9_000)),
        (
            "data.md",
            (0..9_000).map(|n| digits(n) + " tea\n").collect(),
        ),
        ("quoted.md", "\"tea\": \"a\\\\b\",\t{[]}\n".repeat(4_000)),
        ("script.md", "東京の茶は日本の茶である。tea\n".repeat(3_000)),
    ]
}

#[test]
fn a_read_stays_within_its_room() {
    let mut project = Project::new();
    for (name, text) in odd() {
        project = project.file(name, text);
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    for most in [300, 3_000, 30_000] {
        for (name, text) in odd() {
            let read = json!({"targets": [name], "max_tokens": most});
            let read = client.call("get", read).ok();
            assert_within(&read, most);
            let shown = read.data["items"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(shown) && shown.len() < text.len());
            let tokens = bpe_openai::o200k_base().count(&read.text);
            assert!(tokens > most / 2, "{name}: {tokens} of {most}");
        }
        let names: Vec<_> = odd().iter().map(|(name, _)| *name).collect();
        let read = json!({"targets": names, "max_tokens": most});
        assert_within(&client.call("get", read).ok(), most);
        let found = json!({"query": "tea", "limit": 20, "max_tokens": most});
        assert_within(&client.call("search", found).ok(), most);
        let cut = json!({"path": "short.md", "max_tokens": most});
        assert_within(&client.call("chunk", cut).ok(), most);
    }
}

#[test]
fn links_and_front_matter_leave_room_for_the_text() {
    let field = |n: usize| format!("field{n}: a value that nobody reads\n");
    let fields: String = (0..300).map(field).collect();
    let links: String = (0..300).map(|n| format!("[n{n}](n{n}.md)\n")).collect();
    let tea = format!(
        "---\n{fields}---\n# Tea\n\n{}\n{links}",
        "Green tea. ".repeat(200)
    );
    let mut project = Project::new().file("tea.md", tea);
    for n in 0..300 {
        project = project.file(&format!("n{n}.md"), "See [tea](tea.md).\n");
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let mut read = |most: usize| {
        let asked = json!({"targets": ["tea.md#Tea"], "links": true, "max_tokens": most});
        let read = client.call("get", asked).ok();
        assert_within(&read, most);
        read.data["items"][0].clone()
    };
    let item = read(2_000);
    let links = &item["links"];
    let told =
        [&links["outgoing"], &links["incoming"]].map(|links| links.as_array().unwrap().len());
    assert!(told[0] > 5, "{told:?}");
    assert!(item["text"].as_str().unwrap().contains("Green tea"));
    assert!(item["metadata"].is_null());
    let whole = read(100_000);
    let all = &whole["links"];
    assert!(all["omitted"].is_null());
    let all = [&all["outgoing"], &all["incoming"]].map(|links| links.as_array().unwrap().len());
    assert_eq!(all[0], 300);
    assert_eq!(links["omitted"], all[0] + all[1] - told[0] - told[1]);
    assert_eq!(whole["metadata"].as_object().unwrap().len(), 300);
    // The metadata of a document does not displace hits.
    let found = json!({"query": "green tea", "max_tokens": 700});
    let found = client.call("search", found).ok();
    assert_within(&found, 700);
    assert!(found.data["hits"][0]["metadata"].is_null());
    assert!(
        found.hits("text")[0]
            .as_str()
            .unwrap()
            .contains("Green tea")
    );
    let how = found.data["truncated"]["how"].as_str().unwrap();
    assert!(how.starts_with("front matter left out"), "{how}");
}

#[test]
fn omitted_text_can_be_read_to_the_end() {
    let paragraph = "Tea is served in the garden, and coffee in the house. ".repeat(60);
    let mut texts = odd();
    texts.push((
        "mixed.md",
        format!(
            "---\ntitle: Tea\n---\n{paragraph}\n\n{}",
            "tea\n".repeat(40)
        ),
    ));
    texts.push(("signs.md", "🎉🚀😀👍 ".repeat(3_000)));
    let mut project = Project::new();
    for (name, text) in &texts {
        project = project.file(name, text);
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    for (name, text) in &texts {
        let mut target = json!(name);
        let mut read = String::new();
        while !target.is_null() {
            let asked = json!({"targets": [target], "max_tokens": 15_000});
            let found = client.call("get", asked).ok();
            let item = &found.data["items"][0];
            let shown = item["text"].as_str().unwrap();
            assert!(!shown.is_empty(), "{name}");
            read += shown;
            let (_, last) = item["citation"].as_str().unwrap().rsplit_once('-').unwrap();
            let lines = read.trim_end_matches('\n').matches('\n').count() + 1;
            assert!(last.parse::<usize>().unwrap() <= lines.max(1) + 1, "{name}");
            target = item["rest"].clone();
        }
        assert_eq!(&read, text, "{name}");
    }
}

#[test]
fn documents_without_room_are_named() {
    let mut project = Project::new();
    for number in 0..20 {
        let title = format!("A {} title", "very long ".repeat(1_000));
        let text = format!(
            "---\ntitle: {title}\n---\n{}",
            "More tea is served. ".repeat(200)
        );
        project = project.file(&format!("{number}.md"), text);
    }
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    let names: Vec<String> = (0..20).map(|number| format!("{number}.md")).collect();
    for most in [1_000, 4_000, 20_000] {
        let read = json!({"targets": names, "max_tokens": most});
        let read = client.call("get", read).ok();
        assert_within(&read, most);
        let items = read.data["items"].as_array().unwrap();
        let named = items.iter().filter(|item| item["rest"].is_string()).count();
        assert!(named > 15, "{items:?}");
        let shown = items.iter().filter(|item| item["text"].is_string()).count();
        assert_eq!(shown, (most / 150).min(20));
    }
    let found = json!({"query": "more tea", "limit": 1, "max_tokens": 400});
    assert_within(&client.call("search", found).ok(), 400);
    let long = "tea ".repeat(20_000);
    for (tool, asked) in [
        (
            "search",
            json!({"query": format!("\"{long}\" tea {}", (0..60).map(|n| format!("absent{n} ")).collect::<String>())}),
        ),
        ("search", json!({"query": "tea", "collection": long})),
        ("get", json!({"targets": [long]})),
        ("list", json!({"path": long})),
        ("chunk", json!({"text": "Tea.", "name": long})),
    ] {
        assert_within(&client.call(tool, asked), 4_000);
    }
}

#[test]
fn a_list_of_documents_found_stays_within_its_room_and_hides_weak_ones() {
    let mut project = Project::new();
    for number in 0..20 {
        let title = format!("# Tea {number} {}\n\nTea.\n", "long and longer ".repeat(20));
        project = project.file(&format!("d{}/{number}.md", number % 9), title);
    }
    project = project.file(
        "garden.md",
        "# Garden\n\nThe garden grows leeks. No teapot.\n",
    );
    let project = synced(project);
    let mut client = Client::new(&project, &["--sync", "never"]);
    for most in [100, 300, 600, 4000] {
        let mut asked = json!({"query": "tea", "documents": true, "limit": 20, "max_tokens": most});
        let found = client.call("search", asked.clone()).ok();
        assert_within(&found, most);
        assert!(!found.text.contains(" weak"), "{}", found.text);
        asked["weak"] = true.into();
        assert_within(&client.call("search", asked).ok(), most);
    }
    let asked = json!({"query": "how do zeppelins land", "documents": true});
    let found = client.call("search", asked.clone()).ok();
    assert!(!found.text.contains(" · score "), "{}", found.text);
    assert!(
        found.text.contains("ask with `weak: true`"),
        "{}",
        found.text
    );
    let documents = found.data["documents"].as_array().unwrap();
    assert!(documents.iter().all(|document| document["weak"] == true));
}

#[test]
fn a_summary_stays_within_its_room() {
    let long = "a name that is long and goes on, \\\"so to speak\\\", for quite a while";
    let mut project = Project::new();
    for number in 0..40 {
        let topic = format!("# {number} {long} 語語語語語語語語語語語語語語語語語語\n\nText.\n");
        project = project.file(&format!("folder {number}/README.md"), topic);
        project
            .run(&["add", &format!("folder {number}"), "--index", "index"])
            .ok();
    }
    let args = ["--library", "--index", "index", "--sync", "never"];
    let mut client = Client::new(&project, &args);
    for most in [100, 200, 1000] {
        let mut next = json!(0);
        while !next.is_null() {
            let call = json!({"what": "summary", "offset": next, "max_tokens": most});
            let page = client.call("list", call).ok();
            assert_within(&page, most);
            next = page.data["next"].clone();
        }
    }
    let listed = client.call("list", json!({"what": "summary"})).ok();
    assert!(
        listed.text.contains("\"folder-15\" +32\n"),
        "{}",
        listed.text
    );
    let entries = listed.data["entries"].as_array().unwrap();
    let collections = entries.iter().find(|entry| entry["what"] == "collections");
    let collections = collections.unwrap();
    assert_eq!(collections["value"].as_array().unwrap().len(), 8);
    assert_eq!(collections["more"], 32);
}
