//! Co-regularised embeddings against textbook implementations on projectors P = UUᵀ: full
//! eigendecompositions of stored matrices, no shortcuts.

use super::multiview::{apart, embedding_of, laplacian, projector, trace_of_product, unit_gram};
use crate::common::{Real, Toy, cluster};
use cokernel::data::Matrix;
use cokernel::eval::cluster_scores::{NmiNorm, nmi};
use cokernel::multiview::Clustering;
use cokernel::{Run, Status};
use rand::RngExt;

/// What a textbook computation ends with.
struct Textbook {
    /// Of the views, then of the centroid if there is one.
    p: Vec<Matrix>,
    /// Of each view's last operator.
    values: Vec<Vec<f64>>,
    /// The objective after each round.
    trace: Vec<f64>,
}

fn plus(parts: &[(f64, &Matrix)]) -> Matrix {
    let first = parts[0].1;
    Matrix::from_fn(first.rows(), first.cols(), |i, j| {
        parts.iter().map(|(w, m)| w * m.get(i, j)).sum()
    })
}

/// Rounds of `round`, which updates projectors and eigenvalues, until `objective` settles.
fn rounds(
    mut p: Vec<Matrix>,
    mut values: Vec<Vec<f64>>,
    tol: f64,
    objective: impl Fn(&[Matrix]) -> f64,
    round: impl Fn(&mut [Matrix], &mut [Vec<f64>]),
) -> Textbook {
    let mut last = objective(&p);
    let mut trace = Vec::new();
    loop {
        round(&mut p, &mut values);
        let now = objective(&p);
        trace.push(now);
        if (now - last).abs() <= tol * now.abs() {
            return Textbook { p, values, trace };
        }
        last = now;
    }
}

/// (4.3)-(4.6); `lambda` is called with v < w.
fn pairwise(
    kernels: &[Matrix],
    k: usize,
    tol: f64,
    lambda: impl Fn(usize, usize) -> f64,
) -> Textbook {
    let l: Vec<Matrix> = kernels.iter().map(laplacian).collect();
    let views = l.len();
    let (values, p): (Vec<_>, Vec<_>) = l.iter().map(|l| projector(l, k)).unzip();
    let objective = |p: &[Matrix]| {
        let mut sum = 0.0;
        for v in 0..views {
            sum += trace_of_product(&l[v], &p[v]);
            sum += (0..v).map(|w| lambda(w, v) * trace_of_product(&p[v], &p[w])).sum::<f64>();
        }
        sum
    };
    rounds(p, values, tol, objective, |p, values| {
        for v in 0..views {
            let mut parts = vec![(1.0, &l[v])];
            parts.extend((0..v).map(|w| (lambda(w, v), &p[w])));
            parts.extend((v + 1..views).map(|w| (lambda(v, w), &p[w])));
            let drawn = plus(&parts);
            (values[v], p[v]) = projector(&drawn, k);
        }
    })
}

/// (4.7)-(4.10).
fn centroid(kernels: &[Matrix], k: usize, tol: f64, lambda: &[f64]) -> Textbook {
    let l: Vec<Matrix> = kernels.iter().map(laplacian).collect();
    let views = l.len();
    let (values, mut p): (Vec<_>, Vec<_>) = l.iter().map(|l| projector(l, k)).unzip();
    let weights = if lambda.iter().all(|l| *l == 0.0) { vec![1.0; views] } else { lambda.to_vec() };
    let common = |p: &[Matrix]| {
        let parts: Vec<_> = weights.iter().copied().zip(&p[..views]).collect();
        projector(&plus(&parts), k).1
    };
    p.push(common(&p));
    let objective = |p: &[Matrix]| {
        let own: f64 = (0..views).map(|v| trace_of_product(&l[v], &p[v])).sum();
        own + (0..views).map(|v| lambda[v] * trace_of_product(&p[v], &p[views])).sum::<f64>()
    };
    rounds(p, values, tol, objective, |p, values| {
        for v in 0..views {
            let drawn = plus(&[(1.0, &l[v]), (lambda[v], &p[views])]);
            (values[v], p[v]) = projector(&drawn, k);
        }
        p[views] = common(p);
    })
}

fn assert_same_path(what: &str, found: &Clustering, want: &Textbook) {
    assert_eq!(found.report.status, Status::Converged, "{what}");
    assert_eq!(found.report.objective.len(), want.trace.len(), "{what}");
    for (a, b) in found.report.objective.iter().zip(&want.trace) {
        assert!((a - b).abs() < 1e-10 * b, "{what}: {a} and {b}");
    }
    for (a, b) in found.embedding.eigenvalues.iter().flatten().zip(want.values.iter().flatten()) {
        assert!((a - b).abs() < 1e-10, "{what}: {a} and {b}");
    }
}

fn assert_same_rows(what: &str, found: &Clustering, place: usize, want: &Matrix) {
    let distance = apart(&unit_gram(want), &embedding_of(found, place, 3));
    assert!(distance <= 1e-8, "{what}, embedding {place}: {distance}");
}

const SIZES: [(usize, usize); 5] = [(60, 2), (140, 2), (200, 3), (150, 4), (140, 5)];

#[test]
fn pairwise_is_the_textbook_method() {
    for (n, views) in SIZES {
        let toy = Toy::new(n, views, 3, 5 + views as u64);
        // Common λ, and one per pair that tells all pairs apart.
        let pairs: Vec<(usize, usize)> =
            (0..views).flat_map(|v| (v + 1..views).map(move |w| (v, w))).collect();
        let distinct = |v: usize, w: usize| 0.03 + 0.05 * v as f64 + 0.02 * w as f64;
        let each: Vec<f64> = pairs.iter().map(|&(v, w)| distinct(v, w)).collect();
        for lambda in [vec![0.0], vec![0.05], vec![0.7], each] {
            let of = |v, w| if lambda.len() == 1 { lambda[0] } else { distinct(v, w) };
            let want = pairwise(&toy.kernels, 3, 1e-4, of);
            let params = [("lambda", Real::from(lambda.clone()))];
            let found = cluster("co_regularized", &toy.bank(), 3, &params);
            let what = format!("n {n}, {views} views, λ {lambda:?}");
            assert_same_path(&what, &found, &want);
            (0..views).for_each(|v| assert_same_rows(&what, &found, v, &want.p[v]));
        }
    }
}

#[test]
fn centroid_is_the_textbook_method() {
    for (n, views) in SIZES {
        let toy = Toy::new(n, views, 3, 5 + views as u64);
        let each: Vec<f64> = (0..views).map(|v| 0.03 + 0.06 * v as f64).collect();
        let one_without: Vec<f64> = (0..views).map(|v| if v == 1 { 0.0 } else { 0.1 }).collect();
        for lambda in [vec![0.0], vec![0.05], vec![0.7], each, one_without] {
            let full = if lambda.len() == 1 { vec![lambda[0]; views] } else { lambda.clone() };
            let want = centroid(&toy.kernels, 3, 1e-4, &full);
            let params = |embedding: &str| {
                [
                    ("lambda", Real::from(lambda.clone())),
                    ("embedding", Real::from(embedding.to_string())),
                ]
            };
            let what = format!("n {n}, {views} views, λ {lambda:?}");
            let found =
                cluster("co_regularized_centroid", &toy.bank(), 3, &params("centroid")[..1]);
            assert_same_path(&what, &found, &want);
            assert_eq!(found.embedding.rows.cols(), 3);
            assert_same_rows(&format!("{what}, centroid"), &found, 0, &want.p[views]);
            let found = cluster("co_regularized_centroid", &toy.bank(), 3, &params("concat"));
            (0..views).for_each(|v| assert_same_rows(&what, &found, v, &want.p[v]));
        }
    }
}

/// LMS §4.2.3: blocks of ones in one view, all ones or random numbers in the other: NMI 1.
#[test]
fn an_uninformative_view_does_no_harm() {
    let n = 150;
    let blocks = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 2 == j % 2)));
    let ones = Matrix::from_fn(n, n, |_, _| 1.0);
    let mut rng = Run::with_seed(3).rng("uninformative view");
    let half = Matrix::from_fn(n, n, |_, _| rng.random::<f64>());
    let random = Matrix::from_fn(n, n, |i, j| half.get(i.min(j), i.max(j)));
    let classes: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
    for other in [ones, random] {
        let toy = Toy { kernels: vec![blocks.clone(), other], classes: classes.clone() };
        let found = cluster("co_regularized", &toy.bank(), 2, &[]);
        assert_eq!(nmi(&found.assignments, &classes, NmiNorm::Arithmetic).unwrap(), 1.0);
    }
}
