//! The programs of the alignment family and of EasyMKL beside Clarabel, 20 random problems each.

use crate::certificate::measures::{centred, dot, ideal, learn, sum, word};
use crate::common::{classes, interior_point, problem, weights};
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT;
use cokernel::data::{Matrix, Target};
use cokernel::params::Value;

/// The upper triangle of a symmetric matrix.
fn upper(size: usize, entry: impl Fn(usize, usize) -> f64) -> CscMatrix<f64> {
    let places = (0..size).flat_map(|j| (0..=j).map(move |i| (i, j)));
    let (mut rows, mut cols, mut values) = (vec![], vec![], vec![]);
    for (i, j) in places {
        rows.push(i);
        cols.push(j);
        values.push(entry(i, j));
    }
    CscMatrix::new_from_triplets(size, size, rows, cols, values)
}

/// x ≥ 0, and aᵀx = 1 for each a of `sums`, as Ax + s = b.
fn simplex(size: usize, sums: &[Vec<f64>]) -> (CscMatrix<f64>, Vec<f64>, Vec<SupportedConeT<f64>>) {
    let mut rows: Vec<Vec<f64>> = sums.to_vec();
    rows.extend((0..size).map(|i| (0..size).map(|j| if i == j { -1.0 } else { 0.0 }).collect()));
    let mut b = vec![1.0; sums.len()];
    b.resize(sums.len() + size, 0.0);
    let cones = vec![SupportedConeT::ZeroConeT(sums.len()), SupportedConeT::NonnegativeConeT(size)];
    (CscMatrix::from(&rows), b, cones)
}

/// Kernels, codes and the ideal kernel of problem `seed`: two classes, or three.
fn given(seed: u64) -> (Vec<Matrix>, Vec<u32>, Matrix) {
    let k = 2 + seed as usize % 2;
    let (kernels, codes) = problem(30, k, 3 + seed as usize % 5, seed);
    let t = ideal(&codes, k as u32);
    (kernels, codes, t)
}

fn gram(kernels: &[Matrix]) -> Vec<Vec<f64>> {
    kernels.iter().map(|a| kernels.iter().map(|b| dot(a, b)).collect()).collect()
}

/// Weights of sum 1.
fn shares(x: &[f64]) -> Vec<f64> {
    let sum: f64 = x.iter().sum();
    x.iter().map(|x| x / sum).collect()
}

fn assert_near(seed: u64, got: &[f64], want: &[f64], tol: f64) {
    let far = got.iter().zip(want).any(|(a, b)| (a - b).abs() > tol);
    assert!(!far, "{seed}: {got:?} {want:?}");
}

/// (2.6): max aᵀη with ηᵀGη ≤ 1, η ≥ 0, as a second-order cone program, on centred kernels and others.
#[test]
fn joint_alignment_is_the_quadratically_constrained_program() {
    for seed in 0..20 {
        let (kernels, codes, t) = given(seed);
        for centered in [true, false] {
            let of = |k: &Matrix| if centered { centred(k) } else { k.clone() };
            let (own, t): (Vec<Matrix>, Matrix) = (kernels.iter().map(of).collect(), of(&t));
            let (m, n2) = (own.len(), 900);
            // ‖Σ η_m vec K_m‖ ≤ 1, in units of the kernels, and aᵀη.
            let size = dot(&own[0], &own[0]).sqrt();
            let (mut rows, mut cols, mut values) = (vec![], vec![], vec![]);
            let mut entry = |row: usize, col: usize, value: f64| {
                rows.push(row);
                cols.push(col);
                values.push(value);
            };
            (0..m).for_each(|k| entry(k, k, -1.0));
            for (c, k) in own.iter().enumerate() {
                k.values().iter().enumerate().for_each(|(r, v)| entry(m + 1 + r, c, -v / size));
            }
            let mut b = vec![0.0; m + 1 + n2];
            b[m] = 1.0;
            let a = CscMatrix::new_from_triplets(b.len(), m, rows, cols, values);
            let cones =
                [SupportedConeT::NonnegativeConeT(m), SupportedConeT::SecondOrderConeT(n2 + 1)];
            let linear: Vec<f64> =
                own.iter().map(|k| -dot(k, &t) / size / dot(&t, &t).sqrt()).collect();
            let none = CscMatrix::zeros((m, m));
            let best = interior_point(&none, &linear, &a, &b, &cones);
            let centering = [("centered", word(if centered { "yes" } else { "no" }))];
            let found = learn("alignf", &centering, &kernels, &Target::from(classes(&codes)));
            let ours = found.report.objective.last().unwrap();
            assert!((ours + best.obj_val).abs() < 1e-6 * ours, "{seed}: {ours} {}", best.obj_val);
            assert_near(seed, weights(&found), &shares(&best.x), 1e-4);
            let eta = &found.report.details["eta"];
            let combined = sum(&own, eta);
            assert!((dot(&combined, &combined) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn regularised_alignment_is_its_program() {
    for seed in 0..20 {
        let (kernels, codes, t) = given(seed);
        let m = kernels.len();
        for lambda in [0.0, 0.1, 10.0] {
            let g = gram(&kernels);
            let mean = (0..m).map(|k| g[k][k]).sum::<f64>() / m as f64;
            // In units of the mean, so that the solver sees numbers near 1.
            let unit = mean.sqrt();
            let entry =
                |i: usize, j: usize| 2.0 * (g[i][j] / mean + if i == j { lambda } else { 0.0 });
            let linear: Vec<f64> = kernels.iter().map(|k| -dot(k, &t) / unit / 30.0).collect();
            let (a, b, cones) = simplex(m, &[]);
            let best = interior_point(&upper(m, entry), &linear, &a, &b, &cones[1..]);
            let value = -best.obj_val * 900.0;
            let penalty = [("lambda", Value::Real(lambda))];
            let found = learn("kandola", &penalty, &kernels, &Target::from(classes(&codes)));
            let ours = found.report.objective.last().unwrap();
            assert!((ours / value - 1.0).abs() < 1e-6, "{seed}: {ours} {value}");
            assert_near(seed, weights(&found), &shares(&best.x), 1e-4);
        }
    }
}

#[test]
fn the_ideal_distance_is_its_program() {
    for seed in 0..20 {
        let (kernels, codes, t) = given(seed);
        let m = kernels.len();
        let trace = |k: &Matrix| (0..30).map(|i| k.get(i, i)).sum::<f64>();
        let unit = kernels.iter().map(trace).sum::<f64>() / (30 * m) as f64;
        let (g, size) = (gram(&kernels), dot(&t, &t));
        let entry = |i: usize, j: usize| 2.0 * g[i][j] / (unit * unit) / size;
        let linear: Vec<f64> = kernels.iter().map(|k| -2.0 * dot(k, &t) / unit / size).collect();
        let (a, b, cones) = simplex(m, &[vec![1.0; m]]);
        let best = interior_point(&upper(m, entry), &linear, &a, &b, &cones);
        let found = learn("ideal_distance", &[], &kernels, &Target::from(classes(&codes)));
        let ours = found.report.objective[1];
        assert!((ours / (best.obj_val + 1.0) - 1.0).abs() < 1e-6, "{seed}: {ours}");
        assert_near(seed, weights(&found), &best.x, 1e-4);
    }
}

/// Gaps were divided by a distance of 0, and by what a kernel of next to no size has to do with the others.
#[test]
fn gaps_of_perfect_fits_and_of_unlike_kernels_are_no_rounding() {
    let two = |a: f64, b: f64| Matrix::new(2, 2, vec![a, b, b, a]).unwrap();
    let kernels = [two(4.0, -4.0), two(0.1, 0.0), two(1.0, -0.5), two(2.0, 1.0)];
    let target = Target::from(classes(&[0, 1]));
    let found = learn("ideal_distance", &[("centered", Value::from("yes"))], &kernels, &target);
    let report = &found.report;
    assert!(report.objective[1].abs() < 1e-12 && report.status.is_success(), "{report:?}");
    assert!(report.gap.unwrap() < 1e-6, "{report:?}");
    let (kernels, codes, _) = given(3);
    for size in [1e6, 1e8, 1e12] {
        let sizes = [1.0 / size, 1.0, size];
        let times = |(k, s): (&Matrix, f64)| Matrix::from_fn(30, 30, |i, j| s * k.get(i, j));
        let kernels: Vec<Matrix> = kernels.iter().zip(sizes).map(times).collect();
        let found = learn("kandola", &[], &kernels, &Target::from(classes(&codes)));
        assert!(found.report.status.is_success(), "{size:e}: {:?}", found.report);
    }
}

/// The first stage of EasyMKL as a quadratic program in γ.
#[test]
fn easy_mkl_is_its_program() {
    for seed in 0..20 {
        let (kernels, codes) = problem(30, 2, 3 + seed as usize % 5, seed);
        let lambda = [0.05, 0.2, 0.7][seed as usize % 3];
        let m = kernels.len();
        let trace = |k: &Matrix| (0..30).map(|i| k.get(i, i)).sum::<f64>();
        let unit = kernels.iter().map(trace).sum::<f64>() / (30 * m) as f64;
        let total = sum(&kernels, &vec![1.0; m]);
        let y = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
        let entry = |i: usize, j: usize| {
            let own = if i == j { lambda } else { 0.0 };
            2.0 * ((1.0 - lambda) / unit * y(i) * y(j) * total.get(i, j) + own)
        };
        let members = |sign: f64| (0..30).map(|i| f64::from(u8::from(y(i) == sign))).collect();
        let (a, b, cones) = simplex(30, &[members(1.0), members(-1.0)]);
        let best = interior_point(&upper(30, entry), &[0.0; 30], &a, &b, &cones);
        let given = [("lambda", Value::Real(lambda)), ("tol", Value::Real(1e-9))];
        let found = learn("easy_mkl", &given, &kernels, &Target::from(classes(&codes)));
        let ours = found.report.objective[1];
        assert!((ours / best.obj_val - 1.0).abs() < 1e-6, "{seed}: {ours} {}", best.obj_val);
        let margin = |k: &Matrix| {
            let pairs = (0..30).flat_map(|i| (0..30).map(move |j| (i, j)));
            pairs.map(|(i, j)| y(i) * y(j) * best.x[i] * best.x[j] * k.get(i, j)).sum::<f64>()
        };
        let margins: Vec<f64> = kernels.iter().map(margin).collect();
        assert_near(seed, weights(&found), &shares(&margins), 1e-5);
    }
}

/// FSM along the lines between the centres, as a second-order cone program over wᵀη = 1.
#[test]
fn the_feature_space_measure_is_its_program() {
    for seed in 0..20 {
        let (kernels, codes, _) = given(seed);
        let (m, n, k) = (kernels.len(), codes.len(), 2 + seed as u32 % 2);
        let members = |c: u32| (0..n).filter(|i| codes[*i] == c).collect::<Vec<_>>();
        // ⟨φ(x_i), m_c⟩.
        let towards = |kernel: &Matrix, i: usize, c: u32| {
            let all = members(c);
            all.iter().map(|j| kernel.get(i, *j)).sum::<f64>() / all.len() as f64
        };
        let (mut blocks, mut apart) = (Vec::<Vec<Vec<f64>>>::new(), vec![0.0; m]);
        for a in 0..k {
            for b in (0..k).filter(|b| *b != a) {
                let own = members(a);
                let mut block = vec![vec![0.0; m]; own.len()];
                for (c, kernel) in kernels.iter().enumerate() {
                    let place = |i: &usize| towards(kernel, *i, b) - towards(kernel, *i, a);
                    let mean = own.iter().map(place).sum::<f64>() / own.len() as f64;
                    // Over all ordered pairs: ⟨m_a, m_a⟩ − ⟨m_a, m_b⟩, twice for both together.
                    apart[c] -= mean;
                    for (row, i) in block.iter_mut().zip(&own) {
                        row[c] = (place(i) - mean) / ((own.len() - 1) as f64).sqrt();
                    }
                }
                blocks.push(block);
            }
        }
        // Variables: η, then one norm for each block.
        let variables = m + blocks.len();
        let mut rows = vec![vec![0.0; variables]];
        rows[0][..m].copy_from_slice(&apart);
        let mut b = vec![1.0];
        let mut cones = vec![SupportedConeT::ZeroConeT(1), SupportedConeT::NonnegativeConeT(m)];
        for c in 0..m {
            let mut row = vec![0.0; variables];
            row[c] = -1.0;
            rows.push(row);
            b.push(0.0);
        }
        for (t, block) in blocks.iter().enumerate() {
            let mut row = vec![0.0; variables];
            row[m + t] = -1.0;
            rows.push(row);
            for part in block {
                let mut row = vec![0.0; variables];
                row[..m].iter_mut().zip(part).for_each(|(r, p)| *r = -p);
                rows.push(row);
            }
            b.resize(b.len() + block.len() + 1, 0.0);
            cones.push(SupportedConeT::SecondOrderConeT(block.len() + 1));
        }
        let linear: Vec<f64> = (0..variables).map(|v| f64::from(u8::from(v >= m))).collect();
        let none = CscMatrix::zeros((variables, variables));
        let best = interior_point(&none, &linear, &CscMatrix::from(&rows), &b, &cones);
        let found = learn("fsm", &[], &kernels, &Target::from(classes(&codes)));
        let ours = found.report.objective.last().unwrap();
        assert!((ours / best.obj_val - 1.0).abs() < 1e-6, "{seed}: {ours} {}", best.obj_val);
        assert!(found.report.gap.unwrap() < 1e-9, "{seed}: {:?}", found.report.gap);
        assert_near(seed, weights(&found), &shares(&best.x[..m]), 1e-4);
    }
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.
fn jacobi(k: &Matrix) -> (Vec<f64>, Matrix) {
    let n = k.rows();
    let mut a = k.clone();
    let mut v = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    for _ in 0..12 {
        for p in 0..n {
            for q in p + 1..n {
                if a.get(p, q).abs() < 1e-300 {
                    continue;
                }
                let theta = 0.5 * (a.get(q, q) - a.get(p, p)) / a.get(p, q);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let (c, s) = (1.0 / (t * t + 1.0).sqrt(), t / (t * t + 1.0).sqrt());
                let turn = |m: &mut Matrix, rows: bool| {
                    for i in 0..n {
                        let at = |j: usize| if rows { (j, i) } else { (i, j) };
                        let ((x, y), (z, w)) = (at(p), at(q));
                        let (one, two) = (m.get(x, y), m.get(z, w));
                        m.set(x, y, c * one - s * two);
                        m.set(z, w, s * one + c * two);
                    }
                };
                turn(&mut a, false);
                turn(&mut a, true);
                turn(&mut v, false);
            }
        }
    }
    ((0..n).map(|i| a.get(i, i)).collect(), v)
}

/// The semidefinite program by Clarabel with a row vᵀKv ≥ 0 for every eigenvector that was ever negative.
#[test]
fn alignment_of_any_sign_is_its_program() {
    let mut negative = 0;
    for seed in 0..20 {
        let k = 2 + seed as usize % 2;
        let (kernels, codes) = problem(20, k, 3 + seed as usize % 3, seed);
        let t = ideal(&codes, k as u32);
        let m = kernels.len();
        let g = gram(&kernels);
        let size = g[0][0];
        let linear: Vec<f64> = kernels.iter().map(|k| -2.0 * dot(k, &t) / size).collect();
        let mut rows: Vec<Vec<f64>> = vec![vec![0.0; m]];
        let eta = loop {
            let quadratic = upper(m, |i, j| 2.0 * g[i][j] / size);
            let cones = [SupportedConeT::NonnegativeConeT(rows.len())];
            let b = vec![0.0; rows.len()];
            let best = interior_point(&quadratic, &linear, &CscMatrix::from(&rows), &b, &cones);
            let (values, vectors) = jacobi(&sum(&kernels, &best.x));
            let largest = values.iter().copied().fold(0.0, f64::max);
            let cuts: Vec<usize> = (0..20).filter(|i| values[*i] < -1e-8 * largest).collect();
            if cuts.is_empty() {
                break best.x;
            }
            for c in cuts {
                let v = vectors.col(c);
                let form = |k: &Matrix| -> f64 {
                    (0..20).map(|i| (0..20).map(|j| v[i] * v[j] * k.get(i, j)).sum::<f64>()).sum()
                };
                rows.push(kernels.iter().map(|k| -form(k)).collect());
            }
        };
        let combined = sum(&kernels, &eta);
        let best = dot(&combined, &t) / (dot(&combined, &combined) * dot(&t, &t)).sqrt();
        let given = [("tol", Value::Real(1e-7))];
        let found = learn("lanckriet_alignment", &given, &kernels, &Target::from(classes(&codes)));
        let ours = *found.report.objective.last().unwrap();
        assert!((ours / best - 1.0).abs() < 1e-6, "{seed}: {ours} {best}");
        assert!(found.report.gap.unwrap() <= 1e-7, "{seed}: {:?}", found.report);
        let own = sum(&kernels, weights(&found));
        let least = jacobi(&own).0.into_iter().fold(f64::INFINITY, f64::min);
        assert!(least > -1e-9, "{seed}: {least}");
        let trace = |k: &Matrix| (0..20).map(|i| k.get(i, i)).sum::<f64>();
        let mean = kernels.iter().map(trace).sum::<f64>() / m as f64;
        assert!((trace(&own) / mean - 1.0).abs() < 1e-9);
        negative += usize::from(weights(&found).iter().any(|w| *w < -1e-3));
        // Copies, and sums of others, of any size: no other combination is there, and a certificate of a better one is false.
        let mut more = kernels.clone();
        more.push(sum(&kernels[..1], &[1e-7]));
        more.push(sum(&kernels[..2], &[1e3, 1e3]));
        more.push(kernels[m - 1].clone());
        let found = learn("lanckriet_alignment", &given, &more, &Target::from(classes(&codes)));
        let told = *found.report.objective.last().unwrap();
        assert!((told / best - 1.0).abs() < 1e-6, "{seed}: {told} {best}");
        let own = sum(&more, weights(&found));
        let truly = dot(&own, &t) / (dot(&own, &own) * dot(&t, &t)).sqrt();
        assert!((truly / best - 1.0).abs() < 1e-6, "{seed}: {truly} {best}");
    }
    assert!(negative > 3, "{negative}");
}
