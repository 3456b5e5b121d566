//! Relevance as the cosine of two vectors.

use std::sync::{Arc, OnceLock};

use super::{RelevanceModel, TOKEN_CHARACTERS, beginning, key};
use crate::embed::{Embedder, embed_each};
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
        let kept = cache.get(&keys).into_iter();
        let mut vectors: Vec<Vec<f32>> = kept
            .map(|kept| kept.filter(|kept| kept.len() == dimensions))
            .map(Option::unwrap_or_default)
            .collect();
        if vectors[0].is_empty() {
            let pieces = [(question, 1.0)];
            let vector = embedder.embed_query(&pieces);
            vectors[0] = vector.map_err(|error| error.to_string())?;
            cache.put(keys[0], &vectors[0]);
        }
        let missing = 1..vectors.len();
        let missing: Vec<usize> = missing.filter(|at| vectors[*at].is_empty()).collect();
        for some in missing.chunks(embedder.at_once()) {
            let texts: Vec<&str> = some.iter().map(|at| texts[at - 1]).collect();
            let ended = embed_each(embedder, &texts, |text, vector| {
                let at = some[text];
                // What is refused is near nothing.
                vectors[at] = vector.map_or_else(|_| vec![0.0; dimensions], <[f32]>::to_vec);
                cache.put(keys[at], &vectors[at]);
            });
            ended.map_err(|error| error.to_string())?;
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
