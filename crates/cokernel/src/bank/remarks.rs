//! Sentences about the kernels of a bank that a user should read.

use super::tiles::Tiles;
use crate::Result;
use crate::data::{Table, Views};
use crate::kernel::{Function, Kernel};

/// Instances, evenly spaced, that the remarks look at.
const LOOKED_AT: usize = 128;

/// Warns of kernels that are nearly the identity, nearly constant or (sigmoid kernels) indefinite,
/// judged on a submatrix.
pub(super) fn of(tiles: &Tiles, kernels: &[Kernel], diagonals: &[Vec<f64>]) -> Vec<String> {
    let n = tiles.layout.n;
    let size = n.min(LOOKED_AT);
    if size < 3 {
        return Vec::new();
    }
    let chosen: Vec<usize> = (0..size).map(|k| k * n / size).collect();
    let all: Vec<usize> = (0..kernels.len()).collect();
    let mut sums = vec![[0.0_f64; 4]; kernels.len()];
    let mut row = vec![0.0; size * kernels.len()];
    let mut proofs: Vec<Option<Proof>> = vec![None; kernels.len()];
    for (r, &i) in chosen.iter().enumerate() {
        tiles.entries(&all, i, chosen.iter().copied(), &mut row);
        for (m, sum) in sums.iter_mut().enumerate() {
            for (c, v) in row[m * size..(m + 1) * size].iter().enumerate() {
                let (diagonal, off) = if r == c { (v.abs(), 0.0) } else { (0.0, v.abs()) };
                sum[0] += diagonal;
                sum[1] += off;
                sum[2] += v;
                sum[3] += v * v;
            }
            if matches!(kernels[m].function, Function::Sigmoid { .. }) && proofs[m].is_none() {
                let own = &diagonals[m];
                proofs[m] = chosen[..=r]
                    .iter()
                    .zip(&row[m * size..])
                    .find_map(|(&j, &v)| Proof::of((i, j), v, own[i], own[j]));
            }
        }
    }
    let mut notes = Vec::new();
    for (m, (kernel, [diagonal, off, sum, square])) in kernels.iter().zip(sums).enumerate() {
        if tiles.engine.graph(m).is_some() {
            continue; // Most entries are 0, which tells nothing.
        }
        let count = (size * size) as f64;
        let ratio = (off / (size * (size - 1)) as f64) / (diagonal / size as f64);
        let mean = sum / count;
        let spread = (square / count - mean * mean).max(0.0).sqrt() / mean.abs();
        let remedy = match kernel.function {
            Function::Exponential { .. } => ["a larger width", "a smaller width"],
            Function::Precomputed => ["another similarity", "another similarity"],
            _ => ["scaled features", "scaled features"],
        };
        if ratio < 1e-3 {
            notes.push(format!(
                "kernel '{}' is nearly the identity (off-diagonal entries average {ratio:.1e} of \
                 the diagonal), so it can only memorise; try {}",
                kernel.name, remedy[0]
            ));
        } else if spread < 1e-3 {
            notes.push(format!(
                "kernel '{}' is nearly constant (its entries vary by {spread:.1e} of their mean), \
                 so it tells instances hardly apart; try {}",
                kernel.name, remedy[1]
            ));
        }
    }
    for (kernel, proof) in kernels.iter().zip(proofs) {
        if let Some(proof) = proof {
            notes.push(proof.note(&format!("kernel '{}'", kernel.name)));
        }
    }
    notes
}

/// Warns of similarity views that cannot be positive semi-definite: a negative diagonal entry, or
/// an entry larger than Cauchy–Schwarz allows. One pass over each matrix; silence proves nothing.
pub(super) fn indefinite(views: &Views, kernels: &[Kernel]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for kernel in kernels {
        if seen.contains(&kernel.view.as_str()) {
            continue;
        }
        seen.push(&kernel.view);
        let view = views.get(&kernel.view)?;
        let proof = match &view.table {
            Table::Similarity(k) => {
                let (n, values) = (k.rows(), k.values());
                let diagonal: Vec<f64> = (0..n).map(|i| values[i * n + i]).collect();
                let roots: Vec<f64> = diagonal.iter().map(|d| d.max(0.0).sqrt()).collect();
                (0..n).find_map(|i| {
                    let row = &values[i * n..=i * n + i];
                    // Without branches first: hardly any row has a candidate.
                    let beyond = |v: &f64, root: &f64| v.abs() > roots[i] * root;
                    let none =
                        row.iter().zip(&roots).fold(true, |none, (v, r)| none & !beyond(v, r));
                    let mut row = row.iter().enumerate().filter(|_| !none);
                    row.find_map(|(j, &v)| Proof::of((i, j), v, diagonal[i], diagonal[j]))
                })
            }
            Table::Graph(k) => {
                let diagonal: Vec<f64> = (0..k.rows()).map(|i| k.get(i, i)).collect();
                (0..k.rows()).find_map(|i| {
                    let (c, v) = k.row(i);
                    let mut row = c.iter().map(|j| *j as usize).zip(v).filter(|(j, _)| *j <= i);
                    row.find_map(|(j, &v)| Proof::of((i, j), v, diagonal[i], diagonal[j]))
                })
            }
            _ => None,
        };
        notes.extend(proof.map(|p| p.note(&format!("view '{}'", view.name))));
    }
    Ok(notes)
}

/// Two instances whose similarities no positive semi-definite matrix has.
#[derive(Debug, Clone, Copy)]
struct Proof {
    pair: (usize, usize),
    value: f64,
    own: (f64, f64),
}

impl Proof {
    /// Whether k_ij = `value` contradicts k_ii and k_jj; rounding is forgiven.
    fn of(pair: (usize, usize), value: f64, own_i: f64, own_j: f64) -> Option<Proof> {
        let limit = own_i.max(0.0).sqrt() * own_j.max(0.0).sqrt();
        let large = value.abs() - limit > 1e-8 * own_i.abs().max(own_j.abs()).max(value.abs());
        large.then_some(Proof { pair, value, own: (own_i, own_j) })
    }

    fn note(&self, what: &str) -> String {
        let (i, j) = self.pair;
        let seen = if i == j {
            format!("its diagonal is {:.3e} at row {i}", self.value)
        } else {
            format!(
                "rows {i} and {j} have similarity {:.3e}, but {:.3e} and {:.3e} to themselves",
                self.value, self.own.0, self.own.1
            )
        };
        format!(
            "{what} is not positive semi-definite ({seen}): machines may end in a local optimum, \
             and their duality gaps certify nothing; make it so first, for example by setting \
             its negative eigenvalues to 0"
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    fn notes(values: [f64; 9]) -> Vec<String> {
        let matrix = Matrix::new(3, 3, values.to_vec()).unwrap();
        let bank = Bank::from_matrices(vec![("k".into(), matrix)], Storage::Auto).unwrap();
        bank.notes().to_vec()
    }

    #[test]
    fn indefinite_similarities_are_named() {
        let found = notes([1.0, 0.5, 0.2, 0.5, -0.1, 0.0, 0.2, 0.0, 1.0]);
        assert!(found[0].starts_with("view 'k' is not positive semi-definite"), "{found:?}");
        let found = notes([1.0, 0.5, 0.2, 0.5, 1.0, -1.1, 0.2, -1.1, 1.0]);
        assert!(found[0].contains("rows 2 and 1 have similarity -1.1"), "{found:?}");
        let found = notes([-1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.5, 1.0]);
        assert!(found[0].contains("its diagonal is -1.000e0 at row 0"), "{found:?}");
        // Rank one, with the rounding of its entries.
        let third = 1.0_f64 / 3.0;
        let edge = (third * (1.0 + 1e-12), 3.0 * third);
        let found = notes([third * third, edge.0, 0.1, edge.0, edge.1, 0.3, 0.1, 0.3, 0.25]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn indefinite_sigmoid_kernels_are_named() {
        let x = Matrix::from_fn(20, 2, |i, j| (i as f64 * 0.7 + j as f64).sin());
        let views = Views::new().dense("x", x).unwrap();
        let notes = |text: &str| {
            let specs = [text.parse::<KernelSpec>().unwrap()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            bank.notes().to_vec()
        };
        let found = notes("sigmoid:gamma=1:coef0=-1");
        assert!(found.iter().any(|n| n.contains("not positive semi-definite")), "{found:?}");
        assert!(notes("polynomial:degree=2").is_empty());
    }
}
