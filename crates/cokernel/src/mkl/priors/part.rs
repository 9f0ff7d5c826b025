//! One binary problem: its machine at given (σ, μ), derivatives and bounds.

use super::penalty::{Penalty, excess};
use crate::bank::{Bank, Gram};
use crate::run::Pass;
use crate::solve::Rows;
use crate::solve::boxed::{Boxed, boxed};
use crate::solve::smo::Settings;
use crate::solve::solved::Solved;
use crate::{Counts, Status, Watch};
use cokernel_dense::Cholesky;

/// How near to its bound a coefficient counts as being there.
const NEAR: f64 = 1e-9;

/// The problem.
pub(super) struct Part<'a> {
    pub bank: &'a Bank,
    /// What kernels are divided by.
    pub unit: f64,
    /// 1, −1; 0 for instances of neither class.
    pub y: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// f_m of all instances; none without the prior.
    pub values: Vec<&'a [f64]>,
    pub gamma: f64,
    pub penalty: Penalty,
    pub tol: f64,
    pub max_iterations: usize,
    pub settings: Settings,
}

/// What was learned about it.
#[derive(Debug)]
pub(super) struct Fitted {
    pub sigma: Vec<f64>,
    pub mu: Vec<f64>,
    pub machine: Solved,
    pub status: Status,
    /// The upper bound after each iteration, and a lower bound then.
    pub objective: Vec<f64>,
    pub lower: Vec<f64>,
    pub counts: Counts,
    pub at_bound: (usize, usize),
}

/// (σ, μ) with its machine.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub sigma: Vec<f64>,
    pub mu: Vec<f64>,
    pub machine: Solved,
}

/// What the machine of a point says of other weights.
pub(super) struct Forms {
    /// q_m and v_m.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// F.
    pub free: Vec<u32>,
    /// (K_m x)_F, kernel by kernel, then (f_m)_F.
    pub sides: Vec<f64>,
}

impl Part<'_> {
    /// n.
    pub fn n(&self) -> usize {
        self.y.len()
    }

    /// The combined kernel, stored in `gram` where there is one.
    pub fn combine<'b>(
        &'b self,
        weights: &'b [f64],
        gram: Option<&'b mut Gram>,
        watch: &Watch,
    ) -> Box<dyn Rows + 'b> {
        match gram {
            Some(gram) => {
                self.bank.combine_into_in(weights, gram, &Pass::under(watch));
                Box::new(Borrowed(gram))
            }
            None => self.bank.combined_rows(weights),
        }
    }

    /// What a kernel weight becomes in the sum of the given kernels.
    pub fn scaled(&self, sigma: &[f64]) -> Vec<f64> {
        sigma.iter().map(|s| s / self.unit).collect()
    }

    /// t = y − Σ μ_m f_m.
    pub fn linear(&self, mu: &[f64]) -> Vec<f64> {
        let mut t = self.y.clone();
        for (mu, values) in mu.iter().zip(&self.values) {
            t.iter_mut().zip(*values).for_each(|(t, f)| *t -= mu * f);
        }
        t
    }

    /// The machine on a sum of kernels.
    pub fn solve(
        &self,
        rows: &dyn Rows,
        sigma: &[f64],
        mu: &[f64],
        warm: Option<&[f64]>,
        tol: f64,
        watch: &Watch,
    ) -> Solved {
        let linear = self.linear(mu);
        let problem = Boxed {
            rows,
            constant: sigma.iter().sum(),
            linear: &linear,
            lower: &self.lower,
            upper: &self.upper,
        };
        boxed(&problem, warm, &Settings { tol, ..self.settings }, watch)
    }

    /// Ω(σ) + Σ (γμ − log γμ − 1).
    pub fn cost(&self, sigma: &[f64], mu: &[f64]) -> f64 {
        self.penalty.value(sigma) + mu.iter().map(|m| excess(self.gamma * m)).sum::<f64>()
    }

    /// The upper bound of a point.
    pub fn upper(&self, point: &Point) -> f64 {
        self.cost(&point.sigma, &point.mu) + point.machine.primal
    }

    /// Derivatives at the coefficients x; `None` after a stop.
    pub fn forms(&self, x: &[f64], watch: &Watch) -> Option<Forms> {
        let inside = |i: &usize| {
            let (x, c) = (x[*i].abs(), self.upper[*i] - self.lower[*i]);
            x > NEAR * c && x < (1.0 - NEAR) * c
        };
        let free: Vec<u32> = (0..self.n()).filter(inside).map(|i| i as u32).collect();
        let total: f64 = x.iter().sum();
        let mut q = vec![0.0; self.bank.len()];
        let mut sides = Vec::with_capacity(free.len() * (q.len() + self.values.len()));
        let pass = Pass::under(watch);
        self.bank.products_in(&[x], &pass, |m, _, product| {
            let form: f64 = product.iter().zip(x).map(|(p, x)| p * x).sum();
            q[m] = (form / self.unit + total * total).max(0.0);
            sides.extend(free.iter().map(|i| product[*i as usize] / self.unit + total));
        });
        if pass.is_given_up() {
            return None;
        }
        let votes = |f: &&[f64]| f.iter().zip(x).map(|(f, x)| f * x).sum();
        let v = self.values.iter().map(votes).collect();
        self.values.iter().for_each(|f| sides.extend(free.iter().map(|i| f[*i as usize])));
        Some(Forms { q, v, free, sides })
    }

    /// The largest lower bound on the ray from 0 to the coefficients: −g(sα), s ≤ 1, with Σα given. Concave in s.
    pub fn lower_bound(&self, gain: f64, forms: &Forms) -> f64 {
        let at = |s: f64| {
            let conjugate = self.penalty.conjugate(forms.q.iter().map(|q| 0.5 * s * s * q));
            let log = |v: &f64| {
                let t = s * v / self.gamma;
                if t < 1.0 { (-t).ln_1p() } else { f64::NEG_INFINITY }
            };
            s * gain - conjugate + forms.v.iter().map(log).sum::<f64>()
        };
        let one = at(1.0);
        // Golden section; minus infinity beyond the domain.
        let part = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut from, mut to) = (0.0, 1.0);
        let (mut a, mut b) = (1.0 - part, part);
        let (mut fa, mut fb) = (at(a), at(b));
        let mut best = one.max(0.0);
        for _ in 0..60 {
            best = best.max(fa).max(fb);
            if fa < fb {
                (from, a, fa) = (a, b, fb);
                b = from + part * (to - from);
                fb = at(b);
            } else {
                (to, b, fb) = (b, a, fa);
                a = to - part * (to - from);
                fa = at(a);
            }
        }
        best
    }

    /// Gradient of Ω + Σ(γμ − log γμ − 1) + S.
    pub fn gradient(&self, sigma: &[f64], mu: &[f64], forms: &Forms) -> Vec<f64> {
        let of_sigma = |(s, q): (&f64, &f64)| self.penalty.derivatives(*s).0 - 0.5 * q;
        let of_mu = |(m, v): (&f64, &f64)| self.gamma - 1.0 / m - v;
        sigma.iter().zip(&forms.q).map(of_sigma).chain(mu.iter().zip(&forms.v).map(of_mu)).collect()
    }

    /// Its Hessian, (M + M) × (M + M) or M × M, from that of S.
    pub fn hessian(&self, mut curvature: Vec<f64>, point: &Point) -> Vec<f64> {
        let second = point.sigma.iter().map(|s| self.penalty.derivatives(*s).1);
        let size = point.sigma.len() + point.mu.len();
        let all = second.chain(point.mu.iter().map(|m| 1.0 / (m * m)));
        all.enumerate().for_each(|(k, d)| curvature[k * size + k] += d);
        curvature
    }

    /// The Hessian of S; `None` where the factorisation failed.
    pub fn curvature(&self, rows: &dyn Rows, point: &Point, forms: &Forms) -> Option<Vec<f64>> {
        let (sigma, mu) = (&point.sigma, &point.mu);
        let (size, f) = (sigma.len() + mu.len(), forms.free.len());
        let mut hessian = vec![0.0; size * size];
        if f > 0 {
            let total: f64 = sigma.iter().sum();
            let mut block = Vec::with_capacity(f * f);
            let mut room = vec![0.0; self.n()];
            for i in &forms.free {
                let row = rows.row(*i as usize, &mut room);
                block.extend(forms.free.iter().map(|j| row[*j as usize] + total));
            }
            let factor = Cholesky::with_ridge(f, &block)?;
            let mut sides = forms.sides.clone();
            factor.forward(&mut sides, size);
            let all = cokernel_dense::Slice::new(&sides, size, f);
            cokernel_dense::product_nt(all, all, &mut hessian);
        }
        Some(hessian)
    }

    /// Of the instances that take part, those at their bound, and all.
    pub fn at_bound(&self, x: &[f64]) -> (usize, usize) {
        let taking = (0..self.n()).filter(|i| self.upper[*i] > self.lower[*i]);
        let size = |i: &usize| self.upper[*i] - self.lower[*i];
        let at = taking.clone().filter(|i| x[*i].abs() >= (1.0 - NEAR) * size(i)).count();
        (at, taking.count())
    }
}

/// A stored matrix, as rows.
struct Borrowed<'a>(&'a Gram);

impl Rows for Borrowed<'_> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn terms(&self) -> usize {
        self.0.terms()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.0.diagonal()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        self.0.fill(i, columns, out);
    }

    fn stored_row(&self, i: usize) -> Option<&[f64]> {
        self.0.stored_row(i)
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        self.0.multiply(coef, out);
    }
}
