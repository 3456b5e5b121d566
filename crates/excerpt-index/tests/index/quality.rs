//! The quality of the search, on our own questions and on the sets in the folder `EXCERPT_EVAL`, if
//! there is one. Both channels together are not worse than the better one, and no figure falls
//! below the one recorded in `eval/figures.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use excerpt_index::eval::{QuestionSet, Report, Rule, evaluate};
use excerpt_index::{Channels, Index, OpenOptions, Ranking, SyncOptions, quiet};
use serde::Deserialize;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const MEASURE: &str = "ndcg@10";

/// The recorded figures of a set.
#[derive(Deserialize)]
struct Recorded {
    rule: Rule,
    /// nDCG@10 with every setting at its default.
    #[serde(rename = "ndcg@10")]
    figure: f64,
    /// The tolerance: our own set is about documents that change.
    margin: f64,
}

#[test]
fn our_own_questions_find_their_answers() {
    let set = QuestionSet::read(&Path::new(ROOT).join("eval/excerpt"), Some(Path::new(ROOT)));
    holds("excerpt", &set.unwrap());
}

#[test]
fn questions_of_others_find_their_answers() {
    let Some(folder) = std::env::var_os("EXCERPT_EVAL").map(PathBuf::from) else {
        eprintln!("skipped: EXCERPT_EVAL names no folder with evaluation sets");
        return;
    };
    // A set may come without its documents; then they are in the folder that the test script has
    // fetched.
    let fetched = std::env::var_os("EXCERPT_SOURCES").map(PathBuf::from);
    for name in recorded().keys().filter(|name| *name != "excerpt") {
        let places = [Some(&folder), fetched.as_ref()].into_iter().flatten();
        let place = places
            .map(|place| place.join(name))
            .find(|place| place.join("corpus").is_dir());
        match place {
            Some(place) => holds(name, &QuestionSet::read(&place, None).unwrap()),
            None => eprintln!("skipped: no documents of `{name}`"),
        }
    }
}

fn recorded() -> BTreeMap<String, Recorded> {
    let text = fs::read_to_string(Path::new(ROOT).join("eval/figures.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Asserts the guarantees for a set, and prints its figures.
#[expect(clippy::print_stdout, reason = "the table of the figures")]
fn holds(name: &str, set: &QuestionSet) {
    let Recorded {
        rule,
        figure,
        margin,
    } = recorded().remove(name).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut index = Index::open(&dir.path().join("index"), OpenOptions::create()).unwrap();
    index
        .sync_source(set.source(), &SyncOptions::default(), quiet)
        .unwrap();
    let mut by = |channels| -> Report {
        let mut ranking = Ranking::default();
        ranking.channels = channels;
        evaluate(set, &index, rule, &ranking).unwrap()
    };
    let [both, keywords, vectors] =
        [Channels::Both, Channels::Keywords, Channels::Vectors].map(&mut by);
    let mean = |report: &Report| report.mean(MEASURE).unwrap().mean;
    let [of_both, of_keywords, of_vectors] = [&both, &keywords, &vectors].map(mean);
    println!(
        "{name}: keywords {of_keywords:.3}, vectors {of_vectors:.3}, both {of_both:.3}, recorded {figure:.3}"
    );

    for measure in [MEASURE, "recall@5"] {
        let of = |report: &Report| report.mean(measure).unwrap().mean;
        let better = match of(&keywords) >= of(&vectors) {
            true => &keywords,
            false => &vectors,
        };
        let gain = better.compare(&both).measures[measure].gain;
        assert!(
            gain.high >= 0.0,
            "{name}: {measure} of both channels together is below that of one alone: {gain:?}"
        );
    }
    assert!(
        of_both >= figure - margin,
        "{name}: {of_both:.3} is below what eval/figures.json has recorded, {figure:.3}"
    );
}
