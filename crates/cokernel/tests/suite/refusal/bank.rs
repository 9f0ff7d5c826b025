//! What kernels and banks refuse.

use cokernel::bank::{Bank, Cross, Gram, RowMeans, Storage, needs_all_rows};
use cokernel::data::{Matrix, Table, View, Views};
use cokernel::kernel::{KernelSpec, Normalization};
use cokernel::{Error, Run};

fn views() -> Views {
    let similarity = Matrix::from_fn(5, 5, |i, j| if i == j { 2.0 } else { 0.5 });
    Views::new()
        .dense("a", Matrix::from_fn(5, 3, |i, j| (i * 3 + j) as f64 - 4.0))
        .unwrap()
        .dense("same", Matrix::from_fn(5, 2, |_, _| 1.0))
        .unwrap()
        .with("graph", Table::Similarity(similarity))
        .unwrap()
}

fn build(views: &Views, text: &str) -> Result<Bank, Error> {
    Bank::build(views, &[text.parse()?], Storage::Resident, &Run::default())
}

fn refused(text: &str) -> String {
    build(&views(), text).unwrap_err().to_string()
}

#[track_caller]
fn says(sentence: String, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "'{part}' is not in: {sentence}");
    }
}

#[test]
fn kernels_that_no_memory_can_hold() {
    let views = Views::new().dense("x", Matrix::zeros(3_000_000, 1)).unwrap();
    let spec = KernelSpec::gaussian().gamma((1..=40).map(f64::from).collect::<Vec<_>>());
    let found = Bank::build(&views, &[spec], Storage::Resident, &Run::default());
    says(found.unwrap_err().to_string(), &["40 kernels over 3000000 instances", "on_demand"]);
}

#[test]
fn views_that_cannot_serve_a_kernel() {
    says(refused("gaussian@b"), &["unknown view 'b'", "known: a, same, graph"]);
    says(refused("gaussian@graph"), &["needs features", "precomputed@graph"]);
    says(refused("precomputed@a"), &["needs a similarity", "gaussian@a"]);
    says(refused("chi2@a:gamma=1"), &["view 'a', row 0, column 0", "-4", "χ²"]);
    says(refused("gaussian@same"), &["view 'same'", "median distance", "is 0", "gamma=1"]);
    let only = Views::new().dense("a", Matrix::zeros(3, 2)).unwrap();
    says(build(&only, "precomputed").unwrap_err().to_string(), &["no similarity view"]);
}

#[test]
fn no_kernel_and_incomplete_views() {
    let none = Bank::build(&views(), &[], Storage::Resident, &Run::default());
    says(none.unwrap_err().to_string(), &["no kernel"]);
    let mut views = views();
    let (table, present) = (Table::Dense(Matrix::zeros(5, 1)), vec![true, true, false, true, true]);
    let view = View { name: "part".into(), table, columns: None, present: Some(present) };
    views.push(view).unwrap();
    says(build(&views, "linear@a").unwrap_err().to_string(), &["view 'part'", "first: row 2"]);
}

#[test]
fn matrices_that_are_not_similarities() {
    let of = |m: Matrix| {
        Bank::from_matrices(vec![("k".to_string(), m)], Storage::Resident).unwrap_err().to_string()
    };
    let mut m = Matrix::from_fn(4, 4, |i, j| (i * j) as f64);
    m.set(3, 1, 3.5);
    says(of(m.clone()), &["'k', row 3, column 1", "found 3.5, but 3 at row 1, column 3"]);
    says(of(Matrix::zeros(4, 3)), &["as many columns as rows", "4 × 3"]);
    m.set(3, 1, f64::INFINITY);
    says(of(m.clone()), &["row 3, column 1", "finite"]);
    says(Gram::new(m).unwrap_err().to_string(), &["row 3, column 1", "finite"]);
    let twice =
        vec![("k".to_string(), Matrix::zeros(2, 2)), ("k".to_string(), Matrix::zeros(2, 2))];
    let error = Bank::from_matrices(twice, Storage::Resident).unwrap_err();
    says(error.to_string(), &["'k' is given twice"]);
}

#[test]
fn numbers_that_overflow() {
    let large = Views::new().dense("a", Matrix::from_fn(4, 2, |i, _| i as f64 * 1e200)).unwrap();
    let of = |text| build(&large, text).unwrap_err().to_string();
    says(of("linear"), &["'linear@a'", "row 1", "too large"]);
    says(of("gaussian:gamma=1"), &["view 'a', row 0", "too large for squared distances"]);
}

#[test]
fn remarks_on_useless_kernels_name_them() {
    let bank = build(&views(), "gaussian@a:gamma=1e-9,100").unwrap();
    let notes = bank.notes().join("\n");
    says(notes, &["gamma=1e-9)' is nearly constant", "gamma=100)' is nearly the identity"]);
}

#[test]
fn equal_kernels_get_different_names() {
    let specs: Vec<KernelSpec> = vec!["linear@a".parse().unwrap(), "linear@a".parse().unwrap()];
    let bank = Bank::build(&views(), &specs, Storage::Resident, &Run::default()).unwrap();
    assert_eq!(bank.kernels()[0].name, "linear@a");
    assert_eq!(bank.kernels()[1].name, "linear@a #2");
}

#[test]
fn memory_decides_where_kernels_live() {
    let specs = ["linear@a".parse::<KernelSpec>().unwrap()];
    let with = |memory| {
        let run = Run { memory, ..Run::default() };
        Bank::build(&views(), &specs, Storage::Auto, &run).unwrap().storage()
    };
    assert_eq!(with(1 << 20), Storage::Resident);
    assert_eq!(with(100), Storage::OnDemand);
}

#[test]
fn new_rows_that_do_not_fit() {
    let views = views();
    let rows: Vec<usize> = (0..5).collect();
    let of = |text: &str, new: &Views| {
        let bank = build(&views, text).unwrap();
        let norms = [bank.norms(0).to_vec()];
        let cross = Cross::new(&views, &rows, 5, bank.kernels(), &norms, RowMeans::Exact).unwrap();
        cross.new_rows(new, &[0]).unwrap_err().to_string()
    };
    let wide = Views::new().dense("a", Matrix::zeros(2, 4)).unwrap();
    says(of("linear@a", &wide), &["view 'a'", "3 columns as in training", "4 columns"]);
    says(of("linear@same", &wide), &["unknown view 'same'"]);
    let graph =
        |cols| Views::new().with("graph", Table::Similarity(Matrix::zeros(2, cols))).unwrap();
    says(of("precomputed", &graph(4)), &["view 'graph'", "5 training instances", "4 columns"]);
    says(of("precomputed:normalize=unit_diagonal", &graph(5)), &["self-similarity"]);
    let negative = Views::new().dense("same", Matrix::from_fn(2, 2, |i, _| -(i as f64))).unwrap();
    says(of("chi2@same:gamma=1", &negative), &["view 'same', row 1, column 0"]);
}

#[test]
fn support_rows_alone_do_not_serve_a_diagonal_after_centring() {
    use Normalization::{Center, CenterUnitVariance, UnitDiagonal};
    assert!(needs_all_rows(&[Center, UnitDiagonal]));
    assert!(needs_all_rows(&[CenterUnitVariance, UnitDiagonal]));
    assert!(!needs_all_rows(&[UnitDiagonal, Center]));
    let views = views();
    let bank = build(&views, "linear@a:normalize=center,unit_diagonal").unwrap();
    let some = views.select(&[0, 2]);
    let norms = [bank.norms(0).to_vec()];
    let cross = Cross::new(&some, &[0, 2], 5, bank.kernels(), &norms, RowMeans::Cancelled);
    says(cross.unwrap_err().to_string(), &["need all training instances"]);
}
