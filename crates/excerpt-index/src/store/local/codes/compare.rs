//! Compares the vector of a question with codes: by the signs of all of them first, then by both
//! bits of the best.

use pulp::{Arch, Simd, WithSimd};

use super::super::collect::keep_best;
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

/// How many codes are compared before one is looked for that is near.
const BLOCK: usize = 64;

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

    /// Adds the codes with these signs to `least`, with numbers from `first` on. Each differs by
    /// one for each differing sign, and by [`LARGE`] for those of large numbers.
    pub(super) fn compare(&self, signs: &[u8], first: usize, least: &mut Least) {
        let (signs, _) = signs.as_chunks();
        self.arch.dispatch(Scan {
            words: &self.words,
            signs,
            first,
            least,
        });
    }
}

/// The comparison of many codes, compiled for each set of instructions.
struct Scan<'a> {
    words: &'a [(u64, u64)],
    signs: &'a [[u8; WORD]],
    first: usize,
    least: &'a mut Least,
}

impl WithSimd for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let words = self.words;
        match words.first_chunk::<4>() {
            // The width of the built-in table, known to the compiler.
            Some(four) if words.len() == four.len() => self.with(four),
            _ => self.with(words),
        }
    }
}

impl Scan<'_> {
    #[inline(always)]
    fn with(self, words: &[(u64, u64)]) {
        let mut differences = [0; BLOCK];
        for (number, codes) in self.signs.chunks(words.len() * BLOCK).enumerate() {
            let codes = codes.chunks_exact(words.len());
            let differences = &mut differences[..codes.len()];
            for (place, code) in differences.iter_mut().zip(codes) {
                *place = difference(words, code);
            }
            self.least.add(self.first + number * BLOCK, differences);
        }
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

/// The codes that differ least of those that were added.
pub(super) struct Least {
    /// How many are wanted.
    room: usize,
    /// How much each differs, and its number.
    found: Vec<(u16, usize)>,
    /// How much one may differ to be among them.
    farthest: u16,
    /// With more than so many, those that differ more than others are dropped.
    most: usize,
}

impl Least {
    pub(super) fn new(room: usize) -> Least {
        Least {
            room,
            found: Vec::new(),
            farthest: u16::MAX,
            most: 2 * room,
        }
    }

    /// Adds at most a [`BLOCK`] of codes, whose numbers begin with `first`.
    #[inline(always)]
    fn add(&mut self, first: usize, differences: &[u16]) {
        // Most blocks have none that is near enough, and the processor looks at many at a time.
        let is_near = |any, difference: &u16| any | (*difference <= self.farthest);
        if differences.iter().fold(false, is_near) {
            self.add_near(first, differences);
        }
    }

    #[cold]
    fn add_near(&mut self, first: usize, differences: &[u16]) {
        let numbered = differences.iter().copied().zip(first..);
        let near = numbered.filter(|(difference, _)| *difference <= self.farthest);
        self.found.extend(near);
        if self.found.len() > self.most {
            self.drop_others();
            // Any number of them may differ equally.
            self.most = self.most.max(2 * self.found.len());
        }
    }

    fn drop_others(&mut self) {
        let last = keep_best(&mut self.found, self.room, |(a, _), (b, _)| a.cmp(b));
        self.farthest = last.map_or(self.farthest, |(difference, _)| difference);
    }

    /// The numbers of those that differ least, in order: as many as there is room for, and all that
    /// differ no more than one of them.
    pub(super) fn numbers(mut self) -> Vec<usize> {
        self.drop_others();
        let mut numbers: Vec<usize> = self.found.into_iter().map(|(_, it)| it).collect();
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the codes that differ least, each code compared with all others.
    fn expected(wanted: &Sought, signs: &[u8], room: usize) -> Vec<usize> {
        let codes = signs.as_chunks::<WORD>().0.chunks(wanted.words.len());
        let differences = codes.map(|code| difference(&wanted.words, code));
        let differences: Vec<u16> = differences.collect();
        let mut sorted = differences.clone();
        sorted.sort_unstable();
        let last = sorted.get(room - 1).copied().unwrap_or(u16::MAX);
        let numbers = (0..differences.len()).filter(|at| differences[*at] <= last);
        numbers.collect()
    }

    #[test]
    fn the_codes_that_differ_least_are_kept() {
        let mut random = fastrand::Rng::with_seed(0);
        for dimensions in [3, 64, 100, 256, 300] {
            let query: Vec<f32> = (0..dimensions).map(|_| random.f32() - 0.5).collect();
            let wanted = Sought::new(&query);
            let code = WORD * width(dimensions);
            for count in [0, 1, BLOCK, 5 * BLOCK + 3, 3000] {
                let mut signs = vec![0; count * code];
                random.fill(&mut signs);
                for room in [1, 10, 400] {
                    let mut least = Least::new(room);
                    // In two parts, as if of two files.
                    let (first, second) = signs.split_at(count / 3 * code);
                    wanted.compare(first, 0, &mut least);
                    wanted.compare(second, count / 3, &mut least);
                    let expected = expected(&wanted, &signs, room);
                    assert!(least.numbers() == expected, "{dimensions}, {count}, {room}");
                }
            }
        }
    }

    #[test]
    fn all_that_differ_equally_are_kept() {
        let wanted = Sought::new(&[0.5; 64]);
        let mut least = Least::new(10);
        wanted.compare(&[0; 1000 * WORD], 0, &mut least);
        assert_eq!(least.numbers(), Vec::from_iter(0..1000));
    }
}
