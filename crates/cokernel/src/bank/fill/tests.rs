#![allow(clippy::unwrap_used)]

use super::*;
use crate::data::Matrix;
use crate::data::{Csr, Table, View};
use proptest::prelude::*;

fn view(name: &str, table: Table, present: Vec<bool>) -> View {
    View { name: name.into(), table, columns: None, present: Some(present) }
}

fn similarity(name: &str, n: usize, values: &[f64], absent: &[usize]) -> View {
    let present: Vec<bool> = (0..n).map(|i| !absent.contains(&i)).collect();
    let m =
        Matrix::from_fn(
            n,
            n,
            |i, j| {
                if present[i] && present[j] { values[i * n + j] } else { f64::NAN }
            },
        );
    view(name, Table::Similarity(m), present)
}

fn filled(views: Vec<View>, spec: &str, storage: Storage) -> Result<(Bank, Filled)> {
    let mut all = Views::new();
    for v in views {
        all.push(v)?;
    }
    Bank::build_filled(&all, &KernelSpec::parse_list(spec)?, storage, &Run::default())
}

#[test]
fn three_instances_by_hand() {
    // View a lacks instance 2, view b lacks instance 0: the pair (0, 2) has no source.
    let a = similarity("a", 3, &[2.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0], &[2]);
    let b = similarity("b", 3, &[0.0, 0.0, 0.0, 0.0, 5.0, 4.0, 0.0, 4.0, 6.0], &[0]);
    // s_a² = (4 + 1 + 1 + 9) / 4, s_b² = (25 + 16 + 16 + 36) / 4.
    let (s_a, s_b) = (15.0_f64.sqrt() / 2.0, 93.0_f64.sqrt() / 2.0);
    let ratio = s_a / s_b;
    let want_a = [2.0, 1.0, 1.0, 1.0, 3.0, 4.0 * ratio, 1.0, 4.0 * ratio, 6.0 * ratio];
    let want_b = [2.0 / ratio, 1.0 / ratio, 4.0, 1.0 / ratio, 5.0, 4.0, 4.0, 4.0, 6.0];
    for storage in [Storage::Resident, Storage::OnDemand] {
        let (bank, filled) =
            filled(vec![a.clone(), b.clone()], "precomputed", storage.clone()).unwrap();
        assert_eq!(bank.storage(), storage);
        for (m, want) in [want_a, want_b].iter().enumerate() {
            for (p, w) in want.iter().enumerate() {
                let got = bank.entry(m, p / 3, p % 3);
                assert!((got - w).abs() < 1e-14, "{m} {p}: {got} and {w}");
            }
            for i in 0..3 {
                assert!((bank.diagonal(m)[i] - want[4 * i]).abs() < 1e-14);
            }
        }
        let instances = vec![("a".to_string(), 1), ("b".to_string(), 1)];
        assert_eq!(filled, Filled { instances, pairs: 3, pairs_without_source: 1 });
        let notes = filled.notes(3);
        assert_eq!(
            notes[0],
            "1 of 3 instances lack view 'a': their similarities there are estimated from the \
             other views"
        );
        assert!(notes[2].starts_with("1 of 3 pairs of instances share no view"), "{notes:?}");
    }
}

/// Kernels of many single features are kept as others are where instances lack a view: their normalisations once
/// went astray.
#[test]
fn many_single_features_are_normalised_on_those_that_have_them() {
    let (n, d) = (12, 40);
    let entry = |i: usize, j: usize| ((i * 7 + j * 5) as f64).sin() + 3.0;
    let present: Vec<bool> = (0..n).map(|i| i != 4).collect();
    let rows: Vec<usize> = (0..n).filter(|i| present[*i]).collect();
    let table =
        |rows: &[usize]| Table::Dense(Matrix::from_fn(rows.len(), d, |i, j| entry(rows[i], j)));
    let all = view("a", table(&(0..n).collect::<Vec<_>>()), present);
    let other = view("b", table(&(0..n).collect::<Vec<_>>()), vec![true; n]);
    let text = "linear:per_feature:normalize=center_unit_variance";
    let (bank, _) = filled(vec![all, other], text, Storage::Auto).unwrap();
    let views = Views::new().with("a", table(&rows)).unwrap();
    let specs = KernelSpec::parse_list(text).unwrap();
    let want = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
    assert!(!bank.is_column(0) && want.is_column(0));
    for m in [0, 17, d - 1] {
        for (a, i) in rows.iter().enumerate() {
            for (b, j) in rows.iter().enumerate() {
                assert!((bank.entry(m, *i, *j) - want.entry(m, a, b)).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn complete_views_are_not_touched() {
    let x = Matrix::from_fn(150, 3, |i, j| ((i * 7 + j * 5) % 11) as f64 + 0.1 * i as f64);
    let views = Views::new().dense("a", x.clone()).and_then(|v| v.dense("b", x)).unwrap();
    let specs = KernelSpec::parse_list("gaussian:normalize=center").unwrap();
    let run = Run::default();
    let plain = Bank::build(&views, &specs, Storage::Resident, &run).unwrap();
    let (bank, filled) = Bank::build_filled(&views, &specs, Storage::Resident, &run).unwrap();
    assert_eq!(filled, Filled::default());
    assert_eq!(bank.combine(&[0.5, 2.0]).unwrap(), plain.combine(&[0.5, 2.0]).unwrap());
    assert_eq!((bank.kernels(), bank.notes()), (plain.kernels(), plain.notes()));
}

/// Feature, sparse, similarity and graph views of which some instances lack some.
fn mixed(n: usize, masks: &[Vec<bool>]) -> Vec<View> {
    let x = |i: usize, j: usize| ((i * 13 + j * 7) % 17) as f64 / 5.0;
    let nan = |v: usize, i: usize, x: f64| if masks[v][i] { x } else { f64::NAN };
    let dense = Matrix::from_fn(n, 3, |i, j| nan(0, i, x(i, j)));
    let row = |i: usize| {
        if masks[1][i] { vec![(0, x(i, 5)), (2, 1.0)] } else { vec![(1, f64::NAN)] }
    };
    let sparse = Csr::from_rows(4, (0..n).map(row).collect()).unwrap();
    let near = |i: usize, j: usize| (-(x(i, 1) - x(j, 1)).abs()).exp();
    let k = Matrix::from_fn(n, n, |i, j| nan(2, i, nan(2, j, near(i, j))));
    let edges = |i: usize| {
        let all = (0..n).filter(|j| i.abs_diff(*j) <= 2);
        all.map(|j| (j as u32, nan(3, i, nan(3, j, near(i, j))))).collect()
    };
    let graph = Csr::from_rows(n, (0..n).map(edges).collect()).unwrap();
    let tables =
        [Table::Dense(dense), Table::Sparse(sparse), Table::Similarity(k), Table::Graph(graph)];
    let names = ["d", "s", "k", "g"];
    let all = names.into_iter().zip(tables).zip(masks);
    all.map(|((name, table), mask)| view(name, table, mask.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() })]

    #[test]
    fn filled_kernels_are_the_rule_entry_by_entry(seed in 0_u64..1000, center in any::<bool>()) {
        use rand::RngExt;
        let n = 40;
        let mut rng = Run::with_seed(seed).rng("masks");
        let mut masks: Vec<Vec<bool>> =
            (0..4).map(|_| (0..n).map(|_| rng.random::<f64>() < 0.7).collect()).collect();
        for i in 0..n {
            // Everyone has some view; the first three instances have all.
            if i < 3 || masks.iter().all(|m| !m[i]) {
                masks.iter_mut().for_each(|m| m[i] = true);
            }
        }
        masks[0][5] = false;
        masks[1][5] = true;
        let mut views = Views::new();
        for v in mixed(n, &masks) {
            views.push(v).unwrap();
        }
        let step = if center { ":normalize=center,frobenius" } else { "" };
        let text = ["gaussian@d:sigma=median*0.5,1", "linear@s", "precomputed@k", "precomputed@g"];
        let specs: Vec<KernelSpec> =
            text.iter().map(|t| format!("{t}{step}").parse().unwrap()).collect();
        let run = Run::default();
        let (bank, filled) =
            Bank::build_filled(&views, &specs, Storage::Resident, &run).unwrap();
        let on_demand = Bank::build_filled(&views, &specs, Storage::OnDemand, &run).unwrap().0;
        // Each kernel alone on the instances that have its view.
        let of = |k: &Kernel| views.iter().position(|v| v.name == k.view).unwrap();
        let mut alone: Vec<Matrix> = Vec::new();
        for kernel in bank.kernels() {
            let v = of(kernel);
            let rows: Vec<usize> = (0..n).filter(|i| masks[v][*i]).collect();
            let part = only_present(views.get(&kernel.view).unwrap()).unwrap();
            let one = vec![kernel.clone()];
            let part = Bank::from_kernels(&part, one, Storage::Resident, &run).unwrap();
            let mut full = Matrix::from_fn(n, n, |_, _| f64::NAN);
            for (a, i) in rows.iter().enumerate() {
                for (b, j) in rows.iter().enumerate() {
                    full.set(*i, *j, part.entry(0, a, b));
                }
            }
            alone.push(full);
        }
        let known = |k: &Matrix| k.values().iter().copied().filter(|v| !v.is_nan()).collect::<Vec<f64>>();
        let size = |k: &Matrix| {
            let v = known(k);
            (v.iter().map(|v| v * v).sum::<f64>() / v.len() as f64).sqrt()
        };
        let s: Vec<f64> = alone.iter().map(size).collect();
        let off = |k: &Matrix| {
            let all = (0..n * n).filter(|p| p / n != p % n).map(|p| k.values()[p]);
            let v: Vec<f64> = all.filter(|v| !v.is_nan()).collect();
            v.iter().sum::<f64>() / v.len() as f64
        };
        let (mut pairs, mut lonely) = (0, 0);
        for i in 0..n {
            for j in 0..n {
                let sources: Vec<usize> =
                    (0..alone.len()).filter(|m| !alone[*m].get(i, j).is_nan()).collect();
                let mean = sources.iter().map(|m| alone[*m].get(i, j) / s[*m]).sum::<f64>()
                    / sources.len() as f64;
                pairs += usize::from(j < i && sources.len() < alone.len());
                lonely += usize::from(j < i && sources.is_empty());
                for m in 0..alone.len() {
                    let given = alone[m].get(i, j);
                    let want = match (given.is_nan(), sources.is_empty()) {
                        (false, _) => given,
                        (true, false) => s[m] * mean,
                        (true, true) => off(&alone[m]),
                    };
                    let got = bank.entry(m, i, j);
                    prop_assert!((got - want).abs() < 1e-10 * s[m], "{m} {i} {j}: {got} {want}");
                    prop_assert!((on_demand.entry(m, i, j) - want).abs() < 1e-10 * s[m]);
                    prop_assert!((bank.entry(m, j, i) - got).abs() <= 1e-14 * s[m]);
                    // Within the range of what is known, relative to s.
                    let all: Vec<f64> = alone.iter().zip(&s).flat_map(|(k, s)| {
                        known(k).into_iter().map(|v| v / s).collect::<Vec<_>>()
                    }).collect();
                    if (i + j) % 13 == 0 {
                        let low = all.iter().copied().fold(f64::INFINITY, f64::min);
                        let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                        prop_assert!(got / s[m] >= low - 1e-10 && got / s[m] <= high + 1e-10);
                    }
                }
            }
        }
        prop_assert_eq!((filled.pairs, filled.pairs_without_source), (pairs, lonely));
        // Products agree with entries on every storage.
        let block = Matrix::from_fn(n, 2, |i, j| (i as f64 * 0.3 + j as f64).sin());
        for m in 0..bank.len() {
            let (x, y) = (bank.apply(m, &block), on_demand.apply(m, &block));
            for (p, (a, b)) in x.values().iter().zip(y.values()).enumerate() {
                let want: f64 =
                    (0..n).map(|j| bank.entry(m, p / 2, j) * block.get(j, p % 2)).sum();
                prop_assert!((a - want).abs() < 1e-10 * (1.0 + want.abs()));
                prop_assert!((a - b).abs() < 1e-10 * (1.0 + want.abs()));
            }
        }
    }
}

#[test]
fn refusals() {
    let full = vec![1.0; 16];
    let of =
        |views: Vec<View>| filled(views, "precomputed", Storage::Auto).unwrap_err().to_string();
    let (a, b) = (similarity("a", 4, &full, &[1, 3]), similarity("b", 4, &full, &[3]));
    assert_eq!(of(vec![a.clone(), b]), "instance 3 has none of the views 'a', 'b'; leave it out");
    let alone = of(vec![a.clone()]);
    assert!(alone.starts_with("instance 1 lacks view 'a', and there is no other"), "{alone}");
    let apart = of(vec![a, similarity("b", 4, &full, &[0, 2])]);
    assert!(
        apart.starts_with("no instance has view 'b' together with any of the views 'a', so"),
        "{apart}"
    );
    let mut skewed = full.clone();
    skewed[2] = 0.5; // Row 0, column 2.
    let (a, b) = (similarity("a", 4, &skewed, &[1]), similarity("b", 4, &full, &[]));
    let e = of(vec![a, b.clone()]);
    assert!(e.starts_with("view 'a', row 2, column 0: found 1, but 0.5 at row 0"), "{e}");
    // What is wrong with absent instances does not matter.
    let a = similarity("a", 4, &skewed, &[2]);
    assert!(filled(vec![a, b.clone()], "precomputed", Storage::Auto).is_ok());
    let x = Matrix::new(4, 1, vec![1.0, f64::NAN, 2.0, -3.0]).unwrap();
    let x = view("x", Table::Dense(x), vec![true, false, true, true]);
    let e = filled(vec![x, b], "chi2", Storage::Auto).unwrap_err().to_string();
    assert!(e.starts_with("view 'x', row 3, column 0: found -3"), "{e}");
}

/// Some views of features and the masks of `n` instances, of which the first five have all views.
fn thin(n: usize, seed: u64) -> Views {
    use rand::RngExt;
    let mut rng = Run::with_seed(seed).rng("lifts");
    let mut views = Views::new();
    for v in 0..3 {
        let mut present: Vec<bool> = (0..n).map(|i| i < 5 || rng.random::<f64>() < 0.6).collect();
        (0..n).filter(|i| i % 3 == v).for_each(|i| present[i] = true);
        let x = Matrix::from_fn(n, 3, |i, _| {
            f64::from(u8::from(i % 2 == v % 2)) + rng.random_range(-1.0..1.0)
        });
        views.push(view(&format!("v{v}"), Table::Dense(x), present)).unwrap();
    }
    let whole = Matrix::from_fn(n, 2, |_, _| rng.random_range(-1.0..1.0));
    views.push(View { present: None, ..view("whole", Table::Dense(whole), Vec::new()) }).unwrap();
    views
}

fn gram(bank: &Bank, m: usize) -> Matrix {
    Matrix::from_fn(bank.n(), bank.n(), |i, j| bank.entry(m, i, j))
}

fn eigenvalues(k: &Matrix) -> Vec<f64> {
    let n = k.rows();
    let a = cokernel_dense::Slice::new(k.values(), n, n);
    cokernel_dense::symmetric_eigen(a, &mut vec![0.0; n * n]).unwrap()
}

/// Off the diagonal nothing changes, on it the least eigenvalue is taken away, in every storage.
#[test]
fn estimates_become_positive_semi_definite() {
    let views = thin(60, 3);
    let specs =
        ["gaussian:gamma=0.05", "linear:normalize=unit_diagonal"].map(|t| t.parse().unwrap());
    let run = Run::default();
    let build = |estimates, storage| {
        Bank::build_incomplete(&views, &specs, storage, estimates, &run).unwrap().0
    };
    let plain = build(Estimates::Plain, Storage::Resident);
    let lifted = build(Estimates::Definite, Storage::Resident);
    let on_demand = build(Estimates::Definite, Storage::OnDemand);
    let folder = tempfile::tempdir().unwrap();
    let mapped = Storage::Mapped(folder.path().join("k"));
    let mapped = build(Estimates::Definite, mapped);
    let unit = build(Estimates::UnitDiagonal, Storage::Resident);
    let mut indefinite = 0;
    for m in 0..plain.len() {
        let k = gram(&plain, m);
        let added = (-eigenvalues(&k)[0]).max(0.0);
        let whole = plain.kernels()[m].view == "whole";
        indefinite += usize::from(added > 1e-3);
        let want = Matrix::from_fn(60, 60, |i, j| {
            k.get(i, j) + if i == j && !whole { added } else { 0.0 }
        });
        for bank in [&lifted, &on_demand, &mapped] {
            let found = gram(bank, m);
            let far = want.values().iter().zip(found.values()).map(|(a, b)| (a - b).abs());
            assert!(far.fold(0.0, f64::max) < 1e-11, "{m}");
            assert!(eigenvalues(&found)[0] > -1e-12 || whole, "{m}");
            for i in 0..60 {
                assert!((bank.diagonal(m)[i] - want.get(i, i)).abs() < 1e-11);
            }
            // A part of it is a part of that.
            let x = Matrix::from_fn(60, 1, |i, _| (i as f64).sin());
            let product = bank.apply(m, &x);
            for i in 0..60 {
                let sum: f64 = (0..60).map(|j| want.get(i, j) * x.get(j, 0)).sum();
                assert!((product.get(i, 0) - sum).abs() < 1e-9, "{m} {i}");
            }
        }
        // As similar to itself as 1; others share one factor.
        let found = gram(&unit, m);
        assert!(whole || eigenvalues(&found)[0] > -1e-12, "{m}");
        assert!((0..60).all(|i| (found.get(i, i) - 1.0).abs() < 1e-12), "{m}");
        let cut = Matrix::from_fn(60, 60, |i, j| match whole {
            true => k.get(i, j),
            false if i == j => 1.0,
            false => k.get(i, j).clamp(-1.0, 1.0),
        });
        let factor = if whole { 1.0 } else { 1.0 / (1.0 + (-eigenvalues(&cut)[0]).max(0.0)) };
        for i in 0..60 {
            for j in (0..60).filter(|j| *j != i) {
                assert!((found.get(i, j) - factor * cut.get(i, j)).abs() < 1e-11, "{m} {i} {j}");
            }
        }
    }
    assert!(indefinite >= 3 && lifted.notes().iter().any(|n| n.contains("of 8 kernels were not")));
    assert!(!plain.notes().iter().any(|n| n.contains("of 8 kernels")));
}

/// Beyond the instances for which it is exact: matrices that are kept, and rows that are not.
#[test]
fn the_least_eigenvalue_by_steps_is_hardly_too_large() {
    let specs =
        ["gaussian:gamma=0.05", "linear:normalize=unit_diagonal"].map(|t| t.parse().unwrap());
    let run = Run::default();
    let (watch, n) = (run.watch(), 130);
    let (bank, _) = Bank::build_filled(&thin(n, 4), &specs, Storage::OnDemand, &run).unwrap();
    let all: Vec<usize> = (0..bank.len()).collect();
    let of = |memory| {
        let pass = Pass::under(&watch);
        lift::least_eigenvalues(&bank.tiles, &all, (100, memory), &pass).unwrap()
    };
    let (kept, by_rows) = (of(3 * 8 * n * n), of(0));
    for m in 0..bank.len() {
        let least = (-eigenvalues(&gram(&bank, m))[0]).max(0.0);
        for found in [kept[m], by_rows[m]] {
            let near = found >= 0.999 * least - 1e-9 && found <= 1.06 * least + 1e-9;
            assert!(near, "{m}: {found} {least}");
        }
    }
}
