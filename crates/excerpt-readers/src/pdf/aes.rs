//! AES in CBC mode: FIPS 197. For files that anyone may open: their key comes from an empty
//! password, so that there is no secret that the time of a step could give away.

const ROUNDS: usize = 15;

/// A key, prepared.
#[derive(Debug)]
pub(super) struct Aes {
    /// The substitution of bytes, and its inverse.
    forward: [u8; 256],
    inverse: [u8; 256],
    keys: [[u8; 16]; ROUNDS],
    rounds: usize,
}

fn doubled(byte: u8) -> u8 {
    (byte << 1) ^ if byte & 128 == 0 { 0 } else { 0x1b }
}

fn times(mut byte: u8, mut factor: u8) -> u8 {
    let mut product = 0;
    while factor > 0 {
        if factor & 1 == 1 {
            product ^= byte;
        }
        byte = doubled(byte);
        factor >>= 1;
    }
    product
}

impl Aes {
    /// With a key of 16 or 32 bytes; `None` for another one.
    pub(super) fn new(key: &[u8]) -> Option<Aes> {
        if !matches!(key.len(), 16 | 32) {
            return None;
        }
        let mut forward = [0_u8; 256];
        let mut inverse = [0_u8; 256];
        // Walks all bytes by multiplying with 3, and their inverses by dividing by 3.
        let (mut p, mut q) = (1_u8, 1_u8);
        loop {
            p ^= doubled(p);
            q ^= q << 1;
            q ^= q << 2;
            q ^= q << 4;
            if q & 128 != 0 {
                q ^= 9;
            }
            let turned = [1, 2, 3, 4].map(|by| q.rotate_left(by));
            forward[usize::from(p)] = turned.iter().fold(q ^ 0x63, |a, b| a ^ b);
            if p == 1 {
                break;
            }
        }
        forward[0] = 0x63;
        for (at, byte) in forward.iter().enumerate() {
            inverse[usize::from(*byte)] = at as u8;
        }
        let rounds = key.len() / 4 + 6;
        let words = key.len() / 4;
        let mut expanded: Vec<[u8; 4]> = Vec::with_capacity(4 * (rounds + 1));
        expanded.extend(
            key.chunks_exact(4)
                .map(|word| [word[0], word[1], word[2], word[3]]),
        );
        let mut constant = 1;
        for at in words..4 * (rounds + 1) {
            let mut word = expanded[at - 1];
            if at % words == 0 {
                word.rotate_left(1);
                word = word.map(|byte| forward[usize::from(byte)]);
                word[0] ^= constant;
                constant = doubled(constant);
            } else if words > 6 && at % words == 4 {
                word = word.map(|byte| forward[usize::from(byte)]);
            }
            let before = expanded[at - words];
            expanded.push([0, 1, 2, 3].map(|byte| word[byte] ^ before[byte]));
        }
        let mut keys = [[0; 16]; ROUNDS];
        for (key, words) in keys.iter_mut().zip(expanded.chunks_exact(4)) {
            for (to, from) in key.iter_mut().zip(words.iter().flatten()) {
                *to = *from;
            }
        }
        Some(Aes {
            forward,
            inverse,
            keys,
            rounds,
        })
    }

    /// Decrypts what follows the initial vector, without removing the padding. What is no whole
    /// block is left out.
    pub(super) fn decrypt(&self, vector: &[u8; 16], encrypted: &[u8]) -> Vec<u8> {
        let mut table = [[0_u8; 256]; 4];
        for (factor, products) in [14, 11, 13, 9].into_iter().zip(&mut table) {
            for (byte, product) in products.iter_mut().enumerate() {
                *product = times(byte as u8, factor);
            }
        }
        let mut plain = Vec::with_capacity(encrypted.len());
        let mut before = *vector;
        for block in encrypted.chunks_exact(16) {
            let mut current = [0; 16];
            current.copy_from_slice(block);
            let mut state = self.decrypted(&table, current);
            xor(&mut state, &before);
            plain.extend_from_slice(&state);
            before = current;
        }
        plain
    }

    fn decrypted(&self, table: &[[u8; 256]; 4], mut state: [u8; 16]) -> [u8; 16] {
        xor(&mut state, &self.keys[self.rounds]);
        for round in (0..self.rounds).rev() {
            let mut shifted = [0; 16];
            for (at, byte) in state.iter().enumerate() {
                shifted[(at + 4 * (at % 4)) % 16] = self.inverse[usize::from(*byte)];
            }
            state = shifted;
            xor(&mut state, &self.keys[round]);
            if round > 0 {
                for column in state.chunks_exact_mut(4) {
                    let old = [0, 1, 2, 3].map(|row| usize::from(column[row]));
                    for row in 0..4 {
                        column[row] =
                            (0..4).fold(0, |sum, by| sum ^ table[(by + 4 - row) % 4][old[by]]);
                    }
                }
            }
        }
        state
    }

    /// Encrypts whole blocks.
    pub(super) fn encrypt(&self, vector: &[u8; 16], plain: &[u8]) -> Vec<u8> {
        let mut encrypted = Vec::with_capacity(plain.len());
        let mut before = *vector;
        for block in plain.chunks_exact(16) {
            let mut state = [0; 16];
            state.copy_from_slice(block);
            xor(&mut state, &before);
            before = self.encrypted(state);
            encrypted.extend_from_slice(&before);
        }
        encrypted
    }

    fn encrypted(&self, mut state: [u8; 16]) -> [u8; 16] {
        xor(&mut state, &self.keys[0]);
        for round in 1..=self.rounds {
            let mut shifted = [0; 16];
            for (at, to) in shifted.iter_mut().enumerate() {
                *to = self.forward[usize::from(state[(at + 4 * (at % 4)) % 16])];
            }
            state = shifted;
            if round < self.rounds {
                for column in state.chunks_exact_mut(4) {
                    let old = [0, 1, 2, 3].map(|row| column[row]);
                    let all = old.iter().fold(0, |sum, byte| sum ^ byte);
                    for row in 0..4 {
                        column[row] ^= all ^ doubled(old[row] ^ old[(row + 1) % 4]);
                    }
                }
            }
            xor(&mut state, &self.keys[round]);
        }
        state
    }
}

fn xor(state: &mut [u8; 16], with: &[u8; 16]) {
    for (byte, with) in state.iter_mut().zip(with) {
        *byte ^= with;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(count: u8) -> Vec<u8> {
        (0..count).collect()
    }

    /// The examples of FIPS 197, appendix C.
    #[test]
    fn a_block_is_encrypted_and_decrypted() {
        let plain: Vec<u8> = bytes(16).iter().map(|byte| byte * 0x11).collect();
        for (length, first) in [
            (16, [0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30]),
            (32, [0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf]),
        ] {
            let aes = Aes::new(&bytes(length)).unwrap();
            let encrypted = aes.encrypt(&[0; 16], &plain);
            assert_eq!(encrypted[..8], first);
            assert_eq!(aes.decrypt(&[0; 16], &encrypted), plain);
            let twice = [plain.clone(), plain.clone()].concat();
            let encrypted = aes.encrypt(&[7; 16], &twice);
            assert_eq!(aes.decrypt(&[7; 16], &encrypted), twice);
        }
        assert!(Aes::new(&bytes(24)).is_none());
    }
}
