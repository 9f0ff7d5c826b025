//! Columns against the same kernels as matrices, from the definitions.

use crate::bank::{Bank, Cross, RowMeans, Storage};
use crate::data::{Csr, Matrix, Table, Views};
use crate::kernel::{Kernel, KernelSpec, Norm, Normalization};
use crate::run::Pass;
use crate::{Result, Run};

const N: usize = 41;
const D: usize = 45;

/// Features of all kinds: column 3 is constant, 4 is 0, 5 equals 6, 7 and 8 are tiny and huge, 9 is far from 0.
fn feature(i: usize, j: usize) -> f64 {
    let value = (((i * 64 + j) as f64 * 12.9898).sin() * 43_758.545_3).fract();
    match j {
        3 => 2.5,
        4 => 0.0,
        5 => feature(i, 6),
        7 => 1e-12 * value,
        8 => 1e12 * value,
        9 => 1e6 + value,
        10 => f64::from(u8::from(i == 2)),
        _ => value,
    }
}

fn views() -> Views {
    Views::new().dense("x", Matrix::from_fn(N, D, feature)).unwrap()
}

fn bank_of(views: &Views, text: &str) -> Result<Bank> {
    let specs = KernelSpec::parse_list(text)?;
    Bank::build(views, &specs, Storage::Auto, &Run::default())
}

/// The kernel of a feature after some steps, entry by entry from the definitions of the steps.
fn by_hand(x: &[f64], steps: &[Normalization]) -> Matrix {
    let n = x.len();
    let mut k = Matrix::from_fn(n, n, |i, j| x[i] * x[j]);
    let all = crate::bank::norm::plain(steps);
    for step in all {
        let trace: f64 = (0..n).map(|i| k.get(i, i)).sum();
        let norm = k.values().iter().map(|v| v * v).sum::<f64>().sqrt();
        let size = match step {
            Normalization::UnitTrace => trace,
            Normalization::CenterUnitVariance => trace / n as f64,
            Normalization::Frobenius => norm,
            Normalization::UnitDiagonal => {
                let d: Vec<f64> = (0..n).map(|i| k.get(i, i)).collect();
                let root = |d: f64| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 };
                k = Matrix::from_fn(n, n, |i, j| k.get(i, j) * root(d[i]) * root(d[j]));
                continue;
            }
            Normalization::Center => {
                // Of the feature, which loses no digits to its mean.
                let root: Vec<f64> = (0..n).map(|i| signed_root(&k, i)).collect();
                let mean = root.iter().sum::<f64>() / n as f64;
                let z: Vec<f64> = root.iter().map(|v| v - mean).collect();
                k = Matrix::from_fn(n, n, |i, j| z[i] * z[j]);
                continue;
            }
        };
        if size > 0.0 {
            k = Matrix::from_fn(n, n, |i, j| k.get(i, j) / size);
        }
    }
    k
}

/// z with K = z zᵀ, its largest entry positive.
fn signed_root(k: &Matrix, i: usize) -> f64 {
    let n = k.rows();
    let top = (0..n).max_by(|a, b| k.get(*a, *a).total_cmp(&k.get(*b, *b))).unwrap_or(0);
    let own = k.get(top, top).sqrt();
    if own > 0.0 { k.get(i, top) / own } else { 0.0 }
}

/// Whether centring leaves rounding of a feature and nothing else.
fn constant(m: usize, steps: &str) -> bool {
    m == 3 && steps.contains("center") || m == 9 && steps.starts_with("unit_diagonal,center")
}

const STEPS: [&str; 9] = [
    "none",
    "center",
    "unit_trace",
    "frobenius",
    "unit_diagonal",
    "center_unit_variance",
    "center,unit_diagonal",
    "unit_diagonal,center,frobenius",
    "frobenius,center,unit_trace",
];

fn text(steps: &str) -> String {
    match steps {
        "none" => "linear:per_feature".to_string(),
        steps => format!("linear:per_feature:normalize={steps}"),
    }
}

fn close(what: &str, got: f64, want: f64, size: f64) {
    assert!((got - want).abs() <= 1e-9 * size, "{what}: {got} {want} (of {size})");
}

#[test]
fn every_normalisation_is_that_of_the_definition() {
    let views = views();
    for steps in STEPS {
        let bank = bank_of(&views, &text(steps)).unwrap();
        assert!(bank.is_all_columns() && bank.len() == D);
        for m in 0..D {
            let x: Vec<f64> = (0..N).map(|i| feature(i, m)).collect();
            let want = by_hand(&x, &bank.kernels()[m].normalize);
            let size = want.values().iter().fold(1e-30_f64, |a, v| a.max(v.abs()));
            // What centring leaves of a constant is rounding, and 0 here.
            if constant(m, steps) {
                assert!(bank.diagonal(m).iter().all(|d| *d == 0.0), "{steps}");
                continue;
            }
            for i in 0..N {
                close(&format!("{steps}: diagonal {m}"), bank.diagonal(m)[i], want.get(i, i), size);
                for j in 0..N {
                    close(&format!("{steps}: {m}"), bank.entry(m, i, j), want.get(i, j), size);
                }
            }
        }
    }
}

/// The matrices of a bank, as a bank that knows nothing of features.
fn plain(bank: &Bank) -> Bank {
    let matrix = |m: usize| Matrix::from_fn(N, N, |i, j| bank.entry(m, i, j));
    let named = (0..bank.len()).map(|m| (format!("k{m}"), matrix(m))).collect();
    Bank::from_matrices(named, Storage::Resident).unwrap()
}

#[test]
fn every_primitive_is_that_of_the_matrices() {
    let views = views();
    for list in [
        "linear:per_feature:normalize=center_unit_variance".to_string(),
        "linear:per_feature:normalize=unit_trace;gaussian:sigma=1;laplacian:scale=2"
            .replace(';', "\n"),
    ] {
        let specs: Vec<KernelSpec> =
            list.lines().flat_map(|t| KernelSpec::parse_list(t).unwrap()).collect();
        for storage in [Storage::Resident, Storage::OnDemand] {
            let bank = Bank::build(&views, &specs, storage, &Run::default()).unwrap();
            let want = plain(&bank);
            let (m, none) = (bank.len(), Pass::default());
            let weights: Vec<f64> =
                (0..m).map(|k| if k % 4 == 1 { 0.0 } else { k as f64 - 9.0 }).collect();
            let c: Vec<f64> =
                (0..N).map(|i| if i % 3 == 0 { 0.0 } else { (i as f64).cos() }).collect();
            let d: Vec<f64> = (0..N).map(|i| 1.0 - i as f64 / 9.0).collect();
            let all = |a: &[f64], b: &[f64]| {
                assert_eq!(a.len(), b.len());
                let size = b.iter().fold(1e-30_f64, |s, v| s.max(v.abs()));
                a.iter().zip(b).for_each(|(a, b)| close(&list, *a, *b, size));
            };
            let (a, b) = (bank.combine(&weights).unwrap(), want.combine(&weights).unwrap());
            all(a.values(), b.values());
            for (a, b) in bank.quad_forms(&[&c, &d]).iter().zip(want.quad_forms(&[&c, &d])) {
                all(a, &b);
            }
            let some: Vec<usize> = (0..m).rev().step_by(7).collect();
            let (a, b) =
                (bank.quad_forms_of(&some, &[&c], &none), want.quad_forms_of(&some, &[&c], &none));
            all(&a[0], &b[0]);
            all(&bank.diagonal_forms(&[&c, &d], &none), &want.diagonal_forms(&[&c, &d], &none));
            all(&bank.mean_diagonals(), &want.mean_diagonals());
            for k in [1, 3] {
                let block =
                    Matrix::from_fn(N, k, |i, t| if t == 0 { c[i] } else { d[i] * t as f64 });
                let (a, b) =
                    (bank.apply_combined(&weights, &block), want.apply_combined(&weights, &block));
                all(a.values(), b.values());
                all(bank.apply(m - 1, &block).values(), want.apply(m - 1, &block).values());
            }
            for centered in [false, true] {
                let (a, b) = (
                    bank.inner_products(centered).unwrap(),
                    want.inner_products(centered).unwrap(),
                );
                all(a.values(), b.values());
            }
            let mut seen = Vec::new();
            bank.products(&[&d], |m, _, product| seen.push((m, product.to_vec())));
            let mut at = 0;
            want.products(&[&d], |m, _, product| {
                assert_eq!(seen[at].0, m);
                let meant = |p: &[f64]| -> Vec<f64> {
                    (0..N).filter(|i| d[*i] != 0.0).map(|i| p[i]).collect()
                };
                all(&meant(&seen[at].1), &meant(product));
                at += 1;
            });
            let vectors = [c.clone(), d.clone()];
            let of: Vec<u32> = (0..N as u32).map(|i| i % 2).collect();
            let cut: Vec<Vec<f64>> = (0..2)
                .map(|g| {
                    (0..N).map(|i| if of[i] == g { vectors[g as usize][i] } else { 0.0 }).collect()
                })
                .collect();
            for pairs in [false, true] {
                let (a, b) =
                    (bank.moments(&cut, &of, pairs, &none), want.moments(&cut, &of, pairs, &none));
                all(&a.inner, &b.inner);
                a.sums.iter().zip(&b.sums).for_each(|(a, b)| close("sums", *a, *b, 1.0));
                all(&a.within, &b.within);
            }
            let list: Vec<(u32, u32)> =
                (0..60).map(|k| (k % N as u32, (k * 7) % N as u32)).collect();
            let (mut a, mut b) = (vec![0.0; 60 * m], vec![0.0; 60 * m]);
            bank.pairs(&list, &mut a);
            want.pairs(&list, &mut b);
            all(&a, &b);
            let (a, b) = (bank.row_sums(2), want.row_sums(2));
            a.0.iter().zip(&b.0).for_each(|(a, b)| close("row sum", *a, *b, 1.0));
            close("least", a.1.0, b.1.0, 1.0);
            let (a, b) =
                (bank.product(&[0, 2, m - 1]).unwrap(), want.product(&[0, 2, m - 1]).unwrap());
            all(a.values(), b.values());
            let (a, b) = (bank.combined_rows(&weights), want.combined_rows(&weights));
            all(&a.diagonal(), &b.diagonal());
            let (mut x, mut y) = (vec![0.0_f32; N], vec![0.0_f32; N]);
            for i in [0, 7] {
                a.fill(i, None, &mut x);
                b.fill(i, None, &mut y);
                let size = y.iter().fold(0.0_f32, |s, v| s.max(v.abs()));
                x.iter().zip(&y).for_each(|(x, y)| assert!((x - y).abs() <= 1e-6 * size));
            }
            for coef in [&c, &d] {
                let (mut x, mut y) = (vec![0.0; N], vec![0.0; N]);
                a.multiply(coef, &mut x);
                b.multiply(coef, &mut y);
                all(&x, &y);
            }
            let rows: Vec<usize> = (0..N).filter(|i| i % 3 != 1).collect();
            let (a, b) = (bank.sample(&rows, &none), want.sample(&rows, &none));
            assert_eq!(a.n(), rows.len());
            all(a.combine(&weights).unwrap().values(), b.combine(&weights).unwrap().values());
            let mut visited = Vec::new();
            bank.tiles(|tile| {
                for r in 0..tile.rows {
                    (0..m).for_each(|a| visited.extend_from_slice(tile.segment(r, a)));
                }
            });
            let mut same = Vec::new();
            want.tiles(|tile| {
                for r in 0..tile.rows {
                    (0..m).for_each(|a| same.extend_from_slice(tile.segment(r, a)));
                }
            });
            all(&visited, &same);
            if let Some(part) = bank.part(&[7, 2, 30]) {
                let part = part.combine(&[1.0, 2.0, 3.0]).unwrap();
                let mut same = vec![0.0; m];
                (same[7], same[2], same[30]) = (1.0, 2.0, 3.0);
                all(part.values(), want.combine(&same).unwrap().values());
            }
            assert_eq!(bank.part(&[0, m - 1]).is_some(), bank.is_all_columns());
        }
    }
}

#[test]
fn sparse_views_and_parts_of_views_are_the_same() {
    let rows = |i: usize| -> Vec<(u32, f64)> {
        (0..D)
            .map(|j| (j as u32, feature(i, j)))
            .filter(|c| (i + c.0 as usize).is_multiple_of(3))
            .collect()
    };
    let sparse = Csr::from_rows(D, (0..N).map(rows).collect()).unwrap();
    let dense = Views::new().dense("x", sparse.to_dense()).unwrap();
    let sparse = Views::new().with("x", Table::Sparse(sparse)).unwrap();
    for steps in ["none", "center"] {
        let (a, b) =
            (bank_of(&dense, &text(steps)).unwrap(), bank_of(&sparse, &text(steps)).unwrap());
        let weights = vec![1.0; D];
        let (x, y) = (a.combine(&weights).unwrap(), b.combine(&weights).unwrap());
        assert_eq!(x.values(), y.values());
        // Every other column, in another order.
        let kernels: Vec<Kernel> = (0..35).map(|k| a.kernels()[(k * 8) % D].clone()).collect();
        for views in [&dense, &sparse] {
            let some =
                Bank::from_kernels(views, kernels.clone(), Storage::Auto, &Run::default()).unwrap();
            assert!(some.is_all_columns());
            for k in 0..35 {
                assert_eq!(some.diagonal(k), a.diagonal((k * 8) % D));
            }
        }
    }
}

/// New rows by the statistics of training, compared with all or some of the training rows.
#[test]
fn new_rows_are_compared_as_training_rows_are() {
    let views = views();
    let list: Vec<Vec<KernelSpec>> =
        STEPS.iter().map(|s| KernelSpec::parse_list(&text(s)).unwrap()).collect();
    for (specs, steps) in list.iter().zip(STEPS) {
        let mut specs = specs.clone();
        specs.extend(KernelSpec::parse_list("gaussian:sigma=3").unwrap());
        let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
        let norms: Vec<Vec<Norm>> = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
        let kept: Vec<usize> = (0..N).step_by(2).collect();
        let all: Vec<usize> = (0..bank.len()).collect();
        for (rows, means) in [((0..N).collect(), RowMeans::Exact), (kept, RowMeans::Cancelled)] {
            let support = views.select(&rows);
            let cross = Cross::new(&support, &rows, N, bank.kernels(), &norms, means).unwrap();
            let new = cross.new_rows(&views, &all).unwrap();
            let weights: Vec<f64> =
                (0..bank.len()).map(|m| f64::from(u8::from(m != 3)) / (m + 1) as f64).collect();
            let coef = Matrix::from_fn(rows.len(), 2, |i, t| ((i * (t + 2)) as f64).sin());
            let found = cross.multiply_sum(&new, &weights, &coef).unwrap();
            let gram = bank.combine(&weights).unwrap();
            let each = Matrix::from_fn(rows.len() * bank.len(), 2, |r, t| {
                weights[r / rows.len()] * coef.get(r % rows.len(), t)
            });
            let by_kernel = cross.multiply_each(&new, &all, &each).unwrap();
            let own = cross.own(&new, &all).unwrap();
            let size = gram.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            for i in 0..N {
                for t in 0..2 {
                    let terms =
                        rows.iter().enumerate().map(|(s, j)| gram.row(i)[*j] * coef.get(s, t));
                    let want: f64 = terms.sum();
                    close("sum", found.get(i, t), want, size);
                    close("each", by_kernel.get(i, t), want, size);
                }
                for m in (0..bank.len()).filter(|m| !constant(*m, steps)) {
                    let want = bank.diagonal(m)[i];
                    close(
                        "own",
                        own.get(i, m),
                        want,
                        1e-20 + bank.diagonal(m).iter().fold(0.0, |a: f64, v| a.max(*v)),
                    );
                }
            }
            for m in [0, 9, D] {
                let kernel = cross.kernel(&new, m).unwrap();
                let most = bank.diagonal(m).iter().fold(1e-20_f64, |a, v| a.max(*v));
                for i in 0..N {
                    for (s, j) in rows.iter().enumerate() {
                        close("kernel", kernel.get(i, s), bank.entry(m, i, *j), most);
                    }
                }
            }
        }
    }
}

#[test]
fn few_features_are_kept_as_other_kernels_are() {
    let x = Matrix::from_fn(10, super::FEWEST - 1, feature);
    let bank = bank_of(&Views::new().dense("x", x).unwrap(), "linear:per_feature").unwrap();
    assert!(!bank.is_column(0));
    let x = Matrix::from_fn(2, super::FEWEST, feature);
    let bank = bank_of(&Views::new().dense("x", x).unwrap(), "linear:per_feature").unwrap();
    assert!(bank.is_all_columns());
    assert_eq!(bank.entry(1, 0, 1), feature(0, 1) * feature(1, 1));
}

#[test]
fn features_that_are_not_normalised_are_not_copied() {
    let values: Vec<f64> = (0..N * D).map(|k| feature(k / D, k % D)).collect();
    let owner: crate::data::Shared = std::sync::Arc::new(values);
    let views = Views::new().dense("x", Matrix::lent(N, D, owner.clone()).unwrap()).unwrap();
    let bank = bank_of(&views, "linear:per_feature").unwrap();
    let columns = bank.tiles.engine.columns.as_ref().unwrap();
    assert_eq!(columns.z().values().as_ptr(), owner.as_ref().as_ref().as_ptr());
}

/// One sentence for all features of which the same is to be said, and errors that name the first.
#[test]
fn what_is_odd_about_features_is_said_once() {
    let views = views();
    let notes = |steps: &str| bank_of(&views, &text(steps)).unwrap().notes().join("\n");
    let found = notes("center_unit_variance");
    assert!(found.contains("2 kernels ('linear@x[3](center_unit_variance)'"), "{found}");
    assert!(found.contains("has no variance to divide by"), "{found}");
    let found = notes("unit_diagonal");
    assert!(
        found.contains("'linear@x[4](unit_diagonal)'") && found.contains("up to 41 instances"),
        "{found}"
    );
    for (value, what) in [(1e200, "too large"), (1e-90, "too small"), (1e-170, "too small")] {
        let x = Matrix::from_fn(5, 40, |i, j| if j == 7 { value } else { feature(i, j % 3) });
        let one = Views::new().dense("x", x).unwrap();
        let said = bank_of(&one, "linear:per_feature").unwrap_err().to_string();
        assert!(said.contains("'linear@x[7]'") && said.contains(what), "{said}");
    }
}

/// 80 GB were once asked for.
#[test]
fn products_of_all_pairs_are_refused_where_there_is_no_room() {
    let said = crate::bank::room_for_pairs(1 << 28, usize::MAX).unwrap_err().to_string();
    assert!(said.contains("kernels with each other") && said.contains("lp_norm"), "{said}");
}
