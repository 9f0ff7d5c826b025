//! Co-training against a textbook implementation: Algorithm 1 of LMS on stored matrices, projectors
//! and full eigendecompositions.

use crate::common::{Real, Toy, cluster, run_method};
use cokernel::bank::{Cross, RowMeans, Storage};
use cokernel::data::{Matrix, Table, Views};
use cokernel::kernel::Norm;
use cokernel::multiview::Embedding;
use cokernel::solve::dense::symmetric_eigen;
use cokernel::{Run, Status};

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    let turned = b.transposed();
    Matrix::from_fn(a.rows(), b.cols(), |i, j| {
        a.row(i).iter().zip(turned.row(j)).map(|(x, y)| x * y).sum()
    })
}

fn normalized(k: &Matrix) -> Matrix {
    let d: Vec<f64> = (0..k.rows()).map(|i| k.row(i).iter().sum::<f64>()).collect();
    Matrix::from_fn(k.rows(), k.rows(), |i, j| k.get(i, j) / (d[i] * d[j]).sqrt())
}

/// One view: all eigenvectors, in descending order.
struct Spectrum {
    values: Vec<f64>,
    vectors: Matrix,
}

impl Spectrum {
    fn new(a: &Matrix) -> Self {
        let (n, (values, vectors)) = (a.rows(), symmetric_eigen(a).unwrap());
        let vectors = Matrix::from_fn(n, n, |i, j| vectors.get(i, n - 1 - j));
        Spectrum { values: values.into_iter().rev().collect(), vectors }
    }

    /// UUᵀ for the first k columns, or those of eigenvalues that are not rounding.
    fn projector(&self, k: usize) -> Matrix {
        let k = self.values.iter().take(k).take_while(|v| **v > 1e-11).count();
        let u = self.vectors.select_cols(&(0..k).collect::<Vec<_>>());
        multiply(&u, &u.transposed())
    }
}

fn trace_of_product(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(x, y)| x * y).sum()
}

fn mean_agreement(views: &[Spectrum], k: usize) -> f64 {
    let p: Vec<Matrix> = views.iter().map(|s| s.projector(k)).collect();
    let pairs: Vec<f64> = (0..p.len())
        .flat_map(|v| (0..v).map(move |w| (v, w)))
        .map(|(v, w)| trace_of_product(&p[v], &p[w]) / k as f64)
        .collect();
    pairs.iter().sum::<f64>() / pairs.len() as f64
}

/// Algorithm 1 with the union of subspaces: the state after each round, the first being that of
/// the single views.
fn textbook(kernels: &[Matrix], p: usize, shift: bool, rounds: usize) -> Vec<Vec<Spectrum>> {
    let n = kernels[0].rows();
    let mut all: Vec<Vec<Spectrum>> =
        vec![kernels.iter().map(|k| Spectrum::new(&normalized(k))).collect()];
    for _ in 0..rounds {
        let last = all.last().unwrap();
        let projectors: Vec<Matrix> = last.iter().map(|s| s.projector(p)).collect();
        let next = (0..kernels.len()).map(|v| {
            let sum = Matrix::from_fn(n, n, |i, j| {
                (0..kernels.len()).filter(|w| *w != v).map(|w| projectors[w].get(i, j)).sum()
            });
            let product = multiply(&sum, &kernels[v]);
            let mut s = Matrix::from_fn(n, n, |i, j| 0.5 * (product.get(i, j) + product.get(j, i)));
            let least = s.values().iter().fold(0.0_f64, |a, b| a.min(*b));
            if shift {
                s.values_mut().iter_mut().for_each(|x| *x -= least);
            }
            Spectrum::new(&normalized(&s))
        });
        let next = next.collect();
        all.push(next);
    }
    all
}

/// The Gram matrix of unit rows: what an embedding is, up to rotation.
fn unit_gram(p: &Matrix) -> Matrix {
    Matrix::from_fn(p.rows(), p.rows(), |i, j| p.get(i, j) / (p.get(i, i) * p.get(j, j)).sqrt())
}

fn apart(a: &Matrix, b: &Matrix) -> f64 {
    a.values().iter().zip(b.values()).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

fn gram_of(e: &Embedding, first: usize, columns: usize) -> Matrix {
    let rows = e.rows.select_cols(&(first..first + columns).collect::<Vec<_>>());
    multiply(&rows, &rows.transposed())
}

fn word(text: &str) -> Real {
    Real::from(text.to_string())
}

fn params(rounds: usize, projection: usize, shift: bool) -> [(&'static str, Real); 3] {
    [
        ("max_iterations", (rounds as i64).into()),
        ("projection", (projection as i64).into()),
        ("shift", word(if shift { "yes" } else { "no" })),
    ]
}

#[test]
fn co_trained_is_the_textbook_method() {
    for (n, views, k, projection) in [
        (60, 2, 3, 0),
        (200, 2, 3, 0),
        (150, 3, 3, 2),
        (130, 4, 2, 4),
        (90, 5, 3, 0),
        (70, 2, 1, 3),
    ] {
        let toy = Toy::new(n, views, 3, 20 + views as u64);
        let p = if projection == 0 { k } else { projection };
        for shift in [true, false] {
            let rounds = 4;
            let states = textbook(&toy.kernels, p, shift, rounds);
            for round in [0, 1, rounds] {
                let found =
                    cluster("co_trained", &toy.bank(), k, &params(round, projection, shift));
                let place = format!("n {n}, {views} views, shift {shift}, round {round}");
                assert_eq!(found.report.status, Status::ClosedForm, "{place}");
                assert_eq!(found.report.iterations, round, "{place}");
                for (v, want) in states[round].iter().enumerate() {
                    let want_gram = unit_gram(&want.projector(k));
                    let distance = apart(&want_gram, &gram_of(&found.embedding, v * k, k));
                    assert!(distance <= 1e-8, "{place}, view {v}: {distance}");
                    let got = &found.embedding.eigenvalues[v];
                    assert_eq!(got.len(), k, "{place}");
                    for (a, b) in got.iter().zip(&want.values) {
                        assert!((a - b).abs() < 1e-10, "{place}: {a} and {b}");
                    }
                    let gap = want.values[k - 1] - want.values[k];
                    let got = found.embedding.gaps[v].unwrap();
                    assert!((got - gap).abs() < 1e-2 * gap + 1e-10, "{place}: {got} and {gap}");
                }
                for (t, got) in found.embedding.agreement.iter().enumerate() {
                    let want = mean_agreement(&states[t + 1], k);
                    assert!((got - want).abs() < 1e-10, "{place}: {got} and {want}");
                }
            }
        }
    }
}

/// Several rounds change something, and shift does too: the comparisons above are not idle.
#[test]
fn rounds_and_shift_matter() {
    let toy = Toy::new(120, 2, 3, 22);
    let gram = |rounds, shift| {
        let found = cluster("co_trained", &toy.bank(), 3, &params(rounds, 0, shift));
        gram_of(&found.embedding, 0, 3)
    };
    assert!(apart(&gram(0, true), &gram(1, true)) > 1e-2);
    assert!(apart(&gram(1, true), &gram(4, true)) > 1e-4);
    assert!(apart(&gram(4, false), &gram(4, true)) > 1e-4);
}

/// With blocks of equal similarity the projected similarities have a rank below the number of
/// columns: only eigenvectors that mean something remain.
#[test]
fn deficient_ranks_leave_fewer_columns() {
    let n = 90;
    let blocks =
        |size: usize| Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % size == j % size)));
    let toy = Toy { kernels: vec![blocks(3), blocks(3)], classes: Vec::new() };
    let found = cluster("co_trained", &toy.bank(), 3, &[("eigenvectors", 5.into())]);
    assert_eq!(found.embedding.rows.cols(), 6);
    assert_eq!(found.assignments, (0..n as u32).map(|i| i % 3).collect::<Vec<_>>());
    for values in &found.embedding.eigenvalues {
        assert!(values.len() == 3 && values.iter().all(|v| (v - 1.0).abs() < 1e-10), "{values:?}");
    }
    let note = "kernel 'view 0': 3 of 5, kernel 'view 1': 3 of 5 eigenvalues are above rounding";
    assert!(found.report.notes.iter().any(|n| n.starts_with(note)), "{:?}", found.report.notes);
    assert_eq!(found.embedding.gaps, [Some(found.embedding.eigenvalues[0][2]); 2]);
}

/// LMS §3.3.3: a view that tells nothing spoils the one that tells all, in a defined way.
#[test]
fn an_uninformative_view() {
    let n = 80;
    let blocks = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i % 2 == j % 2)));
    let ones = Matrix::from_fn(n, n, |_, _| 1.0);
    let toy = Toy { kernels: vec![blocks.clone(), ones], classes: Vec::new() };
    let found = cluster("co_trained", &toy.bank(), 2, &[]);
    // The constant view has one eigenvector, and after a round nothing else is left.
    assert_eq!(found.embedding.rows.cols(), 2);
    assert!((found.embedding.agreement[0] - 1.0).abs() < 1e-10);
    let none = cluster("co_trained", &toy.bank(), 2, &[("max_iterations", 0.into())]);
    assert_eq!(none.embedding.rows.cols(), 3);
    assert_eq!(none.assignments, (0..n as u32).map(|i| i % 2).collect::<Vec<_>>());
    // Contradictory clusterings: no agreement is reached, and the status says so.
    let other = Matrix::from_fn(n, n, |i, j| {
        f64::from(u8::from(i < n / 2 && j < n / 2 || i.min(j) >= n / 2))
    });
    let toy = Toy { kernels: vec![blocks, other], classes: Vec::new() };
    assert_eq!(cluster("co_trained", &toy.bank(), 2, &[]).assignments.len(), n);
}

fn normal_points(n: usize, columns: usize, seed: u64) -> Matrix {
    use rand::RngExt;
    let mut rng = Run::with_seed(seed).rng("co-trained points");
    Matrix::from_fn(n, columns, |i, j| {
        let noise: f64 = (0..4).map(|_| rng.random::<f64>() - 0.5).sum();
        noise + if i % 3 == j { 2.0 } else { 0.0 }
    })
}

/// Training instances as new rows get their own row of the embedding.
#[test]
fn training_rows_as_new_rows() {
    for (n, views, k, projection, shift, embedding) in [
        (70, 2, 3, 0, true, "concat"),
        (170, 2, 3, 5, true, "concat"),
        (150, 3, 3, 2, false, "v1"),
        (140, 4, 2, 0, true, "concat"),
        (90, 1, 3, 0, true, "concat"),
    ] {
        let (mut tables, mut specs) = (Views::new(), Vec::new());
        for v in 0..views {
            let table = Table::Dense(normal_points(n, 3, v));
            tables = tables.with(format!("v{v}"), table).unwrap();
            specs.push(format!("gaussian@v{v}:gamma=0.3").parse().unwrap());
        }
        let run = Run::default();
        let bank = cokernel::bank::Bank::build(&tables, &specs, Storage::Resident, &run).unwrap();
        for rounds in [0, 1, 2, 6] {
            let [a, b, c] = params(rounds, projection, shift);
            let given = [a, b, c, ("embedding", word(embedding))];
            let found = run_method("co_trained", &bank, k, &given, &run).unwrap().embedding;
            let norms: Vec<Vec<Norm>> = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
            let all: Vec<usize> = (0..n).collect();
            let cross =
                Cross::new(&tables, &all, n, bank.kernels(), &norms, RowMeans::Exact).unwrap();
            let extension = found.extension.unwrap();
            let again = extension.apply(&cross, bank.len(), &tables).unwrap();
            let distance = apart(&again, &found.rows);
            assert!(distance <= 1e-8, "n {n}, {views} views, {rounds} rounds: {distance}");
            // New rows one by one are the same as all at once.
            let one = extension.apply(&cross, bank.len(), &tables.select(&[5])).unwrap();
            assert!(apart(&one, &found.rows.select_rows(&[5])) <= 1e-8);
        }
    }
}
