//! The Laplacian SVM: classes that also vary little along a graph of neighbours, whose instances need no label
//! (Belkin, Niyogi and Sindhwani, *Journal of Machine Learning Research* 7, 2006), with the squared hinge and
//! trained in the primal (Melacci and Belkin, the same, 12, 2011; GMKD §VII-C).
//!
//! ```text
//! primal  min ½‖w‖² + ½ Σ_labelled C_i max(0, 1 − y_i f_i)² + ½ μ fᵀLf      f_i = ⟨w, Φ(x_i)⟩ + b
//! dual    max Σ α_i − ½ Σ α_i²/C_i − ½ μ uᵀLu − ½ cᵀKc      c = α∘y − μLu,  Σ c = 0,  α ≥ 0
//! ```
//!
//! | symbol | name |
//! |---|---|
//! | C = 1/γ_A, μ = Cγ_I | `c`, `gamma_i` |
//! | c, b | [`Head::coef`](super::Head), [`Head::bias`](super::Head) |
//! | L | [`Laplacian`] of `neighbours`, `edges`, `laplacian` |
//!
//! γ_A and γ_I are those of the papers, whose objective this is over 2γ_A. C_i = `c` × class weight × instance
//! weight, as for the [squared-hinge SVC](super::squared_hinge_svc), which this is with γ_I = 0. Weights of
//! unlabelled instances do not count unless they are 0: then an instance takes no part, in the graph neither.
//!
//! **Graph.** The papers build it from the features. Here it comes from the distance of the kernel that is
//! learned on, so that it combines what the views say as the method does; edges weigh by the heat kernel whose σ
//! is the mean distance of all instances, and L is normalised, as in GMKD §VII-C (5 neighbours). σ is that mean
//! whatever the scale of the kernel, and so γ_I means the same for every one.
//!
//! **Several classes**: one against the rest, as in the papers; the graph, the Laplacian and the factors of Newton's
//! method are shared. Every instance with neighbours is a support vector.
//!
//! As L is made from the kernel, ℓ is not free of it, and methods that learn weights by the duals refuse this
//! machine; so do methods that look at the labels of all instances themselves. See [`laplacian_svm`] for the
//! solvers, their cost and the gap.

use super::common::{self, Part};
use super::svc::{CLASS_WEIGHT, COST};
use super::{Block, Decomposition, Head, How, Machine, Reading, Solution, Svc};
use crate::data::{PartialClasses, Target};
use crate::error::room_for;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::laplacian_svm::{Direction, Factored, Smooth, laplacian_svm};
use crate::solve::neighbour_graph::{GraphKind, Laplacian};
use crate::{Error, Event, Result, Status, Watch};
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Machine> =
    Entry { method: &METHOD, build: |p| Box::new(LaplacianSvm::new(p)) };

static METHOD: Method = Method {
    id: "laplacian_svm",
    title: "Laplacian SVM",
    source: "Belkin, Niyogi, Sindhwani 2006; Melacci, Belkin 2011; Mao, Tsang, Gao, Wang 2015, §VII-C",
    summary: "Learns classes from few labels: instances without a label take part, too, and near ones get similar \
              decision values. Every instance is a support vector.",
    tasks: &[Task::Classify],
    group: Group::Machines,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        COST,
        Param {
            name: "gamma_i",
            doc: "Weight γ_I of smoothness along the graph, where the loss of an instance has weight 1 and the \
                  norm 1/C.",
            range: Range::Real { default: 1.0, min: 0.0, max: f64::MAX, closed: true },
        },
        Param {
            name: "neighbours",
            doc: "Nearest others with which an instance is joined.",
            range: Range::Int { default: 5, min: 1, max: i64::MAX },
        },
        Param {
            name: "edges",
            doc: "heat: edges weigh exp(−d²/2σ²), σ the mean distance of all instances; binary: 1.",
            range: Range::Choice { default: "heat", of: &["heat", "binary"] },
        },
        Param {
            name: "laplacian",
            doc: "Whether the Laplacian of the graph is normalised by the degrees.",
            range: Range::Choice { default: "normalized", of: &["normalized", "plain"] },
        },
        Param {
            name: "solver",
            doc: "newton: factors of an n × n matrix; conjugate_gradients: products with the kernel only; auto: \
                  newton up to 3000 instances, where there is memory, and conjugate_gradients where it gains no more.",
            range: Range::Choice {
                default: "auto",
                of: &["auto", "newton", "conjugate_gradients"],
            },
        },
        CLASS_WEIGHT,
        common::TOL,
        Param {
            name: "max_steps",
            doc: "Limit on steps of each problem: Newton's, or products with the kernel.",
            range: Range::Int { default: 100_000, min: 1, max: i64::MAX },
        },
    ],
};

/// Instances up to which `auto` factors a matrix.
const FEW: usize = 3_000;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Solver {
    Auto,
    Newton,
    ConjugateGradients,
}

#[derive(Debug)]
struct LaplacianSvm {
    svc: Svc,
    gamma: f64,
    graph: GraphKind,
    solver: Solver,
    tol: f64,
    most: u64,
}

impl LaplacianSvm {
    fn new(p: &Params) -> Self {
        LaplacianSvm {
            svc: Svc {
                tol: p.real("tol"),
                decomposition: Decomposition::OneVsRest,
                ..Svc::with_costs(p)
            },
            gamma: p.real("gamma_i"),
            graph: GraphKind {
                neighbours: p.count("neighbours"),
                heat: p.text("edges") == "heat",
                normalized: p.text("laplacian") == "normalized",
            },
            solver: match p.text("solver") {
                "newton" => Solver::Newton,
                "conjugate_gradients" => Solver::ConjugateGradients,
                _ => Solver::Auto,
            },
            tol: p.real("tol"),
            most: p.count("max_steps") as u64,
        }
    }

    /// The factors that Newton's method wants, where it is to be used.
    fn factored(
        &self,
        kernel: &dyn Rows,
        labelled: Vec<usize>,
        laplacian: &Laplacian,
        how: &How<'_>,
        watch: &Watch,
    ) -> Result<Option<Factored>> {
        let (n, l) = (kernel.n(), labelled.len());
        let matrices = if self.smoothness() > 0.0 { 2 } else { 1 };
        let numbers =
            n.checked_mul(matrices * n + l).and_then(|v| v.checked_add(l.checked_mul(l)?));
        let fits = numbers.and_then(|v| v.checked_mul(8)).is_some_and(|b| b <= how.run.memory);
        match self.solver {
            Solver::ConjugateGradients => return Ok(None),
            Solver::Auto if n > FEW || !fits => return Ok(None),
            _ => {}
        }
        room_for::<f64>(numbers, || {
            format!("the factors of {n} × {n} kernel values; solver=conjugate_gradients needs none")
        })?;
        Factored::new(kernel, labelled, laplacian, self.smoothness(), watch).map_err(stopped)
    }

    fn smoothness(&self) -> f64 {
        self.svc.c * self.gamma
    }
}

impl Machine for LaplacianSvm {
    fn solve(&self, kernel: &dyn Rows, target: &Target, how: &How<'_>) -> Result<Solution> {
        let classes = target.partial_classes()?;
        let k = classes.n_classes();
        let roles = Decomposition::OneVsRest.roles(k);
        Machine::check(self)?;
        common::check(kernel, classes.codes.len(), &roles, how)?;
        check_codes(&classes)?;
        let largest = common::largest_entry(kernel, self.svc.c)?;
        let costs = self.svc.costs_of_labelled(&classes, how.weights)?;
        let part = Part::with_weight(kernel, how.weights)?;
        let kept = &part.kept;
        let whole = kept.len() == kernel.n();
        let kernel: &dyn Rows = if whole { kernel } else { &part };
        let of = |all: &[f64]| kept.iter().map(|i| all[*i]).collect::<Vec<f64>>();
        let costs = of(&costs);
        let labelled: Vec<usize> = (0..kept.len()).filter(|i| costs[*i] > 0.0).collect();
        if labelled.is_empty() {
            return Err(Error::Labels("no labelled instance has a weight".to_string()));
        }
        let watch = how.run.watch();
        let laplacian = Laplacian::of_neighbours(kernel, self.graph, &watch).map_err(stopped)?;
        let shared = self.factored(kernel, labelled, &laplacian, how, &watch)?;
        let direction = shared.as_ref().map_or(Direction::Gradients, Direction::Newton);
        let tol = how.tol.unwrap_or(self.tol);
        how.run.tell(Event::Begin { stage: "support vectors", total: Some(roles.len() as u64) });
        let one = |t: usize| {
            let sign = |i: &usize| classes.codes[*i].map_or(0.0, |c| roles[t].sign(c));
            let known = |(i, c): (&usize, &f64)| if *c > 0.0 { sign(i) } else { 0.0 };
            let signs: Vec<f64> = kept.iter().zip(&costs).map(known).collect();
            let start = how.warm.map(|w| of(&w.blocks[t].heads[0].coef));
            let problem = Smooth {
                rows: kernel,
                signs: &signs,
                costs: &costs,
                laplacian: &laplacian,
                smoothness: self.smoothness(),
            };
            let mut found =
                laplacian_svm(&problem, direction, start.as_deref(), tol, self.most, &watch);
            // At a large C the factors lose what the smaller eigenvalues of K tell; products do not.
            if shared.is_some() && self.solver == Solver::Auto && found.status == Status::Stalled {
                let (gradients, left) =
                    (Direction::Gradients, self.most.saturating_sub(found.steps));
                let other = laplacian_svm(&problem, gradients, start.as_deref(), tol, left, &watch);
                if other.gap.abs() < found.gap.abs() {
                    found = other;
                }
            }
            let block = Block {
                linear: found.dual + 0.5 * found.norm(),
                primal: found.primal,
                objective: found.dual,
                gap: found.gap,
                hidden: 0.0,
                status: found.status,
                free: None,
                at_bound: (0, 0),
                heads: vec![Head {
                    role: roles[t],
                    coef: part.spread(&found.coef),
                    bias: found.bias,
                }],
            };
            // What it counts are no pair steps.
            (block, 0)
        };
        let solved: Vec<(Block, u64)> = (0..roles.len()).into_par_iter().map(one).collect();
        how.run.tell(Event::End);
        common::solution(solved, largest, self.svc.c)
    }

    fn check(&self) -> Result<()> {
        Machine::check(&self.svc)?;
        match self.smoothness().is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(
                "gamma_i",
                format!("{:e} times C is not a finite number; use a smaller one", self.gamma),
            )),
        }
    }

    fn tol(&self) -> f64 {
        self.tol
    }

    fn reading(&self) -> Reading {
        Reading::Classes(Decomposition::OneVsRest)
    }

    fn has_free_dual(&self) -> bool {
        false
    }

    fn uses_unlabelled(&self) -> bool {
        true
    }

    fn hinge(&self) -> Option<&Svc> {
        Some(&self.svc)
    }
}

fn stopped(status: Status) -> Error {
    Error::Stopped {
        status,
        what: "the graph of neighbours and the factors of the kernel".to_string(),
    }
}

fn check_codes(classes: &PartialClasses) -> Result<()> {
    let k = classes.n_classes();
    match classes.codes.iter().flatten().find(|c| **c as usize >= k) {
        Some(code) => Err(Error::shape("classes", format!("codes below {k}"), code)),
        None => Ok(()),
    }
}
