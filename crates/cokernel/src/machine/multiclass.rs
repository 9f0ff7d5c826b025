//! Several classes by binary problems, and how the binary machines decide together
//! (LMKA §1.4.1, B4).
//!
//! With two classes there is one machine; its positive class is the one with code 1. With k > 2
//! classes, one-versus-rest has the machines (c, rest) for c = 0 … k−1, and one-versus-one has
//! (b, a) for a < b in the order (1,0), (2,0), …, (k−1,0), (2,1), …: the class with the higher
//! code is positive. Decision ties go to the lowest code.
//!
//! The machines of pairs decide by votes, or along a directed acyclic graph (Platt, Cristianini and
//! Shawe-Taylor, *Advances in Neural Information Processing Systems* 12, 2000): all classes in the order of
//! their codes are candidates, the machine of the first and the last of them takes one of these two off, until
//! one is left. That asks k − 1 machines of the k(k − 1)/2, whose values are given all the same, as they share
//! the kernel's; the bound of the paper on the error holds for the margins along the path.

use super::Role;
use crate::params::Params;
use serde::{Deserialize, Serialize};

/// How several classes become binary problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decomposition {
    /// One machine per class against the rest (one-versus-all); highest decision value wins.
    OneVsRest,
    /// One machine per pair of classes (all-versus-all); votes, then summed decision values.
    OneVsOne,
    /// The same machines, decided along a directed acyclic graph.
    Dag,
}

impl Decomposition {
    /// Its name in texts.
    pub fn id(self) -> &'static str {
        match self {
            Decomposition::OneVsRest => "one_vs_rest",
            Decomposition::OneVsOne => "one_vs_one",
            Decomposition::Dag => "dag",
        }
    }

    /// Whether there is a machine for each pair of classes.
    pub fn is_pairwise(self) -> bool {
        self != Decomposition::OneVsRest
    }

    /// That of checked parameters.
    pub(super) fn from_params(p: &Params) -> Self {
        match p.text("decomposition") {
            "one_vs_one" => Decomposition::OneVsOne,
            "dag" => Decomposition::Dag,
            _ => Decomposition::OneVsRest,
        }
    }

    /// What the head of each binary problem says.
    pub fn roles(self, n_classes: usize) -> Vec<Role> {
        let of = |(positive, negative)| Role::Classes { positive, negative };
        self.pairs(n_classes).into_iter().map(of).collect()
    }

    /// The same of one problem alone, where only one is asked for.
    pub(super) fn asked(self, n_classes: usize, only: Option<usize>) -> Vec<Role> {
        let roles = self.roles(n_classes).into_iter();
        match only {
            Some(t) => roles.skip(t).take(1).collect(),
            None => roles.collect(),
        }
    }

    /// Positive and negative class (`None`: the rest) of each binary problem.
    pub fn pairs(self, n_classes: usize) -> Vec<(u32, Option<u32>)> {
        let k = n_classes as u32;
        match self {
            _ if k == 2 => vec![(1, Some(0))],
            Decomposition::OneVsRest => (0..k).map(|c| (c, None)).collect(),
            Decomposition::OneVsOne | Decomposition::Dag => {
                (0..k).flat_map(|a| (a + 1..k).map(move |b| (b, Some(a)))).collect()
            }
        }
    }

    /// Class codes from the decision values `decisions[t][i]` of machine t for instance i
    /// (in the order of `roles`).
    ///
    /// Two classes: a positive value means the positive class. One-versus-rest: the class with
    /// the highest value. One-versus-one: most votes, then the highest sum of decision values
    /// (counted positive for the class that a machine votes for), then the lowest code. Along the graph: the
    /// class that is left.
    pub fn decide(self, roles: &[Role], n_classes: usize, decisions: &[Vec<f64>]) -> Vec<u32> {
        let n = decisions.first().map_or(0, Vec::len);
        if let ([Role::Classes { positive, negative }], 2) = (roles, n_classes) {
            let negative = negative.unwrap_or(1 - positive);
            return decisions[0]
                .iter()
                .map(|&v| if v > 0.0 { *positive } else { negative })
                .collect();
        }
        if self == Decomposition::Dag {
            return along_graph(roles, n_classes, decisions);
        }
        let mut votes = vec![0_u32; n_classes];
        let mut sums = vec![0.0; n_classes];
        let mut codes = Vec::with_capacity(n);
        for i in 0..n {
            votes.fill(0);
            sums.fill(0.0);
            for (role, values) in roles.iter().zip(decisions) {
                let Role::Classes { positive, negative } = role else { continue };
                let v = values[i];
                sums[*positive as usize] += v;
                if let (Some(negative), Decomposition::OneVsOne) = (negative, self) {
                    sums[*negative as usize] -= v;
                    votes[if v > 0.0 { *positive } else { *negative } as usize] += 1;
                }
            }
            let mut best = 0;
            for c in 1..n_classes {
                let more =
                    votes[c] > votes[best] || (votes[c] == votes[best] && sums[c] > sums[best]);
                if more {
                    best = c;
                }
            }
            codes.push(best as u32);
        }
        codes
    }
}

/// The class that is left for each instance when the machine of the first and the last candidate takes off
/// the one that it decides against.
fn along_graph(roles: &[Role], n_classes: usize, decisions: &[Vec<f64>]) -> Vec<u32> {
    let mut place = vec![None; n_classes * n_classes];
    for (t, role) in roles.iter().enumerate() {
        if let Role::Classes { positive, negative: Some(negative) } = role {
            place[*negative as usize * n_classes + *positive as usize] = Some(t);
        }
    }
    let one = |i: usize| {
        let (mut first, mut last) = (0, n_classes - 1);
        while first < last {
            match place[first * n_classes + last] {
                Some(t) if decisions[t][i] > 0.0 => first += 1,
                _ => last -= 1,
            }
        }
        first as u32
    };
    (0..decisions.first().map_or(0, Vec::len)).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_pairs() {
        assert_eq!(Decomposition::OneVsRest.pairs(2), [(1, Some(0))]);
        assert_eq!(Decomposition::OneVsRest.pairs(3), [(0, None), (1, None), (2, None)]);
        assert_eq!(Decomposition::OneVsOne.pairs(3), [(1, Some(0)), (2, Some(0)), (2, Some(1))]);
    }

    #[test]
    fn ties_go_to_sums_then_to_the_lowest_code() {
        let pairs = Decomposition::OneVsOne.roles(3);
        // 1 beats 0, 0 beats 2, 2 beats 1: one vote each.
        let cycle = |a: f64, b: f64, c: f64| vec![vec![a], vec![b], vec![c]];
        let decide = |d: &[Vec<f64>]| Decomposition::OneVsOne.decide(&pairs, 3, d)[0];
        assert_eq!(decide(&cycle(1.0, -1.0, 1.0)), 0);
        assert_eq!(decide(&cycle(2.0, -1.0, 1.0)), 1);
        assert_eq!(decide(&cycle(1.0, -1.0, 3.0)), 2);
        let rest = Decomposition::OneVsRest.roles(3);
        let values = [vec![-1.0], vec![-0.5], vec![-0.5]];
        assert_eq!(Decomposition::OneVsRest.decide(&rest, 3, &values), [1]);
    }

    /// The path written out: 3 against 0, then the neighbour of the one that is left.
    #[test]
    fn a_path_through_the_graph() {
        let roles = Decomposition::Dag.roles(4);
        assert_eq!(roles, Decomposition::OneVsOne.roles(4));
        for pattern in 0..64_u32 {
            let wins = |t: usize| pattern >> t & 1 == 1;
            let values: Vec<Vec<f64>> =
                (0..6).map(|t| vec![if wins(t) { 0.5 } else { -0.5 }]).collect();
            // Machines in order: 1 or 0, 2 or 0, 3 or 0, 2 or 1, 3 or 1, 3 or 2.
            let from_one_to_two = if wins(3) { 2 } else { 1 };
            let expected = match (wins(2), wins(4), wins(1)) {
                (true, true, _) => {
                    if wins(5) {
                        3
                    } else {
                        2
                    }
                }
                (true, false, _) => from_one_to_two,
                (false, _, true) => from_one_to_two,
                (false, _, false) => {
                    if wins(0) {
                        1
                    } else {
                        0
                    }
                }
            };
            assert_eq!(Decomposition::Dag.decide(&roles, 4, &values), [expected], "{pattern:b}");
        }
        let tie = vec![vec![0.0]; 6];
        assert_eq!(Decomposition::Dag.decide(&roles, 4, &tie), [0]);
        let two = Decomposition::Dag.roles(2);
        assert_eq!(Decomposition::Dag.decide(&two, 2, &[vec![0.5, -0.5]]), [1, 0]);
    }

    #[test]
    fn zero_is_the_negative_class() {
        let d = [vec![0.0, 1e-9, -1.0]];
        let roles = Decomposition::OneVsRest.roles(2);
        assert_eq!(Decomposition::OneVsRest.decide(&roles, 2, &d), [0, 1, 0]);
    }
}
