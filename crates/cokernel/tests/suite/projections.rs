//! Projections, end to end: models by their definition, what has to be equal to what, files, and what is refused.

use cokernel::data::{Csr, Labels, Matrix, Scale, Table, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{EmbeddingModel, Mkl, Model, MultiView};
use cokernel::params::Value;
use cokernel::rule::gate::Shape;
use cokernel::{Result, Run, Status};

const N: usize = 90;

/// Columns of very different units, of which the first two together tell the class.
fn table(n: usize) -> Matrix {
    let wave =
        |i: usize, j: usize| ((i * (2 * j + 3)) as f64 * 0.618_034 + 0.37 * j as f64).fract() - 0.5;
    let units = [1.0, 100.0, 1.0, 0.001, 10.0];
    Matrix::from_fn(n, 5, |i, j| units[j] * wave(i, j))
}

fn views() -> Views {
    Views::new().dense("x", table(N)).unwrap()
}

fn labels() -> Labels {
    let x = table(N);
    let side = |i: usize| x.get(i, 0) + 0.01 * x.get(i, 1) > 0.05;
    Labels::from_texts(&(0..N).map(|i| if side(i) { "up" } else { "down" }).collect::<Vec<_>>())
}

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

fn mkl(id: &str, kernels: &[&str], params: &[(&str, &str)]) -> Mkl {
    let start = Mkl::new(id).unwrap().kernels(specs(kernels)).c(10.0).scale(Scale::None);
    params.iter().fold(start, |mkl, (name, value)| mkl.param(*name, Value::parse(value)))
}

fn sharp(c: f64) -> MachineSpec {
    format!("svc:c={c}:tol=1e-9").parse().unwrap()
}

fn fit(mkl: &Mkl, views: &Views) -> Model {
    mkl.fit(views, &labels(), &Run::default()).unwrap()
}

fn features(views: &Views) -> Matrix {
    match &views.get("x").unwrap().table {
        Table::Dense(x) => x.clone(),
        _ => panic!("dense features"),
    }
}

/// xW, entry by entry.
fn times(x: &Matrix, w: &Matrix) -> Matrix {
    Matrix::from_fn(x.rows(), w.cols(), |i, l| {
        (0..x.cols()).map(|j| x.get(i, j) * w.get(j, l)).sum()
    })
}

fn close(a: &Matrix, b: &Matrix, tol: f64, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()), "{what}");
    let scale = b.values().iter().fold(1e-300_f64, |m, v| m.max(v.abs()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= tol * scale, "{what}: {x} {y}");
    }
}

const KERNELS: [&str; 3] = ["linear@x", "polynomial@x:degree=2:gamma=0.001", "gaussian@x"];

/// The machine on the features as they are, for every kernel.
#[test]
fn the_identity_is_the_plain_kernel() {
    let views = views();
    let given = [("start", "identity"), ("dimensions", "1000"), ("max_iterations", "0")];
    for kernel in KERNELS {
        let plain = fit(&mkl("mean", &[kernel], &[]).machine(sharp(10.0)), &views);
        let wanted = plain.predict(&views).unwrap().decisions;
        let model = fit(&mkl("gpk", &[kernel], &given).machine(sharp(10.0)), &views);
        assert_eq!(model.maps().len(), 1);
        let w = model.maps()[0].map().unwrap();
        close(w, &Matrix::from_fn(5, 5, |j, l| f64::from(u8::from(j == l))), 1e-12, kernel);
        let report = model.report();
        assert_eq!((report.iterations, report.status), (0, Status::Converged), "{kernel}");
        close(&model.predict(&views).unwrap().decisions, &wanted, 1e-6, kernel);
        // A competing gate of one region is 1 everywhere.
        let one = [("regions", "1"), given[0], given[1], given[2]];
        for gating in ["softmax", "gaussian"] {
            let given = [one[0], one[1], one[2], one[3], ("gating", gating)];
            let model = fit(&mkl("lpk", &[kernel], &given).machine(sharp(10.0)), &views);
            close(&model.predict(&views).unwrap().decisions, &wanted, 1e-6, kernel);
        }
        // Steps from there lower the objective.
        let learned = fit(&mkl("gpk", &[kernel], &given[..2]), &views);
        let (from, to) = (report.objective[0], *learned.report().objective.last().unwrap());
        assert!(to < 0.9 * from, "{kernel}: {from} to {to}");
    }
    let few = mkl("gpk", &KERNELS[..1], &[("start", "identity")]);
    let said = few.fit(&views, &labels(), &Run::default()).unwrap_err().to_string();
    assert!(
        said.contains("identity keeps all 5 columns of view 'x'; give dimensions=5 or more"),
        "{said}"
    );
}

/// The plain machine on the projected features gives the same decision values; files give back the same bits.
#[test]
fn a_model_is_the_machine_on_projected_features() {
    let views = views();
    let new = Views::new().dense("x", table(N + 30).select_rows(&(N..N + 30).collect::<Vec<_>>()));
    let new = new.unwrap();
    let cases =
        [(&KERNELS[..1], "1"), (&KERNELS[1..2], "3"), (&KERNELS[2..], "1"), (&KERNELS[..], "3")];
    for (kernels, dimensions) in cases {
        let given = [("dimensions", dimensions), ("starts", "2"), ("max_iterations", "15")];
        let learner = mkl("gpk", kernels, &given).machine(sharp(10.0));
        let model = fit(&learner, &views);
        let status = model.report().status;
        assert!(status.is_success() || status == Status::IterationLimit, "{status}");
        let w = model.maps()[0].map().unwrap().clone();
        assert_eq!((w.rows(), w.cols()), (5, dimensions.parse().unwrap()));
        let mapped = |v: &Views| Views::new().dense("x", times(&features(v), &w)).unwrap();
        // Widths and degrees as they were fixed on the features.
        let plain: Vec<String> = model.kernels().iter().map(plain).collect();
        let plain: Vec<&str> = plain.iter().map(String::as_str).collect();
        let by_hand = fit(&mkl("mean", &plain, &[]).machine(sharp(10.0)), &mapped(&views));
        let found = model.predict(&new).unwrap().decisions;
        let wanted = by_hand.predict(&mapped(&new)).unwrap().decisions;
        close(&found, &wanted, 1e-4, &format!("{kernels:?} {dimensions}"));
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        assert_eq!(back.predict(&new).unwrap(), model.predict(&new).unwrap());
        assert_eq!(back.maps(), model.maps());
        let again = fit(&learner, &views);
        assert_eq!(again.predict(&new).unwrap(), model.predict(&new).unwrap());
    }
}

/// A kernel as text with its numbers.
fn plain(kernel: &cokernel::kernel::Kernel) -> String {
    use cokernel::kernel::Function;
    match kernel.function {
        Function::Linear => "linear@x".to_string(),
        Function::Polynomial { degree, gamma, coef0 } => {
            format!("polynomial@x:degree={degree}:gamma={gamma:e}:coef0={coef0:e}")
        }
        Function::Exponential { gamma, .. } => format!("gaussian@x:gamma={gamma:e}"),
        other => panic!("{other:?}"),
    }
}

/// Σ_i c_i Σ_g η_g(x_i) k(W_gᵀx_i, W_gᵀx) η_g(x) + b, from gates, maps and the raw features.
#[test]
fn local_projections_are_those_of_the_definition() {
    let views = views();
    let new = views.select(&[3, 70, 11, 20]);
    for (kernel, gating) in [KERNELS[0], KERNELS[2]].iter().zip([Shape::Softmax, Shape::Sigmoid]) {
        let given = [("regions", "3"), ("dimensions", "2"), ("gating", gating.id())];
        let learner = mkl("lpk", &[kernel], &given);
        let model = fit(&learner, &views);
        let names: Vec<&str> = model.maps().iter().map(|l| l.name()).collect();
        assert_eq!(names, ["x#1", "x#2", "x#3"]);
        assert!(model.maps().iter().all(|l| l.view() == "x"));
        // It asks for the features, not for what is made of them.
        let asked: Vec<&str> = model.views().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(asked, ["x"]);
        let gates = |v: &Views| model.gates(v).unwrap().unwrap();
        assert_eq!(
            gates(&new).names,
            model.kernels().iter().map(|k| k.name.clone()).collect::<Vec<_>>()
        );
        assert!(gates(&new).names[2].ends_with("#3"));
        let (old, own) = (gates(&views).values, gates(&new).values);
        let (support, coef, bias) = model.duals();
        let mut wanted = Matrix::from_fn(new.n(), 1, |_, _| bias[0]);
        for (g, map) in model.maps().iter().enumerate() {
            let (z, t) = (
                times(&features(&views), map.map().unwrap()),
                times(&features(&new), map.map().unwrap()),
            );
            for i in 0..new.n() {
                for (c, j) in support.iter().enumerate() {
                    let pairs = || t.row(i).iter().zip(z.row(*j));
                    let value = match model.kernels()[g].function {
                        cokernel::kernel::Function::Linear => pairs().map(|(a, b)| a * b).sum(),
                        cokernel::kernel::Function::Exponential { gamma, .. } => {
                            (-gamma * pairs().map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp()
                        }
                        _ => panic!("another kernel"),
                    };
                    let term: f64 = coef.get(0, c) * own.get(i, g) * value * old.get(*j, g);
                    wanted.set(i, 0, wanted.get(i, 0) + term);
                }
            }
        }
        close(&model.predict(&new).unwrap().decisions, &wanted, 1e-9, kernel);
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        assert_eq!(back.predict(&new).unwrap(), model.predict(&new).unwrap());
        assert_eq!(back.gates(&new).unwrap(), model.gates(&new).unwrap());
        let again = fit(&learner, &views);
        assert_eq!(again.predict(&new).unwrap(), model.predict(&new).unwrap());
    }
}

/// Two classes of two clusters each, which no line tells apart and two regions do (LMKA Figure 4.3).
#[test]
fn regions_tell_apart_what_one_projection_does_not() {
    let n = 120;
    let centres = [(-3.0, 1.5), (3.0, 1.5), (-3.0, -1.5), (3.0, -1.5)];
    let noise = |i: usize, k: usize| ((i * (3 * k + 5)) as f64 * 0.618_034).fract() - 0.5;
    let x = Matrix::from_fn(n, 2, |i, j| {
        let centre = centres[i % 4];
        2.0 * noise(i, j) + if j == 0 { centre.0 } else { centre.1 }
    });
    // Up on the left and down on the right, or the other way round.
    let class = |i: usize| if matches!(i % 4, 0 | 3) { "a" } else { "b" };
    let labels = Labels::from_texts(&(0..n).map(class).collect::<Vec<_>>());
    let views = Views::new().dense("x", x).unwrap();
    let correct = |model: &Model| {
        let found = model.predict(&views).unwrap().labels;
        (0..n).filter(|i| found[*i] == class(*i)).count()
    };
    let learned = |id: &str, given: &[(&str, &str)]| {
        mkl(id, &["linear@x"], given).fit(&views, &labels, &Run::default()).unwrap()
    };
    let one = learned("gpk", &[("dimensions", "1")]);
    assert!(correct(&one) < 100, "{}", correct(&one));
    for gating in Shape::IDS {
        let given = [("dimensions", "1"), ("starts", "4"), ("gating", *gating)];
        let two = learned("lpk", &given);
        assert!(correct(&two) >= 115, "{gating}: {}", correct(&two));
    }
}

/// Columns in another order have the rows of W in that order.
#[test]
fn permuted_columns_have_permuted_rows() {
    let order = [3, 0, 4, 2, 1];
    let other = Views::new().dense("x", table(N).select_cols(&order)).unwrap();
    for kernel in KERNELS {
        let given = [("tol", "1e-6"), ("max_iterations", "4")];
        let learner = mkl("gpk", &[kernel], &given).machine(sharp(10.0));
        let (a, b) = (fit(&learner, &views()), fit(&learner, &other));
        let (a, b) = (a.maps()[0].map().unwrap(), b.maps()[0].map().unwrap());
        // Signs of columns are those of the start.
        let back = a.select_rows(&order);
        let size = |m: &Matrix| Matrix::from_fn(5, 2, |j, l| m.get(j, l).abs());
        // Rows are in the units of their columns.
        for j in 0..5 {
            let row = |m: &Matrix| Matrix::from_fn(1, 2, |_, l| size(m).get(j, l));
            let most = (0..2).fold(0.0_f64, |a, l| a.max(back.get(j, l).abs()));
            for l in 0..2 {
                let (x, y) = (row(&back).get(0, l), row(b).get(0, l));
                assert!((x - y).abs() <= 1e-3 * most, "{kernel} {j} {l}: {x} {y}");
            }
        }
    }
}

/// A linear kernel whose projection keeps its length ends at the linear machine on standardised columns with a larger C,
/// and all that it projects to is one direction.
#[test]
fn a_linear_projection_is_a_linear_machine() {
    let views = views();
    let given = [("dimensions", "3"), ("tol", "1e-9"), ("max_iterations", "2000")];
    let model = fit(&mkl("gpk", &["linear@x"], &given).machine(sharp(1e-3)), &views);
    let x = features(&views);
    let mean = |j: usize| x.col(j).iter().sum::<f64>() / N as f64;
    let square = |j: usize| x.col(j).iter().map(|v| (v - mean(j)).powi(2)).sum::<f64>() / N as f64;
    let total: f64 = (0..5).map(square).sum();
    let scaled = Matrix::from_fn(N, 5, |i, j| x.get(i, j) / square(j).sqrt());
    let scaled = Views::new().dense("x", scaled).unwrap();
    let plain = mkl("mean", &["linear@x"], &[]).machine(sharp(1e-3 * total));
    let plain = fit(&plain, &scaled);
    // ‖θ‖² = R and τ² = Σσ²/R: C times Σσ².
    let wanted = plain.report().objective[0] / total;
    let found = *model.report().objective.last().unwrap();
    assert!((found / wanted - 1.0).abs() < 1e-3, "{found} {wanted}");
    let (a, b) = (model.predict(&views).unwrap(), plain.predict(&scaled).unwrap());
    let same = a.labels.iter().zip(&b.labels).filter(|(a, b)| a == b).count();
    assert!(same >= N - 1, "{same}");
}

#[test]
fn little_and_odd_data() {
    let run = Run::default();
    for id in ["gpk", "lpk"] {
        for kernel in ["linear@x", "polynomial@x", "gaussian@x"] {
            // Two instances, and more dimensions than columns.
            let two = Views::new()
                .dense("x", Matrix::from_fn(2, 3, |i, j| (i * (j + 1)) as f64))
                .unwrap();
            let names = Labels::from_texts(&["a", "b"]);
            let learner = mkl(id, &[kernel], &[("dimensions", "7")]);
            let model = learner.fit(&two, &names, &run).unwrap();
            assert_eq!(model.maps()[0].map().unwrap().cols(), 3, "{id} {kernel}");
            assert_eq!(model.predict(&two).unwrap().labels, ["a", "b"], "{id} {kernel}");
            // Wider than long.
            let wide = Matrix::from_fn(12, 40, |i, j| ((i * 7 + j * 3) as f64).sin());
            let wide = Views::new().dense("x", wide).unwrap();
            let names: Vec<&str> = (0..12).map(|i| if i % 2 == 0 { "a" } else { "b" }).collect();
            let model = learner.fit(&wide, &Labels::from_texts(&names), &run).unwrap();
            assert!(model.report().objective.windows(2).all(|w| w[1] <= w[0]), "{id} {kernel}");
            // A column with one value takes no part.
            let mut x = table(N);
            (0..N).for_each(|i| x.set(i, 2, 1e6));
            let views = Views::new().dense("x", x).unwrap();
            let model = mkl(id, &[kernel], &[("max_iterations", "2")]).scale(Scale::Standard);
            let model = model.fit(&views, &labels(), &run).unwrap();
            assert!(model.maps().iter().all(|l| l.map().unwrap().row(2).iter().all(|v| *v == 0.0)));
            let note =
                "view 'x': 1 of 5 columns have one value only and take no part in the projection";
            assert!(model.report().notes.iter().any(|n| n == note), "{:?}", model.report().notes);
            // The same numbers as a sparse view.
            let x = table(N);
            let rows = (0..N).map(|i| (0..5).map(|j| (j as u32, x.get(i, j))).collect()).collect();
            let sparse = Views::new().with("x", Table::Sparse(Csr::from_rows(5, rows).unwrap()));
            let sparse = sparse.unwrap();
            let few = mkl(id, &[kernel], &[("max_iterations", "10")]);
            let (a, b) = (fit(&few, &self::views()), fit(&few, &sparse));
            let what = format!("{id} {kernel} sparse");
            let (a, b) = (a.predict(&sparse).unwrap(), b.predict(&sparse).unwrap());
            close(&a.decisions, &b.decisions, 1e-2, &what);
        }
    }
}

/// Other units of all features, or of some, are no matter: linear and polynomial kernels with C and γ that go along.
#[test]
fn units_are_no_matter() {
    let times = |factor: f64| {
        let x = table(N);
        Views::new().dense("x", Matrix::from_fn(N, 5, |i, j| factor * x.get(i, j))).unwrap()
    };
    // Every step is the same in other units: a few tell it.
    let few = [("max_iterations", "8")];
    for id in ["gpk", "lpk"] {
        let wanted = fit(&mkl(id, &["gaussian@x"], &few), &views());
        let wanted = wanted.predict(&views()).unwrap().decisions;
        for factor in [-200, 200].map(|power| 2.0_f64.powi(power)) {
            let found = fit(&mkl(id, &["gaussian@x"], &few), &times(factor));
            let found = found.predict(&times(factor)).unwrap().decisions;
            close(&found, &wanted, 1e-3, &format!("{id} {factor:e}"));
        }
        let linear = |factor: f64| mkl(id, &["linear@x"], &few).c(10.0 / factor / factor);
        let wanted = fit(&linear(1.0), &views()).predict(&views()).unwrap().decisions;
        for factor in [1.0 / 1024.0, 4096.0] {
            let found = fit(&linear(factor), &times(factor));
            let found = found.predict(&times(factor)).unwrap().decisions;
            close(&found, &wanted, 1e-3, &format!("{id} {factor:e}"));
        }
    }
}

/// Of a detector with a linear kernel on centred features: nothing lies on one side.
#[test]
fn a_degenerate_detector_is_said() {
    let centred = Matrix::from_fn(60, 3, |i, j| {
        ((i / 2 * (j + 2)) as f64).sin() * if i % 2 == 0 { 1.0 } else { -1.0 }
    });
    let views = Views::new().dense("x", centred).unwrap();
    let machine = || "one_class_svm:nu=0.5".parse::<MachineSpec>().unwrap();
    let fit = |id: &str, kernel: &str| -> Result<Model> {
        mkl(id, &[kernel], &[]).machine(machine()).fit(&views, &Labels::Absent(60), &Run::default())
    };
    for id in ["gpk", "lpk"] {
        let notes = fit(id, "linear@x").unwrap().report().notes.clone();
        // Gates put one side away.
        let said = notes.iter().any(|n| n.contains("on all sides of the origin"));
        assert_eq!(said, id == "gpk", "{id}: {notes:?}");
        let model = fit(id, "gaussian@x").unwrap();
        let notes = &model.report().notes;
        assert!(!notes.iter().any(|n| n.contains("on all sides")), "{id}: {notes:?}");
        let trace = &model.report().objective;
        assert!(trace.windows(2).all(|w| w[1] <= w[0] + 1e-12 * w[0].abs()), "{id}: {trace:?}");
        // Its projection keeps its length: one point for all would be best.
        let z = times(&features(&views), model.maps()[0].map().unwrap());
        assert!(z.values().iter().any(|v| v.abs() > 0.1), "{id}");
    }
}

#[test]
fn what_cannot_be_projected_is_refused() {
    let views = views();
    let said = |mkl: Mkl, views: &Views| {
        mkl.fit(views, &labels(), &Run::default()).unwrap_err().to_string()
    };
    for id in ["gpk", "lpk"] {
        for (kernel, why) in [
            ("gaussian@x:normalize=center", "is normalised"),
            ("laplacian@x", "is another function"),
            ("sigmoid@x", "is another function"),
            ("linear@x:per_feature", "looks at one column"),
        ] {
            let Ok(spec) = kernel.parse::<KernelSpec>() else { continue };
            let e = said(mkl(id, &[], &[]).kernels([spec]), &views);
            assert!(
                e.contains(why) && e.contains("linear, polynomial and Gaussian"),
                "{kernel}: {e}"
            );
        }
        for (name, value) in [
            ("dimensions", "0"),
            ("starts", "0"),
            ("tol", "0"),
            ("start", "kmeans"),
            ("lengths", "x"),
        ] {
            let e = said(mkl(id, &["linear@x"], &[(name, value)]), &views);
            assert!(e.contains(name), "{e}");
        }
        let same = Views::new().dense("x", Matrix::from_fn(N, 3, |_, j| j as f64)).unwrap();
        let e = said(mkl(id, &["linear@x"], &[]), &same);
        assert!(e.contains("every column of view 'x' has one value only"), "{e}");
        let similar = Matrix::from_fn(N, N, |i, j| if i == j { 1.0 } else { 0.5 });
        let similar = Views::new().with("x", Table::Similarity(similar)).unwrap();
        let e = said(Mkl::new(id).unwrap(), &similar);
        assert!(e.contains("is a similarity, which has no features"), "{e}");
        let svdd = mkl(id, &["gaussian@x"], &[]).machine("svdd".parse::<MachineSpec>().unwrap());
        assert!(said(svdd, &views).contains("svdd"));
        // New rows of another width.
        let model = fit(&mkl(id, &["gaussian@x"], &[]), &views);
        let narrow = Views::new().dense("x", table(4).select_cols(&[0, 1])).unwrap();
        let e = model.predict(&narrow).unwrap_err().to_string();
        assert!(e.contains("expected 5 columns as in training, found 2"), "{e}");
    }
    let mut x = table(N);
    x.set(3, 1, f64::NAN);
    let e = Views::new().dense("x", x).unwrap_err().to_string();
    assert!(e.contains("row 3"), "{e}");
}

/// As an embedding: the projection that tells classes apart, for old and new rows.
#[test]
fn an_embedding_by_classes() {
    let (views, run) = (views(), Run::default());
    let method =
        MultiView::new("gpk").unwrap().kernels(specs(&["gaussian"])).param("embed_c", 10.0);
    let (model, found) = method.fit_labelled_embedding(&views, &labels(), 2, &run).unwrap();
    assert_eq!((found.rows.rows(), found.rows.cols()), (N, 2));
    let (_, w) = model.projection().unwrap();
    close(&times(&features(&views), w), &found.rows, 1e-12, "rows");
    // The projection of the classifier with that machine.
    let learner = Mkl::new("gpk").unwrap().kernels(specs(&["gaussian@x"])).c(10.0);
    let learner = fit(&learner, &views);
    close(w, learner.maps()[0].map().unwrap(), 1e-12, "map");
    let new = views.select(&[5, 80]);
    let back = EmbeddingModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(back.transform(&new).unwrap(), model.transform(&new).unwrap());
    assert_eq!(back.projection(), model.projection());
    // Instances without a label are placed.
    let x = table(N);
    let text = |i: usize| {
        if i.is_multiple_of(5) {
            ""
        } else if x.get(i, 0) > 0.0 {
            "a"
        } else {
            "b"
        }
    };
    let some = Labels::from_texts(&(0..N).map(text).collect::<Vec<_>>());
    let (_, placed) = method.fit_labelled_embedding(&views, &some, 9, &run).unwrap();
    assert_eq!(placed.rows.cols(), 5);
    let notes = &placed.report.notes;
    assert!(notes.iter().any(|n| n.starts_with("18 of 90 instances have no label")), "{notes:?}");
    assert!(
        notes.iter().any(|n| n.contains("5 of the 9 columns that were asked for")),
        "{notes:?}"
    );
    let e = method.embed(&views, 2, &run).unwrap_err().to_string();
    assert!(e.contains("method 'gpk' learns from labels"), "{e}");
}

/// The columns of all regions, each times its gate, for old and new rows.
#[test]
fn an_embedding_by_local_projections() {
    let (views, run) = (views(), Run::default());
    for (gating, regions, reduced) in [("softmax", 2, 0), ("sigmoid", 3, 0), ("gaussian", 2, 2)] {
        let given = [
            ("gating", Value::from(gating)),
            ("regions", Value::Int(regions)),
            ("gate_dimensions", Value::Int(reduced)),
            ("max_iterations", Value::Int(10)),
        ];
        let with = |start: MultiView| given.iter().fold(start, |m, (n, v)| m.param(*n, v.clone()));
        let method = with(MultiView::new("lpk").unwrap().kernels(specs(&["linear"])));
        let method = method.param("embed_c", 3.0);
        let k = 2 * regions as usize;
        let (model, found) = method.fit_labelled_embedding(&views, &labels(), k, &run).unwrap();
        // The classifier learns the same gates and maps.
        let classifier = Mkl::new("lpk").unwrap().kernels(specs(&["linear"])).c(3.0);
        let classifier = given.iter().fold(classifier, |m, (n, v)| m.param(*n, v.clone()));
        let classifier = classifier.fit(&views, &labels(), &run).unwrap();
        let x = features(&views);
        let gates = classifier.gates(&views).unwrap().unwrap().values;
        let maps: Vec<Matrix> =
            classifier.maps().iter().map(|m| times(&x, m.map().unwrap())).collect();
        let value = |i: usize, j: usize| gates.get(i, j / 2) * maps[j / 2].get(i, j % 2);
        let wanted = Matrix::from_fn(x.rows(), k, value);
        close(&found.rows, &wanted, 1e-9, gating);
        close(&model.transform(&views).unwrap(), &found.rows, 1e-12, gating);
        let back = EmbeddingModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let some = views.select(&[2, 30, 11]);
        assert_eq!(back.transform(&some).unwrap(), model.transform(&some).unwrap(), "{gating}");
        let (_, w) = model.projection().unwrap();
        let first = classifier.maps()[0].map().unwrap();
        close(&w.select_cols(&[0, 1]), first, 1e-12, gating);
    }
    let method = MultiView::new("lpk").unwrap().kernels(specs(&["linear"]));
    let e = method.fit_labelled_embedding(&views, &labels(), 3, &run).unwrap_err().to_string();
    assert!(e.contains("expected a multiple of 2"), "{e}");
    let method = MultiView::new("lpk").unwrap().kernels(specs(&["linear", "gaussian"]));
    let e = method.fit_labelled_embedding(&views, &labels(), 2, &run).unwrap_err().to_string();
    assert!(e.contains("give one kernel"), "{e}");
    // More columns than there are features.
    let method = MultiView::new("lpk").unwrap().kernels(specs(&["linear"]));
    let d = features(&views).cols();
    let method = method.param("max_iterations", 3);
    let (_, found) = method.fit_labelled_embedding(&views, &labels(), 2 * d + 2, &run).unwrap();
    assert_eq!(found.rows.cols(), 2 * d);
    assert!(found.report.notes.iter().any(|n| n.contains("for each region")));
}
