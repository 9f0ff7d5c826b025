//! Prediction against kernel matrices computed by their definition; the file against damage.

mod calibrated;
mod embedding;
mod landmarks;
mod pair_kernels;
mod paired;
mod pairing;

use super::{Mkl, Model};
use crate::data::{Csr, Labels, Matrix, Scale, Scaler, Table, Views, toy};
use crate::kernel::{Function, Kernel, KernelSpec, Metric, Normalization};
use crate::machine::Decomposition;
use crate::{Cancel, Event, Observer, Result, Run};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const TRAIN: usize = 45;

/// Two dense views, a sparse one and a similarity over 60 instances of three classes.
fn data() -> (Views, Labels) {
    let (views, labels) = toy::views(60, 3, &[3.0, 1.5], 4).unwrap();
    let first = dense(&views.get("view0").unwrap().table);
    let rows = (0..60)
        .map(|i| {
            let row = first.row(i).iter().enumerate();
            row.filter(|e| *e.1 > 0.0).map(|(j, v)| (j as u32, *v)).collect()
        })
        .collect();
    let sparse = Table::Sparse(Csr::from_rows(3, rows).unwrap());
    let similarity = Matrix::from_fn(60, 60, |i, j| {
        let dot: f64 = first.row(i).iter().zip(first.row(j)).map(|(a, b)| a * b).sum();
        1.0 / (1.0 + (dot - 1.0).powi(2)) + f64::from(u8::from(i == j))
    });
    let views = views.with("sparse", sparse).unwrap();
    (views.with("given", Table::Similarity(similarity)).unwrap(), labels)
}

fn train_and_test() -> (Views, Labels, Views) {
    let (views, labels) = data();
    let train: Vec<usize> = (0..TRAIN).collect();
    let test: Vec<usize> = (TRAIN..60).collect();
    (views.select(&train), labels.select(&train), views.select_new(&test, &train))
}

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

fn dense(table: &Table) -> Matrix {
    match table {
        Table::Dense(m) | Table::Similarity(m) => m.clone(),
        Table::Sparse(m) | Table::Graph(m) => m.to_dense(),
        Table::Sequences(_) => panic!("sequences are no matrix"),
    }
}

/// k(x, z) by definition.
fn value(kernel: &Kernel, x: &[f64], z: &[f64]) -> f64 {
    let cells: Vec<usize> = kernel.column.map_or((0..x.len()).collect(), |c| vec![c]);
    let dot: f64 = cells.iter().map(|&c| x[c] * z[c]).sum();
    let manhattan: f64 = cells.iter().map(|&c| (x[c] - z[c]).abs()).sum();
    let squared: f64 = cells.iter().map(|&c| (x[c] - z[c]).powi(2)).sum();
    match kernel.function {
        Function::Linear => dot,
        Function::Polynomial { degree, gamma, coef0 } => (gamma * dot + coef0).powi(degree as i32),
        Function::Exponential { metric: Metric::Manhattan, gamma } => (-gamma * manhattan).exp(),
        Function::Exponential { gamma, .. } => (-gamma * squared).exp(),
        _ => unreachable!("not used here"),
    }
}

/// Kernel values between new and training rows, normalised by definition.
fn cross(kernel: &Kernel, train: &Matrix, new: &Matrix) -> Matrix {
    let n = train.rows();
    let (mut own, mut all, mut selves) = if kernel.function == Function::Precomputed {
        (train.clone(), new.clone(), vec![f64::NAN; new.rows()])
    } else {
        (
            Matrix::from_fn(n, n, |i, j| value(kernel, train.row(i), train.row(j))),
            Matrix::from_fn(new.rows(), n, |i, j| value(kernel, new.row(i), train.row(j))),
            (0..new.rows()).map(|i| value(kernel, new.row(i), new.row(i))).collect(),
        )
    };
    let mut steps = Vec::new();
    for step in &kernel.normalize {
        if *step == Normalization::CenterUnitVariance {
            steps.push(Normalization::Center);
        }
        steps.push(*step);
    }
    for step in steps {
        let diagonal: Vec<f64> = (0..n).map(|i| own.get(i, i)).collect();
        let trace: f64 = diagonal.iter().sum();
        let factor = match step {
            Normalization::UnitDiagonal => {
                let root = |v: f64| 1.0 / v.sqrt();
                let (d, s) = (diagonal, selves.clone());
                own = Matrix::from_fn(n, n, |i, j| own.get(i, j) * root(d[i]) * root(d[j]));
                all =
                    Matrix::from_fn(all.rows(), n, |i, j| all.get(i, j) * root(s[i]) * root(d[j]));
                selves.fill(1.0);
                continue;
            }
            Normalization::Center => {
                let mean = |row: &[f64]| row.iter().sum::<f64>() / n as f64;
                let r: Vec<f64> = (0..n).map(|i| mean(own.row(i))).collect();
                let q: Vec<f64> = (0..all.rows()).map(|i| mean(all.row(i))).collect();
                let g = mean(&r);
                own = Matrix::from_fn(n, n, |i, j| own.get(i, j) - r[i] - r[j] + g);
                all = Matrix::from_fn(all.rows(), n, |i, j| all.get(i, j) - q[i] - r[j] + g);
                selves.iter_mut().zip(&q).for_each(|(s, q)| *s += g - 2.0 * q);
                continue;
            }
            Normalization::UnitTrace => 1.0 / trace,
            Normalization::CenterUnitVariance => n as f64 / trace,
            Normalization::Frobenius => {
                1.0 / own.values().iter().map(|v| v * v).sum::<f64>().sqrt()
            }
        };
        own.values_mut().iter_mut().for_each(|v| *v *= factor);
        all.values_mut().iter_mut().for_each(|v| *v *= factor);
        selves.iter_mut().for_each(|v| *v *= factor);
    }
    all
}

/// Decision values from whole kernel matrices.
fn expected(model: &Model, train: &Views, new: &Views, scale: Scale) -> Matrix {
    let mut combined: Option<Matrix> = None;
    for (m, kernel) in model.kernels().iter().enumerate() {
        let (train, new) = (train.get(&kernel.view).unwrap(), new.get(&kernel.view).unwrap());
        let similarity = train.table.is_similarity();
        let scaled = |table: &Table| match similarity {
            true => dense(table),
            false => {
                let scaler = Scaler::fit(&train.table, None, scale).unwrap();
                dense(&scaler.apply(table).unwrap())
            }
        };
        let k = cross(kernel, &scaled(&train.table), &scaled(&new.table));
        combined = Some(match (model.rule().weights(), combined) {
            (Some(weights), before) => Matrix::from_fn(k.rows(), k.cols(), |i, j| {
                before.as_ref().map_or(0.0, |b| b.get(i, j)) + weights[m] * k.get(i, j)
            }),
            (None, None) => k,
            (None, Some(b)) => {
                Matrix::from_fn(k.rows(), k.cols(), |i, j| b.get(i, j) * k.get(i, j))
            }
        });
    }
    let k = combined.unwrap();
    Matrix::from_fn(k.rows(), model.bias.len(), |i, t| {
        let kept = model.kept.iter().enumerate();
        let sum: f64 = kept.map(|(c, j)| model.coef.get(t, c) * k.get(i, *j as usize)).sum();
        sum + model.bias[t]
    })
}

fn close(a: &Matrix, b: &Matrix) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() < 1e-8 * (1.0 + y.abs()), "{x} {y}");
    }
}

fn fit(mkl: Mkl) -> Model {
    let (train, labels, _) = train_and_test();
    mkl.fit(&train, &labels, &Run::default()).unwrap()
}

#[test]
fn predictions_are_those_of_whole_kernel_matrices() {
    let (train, labels, new) = train_and_test();
    let plain: &[&str] = &["gaussian@view0", "linear@view1", "laplacian@view1", "linear@sparse"];
    let normalized: &[&str] = &[
        "gaussian@view0:normalize=center",
        "linear@view1:normalize=center_unit_variance",
        "polynomial@sparse:degree=2:normalize=unit_diagonal,unit_trace",
        "linear@view0:per_feature:normalize=frobenius",
        "precomputed@given:normalize=center",
    ];
    let all_rows: &[&str] = &["linear@view0:normalize=center,unit_diagonal", "gaussian@sparse"];
    for (method, list, scale) in [
        ("mean", plain, Scale::None),
        ("mean", plain, Scale::Standard),
        ("simple_mkl", normalized, Scale::None),
        ("sum", normalized, Scale::MinMax),
        ("mean", all_rows, Scale::Standard),
        ("product", plain, Scale::None),
        ("product", normalized, Scale::None),
    ] {
        for decomposition in [Decomposition::OneVsRest, Decomposition::OneVsOne, Decomposition::Dag]
        {
            let mkl = Mkl::new(method).unwrap().kernels(specs(list)).scale(scale);
            let mkl = mkl.decomposition(decomposition);
            let model = mkl.fit(&train, &labels, &Run::default()).unwrap();
            let predicted = model.predict(&new).unwrap();
            close(&predicted.decisions, &expected(&model, &train, &new, scale));
            assert_eq!(predicted.decisions.cols(), 3);
            let back = model.predict(&train).unwrap();
            close(&back.decisions, &expected(&model, &train, &train, scale));
            for i in 0..new.n() {
                let one = new.select_new(&[i], &(0..TRAIN).collect::<Vec<_>>());
                let one = model.predict(&one).unwrap();
                assert_eq!(one.labels[0], predicted.labels[i]);
                for (a, b) in one.decisions.row(0).iter().zip(predicted.decisions.row(i)) {
                    assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
                }
            }
        }
    }
}

#[test]
fn only_support_rows_and_active_views_are_kept() {
    let list = specs(&["gaussian@view0:normalize=center", "gaussian@view1"]);
    let model = fit(Mkl::new("best_single").unwrap().kernels(list));
    let active: Vec<_> = model.weights().into_iter().filter(|w| w.active).collect();
    assert_eq!((active.len(), model.weights().len()), (1, 2));
    assert_eq!(model.kept.len(), model.n_support());
    assert!(model.n_support() < TRAIN);
    assert_eq!(model.support.len(), 1);
    assert_eq!(model.support.n(), model.n_support());
    assert_eq!(model.views().len(), 1);
    // The other view need not be given.
    let (_, _, new) = train_and_test();
    let table = new.get(&active[0].view).unwrap().table.clone();
    let alone = Views::new().with(active[0].view.clone(), table).unwrap();
    let predicted = model.predict(&alone).unwrap();
    assert_eq!(predicted, model.predict(&new).unwrap());
    assert_eq!(predicted.machine_names, ["0 vs rest", "1 vs rest", "2 vs rest"]);
}

/// Stops at the n-th event.
struct StopAt(Cancel, AtomicUsize);

impl Observer for StopAt {
    fn event(&self, _: &Event<'_>) {
        if self.1.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.cancel();
        }
    }
}

#[test]
fn a_model_that_nothing_was_learned_for_says_so_of_new_instances() {
    let (train, labels, new) = train_and_test();
    let list = specs(&["gaussian@view0", "gaussian@sparse"]);
    let mkl = Mkl::new("medfc").unwrap().kernels(list);
    let (mut silent, mut told) = (0, 0);
    for event in 1..40 {
        let mut run = Run::default();
        run.observer = Some(Arc::new(StopAt(run.cancel.clone(), AtomicUsize::new(event))));
        let Ok(model) = mkl.fit(&train, &labels, &run) else { continue };
        let found = model.predict(&new).unwrap();
        let first = found.decisions.row(0);
        let alike = (0..new.n()).all(|i| found.decisions.row(i) == first);
        let says = found.notes.iter().any(|note| note.contains("which is no answer"));
        assert_eq!(alike, says, "{event}: {:?} {:?}", found.notes, model.report().status);
        if says { told += 1 } else { silent += 1 }
    }
    assert!(told > 0 && silent > 0, "{told} {silent}");
}

#[test]
fn concatenation_wants_all_views_and_predicts() {
    let (train, labels, new) = train_and_test();
    let list = specs(&["gaussian@view0", "gaussian@sparse"]);
    let mkl = Mkl::new("concat").unwrap().kernels(list).scale(Scale::Standard);
    let model = mkl.fit(&train, &labels, &Run::default()).unwrap();
    assert_eq!(model.kernels().len(), 1);
    assert_eq!(model.views().len(), 2);
    assert_eq!(model.predict(&new).unwrap().labels.len(), 15);
}

#[test]
fn missing_labels_are_left_out_and_said() {
    let (train, labels, new) = train_and_test();
    let Labels::Classes { names, mut codes } = labels else { panic!("classes") };
    codes[3] = None;
    codes[7] = None;
    let kept: Vec<usize> = (0..TRAIN).filter(|i| codes[*i].is_some()).collect();
    let labels = Labels::Classes { names, codes };
    let mkl = Mkl::new("mean").unwrap();
    let model = mkl.fit(&train, &labels, &Run::default()).unwrap();
    assert_eq!(model.n_train(), TRAIN - 2);
    assert_eq!(
        model.report().notes[0],
        "2 of 45 instances have no label and are left out (machines that learn from them, too: laplacian_svm); to predict, similarities are to all 45 \
         training instances, or to the 43 labelled ones"
    );
    let rows: Vec<usize> = (0..new.n()).collect();
    let cut = model.predict(&new.select_new(&rows, &kept)).unwrap();
    let plain = mkl.fit(&train.select(&kept), &labels.select(&kept), &Run::default()).unwrap();
    assert_eq!(cut, plain.predict(&new.select_new(&rows, &kept)).unwrap());
    // Similarities to all 45 were refused.
    assert_eq!(model.predict(&new).unwrap(), cut);
    let few: Vec<usize> = (0..44).collect();
    let e = model.predict(&new.select_new(&rows, &few)).unwrap_err().to_string();
    assert_eq!(
        e,
        "view 'given': expected 45 columns, one for each training instance, or 43 for those that \
         were learned from, found 44"
    );
    let of_all: Vec<usize> = plain.duals().0.iter().map(|i| kept[*i]).collect();
    assert_eq!(model.duals().0, of_all);
}

/// What a file did not tell: which instances were left out. A loaded model counted in the others.
#[test]
fn files_tell_which_instances_were_left_out() {
    let (train, labels, new) = train_and_test();
    let kept: Vec<usize> = (0..TRAIN).filter(|i| i % 4 != 1).collect();
    let mkl = Mkl::new("mean").unwrap();
    let plain = mkl.fit(&train.select(&kept), &labels.select(&kept), &Run::default()).unwrap();
    let model = plain.clone().of_given(&kept, TRAIN).unwrap();
    let of_all: Vec<usize> = plain.duals().0.iter().map(|i| kept[*i]).collect();
    assert_ne!(of_all, plain.duals().0);
    let (_dir, path, bytes) = saved(&model);
    let back = Model::load(&path).unwrap();
    assert_eq!((&back, back.duals().0), (&model, of_all));
    assert_eq!(back.learned_from(), Some((kept.clone(), TRAIN)));
    assert_eq!((back.inspect().n_train, back.inspect().n_given), (kept.len(), TRAIN));
    let rows: Vec<usize> = (0..new.n()).collect();
    let found = back.predict(&new).unwrap();
    assert_eq!(found, plain.predict(&new.select_new(&rows, &kept)).unwrap());
    // Programs that know formats 1 and 2 only know one machine.
    let format = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_string();
        let at = text.find(r#"\"format\":"#).unwrap();
        text[at + 11..at + 12].to_string()
    };
    assert_eq!((format(&bytes), format(&saved(&plain).2)), ("3".into(), "3".into()));
    let every: Vec<usize> = (0..kept.len()).collect();
    assert_eq!(plain.clone().of_given(&every, every.len()).unwrap(), plain);
    type Change = fn(&mut serde_json::Value, &mut serde_json::Value);
    let cases: [(&str, Change); 3] = [
        ("increasing row numbers below 9", |m, _| m["model"]["n_given"] = 9.into()),
        ("kept instances are not increasing", |m, _| m["model"]["n_train"] = 9.into()),
        ("the table 'learned' is F32", |_, h| h["learned"]["dtype"] = "F32".into()),
    ];
    for (sentence, change) in cases {
        let e = reload(&path, &forged(&bytes, change)).unwrap_err().to_string();
        assert!(e.contains(sentence), "{sentence}: {e}");
    }
}

#[test]
fn a_prepared_bank_can_be_shared_but_not_mixed_up() {
    let (train, labels, new) = train_and_test();
    let run = Run::default();
    let mean = Mkl::new("mean").unwrap();
    let prepared = mean.prepare(&train, &labels, &run).unwrap();
    let shared = Mkl::new("sum").unwrap().c(2.0).fit_prepared(&prepared, &run).unwrap();
    let alone = Mkl::new("sum").unwrap().c(2.0).fit(&train, &labels, &run).unwrap();
    assert_eq!(shared.predict(&new).unwrap(), alone.predict(&new).unwrap());
    let other = Mkl::new("mean").unwrap().scale(Scale::Standard);
    let e = other.fit_prepared(&prepared, &run).unwrap_err().to_string();
    assert!(e.contains("prepared with other kernels"), "{e}");
}

/// A model with every kind of table in its file.
fn rich() -> Model {
    let list = specs(&[
        "gaussian@view0:normalize=center",
        "linear@sparse:normalize=center_unit_variance",
        "precomputed@given:normalize=center",
    ]);
    fit(Mkl::new("simple_mkl").unwrap().kernels(list).scale(Scale::MinMax).c(3.0))
}

fn saved(model: &Model) -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.ck");
    model.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (dir, path, bytes)
}

#[test]
fn files_give_back_the_same_bits() {
    let (_, _, new) = train_and_test();
    let mean = || Mkl::new("mean").unwrap().scale(Scale::Standard);
    for model in [rich(), fit(mean()), fit(Mkl::new("product").unwrap())] {
        let (_dir, path, bytes) = saved(&model);
        let back = Model::load(&path).unwrap();
        assert_eq!(back, model);
        let (a, b) = (model.predict(&new).unwrap(), back.predict(&new).unwrap());
        let bits = |p: &Matrix| p.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&a.decisions), bits(&b.decisions));
        assert_eq!(a, b);
        assert_eq!(saved(&back).2, bytes);
        assert_eq!(back.inspect(), model.inspect());
    }
}

fn reload(path: &std::path::Path, bytes: &[u8]) -> Result<Model> {
    std::fs::write(path, bytes).unwrap();
    Model::load(path)
}

#[test]
fn every_truncation_is_refused() {
    let (_dir, path, bytes) = saved(&rich());
    let said = |bytes: &[u8]| reload(&path, bytes).unwrap_err().to_string();
    for end in (0..bytes.len()).step_by(7).chain(bytes.len() - 9..bytes.len()) {
        let e = said(&bytes[..end]);
        assert!(e.contains("truncated") || e.contains("not a model"), "{end}: {e}");
    }
    assert!(said(&[&bytes[..], &[0]].concat()).contains("after the last table"));
}

#[test]
fn flipped_bits_are_refused_or_harmless() {
    let model = rich();
    let (_dir, path, bytes) = saved(&model);
    let (_, _, new) = train_and_test();
    let before = model.predict(&new).unwrap();
    let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut refused = 0;
    let places = (0..header).step_by(5).chain((header..bytes.len()).step_by(61));
    for (turn, place) in places.enumerate() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (turn % 8);
        match reload(&path, &damaged) {
            Ok(back) => assert_eq!(back.predict(&new).unwrap(), before, "byte {place}"),
            Err(_) => refused += 1,
        }
        if place >= header {
            assert!(reload(&path, &damaged).unwrap_err().to_string().contains("checksum"));
        }
    }
    assert!(refused > 100);
}

/// The file with other content and a checksum that fits: what a hostile author would write.
fn forged(
    bytes: &[u8],
    change: impl Fn(&mut serde_json::Value, &mut serde_json::Value),
) -> Vec<u8> {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let key = header["__metadata__"].as_object().unwrap().keys().next().unwrap().clone();
    let text = header["__metadata__"][&key].as_str().unwrap().to_string();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    model["crc32"] = "00000000".into();
    change(&mut model, &mut header);
    let text = serde_json::to_string(&model).unwrap();
    let data = &bytes[8 + length..];
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, info) in header.as_object().unwrap() {
        if let Some(shape) = info["shape"].as_array() {
            let at = |i: usize| info["data_offsets"][i].as_u64().unwrap() as usize;
            let shape = shape.iter().map(|d| d.as_u64().unwrap() as usize).collect();
            let bytes = data.get(at(0)..at(1)).unwrap_or_default().to_vec();
            tensors.push((name.clone(), shape, bytes));
        }
    }
    tensors.sort();
    let list = tensors.iter().map(|t| (t.0.as_str(), t.1.as_slice(), t.2.as_slice()));
    let crc = super::file::checksum(&text, list);
    let text = text.replacen("\"crc32\":\"00000000\"", &format!("\"crc32\":\"{crc}\""), 1);
    header["__metadata__"][&key] = text.into();
    let header = serde_json::to_vec(&header).unwrap();
    [&(header.len() as u64).to_le_bytes()[..], &header, data].concat()
}

#[test]
fn forged_files_are_refused_without_panic() {
    let model = rich();
    let (_dir, path, bytes) = saved(&model);
    assert_eq!(reload(&path, &forged(&bytes, |_, _| ())).unwrap(), model);
    type Change = fn(&mut serde_json::Value, &mut serde_json::Value);
    let cases: [(&str, Change); 14] = [
        ("it has format 9, written by version", |m, _| m["format"] = 9.into()),
        ("kept instances are not increasing", |m, _| m["model"]["n_train"] = 1.into()),
        ("1 classes, expected", |m, _| m["model"]["classes"] = vec!["a"].into()),
        ("3 machines for 4 classes", |m, _| {
            m["model"]["classes"] = vec!["a", "b", "c", "d"].into()
        }),
        ("weights for 3 kernels", |m, _| m["model"]["rule"]["weights"] = vec![1.0].into()),
        ("the table 'coef' is", |m, _| m["model"]["machines"] = Vec::<u8>::new().into()),
        ("as many normalisations", |m, _| m["model"]["norms"] = Vec::<u8>::new().into()),
        ("kernel 'gaussian", |m, _| m["model"]["kernels"][0]["view"] = "other".into()),
        ("column that is not there", |m, _| m["model"]["kernels"][0]["column"] = 99.into()),
        ("the table 'view.0.dense' is", |m, _| {
            m["support"][0]["cols"] = 1_000_000_000_000_000_u64.into()
        }),
        ("header is damaged", |m, _| m["model"]["svc"]["c"] = "much".into()),
        ("header is damaged", |_, h| h["coef"]["data_offsets"][1] = u64::MAX.into()),
        ("header is damaged", |_, h| h["coef"]["shape"][0] = u64::MAX.into()),
        ("header is damaged", |_, h| h["coef"]["dtype"] = "F32".into()),
    ];
    for (sentence, change) in cases {
        let e = reload(&path, &forged(&bytes, change)).unwrap_err().to_string();
        assert!(e.contains(sentence) && e.contains("model.ck"), "{sentence}: {e}");
    }
    // Claims of sizes that the file does not back.
    for length in [0_u64, 1, 100_000_001, u64::MAX] {
        let e = reload(&path, &[&length.to_le_bytes()[..], b"{}"].concat()).unwrap_err();
        assert!(e.to_string().contains("not a model file"), "{e}");
    }
    let e = reload(&path, &[&90_000_000_u64.to_le_bytes()[..], b"{}"].concat()).unwrap_err();
    assert!(e.to_string().contains("truncated"), "{e}");
    let huge = forged(&bytes, |m, _| m["model"]["classes"] = vec!["c"; 100_000].into());
    assert!(reload(&path, &huge).unwrap_err().to_string().contains("machines for 100000"));
}
