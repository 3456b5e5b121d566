use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

use super::*;
use crate::embed::conformance::conforms;
use crate::endpoint::server::{DIMENSIONS, Reply, Request, Server, vector, vectors};

/// A machine on which sleep takes no time and is recorded.
#[derive(Default)]
struct TestMachine {
    now: Mutex<Duration>,
    slept: Mutex<Vec<Duration>>,
    variables: BTreeMap<&'static str, &'static str>,
}

impl Machine for TestMachine {
    fn now(&self) -> Duration {
        *self.now.lock().unwrap()
    }

    fn sleep(&self, time: Duration) {
        *self.now.lock().unwrap() += time;
        self.slept.lock().unwrap().push(time);
    }

    fn chance(&self) -> f64 {
        0.5
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(ToString::to_string)
    }
}

/// An embedder and its machine.
struct Setup {
    embedder: HttpEmbedder,
    machine: Arc<TestMachine>,
}

impl Setup {
    fn new(url: &str, change: impl FnOnce(&mut HttpOptions)) -> Setup {
        Setup::with_variables(url, BTreeMap::new(), change)
    }

    fn with_variables(
        url: &str,
        variables: BTreeMap<&'static str, &'static str>,
        change: impl FnOnce(&mut HttpOptions),
    ) -> Setup {
        let mut options = HttpOptions::new(url, "words", DIMENSIONS);
        change(&mut options);
        let machine = Arc::new(TestMachine {
            variables,
            ..TestMachine::default()
        });
        let embedder = HttpEmbedder::on(machine.clone(), options).unwrap();
        Setup { embedder, machine }
    }

    fn documents(&self, texts: &[&str]) -> Result<Vectors, EmbedError> {
        let mut vectors = Vectors::new(DIMENSIONS);
        self.embedder.embed_documents(texts, &mut vectors)?;
        Ok(vectors)
    }

    /// The error of embedding two texts.
    fn failure(&self) -> EmbedError {
        self.documents(&["one text", "another text"]).unwrap_err()
    }

    fn slept(&self) -> Vec<u128> {
        let slept = self.machine.slept.lock().unwrap();
        slept.iter().map(Duration::as_millis).collect()
    }
}

fn plain(url: &str) -> Setup {
    Setup::new(url, |_| {})
}

/// The error message of an embedder without retries, with `URL` for the address.
fn shown(server: &Server, change: impl FnOnce(&mut HttpOptions)) -> String {
    let setup = Setup::new(&server.url(), |options| {
        options.retries = 0;
        change(options);
    });
    without_address(&setup, &setup.failure())
}

fn without_address(setup: &Setup, error: &EmbedError) -> String {
    let start = format!("no vectors from `{}`: ", setup.embedder.identity());
    let address = setup.embedder.endpoint.shown();
    let error = error.to_string().replace(address, "URL");
    error.strip_prefix(&start).unwrap_or(&error).to_string()
}

fn unit(text: &str) -> Vec<f32> {
    let mut vector = vector(text);
    to_unit_length(&mut vector);
    vector
}

fn close(one: &[f32], other: &[f32]) -> bool {
    let near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-6;
    one.len() == other.len() && one.iter().zip(other).all(near)
}

/// A response with these items.
fn data(items: &Value) -> Reply {
    Reply::json(200, &json!({ "data": items }))
}

#[test]
fn it_keeps_the_promises_of_an_embedder() {
    let server = Server::new(vectors);
    conforms(&plain(&server.url()).embedder);
    conforms(
        &Setup::new(&server.url(), |options| {
            options.document_prefix = "passage: ".into();
            options.query_prefix = "query: ".into();
            options.batch_texts = 3;
            options.max_input = 7;
        })
        .embedder,
    );
}

#[test]
fn a_request_names_the_model_and_the_texts() {
    let server = Server::new(vectors);
    let found = plain(&server.url()).documents(&["green tea", "black tea"]);
    assert_eq!(found.unwrap().len(), 2);
    let [asked] = &server.asked()[..] else {
        panic!("one request")
    };
    assert_eq!(asked.line, "POST /v1/embeddings HTTP/1.1");
    let body = json!({ "model": "words", "input": ["green tea", "black tea"] });
    assert_eq!(asked.body, body);
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let agent = concat!("excerpt/", env!("CARGO_PKG_VERSION"));
    assert_eq!(asked.header("user-agent"), Some(agent));
    assert_eq!(asked.header("authorization"), None);
}

#[test]
fn the_length_of_vectors_is_sent_only_where_that_is_wished() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| options.send_dimensions = true);
    setup.documents(&["tea"]).unwrap();
    assert_eq!(server.asked()[0].body["dimensions"], DIMENSIONS);
}

#[test]
fn vectors_are_those_of_the_texts_whatever_the_order_of_the_answer() {
    // The server returns the last first.
    let server = Server::new(vectors);
    let texts = ["green tea", "a cup of black tea", "kettle"];
    let found = plain(&server.url()).documents(&texts).unwrap();
    for (text, vector) in texts.iter().zip(found.iter()) {
        assert!(close(vector, &unit(text)), "{text}");
    }
}

#[test]
fn very_large_and_very_small_numbers_have_a_direction_too() {
    for size in [1e30, 1e-30] {
        let items =
            json!([{ "index": 0, "embedding": [3.0 * size, 0, 0, 4.0 * size, 0, 0, 0, 0] }]);
        let server = Server::always(data(&items));
        let found = plain(&server.url()).documents(&["tea"]).unwrap();
        let expected = [0.6, 0.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0];
        assert!(close(found.iter().next().unwrap(), &expected));
    }
}

#[test]
fn documents_and_questions_have_prefixes_of_their_own() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| {
        options.document_prefix = "passage: ".into();
        options.query_prefix = "query: ".into();
    });
    setup.documents(&["green tea"]).unwrap();
    let pieces = [("how hot is ", 0.1), ("green", 3.0), (" tea", 1.0)];
    let question = setup.embedder.embed_query(&pieces).unwrap();
    assert_eq!(
        server.inputs(),
        [["passage: green tea"], ["query: how hot is green tea"]]
    );
    assert!(close(&question, &unit("query: how hot is green tea")));
}

#[test]
fn a_batch_has_no_more_texts_than_it_may() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| options.batch_texts = 2);
    setup.documents(&["a", "b", "c", "d", "e"]).unwrap();
    let expected: [&[&str]; 3] = [&["a", "b"], &["c", "d"], &["e"]];
    assert_eq!(server.inputs(), expected);
}

#[test]
fn a_batch_has_no_more_characters_than_it_may_but_for_one_long_text() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| {
        options.document_prefix = "p ".into();
        options.batch_characters = 10;
    });
    let long = "ß".repeat(20);
    setup.documents(&["äöü", "aaa", "b", &long, "c"]).unwrap();
    let long = format!("p {long}");
    let expected: [&[&str]; 4] = [&["p äöü", "p aaa"], &["p b"], &[&long], &["p c"]];
    assert_eq!(server.inputs(), expected);
}

#[test]
fn white_space_has_the_zero_vector_without_a_request() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| {
        options.document_prefix = "p ".into();
    });
    let found = setup.documents(&["", "tea", " \n"]).unwrap();
    let found: Vec<&[f32]> = found.iter().collect();
    assert_eq!((found[0], found[2]), (&[0.0; 8][..], &[0.0; 8][..]));
    assert_eq!(setup.embedder.embed_query(&[("", 1.0)]).unwrap(), [0.0; 8]);
    assert_eq!(server.inputs(), [["p tea"]]);
}

#[test]
fn a_long_text_has_the_mean_of_its_windows() {
    let server = Server::new(vectors);
    let setup = Setup::new(&server.url(), |options| options.max_input = 3);
    let found = setup.documents(&["green tea black tea", "kettle"]).unwrap();
    assert_eq!(server.inputs(), [["green tea ", "black tea", "kettle"]]);
    let mut mean = unit("green tea");
    for (sum, number) in mean.iter_mut().zip(unit("black tea")) {
        *sum += number;
    }
    to_unit_length(&mut mean);
    assert!(close(found.iter().next().unwrap(), &mean));
}

#[test]
fn the_key_is_sent_and_shown_nowhere() {
    // The server repeats the key in its error.
    let refuse = |asked: &Request| {
        let key = asked.header("authorization").unwrap();
        Reply::json(
            401,
            &json!({ "error": { "message": format!("no such key: {key}") } }),
        )
    };
    let server = Server::new(refuse);
    let variables = BTreeMap::from([("EXCERPT_KEY", "sk-secret-123\n")]);
    let setup = Setup::with_variables(&server.url(), variables, |options| {
        options.key_variable = Some("EXCERPT_KEY".into());
    });
    let error = setup.failure();
    let authorization = server.asked()[0].header("authorization").map(String::from);
    assert_eq!(authorization.unwrap(), "Bearer sk-secret-123");
    assert_eq!(
        without_address(&setup, &error),
        "`URL` answered 401 (no such key: Bearer …): set the environment variable `EXCERPT_KEY` to a key that it accepts"
    );
    let shown = format!("{:?} {error:?}", setup.embedder);
    assert!(!shown.contains("secret"), "{shown}");
    let options = HttpOptions::new("https://host.example/v1?key=secret", "words", 8);
    assert_eq!(
        format!("{options:?}"),
        r#"HttpOptions { url: "https://host.example/v1?…", model: "words", dimensions: 8, .. }"#
    );
}

#[test]
fn a_key_that_cannot_be_sent_is_no_request() {
    let server = Server::new(vectors);
    let failure = |variables| {
        let setup = Setup::with_variables(&server.url(), variables, |options| {
            options.key_variable = Some("EXCERPT_KEY".into());
        });
        without_address(&setup, &setup.failure())
    };
    let unset = "the environment variable `EXCERPT_KEY` is not set: set it to the key for `URL`";
    assert_eq!(failure(BTreeMap::new()), unset);
    assert_eq!(failure(BTreeMap::from([("EXCERPT_KEY", " ")])), unset);
    assert_eq!(
        failure(BTreeMap::from([("EXCERPT_KEY", "one\ntwo")])),
        "the environment variable `EXCERPT_KEY` contains a line break or another control character: set it to the key for `URL`"
    );
    assert!(server.asked().is_empty());
}

#[test]
fn an_answer_that_cannot_be_used_says_why() {
    let zero = json!([0, 0, 0, 0, 0, 0, 0, 0]);
    let good = json!([1, 0, 0, 0, 0, 0, 0, 0]);
    let cases = [
        (
            Reply::text(200, "<html>\n  <b>Welcome</b>"),
            "`URL` returned no list of vectors (`<html> <b>Welcome</b>`): check that the url is an embeddings endpoint",
        ),
        (
            Reply::text(200, ""),
            "`URL` returned no list of vectors (``): check that the url is an embeddings endpoint",
        ),
        (
            Reply::text(200, r#"{"data": [{"index": 0, "embedding": [NaN]}]}"#),
            r#"`URL` returned no list of vectors (`{"data": [{"index": 0, "embedding": [NaN]}]}`): check that the url is an embeddings endpoint"#,
        ),
        (
            data(&json!([{ "index": 0, "embedding": good }])),
            "`URL` returned 1 vector for 2 texts: set `batch_texts` to 1, or use another server",
        ),
        (
            data(&json!([{ "index": 0, "embedding": good }, { "index": 0, "embedding": good }])),
            "`URL` returned two vectors for text 0: set `batch_texts` to 1, or use another server",
        ),
        (
            data(&json!([{ "index": 0, "embedding": good }, { "index": 2, "embedding": good }])),
            "`URL` returned a vector for text 2 of 2: set `batch_texts` to 1, or use another server",
        ),
        (
            data(&json!([{ "embedding": good }, { "embedding": good }])),
            "`URL` does not say which text a vector belongs to: set `batch_texts` to 1, or use another server",
        ),
        (
            data(&json!([{ "index": 0, "embedding": [1, 2] }, { "index": 1, "embedding": good }])),
            "`URL` returned vectors of 2 numbers, but `dimensions` is 8: set it to 2, or use another model",
        ),
        (
            data(&json!([{ "index": 1, "embedding": good }, { "index": 0, "embedding": zero }])),
            "a text cannot be embedded: `URL` returned a zero vector",
        ),
        (
            data(
                &json!([{ "index": 0, "embedding": good }, { "index": 1, "embedding": [1, 0, 0, null, 0, 0, 0, 0] }]),
            ),
            "a text cannot be embedded: `URL` returned a vector with a number that is not finite",
        ),
        (
            data(
                &json!([{ "index": 0, "embedding": good }, { "index": 1, "embedding": [1e39, 0, 0, 0, 0, 0, 0, 0] }]),
            ),
            "a text cannot be embedded: `URL` returned a vector with a number that is not finite",
        ),
        (
            Reply::text(200, &" ".repeat(2 << 20)),
            "`URL` returned more data than vectors of 8 numbers need: check the url and `dimensions`",
        ),
    ];
    for (reply, message) in cases {
        assert_eq!(shown(&Server::always(reply), |_| {}), message);
    }
}

#[test]
fn the_text_without_a_usable_vector_is_named() {
    let good = json!([1, 0, 0, 0, 0, 0, 0, 0]);
    let items = json!([{ "index": 1, "embedding": [0, 0, 0, 0, 0, 0, 0, 0] }, { "index": 0, "embedding": good }]);
    let setup = plain(&Server::always(data(&items)).url());
    assert!(matches!(setup.failure(), EmbedError::Unavailable { .. }));
    let server = Server::always(data(&items));
    let failure = plain(&server.url()).documents(&["", "one", "two"]);
    assert!(matches!(failure, Err(EmbedError::Refused { text: 2, .. })));
}

#[test]
fn each_refusal_says_what_to_do() {
    let message = |message: &str| json!({ "error": { "message": message, "type": "any" } });
    let cases = [
        (
            Reply::json(401, &message("no key")),
            "`URL` answered 401 (no key): set `key_variable` to the environment variable that holds the key",
        ),
        (
            Reply::json(403, &json!({ "error": "forbidden" })),
            "`URL` answered 403 (forbidden): set `key_variable` to the environment variable that holds the key",
        ),
        (
            Reply::json(404, &message("model `words` not found")),
            "`URL` answered 404 (model `words` not found): check the url and the model `words`",
        ),
        (
            Reply::text(405, ""),
            "`URL` answered 405: check the url and the model `words`",
        ),
        (
            Reply::text(418, "<h1>A\tteapot</h1>\u{1B}[31m"),
            "`URL` answered 418 (<h1>A teapot</h1> [31m): check the url",
        ),
        (
            Reply::text(301, "").with(
                "location",
                "https://user:pw@host.example/v2/embeddings?key=k",
            ),
            "`URL` redirects to `https://host.example/v2/embeddings?…`: use that as the url if it is right",
        ),
        (Reply::text(307, ""), "`URL` answered 307: check the url"),
        (
            Reply::json(500, &json!({ "detail": "out of memory" })),
            "`URL` answered 500 (out of memory): try again later",
        ),
        (
            Reply::json(
                503,
                &json!({ "object": "error", "message": "loading", "code": 503 }),
            ),
            "`URL` answered 503 (loading): try again later",
        ),
        (
            Reply::json(429, &message("slow down")),
            "`URL` answered 429 (slow down): send fewer requests per minute, or try again later",
        ),
        (
            Reply::json(
                429,
                &json!({ "error": { "message": "quota", "code": "insufficient_quota" } }),
            ),
            "`URL` answered 429 (quota): the quota is used up",
        ),
        (
            Reply::text(429, "").with("retry-after", "3600"),
            "`URL` answered 429 and asked for a wait of 3600 s: try again after that",
        ),
        (
            Reply::json(424, &json!({ "detail": [{ "msg": "no" }] })),
            r#"`URL` answered 424 ([{"msg":"no"}]): try again later"#,
        ),
        (
            Reply::text(400, &"long ".repeat(100)),
            "`URL` answered 400 (long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long …) even for a sample text: check the model `words`, and whether it supports `dimensions`",
        ),
    ];
    for (reply, message) in cases {
        assert_eq!(shown(&Server::always(reply), |_| {}), message);
    }
}

#[test]
fn an_endpoint_that_is_not_reached_says_what_to_do() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let setup = Setup::new(&url, |options| options.retries = 0);
    assert_eq!(
        without_address(&setup, &setup.failure()),
        "nothing is listening at `URL`: start the server, or correct the url"
    );
    let silent = Server::always(Reply::Silence);
    assert_eq!(
        shown(&silent, |options| options.timeout =
            Duration::from_millis(20)),
        "`URL` did not answer within 20ms: increase `timeout`, or send fewer texts per request"
    );
    let torn = Reply::Torn("{\"data\": []}".into(), 5);
    for reply in [Reply::Nothing, torn] {
        let shown = shown(&Server::always(reply), |_| {});
        let next = "): try again later, or correct the url";
        assert!(shown.starts_with("`URL` cannot be reached ("), "{shown}");
        assert!(shown.ends_with(next), "{shown}");
    }
    let long = Reply::text(200, "").with("x-any", "a".repeat(1 << 20));
    for reply in [Reply::Noise, long] {
        let shown = shown(&Server::always(reply), |_| {});
        assert!(shown.starts_with("`URL` cannot be queried ("), "{shown}");
        assert!(shown.ends_with("): check the url"), "{shown}");
    }
}

#[test]
fn a_connection_that_is_not_safe_says_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    // The server there does not speak TLS.
    let answering = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0]).unwrap();
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        drop(stream.read_to_end(&mut Vec::new()));
    });
    let setup = Setup::new(&url, |options| options.retries = 0);
    let shown = without_address(&setup, &setup.failure());
    answering.join().unwrap();
    assert_eq!(
        shown,
        "cannot connect securely to `URL` (received corrupt message of type InvalidContentType): check the url and the certificates that this machine trusts"
    );
}

#[test]
fn what_may_pass_is_tried_again_with_growing_waits() {
    let passing = [
        Reply::text(500, ""),
        Reply::Nothing,
        Reply::text(429, ""),
        Reply::Torn("{}".into(), 1),
        Reply::text(503, ""),
    ];
    let server = Server::first(passing);
    let setup = plain(&server.url());
    let found = setup.documents(&["green tea"]).unwrap();
    assert!(close(found.iter().next().unwrap(), &unit("green tea")));
    // The random number is one half here, so each wait is three quarters of its length.
    assert_eq!(setup.slept(), [375, 750, 1500, 3000, 6000]);
    assert_eq!(server.inputs(), [["green tea"]; 6]);
}

#[test]
fn trying_again_ends_and_says_how_often_it_was() {
    let server = Server::always(Reply::text(500, "boom"));
    let setup = Setup::new(&server.url(), |options| options.retries = 8);
    assert_eq!(
        without_address(&setup, &setup.failure()),
        "`URL` answered 500 (boom), 9 times: try again later"
    );
    // No wait is longer than the longest.
    let waits = [375, 750, 1500, 3000, 6000, 12_000, 22_500, 22_500];
    assert_eq!(setup.slept(), waits);
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    let spent = json!({ "error": { "message": "quota", "code": "insufficient_quota" } });
    let final_ones = [
        Reply::text(401, ""),
        Reply::text(404, ""),
        Reply::text(302, ""),
        Reply::json(429, &spent),
        Reply::text(200, "no JSON"),
        Reply::text(429, "").with("retry-after", "121"),
    ];
    for reply in final_ones {
        let server = Server::always(reply);
        let setup = plain(&server.url());
        setup.failure();
        assert_eq!((server.asked().len(), setup.slept().len()), (1, 0));
    }
}

#[test]
fn an_endpoint_is_left_alone_for_as_long_as_it_asks() {
    let date = "Wed, 21 Oct 2026 07:28:00 GMT";
    let later = "Wed, 21 Oct 2026 07:28:50 GMT";
    let server = Server::first([
        Reply::text(429, "").with("retry-after", "7"),
        Reply::text(503, "")
            .with("retry-after", later)
            .with("date", date),
        // Less than the wait without it.
        Reply::text(429, "").with("retry-after", "0"),
        // Not for this status, not in this form, not without the date of the response.
        Reply::text(500, "").with("retry-after", "50"),
        Reply::text(429, "").with("retry-after", "soon"),
        Reply::text(429, "").with("retry-after", later),
    ]);
    let setup = Setup::new(&server.url(), |options| options.retries = 6);
    setup.documents(&["tea"]).unwrap();
    assert_eq!(setup.slept(), [7000, 50_000, 1500, 3000, 6000, 12_000]);
}

#[test]
fn requests_are_as_far_apart_as_the_rate_wants() {
    let server = Server::first([Reply::text(500, "")]);
    let setup = Setup::new(&server.url(), |options| {
        options.requests_per_minute = Some(30);
        options.batch_texts = 1;
    });
    setup.documents(&["a", "b"]).unwrap();
    // The second request is a retry, the third is another batch: both two seconds after the one
    // before.
    assert_eq!(setup.slept(), [375, 1625, 2000]);
    *setup.machine.now.lock().unwrap() += Duration::from_secs(60);
    setup.documents(&["c"]).unwrap();
    assert_eq!(setup.slept().len(), 3, "no wait after a rest");
}

/// Rejects every request with a text that contains `bad`.
fn refuses_bad(asked: &Request) -> Reply {
    match asked.input().iter().any(|text| text.contains("bad")) {
        true => Reply::json(400, &json!({ "error": { "message": "a bad text" } })),
        false => vectors(asked),
    }
}

#[test]
fn a_refused_batch_is_halved_down_to_the_text_that_is_refused() {
    let server = Server::new(refuses_bad);
    let setup = plain(&server.url());
    let mut found = Vectors::new(DIMENSIONS);
    found.add()[0] = 1.0;
    let before = found.clone();
    let texts = ["a", "b", "c", "d", "e", "bad", "g", "h"];
    let error = setup.embedder.embed_documents(&texts, &mut found);
    let address = setup.embedder.endpoint.shown();
    let reason = format!("`{address}` answered 400 (a bad text)");
    assert_eq!(error, Err(EmbedError::Refused { text: 5, reason }));
    assert_eq!(found, before, "vectors are as they were");
    let expected: [&[&str]; 5] = [&texts, &texts[..4], &texts[4..], &texts[4..6], &["e"]];
    assert_eq!(server.inputs()[..5], expected);
    assert_eq!(server.inputs()[5..], [["bad"]]);
    assert!(setup.slept().is_empty());
}

#[test]
fn a_batch_that_is_only_too_large_is_embedded_in_halves() {
    for status in [400, 413, 422] {
        let server = Server::new(move |asked| match asked.input().len() {
            0..=2 => vectors(asked),
            _ => Reply::text(status, "too large"),
        });
        let texts = ["a", "b", "c", "d", "e"];
        let found = plain(&server.url()).documents(&texts).unwrap();
        for (text, vector) in texts.iter().zip(found.iter()) {
            assert!(close(vector, &unit(text)), "{text}");
        }
    }
}

#[test]
fn a_text_is_to_blame_only_if_another_one_is_embedded() {
    let server = Server::new(refuses_bad);
    let error = plain(&server.url()).documents(&["bad"]);
    assert!(matches!(error, Err(EmbedError::Refused { text: 0, .. })));
    assert_eq!(server.inputs(), [["bad"], [SAMPLE]]);
    let server = Server::always(Reply::text(422, "no such field"));
    let setup = plain(&server.url());
    assert_eq!(
        without_address(&setup, &setup.failure()),
        "`URL` answered 422 (no such field) even for a sample text: check the model `words`, and whether it supports `dimensions`"
    );
}

#[test]
fn a_question_that_is_refused_says_so() {
    let server = Server::new(refuses_bad);
    let setup = plain(&server.url());
    let error = setup.embedder.embed_query(&[("bad", 1.0)]).unwrap_err();
    assert_eq!(
        without_address(&setup, &error),
        "`URL` answered 400 (a bad text) for this query: rephrase or shorten it"
    );
}

#[test]
fn a_check_says_what_works_and_how_fast() {
    let server = Server::new(vectors);
    let setup = plain(&server.url());
    let check = setup.embedder.check().unwrap();
    assert_eq!(check.url, format!("{}/embeddings", server.url()));
    assert_eq!(check.identity, setup.embedder.identity());
    assert_eq!((check.dimensions, check.time), (8, Duration::ZERO));
    assert_eq!(server.inputs(), [[SAMPLE]]);
}

#[test]
fn a_check_says_what_does_not_work_without_waiting() {
    let server = Server::always(Reply::text(503, "loading"));
    let setup = plain(&server.url());
    assert_eq!(
        without_address(&setup, &setup.embedder.check().unwrap_err()),
        "`URL` answered 503 (loading): try again later"
    );
    assert!(setup.slept().is_empty());
    let zero = json!([{ "index": 0, "embedding": [0, 0, 0, 0, 0, 0, 0, 0] }]);
    let server = Server::always(data(&zero));
    let setup = plain(&server.url());
    assert_eq!(
        without_address(&setup, &setup.embedder.check().unwrap_err()),
        "`URL` returned a zero vector even for a sample text: check the model `words`, and whether it supports `dimensions`"
    );
}

/// Changes to the default options.
type Change = fn(&mut HttpOptions);

#[test]
fn the_identity_is_of_what_vectors_depend_on() {
    let identity = |change: Change| {
        let setup = Setup::new("http://localhost:1/v1", change);
        setup.embedder.identity().to_string()
    };
    let plain = identity(|_| {});
    assert_eq!(plain, "http-words-8-b30e5d3a9da7");
    let others: [Change; 6] = [
        |options| options.model = "Words".into(),
        |options| options.dimensions = 9,
        |options| options.query_prefix = "q ".into(),
        |options| options.document_prefix = "q ".into(),
        |options| options.max_input = 100,
        |options| (options.model, options.query_prefix) = ("word".into(), "s".into()),
    ];
    let mut all: Vec<String> = others.into_iter().map(identity).collect();
    all.push(plain.clone());
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 7, "{all:?}");
    let same: [Change; 8] = [
        |options| options.url = "https://host.example/v1".into(),
        |options| options.key_variable = Some("KEY".into()),
        |options| options.timeout = Duration::from_secs(1),
        |options| options.retries = 0,
        |options| options.batch_texts = 1,
        |options| options.batch_characters = 1,
        |options| options.requests_per_minute = Some(1),
        |options| options.send_dimensions = true,
    ];
    for change in same {
        assert_eq!(identity(change), plain);
    }
    let odd = identity(|options| options.model = "BAAI/bge m3:ü".into());
    assert!(odd.starts_with("http-BAAI/bge-m3:--8-"), "{odd}");
}

#[test]
fn options_that_cannot_be_used_say_what_can() {
    let cases: [(Change, &str); 14] = [
        (
            |options| options.url = "localhost:11434".into(),
            "invalid value `localhost:11434` for the embedder setting `url`, expected `http://` or `https://`, and a host",
        ),
        (
            |options| options.url = "ftp://host.example".into(),
            "invalid value `ftp://host.example` for the embedder setting `url`, expected `http://` or `https://`, and a host",
        ),
        (
            |options| options.url = "http://".into(),
            "invalid value `http://` for the embedder setting `url`, expected `http://` or `https://`, and a host",
        ),
        (
            |options| options.url = "https://me:secret@host.example/v1?key=k".into(),
            "invalid value `https://host.example/v1?…` for the embedder setting `url`, expected a url without a password (use `key_variable` for a key)",
        ),
        (
            |options| options.model = " ".into(),
            "invalid value ` ` for the embedder setting `model`, expected the name of a model",
        ),
        (
            |options| options.dimensions = 0,
            "invalid value `0` for the embedder setting `dimensions`, expected a number from 1 to 65536",
        ),
        (
            |options| options.dimensions = 1 << 20,
            "invalid value `1048576` for the embedder setting `dimensions`, expected a number from 1 to 65536",
        ),
        (
            |options| options.max_input = 0,
            "invalid value `0` for the embedder setting `max_input`, expected a number from 1 to 16777216",
        ),
        (
            |options| options.batch_texts = 0,
            "invalid value `0` for the embedder setting `batch_texts`, expected a number of at least 1",
        ),
        (
            |options| options.batch_characters = 0,
            "invalid value `0` for the embedder setting `batch_characters`, expected a number of at least 1",
        ),
        (
            |options| options.requests_per_minute = Some(0),
            "invalid value `0` for the embedder setting `requests_per_minute`, expected a number of at least 1",
        ),
        (
            |options| options.timeout = Duration::ZERO,
            "invalid value `0 s` for the embedder setting `timeout`, expected more than 0 s",
        ),
        (
            |options| options.key_variable = Some(String::new()),
            "invalid value `` for the embedder setting `key_variable`, expected the name of an environment variable",
        ),
        (
            |options| options.key_variable = Some("A=B".into()),
            "invalid value `A=B` for the embedder setting `key_variable`, expected the name of an environment variable",
        ),
    ];
    for (change, message) in cases {
        let mut options = HttpOptions::new("http://localhost", "words", 8);
        change(&mut options);
        assert_eq!(HttpEmbedder::new(options).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_question_is_asked_once() {
    let server = Server::always(Reply::text(503, ""));
    let setup = plain(&server.url());
    let error = setup.embedder.embed_query(&[("tea", 1.0)]).unwrap_err();
    assert_eq!(
        without_address(&setup, &error),
        "`URL` answered 503: try again later"
    );
    assert_eq!((server.asked().len(), setup.slept().len()), (1, 0));
}
