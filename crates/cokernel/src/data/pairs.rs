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

/// Pairs of different instances among n, each once, each with a weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pairs {
    n: usize,
    must: Links,
    cannot: Links,
}

/// Pairs of one kind.
#[derive(Debug, Clone, PartialEq, Default)]
struct Links {
    /// (i, j) with i > j, increasing.
    pairs: Vec<(u32, u32)>,
    /// Of each pair; empty where all are 1.
    weights: Vec<f64>,
}

impl Links {
    /// In order, without those whose weight is 0.
    fn of(mut given: Vec<((u32, u32), f64)>) -> Self {
        given.retain(|p| p.1 > 0.0);
        given.sort_unstable_by_key(|p| p.0);
        let weights: Vec<f64> = given.iter().map(|p| p.1).collect();
        let plain = weights.iter().all(|w| *w == 1.0);
        let pairs = given.into_iter().map(|p| p.0).collect();
        Links { pairs, weights: if plain { Vec::new() } else { weights } }
    }

    fn each(&self) -> impl Iterator<Item = ((u32, u32), f64)> + '_ {
        let weight = |p| self.weights.get(p).copied().unwrap_or(1.0);
        self.pairs.iter().enumerate().map(move |(p, pair)| (*pair, weight(p)))
    }
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
        Pairs::weighted(n, given.into_iter().map(|(i, j, link)| (i, j, link, 1.0)))
    }

    /// The same with a weight for each pair, finite and at least 0: how much it counts beside others of its
    /// kind (must-link pairs together count as much as cannot-link pairs together). A pair with weight 0 is
    /// left out.
    ///
    /// # Errors
    /// As [`new`](Self::new); a weight that is negative or not finite; a pair that is given twice with
    /// different weights.
    pub fn weighted(
        n: usize,
        given: impl IntoIterator<Item = (usize, usize, Link, f64)>,
    ) -> Result<Self> {
        let mut collected = Collected::new(n);
        for (p, pair) in given.into_iter().enumerate() {
            let added = collected.add(pair, p, |i| format!("row {i}"));
            added.map_err(|problem| {
                let problem = problem.text(|p| format!("pair {p}"));
                Error::parameter("pairs", format!("pair {p}: {problem}"))
            })?;
        }
        Ok(collected.pairs())
    }

    /// The pairs of several tasks on the same instances: `codes` has, for each task, the class of each instance
    /// in it, where it has one. Two instances are must-link if some task puts them in one class, cannot-link if
    /// some task puts them in two; of pairs on which tasks differ none is taken. Each task counts as much as
    /// any other: its must-link pairs share a weight of 1, and so do its cannot-link pairs. At most `most` pairs
    /// of each kind and task are drawn with this seed. With one task these are the pairs of its classes.
    ///
    /// Multi-task and partly labelled data (LMS, end of chapter 5) become pairs in this way: a kernel that
    /// serves all tasks is learned from all of them, also for instances of which a task says nothing.
    ///
    /// # Errors
    /// Tasks of different length; no pair of one kind.
    pub fn of_tasks(codes: &[Vec<Option<u32>>], most: usize, seed: u64) -> Result<Self> {
        super::task_pairs::of_tasks(codes, most, seed)
    }

    /// Number of instances among which the pairs are.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.must.pairs.len() + self.cannot.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs (i, j) of this link, i > j, increasing.
    pub fn of(&self, link: Link) -> &[(u32, u32)] {
        &self.links(link).pairs
    }

    /// The weights of the pairs of this link, positive; `None` where all are 1.
    pub fn weights(&self, link: Link) -> Option<&[f64]> {
        let weights = &self.links(link).weights;
        (!weights.is_empty()).then_some(weights)
    }

    fn links(&self, link: Link) -> &Links {
        match link {
            Link::Must => &self.must,
            Link::Cannot => &self.cannot,
        }
    }

    /// The instances that are in a pair, increasing.
    pub fn rows(&self) -> Vec<usize> {
        let ends = |pair: &(u32, u32)| [pair.0 as usize, pair.1 as usize];
        let mut rows: Vec<usize> =
            Link::ALL.iter().flat_map(|l| self.of(*l)).flat_map(ends).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The pairs of which both instances are among `rows`, in the numbers that they have there.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Pairs {
        let mut place = vec![None; self.n];
        rows.iter().enumerate().for_each(|(p, &i)| place[i] = Some(p as u32));
        let of = |links: &Links| {
            let moved = |((i, j), weight): ((u32, u32), f64)| {
                let (i, j) = (place[i as usize]?, place[j as usize]?);
                Some(((i.max(j), i.min(j)), weight))
            };
            Links::of(links.each().filter_map(moved).collect())
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
    /// What each is, and where it was given.
    seen: HashMap<(u32, u32), (Link, f64, usize)>,
}

/// Why a pair cannot be used.
pub(super) enum Problem {
    Plain(String),
    /// The pair and what it is, what it was before, and where.
    Contradiction(String, String, usize),
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
        (i, j, link, weight): (usize, usize, Link, f64),
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
        if !(weight >= 0.0 && weight.is_finite()) {
            let problem = format!("its weight is {weight}; expected a finite number, 0 or more");
            return Err(Problem::Plain(problem));
        }
        let pair = (i.max(j) as u32, i.min(j) as u32);
        let (known, before, at) = *self.seen.entry(pair).or_insert((link, weight, place));
        let contradiction = |are: String, was: String| {
            let problem = format!("{} and {} {are} here", name(i), name(j));
            Err(Problem::Contradiction(problem, was, at))
        };
        if known != link {
            return contradiction(format!("are {link}"), known.to_string());
        }
        if before != weight {
            return contradiction(format!("have weight {weight}"), before.to_string());
        }
        Ok(())
    }

    pub(super) fn pairs(self) -> Pairs {
        let of = |link: Link| {
            let given = self.seen.iter().filter(|p| p.1.0 == link);
            Links::of(given.map(|(pair, (_, weight, _))| (*pair, *weight)).collect())
        };
        Pairs { n: self.n, must: of(Link::Must), cannot: of(Link::Cannot) }
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
    fn weights_go_with_their_pairs() {
        let given = [(4, 0, Must, 0.5), (1, 2, Cannot, 2.0), (0, 4, Must, 0.5), (3, 1, Must, 0.0)];
        let pairs = Pairs::weighted(6, given).unwrap();
        assert_eq!((pairs.of(Must), pairs.weights(Must)), (&[(4, 0)][..], Some(&[0.5][..])));
        assert_eq!(pairs.rows(), [0, 1, 2, 4]);
        let some = pairs.select(&[2, 1, 5]);
        assert_eq!((some.of(Cannot), some.weights(Cannot)), (&[(1, 0)][..], Some(&[2.0][..])));
        assert_eq!(Pairs::new(3, [(0, 1, Must)]).unwrap().weights(Must), None);
        for (weight, said) in [
            (-1.0, "pair 0: its weight is -1; expected a finite number, 0 or more"),
            (f64::NAN, "pair 0: its weight is NaN; expected a finite number, 0 or more"),
            (
                2.0,
                "pair 1: row 1 and row 0 have weight 1 here, but 2 in pair 0; keep one of the two",
            ),
        ] {
            let e = Pairs::weighted(3, [(0, 1, Must, weight), (1, 0, Must, 1.0)]).unwrap_err();
            assert_eq!(e.to_string(), format!("parameter 'pairs': {said}"));
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
