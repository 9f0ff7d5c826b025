//! Sentences about the kernels of a bank that a user should read. One sentence stands for all
//! kernels of which the same is to be said.

use super::definite::negative_eigenvalue;
use super::engine::Engine;
use super::tiles::Tiles;
use crate::Result;
use crate::data::{Table, Views};
use crate::kernel::{Function, Kernel};
use cokernel_dense::simd;
use rayon::prelude::*;

/// Instances, evenly spaced, that the remarks look at.
const LOOKED_AT: usize = 128;

/// Kernels that a sentence names.
const NAMED: usize = 5;

/// `kernel 'a' is`, or `7 kernels ('a', 'b', 'c', 'd', 'e' and 2 more) are`.
fn subject(names: &[&str]) -> String {
    if let [one] = names {
        return format!("kernel '{one}' is");
    }
    let shown: Vec<String> = names.iter().take(NAMED).map(|n| format!("'{n}'")).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} kernels ({}{more}) are", names.len(), shown.join(", "))
}

/// The kernels of which one thing is to be said, with the least and the largest number for it.
#[derive(Default)]
struct Said<'a> {
    names: Vec<&'a str>,
    range: Option<(f64, f64)>,
}

impl<'a> Said<'a> {
    fn add(&mut self, name: &'a str, value: f64) {
        self.names.push(name);
        let (low, high) = self.range.unwrap_or((value, value));
        self.range = Some((low.min(value), high.max(value)));
    }

    /// The numbers as `3.0e-5`, or `3.0e-5 to 9.1e-4`.
    fn numbers(&self) -> String {
        match self.range {
            Some((low, high)) if low < high => format!("{low:.1e} to {high:.1e}"),
            Some((one, _)) => format!("{one:.1e}"),
            None => String::new(),
        }
    }
}

/// What helps against a kernel that is nearly the identity, and nearly constant.
fn remedies(function: Function) -> [&'static str; 2] {
    match function {
        Function::Exponential { .. } => ["a larger width", "a smaller width"],
        Function::Precomputed => ["another similarity", "another similarity"],
        _ => ["scaled features", "scaled features"],
    }
}

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
    let sigmoid = |m: usize| matches!(kernels[m].function, Function::Sigmoid { .. });
    let mut submatrices: Vec<Vec<f64>> = vec![Vec::new(); kernels.len()];
    for (r, &i) in chosen.iter().enumerate() {
        tiles.entries(&all, i, chosen.iter().copied(), &mut row);
        for (m, sum) in sums.iter_mut().enumerate() {
            let values = &row[m * size..(m + 1) * size];
            for (c, v) in values.iter().enumerate() {
                let (diagonal, off) = if r == c { (v.abs(), 0.0) } else { (0.0, v.abs()) };
                sum[0] += diagonal;
                sum[1] += off;
                sum[2] += v;
                sum[3] += v * v;
            }
            if sigmoid(m) && proofs[m].is_none() {
                submatrices[m].extend_from_slice(values);
                let own = &diagonals[m];
                proofs[m] = chosen[..=r]
                    .iter()
                    .zip(values)
                    .find_map(|(&j, &v)| Proof::of_pair((i, j), v, own[i], own[j]));
            }
        }
    }
    // By remedy: nearly the identity, nearly constant.
    let mut said: Vec<(&str, [Said<'_>; 2])> = Vec::new();
    for (m, (kernel, [diagonal, off, sum, square])) in kernels.iter().zip(sums).enumerate() {
        if tiles.engine.graph(m).is_some() {
            continue; // Most entries are 0, which tells nothing.
        }
        let count = (size * size) as f64;
        let ratio = (off / (size * (size - 1)) as f64) / (diagonal / size as f64);
        let mean = sum / count;
        let spread = (square / count - mean * mean).max(0.0).sqrt() / mean.abs();
        let what = if ratio < 1e-3 {
            0
        } else if spread < 1e-3 {
            1
        } else {
            continue;
        };
        let remedy = remedies(kernel.function)[what];
        let place = said.iter().position(|s| s.0 == remedy).unwrap_or_else(|| {
            said.push((remedy, Default::default()));
            said.len() - 1
        });
        said[place].1[what].add(&kernel.name, [ratio, spread][what]);
    }
    let mut notes = Vec::new();
    for (remedy, [identity, constant]) in &said {
        if !identity.names.is_empty() {
            let (subject, numbers) = (subject(&identity.names), identity.numbers());
            let verb = if identity.names.len() == 1 { "it can" } else { "they can" };
            notes.push(format!(
                "{subject} nearly the identity (off-diagonal entries average {numbers} of the \
                 diagonal), so {verb} only memorise; try {remedy}"
            ));
        }
        if !constant.names.is_empty() {
            let (subject, numbers) = (subject(&constant.names), constant.numbers());
            let verb = if constant.names.len() == 1 { "it tells" } else { "they tell" };
            notes.push(format!(
                "{subject} nearly constant (entries vary by {numbers} of their mean), so {verb} \
                 instances hardly apart; try {remedy}"
            ));
        }
    }
    for (m, submatrix) in submatrices.iter().enumerate().filter(|(m, _)| sigmoid(*m)) {
        proofs[m] = proofs[m].or_else(|| Proof::of_all(size, submatrix));
    }
    let indefinite: Vec<&str> =
        kernels.iter().zip(&proofs).filter(|(_, p)| p.is_some()).map(|(k, _)| &*k.name).collect();
    if let Some(first) = proofs.into_iter().flatten().next() {
        notes.push(first.note(&subject(&indefinite)));
    }
    notes
}

/// Warns of rows that are so far from all others that no similarity is left between them.
pub(super) fn extreme(views: &Views, engine: &Engine) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for group in engine.groups.iter().filter(|g| g.column.is_none()) {
        let rows = group.side.extreme_rows();
        let Some(&row) = rows.first() else { continue };
        let view = views.get(&group.view)?;
        let values = match &view.table {
            Table::Dense(m) | Table::Similarity(m) => m.row(row),
            Table::Sparse(m) | Table::Graph(m) => m.row(row).1,
        };
        let largest = values.iter().fold(0.0_f64, |a, v| if v.abs() > a.abs() { *v } else { a });
        let (count, n) = (rows.len(), view.table.rows());
        let verb = if count == 1 { "is" } else { "are" };
        notes.push(format!(
            "view '{}': {count} of {n} rows {verb} more than a million times as far from the others as \
             these are from each other (row {row} holds {largest:e}); if such numbers stand for \
             missing values, leave these rows out or mark them as missing, otherwise scale the \
             features by ranks or logarithms",
            view.name
        ));
    }
    Ok(notes)
}

/// Warns of similarity views that are not positive semi-definite: a negative diagonal entry, an
/// entry larger than Cauchy–Schwarz allows, or a negative eigenvalue that a few Lanczos steps find
/// (their cost is stated there). Silence proves nothing.
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
                let pair = (0..n).find_map(|i| {
                    let row = &values[i * n..=i * n + i];
                    // Without branches first: hardly any row has a candidate.
                    let beyond = |v: &f64, root: &f64| v.abs() > roots[i] * root;
                    let none =
                        row.iter().zip(&roots).fold(true, |none, (v, r)| none & !beyond(v, r));
                    let mut row = row.iter().enumerate().filter(|_| !none);
                    row.find_map(|(j, &v)| Proof::of_pair((i, j), v, diagonal[i], diagonal[j]))
                });
                pair.or_else(|| Proof::of_all(n, values))
            }
            Table::Graph(k) => {
                let diagonal: Vec<f64> = (0..k.rows()).map(|i| k.get(i, i)).collect();
                let pair = (0..k.rows()).find_map(|i| {
                    let (c, v) = k.row(i);
                    let mut row = c.iter().map(|j| *j as usize).zip(v).filter(|(j, _)| *j <= i);
                    row.find_map(|(j, &v)| Proof::of_pair((i, j), v, diagonal[i], diagonal[j]))
                });
                pair.or_else(|| {
                    let largest = largest(k.entries().1);
                    let multiply = |x: &[f64], out: &mut [f64]| {
                        out.par_iter_mut().enumerate().for_each(|(i, o)| {
                            let (c, v) = k.row(i);
                            *o = c.iter().zip(v).map(|(j, v)| x[*j as usize] * v).sum();
                        });
                    };
                    negative_eigenvalue(k.rows(), largest, multiply).map(Proof::Eigenvalue)
                })
            }
            _ => None,
        };
        notes.extend(proof.map(|p| p.note(&format!("view '{}' is", view.name))));
    }
    Ok(notes)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |a, v| a.max(v.abs()))
}

/// What no positive semi-definite matrix has.
#[derive(Debug, Clone, Copy)]
enum Proof {
    /// The similarity of two instances that is too large for those to themselves.
    Pair { pair: (usize, usize), value: f64, own: (f64, f64) },
    /// An eigenvalue of at most this number, which is negative.
    Eigenvalue(f64),
}

impl Proof {
    /// Whether k_ij = `value` contradicts k_ii and k_jj; rounding is forgiven.
    fn of_pair(pair: (usize, usize), value: f64, own_i: f64, own_j: f64) -> Option<Proof> {
        let limit = own_i.max(0.0).sqrt() * own_j.max(0.0).sqrt();
        let large = value.abs() - limit > 1e-8 * own_i.abs().max(own_j.abs()).max(value.abs());
        large.then_some(Proof::Pair { pair, value, own: (own_i, own_j) })
    }

    /// Whether a few Lanczos steps find a negative eigenvalue of n × n values.
    fn of_all(n: usize, values: &[f64]) -> Option<Proof> {
        if values.len() != n * n {
            return None;
        }
        let multiply = |x: &[f64], out: &mut [f64]| {
            let rows = out.par_iter_mut().with_min_len(64).zip(values.par_chunks(n));
            rows.for_each(|(o, row)| *o = simd::dot(row, x));
        };
        negative_eigenvalue(n, largest(values), multiply).map(Proof::Eigenvalue)
    }

    fn note(&self, subject: &str) -> String {
        let seen = match *self {
            Proof::Pair { pair: (i, j), value, .. } if i == j => {
                format!("its diagonal is {value:.3e} at row {i}")
            }
            Proof::Pair { pair: (i, j), value, own } => format!(
                "rows {i} and {j} have similarity {value:.3e}, but {:.3e} and {:.3e} to themselves",
                own.0, own.1
            ),
            Proof::Eigenvalue(value) => format!("its least eigenvalue is at most {value:.3e}"),
        };
        format!(
            "{subject} not positive semi-definite ({seen}): machines may end in a local optimum, \
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
    use crate::data::{Csr, Matrix, Table, Views};
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

    /// Ten eigenvalues of −1e-3, which no two instances show.
    #[test]
    fn small_negative_eigenvalues_are_seen() {
        let n = 60;
        let row = |i: usize, k: usize| ((i * i + 1) as f64 * (k + 2) as f64 * 0.37).cos();
        let gram = |i: usize, j: usize| (0..8).map(|k| row(i, k) * row(j, k)).sum::<f64>();
        // Ten groups of six instances: the mean of each has eigenvalue 1e-3.
        let less = |i: usize, j: usize| if i / 6 == j / 6 { 1e-3 / 6.0 } else { 0.0 };
        for sparse in [false, true] {
            let notes = |negative: f64| {
                let m = Matrix::from_fn(n, n, |i, j| gram(i, j) - negative * less(i, j));
                let table = match sparse {
                    false => Table::Similarity(m),
                    true => {
                        let row =
                            |i: usize| (0..n).map(|j| (j as u32, m.get(i, j))).collect::<Vec<_>>();
                        Table::Graph(Csr::from_rows(n, (0..n).map(row).collect()).unwrap())
                    }
                };
                let views = Views::new().with("k", table).unwrap();
                let specs = [KernelSpec::precomputed()];
                let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
                let named = |n: &&String| n.contains("not positive semi-definite");
                bank.notes().iter().filter(named).cloned().collect::<Vec<_>>()
            };
            assert!(notes(0.0).is_empty());
            let found = notes(1.0);
            assert!(
                found[0].starts_with("view 'k' is not positive semi-definite (its least eigen")
            );
        }
    }

    /// 37 kernels once gave 37 remarks.
    #[test]
    fn one_remark_stands_for_many_kernels() {
        let x = Matrix::from_fn(20, 2, |i, j| (i as f64 * 0.7 + j as f64).sin());
        let views = Views::new().dense("x", x).unwrap();
        let notes = |text: &str| {
            let specs = [text.parse::<KernelSpec>().unwrap()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            bank.notes().to_vec()
        };
        let found = notes("gaussian:gamma=2^-60..-24");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("37 kernels ('gaussian@x(gamma="), "{found:?}");
        let rest = "and 32 more) are nearly constant (entries vary by ";
        assert!(found[0].contains(rest) && found[0].ends_with("try a smaller width"), "{found:?}");
        let found = notes("gaussian:gamma=1e-9,1,1e9");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("kernel 'gaussian@x(gamma=1e-9)' is nearly constant"));
        assert!(found[1].starts_with("kernel 'gaussian@x(gamma=1e9)' is nearly the identity"));
    }

    #[test]
    fn extreme_rows_are_named() {
        let entry = |i: usize, j: usize| (i as f64 * 0.7 + j as f64).sin();
        let notes = |value: f64| {
            let x =
                Matrix::from_fn(20, 2, |i, j| if (i, j) == (3, 1) { value } else { entry(i, j) });
            let views = Views::new().dense("x", x).unwrap();
            let specs = [KernelSpec::gaussian().sigma_median()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            assert!(bank.notes().is_empty());
            (bank.warnings().to_vec(), bank.entry(0, 0, 1))
        };
        let (none, usual) = notes(0.5);
        assert!(none.is_empty(), "{none:?}");
        for value in [1e9, 1e18, 1e20, 3.4e38] {
            let (found, entry) = notes(value);
            let start = "view 'x': 1 of 20 rows is more than a million times as far";
            assert!(found[0].starts_with(start) && found[0].contains("(row 3 holds"), "{found:?}");
            // The median distance has one large one more; nothing else changes.
            assert!((entry - usual).abs() < 0.05, "{entry} {usual}");
        }
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
