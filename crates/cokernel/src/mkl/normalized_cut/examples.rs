//! Examples: what groups of instances say of each kernel, and (7) and (13) of them.

use super::NormalizedCut;
use crate::Run;
use crate::bank::Bank;
use crate::data::Classes;
use crate::run::Pass;
use rand::seq::SliceRandom;

/// What a group of instances says of each kernel for one class against the rest.
pub(super) struct Example {
    pub u: Vec<f64>,
    pub v: Vec<f64>,
}

impl NormalizedCut {
    /// The examples of one group.
    pub(super) fn examples(
        &self,
        bank: &Bank,
        classes: &Classes,
        rows: &[usize],
        pass: &Pass<'_>,
        out: &mut Vec<Example>,
    ) {
        let part = bank.sample(rows, pass);
        let codes: Vec<u32> = rows.iter().map(|i| classes.codes[*i]).collect();
        let (k, kernels) = (classes.n_classes(), bank.len());
        // Of each kernel and class: the sum of its rows over the group, and over itself.
        let (mut all, mut within) = (vec![0.0; kernels * k], vec![0.0; kernels * k]);
        part.tiles(|tile| {
            let columns = &codes[tile.col0..tile.col0 + tile.cols];
            for m in 0..kernels {
                let (all, within) = (&mut all[m * k..(m + 1) * k], &mut within[m * k..(m + 1) * k]);
                for r in 0..tile.rows {
                    let own = codes[tile.row0 + r];
                    let values = tile.segment(r, m);
                    let alike =
                        values.iter().zip(columns).map(|(v, c)| if *c == own { *v } else { 0.0 });
                    within[own as usize] += tile.weight() * alike.sum::<f64>();
                    all[own as usize] += values.iter().sum::<f64>();
                    if !tile.diagonal {
                        values.iter().zip(columns).for_each(|(v, c)| all[*c as usize] += v);
                    }
                }
            }
        });
        if !self.own {
            for m in 0..kernels {
                for (d, c) in part.diagonal(m).iter().zip(&codes) {
                    all[m * k + *c as usize] -= d;
                    within[m * k + *c as usize] -= d;
                }
            }
        }
        let sizes: Vec<f64> =
            (0..k).map(|c| codes.iter().filter(|o| **o as usize == c).count() as f64).collect();
        let n: f64 = sizes.iter().sum();
        // Of two classes, each is the rest of the other.
        for c in (0..if k == 2 { 1 } else { k }).filter(|c| sizes[*c] > 0.0 && sizes[*c] < n) {
            let (size, rest) = (sizes[c], n - sizes[c]);
            let (across, own, others) = match self.balance {
                true => (size * rest, self.pairs(size), self.pairs(rest)),
                false => (1.0, 1.0, 1.0),
            };
            let times = if self.twice { 2.0 } else { 1.0 };
            let (mut u, mut v) = (vec![0.0; kernels], vec![0.0; kernels]);
            for m in 0..kernels {
                let total: f64 = all[m * k..(m + 1) * k].iter().sum();
                let (row, inside) = (all[m * k + c], within[m * k + c]);
                u[m] = times * (row - inside) / across;
                v[m] = inside / own + (total - 2.0 * row + inside) / others;
            }
            out.push(Example { u, v });
        }
    }

    /// Ordered pairs within a class; 1 where there is none, whose sum is 0.
    fn pairs(&self, size: f64) -> f64 {
        if self.own { size * size } else { (size * (size - 1.0)).max(1.0) }
    }
}

/// Groups of instances, ascending, the members of each class dealt out in turn.
pub(super) fn drawn(classes: &Classes, wanted: usize, run: &Run) -> Vec<Vec<usize>> {
    let k = classes.n_classes();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); k];
    classes.codes.iter().enumerate().for_each(|(i, c)| members[*c as usize].push(i));
    let least = members.iter().map(Vec::len).min().unwrap_or(1);
    let count = wanted.min(least).max(1);
    let mut groups = vec![Vec::new(); count];
    let mut rng = run.rng("groups of instances");
    for class in &mut members {
        class.shuffle(&mut rng);
        class.iter().enumerate().for_each(|(at, i)| groups[at % count].push(*i));
    }
    groups.iter_mut().for_each(|g| g.sort_unstable());
    groups
}

/// Q of (13) for the kernels in `taken`, over the pairs of examples g ≠ h.
pub(super) fn form(examples: &[Example], taken: &[usize]) -> Vec<f64> {
    let size = taken.len();
    let sum = |of: fn(&Example) -> &Vec<f64>| -> Vec<f64> {
        taken.iter().map(|m| examples.iter().map(|e| of(e)[*m]).sum()).collect()
    };
    let (u, v) = (sum(|e| &e.u), sum(|e| &e.v));
    let mut q = vec![0.0; size * size];
    for (a, first) in taken.iter().enumerate() {
        for (b, second) in taken[..=a].iter().enumerate() {
            let cross = u[a] * v[b] + v[a] * u[b] - v[a] * v[b];
            let same = |e: &Example| {
                let (u, v) = (&e.u, &e.v);
                u[*first] * v[*second] + v[*first] * u[*second] - v[*first] * v[*second]
            };
            let value = cross - examples.iter().map(same).sum::<f64>();
            (q[a * size + b], q[b * size + a]) = (value, value);
        }
    }
    q
}

/// (7); not a number where what is within is not above 0, or what is between below 0.
pub(super) fn ratio(examples: &[Example], at: impl Fn(&[f64]) -> f64) -> f64 {
    let one = |e: &Example| match (at(&e.u), at(&e.v)) {
        (u, v) if v > 0.0 && u >= 0.0 => u / v,
        _ => f64::NAN,
    };
    examples.iter().map(one).sum()
}
