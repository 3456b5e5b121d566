//! A model that was loaded: tokens in, a vector out.

use std::sync::Arc;

use rten::{
    Dimension, Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView, thread_pool,
};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::Pooling;
use crate::cores::Forkable;

/// The inputs that a model may have.
const INPUTS: [&str; 3] = ["input_ids", "attention_mask", "token_type_ids"];

/// The outputs that we know: the vector of a text, or one vector for each token.
const OF_TEXT: [&str; 1] = ["sentence_embedding"];
const OF_TOKENS: [&str; 2] = ["last_hidden_state", "token_embeddings"];

/// The largest model, in bytes, of which a second copy of the weights is kept, in the order that a
/// processor needs: of a large one, the memory counts for more than the time.
const LARGEST_PACKED: usize = 128 << 20;

/// The threads that models run on.
static POOL: Forkable<Arc<ThreadPool>> = Forkable::new();

/// Those of this process, if they are not the library's.
fn forked() -> Option<Arc<ThreadPool>> {
    // As many as rayon makes by default.
    const DEFAULT: usize = 0;
    let pool = POOL.after_fork(|| Some(Arc::new(ThreadPool::with_num_threads(DEFAULT))));
    pool.cloned()
}

/// Runs `work` on the threads that models run on. What it does in parallel shares them with the
/// models.
pub(super) fn on_threads_of_models<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match forked() {
        Some(pool) => pool.run(work),
        None => thread_pool().run(work),
    }
}

/// A model, and which of its inputs and outputs are used.
pub(super) struct Graph {
    model: Model,
    /// Each with its position in [`INPUTS`].
    inputs: Vec<(NodeId, usize)>,
    output: NodeId,
    /// How the vectors of tokens become one; `None` if the model returns one.
    pooling: Option<Pooling>,
    /// How many numbers a vector has, if the model says so.
    pub(super) dimensions: Option<usize>,
}

/// The tokens of a window.
pub(super) struct WindowTokens<'t> {
    pub(super) ids: &'t [u32],
    pub(super) types: &'t [u32],
}

impl Graph {
    /// Loads a model of these bytes. The error says what is wrong with it.
    pub(super) fn load(bytes: Vec<u8>, pooling: Pooling) -> Result<Graph, String> {
        // What is computed ahead to make a model faster runs on the library's threads, which are
        // gone after a fork.
        let ahead = forked().is_none();
        let mut options = ModelOptions::with_all_ops();
        options
            .enable_optimization(ahead)
            .prepack_weights(ahead && bytes.len() <= LARGEST_PACKED);
        let loaded = options.load(bytes);
        let model = loaded.map_err(|error| {
            format!(
                "it is no ONNX model that can be loaded ({error}): export it again, as one file"
            )
        })?;
        let mut inputs = Vec::new();
        for id in model.input_ids() {
            let name = name(&model, *id);
            let known = INPUTS.iter().position(|known| *known == name);
            let Some(known) = known else {
                let expected = INPUTS.join("`, `");
                return Err(format!(
                    "unknown input `{name}`, expected `{expected}`: export an embedding model"
                ));
            };
            inputs.push((*id, known));
        }
        if !inputs.iter().any(|(_, known)| *known == 0) {
            return Err("it has no input `input_ids`: export an embedding model".to_string());
        }
        let find = |names: &[&str]| {
            let mut ids = names.iter().filter_map(|wanted| {
                let mut ids = model.output_ids().iter().copied();
                ids.find(|id| name(&model, *id) == *wanted)
            });
            ids.next()
        };
        let (output, pooling) = match (find(&OF_TEXT), find(&OF_TOKENS)) {
            (Some(output), _) => (output, None),
            (None, Some(output)) => (output, Some(pooling)),
            (None, None) => {
                let found = model.output_ids().iter().map(|id| name(&model, *id));
                let found: Vec<String> = found.collect();
                return Err(format!(
                    "unknown outputs `{}`, expected `{}` or `{}`: export an embedding model",
                    found.join("`, `"),
                    OF_TOKENS[0],
                    OF_TEXT[0]
                ));
            }
        };
        let shape = model.node_info(output).and_then(|info| info.shape());
        let dimensions = match shape.as_deref().and_then(|shape| shape.last()) {
            Some(Dimension::Fixed(dimensions)) if *dimensions > 0 => Some(*dimensions),
            _ => None,
        };
        Ok(Graph {
            model,
            inputs,
            output,
            pooling,
            dimensions,
        })
    }

    /// Whether the model itself makes one vector of those of the tokens.
    pub(super) fn is_pooled(&self) -> bool {
        self.pooling.is_none()
    }

    /// The vector of a window, of any length. The error says what the model cannot do with it.
    pub(super) fn run(&self, window: &WindowTokens<'_>) -> Result<Vec<f32>, String> {
        let count = window.ids.len();
        let signed = |ids: &[u32]| -> Result<Vec<i32>, String> {
            let ids = ids.iter().map(|id| i32::try_from(*id));
            ids.collect::<Result<_, _>>()
                .map_err(|_| "the tokenizer returned an id that no model has".to_string())
        };
        let mut inputs: Vec<(NodeId, ValueOrView<'_>)> = Vec::with_capacity(self.inputs.len());
        for (id, known) in &self.inputs {
            let numbers = match known {
                0 => signed(window.ids)?,
                1 => vec![1; count],
                _ => signed(window.types)?,
            };
            inputs.push((*id, NdTensor::from_data([1, count], numbers).into()));
        }
        let options = RunOptions::default().with_thread_pool(forked());
        let outputs = self.model.run(inputs, &[self.output], Some(options));
        let outputs = outputs.map_err(|error| error.to_string())?;
        let output = outputs.into_iter().next();
        let shapes = || "the model returned no vector of numbers".to_string();
        match self.pooling {
            None => {
                let vector: NdTensor<f32, 2> = output
                    .ok_or_else(shapes)?
                    .try_into()
                    .map_err(|_| shapes())?;
                Ok(vector.to_vec())
            }
            Some(pooling) => {
                let tokens: NdTensor<f32, 3> = output
                    .ok_or_else(shapes)?
                    .try_into()
                    .map_err(|_| shapes())?;
                let [_, rows, dimensions] = tokens.shape();
                if rows == 0 || dimensions == 0 {
                    return Err(shapes());
                }
                Ok(pooled(&tokens.to_vec(), dimensions, pooling))
            }
        }
    }
}

fn name(model: &Model, id: NodeId) -> String {
    let info = model.node_info(id);
    let name = info.and_then(|info| info.name().map(str::to_string));
    name.unwrap_or_default()
}

/// One vector of those of the tokens.
fn pooled(tokens: &[f32], dimensions: usize, pooling: Pooling) -> Vec<f32> {
    let mut rows = tokens.chunks_exact(dimensions);
    let mut sum: Vec<f32> = rows.next().unwrap_or_default().to_vec();
    if pooling == Pooling::Mean {
        // The length does not matter, so the sum is as good as the mean.
        for row in rows {
            for (sum, number) in sum.iter_mut().zip(row) {
                *sum += number;
            }
        }
    }
    sum
}
