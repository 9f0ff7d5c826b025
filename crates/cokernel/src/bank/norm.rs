//! Normalisations (A4): their statistics on the training instances.
//!
//! Steps are applied in the order in which they are asked for, each on the kernel as the steps
//! before it have left it; LMKA §2.7.1 eq. (2.9), LMS §5.3.

use super::columns;
use super::engine::Step;
use super::remarks::Said;
use super::tiles::Tiles;
use crate::data::Csr;
use crate::kernel::{Kernel, Norm, Normalization};
use crate::run::Pass;

/// Adds the normalisation steps of all kernels to the engine of `tiles`; gives the statistics,
/// the diagonals afterwards, and remarks for the user.
pub(super) fn fit(
    tiles: &mut Tiles,
    kernels: &[Kernel],
    mut diagonals: Vec<Vec<f64>>,
    pass: &Pass<'_>,
) -> (Vec<Vec<Norm>>, Vec<Vec<f64>>, Vec<String>) {
    let n = tiles.layout.n;
    let mut remarks = Remarks::default();
    let mut norms: Vec<Vec<Norm>> = vec![Vec::new(); kernels.len()];
    let mut pending: Vec<Vec<Normalization>> =
        kernels.iter().map(|k| plain(&k.normalize)).collect();
    // Single features are normalised already.
    (0..kernels.len())
        .filter(|m| tiles.engine.column(*m).is_some())
        .for_each(|m| pending[m].clear());
    pending.iter_mut().for_each(|p| p.reverse());
    loop {
        for m in 0..kernels.len() {
            while let Some(step) = pending[m].last().copied().filter(|s| !needs_pass(*s)) {
                pending[m].pop();
                let name = &kernels[m].name;
                add_from_diagonal(tiles, step, m, name, &mut norms, &mut diagonals, &mut remarks);
            }
        }
        let next = |step: Normalization| -> Vec<usize> {
            (0..kernels.len()).filter(|m| pending[*m].last() == Some(&step)).collect()
        };
        let (center, frobenius) = (next(Normalization::Center), next(Normalization::Frobenius));
        if center.is_empty() && frobenius.is_empty() || pass.is_given_up() {
            return (norms, diagonals, remarks.sentences());
        }
        if !center.is_empty() {
            for (m, row_means) in center.iter().zip(row_means(tiles, &center, pass)) {
                let grand_mean = row_means.iter().sum::<f64>() / n as f64;
                for (d, r) in diagonals[*m].iter_mut().zip(&row_means) {
                    *d += grand_mean - r - r;
                }
                tiles.engine.steps[*m].push(Step::Center(row_means.clone(), grand_mean));
                norms[*m].push(Norm::Center { row_means, grand_mean });
            }
        }
        if !frobenius.is_empty() {
            for (m, square) in frobenius.iter().zip(squares(tiles, &frobenius, pass)) {
                let name = &kernels[*m].name;
                let what = "Frobenius norm";
                let (d, s) = (&mut diagonals[*m], &mut norms[*m]);
                scale(tiles, *m, square.sqrt(), what, name, s, d, &mut remarks);
            }
        }
        for m in center.into_iter().chain(frobenius) {
            pending[m].pop();
        }
    }
}

/// Centre-and-unit-variance as its two steps (the second is marked by the same name).
pub(super) fn plain(steps: &[Normalization]) -> Vec<Normalization> {
    let mut all = Vec::new();
    for step in steps {
        if *step == Normalization::CenterUnitVariance {
            all.push(Normalization::Center);
        }
        all.push(*step);
    }
    all
}

/// Whether these statistics are those of the normalisations that were asked for.
pub(crate) fn statistics_fit(kernel: &Kernel, norms: &[Norm]) -> bool {
    let of = |step: &Normalization, norm: &Norm| match step {
        Normalization::UnitDiagonal => matches!(norm, Norm::UnitDiagonal),
        Normalization::Center => match norm {
            Norm::CenterFeature { .. } => columns::fits(kernel, norms),
            norm => matches!(norm, Norm::Center { .. }),
        },
        _ => {
            matches!(norm, Norm::Scale { factor } if *factor > 0.0 || !columns::fits(kernel, norms))
        }
    };
    let steps = plain(&kernel.normalize);
    steps.len() == norms.len() && steps.iter().zip(norms).all(|(s, n)| of(s, n))
}

fn needs_pass(step: Normalization) -> bool {
    matches!(step, Normalization::Center | Normalization::Frobenius)
}

/// What the user should read of the normalisation.
#[derive(Default)]
struct Remarks<'a> {
    notes: Vec<String>,
    /// What kernels are not divided by.
    undivided: Vec<(&'static str, Said<'a>)>,
}

impl<'a> Remarks<'a> {
    fn undivided(&mut self, what: &'static str, name: &'a str, size: f64) {
        let place = self.undivided.iter().position(|u| u.0 == what).unwrap_or_else(|| {
            self.undivided.push((what, Said::default()));
            self.undivided.len() - 1
        });
        self.undivided[place].1.add(name, size);
    }

    fn sentences(mut self) -> Vec<String> {
        let said = self.undivided.iter().filter_map(|(what, said)| said.is_not_divided_by(what));
        self.notes.extend(said);
        self.notes
    }
}

fn add_from_diagonal<'a>(
    tiles: &mut Tiles,
    step: Normalization,
    m: usize,
    name: &'a str,
    norms: &mut [Vec<Norm>],
    diagonals: &mut [Vec<f64>],
    remarks: &mut Remarks<'a>,
) {
    let n = tiles.layout.n as f64;
    let trace: f64 = diagonals[m].iter().sum();
    match step {
        Normalization::UnitDiagonal => {
            let factors: Vec<f64> = diagonals[m].iter().map(|d| inverse_root(*d)).collect();
            let zeros = factors.iter().filter(|s| **s == 0.0).count();
            if zeros > 0 {
                remarks.notes.push(format!(
                    "kernel '{name}': {zeros} of {} instances have no positive self-similarity; \
                     unit_diagonal makes their similarities 0",
                    factors.len()
                ));
            }
            diagonals[m].iter_mut().zip(&factors).for_each(|(d, s)| *d *= s * s);
            tiles.engine.steps[m].push(Step::Outer(factors));
            norms[m].push(Norm::UnitDiagonal);
        }
        Normalization::UnitTrace => {
            scale(tiles, m, trace, "trace", name, &mut norms[m], &mut diagonals[m], remarks);
        }
        _ => {
            let what = "variance";
            scale(tiles, m, trace / n, what, name, &mut norms[m], &mut diagonals[m], remarks);
        }
    }
}

/// 1/√d, or 0 where there is no positive self-similarity.
pub(super) fn inverse_root(d: f64) -> f64 {
    let s = 1.0 / d.sqrt();
    if d > 0.0 && s.is_finite() { s } else { 0.0 }
}

fn scale<'a>(
    tiles: &mut Tiles,
    m: usize,
    size: f64,
    what: &'static str,
    name: &'a str,
    norms: &mut Vec<Norm>,
    diagonal: &mut [f64],
    remarks: &mut Remarks<'a>,
) {
    let mut factor = 1.0 / size;
    // A size that overflows would make the kernel 0.
    if !(size > 0.0 && factor > 0.0 && factor.is_finite()) {
        remarks.undivided(what, name, size);
        factor = 1.0;
    }
    diagonal.iter_mut().for_each(|d| *d *= factor);
    tiles.engine.steps[m].push(Step::Scale(factor));
    norms.push(Norm::Scale { factor });
}

/// Mean of each row of the kernels in `active`.
pub(super) fn row_means(tiles: &Tiles, active: &[usize], pass: &Pass<'_>) -> Vec<Vec<f64>> {
    let n = tiles.layout.n;
    by_kernel(
        tiles,
        active,
        |dense| tile_row_means(tiles, dense, pass),
        |m, graph| {
            let mut values = Vec::new();
            let mean = |i| {
                tiles.engine.graph_row(graph, m, i, &mut values);
                values.iter().sum::<f64>() / n as f64
            };
            (0..n).map(mean).collect()
        },
    )
}

/// A number (or list) for each kernel in `active`: from all tiles for most, from the edges for
/// graphs.
fn by_kernel<T>(
    tiles: &Tiles,
    active: &[usize],
    from_tiles: impl FnOnce(&[usize]) -> Vec<T>,
    mut from_edges: impl FnMut(usize, &Csr) -> T,
) -> Vec<T> {
    let is_dense = |m: &usize| tiles.engine.graph(*m).is_none();
    let dense: Vec<usize> = active.iter().copied().filter(is_dense).collect();
    let mut found = if dense.is_empty() { Vec::new() } else { from_tiles(&dense) }.into_iter();
    let one = |m: &usize| match tiles.engine.graph(*m) {
        Some(graph) => Some(from_edges(*m, graph)),
        None => found.next(),
    };
    active.iter().filter_map(one).collect()
}

fn tile_row_means(tiles: &Tiles, active: &[usize], pass: &Pass<'_>) -> Vec<Vec<f64>> {
    let (n, k) = (tiles.layout.n, active.len());
    let sums = tiles.fold(
        pass,
        active,
        |_, _| true,
        || vec![0.0; n * k],
        |sums, tile| {
            for r in 0..tile.rows {
                for a in 0..k {
                    let segment = tile.segment(r, a);
                    sums[a * n + tile.row0 + r] += segment.iter().sum::<f64>();
                    if !tile.diagonal {
                        let sums = &mut sums[a * n + tile.col0..][..tile.cols];
                        sums.iter_mut().zip(segment).for_each(|(s, v)| *s += v);
                    }
                }
            }
        },
        |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
    );
    sums.chunks(n).map(|s| s.iter().map(|v| v / n as f64).collect()).collect()
}

/// ‖K‖_F² of the kernels in `active`.
fn squares(tiles: &Tiles, active: &[usize], pass: &Pass<'_>) -> Vec<f64> {
    by_kernel(
        tiles,
        active,
        |dense| tile_squares(tiles, dense, pass),
        |m, graph| {
            let mut values = Vec::new();
            let square = |i| {
                tiles.engine.graph_row(graph, m, i, &mut values);
                values.iter().map(|v| v * v).sum::<f64>()
            };
            (0..tiles.layout.n).map(square).sum()
        },
    )
}

fn tile_squares(tiles: &Tiles, active: &[usize], pass: &Pass<'_>) -> Vec<f64> {
    tiles.fold(
        pass,
        active,
        |_, _| true,
        || vec![0.0; active.len()],
        |sums, tile| {
            for r in 0..tile.rows {
                for (a, sum) in sums.iter_mut().enumerate() {
                    let segment = tile.segment(r, a);
                    *sum += tile.weight() * cokernel_dense::simd::dot(segment, segment);
                }
            }
        },
        |total, part| total.iter_mut().zip(part).for_each(|(t, p)| *t += p),
    )
}

#[cfg(test)]
mod tests {
    use crate::bank::{Bank, Storage};
    use crate::data::{Matrix, Views};
    use crate::kernel::{KernelSpec, Norm};
    use crate::{Result, Run};

    /// The linear kernel of (3, 4), (0, 0), (0, 2) is 25, 0, 8 | 0, 0, 0 | 8, 0, 4.
    fn bank(normalize: &str) -> Result<Bank> {
        let m = Matrix::new(3, 2, vec![3.0, 4.0, 0.0, 0.0, 0.0, 2.0])?;
        let spec: KernelSpec = format!("linear:normalize={normalize}").parse()?;
        Bank::build(&Views::new().dense("x", m)?, &[spec], Storage::Resident, &Run::default())
    }

    fn check(normalize: &str, want: [f64; 9]) -> Bank {
        let bank = bank(normalize).unwrap();
        let gram = bank.combine(&[1.0]).unwrap();
        for (k, (g, w)) in gram.values().iter().zip(want).enumerate() {
            assert!((g - w).abs() < 1e-14, "{normalize}: {k}: {g} {w}");
        }
        for (i, d) in bank.diagonal(0).iter().enumerate() {
            assert!((d - want[4 * i]).abs() < 1e-14, "{normalize}: diagonal {i}: {d}");
        }
        bank
    }

    #[test]
    fn normalisations_by_hand() {
        let b = check("unit_diagonal", [1.0, 0.0, 0.8, 0.0, 0.0, 0.0, 0.8, 0.0, 1.0]);
        assert!(b.notes()[0].contains("1 of 3 instances"), "{:?}", b.notes());
        let [a, c, d] = [25.0 / 29.0, 8.0 / 29.0, 4.0 / 29.0];
        let b = check("unit_trace", [a, 0.0, c, 0.0, 0.0, 0.0, c, 0.0, d]);
        assert_eq!(b.norms(0), [Norm::Scale { factor: 1.0 / 29.0 }]);
        // Row means 11, 0, 4; grand mean 5.
        let centered = [8.0, -6.0, -2.0, -6.0, 5.0, 1.0, -2.0, 1.0, 1.0];
        let b = check("center", centered);
        let row_means = vec![11.0, 0.0, 4.0];
        assert_eq!(b.norms(0), [Norm::Center { row_means, grand_mean: 5.0 }]);
        check("center_unit_variance", centered.map(|v| v * 3.0 / 14.0));
        check("center,unit_trace", centered.map(|v| v / 14.0));
        let root = (625.0_f64 + 128.0 + 16.0).sqrt();
        let plain = [25.0, 0.0, 8.0, 0.0, 0.0, 0.0, 8.0, 0.0, 4.0];
        check("frobenius", plain.map(|v| v / root));
        check("frobenius,center,frobenius", centered.map(|v| v / 172.0_f64.sqrt()));
    }
}
