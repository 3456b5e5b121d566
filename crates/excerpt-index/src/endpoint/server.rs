//! A server for tests: it sends configured replies on a free port and records the requests.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Request {
    /// The header with this name, which is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(header, _)| header == name);
        header.map(|(_, value)| value.as_str())
    }

    /// The texts to embed.
    pub(crate) fn input(&self) -> Vec<&str> {
        let texts = self.body["input"].as_array().unwrap().iter();
        texts.map(|text| text.as_str().unwrap()).collect()
    }
}

/// How the server reacts to a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// It replies with a status, headers and a body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// It writes this many bytes of the body and hangs up.
    Torn(String, usize),
    /// It writes something that is not HTTP.
    Noise,
    /// It waits and never replies.
    Silence,
    /// It hangs up.
    Nothing,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Reply {
        Reply::Answer(status, Vec::new(), body.to_string())
    }

    pub(crate) fn text(status: u16, body: &str) -> Reply {
        Reply::Answer(status, Vec::new(), body.into())
    }

    /// The same with one more header.
    pub(crate) fn with(self, name: &'static str, value: impl Into<String>) -> Reply {
        match self {
            Reply::Answer(status, mut headers, body) => {
                headers.push((name, value.into()));
                Reply::Answer(status, headers, body)
            }
            other => other,
        }
    }
}

type Behaviour = dyn FnMut(&Request) -> Reply + Send;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Request>>>,
    is_closed: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that replies to each request with `behaviour`.
    pub(crate) fn new(behaviour: impl FnMut(&Request) -> Reply + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let is_closed = Arc::new(AtomicBool::new(false));
        let behaviour: Arc<Mutex<Behaviour>> = Arc::new(Mutex::new(behaviour));
        let listening = thread::spawn({
            let (asked, is_closed) = (Arc::clone(&asked), Arc::clone(&is_closed));
            move || {
                for stream in listener.incoming() {
                    if is_closed.load(Ordering::Relaxed) {
                        break;
                    }
                    let (asked, behaviour) = (Arc::clone(&asked), Arc::clone(&behaviour));
                    // It ends when the other side hangs up.
                    thread::spawn(move || {
                        stream.and_then(|stream| talk(stream, &asked, &behaviour))
                    });
                }
            }
        });
        Server {
            address,
            asked,
            is_closed,
            listening: Some(listening),
        }
    }

    /// A server that sends these replies first, and then vectors.
    pub(crate) fn first(replies: impl IntoIterator<Item = Reply>) -> Server {
        let mut replies: Vec<Reply> = replies.into_iter().collect();
        replies.reverse();
        Server::new(move |asked| replies.pop().unwrap_or_else(|| vectors(asked)))
    }

    /// A server that always sends the same reply.
    pub(crate) fn always(reply: Reply) -> Server {
        Server::new(move |_| reply.clone())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests it has received, in order.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    /// The texts of each request.
    pub(crate) fn inputs(&self) -> Vec<Vec<String>> {
        let asked = self.asked();
        let inputs = asked.iter().map(|asked| asked.input());
        inputs
            .map(|texts| texts.into_iter().map(String::from).collect())
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
        if let Some(listening) = self.listening.take() {
            drop(listening.join());
        }
    }
}

/// Answers the requests of one connection.
fn talk(
    mut stream: TcpStream,
    asked: &Mutex<Vec<Request>>,
    behaviour: &Mutex<Behaviour>,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        asked.lock().unwrap().push(request.clone());
        let reply = behaviour.lock().unwrap()(&request);
        match reply {
            Reply::Answer(status, headers, body) => {
                let headers = headers
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}\r\n"));
                let headers: String = headers.collect();
                let length = body.len();
                // In one write, which waits for nothing.
                let answer = format!(
                    "HTTP/1.1 {status} Any\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
                );
                stream.write_all(answer.as_bytes())?;
            }
            Reply::Torn(body, bytes) => {
                let (length, part) = (body.len(), &body[..bytes]);
                let answer = format!("HTTP/1.1 200 Any\r\ncontent-length: {length}\r\n\r\n{part}");
                stream.write_all(answer.as_bytes())?;
                return Ok(());
            }
            Reply::Noise => {
                stream.write_all(b"220 mail.example.org ready\r\n\r\n")?;
                return Ok(());
            }
            Reply::Silence => {
                reader.read_to_end(&mut Vec::new())?;
                return Ok(());
            }
            Reply::Nothing => return Ok(()),
        }
    }
    Ok(())
}

/// One request, or `None` if the other side has hung up.
fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_string()),
        }
    }
    let headers = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
    let mut asked = Request {
        line: lines.first().cloned().unwrap_or_default(),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
            .collect(),
        body: Value::Null,
    };
    let length = asked.header("content-length").and_then(|n| n.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(asked))
}

/// How many numbers the server's vectors have.
pub(crate) const DIMENSIONS: usize = 8;

/// The vector of a text, of any length: each word has a direction.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.split_whitespace() {
        let hash = word.bytes().fold(0_usize, |hash, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into())
        });
        vector[hash % DIMENSIONS] += 1.0;
        vector[hash / 64 % DIMENSIONS] += 0.5;
    }
    vector
}

/// The requested vectors, the last first.
pub(crate) fn vectors(asked: &Request) -> Reply {
    let items = asked.input().into_iter().enumerate().rev();
    let items = items.map(
        |(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }),
    );
    Reply::json(
        200,
        &json!({ "object": "list", "data": items.collect::<Vec<Value>>(), "usage": {} }),
    )
}
