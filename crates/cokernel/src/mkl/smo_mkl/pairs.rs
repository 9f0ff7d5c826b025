//! The pair steps of SMO-MKL.

use crate::Watch;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::machine::Role;
use crate::mkl::sets::squared::Norm;
use crate::run::Pass;

/// Steps between two looks at the gap, at least, and for each instance.
const LOOK: usize = 100;
/// Steps after which images are computed anew, for each instance: their rounding adds up.
const AGAIN: usize = 50;
/// Most steps of one descent, for each instance.
const MOST: usize = 2_000;
/// Trials along one pair.
const TRIALS: usize = 60;

/// One binary problem.
#[derive(Debug)]
pub(super) struct Part {
    /// y, 0 for instances that take no part.
    signs: Vec<f64>,
    costs: Vec<f64>,
    /// c.
    pub coef: Vec<f64>,
    /// K_m c, kernel by kernel.
    images: Vec<Vec<f64>>,
    /// cᵀ K_m c.
    forms: Vec<f64>,
}

impl Part {
    pub fn new(codes: &[u32], role: Role, costs: &[f64], coef: &[f64]) -> Self {
        let signs = codes.iter().map(|code| role.sign(*code)).collect();
        let (costs, coef) = (costs.to_vec(), coef.to_vec());
        Part { signs, costs, coef, images: Vec::new(), forms: Vec::new() }
    }

    /// Lower and upper bound of c_i.
    fn bounds(&self, i: usize) -> (f64, f64) {
        let end = self.signs[i] * self.costs[i];
        (end.min(0.0), end.max(0.0))
    }

    /// Σ d_m K_m c.
    fn combined(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.coef.len()];
        for (image, w) in self.images.iter().zip(weights) {
            sum.iter_mut().zip(image).for_each(|(s, v)| *s += w * v);
        }
        sum
    }
}

/// A pair (i, j) of one part: c_i goes up, c_j down.
struct Pair {
    part: usize,
    up: usize,
    down: usize,
    slope: f64,
    reach: f64,
}

/// The coefficients of all parts, with rows of kernels that were read.
pub(super) struct Search<'a> {
    bank: &'a Bank,
    pub norm: Norm,
    pub parts: Vec<Part>,
    pub steps: u64,
    /// Rows of all kernels, n after n, of instances that were read; the oldest go first.
    rows: Vec<Option<Vec<f64>>>,
    kept: std::collections::VecDeque<usize>,
    room: usize,
}

impl<'a> Search<'a> {
    pub fn new(bank: &'a Bank, norm: Norm, parts: Vec<Part>, memory: usize) -> Self {
        let n = bank.n();
        let room = (memory / (8 * n * bank.len()).max(1)).max(4);
        let (rows, kept) = (vec![None; n], std::collections::VecDeque::new());
        Search { bank, norm, parts, steps: 0, rows, kept, room }
    }

    /// q_m of all parts together.
    fn forms(&self) -> Vec<f64> {
        let kernels = self.bank.len();
        (0..kernels).map(|m| self.parts.iter().map(|p| p.forms[m]).sum()).collect()
    }

    /// d.
    pub fn weights(&self) -> Vec<f64> {
        self.norm.weights(&self.forms())
    }

    /// D(α).
    pub fn dual(&self) -> f64 {
        let gain = |p: &Part| p.coef.iter().zip(&p.signs).map(|(c, y)| c * y).sum::<f64>();
        self.parts.iter().map(gain).sum::<f64>() - self.norm.conjugate(&self.forms())
    }

    /// Images and forms from the coefficients.
    fn renew(&mut self, watch: &Watch) {
        let pass = Pass::under(watch);
        let n = self.bank.n();
        let block = Matrix::from_fn(n, self.parts.len(), |i, u| self.parts[u].coef[i]);
        let products: Vec<Matrix> =
            (0..self.bank.len()).map(|m| self.bank.apply_in(m, &block, &pass)).collect();
        for (u, part) in self.parts.iter_mut().enumerate() {
            let column = |k: &Matrix| (0..n).map(|i| k.get(i, u)).collect();
            part.images = products.iter().map(column).collect();
        }
        for part in &mut self.parts {
            let form = |image: &Vec<f64>| image.iter().zip(&part.coef).map(|(v, c)| v * c).sum();
            part.forms = part.images.iter().map(form).collect();
        }
    }

    fn read(&mut self, i: usize) {
        if self.rows[i].is_some() {
            return;
        }
        if self.kept.len() >= self.room
            && let Some(oldest) = self.kept.pop_front()
        {
            self.rows[oldest] = None;
        }
        let n = self.bank.n();
        let mut values = vec![0.0; n * self.bank.len()];
        for (m, out) in values.chunks_exact_mut(n).enumerate() {
            self.bank.row(m, i, out);
        }
        self.rows[i] = Some(values);
        self.kept.push_back(i);
    }

    /// Steps until the gap is at most `limit`; false if a limit on steps or a stop came first, or no pair is left.
    pub fn descend(&mut self, limit: f64, watch: &Watch) -> bool {
        let n = self.bank.n();
        self.renew(watch);
        for step in 0..MOST * n {
            let weights = self.weights();
            if step % (LOOK + n) == 0 {
                if watch.stop().is_some() {
                    return false;
                }
                if step > 0 && step % (AGAIN * (LOOK + n)) == 0 {
                    self.renew(watch);
                }
                if self.gap(&weights) <= limit {
                    self.renew(watch);
                    return true;
                }
            }
            let Some(pair) = self.pair(&weights) else {
                self.renew(watch);
                return false;
            };
            self.go(&pair);
            self.steps += 1;
        }
        self.renew(watch);
        false
    }

    /// The relative gap, with b in the middle of what the coefficients leave open.
    fn gap(&self, weights: &[f64]) -> f64 {
        let mut upper = self.norm.penalty(weights);
        for part in &self.parts {
            let f = part.combined(weights);
            let (up, down) = violations(part, &f);
            let bias = match (up, down) {
                (Some((_, a)), Some((_, b))) => 0.5 * (a + b),
                (Some((_, a)), None) | (None, Some((_, a))) => a,
                (None, None) => 0.0,
            };
            upper += 0.5 * f.iter().zip(&part.coef).map(|(f, c)| f * c).sum::<f64>();
            for (i, y) in part.signs.iter().enumerate() {
                upper += y.abs() * part.costs[i] * (1.0 - y * (f[i] + bias)).max(0.0);
            }
        }
        (upper - self.dual()) / upper.abs().max(f64::MIN_POSITIVE)
    }

    /// The pair of all parts that violates the conditions most, with the partner that gains most.
    fn pair(&mut self, weights: &[f64]) -> Option<Pair> {
        let n = self.bank.n();
        let mut best: Option<(f64, usize, usize, Vec<f64>)> = None;
        for (u, part) in self.parts.iter().enumerate() {
            let f = part.combined(weights);
            let (Some((i, high)), Some((_, low))) = violations(part, &f) else { continue };
            if best.as_ref().is_none_or(|b| high - low > b.0) {
                best = Some((high - low, u, i, f));
            }
        }
        let (violation, u, up, f) = best?;
        if violation.is_nan() || violation <= 1e-15 {
            return None;
        }
        self.read(up);
        let mut row = vec![0.0; n];
        let values = self.rows[up].as_ref()?;
        for (line, w) in values.chunks_exact(n).zip(weights) {
            row.iter_mut().zip(line).for_each(|(r, v)| *r += w * v);
        }
        let own = |i: usize| -> f64 {
            weights.iter().enumerate().map(|(m, w)| w * self.bank.own(m, i)).sum()
        };
        let part = &self.parts[u];
        let high = part.signs[up] - f[up];
        let first = own(up);
        let (mut gain, mut found) = (0.0, None);
        for j in 0..n {
            let (lower, _) = part.bounds(j);
            let slope = high - (part.signs[j] - f[j]);
            if j == up || part.signs[j] == 0.0 || part.coef[j] <= lower || slope <= 0.0 {
                continue;
            }
            let bend = (first + own(j) - 2.0 * row[j]).max(1e-12 * (first + own(j)));
            let value = if bend > 0.0 { slope * slope / bend } else { f64::INFINITY };
            if value > gain {
                (gain, found) = (value, Some((j, slope)));
            }
        }
        let (down, slope) = found?;
        let reach = (part.bounds(up).1 - part.coef[up]).min(part.coef[down] - part.bounds(down).0);
        Some(Pair { part: u, up, down, slope, reach })
    }

    /// Goes along a pair to where D is largest.
    fn go(&mut self, pair: &Pair) {
        let (n, kernels) = (self.bank.n(), self.bank.len());
        self.read(pair.down);
        // Reading the second row can push out the first where hardly any fit.
        self.read(pair.up);
        let forms = self.forms();
        let part = &self.parts[pair.part];
        let (i, j) = (pair.up, pair.down);
        let along: Vec<f64> = (0..kernels).map(|m| part.images[m][i] - part.images[m][j]).collect();
        let bend: Vec<f64> = (0..kernels)
            .map(|m| {
                let diagonal = self.bank.diagonal(m);
                let beside = self.rows[i].as_ref().map_or(0.0, |r| r[m * n + j]);
                (diagonal[i] + diagonal[j] - 2.0 * beside).max(0.0)
            })
            .collect();
        let moved = |t: f64| -> Vec<f64> {
            (0..kernels).map(|m| forms[m] + t * (2.0 * along[m] + t * bend[m])).collect()
        };
        let linear = part.signs[i] - part.signs[j];
        let slope = |t: f64| -> f64 {
            let weights = self.norm.weights(&moved(t));
            linear - (0..kernels).map(|m| weights[m] * (along[m] + t * bend[m])).sum::<f64>()
        };
        let mut step = pair.reach;
        let mut high = slope(step);
        if high < 0.0 {
            // Regula falsi, an end that stays twice counts half (Illinois).
            let (mut a, mut b, mut low, mut side) = (0.0, pair.reach, pair.slope, 0);
            for _ in 0..TRIALS {
                step = (a * high - b * low) / (high - low);
                if !(step > a && step < b) {
                    step = 0.5 * (a + b);
                }
                let here = slope(step);
                if here.abs() <= 1e-12 * pair.slope || b - a <= 1e-15 * b {
                    break;
                }
                if here > 0.0 {
                    (a, low) = (step, here);
                    if side == 1 {
                        high *= 0.5;
                    }
                    side = 1;
                } else {
                    (b, high) = (step, here);
                    if side == -1 {
                        low *= 0.5;
                    }
                    side = -1;
                }
            }
        }
        let forms = moved(step);
        let before = self.forms();
        let (first, second) = (self.rows[i].take(), self.rows[j].take());
        let part = &mut self.parts[pair.part];
        let (up, down) = (part.bounds(i).1, part.bounds(j).0);
        part.coef[i] = if step >= up - part.coef[i] { up } else { part.coef[i] + step };
        part.coef[j] = if step >= part.coef[j] - down { down } else { part.coef[j] - step };
        for m in 0..kernels {
            part.forms[m] += forms[m] - before[m];
        }
        if let (Some(first), Some(second)) = (&first, &second) {
            let lines = first.chunks_exact(n).zip(second.chunks_exact(n));
            for (image, (a, b)) in part.images.iter_mut().zip(lines) {
                for (v, (a, b)) in image.iter_mut().zip(a.iter().zip(b)) {
                    *v += step * (a - b);
                }
            }
        }
        (self.rows[i], self.rows[j]) = (first, second);
    }
}

/// The instance whose coefficient gains most by going up with its y − f, and the one that gains most by going down.
#[allow(clippy::type_complexity)]
fn violations(part: &Part, f: &[f64]) -> (Option<(usize, f64)>, Option<(usize, f64)>) {
    let (mut up, mut down): (Option<(usize, f64)>, Option<(usize, f64)>) = (None, None);
    for (i, y) in part.signs.iter().enumerate() {
        if *y == 0.0 {
            continue;
        }
        let (lower, upper) = part.bounds(i);
        let value = y - f[i];
        if part.coef[i] < upper && up.is_none_or(|(_, v)| value > v) {
            up = Some((i, value));
        }
        if part.coef[i] > lower && down.is_none_or(|(_, v)| value < v) {
            down = Some((i, value));
        }
    }
    (up, down)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;
    use rand::RngExt;

    /// Every step gains, the images and forms stay those of the coefficients, and they stay feasible.
    #[test]
    fn steps_gain() {
        let mut rng = crate::Run::with_seed(6).rng("pairs tests");
        let n = 24;
        let kernels = (0..3)
            .map(|m| {
                let x: Vec<f64> = (0..n).map(|_| 2.0 * rng.random::<f64>()).collect();
                let k = Matrix::from_fn(n, n, |i, j| (-(x[i] - x[j]).powi(2)).exp());
                (format!("k{m}"), k)
            })
            .collect();
        let bank = Bank::from_matrices(kernels, Storage::Resident).unwrap();
        let codes: Vec<u32> = (0..n).map(|i| (i % 2) as u32).collect();
        let role = Role::Classes { positive: 1, negative: None };
        for p in [1.1, 2.0, 5.0] {
            let norm = Norm { p, lambda: 0.7 };
            let part = Part::new(&codes, role, &vec![2.0; n], &vec![0.0; n]);
            let mut search = Search::new(&bank, norm, vec![part], 1 << 20);
            search.renew(&crate::Run::default().watch());
            let mut before = search.dual();
            for step in 0..200 {
                let weights = search.weights();
                let Some(pair) = search.pair(&weights) else { break };
                search.go(&pair);
                let after = search.dual();
                assert!(after >= before - 1e-12, "p = {p}, step {step}: {before} {after}");
                before = after;
            }
            let part = &search.parts[0];
            assert!(part.coef.iter().sum::<f64>().abs() < 1e-12);
            for i in 0..n {
                let (low, high) = part.bounds(i);
                assert!((low..=high).contains(&part.coef[i]));
            }
            let (images, forms) = (part.images.clone(), part.forms.clone());
            search.renew(&crate::Run::default().watch());
            for m in 0..3 {
                assert!((forms[m] - search.parts[0].forms[m]).abs() < 1e-10);
                for (a, b) in images[m].iter().zip(&search.parts[0].images[m]) {
                    assert!((a - b).abs() < 1e-10);
                }
            }
            let weights = search.weights();
            assert!(search.gap(&weights) < 1e-2, "{}", search.gap(&weights));
        }
    }
}
