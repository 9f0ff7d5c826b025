//! Principal components and Fisher's discriminants against matrices that are formed entry by entry:
//! scatters as sums over pairs of instances, coefficients of kernels as unknowns.

use super::controls::{centred, gram, trace};
use super::multiview::multiply;
use crate::common::gaussian;
use cokernel::Run;
use cokernel::catalogue::methods;
use cokernel::data::{Labels, Matrix, Scale, Table, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::method::{Method, Task};
use cokernel::model::{EmbeddingModel, MultiView};
use cokernel::multiview::Embedding;

fn embedders() -> impl Iterator<Item = &'static Method> {
    methods().filter(|m| m.tasks.contains(&Task::Embed))
}

/// Three classes in two views; the class of every instance as text.
fn data(n: usize) -> (Views, Labels, Vec<usize>) {
    let (views, labels) = toy::views(n, 3, &[3.0, 2.0], 4).unwrap();
    let codes = labels.classes().unwrap().codes.iter().map(|c| *c as usize).collect();
    (views, labels, codes)
}

/// The columns of both views side by side.
fn columns(views: &Views) -> Matrix {
    let tables: Vec<Matrix> = views
        .iter()
        .map(|v| match &v.table {
            Table::Dense(x) => x.clone(),
            _ => unreachable!(),
        })
        .collect();
    let all: Vec<Vec<f64>> = (0..tables[0].rows())
        .map(|i| tables.iter().flat_map(|t| t.row(i).to_vec()).collect())
        .collect();
    Matrix::from_fn(all.len(), all[0].len(), |i, j| all[i][j])
}

fn embedded(method: MultiView, views: &Views, labels: &Labels, k: usize) -> Embedding {
    method.fit_labelled_embedding(views, labels, k, &Run::default()).unwrap().1
}

/// ½ Σ_ij W_ij (x_i − x_j)(x_i − x_j)ᵀ.
fn scatter(x: &Matrix, w: &Matrix) -> Matrix {
    let d = x.cols();
    let mut out = Matrix::zeros(d, d);
    for i in 0..x.rows() {
        for j in 0..x.rows() {
            for a in 0..d {
                for b in 0..d {
                    let product = (x.get(i, a) - x.get(j, a)) * (x.get(i, b) - x.get(j, b));
                    out.set(a, b, out.get(a, b) + 0.5 * w.get(i, j) * product);
                }
            }
        }
    }
    out
}

/// Pairwise weights within and between classes for an affinity A.
fn weights(codes: &[usize], a: &Matrix) -> (Matrix, Matrix) {
    let n = codes.len();
    let size = |c: usize| codes.iter().filter(|o| **o == c).count() as f64;
    let same = |i: usize, j: usize| codes[i] == codes[j];
    let within = |i: usize, j: usize| if same(i, j) { a.get(i, j) / size(codes[i]) } else { 0.0 };
    let between = |i: usize, j: usize| match same(i, j) {
        true => a.get(i, j) * (1.0 / n as f64 - 1.0 / size(codes[i])),
        false => 1.0 / n as f64,
    };
    (Matrix::from_fn(n, n, within), Matrix::from_fn(n, n, between))
}

/// exp(−d²/(s_i s_j)) with the distance to the seventh neighbour in the class.
fn affinity(squares: &Matrix, codes: &[usize]) -> Matrix {
    let n = codes.len();
    let width = |i: usize| {
        let own = (0..n).filter(|j| codes[*j] == codes[i] && *j != i);
        let mut found: Vec<f64> = own.map(|j| squares.get(i, j)).collect();
        found.sort_by(f64::total_cmp);
        found[6].sqrt()
    };
    Matrix::from_fn(n, n, |i, j| (-squares.get(i, j) / (width(i) * width(j))).exp())
}

/// S_b W = (S_w + R) W Θ, Wᵀ(S_w + R)W = n · Λ, where the embedding is X W: checked without W by
/// what it gives, Z = X̄ W, for square invertible scatters: X̄ᵀZ and so on would need W, so W is solved
/// for by least squares.
fn assert_solves(
    z: &Matrix,
    x: &Matrix,
    within: &Matrix,
    between: &Matrix,
    theta: &[f64],
    weighted: bool,
) {
    let (n, d, k) = (x.rows() as f64, x.cols(), z.cols());
    let mean = |m: &Matrix, j: usize| m.col(j).iter().sum::<f64>() / n;
    let xc = Matrix::from_fn(x.rows(), d, |i, j| x.get(i, j) - mean(x, j));
    // (X̄ᵀX̄) W = X̄ᵀZ by the decomposition of X̄ᵀX̄.
    let (values, v) =
        cokernel::solve::dense::symmetric_eigen(&multiply(&xc.transposed(), &xc)).unwrap();
    let inverse =
        Matrix::from_fn(d, d, |i, j| (0..d).map(|l| v.get(i, l) * v.get(j, l) / values[l]).sum());
    let w = multiply(&inverse, &multiply(&xc.transposed(), z));
    let fit = multiply(&xc, &w);
    let worst = fit.values().iter().zip(z.values()).fold(0.0_f64, |a, (f, z)| a.max((f - z).abs()));
    assert!(worst < 1e-8, "the columns are no centred linear function: {worst}");
    let (left, right) = (multiply(between, &w), multiply(within, &w));
    for j in 0..k {
        let size = left.col(j).iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for i in 0..d {
            let apart = left.get(i, j) - theta[j] * right.get(i, j);
            assert!(apart.abs() < 1e-8 * size, "direction {j}: {apart} of {size}");
        }
    }
    let lengths = multiply(&w.transposed(), &right);
    for i in 0..k {
        for j in 0..k {
            let own = if weighted { n * theta[i] } else { n };
            let want = if i == j { own } else { 0.0 };
            assert!((lengths.get(i, j) - want).abs() < 1e-7 * own, "{lengths:?}");
        }
    }
    assert!(theta.windows(2).all(|t| t[0] >= t[1]));
}

#[test]
fn discriminants_of_features_solve_their_problem() {
    let (views, labels, codes) = data(60);
    let x = columns(&views);
    let d = x.cols();
    let squares = Matrix::from_fn(60, 60, |i, j| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
    });
    let ones = Matrix::from_fn(60, 60, |_, _| 1.0);
    let uniform = Matrix::from_fn(60, 60, |_, _| 1.0 / 60.0);
    let total = scatter(&x, &uniform);
    for (id, a, k, weighted) in
        [("fda", ones, 2, false), ("lfda", affinity(&squares, &codes), d, true)]
    {
        let (within, between) = weights(&codes, &a);
        let (within, between) = (scatter(&x, &within), scatter(&x, &between));
        for ridge in [0.0, 1e-3, 0.5] {
            let ridged = Matrix::from_fn(d, d, |i, j| {
                within.get(i, j) + if i == j { ridge * total.get(i, i) } else { 0.0 }
            });
            let method = MultiView::new(id).unwrap().param("regularization", ridge);
            let found = embedded(method, &views, &labels, k);
            let theta = &found.eigenvalues[0];
            assert!(theta.len() == k || id == "lfda");
            assert_solves(&found.rows, &x, &ridged, &between, theta, weighted);
        }
        let method = MultiView::new(id).unwrap().param("metric", "weighted");
        let longer = embedded(method, &views, &labels, 2);
        let plain =
            embedded(MultiView::new(id).unwrap().param("metric", "plain"), &views, &labels, 2);
        for (a, b) in longer.rows.values().iter().zip(plain.rows.values()).take(1) {
            assert!((a / b - longer.eigenvalues[0][0].sqrt()).abs() < 1e-8);
        }
    }
}

/// With linear kernels, a kernel method is the method on features but for the ridge.
#[test]
fn kernel_discriminants_with_linear_kernels_are_those_of_features() {
    let (views, labels, _) = data(45);
    for (id, kernel) in [("fda", "kernel_fda"), ("lfda", "kernel_lfda")] {
        let features = MultiView::new(id).unwrap().param("regularization", 1e-9);
        let kernels = MultiView::new(kernel)
            .unwrap()
            .param("regularization", 1e-8)
            .kernels([KernelSpec::linear()]);
        let (a, b) =
            (embedded(features, &views, &labels, 2), embedded(kernels, &views, &labels, 2));
        for (a, b) in a.rows.values().iter().zip(b.rows.values()) {
            assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{id}: {a} and {b}");
        }
    }
}

/// The directions of two classes are those of the machine `kernel_fisher`: as many positive multiples.
#[test]
fn two_classes_agree_with_the_machine() {
    use cokernel::bank::{Bank, Storage};
    use cokernel::data::{Classes, Target};
    use cokernel::mkl::{Learner, Problem, learner, train};
    let (views, _, codes) = data(40);
    let k = gaussian(&columns(&views), 0.05);
    let texts: Vec<&str> = codes.iter().map(|c| if *c == 0 { "a" } else { "b" }).collect();
    let classes = Classes::from_texts(&texts).unwrap();
    let share = 0.01;
    let lambda = share * trace(&centred(&k));
    let bank = Bank::from_matrices(vec![("k".into(), k.clone())], Storage::Resident).unwrap();
    let machine = cokernel::machine::MachineSpec::new("kernel_fisher").unwrap();
    let mut machine = machine;
    machine.set("lambda", lambda);
    let machine = machine.checked().unwrap().build().unwrap();
    let mean = cokernel::catalogue::find("mean").unwrap();
    let mean: Box<dyn Learner> = learner(mean, &mean.defaults()).unwrap();
    let target = Target::from(classes);
    let learned =
        train(&Problem::new(&bank, &target, machine.as_ref()), mean.as_ref(), &Run::default());
    let values =
        crate::common::rules::decisions(&learned.unwrap(), std::slice::from_ref(&k)).concat();
    let given = Views::new().with("k", Table::Similarity(k)).unwrap();
    let method = MultiView::new("kernel_fda").unwrap().param("regularization", share);
    let method = method.kernels([KernelSpec::precomputed()]);
    let found = embedded(method, &given, &Labels::from_texts(&texts), 1).rows.col(0);
    let centre = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        let moved: Vec<f64> = v.iter().map(|x| x - mean).collect();
        let length = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
        moved.into_iter().map(|x| x / length).collect::<Vec<_>>()
    };
    let (a, b) = (centre(&values[..40]), centre(&found));
    let cosine: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
    assert!((cosine.abs() - 1.0).abs() < 1e-6, "{cosine}");
}

#[test]
fn principal_components_have_their_variances() {
    let (views, _, _) = data(50);
    let x = columns(&views);
    let n = x.rows() as f64;
    let mean = |j: usize| x.col(j).iter().sum::<f64>() / n;
    let xc = Matrix::from_fn(50, x.cols(), |i, j| x.get(i, j) - mean(j));
    let (values, _) =
        cokernel::solve::dense::symmetric_eigen(&multiply(&xc.transposed(), &xc)).unwrap();
    let found = MultiView::new("pca").unwrap().embed(&views, 3, &Run::default()).unwrap();
    let own = multiply(&found.rows.transposed(), &found.rows);
    let sum: f64 = values.iter().sum();
    for i in 0..3 {
        let want = values[values.len() - 1 - i];
        assert!((found.eigenvalues[0][i] - want / (n - 1.0)).abs() < 1e-9 * want);
        assert!((found.report.details["explained"][i] - want / sum).abs() < 1e-9);
        for j in 0..3 {
            let want = if i == j { want } else { 0.0 };
            assert!((own.get(i, j) - want).abs() < 1e-7 * values[values.len() - 1]);
        }
    }
    // Kernel components of the mean of linear kernels: those of the columns, but for a factor.
    let kernels = MultiView::new("kernel_pca").unwrap().kernels([KernelSpec::linear()]);
    let kernel = kernels.embed(&views, 3, &Run::default()).unwrap();
    for (a, b) in kernel.rows.values().iter().zip(found.rows.values()) {
        assert!((a * 2.0_f64.sqrt() - b).abs() < 1e-7, "{a} and {b}");
    }
    let k = centred(&gram(&x));
    let explained: f64 = kernel.report.details["explained"].iter().sum();
    let want: f64 = (0..3).map(|j| values[values.len() - 1 - j]).sum::<f64>() / trace(&k);
    assert!((explained - want).abs() < 1e-9);
}

/// Training instances get back their own rows, also from a file, and instances without a label are placed
/// as new rows are.
#[test]
fn new_rows_and_instances_without_a_label() {
    let (views, labels, codes) = data(75);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.ck");
    let part: Vec<usize> = (0..75).step_by(9).collect();
    let some = views.select_new(&part, &(0..75).collect::<Vec<_>>());
    let names = vec!["a".to_string(), "b".to_string(), "c".to_string()];
    let hidden = |i: usize| i.is_multiple_of(9);
    let partly = (0..75).map(|i| (!hidden(i)).then_some(codes[i] as u32)).collect();
    let partly = Labels::Classes { names, codes: partly };
    for m in embedders() {
        for scale in [Scale::None, Scale::Standard] {
            let method = MultiView::new(m.id).unwrap().scale(scale);
            let run = Run::with_seed(3);
            let (model, found) = method.fit_labelled_embedding(&views, &labels, 2, &run).unwrap();
            assert_eq!(found.rows.cols(), 2, "{}", m.id);
            model.save(&path).unwrap();
            let back = EmbeddingModel::load(&path).unwrap();
            assert_eq!(back, model, "{}", m.id);
            let rows = model.transform(&views).unwrap();
            let size = found.rows.values().iter().fold(1.0_f64, |a, v| a.max(v.abs()));
            let close = |a: &Matrix, b: &Matrix, tol: f64| {
                let pairs = a.values().iter().zip(b.values());
                let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < tol * size, "{} {scale:?}: {worst:e}", m.id);
            };
            close(&rows, &found.rows, 1e-8);
            assert_eq!(back.transform(&some).unwrap(), model.transform(&some).unwrap());
            close(&back.transform(&some).unwrap(), &found.rows.select_rows(&part), 1e-8);
            let again = method.fit_labelled_embedding(&views, &labels, 2, &run).unwrap().1;
            assert_eq!(again.rows, found.rows, "{}", m.id);
            let said = found.report.notes.iter().any(|n| n.contains("no label"));
            assert!(!said, "{}", m.id);
            let fewer = method.fit_labelled_embedding(&views, &partly, 2, &run).unwrap().1;
            let reads = method.reads_labels().unwrap();
            let note = "9 of 75 instances have no label: they are placed";
            assert_eq!(fewer.report.notes.iter().any(|n| n.starts_with(note)), reads, "{}", m.id);
        }
    }
}

/// Whatever they are: what is learned is what the others alone give, and they are placed as new rows.
#[test]
fn instances_without_a_label_change_nothing() {
    let n = 66;
    let (views, _, codes) = data(n);
    let x = columns(&views);
    let hidden = |i: usize| i.is_multiple_of(11);
    // Far away, in other directions, and in a column that is constant among the others.
    let at = |i: usize, j: usize| match (hidden(i), j == x.cols()) {
        (true, true) => 50.0,
        (true, false) => 1e3 * x.get(i, j) + 500.0,
        (false, true) => 1.0,
        (false, false) => x.get(i, j),
    };
    let all = Matrix::from_fn(n, x.cols() + 1, at);
    let known: Vec<usize> = (0..n).filter(|i| !hidden(*i)).collect();
    let names = vec!["a".to_string(), "b".to_string(), "c".to_string()];
    let of = |rows: &[usize], all: bool| Labels::Classes {
        names: names.clone(),
        codes: rows.iter().map(|i| (all || !hidden(*i)).then_some(codes[*i] as u32)).collect(),
    };
    let given = |x: Matrix| Views::new().dense("x", x).unwrap();
    let everything: Vec<usize> = (0..n).collect();
    let run = Run::default();
    for id in ["fda", "lfda", "kernel_fda", "kernel_lfda"] {
        let method = MultiView::new(id).unwrap().scale(Scale::None);
        let method = match id.starts_with("kernel") {
            true => method.kernels([KernelSpec::linear()]),
            false => method,
        };
        let fit = |rows: &[usize], labels: Labels| {
            let views = given(all.select_rows(rows));
            method.fit_labelled_embedding(&views, &labels, 2, &run).unwrap()
        };
        let (model, found) = fit(&everything, of(&everything, false));
        let (alone, wanted) = fit(&known, of(&known, true));
        let close = |a: &Matrix, b: &Matrix, tol: f64, what: &str| {
            let size = b.values().iter().fold(1.0_f64, |a, v| a.max(v.abs()));
            let pairs = a.values().iter().zip(b.values());
            let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < tol * size, "{id}, {what}: {worst:e} of {size}");
        };
        close(&found.rows.select_rows(&known), &wanted.rows, 1e-9, "with a label");
        let placed = alone.transform(&given(all.clone())).unwrap();
        close(&found.rows, &placed, 1e-7, "without");
        close(&model.transform(&given(all.clone())).unwrap(), &found.rows, 1e-7, "new");
    }
}

/// Columns of a size far below the others are components all the same; rounding is none.
#[test]
fn principal_components_of_very_different_sizes() {
    let n = 40;
    let wave = |i: usize, f: f64| ((i + 1) as f64 * f).sin();
    let sizes = [1e4, 1e-3, 1e-7];
    // The fourth column is a sum of the first two up to rounding.
    let x = Matrix::from_fn(n, 4, |i, j| match j {
        3 => 1e4 * wave(i, 0.7) + 1e-3 * wave(i, 1.9),
        j => sizes[j] * wave(i, [0.7, 1.9, 3.1][j]),
    });
    let labels = Labels::from_texts(&(0..n).map(|i| ["a", "b"][i % 2]).collect::<Vec<_>>());
    let fit = |columns: &[usize], k: usize| {
        let views = Views::new().dense("x", x.select_cols(columns)).unwrap();
        embedded(MultiView::new("pca").unwrap().scale(Scale::None), &views, &labels, k)
    };
    let found = fit(&[0, 1, 2], 3);
    assert_eq!(found.rows.cols(), 3);
    let notes = &found.report.notes;
    assert!(!notes.iter().any(|n| n.contains("asked for")), "{notes:?}");
    for (j, size) in sizes.iter().enumerate() {
        // Nearly the column itself, less its share of those before.
        let along: f64 = (0..n).map(|i| found.rows.get(i, j) * wave(i, [0.7, 1.9, 3.1][j])).sum();
        let square: f64 = (0..n).map(|i| found.rows.get(i, j).powi(2)).sum();
        assert!(along.abs() / size > 0.8 * (n as f64 / 2.0), "{j}: {along}");
        assert!((square.sqrt() / size / (n as f64 / 2.0).sqrt() - 1.0).abs() < 0.2, "{j}");
    }
    let found = fit(&[0, 1, 3], 3);
    assert_eq!(found.rows.cols(), 2);
    let note = "2 principal components with a variance above rounding; 3 were asked for";
    assert!(found.report.notes.iter().any(|n| n.contains(note)), "{:?}", found.report.notes);
}
