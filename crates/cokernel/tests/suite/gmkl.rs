//! Widths of features, end to end: models by their definition, what has to be equal to what, files, and what is refused.

use cokernel::Run;
use cokernel::data::{Csr, Labels, Matrix, Scale, Table, View, Views};
use cokernel::kernel::KernelSpec;
use cokernel::machine::MachineSpec;
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;

const N: usize = 120;

/// Four features, of which the first two tell the class: inside or outside of an ellipse. `order` puts them elsewhere,
/// `units` measures them in other units.
fn features(order: [usize; 4], units: [f64; 4]) -> Matrix {
    Matrix::from_fn(N, 4, |i, j| {
        let f = order[j];
        let golden = [0.618_034, 0.414_214, 0.732_051, 0.645_751][f];
        units[f] * (4.0 * ((i + 1) as f64 * golden).fract() - 2.0)
    })
}

fn plain() -> Matrix {
    features([0, 1, 2, 3], [1.0; 4])
}

fn inside(i: usize) -> bool {
    let x = plain();
    x.get(i, 0).powi(2) + 2.0 * x.get(i, 1).powi(2) < 2.5
}

fn labels() -> Labels {
    Labels::from_texts(&(0..N).map(|i| if inside(i) { "in" } else { "out" }).collect::<Vec<_>>())
}

fn one(x: Matrix) -> Views {
    Views::new().dense("x", x).unwrap()
}

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().map(|t| t.parse().unwrap()).collect()
}

fn mkl(kernels: &[&str], params: &[(&str, &str)]) -> Mkl {
    let start = Mkl::new("gmkl").unwrap().kernels(specs(kernels));
    let start = start.machine("svc:c=10:tol=1e-9".parse::<MachineSpec>().unwrap());
    params.iter().fold(start, |mkl, (name, value)| mkl.param(*name, Value::parse(value)))
}

fn fit(kernels: &[&str], params: &[(&str, &str)], views: &Views) -> Model {
    mkl(kernels, params).fit(views, &labels(), &Run::default()).unwrap()
}

fn decisions(model: &Model, views: &Views) -> Vec<f64> {
    model.predict(views).unwrap().decisions.values().to_vec()
}

fn near(a: &[f64], b: &[f64], tol: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tol * scale, "{what}, {k}: {a} {b}");
    }
}

fn relevance(model: &Model) -> Vec<f64> {
    model.feature_widths().into_iter().flat_map(|w| w.relevance).collect()
}

/// The features as two views, the second sparse where asked for.
fn two(x: &Matrix, sparse: bool) -> Views {
    let b = x.select_cols(&[1, 2, 3]);
    let rows = (0..N).map(|i| (0..3).map(|j| (j as u32, b.get(i, j as usize))).collect()).collect();
    let table = match sparse {
        true => Table::Sparse(Csr::from_rows(3, rows).unwrap()),
        false => Table::Dense(b),
    };
    Views::new().dense("a", x.select_cols(&[0])).unwrap().with("b", table).unwrap()
}

/// Values are those of the formula on the raw features with the widths that the model tells; a file gives back the same
/// bits, and so does another fit.
#[test]
fn values_are_those_of_the_formula() {
    let x = plain();
    for sparse in [false, true] {
        let views = two(&x, sparse);
        for (kernels, given) in [
            ("gaussian", [("form", "product"), ("widths", "features")]),
            ("gaussian:gamma=0.1,0.7", [("form", "product"), ("widths", "views")]),
            ("linear", [("form", "polynomial"), ("widths", "features")]),
            ("linear", [("form", "polynomial"), ("widths", "views")]),
        ] {
            let what = format!("{given:?} {sparse}");
            let given = [given[0], given[1], ("tol", "1e-7")];
            let model = fit(&[kernels], &given, &views);
            let told = model.feature_widths();
            assert_eq!(told.iter().map(|w| w.view.as_str()).collect::<Vec<_>>(), ["a", "b"]);
            assert_eq!(told[1].features, ["1", "2", "3"], "{what}");
            let widths: Vec<f64> = told.iter().flat_map(|w| w.widths.clone()).collect();
            if given[1].1 == "views" {
                near(&widths[1..], &[widths[1]; 3], 1e-15, &what);
            }
            let value = |i: usize, j: usize| {
                let pairs = |f: &dyn Fn(f64, f64) -> f64| {
                    (0..4).map(|d| widths[d] * f(x.get(i, d), x.get(j, d))).sum::<f64>()
                };
                match given[0].1 {
                    "product" => (-pairs(&|a, b| (a - b).powi(2))).exp(),
                    _ => (1.0 + pairs(&|a, b| a * b)).powi(2),
                }
            };
            let (support, coef, bias) = model.duals();
            let by_formula = |i: usize| {
                let terms = support.iter().enumerate().map(|(c, j)| coef.get(0, c) * value(i, *j));
                terms.sum::<f64>() + bias[0]
            };
            let wanted: Vec<f64> = (0..N).map(by_formula).collect();
            near(&decisions(&model, &views), &wanted, 1e-9, &what);
            let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(back, model, "{what}");
            let new = views.select(&[3, 70, 11]);
            assert_eq!(back.predict(&new).unwrap(), model.predict(&new).unwrap(), "{what}");
            assert_eq!(back.feature_widths(), told, "{what}");
            let again = fit(&[kernels], &given, &views);
            assert_eq!(decisions(&again, &new), decisions(&model, &new), "{what}");
            // Dense and sparse features give the same.
            let other = fit(&[kernels], &given, &two(&x, !sparse));
            near(&decisions(&other, &two(&x, !sparse)), &wanted, 1e-3, &what);
        }
    }
}

/// Under l1 the features that tell nothing get next to nothing, and of the others that along which the ellipse is narrow more.
#[test]
fn irrelevant_features_get_next_to_no_width() {
    for (kernels, form) in [("gaussian", "product"), ("linear", "polynomial")] {
        let given = [("form", form), ("strength", "1"), ("tol", "1e-5")];
        let model = fit(&[kernels], &given, &one(plain()));
        let found = relevance(&model);
        assert!(found[2] + found[3] < 0.1 * (found[0] + found[1]), "{form}: {found:?}");
        assert!(found[1] > found[0] && found[0] > 0.0, "{form}: {found:?}");
        let right = model.predict(&one(plain())).unwrap().labels;
        let right = right.iter().enumerate().filter(|(i, l)| (*l == "in") == inside(*i)).count();
        assert!(right >= 100, "{form}: {right} of {N}");
        // l2 keeps all that help a little.
        let given = [("form", form), ("strength", "1"), ("penalty", "l2"), ("tol", "1e-5")];
        let kept = relevance(&fit(&[kernels], &given, &one(plain())));
        assert!(kept.iter().filter(|r| **r > 0.0).count() >= 2, "{form}: {kept:?}");
    }
}

#[test]
fn permuted_features_have_permuted_widths() {
    for (kernels, form) in [("gaussian", "product"), ("linear", "polynomial")] {
        let given = [("form", form), ("tol", "1e-7")];
        let order = [2, 0, 3, 1];
        let (first, second) = (one(plain()), one(features(order, [1.0; 4])));
        let (a, b) = (fit(&[kernels], &given, &first), fit(&[kernels], &given, &second));
        let (found, wanted) = (relevance(&b), relevance(&a));
        near(&found, &order.map(|f| wanted[f]), 2e-2, form);
        near(&decisions(&b, &second), &decisions(&a, &first), 2e-2, form);
        let end = |m: &Model| m.report().objective.last().copied().unwrap();
        near(&[end(&b)], &[end(&a)], 1e-5, form);
    }
}

/// Features in other units, and kernels times a number, are the same features and kernels.
#[test]
fn units_do_not_count() {
    for units in [[1e6; 4], [1e-6; 4], [1e6, 1e-6, 1.0, 1e3]] {
        for (kernels, given) in [
            ("gaussian", [("form", "product"), ("widths", "features")]),
            ("linear", [("form", "polynomial"), ("widths", "features")]),
            ("linear:per_feature", [("form", "sum"), ("widths", "features")]),
        ] {
            let given = [given[0], given[1], ("tol", "1e-7")];
            let (first, second) = (one(plain()), one(features([0, 1, 2, 3], units)));
            let (a, b) = (fit(&[kernels], &given, &first), fit(&[kernels], &given, &second));
            let what = format!("{given:?} {units:?}");
            near(&decisions(&b, &second), &decisions(&a, &first), 1e-3, &what);
            near(&relevance(&b), &relevance(&a), 1e-2, &what);
        }
    }
    // All views of one unit: one width for each.
    let given = [("widths", "views"), ("tol", "1e-7")];
    let (first, second) = (two(&plain(), false), two(&features([0, 1, 2, 3], [1e6; 4]), false));
    let (a, b) = (fit(&["gaussian"], &given, &first), fit(&["gaussian"], &given, &second));
    near(&decisions(&b, &second), &decisions(&a, &first), 1e-3, "views");
}

/// One view with one width is the Gaussian kernel of that width.
#[test]
fn one_width_is_the_gaussian_kernel() {
    let views = one(plain());
    let model = fit(&["gaussian"], &[("widths", "views")], &views);
    let width = model.feature_widths()[0].widths[0];
    let kernel = KernelSpec::gaussian().gamma([width]);
    let plain = Mkl::new("mean").unwrap().kernels([kernel]).c(10.0);
    let plain = plain.fit(&views, &labels(), &Run::default()).unwrap();
    near(&decisions(&model, &views), &decisions(&plain, &views), 2e-3, "one width");
    // Without steps it is that of the start: the mean exponent is 1.
    let few = fit(&["gaussian"], &[("widths", "views"), ("strength", "1e9")], &views);
    assert!(few.feature_widths()[0].widths[0] < 1e-3 * width);
}

/// The sum under l1 is SimpleMKL at C times the sum of the weights, where kernels have the same size.
#[test]
fn the_sum_is_simple_mkl_at_another_cost() {
    let views = one(plain());
    let kernels = ["gaussian:per_feature", "gaussian"];
    let given = [("form", "sum"), ("strength", "0.3"), ("tol", "1e-9")];
    let run = Run::default();
    let machine = |c: f64| format!("svc:c={c}:tol=1e-8").parse::<MachineSpec>().unwrap();
    let model = mkl(&kernels, &given).machine(machine(1.0)).fit(&views, &labels(), &run).unwrap();
    let weights = model.rule().weights().unwrap().to_vec();
    let total: f64 = weights.iter().sum();
    let simple = Mkl::new("simple_mkl").unwrap().kernels(specs(&kernels)).param("tol", 1e-8);
    let simple = simple.machine(machine(total)).fit(&views, &labels(), &run).unwrap();
    let shares: Vec<f64> = weights.iter().map(|w| w / total).collect();
    near(&shares, simple.rule().weights().unwrap(), 1e-3, "weights");
    near(&decisions(&model, &views), &decisions(&simple, &views), 2e-3, "values");
    assert!(weights.contains(&0.0), "{weights:?}");
    assert!(model.feature_widths().is_empty());
}

#[test]
fn numbers_are_learned_from_too() {
    let x = plain();
    let wave: Vec<f64> = (0..N).map(|i| (1.5 * x.get(i, 1)).sin()).collect();
    for machine in ["svr:c=10:epsilon=0.01", "kernel_ridge:lambda=0.01"] {
        let mkl = mkl(&["gaussian"], &[("strength", "0.3")]);
        let mkl = mkl.machine(machine.parse::<MachineSpec>().unwrap());
        let model =
            mkl.fit(&one(x.clone()), &Labels::Real(wave_of(&wave)), &Run::default()).unwrap();
        let found = relevance(&model);
        let most = found.iter().fold(0.0_f64, |a, r| a.max(*r));
        assert!(found[1] == most && found[1] > 3.0 * (found[0] + found[2] + found[3]), "{found:?}");
        let values = decisions(&model, &one(x.clone()));
        let worst = values.iter().zip(&wave).fold(0.0_f64, |a, (f, y)| a.max((f - y).abs()));
        assert!(worst < 0.2, "{machine}: {worst}");
    }
}

fn wave_of(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().map(|v| Some(*v)).collect()
}

#[test]
fn names_scaling_and_columns_with_one_value() {
    let x = Matrix::from_fn(N, 3, |i, j| if j == 1 { 7.5 } else { plain().get(i, j / 2) });
    let columns = Some(["long", "fixed", "short"].map(String::from).to_vec());
    let mut views = Views::new();
    views.push(View { name: "x".into(), table: Table::Dense(x), columns, present: None }).unwrap();
    for (kernels, form) in [("gaussian", "product"), ("linear", "polynomial")] {
        for scale in [Scale::None, Scale::Standard] {
            let mkl = mkl(&[kernels], &[("form", form)]).scale(scale);
            let model = mkl.fit(&views, &labels(), &Run::default()).unwrap();
            let told = &model.feature_widths()[0];
            assert_eq!(told.features, ["long", "fixed", "short"]);
            assert_eq!((told.relevance[1], told.widths[1]), (0.0, 0.0), "{form}");
            assert!(told.relevance[0] > 0.0 && told.relevance[2] > 0.0, "{form}");
            // Another value there changes nothing.
            let Table::Dense(x) = &views.get("x").unwrap().table else { panic!("dense") };
            let moved = Matrix::from_fn(N, 3, |i, j| if j == 1 { -1e3 } else { x.get(i, j) });
            near(&decisions(&model, &one(moved)), &decisions(&model, &views), 1e-12, form);
            let told = serde_json::to_value(model.inspect()).unwrap();
            assert_eq!(told["widths"][0]["features"][2], "short");
        }
    }
}

#[test]
fn two_instances() {
    let views = one(Matrix::new(2, 2, vec![1.0, 5.0, 3.0, 5.0]).unwrap());
    let labels = Labels::from_texts(&["a", "b"]);
    for (kernels, form) in [("gaussian", "product"), ("linear", "polynomial"), ("gaussian", "sum")]
    {
        let model = mkl(&[kernels], &[("form", form)]).fit(&views, &labels, &Run::default());
        assert_eq!(model.unwrap().predict(&views).unwrap().labels, ["a", "b"], "{form}");
    }
}

#[test]
fn what_is_refused() {
    let (views, run) = (one(plain()), Run::default());
    let refused = |mkl: Mkl, views: &Views, labels: &Labels| {
        mkl.fit(views, labels, &run).unwrap_err().to_string()
    };
    let x = Matrix::from_fn(N, N, |i, j| f64::from(u8::from(i == j)) + 0.5);
    let similar = Views::new().with("k", Table::Similarity(x)).unwrap();
    for (kernels, form, views, said) in [
        ("linear", "product", &views, "form=product needs Gaussian kernels of all columns"),
        ("gaussian:per_feature", "product", &views, "form=product needs Gaussian kernels"),
        ("gaussian:normalize=center", "product", &views, "without other normalisations"),
        ("laplacian", "product", &views, "form=product needs Gaussian kernels"),
        ("precomputed", "product", &similar, "'precomputed@k' is none; give gaussian, or form=sum"),
        ("gaussian", "polynomial", &views, "form=polynomial needs linear kernels"),
    ] {
        let found = refused(mkl(&[kernels], &[("form", form)]), views, &labels());
        assert!(found.contains(said), "{kernels}, {form}: {found}");
    }
    fit(&["precomputed"], &[("form", "sum")], &similar);
    fit(&["gaussian:normalize=unit_diagonal"], &[], &views);
    let constant = one(Matrix::from_fn(N, 2, |_, j| j as f64));
    let found = refused(mkl(&["gaussian:gamma=1"], &[]), &constant, &labels());
    assert!(found.contains("every column of the views has one value only"), "{found}");
    let one_class =
        mkl(&["gaussian"], &[]).machine("one_class_svm".parse::<MachineSpec>().unwrap());
    let found = refused(one_class, &views, &Labels::Absent(N));
    assert!(found.contains("gmkl"), "{found}");
    // Instances that lack a view, and numbers that are none.
    let mut lacking = Views::new();
    let present = Some((0..N).map(|i| i != 5).collect());
    let table = Table::Dense(plain());
    lacking.push(View { name: "x".into(), table, columns: None, present }).unwrap();
    let found = refused(mkl(&["gaussian"], &[]), &lacking, &labels());
    assert!(found.contains("instance 5 lacks view 'x'"), "{found}");
    let mut nan = plain();
    nan.set(3, 2, f64::NAN);
    assert!(Views::new().dense("x", nan).unwrap_err().to_string().contains("not a finite number"));
}
