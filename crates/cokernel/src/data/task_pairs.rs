//! The pairs of several tasks: instances with a class in each of them, or in some.
//!
//! K-examples know no classes (LMS §5.1): whether z of two instances is positive is all that a task says. Data with
//! few labels for each of several tasks, which LMS names at the end of chapter 5, so become one set of
//! weighted pairs. Memory: 16 bytes for each pair that is taken.

use super::{Link, Pairs};
use crate::{Error, Result, Run};
use rand::seq::index;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// Numbers of the pairs of one kind in one task: the first of a member, and the member.
struct Numbering {
    /// Instances, class by class.
    members: Vec<u32>,
    /// Of each member the places of those that it pairs with.
    partners: Vec<(usize, usize)>,
    /// Of each member the number of its first pair; then the number of all pairs.
    first: Vec<usize>,
}

impl Numbering {
    fn new(codes: &[Option<u32>], link: Link) -> Self {
        let mut members: Vec<u32> =
            (0..codes.len() as u32).filter(|i| codes[*i as usize].is_some()).collect();
        members.sort_by_key(|i| codes[*i as usize]);
        let class = |place: usize| codes[members[place] as usize];
        let (mut partners, mut first, mut start) = (Vec::new(), vec![0], 0);
        for place in 0..members.len() {
            if class(place) != class(start) {
                start = place;
            }
            let own = match link {
                Link::Must => (start, place),
                Link::Cannot => (0, start),
            };
            first.push(first[place] + own.1 - own.0);
            partners.push(own);
        }
        Numbering { members, partners, first }
    }

    fn count(&self) -> usize {
        self.first[self.members.len()]
    }

    fn pair(&self, number: usize) -> (u32, u32) {
        let place = self.first.partition_point(|f| *f <= number) - 1;
        let other = self.partners[place].0 + number - self.first[place];
        let (i, j) = (self.members[place], self.members[other]);
        (i.max(j), i.min(j))
    }

    fn some(&self, most: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<(u32, u32)> {
        match self.count() <= most {
            true => (0..self.count()).map(|p| self.pair(p)).collect(),
            false => {
                index::sample(rng, self.count(), most).into_iter().map(|p| self.pair(p)).collect()
            }
        }
    }
}

/// See [`Pairs::of_tasks`].
pub(super) fn of_tasks(codes: &[Vec<Option<u32>>], most: usize, seed: u64) -> Result<Pairs> {
    let n = codes.first().map_or(0, Vec::len);
    if let Some(task) = codes.iter().find(|t| t.len() != n) {
        return Err(Error::shape("classes of a task", format!("{n}, as in the first"), task.len()));
    }
    if most == 0 {
        return Err(Error::parameter("most", "expected at least 1 pair of each kind and task"));
    }
    let mut rng = Run::with_seed(seed).rng("pairs of tasks");
    let mut found = BTreeMap::<(u32, u32), (Link, f64)>::new();
    let alone = codes.len() == 1;
    // Where pairs were drawn a task may contradict one of another unseen.
    let agree = |(i, j): (u32, u32), link: Link| {
        let classes = |t: &Vec<Option<u32>>| Some((t[i as usize]?, t[j as usize]?));
        codes.iter().filter_map(classes).all(|(a, b)| (a == b) == (link == Link::Must))
    };
    for task in codes {
        for link in Link::ALL {
            let mut pairs = Numbering::new(task, link).some(most, &mut rng);
            pairs.retain(|pair| agree(*pair, link));
            let weight = if alone { 1.0 } else { 1.0 / pairs.len() as f64 };
            pairs.into_iter().for_each(|pair| found.entry(pair).or_insert((link, 0.0)).1 += weight);
        }
    }
    let given = found
        .into_iter()
        .map(|(pair, (link, weight))| (pair.0 as usize, pair.1 as usize, link, weight));
    let pairs = Pairs::weighted(n, given)?;
    pairs.require_both()?;
    Ok(pairs)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<Option<u32>> {
        text.chars().map(|c| c.to_digit(10)).collect()
    }

    #[test]
    fn one_task_has_the_pairs_of_its_classes() {
        let one = codes("0120-102");
        let pairs = Pairs::of_tasks(std::slice::from_ref(&one), 100, 0).unwrap();
        let mut expected = Vec::new();
        for i in 0..8 {
            for j in (0..i).filter(|_| one[i].is_some()) {
                if let Some(class) = one[j] {
                    let link = if one[i] == Some(class) { Link::Must } else { Link::Cannot };
                    expected.push((i, j, link));
                }
            }
        }
        assert_eq!(pairs, Pairs::new(8, expected).unwrap());
        let some = Pairs::of_tasks(std::slice::from_ref(&one), 3, 1).unwrap();
        for link in Link::ALL {
            assert_eq!(some.of(link).len(), 3);
            assert!(some.of(link).iter().all(|p| pairs.of(link).contains(p)));
        }
        assert_eq!(some, Pairs::of_tasks(&[one], 3, 1).unwrap());
    }

    #[test]
    fn tasks_weigh_the_same_and_contradictions_are_left_out() {
        // Pairs of the second task alone: (3, 2) and (4, 3) and (4, 2).
        let pairs = Pairs::of_tasks(&[codes("0011-"), codes("--011")], 100, 0).unwrap();
        // (3, 2) is must-link in one and cannot-link in the other. What is left of each task counts as much.
        assert_eq!(pairs.of(Link::Must), [(1, 0), (4, 3)]);
        assert_eq!(pairs.weights(Link::Must), None);
        assert_eq!(pairs.of(Link::Cannot), [(2, 0), (2, 1), (3, 0), (3, 1), (4, 2)]);
        assert_eq!(pairs.weights(Link::Cannot), Some(&[0.25, 0.25, 0.25, 0.25, 1.0][..]));
    }

    #[test]
    fn what_gives_no_pairs_is_refused() {
        for (tasks, most, said) in [
            (vec![codes("00"), codes("011")], 9, "expected 2, as in the first"),
            (vec![codes("000")], 9, "found no cannot-link pair"),
            (vec![], 9, "found no must-link pair"),
            (vec![codes("001")], 0, "at least 1 pair"),
        ] {
            let e = Pairs::of_tasks(&tasks, most, 0).unwrap_err().to_string();
            assert!(e.contains(said), "{e}");
        }
    }
}
