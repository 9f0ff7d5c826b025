//! Mixed-norm MKL: weights that know which kernels belong together, because they look at the same features, say.
//!
//! ```text
//! min  J(η)   subject to   η ≥ 0,  (Σ_g N_g^s)^{1/s} ≤ 1,  N_g = (Σ_{m ∈ g} η_m^r)^{1/r}
//! J(η) = max_c  ℓ(c) − ½ Σ_u Σ_m η_m q_m^u(c),      q_m^u = c_uᵀ K_m c_u
//! ```
//!
//! (Szafranski, Grandvalet and Rakotomamonjy, ICML 2008, composite kernel learning; Aflalo et al., JMLR 12, 2011; LMKA
//! §2.2.1.3; D7.) r is the norm `within` a group, s that `across` them. s = 1 drops whole groups, r = 1 drops kernels
//! of a group, larger values share. r = s = p is [`lp_norm`](super::lp_norm), r = s = 1
//! [`simple_mkl`](super::simple_mkl); s = 1 with r → ∞ is SimpleMKL on the sums of the groups.
//!
//! | symbol | name |
//! |---|---|
//! | g | `groups` |
//! | r, s | `inside`, `outside` |
//! | N_g | `sizes` |
//!
//! **Certificate.** With r* = r/(r − 1) and s* = s/(s − 1), for any feasible c
//!
//! ```text
//! P(η) ≥ min J ≥ ℓ(c) − ½ ‖(‖q_g‖_{r*})_g‖_{s*}.
//! ```
//!
//! **Steps.** x_m = N_g^s (η_m/N_g)^r makes the set the simplex: with u_g = Σ_{m ∈ g} x_m = N_g^s it is η_m = u_g^a x_m^b,
//! a = 1/s − 1/r and b = 1/r. For s ≤ r that is a concave function of x, so J is convex in x, because it is convex and
//! non-increasing in η. For s > r it is convex only in η; near the optimum, where the forms of the kernels of a group
//! that have a weight balance, the second-order model in x is convex all the same, and far away the line search and the
//! bound from above keep the objective falling. As for the lp norm, the change of what must not reach 0 (x_m for
//! r > 1, u_g for s > 1) is taken as a factor between e^{−3} and e³, and what is below 10⁻⁷ goes where the
//! optimality conditions put it: η_m ∝ q_m^{1/(r−1)} within a group, N_g ∝ ‖q_g‖_{r*}^{1/(s−1)} across. A group without
//! weight (s = 1) is offered along its best direction. The bound from above, ½ Σ ‖w_m‖²/η_m, is least at
//!
//! ```text
//! η_m ∝ ‖w_m‖^{2−a'} W_g^{a'−b'},     W_g = (Σ_{m ∈ g} ‖w_m‖^{a'})^{1/a'},  a' = 2r/(r+1),  b' = 2s/(s+1).
//! ```
//!
//! **Scale.** Not invariant: s·K_m with s > 1 makes kernel m cheaper and attracts weight, so normalise. Scaling
//! all kernels by s and C by 1/s leaves η unchanged.
//!
//! See [`outer`](super::outer) for the loop and its cost: four to eight machines and as many passes over all kernels.

use super::named::by_name;
use super::outer::simplex::Simplex;
use super::outer::{MAX_ITERATIONS, Outer, Proposal, Set, TOL};
use super::sets::{cost, norms, towards_corner};
use super::{Copies, Learned, Learner, Problem};
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::solve::simplex::minimize_on_simplex;
use crate::{Result, Run};
use std::collections::BTreeMap;

/// The registry entry.
pub static ENTRY: Entry<dyn Learner> =
    Entry { method: &METHOD, build: |p| Box::new(MixedNorm::new(p)) };

static METHOD: Method = Method {
    id: "mixed_norm",
    title: "mixed-norm MKL (groups of kernels)",
    source: "Szafranski, Grandvalet, Rakotomamonjy 2008; Gönen 2010, §2.2.1.3",
    summary: "Weights with one norm within groups of kernels (those of a view, say) and another across the groups: by \
              default few groups keep a weight, and all kernels of those. Stops on the relative duality gap. Costs \
              about six machines and as many passes over all kernels.",
    tasks: &[Task::Classify, Task::Regress, Task::Detect],
    group: Group::OneStage,
    certificate: Certificate::Gap,
    recommended: false,
    weights: WeightSet {
        id: "mixed_norm_ball",
        says: "not negative, with mixed norm 1",
        holds: |w, _| {
            let inside = w.iter().all(|w| (0.0..=1.0 + 1e-9).contains(w));
            inside && w.iter().any(|w| *w > 0.0)
        },
    },
    params: &[
        Param {
            name: "groups",
            doc: "Which kernels belong together: view, those of each view; or numbers by kernel, view or function, where equal \
                  numbers are a group (a=1,b=1,c=2), and each kernel not named is a group of its own.",
            range: Range::Factors { default: VIEW, of: &[VIEW], min: 0.0, max: 1e9 },
        },
        Param {
            name: "within",
            doc: "r, the norm within a group: 1 keeps few of its kernels, large values weigh all alike.",
            range: Range::Real { default: 2.0, min: 1.0, max: 1e3, closed: true },
        },
        Param {
            name: "across",
            doc: "s, the norm across groups: 1 keeps few groups, large values weigh all alike.",
            range: Range::Real { default: 1.0, min: 1.0, max: 1e3, closed: true },
        },
        TOL,
        MAX_ITERATIONS,
    ],
};

/// Groups by view.
const VIEW: &str = "view";

#[derive(Debug)]
struct MixedNorm {
    /// Numbers by kernel, view or function; `None` for groups by view.
    given: Option<BTreeMap<String, f64>>,
    inside: f64,
    outside: f64,
    tol: f64,
    max_iterations: usize,
}

impl MixedNorm {
    fn new(params: &Params) -> Self {
        MixedNorm {
            given: params.factors("groups").ok().cloned(),
            inside: params.real("within"),
            outside: params.real("across"),
            tol: params.real("tol"),
            max_iterations: params.count("max_iterations"),
        }
    }

    /// The kernels of each group.
    fn groups(&self, problem: &Problem<'_>) -> Result<Vec<Vec<usize>>> {
        let kernels = problem.bank.kernels();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        match &self.given {
            None => {
                let mut places: BTreeMap<&str, usize> = BTreeMap::new();
                for (m, kernel) in kernels.iter().enumerate() {
                    let place = *places.entry(&kernel.view).or_insert(groups.len());
                    if place == groups.len() {
                        groups.push(Vec::new());
                    }
                    groups[place].push(m);
                }
            }
            Some(given) => {
                let named = by_name(problem, "kernel, view or function in groups", given)?;
                let mut numbers: Vec<f64> = Vec::new();
                let mut places: Vec<usize> = Vec::new();
                for (m, number) in named.iter().enumerate() {
                    let known = number.and_then(|n| numbers.iter().position(|o| *o == n));
                    match known {
                        Some(at) => groups[places[at]].push(m),
                        None => {
                            if let Some(n) = number {
                                numbers.push(*n);
                                places.push(groups.len());
                            }
                            groups.push(vec![m]);
                        }
                    }
                }
            }
        }
        Ok(groups)
    }
}

impl Learner for MixedNorm {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        let mixed =
            Mixed { groups: self.groups(problem)?, inside: self.inside, outside: self.outside };
        let plain = self.inside == 1.0 && self.outside == 1.0;
        let outer = Outer {
            title: "mixed-norm MKL",
            set: if plain { &Simplex } else { &mixed },
            tol: self.tol,
            max_iterations: self.max_iterations,
            second: true,
        };
        let mut learned = outer.learn(problem, run)?;
        let mut numbers = vec![0.0; problem.bank.len()];
        for (g, group) in mixed.groups.iter().enumerate() {
            group.iter().for_each(|m| numbers[*m] = (g + 1) as f64);
        }
        learned.report.details.insert("groups".to_string(), numbers);
        Ok(learned)
    }

    /// Of a kernel that is a group of its own, as copies by another name are.
    fn copies(&self) -> Copies {
        if self.outside == 1.0 { Copies::Share } else { Copies::CountTwice }
    }

    fn drives_duals(&self) -> bool {
        true
    }
}

/// η ≥ 0 with mixed norm 1; not both norms are 1.
#[derive(Debug)]
struct Mixed {
    groups: Vec<Vec<usize>>,
    /// r.
    inside: f64,
    /// s.
    outside: f64,
}

/// Largest change of a logarithm in a step.
const FARTHEST: f64 = 3.0;
/// What is below this goes where the optimality conditions say.
const SMALL: f64 = 1e-7;

/// The lp norm of numbers that are not negative; p = ∞ is the largest.
fn norm(values: impl Iterator<Item = f64> + Clone, p: f64) -> f64 {
    let largest = values.clone().fold(0.0_f64, f64::max);
    if largest == 0.0 || p.is_infinite() {
        return largest;
    }
    largest * values.map(|v| (v / largest).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// p/(p − 1).
fn dual(p: f64) -> f64 {
    if p == 1.0 { f64::INFINITY } else { p / (p - 1.0) }
}

/// x ≥ 0 with lp norm 1 and the largest Σ x z; all of it on the first of the largest for p = 1.
fn best(z: &[f64], p: f64) -> Vec<f64> {
    let largest = z.iter().fold(0.0_f64, |a, v| a.max(*v));
    if p == 1.0 || largest <= 0.0 {
        let at = z.iter().position(|v| *v >= largest).unwrap_or(0);
        return (0..z.len()).map(|k| if k == at { 1.0 } else { 0.0 }).collect();
    }
    let powers: Vec<f64> = z.iter().map(|v| (v.max(0.0) / largest).powf(1.0 / (p - 1.0))).collect();
    let size = norm(powers.iter().copied(), p);
    powers.iter().map(|v| v / size).collect()
}

impl Mixed {
    fn part(group: &[usize], values: &[f64]) -> Vec<f64> {
        group.iter().map(|m| values[*m].max(0.0)).collect()
    }

    /// The norm of each group.
    fn sizes(&self, values: &[f64], p: f64) -> Vec<f64> {
        let size = |g: &Vec<usize>| norm(g.iter().map(|m| values[*m].max(0.0)), p);
        self.groups.iter().map(size).collect()
    }

    fn total(&self, weights: &[f64]) -> f64 {
        norm(self.sizes(weights, self.inside).into_iter(), self.outside)
    }

    /// The weights from the norms of the groups and the shares in them, whose norm is 1.
    fn spread(&self, sizes: &[f64], shares: &[Vec<f64>], kernels: usize) -> Vec<f64> {
        let mut weights = vec![0.0; kernels];
        for (g, group) in self.groups.iter().enumerate() {
            for (m, share) in group.iter().zip(&shares[g]) {
                weights[*m] = sizes[g] * share;
            }
        }
        weights
    }

    /// The point of the set with the largest Σ η_m z_m.
    fn corner(&self, z: &[f64]) -> Vec<f64> {
        let shares: Vec<Vec<f64>> =
            self.groups.iter().map(|g| best(&Self::part(g, z), self.inside)).collect();
        let sizes = best(&self.sizes(z, dual(self.inside)), self.outside);
        self.spread(&sizes, &shares, z.len())
    }

    /// The variables x of the model at these weights.
    fn variables(&self, weights: &[f64], forms: &[f64]) -> Vec<Variables> {
        let (r, s) = (self.inside, self.outside);
        let sizes = self.sizes(weights, r);
        let one = |(group, size): (&Vec<usize>, &f64)| {
            let size = *size;
            if size < SMALL && s > 1.0 {
                return Variables { size, total: 0.0, direction: None, kernels: Vec::new() };
            }
            if size == 0.0 && r > 1.0 {
                let direction = Some(best(&Self::part(group, forms), r));
                return Variables { size, total: 0.0, direction, kernels: Vec::new() };
            }
            let total = size.powf(s);
            let share = |m: usize| if size > 0.0 { weights[m] / size } else { 0.0 };
            let kernels: Vec<(usize, f64)> = group
                .iter()
                .filter(|m| r == 1.0 || share(**m) >= SMALL)
                .map(|m| (*m, total * share(*m).powf(r)))
                .collect();
            // Without what is left out.
            let total = kernels.iter().map(|k| k.1).sum();
            Variables { size, total, direction: None, kernels }
        };
        self.groups.iter().zip(&sizes).map(one).collect()
    }
}

/// What moves of a group.
struct Variables {
    /// N_g.
    size: f64,
    /// u_g.
    total: f64,
    /// The shares of a group without weight along which it may come.
    direction: Option<Vec<f64>>,
    /// Kernels and their x.
    kernels: Vec<(usize, f64)>,
}

/// The model in x.
struct Model {
    x: Vec<f64>,
    slope: Vec<f64>,
    hessian: Vec<f64>,
}

impl Mixed {
    fn model(&self, groups: &[Variables], gradient: &[f64], hessian: &[f64]) -> Model {
        let (m, b) = (gradient.len(), 1.0 / self.inside);
        let a = 1.0 / self.outside - b;
        // ∂η_m/∂x_k = own_k δ_mk + along_g[m], g the group of k.
        struct Column {
            group: usize,
            kernel: Option<usize>,
            own: f64,
            x: f64,
        }
        let mut columns: Vec<Column> = Vec::new();
        let mut along = vec![Vec::new(); groups.len()];
        for (g, group) in groups.iter().enumerate() {
            if let Some(direction) = &group.direction {
                along[g] = self.groups[g].iter().copied().zip(direction.iter().copied()).collect();
                columns.push(Column { group: g, kernel: None, own: 0.0, x: 0.0 });
            }
            let (lift, total) = (group.total.powf(a), group.total);
            for (k, x) in &group.kernels {
                let own = b * lift * x.powf(b - 1.0);
                // With one norm for all nothing moves but the kernel; without weight, neither.
                if a != 0.0 && total > 0.0 && *x > 0.0 {
                    along[g].push((*k, a / total * lift * x.powf(b)));
                }
                columns.push(Column { group: g, kernel: Some(*k), own, x: *x });
            }
        }
        let times: Vec<Vec<f64>> = along
            .iter()
            .map(|e| (0..m).map(|k| e.iter().map(|(l, v)| hessian[k * m + l] * v).sum()).collect())
            .collect();
        let inner = |e: &[(usize, f64)], v: &[f64]| e.iter().map(|(k, w)| w * v[*k]).sum::<f64>();
        let both: Vec<Vec<f64>> =
            along.iter().map(|e| times.iter().map(|t| inner(e, t)).collect()).collect();
        let flat: Vec<f64> = along.iter().map(|e| inner(e, gradient)).collect();
        let f = columns.len();
        let (mut slope, mut model) = (vec![0.0; f], vec![0.0; f * f]);
        for (i, c) in columns.iter().enumerate() {
            slope[i] = flat[c.group] + c.kernel.map_or(0.0, |k| c.own * gradient[k]);
            for (j, d) in columns.iter().enumerate() {
                let mut v = both[c.group][d.group];
                v += c.kernel.map_or(0.0, |k| c.own * times[d.group][k]);
                v += d.kernel.map_or(0.0, |l| d.own * times[c.group][l]);
                if let (Some(k), Some(l)) = (c.kernel, d.kernel) {
                    v += c.own * d.own * hessian[k * m + l];
                    let total = groups[c.group].total;
                    if c.group == d.group && a != 0.0 && total > 0.0 {
                        // Σ_m ∂J/∂η_m ∂²η_m/∂x_k∂x_l; a·Σ g_m η_m/u is `flat`.
                        v += (a - 1.0) / total * flat[c.group];
                        v += a / total * (c.own * gradient[k] + d.own * gradient[l]);
                    }
                    if i == j && c.x > 0.0 {
                        v += (b - 1.0) * c.own * gradient[k] / c.x;
                    }
                }
                model[i * f + j] = v;
            }
        }
        Model { x: columns.iter().map(|c| c.x).collect(), slope, hessian: model }
    }
}

/// v times the factor of a step to `to`, within bounds.
fn moved(v: f64, to: f64) -> f64 {
    v * ((to - v) / v).clamp(-FARTHEST, FARTHEST).exp()
}

impl Set for Mixed {
    fn first(&self, kernels: usize) -> Vec<f64> {
        let ones = vec![1.0; kernels];
        let sizes = self.sizes(&ones, self.inside);
        let even = (self.groups.len() as f64).powf(-1.0 / self.outside);
        let shares: Vec<Vec<f64>> =
            self.groups.iter().zip(&sizes).map(|(g, n)| vec![1.0 / n; g.len()]).collect();
        self.spread(&vec![even; sizes.len()], &shares, kernels)
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        let total = self.total(weights);
        weights.iter().map(|w| w / total).collect()
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        let sizes = self.sizes(half_forms, dual(self.inside));
        norm(sizes.into_iter(), dual(self.outside))
    }

    /// The direction that stays on the set to first order.
    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let sizes = self.sizes(weights, self.inside);
        let outward: f64 = self
            .groups
            .iter()
            .zip(&sizes)
            .map(|(group, size)| {
                if *size == 0.0 {
                    let new = norm(group.iter().map(|m| direction[*m].max(0.0)), self.inside);
                    return if self.outside == 1.0 { new } else { 0.0 };
                }
                let terms = group
                    .iter()
                    .map(|m| (weights[*m] / size).powf(self.inside - 1.0) * direction[*m]);
                size.powf(self.outside - 1.0) * terms.sum::<f64>()
            })
            .sum();
        let terms = weights.iter().zip(gradient).zip(direction);
        terms.map(|((w, g), d)| g * (d - w * outward)).sum()
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (r, s) = (self.inside, self.outside);
        let forms: Vec<f64> = gradient.iter().map(|g| (-2.0 * g).max(0.0)).collect();
        let groups = self.variables(weights, &forms);
        let model = self.model(&groups, gradient, hessian);
        let sum: f64 = model.x.iter().sum();
        let start: Vec<f64> = model.x.iter().map(|x| x / sum).collect();
        let (target, decrease) = minimize_on_simplex(&start, &model.slope, &model.hessian);
        let duals = self.sizes(&forms, dual(r));
        let level: f64 = groups.iter().zip(&duals).map(|(g, q)| g.size * q).sum();
        let (mut sizes, mut shares) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (g, group) in groups.iter().enumerate() {
            let of_all = &self.groups[g];
            if let Some(direction) = &group.direction {
                sizes.push(target[at]);
                shares.push(direction.clone());
                at += 1;
                continue;
            }
            let count = group.kernels.len();
            let to = &target[at..at + count];
            at += count;
            if count == 0 {
                // Too small to be moved: where the optimality conditions put it.
                let size = if level > 0.0 { (duals[g] / level).powf(1.0 / (s - 1.0)) } else { 0.0 };
                sizes.push(size.min(1.0));
                shares.push(best(&Self::part(of_all, &forms), r));
                continue;
            }
            let total: f64 = to.iter().sum();
            let total = if s > 1.0 { moved(group.total, total) } else { total };
            sizes.push(total.powf(1.0 / s));
            let mut share: Vec<f64> = vec![0.0; of_all.len()];
            if r > 1.0 {
                let within: f64 = of_all.iter().map(|m| weights[*m] * forms[*m]).sum();
                for (v, m) in share.iter_mut().zip(of_all) {
                    let ratio = if within > 0.0 { forms[*m] * group.size / within } else { 0.0 };
                    *v = ratio.powf(1.0 / (r - 1.0)).min(1.0);
                }
            }
            let mut places = of_all.iter().enumerate();
            for ((k, x), t) in group.kernels.iter().zip(to) {
                let moved = if r > 1.0 { moved(*x / sum, *t) } else { *t };
                if let Some((place, _)) = places.find(|(_, m)| *m == k) {
                    share[place] = moved.powf(1.0 / r) * group.total.powf(-1.0 / r);
                }
            }
            let size = norm(share.iter().copied(), r);
            if size > 0.0 {
                share.iter_mut().for_each(|v| *v /= size);
            }
            shares.push(share);
        }
        let found = self.spread(&sizes, &shares, weights.len());
        Proposal { weights: self.onto(&found), decrease, far: false }
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let norms = norms(weights, gradient);
        let largest = norms.iter().fold(0.0_f64, |a, v| a.max(*v));
        if largest <= 0.0 {
            return Proposal { weights: weights.to_vec(), decrease: 0.0, far: false };
        }
        let a = 2.0 * self.inside / (self.inside + 1.0);
        let b = 2.0 * self.outside / (self.outside + 1.0);
        let roots: Vec<f64> = norms.iter().map(|v| (v / largest).sqrt()).collect();
        let mut found = vec![0.0; weights.len()];
        for (group, size) in self.groups.iter().zip(self.sizes(&roots, a)) {
            for m in group.iter().filter(|m| roots[**m] > 0.0) {
                found[*m] = roots[*m].powf(2.0 - a) * size.powf(a - b);
            }
        }
        let found = self.onto(&found);
        Proposal {
            decrease: cost(&norms, weights) - cost(&norms, &found),
            weights: found,
            far: false,
        }
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        let half: Vec<f64> = gradient.iter().map(|g| (-g).max(0.0)).collect();
        let bound = self.majorised(weights, gradient);
        towards_corner(bound, self.corner(&half), weights, gradient)
    }

    fn drops(&self) -> bool {
        self.inside == 1.0 || self.outside == 1.0
    }
}
