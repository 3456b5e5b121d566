use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::embed::{EmbedError, Vectors};
use crate::endpoint::server::{Reply, Request, Server};
use crate::eval::{QuestionSet, Rule, evaluate};
use crate::{Answer, Error, Index, Note, OpenOptions, Query, Ranking, SyncOptions, quiet};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(60);

/// An embedder whose vectors count two words; it waits for a permit before each text, if it has
/// any to wait for.
struct Counting {
    permits: Option<Mutex<Receiver<()>>>,
    embedded: Arc<AtomicUsize>,
}

impl Counting {
    fn vector(text: &str) -> Vec<f32> {
        let count = |word: &str| text.matches(word).count() as f32;
        let vector = [count("kettle"), count("garden"), 0.1];
        let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
        vector.iter().map(|n| n / length).collect()
    }
}

impl Embedder for Counting {
    fn identity(&self) -> &str {
        "counting"
    }

    fn dimensions(&self) -> usize {
        3
    }

    fn max_input(&self) -> usize {
        100
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        for text in texts {
            if let Some(permits) = &self.permits {
                let _ = permits.lock().unwrap().recv();
            }
            self.embedded.fetch_add(1, Ordering::SeqCst);
            vectors.add().copy_from_slice(&Counting::vector(text));
        }
        Ok(())
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        let text: String = pieces.iter().map(|(piece, _)| *piece).collect();
        Ok(Counting::vector(&text))
    }
}

/// A reranker by a [`Counting`] embedder, and how many texts were embedded.
fn counting(options: RerankOptions) -> (Reranker, Arc<AtomicUsize>) {
    let embedded = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&embedded);
    let load = move || {
        let embedded = Arc::clone(&count);
        let embedder: Arc<dyn Embedder> = Arc::new(Counting {
            permits: None,
            embedded,
        });
        Ok(embedder)
    };
    (Reranker::by_vectors(load, options).unwrap(), embedded)
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn rounded(scores: &[f32]) -> Vec<f32> {
    scores
        .iter()
        .map(|score| (score * 10.0).round() / 10.0)
        .collect()
}

#[test]
fn texts_are_compared_with_the_question() {
    let (reranker, embedded) = counting(RerankOptions::default());
    let asked = texts(&["a kettle", "a garden", "neither"]);
    let scores = reranker.scores("the kettle", asked.clone(), LONG).unwrap();
    assert_eq!(rounded(&scores), [1.0, 0.0, 0.1]);
    // What is known is not computed again.
    let again = reranker
        .scores("the kettle", asked, Duration::ZERO)
        .unwrap();
    assert_eq!(again, scores);
    assert_eq!(embedded.load(Ordering::SeqCst), 3);
    let other = reranker.scores("the garden", texts(&["a garden", "a street"]), LONG);
    assert_eq!(rounded(&other.unwrap()), [1.0, 0.1]);
    assert_eq!(embedded.load(Ordering::SeqCst), 4);
}

#[test]
fn what_was_computed_is_kept_for_the_next_process() {
    let folder = tempfile::tempdir().unwrap();
    let options = RerankOptions {
        cache: Some(folder.path().join("kept.db")),
        ..RerankOptions::default()
    };
    let asked = || texts(&["a kettle", "a garden"]);
    let (first, _) = counting(options.clone());
    let scores = first.scores("the kettle", asked(), LONG).unwrap();
    drop(first);
    let (second, embedded) = counting(options);
    assert_eq!(second.scores("the kettle", asked(), LONG).unwrap(), scores);
    assert_eq!(embedded.load(Ordering::SeqCst), 0);
}

/// A reranker whose embedder waits for permits.
fn waiting() -> (Reranker, SyncSender<()>) {
    let (permit, permits) = sync_channel(100);
    let permits = Mutex::new(Some(permits));
    let load = move || {
        let embedder: Arc<dyn Embedder> = Arc::new(Counting {
            permits: permits.lock().unwrap().take().map(Mutex::new),
            embedded: Arc::default(),
        });
        Ok(embedder)
    };
    let reranker = Reranker::by_vectors(load, RerankOptions::default());
    (reranker.unwrap(), permit)
}

#[test]
fn a_search_does_not_wait_longer_than_it_should_and_the_model_continues() {
    let (reranker, permit) = waiting();
    let asked = || texts(&["a kettle", "a garden"]);
    let unasked = reranker.scores("the kettle", asked(), Duration::ZERO);
    assert_eq!(
        unasked.unwrap_err(),
        "the answer did not wait for the model"
    );
    let late = reranker.scores("the kettle", asked(), Duration::from_millis(1));
    assert_eq!(
        late.unwrap_err(),
        "the model needs longer than 1ms; what it has computed so far is kept for the next time"
    );
    for _ in 0..asked().len() {
        permit.send(()).unwrap();
    }
    // No further permit is needed.
    let scores = reranker.scores("the kettle", asked(), LONG).unwrap();
    assert_eq!(rounded(&scores), [1.0, 0.0]);
}

#[test]
fn a_slow_model_keeps_few_searches_waiting() {
    let (reranker, permit) = waiting();
    let asked = |number: usize| texts(&["a kettle", &format!("garden {number}")]);
    thread::scope(|scope| {
        let reranker = &reranker;
        let waiting: Vec<_> = (0..WAITING)
            .map(|number| scope.spawn(move || reranker.scores("the kettle", asked(number), LONG)))
            .collect();
        while reranker.waiting.load(Ordering::SeqCst) < WAITING {
            thread::yield_now();
        }
        let busy = reranker.scores("the kettle", asked(9), LONG);
        assert_eq!(busy.unwrap_err(), BUSY);
        // The first text of both is the same.
        for _ in 0..=WAITING {
            permit.send(()).unwrap();
        }
        for waiting in waiting {
            assert_eq!(rounded(&waiting.join().unwrap().unwrap()), [1.0, 0.0]);
        }
    });
}

#[test]
fn a_model_that_cannot_be_loaded_says_why() {
    let load = || {
        Err(Error::Model {
            path: Path::new("model").to_path_buf(),
            reason: "it is missing".to_string(),
        })
    };
    let reranker = Reranker::by_vectors(load, RerankOptions::default()).unwrap();
    let said = reranker.scores("a", texts(&["b", "c"]), LONG).unwrap_err();
    assert_eq!(said, "cannot use the model in `model`: it is missing");
    assert_eq!(reranker.check().unwrap_err(), said);
}

/// A server that scores a text by how often it contains the question, the last text first.
fn server() -> Server {
    Server::new(|asked: &Request| {
        let query = asked.body["query"].as_str().unwrap();
        let documents = asked.body["documents"].as_array().unwrap().iter();
        let count = |text: &str| text.matches(query).count();
        let results = documents.enumerate().rev().map(|(index, text)| {
            json!({"index": index, "relevance_score": count(text.as_str().unwrap())})
        });
        Reply::json(
            200,
            &json!({"results": results.collect::<Vec<_>>(), "meta": {}}),
        )
    })
}

fn behind(url: String, change: impl FnOnce(&mut RerankEndpoint)) -> Result<Reranker> {
    let mut endpoint = RerankEndpoint::new(url, "judge");
    change(&mut endpoint);
    Reranker::by_endpoint(endpoint, RerankOptions::default())
}

#[test]
fn an_endpoint_scores_texts() {
    let server = server();
    let reranker = behind(server.url(), |endpoint| endpoint.max_input = 3).unwrap();
    let asked = texts(&["no", "tea tea", "tea", &"tea ".repeat(100)]);
    let scores = reranker.scores("tea", asked.clone(), LONG).unwrap();
    // The last one is shortened to 12 characters.
    assert_eq!(scores, [0.0, 2.0, 1.0, 3.0]);
    let requests = server.asked();
    assert_eq!(requests[0].line, "POST /v1/rerank HTTP/1.1");
    let body = &requests[0].body;
    assert_eq!(
        (&body["model"], &body["query"]),
        (&json!("judge"), &json!("tea"))
    );
    // Only what is not known is asked for again.
    let more = [asked.as_slice(), &texts(&["teatea"])].concat();
    assert_eq!(reranker.scores("tea", more, LONG).unwrap()[4], 2.0);
    assert_eq!(server.asked()[1].body["documents"], json!(["teatea"]));
}

#[test]
fn the_same_model_name_elsewhere_is_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let options = || RerankOptions {
        cache: Some(folder.path().join("kept.db")),
        ..RerankOptions::default()
    };
    for score in [1.0, 2.0] {
        let results = json!({"results": [{"index": 0, "score": score}]});
        let server = Server::always(Reply::json(200, &results));
        let endpoint = RerankEndpoint::new(server.url(), "judge");
        let reranker = Reranker::by_endpoint(endpoint, options()).unwrap();
        assert_eq!(
            reranker.scores("tea", texts(&["a"]), LONG).unwrap(),
            [score]
        );
    }
}

#[test]
fn an_endpoint_is_asked_in_parts_that_are_kept() {
    let server = server();
    let reranker = behind(server.url(), |_| {}).unwrap();
    let asked: Vec<String> = (0..25).map(|number| format!("tea {number}")).collect();
    reranker.scores("tea", asked, LONG).unwrap();
    let counts = server.asked().into_iter();
    let counts = counts.map(|asked| asked.body["documents"].as_array().unwrap().len());
    assert_eq!(counts.collect::<Vec<_>>(), [10, 10, 5]);
}

#[test]
fn every_problem_of_an_endpoint_says_what_to_do() {
    let cases = [
        (
            Reply::text(200, "<html>"),
            "returned no list of scores (`<html>`): check that the url is an endpoint for reranking",
        ),
        (
            Reply::json(
                200,
                &json!({"results": [{"index": 0, "relevance_score": 1}]}),
            ),
            "returned scores for 1 of 2 texts: use another server",
        ),
        (
            Reply::json(200, &json!({"data": [{"index": 7, "score": 1}]})),
            "returned a score for text 7 of 2: use another server",
        ),
        (
            Reply::json(
                200,
                &json!({"data": [{"index": 1, "score": 1}, {"index": 1, "score": 2}]}),
            ),
            "returned two scores for text 1: use another server",
        ),
        (
            Reply::text(200, r#"{"results": [{"index": 0, "score": 1e39}]}"#),
            "returned a score for text 0 that is not a finite number: use another server",
        ),
        (
            Reply::json(401, &json!({"message": "no key"})),
            "answered 401 (no key): set `key_variable` to the environment variable that holds the key",
        ),
        (
            Reply::json(422, &json!({"detail": "unknown model"})),
            "answered 422 (unknown model): lower `max_input`, or check the model `judge`",
        ),
    ];
    for (reply, said) in cases {
        let server = Server::always(reply);
        let reranker = behind(server.url(), |_| {}).unwrap();
        let error = reranker
            .scores("tea", texts(&["a", "b"]), LONG)
            .unwrap_err();
        assert_eq!(error, format!("`{}/rerank` {said}", server.url()));
    }
}

#[test]
fn options_that_cannot_be_used_are_named() {
    let fault = |change: fn(&mut RerankEndpoint)| {
        behind("http://localhost/".to_string(), change)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        fault(|endpoint| endpoint.url = "ftp://host".to_string()),
        "`url` is `ftp://host`, expected `http://` or `https://`, and a host"
    );
    assert_eq!(
        fault(|endpoint| endpoint.max_input = 0),
        "`max_input` is `0`, expected a number from 1 to 1048576"
    );
    assert_eq!(
        fault(|endpoint| endpoint.model.clear()),
        "`model` is ``, expected the name of a model"
    );
    let options = |change: fn(&mut RerankOptions)| {
        let mut options = RerankOptions::default();
        change(&mut options);
        options.check().unwrap_err().to_string()
    };
    assert_eq!(
        options(|options| options.candidates = 1),
        "`candidates` is `1`, expected a number from 2 to 200"
    );
    assert_eq!(
        options(|options| options.share = f32::NAN),
        "`share` is `NaN`, expected a share from 0 to less than 1"
    );
}

/// An index of a few documents.
fn synced(home: &TempDir) -> Index {
    let folder = home.path().join("notes");
    fs::create_dir(&folder).unwrap();
    for (name, text) in [
        ("a.md", "The water is hot. The water is hot."),
        ("b.md", "Hot water comes from the kettle."),
        ("c.md", "The water of the garden is hot and hot."),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let mut index = Index::open(&home.path().join("index"), OpenOptions::create()).unwrap();
    index.sync(&folder, &SyncOptions::default(), quiet).unwrap();
    index
}

fn paths(answer: &Answer) -> Vec<&str> {
    answer
        .documents
        .iter()
        .map(|document| &*document.path)
        .collect()
}

#[test]
fn a_search_is_reordered_and_explained() {
    let home = tempfile::tempdir().unwrap();
    let index = synced(&home);
    // The word `kettle` is in no document with a higher score.
    let query = Query::new("hot water kettle garden").rerank_wait(LONG);
    let before = index.search(&query).unwrap();
    let server = Server::new(|asked: &Request| {
        let texts = asked.body["documents"].as_array().unwrap().iter();
        let scores = texts.enumerate().map(|(index, text)| {
            let score = u8::from(text.as_str().unwrap().contains("is hot. The"));
            json!({"index": index, "relevance_score": score})
        });
        Reply::json(200, &json!({"results": scores.collect::<Vec<_>>()}))
    });
    let options = RerankOptions {
        share: 0.9,
        ..RerankOptions::default()
    };
    let endpoint = RerankEndpoint::new(server.url(), "judge");
    let reranker = Reranker::by_endpoint(endpoint, options).unwrap();
    let index = index.with_reranker(Some(Arc::new(reranker)));
    let after = index.search(&query).unwrap();
    assert_ne!(paths(&before)[0], "a.md");
    assert_eq!(paths(&after)[0], "a.md");
    assert_eq!(after.notes, before.notes);
    for hit in after.chunks() {
        let parts = &hit.explanation;
        let channels = [parts.keywords, parts.vectors].into_iter().flatten();
        let shares = channels.map(|channel| channel.share);
        let signals = parts.signals.iter().map(|signal| signal.share);
        let sum: f32 = shares.chain(signals).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{hit:?}");
        assert!(parts.signals.iter().any(|signal| signal.name == "rerank"));
    }
}

#[test]
fn a_search_says_why_it_was_not_reordered() {
    let home = tempfile::tempdir().unwrap();
    let index = synced(&home);
    let query = Query::new("hot water").rerank_wait(LONG);
    let before = index.search(&query).unwrap();
    let server = Server::always(Reply::json(500, &json!({"message": "out of memory"})));
    let endpoint = RerankEndpoint::new(server.url(), "judge");
    let reranker = Reranker::by_endpoint(endpoint, RerankOptions::default()).unwrap();
    let index = index.with_reranker(Some(Arc::new(reranker)));
    let after = index.search(&query).unwrap();
    assert_eq!(paths(&after), paths(&before));
    let reason = format!(
        "`{}/rerank` answered 500 (out of memory): try again later",
        server.url()
    );
    assert_eq!(after.notes.last(), Some(&Note::NotReranked { reason }));
}

/// Measures of unordered answers among ordered ones would describe neither.
#[test]
fn an_evaluation_ends_when_the_model_fails_in_the_middle() {
    let home = tempfile::tempdir().unwrap();
    let index = synced(&home);
    let questions = home.path().join("questions");
    fs::create_dir(&questions).unwrap();
    let lines = ["hot water", "garden", "kettle"].map(|query| {
        json!({"id": query, "query": query, "relevant": [{"path": "a.md"}]}).to_string()
    });
    fs::write(questions.join("queries.jsonl"), lines.join("\n")).unwrap();
    let set = QuestionSet::read(&questions, Some(&home.path().join("notes"))).unwrap();
    let server = Server::new(|asked: &Request| {
        if asked.body["query"] == "kettle" {
            return Reply::json(500, &json!({"message": "out of memory"}));
        }
        let texts = asked.body["documents"].as_array().unwrap();
        let scores = (0..texts.len()).map(|index| json!({"index": index, "relevance_score": 1}));
        Reply::json(200, &json!({"results": scores.collect::<Vec<_>>()}))
    });
    let endpoint = RerankEndpoint::new(server.url(), "judge");
    let reranker = Reranker::by_endpoint(endpoint, RerankOptions::default()).unwrap();
    let index = index.with_reranker(Some(Arc::new(reranker)));
    let error = evaluate(&set, &index, Rule::default(), &Ranking::default()).unwrap_err();
    let Error::NotReranked { reason } = error else {
        panic!("{error}");
    };
    assert!(reason.contains("out of memory"), "{reason}");
    let asked = server.asked();
    assert!(asked.iter().any(|asked| asked.body["query"] == "hot water"));
}
