//! The filters of streams, with a bound on what they unpack: ISO 32000-1, 7.4.

use std::io::Read;

use super::object::{Dict, is_space};

/// Unpacks one filter. What is damaged is kept up to the damage.
///
/// `None` for a filter of images, and for an unknown one.
pub(super) fn unpack(
    name: &[u8],
    packed: &[u8],
    parameters: &Dict,
    most: usize,
) -> Option<Vec<u8>> {
    let number = |key: &str, default: i64| parameters.get(key).integer().unwrap_or(default);
    let unpacked = match name {
        b"FlateDecode" | b"Fl" => inflate(packed, most),
        b"LZWDecode" | b"LZW" => lzw(packed, number("EarlyChange", 1) != 0, most),
        b"ASCII85Decode" | b"A85" => return Some(ascii85(packed, most)),
        b"ASCIIHexDecode" | b"AHx" => return Some(ascii_hex(packed, most)),
        b"RunLengthDecode" | b"RL" => return Some(run_length(packed, most)),
        b"Crypt" => return Some(packed.to_vec()),
        _ => return None,
    };
    let positive = |key: &str, default: i64| number(key, default).clamp(1, 1 << 24) as usize;
    let bits = positive("Colors", 1).min(64) * positive("BitsPerComponent", 8).min(32);
    let row = (bits * positive("Columns", 1)).div_ceil(8);
    Some(match number("Predictor", 1) {
        2 => tiff(unpacked, row, bits.div_ceil(8)),
        10.. => png(&unpacked, row, bits.div_ceil(8)),
        _ => unpacked,
    })
}

fn inflate(packed: &[u8], most: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let read = |decoder: &mut dyn Read, unpacked: &mut Vec<u8>| {
        // Grows by steps: what was unpacked before an error is kept.
        let mut buffer = [0; 8192];
        while let Ok(length @ 1..) = decoder.read(&mut buffer) {
            unpacked.extend_from_slice(buffer.get(..length).unwrap_or_default());
            if unpacked.len() > most {
                break;
            }
        }
    };
    read(&mut flate2::read::ZlibDecoder::new(packed), &mut unpacked);
    if unpacked.is_empty() && packed.len() > 2 {
        // A header that is wrong.
        let packed = packed.get(2..).unwrap_or_default();
        read(
            &mut flate2::read::DeflateDecoder::new(packed),
            &mut unpacked,
        );
    }
    unpacked
}

fn lzw(packed: &[u8], is_early: bool, most: usize) -> Vec<u8> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let early = usize::from(is_early);
    let mut unpacked: Vec<u8> = Vec::new();
    // Where the text of each code from 258 is in what was unpacked.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    let (mut buffer, mut held) = (0_u32, 0_u32);
    let mut bytes = packed.iter();
    loop {
        let width = match table.len() + 258 + early {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
        while held < width {
            let Some(byte) = bytes.next() else {
                return unpacked;
            };
            buffer = (buffer << 8) | u32::from(*byte);
            held += 8;
        }
        held -= width;
        let code = ((buffer >> held) & ((1 << width) - 1)) as usize;
        buffer &= (1 << held) - 1;
        let start = unpacked.len();
        match code {
            CLEAR => {
                table.clear();
                last = None;
                continue;
            }
            END => return unpacked,
            0..CLEAR => unpacked.push(code as u8),
            _ => {
                let (from, length) = match (table.get(code - 258), last) {
                    (Some(entry), _) => *entry,
                    // The code that is being added: the last text and its first byte again.
                    (None, Some((from, length))) if code - 258 == table.len() => (from, length + 1),
                    _ => return unpacked,
                };
                for at in from..from + length {
                    let byte = unpacked.get(at).copied().unwrap_or_default();
                    unpacked.push(byte);
                }
            }
        }
        if let Some((from, length)) = last
            && table.len() < 4096 - 258
        {
            table.push((from, length + 1));
        }
        last = Some((start, unpacked.len() - start));
        if unpacked.len() > most {
            return unpacked;
        }
    }
}

fn ascii85(packed: &[u8], most: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut group: Vec<u8> = Vec::with_capacity(5);
    let flush = |group: &mut Vec<u8>, unpacked: &mut Vec<u8>| {
        let count = group.len();
        if count > 1 {
            group.resize(5, 84);
            let value = group.iter().fold(0_u32, |value, digit| {
                value.wrapping_mul(85).wrapping_add(u32::from(*digit))
            });
            unpacked.extend(value.to_be_bytes().iter().take(count - 1));
        }
        group.clear();
    };
    for byte in packed {
        match byte {
            b'!'..=b'u' => group.push(byte - b'!'),
            b'z' if group.is_empty() => unpacked.extend([0; 4]),
            b'~' => break,
            _ => continue,
        }
        if group.len() == 5 {
            flush(&mut group, &mut unpacked);
        }
        if unpacked.len() > most {
            break;
        }
    }
    flush(&mut group, &mut unpacked);
    unpacked
}

fn ascii_hex(packed: &[u8], most: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut high = None;
    for byte in packed.iter().filter(|byte| !is_space(**byte)) {
        let Some(digit) = char::from(*byte).to_digit(16) else {
            break;
        };
        match high.take() {
            None => high = Some(digit),
            Some(high) => unpacked.push((high * 16 + digit) as u8),
        }
        if unpacked.len() > most {
            break;
        }
    }
    if let Some(high) = high {
        unpacked.push((high * 16) as u8);
    }
    unpacked
}

fn run_length(packed: &[u8], most: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let mut rest = packed;
    while let Some((length, after)) = rest.split_first() {
        let length = usize::from(*length);
        match length {
            0..128 => {
                let end = (length + 1).min(after.len());
                let (literal, after) = after.split_at(end);
                unpacked.extend_from_slice(literal);
                rest = after;
            }
            128 => break,
            _ => {
                let Some((byte, after)) = after.split_first() else {
                    break;
                };
                unpacked.extend(std::iter::repeat_n(*byte, 257 - length));
                rest = after;
            }
        }
        if unpacked.len() > most {
            break;
        }
    }
    unpacked
}

/// Rows that are differences to the byte on the left.
fn tiff(mut unpacked: Vec<u8>, row: usize, pixel: usize) -> Vec<u8> {
    for row in unpacked.chunks_mut(row.max(1)) {
        for at in pixel..row.len() {
            row[at] = row[at].wrapping_add(row[at - pixel]);
        }
    }
    unpacked
}

/// Rows that begin with the number of their predictor.
fn png(unpacked: &[u8], row: usize, pixel: usize) -> Vec<u8> {
    let mut rows: Vec<u8> = Vec::with_capacity(unpacked.len());
    for packed in unpacked.chunks(row + 1) {
        let Some((kind, bytes)) = packed.split_first() else {
            break;
        };
        let start = rows.len();
        for (at, byte) in bytes.iter().enumerate() {
            let before = |back: usize| {
                let index = (start + at).checked_sub(back);
                index.and_then(|index| rows.get(index).copied())
            };
            let is_first = at < pixel;
            let left = if is_first { None } else { before(pixel) }.unwrap_or(0);
            let above = before(row).unwrap_or(0);
            let corner = if is_first { None } else { before(row + pixel) }.unwrap_or(0);
            let predicted = match kind {
                1 => left,
                2 => above,
                3 => ((u16::from(left) + u16::from(above)) / 2) as u8,
                4 => paeth(left, above, corner),
                _ => 0,
            };
            rows.push(byte.wrapping_add(predicted));
        }
    }
    rows
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let estimate = a + b - c;
    let (to_a, to_b, to_c) = (
        (estimate - a).abs(),
        (estimate - b).abs(),
        (estimate - c).abs(),
    );
    if to_a <= to_b && to_a <= to_c {
        left
    } else if to_b <= to_c {
        above
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(name: &str, packed: &[u8]) -> Vec<u8> {
        unpack(name.as_bytes(), packed, &Dict::default(), 1000).unwrap()
    }

    #[test]
    fn each_filter_unpacks() {
        assert_eq!(unpacked("ASCIIHexDecode", b"41 42 4>zz"), b"AB@");
        assert_eq!(
            unpacked("ASCII85Decode", b"87cURD]i,\"Ebo80~>"),
            b"Hello World!"
        );
        assert_eq!(
            unpacked("RunLengthDecode", b"\x02abc\xfed\x80zz"),
            b"abcddd"
        );
        // The example of the specification, 7.4.4.2.
        let packed = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        let plain = [45, 45, 45, 45, 45, 65, 45, 45, 45, 66];
        assert_eq!(unpacked("LZWDecode", &packed), plain);
        assert_eq!(unpack(b"DCTDecode", b"", &Dict::default(), 1000), None);
    }

    #[test]
    fn rows_are_predicted() {
        assert_eq!(png(&[2, 1, 2, 2, 1, 1, 1, 5, 1], 2, 1), [1, 2, 2, 3, 5, 6]);
        assert_eq!(tiff(vec![1, 1, 1, 2, 2, 2], 3, 1), [1, 2, 3, 2, 4, 6]);
    }

    #[test]
    fn no_more_is_unpacked_than_asked_for() {
        use std::io::Write as _;
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![b'a'; 10 << 20]).unwrap();
        let bomb = packer.finish().unwrap();
        assert!(unpacked("FlateDecode", &bomb).len() < 20_000);
        let runs = b"\x81a".repeat(100_000);
        assert!(unpacked("RunLengthDecode", &runs).len() < 2_000);
        assert!(unpacked("ASCII85Decode", &b"z".repeat(100_000)).len() < 2_000);
    }
}
