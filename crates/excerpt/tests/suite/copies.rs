//! Copies and translations of a better hit are folded into it.

use serde_json::json;

use crate::fixture::Project;
use crate::mcp_client::Client;

const PAGE: &str = "# Install the parcel service

Run `pip install parcel` on Python 3.12 or later, then set `PARCEL_HOME` to `/srv/parcel` and start it by
`parcel serve --port 8080`. The page is at http://localhost:8080/ and the log in `parcel.log`.
";

const FRENCH: &str = "# Installer le service parcel

Exécutez `pip install parcel` avec Python 3.12 ou plus récent, donnez à `PARCEL_HOME` la valeur `/srv/parcel` puis lancez
`parcel serve --port 8080`. La page se trouve à http://localhost:8080/ et le journal dans `parcel.log`.
";

const GERMAN: &str = "# Den Dienst parcel einrichten

`pip install parcel` mit Python ab 3.12 aufrufen, `PARCEL_HOME` auf `/srv/parcel` setzen und den Dienst mit
`parcel serve --port 8080` starten. Die Seite liegt auf http://localhost:8080/ und das Protokoll in `parcel.log`.
";

fn site() -> Project {
    Project::new()
        .file("docs/en/install.md", PAGE)
        .file("docs/fr/install.md", FRENCH)
        .file("docs/de/install.md", GERMAN)
        .file(
            "docs/en/remove.md",
            "# Remove\n\nStop `parcel serve` and delete `/srv/parcel`.\n",
        )
        .file("old/setup.md", PAGE.replace("later", "newer"))
}

const SEARCH: [&str; 4] = ["search", "install parcel service", "--channels", "keywords"];

#[test]
fn translations_and_copies_are_folded_under_the_best_page() {
    let project = site();
    let shown = project.run(&[&SEARCH[..], &["docs"]].concat()).ok().stdout;
    assert!(shown.starts_with("docs/en/install.md:1-4"), "{shown}");
    assert!(shown.contains("    also in: de, fr\n"), "{shown}");
    let shown = project.run(&SEARCH).ok().stdout;
    assert!(shown.contains("also in: "), "{shown}");
    let all = project
        .run(&[&SEARCH[..], &["--all", "--files"]].concat())
        .ok()
        .stdout;
    assert_eq!(all.lines().count(), 5, "{all}");
}

#[test]
fn json_contains_all_of_them() {
    let project = site();
    let run = project
        .run(&[&SEARCH[..], &["docs", "--json"]].concat())
        .ok();
    let hits = run.json();
    let paths: Vec<&str> = hits
        .iter()
        .map(|hit| hit["path"].as_str().unwrap())
        .collect();
    for page in [
        "docs/en/install.md",
        "docs/fr/install.md",
        "docs/de/install.md",
    ] {
        assert!(paths.contains(&page), "{paths:?}");
    }
}

#[test]
fn each_place_of_a_copy_is_accepted_as_an_argument() {
    let project = Project::new().file("a/one.md", PAGE).file("b/two.md", PAGE);
    let shown = project.run(&SEARCH).ok().stdout;
    let citation = shown
        .lines()
        .find_map(|line| line.trim().strip_prefix("also in: "));
    assert!(
        project
            .run(&["get", citation.unwrap()])
            .ok()
            .stdout
            .contains("parcel serve")
    );
}

#[test]
fn an_answer_without_passages_lists_copies_too() {
    let project = site();
    let lines = |args: &[&str]| {
        let run = project.run(&[&SEARCH[..], &["docs"], args].concat()).ok();
        run.stdout.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let files = lines(&["--files"]);
    for page in ["en", "fr", "de"] {
        let page = format!("docs/{page}/install.md");
        assert!(files.contains(&page), "{files:?}");
    }
    assert_eq!(
        lines(&["--documents"]).len(),
        lines(&["--all", "--documents"]).len()
    );
    let mut client = Client::new(&project, &["docs", "--sync", "never"]);
    let asked = json!({"query": "install parcel service", "documents": true});
    let found = client.call("search", asked).ok();
    for page in ["en", "fr", "de"] {
        assert!(
            found.text.contains(&format!(" {page}/install.md ")),
            "{}",
            found.text
        );
    }
}
