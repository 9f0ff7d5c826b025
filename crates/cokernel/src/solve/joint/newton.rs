//! Newton steps on the α_il inside their bounds, where blocks crawl and interior points are too dear or end short of the
//! tolerance: posteriors with margins near 0, classes that overlap, a large C.
//!
//! With F the α inside their bounds, H_(il)(jm) = K_ij ([y_i = y_j] − [y_i = m] − [l = y_j] + [l = m]), A the rows e_{y_i} − e_l,
//! g the slopes m_il − f_y + f_l without b and r the sums of all c,
//!
//! ```text
//! d = H_FF⁻¹ (g − A b),      AᵀH_FF⁻¹A b = AᵀH_FF⁻¹g + r
//! ```
//!
//! goes to the optimum on F with the sums 0. A step ends at the first bound, which its α then keeps; after a whole step those
//! at a bound that violate their conditions most come in. The objective never falls. Cost of a step: |F|³/3 and |F|² entries of K.

use super::State;
use crate::Watch;
use cokernel_dense::Cholesky;
use std::collections::HashMap;

/// The most α inside their bounds.
const LARGEST: usize = 1500;
/// Steps at most, and operations where nothing else is left to do.
const STEPS: usize = 2000;
pub(super) const WORK: f64 = 4e10;
/// What violates its condition by less of the largest margin does not.
const FLOOR: f64 = 1e-11;
/// How many come in after a whole step, as a part of those inside.
const SHARE: f64 = 0.05;
/// Parts of C, and of the mean of α, by which an α is at its bound.
const NEAR: f64 = 1e-9;
const NOTHING: f64 = 1e-9;

/// α_il: its instance, own class and l.
#[derive(Clone, Copy)]
struct Place {
    i: usize,
    y: usize,
    l: usize,
}

impl State<'_> {
    /// α and b of the end; none where more are inside their bounds than can be factored, and after a stop.
    /// `most`: operations at most.
    pub(super) fn newton(&self, most: f64, watch: &Watch) -> Option<(Vec<f64>, Vec<f64>)> {
        let (n, k) = (self.n, self.k);
        let mut alpha = self.alpha.clone();
        let mean = alpha.iter().sum::<f64>() / alpha.len().max(1) as f64;
        let mut inside: Vec<Place> = Vec::new();
        for i in 0..n {
            let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
            for l in (0..k).filter(|l| *l != y) {
                let a = &mut alpha[i * k + l];
                match *a {
                    v if v <= NOTHING * mean.min(cost) => *a = 0.0,
                    v if v >= (1.0 - NEAR) * cost => *a = cost,
                    _ => inside.push(Place { i, y, l }),
                }
            }
        }
        let floor = FLOOR * self.largest_margin();
        let mut lines: HashMap<usize, Vec<f64>> = HashMap::new();
        let mut products = self.products_of(&alpha);
        let (mut work, mut bias, mut batch) = (0.0, vec![0.0; k], usize::MAX);
        // What the ridge of a factor leaves of the slopes inside.
        let mut left = f64::INFINITY;
        for _ in 0..STEPS {
            if inside.is_empty() || inside.len() > LARGEST || watch.stop().is_some() {
                return None;
            }
            work += (inside.len() as f64).powi(3) / 3.0;
            if work > most {
                break;
            }
            for place in &inside {
                lines.entry(place.i).or_insert_with(|| self.line(place.i));
            }
            let slope =
                |p: &Place, f: &[f64]| self.margin(p.i, p.l) - f[p.y * n + p.i] + f[p.l * n + p.i];
            let (step, b) = self.step(&inside, &lines, &alpha, |p| slope(p, &products))?;
            // To the first bound.
            let reach = |(p, d): (&Place, &f64)| {
                let a = alpha[p.i * k + p.l];
                let room = if *d > 0.0 { self.p.costs[p.i] - a } else { a };
                if *d == 0.0 { f64::INFINITY } else { room / d.abs() }
            };
            let reaches: Vec<f64> = inside.iter().zip(&step).map(reach).collect();
            let t = reaches.iter().fold(1.0_f64, |t, r| t.min(*r));
            for (p, d) in inside.iter().zip(&step) {
                let change = t * d;
                let a = &mut alpha[p.i * k + p.l];
                *a = (*a + change).clamp(0.0, self.p.costs[p.i]);
                let line = &lines[&p.i];
                for (class, change) in [(p.y, change), (p.l, -change)] {
                    let f = &mut products[class * n..(class + 1) * n];
                    f.iter_mut().zip(line).for_each(|(f, v)| *f += change * v);
                }
            }
            bias = b;
            if t < 1.0 {
                if t == 0.0 {
                    batch = 1;
                }
                let mut at = reaches.iter();
                inside.retain(|p| {
                    let stays = at.next().is_some_and(|r| *r > t * (1.0 + 1e-12));
                    if !stays {
                        let (a, cost) = (&mut alpha[p.i * k + p.l], self.p.costs[p.i]);
                        *a = if *a > 0.5 * cost { cost } else { 0.0 };
                    }
                    stays
                });
                continue;
            }
            // A whole step: what rounding left in the products goes.
            products = self.products_of(&alpha);
            let mut wrong: Vec<(f64, Place)> = Vec::new();
            for i in 0..n {
                let (y, cost) = (self.p.codes[i] as usize, self.p.costs[i]);
                for l in (0..k).filter(|l| *l != y && cost > 0.0) {
                    let place = Place { i, y, l };
                    let here = slope(&place, &products) - bias[y] + bias[l];
                    let excess = match alpha[i * k + l] {
                        0.0 => here,
                        a if a == cost => -here,
                        _ => 0.0,
                    };
                    if excess > floor {
                        wrong.push((excess, place));
                    }
                }
            }
            let rest = |p: &Place| (slope(p, &products) - bias[p.y] + bias[p.l]).abs();
            let now = inside.iter().map(rest).fold(0.0, f64::max);
            if wrong.is_empty() && (now <= floor || now > 0.5 * left) {
                break;
            }
            left = now;
            wrong.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
            let most = ((SHARE * inside.len() as f64) as usize).clamp(1, batch);
            inside.extend(wrong.into_iter().take(most).map(|(_, place)| place));
            batch = batch.saturating_mul(2);
        }
        let finite = alpha.iter().chain(&bias).all(|v| v.is_finite());
        finite.then_some((alpha, bias))
    }

    /// d and b.
    fn step(
        &self,
        inside: &[Place],
        lines: &HashMap<usize, Vec<f64>>,
        alpha: &[f64],
        slope: impl Fn(&Place) -> f64,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let (f, k) = (inside.len(), self.k);
        let one = |same: bool| f64::from(u8::from(same));
        let mut matrix = vec![0.0; f * f];
        for (row, p) in matrix.chunks_mut(f).zip(inside) {
            let line = &lines[&p.i];
            for (out, q) in row.iter_mut().zip(inside) {
                let sign = one(p.y == q.y) - one(p.y == q.l) - one(p.l == q.y) + one(p.l == q.l);
                *out = sign * line[q.i];
            }
        }
        let factor = Cholesky::with_ridge(f, &matrix)?;
        let row = |p: &Place, class: usize| one(p.y == class) - one(p.l == class);
        let mut sides: Vec<f64> = inside.iter().map(&slope).collect();
        for class in 0..k {
            sides.extend(inside.iter().map(|p| row(p, class)));
        }
        factor.solve(&mut sides, 1 + k);
        let columns: Vec<&[f64]> = sides.chunks(f).collect();
        let along = |class: usize, column: &[f64]| -> f64 {
            inside.iter().zip(column).map(|(p, v)| row(p, class) * v).sum()
        };
        let mut bias: Vec<f64> = (0..k)
            .map(|a| {
                let sum: f64 = (0..self.n).map(|i| self.coefficient(alpha, i, a)).sum();
                along(a, columns[0]) + sum
            })
            .collect();
        let sums: Vec<f64> =
            (0..k * k).map(|place| along(place / k, columns[1 + place % k])).collect();
        // One of the sums follows from the others.
        Cholesky::with_ridge(k, &sums)?.solve(&mut bias, 1);
        let mut step = columns[0].to_vec();
        for (column, b) in columns[1..].iter().zip(&bias) {
            step.iter_mut().zip(*column).for_each(|(s, v)| *s -= b * v);
        }
        step.iter().chain(&bias).all(|v| v.is_finite()).then_some((step, bias))
    }

    /// K c_l of these α, one class after the other.
    fn products_of(&self, alpha: &[f64]) -> Vec<f64> {
        let mut products = vec![0.0; self.n * self.k];
        for (l, out) in products.chunks_mut(self.n.max(1)).enumerate() {
            let coef: Vec<f64> = (0..self.n).map(|i| self.coefficient(alpha, i, l)).collect();
            self.p.rows.multiply(&coef, out);
        }
        products
    }

    /// Row i of K, exactly.
    fn line(&self, i: usize) -> Vec<f64> {
        if let Some(row) = self.p.rows.stored_row(i) {
            return row.to_vec();
        }
        let (mut one, mut row) = (vec![0.0; self.n], vec![0.0; self.n]);
        one[i] = 1.0;
        self.p.rows.multiply(&one, &mut row);
        row
    }
}
