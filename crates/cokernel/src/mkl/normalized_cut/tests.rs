use super::*;
use crate::bank::Storage;
use crate::data::{Classes, Matrix, Views};
use crate::kernel::KernelSpec;
use crate::machine::Svc;

/// Three classes of unequal size in a plane, the rows of a class not together.
fn classes(n: usize, k: usize) -> Classes {
    let texts: Vec<String> =
        (0..n).map(|i| format!("c{}", (i * i + i / 3) % (k + 2) % k)).collect();
    Classes::from_texts(&texts).unwrap()
}

fn bank(n: usize, storage: Storage) -> Bank {
    let x = Matrix::from_fn(n, 3, |i, j| ((i * 7 + j * 3 + i * i) as f64 * 0.37).sin());
    let views = Views::new().dense("v", x).unwrap();
    let specs = KernelSpec::parse_list("gaussian:sigma=0.3,1,3").unwrap();
    Bank::build(&views, &specs, storage, &Run::default()).unwrap()
}

fn method(given: &[(&str, &str)]) -> NormalizedCut {
    let values: Vec<(&str, crate::params::Value)> =
        given.iter().map(|(n, v)| (*n, crate::params::Value::parse(v))).collect();
    let params = METHOD.check(values.iter().map(|(n, v)| (*n, v))).unwrap();
    NormalizedCut::new(&params)
}

/// u and v of (4) by loops over all pairs.
fn by_hand(bank: &Bank, codes: &[u32], rows: &[usize], c: u32, how: &NormalizedCut) -> Example {
    let rows_of = |p: bool| rows.iter().filter(|i| (codes[**i] == c) == p).count() as f64;
    let of = |m: usize, p: bool, q: bool| {
        let (mut sum, mut count) = (0.0, 0.0);
        for i in rows.iter().filter(|i| (codes[**i] == c) == p) {
            for j in rows.iter().filter(|j| (codes[**j] == c) == q) {
                count += 1.0;
                sum += if how.own || i != j { bank.entry(m, *i, *j) } else { 0.0 };
            }
        }
        let count = if p == q && !how.own { count - rows_of(p) } else { count };
        if how.balance { sum / count } else { sum }
    };
    let times = if how.twice { 2.0 } else { 1.0 };
    let u = (0..bank.len()).map(|m| times * of(m, true, false)).collect();
    let v = (0..bank.len()).map(|m| of(m, true, true) + of(m, false, false)).collect();
    Example { u, v }
}

#[test]
fn sums_within_and_between() {
    let n = 150;
    for storage in [Storage::Resident, Storage::ResidentF32, Storage::OnDemand] {
        let bank = bank(n, storage);
        for (k, given) in [
            (2, vec![]),
            (3, vec![("cut", "twice"), ("self_pairs", "exclude")]),
            (4, vec![("balance", "no")]),
        ] {
            let (classes, how) = (classes(n, k), method(&given));
            for rows in drawn(&classes, 1, &Run::default()).iter().chain(&drawn(
                &classes,
                4,
                &Run::default(),
            )) {
                let mut found = Vec::new();
                how.examples(&bank, &classes, rows, &Pass::default(), &mut found);
                assert_eq!(found.len(), if k == 2 { 1 } else { k });
                for (c, e) in found.iter().enumerate() {
                    let hand = by_hand(&bank, &classes.codes, rows, c as u32, &how);
                    for (a, b) in e.u.iter().chain(&e.v).zip(hand.u.iter().chain(&hand.v)) {
                        assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-3), "{k} {c}: {a} {b}");
                    }
                }
            }
        }
    }
}

/// Q of (13) by its sum over pairs, and (7), from what is told.
#[test]
fn the_program_by_its_definition() {
    let (n, kernels) = (90, 3);
    let (bank, classes) = (bank(n, Storage::Resident), classes(n, 3));
    let how = method(&[("unit", "none")]);
    let mut examples = Vec::new();
    for rows in &drawn(&classes, 5, &Run::default()) {
        how.examples(&bank, &classes, rows, &Pass::default(), &mut examples);
    }
    assert_eq!(examples.len(), 15);
    let q = form(&examples, &[0, 1, 2]);
    for k in 0..kernels * kernels {
        let (a, b) = (k / kernels, k % kernels);
        let mut sum = 0.0;
        for (g, e) in examples.iter().enumerate() {
            for (_, f) in examples.iter().enumerate().filter(|(h, _)| *h != g) {
                let j = |a: usize, b: usize| e.u[a] * f.v[b] + f.u[a] * e.v[b] - e.v[a] * f.v[b];
                sum += 0.5 * (j(a, b) + j(b, a));
            }
        }
        assert!((q[k] - sum).abs() < 1e-9 * sum.abs(), "{k}: {} {sum}", q[k]);
    }
    let target = Target::Classes(classes);
    let machine = Svc::default();
    let learned = how.learn(&Problem::new(&bank, &target, &machine), &Run::default()).unwrap();
    let (report, alpha) = (&learned.report, &learned.report.details["alpha"]);
    let value: f64 = (0..9).map(|k| q[k] * alpha[k / 3] * alpha[k % 3]).sum();
    let largest = q.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    assert!((value - report.objective.last().unwrap()).abs() < 1e-12 * largest);
    assert!(report.gap.unwrap() <= 1e-6 && report.details["optimal"] == [1.0]);
    let dot = |x: &[f64]| x.iter().zip(alpha).map(|(x, a)| x * a).sum::<f64>();
    let by_hand: f64 = examples.iter().map(|e| dot(&e.u) / dot(&e.v)).sum();
    assert!((by_hand - report.details["ratio"][0]).abs() < 1e-12 * by_hand);
    // No point of a fine grid of the simplex is better.
    for a in 0..=60 {
        for b in 0..=60 - a {
            let point = [f64::from(a) / 60.0, f64::from(b) / 60.0, f64::from(60 - a - b) / 60.0];
            let other: f64 = (0..9).map(|k| q[k] * point[k / 3] * point[k % 3]).sum();
            assert!(other >= value - 1e-9 * largest);
        }
    }
}

/// With one group of two classes there is one ratio: the kernel with the least.
#[test]
fn a_single_ratio_is_least_at_one_kernel() {
    let (n, target) = (60, Target::Classes(classes(60, 2)));
    let bank = bank(n, Storage::Resident);
    let machine = Svc::default();
    let how = method(&[("groups", "1")]);
    let learned = how.learn(&Problem::new(&bank, &target, &machine), &Run::default()).unwrap();
    let weights = learned.rule.weights().unwrap();
    let best = learned.report.details["single"][0] as usize;
    assert_eq!(weights[best], 1.0);
    let Target::Classes(classes) = &target else { unreachable!() };
    let rows: Vec<usize> = (0..n).collect();
    let e = by_hand(&bank, &classes.codes, &rows, 0, &how);
    assert!((0..3).all(|m| e.u[best] / e.v[best] <= e.u[m] / e.v[m]));
}

/// A kernel of nothing, and one with the sign turned, get no weight: (13) does not see the sign of v.
#[test]
fn kernels_without_a_sum_within_are_left_out() {
    let n = 60;
    let target = Target::Classes(classes(n, 3));
    let known = bank(n, Storage::Resident);
    let plain = Matrix::from_fn(n, n, |i, j| known.entry(1, i, j));
    let minus = Matrix::from_fn(n, n, |i, j| -known.entry(1, i, j));
    let matrices = [
        ("nothing", Matrix::zeros(n, n)),
        ("minus", minus),
        ("plain", plain),
        ("one", Matrix::from_fn(n, n, |_, _| 1.0)),
    ];
    let matrices = matrices.map(|(name, k)| (name.to_string(), k)).to_vec();
    let bank = Bank::from_matrices(matrices, Storage::Resident).unwrap();
    let machine = Svc::default();
    let learned =
        method(&[]).learn(&Problem::new(&bank, &target, &machine), &Run::default()).unwrap();
    let weights = learned.rule.weights().unwrap();
    assert_eq!((weights[0], weights[1]), (0.0, 0.0));
    let notes = learned.report.notes.join("\n");
    assert!(notes.contains("no weight for kernel 'nothing' and 1 others"), "{notes}");
}

/// The mean similarity within a class does not depend on whether instances are paired with themselves.
#[test]
fn means_over_the_pairs_that_there_are() {
    let n = 44;
    let texts: Vec<String> =
        (0..n).map(|i| if i < 4 { "few" } else { "many" }.to_string()).collect();
    let target = Target::Classes(Classes::from_texts(&texts).unwrap());
    let matrices = vec![("one".to_string(), Matrix::from_fn(n, n, |_, _| 1.0))];
    let bank = Bank::from_matrices(matrices, Storage::Resident).unwrap();
    for own in ["include", "exclude"] {
        let how = method(&[("groups", "1"), ("self_pairs", own)]);
        let machine = Svc::default();
        let learned = how.learn(&Problem::new(&bank, &target, &machine), &Run::default()).unwrap();
        assert!((learned.report.details["ratio"][0] - 0.5).abs() < 1e-12);
    }
}
