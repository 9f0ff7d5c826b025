//! The kernel Fisher discriminant (Mika, Rätsch, Weston, Schölkopf and Müller 1999) by regression.
//!
//! ```text
//! primal  min ½‖w‖² + Σ_i v_i (y_i − ⟨w, Φ(x_i)⟩ − b)² / (2λ)     y_i = 2 v₋/v or −2 v₊/v
//! dual    max yᵀc − ½ cᵀ(K + Λ)c      Σ c = 0,  Λ_ii = λ/v_i
//! ```
//!
//! v_i are the instance weights, v₊, v₋, v their sums over the positive, the negative and all instances. w is
//! proportional to (S_w + λI)⁻¹(m₊ − m₋), with S_w the scatter within the classes and m₊, m₋ their means: the
//! direction that maximises the squared distance of the means relative to wᵀ(S_w + λI)w. The usual targets n/n₊
//! and −n/n₋ give multiples of the same w; these differ by 2 whatever the sizes of the classes, so that the
//! problems of several classes count alike and their values can be compared.
//!
//! ℓ(c) = yᵀc − ½ Σ Λ_ii c_i². The bias of [`Head`](super::Head) puts 0 in the middle between the means of the
//! classes, as if both were equally frequent; the objectives are those with the bias of the regression, which
//! minimises the primal. Several classes by binary problems, as for C-SVC. Every instance is a support vector.
//! Cost: n³/3 and 16 n² bytes, once for all problems of one versus rest, once for each pair with its own
//! instances.

use super::common::{self, Part};
use super::svc::DECOMPOSITION;
use super::{Decomposition, How, Machine, Reading, Role, Solution};
use crate::data::{Classes, Target};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::ridge::{Ridge, fisher_targets, midpoint};
use crate::{Error, Result};

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(KernelFisher::new(p)) };

static METHOD: Method = Method {
    id: "kernel_fisher",
    title: "kernel Fisher discriminant",
    source: "Mika, Rätsch, Weston, Schölkopf, Müller 1999; Gönen 2010, §2.2",
    summary: "Classes by the direction in which their means are farthest apart relative to the scatter within \
              them, in closed form: every training instance is a support vector. For up to a few thousand \
              instances.",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "lambda",
            doc: "Ridge λ on the diagonal of the kernel matrix, divided by the instance weights.",
            range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: false },
        },
        DECOMPOSITION,
    ],
};

#[derive(Debug)]
struct KernelFisher {
    lambda: f64,
    decomposition: Decomposition,
}

impl KernelFisher {
    fn new(p: &Params) -> Self {
        KernelFisher { lambda: p.real("lambda"), decomposition: Decomposition::from_params(p) }
    }

    /// Refuses classes of which no instance has a weight: they have no mean.
    fn require_all(&self, classes: &Classes, weights: Option<&[f64]>) -> Result<()> {
        let mut seen = vec![false; classes.n_classes()];
        for (i, code) in classes.codes.iter().enumerate() {
            let Some(seen) = seen.get_mut(*code as usize) else {
                let expected = format!("codes below {}", classes.n_classes());
                return Err(Error::shape("classes", expected, code));
            };
            *seen |= weights.is_none_or(|w| common::takes_part(self.lambda, w[i]));
        }
        match seen.iter().position(|s| !s) {
            None => Ok(()),
            Some(c) => Err(Error::Labels(format!(
                "class '{}' has no instance with a weight; leave its instances out",
                classes.names[c]
            ))),
        }
    }
}

impl Machine for KernelFisher {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let classes = target.classes()?;
        let (codes, k) = (&classes.codes, classes.n_classes());
        let roles = self.decomposition.asked(k, how.only);
        common::check(kernel, codes.len(), &roles, how)?;
        self.require_all(classes, how.weights)?;
        let largest = common::largest_entry(kernel, self.lambda)?;
        let watch = how.run.watch();
        let one = |part: &Part<'_>, ridge: &Ridge<'_>, ridges: &[f64], role: Role| {
            let signs: Vec<f64> = part.kept.iter().map(|i| role.sign(codes[*i])).collect();
            let masses: Vec<f64> = ridges.iter().map(|r| self.lambda / r).collect();
            let mut found = ridge.solve(&fisher_targets(&signs, &masses));
            found.bias = midpoint(&found.values, &signs, &masses);
            (common::closed(found, role, part, ridges), 0)
        };
        let pairs = k > 2 && self.decomposition.is_pairwise();
        let mut solved = Vec::with_capacity(roles.len());
        if pairs {
            for role in roles {
                let of_pair = |i: usize| role.sign(codes[i]) != 0.0;
                let (part, ridges) = common::ridged(kernel, self.lambda, how.weights, of_pair)?;
                let ridge = common::factor(&part, &ridges, &watch)?;
                solved.push(one(&part, &ridge, &ridges, role));
            }
        } else {
            let (part, ridges) = common::ridged(kernel, self.lambda, how.weights, |_| true)?;
            let ridge = common::factor(&part, &ridges, &watch)?;
            solved.extend(roles.into_iter().map(|role| one(&part, &ridge, &ridges, role)));
        }
        common::solution(solved, largest, self.lambda)
    }

    fn tol(&self) -> f64 {
        1e-6
    }

    fn reading(&self) -> Reading {
        Reading::Classes(self.decomposition)
    }

    fn problems(&self, classes: usize) -> usize {
        self.decomposition.pairs(classes).len()
    }
}
