//! Reading: parts of documents, chunks with their neighbours, links, lists and the summary.

use std::time::{Duration, SystemTime};

use excerpt_index::{
    DocumentText, Domain, Error, Index, ListOptions, ListOrder, OpenOptions, Outgoing, ReadOptions,
    Result, Target, Topic, quiet,
};

use crate::fixture::{World, set_time};

/// Reads one target with its links.
fn read(world: &World, target: &Target) -> DocumentText {
    let options = ReadOptions::default().links();
    world.open().get(target, &options).unwrap()
}

/// The links of a document, as `line target#section citation`.
fn outgoing(world: &World, path: &str) -> Vec<String> {
    let document = read(world, &Target::document(path));
    let shown = |link: &Outgoing| {
        let section = link.section.as_ref().map(|section| format!("#{section}"));
        let to = link.citation.as_deref().unwrap_or("nothing");
        assert_eq!(link.is_dangling, link.citation.is_none());
        format!(
            "{} {}{} {to}",
            link.line,
            link.target,
            section.unwrap_or_default()
        )
    };
    document.links.unwrap().outgoing.iter().map(shown).collect()
}

/// The documents with links to `target`, as `path:line`.
fn incoming(world: &World, target: &Target) -> Vec<String> {
    let links = read(world, target).links.unwrap();
    let shown = links.incoming.iter();
    shown
        .map(|link| format!("{}:{}", link.path, link.line))
        .collect()
}

fn tea() -> World {
    World::new()
        .file(
            "tea/green.md",
            "# Green tea\n\n## Water\n\nThe water has 80 degrees.\n\n### Soft\n\nSoft water.\n\n## Time\n\nTwo minutes.\n",
        )
        .file("tea/README.md", "# All teas\n\n[green](green.md#water)\n")
        .file(
            "index.md",
            "# Start\n\n[teas](tea/), [time][t] and [self](#start)\n\n[t]: ./tea/green.md#time\n",
        )
}

#[test]
fn links_lead_to_documents_folders_and_sections() {
    let world = tea();
    world.sync();
    assert_eq!(
        outgoing(&world, "index.md"),
        [
            "3 tea tea/README.md:1-3",
            "3 tea/green.md#time tea/green.md:11-13",
            "3 index.md#start index.md:1-5",
        ]
    );
    assert_eq!(
        outgoing(&world, "tea/README.md"),
        ["3 tea/green.md#water tea/green.md:3-10"]
    );
    assert_eq!(
        incoming(&world, &Target::document("tea/green.md")),
        ["index.md:3", "tea/README.md:3"]
    );
    assert_eq!(
        incoming(&world, &Target::document("tea/README.md")),
        ["index.md:3"]
    );
}

#[test]
fn a_link_names_the_chunk_that_contains_its_section() {
    let filler = "It takes a while to say all that there is to say of it. ".repeat(40);
    let world = World::new()
        .file(
            "a.md",
            format!("# A\n\n{filler}\n\n## B\n\n{filler}\n\n## C\n\n{filler}\n"),
        )
        .file("b.md", "[c](a.md#c)\n");
    world.sync();
    let links = read(&world, &Target::document("b.md")).links.unwrap();
    let id = links.outgoing[0].chunk.unwrap().to_string();
    let chunk = read(&world, &Target::chunk(id));
    assert!(chunk.text.contains("## C"), "{}", chunk.text);
    let back = &chunk.links.unwrap().incoming[0];
    assert_eq!((&*back.path, back.section.as_deref()), ("b.md", Some("c")));
}

#[test]
fn a_link_leads_only_to_the_part_that_is_read() {
    let world = tea();
    world.sync();
    let section = |name: &str| incoming(&world, &Target::section("tea/green.md", name));
    assert_eq!(section("water"), ["tea/README.md:3"]);
    assert_eq!(section("time"), ["index.md:3"]);
    let lines = read(&world, &Target::lines("index.md", 1, 2));
    assert!(lines.links.unwrap().outgoing.is_empty());
}

#[test]
fn nothing_is_read_outside_of_a_folder() {
    let world = World::new()
        .file(
            "docs/a.md",
            "# A\n\nSee [b](../secret/b.md) and [c](c.md).\n",
        )
        .file("docs/c.md", "# C\n")
        .file("docs2/d.md", "# D\n\nSee [a](../docs/a.md).\n")
        .file("secret/b.md", "# B\n\nSee [a](../docs/a.md).\n");
    world.sync();
    let index = world.open();
    let inside = ReadOptions::default().under("docs/").links();
    let read = index.get(&Target::document("docs/a.md"), &inside).unwrap();
    let links = read.links.unwrap();
    assert_eq!(links.incoming, []);
    let paths: Vec<_> = links.outgoing.iter().map(|link| &link.path).collect();
    assert_eq!(paths, [&None, &Some("docs/c.md".to_string())]);
    assert!(links.outgoing[0].title.is_none() && links.outgoing[0].citation.is_none());

    let everywhere = ReadOptions::default();
    let secret = index.get(&Target::document("secret/b.md"), &everywhere);
    let id = secret.unwrap().chunks[0].id.to_string();
    for target in [
        Target::document("secret/b.md"),
        Target::document("docs2/d.md"),
        Target::lines("secret/b.md", 1, 1),
        Target::section("secret/b.md", "b"),
        Target::chunk(id),
    ] {
        let error = index.get(&target, &inside).unwrap_err();
        let is_unknown = match &error {
            Error::UnknownDocument { closest, .. } => closest
                .as_ref()
                .is_none_or(|closest| closest.starts_with("docs/")),
            Error::UnknownChunk { .. } => true,
            _ => false,
        };
        assert!(is_unknown, "{error}");
    }
}

#[test]
fn a_link_dangles_until_its_target_appears() {
    let world = World::new().file(
        "a.md",
        "[b](b#one), [[C d]] and [x](https://example.org/b.md)\n",
    );
    world.sync();
    assert_eq!(
        outgoing(&world, "a.md"),
        ["1 b#one nothing", "1 c d nothing"]
    );
    world.write("b.md", "# Two\n");
    world.write("sub/c D.md", "# C\n");
    world.sync();
    let links = read(&world, &Target::document("a.md")).links.unwrap();
    assert_eq!(links.outgoing[0].path.as_deref(), Some("b.md"));
    assert!(links.outgoing[0].is_dangling, "the section is not there");
    assert_eq!(incoming(&world, &Target::document("b.md")), ["a.md:1"]);
    world.write("b.md", "# Two\n\n## One\n");
    world.sync();
    assert_eq!(
        outgoing(&world, "a.md"),
        ["1 b#one b.md:3-3", "1 c d sub/c D.md:1-1"]
    );
    assert_eq!(
        incoming(&world, &Target::document("sub/c D.md")),
        ["a.md:1"]
    );
    world.remove("b.md");
    world.sync();
    assert_eq!(outgoing(&world, "a.md")[0], "1 b#one nothing");
}

#[test]
fn a_wiki_link_leads_to_the_nearest_document_of_that_name() {
    let world = World::new()
        .file("tea.md", "one")
        .file("x/tea.md", "two")
        .file("x/y/tea.md", "three")
        .file("a.md", "[[Tea]] [[y/tea]]")
        .file("x/b.md", "[[tea]]")
        .file("z/c.md", "[[tea|the tea]] [[x/tea.md]] `[[tea]]`");
    world.sync();
    let ends = |path: &str| -> Vec<String> {
        let links = read(&world, &Target::document(path)).links.unwrap();
        let ends = links.outgoing.into_iter();
        ends.map(|link| link.path.unwrap_or_default()).collect()
    };
    assert_eq!(ends("a.md"), ["tea.md", "x/y/tea.md"]);
    assert_eq!(ends("x/b.md"), ["x/tea.md"]);
    assert_eq!(ends("z/c.md"), ["tea.md", "x/tea.md"]);
    assert_eq!(
        incoming(&world, &Target::document("tea.md")),
        ["a.md:1", "z/c.md:1"]
    );
    assert_eq!(
        incoming(&world, &Target::document("x/tea.md")),
        ["x/b.md:1", "z/c.md:1"]
    );
}

#[test]
fn a_wiki_link_leads_to_documents_of_other_formats() {
    let world = World::new()
        .file("a.md", "[[Green]] [[black]] [[white.org]] [[brew]]\n")
        .file("green.org", "* Green\n")
        .file("x/green.rst", "Green\n=====\n")
        .file("black.adoc", "= Black\n")
        .file("black.md", "# Black\n")
        .file("white.org", "* White\n")
        .file("brew.rs", "fn brew() {}\n")
        .file(
            "wiki/Start.wiki",
            "== Start ==\n[[Green Tea#How_hot|hot]] and [[black]]\n",
        )
        .file(
            "wiki/Green_Tea.wiki",
            "== Water ==\na\n\n=== How hot? ===\nb\n",
        );
    world.sync();
    assert_eq!(
        outgoing(&world, "a.md"),
        [
            "1 green green.org:1-1",
            "1 black black.md:1-1",
            "1 white.org white.org:1-1",
            "1 brew nothing",
        ]
    );
    assert_eq!(
        outgoing(&world, "wiki/Start.wiki"),
        [
            "2 green tea#How hot wiki/Green_Tea.wiki:4-5",
            "2 black black.md:1-1"
        ]
    );
    let to = |path| incoming(&world, &Target::document(path));
    assert_eq!(to("green.org"), ["a.md:1"]);
    assert_eq!(to("wiki/Green_Tea.wiki"), ["wiki/Start.wiki:2"]);
    assert_eq!(to("black.md"), ["a.md:1", "wiki/Start.wiki:2"]);
    assert!(to("black.adoc").is_empty() && to("brew.rs").is_empty());
}

#[test]
fn links_of_restructured_text_lead_to_documents_labels_and_titles() {
    let world = World::new()
        .file(
            "docs/index.rst",
            "Start\n=====\n\n.. toctree::\n\n   guide/brew\n   Notes <notes>\n\n.. include:: head.txt\n\n\
             See :ref:`how hot <Heat  Water>`, :doc:`/docs/guide/brew`, `Start`_, :ref:`own` and :ref:`no`.\n\n\
             .. _own:\n\nLast\n----\n\nEnd.\n",
        )
        .file(
            "docs/guide/brew.rst",
            "Brew\n====\n\n.. code::\n\n   .. _own:\n\n.. _heat water:\n\nWater\n-----\n\nHot.\n",
        )
        .file("docs/more/a.rst", "See :doc:`/guide/brew`.\n")
        .file("docs/notes.md", "# Notes\n\n<a id=\"own\"></a>\n")
        .file("docs/head.txt", "Head.\n");
    world.sync();
    assert_eq!(
        outgoing(&world, "docs/index.rst"),
        [
            "6 docs/guide/brew docs/guide/brew.rst:1-13",
            "7 docs/notes docs/notes.md:1-3",
            "9 docs/head.txt docs/head.txt:1-1",
            "11 Heat Water docs/guide/brew.rst:8-13",
            "11 docs/guide/brew docs/guide/brew.rst:1-13",
            "11 docs/index.rst#Start docs/index.rst:1-18",
            "11 own docs/index.rst:13-18",
            "11 no nothing",
        ]
    );
    assert_eq!(
        outgoing(&world, "docs/more/a.rst"),
        ["1 guide/brew docs/guide/brew.rst:1-13"]
    );
    assert_eq!(
        incoming(&world, &Target::section("docs/guide/brew.rst", "water")),
        ["docs/index.rst:11"]
    );
    assert_eq!(
        incoming(&world, &Target::lines("docs/guide/brew.rst", 1, 2)),
        ["docs/index.rst:6", "docs/index.rst:11", "docs/more/a.rst:1"]
    );
    world.assert_like_fresh();
}

#[test]
fn references_of_latex_asciidoc_and_org_lead_to_labels_of_other_documents() {
    let world = World::new()
        .file(
            "tea.tex",
            "\\section{Tea}\n\\input{parts/brew}\nSee \\ref{sec:brew} and \\eqref{eq:heat}.\n",
        )
        .file(
            "parts/brew.tex",
            "\\section{Brew}\\label{sec:brew}\n\n\\begin{equation}\nq = 1 \\label{eq:heat}\n\\end{equation}\n",
        )
        .file("tea.adoc", "= Tea\n\ninclude::brew.adoc[]\n\nSee <<heat>>, <<_how_hot>> and <<Tea>>.\n\n== How hot?\n\na\n")
        .file("brew.adoc", "= Brew\n\n[#heat]\n== Heat\n\nb\n")
        .file("tea.org", "* Tea\n[[id:0f-9][that]] [[*Tea]] [[file:brew.org::*Heat]]\n")
        .file(
            "brew.org",
            "* Brew\n:PROPERTIES:\n:ID: 0f-9\n:END:\na\n** Heat\nb\n",
        );
    world.sync();
    assert_eq!(
        outgoing(&world, "tea.tex"),
        [
            "2 parts/brew.tex parts/brew.tex:1-5",
            "3 sec:brew parts/brew.tex:1-5",
            "3 eq:heat parts/brew.tex:3-5",
        ]
    );
    assert_eq!(
        outgoing(&world, "tea.adoc"),
        [
            "3 brew.adoc brew.adoc:1-6",
            "5 heat brew.adoc:3-6",
            "5 _how_hot tea.adoc:7-9",
            "5 Tea tea.adoc:1-9",
        ]
    );
    assert_eq!(
        outgoing(&world, "tea.org"),
        [
            "2 0f-9 brew.org:1-7",
            "2 tea.org#Tea tea.org:1-2",
            "2 brew.org#Heat brew.org:6-7",
        ]
    );
    let to = |path| incoming(&world, &Target::document(path));
    assert_eq!(
        to("parts/brew.tex"),
        ["tea.tex:2", "tea.tex:3", "tea.tex:3"]
    );
    assert_eq!(to("brew.adoc"), ["tea.adoc:3", "tea.adoc:5"]);
    assert_eq!(to("brew.org"), ["tea.org:2", "tea.org:2"]);
}

#[test]
fn a_changed_document_loses_its_old_links() {
    let world = tea();
    world.sync();
    world.write("index.md", "# Start\n\n\n[one](tea/green.md)\n");
    world.sync();
    assert_eq!(
        outgoing(&world, "index.md"),
        ["4 tea/green.md tea/green.md:1-13"]
    );
    world.remove("tea/README.md");
    world.sync();
    assert_eq!(
        incoming(&world, &Target::document("tea/green.md")),
        ["index.md:4"]
    );
}

#[test]
fn a_section_is_read_with_its_subsections() {
    let world = tea().file(
        "brew.rs",
        "/// Brews.\nfn brew() {\n    heat();\n}\n\nfn heat() {}\n",
    );
    world.sync();
    let section = |path: &str, name: &str| read(&world, &Target::section(path, name));
    let water = section("tea/green.md", "water");
    assert_eq!(water.citation, "tea/green.md:3-10");
    assert!(water.text.starts_with("## Water\n") && water.text.ends_with("Soft water.\n\n"));
    assert_eq!(section("tea/green.md", "Soft").span.lines, (7, 10));
    assert!(section("brew.rs", "brew").text.contains("heat();"));
}

#[test]
fn a_chunk_is_read_with_its_neighbours_as_one_text() {
    let paragraph = "It takes a while to say all that there is to say of it. ".repeat(30);
    let sections = (0..5).map(|number| format!("## Part {number}\n\n{paragraph}\n\n"));
    let world = World::new().file("a.md", format!("# A\n\n{}", sections.collect::<String>()));
    world.sync();
    let index = world.open();
    let whole = index
        .get(&Target::document("a.md"), &ReadOptions::default())
        .unwrap();
    let count = whole.chunks.len();
    assert!(count >= 5, "{count}");
    let middle = whole.chunks[2].clone();
    let with = |target: &Target, neighbours| {
        let options = ReadOptions::default().neighbours(neighbours);
        let read = index.get(target, &options).unwrap();
        assert_eq!(read.text, whole.text[read.span.bytes.clone()]);
        let ordinals = read.chunks.iter().map(|chunk| chunk.ordinal);
        (ordinals.collect::<Vec<_>>(), read)
    };
    let chunk = Target::chunk(&middle.id.to_string()[..12]);
    assert_eq!(with(&chunk, 0).1.span, middle.span);
    assert_eq!(with(&chunk, 1).0, [1, 2, 3]);
    let (first, last) = middle.span.lines;
    let line = Target::lines("a.md", first + 2, first + 2);
    assert_eq!(with(&line, 0).1.span, middle.span);
    assert_eq!(with(&Target::lines("a.md", last, last + 1), 0).0, [2, 3]);
    assert_eq!(with(&line, usize::MAX).0.len(), count);
    let alone = index.get(&line, &ReadOptions::default()).unwrap();
    assert_eq!(alone.chunks.len(), 1);
    assert_eq!(alone.span.lines, (first + 2, first + 2));
}

#[test]
fn an_error_in_one_target_does_not_affect_the_others() {
    let world = tea().file("plain.txt", "no heading\n").file("empty.md", "");
    world.sync();
    let index = world.open();
    let targets = [
        Target::document("tea/green.md"),
        Target::document("tea/gren.md"),
        Target::document("../outside.md"),
        Target::section("tea/green.md", "watr"),
        Target::section("plain.txt", "water"),
        Target::lines("tea/green.md", 14, 20),
        Target::lines("tea/green.md", 5, 4),
        Target::chunk("not an id"),
        Target::document("empty.md"),
    ];
    let read = index.read(&targets, &ReadOptions::default().neighbours(1));
    let shown = |read: &Result<DocumentText>| match read {
        Ok(document) => document.citation.clone(),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        read.iter().map(shown).collect::<Vec<_>>(),
        [
            "tea/green.md:1-13",
            "`tea/gren.md` is not in the index, did you mean `tea/green.md`?",
            "`../outside.md` is not in the index",
            "`tea/green.md` has no section `watr`, did you mean `water`?",
            "`plain.txt` has no section `water`: it has no sections, so give a line range instead",
            "invalid line range `14-20` for `tea/green.md`: it has 13 lines",
            "invalid line range `5-4` for `tea/green.md`: it has 13 lines",
            "no chunk id starts with `not an id`",
            "empty.md:1-1",
        ]
    );
}

#[test]
fn an_ambiguous_id_names_some_of_the_chunks() {
    // With more than sixteen ids, two begin with the same digit.
    let world = World::new();
    for number in 0..20 {
        world.write(&format!("more/{number}.md"), format!("# Number {number}\n"));
    }
    world.sync();
    let index = world.open();
    let mut ambiguous = "0123456789abcdef".chars().filter_map(|digit| {
        let read = index.get(&Target::chunk(digit), &ReadOptions::default());
        match read {
            Err(Error::AmbiguousChunk { citations, .. }) => Some(citations),
            _ => None,
        }
    });
    assert!(ambiguous.next().unwrap().len() > 1);
}

#[test]
fn documents_are_listed_by_path_or_the_newest_first() {
    let world = tea().file("teapot.rs", "fn pour() {}\n");
    let now = SystemTime::now();
    for (path, hours) in [("tea/green.md", 3), ("index.md", 2), ("tea/README.md", 5)] {
        set_time(
            &world.root().join(path),
            now - Duration::from_secs(hours * 3600),
        );
    }
    world.sync();
    let index = world.open();
    let list = |options: ListOptions| -> Vec<String> {
        let documents = index.documents(&options).unwrap();
        documents
            .into_iter()
            .map(|document| document.path)
            .collect()
    };
    let all = ListOptions::default;
    assert_eq!(
        list(all()),
        ["index.md", "tea/README.md", "tea/green.md", "teapot.rs"]
    );
    assert_eq!(list(all().path("tea")), ["tea/README.md", "tea/green.md"]);
    assert_eq!(list(all().path("./index.md")), ["index.md"]);
    assert!(list(all().path("te")).is_empty());
    assert_eq!(
        list(all().order(ListOrder::Recent).limit(2)),
        ["teapot.rs", "index.md"]
    );
    let code = &index.documents(&all().path("teapot.rs")).unwrap()[0];
    assert_eq!(
        (code.size, code.chunks, &*code.syntax, code.language),
        (13, 1, "code", Some("rust"))
    );
    let note = &index.documents(&all().path("tea/green.md")).unwrap()[0];
    assert_eq!((&*note.syntax, note.language), ("markdown", None));
    assert_eq!(note.title.as_deref(), Some("Green tea"));
    let error = index.documents(&all().source("/nowhere")).unwrap_err();
    assert!(matches!(error, Error::UnknownSource { .. }), "{error}");
}

#[test]
fn a_list_has_no_hidden_end() {
    let mut world = World::new();
    for number in 0..1_200 {
        world = world.file(&format!("{}/{number}.txt", number % 7), "x\n");
    }
    world.sync();
    let index = world.open();
    let recent = ListOptions::default().order(ListOrder::Recent);
    assert_eq!(index.documents(&recent).unwrap().len(), 1_200);
    assert_eq!(index.documents(&recent.limit(1_100)).unwrap().len(), 1_100);
}

#[test]
fn folders_count_documents_in_and_below_them() {
    let world = tea()
        .file("tea/black/assam.md", "# Assam\n")
        .file("tea.d/x.md", "# X\n");
    world.sync();
    let index = world.open();
    let list = |options: ListOptions| -> Vec<(String, usize, usize)> {
        let folders = index.folders(&options).unwrap().into_iter();
        folders
            .map(|folder| (folder.path, folder.documents, folder.documents_under))
            .collect()
    };
    let entry = |path: &str, own, under| (path.to_string(), own, under);
    assert_eq!(
        list(ListOptions::default()),
        [
            entry("", 1, 5),
            entry("tea", 2, 3),
            entry("tea/black", 1, 1),
            entry("tea.d", 1, 1)
        ]
    );
    assert_eq!(
        list(ListOptions::default().path("tea")),
        [entry("tea", 2, 3), entry("tea/black", 1, 1)]
    );
}

#[test]
fn a_summary_is_computed_at_the_end_of_a_sync_and_kept() {
    let world = tea()
        .file("domains/family/swim.md", "# Swimming\n")
        .file("tea/brew.rs", "fn brew() {}\n");
    world.sync();
    let index = world.open();
    let summary = || index.status().unwrap().sources[0].summary.clone().unwrap();
    let first = summary();
    assert_eq!((first.documents, first.domains_total), (5, 2));
    let domains = first.domains.iter();
    let domains: Vec<_> = domains
        .map(|it: &Domain| (&*it.name, it.documents))
        .collect();
    assert_eq!(domains, [("tea", 3), ("family", 1)]);
    let topics = first.topics.iter();
    let topics: Vec<_> = topics.map(|it: &Topic| (&*it.path, &*it.heading)).collect();
    assert_eq!(
        topics,
        [("index.md", "Start"), ("tea/README.md", "All teas")]
    );
    assert_eq!(first.languages["markdown"], 4);
    assert_eq!(first.languages["rust"], 1);
    assert_eq!(first.newest.len(), 5);
    world.touched("new.md", "# New\n");
    assert_eq!(summary(), first, "it is served as it was kept");
    world.sync();
    assert_eq!(summary().newest[0].path, "new.md");
    assert_eq!(summary().newest[0].title.as_deref(), Some("New"));
    world.remove("tea/README.md");
    world.sync();
    assert_eq!(summary().topics.len(), 1);
}

#[test]
fn an_interrupted_sync_computes_no_summary_and_the_next_one_does() {
    let world = tea();
    let mut index = Index::open(&world.index_dir(), OpenOptions::create()).unwrap();
    let report = index.sync(&world.root(), &world.options, |progress| {
        match progress.stage == excerpt_index::Stage::Vectors {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        }
    });
    assert!(!report.unwrap().complete);
    assert_eq!(index.status().unwrap().sources[0].summary, None);
    index.sync(&world.root(), &world.options, quiet).unwrap();
    let status = index.status().unwrap();
    assert_eq!(status.sources[0].summary.as_ref().unwrap().documents, 3);
}

#[test]
fn a_mark_distinguishes_states() {
    let world = tea();
    let mark = || world.open().state_hash().unwrap();
    let mut index = Index::open(&world.index_dir(), OpenOptions::create()).unwrap();
    let mut marks = vec![mark()];
    // The state before the summary differs from the one with it.
    let report = index.sync(&world.root(), &world.options, |progress| {
        match progress.stage == excerpt_index::Stage::Vectors {
            true => std::ops::ControlFlow::Break(()),
            false => std::ops::ControlFlow::Continue(()),
        }
    });
    assert!(!report.unwrap().complete);
    marks.push(mark());
    world.sync();
    marks.push(mark());
    assert_eq!(mark(), marks[2]);
    world.touched("new.md", "# New\n");
    world.sync();
    marks.push(mark());
    world.remove("new.md");
    world.sync();
    marks.push(mark());
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), 5);
}
