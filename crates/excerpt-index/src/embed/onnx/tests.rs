use std::fs;
use std::path::Path;

use serde_json::json;

use super::tiny::{DIMENSIONS, Tiny, put, row};
use super::*;
use crate::embed::conformance::conforms;

fn loaded(folder: &Path) -> OnnxEmbedder {
    OnnxEmbedder::new(OnnxOptions::new(folder)).unwrap()
}

fn changed(folder: &Path, change: impl Fn(&mut OnnxOptions)) -> OnnxEmbedder {
    let mut options = OnnxOptions::new(folder);
    change(&mut options);
    OnnxEmbedder::new(options).unwrap()
}

/// The reason why a folder cannot be used.
fn reason(folder: &Path) -> String {
    let error = OnnxEmbedder::new(OnnxOptions::new(folder)).unwrap_err();
    let shown = error.to_string();
    let start = format!("cannot use the model in `{}`: ", folder.display());
    shown.strip_prefix(&start).unwrap().to_string()
}

fn vector(embedder: &OnnxEmbedder, text: &str) -> Vec<f32> {
    let mut vectors = Vectors::new(embedder.dimensions());
    embedder.embed_documents(&[text], &mut vectors).unwrap();
    vectors.iter().next().unwrap().to_vec()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn is_close(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
}

/// The mean of the rows of a window, at unit length.
fn mean(letters: &str) -> Vec<f32> {
    let mut sum = vec![0.0; DIMENSIONS];
    let letters = letters.chars().map(String::from);
    let tokens = ["[CLS]".to_string()].into_iter().chain(letters);
    for token in tokens.chain(["[SEP]".to_string()]) {
        for (sum, number) in sum.iter_mut().zip(row(&token)) {
            *sum += number;
        }
    }
    to_unit_length(&mut sum);
    sum
}

#[test]
fn a_tiny_model_keeps_the_contract() {
    for tiny in [
        Tiny::default(),
        Tiny {
            output: "sentence_embedding",
            is_pooled: true,
            ..Tiny::default()
        },
    ] {
        let folder = tiny.folder();
        let embedder = changed(folder.path(), |options| options.max_input = Some(64));
        assert_eq!((embedder.dimensions(), embedder.max_input()), (4, 64));
        conforms(&embedder);
    }
}

#[test]
fn a_text_has_the_mean_of_its_tokens_or_the_vector_of_the_first() {
    let folder = Tiny::default().folder();
    assert!(is_close(
        &vector(&loaded(folder.path()), "tea"),
        &mean("tea")
    ));
    let cls = changed(folder.path(), |options| {
        options.pooling = Some(Pooling::Cls);
    });
    let mut first = row("[CLS]");
    to_unit_length(&mut first);
    assert!(is_close(&vector(&cls, "tea"), &first));
}

#[test]
fn a_model_that_pools_is_not_pooled_again() {
    let tiny = Tiny {
        output: "sentence_embedding",
        is_pooled: true,
        ..Tiny::default()
    };
    let folder = tiny.folder();
    let cls = changed(folder.path(), |options| {
        options.pooling = Some(Pooling::Cls);
    });
    assert!(is_close(&vector(&cls, "tea"), &mean("tea")));
}

#[test]
fn the_files_of_the_folder_say_how_the_model_is_used() {
    let tiny = Tiny {
        path: "onnx/model.onnx",
        inputs: &["input_ids", "attention_mask", "token_type_ids"],
        output: "token_embeddings",
        ..Tiny::default()
    };
    let folder = tiny.folder();
    let files = [
        (
            "1_Pooling/config.json",
            json!({ "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false }),
        ),
        (
            "config_sentence_transformers.json",
            json!({ "prompts": { "query": "q ", "passage": "d " }, "version": {} }),
        ),
        (
            "sentence_bert_config.json",
            json!({ "max_seq_length": 24, "do_lower_case": false }),
        ),
        ("tokenizer_config.json", json!({ "model_max_length": 1e30 })),
        (
            "modules.json",
            json!([{ "type": "sentence_transformers.models.Pooling" }]),
        ),
    ];
    for (name, text) in &files {
        put(folder.path(), name, text.to_string().as_bytes());
    }
    let embedder = loaded(folder.path());
    assert_eq!(embedder.max_input(), 24);
    let mut first = row("[CLS]");
    to_unit_length(&mut first);
    assert!(is_close(&vector(&embedder, "tea"), &first));
    // What is set has precedence.
    let embedder = changed(folder.path(), |options| {
        options.pooling = Some(Pooling::Mean);
        options.max_input = Some(32);
        options.document_prefix = Some("x ".into());
    });
    assert_eq!(embedder.max_input(), 32);
    assert!(is_close(&vector(&embedder, "tea"), &mean("x tea")));
    let query = embedder.embed_query(&[("te", 0.5), ("a", 1.0)]).unwrap();
    assert!(is_close(&query, &mean("q tea")));
}

#[test]
fn other_files_say_how_much_the_model_reads() {
    let folder = Tiny::default().folder();
    assert_eq!(loaded(folder.path()).max_input(), 512);
    put(
        folder.path(),
        "config.json",
        br#"{ "max_position_embeddings": 100 }"#,
    );
    assert_eq!(loaded(folder.path()).max_input(), 100);
    put(
        folder.path(),
        "tokenizer_config.json",
        br#"{ "model_max_length": 64 }"#,
    );
    assert_eq!(loaded(folder.path()).max_input(), 64);
    put(
        folder.path(),
        "sentence_bert_config.json",
        br#"{ "max_seq_length": 8192 }"#,
    );
    assert_eq!(loaded(folder.path()).max_input(), 512);
}

#[test]
fn a_long_text_has_the_mean_of_even_windows() {
    let folder = Tiny::default().folder();
    let embedder = changed(folder.path(), |options| options.max_input = Some(16));
    // Fourteen letters fit between the first and the last token.
    assert!(is_close(
        &vector(&embedder, "greenteagreent"),
        &mean("greenteagreent")
    ));
    let mut both = mean("greenteagr");
    for (sum, number) in both.iter_mut().zip(mean("eenblacktea")) {
        *sum += number;
    }
    to_unit_length(&mut both);
    assert!(is_close(&vector(&embedder, "greenteagreenblacktea"), &both));
}

#[test]
fn empty_and_huge_texts_have_vectors() {
    let folder = Tiny::default().folder();
    let embedder = loaded(folder.path());
    for text in ["", " \n\t\u{3000}"] {
        assert_eq!(vector(&embedder, text), [0.0; DIMENSIONS]);
    }
    let huge = "wörter ohne\0ende🦀".repeat(10_000);
    assert!((cosine(&vector(&embedder, &huge), &vector(&embedder, &huge)) - 1.0).abs() < 1e-5);
    // Nothing at which a text could be divided.
    assert!(
        vector(&embedder, &"a".repeat(50_000))
            .iter()
            .any(|number| *number != 0.0)
    );
}

#[test]
fn the_name_of_a_special_token_is_text() {
    let folder = Tiny::default().folder();
    let embedder = loaded(folder.path());
    // Neither bracket has a token, and the letters are lowercased.
    let text = vector(&embedder, "[SEP]");
    assert!(!is_close(&text, &vector(&embedder, "")));
    assert!(is_close(&text, &vector(&embedder, "{sep}")));
}

#[test]
fn the_identity_is_of_what_vectors_depend_on() {
    let folder = Tiny::default().folder();
    let plain = loaded(folder.path()).identity().to_string();
    assert!(plain.starts_with("onnx-4-"), "{plain}");
    let elsewhere = Tiny {
        path: "onnx/model.onnx",
        ..Tiny::default()
    };
    let elsewhere = elsewhere.folder();
    assert_eq!(loaded(elsewhere.path()).identity(), plain);
    let changes: [fn(&mut OnnxOptions); 4] = [
        |options| options.pooling = Some(Pooling::Cls),
        |options| options.query_prefix = Some("q".into()),
        |options| options.document_prefix = Some("q".into()),
        |options| options.max_input = Some(100),
    ];
    let mut all: Vec<String> = changes
        .iter()
        .map(|change| changed(folder.path(), change).identity().to_string())
        .collect();
    let other = Tiny {
        output: "token_embeddings",
        ..Tiny::default()
    };
    all.push(loaded(other.folder().path()).identity().to_string());
    let text = fs::read_to_string(folder.path().join("tokenizer.json")).unwrap();
    put(
        folder.path(),
        "tokenizer.json",
        format!("{text} ").as_bytes(),
    );
    all.push(loaded(folder.path()).identity().to_string());
    all.push(plain);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 7);
}

#[test]
fn options_that_cannot_be_used_say_what_can() {
    for number in [0, 15, 8193] {
        let mut options = OnnxOptions::new("nowhere");
        options.max_input = Some(number);
        let error = OnnxEmbedder::new(options).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "invalid value `{number}` for the embedder setting `max_input`, expected a number from 16 to 8192"
            )
        );
    }
}

#[test]
fn a_model_of_any_name_can_be_used() {
    let folder = Tiny::default().folder();
    let whole = loaded(folder.path());
    let model = fs::read(folder.path().join("model.onnx")).unwrap();
    fs::remove_file(folder.path().join("model.onnx")).unwrap();
    for name in ["model_int8.onnx", "onnx/model_int8.onnx"] {
        put(folder.path(), name, &model);
        let named = loaded(&folder.path().join(name));
        assert_eq!(named.identity(), whole.identity());
    }
    put(folder.path(), "onnx/no_model.onnx", b"no model");
    let reason = reason(&folder.path().join("onnx/no_model.onnx"));
    assert!(reason.starts_with("`no_model.onnx`: "), "{reason}");
}

#[test]
fn a_file_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        reason(&folder.path().join("none")),
        "there is no such folder or file: expected the folder of a model"
    );
    assert_eq!(
        reason(folder.path()),
        "neither `model.onnx` nor `onnx/model.onnx` is in it: export the model to ONNX, or name a file that has another name in `path`"
    );
    put(folder.path(), "model.onnx", &Tiny::default().model());
    assert_eq!(
        reason(folder.path()),
        "`tokenizer.json` is missing: copy it from where the model is from"
    );
    fs::remove_file(folder.path().join("model.onnx")).unwrap();
    fs::create_dir(folder.path().join("model.onnx")).unwrap();
    assert_eq!(
        reason(folder.path()),
        "cannot read `model.onnx`: it is a folder, expected a regular file"
    );
}

#[test]
fn what_is_no_model_says_so() {
    let whole = Tiny::default().model();
    let zeros = [0; 4096];
    let cases = [
        &b""[..],
        b"no model",
        &whole[..whole.len() / 2],
        &whole[..whole.len() - 10],
        &zeros,
        b"{ \"a\": 1 }",
    ];
    for (number, bytes) in cases.into_iter().enumerate() {
        let folder = Tiny::default().folder();
        put(folder.path(), "model.onnx", bytes);
        let options = OnnxOptions::new(folder.path());
        assert!(OnnxEmbedder::new(options).is_err(), "{number}");
        let reason = reason(folder.path());
        assert!(
            reason.starts_with("`model.onnx`: it ") && reason.contains(": export "),
            "{reason}"
        );
    }
}

#[test]
fn no_change_of_a_byte_makes_a_model_that_panics() {
    let whole = Tiny::default().model();
    let folder = Tiny::default().folder();
    for at in (0..whole.len()).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        put(folder.path(), "model.onnx", &bytes);
        drop(OnnxEmbedder::new(OnnxOptions::new(folder.path())));
    }
}

#[test]
fn unknown_inputs_and_outputs_are_named() {
    let cases: [(Tiny, &str); 3] = [
        (
            Tiny {
                inputs: &["input_ids", "pixel_values"],
                ..Tiny::default()
            },
            "`model.onnx`: unknown input `pixel_values`, expected `input_ids`, `attention_mask`, `token_type_ids`: export an embedding model",
        ),
        (
            Tiny {
                output: "logits",
                ..Tiny::default()
            },
            "`model.onnx`: unknown outputs `logits`, expected `last_hidden_state` or `sentence_embedding`: export an embedding model",
        ),
        (
            Tiny {
                rows: 2,
                ..Tiny::default()
            },
            "): check that `tokenizer.json` belongs to it",
        ),
    ];
    for (tiny, expected) in cases {
        let reason = reason(tiny.folder().path());
        assert!(reason.ends_with(expected), "{reason}");
    }
}

#[test]
fn what_is_no_tokenizer_says_so() {
    let folder = Tiny::default().folder();
    for text in [
        "",
        "no JSON",
        "{}",
        "[1, 2]",
        "{\"model\": {\"type\": \"None\"}}",
    ] {
        put(folder.path(), "tokenizer.json", text.as_bytes());
        let reason = reason(folder.path());
        assert!(
            reason.starts_with("`tokenizer.json` is no tokenizer ("),
            "{reason}"
        );
        assert!(
            reason.ends_with("): copy it from where the model is from"),
            "{reason}"
        );
    }
}

#[test]
fn other_files_that_are_not_as_expected_are_named() {
    let folder = Tiny::default().folder();
    put(
        folder.path(),
        "modules.json",
        b"[{ \"type\": \"sentence_transformers.models.Dense\" }]",
    );
    assert_eq!(
        reason(folder.path()),
        "`model.onnx`: a layer `Dense` follows it, which it does not contain: export the model with the output `sentence_embedding`"
    );
    put(folder.path(), "modules.json", b"[]");
    put(
        folder.path(),
        "1_Pooling/config.json",
        b"{ \"pooling_mode_max_tokens\": true }",
    );
    assert_eq!(
        reason(folder.path()),
        "its pooling `max` is unknown, expected `mean` or `cls`: set `pooling` if one of them is right, or use another model"
    );
    put(
        folder.path(),
        "1_Pooling/config.json",
        b"{ \"pooling_mode\": \"cls\" }",
    );
    loaded(folder.path());
    put(folder.path(), "1_Pooling/config.json", b"{");
    assert!(reason(folder.path()).starts_with("`1_Pooling/config.json` is not as expected ("));
}

/// The texts whose vectors were computed by `models/static/minilm.py`.
const TEXTS: [&str; 4] = [
    "How hot must the water for green tea be?",
    "Green tea wants water of 80 degrees.",
    "The harbour of Aarhus was rebuilt in 1921.",
    "fn open(path: &Path) -> Result<File> { File::open(path) }",
];

#[test]
fn a_real_model_computes_the_vectors_of_the_reference() {
    let Some(folder) = std::env::var_os("EXCERPT_MINILM") else {
        eprintln!(
            "skipped: EXCERPT_MINILM names no folder that models/minilm/export.py has written"
        );
        return;
    };
    let embedder = loaded(Path::new(&folder));
    assert_eq!((embedder.dimensions(), embedder.max_input()), (384, 256));
    let vectors = TEXTS.map(|text| vector(&embedder, text));
    let expected = [0.787_06, 0.039_44, -0.022_32];
    for (vector, expected) in vectors[1..].iter().zip(expected) {
        let found = cosine(&vectors[0], vector);
        assert!(
            (found - expected).abs() < 1e-3,
            "{found}, expected {expected}"
        );
    }
    let start = [-0.017_292, 0.057_030, 0.007_928, -0.000_734];
    for (found, expected) in vectors[1].iter().zip(start) {
        assert!(
            (found - expected).abs() < 1e-4,
            "{found}, expected {expected}"
        );
    }
    let short = changed(Path::new(&folder), |options| options.max_input = Some(32));
    conforms(&short);
}
