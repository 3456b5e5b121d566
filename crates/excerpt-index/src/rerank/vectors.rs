//! Relevance as the cosine of two vectors.

use std::sync::{Arc, OnceLock};

use super::{RelevanceModel, TOKEN_CHARACTERS, beginning, key};
use crate::embed::{EmbedError, Embedder, Vectors};
use crate::model::Result;
use crate::store::{CacheKey, NumberCache};

/// How many windows of the model are read of a text: a chunk has more only if what it contains is
/// kept whole, and its beginning says what that is.
const WINDOWS: usize = 4;

/// Loads an embedder.
type Load = dyn Fn() -> Result<Arc<dyn Embedder>> + Send + Sync;

/// An embedder that compares a question with texts.
pub(super) struct VectorModel {
    load: Box<Load>,
    loaded: OnceLock<Arc<dyn Embedder>>,
}

impl VectorModel {
    pub(super) fn new(
        load: impl Fn() -> Result<Arc<dyn Embedder>> + Send + Sync + 'static,
    ) -> VectorModel {
        VectorModel {
            load: Box::new(load),
            loaded: OnceLock::new(),
        }
    }

    /// The embedder. If it cannot be loaded, it is tried again the next time.
    fn embedder(&self) -> Result<&dyn Embedder, String> {
        if self.loaded.get().is_none() {
            let embedder = (self.load)().map_err(|error| error.to_string())?;
            let _ = self.loaded.set(embedder);
        }
        let loaded = self.loaded.get().ok_or("the model is not loaded")?;
        Ok(&**loaded)
    }
}

/// As much of texts as the model reads.
fn beginnings<'t>(embedder: &dyn Embedder, texts: &'t [String]) -> Vec<&'t str> {
    let most = embedder
        .max_input()
        .saturating_mul(TOKEN_CHARACTERS * WINDOWS);
    texts.iter().map(|text| beginning(text, most)).collect()
}

/// The keys of the vectors of a question and of texts.
fn keys(embedder: &dyn Embedder, question: &str, texts: &[&str]) -> Vec<CacheKey> {
    let model = embedder.identity();
    let texts = texts.iter().map(|text| key(model, &["document", text]));
    let question = key(model, &["query", question]);
    [question].into_iter().chain(texts).collect()
}

/// The cosine of the first vector and each of the others.
fn cosines(vectors: &[Vec<f32>]) -> Vec<f32> {
    let Some((question, texts)) = vectors.split_first() else {
        return Vec::new();
    };
    let product = |text: &Vec<f32>| text.iter().zip(question).map(|(a, b)| a * b).sum();
    texts.iter().map(product).collect()
}

impl RelevanceModel for VectorModel {
    fn scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Result<Vec<f32>, String> {
        let embedder = self.embedder()?;
        let dimensions = embedder.dimensions();
        let texts = beginnings(embedder, texts);
        let keys = keys(embedder, question, &texts);
        let mut vectors = Vec::new();
        let mut found = Vectors::new(dimensions);
        for (at, (kept, key)) in cache.get(&keys).into_iter().zip(keys).enumerate() {
            if let Some(kept) = kept.filter(|kept| kept.len() == dimensions) {
                vectors.push(kept);
                continue;
            }
            let vector = match at.checked_sub(1) {
                None => embedder
                    .embed_query(&[(question, 1.0)])
                    .map_err(|error| error.to_string())?,
                // One by one, so that what was computed is kept whenever the process ends.
                Some(at) => {
                    found.clear();
                    match embedder.embed_documents(&[texts[at]], &mut found) {
                        Ok(()) => found.iter().flatten().copied().collect(),
                        // It is near nothing.
                        Err(EmbedError::Refused { .. }) => vec![0.0; dimensions],
                        Err(error) => return Err(error.to_string()),
                    }
                }
            };
            cache.put(key, &vector);
            vectors.push(vector);
        }
        Ok(cosines(&vectors))
    }

    fn kept_scores(
        &self,
        question: &str,
        texts: &[String],
        cache: &NumberCache,
    ) -> Option<Vec<f32>> {
        let embedder = self.loaded.get()?;
        let texts = beginnings(&**embedder, texts);
        let kept = cache.get(&keys(&**embedder, question, &texts));
        let kept: Vec<Vec<f32>> = kept.into_iter().collect::<Option<_>>()?;
        let are_whole = kept.iter().all(|kept| kept.len() == embedder.dimensions());
        are_whole.then(|| cosines(&kept))
    }
}
