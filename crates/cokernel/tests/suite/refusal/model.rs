//! Fitting, predicting, evaluating and model files: one wrong argument at a time.

use cokernel::data::{Labels, Matrix, Missing, Scale, Table, View, Views, toy};
use cokernel::eval::{Protocol, compare, compare_clusterings, cross_validate};
use cokernel::kernel::KernelSpec;
use cokernel::model::{Mkl, Model, MultiView};
use cokernel::multiview::Starts;
use cokernel::{Cancel, Run};

fn toys() -> (Views, Labels) {
    toy::views(24, 2, &[3.0, 1.0], 1).unwrap()
}

fn mean() -> Mkl {
    Mkl::new("mean").unwrap()
}

fn refusal<T>(result: cokernel::Result<T>) -> String {
    result.err().expect("expected a refusal").to_string()
}

#[test]
fn methods_and_parameters() {
    let (views, labels) = toys();
    let fit = |m: Mkl| refusal(m.fit(&views, &labels, &Run::default()));
    let e = refusal(Mkl::new("simple_mlk"));
    assert!(e.starts_with("unknown method 'simple_mlk' (did you mean 'simple_mkl'?)"), "{e}");
    assert_eq!(
        refusal(Mkl::new("spectral")),
        "method 'spectral' clusters; it does not learn from labels"
    );
    assert_eq!(
        refusal(MultiView::new("mean")),
        "method 'mean' learns from labels; it neither clusters nor embeds"
    );
    let simple = || Mkl::new("simple_mkl").unwrap();
    let e = fit(simple().param("tool", 1e-3));
    assert!(e.starts_with("unknown parameter 'tool' (did you mean 'tol'?)"), "{e}");
    assert!(fit(simple().param("tol", -1.0)).starts_with("parameter 'tol'"));
    assert_eq!(
        fit(simple().param("tol", f64::INFINITY)),
        "parameter 'tol': expected a finite number, found inf"
    );
    assert!(fit(mean().c(-1.0)).starts_with("parameter 'c'"));
    assert!(fit(mean().c(f64::NAN)).starts_with("parameter 'c'"));
    assert!(fit(mean().class_weight("9", 2.0)).starts_with("unknown class '9'"));
}

#[test]
fn views_labels_and_kernels() {
    let (views, labels) = toys();
    let run = Run::default();
    let fit = |v: &Views, l: &Labels| refusal(mean().fit(v, l, &run));
    assert_eq!(
        fit(&views, &labels.select(&[0, 1, 2])),
        "labels: expected 24, one per instance of the views, found 3"
    );
    assert_eq!(fit(&Views::new(), &labels), "there is no view; give at least one");
    assert_eq!(
        fit(&views, &Labels::Absent(24)),
        "labels: expected classes, found none; give a label file"
    );
    assert_eq!(fit(&views, &Labels::from_texts(&["?"; 24])), "labels: every label is missing");
    assert!(
        fit(&views, &Labels::from_texts(&["a"; 24])).contains("every instance is in class 'a'")
    );
    assert!(fit(&views, &Labels::Real(vec![Some(1.0); 24])).contains("real targets"));

    let mut incomplete = views.clone();
    let table = Table::Dense(Matrix::zeros(24, 1));
    let present = Some((0..24).map(|i| i != 5).collect());
    incomplete.push(View { name: "half".into(), table, columns: None, present }).unwrap();
    let e = refusal(mean().missing(Missing::Refuse).fit(&incomplete, &labels, &run));
    assert!(e.starts_with("view 'half' is missing for 1 of 24 instances (first: row 5)"), "{e}");
    // It does not matter where no kernel looks at it.
    let elsewhere = mean().kernels([KernelSpec::gaussian().view("view0")]);
    elsewhere.fit(&incomplete, &labels, &run).unwrap();

    let on = |spec: KernelSpec| refusal(mean().kernels([spec]).fit(&views, &labels, &run));
    let e = on(KernelSpec::gaussian().view("view7"));
    assert!(e.starts_with("unknown view 'view7' (did you mean 'view0'?)"), "{e}");
    assert_eq!(on(KernelSpec::precomputed()), "no view can serve any of the kernels");
    let e = refusal(mean().kernels([]).fit(&views, &labels, &run));
    assert_eq!(e, "the list of kernels is empty");

    let oblong = Views::new().with("s", Table::Similarity(Matrix::zeros(24, 5))).unwrap();
    let e = fit(&oblong, &labels);
    assert!(e.starts_with("view 's': expected a similarity between the training"), "{e}");
    let unit = "precomputed@s:normalize=unit_diagonal".parse::<KernelSpec>().unwrap();
    let identity = Matrix::from_fn(24, 24, |i, j| f64::from(u8::from(i == j)));
    let similarity = Views::new().with("s", Table::Similarity(identity)).unwrap();
    let e = refusal(mean().kernels([unit]).fit(&similarity, &labels, &run));
    assert!(e.contains("does not tell the self-similarity of new instances"), "{e}");
}

#[test]
fn new_instances() {
    let (views, labels) = toys();
    let model = mean().scale(Scale::Standard).fit(&views, &labels, &Run::default()).unwrap();
    let first = views.get("view0").unwrap().table.clone();
    let new = |second: Option<Table>| {
        let views = Views::new().with("view0", first.clone()).unwrap();
        match second {
            Some(table) => views.with("view1", table).unwrap(),
            None => views,
        }
    };
    let e = refusal(model.predict(&new(None)));
    assert!(e.starts_with("view 'view1' is missing"), "{e}");
    let e = refusal(model.predict(&new(Some(Table::Dense(Matrix::zeros(24, 5))))));
    assert_eq!(e, "view 'view1': expected 2 columns as in training, found 5");
    let e = refusal(model.predict(&new(Some(Table::Similarity(Matrix::zeros(24, 2))))));
    assert!(e.contains("is a similarity, but was a table of features"), "{e}");
    let huge = Matrix::from_fn(24, 2, |_, _| 1e200);
    let linear = mean().kernels([KernelSpec::polynomial(2)]);
    let linear = linear.fit(&views, &labels, &Run::default()).unwrap();
    let e = refusal(linear.predict(&new(Some(Table::Dense(huge)))));
    assert!(e.starts_with("row 0: the decision value"), "{e}");
}

#[test]
fn model_files() {
    let dir = tempfile::tempdir().unwrap();
    let e = refusal(Model::load(dir.path().join("none.ck")));
    assert!(e.contains("none.ck"), "{e}");
    assert!(Model::load(dir.path()).is_err());
    let path = dir.path().join("table.csv");
    for content in [&b""[..], b"a,b\n1,2\n3,4\n5,6\n", &[0; 4096]] {
        std::fs::write(&path, content).unwrap();
        let e = refusal(Model::load(&path));
        assert!(e.contains("table.csv: this is not a model file"), "{e}");
    }
    let (views, labels) = toys();
    let model = mean().fit(&views, &labels, &Run::default()).unwrap();
    let e = refusal(model.save(dir.path().join("no").join("m.ck")));
    assert!(e.contains("m.ck"), "{e}");
    std::fs::write(&path, "old").unwrap();
    model.save(&path).unwrap();
    assert_eq!(Model::load(&path).unwrap(), model);
}

#[test]
fn evaluation() {
    let (views, labels) = toys();
    let run = Run::default();
    let splits = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 0).unwrap();
    let e = refusal(compare(&[], true, &views, &labels, &splits, &run));
    assert_eq!(e, "there is no method to compare; name at least one");
    let e = refusal(cross_validate(&mean(), &views, &labels.select(&[0]), &splits, &run));
    assert!(e.starts_with("labels: expected 24"), "{e}");
    let part: Vec<usize> = (0..20).collect();
    let (few, known) = (views.select(&part), labels.select(&part));
    let e = refusal(cross_validate(&mean(), &few, &known, &splits, &run));
    assert!(e.contains("make the splits from the same labels"), "{e}");
    let mut none = splits.clone();
    none.splits.clear();
    assert!(refusal(cross_validate(&mean(), &views, &labels, &none, &run)).contains("no split"));
    let cancel = Cancel::default();
    cancel.cancel();
    let stopped = Run { cancel, ..Run::default() };
    for e in [
        refusal(cross_validate(&mean(), &views, &labels, &splits, &stopped)),
        refusal(compare(&[mean()], true, &views, &labels, &splits, &stopped)),
    ] {
        assert_eq!(e, "the run was stopped before the first split was complete");
    }
    let starts = Starts::default();
    let clusterings = |methods: &[MultiView], k, labels: Option<&Labels>| {
        compare_clusterings(methods, &views, k, labels, &starts, &run)
    };
    let spectral = [MultiView::new("spectral").unwrap()];
    let e = refusal(clusterings(&spectral, 2, Some(&labels.select(&[0]))));
    assert_eq!(e, "labels: expected 24, one per instance, found 1");
    assert!(refusal(clusterings(&[], 2, None)).contains("no method"));
    assert!(clusterings(&spectral, 0, None).is_err());
}
