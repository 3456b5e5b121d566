//! Compares the vector of a question with codes: by the signs of all of them first, then by both
//! bits of the best.

use pulp::Arch;

use super::LARGE;
use super::file::WORD;

/// How many words it takes for one bit per number.
pub(super) fn width(dimensions: usize) -> usize {
    dimensions.div_ceil(64).max(1)
}

/// The code of a vector: the signs of its numbers, then which ones are larger than their mean.
pub(crate) fn code(numbers: &[i8]) -> Vec<u64> {
    let sizes = numbers
        .iter()
        .map(|number| usize::from(number.unsigned_abs()));
    let sum: usize = sizes.clone().sum();
    let mut code = bits(numbers.iter().map(|number| *number > 0));
    code.extend(bits(sizes.map(|size| size * numbers.len() > sum)));
    code
}

fn bits(bits: impl ExactSizeIterator<Item = bool>) -> Vec<u64> {
    let mut words = vec![0; width(bits.len())];
    for (at, bit) in bits.enumerate() {
        words[at / 64] |= u64::from(bit) << (at % 64);
    }
    words
}

/// The signs of a query's numbers, and which of them are large.
pub(super) struct Sought {
    words: Vec<(u64, u64)>,
    /// The capabilities of the processor.
    arch: Arch,
}

impl Sought {
    pub(super) fn new(query: &[f32]) -> Sought {
        let mean = query.iter().map(|number| number.abs()).sum::<f32>() / query.len() as f32;
        let signs = bits(query.iter().map(|number| *number > 0.0));
        let large = bits(query.iter().map(|number| number.abs() > mean));
        Sought {
            words: signs.into_iter().zip(large).collect(),
            arch: Arch::new(),
        }
    }

    /// How much each of the codes with these signs differs: one for each differing sign, [`LARGE`]
    /// for those of large numbers.
    pub(super) fn differences(&self, signs: &[u8], differences: &mut Vec<u16>) {
        let (signs, _) = signs.as_chunks();
        let from = differences.len();
        differences.resize(from + signs.len() / self.words.len(), 0);
        let places = differences[from..].iter_mut();
        match self.words.first_chunk::<4>() {
            // The width of the built-in table, known to the compiler.
            Some(words) if self.words.len() == 4 => self.arch.dispatch(
                #[inline(always)]
                || {
                    for (place, code) in places.zip(signs.as_chunks::<4>().0) {
                        *place = difference(words, code);
                    }
                },
            ),
            _ => self.arch.dispatch(
                #[inline(always)]
                || {
                    for (place, code) in places.zip(signs.chunks_exact(self.words.len())) {
                        *place = difference(&self.words, code);
                    }
                },
            ),
        }
    }

    /// How much a code can differ at most.
    pub(super) fn most(&self) -> usize {
        self.words.len() * 64 * LARGE as usize
    }
}

#[inline(always)]
fn difference(wanted: &[(u64, u64)], code: &[[u8; WORD]]) -> u16 {
    let mut difference = 0;
    for ((signs, large), word) in wanted.iter().zip(code) {
        let different = signs ^ u64::from_le_bytes(*word);
        difference += different.count_ones() + (LARGE - 1) * (different & large).count_ones();
    }
    difference as u16
}

/// For each eight numbers of a query, the sums of those whose bits are set, for every byte.
pub(super) struct Table {
    sums: Vec<[f32; 256]>,
    dimensions: usize,
}

impl Table {
    pub(super) fn new(query: &[f32]) -> Table {
        let of_byte = |numbers: &[f32]| {
            let mut sums = [0.0; 256];
            // Each is the sum with one bit less, plus that bit's number.
            for byte in 1..sums.len() {
                let number = numbers.get(byte.trailing_zeros() as usize);
                sums[byte] = sums[byte & (byte - 1)] + number.copied().unwrap_or(0.0);
            }
            sums
        };
        Table {
            sums: query.chunks(8).map(of_byte).collect(),
            dimensions: query.len(),
        }
    }

    /// Roughly the cosine of the query and a code.
    pub(super) fn near(&self, signs: &[u8], large: &[u8]) -> f32 {
        let (mut sum, mut count) = (0.0, 0);
        for (sums, (signs, large)) in self.sums.iter().zip(signs.iter().zip(large)) {
            let signed = |above: u8, below: u8| sums[usize::from(above)] - sums[usize::from(below)];
            sum += signed(*signs, !signs);
            sum += (LARGE - 1) as f32 * signed(signs & large, !signs & large);
            count += large.count_ones();
        }
        let square = self.dimensions as u32 + (LARGE * LARGE - 1) * count;
        sum / (square as f32).sqrt()
    }
}

/// How much a chunk may differ so that about `room` of those with these `distances`, which are at
/// most `most`, are left.
pub(super) fn farthest(distances: &[u16], most: usize, mut room: usize) -> u16 {
    // In turns, since one count has to wait for the last one of the same distance.
    let mut counts = vec![[0_usize; 2]; most + 1];
    let (pairs, last) = distances.as_chunks::<2>();
    for pair in pairs {
        for (turn, distance) in pair.iter().enumerate() {
            counts[usize::from(*distance)][turn] += 1;
        }
    }
    for distance in last {
        counts[usize::from(*distance)][0] += 1;
    }
    let mut counts = counts.iter().map(|turns| turns.iter().sum::<usize>());
    let farthest = counts.position(|count| {
        let full = count >= room;
        room = room.saturating_sub(count);
        full
    });
    farthest.unwrap_or(most + 1) as u16
}

/// The places of the few `distances` that are at most `farthest`.
pub(super) fn at_most(farthest: u16, distances: &[u16]) -> impl Iterator<Item = usize> {
    // Most blocks have none, and the processor looks at many at a time.
    const BLOCK: usize = 64;
    let blocks = distances.chunks(BLOCK).enumerate();
    let near = move |distance: &u16| *distance <= farthest;
    let blocks =
        blocks.filter(move |(_, block)| block.iter().fold(false, |any, it| any | near(it)));
    blocks.flat_map(move |(number, block)| {
        let places = block.iter().enumerate();
        let places = places.filter(move |(_, distance)| near(distance));
        places.map(move |(at, _)| number * BLOCK + at)
    })
}
