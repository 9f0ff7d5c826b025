//! Words of sequences: what the spectrum and the mismatch kernel compare.
//!
//! The feature of word w of k letters is how often it occurs in the sequence, or how many of the words of the
//! sequence differ from w in at most m letters; the kernel is the dot product of the features, of which there are
//! |Σ|^k. Each word of a sequence counts for Σ_{i ≤ m} C(k, i) (|Σ| − 1)^i of them, which are written out. Cost for a
//! sequence of n letters: n times that number. Memory: the features that are not 0, and as much again.
//!
//! Sources: Leslie, Eskin and Noble, "The spectrum kernel", PSB 2002 (§2); Leslie, Eskin, Cohen, Weston and Noble,
//! "Mismatch string kernels", Bioinformatics 20, 2004, eq. (1)–(3). Letters that the alphabet lacks end a word, which
//! the papers leave open.

use crate::data::{Csr, Sequences};
use crate::run::Pass;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A set of visible ASCII letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Letters(u64, u64);

impl Letters {
    /// These letters; none of an empty text.
    ///
    /// # Errors
    /// A character that is no visible ASCII character or has a meaning in specifications.
    pub fn parse(text: &str) -> Result<Self> {
        let mut all = Letters::default();
        for c in text.chars() {
            match u8::try_from(c).ok().filter(u8::is_ascii_graphic) {
                Some(letter) => all.insert(letter),
                None => {
                    let problem = format!("found {c:?}, expected letters such as ACGT");
                    return Err(Error::parameter("kernel alphabet", problem));
                }
            }
        }
        Ok(all)
    }

    /// Those that occur.
    pub fn of(sequences: &Sequences) -> Self {
        let mut all = Letters::default();
        sequences.letters().iter().for_each(|l| all.insert(*l));
        all
    }

    fn insert(&mut self, letter: u8) {
        match letter {
            0..64 => self.0 |= 1 << letter,
            _ => self.1 |= 1 << (letter & 63),
        }
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self == Letters::default()
    }

    /// How many there are.
    pub fn count(self) -> usize {
        (self.0.count_ones() + self.1.count_ones()) as usize
    }

    /// The letters in their order.
    pub fn list(self) -> Vec<u8> {
        let has = |l: &u8| if *l < 64 { self.0 >> l & 1 == 1 } else { self.1 >> (l & 63) & 1 == 1 };
        (0..128).filter(has).collect()
    }
}

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list().into_iter().try_for_each(|l| write!(f, "{}", char::from(l)))
    }
}

/// The words that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Words {
    /// k ≥ 1, letters of a word.
    pub length: u32,
    /// m < k, letters in which a word may differ from one that it counts for.
    pub mismatches: u32,
    /// The alphabet Σ; in a specification none for the letters of the training sequences.
    pub letters: Letters,
}

/// Words that one word may count for.
const NEIGHBOURS: f64 = 1e6;

/// Counts that are written out before equal words are put together.
const WRITTEN: usize = 1 << 22;

impl Words {
    /// Checks the numbers, those of the alphabet if there is one.
    ///
    /// # Errors
    /// No letters, as many mismatches as letters, more words than can be numbered, or too many for each.
    pub fn check(&self) -> Result<()> {
        let wrong =
            |key: &str, problem: String| Err(Error::parameter(format!("kernel {key}"), problem));
        let (k, m) = (self.length, self.mismatches);
        if k == 0 {
            return wrong("k", "found 0, expected at least 1".to_string());
        }
        if m >= k {
            return wrong(
                "mismatches",
                format!("found {m}, expected fewer than the {k} letters of a word"),
            );
        }
        if self.letters.is_empty() {
            return Ok(());
        }
        let size = self.letters.count() as f64;
        if size.powf(f64::from(k)) > f64::from(u32::MAX) {
            return wrong(
                "k",
                format!(
                    "words of {k} of {size} letters are more than 4 billion; choose shorter words or fewer letters \
                     (alphabet={})",
                    self.letters
                ),
            );
        }
        let mut each = 1.0;
        let mut all = 1.0;
        for i in 0..m {
            each *= f64::from(k - i) / f64::from(i + 1) * (size - 1.0);
            all += each;
        }
        if all > NEIGHBOURS {
            return wrong(
                "mismatches",
                format!("a word counts for {all:.1e} others; allow fewer, or shorter words"),
            );
        }
        Ok(())
    }
}

/// The features of sequences: a row for each, a column for each word that the alphabet can write.
///
/// # Errors
/// As [`Words::check`], or there are no letters.
pub fn words(sequences: &Sequences, of: Words) -> Result<Csr> {
    counted(sequences, of, &Pass::default())
}

/// [`words`] in a pass.
pub(crate) fn counted(sequences: &Sequences, of: Words, pass: &Pass<'_>) -> Result<Csr> {
    of.check()?;
    let letters = of.letters.list();
    if letters.is_empty() {
        return Err(Error::Data("sequences without any letter have no words".to_string()));
    }
    let mut number = [None; 256];
    letters.iter().zip(0_u32..).for_each(|(l, n)| number[usize::from(*l)] = Some(n));
    let (size, k) = (letters.len() as u64, of.length as usize);
    // The words of k letters, the first letter counting most.
    let columns = size.pow(of.length);
    let highest = columns / size;
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut found: Vec<u32> = Vec::new();
    for i in 0..sequences.rows() {
        found.clear();
        let (mut word, mut length) = (0_u64, 0);
        for letter in sequences.row(i) {
            match number[usize::from(*letter)] {
                None => length = 0,
                Some(n) => {
                    word = if length == 0 { 0 } else { word % highest } * size + u64::from(n);
                    length += 1;
                    if length >= k {
                        found.push(word as u32);
                    }
                }
            }
        }
        found.sort_unstable();
        let (mut counts, mut limit): (Vec<(u32, f64)>, _) = (Vec::new(), WRITTEN);
        for same in found.chunk_by(|a, b| a == b) {
            if pass.is_over() {
                break;
            }
            neighbours(same[0], same.len() as f64, of, size, &mut counts);
            if counts.len() > limit {
                counts = together(counts);
                limit = WRITTEN.max(2 * counts.len());
            }
        }
        for (word, count) in together(counts) {
            indices.push(word);
            values.push(count);
        }
        starts.push(indices.len());
    }
    pass.complete("the words of sequences")?;
    Csr::from_parts(columns as usize, starts, indices, values)
}

/// Words in order, each once with the sum of its counts.
fn together(mut counts: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    counts.sort_unstable_by_key(|c| c.0);
    counts.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    counts
}

/// The words that differ from one in at most m letters, each once.
fn neighbours(word: u32, count: f64, of: Words, size: u64, into: &mut Vec<(u32, f64)>) {
    /// Those that differ only in letters from the place `from` (its weight `place`) on.
    fn add(
        word: u64,
        left: u32,
        from: (u32, u64),
        size: u64,
        count: f64,
        into: &mut Vec<(u32, f64)>,
    ) {
        into.push((word as u32, count));
        if left == 0 {
            return;
        }
        let (mut places, mut place) = from;
        while places > 0 {
            let own = word / place % size;
            for other in (0..size).filter(|l| *l != own) {
                let changed = word - own * place + other * place;
                add(changed, left - 1, (places - 1, place * size), size, count, into);
            }
            places -= 1;
            place *= size;
        }
    }
    add(u64::from(word), of.mismatches, (of.length, 1), size, count, into);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(length: u32, mismatches: u32, letters: &str) -> Words {
        Words { length, mismatches, letters: Letters::parse(letters).unwrap() }
    }

    /// By the definition: for every word of the alphabet, the windows of the sequence that differ in few letters.
    fn by_definition(text: &str, of: Words) -> Vec<f64> {
        let (letters, k) = (of.letters.list(), of.length as usize);
        let all = letters.len().pow(of.length);
        let word = |mut number: usize| -> Vec<u8> {
            let mut word = vec![0; k];
            for place in word.iter_mut().rev() {
                *place = letters[number % letters.len()];
                number /= letters.len();
            }
            word
        };
        let windows: Vec<&[u8]> = text.as_bytes().windows(k).collect();
        let known = |w: &&&[u8]| w.iter().all(|l| letters.contains(l));
        (0..all)
            .map(|number| {
                let word = word(number);
                let differ = |w: &&[u8]| w.iter().zip(&word).filter(|(a, b)| a != b).count();
                windows.iter().filter(known).filter(|w| differ(w) <= of.mismatches as usize).count()
                    as f64
            })
            .collect()
    }

    #[test]
    fn counts_are_those_of_the_definition() {
        let texts = ["ACGTACGT", "AACCAACC", "ACNGTACG", "", "AC", "TTTTTTTT", "GATTACA"];
        let sequences = Sequences::new(texts).unwrap();
        for of in [
            of(1, 0, "ACGT"),
            of(3, 0, "ACGT"),
            of(3, 1, "ACGT"),
            of(4, 2, "ACGT"),
            of(2, 1, "AG"),
            of(3, 2, "A"),
        ] {
            let found = words(&sequences, of).unwrap().to_dense();
            for (i, text) in texts.iter().enumerate() {
                assert_eq!(found.row(i), by_definition(text, of), "{text} {of:?}");
            }
        }
    }

    #[test]
    fn letters_are_a_set() {
        let letters = Letters::parse("TGCA").unwrap();
        assert_eq!((letters.to_string(), letters.count()), ("ACGT".to_string(), 4));
        let all: String = (33..127_u8).map(char::from).collect();
        assert_eq!(Letters::parse(&all).unwrap().to_string(), all);
        assert!(Letters::parse("ACG T").is_err() && Letters::parse("é").is_err());
        assert_eq!(Letters::of(&Sequences::new(["GA", "", "G"]).unwrap()).to_string(), "AG");
    }

    #[test]
    fn what_cannot_be_numbered_is_refused() {
        let protein = "ACDEFGHIKLMNPQRSTVWY";
        assert!(of(7, 0, protein).check().is_ok());
        for (k, m, said) in [
            (8, 0, "more than 4 billion"),
            (7, 5, "counts for"),
            (3, 3, "fewer than"),
            (0, 0, "at least 1"),
        ] {
            let e = of(k, m, protein).check().unwrap_err().to_string();
            assert!(e.contains(said), "{e}");
        }
        let none = Words { length: 2, mismatches: 0, letters: Letters::default() };
        assert!(words(&Sequences::new(["AC"]).unwrap(), none).is_err());
    }

    #[test]
    fn long_sequences_take_little_memory_and_end_with_the_watch() {
        // Three quarters of 4096 words are there and count for 3367 each, twice what is written out at once.
        let mut state = 1_u32;
        let text: String = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b"ACGT"[(state >> 30) as usize])
        })
        .take(6000)
        .collect();
        let of = of(6, 5, "ACGT");
        let sequences = Sequences::new([text.as_str()]).unwrap();
        let found = words(&sequences, of).unwrap();
        assert_eq!(found.to_dense().row(0), by_definition(&text, of));
        let e = counted(&sequences, of, &Pass::under(&crate::run::late_watch())).unwrap_err();
        assert!(e.to_string().contains("the words of sequences was stopped"), "{e}");
    }
}
