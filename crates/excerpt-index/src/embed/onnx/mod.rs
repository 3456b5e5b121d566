//! An embedder with a model on disk: a folder with an ONNX model and its tokenizer, as model hubs
//! lay them out.
//!
//! `folder.rs` reads the files, `graph.rs` runs the model. [`OnnxEmbedder`] turns texts into tokens
//! and windows, and the vectors of windows into those of texts.

mod folder;
mod graph;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tiny;

use std::fmt;
use std::path::PathBuf;

use rayon::prelude::*;
use tokenizers::{Encoding, Tokenizer, TruncationDirection};
use twox_hash::XxHash3_64;

use self::folder::ModelFolder;
use self::graph::{Graph, WindowTokens, on_threads_of_models};
use super::windows::windows;
use super::{EmbedError, Embedder, Vectors, identity_hash, to_unit_length};
use crate::model::{Error, Result};

/// Incremented whenever a text gets a different vector from the same model.
const RULES: u32 = 1;

/// The range of `max_input`. The memory of a window grows with its square.
const LEAST_INPUT: usize = 16;
const MOST_INPUT: usize = 8192;

/// A text is tokenized in parts of this many characters for each token of a window: some tokens
/// are long, and this bounds the memory.
const PART_CHARACTERS: usize = 16;

/// The text that tests whether a model works at all.
const SAMPLE: &str = "a short text";

/// The folder of a model, and how to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnnxOptions {
    /// The folder with `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`; or a model in it,
    /// or in its folder `onnx`, that has another name.
    pub folder: PathBuf,
    /// How the vectors of tokens become the vector of a text. Default: what `1_Pooling/config.json`
    /// says, or their mean.
    pub pooling: Option<Pooling>,
    /// A prefix for queries. Default: the prompt `query` of `config_sentence_transformers.json`, or
    /// none.
    pub query_prefix: Option<String>,
    /// A prefix for the texts of documents. Default: the prompt `document` or `passage` of
    /// `config_sentence_transformers.json`, or none.
    pub document_prefix: Option<String>,
    /// How many tokens the model reads at once. Default: what `sentence_bert_config.json`,
    /// `tokenizer_config.json` or `config.json` says, at most 512.
    pub max_input: Option<usize>,
}

impl OnnxOptions {
    /// Options for the model in a folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> OnnxOptions {
        OnnxOptions {
            folder: folder.into(),
            pooling: None,
            query_prefix: None,
            document_prefix: None,
            max_input: None,
        }
    }

    /// Checks the options without reading the folder.
    ///
    /// # Errors
    ///
    /// [`Error::Embedder`] when an option is invalid.
    pub fn check(&self) -> Result<()> {
        match self.max_input {
            Some(number) if !(LEAST_INPUT..=MOST_INPUT).contains(&number) => Err(Error::Embedder {
                setting: "max_input",
                found: number.to_string(),
                expected: "a number from 16 to 8192",
            }),
            _ => Ok(()),
        }
    }
}

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first token, which stands for the whole text.
    Cls,
}

impl Pooling {
    /// Its name in a configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        }
    }
}

/// An embedder that runs a model on this machine.
///
/// Its identity consists of what the vectors depend on: the model and the tokenizer, by their
/// hashes, the pooling, the prefixes and the window size. The folder is not part of it.
///
/// The model reads each window by itself, so that a vector does not depend on what is embedded with
/// it: quantized models scale their numbers by all that they read at once, and padding changes the
/// last bits of others. Each core reads the windows of another text: that takes three quarters of
/// the time of all cores reading one.
///
/// A text of only white space gets the zero vector.
pub struct OnnxEmbedder {
    identity: String,
    tokenizer: Tokenizer,
    graph: Graph,
    dimensions: usize,
    max_input: usize,
    query_prefix: String,
    document_prefix: String,
}

impl OnnxEmbedder {
    /// Loads the model in a folder, and embeds a short text with it.
    ///
    /// # Errors
    ///
    /// [`Error::Embedder`] when an option is invalid; [`Error::Model`] when a file is missing, is
    /// not what its name says, or is of an unknown form.
    pub fn new(options: OnnxOptions) -> Result<OnnxEmbedder> {
        options.check()?;
        let path = options.folder.clone();
        OnnxEmbedder::load(options).map_err(|reason| Error::Model { path, reason })
    }

    fn load(options: OnnxOptions) -> Result<OnnxEmbedder, String> {
        let files = ModelFolder::read(&options.folder)?;
        let pooling = match (options.pooling.or(files.pooling), files.other_pooling) {
            (Some(pooling), _) => pooling,
            (None, None) => Pooling::Mean,
            (None, Some(other)) => {
                return Err(format!(
                    "its pooling `{other}` is unknown, expected `mean` or `cls`: set `pooling` if one of them is right, or use another model"
                ));
            }
        };
        let max_input = options
            .max_input
            .unwrap_or(files.max_input)
            .max(LEAST_INPUT);
        let tokenizer = tokenizer(&files.tokenizer, max_input)?;
        let model_hash = XxHash3_64::oneshot(&files.model);
        let model_size = files.model.len();
        let in_model = |reason: String| format!("`{}`: {reason}", files.model_file);
        let graph = Graph::load(files.model, pooling).map_err(in_model)?;
        if files.has_dense && !graph.is_pooled() {
            return Err(in_model(
                "a layer `Dense` follows it, which it does not contain: export the model with the output `sentence_embedding`".into(),
            ));
        }
        let mut embedder = OnnxEmbedder {
            identity: String::new(),
            tokenizer,
            dimensions: graph.dimensions.unwrap_or_default(),
            graph,
            max_input,
            query_prefix: options.query_prefix.unwrap_or(files.query_prefix),
            document_prefix: options.document_prefix.unwrap_or(files.document_prefix),
        };
        embedder.dimensions = embedder.sample().map_err(in_model)?;
        let model = [model_hash, model_size as u64, pooling as u64];
        embedder.identity = identity(&embedder, &model, &files.tokenizer);
        Ok(embedder)
    }

    /// Embeds a short text; returns how many numbers its vector has.
    fn sample(&self) -> Result<usize, String> {
        let encoding = self.encode(SAMPLE)?;
        let vector = self.graph.run(&tokens(&encoding)).map_err(|reason| {
            format!(
                "it cannot embed a short text ({reason}): check that `tokenizer.json` belongs to it"
            )
        })?;
        match vector.len() {
            0 => Err("its vectors have no numbers: export an embedding model".to_string()),
            found if self.dimensions != 0 && found != self.dimensions => Err(format!(
                "it returned a vector of {found} numbers, expected {}: export an embedding model",
                self.dimensions
            )),
            found => Ok(found),
        }
    }

    /// The tokens of a text, with those that the model wants around it.
    fn encode(&self, text: &str) -> Result<Encoding, String> {
        let encoding = self.tokenizer.encode(text, true);
        encoding.map_err(unreadable)
    }

    /// The tokens of the windows of a text, each after the prefix.
    fn windows(&self, text: &str, prefix: &str) -> Result<Vec<Encoding>, String> {
        let mut all = Vec::new();
        for part in windows(text, self.max_input * PART_CHARACTERS) {
            let whole = self.encode(&format!("{prefix}{part}"))?;
            match whole.len() <= self.max_input {
                true => all.push(whole),
                false => all.extend(self.even_windows(part, prefix)?),
            }
        }
        Ok(all)
    }

    /// The tokens of a text that is too long for one window, in as few windows as fit after the
    /// prefix, of about the same number of tokens.
    fn even_windows(&self, text: &str, prefix: &str) -> Result<Vec<Encoding>, String> {
        let around = self.encode(prefix)?.len();
        let most = self.max_input.saturating_sub(around).max(1);
        let tokens = self.tokenizer.encode(text, false).map_err(unreadable)?;
        let starts = tokens.get_offsets().iter().map(|(start, _)| *start);
        let starts: Vec<usize> = starts.collect();
        let mut count = starts.len().div_ceil(most).max(2);
        loop {
            let parts = even_parts(text, &starts, count).into_iter();
            let windows = parts.map(|part| self.encode(&format!("{prefix}{part}")));
            let mut windows = windows.collect::<Result<Vec<Encoding>, String>>()?;
            let fits = |window: &Encoding| window.len() <= self.max_input;
            if windows.iter().all(fits) || count >= starts.len() {
                // Only a prefix that is too long by itself is cut off.
                for window in &mut windows {
                    window.truncate(self.max_input, 0, TruncationDirection::Right);
                }
                return Ok(windows);
            }
            // A word that is divided can have more tokens than before.
            count += 1;
        }
    }

    /// Writes the vector of a text after a prefix.
    fn embed(&self, text: &str, prefix: &str, vector: &mut [f32]) -> Result<(), String> {
        if text.trim().is_empty() {
            return Ok(());
        }
        for window in self.windows(text, prefix)? {
            let mut found = self.graph.run(&tokens(&window))?;
            if found.len() != vector.len() {
                return Err("the model returned a vector of another length".to_string());
            }
            if !found.iter().all(|number| number.is_finite()) {
                return Err(
                    "the model returned a vector with a number that is not finite".to_string(),
                );
            }
            to_unit_length(&mut found);
            for (sum, number) in vector.iter_mut().zip(found) {
                *sum += number;
            }
        }
        to_unit_length(vector);
        Ok(())
    }
}

impl Embedder for OnnxEmbedder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Few: a core takes a tenth of a second for a text.
    fn at_once(&self) -> usize {
        16
    }

    fn max_input(&self) -> usize {
        self.max_input
    }

    fn embed_documents(&self, texts: &[&str], vectors: &mut Vectors) -> Result<(), EmbedError> {
        let embedded = |text: &&str| {
            let mut vector = vec![0.0; self.dimensions];
            self.embed(text, &self.document_prefix, &mut vector)?;
            Ok(vector)
        };
        let found: Vec<Result<Vec<f32>, String>> =
            on_threads_of_models(|| texts.par_iter().map(embedded).collect());
        let numbered = found.into_iter().enumerate();
        let found = numbered
            .map(|(text, found)| found.map_err(|reason| EmbedError::Refused { text, reason }));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        vectors
            .add_many(texts.len())
            .copy_from_slice(&found.concat());
        Ok(())
    }

    fn embed_query(&self, pieces: &[(&str, f32)]) -> Result<Vec<f32>, EmbedError> {
        let text: String = pieces.iter().map(|(piece, _)| *piece).collect();
        let mut vector = vec![0.0; self.dimensions];
        let embedded = self.embed(&text, &self.query_prefix, &mut vector);
        embedded.map_err(|reason| EmbedError::Unavailable {
            identity: self.identity.clone(),
            reason: format!("{reason} for this query: rephrase or shorten it"),
        })?;
        Ok(vector)
    }
}

impl fmt::Debug for OnnxEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnnxEmbedder")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

/// Divides a text, whose tokens start at `starts`, into parts of about the same number of tokens.
fn even_parts<'t>(text: &'t str, starts: &[usize], count: usize) -> Vec<&'t str> {
    let mut parts = Vec::with_capacity(count);
    let mut from = 0;
    for part in 1..=count {
        let end = match starts.get(starts.len() * part / count) {
            // A token may be a part of a character.
            Some(start) if part < count => text.floor_char_boundary(*start).max(from),
            _ => text.len(),
        };
        parts.push(&text[from..end]);
        from = end;
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// A tokenizer that neither shortens nor fills up what it returns, and reads the names of special
/// tokens in a text as text.
fn tokenizer(bytes: &[u8], max_input: usize) -> Result<Tokenizer, String> {
    let wrong = |error| {
        format!("`tokenizer.json` is no tokenizer ({error}): copy it from where the model is from")
    };
    let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(wrong)?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(wrong)?;
    tokenizer.set_encode_special_tokens(true);
    let special = tokenizer.encode("", true).map_err(wrong)?.len();
    if special + LEAST_INPUT / 2 > max_input {
        return Err(format!(
            "`tokenizer.json` adds {special} tokens to each text, but the model reads {max_input}: increase `max_input`"
        ));
    }
    Ok(tokenizer)
}

fn unreadable(error: tokenizers::Error) -> String {
    format!("`tokenizer.json` cannot read a text ({error})")
}

fn tokens(encoding: &Encoding) -> WindowTokens<'_> {
    WindowTokens {
        ids: encoding.get_ids(),
        types: encoding.get_type_ids(),
    }
}

/// A name that differs whenever a vector could: the dimensions for people, and a hash of everything
/// that matters.
fn identity(embedder: &OnnxEmbedder, model: &[u64], tokenizer: &[u8]) -> String {
    let numbers = [&[u64::from(RULES), embedder.max_input as u64], model].concat();
    let texts = [
        embedder.query_prefix.as_bytes(),
        embedder.document_prefix.as_bytes(),
        tokenizer,
    ];
    let hash = identity_hash(&numbers, &texts);
    format!("onnx-{}-{hash}", embedder.dimensions)
}
