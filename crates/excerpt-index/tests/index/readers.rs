//! Files that are not plain text: what a reader makes of them is a document like any other.

use excerpt_index::{Encoding, Error, ReadOptions, SkipReason, Target, quiet};
use excerpt_readers::{Converter, Readers};

use crate::fixture::{World, by_keywords, paths};

/// A notebook with these cells, each of a type and a source.
fn notebook(cells: &[(&str, &str)]) -> String {
    let cells = cells.iter().map(|(kind, source)| {
        serde_json::json!({
            "cell_type": kind,
            "metadata": {},
            "source": source,
            "outputs": [{
                "output_type": "display_data",
                "data": { "image/png": "iVBORw0KGgo".repeat(500), "text/plain": "<Figure>" },
            }],
        })
    });
    let cells: Vec<_> = cells.collect();
    serde_json::json!({
        "cells": cells,
        "metadata": { "kernelspec": { "language": "python" } },
        "nbformat": 4,
        "nbformat_minor": 5,
    })
    .to_string()
}

const CELLS: [(&str, &str); 4] = [
    ("markdown", "# Harvest\n\nThe yield of an olive grove.\n"),
    ("code", "grove = load('grove.csv')\ngrove.plot()\n"),
    (
        "markdown",
        "## Pressing\n\nOlives are pressed within a day.\n",
    ),
    ("code", "press(grove)\n"),
];

#[test]
fn a_notebook_is_found_cited_and_read_by_its_cells() {
    let world = World::new().file("olives.ipynb", notebook(&CELLS));
    let report = world.sync();
    assert_eq!((report.added, report.skipped.len()), (1, 0));
    let answer = world.search("pressed within a day");
    let hit = &answer.documents[0].chunks[0];
    assert_eq!(hit.citation, "olives.ipynb#cell-3");
    assert_eq!(hit.place.as_deref(), Some("cell-3"));
    assert!(hit.text.contains("\n## Pressing\n"), "{}", hit.text);
    assert!(!hit.text.contains("iVBOR") && !hit.text.contains("cell_type"));

    let index = world.open();
    let get = |target| index.get(&target, &ReadOptions::default());
    let cell = get(Target::section("olives.ipynb", "cell-2")).unwrap();
    assert!(
        cell.text.starts_with("```python\ngrove = load"),
        "{}",
        cell.text
    );
    assert!(!cell.text.contains("Pressing"));
    assert_eq!(cell.encoding, Encoding::Extracted);
    let section = get(Target::section("olives.ipynb", "pressing")).unwrap();
    assert!(section.text.starts_with("## Pressing"));
    let missing = get(Target::section("olives.ipynb", "cell-9")).unwrap_err();
    assert!(matches!(missing, Error::UnknownSection { .. }), "{missing}");
    world.assert_like_fresh();
}

#[test]
fn what_has_not_changed_is_not_read_again_and_settings_apply_to_the_kept_text() {
    let mut world = World::new().file("olives.ipynb", notebook(&CELLS));
    world.sync();
    let report = world.sync();
    assert_eq!((report.unchanged, report.read), (1, 0));
    world.options.chunking.target = 20;
    world.options.chunking.min = 5;
    let report = world.sync();
    assert_eq!((report.recut, report.read), (1, 0));
    let answer = world.search("grove plot");
    let hit = &answer.documents[0].chunks[0];
    assert_eq!(hit.place.as_deref(), Some("cell-2"));
    world.assert_like_fresh();
}

#[test]
fn encoded_mail_is_found_by_its_words_and_cited_by_its_messages() {
    let message = |subject: &str, encoding: &str, text: &str| {
        format!(
            "From ann Fri Jan  2 03:04:05 2026\nFrom: ann@example.org\nSubject: {subject}\n\
             Content-Type: text/plain; charset=iso-8859-1\n\
             Content-Transfer-Encoding: {encoding}\n\n{text}\n\n"
        )
    };
    let mails = [
        message("Boats", "7bit", "The boats stay in the harbour."),
        message(
            "Caf=E9",
            "quoted-printable",
            "The caf=E9 on the quay op=\nens at eight.",
        ),
    ];
    let world = World::new().file("mail.mbox", mails.concat());
    world.sync();
    let hit = |world: &World, question| {
        let answer = world.search(question);
        let hit = &answer.documents[0].chunks[0];
        (hit.citation.clone(), hit.text.clone())
    };
    let (citation, text) = hit(&world, "café opens");
    assert_eq!(citation, "mail.mbox#message-2");
    assert!(
        text.contains("The café on the quay opens at eight."),
        "{text}"
    );
    let get = |section| {
        let target = Target::section("mail.mbox", section);
        world.open().get(&target, &ReadOptions::default()).unwrap()
    };
    assert!(get("message-1").text.contains("The boats stay"));
    assert!(!get("message-1").text.contains("The café"));
    world.assert_like_fresh();
    // What can be read as it is is text with lines.
    world.write("mail.mbox", mails[0].clone());
    world.sync();
    let (citation, _) = hit(&world, "boats in the harbour");
    assert!(citation.starts_with("mail.mbox:"), "{citation}");
}

#[test]
fn encoded_mail_is_read_whatever_its_file_is_called() {
    let message = "From: ann@example.org\nSubject: Boats\nDate: Fri, 2 Jan 2026 03:04:05 +0000\n\
                   Content-Transfer-Encoding: quoted-printable\n\nThe caf=E9 op=\nens at eight.\n";
    let envelope = "From ann Fri Jan  2 03:04:05 2026\n";
    let world = World::new()
        .file("Inbox", format!("{envelope}{message}"))
        .file("drafts/12", message)
        .file("cur/1700000000.M2P3.mail.example.com:2,S", message)
        .file("new/1700000001.M2P3.mail.example.py", message)
        // A text that only shows such mail.
        .file("HOWTO", format!("This is mail:\n\n{message}"));
    world.sync();
    let is_decoded = |path: &str| {
        let target = Target::document(path);
        let read = world.open().get(&target, &ReadOptions::default());
        read.unwrap().text.contains("café opens at eight")
    };
    for path in [
        "Inbox",
        "drafts/12",
        "cur/1700000000.M2P3.mail.example.com:2,S",
        "new/1700000001.M2P3.mail.example.py",
    ] {
        assert!(is_decoded(path), "{path}");
    }
    assert!(!is_decoded("HOWTO"));
    world.assert_like_fresh();
}

/// A spreadsheet in one file of XML, with a sheet for each name, whose rows have one cell each.
fn spreadsheet(sheets: &[(&str, &[&str])]) -> String {
    let row = |text: &&str| {
        format!(
            "<table:table-row><table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell></table:table-row>"
        )
    };
    let sheets = sheets.iter().map(|(name, rows)| {
        let rows: String = rows.iter().map(row).collect();
        format!("<table:table table:name=\"{name}\">{rows}</table:table>")
    });
    format!(
        "<?xml version=\"1.0\"?><office:document xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
         office:version=\"1.3\" office:mimetype=\"application/vnd.oasis.opendocument.spreadsheet\">\
         <office:body><office:spreadsheet>{}</office:spreadsheet></office:body></office:document>",
        sheets.collect::<String>()
    )
}

#[test]
fn a_match_is_cited_by_its_own_sheet_or_cell() {
    let sheets = [
        ("Tea", &["Green", "Black"][..]),
        ("Boats", &["Gull", "Heron", "Tern"]),
        ("Towns", &["Harbour"]),
    ];
    let cells = [
        ("markdown", "# Birds\n\nThe gull of the quay.\n"),
        ("markdown", "The heron of the quay.\n"),
    ];
    let world = World::new()
        .file("stock.fods", spreadsheet(&sheets))
        .file("birds.ipynb", notebook(&cells));
    world.sync();
    let cited = |query: &str, path: &str| {
        let answer = world.search(query);
        let found = answer.documents.iter().find(|hit| hit.path == path);
        let found = &found.unwrap().chunks;
        assert_eq!(found.len(), 1, "one chunk has all of it");
        found[0].citation.clone()
    };
    assert_eq!(cited("black", "stock.fods"), "stock.fods#Tea!A1:A2");
    assert_eq!(cited("heron", "stock.fods"), "stock.fods#Boats!A1:A3");
    assert_eq!(cited("harbour", "stock.fods"), "stock.fods#Towns!A1:A1");
    // The best line is the evidence, also if a chunk is shown whole.
    assert_eq!(
        cited("heron of the quay", "birds.ipynb"),
        "birds.ipynb#cell-2"
    );
    assert_eq!(
        cited("gull of the quay", "birds.ipynb"),
        "birds.ipynb#cell-1"
    );
}

#[test]
fn a_damaged_notebook_is_skipped_with_the_reason_until_it_changes() {
    let world = World::new().file("olives.ipynb", "{\"cells\": [");
    let report = world.sync();
    assert_eq!(report.skipped[&SkipReason::NotRead], 1);
    let index = world.open();
    let target = Target::document("olives.ipynb");
    let error = index.get(&target, &ReadOptions::default()).unwrap_err();
    let Error::Skipped { skip, .. } = &error else {
        panic!("{error}");
    };
    let detail = skip.detail.as_deref().unwrap();
    assert!(detail.starts_with("damaged: "), "{detail}");
    drop(index);
    let report = world.sync();
    assert_eq!((report.read, report.skipped[&SkipReason::NotRead]), (0, 1));
    world.write("olives.ipynb", notebook(&CELLS));
    assert_eq!(world.sync().added, 1);
}

#[test]
fn a_document_that_nothing_reads_is_skipped_with_what_would_read_it() {
    let world = World::new()
        .file("minutes.rtf", "{\\rtf1\\ansi Minutes}")
        .file("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
        .file("robot.msg", "float64 speed of the robot\n");
    let report = world.sync();
    assert_eq!(report.skipped[&SkipReason::NoReader], 2);
    assert_eq!(paths(&world.search("speed")), ["robot.msg"]);
    let index = world.open();
    for (path, name) in [("minutes.rtf", "Rich Text"), ("old.doc", "old Office")] {
        let error = index.get(&Target::document(path), &ReadOptions::default());
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains(name) && error.contains("[readers]"),
            "{error}"
        );
    }
}

/// A page with two sections of the same name.
const PAGE: &str = "<!doctype html><html><head><title>Grove</title></head><body><main><h1>Grove</h1>\
    <h2>Spring</h2><p>Pruning.</p><h3>Notes</h3><p>Cut the suckers.</p>\
    <h2>Autumn</h2><p>Harvest.</p><h3>Notes</h3><p>Shake the branches.</p><h3>!</h3><p>Nets.</p>\
    </main></body></html>";

#[test]
fn a_page_is_cited_by_the_section_of_the_words_that_were_found() {
    let world = World::new().file("grove.html", PAGE);
    world.sync();
    for (words, place, beginning) in [
        ("suckers", "notes", "### Notes\n\nCut the suckers."),
        ("branches", "notes-1", "### Notes\n\nShake the branches."),
        ("harvest", "autumn", "## Autumn\n\nHarvest."),
        // A heading without letters belongs to the section around it.
        ("nets", "autumn", "## Autumn\n\nHarvest."),
    ] {
        let answer = world.search(words);
        let hit = &answer.documents[0].chunks[0];
        assert_eq!(hit.citation, format!("grove.html#{place}"));
        let target = Target::section("grove.html", place);
        let index = world.open();
        let read = index.get(&target, &ReadOptions::default()).unwrap();
        assert!(read.text.starts_with(beginning), "{}", read.text);
        assert_eq!(read.place.as_deref(), Some(place));
    }
    world.assert_like_fresh();
}

#[test]
fn a_template_is_source_code_however_large_a_page_may_be() {
    let template = "<html><body>{% block content %}<p>{{ olive }}</p>{% endblock %}</body></html>";
    let large = format!("{template}{}", "<!-- olive -->".repeat(200_000));
    let mut world = World::new().file("a.html", template).file("b.html", large);
    let report = world.sync();
    assert_eq!(
        (report.added, report.skipped[&SkipReason::TooLarge]),
        (1, 1)
    );
    let answer = world.search("olive");
    assert_eq!(answer.documents[0].chunks[0].citation, "a.html:1-1");
    assert_eq!((world.sync().unchanged, world.sync().read), (1, 0));
    world.options.selection.max_file_size = Some(64 << 20);
    assert_eq!(world.sync().added, 1);
    assert_eq!(world.search("olive").documents.len(), 2);
}

#[cfg(unix)]
mod converters {
    use super::*;

    /// A world with a converter that writes the file in capitals, and a line to `runs` whenever it
    /// runs.
    fn world(command: &str) -> World {
        let mut world = World::new();
        let runs = world.root().join("../runs");
        let command = command.replace("RUNS", runs.to_str().unwrap());
        let converter = Converter::new("*.scan", &command).unwrap();
        world.options.selection.readers = Readers::with(vec![converter]);
        world
    }

    const CAPITALS: &str = "sh -c 'echo run >> RUNS; tr a-z A-Z < \"$1\"' sh {}";

    fn runs(world: &World) -> usize {
        let runs = std::fs::read_to_string(world.root().join("../runs"));
        runs.unwrap_or_default().lines().count()
    }

    #[test]
    fn it_runs_once_for_the_same_file_whatever_else_changes() {
        let mut world = world(CAPITALS).file("a.scan", "olive\u{c}tree\n");
        world.sync();
        assert_eq!(runs(&world), 1);
        let answer = world.search("tree");
        assert_eq!(answer.documents[0].chunks[0].text.trim(), "OLIVE\u{c}TREE");
        // The same bytes with another time, and other settings.
        world.touched("a.scan", "olive\u{c}tree\n");
        world.sync();
        world.options.chunking.target = 60;
        world.sync();
        assert_eq!(runs(&world), 1);
        world.write("a.scan", "willow\n");
        world.sync();
        assert_eq!(runs(&world), 2);
        assert_eq!(paths(&world.search("willow")), ["a.scan"]);
    }

    #[test]
    fn another_command_reads_the_file_again_and_none_takes_it_as_it_is() {
        let mut world = world(CAPITALS).file("a.scan", "olive tree\n");
        world.sync();
        let other = Converter::new("*.scan", "sed s/olive/almond/ {}").unwrap();
        world.options.selection.readers = Readers::with(vec![other]);
        assert_eq!(world.sync().changed, 1);
        assert_eq!(paths(&world.search("almond")), ["a.scan"]);
        world.options.selection.readers = Readers::default();
        assert_eq!(world.sync().changed, 1);
        let index = world.open();
        let target = Target::document("a.scan");
        let text = index.get(&target, &ReadOptions::default()).unwrap();
        assert_eq!(
            (&*text.text, text.encoding),
            ("olive tree\n", Encoding::Utf8)
        );
    }

    #[test]
    fn a_page_is_cited_and_a_failure_is_a_reason() {
        let mut world = world("cat {}").file("a.scan", "Olive trees.\n\u{c}Almond trees.\n");
        world.options.chunking.target = 4;
        world.options.chunking.min = 1;
        world.options.chunking.max = 6;
        world.sync();
        let answer = world.ask(&by_keywords("almond"));
        assert_eq!(answer.documents[0].chunks[0].citation, "a.scan#page=2");
        let failing = Converter::new("*.scan", "sh -c 'echo no licence >&2; exit 1' {}").unwrap();
        world.options.selection.readers = Readers::with(vec![failing]);
        let report = world
            .open()
            .sync(&world.root(), &world.options, quiet)
            .unwrap();
        assert_eq!(report.skipped[&SkipReason::NotRead], 1);
        let index = world.open();
        let error = index.get(&Target::document("a.scan"), &ReadOptions::default());
        let error = error.unwrap_err().to_string();
        assert!(error.contains("`sh` failed: no licence"), "{error}");
    }
}
