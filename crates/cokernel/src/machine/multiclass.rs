//! Several classes by binary problems, and how the binary machines decide together
//! (LMKA §1.4.1, B4).
//!
//! With two classes there is one machine; its positive class is the one with code 1. With k > 2
//! classes, one-versus-rest has the machines (c, rest) for c = 0 … k−1, and one-versus-one has
//! (b, a) for a < b in the order (1,0), (2,0), …, (k−1,0), (2,1), …: the class with the higher
//! code is positive. Decision ties go to the lowest code.

use super::Dual;
use crate::{Counts, Status};
use serde::{Deserialize, Serialize};

/// How several classes become binary problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decomposition {
    /// One machine per class against the rest (one-versus-all); highest decision value wins.
    OneVsRest,
    /// One machine per pair of classes (all-versus-all); votes, then summed decision values.
    OneVsOne,
}

impl Decomposition {
    /// Positive and negative class (`None`: the rest) of each binary problem.
    pub fn pairs(self, n_classes: usize) -> Vec<(u32, Option<u32>)> {
        let k = n_classes as u32;
        match self {
            _ if k == 2 => vec![(1, Some(0))],
            Decomposition::OneVsRest => (0..k).map(|c| (c, None)).collect(),
            Decomposition::OneVsOne => {
                (0..k).flat_map(|a| (a + 1..k).map(move |b| (b, Some(a)))).collect()
            }
        }
    }
}

/// All binary problems of one classification, on one kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// How they decide together.
    pub decomposition: Decomposition,
    /// The binary problems: one for two classes.
    pub duals: Vec<Dual>,
    /// Work done.
    pub counts: Counts,
}

impl Machines {
    /// Class codes from the decision values `decisions[t][i]` of machine t for instance i
    /// (without loss of generality the order of `duals`).
    ///
    /// Two classes: a positive value means the positive class. One-versus-rest: the class with
    /// the highest value. One-versus-one: most votes, then the highest sum of decision values
    /// (counted positive for the class that a machine votes for), then the lowest code.
    pub fn decide(
        decomposition: Decomposition,
        pairs: &[(u32, Option<u32>)],
        n_classes: usize,
        decisions: &[Vec<f64>],
    ) -> Vec<u32> {
        let n = decisions.first().map_or(0, Vec::len);
        if let ([(positive, negative)], 2) = (pairs, n_classes) {
            let negative = negative.unwrap_or(1 - positive);
            return decisions[0]
                .iter()
                .map(|&v| if v > 0.0 { *positive } else { negative })
                .collect();
        }
        let mut votes = vec![0_u32; n_classes];
        let mut sums = vec![0.0; n_classes];
        let mut codes = Vec::with_capacity(n);
        for i in 0..n {
            votes.fill(0);
            sums.fill(0.0);
            for ((positive, negative), values) in pairs.iter().zip(decisions) {
                let v = values[i];
                sums[*positive as usize] += v;
                if let (Some(negative), Decomposition::OneVsOne) = (negative, decomposition) {
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

    /// Positive and negative class of each machine, as [`decide`](Self::decide) wants them.
    pub fn pairs(&self) -> Vec<(u32, Option<u32>)> {
        self.duals.iter().map(|d| (d.positive, d.negative)).collect()
    }

    /// Indices of the instances that are a support vector of at least one machine, ascending.
    pub fn support(&self) -> Vec<usize> {
        let n = self.duals.first().map_or(0, |d| d.coef.len());
        (0..n).filter(|&i| self.duals.iter().any(|d| d.coef[i] != 0.0)).collect()
    }

    /// The largest relative duality gap of the binary problems.
    pub fn gap(&self) -> f64 {
        self.duals.iter().fold(0.0, |a, d| a.max(d.gap))
    }

    /// Sum of the dual objectives.
    pub fn objective(&self) -> f64 {
        self.duals.iter().map(|d| d.objective).sum()
    }

    /// Sum of the primal objectives.
    pub fn primal(&self) -> f64 {
        self.duals.iter().map(|d| d.primal).sum()
    }

    /// A sentence about the machine that ended farthest from what was asked, if one did.
    pub fn remark(&self) -> Option<String> {
        let early = self.duals.iter().filter(|d| !d.status.is_success());
        let worst = early.max_by(|a, b| a.gap.total_cmp(&b.gap))?;
        let (status, gap) = (worst.status, worst.gap);
        let why = match status {
            Status::Stalled if gap > 0.1 => {
                ": steps gain no more in f64 with this kernel and C, and how good the answer is cannot \
                 be told; normalise the kernel, scale the features or use a smaller C"
            }
            Status::Stalled => {
                ": steps gain no more in f64 with this kernel and C, the answer is as good as that"
            }
            _ => "",
        };
        Some(format!(
            "the machine on the combined kernel stopped early ({status}) at relative gap \
             {gap:.1e}{why}"
        ))
    }

    /// How the worst of the solvers ended: the first status that is not a success.
    pub fn status(&self) -> Status {
        let failed = self.duals.iter().map(|d| d.status).find(|s| !s.is_success());
        failed.unwrap_or(Status::Converged)
    }
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
        let pairs = Decomposition::OneVsOne.pairs(3);
        // 1 beats 0, 0 beats 2, 2 beats 1: one vote each.
        let cycle = |a: f64, b: f64, c: f64| vec![vec![a], vec![b], vec![c]];
        let decide = |d: &[Vec<f64>]| Machines::decide(Decomposition::OneVsOne, &pairs, 3, d)[0];
        assert_eq!(decide(&cycle(1.0, -1.0, 1.0)), 0);
        assert_eq!(decide(&cycle(2.0, -1.0, 1.0)), 1);
        assert_eq!(decide(&cycle(1.0, -1.0, 3.0)), 2);
        let rest = Decomposition::OneVsRest.pairs(3);
        let values = [vec![-1.0], vec![-0.5], vec![-0.5]];
        assert_eq!(Machines::decide(Decomposition::OneVsRest, &rest, 3, &values), [1]);
    }

    #[test]
    fn zero_is_the_negative_class() {
        let d = [vec![0.0, 1e-9, -1.0]];
        assert_eq!(Machines::decide(Decomposition::OneVsRest, &[(1, Some(0))], 2, &d), [0, 1, 0]);
    }
}
