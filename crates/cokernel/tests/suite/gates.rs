//! What gates look at when it is reduced, and gates of each machine on its own: against what is made by hand from the
//! raw tables, and through files.

use cokernel::data::{Labels, Matrix, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;
use cokernel::rule::gate::Shape;
use cokernel::solve::dense::symmetric_eigen;
use cokernel::{Error, Run, Status};
use std::time::Duration;

const N: usize = 90;

/// Columns of different lengths that go together, of which some rows are asked for.
fn table(rows: &[usize], d: usize) -> Matrix {
    Matrix::from_fn(rows.len(), d, |r, j| {
        let (i, f) = (rows[r] as f64, 0.31 + 0.17 * j as f64);
        (1.0 + j as f64) * ((i * f).sin() + 0.5 * (i * 0.7).cos()) + 3.0
    })
}

fn all() -> Vec<usize> {
    (0..N).collect()
}

fn views(rows: &[usize]) -> Views {
    let x = Matrix::from_fn(rows.len(), 2, |r, j| {
        let i = rows[r] as f64;
        4.0 * (i * [0.618, 0.314][j]).fract() - 2.0
    });
    Views::new().dense("x", x).unwrap().dense("g", table(rows, 6)).unwrap()
}

fn dense<'a>(views: &'a Views, name: &str) -> &'a Matrix {
    match &views.get(name).unwrap().table {
        Table::Dense(x) | Table::Similarity(x) => x,
        _ => panic!("dense"),
    }
}

fn labels(classes: usize) -> Labels {
    let views = views(&all());
    let x = dense(&views, "x");
    let of = |i: usize| {
        let above = usize::from(x.get(i, 1) > 1.5 * x.get(i, 0).abs() - 1.2);
        format!("c{}", (above + usize::from(x.get(i, 0) > 0.8) * 2) % classes)
    };
    Labels::from_texts(&all().into_iter().map(of).collect::<Vec<_>>())
}

fn mkl(method: &str, kernels: &[&str], params: &[(&str, &str)]) -> Mkl {
    let specs: Vec<KernelSpec> = kernels.iter().map(|t| t.parse().unwrap()).collect();
    let start = Mkl::new(method).unwrap().kernels(specs).c(5.0);
    params.iter().fold(start, |mkl, (name, value)| mkl.param(*name, Value::parse(value)))
}

fn machine(mkl: Mkl, text: &str) -> Mkl {
    mkl.machine(text.parse::<cokernel::machine::MachineSpec>().unwrap())
}

fn fit(mkl: &Mkl, views: &Views, classes: usize) -> Model {
    mkl.fit(views, &labels(classes), &Run::default()).unwrap()
}

/// The leading principal components of standardised columns, and what they keep; by a full decomposition.
fn components(x: &Matrix, r: usize) -> (Matrix, f64) {
    let (n, d) = (x.rows(), x.cols());
    let mean = |j: usize| x.col(j).iter().sum::<f64>() / n as f64;
    let means: Vec<f64> = (0..d).map(mean).collect();
    let spread =
        |j: usize| (x.col(j).iter().map(|v| (v - means[j]).powi(2)).sum::<f64>() / n as f64).sqrt();
    let spreads: Vec<f64> = (0..d).map(spread).collect();
    let z = Matrix::from_fn(n, d, |i, j| (x.get(i, j) - means[j]) / spreads[j]);
    let inner = |a: usize, b: usize| (0..n).map(|i| z.get(i, a) * z.get(i, b)).sum::<f64>();
    let (values, vectors) = symmetric_eigen(&Matrix::from_fn(d, d, inner)).unwrap();
    let along = |i: usize, l: usize| (0..d).map(|j| z.get(i, j) * vectors.get(j, d - 1 - l)).sum();
    let kept = (0..r).map(|l| values[d - 1 - l]).sum::<f64>() / values.iter().sum::<f64>();
    (Matrix::from_fn(n, r, along), kept)
}

fn assert_close(a: &Matrix, b: &Matrix, limit: f64, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()), "{what}");
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= limit, "{what}: {x} {y}");
    }
}

/// Gates on columns that are reduced are those on a view that holds the components; a file keeps them, and new rows
/// are placed by those of training.
#[test]
fn reduced_columns_are_principal_components() {
    let views = views(&all());
    let (scores, kept) = components(dense(&views, "g"), 2);
    let by_hand = views.clone().dense("scores", scores).unwrap();
    let kernels = ["linear@x", "gaussian@x:gamma=0.3"];
    for gating in Shape::IDS {
        let with = |view: &str, dimensions: &str| {
            let params = [
                ("gating", *gating),
                ("gate_views", view),
                ("gate_dimensions", dimensions),
                ("max_iterations", "4"),
            ];
            fit(&mkl("localized_mkl", &kernels, &params), &by_hand, 2)
        };
        let (found, wanted) = (with("g", "2"), with("scores", "0"));
        assert!(found.report().iterations > 0, "{gating}");
        let gates = |m: &Model| m.gates(&by_hand).unwrap().unwrap().values;
        assert_close(&gates(&found), &gates(&wanted), 1e-7, gating);
        let (a, b) = (found.predict(&by_hand).unwrap(), wanted.predict(&by_hand).unwrap());
        assert_close(&a.decisions, &b.decisions, 1e-6, gating);
        let input = found.rule().gated().unwrap().input();
        assert_eq!((input.width(), input.columns()), (2, 6));
        assert!((found.report().details["gate_variance"][0] - kept).abs() < 1e-9);
        let note = format!(
            "the gates look at 2 principal components of 6 columns, which have {:.1} % of their variance",
            100.0 * kept
        );
        assert!(found.report().notes.contains(&note), "{:?}", found.report().notes);
        let back = Model::from_bytes(&found.to_bytes().unwrap()).unwrap();
        assert_eq!(back, found);
        let some = by_hand.select(&[4, 80, 33]);
        assert_eq!(back.predict(&some).unwrap(), found.predict(&some).unwrap());
        assert_eq!(back.gates(&some).unwrap(), found.gates(&some).unwrap());
        let rows = gates(&found).select_rows(&[4, 80, 33]);
        assert_close(&back.gates(&some).unwrap().unwrap().values, &rows, 1e-14, gating);
        // As many as there are columns: the same gates in other coordinates, and all the variance.
        let whole = with("g", "100");
        assert_eq!(whole.rule().gated().unwrap().input().width(), 6);
        assert!((whole.report().details["gate_variance"][0] - 1.0).abs() < 1e-9);
    }
}

/// An empirical kernel map, which has a column for each instance.
#[test]
fn similarities_are_reduced() {
    let similar = |rows: &[usize]| {
        let (own, old) = (views(rows), views(&all()));
        let (own, old) = (dense(&own, "x"), dense(&old, "x"));
        let kernel = |gamma: f64| {
            Matrix::from_fn(rows.len(), N, |i, j| {
                let far: f64 = (0..2).map(|k| (own.get(i, k) - old.get(j, k)).powi(2)).sum();
                (-gamma * far).exp()
            })
        };
        let with =
            |v: Views, name: &str, gamma| v.with(name, Table::Similarity(kernel(gamma))).unwrap();
        with(with(Views::new(), "wide", 0.1), "narrow", 2.0)
    };
    let train = similar(&all());
    let (scores, kept) = components(dense(&train, "wide"), 3);
    let by_hand = train.clone().dense("scores", scores).unwrap();
    let kernels = ["precomputed@wide", "precomputed@narrow"];
    let with = |view: &str, dimensions: &str, views: &Views| {
        let params =
            [("gate_views", view), ("gate_dimensions", dimensions), ("max_iterations", "4")];
        fit(&mkl("localized_mkl", &kernels, &params), views, 2)
    };
    let (found, wanted) = (with("wide", "3", &train), with("scores", "0", &by_hand));
    let gates = |m: &Model| m.gates(&by_hand).unwrap().unwrap().values;
    assert_close(&gates(&found), &gates(&wanted), 1e-4, "map");
    assert!((found.report().details["gate_variance"][0] - kept).abs() < 1e-9);
    let back = Model::from_bytes(&found.to_bytes().unwrap()).unwrap();
    let some = similar(&[7, 60]);
    assert_eq!(back.predict(&some).unwrap(), found.predict(&some).unwrap());
    let rows = found.predict(&train).unwrap().decisions.select_rows(&[7, 60]);
    assert_close(&back.predict(&some).unwrap().decisions, &rows, 1e-12, "new rows");
    // Wider than there are instances: no more components than these.
    let all_of_both = with("all", "500", &train);
    assert!(all_of_both.rule().gated().unwrap().input().width() < N);
}

/// The other methods whose gates look at columns.
#[test]
fn regions_of_reduced_columns() {
    let views = views(&all());
    let (scores, _) = components(dense(&views, "g"), 2);
    let by_hand = views.clone().dense("scores", scores).unwrap();
    let with = |view: &str, dimensions: &str| {
        let params = [("gate_views", view), ("gate_dimensions", dimensions), ("regions", "3")];
        fit(&mkl("convex_localized", &["linear@x", "gaussian@x:gamma=0.3"], &params), &by_hand, 2)
    };
    let (found, wanted) = (with("g", "2"), with("scores", "0"));
    let (a, b) = (found.predict(&by_hand).unwrap(), wanted.predict(&by_hand).unwrap());
    assert_close(&a.decisions, &b.decisions, 1e-2, "convex_localized");
    let gates = |m: &Model| m.gates(&by_hand).unwrap().unwrap().values;
    assert_close(&gates(&found), &gates(&wanted), 1e-3, "convex_localized");
    assert!(found.report().details.contains_key("gate_variance"));
    let params = [("regions", "2"), ("dimensions", "1"), ("gate_dimensions", "2"), ("tol", "0.01")];
    let local = fit(&mkl("lpk", &["linear@g"], &params), &views, 2);
    assert_eq!(local.rule().gated().unwrap().input().width(), 2);
    let back = Model::from_bytes(&local.to_bytes().unwrap()).unwrap();
    assert_eq!(back.predict(&views).unwrap(), local.predict(&views).unwrap());
    assert!(local.report().details["gate_variance"][0] > 0.3);
}

#[test]
fn what_gates_look_at_is_told() {
    let constant = Matrix::from_fn(N, 2, |_, j| 2.0 + j as f64);
    let views = views(&all()).dense("flat", constant).unwrap();
    let kernels = ["linear@x", "gaussian@x"];
    for (method, dimensions) in
        [("localized_mkl", "0"), ("localized_mkl", "1"), ("convex_localized", "0")]
    {
        let params = [("gate_views", "flat"), ("gate_dimensions", dimensions)];
        let found = fit(&mkl(method, &kernels, &params), &views, 2);
        let note = "every column that the gates look at ('flat') has one value in training";
        let notes = &found.report().notes;
        assert!(notes.iter().any(|n| n.starts_with(note)), "{method}: {notes:?}");
    }
    let gates = |given: &str| {
        let model = fit(&mkl("localized_mkl", &kernels, &[("gate_views", given)]), &views, 2);
        assert!(!model.report().notes.iter().any(|n| n.contains("has one value")));
        model.gates(&views).unwrap().unwrap()
    };
    assert_eq!(gates("g"), gates(" g, g"));
    let mkl = mkl("localized_mkl", &kernels, &[("gate_views", " , ")]);
    let said = mkl.fit(&views, &labels(2), &Run::default()).unwrap_err().to_string();
    assert!(said.contains("'gate_views': expected all, or names of views"), "{said}");
}

/// Each machine of a decomposition has the gates and the values of the same binary problem alone: the others of its
/// classes have no weight there.
#[test]
fn own_gates_are_those_of_binary_machines() {
    let views = views(&all());
    let Labels::Classes { codes, names } = labels(3) else { panic!("classes") };
    let kernels = ["linear@x", "gaussian@x:gamma=0.3"];
    for (text, gating, copies) in [
        ("svc:c=5", "softmax", "1"),
        ("svc:c=5:decomposition=one_vs_one", "softmax", "2"),
        ("squared_hinge_svc:c=2", "sigmoid", "1"),
        ("kernel_fisher:lambda=1", "gaussian", "1"),
    ] {
        let params = [
            ("gating", gating),
            ("copies", copies),
            ("gate_views", "g"),
            ("gate_dimensions", "2"),
            ("starts", "2"),
            ("tol", "0.01"),
        ];
        let own: Vec<(&str, &str)> = params.into_iter().chain([("gates", "own")]).collect();
        let model = fit(&machine(mkl("localized_mkl", &kernels, &own), text), &views, 3);
        assert_eq!(model.rule().own_gates().len(), 3);
        assert_eq!(model.report().details["mean_gates"].len(), model.gate_names().len());
        let found = model.predict(&views).unwrap();
        let gates = model.gates(&views).unwrap().unwrap();
        let wide = gates.names.len() / 3;
        for (t, info) in model.machines().iter().enumerate() {
            let start = format!("{}: linear@x", info.name);
            assert!(gates.names[t * wide].starts_with(&start), "{:?}", gates.names);
            let (positive, negative) = info.name.split_once(" vs ").unwrap();
            let is = |i: usize, name: &str| names[codes[i].unwrap() as usize] == name;
            // The positive class is the second one.
            let texts: Vec<&str> =
                (0..N).map(|i| if is(i, positive) { "z" } else { "a" }).collect();
            let weight = |i: usize| match negative == "rest" || is(i, positive) || is(i, negative) {
                true => 1.0,
                false => 0.0,
            };
            let weights: Vec<f64> = (0..N).map(weight).collect();
            let binary = machine(mkl("localized_mkl", &kernels, &params), text);
            let labels = Labels::from_texts(&texts);
            let alone = binary.fit_weighted(&views, &labels, &weights, &Run::default()).unwrap();
            let wanted = alone.predict(&views).unwrap().decisions;
            for i in 0..N {
                let (a, b) = (found.decisions.get(i, t), wanted.get(i, 0));
                assert!((a - b).abs() < 1e-9, "{text} {} {i}: {a} {b}", info.name);
            }
            let wanted = alone.gates(&views).unwrap().unwrap().values;
            let columns: Vec<usize> = (t * wide..(t + 1) * wide).collect();
            assert_close(&gates.values.select_cols(&columns), &wanted, 1e-12, text);
        }
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        let some = views.select(&[1, 50, 77]);
        assert_eq!(back.predict(&some).unwrap(), model.predict(&some).unwrap());
        assert_eq!(back.gates(&some).unwrap(), model.gates(&some).unwrap());
        let asked: Vec<String> = model.views().iter().map(|v| v.name.clone()).collect();
        assert_eq!(asked, ["x", "g"]);
    }
}

#[test]
fn own_gates_refuse_and_stop() {
    let views = views(&all());
    let own = mkl("localized_mkl", &["linear@x", "gaussian@x"], &[("gates", "own")]);
    let joint = machine(own.clone(), "joint_svc");
    let said = joint.fit(&views, &labels(3), &Run::default()).unwrap_err();
    assert!(matches!(said, Error::Parameter { .. }), "{said}");
    assert!(said.to_string().contains("learns all classes in one problem"), "{said}");
    let run = Run { time_limit: Some(Duration::ZERO), ..Run::default() };
    let stopped = own.fit(&views, &labels(3), &run).unwrap();
    assert_eq!(stopped.report().status, Status::TimeLimit);
    assert_eq!(stopped.machines().len(), 3);
    // A file with gates of fewer machines than it has.
    let model = fit(&own, &views, 3);
    let bytes = model.to_bytes().unwrap();
    let at = bytes.windows(5).position(|w| w == b"heads").unwrap() + 5;
    let digit = at + bytes[at..].iter().position(|c| *c == b'3').unwrap();
    let mut fewer = bytes.clone();
    fewer[digit] = b'2';
    assert!(Model::from_bytes(&fewer).is_err());
}
