//! `excerpt chunk --format html`, parsed as a browser does.

use std::collections::BTreeMap;

use base64::Engine as _;
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use sha2::{Digest, Sha256};

use crate::fixture::Project;

/// A text with everything that could break a page.
const HOSTILE: &str = "\u{feff}# A <script>alert(1)</script>\r\n\r\n&amp; &#38; &lt; 'x' \"y\" <img src=x onerror=alert(1)>\r\n\r\n\
    ## </pre></main></body>\r\n\r\n👩\u{200d}🚀 né 漢 \u{202e}txet\u{202c} tab\there. One more sentence stands here. \x1b[2J And one more.\r\n\r\n\
    ```js\r\n\"</script><script>alert(2)</script>\"\r\n```\r\n\r\n## 2026-05-04 <!-- --><style>*{display:none}</style>\n\n\n%%\n\nThe end.  \r\n\r\n";

/// The elements of a page, in the order of their start tags.
struct Page {
    elements: Vec<Element>,
}

struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    /// All text inside, with symbols replaced by the characters that they stand for.
    text: String,
    /// The enclosing `article`, `section` and so on.
    parents: Vec<usize>,
}

impl Page {
    /// Parses a page, which must not have any syntax error.
    #[track_caller]
    fn of(html: &str) -> Self {
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let string = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut elements: Vec<Element> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for token in Tokenizer::new_with_emitter(html, emitter) {
            let Ok(token) = token;
            let mut text = String::new();
            match token {
                Token::StartTag(tag) => {
                    let pairs = tag.attributes.iter();
                    let element = Element {
                        name: string(&tag.name),
                        attributes: pairs
                            .map(|(name, value)| (string(name), string(value)))
                            .collect(),
                        text: String::new(),
                        parents: open.clone(),
                    };
                    if let Some(char) = element.symbol() {
                        text.push(char);
                    }
                    if !tag.self_closing && element.name != "meta" {
                        open.push(elements.len());
                    }
                    elements.push(element);
                }
                Token::EndTag(tag) => {
                    let closed = open.pop().map(|index| &elements[index].name);
                    assert_eq!(closed, Some(&string(&tag.name)));
                }
                Token::String(characters) => {
                    let inner = open.last().map(|index| &elements[*index]);
                    if inner.is_none_or(|element| element.symbol().is_none()) {
                        text = string(&characters);
                    }
                }
                Token::Doctype(_) => assert!(elements.is_empty()),
                Token::Comment(_) => panic!("a comment"),
                Token::Error(error) => panic!("{error:?}"),
            }
            for index in &open {
                elements[*index].text += &text;
            }
        }
        assert!(open.is_empty());
        Page { elements }
    }

    /// The elements with this tag name.
    fn named(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements
            .iter()
            .filter(move |element| element.name == name)
    }

    /// The source of the document whose element has the id `article`.
    fn source(&self, article: &str) -> String {
        let lines = self.named("span").filter(|element| element.is("l"));
        let ours = lines.filter(|element| {
            let mut parents = element.parents.iter().map(|index| &self.elements[*index]);
            parents.any(|parent| parent.attribute("id") == article)
        });
        ours.map(|line| &*line.text).collect()
    }

    /// The element with an id.
    #[track_caller]
    fn id(&self, id: &str) -> &Element {
        let mut found = self
            .elements
            .iter()
            .filter(|element| element.attribute("id") == id);
        let element = found.next().unwrap();
        assert!(found.next().is_none(), "{id} twice");
        element
    }

    /// The elements with this tag name inside the element with an id.
    fn inside<'p>(&'p self, id: &'p str, name: &'p str) -> impl Iterator<Item = &'p Element> {
        self.named(name).filter(move |element| {
            let mut parents = element.parents.iter().map(|index| &self.elements[*index]);
            parents.any(|parent| parent.attribute("id") == id)
        })
    }
}

impl Element {
    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", |value| value)
    }

    fn is(&self, class: &str) -> bool {
        self.attribute("class").split(' ').any(|has| has == class)
    }

    /// The character that this element is a symbol for.
    fn symbol(&self) -> Option<char> {
        let number = self.attribute("title").strip_prefix("U+")?;
        (self.name == "i" && self.is("c"))
            .then(|| char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap())
    }
}

/// The page of a text that comes from standard input.
#[track_caller]
fn page(text: &str, flags: &[&str]) -> Page {
    let args = [&["chunk", "-", "--lossy", "--format", "html"], flags].concat();
    let run = Project::new().run_with(&args, text.as_bytes()).ok();
    assert_eq!(run.stderr, "");
    Page::of(&run.stdout)
}

const WAYS: [&[&str]; 6] = [
    &["--name", "a.md"],
    &["--name", "a.txt"],
    &["--name", "a.md", "--max", "16", "--overlap", "30%"],
    &["--delimiter", "^%%$", "--min", "0"],
    &[
        "--strategy",
        "fixed",
        "--complete-sentences",
        "false",
        "--unit",
        "chars",
        "--max",
        "9",
        "--overlap",
        "5",
    ],
    &["--strategy", "naive", "--max", "20"],
];

#[test]
fn the_page_contains_every_byte_of_the_text() {
    let controls: String = (0..0xA0_u8).map(char::from).collect();
    for text in [
        HOSTILE,
        "\0a\0\r\n\0",
        "\n\n x",
        "\r\n",
        "\u{feff}",
        &controls,
    ] {
        for flags in WAYS {
            assert_eq!(page(text, flags).source("doc-1"), text, "{flags:?}");
        }
    }
}

#[test]
fn foreign_markup_is_inert() {
    let name = "\"><script>alert(1)</script><x a='&lt;.md";
    let small: &[&str] = &["--max", "16", "--overlap", "30%"];
    for flags in [&[], small, WAYS[3], WAYS[4], WAYS[5]] {
        let page = page(HOSTILE, &[flags, &["--name", name]].concat());
        assert_eq!(page.named("script").count(), 1);
        assert_eq!(page.named("style").count(), 1);
        for element in &page.elements {
            assert!(!["img", "x", "link", "iframe", "base"].contains(&&*element.name));
            for (name, value) in &element.attributes {
                assert!(
                    !name.starts_with("on") && name != "style" && name != "src",
                    "{name}"
                );
                assert!(name != "href" || value.starts_with('#'), "{value}");
            }
        }
    }
    let page = page(HOSTILE, &["--name", name]);
    assert_eq!(page.named("h1").next().unwrap().text, name);
    assert_eq!(
        page.named("title").next().unwrap().text,
        format!("{name} · excerpt")
    );
}

#[test]
fn the_policy_allows_only_the_pages_style_and_script() {
    let page = page("x", &[]);
    let hash = |name| {
        let text = &page.named(name).next().unwrap().text;
        assert!(!text.contains('\r'), "browsers would hash other line ends");
        base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
    };
    let (style, script) = (hash("style"), hash("script"));
    let policy = page
        .named("meta")
        .find(|meta| meta.attribute("http-equiv") == "Content-Security-Policy");
    assert_eq!(
        policy.unwrap().attribute("content"),
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
        )
    );
}

#[test]
fn every_detail_of_a_chunk_is_shown_without_the_script() {
    for flags in [WAYS[0], WAYS[2], WAYS[3], WAYS[4]] {
        let page = page(HOSTILE, flags);
        let args = [&["chunk", "-", "--lossy", "--format", "jsonl"], flags].concat();
        let chunks = Project::new()
            .run_with(&args, HOSTILE.as_bytes())
            .ok()
            .json();
        assert_eq!(page.named("section").count(), chunks.len());
        for chunk in &chunks {
            let id = format!("chunk-{}", chunk["ordinal"]);
            let shown = &page.id(&id).text;
            let strings = ["id", "hash", "name", "language"].map(|field| &chunk[field]);
            let lists = [
                &chunk["context"]["trail"],
                &chunk["sections"],
                &chunk["dates"],
                &chunk["warnings"],
            ];
            let lists = lists.into_iter().flat_map(|list| list.as_array().unwrap());
            let reason = [&chunk["cut"]["reason"], &chunk["cut"]["strength"]];
            for string in strings.into_iter().chain(lists) {
                let string = string.as_str().unwrap_or_default();
                assert!(shown.contains(string), "{string}: {shown}");
            }
            for string in reason {
                assert!(
                    shown.contains(string.as_str().unwrap()),
                    "{string}: {shown}"
                );
            }
            for field in ["text", "context", "overlap", "total"] {
                let size = chunk["tokens"][field].to_string();
                assert!(shown.contains(&size), "{size}: {shown}");
            }
            for place in ["lines", "bytes"] {
                let [first, last] = [0, 1].map(|end| &chunk["span"][place][end]);
                assert!(shown.contains(&format!("{first}–{last}")));
            }
            let overlap = match chunk["overlap"]["bytes"].as_array() {
                Some(bytes) => {
                    let [start, end] = [0, 1].map(|at: usize| bytes[at].as_u64().unwrap() as usize);
                    &HOSTILE[start..end]
                }
                None => "",
            };
            let header = chunk["context"]["header"].as_str().unwrap();
            let text = chunk["text"].as_str().unwrap();
            let embedded: Vec<_> = page.inside(&id, "pre").map(|pre| &pre.text).collect();
            assert_eq!(embedded, [&format!("{header}{overlap}{text}")]);
        }
    }
}

#[test]
fn overlap_is_marked_at_its_place() {
    let text = "One is here. Two is here. Three is here. Four is here. Five is here.\n";
    let flags = [
        "--strategy",
        "fixed",
        "--max",
        "10",
        "--overlap",
        "5",
        "--context",
        "none",
    ];
    let page = page(text, &flags);
    assert!(page.named("section").count() > 2);
    for section in page.named("section").skip(1) {
        let ordinal = section.attribute("data-ordinal");
        let marked = page.named("u").filter(|mark| {
            let mut repeated_in = mark.attribute("data-in").split(' ');
            repeated_in.any(|other| other == ordinal)
        });
        let marked: String = marked.map(|mark| &*mark.text).collect();
        let embedded = page.inside(section.attribute("id"), "u");
        let overlap: String = embedded
            .filter(|part| part.is("on"))
            .map(|part| &*part.text)
            .collect();
        assert!(!overlap.is_empty());
        assert_eq!(marked, overlap);
    }
}

#[test]
fn a_folder_is_one_page_with_a_list() {
    let project = Project::new()
        .file("a.md", "# A\n\nText.\n")
        .file("empty.md", "")
        .file("sub/b<i>.txt", "b\r\n");
    let run = project.run(&["chunk", ".", "--format", "html"]).ok();
    let page = Page::of(&run.stdout);
    assert_eq!(page.source("doc-1"), "# A\n\nText.\n");
    assert_eq!(page.source("doc-2"), "");
    assert_eq!(page.source("doc-3"), "b\r\n");
    page.id("chunk-0");
    page.id("doc-3-chunk-0");
    let names: Vec<_> = page.named("h1").map(|title| &*title.text).collect();
    assert_eq!(names, ["a.md", "empty.md", "sub/b<i>.txt"]);
    let list: Vec<_> = page.named("li").map(|entry| &*entry.text).collect();
    assert!(
        list.ends_with(&["a.md 1", "empty.md 0", "sub/b<i>.txt 1"]),
        "{list:?}"
    );
}

#[test]
fn an_empty_file_and_an_empty_folder_have_a_page() {
    let project = Project::new().file("empty.md", "").file("none/.keep", "");
    let run = project.run(&["chunk", "empty.md", "--format", "html"]).ok();
    let page = Page::of(&run.stdout);
    assert_eq!(page.named("section").count(), 0);
    assert!(
        page.id("doc-1")
            .text
            .contains("No chunks: there is no text.")
    );
    let run = project.run(&["chunk", "none", "--format", "html"]).ok();
    let page = Page::of(&run.stdout);
    assert!(
        page.named("main")
            .next()
            .unwrap()
            .text
            .contains("There are no documents here.")
    );
}

#[test]
fn a_file_that_cannot_be_read_gives_no_page() {
    let project = Project::new().file("a.txt", b"caf\x81 au lait");
    project
        .run(&["chunk", "a.txt", "--format", "html"])
        .fails("excerpt: `a.txt` cannot be split: not UTF-8; `--lossy` replaces invalid bytes");
    assert_eq!(
        project.run(&["chunk", "gone.md", "--format", "html"]).code,
        Some(2)
    );
}

#[test]
fn the_pages_own_style_and_script_stay_small() {
    let page = page("x", &[]);
    let own = page.named("style").chain(page.named("script"));
    let bytes: usize = own.map(|element| element.text.len()).sum();
    assert!(bytes < 20_000, "{bytes}");
}
