//! What the control methods of clustering refuse.

use crate::common::{Real, Toy, run_method};
use crate::invariance::controls::toy_views;
use cokernel::Run;
use cokernel::data::{Csr, Matrix, Table, Views};
use cokernel::model::MultiView;
use cokernel::multiview::Starts;

fn refusal(id: &str, kernels: Vec<Matrix>, k: usize, params: &[(&str, Real)]) -> String {
    let toy = Toy { kernels, classes: Vec::new() };
    run_method(id, &toy.bank(), k, params, &Run::default()).unwrap_err().to_string()
}

fn of_views(method: &MultiView, views: &Views, run: &Run) -> String {
    method.cluster(views, 2, &Starts::default(), run).unwrap_err().to_string()
}

fn plain(n: usize) -> Matrix {
    Matrix::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.5 })
}

#[test]
fn numbers() {
    for id in ["product_spectral", "concat_embeddings", "min_disagreement"] {
        let two = || vec![plain(6), plain(6)];
        let wrong = "parameter 'eigenvectors': expected from 1 to 6 (the ";
        let e = refusal(id, two(), 2, &[("eigenvectors", 9.into())]);
        assert!(e.starts_with(wrong), "{id}: {e}");
    }
    assert_eq!(
        refusal("kernel_cca", vec![plain(6), plain(6)], 2, &[("components", 7.into())]),
        "parameter 'components': expected at most 6 (the number of instances), found 7"
    );
    for id in ["product_spectral", "concat_embeddings", "min_disagreement", "kernel_cca", "cca"] {
        for k in [0, 7] {
            let e = refusal(id, vec![plain(6), plain(6)], k, &[]);
            assert!(e.starts_with("parameter 'k': expected from 1 to 6 clusters"), "{id}: {e}");
        }
    }
}

#[test]
fn negative_similarities_and_isolated_instances() {
    let mut bad = plain(6);
    bad.set(2, 4, -0.25);
    bad.set(4, 2, -0.25);
    let alone = Matrix::from_fn(6, 6, |i, j| if i == 3 || j == 3 { 0.0 } else { 1.0 });
    for (id, name) in [
        ("product_spectral", "the product of the kernels"),
        ("concat_embeddings", "kernel 'view 1'"),
        ("min_disagreement", "kernel 'view 1'"),
    ] {
        let e = refusal(id, vec![plain(6), bad.clone()], 2, &[]);
        assert!(
            e.starts_with(&format!("{name}: the similarity of instances 2 and 4 is -0")),
            "{e}"
        );
        let e = refusal(id, vec![plain(6), alone.clone()], 2, &[]);
        assert!(e.starts_with(&format!("{name}: instance 3 has no similarity to any")), "{e}");
    }
}

#[test]
fn too_few_views() {
    assert_eq!(
        refusal("min_disagreement", vec![plain(6)], 2, &[]),
        "minimising disagreement compares views: it needs two kernels or more, found 1; for one \
         use 'spectral'"
    );
    for id in ["cca", "kernel_cca"] {
        assert_eq!(
            refusal(id, vec![plain(6)], 2, &[]),
            "canonical correlations are between views: two kernels or more are needed, found 1; \
             for one use 'spectral'"
        );
        let ones = || Matrix::from_fn(6, 6, |_, _| 1.0);
        assert_eq!(
            refusal(id, vec![ones(), ones()], 2, &[]),
            "canonical correlations need two views or more that differ between instances, found \
             0; the others are the same for all instances"
        );
    }
    let flat = toy_views(12, &[2], 2, 1).dense("flat", Matrix::from_fn(12, 1, |_, _| 0.1)).unwrap();
    let e = of_views(&MultiView::new("cca").unwrap(), &flat, &Run::default());
    assert!(e.contains("differ between instances, found 1"), "{e}");
}

#[test]
fn uncorrelated_views() {
    let x = Matrix::from_fn(8, 1, |i, _| if i < 4 { 1.0 } else { -1.0 });
    let y = Matrix::from_fn(8, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 });
    let views = Views::new().dense("x", x).unwrap().dense("y", y).unwrap();
    for method in [
        MultiView::new("cca").unwrap(),
        MultiView::new("kernel_cca").unwrap().kernels(["linear".parse().unwrap()]),
    ] {
        assert_eq!(
            of_views(&method, &views, &Run::default()),
            "no function of one view is correlated with one of another view, so that there are no \
             canonical variates to cluster"
        );
    }
}

#[test]
fn similarities_have_no_features() {
    let views = toy_views(6, &[2], 2, 2).with("s", Table::Similarity(plain(6))).unwrap();
    for id in ["concat_spectral", "concat_kmeans", "cca"] {
        assert_eq!(
            of_views(&MultiView::new(id).unwrap(), &views, &Run::default()),
            format!(
                "method '{id}' works on features, but view 's' is a similarity; leave this view \
                 out, or choose a method that works on similarities"
            )
        );
    }
    let e = refusal("concat_kmeans", vec![plain(6)], 2, &[]);
    assert!(
        e.contains("needs the features of the views; there is nothing but similarities"),
        "{e}"
    );
}

#[test]
fn too_little_memory() {
    let poor = Run { memory: 1000, ..Run::default() };
    let row = |i: usize| vec![((i * 7 % 50) as u32, 1.0)];
    let sparse = Csr::from_rows(50, (0..20).map(row).collect()).unwrap();
    let views = Views::new().with("words", Table::Sparse(sparse)).unwrap();
    assert_eq!(
        of_views(&MultiView::new("concat_kmeans").unwrap(), &views, &poor),
        "view 'concat': its 20 × 50 sparse features would take 0.0 GB as dense ones, more than \
         the 0.0 GB that the run may use; reduce the columns first, or choose a method that works \
         on kernels"
    );
    let e = of_views(&MultiView::new("kernel_cca").unwrap(), &toy_views(20, &[2, 2], 2, 3), &poor);
    assert!(e.starts_with("kernel canonical correlation keeps a factor of 0.00 GB for each of 2"));
}

#[test]
fn parameters() {
    let two = || vec![plain(6), plain(6)];
    let named = |name: &str| [("embedding", name.to_string().into())];
    for id in ["min_disagreement", "kernel_cca", "cca"] {
        let e = refusal(id, two(), 2, &named("view 7"));
        assert!(e.starts_with("unknown embedding 'view 7' (did you mean 'view "), "{id}: {e}");
    }
    let e = refusal("cca", two(), 2, &[("regularization", 0.0.into())]);
    assert!(e.contains("every view is perfectly correlated"), "{e}");
    let e = refusal("kernel_cca", two(), 2, &[("regularization", 0.0.into())]);
    assert!(e.contains("at least 1e-8"), "{e}");
    let e = refusal("concat_spectral", two(), 2, &[("scale", "big".to_string().into())]);
    assert!(e.contains("unknown value 'scale=big'"), "{e}");
}
