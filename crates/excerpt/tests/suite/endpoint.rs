//! A minimal embedding endpoint on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The number of dimensions of its vectors.
pub(crate) const DIMENSIONS: usize = 8;

/// An endpoint that runs until the test ends.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Endpoint {
    /// Starts an endpoint whose vectors count the letters of a text.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let texts = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut length = 0;
                let mut line = String::new();
                while stream.read_line(&mut line).unwrap_or(0) > 2 {
                    let (name, value) = line.split_once(':').unwrap_or_default();
                    if name.eq_ignore_ascii_case("content-length") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                let request: Value = serde_json::from_slice(&body).unwrap();
                let input = request["input"].as_array().unwrap().iter();
                let input: Vec<&str> = input.map(|text| text.as_str().unwrap()).collect();
                texts
                    .lock()
                    .unwrap()
                    .extend(input.iter().map(|text| text.to_string()));
                let data = input
                    .iter()
                    .enumerate()
                    .map(|(index, text)| json!({ "index": index, "embedding": letters(text) }));
                let answer = json!({ "data": data.collect::<Vec<_>>() }).to_string();
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    answer.len()
                );
                let stream = stream.get_mut();
                // The client may have disconnected.
                let _ = stream.write_all((head + &answer).as_bytes());
            }
        });
        Endpoint { url, asked }
    }

    /// The texts that it has received.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// The configuration table for it.
    pub(crate) fn table(&self) -> String {
        table(&self.url)
    }
}

/// The configuration table for an endpoint.
pub(crate) fn table(url: &str) -> String {
    format!(
        "[embedding]\nprovider = \"http\"\nurl = \"{url}\"\nmodel = \"letters\"\ndimensions = {DIMENSIONS}\nretries = 0\n"
    )
}

fn letters(text: &str) -> Vec<usize> {
    let mut counts = vec![1; DIMENSIONS];
    for byte in text.bytes() {
        counts[usize::from(byte) % DIMENSIONS] += 1;
    }
    counts
}
