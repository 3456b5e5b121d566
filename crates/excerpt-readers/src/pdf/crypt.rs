//! The standard security handler with an empty password: ISO 32000-2, 7.6.

use aes::cipher::{BlockModeDecrypt as _, BlockModeEncrypt as _, KeyIvInit as _};
use aes::{Aes128, Aes256, Block};
use cbc::{Decryptor, Encryptor};
use md5::{Digest as _, Md5};
use sha2::{Sha256, Sha384, Sha512};

use super::object::{Dict, Object};

/// How the strings and streams of a file are encrypted.
#[derive(Debug)]
pub(super) struct Crypt {
    key: Vec<u8>,
    strings: Method,
    streams: Method,
    pub(super) encrypts_metadata: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    None,
    Rc4,
    Aes128,
    Aes256,
}

/// What the password is filled up with.
const PADDING: [u8; 32] = [
    0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
    0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
];

impl Crypt {
    /// `None` if an empty password does not open the file, or its handler is another one.
    pub(super) fn new(dict: &Dict, first_id: &[u8]) -> Option<Crypt> {
        if dict.get("Filter").name()? != b"Standard" {
            return None;
        }
        let version = dict.get("V").integer().unwrap_or(0);
        let revision = dict.get("R").integer()?;
        let owner = dict.get("O").string()?;
        let user = dict.get("U").string()?;
        let encrypts_metadata = dict.get("EncryptMetadata") != &Object::Bool(false);
        let method = |which: &str| {
            let name = dict.get(which).name().unwrap_or(b"Identity");
            let filter = dict.get("CF").dict().map(|filters| filters.named(name));
            let filter = filter.and_then(Object::dict);
            match filter.and_then(|filter| filter.get("CFM").name()) {
                Some(b"V2") => Method::Rc4,
                Some(b"AESV2") => Method::Aes128,
                Some(b"AESV3") => Method::Aes256,
                _ => Method::None,
            }
        };
        let (strings, streams) = match version {
            1 | 2 => (Method::Rc4, Method::Rc4),
            4 | 5 => (method("StrF"), method("StmF")),
            _ => return None,
        };
        let key = if version == 5 {
            key_of_256_bits(dict, revision, user)?
        } else {
            let length = match version {
                1 => 5,
                4 => 16,
                _ => (dict.get("Length").integer().unwrap_or(40) / 8).clamp(5, 16) as usize,
            };
            let permissions = dict.get("P").integer()? as u32;
            let mut hash = Md5::new();
            hash.update(PADDING);
            hash.update(owner.get(..32)?);
            hash.update(permissions.to_le_bytes());
            hash.update(first_id);
            if revision >= 4 && !encrypts_metadata {
                hash.update([0xff; 4]);
            }
            let mut key = hash.finalize().to_vec();
            if revision >= 3 {
                for _ in 0..50 {
                    key = Md5::digest(key.get(..length)?).to_vec();
                }
            }
            key.truncate(length);
            is_right(&key, revision, user, first_id).then_some(key)?
        };
        Some(Crypt {
            key,
            strings,
            streams,
            encrypts_metadata,
        })
    }

    pub(super) fn string(&self, encrypted: &[u8], id: (u32, u16)) -> Vec<u8> {
        self.decrypted(self.strings, encrypted, id)
    }

    pub(super) fn stream(&self, encrypted: &[u8], id: (u32, u16)) -> Vec<u8> {
        self.decrypted(self.streams, encrypted, id)
    }

    fn decrypted(
        &self,
        method: Method,
        encrypted: &[u8],
        (number, generation): (u32, u16),
    ) -> Vec<u8> {
        let key = match method {
            Method::None => return encrypted.to_vec(),
            Method::Aes256 => self.key.clone(),
            Method::Rc4 | Method::Aes128 => {
                let mut hash = Md5::new();
                hash.update(&self.key);
                hash.update(number.to_le_bytes().get(..3).unwrap_or_default());
                hash.update(generation.to_le_bytes());
                if method == Method::Aes128 {
                    hash.update(b"sAlT");
                }
                let mut key = hash.finalize().to_vec();
                key.truncate((self.key.len() + 5).min(16));
                key
            }
        };
        if method == Method::Rc4 {
            return rc4(&key, encrypted);
        }
        let Some((vector, blocks)) = encrypted.split_first_chunk() else {
            return Vec::new();
        };
        let mut plain = aes_decrypted(&key, vector, blocks).unwrap_or_default();
        // Some programs write no padding, or a wrong one. Such a text is kept as it is.
        let padding = plain.last().map_or(0, |last| usize::from(*last));
        if padding <= 16 {
            plain.truncate(plain.len().saturating_sub(padding));
        }
        plain
    }
}

/// Whether the key decrypts what the file keeps to test it.
fn is_right(key: &[u8], revision: i64, user: &[u8], first_id: &[u8]) -> bool {
    if revision < 3 {
        return rc4(key, &PADDING) == user;
    }
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(first_id);
    let mut test = rc4(key, &hash.finalize());
    for round in 1..20 {
        let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        test = rc4(&key, &test);
    }
    user.get(..16) == Some(&test)
}

fn key_of_256_bits(dict: &Dict, revision: i64, user: &[u8]) -> Option<Vec<u8>> {
    let hash = |salt: &[u8]| match revision {
        5 => Some(Sha256::digest(salt).to_vec()),
        _ => hardened(salt),
    };
    if hash(user.get(32..40)?)? != user.get(..32)? {
        return None;
    }
    let key = hash(user.get(40..48)?)?;
    let encrypted = dict.get("UE").string()?.get(..32)?;
    aes_decrypted(&key, &[0; 16], encrypted)
}

/// The hash of revision 6, of an empty password: ISO 32000-2, algorithm 2.B.
fn hardened(salt: &[u8]) -> Option<Vec<u8>> {
    let mut key = Sha256::digest(salt).to_vec();
    for round in 0_usize.. {
        let mut encrypted = key.repeat(64);
        let (blocks, _) = Block::slice_as_chunks_mut(&mut encrypted);
        Encryptor::<Aes128>::new_from_slices(key.get(..16)?, key.get(16..32)?)
            .ok()?
            .encrypt_blocks(blocks);
        let remainder = encrypted
            .iter()
            .take(16)
            .map(|byte| u32::from(*byte))
            .sum::<u32>()
            % 3;
        key = match remainder {
            0 => Sha256::digest(&encrypted).to_vec(),
            1 => Sha384::digest(&encrypted).to_vec(),
            _ => Sha512::digest(&encrypted).to_vec(),
        };
        if round >= 63 && usize::from(*encrypted.last()?) <= round - 31 {
            break;
        }
    }
    key.truncate(32);
    Some(key)
}

/// Decrypts AES in CBC mode with a key of 16 or 32 bytes; `None` for another length. The padding is
/// kept, and an incomplete block at the end is left out.
fn aes_decrypted(key: &[u8], vector: &[u8; 16], encrypted: &[u8]) -> Option<Vec<u8>> {
    let mut plain = encrypted.to_vec();
    let (blocks, rest) = Block::slice_as_chunks_mut(&mut plain);
    let whole = encrypted.len() - rest.len();
    match key.len() {
        16 => Decryptor::<Aes128>::new_from_slices(key, vector)
            .ok()?
            .decrypt_blocks(blocks),
        32 => Decryptor::<Aes256>::new_from_slices(key, vector)
            .ok()?
            .decrypt_blocks(blocks),
        _ => return None,
    }
    plain.truncate(whole);
    Some(plain)
}

fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|at| at as u8);
    let mut j = 0_u8;
    for (i, byte) in key.iter().cycle().take(256).enumerate() {
        j = j.wrapping_add(state[i]).wrapping_add(*byte);
        state.swap(i, usize::from(j));
    }
    let (mut i, mut j) = (0_u8, 0_u8);
    let mut next = || {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(usize::from(i), usize::from(j));
        let at = state[usize::from(i)].wrapping_add(state[usize::from(j)]);
        state[usize::from(at)]
    };
    data.iter().map(|byte| byte ^ next()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A stream, encrypted with an empty password, and the dictionary that says so.
    pub(in crate::pdf) fn encrypted_with_nothing(
        plain: &[u8],
        id: (u32, u16),
    ) -> (String, Vec<u8>) {
        let hex = |bytes: &[u8]| {
            bytes
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        let mut hash = Md5::new();
        hash.update(PADDING);
        hash.update([7; 32]);
        hash.update((-4_i32).to_le_bytes());
        hash.update([0]);
        let key = hash.finalize()[..5].to_vec();
        let user = rc4(&key, &PADDING);
        let dict = format!(
            "<</Filter/Standard/V 1/R 2/P -4/O<{}>/U<{}>>>",
            hex(&[7; 32]),
            hex(&user)
        );
        let crypt = Crypt {
            key,
            strings: Method::Rc4,
            streams: Method::Rc4,
            encrypts_metadata: true,
        };
        (dict, crypt.stream(plain, id))
    }

    #[test]
    fn a_known_text_is_encrypted() {
        let encrypted = [0xBB, 0xF3, 0x16, 0xE8, 0xD9, 0x40, 0xAF, 0x0A, 0xD3];
        assert_eq!(rc4(b"Key", b"Plaintext"), encrypted);
    }

    /// The examples of NIST SP 800-38A, F.2.1 and F.2.5.
    #[test]
    fn known_blocks_are_decrypted() {
        let vector = u128::to_be_bytes(0x000102030405060708090a0b0c0d0e0f);
        let plain = u128::to_be_bytes(0x6bc1bee22e409f96e93d7e117393172a);
        let short = u128::to_be_bytes(0x2b7e151628aed2a6abf7158809cf4f3c);
        let first = u128::to_be_bytes(0x603deb1015ca71be2b73aef0857d7781);
        let second = u128::to_be_bytes(0x1f352c073b6108d72d9810a30914dff4);
        for (key, encrypted) in [
            (short.to_vec(), 0x7649abac8119b246cee98e9b12e9197d),
            ([first, second].concat(), 0xf58c4c04d6e5f1ba779eabfb5f7bfbd6),
        ] {
            let mut encrypted = u128::to_be_bytes(encrypted).to_vec();
            assert_eq!(
                aes_decrypted(&key, &vector, &encrypted).as_deref(),
                Some(&plain[..])
            );
            encrypted.extend([1; 8]);
            assert_eq!(
                aes_decrypted(&key, &vector, &encrypted).as_deref(),
                Some(&plain[..])
            );
            assert_eq!(
                aes_decrypted(&key, &vector, &[1; 8]).as_deref(),
                Some(&[][..])
            );
        }
        assert_eq!(aes_decrypted(&[0; 24], &vector, &plain), None);
    }

    #[test]
    fn a_wrong_padding_is_text() {
        let crypt = Crypt {
            key: vec![3; 32],
            strings: Method::Aes256,
            streams: Method::Aes256,
            encrypts_metadata: true,
        };
        let encrypted = |last: u8| {
            let mut plain = [b'a'; 16];
            plain[15] = last;
            let (blocks, _) = Block::slice_as_chunks_mut(&mut plain);
            Encryptor::<Aes256>::new_from_slices(&crypt.key, &[9; 16])
                .unwrap()
                .encrypt_blocks(blocks);
            [[9; 16], plain].concat()
        };
        for (last, length) in [(0, 16), (1, 15), (15, 1), (16, 0), (17, 16), (255, 16)] {
            let plain = crypt.string(&encrypted(last), (1, 0));
            assert_eq!(plain.len(), length, "{last}");
        }
        for length in 0..32 {
            assert_eq!(crypt.string(&encrypted(1)[..length], (1, 0)), [0_u8; 0]);
        }
    }
}
