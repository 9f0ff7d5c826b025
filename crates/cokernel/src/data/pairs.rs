//! [`Pairs`]: instances that belong together (must-link) or apart (cannot-link), without their classes.

use crate::{Error, Result};
use std::collections::HashMap;
use std::fmt;

/// What is known about a pair of instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// They are of one class.
    Must,
    /// They are of two.
    Cannot,
}

impl Link {
    /// Both.
    pub const ALL: [Link; 2] = [Link::Must, Link::Cannot];

    /// What a file may write: `must`, `must_link`, `must-link`, `+1` or another 1, and `cannot`,
    /// `cannot_link`, `cannot-link`, `-1`, in any letter case.
    pub fn from_text(text: &str) -> Option<Self> {
        match text.to_lowercase().as_str() {
            "must" | "must_link" | "must-link" => Some(Link::Must),
            "cannot" | "cannot_link" | "cannot-link" => Some(Link::Cannot),
            number => Self::from_sign(number.parse().ok()?),
        }
    }

    /// +1 is must-link, −1 is cannot-link.
    pub fn from_sign(sign: f64) -> Option<Self> {
        match sign {
            1.0 => Some(Link::Must),
            -1.0 => Some(Link::Cannot),
            _ => None,
        }
    }

    /// +1 or −1.
    pub fn sign(self) -> f64 {
        match self {
            Link::Must => 1.0,
            Link::Cannot => -1.0,
        }
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Link::Must => "must-link",
            Link::Cannot => "cannot-link",
        })
    }
}

/// Pairs of different instances among n, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairs {
    n: usize,
    /// (i, j) with i > j, increasing.
    must: Vec<(u32, u32)>,
    cannot: Vec<(u32, u32)>,
}

impl Pairs {
    /// Pairs of instances by their row numbers below `n`. A pair that is given twice counts once, the order
    /// of its instances says nothing.
    ///
    /// ```
    /// use cokernel::data::{Link, Pairs};
    ///
    /// let pairs = Pairs::new(10, [(0, 1, Link::Must), (2, 7, Link::Cannot), (1, 0, Link::Must)])?;
    /// assert_eq!(pairs.of(Link::Must), [(1, 0)]);
    /// assert!(Pairs::new(10, [(0, 1, Link::Must), (1, 0, Link::Cannot)]).is_err());
    /// # Ok::<(), cokernel::Error>(())
    /// ```
    ///
    /// # Errors
    /// A row that is not there, a pair of a row with itself, a pair that is both must-link and cannot-link.
    /// Pairs are counted from 0.
    pub fn new(n: usize, given: impl IntoIterator<Item = (usize, usize, Link)>) -> Result<Self> {
        let mut collected = Collected::new(n);
        for (p, (i, j, link)) in given.into_iter().enumerate() {
            let added = collected.add((i, j, link), p, |i| format!("row {i}"));
            added.map_err(|problem| {
                let problem = problem.text(|p| format!("pair {p}"));
                Error::parameter("pairs", format!("pair {p}: {problem}"))
            })?;
        }
        Ok(collected.pairs())
    }

    /// Number of instances among which the pairs are.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.must.len() + self.cannot.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs (i, j) of this link, i > j, increasing.
    pub fn of(&self, link: Link) -> &[(u32, u32)] {
        match link {
            Link::Must => &self.must,
            Link::Cannot => &self.cannot,
        }
    }

    /// The instances that are in a pair, increasing.
    pub fn rows(&self) -> Vec<usize> {
        let ends = |pair: &(u32, u32)| [pair.0 as usize, pair.1 as usize];
        let mut rows: Vec<usize> = self.must.iter().chain(&self.cannot).flat_map(ends).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The pairs of which both instances are among `rows`, in the numbers that they have there.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Pairs {
        let mut place = vec![None; self.n];
        rows.iter().enumerate().for_each(|(p, &i)| place[i] = Some(p as u32));
        let of = |pairs: &[(u32, u32)]| {
            let moved = |&(i, j): &(u32, u32)| {
                let (i, j) = (place[i as usize]?, place[j as usize]?);
                Some((i.max(j), i.min(j)))
            };
            let mut kept: Vec<(u32, u32)> = pairs.iter().filter_map(moved).collect();
            kept.sort_unstable();
            kept
        };
        Pairs { n: rows.len(), must: of(&self.must), cannot: of(&self.cannot) }
    }

    /// Refuses pairs of which one kind is missing: nothing then says what tells them apart.
    ///
    /// # Errors
    /// No must-link pair, or no cannot-link pair.
    pub fn require_both(&self) -> Result<()> {
        for link in Link::ALL {
            if self.of(link).is_empty() {
                let problem = format!(
                    "expected at least one must-link and one cannot-link pair, found no {link} pair"
                );
                return Err(Error::parameter("pairs", problem));
            }
        }
        Ok(())
    }
}

/// Pairs while they are read, with the place at which each was first given.
pub(super) struct Collected {
    n: usize,
    seen: HashMap<(u32, u32), (Link, usize)>,
}

/// Why a pair cannot be used.
pub(super) enum Problem {
    Plain(String),
    /// The pair, what it was before, and where.
    Contradiction(String, Link, usize),
}

impl Problem {
    /// In words; `place` names where another pair stands.
    pub(super) fn text(&self, place: impl Fn(usize) -> String) -> String {
        match self {
            Problem::Plain(text) => text.clone(),
            Problem::Contradiction(text, link, at) => {
                format!("{text}, but {link} in {}; keep one of the two", place(*at))
            }
        }
    }
}

impl Collected {
    pub(super) fn new(n: usize) -> Self {
        Collected { n, seen: HashMap::new() }
    }

    /// One more pair, which stands at `place`; `name` names an instance.
    pub(super) fn add(
        &mut self,
        (i, j, link): (usize, usize, Link),
        place: usize,
        name: impl Fn(usize) -> String,
    ) -> Result<(), Problem> {
        for row in [i, j] {
            if row >= self.n || u32::try_from(row).is_err() {
                let problem = match self.n {
                    0 => format!("there is no row {row}: there are no instances"),
                    n => format!("there is no row {row}; rows are numbered from 0 to {}", n - 1),
                };
                return Err(Problem::Plain(problem));
            }
        }
        if i == j {
            let problem = format!("{} is paired with itself; expected two instances", name(i));
            return Err(Problem::Plain(problem));
        }
        let pair = (i.max(j) as u32, i.min(j) as u32);
        let (known, at) = *self.seen.entry(pair).or_insert((link, place));
        if known != link {
            let problem = format!("{} and {} are {link} here", name(i), name(j));
            return Err(Problem::Contradiction(problem, known, at));
        }
        Ok(())
    }

    pub(super) fn pairs(self) -> Pairs {
        let mut pairs = Pairs { n: self.n, ..Pairs::default() };
        for (pair, (link, _)) in self.seen {
            match link {
                Link::Must => pairs.must.push(pair),
                Link::Cannot => pairs.cannot.push(pair),
            }
        }
        pairs.must.sort_unstable();
        pairs.cannot.sort_unstable();
        pairs
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use Link::{Cannot, Must};

    #[test]
    fn pairs_are_kept_once_and_in_order() {
        let given = [(4, 0, Must), (1, 2, Cannot), (0, 4, Must), (3, 1, Must), (2, 0, Cannot)];
        let pairs = Pairs::new(6, given).unwrap();
        assert_eq!((pairs.n(), pairs.len(), pairs.is_empty()), (6, 4, false));
        assert_eq!(pairs.of(Must), [(3, 1), (4, 0)]);
        assert_eq!(pairs.of(Cannot), [(2, 0), (2, 1)]);
        assert_eq!(pairs.rows(), [0, 1, 2, 3, 4]);
        let some = pairs.select(&[4, 2, 0, 5]);
        assert_eq!((some.n(), some.of(Must), some.of(Cannot)), (4, &[(2, 0)][..], &[(2, 1)][..]));
        assert_eq!(some.rows(), [0, 1, 2]);
        assert!(pairs.select(&[]).is_empty());
        pairs.require_both().unwrap();
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        let said = |given: &[(usize, usize, Link)]| {
            Pairs::new(3, given.iter().copied()).unwrap_err().to_string()
        };
        assert_eq!(
            said(&[(0, 1, Must), (0, 3, Must)]),
            "parameter 'pairs': pair 1: there is no row 3; rows are numbered from 0 to 2"
        );
        assert_eq!(
            said(&[(2, 2, Cannot)]),
            "parameter 'pairs': pair 0: row 2 is paired with itself; expected two instances"
        );
        assert_eq!(
            said(&[(0, 1, Must), (1, 2, Must), (1, 0, Cannot)]),
            "parameter 'pairs': pair 2: row 1 and row 0 are cannot-link here, but must-link in pair 0; \
             keep one of the two"
        );
        let none = Pairs::new(0, [(0, 1, Must)]).unwrap_err().to_string();
        assert!(none.ends_with("there is no row 0: there are no instances"), "{none}");
        for (link, missing) in [(Must, "no cannot-link pair"), (Cannot, "no must-link pair")] {
            let e = Pairs::new(3, [(0, 1, link)]).unwrap().require_both().unwrap_err();
            assert!(e.to_string().ends_with(missing), "{e}");
        }
    }

    #[test]
    fn links_are_read_and_written() {
        for (texts, link) in [
            (["must", "Must_Link", "must-link", "1", "+1", "1.0"], Must),
            (["cannot", "cannot_link", "Cannot-Link", "-1", "-1.0", "-1e0"], Cannot),
        ] {
            for text in texts {
                assert_eq!(Link::from_text(text), Some(link), "{text}");
            }
            assert_eq!(Link::from_text(&link.to_string()), Some(link));
            assert_eq!(Link::from_sign(link.sign()), Some(link));
        }
        for text in ["", "0", "2", "nan", "mst", "yes"] {
            assert_eq!(Link::from_text(text), None, "{text}");
        }
    }
}
