//! Kernel matrices by scikit-learn (`tests/reference/bank.py` made the values).

use cokernel::Run;
use cokernel::bank::{Bank, Cross, RowMeans, Storage};
use cokernel::data::{Matrix, Views};
use cokernel::kernel::KernelSpec;
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    x: Vec<Vec<f64>>,
    z: Vec<Vec<f64>>,
    kernels: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    spec: String,
    train: Vec<Vec<f64>>,
    new: Vec<Vec<f64>>,
}

fn views(rows: &[Vec<f64>]) -> Views {
    let m = Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
    Views::new().dense("x", m).unwrap()
}

#[test]
fn kernels_agree_with_scikit_learn() {
    let reference: Reference =
        serde_json::from_str(include_str!("../../reference/bank.json")).unwrap();
    let (train, new) = (views(&reference.x), views(&reference.z));
    let n = train.n();
    for case in &reference.kernels {
        let spec: KernelSpec = case.spec.parse().unwrap();
        let bank = Bank::build(&train, &[spec], Storage::Resident, &Run::default()).unwrap();
        let rows: Vec<usize> = (0..n).collect();
        let norms = [bank.norms(0).to_vec()];
        let cross = Cross::new(&train, &rows, n, bank.kernels(), &norms, RowMeans::Exact).unwrap();
        let block = cross.kernel(&cross.new_rows(&new, &[0]).unwrap(), 0).unwrap();
        for (what, got, want) in [
            ("train", bank.combine(&[1.0]).unwrap().values().to_vec(), &case.train),
            ("new", block.values().to_vec(), &case.new),
        ] {
            let want: Vec<f64> = want.iter().flatten().copied().collect();
            assert_eq!(got.len(), want.len());
            for (g, w) in got.iter().zip(&want) {
                let near = (g - w).abs() <= 1e-12 * w.abs().max(1e-2);
                assert!(near, "{} ({what}): {g} and {w}", case.spec);
            }
        }
    }
}
