//! The contract of every [`Embedder`], checked by the tests of each.

use super::{Embedder, Vectors};

/// Asserts the contract of an embedder.
pub(crate) fn conforms(embedder: &dyn Embedder) {
    let texts = [
        "The store keeps what was written.",
        "",
        "Der Hafen von Århus, 港, και ένα 🦀",
        &"a long text of many words ".repeat(4 * embedder.max_input()),
    ];
    assert!(!embedder.identity().is_empty());
    assert!(!embedder.identity().contains(char::is_whitespace));

    let mut together = Vectors::new(embedder.dimensions());
    embedder.embed_documents(&[], &mut together).unwrap();
    assert!(together.is_empty());
    embedder.embed_documents(&texts, &mut together).unwrap();
    assert_eq!(together.len(), texts.len());

    let mut alone = Vectors::new(embedder.dimensions());
    for text in texts {
        embedder.embed_documents(&[text], &mut alone).unwrap();
    }
    assert_eq!(
        alone, together,
        "a vector does not depend on what is embedded with it"
    );

    for (text, vector) in texts.iter().zip(together.iter()) {
        let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
        let zero = vector.iter().all(|n| *n == 0.0);
        assert!((length - 1.0).abs() < 1e-5 || zero, "{text}: {length}");
        assert_eq!(
            embedder.embed_query(&[(text, 1.0)]).unwrap().len(),
            embedder.dimensions()
        );
    }
}
