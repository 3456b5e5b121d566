//! What is stored, compressed with zstd. Each thread keeps its zstd context: creating one takes
//! longer than compressing a small text.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

/// What matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The size: a higher level than zstd's default is not worth its time.
    Small = 3,
    /// The time of decompressing. Without tables of Huffman codes, which take longer than the rest
    /// where there are few bytes, blocks of chunks are decompressed in two fifths of the time and
    /// become 10 % larger.
    Fast = -1,
}

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The compressed bytes.
pub(super) fn compressed(bytes: &[u8], level: Level) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            None => kept.insert(Compressor::default()),
        };
        compressor.set_compression_level(level as i32)?;
        compressor.compress(bytes)
    })
}

/// The decompressed bytes, if there are as many `bytes` as stated: a damaged length may exceed the
/// available memory.
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
        let long = "water of 80 degrees. ".repeat(999);
        for (text, level) in [
            ("", Level::Small),
            ("tea", Level::Fast),
            (&long, Level::Fast),
            (&long, Level::Small),
        ] {
            let zstd = compressed(text.as_bytes(), level).unwrap();
            let again = |zstd: &[u8]| decompressed(zstd, text.len());
            assert_eq!(again(&zstd).as_deref(), Some(text.as_bytes()));
            assert_eq!(decompressed(&zstd, text.len() + 1), None);
            assert_eq!(again(&zstd[..zstd.len() - 1]), None);
            assert_eq!(again(&zstd).as_deref(), Some(text.as_bytes()));
        }
    }
}
