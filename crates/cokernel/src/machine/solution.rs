//! What a machine learned, in the form that methods, models and reports read.

use crate::solve::rounding::with_hidden;
use crate::{Counts, Status};
use serde::{Deserialize, Serialize};

/// What the value of a head says about an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Role {
    /// Positive for one class.
    Classes {
        /// Code of the class with positive values.
        positive: u32,
        /// Code of the class with negative values; `None` is the rest.
        negative: Option<u32>,
    },
    /// The only head of its machine.
    Only {
        /// What it says.
        says: Says,
    },
}

/// What the only head of a machine says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// The number that is predicted.
    Number,
    /// At least 0 for instances like those of training, below for others.
    Inside,
}

impl Role {
    /// What it is called, with the names of the classes: `a vs b`, `a vs rest`, `value`, `inside`.
    pub fn name(self, classes: &[String]) -> String {
        let name = |code: u32| classes[code as usize].as_str();
        match self {
            Role::Classes { positive, negative } => {
                format!("{} vs {}", name(positive), negative.map_or("rest", name))
            }
            Role::Only { says: Says::Number } => "value".to_string(),
            Role::Only { says: Says::Inside } => "inside".to_string(),
        }
    }

    /// 1 for the positive class, −1 for the negative, 0 for others.
    pub fn sign(self, code: u32) -> f64 {
        let Role::Classes { positive, negative } = self else { return 0.0 };
        if code == positive {
            1.0
        } else if negative.is_none_or(|c| c == code) {
            -1.0
        } else {
            0.0
        }
    }
}

/// One decision function: f(x) = Σ_i coef_i k(x_i, x) + bias.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// What it says.
    pub role: Role,
    /// c, for all n training instances (0: not a support vector); α_i y_i for classes. Those of several
    /// kernels, n each, where a rule has coefficients for every kernel.
    pub coef: Vec<f64>,
    /// b, added.
    pub bias: f64,
}

impl Head {
    /// Those of the n instances that are support vectors, ascending.
    pub fn support(&self, n: usize) -> Vec<usize> {
        let used = |i: &usize| self.coef.iter().skip(*i).step_by(n).any(|c| *c != 0.0);
        (0..n).filter(used).collect()
    }
}

/// Which coefficients of a block move with the kernel: where the others stay, the change
/// of c under a change of K is minus [K_FF + diag(ridge)]⁻¹ (dK c)_F, projected to Σ c = const if `sum`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Free {
    /// F, increasing; where there is `between`, an instance may come several times.
    pub rows: Vec<u32>,
    /// Of a block with several heads, one for each of `rows`: the head whose coefficient grows with the variable, and that
    /// whose coefficient falls by as much. Empty: there is one head.
    pub between: Vec<(u32, u32)>,
    /// What ℓ adds to the diagonal, one for each of `rows`; empty: nothing.
    pub ridge: Vec<f64>,
    /// Whether the sum of c (of each head) is fixed.
    pub sum: bool,
    /// s, one for each of `rows`, where Σ_F s_i c_i is fixed, too (as the ν of a tube fixes Σ |c|); empty: it is not.
    pub also: Vec<f64>,
}

/// One optimisation problem and its solution.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its decision functions: one, but for machines of several classes at once.
    pub heads: Vec<Head>,
    /// ℓ(c): the part of the dual objective that the kernel does not enter.
    pub linear: f64,
    /// Primal objective at (c, b).
    pub primal: f64,
    /// Dual objective ℓ(c) − ½ Σ_u c_uᵀ K c_u.
    pub objective: f64,
    /// (primal − objective) / max(|primal|, tiny).
    pub gap: f64,
    /// What the rounding of the entries of K may hide of the primal objective and is not in it yet: a search goes by the
    /// kernel as it is rounded, what is told at its end holds for others, too ([`tell_hidden`](Self::tell_hidden)).
    pub hidden: f64,
    /// How the solver ended.
    pub status: Status,
    /// What is free to move; `None` where that is not known.
    pub free: Option<Free>,
    /// How many coefficients are at their bound, and how many could be there together.
    pub at_bound: (usize, usize),
}

impl Block {
    /// Adds what rounding may hide to the primal objective and the gap; converged is what has a gap of at most `tol` then.
    pub fn tell_hidden(&mut self, tol: f64) {
        let told = (self.primal, self.objective, self.gap, self.status);
        (self.primal, self.gap, self.status) = with_hidden(told, self.hidden, tol);
        self.hidden = 0.0;
    }

    /// Whether every number is finite.
    pub(super) fn is_finite(&self) -> bool {
        let numbers = [self.linear, self.objective, self.primal, self.gap];
        let of_heads = |h: &Head| h.bias.is_finite() && h.coef.iter().all(|c| c.is_finite());
        numbers.iter().all(|v| v.is_finite()) && self.heads.iter().all(of_heads)
    }
}

/// All problems of one machine on one kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The problems, which do not depend on each other.
    pub blocks: Vec<Block>,
    /// Work done.
    pub counts: Counts,
}

impl Solution {
    /// The decision functions of all blocks, in order.
    pub fn heads(&self) -> impl Iterator<Item = &Head> {
        self.blocks.iter().flat_map(|b| &b.heads)
    }

    /// The coefficients of all heads.
    pub fn coefs(&self) -> Vec<&[f64]> {
        self.heads().map(|h| h.coef.as_slice()).collect()
    }

    /// What the heads say, in order.
    pub fn roles(&self) -> Vec<Role> {
        self.heads().map(|h| h.role).collect()
    }

    /// Those of the n instances that are a support vector of at least one head, ascending.
    pub fn support(&self, n: usize) -> Vec<usize> {
        let mut used = vec![false; n];
        self.heads().for_each(|h| h.support(n).into_iter().for_each(|i| used[i] = true));
        (0..n).filter(|i| used[*i]).collect()
    }

    /// Σ ℓ(c) over the blocks.
    pub fn linear(&self) -> f64 {
        self.blocks.iter().map(|b| b.linear).sum()
    }

    /// [`Block::tell_hidden`] of all blocks; also gives what they hid.
    pub fn tell_hidden(&mut self, tol: f64) -> f64 {
        let hidden = self.blocks.iter().map(|b| b.hidden).sum();
        self.blocks.iter_mut().for_each(|b| b.tell_hidden(tol));
        hidden
    }

    /// The largest relative duality gap of the blocks.
    pub fn gap(&self) -> f64 {
        self.blocks.iter().fold(0.0, |a, b| a.max(b.gap))
    }

    /// Sum of the dual objectives.
    pub fn objective(&self) -> f64 {
        self.blocks.iter().map(|b| b.objective).sum()
    }

    /// Sum of the primal objectives.
    pub fn primal(&self) -> f64 {
        self.blocks.iter().map(|b| b.primal).sum()
    }

    /// Share of the coefficients at their bound among those that could be.
    pub fn at_bound(&self) -> f64 {
        let add =
            |(a, b): (usize, usize), block: &Block| (a + block.at_bound.0, b + block.at_bound.1);
        let (some, of) = self.blocks.iter().fold((0, 0), add);
        some as f64 / of.max(1) as f64
    }

    /// A sentence about blocks whose own gaps are far above this tolerance, where that of all together is within it.
    pub fn uneven(&self, tol: f64) -> Option<String> {
        const FAR: f64 = 10.0;
        let far = self.blocks.iter().filter(|b| b.gap > FAR * tol);
        let (count, worst) = far.fold((0, 0.0_f64), |(k, w), b| (k + 1, w.max(b.gap)));
        (count > 0 && self.blocks.len() > 1).then(|| {
            let (all, verb) = (self.blocks.len(), if count == 1 { "is" } else { "are" });
            format!(
                "{count} of {all} machines {verb} left at relative gaps of up to {worst:.1e}: beside the others they \
                 count next to nothing in the objective whose gap is told, but their decisions are less exact than \
                 that; use weights of classes and instances that differ less, or normalise the kernels"
            )
        })
    }

    /// A sentence about the block that ended farthest from what was asked, if one did.
    pub fn remark(&self) -> Option<String> {
        let early = self.blocks.iter().filter(|b| !b.status.is_success());
        let worst = early.max_by(|a, b| a.gap.total_cmp(&b.gap))?;
        let (status, gap) = (worst.status, worst.gap);
        // Only the one-class SVM has neither numbers nor classes in its dual.
        let inside = Role::Only { says: Says::Inside };
        let nothing = worst.linear == 0.0 && worst.heads.iter().all(|h| h.role == inside);
        let why = match status {
            Status::Stalled if gap > 0.1 && nothing => {
                ": its objective is 0 up to rounding, because the origin of feature space lies among the \
                 instances and nothing separates them from it; svdd looks for a ball wherever it lies, and \
                 Gaussian kernels have no instances on both sides of the origin"
            }
            Status::Stalled if gap > 0.1 => {
                ": steps gain no more in f64 with this kernel and C, and how good the answer is cannot \
                 be told; normalise the kernel, scale the features or use a smaller C"
            }
            Status::Stalled => {
                ": steps gain no more in f64 with this kernel and C, the answer is as good as that"
            }
            Status::TimeLimit | Status::Interrupted if gap > 0.5 => {
                ": there was next to no time for it, and what it says of instances is no answer"
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
        let failed = self.blocks.iter().map(|b| b.status).find(|s| !s.is_success());
        failed.unwrap_or(Status::Converged)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_time_is_no_answer() {
        let said = |status: Status, gap: f64| {
            let role = Role::Only { says: Says::Number };
            let block = Block {
                heads: vec![Head { role, coef: vec![0.0; 3], bias: 0.0 }],
                linear: 1.0,
                primal: 1.0,
                objective: 1.0 - gap,
                gap,
                hidden: 0.0,
                status,
                free: None,
                at_bound: (0, 3),
            };
            Solution { blocks: vec![block], counts: Counts::default() }.remark().unwrap()
        };
        for status in [Status::TimeLimit, Status::Interrupted] {
            assert!(said(status, 1.0).contains("is no answer"));
            assert!(!said(status, 1e-2).contains("is no answer"));
        }
    }
}
