//! Changes of inputs: bits, bytes, numbers in text, lengths in binary, pieces of other inputs.

/// Numbers that readers, sizes and arithmetic are prone to stumble over.
const NUMBERS: [&str; 26] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "-0",
    "0.5",
    "1e-8",
    "1e8",
    "1e15",
    "255",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "1e154",
    "1e308",
    "1e-308",
    "5e-324",
    "1e999",
    "nan",
    "inf",
];

/// Bytes that mean something somewhere.
const BYTES: &[u8] = b"\0\x01\x7f\x80\xff \n\r\t,;:=.@*^#%\"'+-eE09[]{}()|/\\<>";

/// Whole numbers that stand at edges.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    8,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// The longest input.
const LONGEST: usize = 1 << 15;

/// A small generator (splitmix64): the same seed gives the same inputs everywhere.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.bits() % n as u64) as usize }
    }

    /// One of several.
    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A number as it may stand in a text.
pub fn number(rng: &mut Rng) -> String {
    rng.of(&NUMBERS).to_string()
}

/// One to six changes of `bytes`; `others` are inputs to take pieces from.
pub fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], words: &[&str], rng: &mut Rng) {
    for _ in 0..1 + rng.below(3) * rng.below(3) + rng.below(2) {
        once(bytes, others, words, rng);
        bytes.truncate(LONGEST);
    }
}

fn once(bytes: &mut Vec<u8>, others: &[Vec<u8>], words: &[&str], rng: &mut Rng) {
    let (n, at) = (bytes.len(), rng.below(bytes.len() + 1));
    // Mostly short.
    let short = |rng: &mut Rng, n: usize| {
        let most = 1 + rng.below(16);
        (1 + rng.below(most)).min(n)
    };
    match rng.below(13) {
        0 if at < n => bytes[at] ^= 1 << rng.below(8),
        1 if at < n => bytes[at] = *rng.of(BYTES),
        2 => bytes.insert(at, *rng.of(BYTES)),
        3 if at < n => {
            let end = at + short(rng, n - at);
            bytes.drain(at..end);
        }
        4 if at < n => {
            let end = at + short(rng, n - at);
            let piece = bytes[at..end].to_vec();
            let place = rng.below(n + 1);
            bytes.splice(place..place, piece);
        }
        5 if rng.below(4) == 0 => bytes.truncate(at),
        6 if !others.is_empty() => {
            let other = rng.of(others);
            let from = rng.below(other.len() + 1);
            let length = (4 * short(rng, other.len())).min(other.len() - from);
            let piece = other[from..from + length].to_vec();
            let end = at + if rng.below(2) == 0 { 0 } else { piece.len().min(n - at) };
            bytes.splice(at..end, piece);
        }
        7 | 8 => replace_number(bytes, at, rng),
        9 | 10 => change_integer(bytes, at, rng),
        11 if !words.is_empty() => {
            let word = rng.of(words).as_bytes();
            let end = at + if rng.below(2) == 0 { 0 } else { word.len().min(n - at) };
            bytes.splice(at..end, word.iter().copied());
        }
        _ if at < n => {
            // A line, or what stands for one, again or no more.
            let ends: Vec<usize> = (at..n).filter(|&i| bytes[i] == b'\n').take(1).collect();
            let end = ends.first().map_or(n, |e| e + 1);
            let piece = bytes[at..end].to_vec();
            let copies = rng.below(3);
            bytes.splice(at..end, piece.repeat(copies));
        }
        _ => {}
    }
}

/// Another number in place of the next one in the text.
fn replace_number(bytes: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let digit = |b: &u8| b.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(digit).map(|p| at + p) else { return };
    let length = bytes[start..].iter().position(|b| !digit(b)).unwrap_or(bytes.len() - start);
    let text = std::str::from_utf8(&bytes[start..start + length]).unwrap_or_default();
    let near = text.parse::<u64>().ok().map(|v| match rng.below(3) {
        0 => v.wrapping_add(1).to_string(),
        1 => v.wrapping_sub(1).to_string(),
        _ => v.wrapping_mul(2).to_string(),
    });
    let new = match near {
        Some(near) if rng.below(3) == 0 => near,
        _ => number(rng),
    };
    bytes.splice(start..start + length, new.into_bytes());
}

/// Another whole number in 1, 2, 4 or 8 bytes, lowest or highest byte first.
fn change_integer(bytes: &mut [u8], at: usize, rng: &mut Rng) {
    let width = 1 << rng.below(4);
    let Some(place) = bytes.get_mut(at..at + width) else { return };
    let high_first = rng.below(4) == 0;
    if high_first {
        place.reverse();
    }
    let mut word = [0; 8];
    word[..width].copy_from_slice(place);
    let value = u64::from_le_bytes(word);
    let new = match rng.below(3) {
        0 => *rng.of(&EDGES),
        1 => value.wrapping_add(1 + rng.below(9) as u64),
        _ => value.wrapping_sub(1 + rng.below(9) as u64),
    };
    place.copy_from_slice(&new.to_le_bytes()[..width]);
    if high_first {
        place.reverse();
    }
}
