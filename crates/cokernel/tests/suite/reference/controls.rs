//! The control methods of clustering against textbook implementations: every matrix formed, full
//! eigendecompositions, no shortcuts.

use super::multiview::{apart, laplacian, multiply, projector, unit_gram};
use crate::common::{Toy, cluster};
use crate::invariance::controls::{embed, gaussian_median, toy_views};
use cokernel::Run;
use cokernel::data::{Matrix, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::model::MultiView;
use cokernel::multiview::Starts;
use cokernel::solve::dense::symmetric_eigen;

pub fn gram(rows: &Matrix) -> Matrix {
    multiply(rows, &rows.transposed())
}

fn sum(parts: &[Matrix]) -> Matrix {
    Matrix::from_fn(parts[0].rows(), parts[0].cols(), |i, j| {
        parts.iter().map(|p| p.get(i, j)).sum()
    })
}

/// V f(λ) Vᵀ.
fn function(a: &Matrix, f: impl Fn(f64) -> f64) -> Matrix {
    let (values, v) = symmetric_eigen(a).unwrap();
    let scaled = Matrix::from_fn(v.rows(), v.cols(), |i, j| v.get(i, j) * f(values[j]));
    multiply(&scaled, &v.transposed())
}

pub fn centred(k: &Matrix) -> Matrix {
    let n = k.rows();
    let h = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
    multiply(&multiply(&h, k), &h)
}

pub fn trace(k: &Matrix) -> f64 {
    (0..k.rows()).map(|i| k.get(i, i)).sum()
}

/// The block matrix with `block(v, w)` (n × n) at place (v, w).
fn blocks(views: usize, n: usize, block: impl Fn(usize, usize) -> Matrix) -> Matrix {
    let mut out = Matrix::zeros(views * n, views * n);
    for v in 0..views {
        for w in 0..views {
            let b = block(v, w);
            for i in 0..n {
                for j in 0..n {
                    out.set(v * n + i, w * n + j, b.get(i, j));
                }
            }
        }
    }
    out
}

fn leading(a: &Matrix, c: usize) -> (Vec<f64>, Matrix) {
    let (values, vectors) = symmetric_eigen(a).unwrap();
    let n = a.rows();
    let kept = Matrix::from_fn(n, c, |i, j| vectors.get(i, n - 1 - j));
    (values.iter().rev().take(c).copied().collect(), kept)
}

fn rows_of(stacked: &Matrix, v: usize, n: usize) -> Matrix {
    stacked.select_rows(&(v * n..(v + 1) * n).collect::<Vec<_>>())
}

#[test]
fn product_spectral_is_the_textbook_method() {
    for (n, views, k) in [(50, 2, 3), (190, 2, 3), (170, 4, 4)] {
        let toy = Toy::new(n, views, 3, 21);
        let product =
            Matrix::from_fn(n, n, |i, j| toy.kernels.iter().map(|m| m.get(i, j)).product::<f64>());
        let (values, p) = projector(&laplacian(&product), k);
        let found = cluster("product_spectral", &toy.bank(), k, &[]);
        let distance = apart(&unit_gram(&p), &gram(&found.embedding.rows));
        assert!(distance <= 1e-8, "n {n}, {views} views: {distance}");
        for (a, b) in found.embedding.eigenvalues[0].iter().zip(&values) {
            assert!((a - b).abs() < 1e-11, "{a} and {b}");
        }
    }
}

#[test]
fn concat_embeddings_is_the_textbook_method() {
    for (n, views) in [(60, 2), (180, 3), (150, 4)] {
        let toy = Toy::new(n, views, 3, 22);
        let parts: Vec<Matrix> =
            toy.kernels.iter().map(|k| unit_gram(&projector(&laplacian(k), 3).1)).collect();
        let found = cluster("concat_embeddings", &toy.bank(), 3, &[]);
        let distance = apart(&sum(&parts), &gram(&found.embedding.rows));
        assert!(distance <= 1e-8, "n {n}, {views} views: {distance}");
        let zero = cluster("co_regularized", &toy.bank(), 3, &[("lambda", 0.0.into())]);
        assert_eq!(zero.assignments, found.assignments);
        assert!((zero.report.objective.len(), found.embedding.agreement.len()) == (1, 1));
        let (a, b) = (zero.embedding.agreement[0], found.embedding.agreement[0]);
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}

#[test]
fn concatenated_features() {
    let views = toy_views(150, &[3, 4], 3, 23);
    let x = Matrix::from_fn(150, 7, |i, j| {
        let (name, j) = if j < 3 { ("v0", j) } else { ("v1", j - 3) };
        let Table::Dense(m) = &views.get(name).unwrap().table else { panic!() };
        m.get(i, j)
    });
    let deviation = |j: usize| {
        let mean = x.col(j).iter().sum::<f64>() / 150.0;
        (mean, (x.col(j).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 150.0).sqrt())
    };
    let of: Vec<(f64, f64)> = (0..7).map(deviation).collect();
    let standard = Matrix::from_fn(150, 7, |i, j| (x.get(i, j) - of[j].0) / of[j].1);
    for (scale, x) in [("given", &x), ("standard", &standard)] {
        let method = |id: &str| MultiView::new(id).unwrap().param("scale", scale);
        let find = |m: MultiView| {
            m.cluster(&views, 3, &Starts::default(), &Run::default()).unwrap().embedding
        };
        let (_, p) = projector(&laplacian(&gaussian_median(x)), 3);
        let distance = apart(&unit_gram(&p), &gram(&find(method("concat_spectral")).rows));
        assert!(distance <= 1e-8, "{scale}: {distance}");
        let narrow = Matrix::from_fn(150, 150, |i, j| {
            let d: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
            (-d / 8.0).exp()
        });
        let (_, p) = projector(&laplacian(&narrow), 3);
        let found = find(method("concat_spectral").param("sigma", 2.0));
        let distance = apart(&unit_gram(&p), &gram(&found.rows));
        assert!(distance <= 1e-8, "{scale}: {distance}");
        let plain = find(method("concat_kmeans"));
        assert!(apart(&plain.rows, x) < 1e-12 && plain.eigenvalues.is_empty());
    }
}

/// W = K_1 K_2 with its singular vectors for two views; for more the graph of all views.
#[test]
fn min_disagreement_is_the_textbook_method() {
    for (n, views) in [(60, 2), (180, 2), (90, 3), (70, 4)] {
        let toy = Toy::new(n, views, 3, 24);
        let (values, u): (Vec<f64>, Vec<Matrix>) = if views == 2 {
            let w = multiply(&toy.kernels[0], &toy.kernels[1]);
            let rows: Vec<f64> = (0..n).map(|i| w.row(i).iter().sum()).collect();
            let columns: Vec<f64> = (0..n).map(|j| w.col(j).iter().sum()).collect();
            let b = Matrix::from_fn(n, n, |i, j| w.get(i, j) / (rows[i] * columns[j]).sqrt());
            let (squares, left) = leading(&multiply(&b, &b.transposed()), 3);
            let values: Vec<f64> = squares.iter().map(|s| s.sqrt()).collect();
            let right = multiply(&b.transposed(), &left);
            let right = Matrix::from_fn(n, 3, |i, j| right.get(i, j) / values[j]);
            (values, vec![left, right])
        } else {
            let zero = Matrix::zeros(n, n);
            let a = blocks(views, n, |v, w| {
                if v == w { zero.clone() } else { multiply(&toy.kernels[v], &toy.kernels[w]) }
            });
            let (values, all) = leading(&laplacian(&a), 3);
            (values, (0..views).map(|v| rows_of(&all, v, n)).collect())
        };
        let check = |embedding: &str, want: &Matrix| {
            let params = [("embedding", embedding.to_string().into())];
            let found = cluster("min_disagreement", &toy.bank(), 3, &params).embedding;
            let distance = apart(want, &gram(&found.rows));
            assert!(distance <= 1e-8, "n {n}, {views} views, {embedding}: {distance}");
            for (a, b) in found.eigenvalues[0].iter().zip(&values) {
                assert!((a - b).abs() < 1e-11, "{a} and {b}");
            }
        };
        let unit = |u: &Matrix| {
            let length = |i: usize| u.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
            Matrix::from_fn(n, 3, |i, j| u.get(i, j) / length(i) / views as f64)
        };
        check("mean", &gram(&sum(&u.iter().map(unit).collect::<Vec<_>>())));
        let parts: Vec<Matrix> = u.iter().map(|u| unit_gram(&gram(u))).collect();
        check("concat", &sum(&parts));
        check("view 0", &parts[0]);
        check("view 1", &parts[1]);
    }
}

/// R_v by full decomposition, the block matrix by full decomposition: variates of each view and
/// θ − 1.
fn variates(kernels: &[Matrix], regularization: f64, c: usize) -> (Vec<f64>, Vec<Matrix>) {
    let n = kernels[0].rows();
    let r: Vec<Matrix> = kernels
        .iter()
        .map(|k| {
            let k = centred(k);
            let sum = trace(&k);
            let ridge = regularization * sum;
            // Without regularisation R is the projector on the features.
            function(&k, |v| if v > 1e-12 * sum { v / (v + ridge) } else { 0.0 })
        })
        .collect();
    let identity = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let all =
        blocks(
            kernels.len(),
            n,
            |v, w| {
                if v == w { identity.clone() } else { multiply(&r[v], &r[w]) }
            },
        );
    let (values, x) = leading(&all, c);
    let parts = (0..kernels.len()).map(|v| multiply(&r[v], &rows_of(&x, v, n))).collect();
    (values.iter().map(|v| v - 1.0).collect(), parts)
}

fn side_by_side(parts: &[Matrix]) -> Matrix {
    let c = parts[0].cols();
    Matrix::from_fn(parts[0].rows(), c * parts.len(), |i, j| parts[j / c].get(i, j % c))
}

#[test]
fn kernel_cca_is_the_textbook_method() {
    for (n, views, regularization) in [(60, 2, 0.01), (150, 2, 0.001), (100, 3, 0.01), (60, 4, 0.1)]
    {
        let toy = Toy::new(n, views, 3, 25);
        let (correlations, f) = variates(&toy.kernels, regularization, 3);
        let check = |embedding: &str, then: &str, want: &Matrix| {
            let params = [
                ("regularization", regularization.into()),
                ("embedding", embedding.to_string().into()),
                ("then", then.to_string().into()),
            ];
            let found = cluster("kernel_cca", &toy.bank(), 3, &params).embedding;
            let distance = apart(want, &gram(&found.rows));
            assert!(distance <= 1e-8, "n {n}, {views} views, {embedding} {then}: {distance}");
            for (a, b) in found.eigenvalues[0].iter().zip(&correlations) {
                assert!((a - b).abs() < 1e-10, "{a} and {b}");
            }
        };
        let all = side_by_side(&f);
        check("concat", "kmeans", &gram(&all));
        check("view 1", "kmeans", &gram(&f[1]));
        for (embedding, z) in [("concat", &all), ("view 0", &f[0])] {
            let (_, p) = projector(&laplacian(&gaussian_median(z)), 3);
            check(embedding, "spectral", &unit_gram(&p));
        }
    }
}

/// The coefficients α solve K̄_1 K̄_2 α_2 = ρ (K̄_1 + κ_1 I)² α_1 and the same the other way round,
/// and Σ_v α_vᵀ (K̄_v + κ_v I)² α_v = 1.
#[test]
fn kernel_cca_solves_the_generalised_eigenproblem() {
    let toy = Toy::new(120, 2, 3, 26);
    let found = cluster("kernel_cca", &toy.bank(), 4, &[("then", "kmeans".to_string().into())]);
    let embedding = found.embedding;
    let alpha: Vec<&Matrix> =
        embedding.extension.as_ref().unwrap().stages.iter().map(|s| &s.basis).collect();
    let k: Vec<Matrix> = toy.kernels.iter().map(centred).collect();
    let ridged: Vec<Matrix> = k
        .iter()
        .map(|k| {
            let ridge = 0.01 * trace(k);
            Matrix::from_fn(120, 120, |i, j| k.get(i, j) + if i == j { ridge } else { 0.0 })
        })
        .collect();
    let image: Vec<Matrix> = (0..2).map(|v| multiply(&ridged[v], alpha[v])).collect();
    for (v, w) in [(0, 1), (1, 0)] {
        let left = multiply(&k[v], &multiply(&k[w], alpha[w]));
        let right = multiply(&ridged[v], &image[v]);
        for j in 0..4 {
            let rho = embedding.eigenvalues[0][j];
            assert!(rho > 0.05 && rho < 1.0, "{rho}");
            for i in 0..120 {
                let (a, b) = (left.get(i, j), rho * right.get(i, j));
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
        }
    }
    let norms = sum(&image.iter().map(|x| multiply(&x.transposed(), x)).collect::<Vec<_>>());
    for i in 0..4 {
        for j in 0..4 {
            let want = f64::from(u8::from(i == j));
            assert!((norms.get(i, j) - want).abs() < 1e-9, "{}", norms.get(i, j));
        }
    }
}

#[test]
fn cca_is_the_textbook_method() {
    for (n, dims) in [(140, vec![4, 3]), (60, vec![6, 5, 4]), (100, vec![3, 3, 2, 4])] {
        let views = toy_views(n, &dims, 3, 27);
        let linear: Vec<Matrix> = views
            .iter()
            .map(|v| match &v.table {
                Table::Dense(m) => gram(m),
                _ => panic!("dense"),
            })
            .collect();
        for regularization in [0.0, 0.01, 0.2] {
            let (correlations, f) = variates(&linear, regularization, 2);
            let method = MultiView::new("cca")
                .unwrap()
                .param("regularization", regularization)
                .param("components", 2);
            let plain = embed(&method.clone().param("then", "kmeans"), &views, 3);
            for (a, b) in plain.eigenvalues[0].iter().zip(&correlations) {
                assert!((a - b).abs() < 1e-9, "{a} and {b}");
            }
            let all = side_by_side(&f);
            let distance = apart(&gram(&all), &gram(&plain.rows));
            assert!(distance <= 1e-8, "n {n}, {regularization}: {distance}");
            let (_, p) = projector(&laplacian(&gaussian_median(&all)), 3);
            let distance = apart(&unit_gram(&p), &gram(&embed(&method, &views, 3).rows));
            assert!(distance <= 1e-8, "n {n}, {regularization}: {distance}");
        }
    }
}

/// The solution in the space of the features and the one in the space of the instances.
#[test]
fn cca_is_kernel_cca_with_linear_kernels() {
    let views = toy_views(120, &[5, 4, 3], 3, 28);
    let cca = MultiView::new("cca").unwrap();
    let dual = MultiView::new("kernel_cca").unwrap().kernels([KernelSpec::linear()]);
    for then in ["kmeans", "spectral"] {
        let a = embed(&cca.clone().param("then", then), &views, 3);
        let b = embed(&dual.clone().param("then", then), &views, 3);
        let distance = apart(&gram(&a.rows), &gram(&b.rows));
        assert!(distance <= 1e-8, "{then}: {distance}");
    }
    // More columns than instances.
    let wide = toy_views(30, &[40, 35], 3, 29);
    let a = embed(&cca, &wide, 3);
    let b = embed(&dual, &wide, 3);
    assert!(apart(&gram(&a.rows), &gram(&b.rows)) <= 1e-8);
}

/// Two views that share one column exactly, by hand: ρ = 1 and the variate is that column.
#[test]
fn classical_cca_finds_a_shared_column() {
    let shared = |i: usize| ((i * 7) % 11) as f64;
    let x = Matrix::from_fn(44, 2, |i, j| if j == 0 { shared(i) } else { ((i * 5) % 4) as f64 });
    let y =
        Matrix::from_fn(44, 2, |i, j| if j == 1 { 9.0 - 3.0 * shared(i) } else { (i / 22) as f64 });
    let views = Views::new().dense("x", x).unwrap().dense("y", y).unwrap();
    let method = MultiView::new("cca")
        .unwrap()
        .param("regularization", 0.0)
        .param("components", 1)
        .param("then", "kmeans");
    let found = embed(&method, &views, 2);
    assert!((found.eigenvalues[0][0] - 1.0).abs() < 1e-12);
    // Unit length over both views: each has length 1/√2.
    let length = (0..44).map(|i| (shared(i) - 5.0).powi(2)).sum::<f64>().sqrt();
    let sign = found.rows.get(0, 0).signum() * (shared(0) - 5.0).signum();
    for i in 0..44 {
        let want = sign * (shared(i) - 5.0) / length / 2.0_f64.sqrt();
        for j in 0..2 {
            assert!((found.rows.get(i, j) - want).abs() < 1e-10);
        }
    }
}
