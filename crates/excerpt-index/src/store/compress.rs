//! Texts as they are kept: compressed by zstd. Each thread keeps what it works with, which takes longer to make than a small text to compress.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

/// How texts are compressed: zstd's default, where a higher level costs more time than it saves space.
const LEVEL: i32 = 3;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The text, compressed.
pub(super) fn compressed(text: &str) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::new(LEVEL)?),
        };
        compressor.compress(text.as_bytes())
    })
}

/// What was compressed, if it is said to be `bytes` long and is: a damaged length may be more than there is memory for.
pub(super) fn decompressed(zstd: &[u8], bytes: usize) -> Option<Vec<u8>> {
    let said = zstd::zstd_safe::get_frame_content_size(zstd).ok()?;
    if said != u64::try_from(bytes).ok() {
        return None;
    }
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new().ok()?),
        };
        decompressor.decompress(zstd, bytes).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_again_after_others_and_after_damage() {
        for text in ["", "tea", &"water of 80 degrees. ".repeat(999), "milk"] {
            let zstd = compressed(text).unwrap();
            let again = |zstd: &[u8]| decompressed(zstd, text.len());
            assert_eq!(again(&zstd).as_deref(), Some(text.as_bytes()));
            assert_eq!(decompressed(&zstd, text.len() + 1), None);
            assert_eq!(again(&zstd[..zstd.len() - 1]), None);
            assert_eq!(again(&zstd).as_deref(), Some(text.as_bytes()));
        }
    }
}
