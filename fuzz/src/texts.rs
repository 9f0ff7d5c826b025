//! Specifications of kernels and graphs as text.

use cokernel::data::{Csr, Matrix, Sequences, Table, Views};
use cokernel::kernel::{GraphSpec, KernelSpec};
use cokernel::{Run, bank};

/// Words of specifications.
pub const WORDS: &[&str] = &[
    "linear",
    "polynomial",
    "poly",
    "gaussian",
    "rbf",
    "laplacian",
    "chi2",
    "exponential",
    "sigmoid",
    "precomputed",
    "tanimoto",
    "minmax",
    "pearson",
    "spearman",
    "spectrum",
    "mismatch",
    "mismatches=",
    "alphabet=ACGT",
    "distances",
    "diffusion",
    "beta=",
    "laplacian=plain",
    "random_walk",
    "steps=",
    "a=",
    "@d",
    "@a",
    "@s",
    "@",
    ":",
    "=",
    ",",
    "*",
    "^",
    "..",
    "2^-3..6",
    "2^-300..300",
    "0^-1",
    "degree=",
    "gamma=",
    "coef0=",
    "sigma=",
    "scale=",
    "metric=euclidean",
    "metric=squared_euclidean",
    "median",
    "mean",
    "mean_nearest",
    "per_feature",
    "normalize=",
    "unit_diagonal",
    "unit_trace",
    "center",
    "center_unit_variance",
    "frobenius",
    "knn",
    "k=",
    "epsilon",
    "radius=",
    "mutual=yes",
    "weights=gaussian",
    "weights=binary",
    "\"",
    "'",
    "é",
];

/// Three instances: features, sparse features, a similarity, sequences.
fn views() -> Views {
    let features = Matrix::from_fn(3, 2, |i, j| (i * 2 + j) as f64 / 3.0);
    let sparse = Csr::from_rows(4, vec![vec![(0, 1.0)], vec![(3, 2.0)], vec![(0, 0.5), (1, 1.0)]]);
    let similar = Matrix::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.5 });
    sparse
        .and_then(|sparse| Views::new().dense("a", features)?.with("b", Table::Sparse(sparse)))
        .and_then(|views| views.with("s", Table::Similarity(similar)))
        .and_then(|views| views.with("d", Table::Sequences(Sequences::new(["ACGT", "", "GG"])?)))
        .expect("views in order")
}

/// Kernel specifications: those that are read are written so that they read back as the same, and
/// make kernels or say why not.
pub fn kernels(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let specs = match KernelSpec::parse_list(&text) {
        Ok(specs) => specs,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return false;
        }
    };
    let views = views();
    for spec in specs {
        let written = spec.to_string();
        let again = written.parse::<KernelSpec>();
        assert_eq!(again.as_ref().ok(), Some(&spec), "{text}: {written}");
        match spec.resolve(&views, &Run::default()) {
            Ok(found) => assert!(!found.is_empty(), "{written}"),
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
    true
}

/// Kernel specifications that are accepted.
pub fn kernel_seeds() -> Vec<Vec<u8>> {
    [
        "linear",
        "polynomial@a:degree=2,3:coef0=0.5:gamma=2:normalize=unit_diagonal",
        "gaussian@a:sigma=median",
        "gaussian:gamma=0.1,1,10:per_feature",
        "gaussian:sigma=2^-3..6",
        "gaussian:sigma=median*2^-2..2:normalize=center,unit_diagonal",
        "gaussian:scale=mean_nearest*0.5",
        "laplacian",
        "chi2@b:gamma=1e-3",
        "exponential@a:metric=euclidean:scale=mean",
        "exponential:metric=squared_euclidean:sigma=1,2",
        "sigmoid:gamma=0.1:coef0=-1",
        "precomputed@s:normalize=frobenius",
        "tanimoto:per_feature",
        "minmax@b",
        "spearman@a:normalize=center",
        "mismatch@d:k=3,4:mismatches=1:alphabet=ACGT",
        "distances@s:scale=mean*2",
        "diffusion@s:beta=0.5:laplacian=plain",
        "random_walk@s:steps=2,3:a=2.5",
    ]
    .map(|t| t.as_bytes().to_vec())
    .to_vec()
}

/// Graph specifications, in the same way.
pub fn graphs(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<GraphSpec>() {
        Ok(spec) => {
            let written = spec.to_string();
            let again = written.parse::<GraphSpec>();
            assert_eq!(again.as_ref().ok(), Some(&spec), "{text}: {written}");
            for view in views().iter().filter(|v| !v.table.is_similarity()) {
                if let Err(e) = bank::build_graph(view, &spec) {
                    assert!(!e.to_string().is_empty());
                }
            }
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

/// Graph specifications that are accepted.
pub fn graph_seeds() -> Vec<Vec<u8>> {
    [
        "knn",
        "knn@a:k=1",
        "knn:k=2:mutual=yes",
        "knn:k=1:weights=gaussian",
        "epsilon:radius=0.5",
        "epsilon@b:radius=0.5:weights=gaussian:sigma=0.2",
    ]
    .map(|t| t.as_bytes().to_vec())
    .to_vec()
}
