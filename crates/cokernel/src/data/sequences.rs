//! [`Sequences`]: one text for each instance, such as DNA, a protein or an event log, letter by letter.

use crate::{Error, Result};

/// Sequences of ASCII letters, upper and lower case apart; a sequence may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequences {
    /// Sequence i has the letters from `starts[i]` to `starts[i + 1]`.
    starts: Vec<usize>,
    letters: Vec<u8>,
}

impl Sequences {
    /// The sequences, white space at their ends left out.
    ///
    /// # Errors
    /// A character that is no visible ASCII character: its row and place.
    pub fn new<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut all = Sequences { starts: vec![0], letters: Vec::new() };
        for (row, text) in texts.into_iter().enumerate() {
            let text = text.as_ref().trim();
            if let Some((column, c)) = text.chars().enumerate().find(|c| !c.1.is_ascii_graphic()) {
                return Err(Error::Value {
                    what: "sequences".to_string(),
                    row,
                    column,
                    problem: format!(
                        "found {c:?}; a sequence is made of visible ASCII characters, one for each letter"
                    ),
                });
            }
            all.letters.extend_from_slice(text.as_bytes());
            all.starts.push(all.letters.len());
        }
        Ok(all)
    }

    /// From the letters of all sequences one after the other, and where each begins and the last ends.
    ///
    /// # Errors
    /// The starts do not rise from 0 to the number of letters; a letter is no visible ASCII character.
    pub fn from_parts(starts: Vec<usize>, letters: Vec<u8>) -> Result<Self> {
        let rises = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
        if !rises || starts.last() != Some(&letters.len()) {
            return Err(Error::Data("sequences: the starts do not fit the letters".to_string()));
        }
        match letters.iter().all(u8::is_ascii_graphic) {
            true => Ok(Sequences { starts, letters }),
            false => Err(Error::Data("sequences: a letter is no visible character".to_string())),
        }
    }

    /// Number of sequences.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The letters of sequence i.
    pub fn row(&self, i: usize) -> &[u8] {
        &self.letters[self.starts[i]..self.starts[i + 1]]
    }

    /// Where each sequence begins among [`letters`](Self::letters), and where the last ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The letters of all sequences, one after the other.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// Those with these indices.
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let mut some = Sequences { starts: vec![0], letters: Vec::new() };
        for &i in rows {
            some.letters.extend_from_slice(self.row(i));
            some.starts.push(some.letters.len());
        }
        some
    }

    /// The same with an empty sequence wherever `kept` is false.
    pub(crate) fn only(&self, kept: &[bool]) -> Self {
        let mut some = Sequences { starts: vec![0], letters: Vec::new() };
        for (i, kept) in kept.iter().enumerate() {
            some.letters.extend_from_slice(if *kept { self.row(i) } else { &[] });
            some.starts.push(some.letters.len());
        }
        some
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_texts() {
        let all = Sequences::new(["ACGT", " ", "GG "]).unwrap();
        assert_eq!(
            (all.rows(), all.row(0), all.row(1), all.row(2)),
            (3, &b"ACGT"[..], &b""[..], &b"GG"[..])
        );
        assert_eq!(all.select_rows(&[2, 0]), Sequences::new(["GG", "ACGT"]).unwrap());
        assert_eq!(all.only(&[true, true, false]), Sequences::new(["ACGT", "", ""]).unwrap());
        let again = Sequences::from_parts(all.starts().to_vec(), all.letters().to_vec()).unwrap();
        assert_eq!(again, all);
    }

    #[test]
    fn what_is_no_letter_is_refused_with_its_place() {
        let said = Sequences::new(["AC", "A C"]).unwrap_err().to_string();
        assert!(said.contains("row 1") && said.contains("column 1"), "{said}");
        assert!(Sequences::new(["é"]).is_err());
        assert!(Sequences::from_parts(vec![0, 3], b"AC".to_vec()).is_err());
        assert!(Sequences::from_parts(vec![0, 2], vec![65, 7]).is_err());
        assert!(Sequences::from_parts(Vec::new(), Vec::new()).is_err());
    }
}
