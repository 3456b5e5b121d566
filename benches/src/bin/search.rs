//! Measures: the time of a warm search in process, and how many of the nearest chunks the vectors
//! find.
//!
//! Corpus: the files of a list, in an index in a folder that is created if it does not exist.
//! Questions are first sentences of the files (documentation and headings), sampled evenly; filters
//! are the folders of packages. Each question is searched by keywords, by vectors and by both,
//! everywhere and in its own folder, after a round to warm up; wall-clock and CPU time. Recall is
//! measured against a scan of all vectors, as stored (in bytes) and as computed by the embedder. No
//! randomness.
//!
//! Command: `cargo run --release --bin search LIST FOLDER`; a third argument names one kind of
//! search to run alone, for a profiler.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use excerpt_benches::{files, question, timed};
use excerpt_chunk::Hash;
use excerpt_index::{
    Channels, EmbedError, Embedder, Entries, Entry, Filter, Index, ListItem, OpenOptions,
    Provenance, Query, Rank, Ranking, ReadOptions, Reading, Signals, Source, SourceId, Stat,
    StaticTable, SyncOptions, Target, Vectors, quiet,
};
use rusqlite::{Connection, Row};
use serde_json::json;

/// The number of questions.
const QUESTIONS: usize = 200;
const ROUNDS: usize = 5;
/// The number of nearest chunks that should be found.
const NEAREST: usize = 10;
const KINDS: [(&str, Channels); 3] = [
    ("keywords", Channels::Keywords),
    ("vectors", Channels::Vectors),
    ("both", Channels::Both),
];

fn main() {
    let files: Vec<(String, String)> = files()
        .into_iter()
        .map(|(path, text)| (path.to_string_lossy().trim_matches('/').to_string(), text))
        .collect();
    let folder = std::env::args()
        .nth(2)
        .expect("the second argument is a folder");
    let alone = std::env::args().nth(3);
    let questions = questions(&files);
    let folder = Path::new(&folder);
    let recorder = Arc::new(Recorder {
        table: StaticTable::built_in().expect("the table is whole"),
        last: Mutex::default(),
    });
    let index = Index::open(folder, OpenOptions::create()).expect("the index opens");
    let mut index = index.with_embedder(Some(recorder.clone()));
    if index.status().expect("it has a status").documents == 0 {
        let start = Instant::now();
        let source = Sources::new(files);
        let options = SyncOptions::default();
        index
            .sync_source(&source, &options, quiet)
            .expect("the index is made");
        println!(
            "{}",
            json!({ "work": "sync", "seconds": start.elapsed().as_secs() })
        );
    }
    let status = index.status().expect("it has a status");
    let size = json!({
        "documents": status.documents,
        "chunks": status.chunks,
        "megabytes": status.disk_bytes / 1_000_000,
        "questions": questions.len(),
        "rounds": ROUNDS,
    });
    println!("{size}");
    for (kind, channels) in KINDS {
        for filtered in [false, true] {
            let name = if filtered {
                format!("{kind} in a folder")
            } else {
                kind.to_string()
            };
            if alone.as_ref().is_some_and(|alone| *alone != name) {
                continue;
            }
            let [times, cpu_times, fastest] = times(&mut index, &questions, channels, filtered);
            let at = |times: &[Duration], share: f64| {
                let place = ((times.len() - 1) as f64 * share) as usize;
                (times[place].as_secs_f64() * 1e5).round() / 100.0
            };
            let line = json!({
                "search": name,
                "p50_milliseconds": at(&times, 0.5),
                "p95_milliseconds": at(&times, 0.95),
                "p50_cpu_milliseconds": at(&cpu_times, 0.5),
                "p95_cpu_milliseconds": at(&cpu_times, 0.95),
                "p50_fastest_milliseconds": at(&fastest, 0.5),
            });
            println!("{line}");
        }
    }
    if alone.is_none_or(|alone| alone == "found") {
        found(
            &mut index,
            &folder.join("excerpt.db"),
            &questions,
            &recorder,
        );
    }
}

/// A question and its folder.
struct Question {
    text: String,
    folder: String,
}

/// First sentences, sampled evenly from all files that have one.
fn questions(files: &[(String, String)]) -> Vec<Question> {
    let all: Vec<Question> = files
        .iter()
        .filter_map(|(path, text)| {
            let (text, folder) = (question(text)?, package(path));
            Some(Question { text, folder })
        })
        .collect();
    let step = (all.len() / QUESTIONS).max(1);
    all.into_iter().step_by(step).take(QUESTIONS).collect()
}

/// The folder of a package: the one whose name ends with a version, or else that of the file.
fn package(path: &str) -> String {
    let ends = path.match_indices('/').map(|(end, _)| end);
    let mut folders: Vec<&str> = ends.map(|end| &path[..end]).collect();
    let has_version = |folder: &&&str| {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let version = name.rsplit(['-', '@']).next().unwrap_or_default();
        version.contains('.') && version.starts_with(|c: char| c.is_ascii_digit())
    };
    match folders.iter().find(has_version) {
        Some(folder) => (*folder).to_string(),
        None => folders.pop().unwrap_or_default().to_string(),
    }
}

/// All wall-clock and CPU times, and the fastest round of each question, which is disturbed least
/// by other processes; sorted.
fn times(
    index: &mut Index,
    questions: &[Question],
    channels: Channels,
    filtered: bool,
) -> [Vec<Duration>; 3] {
    let mut ranking = Ranking::default();
    ranking.channels = channels;
    let fastest = vec![Duration::MAX; questions.len()];
    let mut times = [Vec::new(), Vec::new(), fastest];
    for round in 0..=ROUNDS {
        for (at, question) in questions.iter().enumerate() {
            let mut query = Query::new(&question.text).ranking(ranking.clone());
            if filtered {
                query = query.within(Filter::default().path(&question.folder));
            }
            let start = Instant::now();
            let (answer, cpu_time) = timed(|| index.search(&query));
            let time = start.elapsed();
            answer.expect("it answers");
            if round > 0 {
                times[0].push(time);
                times[1].push(cpu_time);
                times[2][at] = times[2][at].min(time);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    times
}

/// A chunk's vector, as stored and as computed.
struct Kept {
    path: String,
    ordinal: usize,
    bytes: Vec<i8>,
    numbers: Vec<f32>,
}

/// Measures how many of the nearest chunks are found.
fn found(index: &mut Index, database: &Path, questions: &[Question], recorder: &Recorder) {
    let all = kept(index, database, &recorder.table);
    let mut ranking = Ranking::default();
    ranking.channels = Channels::Vectors;
    ranking.signals = Signals::none();
    let (mut of_bytes, mut of_numbers) = (0.0, 0.0);
    for question in questions {
        let query = Query::new(&question.text)
            .ranking(ranking.clone())
            .rank(Rank::Chunks)
            .limit(NEAREST);
        let answer = index.search(&query).expect("it answers");
        let hits: Vec<(&str, usize)> = answer
            .chunks()
            .map(|hit| (&*hit.path, hit.ordinal))
            .collect();
        let vector = recorder.last.lock().expect("nobody panicked").clone();
        let bytes = |kept: &Kept| cosine(&vector, kept.bytes.iter().map(|n| f32::from(*n)));
        let numbers = |kept: &Kept| cosine(&vector, kept.numbers.iter().copied());
        of_bytes += share(&all, &hits, bytes);
        of_numbers += share(&all, &hits, numbers);
    }
    let percent = |sum: f64| (sum / questions.len() as f64 * 1e4).round() / 100.0;
    let line = json!({
        "nearest": NEAREST,
        "percent_found_of_those_by_bytes": percent(of_bytes),
        "percent_found_of_those_by_numbers": percent(of_numbers),
    });
    println!("{line}");
}

/// The share of the nearest chunks that are hits. Among equally near ones, any counts.
fn share(all: &[Kept], hits: &[(&str, usize)], near: impl Fn(&Kept) -> f32) -> f64 {
    let near: Vec<f32> = all.iter().map(near).collect();
    let mut sorted = near.clone();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let last = sorted[NEAREST - 1] - 1e-6;
    let found = all
        .iter()
        .zip(near)
        .filter(|(kept, near)| *near >= last && hits.contains(&(&*kept.path, kept.ordinal)));
    found.count().min(NEAREST) as f64 / NEAREST as f64
}

fn cosine(query: &[f32], numbers: impl Iterator<Item = f32> + Clone) -> f32 {
    let square: f32 = numbers.clone().map(|number| number * number).sum();
    let dot: f32 = numbers
        .zip(query)
        .map(|(number, query)| number * query)
        .sum();
    dot / square.sqrt().max(f32::MIN_POSITIVE)
}

/// The vectors of all chunks.
fn kept(index: &Index, database: &Path, table: &StaticTable) -> Vec<Kept> {
    let connection = Connection::open(database).expect("the database opens");
    let mut vectors = connection
        .prepare("SELECT numbers FROM vector WHERE key = ?1")
        .expect("the table is there");
    let mut select = connection
        .prepare(
            "SELECT path, ordinal, input, header, coalesce(overlap_start, start), end
             FROM chunk JOIN document ON document.id = document ORDER BY path, ordinal",
        )
        .expect("the tables are there");
    let mut rows = select.query([]).expect("they can be read");
    let number = |row: &Row<'_>, column| row.get_unwrap::<_, u32>(column) as usize;
    let mut texts: HashMap<String, String> = HashMap::new();
    let mut all = Vec::new();
    while let Some(row) = rows.next().expect("they can be read") {
        let path: String = row.get_unwrap(0);
        let input: Vec<u8> = row.get_unwrap(2);
        let header: String = row.get_unwrap(3);
        let key = Hash::of(&[table.identity().as_bytes(), b"\0", &input].concat());
        let bytes: Vec<u8> = vectors
            .query_row([&key.0[..]], |row| row.get(0))
            .expect("each has one");
        if !texts.contains_key(&path) {
            texts.clear();
            let target = Target::document(&path);
            let document = index
                .get(&target, &ReadOptions::default())
                .expect("it is there");
            texts.insert(path.clone(), document.text);
        }
        let text = &texts[&path][number(row, 4)..number(row, 5)];
        let mut numbers = Vectors::new(table.dimensions());
        table
            .embed_documents(&[&format!("{header}{text}")], &mut numbers)
            .expect("it refuses nothing");
        all.push(Kept {
            path,
            ordinal: number(row, 1),
            bytes: bytes.into_iter().map(u8::cast_signed).collect(),
            numbers: numbers.iter().next().expect("one").to_vec(),
        });
    }
    all
}

/// The built-in embedder, which records the vector of the last question.
struct Recorder {
    table: StaticTable,
    last: Mutex<Vec<f32>>,
}

impl Embedder for Recorder {
    fn identity(&self) -> &str {
        self.table.identity()
    }

    fn dimensions(&self) -> usize {
        self.table.dimensions()
    }

    fn max_input(&self) -> usize {
        self.table.max_input()
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        self.table.embed_documents(texts, vectors)
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        let vector = self.table.embed_query(pieces)?;
        self.last
            .lock()
            .expect("nobody panicked")
            .clone_from(&vector);
        Ok(vector)
    }
}

/// The files of a list, by path.
struct Sources {
    id: SourceId,
    files: std::collections::BTreeMap<String, String>,
}

impl Sources {
    fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        Sources {
            id: "/".into(),
            files: files.into_iter().collect(),
        }
    }

    fn stat(text: &str) -> Stat {
        Stat {
            size: text.len() as u64,
            ..Stat::default()
        }
    }
}

impl Source for Sources {
    fn id(&self) -> &SourceId {
        &self.id
    }

    fn entries(&self) -> excerpt_index::Result<Entries<'_>> {
        let entries = self.files.iter().map(|(path, text)| {
            let (path, version) = (path.clone(), Sources::stat(text).into());
            Ok(ListItem::Document(Entry { path, version }))
        });
        Ok(Box::new(entries))
    }

    fn read(&self, entry: &Entry) -> Reading {
        match self.files.get(&entry.path) {
            Some(text) => Reading::Bytes {
                bytes: text.clone().into_bytes(),
                version: entry.version.clone(),
                provenance: Provenance::default(),
            },
            None => Reading::Gone,
        }
    }
}
