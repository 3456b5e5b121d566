//! A model of a few bytes, written as the ONNX format (protobuf) has it: each token is a letter and
//! has a row of a table.

use std::fs;
use std::path::Path;

use serde_json::{Map, json};
use tempfile::TempDir;

/// How many numbers a vector has.
pub(super) const DIMENSIONS: usize = 4;

/// The tokens that are no letters.
const SPECIAL: [&str; 3] = ["[UNK]", "[CLS]", "[SEP]"];

/// The types of tensors in the format.
const FLOAT: u64 = 1;
const INT64: u64 = 7;

/// The parts of a model that tests change.
pub(super) struct Tiny {
    pub(super) inputs: &'static [&'static str],
    pub(super) output: &'static str,
    /// Whether the model makes the mean itself.
    pub(super) is_pooled: bool,
    /// Where the model is in its folder.
    pub(super) path: &'static str,
    /// How many tokens have a row.
    pub(super) rows: usize,
}

impl Default for Tiny {
    fn default() -> Tiny {
        Tiny {
            inputs: &["input_ids", "attention_mask"],
            output: "last_hidden_state",
            is_pooled: false,
            path: "model.onnx",
            rows: vocabulary().len(),
        }
    }
}

impl Tiny {
    /// A folder with the model and its tokenizer.
    pub(super) fn folder(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), self.path, &self.model());
        put(folder.path(), "tokenizer.json", &tokenizer());
        folder
    }

    /// The model: a `Gather` of the rows of a table, perhaps their mean.
    pub(super) fn model(&self) -> Vec<u8> {
        let gathered = match self.is_pooled {
            true => "rows",
            false => self.output,
        };
        let mut graph = Vec::new();
        let gather = node("Gather", &["table", "input_ids"], gathered, &[]);
        message(&mut graph, 1, &gather);
        if self.is_pooled {
            let axes = [attribute_of_numbers("axes", &[1]), attribute("keepdims", 0)];
            let mean = node("ReduceMean", &["rows"], self.output, &axes);
            message(&mut graph, 1, &mean);
        }
        message(&mut graph, 2, b"tiny");
        message(&mut graph, 5, &table(self.rows));
        for input in self.inputs {
            message(&mut graph, 11, &value(input, INT64, &[None, None]));
        }
        let dimensions = Some(DIMENSIONS as u64);
        let shape: &[Option<u64>] = match self.is_pooled {
            true => &[None, dimensions],
            false => &[None, None, dimensions],
        };
        message(&mut graph, 12, &value(self.output, FLOAT, shape));
        let mut operators = Vec::new();
        number(&mut operators, 2, 13);
        let mut model = Vec::new();
        number(&mut model, 1, 8);
        message(&mut model, 7, &graph);
        message(&mut model, 8, &operators);
        model
    }
}

/// Writes a file, with its folder.
pub(super) fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The row of a token.
pub(super) fn row(token: &str) -> [f32; DIMENSIONS] {
    let number = vocabulary().iter().position(|known| known == token);
    let number = number.unwrap_or_default() as f32;
    [
        (number + 1.0).sin(),
        (number * 0.7).cos(),
        number / 40.0,
        0.25,
    ]
}

fn vocabulary() -> Vec<String> {
    let letters = ('a'..='z').chain([' ']).map(String::from);
    SPECIAL
        .map(String::from)
        .into_iter()
        .chain(letters)
        .collect()
}

/// A tokenizer of letters, which puts `[CLS]` before a text and `[SEP]` after it.
fn tokenizer() -> Vec<u8> {
    let vocabulary = vocabulary();
    let numbers = vocabulary.iter().zip(0..);
    let numbers: Map<String, _> = numbers
        .map(|(token, id)| (token.clone(), json!(id)))
        .collect();
    let special = |token: &str| json!({ "SpecialToken": { "id": token, "type_id": 0 } });
    let added = SPECIAL.iter().zip(0..).map(|(token, id)| {
        json!({
            "id": id, "content": token, "special": true, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false,
        })
    });
    let added: Vec<_> = added.collect();
    let text = json!({
        "version": "1.0",
        "truncation": { "max_length": 5, "strategy": "LongestFirst", "stride": 0 },
        "padding": {
            "strategy": { "Fixed": 9 }, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]",
        },
        "added_tokens": added,
        "normalizer": { "type": "Lowercase" },
        "pre_tokenizer": {
            "type": "Split", "pattern": { "Regex": "(?s)." }, "behavior": "Isolated",
            "invert": false,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [special("[CLS]"), { "Sequence": { "id": "A", "type_id": 0 } }, special("[SEP]")],
            "pair": [{ "Sequence": { "id": "A", "type_id": 0 } }, { "Sequence": { "id": "B", "type_id": 0 } }],
            "special_tokens": {
                "[CLS]": { "id": "[CLS]", "ids": [1], "tokens": ["[CLS]"] },
                "[SEP]": { "id": "[SEP]", "ids": [2], "tokens": ["[SEP]"] },
            },
        },
        "decoder": null,
        "model": { "type": "WordLevel", "vocab": numbers, "unk_token": "[UNK]" },
    });
    serde_json::to_vec(&text).unwrap()
}

fn table(rows: usize) -> Vec<u8> {
    let tokens = vocabulary();
    let numbers = tokens.iter().take(rows).flat_map(|token| row(token));
    let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    let mut tensor = Vec::new();
    number(&mut tensor, 1, rows as u64);
    number(&mut tensor, 1, DIMENSIONS as u64);
    number(&mut tensor, 2, FLOAT);
    message(&mut tensor, 8, b"table");
    message(&mut tensor, 9, &bytes);
    tensor
}

fn node(operator: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut node = Vec::new();
    for input in inputs {
        message(&mut node, 1, input.as_bytes());
    }
    message(&mut node, 2, output.as_bytes());
    message(&mut node, 3, format!("node_{output}").as_bytes());
    message(&mut node, 4, operator.as_bytes());
    for attribute in attributes {
        message(&mut node, 5, attribute);
    }
    node
}

fn attribute(name: &str, value: u64) -> Vec<u8> {
    let mut attribute = Vec::new();
    message(&mut attribute, 1, name.as_bytes());
    number(&mut attribute, 3, value);
    number(&mut attribute, 20, 2);
    attribute
}

fn attribute_of_numbers(name: &str, values: &[u64]) -> Vec<u8> {
    let mut attribute = Vec::new();
    message(&mut attribute, 1, name.as_bytes());
    for value in values {
        number(&mut attribute, 8, *value);
    }
    number(&mut attribute, 20, 7);
    attribute
}

/// An input or an output; each part of a shape has a size or a name.
fn value(name: &str, kind: u64, shape: &[Option<u64>]) -> Vec<u8> {
    let mut sizes = Vec::new();
    for (at, size) in shape.iter().enumerate() {
        let mut part = Vec::new();
        match size {
            Some(size) => number(&mut part, 1, *size),
            None => message(&mut part, 2, format!("size_{at}").as_bytes()),
        }
        message(&mut sizes, 1, &part);
    }
    let mut tensor = Vec::new();
    number(&mut tensor, 1, kind);
    message(&mut tensor, 2, &sizes);
    let mut typed = Vec::new();
    message(&mut typed, 1, &tensor);
    let mut value = Vec::new();
    message(&mut value, 1, name.as_bytes());
    message(&mut value, 2, &typed);
    value
}

/// A field of protobuf with a number.
fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field << 3);
    varint(out, value);
}

/// A field of protobuf with bytes: a text or a message.
fn message(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
