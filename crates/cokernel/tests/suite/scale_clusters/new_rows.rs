//! New rows towards landmarks: what the exact kernels give at full rank, what k̃(x, z) = C(x) W⁻¹ C(z)ᵀ from raw features
//! gives at a low one, and models that keep nothing of the number of instances.

use super::{METHODS, method};
use cokernel::bank::{LowRank, Storage};
use cokernel::data::{Matrix, Table, Views, toy};
use cokernel::kernel::KernelSpec;
use cokernel::model::{EmbeddingModel, FittedKernels, MultiView, Saved};
use cokernel::multiview::{Clustering, Starts};
use cokernel::scale::Space;
use cokernel::{Error, Run};

const GAMMA: f64 = 0.05;

/// The first n instances, and the others.
fn parts(n: usize, new: usize) -> (Views, Views) {
    let (views, _) = toy::views(n + new, 3, &[4.0, 3.0], 5).unwrap();
    let first: Vec<usize> = (0..n).collect();
    let others: Vec<usize> = (n..n + new).collect();
    (views.select(&first), views.select(&others))
}

fn fitted(method: &MultiView, views: &Views) -> (EmbeddingModel, Clustering) {
    method.fit_clusters(views, 3, &Starts::default(), &Run::default()).unwrap()
}

/// The worst difference of inner products of new rows with each other and with those of training: embeddings may be turned.
fn apart((a, old_a): (&Matrix, &Matrix), (b, old_b): (&Matrix, &Matrix)) -> f64 {
    let inner = |x: &[f64], z: &[f64]| x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>();
    let mut worst = 0.0_f64;
    for i in 0..a.rows() {
        for (a_rows, b_rows) in [(a, b), (old_a, old_b)] {
            for j in 0..a_rows.rows() {
                let (x, z) = (inner(a.row(i), a_rows.row(j)), inner(b.row(i), b_rows.row(j)));
                worst = worst.max((x - z).abs());
            }
        }
    }
    worst
}

fn largest_difference(a: &Matrix, b: &Matrix) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.values().iter().zip(b.values()).map(|(x, z)| (x - z).abs()).fold(0.0, f64::max)
}

#[test]
fn at_full_rank_new_rows_are_where_the_exact_kernels_put_them() {
    let (train, new) = parts(90, 30);
    for id in METHODS {
        for (name, value) in [("diagonal", "keep"), ("diagonal", "zero")] {
            let with = |storage| fitted(&method(id, storage).param(name, value), &train);
            let (exact, there) = with("resident");
            let (near, here) = with("nystroem:rank=90");
            assert!(near.extends() && near.landmarks() == Some(90), "{id}");
            assert_eq!(exact.landmarks(), None);
            let notes = &here.report.notes;
            assert!(!notes.iter().any(|n| n.contains("new rows")), "{id}: {notes:?}");
            let (a, b) = (exact.transform(&new).unwrap(), near.transform(&new).unwrap());
            let worst = apart((&a, &there.embedding.rows), (&b, &here.embedding.rows));
            assert!(worst < 1e-8, "{id} {value}: {worst:e}");
            assert_eq!(exact.assign(&new).unwrap(), near.assign(&new).unwrap(), "{id}");
        }
    }
}

/// Other embeddings than the defaults, several widths of a view, and a unit diagonal.
#[test]
fn at_full_rank_with_other_parameters_and_kernels() {
    let (train, new) = parts(70, 20);
    let widths = [KernelSpec::gaussian().gamma([0.05, 0.1])];
    let cosine = ["polynomial:degree=2:normalize=unit_diagonal".parse::<KernelSpec>().unwrap()];
    for (id, params, kernels) in [
        ("spectral", [("view", "mean")].as_slice(), &widths),
        ("spectral", &[("view", "view1")], &cosine),
        ("concat_embeddings", &[], &cosine),
        ("min_disagreement", &[("embedding", "concat")], &widths),
        ("co_trained", &[("stop", "agreement"), ("shift", "no")], &cosine),
        ("co_regularized", &[("lambda_scale", "gap")], &cosine),
        ("co_regularized_centroid", &[("embedding", "concat")], &widths),
    ] {
        let with = |storage| {
            let method = method(id, storage).kernels(kernels.clone());
            fitted(&params.iter().fold(method, |m, (name, value)| m.param(*name, *value)), &train)
        };
        let ((exact, there), (near, here)) = (with("resident"), with("nystroem:rank=70"));
        let (a, b) = (exact.transform(&new).unwrap(), near.transform(&new).unwrap());
        let worst = apart((&a, &there.embedding.rows), (&b, &here.embedding.rows));
        assert!(worst < 1e-9, "{id} {params:?}: {worst:e}");
        assert_eq!(exact.assign(&new).unwrap(), near.assign(&new).unwrap(), "{id}");
    }
}

#[test]
fn training_instances_get_back_their_own_rows_and_files_the_same_bits() {
    let (train, new) = parts(300, 40);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.ck");
    for id in METHODS {
        let (model, found) = fitted(&method(id, "nystroem:rank=25"), &train);
        let worst = largest_difference(&model.transform(&train).unwrap(), &found.embedding.rows);
        assert!(worst < 1e-9, "{id}: {worst:e}");
        assert_eq!(model.assign(&train).unwrap(), found.assignments, "{id}");
        model.save(&path).unwrap();
        let back = EmbeddingModel::load(&path).unwrap();
        assert_eq!(back, model, "{id}");
        assert_eq!(Saved::load(&path).unwrap(), Saved::Embedding(Box::new(model.clone())));
        let (a, b) = (model.transform(&new).unwrap(), back.transform(&new).unwrap());
        let bits = |m: &Matrix| m.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&a), bits(&b), "{id}");
        // A row is where it is whatever comes with it.
        let one = model.transform(&new.select(&[7])).unwrap();
        assert!(one.row(0).iter().zip(a.row(7)).all(|(x, z)| (x - z).abs() < 1e-10), "{id}");
    }
}

/// Names and shapes of the tensors of a file.
fn shapes(model: &EmbeddingModel) -> Vec<(String, Vec<u64>)> {
    let bytes = model.to_bytes().unwrap();
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + header]).unwrap();
    let tensors = header.as_object().unwrap().iter().filter(|(name, _)| *name != "__metadata__");
    let shape = |value: &serde_json::Value| {
        value["shape"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect()
    };
    tensors.map(|(name, value)| (name.clone(), shape(value))).collect()
}

/// Rows of as many landmarks, and for each stage as many numbers a column and kernel, for any number of instances.
#[test]
fn models_do_not_grow_with_the_number_of_instances() {
    for id in METHODS {
        let of = |n: usize| {
            let (model, _) = fitted(&method(id, "nystroem:rank=20"), &parts(n, 0).0);
            assert_eq!((model.n_train(), model.landmarks()), (n, Some(20)), "{id}");
            model
        };
        let (few, many) = (of(150), of(600));
        let without = |mut all: Vec<(String, Vec<u64>)>| {
            // One number for each iteration of the method.
            all.retain(|(name, _)| name != "objective");
            all
        };
        let (a, b) = (without(shapes(&few)), without(shapes(&many)));
        assert_eq!(a, b, "{id}");
        assert_eq!(a.iter().find(|t| t.0 == "view.0.dense").unwrap().1[0], 20, "{id}");
        let rows = b.iter().map(|t| t.1[0]).max().unwrap();
        assert_eq!(rows, if id == "spectral" { 40 } else { 20 }, "{id}");
        let (a, b) = (few.to_bytes().unwrap().len(), many.to_bytes().unwrap().len());
        assert!(a.abs_diff(b) < 1_000, "{id}: {a} {b}");
    }
}

/// One thread and two; the features in single precision.
#[test]
fn threads_change_no_bit_of_a_model() {
    let (train, new) = parts(1_500, 50);
    for id in METHODS {
        let single = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let run = Run { memory: 1_500_000, ..Run::default() };
            let method = method(id, "nystroem:rank=40");
            pool.install(|| {
                let (model, found) =
                    method.fit_clusters(&train, 3, &Starts::default(), &run).unwrap();
                (model.extends().then(|| model.transform(&new).unwrap()), model, found)
            })
        };
        let ((one, model, found), (two, other, _)) = (single(1), single(2));
        assert!(found.report.notes.iter().any(|n| n.contains("single precision")), "{id}");
        assert!(one.is_some(), "{id}: {:?}", found.report.notes);
        assert_eq!(one, two, "{id}");
        assert_eq!(shapes(&model), shapes(&other), "{id}");
        let own = model.transform(&train).unwrap();
        let worst = largest_difference(&own, &found.embedding.rows);
        assert!(worst < 1e-6, "{id}: {worst:e}");
    }
}

fn table<'a>(views: &'a Views, name: &str) -> &'a Matrix {
    match &views.get(name).unwrap().table {
        Table::Dense(m) => m,
        _ => unreachable!(),
    }
}

/// k(x_i, z_j).
fn gaussian(x: &Matrix, z: &Matrix) -> Matrix {
    Matrix::from_fn(x.rows(), z.rows(), |i, j| {
        let square: f64 = x.row(i).iter().zip(z.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        (-GAMMA * square).exp()
    })
}

/// L⁻¹ C(x)ᵀ for the rows of C, with W = L Lᵀ: columns whose inner products are k̃.
fn features(w: &Matrix, c: &Matrix) -> Matrix {
    let r = w.rows();
    let mut l = vec![vec![0.0; r]; r];
    for i in 0..r {
        for j in 0..=i {
            let left = w.get(i, j) - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            l[i][j] = if i == j { left.sqrt() } else { left / l[j][j] };
        }
    }
    let mut out = Matrix::zeros(c.rows(), r);
    for x in 0..c.rows() {
        for i in 0..r {
            let known: f64 = (0..i).map(|k| l[i][k] * out.get(x, k)).sum();
            out.set(x, i, (c.get(x, i) - known) / l[i][i]);
        }
    }
    out
}

/// Of each view k̃ between all training instances, and between new ones and these.
fn approximate(train: &Views, new: &Views, rank: usize) -> Vec<(String, Matrix, Matrix)> {
    let run = Run::default();
    let spec = KernelSpec::gaussian().gamma([GAMMA]);
    let kernels = spec.resolve(train, &run).unwrap();
    let how = match format!("nystroem:rank={rank}").parse().unwrap() {
        Storage::LowRank(how) => how,
        _ => LowRank::default(),
    };
    let (space, _) = Space::new(train, kernels, how, &run).unwrap();
    assert_eq!(space.basis().len(), rank);
    let of_view = |name: &str| {
        let (x, new) = (table(train, name), table(new, name));
        let z = x.select_rows(space.basis().instances());
        let w = gaussian(&z, &z);
        let (f, g) = (features(&w, &gaussian(x, &z)), features(&w, &gaussian(new, &z)));
        let product = |a: &Matrix, b: &Matrix| {
            Matrix::from_fn(a.rows(), b.rows(), |i, j| {
                a.row(i).iter().zip(b.row(j)).map(|(a, b)| a * b).sum()
            })
        };
        (name.to_string(), product(&f, &f), product(&g, &f))
    };
    train.iter().map(|v| of_view(&v.name)).collect()
}

/// The six methods on the matrices K̃ as given similarities, and new rows by rows of k̃.
#[test]
fn at_low_rank_new_rows_are_those_of_the_approximate_kernels() {
    let ((train, new), rank) = (parts(100, 25), 30);
    let (mut old, mut rows) = (Views::new(), Views::new());
    for (name, among, towards) in approximate(&train, &new, rank) {
        // Spectral methods refuse given similarities below 0.
        assert!(among.values().iter().chain(towards.values()).all(|v| *v > -1e-9));
        let positive = |m: Matrix| Matrix::from_fn(m.rows(), m.cols(), |i, j| m.get(i, j).max(0.0));
        old = old.with(name.clone(), Table::Similarity(positive(among))).unwrap();
        rows = rows.with(name, Table::Similarity(positive(towards))).unwrap();
    }
    for id in METHODS {
        let (near, here) = fitted(&method(id, &format!("nystroem:rank={rank}")), &train);
        let given = MultiView::new(id).unwrap().kernels([KernelSpec::precomputed()]);
        let (exact, there) = fitted(&given, &old);
        let (a, b) = (exact.transform(&rows).unwrap(), near.transform(&new).unwrap());
        let worst = apart((&a, &there.embedding.rows), (&b, &here.embedding.rows));
        assert!(worst < 1e-9, "{id}: {worst:e}");
        assert_eq!(exact.assign(&rows).unwrap(), near.assign(&new).unwrap(), "{id}");
    }
}

/// The formulas of two methods, from K̃ and the eigenvectors of the fit.
#[test]
fn two_formulas_written_out() {
    let ((train, new), rank) = (parts(80, 15), 20);
    let kernels = approximate(&train, &new, rank);
    let storage = format!("nystroem:rank={rank}");
    let n = 80;
    let unit = |mut row: Vec<f64>| {
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        row.iter_mut().for_each(|v| *v /= length);
        row
    };

    // z(x) = d(x)^{-1/2} k̃(x)ᵀ D^{-1/2} U Θ⁻¹ for the mean of the kernels.
    let (model, found) = fitted(&method("spectral", &storage), &train);
    let mean = |place: fn(&(String, Matrix, Matrix)) -> &Matrix, i: usize, j: usize| {
        kernels.iter().map(|k| place(k).get(i, j)).sum::<f64>() / kernels.len() as f64
    };
    let (among, towards) = (|i, j| mean(|k| &k.1, i, j), |i, j| mean(|k| &k.2, i, j));
    let degree = |i: usize| (0..n).map(|j| among(i, j)).sum::<f64>();
    let (u, values) = (&found.embedding.eigenvectors[0], &found.embedding.eigenvalues[0]);
    let got = model.transform(&new).unwrap();
    for i in 0..new.n() {
        let own = (0..n).map(|j| towards(i, j)).sum::<f64>().sqrt();
        let entry = |c: usize| {
            let terms = (0..n).map(|j| towards(i, j) / degree(j).sqrt() * u.get(j, c));
            terms.sum::<f64>() / values[c] / own
        };
        let want = unit((0..u.cols()).map(entry).collect());
        for (g, w) in got.row(i).iter().zip(&want) {
            assert!((g - w).abs() < 1e-8, "spectral: {g} {w}");
        }
    }

    // Node v: d^{-1/2} k̃_v(x)ᵀ K̃_w D_w^{-1/2} U_w Θ⁻¹ with d = k̃_v(x)ᵀ K̃_w 1, for two views v and w; the mean of both.
    let (model, found) = fitted(&method("min_disagreement", &storage), &train);
    let times = |k: &Matrix, b: &Matrix| {
        Matrix::from_fn(k.rows(), b.cols(), |i, c| (0..n).map(|j| k.get(i, j) * b.get(j, c)).sum())
    };
    let ones = Matrix::from_fn(n, 1, |_, _| 1.0);
    let values = &found.embedding.eigenvalues[0];
    let mut want = Matrix::zeros(new.n(), values.len());
    for (v, w) in [(0, 1), (1, 0)] {
        let (k, other) = (&kernels[v], &kernels[w]);
        let degrees = times(&other.1, &times(&k.1, &ones));
        let scaled = Matrix::from_fn(n, values.len(), |j, c| {
            found.embedding.eigenvectors[w].get(j, c) / degrees.get(j, 0).sqrt() / values[c]
        });
        let node = times(&k.2, &times(&other.1, &scaled));
        let own = times(&k.2, &times(&other.1, &ones));
        for i in 0..new.n() {
            let row = node.row(i).iter().map(|v| v / own.get(i, 0).sqrt()).collect();
            let to = want.row_mut(i).iter_mut().zip(unit(row));
            to.for_each(|(t, v)| *t += 0.5 * v);
        }
    }
    let worst = largest_difference(&model.transform(&new).unwrap(), &want);
    assert!(worst < 1e-8, "min_disagreement: {worst:e}");
}

#[test]
fn what_new_rows_are_refused() {
    let (train, new) = parts(60, 5);
    let (model, _) = fitted(&method("concat_embeddings", "nystroem:rank=20"), &train);
    let (exact, _) = fitted(&method("concat_embeddings", "resident"), &train);
    // Similar to no landmark.
    let view = train.iter().next().unwrap();
    let mut far = Views::new();
    for v in new.iter() {
        let x = table(&new, &v.name);
        let beyond = if v.name == view.name { 1e4 } else { 0.0 };
        far = far
            .dense(v.name.clone(), Matrix::from_fn(5, x.cols(), |i, j| x.get(i, j) + beyond))
            .unwrap();
    }
    let said = model.transform(&far).unwrap_err().to_string();
    assert!(
        said.starts_with("new row 0: as kernels are approximated") && said.contains("sum to 0"),
        "{said}"
    );
    // A view that a row lacks, or that is not given: the same words as for exact kernels.
    let lacks = super::with_presence(&new, &view.name, vec![true, true, false, true, true]);
    let other = Views::new().with(view.name.clone(), view.table.clone()).unwrap();
    for views in [&lacks, &other] {
        let said = model.transform(views).unwrap_err().to_string();
        assert_eq!(said, exact.transform(views).unwrap_err().to_string());
        assert!(said.contains("view"), "{said}");
    }
    // Kernels between new rows and all instances are not kept.
    let prepared = method("spectral", "nystroem:rank=20").prepare(&train, &Run::default()).unwrap();
    match FittedKernels::of_views(&prepared).unwrap_err() {
        Error::Parameter { problem, .. } => {
            assert!(problem.contains("a comparison with all of them"), "{problem}")
        }
        other => panic!("{other}"),
    }
}
