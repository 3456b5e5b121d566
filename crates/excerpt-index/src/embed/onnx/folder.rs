//! The files of a model's folder, as model hubs and sentence-transformers lay them out.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Pooling;
use crate::fs::open::{Refused, read_named};

/// The maximum bytes of a model, of a tokenizer, and of any other file. No message of protobuf has
/// more than 2 GiB.
const MODEL_LIMIT: u64 = 1 << 31;
const TOKENIZER_LIMIT: u64 = 1 << 26;
const OTHER_LIMIT: u64 = 1 << 20;

/// The tokens that a model reads at once if no file says how many, and the most that are used
/// unless the user asks for more: the memory of a window grows with its square.
const USUAL_INPUT: usize = 512;

/// Where the model may be.
const MODELS: [&str; 2] = ["model.onnx", "onnx/model.onnx"];
const TOKENIZER: &str = "tokenizer.json";

/// What the files of a folder say.
pub(super) struct ModelFolder {
    /// The name of the model in it.
    pub(super) model_file: String,
    pub(super) model: Vec<u8>,
    pub(super) tokenizer: Vec<u8>,
    pub(super) pooling: Option<Pooling>,
    /// The name of a pooling that we do not know.
    pub(super) other_pooling: Option<String>,
    pub(super) query_prefix: String,
    pub(super) document_prefix: String,
    pub(super) max_input: usize,
    /// Whether a layer follows the pooling that changes the vectors.
    pub(super) has_dense: bool,
}

/// `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PoolingFile {
    /// The one name, in newer files.
    pooling_mode: Option<String>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptFile {
    prompts: BTreeMap<String, String>,
}

/// An entry of `modules.json`.
#[derive(Deserialize)]
struct ModuleEntry {
    #[serde(default, rename = "type")]
    kind: String,
}

/// `sentence_bert_config.json`, `tokenizer_config.json` and `config.json`: each has one of these.
/// Numbers of any kind, since some files give the length as 1e30.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LengthFile {
    max_seq_length: Option<Value>,
    model_max_length: Option<Value>,
    max_position_embeddings: Option<Value>,
}

impl ModelFolder {
    /// Reads the files of a folder, or of that of a model. The error says which file is missing or
    /// wrong.
    pub(super) fn read(path: &Path) -> Result<ModelFolder, String> {
        let is_model = path.is_file();
        let (model_file, model) = match is_model {
            true => named_model(path)?,
            false => model(path)?,
        };
        let folder = if is_model { folder_of(path) } else { path };
        let tokenizer = match read_named(&folder.join(TOKENIZER), TOKENIZER_LIMIT) {
            Ok(bytes) => bytes,
            Err(Refused::Missing) => {
                return Err(format!(
                    "`{TOKENIZER}` is missing: copy it from where the model is from"
                ));
            }
            Err(error) => return Err(format!("cannot read `{TOKENIZER}`: {error}")),
        };
        let pooling_file: Option<PoolingFile> = json(folder, "1_Pooling/config.json")?;
        let (pooling, other_pooling) = pooling_file.map_or((None, None), PoolingFile::mode);
        let prompts: Option<PromptFile> = json(folder, "config_sentence_transformers.json")?;
        let mut prompts = prompts.unwrap_or_default().prompts;
        let mut prompt = |names: &[&str]| {
            let mut found = names.iter().filter_map(|name| prompts.remove(*name));
            found.next().unwrap_or_default()
        };
        let modules: Option<Vec<ModuleEntry>> = json(folder, "modules.json")?;
        let modules = modules.unwrap_or_default();
        Ok(ModelFolder {
            model_file,
            model,
            tokenizer,
            pooling,
            other_pooling,
            query_prefix: prompt(&["query"]),
            document_prefix: prompt(&["document", "passage"]),
            max_input: max_input(folder)?,
            has_dense: modules.iter().any(|module| module.kind.ends_with("Dense")),
        })
    }
}

impl PoolingFile {
    /// The pooling, or the name of another one.
    fn mode(self) -> (Option<Pooling>, Option<String>) {
        let flags = [
            ("cls", self.pooling_mode_cls_token),
            ("mean", self.pooling_mode_mean_tokens),
            ("max", self.pooling_mode_max_tokens),
            ("mean_sqrt_len", self.pooling_mode_mean_sqrt_len_tokens),
            ("weightedmean", self.pooling_mode_weightedmean_tokens),
            ("lasttoken", self.pooling_mode_lasttoken),
        ];
        let set: Vec<&str> = flags
            .iter()
            .filter(|(_, is)| *is)
            .map(|(is, _)| *is)
            .collect();
        let name = self.pooling_mode.unwrap_or_else(|| set.join(" and "));
        match &*name {
            "" => (None, None),
            "cls" => (Some(Pooling::Cls), None),
            "mean" => (Some(Pooling::Mean), None),
            _ => (None, Some(name)),
        }
    }
}

/// The folder with the other files of a model, which may be in its folder `onnx`.
fn folder_of(model: &Path) -> &Path {
    let folder = model.parent().unwrap_or(model);
    match folder.parent() {
        Some(above) if folder.ends_with("onnx") && !folder.join(TOKENIZER).exists() => above,
        _ => folder,
    }
}

/// The name of a model, and its bytes.
fn named_model(path: &Path) -> Result<(String, Vec<u8>), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match read_named(path, MODEL_LIMIT) {
        Ok(bytes) => Ok((name.into_owned(), bytes)),
        Err(error) => Err(format!("cannot read it: {error}")),
    }
}

/// The name of the model in a folder, and its bytes.
fn model(folder: &Path) -> Result<(String, Vec<u8>), String> {
    if !folder.is_dir() {
        return Err("there is no such folder or file: expected the folder of a model".into());
    }
    for name in MODELS {
        match read_named(&folder.join(name), MODEL_LIMIT) {
            Ok(bytes) => return Ok((name.to_string(), bytes)),
            Err(Refused::Missing) => {}
            Err(error) => return Err(format!("cannot read `{name}`: {error}")),
        }
    }
    let [first, second] = MODELS;
    Err(format!(
        "neither `{first}` nor `{second}` is in it: export the model to ONNX, or name a file that has another name in `path`"
    ))
}

/// How many tokens the model reads at once, by the first file that says so.
fn max_input(folder: &Path) -> Result<usize, String> {
    let own: Option<LengthFile> = json(folder, "sentence_bert_config.json")?;
    if let Some(length) = own.and_then(|file| length(file.max_seq_length.as_ref())) {
        return Ok(length.min(USUAL_INPUT));
    }
    let tokenizer: LengthFile = json(folder, "tokenizer_config.json")?.unwrap_or_default();
    let config: LengthFile = json(folder, "config.json")?.unwrap_or_default();
    let lengths = [
        length(tokenizer.model_max_length.as_ref()),
        length(config.max_position_embeddings.as_ref()),
    ];
    let shortest = lengths.into_iter().flatten().min();
    Ok(shortest.unwrap_or(USUAL_INPUT).min(USUAL_INPUT))
}

fn length(value: Option<&Value>) -> Option<usize> {
    let number = value?.as_f64().filter(|number| *number >= 1.0)?;
    Some(number as usize)
}

/// A file of JSON; `None` if it is not there.
fn json<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, String> {
    let bytes = match read_named(&folder.join(name), OTHER_LIMIT) {
        Ok(bytes) => bytes,
        Err(Refused::Missing) => return Ok(None),
        Err(error) => return Err(format!("cannot read `{name}`: {error}")),
    };
    match serde_json::from_slice(&bytes) {
        Ok(found) => Ok(Some(found)),
        Err(error) => Err(format!("`{name}` is not as expected ({error})")),
    }
}
